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
    let sum_of_shares: f64 = shares.sum();
    if sum_of_shares > 0.0 { 1.0 / sum_of_shares } else { f64::INFINITY }
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

/// The mean; exactly the value of a constant. 0 for no values.
pub(super) fn mean(values: &[f64]) -> f64 {
    let first = values.first().copied().unwrap_or(0.0);
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len().max(1) as f64
}

/// The sum of squared deviations from the mean.
pub(super) fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "0 is 0, and means of few small numbers are exact")]
mod tests {
    use super::super::synthetic::{Normal, block_means};
    use super::*;

    #[test]
    fn with_batches_of_one_value_it_is_the_test_of_welch() {
        // scipy.stats.ttest_ind(b, a, equal_var=False): df 27.88730398842012, confidence_interval(0.95) from 0.7986439248746979 to
        // 4.868022741791966, SciPy 1.17.1
        let a = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4];
        let b = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4];
        let sides = [side(&[&a], <[f64]>::to_vec), side(&[&b], <[f64]>::to_vec)];
        let parts: Vec<Part> = sides.into_iter().flatten().flatten().collect();
        assert!((satterthwaite(&parts) - 27.887_303_988_420_12).abs() < 1e-9);
        assert!((welch(&parts, 0.95) - 2.034_689_408_458_634).abs() < 1e-9);
    }

    #[test]
    fn a_side_of_two_runs_has_the_mean_of_their_means() {
        // Variances of the means: 0.5 / 2 and 4.5 / 2, both over four, and 2 / 2; df = 1.625^2 / (0.0625^2 + 0.5625^2 + 1) = 2;
        // scipy.stats.t.isf(0.025, 2) * sqrt(1.625)
        let half = half_width(&[&[1.0, 2.0], &[4.0, 7.0]], &[&[3.0, 5.0]], 0.95);
        assert!((half.unwrap_or(f64::NAN) - 5.484_827_557_301_444).abs() < 1e-9);
    }

    #[test]
    fn batches_are_long_enough_few_enough_and_hold_every_value() {
        assert_eq!(batch_means(&[1.0]), [1.0]);
        assert_eq!(batch_means(&[]), [0.0; 0]);
        assert_eq!(batch_means(&[1.0, 2.0, 6.0]), [1.0, 4.0]);
        // Nothing to remember: batches of three values, or of as many more as thirty of them need.
        assert_eq!(batch_means(&[7.0; 60]).len(), 20);
        assert_eq!(batch_means(&[7.0; 1800]).len(), MOST);
        let remembered = batch_means(&Normal::of(&["batches"]).correlated(1500, 0.9)).len();
        assert!((10..30).contains(&remembered), "{remembered}");
        let drift: Vec<f64> = (0..60).map(f64::from).collect();
        assert_eq!(batch_means(&drift).len(), 2);
    }

    #[test]
    fn what_cannot_be_known_is_none_and_what_does_not_vary_is_0() {
        let (one, two) = ([1.0], [1.0, 3.0]);
        assert_eq!(half_width(&[&one], &[&two], 0.95), None);
        assert_eq!(half_width(&[&two], &[], 0.95), None);
        assert_eq!(half_width(&[&two], &[&[]], 0.95), None);
        assert_eq!(half_width(&[&one, &two], &[&two], 0.95), half_width(&[&two], &[&two], 0.95));
        assert_eq!(half_width(&[&[0.1; 61]], &[&[0.3; 60]], 0.95), Some(0.0));
        assert_eq!(satterthwaite(&[]), f64::INFINITY);
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        // Series without a difference; 300 of them, so that 95% has a standard deviation of 1.3%.
        let held = (0..300).filter(|seed| {
            let mut normal = Normal::of(&["held", &seed.to_string()]);
            let mut side = || block_means(&normal.correlated(900, 0.9), 15);
            let (a, b) = (side(), side());
            half_width(&[&a], &[&b], 0.95).is_some_and(|half| (mean(&b) - mean(&a)).abs() <= half)
        });
        let held = held.count();
        assert!((273..298).contains(&held), "{held}");
    }
}
