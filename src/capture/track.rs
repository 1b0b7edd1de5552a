//! Time series in one shape, whatever source they come from.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::buckets::Buckets;

/// The series of a file, and what its source says it left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracks {
    /// The series, in the order of the file.
    pub tracks: Vec<Track>,
    /// Why there may be more than the file holds.
    pub limits: Vec<Limit>,
}

/// Why a source may have more than it gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Another page follows (`nextPageToken`).
    MorePages,
    /// A part of the data could not be read (`executionErrors`, `warnings`), in the source's words.
    Partial(String),
}

/// One time series.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its name as the source has it, `run.googleapis.com/container/cpu/utilizations` or
    /// `zitadel_database_pool_acquire_count_total`; empty where a query dropped it.
    pub metric: String,
    /// Its labels, of metric and resource together.
    pub labels: BTreeMap<String, String>,
    /// How its values go on from each other.
    pub kind: Kind,
    /// The unit as the source writes it, `ms`, `10^2.%`; `None` where it writes none.
    pub unit: Option<String>,
    /// The target that the file itself says it is of.
    pub target: Option<String>,
    /// Its points, oldest first, one a moment.
    pub points: Vec<Point>,
}

/// How the values of a series go on from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Each value stands for itself.
    Gauge,
    /// Each value is what came in its period.
    Delta,
    /// Each value is what came since a start, which may be anew: a counter.
    Cumulative,
    /// The source does not say: Prometheus. A rule tells, or the name's ending (`_total`, `_count`, `_sum`, `_bucket`).
    Unsaid,
}

/// A point of a series: it stands for the period from `start`, exclusive, to `end`, inclusive.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The beginning of its period; of a counter the moment it began at zero. `None` where the source does not say.
    pub start: Option<DateTime<Utc>>,
    /// The end of its period.
    pub end: DateTime<Utc>,
    /// The value.
    pub value: Value,
}

/// A value of a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A finite number.
    Number(f64),
    /// How many values fell between which bounds.
    Buckets(Buckets),
    /// What is no measurement: `NaN`, infinity, a stale marker.
    Nothing,
}

impl Point {
    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        if let Value::Number(number) = self.value { Some(number) } else { None }
    }

    /// The buckets, if it has some.
    #[must_use]
    pub fn buckets(&self) -> Option<&Buckets> {
        if let Value::Buckets(buckets) = &self.value { Some(buckets) } else { None }
    }
}

impl Track {
    /// A label; empty where it has none.
    #[must_use]
    pub fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }

    /// Puts the points into order: oldest first, of two at one moment and equal only one.
    pub fn sort(&mut self) {
        self.points.sort_by_key(|point| point.end);
        self.points.dedup();
        // Of a million series with two points each, the room for four would be the most.
        self.points.shrink_to_fit();
    }
}
