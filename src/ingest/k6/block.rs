//! What a reader of one text layout found.

use std::collections::BTreeMap;
use std::ops::Range;

use super::metric_line::{MetricLine, Name};
use super::printed::{self, Times};
use super::screen::Line;
use crate::model::summary::{Check, Metric, Threshold};

/// A summary found in a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Block {
    /// Its lines, from its first to one behind its last.
    pub(super) lines: Range<usize>,
    /// The line that names it to a person: its heading or its first metric.
    pub(super) head: usize,
    /// Metrics by name.
    pub(super) metrics: BTreeMap<String, Metric>,
    /// Checks in order.
    pub(super) checks: Vec<Check>,
    /// Thresholds in order.
    pub(super) thresholds: Vec<Threshold>,
    /// Lines of unknown shape.
    pub(super) unread: Vec<usize>,
    /// What shows that it is not whole: "it has no `data_sent`".
    pub(super) missing: Option<String>,
    /// Whether it has more lines than are read.
    pub(super) too_long: bool,
    /// How many blank lines k6 leaves behind it.
    pub(super) blanks: usize,
    /// How its times were shortened.
    pub(super) times: Option<Times>,
}

/// How the times on some lines were shortened.
pub(super) fn times_on(lines: &[Line]) -> Times {
    let numbers: Vec<String> = lines.iter().filter_map(MetricLine::split).flat_map(|line| line.numbers()).collect();
    printed::times(numbers.iter().map(String::as_str))
}

/// Puts a metric line where it belongs; false if its values are of unknown shape, or it is a part of nothing.
///
/// `parent` is the last whole metric.
pub(super) fn take_metric(
    metrics: &mut BTreeMap<String, Metric>,
    parent: &mut Option<String>,
    line: &MetricLine<'_>,
    times: Times,
) -> bool {
    let Some(metric) = line.read(times) else { return false };
    match line.name {
        Name::Whole(name) => {
            *parent = Some(name.to_owned());
            metrics.entry(name.to_owned()).or_insert(metric);
            true
        }
        Name::Part(tags) => match parent.as_ref().and_then(|name| metrics.get_mut(name)) {
            Some(whole) => {
                whole.submetrics.entry(tags.to_owned()).or_insert(metric);
                true
            }
            None => false,
        },
    }
}
