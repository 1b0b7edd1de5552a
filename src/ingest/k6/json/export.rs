//! `--summary-export`: flat values by metric. It tells neither types nor units, and a threshold that is `true` failed.

use serde_json::{Map, Value};

use super::wire;
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

/// The unit of k6's own metrics; of others it is not told.
fn unit(kind: MetricKind, name: &str) -> Option<MetricUnit> {
    let name = name.split('{').next().unwrap_or(name);
    let contains = match name {
        "data_received" | "data_sent" | "ws_msgs_size" => Some("data"),
        "iteration_duration" | "group_duration" | "grpc_req_duration" | "ws_connecting" | "ws_session_duration" | "ws_ping" => {
            Some("time")
        }
        "http_req_blocked"
        | "http_req_connecting"
        | "http_req_duration"
        | "http_req_receiving"
        | "http_req_sending"
        | "http_req_tls_handshaking"
        | "http_req_waiting" => Some("time"),
        _ => None,
    };
    let counted = matches!(
        name,
        "checks"
            | "http_reqs"
            | "iterations"
            | "dropped_iterations"
            | "ws_sessions"
            | "ws_msgs_sent"
            | "ws_msgs_received"
            | "grpc_streams"
            | "grpc_streams_msgs_sent"
            | "grpc_streams_msgs_received"
    );
    // A counter of a script's own may count anything, a time among them.
    if kind == MetricKind::Counter && contains.is_none() && !counted { None } else { wire::unit(kind, contains, name) }
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
