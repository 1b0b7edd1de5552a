//! k6's end-of-test summaries, every version and form.
//!
//! The text comes in two layouts, `sectioned` (v1 and later) and `flat` (v0, legacy, jslib), the JSON in three shapes
//! (`json`). All become the same [`Summary`]: values in base units under k6's names, exact where the source is,
//! with bounds where it cuts or rounds; rates count their true samples as passes whatever a source calls them.

mod absent;
mod block;
mod check_list;
mod flat;
mod heading;
mod journal;
mod json;
mod metric_line;
mod printed;
mod screen;
mod sectioned;
mod status;
mod text;
mod threshold_list;

use std::collections::BTreeMap;

use crate::diagnostic::Faults;
use crate::model::instant::Moment;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, Summary, SummaryKind};
use crate::model::units;
use crate::source::Source;

/// What a k6 log or text summary tells.
#[derive(Clone, Debug, PartialEq)]
pub struct TextRun {
    /// The figures.
    pub summary: Summary,
    /// The stamps that ZITADEL's runner writes around a run, where there are some.
    pub stamps: Stamps,
    /// The summary verbatim, without colours and progress bars: what `k6.txt` holds. Reading it gives the same summary
    /// (but for k6's version, which only a verbose log tells).
    pub verbatim: String,
}

/// `start_utc=... target=... vus=... duration=...` and `end_utc=...`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stamps {
    /// When the runner started k6.
    pub start: Option<Moment>,
    /// When k6 ended.
    pub end: Option<Moment>,
    /// The target.
    pub target: Option<String>,
    /// The release, where a runner stamps it.
    pub release: Option<String>,
    /// Virtual users asked for.
    pub vus: Option<u64>,
    /// Duration asked for, in seconds.
    pub duration_s: Option<f64>,
}

/// Which form of k6 summary a text is, by its content; `None` if it is none.
///
/// A JSON text that looks like a summary but is broken counts as one, so that its reader can say where. A log that
/// shows k6's progress counts as text even without a summary, for the same reason; raw samples do not.
#[must_use]
pub fn sniff(source: &Source) -> Option<SummaryKind> {
    let json = json::sniff(source.text());
    json.or_else(|| text::looks_like_k6(source).then_some(SummaryKind::Text))
}

/// Reads any form of summary, told from its content.
///
/// # Errors
/// The faults of the form's reader; `no-summary` if the text is none of k6's.
pub fn read(source: &Source) -> Result<Summary, Faults> {
    match sniff(source) {
        Some(SummaryKind::Text) => read_text(source).map(|run| run.summary),
        Some(_) => read_json(source),
        None if source.text().trim_start().starts_with(['{', '[']) => Err(json::unknown(source).into()),
        None => read_text(source).map(|run| run.summary),
    }
}

/// Reads a k6 text summary, alone or inside a whole terminal log.
///
/// # Errors
/// All faults: no summary, two summaries, a summary that is cut off.
pub fn read_text(source: &Source) -> Result<TextRun, Faults> {
    text::read(source)
}

/// Reads a JSON summary: `--summary-export`, `handleSummary` data, or the machine-readable summary.
///
/// # Errors
/// All faults: broken JSON with its place, JSON that is no summary.
pub fn read_json(source: &Source) -> Result<Summary, Faults> {
    json::read(source)
}

/// The most virtual users there could be, by the metric of that name.
fn most_users(metrics: &BTreeMap<String, Metric>) -> Option<u64> {
    units::whole(metrics.get("vus_max")?.value(Stat::Max)?)
}

/// k6 prints zeros for a metric without a sample if a threshold names it; nobody can tell them from measured ones.
fn note_zeros(summary: &mut Summary) {
    let judged = |name: &str| summary.thresholds.iter().any(|threshold| threshold.metric == name);
    let mut empty: Vec<String> = Vec::new();
    for (name, metric) in &summary.metrics {
        let parts = metric.submetrics.iter().map(|(tags, part)| (format!("{name}{{{tags}}}"), part));
        let all = std::iter::once((name.clone(), metric)).chain(parts);
        empty.extend(all.filter(|(name, metric)| judged(name) && is_all_zero(metric)).map(|(name, _)| name));
    }
    summary.notes.extend(empty.into_iter().map(|name| {
        format!("`{name}` is 0 throughout: k6 prints that also for a metric without a sample that a threshold names")
    }));
}

fn is_all_zero(metric: &Metric) -> bool {
    let zero = |value: &Option<f64>| value.is_some_and(|value| value.abs() < f64::MIN_POSITIVE);
    metric.kind != MetricKind::Rate && !metric.values.0.is_empty() && metric.values.0.values().all(zero)
}
