//! What a reader of one text layout found.

use std::collections::BTreeMap;
use std::ops::Range;

use super::metric_line::{MetricLine, Name};
use super::printed::{self, Times};
use super::screen::Line;
use crate::limits::{NAME_BYTES, SUMMARY_LINES};
use crate::model::summary::{Check, Metric, Threshold};

/// What a summary may have too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooLong {
    /// Lines, more than [`SUMMARY_LINES`].
    Lines,
    /// Bytes in the name of a metric that has thresholds, more than [`NAME_BYTES`]: every one of them has it.
    Name,
    /// Bytes in the path of a group, more than [`NAME_BYTES`]: every check of the group has it.
    Group,
}

impl TooLong {
    pub(super) fn words(self) -> String {
        match self {
            Self::Lines => format!("the k6 summary has more than {SUMMARY_LINES} lines"),
            Self::Name => format!("the name of a metric in the k6 summary has more than {NAME_BYTES} bytes"),
            Self::Group => format!("the path of a group in the k6 summary has more than {NAME_BYTES} bytes"),
        }
    }
}

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
    /// What it has more of than is read.
    pub(super) too_long: Option<TooLong>,
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
    let Some(metric) = line.read(times).filter(|_| line.name.text().len() <= NAME_BYTES) else { return false };
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
