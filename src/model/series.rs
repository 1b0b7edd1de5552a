//! Per-second series: percentiles of a trend for every second that has samples.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

/// Series by metric name. Times are whole seconds since 1970 in UTC; values are whole microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// Trends by name.
    pub trends: BTreeMap<String, TrendSeries>,
}

/// A trend by second; seconds ascend, no second twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrendSeries {
    /// The points.
    pub points: Vec<SeriesPoint>,
}

/// The percentiles of one second, in microseconds.
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

impl Series {
    /// The first and the last second with a sample.
    #[must_use]
    pub fn span(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let first = self.trends.values().filter_map(|t| t.points.first()).map(|p| p.second).min()?;
        let last = self.trends.values().filter_map(|t| t.points.last()).map(|p| p.second).max()?;
        Some((DateTime::from_timestamp(first, 0)?, DateTime::from_timestamp(last, 0)?))
    }

    /// Whether there is no point at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trends.values().all(|trend| trend.points.is_empty())
    }
}
