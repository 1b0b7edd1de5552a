//! `--summary-export`: flat values by metric. It tells neither types nor units, and a threshold that is `true` failed.

use serde_json::{Map, Value};

use super::wire;
use crate::model::builtin;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, MetricUnit, Summary, SummaryKind};

/// Reads the export.
pub(super) fn read(value: &Value) -> Summary {
    let mut summary = Summary::new(SummaryKind::Export, None);
    let mut flat = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for (name, wire) in value.get("metrics").and_then(Value::as_object).into_iter().flatten() {
        let Some(wire) = wire.as_object() else {
            summary.notes.push(format!("`{name}` is no metric"));
            continue;
        };
        let Some(kind) = kind(wire) else {
            summary.notes.push(format!("`{name}` has no values of a known kind"));
            continue;
        };
        let unit = unit(kind, name);
        if unit.is_none() {
            unknown.push(name);
        }
        flat.push((name.clone(), metric(kind, unit, wire, name, &mut summary.notes)));
        for (source, failed) in wire.get("thresholds").and_then(Value::as_object).into_iter().flatten() {
            summary.thresholds.push(wire::threshold(name, source, failed.as_bool().map(|failed| !failed)));
        }
    }
    if !unknown.is_empty() {
        summary.notes.push(format!("the export tells no units; unknown are those of {}", unknown.join(", ")));
    }
    summary.metrics = wire::nest(flat);
    wire::checks(value.get("root_group"), &mut summary.checks);
    wire::finish(summary)
}

/// The kind by the shape of the values.
pub(super) fn kind(wire: &Map<String, Value>) -> Option<MetricKind> {
    let has = |key: &str| wire.contains_key(key);
    if has("passes") && has("fails") {
        Some(MetricKind::Rate)
    } else if has("value") && (has("min") || has("max")) {
        Some(MetricKind::Gauge)
    } else if has("count") && has("rate") {
        Some(MetricKind::Counter)
    } else {
        wire.keys().any(|key| is_trend_stat(key)).then_some(MetricKind::Trend)
    }
}

fn is_trend_stat(key: &str) -> bool {
    key.parse()
        .is_ok_and(|stat| matches!(stat, Stat::Min | Stat::Avg | Stat::Med | Stat::Max | Stat::Percentile(_) | Stat::Count))
}

/// The unit of k6's own metrics, parts of them included.
fn unit(kind: MetricKind, name: &str) -> Option<MetricUnit> {
    builtin::unit_by_name(kind, name.split('{').next().unwrap_or(name))
}

fn metric(kind: MetricKind, unit: Option<MetricUnit>, wire: &Map<String, Value>, name: &str, notes: &mut Vec<String>) -> Metric {
    let mut metric = Metric::new(kind, unit);
    for (key, value) in wire.iter().filter(|(key, _)| *key != "thresholds") {
        let stat = if kind == MetricKind::Rate && key == "value" { Ok(Stat::Rate) } else { key.parse() };
        match stat {
            Ok(stat) => wire::put(&mut metric, stat, value, "null in the source, which writes that for what is infinite"),
            Err(_) => notes.push(format!("`{key}` of `{name}` is no statistic of k6")),
        }
    }
    if kind == MetricKind::Rate {
        wire::without_samples(&mut metric);
    }
    metric
}
