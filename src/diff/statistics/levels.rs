//! Levels within a run: whether it stayed at one, where it left it for good, and stretches that are unlike the rest.

use std::ops::Range;

use super::autocorrelation::integrated_time;
use super::batches::{half_width, mean, squares};
use super::quantile::{median, t_quantile};

/// How often a series without a change may show one, at most.
const FALSE_ALARMS: f64 = 0.01;

/// What makes the median absolute deviation of normal values their standard deviation: 1 / 0.6745.
const SCALE: f64 = 1.482_602_218_505_602;

/// The mean of the last third less that of the first, and half the width of its interval by batch means; `None` for fewer than six
/// values.
#[must_use]
pub fn thirds(values: &[f64], level: f64) -> Option<(f64, f64)> {
    let third = values.len() / 3;
    if third < 2 {
        return None;
    }
    let (first, last) = (&values[..third], &values[values.len() - third..]);
    Some((mean(last) - mean(first), half_width(&[first], &[last], level)?))
}

/// Places where the level changes for good: the first value of the new level. Binary segmentation (Vostrikova 1981) of the series with
/// a penalty that a correlated series without a change seldom passes; both sides of a change have at least `shortest` values, and differ
/// by at least `smallest`.
#[must_use]
pub fn change_points(values: &[f64], shortest: usize, smallest: f64) -> Vec<usize> {
    let shortest = shortest.max(1);
    let mut places = Vec::new();
    let mut open = vec![(0, values.len())];
    while let Some((from, to)) = open.pop() {
        let stretch = &values[from..to];
        if let Some(place) = split(stretch, shortest).filter(|place| is_change(stretch, *place, smallest)) {
            places.push(from + place);
            open.extend([(from, from + place), (from + place, to)]);
        }
    }
    places.sort_unstable();
    places
}

/// Where two levels fit a series best: the place that takes most off the sum of squares.
fn split(values: &[f64], shortest: usize) -> Option<usize> {
    let count = values.len() as f64;
    let mean = mean(values);
    let mut left = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for place in 1..values.len() {
        left += values[place - 1] - mean;
        if place < shortest || values.len() - place < shortest {
            continue;
        }
        let gain = left * left * count / (place as f64 * (count - place as f64));
        if best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, place));
        }
    }
    best.map(|(_, place)| place)
}

/// Whether the level before and the level from `place` on are two: their difference by Student's t, for as many independent values as
/// what is left without it is worth, at a level that makes up for having chosen the place among so many (Bonferroni).
fn is_change(values: &[f64], place: usize, smallest: f64) -> bool {
    let (before, after) = values.split_at(place);
    let (mean_before, mean_after) = (mean(before), mean(after));
    let difference = (mean_after - mean_before).abs();
    // Means of one constant differ by rounding at most.
    let rounding = values.len() as f64 * f64::EPSILON * (mean_before.abs() + mean_after.abs());
    if values.len() < 4 || difference < smallest || difference <= rounding {
        return false;
    }
    let mut left: Vec<f64> = before.iter().map(|value| value - mean_before).collect();
    left.extend(after.iter().map(|value| value - mean_after));
    let time = integrated_time(&left);
    let (count, size) = (values.len() as f64, values.len() as f64 / time);
    let variance = (squares(before) + squares(after)) / (count - 2.0) * time;
    let error = (variance * (1.0 / before.len() as f64 + 1.0 / after.len() as f64)).sqrt();
    difference > error * t_quantile(1.0 - FALSE_ALARMS / size, size - 2.0)
}

/// Bounded stretches that are unlike the rest: values that leave the median by more than `smallest` and by more than six times the
/// scaled median absolute deviation, neighbours joined; stretches that are longer than a fifth of the series together are no incident
/// but a level, and not returned, nor is one that reaches the end.
#[must_use]
pub fn incidents(values: &[f64], smallest: f64) -> Vec<Range<usize>> {
    let Some(middle) = median(values) else {
        return Vec::new();
    };
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let usual = SCALE * median(&distances).unwrap_or(0.0);
    let far = smallest.max(6.0 * usual);
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for (place, _) in distances.iter().enumerate().filter(|(_, distance)| **distance > far) {
        match stretches.last_mut() {
            Some(last) if last.end == place => last.end = place + 1,
            _ => stretches.push(place..place + 1),
        }
    }
    let together: usize = stretches.iter().map(ExactSizeIterator::len).sum();
    stretches.retain(|stretch| together * 5 <= values.len() && stretch.end < values.len());
    stretches
}
