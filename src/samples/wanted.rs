//! What of a raw file is kept, metric by metric: memory is spent on what will be asked for.

use std::collections::BTreeSet;

use crate::model::builtin;
use crate::model::summary::MetricKind;

/// What a pass over raw samples is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Per-second percentiles of the script's own trends, or of the metrics named.
    Series(Option<BTreeSet<String>>),
    /// Failures and checks.
    Errors,
    /// A summary as k6 makes it: exact percentiles of every trend.
    Summary,
    /// Everything that a record and its series hold: exact percentiles of the script's own trends, of
    /// `http_req_duration` and `iteration_duration`, and counts, sums and extremes of every metric.
    Record,
}

/// What is kept of a metric's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Nothing: its rows are checked alone.
    Nothing,
    /// Count, sum and extremes.
    Totals,
    /// Those, and count and sum of every second.
    Sums,
    /// Those, and every value by second.
    Values,
    /// Those, and the last value of every second.
    Gauge,
}

impl Wanted {
    /// Whether files are hashed: what is kept of them names them by their hash.
    pub(super) fn hashes(&self) -> bool {
        *self == Self::Record
    }

    /// What is kept of a metric. It goes by the name alone: threads that have seen unlike parts of a file agree on it.
    pub(super) fn keep(&self, metric: &str) -> Keep {
        let known = builtin::of(metric).map(|(kind, _)| kind);
        match self {
            // k6 writes it every second: where it is missing, a file holds two runs.
            _ if metric == "vus" => Keep::Gauge,
            Self::Series(None) if known.is_none() => Keep::Values,
            Self::Series(Some(names)) if names.contains(metric) => Keep::Values,
            Self::Series(_) => Keep::Nothing,
            Self::Errors => match metric {
                "http_reqs" | "http_req_failed" | "checks" => Keep::Sums,
                // Their times bound the test, which failures are seen against; k6's own trends come with one of these.
                _ if known.is_none_or(|kind| kind != MetricKind::Trend) => Keep::Totals,
                _ => Keep::Nothing,
            },
            Self::Summary | Self::Record => match known {
                Some(MetricKind::Gauge) => Keep::Gauge,
                Some(MetricKind::Counter | MetricKind::Rate) => Keep::Sums,
                Some(MetricKind::Trend) if *self == Self::Summary => Keep::Values,
                Some(MetricKind::Trend) if matches!(metric, "http_req_duration" | "iteration_duration") => Keep::Values,
                Some(MetricKind::Trend) => Keep::Totals,
                // Nothing in CSV tells what a script's own metric is; values serve for every kind.
                None => Keep::Values,
            },
        }
    }
}
