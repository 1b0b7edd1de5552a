//! Batch means: a correlated series cut into a few long batches, whose means are nearly independent.

use super::autocorrelation::integrated_time;
use super::quantile::t_quantile;

/// More batches than this would be short for no gain: the quantile of t falls by 2% from 30 batches on.
const MOST: usize = 30;

/// Half the width of the confidence interval of the difference between two sides, `b` minus `a`, by batch means and Welch's t: each run
/// is cut into batches of at least three times its integrated autocorrelation time (at most 30, at least 2 batches), a side's mean is
/// the mean of its runs' means, and degrees of freedom are Satterthwaite's (1946). A run of one value takes no part. `None` where a side
/// has no run of two batches. 0 where nothing varies.
#[must_use]
pub fn half_width(a: &[&[f64]], b: &[&[f64]], level: f64) -> Option<f64> {
    let parts = [side(a, batch_means)?, side(b, batch_means)?].concat();
    Some(welch(&parts, level))
}

/// What one run adds to the variance of a difference, and the degrees of freedom behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The variance.
    pub(super) variance: f64,
    /// Degrees of freedom.
    pub(super) degrees: f64,
}

/// Degrees of freedom of a sum of variances (Satterthwaite 1946); infinite where nothing varies.
pub(super) fn satterthwaite(parts: &[Part]) -> f64 {
    let sum: f64 = parts.iter().map(|part| part.variance).sum();
    // Shares of the sum, not squares of variances: those of small values would be too small for a number.
    let shares = parts.iter().filter(|part| part.variance > 0.0).map(|part| (part.variance / sum).powi(2) / part.degrees);
    1.0 / shares.sum::<f64>()
}

fn welch(parts: &[Part], level: f64) -> f64 {
    let variance: f64 = parts.iter().map(|part| part.variance).sum();
    if variance > 0.0 { t_quantile(level, satterthwaite(parts)) * variance.sqrt() } else { 0.0 }
}

/// The runs of a side, each with its part in the variance of the side's mean; `None` where no run has two batches.
fn side(runs: &[&[f64]], batches: impl Fn(&[f64]) -> Vec<f64>) -> Option<Vec<Part>> {
    let of_runs: Vec<Vec<f64>> = runs.iter().map(|run| batches(run)).filter(|means| means.len() >= 2).collect();
    let count = of_runs.len() as f64;
    let parts = of_runs.iter().map(|means| {
        let degrees = (means.len() - 1) as f64;
        Part { variance: squares(means) / degrees / means.len() as f64 / (count * count), degrees }
    });
    (!of_runs.is_empty()).then(|| parts.collect())
}

/// The means of a run's batches, whose lengths differ by one value at most; the run itself where it is too short for two.
fn batch_means(run: &[f64]) -> Vec<f64> {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time lies between 1 and the length of a series"
    )]
    let shortest = (3.0 * integrated_time(run)).ceil() as usize;
    let batches = (run.len() / shortest).clamp(2, MOST).min(run.len());
    let place = |batch: usize| batch * run.len() / batches;
    (0..batches).map(|batch| mean(&run[place(batch)..place(batch + 1)])).collect()
}

/// The mean; NaN for no values.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of squared deviations from the mean.
pub(super) fn squares(values: &[f64]) -> f64 {
    // A constant has none, whatever its mean is rounded to.
    if values.iter().all(|value| value.total_cmp(&values[0]).is_eq()) {
        return 0.0;
    }
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}
