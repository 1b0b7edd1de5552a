//! The text of k6 v0, of `--summary-mode=legacy` and of jslib's `textSummary`: checks by group, then one flat list of
//! all metrics, whose marks tell their thresholds.

use super::block::{Block, TooLong, take_metric, times_on};
use super::check_list::{CheckList, Entry, entry};
use super::metric_line::{MetricLine, Name};
use super::screen::Line;
use super::status;
use crate::limits::{NAME_BYTES, SUMMARY_LINES};
use crate::model::summary::Threshold;

/// Metrics that k6 itself makes; two of them in a row are a summary's, one may be a line that a script printed.
const BUILT_IN: [&str; 12] = [
    "checks",
    "data_received",
    "data_sent",
    "http_req_blocked",
    "http_req_duration",
    "http_req_failed",
    "http_req_waiting",
    "http_reqs",
    "iteration_duration",
    "iterations",
    "vus",
    "vus_max",
];

/// Pairs of which k6 never prints the first alone, but where a threshold names it; the second comes later in the list.
const PAIRS: [(&str, &str); 4] = [
    ("data_received", "data_sent"),
    ("http_req_duration", "http_reqs"),
    ("iteration_duration", "iterations"),
    ("vus", "vus_max"),
];

/// All summaries of this layout among some lines, without those that `taken` says belong to another: ranges in order, none in another.
pub(super) fn find(lines: &[Line], taken: &[std::ops::Range<usize>]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let next = taken.partition_point(|range| range.end <= at);
        if let Some(range) = taken.get(next).filter(|range| range.contains(&at)) {
            at = range.end;
            continue;
        }
        let run = run_length(&lines[at..]);
        let floor = blocks.last().map_or(0, |block| block.lines.end);
        blocks.extend(column(&lines[at..at + run]).map(|column| read(lines, at..at + run, column, floor)));
        at += run.max(1);
    }
    blocks
}

/// How many lines from the first on are metrics'; a single line of others between two of them does not end the list.
fn run_length(lines: &[Line]) -> usize {
    let mut length = 0;
    for (at, line) in lines.iter().enumerate() {
        if MetricLine::split(line).is_some() {
            length = at + 1;
        } else if length == 0 || at > length || line.is_blank() || status::is_progress(line.text.trim()) {
            break;
        }
    }
    length
}

/// The column of the metrics' names, if the lines are a summary's.
fn column(lines: &[Line]) -> Option<usize> {
    let names = lines.iter().filter_map(MetricLine::split).filter_map(|line| Some((line.whole()?, line)));
    let mut built_in = names.filter(|(name, _)| BUILT_IN.contains(name)).filter(|(_, line)| line.read(times_on(&[])).is_some());
    let (first, line) = built_in.next()?;
    built_in.find(|(name, other)| *name != first && (other.column == line.column || other.mark.is_some()))?;
    Some(if line.mark.is_some() && line.column == 2 { 0 } else { line.column })
}

fn read(lines: &[Line], mut run: std::ops::Range<usize>, column: usize, floor: usize) -> Block {
    while run.start < run.end && !is_metric(&lines[run.start], column) {
        run.start += 1;
    }
    let start = checks_start(lines, floor, run.start);
    if run.end - start > SUMMARY_LINES {
        return Block { lines: start..run.end, head: run.start, too_long: Some(TooLong::Lines), ..Block::default() };
    }
    let times = times_on(&lines[run.clone()]);
    let mut block = Block { head: run.start, blanks: 1, times: Some(times), ..Block::default() };
    let mut parent = None;
    for (at, line) in lines.iter().enumerate().take(run.end).skip(run.start) {
        match MetricLine::split(line).filter(|metric| take_metric(&mut block.metrics, &mut parent, metric, times)) {
            Some(metric) => block.thresholds.extend(threshold(&metric, parent.as_deref().unwrap_or_default())),
            None => block.unread.push(at),
        }
    }
    let mut lists = Lists::new(lines, column);
    block.unread.extend((start..run.start).filter(|at| !lists.take(*at)));
    block.checks = lists.list.checks;
    block.too_long = lists.is_too_long.then_some(TooLong::Group);
    block.lines = start..run.end;
    let has = |name: &str| block.metrics.contains_key(name);
    let judged = |name: &str| block.thresholds.iter().any(|threshold| threshold.metric.starts_with(name));
    let broken = PAIRS.into_iter().find(|(first, second)| has(first) && !has(second) && !judged(first));
    block.missing = broken.map(|(_, second)| format!("it has no `{second}`"));
    block
}

/// True exactly if a metric-like line is a metric's and not the last check's: a check's mark stands where names do.
fn is_metric(line: &Line, column: usize) -> bool {
    MetricLine::split(line).is_some_and(|line| match line.name {
        Name::Whole(_) => line.column == column || column == 0,
        Name::Part(_) => true,
    })
}

/// A mark says that all thresholds of the metric held, or that one did not; which one is not told.
fn threshold(line: &MetricLine<'_>, parent: &str) -> Option<Threshold> {
    let metric = match line.name {
        Name::Whole(name) => name.to_owned(),
        Name::Part(tags) => format!("{parent}{{{tags}}}"),
    };
    Some(Threshold { metric, expression: String::new(), passed: Some(line.mark?) })
}

/// The first line of the checks above the metrics: paragraph by paragraph upwards, while one begins with a check or the
/// name of a group.
fn checks_start(lines: &[Line], floor: usize, metrics: usize) -> usize {
    let mut start = metrics;
    let mut end = metrics;
    while end > floor {
        let blank = lines[floor..end].iter().rev().take_while(|line| line.is_blank() && !is_check(line)).count();
        end -= blank;
        let length = lines[floor..end].iter().rev().take_while(|line| !line.is_blank() || is_check(line)).count();
        let paragraph = end - length..end;
        let foreign = lines[paragraph.clone()].iter().rposition(|line| status::is_progress(line.text.trim()));
        let below = paragraph.start + foreign.map_or(0, |at| at + 1)..end;
        let Some(first) = below.clone().find(|at| begins_list(&lines[*at])) else { break };
        start = first;
        if first > end - length {
            break;
        }
        end = first;
    }
    start
}

fn is_check(line: &Line) -> bool {
    matches!(entry(line, 0), Entry::Check(..))
}

fn begins_list(line: &Line) -> bool {
    is_check(line) || line.text.trim_start().starts_with("█ ")
}

/// Lists of checks by group. In a group they are two blanks deeper than its name; without indentation no group is told.
struct Lists<'a> {
    lines: &'a [Line],
    column: usize,
    list: CheckList,
    /// The groups that are open, each with its indent.
    path: Vec<(usize, String)>,
    within: Within,
    /// Whether a path is longer than is read.
    is_too_long: bool,
}

impl<'a> Lists<'a> {
    fn new(lines: &'a [Line], column: usize) -> Self {
        Self { lines, column, list: CheckList::default(), path: Vec::new(), within: Within::Nothing, is_too_long: false }
    }

    /// Takes a line; false if it is of unknown shape.
    fn take(&mut self, at: usize) -> bool {
        let Some(line) = self.lines.get(at) else { return false };
        let before = at.checked_sub(1).and_then(|at| self.lines.get(at));
        let column = self.path.last().map_or(self.column, |(indent, _)| if self.column == 0 { 0 } else { indent + 2 });
        let entry = entry(line, column);
        match (self.within, entry) {
            (Within::Group, _) if !line.is_blank() => self.name_goes_on(before, line),
            (_, Entry::Check(held, name)) => {
                self.within = Within::Checks;
                let group = joined(&self.path, self.column);
                self.is_too_long |= group.len() > NAME_BYTES;
                self.list.open(held, name, if self.is_too_long { "" } else { &group });
                true
            }
            _ if line.is_blank() => {
                self.within = Within::Nothing;
                true
            }
            (_, Entry::Counts(passes, fails)) if self.list.count(passes, fails) => true,
            (Within::Checks, _) => before.is_some_and(|before| self.list.go_on(before, line)),
            _ => self.open_group(line),
        }
    }

    fn open_group(&mut self, line: &Line) -> bool {
        let Some(name) = line.text.trim_start().strip_prefix("█ ") else { return false };
        self.within = Within::Group;
        let indent = line.indent();
        self.path.retain(|(outer, _)| *outer < indent);
        self.path.push((indent, name.to_owned()));
        true
    }

    fn name_goes_on(&mut self, before: Option<&Line>, line: &Line) -> bool {
        let (Some((_, name)), Some(before)) = (self.path.last_mut(), before) else { return false };
        name.push_str(before.end.text());
        name.push_str(&line.text);
        true
    }
}

/// What a line of a paragraph goes on with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Group,
    Checks,
}

fn joined(path: &[(usize, String)], column: usize) -> String {
    if column == 0 { String::new() } else { path.iter().fold(String::new(), |all, (_, name)| all + "::" + name) }
}
