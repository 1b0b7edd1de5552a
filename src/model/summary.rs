//! What k6 says of a run at its end, whatever version and form it says it in.
//!
//! This is the shape of `plimsoll summary --format json`, and the `k6` section of a record: a contract, published as
//! JSON Schema. Numbers are in base units (ms, bytes, ratios 0..1); what a source cuts or rounds carries bounds; what it
//! does not say is absent, or null with a reason beside it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::stat::Stat;
use super::units;

/// The version of the summary's shape that this program writes.
pub const SCHEMA: u32 = 1;

/// The part of a trend that holds successful requests only, under k6's name.
pub const SUCCESSES: &str = "expected_response:true";

/// An end-of-test summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Version of this shape.
    pub schema: u32,
    /// Where it was read from.
    pub source: SummarySource,
    /// Metrics by name.
    pub metrics: BTreeMap<String, Metric>,
    /// Checks in the source's order.
    pub checks: Vec<Check>,
    /// Thresholds by metric, then in the source's order.
    pub thresholds: Vec<Threshold>,
    /// k6's own clock, set-up and teardown included, in seconds.
    pub duration_s: Option<f64>,
    /// What the printed clock allows; absent where it is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_bounds: Option<Bounds>,
    /// The most virtual users there could be.
    pub vus_max: Option<u64>,
    /// Iterations by k6's status line.
    pub iterations: Iterations,
    /// Scenarios as the status block names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<Scenario>,
    /// Whether a sign says that the run was ended before its time.
    pub aborted: bool,
    /// The sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted_by: Option<String>,
    /// What a reader of the figures should know.
    pub notes: Vec<String>,
}

/// Which form a summary was read from, and which k6 wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummarySource {
    /// The form.
    pub kind: SummaryKind,
    /// k6's version where the source tells it.
    pub k6_version: Option<String>,
}

/// The forms in which k6 leaves its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SummaryKind {
    /// The text on the terminal or in a log.
    Text,
    /// `--summary-export`.
    Export,
    /// The object handed to `handleSummary`.
    HandleSummary,
    /// `--new-machine-readable-summary`.
    MachineReadable,
    /// `--out csv`.
    Csv,
    /// `--out json`.
    Ndjson,
}

/// A metric of k6.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// Which of k6's four kinds.
    pub kind: MetricKind,
    /// What its values are in; null for a plain number of unknown meaning.
    pub unit: Option<MetricUnit>,
    /// Values by k6's names; null where the source has a place for it but no number.
    pub values: Values,
    /// What the source's cutting or rounding allows, where it cuts or rounds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bounds: BTreeMap<Stat, Bounds>,
    /// Why a value is null.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<Stat, String>,
    /// Parts of it by tag, `expected_response:true`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub submetrics: BTreeMap<String, Metric>,
}

/// Values of a metric by statistic. Counts are written as whole numbers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(with = "BTreeMap<String, Option<f64>>")]
pub struct Values(pub BTreeMap<Stat, Option<f64>>);

impl Serialize for Values {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(stat, value)| (stat, value.map(|v| Number(v, *stat)))))
    }
}

struct Number(f64, Stat);

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match units::whole(self.0).filter(|_| self.1.counts()) {
            Some(whole) => serializer.serialize_u64(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}

/// k6's kinds of metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MetricKind {
    /// A distribution.
    Trend,
    /// A sum.
    Counter,
    /// A share of true samples.
    Rate,
    /// A last value with its extremes.
    Gauge,
}

/// What a metric's values are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MetricUnit {
    /// Milliseconds.
    Ms,
    /// Bytes.
    Bytes,
    /// A share.
    Ratio,
    /// Things counted.
    Count,
}

/// A check of k6: how often it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Its name, as the script gives it.
    pub name: String,
    /// The groups around it, `::a::b`; empty at the root, or where the source does not tell.
    pub group: String,
    /// How often it held; null where a source prints a mark alone.
    pub passes: Option<u64>,
    /// How often it did not; 0 is certain where a source prints `✓`.
    pub fails: Option<u64>,
}

/// A threshold and whether it was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Threshold {
    /// The metric, `http_req_duration` or `http_req_duration{tag:value}`.
    pub metric: String,
    /// The expression, `p(95)<500`; empty where a source marks the metric alone.
    pub expression: String,
    /// Whether it held; null where the source does not tell for this expression.
    pub passed: Option<bool>,
}

/// Iterations by k6's last status line; null where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Iterations {
    /// Ended by themselves.
    pub complete: Option<u64>,
    /// Cut off at the end of the run.
    pub interrupted: Option<u64>,
}

/// A scenario's last line in the status block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// Its name, as far as k6 prints it (30 bytes).
    pub name: String,
    /// How it ended.
    pub state: ScenarioState,
    /// Virtual users.
    pub vus: Option<u64>,
    /// The duration it was given, in seconds; null for executors that end by iterations, and where it is no whole number.
    pub duration_s: Option<u64>,
}

/// How a scenario ended, by the mark on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScenarioState {
    /// `✓`.
    Done,
    /// `✗`.
    Interrupted,
    /// No mark, `•` or `↓`: the log ends before it does.
    Unfinished,
}

impl Summary {
    /// An empty summary of a source, for a reader to fill.
    #[must_use]
    pub fn new(kind: SummaryKind, k6_version: Option<String>) -> Self {
        Self {
            schema: SCHEMA,
            source: SummarySource { kind, k6_version },
            metrics: BTreeMap::new(),
            checks: Vec::new(),
            thresholds: Vec::new(),
            duration_s: None,
            duration_bounds: None,
            vus_max: None,
            iterations: Iterations::default(),
            scenarios: Vec::new(),
            aborted: false,
            aborted_by: None,
            notes: Vec::new(),
        }
    }

    /// A value of a metric, if the source has it.
    #[must_use]
    pub fn value(&self, metric: &str, stat: Stat) -> Option<f64> {
        self.metrics.get(metric)?.value(stat)
    }

    /// What a value of a metric can be, if the source has it: its bounds, or itself.
    #[must_use]
    pub fn bounds(&self, metric: &str, stat: Stat) -> Option<Bounds> {
        self.metrics.get(metric)?.bounds_of(stat)
    }
}

impl Metric {
    /// A metric without values, for a reader to fill.
    #[must_use]
    pub fn new(kind: MetricKind, unit: Option<MetricUnit>) -> Self {
        Self {
            kind,
            unit,
            values: Values::default(),
            bounds: BTreeMap::new(),
            reasons: BTreeMap::new(),
            submetrics: BTreeMap::new(),
        }
    }

    /// A value, if there is one.
    #[must_use]
    pub fn value(&self, stat: Stat) -> Option<f64> {
        self.values.0.get(&stat).copied().flatten()
    }

    /// The statistic that is a percentile of it, where it has a value: the median goes by two names.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> Option<Stat> {
        let median = (percent == 50).then_some(Stat::Med);
        [Some(Stat::p(percent)), median].into_iter().flatten().find(|stat| self.value(*stat).is_some())
    }

    /// What a value can be: its bounds, or itself where it is exact.
    #[must_use]
    pub fn bounds_of(&self, stat: Stat) -> Option<Bounds> {
        let value = self.value(stat)?;
        self.bounds.get(&stat).copied().or_else(|| Bounds::exact(value))
    }
}
