//! Shares of counted things, and what their difference can be.

use super::autocorrelation::effective_size;
use super::batches::{Part, satterthwaite, squares};
use super::bootstrap::{block_length, stretches};
use super::quantile::{quantile, t_quantile};
use super::random::Random;
use crate::model::bounds::Bounds;

/// So many of so many. More than all count as all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
}

impl Share {
    /// The share as a number; `None` where nothing was counted.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.count.min(self.of) as f64 / self.of as f64)
    }

    /// Both counted together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { count: self.count.saturating_add(other.count), of: self.of.saturating_add(other.of) }
    }
}

/// Wilson's score interval of a share (Wilson 1927), without continuity correction; from 0 to 1 where nothing was counted.
#[must_use]
pub fn wilson(share: Share, level: f64) -> Bounds {
    let Share { count, of } = share;
    let lo = if count == 0 { 0.0 } else { wilson_end(count.min(of), of, level, -1.0) };
    let hi = if count >= of { 1.0 } else { wilson_end(count, of, level, 1.0) };
    // No number at a level of 1: every share is possible then.
    Bounds::new(lo, hi).filter(|_| of > 0).unwrap_or_else(|| known(0.0, 1.0))
}

fn wilson_end(count: u64, of: u64, level: f64, side: f64) -> f64 {
    let z = t_quantile(level, f64::INFINITY);
    let (count, rest, of) = (count as f64, of.saturating_sub(count) as f64, of as f64);
    let half = z * (count * (rest / of) + z * z / 4.0).sqrt();
    ((count + z * z / 2.0 + side * half) / (of + z * z)).clamp(0.0, 1.0)
}

/// What the difference of two shares, `b` minus `a`, can be: Newcombe's hybrid score interval (1998, method 10), without continuity
/// correction. Where nothing was counted on a side its share can be anything from 0 to 1.
#[must_use]
pub fn newcombe(a: Share, b: Share, level: f64) -> Bounds {
    let (from, to) = (wilson(a, level), wilson(b, level));
    let (Some(share_a), Some(share_b)) = (a.value(), b.value()) else {
        return within(to.lo() - from.hi(), to.hi() - from.lo());
    };
    let difference = share_b - share_a;
    let below = (share_b - to.lo()).hypot(from.hi() - share_a);
    let above = (to.hi() - share_b).hypot(share_a - from.lo());
    within(difference - below, difference + above)
}

/// The same where counts come in bursts: minutes are resampled with the bootstrap, each side by itself, the runs of a side one after
/// another. Each slice is one run's minutes; minutes in which nothing was counted take no part. The interval is that of the resampled
/// differences, as much wider as Student's t is for the minutes that vary (Satterthwaite), and what Newcombe's interval of the sums has beyond it:
/// never narrower than that.
#[must_use]
pub fn resampled(a: &[Vec<Share>], b: &[Vec<Share>], level: f64, resamples: u32, random: &mut Random) -> Bounds {
    let (a, b) = (Minutes::of(a), Minutes::of(b));
    let steady = newcombe(a.sum(), b.sum(), level);
    let (Some(before), Some(after)) = (a.sum().value(), b.sum().value()) else {
        return steady;
    };
    let (drawn_a, drawn_b) = (a.resampled(resamples, random), b.resampled(resamples, random));
    let differences: Vec<f64> = drawn_a.iter().zip(&drawn_b).map(|(a, b)| b - a).collect();
    let outside = (1.0 - level) / 2.0;
    let (Some(low), Some(high)) = (quantile(&differences, outside), quantile(&differences, 1.0 - outside)) else {
        return steady;
    };
    let degrees = satterthwaite(&[a.part(&drawn_a), b.part(&drawn_b)]);
    let wider = t_quantile(level, degrees) / t_quantile(level, f64::INFINITY);
    let difference = after - before;
    let ends = (difference - wider * (difference - low), difference + wider * (high - difference));
    within(ends.0.min(steady.lo()), ends.1.max(steady.hi()))
}

/// The minutes of a side in which something was counted.
struct Minutes {
    /// Sums of all minutes before each, and of all of them.
    sums: Vec<Share>,
    /// Minutes of a stretch.
    block: usize,
    /// Independent minutes that they are worth.
    size: f64,
}

impl Minutes {
    fn of(runs: &[Vec<Share>]) -> Self {
        let minutes: Vec<Share> = runs.iter().flatten().copied().filter(|minute| minute.of > 0).collect();
        let shares: Vec<f64> = minutes.iter().filter_map(|minute| minute.value()).collect();
        let mut sums = vec![Share::default()];
        for minute in minutes {
            let so_far = sums.last().copied().unwrap_or_default();
            sums.push(so_far.plus(Share { count: minute.count.min(minute.of), ..minute }));
        }
        Self { sums, block: block_length(&shares), size: effective_size(&shares) }
    }

    fn sum(&self) -> Share {
        self.sums.last().copied().unwrap_or_default()
    }

    /// Shares of resampled minutes. There must be a minute.
    fn resampled(&self, resamples: u32, random: &mut Random) -> Vec<f64> {
        let count = self.sums.len() - 1;
        let draw = |_| {
            stretches(count, self.block, random)
                .map(|stretch| {
                    let (before, up_to) = (self.sums[stretch.start], self.sums[stretch.end]);
                    Share { count: up_to.count.saturating_sub(before.count), of: up_to.of.saturating_sub(before.of) }
                })
                .fold(Share::default(), Share::plus)
                .value()
                .unwrap_or(0.0)
        };
        (0..resamples).map(draw).collect()
    }

    /// What the side adds to the variance of a difference.
    fn part(&self, resampled: &[f64]) -> Part {
        Part { variance: squares(resampled) / resampled.len() as f64, degrees: (self.size - 1.0).max(1.0) }
    }
}

/// An interval of differences of shares, which lie between -1 and 1.
fn within(lo: f64, hi: f64) -> Bounds {
    Bounds::new(lo.max(-1.0), hi.min(1.0)).unwrap_or_else(|| known(-1.0, 1.0))
}

fn known(lo: f64, hi: f64) -> Bounds {
    Bounds::new(lo, hi).unwrap_or_else(|| unreachable!("{lo} is not above {hi}"))
}
