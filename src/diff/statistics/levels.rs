//! Levels within a run: whether it stayed at one, where it left it for good, and stretches that are unlike the rest.

use std::ops::Range;

/// The mean of the last third less that of the first, and half the width of its interval by batch means; `None` for fewer than six
/// values.
#[must_use]
pub fn thirds(values: &[f64], level: f64) -> Option<(f64, f64)> {
    let _ = (values, level);
    None
}

/// Places where the level changes for good: the first value of the new level. Binary segmentation (Vostrikova 1981) of the series with
/// a penalty that a correlated series without a change seldom passes; both sides of a change have at least `shortest` values, and differ
/// by at least `smallest`.
#[must_use]
pub fn change_points(values: &[f64], shortest: usize, smallest: f64) -> Vec<usize> {
    let _ = (values, shortest, smallest);
    Vec::new()
}

/// Bounded stretches that are unlike the rest: values that leave the median by more than `smallest` and by more than six times the
/// scaled median absolute deviation, neighbours joined; stretches that are longer than a fifth of the series together are no incident
/// but a level, and not returned, nor is one that reaches the end.
#[must_use]
pub fn incidents(values: &[f64], smallest: f64) -> Vec<Range<usize>> {
    let _ = (values, smallest);
    Vec::new()
}
