//! `--new-machine-readable-summary` (k6 v1.5 and later). It has no thresholds, groups or scenarios, no rate of a
//! counter, and of a trend only avg, min, med, max, p90 and p95. The script in it is left behind.

use serde_json::Value;

use super::wire;
use crate::model::builtin;
use crate::model::stat::Stat;
use crate::model::summary::{Check, Metric, MetricKind, Summary, SummaryKind};

/// Reads the summary.
pub(super) fn read(value: &Value) -> Summary {
    let version = ["/metadata/k6_version", "/metadata/k6Version"].iter().find_map(|path| wire::text(value.pointer(path)));
    let mut summary = Summary::new(SummaryKind::MachineReadable, version);
    let list = |path: &str| value.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut flat = Vec::new();
    for wire in list("/results/metrics").iter().chain(list("/results/checks/metrics")) {
        let name = wire::text(wire.get("name")).unwrap_or_default();
        match metric(&name, wire, &mut summary.notes) {
            Some(metric) => flat.extend(own_name(&name).map(|name| (name.to_owned(), metric))),
            None => summary.notes.push(format!("`{name}` is of no kind that k6 has")),
        }
    }
    summary.metrics = wire::nest(flat);
    summary.checks = list("/results/checks/results").iter().map(check).collect();
    summary.duration_s = value.pointer("/config/duration").and_then(Value::as_f64);
    summary.notes.push(
        "the machine-readable summary has no thresholds, groups or rates per second, and no percentiles but p(90) and p(95)"
            .to_owned(),
    );
    wire::finish(summary)
}

/// The totals of checks are one rate: that of those that held.
fn own_name(name: &str) -> Option<&str> {
    match name {
        "checks_succeeded" => Some("checks"),
        "checks_total" | "checks_failed" => None,
        _ => Some(name),
    }
}

fn check(wire: &Value) -> Check {
    Check {
        name: wire::text(wire.get("name")).unwrap_or_default(),
        group: String::new(),
        passes: wire::count(wire.get("passes")),
        fails: wire::count(wire.get("fails")),
    }
}

fn metric(name: &str, wire: &Value, notes: &mut Vec<String>) -> Option<Metric> {
    let kind = wire::kind(wire.get("type"))?;
    let contains = wire.get("contains").and_then(Value::as_str);
    let mut metric = Metric::new(kind, builtin::unit(kind, contains, name));
    let values = wire.get("values")?.as_object()?;
    for (key, value) in values {
        match stat(key) {
            Some(stat) => wire::put(&mut metric, stat, value, "not among k6's trend statistics of this run"),
            None if kind == MetricKind::Rate && (key == "matches" || key == "total") => {}
            None => notes.push(format!("`{key}` of `{name}` is no statistic of k6")),
        }
    }
    if kind == MetricKind::Rate {
        let (matches, total) = (wire::count(values.get("matches"))?, wire::count(values.get("total"))?);
        metric.values.0.insert(Stat::Passes, Some(matches as f64));
        metric.values.0.insert(Stat::Fails, Some(total.checked_sub(matches)? as f64));
        wire::without_samples(&mut metric);
    }
    Some(metric)
}

/// `p95` is `p(95)`.
fn stat(key: &str) -> Option<Stat> {
    let percentile = || format!("p({})", key.strip_prefix('p')?).parse().ok();
    key.parse().ok().or_else(percentile)
}
