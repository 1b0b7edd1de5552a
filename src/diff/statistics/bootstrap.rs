//! The moving-block bootstrap (Künsch 1989; Liu and Singh 1992): stretches of a series are drawn, not single values, so that what
//! neighbours share stays together.

use super::random::Random;

/// How long a stretch is: three times the integrated autocorrelation time, rounded up, at most a third of the series, at least 1.
#[must_use]
pub fn block_length(values: &[f64]) -> usize {
    let _ = values;
    1
}

/// Medians of resampled series, in the order in which they are drawn: stretches of `block` values are laid end to end until they are as
/// long as the series. Empty for an empty series.
#[must_use]
pub fn medians(values: &[f64], block: usize, resamples: u32, random: &mut Random) -> Vec<f64> {
    let _ = (values, block, resamples, random);
    Vec::new()
}

/// Half of the interval that holds `level` of resampled values: half the distance between their lower and their upper quantile.
/// `None` for fewer than two values.
#[must_use]
pub fn half_width(resampled: &[f64], level: f64) -> Option<f64> {
    let _ = (resampled, level);
    None
}
