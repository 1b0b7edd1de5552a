//! What happened when: a run's raw samples by second, by block, and as distributions.
//!
//! A published `output.json` has the percentiles of each second alone; raw samples have everything in here.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::distribution::Distribution;

/// Series of a run's test phase. Times are whole seconds since 1970 in UTC; values are whole thousandths of the trend's
/// unit, so microseconds for a trend of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Trends by name.
    pub trends: BTreeMap<String, TrendSeries>,
    /// Counts of each second, where the source has them.
    pub traffic: Option<Traffic>,
    /// Blocks of some lengths, shortest first; empty where the source has no samples.
    pub blocks: Vec<Blocks>,
    /// Distributions by trend, `http_req_duration`, or part of one, `http_req_duration{expected_response:true}`.
    pub distributions: BTreeMap<String, Distribution>,
}

/// A trend by second; seconds ascend, no second twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrendSeries {
    /// The points.
    pub points: Vec<SeriesPoint>,
    /// What successful requests alone give, in the seconds in which others failed: in every other second they are all there
    /// are. `None` where the source does not tell success from failure for this trend.
    pub successes: Option<Vec<SuccessPoint>>,
}

/// The percentiles of one second, in thousandths of the trend's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesPoint {
    /// Seconds since 1970, UTC.
    pub second: i64,
    /// Median.
    pub p50: i64,
    /// 95th percentile.
    pub p95: i64,
    /// 99th percentile.
    pub p99: i64,
    /// Samples in the second, where the source tells.
    pub count: Option<u64>,
}

/// The percentiles of one second, exact, in the trend's unit: what raw samples give before it is rounded for the archive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactPoint {
    /// Seconds since 1970, UTC.
    pub second: i64,
    /// Samples in the second; never 0.
    pub count: u64,
    /// p50, p95 and p99 by k6's definition.
    pub percentiles: [f64; 3],
}

/// The successful requests of a second in which others failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuccessPoint {
    /// Seconds since 1970, UTC.
    pub second: i64,
    /// Successful requests.
    pub count: u64,
    /// p50, p95 and p99 of them, in thousandths of the trend's unit; `None` where there are none.
    pub percentiles: Option<[i64; 3]>,
}

/// Counts of each second from the first to the last of the test phase. A zero is a zero: a second without a sample had none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The first second, since 1970 in UTC.
    pub start: i64,
    /// A count a second by name: `http_req_failed` (requests that failed), `checks_failed`, and `http_reqs` and `iterations`
    /// where no trend counts them: elsewhere they are the counts of `http_req_duration` and `iteration_duration`. Bytes are
    /// counted by block. All are of one length; what the source has no sample of is absent.
    pub columns: BTreeMap<String, Vec<u64>>,
    /// `vus` as it changes: the first second of every new value.
    pub vus: Vec<(i64, u64)>,
}

/// Blocks of one length that follow one another from the first second of the test phase; the last may be cut short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Seconds of a block; at least one.
    pub seconds: u32,
    /// The first second of the first block, since 1970 in UTC.
    pub start: i64,
    /// Seconds of the test phase that the last block has, the last second of the test included.
    pub last_seconds: u32,
    /// Counts by name, a count a block: `http_reqs`, `iterations`, `http_req_failed`, `checks_failed`, and bytes in
    /// `data_received` and `data_sent`.
    pub counts: BTreeMap<String, Vec<u64>>,
    /// Percentiles by trend, a block each: of successful requests alone where the source tells them,
    /// `http_req_duration{expected_response:true}`, and by name where they have a few, `...{expected_response:true,name:login}`.
    pub trends: BTreeMap<String, Vec<BlockPoint>>,
}

/// The percentiles of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPoint {
    /// Samples.
    pub count: u64,
    /// p50, p95 and p99, in thousandths of the trend's unit; `None` where there is no sample.
    pub percentiles: Option<[i64; 3]>,
}

/// The most seconds that are counted one by one: those of a week, the longest test that has traffic.
const MOST_SECONDS: usize = 7 * 86_400 + 1;

impl Series {
    /// The first and the last second with a sample.
    #[must_use]
    pub fn span(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let first = self.trends.values().filter_map(|t| t.points.first()).map(|p| p.second).min()?;
        let last = self.trends.values().filter_map(|t| t.points.last()).map(|p| p.second).max()?;
        Some((DateTime::from_timestamp(first, 0)?, DateTime::from_timestamp(last, 0)?))
    }

    /// What charts are drawn of: trends and traffic.
    #[must_use]
    pub fn by_second(&self) -> Self {
        Self { trends: self.trends.clone(), traffic: self.traffic.clone(), ..Self::default() }
    }

    /// What comparisons are made of: blocks and distributions.
    #[must_use]
    pub fn by_block(&self) -> Self {
        Self { blocks: self.blocks.clone(), distributions: self.distributions.clone(), ..Self::default() }
    }

    /// A count of every second of the test phase, from its first second on: a column of the traffic, or the samples of the trend that
    /// counts the same. `None` where the source does not tell.
    #[must_use]
    pub fn counts(&self, column: &str) -> Option<(i64, Vec<u64>)> {
        let traffic = self.traffic.as_ref()?;
        if let Some(counts) = traffic.columns.get(column) {
            return Some((traffic.start, counts.clone()));
        }
        let trend = match column {
            "http_reqs" => "http_req_duration",
            "iterations" => "iteration_duration",
            _ => return None,
        };
        let points = &self.trends.get(trend)?.points;
        let last = points.last()?.second;
        let length = traffic.columns.values().map(Vec::len).max().unwrap_or(0);
        let length = length.max(usize::try_from(last.checked_sub(traffic.start)?.checked_add(1)?).ok()?);
        if length > MOST_SECONDS {
            return None;
        }
        let mut counts = vec![0; length];
        for point in points {
            let at = point.second.checked_sub(traffic.start).and_then(|at| usize::try_from(at).ok())?;
            *counts.get_mut(at)? = point.count?;
        }
        Some((traffic.start, counts))
    }

    /// Whether there is nothing in it: no point of a trend, no traffic, no block, no distribution.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let no_point = self.trends.values().all(|trend| trend.points.is_empty());
        no_point && self.traffic.is_none() && self.blocks.is_empty() && self.distributions.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_without_a_sample_are_counted_as_none() {
        let point = |second, count| SeriesPoint { second, p50: 1, p95: 1, p99: 1, count };
        let mut series = Series {
            trends: [(
                "http_req_duration".to_owned(),
                TrendSeries { points: vec![point(11, Some(4)), point(13, Some(2))], successes: None },
            )]
            .into(),
            ..Series::default()
        };
        assert_eq!(series.counts("http_reqs"), None);
        series.traffic =
            Some(Traffic { start: 10, columns: [("http_req_failed".to_owned(), vec![0, 1, 0, 0])].into(), vus: Vec::new() });
        assert_eq!(series.counts("http_reqs"), Some((10, vec![0, 4, 0, 2])));
        assert_eq!(series.counts("http_req_failed"), Some((10, vec![0, 1, 0, 0])));
        assert_eq!((series.counts("iterations"), series.counts("data_sent")), (None, None));
        // A trend that is not counted tells nothing.
        series.trends.values_mut().for_each(|trend| trend.points[0].count = None);
        assert_eq!(series.counts("http_reqs"), None);
    }
}
