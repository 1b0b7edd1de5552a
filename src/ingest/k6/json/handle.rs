//! The data that k6 hands to `handleSummary()`: types, values, thresholds where `ok` is true if they held. What
//! `setup()` returned is there as well, tokens among it: it is left behind.

use serde_json::Value;

use super::wire;
use crate::model::builtin;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, Summary, SummaryKind};

/// Reads the data.
pub(super) fn read(value: &Value) -> Summary {
    let mut summary = Summary::new(SummaryKind::HandleSummary, None);
    let mut flat = Vec::new();
    for (name, wire) in value.get("metrics").and_then(Value::as_object).into_iter().flatten() {
        match metric(name, wire, &mut summary.notes) {
            Some(metric) => flat.push((name.clone(), metric)),
            None => summary.notes.push(format!("`{name}` is of no kind that k6 has")),
        }
        for (source, state) in wire.get("thresholds").and_then(Value::as_object).into_iter().flatten() {
            let passed = state.get("ok").and_then(Value::as_bool);
            summary.thresholds.push(wire::threshold(name, source, passed));
        }
    }
    summary.metrics = wire::nest(flat);
    wire::checks(value.get("root_group"), &mut summary.checks);
    let clock = value.pointer("/state/testRunDurationMs").and_then(Value::as_f64);
    summary.duration_s = clock.map(|ms| ms / 1000.0);
    wire::finish(summary)
}

fn metric(name: &str, wire: &Value, notes: &mut Vec<String>) -> Option<Metric> {
    let values = wire.get("values")?.as_object()?;
    let kind = wire::kind(wire.get("type")).or_else(|| super::export::kind(values))?;
    let contains = wire.get("contains").and_then(Value::as_str);
    let mut metric = Metric::new(kind, builtin::unit(kind, contains, name));
    for (key, value) in values {
        match key.parse::<Stat>() {
            Ok(stat) => wire::put(&mut metric, stat, value, "null in the source, which writes that for what is infinite"),
            Err(_) => notes.push(format!("`{key}` of `{name}` is no statistic of k6")),
        }
    }
    if kind == MetricKind::Rate {
        wire::without_samples(&mut metric);
    }
    Some(metric)
}
