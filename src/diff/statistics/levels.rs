//! Levels within a run: whether it stayed at one, where it left it for good, and stretches that are unlike the rest.

use std::ops::Range;

use super::autocorrelation::integrated_time;
use super::batches::{half_width, mean, squares};
use super::quantile::{median, t_quantile};

/// How often a series without a change would show one if it were known how much it remembers. That is estimated, from what is left
/// once the best place is taken, so that it is up to five times as often.
const FALSE_ALARMS: f64 = 0.01;

/// Changes that are looked for at once. One change is not seen beside another that is as large, a level that is left and taken again:
/// what is left without the one is not noise.
const LOOK_AHEAD: usize = 2;

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
/// a penalty that a correlated series without a change seldom passes, and a look ahead for two changes that hide one another; both sides
/// of a change have at least `shortest` values, and differ by at least `smallest`.
#[must_use]
pub fn change_points(values: &[f64], shortest: usize, smallest: f64) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![(0, values.len())];
    while let Some((from, to)) = open.pop() {
        let places = changes(&values[from..to], shortest.max(1), smallest);
        if places.is_empty() {
            continue;
        }
        let mut begin = from;
        for end in places.iter().map(|place| from + place).chain([to]) {
            open.push((begin, end));
            begin = end;
        }
        found.extend(places.iter().map(|place| from + place));
    }
    found.sort_unstable();
    found
}

/// The one place where the level changes, or else the two.
fn changes(values: &[f64], shortest: usize, smallest: f64) -> Vec<usize> {
    let mut places = Vec::new();
    for _ in 0..LOOK_AHEAD {
        let next = levels(values, &places).into_iter().filter_map(|level| split(values, level, shortest));
        let Some((_, place)) = next.reduce(|best, other| if other.0 > best.0 { other } else { best }) else {
            return Vec::new();
        };
        places.push(place);
        places.sort_unstable();
        if are_changes(values, &places, smallest) {
            return places;
        }
    }
    Vec::new()
}

/// Stretches between places.
fn levels(values: &[f64], places: &[usize]) -> Vec<Range<usize>> {
    let begins = [0].into_iter().chain(places.iter().copied());
    begins.zip(places.iter().copied().chain([values.len()])).map(|(begin, end)| begin..end).collect()
}

/// Where two levels fit a stretch best: how much the place takes off the sum of squares, and the place.
fn split(values: &[f64], stretch: Range<usize>, shortest: usize) -> Option<(f64, usize)> {
    let (begin, values) = (stretch.start, &values[stretch]);
    let (count, mean) = (values.len() as f64, mean(values));
    let mut left = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for place in 1..values.len() {
        left += values[place - 1] - mean;
        if place < shortest || values.len() - place < shortest {
            continue;
        }
        let gain = left * left * count / (place as f64 * (count - place as f64));
        if best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, begin + place));
        }
    }
    best
}

/// Whether the levels between places are levels of their own: the difference of every two neighbours by Student's t, for as many
/// independent values as what is left without the levels is worth, at a level that makes up for having chosen the places among so many
/// (Bonferroni).
fn are_changes(values: &[f64], places: &[usize], smallest: f64) -> bool {
    let levels: Vec<&[f64]> = levels(values, places).into_iter().map(|level| &values[level]).collect();
    let means: Vec<f64> = levels.iter().map(|level| mean(level)).collect();
    let left: Vec<f64> =
        levels.iter().zip(&means).flat_map(|(level, mean)| level.iter().map(move |value| value - mean)).collect();
    let (count, unknown) = (values.len() as f64, levels.len() as f64);
    if count < unknown + 2.0 {
        return false;
    }
    let time = integrated_time(&left);
    let size = count / time;
    let choices: f64 = places.iter().map(|_| size).product();
    let far = t_quantile(1.0 - FALSE_ALARMS / choices, size - unknown);
    let variance = levels.iter().map(|level| squares(level)).sum::<f64>() / (count - unknown) * time;
    levels.windows(2).zip(means.windows(2)).all(|(pair, means)| {
        let (before, after) = (means[0], means[1]);
        let difference = (after - before).abs();
        // Means of values that are not quite the same in the last digit.
        let rounding = count * f64::EPSILON * (before.abs() + after.abs());
        let error = (variance * (1.0 / pair[0].len() as f64 + 1.0 / pair[1].len() as f64)).sqrt();
        difference >= smallest && difference > rounding && difference > error * far
    })
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

#[cfg(test)]
mod tests {
    use super::super::synthetic::{Normal, block_means};
    use super::*;

    /// So many series of which `finds` is true.
    fn count(seeds: u32, finds: impl Fn(&mut Normal) -> bool) -> usize {
        (0..seeds).filter(|seed| finds(&mut Normal::of(&["levels", &seed.to_string()]))).count()
    }

    /// Values of a standard deviation of 1, which are 5 more from a place on.
    fn step(normal: &mut Normal, count: usize, place: usize) -> Vec<f64> {
        let mut values = normal.many(count);
        values[place..].iter_mut().for_each(|value| *value += 5.0);
        values
    }

    #[test]
    fn a_series_that_remembers_seldom_seems_to_change() {
        assert!(count(200, |normal| !change_points(&normal.correlated(1800, 0.9), 60, 0.0).is_empty()) <= 10);
        let by_block = |normal: &mut Normal| block_means(&normal.correlated(1800, 0.9), 30);
        assert!(count(200, |normal| !change_points(&by_block(normal), 3, 0.0).is_empty()) <= 10);
        assert!(count(200, |normal| !incidents(&by_block(normal), 0.0).is_empty()) <= 10);
    }

    #[test]
    fn a_short_series_seldom_seems_to_change() {
        for length in 4..=60 {
            let alarms = count(40, |normal| !change_points(&normal.many(length), 1, 0.0).is_empty());
            assert!(alarms <= 3, "{length}: {alarms}");
        }
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        for (length, place) in [(60, 24), (60, 5), (60, 55), (20, 10), (12, 6)] {
            let near = count(
                50,
                |normal| matches!(change_points(&step(normal, length, place), 2, 0.0)[..], [found] if found.abs_diff(place) <= 1),
            );
            assert!(near >= 45, "{length} {place}: {near}");
        }
        let mut seconds = Normal::of(&["seconds"]).correlated(1800, 0.9);
        seconds[700..].iter_mut().for_each(|value| *value += 5.0);
        assert!(matches!(change_points(&seconds, 60, 1.0)[..], [found] if found.abs_diff(700) <= 5));
    }

    #[test]
    fn two_steps_are_two_places() {
        let mut values = step(&mut Normal::of(&["two steps"]), 60, 20);
        values[40..].iter_mut().for_each(|value| *value += 20.0);
        assert_eq!(change_points(&values, 3, 0.5), [20, 40]);
    }

    #[test]
    fn a_level_that_is_left_and_taken_again_is_two_places() {
        let mut values = Normal::of(&["there and back"]).many(60);
        values[15..40].iter_mut().for_each(|value| *value += 6.0);
        assert_eq!(change_points(&values, 3, 0.5), [15, 40]);
        assert!(incidents(&values, 0.5).is_empty(), "25 of 60 are no incident");
    }

    #[test]
    fn what_is_too_small_too_short_or_nothing_is_no_change() {
        let exact = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        assert_eq!(change_points(&exact, 3, 0.5), [3]);
        assert!(change_points(&exact, 4, 0.5).is_empty());
        assert!(change_points(&exact, 3, 1.5).is_empty());
        assert!(change_points(&[0.1; 61], 1, 0.0).is_empty());
        for short in [&[][..], &[1.0], &[1.0, 9.0], &[1.0, 1.0, 9.0]] {
            assert!(change_points(short, 0, 0.0).is_empty() && incidents(short, 0.0).is_empty(), "{short:?}");
        }
    }

    #[test]
    fn a_burst_is_an_incident_and_a_level_is_none() {
        // Log latencies; a burst of three blocks at three times the rest, and a level of as much.
        let quiet: Vec<f64> = Normal::of(&["burst"]).many(60).iter().map(|value| 0.05 * value).collect();
        let with = |range: Range<usize>| {
            let mut values = quiet.clone();
            values[range].iter_mut().for_each(|value| *value += 3_f64.ln());
            values
        };
        assert_eq!(incidents(&with(20..23), 0.1), vec![20..23]);
        assert_eq!(incidents(&with(0..3), 0.1), vec![0..3]);
        assert!(incidents(&with(40..60), 0.1).is_empty(), "a level shift");
        assert!(incidents(&with(57..60), 0.1).is_empty(), "who knows whether it ends");
        assert!(incidents(&with(20..33), 0.1).is_empty(), "longer than a fifth");
        assert!(incidents(&with(20..23), 1.5).is_empty(), "too small");
        assert!(incidents(&quiet, 0.1).is_empty());
        let mut twice = with(20..23);
        twice[30] = 2.0;
        assert_eq!(incidents(&twice, 0.1), vec![20..23, 30..31]);
    }

    #[test]
    fn an_incident_among_equal_values_is_one() {
        let mut values = [1.0; 10];
        values[4] = 1.5;
        assert_eq!(incidents(&values, 0.1), vec![4..5]);
        assert!(incidents(&[1.0; 10], 0.0).is_empty());
    }

    #[test]
    fn thirds_show_a_drift_and_how_sure_it_is() {
        assert!(thirds(&[1.0; 5], 0.95).is_none());
        assert_eq!(thirds(&[1.0, 1.0, 5.0, 5.0, 3.0, 3.0], 0.95), Some((2.0, 0.0)));
        let drift: Vec<f64> =
            Normal::of(&["drift"]).many(60).iter().zip(0..).map(|(value, at)| value + 0.2 * f64::from(at)).collect();
        assert!(thirds(&drift, 0.95).is_some_and(|(change, half)| (6.0..10.0).contains(&change) && half < change));
        let alarms = count(200, |normal| {
            thirds(&block_means(&normal.correlated(1800, 0.9), 30), 0.95).is_some_and(|(change, half)| change.abs() > half)
        });
        assert!((2..20).contains(&alarms), "{alarms}");
    }
}
