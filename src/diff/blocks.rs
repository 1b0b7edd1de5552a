//! A run's test phase in blocks: which of them count, and what they hold.

use std::ops::Range;

use super::statistics::quantile::median;
use crate::model::comparison::{Incident, Kind};
use crate::model::series::{BlockPoint, Blocks, Series, SeriesPoint, TrendSeries};

/// Seconds of the blocks that percentiles of seconds are gathered in.
pub(super) const SECONDS_PER_BLOCK: u32 = 30;
/// Blocks of a test at most: 35 days of 30 s.
const MOST: usize = 100_000;
/// A test shorter than this many warm-ups loses a part of itself only.
const SHORT: f64 = 10.0;

/// Which blocks of a length count: whole ones that do not begin in the warm-up, and do not overlap what is left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Window {
    /// Seconds of a block.
    pub seconds: u32,
    /// Numbers of the blocks.
    pub blocks: Vec<usize>,
    /// Seconds cut off at the beginning.
    pub warm_up_s: f64,
}

impl Window {
    /// The window of a test of so many seconds.
    pub(super) fn of(test_s: f64, seconds: u32, warm_up_s: f64, without: &[Incident]) -> Self {
        let length = f64::from(seconds.max(1));
        let cut = if test_s >= SHORT * warm_up_s { warm_up_s } else { test_s / SHORT };
        let begin = |block: usize| block as f64 * length;
        let whole = (0..MOST).take_while(|block| begin(block + 1) <= test_s);
        let clean = |block: &usize| without.iter().all(|one| one.to_s <= begin(*block) || begin(block + 1) <= one.from_s);
        let warm: Vec<usize> = whole.filter(|block| begin(*block) >= cut).collect();
        let warm_up_s = warm.first().map_or(test_s, |first| begin(*first));
        Self { seconds, blocks: warm.into_iter().filter(clean).collect(), warm_up_s }
    }

    /// Seconds that are compared.
    pub(super) fn compared_s(&self) -> f64 {
        self.blocks.len() as f64 * f64::from(self.seconds)
    }
}

/// Seconds of the test phase that blocks cover.
pub(super) fn test_s(blocks: &Blocks) -> f64 {
    let counts = blocks.counts.values().map(Vec::len);
    let count = counts.chain(blocks.trends.values().map(Vec::len)).max().unwrap_or(0);
    count.saturating_sub(1) as f64 * f64::from(blocks.seconds) + f64::from(if count == 0 { 0 } else { blocks.last_seconds })
}

/// The blocks of a length.
pub(super) fn of_length(series: &Series, seconds: u32) -> Option<&Blocks> {
    series.blocks.iter().find(|blocks| blocks.seconds == seconds)
}

/// Counts per second of the blocks of a window.
pub(super) fn rates(blocks: &Blocks, name: &str, window: &Window) -> Option<Vec<f64>> {
    let counts = blocks.counts.get(name)?;
    window.blocks.iter().map(|block| Some(*counts.get(*block)? as f64 / f64::from(blocks.seconds))).collect()
}

/// A percentile of the blocks of a window, in the trend's unit; `None` where one of them has fewer samples than it takes.
pub(super) fn percentiles(blocks: &Blocks, trend: &str, kind: Kind, window: &Window) -> Option<Vec<f64>> {
    let points = blocks.trends.get(trend)?;
    let value = |block: &usize| {
        let point: &BlockPoint = points.get(*block)?;
        let enough = point.count >= samples_for(kind);
        point.percentiles.filter(|_| enough).map(|[p50, p95, p99]| thousandths(pick(kind, p50, p95, p99)))
    };
    window.blocks.iter().map(value).collect()
}

/// How many samples a percentile takes: 60 for p95, 300 for p99, so that three lie above it; 20 for a median.
pub(super) fn samples_for(kind: Kind) -> u64 {
    match kind {
        Kind::P99 => 300,
        Kind::P95 => 60,
        _ => 20,
    }
}

fn pick(kind: Kind, p50: i64, p95: i64, p99: i64) -> i64 {
    match kind {
        Kind::P99 => p99,
        Kind::P95 => p95,
        _ => p50,
    }
}

fn thousandths(value: i64) -> f64 {
    value as f64 / 1e3
}

/// The first second and the length of a run's per-second trends.
pub(super) fn seconds_span(series: &Series) -> Option<Range<i64>> {
    let (first, last) = series.span()?;
    Some(first.timestamp()..last.timestamp().saturating_add(1))
}

/// Seconds of a span.
pub(super) fn length_s(span: &Range<i64>) -> f64 {
    span.end.saturating_sub(span.start) as f64
}

/// For every block of a window the median of its seconds' percentiles; blocks of which less than half the seconds have a point don't
/// count.
pub(super) fn of_seconds(trend: &TrendSeries, kind: Kind, start: i64, window: &Window) -> Vec<f64> {
    let length = i64::from(window.seconds);
    let block = |number: &usize| {
        let from = start.saturating_add(i64::try_from(*number).unwrap_or(i64::MAX).saturating_mul(length));
        let begin = trend.points.partition_point(|point| point.second < from);
        let end = trend.points.partition_point(|point| point.second < from.saturating_add(length));
        let points: &[SeriesPoint] = trend.points.get(begin..end)?;
        let values: Vec<f64> = points.iter().map(|point| thousandths(pick(kind, point.p50, point.p95, point.p99))).collect();
        median(&values).filter(|_| values.len() * 2 >= window.seconds as usize)
    };
    window.blocks.iter().filter_map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(test_s: f64, seconds: u32, without: &[(f64, f64)]) -> (Vec<usize>, f64) {
        let incident = |&(from_s, to_s): &(f64, f64)| Incident { from_s, to_s, what: String::new() };
        let without: Vec<Incident> = without.iter().map(incident).collect();
        let window = Window::of(test_s, seconds, 60.0, &without);
        (window.blocks, window.warm_up_s)
    }

    #[test]
    fn whole_blocks_behind_the_warm_up_count() {
        assert_eq!(window(1801.0, 300, &[]), (vec![1, 2, 3, 4, 5], 300.0));
        assert_eq!(window(660.0, 60, &[]).0, (1..11).collect::<Vec<_>>());
        // A short test loses a tenth, in whole blocks.
        assert_eq!(window(121.0, 30, &[]), (vec![1, 2, 3], 30.0));
        assert_eq!(window(20.0, 30, &[]).0, Vec::<usize>::new());
    }

    #[test]
    fn blocks_that_an_incident_touches_are_left_out() {
        assert_eq!(window(181.0, 30, &[(59.0, 61.0)]).0, [3, 4, 5]);
        assert_eq!(window(181.0, 30, &[(60.0, 90.0)]).0, [1, 3, 4, 5]);
    }

    #[test]
    fn seconds_are_gathered_by_block() {
        let point = |second| SeriesPoint { second, p50: second * 1000, p95: 0, p99: 0, count: None };
        let trend = TrendSeries { points: (0..75).filter(|s| !(60..70).contains(s)).map(point).collect(), successes: None };
        let window = Window::of(75.0, 15, 0.0, &[]);
        // The block of second 60 to 74 has five of its fifteen seconds.
        assert_eq!(of_seconds(&trend, Kind::P50, 0, &window), [7.0, 22.0, 37.0, 52.0]);
    }
}
