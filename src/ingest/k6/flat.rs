//! The text of k6 v0, of `--summary-mode=legacy` and of jslib's `textSummary`: checks by group, then one flat list of
//! all metrics, whose marks tell their thresholds.

use super::block::{Block, take_metric, times_on};
use super::check_list::{CheckList, Entry, entry};
use super::metric_line::{MetricLine, Name};
use super::screen::Line;
use super::status;
use crate::model::summary::{Check, Threshold};

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

/// All summaries of this layout among some lines, without those that `taken` says belong to another.
pub(super) fn find(lines: &[Line], taken: &[std::ops::Range<usize>]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(range) = taken.iter().find(|range| range.contains(&at)) {
            at = range.end;
            continue;
        }
        let run = lines[at..].iter().take_while(|line| MetricLine::split(line).is_some()).count();
        let floor = blocks.last().map_or(0, |block| block.lines.end);
        blocks.extend(column(&lines[at..at + run]).map(|column| read(lines, at..at + run, column, floor)));
        at += run.max(1);
    }
    blocks
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
    let times = times_on(&lines[run.clone()]);
    let mut block = Block { head: run.start, blanks: 1, times: Some(times), ..Block::default() };
    let mut parent = None;
    for (at, line) in lines.iter().enumerate().take(run.end).skip(run.start) {
        let Some(metric) = MetricLine::split(line) else { continue };
        if take_metric(&mut block.metrics, &mut parent, &metric, times) {
            block.thresholds.extend(threshold(&metric, parent.as_deref().unwrap_or_default()));
        } else {
            block.unread.push(at);
        }
    }
    let start = checks_start(lines, floor, run.start);
    block.checks = checks(lines, start..run.start, column);
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

/// Reads lists of checks. In a group they are two blanks deeper than its name; without indentation no group is told.
fn checks(lines: &[Line], range: std::ops::Range<usize>, column: usize) -> Vec<Check> {
    let mut list = CheckList::default();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut within = Within::Nothing;
    for at in range {
        let line = &lines[at];
        let here = path.last().map_or(column, |(indent, _)| if column == 0 { 0 } else { indent + 2 });
        let entry = entry(line, here);
        if line.is_blank() && !matches!(entry, Entry::Check(..)) {
            within = Within::Nothing;
        } else if within == Within::Group {
            if let (Some((_, name)), Some(before)) = (path.last_mut(), lines.get(at.wrapping_sub(1))) {
                name.push_str(before.end.text());
                name.push_str(&line.text);
            }
        } else if within == Within::Nothing && line.text.trim_start().starts_with("█ ") {
            within = Within::Group;
            path.retain(|(indent, _)| *indent < line.indent());
            path.push((line.indent(), line.text.trim_start().trim_start_matches("█ ").to_owned()));
        } else {
            match entry {
                Entry::Check(held, name) => {
                    within = Within::Checks;
                    list.open(held, name, &joined(&path, column));
                }
                Entry::Counts(passes, fails) if list.count(passes, fails) => {}
                _ if within == Within::Checks => {
                    let _ = lines.get(at.wrapping_sub(1)).is_some_and(|before| list.go_on(before, line));
                }
                _ => {}
            }
        }
    }
    list.checks
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
