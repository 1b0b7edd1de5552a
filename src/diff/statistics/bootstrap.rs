//! The moving-block bootstrap (Künsch 1989; Liu and Singh 1992): stretches of a series are drawn, not single values, so that what
//! neighbours share stays together.

use super::autocorrelation::integrated_time;
use super::quantile::{between, quantile, t_quantile};
use super::random::Random;

/// How long a stretch is: three times the integrated autocorrelation time, rounded up, at most a third of the series, at least 1.
#[must_use]
pub fn block_length(values: &[f64]) -> usize {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time lies between 1 and the length of a series"
    )]
    let long_enough = (3.0 * integrated_time(values)).ceil() as usize;
    long_enough.min(values.len() / 3).max(1)
}

/// Medians of resampled series, in the order in which they are drawn: stretches of `block` values are laid end to end until they are as
/// long as the series, the last one cut. Empty for an empty series.
#[must_use]
pub fn medians(values: &[f64], block: usize, resamples: u32, random: &mut Random) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    let block = block.clamp(1, values.len());
    let (sorted, ranks) = ranked(values);
    // A resampled series is known by how often each rank is in it: no need to sort it.
    let mut times = vec![0_usize; values.len()];
    let mut medians = Vec::new();
    for _ in 0..resamples {
        times.fill(0);
        for stretch in stretches(values.len(), block, random) {
            for rank in &ranks[stretch] {
                times[*rank] += 1;
            }
        }
        medians.push(middle(&sorted, &times));
    }
    medians
}

/// Half of the interval that holds `level` of resampled values: half the distance between their lower and their upper quantile.
/// `None` for fewer than two values.
#[must_use]
pub fn half_width(resampled: &[f64], level: f64) -> Option<f64> {
    if resampled.len() < 2 {
        return None;
    }
    let outside = (1.0 - level) / 2.0;
    Some((quantile(resampled, 1.0 - outside)? - quantile(resampled, outside)?) / 2.0)
}

/// What a half-width of resampled values is to be multiplied by where they come from a series that is worth `size` independent values:
/// resamples of a few values vary less than the values do, `sqrt((n - 1) / n)`, and know no more of their spread than Student's t
/// (Hesterberg 2015, "narrowness bias"). Above 1, near it for many values; fewer than two count as two.
#[must_use]
pub fn widening(level: f64, size: f64) -> f64 {
    let size = size.max(2.0);
    let widening = t_quantile(level, size - 1.0) / t_quantile(level, f64::INFINITY) * (size / (size - 1.0)).sqrt();
    if widening.is_finite() { widening } else { 1.0 }
}

/// Stretches of `block` places, drawn from `count` places until they are `count` long.
pub(super) fn stretches(count: usize, block: usize, random: &mut Random) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..count).step_by(block).map(move |laid| {
        let from = random.below(count - block + 1);
        from..from + block.min(count - laid)
    })
}

/// Values in order, and the place of each value in that order.
fn ranked(values: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0; values.len()];
    for (rank, place) in order.iter().enumerate() {
        ranks[*place] = rank;
    }
    (order.iter().map(|place| values[*place]).collect(), ranks)
}

/// The median of a series that has each of the sorted values so many times, as many in all as there are values.
fn middle(sorted: &[f64], times: &[usize]) -> f64 {
    let (lower, upper) = ((sorted.len() - 1) / 2, sorted.len() / 2);
    let mut below = f64::NAN;
    let mut seen = 0;
    for (value, times) in sorted.iter().zip(times) {
        let before = seen;
        seen += times;
        if (before..seen).contains(&lower) {
            below = *value;
        }
        if (before..seen).contains(&upper) {
            return between(below, *value, 0.5);
        }
    }
    below
}
