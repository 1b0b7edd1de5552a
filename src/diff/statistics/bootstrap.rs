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

/// Means of resampled series, drawn in the same way.
#[must_use]
pub fn means(values: &[f64], block: usize, resamples: u32, random: &mut Random) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    let block = block.clamp(1, values.len());
    // Sums of all values before each place: a stretch is a difference of two.
    let mut sums = vec![0.0];
    for value in values {
        sums.push(sums.last().copied().unwrap_or_default() + value);
    }
    let mean = |_| {
        let sum: f64 = stretches(values.len(), block, random).map(|stretch| sums[stretch.end] - sums[stretch.start]).sum();
        sum / values.len() as f64
    };
    (0..resamples).map(mean).collect()
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

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "medians are values of the series")]
mod tests {
    use super::super::autocorrelation::effective_size;
    use super::super::quantile::median;
    use super::super::synthetic::{Normal, block_means};
    use super::*;

    #[test]
    fn a_stretch_is_three_times_the_memory_and_a_third_of_the_series_at_most() {
        assert_eq!(block_length(&[5.0; 60]), 3);
        let lengths: Vec<usize> = [0, 1, 2, 3, 5, 6, 8, 9, 60].map(|count| block_length(&vec![5.0; count])).to_vec();
        assert_eq!(lengths, [1, 1, 1, 1, 1, 2, 2, 3, 3]);
        let long = block_length(&Normal::of(&["stretch"]).correlated(4000, 0.9));
        assert!((45..70).contains(&long), "{long}");
        let drift: Vec<f64> = (0..60).map(f64::from).collect();
        assert_eq!(block_length(&drift), 20);
    }

    #[test]
    fn medians_are_those_of_sorted_resamples() {
        for (count, block) in [(1, 1), (2, 1), (7, 3), (8, 3), (30, 30), (12, 99), (12, 0)] {
            let values = Normal::of(&["sorted"]).many(count);
            let found = medians(&values, block, 50, &mut Random::of(&["x"]));
            let mut random = Random::of(&["x"]);
            for found in &found {
                let places = stretches(count, block.clamp(1, count), &mut random).flatten();
                let drawn: Vec<f64> = places.map(|place| values[place]).collect();
                assert_eq!((drawn.len(), Some(*found)), (count, median(&drawn)), "{count} {block}");
            }
        }
    }

    #[test]
    fn stretches_stay_together_and_fill_the_series() {
        let mut random = Random::of(&["together"]);
        for _ in 0..200 {
            let drawn: Vec<_> = stretches(10, 4, &mut random).collect();
            assert_eq!(drawn.iter().map(ExactSizeIterator::len).collect::<Vec<_>>(), [4, 4, 2]);
            assert!(drawn.iter().all(|stretch| stretch.end <= 10));
        }
    }

    #[test]
    fn a_constant_an_empty_series_and_one_value_have_stated_answers() {
        let mut random = Random::of(&["edges"]);
        assert!(medians(&[], 3, 10, &mut random).is_empty());
        assert!(medians(&[1.0, 2.0], 1, 0, &mut random).is_empty());
        assert_eq!(medians(&[4.0], 3, 3, &mut random), [4.0; 3]);
        assert_eq!(half_width(&medians(&[0.1; 60], 3, 50, &mut random), 0.95), Some(0.0));
        assert_eq!((half_width(&[], 0.95), half_width(&[1.0], 0.95)), (None, None));
        let even: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(half_width(&even, 0.9), Some(45.0));
    }

    #[test]
    fn the_same_seed_gives_the_same_medians_and_another_one_others() {
        let values = Normal::of(&["seed"]).many(60);
        let draw = |name| medians(&values, 3, 20, &mut Random::of(&[name]));
        assert_eq!(draw("a"), draw("a"));
        assert_ne!(draw("a"), draw("b"));
    }

    /// Over some seeds: the mean half-width of the median, raised as it is to be, and how often it holds the true median, which is 0.
    fn over_seeds(seeds: u32, series: impl Fn(&mut Normal) -> Vec<f64>) -> (f64, f64) {
        let (mut widths, mut held) = (0.0, 0.0);
        for seed in 0..seeds {
            let values = series(&mut Normal::of(&["width", &seed.to_string()]));
            let drawn = medians(&values, block_length(&values), 400, &mut Random::of(&["draws", &seed.to_string()]));
            let half = half_width(&drawn, 0.95).unwrap_or(f64::NAN) * widening(0.95, effective_size(&values));
            widths += half / f64::from(seeds);
            held += f64::from(u8::from(median(&values).is_some_and(|median| median.abs() <= half))) / f64::from(seeds);
        }
        (widths, held)
    }

    #[test]
    fn the_median_of_independent_values_is_as_uncertain_as_theory_has_it() {
        // sqrt(pi / 2) / sqrt(n) is the standard deviation of the median of n normal values.
        let theory = 1.96 * 1.2533 / 200_f64.sqrt();
        let (width, held) = over_seeds(150, |normal| normal.many(200));
        assert!((width / theory - 1.0).abs() < 0.1, "{width} for {theory}");
        assert!((0.89..0.99).contains(&held), "{held}");
    }

    #[test]
    fn the_median_of_a_series_that_remembers_is_as_uncertain_as_simulated() {
        // 1.96 standard deviations of the medians of 400 series, whose true median is 0.
        let truth = {
            let medians: Vec<f64> = (0..400)
                .filter_map(|seed| median(&block_means(&Normal::of(&["truth", &seed.to_string()]).correlated(900, 0.9), 15)))
                .collect();
            1.96 * (medians.iter().map(|median| median * median).sum::<f64>() / 400.0).sqrt()
        };
        let (width, held) = over_seeds(120, |normal| block_means(&normal.correlated(900, 0.9), 15));
        assert!((width / truth - 1.0).abs() < 0.15, "{width} for {truth}");
        assert!((0.85..0.99).contains(&held), "{held}");
        // The same by values that are drawn one by one would be half as wide.
        let values = Normal::of(&["one by one"]).correlated(900, 0.9);
        let single = half_width(&medians(&values, 1, 400, &mut Random::of(&["single"])), 0.95);
        let together = half_width(&medians(&values, block_length(&values), 400, &mut Random::of(&["together"])), 0.95);
        assert!(single.unwrap_or(f64::NAN) < 0.5 * together.unwrap_or(f64::NAN));
    }

    #[test]
    fn few_values_widen_and_many_hardly_do() {
        // t(3) / z * sqrt(4 / 3) and t(99) / z * sqrt(100 / 99), with scipy.stats.t.isf and norm.isf
        assert!((widening(0.95, 4.0) - 1.874_918).abs() < 1e-5);
        assert!((widening(0.95, 100.0) - 1.017_474).abs() < 1e-5);
        assert_eq!(widening(0.95, 1.0), widening(0.95, 2.0));
        assert_eq!(widening(1.0, 10.0), 1.0);
    }
}
