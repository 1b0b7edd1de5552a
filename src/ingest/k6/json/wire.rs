//! What the three shapes share: numbers and nulls, checks in groups, submetrics.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::model::stat::Stat;
use crate::model::summary::{Check, Metric, MetricKind, Summary, Threshold};

/// A whole number, if a value is one.
pub(super) fn count(value: Option<&Value>) -> Option<u64> {
    value?.as_u64()
}

/// A text, if a value is one.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

/// The kind that a shape names.
pub(super) fn kind(value: Option<&Value>) -> Option<MetricKind> {
    Some(match value?.as_str()? {
        "trend" => MetricKind::Trend,
        "counter" => MetricKind::Counter,
        "rate" => MetricKind::Rate,
        "gauge" => MetricKind::Gauge,
        _ => return None,
    })
}

/// Puts a value under its statistic; what is no finite number is null with the reason.
pub(super) fn put(metric: &mut Metric, stat: Stat, value: &Value, reason: &str) {
    let number = value.as_f64().filter(|number| number.is_finite());
    metric.values.0.insert(stat, number);
    if number.is_none() {
        metric.reasons.insert(stat, reason.to_owned());
    }
}

/// Puts metrics under their names and submetrics (`name{tag:value}`) under the metric they are a part of. Where that is
/// missing, the part stands under its full name.
pub(super) fn nest(flat: Vec<(String, Metric)>) -> BTreeMap<String, Metric> {
    let (parts, whole): (Vec<_>, Vec<_>) = flat.into_iter().partition(|(name, _)| part_name(name).is_some());
    let mut metrics: BTreeMap<String, Metric> = whole.into_iter().collect();
    for (name, metric) in parts {
        match part_name(&name).and_then(|(parent, tags)| Some((metrics.get_mut(parent)?, tags.to_owned()))) {
            Some((parent, tags)) => {
                parent.submetrics.insert(tags, metric);
            }
            None => {
                metrics.insert(name, metric);
            }
        }
    }
    metrics
}

fn part_name(name: &str) -> Option<(&str, &str)> {
    let (parent, tags) = name.split_once('{')?;
    Some((parent, tags.strip_suffix('}')?.trim()))
}

/// A threshold's metric as all shapes and the text name it.
pub(super) fn threshold(metric: &str, source: &str, passed: Option<bool>) -> Threshold {
    let metric = part_name(metric).map_or_else(|| metric.to_owned(), |(parent, tags)| format!("{parent}{{{tags}}}"));
    Threshold { metric, expression: source.trim().to_owned(), passed }
}

/// The members of a group's `checks` or `groups`: an array, or an object by name.
fn members(value: Option<&Value>) -> Vec<&Map<String, Value>> {
    match value {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_object).collect(),
        Some(Value::Object(map)) => map.values().filter_map(Value::as_object).collect(),
        _ => Vec::new(),
    }
}

/// All checks of a group and of the groups inside it, with their path.
pub(super) fn checks(group: Option<&Value>, found: &mut Vec<Check>) {
    if let Some(group) = group.and_then(Value::as_object) {
        group_checks(group, "", found);
    }
}

/// The depth is bounded by the parser's own limit on nesting.
fn group_checks(group: &Map<String, Value>, path: &str, found: &mut Vec<Check>) {
    for check in members(group.get("checks")) {
        found.push(Check {
            name: text(check.get("name")).unwrap_or_default(),
            group: path.to_owned(),
            passes: count(check.get("passes")),
            fails: count(check.get("fails")),
        });
    }
    for inner in members(group.get("groups")) {
        let name = text(inner.get("name")).unwrap_or_default();
        group_checks(inner, &format!("{path}::{name}"), found);
    }
}

/// Bytes of the longest path of a group.
pub(super) fn longest_path(group: &Value) -> usize {
    group.as_object().map_or(0, longest)
}

/// The depth is bounded by the parser's own limit on nesting.
fn longest(group: &Map<String, Value>) -> usize {
    let name = |inner: &Map<String, Value>| inner.get("name").and_then(Value::as_str).map_or(0, str::len);
    members(group.get("groups")).into_iter().map(|inner| "::".len() + name(inner) + longest(inner)).max().unwrap_or(0)
}

/// The last touches that all shapes need.
pub(super) fn finish(mut summary: Summary) -> Summary {
    summary.vus_max = super::super::most_users(&summary.metrics);
    summary.thresholds.sort_by(|a, b| a.metric.cmp(&b.metric));
    super::super::note_zeros(&mut summary);
    summary
}

/// A rate without samples has no value, whatever number a source puts there.
pub(super) fn without_samples(metric: &mut Metric) {
    let none = |stat| metric.value(stat).is_some_and(|count| count.abs() < 0.5);
    if none(Stat::Passes) && none(Stat::Fails) {
        metric.values.0.insert(Stat::Rate, None);
        metric.reasons.insert(Stat::Rate, "no samples".to_owned());
    }
}
