//! A run's parts, from its raw samples: what k6's end-of-test summary throws together.
//!
//! k6 counts set-up and teardown into every metric, and into the clock of every rate. Raw samples say what belongs to the
//! load alone.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::instant::Moment;
use super::summary::Metric;

/// The parts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phases {
    /// To how many seconds the source tells a sample's time: 1 for k6's default, which cuts to whole seconds.
    pub resolution_s: f64,
    /// `setup()`; absent where it made no sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<PhaseFigures>,
    /// The load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<PhaseFigures>,
    /// `teardown()`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<PhaseFigures>,
    /// Whether the samples end before the run did: a file was cut, and what came after is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Samples without a number (`+Inf`, `NaN`) by metric; they are in no other figure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_finite: BTreeMap<String, u64>,
}

/// One part of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseFigures {
    /// Its first sample.
    pub first: Moment,
    /// Its last sample.
    pub last: Moment,
    /// Its metrics, as a summary of it alone would have them. Counters have no rate of their own: see [`PhaseFigures::seconds`].
    pub metrics: BTreeMap<String, Metric>,
}

impl PhaseFigures {
    /// The length from the first to the last sample in seconds: as the source tells it, and what its cut times allow.
    /// `None` where a bound is not known or the times are of unknown days.
    #[must_use]
    pub fn seconds(&self, resolution_s: f64) -> Option<(f64, Bounds)> {
        let (first, last): (DateTime<Utc>, DateTime<Utc>) = (self.first.instant()?, self.last.instant()?);
        let seconds = (last - first).num_nanoseconds()? as f64 / 1e9;
        Some((seconds, Bounds::new((seconds - resolution_s).max(0.0), seconds + resolution_s)?))
    }
}
