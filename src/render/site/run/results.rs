//! What k6 counted and what went wrong: throughput, checks, thresholds, failures by kind, its other metrics.

use serde::Serialize;

use super::super::view::{Cell, Labelled, number};
use super::latency;
use crate::model::catalogue::{CATALOGUE, Origin};
use crate::model::derive;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{ErrorKind, Errors, Record, StatusCount};
use crate::model::summary::{Check, Metric, MetricKind, Summary, Threshold};
use crate::render::facts::headline;
use crate::render::markup::breakable;
use crate::render::populations;

/// The section about results.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ResultsView {
    /// Figures that follow from k6's summary, with what a page states beside them.
    pub figures: Vec<ResultRow>,
    /// Whether anything is stated.
    pub has_stated: bool,
    pub checks: Vec<CheckView>,
    pub thresholds: Vec<ThresholdView>,
    pub failed_requests: Cell,
    pub failed_checks: Cell,
    /// Failures of the raw samples in words, where nobody stated them.
    pub populations: Vec<String>,
    /// Failures told apart, list by list.
    pub kinds: Vec<KindList>,
    pub statuses: Vec<StatusView>,
    pub others: Vec<OtherMetric>,
    /// k6's sign that the run was ended before its time; empty if there is none.
    pub aborted: String,
    pub interrupted: String,
    /// What the reader of the summary noted.
    pub remarks: Vec<String>,
}

/// A derived figure and a stated one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ResultRow {
    pub label_html: String,
    pub meaning: String,
    pub derived: Cell,
    pub stated: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CheckView {
    pub name: String,
    pub group: String,
    pub passes: String,
    pub fails: String,
    pub state: &'static str,
    pub word: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ThresholdView {
    pub metric: String,
    pub expression: String,
    pub state: &'static str,
    pub word: &'static str,
}

/// Failures of one sort by kind.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct KindList {
    pub title: &'static str,
    pub rows: Vec<Labelled>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct StatusView {
    pub status: String,
    pub code: String,
    pub error: String,
    pub requests: String,
}

/// A metric of k6 that is no trend.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OtherMetric {
    pub name: String,
    pub part: String,
    pub kind: &'static str,
    pub values: Vec<Labelled>,
}

pub(crate) fn view(record: &Record) -> ResultsView {
    let summary = record.k6.as_ref();
    let figures = figures(record);
    ResultsView {
        has_stated: figures.iter().any(|row| !row.stated.is_empty()),
        figures,
        checks: summary.map(|s| s.checks.iter().map(check).collect()).unwrap_or_default(),
        thresholds: summary.map(|s| s.thresholds.iter().map(threshold).collect()).unwrap_or_default(),
        failed_requests: headline::failures(record),
        failed_checks: headline::failed_checks(record),
        populations: populations::sentences(record),
        kinds: kinds(&record.errors),
        statuses: record.errors.by_status.iter().map(status).collect(),
        others: summary.map(others).unwrap_or_default(),
        aborted: summary.filter(|s| s.aborted).map(aborted).unwrap_or_default(),
        interrupted: summary.and_then(|s| s.iterations.interrupted).filter(|n| *n > 0).map(number).unwrap_or_default(),
        remarks: summary.map(|s| s.notes.clone()).unwrap_or_default(),
    }
}

fn aborted(summary: &Summary) -> String {
    summary.aborted_by.clone().unwrap_or_else(|| "the sign is not known".to_owned())
}

fn figures(record: &Record) -> Vec<ResultRow> {
    CATALOGUE
        .iter()
        .filter(|row| row.origin == Origin::Derived)
        .map(|row| ResultRow {
            label_html: breakable(row.name),
            meaning: derive::meaning(record, row.figure).to_owned(),
            derived: Cell::figure(&derive::figure(record, row.figure)),
            stated: record.stated.get(row.figure).and_then(Figure::measurement).map(Measurement::text).unwrap_or_default(),
        })
        .collect()
}

fn check(check: &Check) -> CheckView {
    let (state, word) = match check.fails {
        Some(0) => ("good", "held"),
        Some(_) => ("bad", "failed"),
        None => ("missing", "not counted"),
    };
    let count = |count: Option<u64>| count.map_or_else(|| "not counted".to_owned(), number);
    CheckView {
        name: check.name.clone(),
        group: check.group.trim_start_matches("::").replace("::", " › "),
        passes: count(check.passes),
        fails: count(check.fails),
        state,
        word,
    }
}

fn threshold(threshold: &Threshold) -> ThresholdView {
    let (state, word) = match threshold.passed {
        Some(true) => ("good", "kept"),
        Some(false) => ("bad", "crossed"),
        None => ("missing", "not told"),
    };
    ThresholdView { metric: threshold.metric.clone(), expression: threshold.expression.clone(), state, word }
}

fn kinds(errors: &Errors) -> Vec<KindList> {
    let row =
        |kind: &ErrorKind| Labelled { label: kind.what.clone(), meaning: String::new(), cell: Cell::known(number(kind.count)) };
    let list = |title, kinds: &[ErrorKind]| KindList { title, rows: kinds.iter().map(row).collect() };
    [
        list("Failed requests by kind", &errors.kinds),
        list("Failed checks by name", &errors.failed_checks),
        list("Iterations ended by an exception", &errors.aborted_iterations),
    ]
    .into_iter()
    .filter(|list| !list.rows.is_empty())
    .collect()
}

fn status(status: &StatusCount) -> StatusView {
    StatusView {
        status: status.status.map_or_else(|| "no response".to_owned(), |status| status.to_string()),
        code: status.error_code.map_or_else(|| "none".to_owned(), |code| code.to_string()),
        error: status.error.clone().unwrap_or_else(|| "none".to_owned()),
        requests: number(status.requests),
    }
}

fn others(summary: &Summary) -> Vec<OtherMetric> {
    let mut list = Vec::new();
    for (name, metric) in summary.metrics.iter().filter(|(_, metric)| metric.kind != MetricKind::Trend) {
        list.push(other(name, "", metric));
        list.extend(metric.submetrics.iter().map(|(part, metric)| other(name, part, metric)));
    }
    list
}

fn other(name: &str, part: &str, metric: &Metric) -> OtherMetric {
    let kind = match metric.kind {
        MetricKind::Trend => "trend",
        MetricKind::Counter => "counter",
        MetricKind::Rate => "rate",
        MetricKind::Gauge => "gauge",
    };
    let values = metric.values.0.keys().map(|stat| value(metric, *stat)).collect();
    OtherMetric { name: name.to_owned(), part: part.to_owned(), kind, values }
}

fn value(metric: &Metric, stat: crate::model::stat::Stat) -> Labelled {
    use crate::model::stat::Stat;
    use crate::model::units::Unit;
    let base = latency::unit(metric.unit);
    let unit = match (metric.kind, stat) {
        (MetricKind::Counter, Stat::Rate) if base == Unit::Count => Unit::PerSecond,
        (MetricKind::Rate, Stat::Passes | Stat::Fails) => Unit::Count,
        (MetricKind::Rate, _) => Unit::Ratio,
        _ => base,
    };
    let reason = metric.reasons.get(&stat).map_or("not in k6's summary", String::as_str);
    let mut cell = Cell::value(metric.value(stat), metric.bounds_of(stat), unit, reason);
    if metric.kind == MetricKind::Counter && stat == Stat::Rate && unit == Unit::Bytes {
        cell.text.push_str("/s");
    }
    let label = match (metric.kind, stat) {
        (MetricKind::Rate, Stat::Passes) => "true".to_owned(),
        (MetricKind::Rate, Stat::Fails) => "false".to_owned(),
        (MetricKind::Counter, Stat::Count) => "sum".to_owned(),
        _ => stat.to_string(),
    };
    Labelled { label, meaning: String::new(), cell }
}
