//! The text of k6 v1 and later, compact and full: THRESHOLDS, TOTAL RESULTS, and in full mode a section per group and
//! scenario. Only TOTAL RESULTS counts; the sections repeat every metric for a part of the run.

use std::collections::BTreeMap;

use super::block::{Block, TooLong, take_metric, times_on};
use super::check_list::{CheckList, Entry, entry, with_groups};
use super::heading::{Part, heading, is_section};
use super::metric_line::{MetricLine, unit_of};
use super::printed::{Cell, Times};
use super::screen::Line;
use super::status;
use super::threshold_list::{self, Judged};
use crate::limits::{NAME_BYTES, SUMMARY_LINES};
use crate::model::stat::Stat;
use crate::model::summary::{Check, Metric, MetricKind};

/// All summaries of this layout in a log.
pub(super) fn find(lines: &[Line]) -> Vec<Block> {
    let heads = |wanted: Part<'_>, range: std::ops::Range<usize>| -> Vec<usize> {
        range.filter(|at| lines.get(*at).and_then(heading).is_some_and(|heading| heading.of == wanted)).collect()
    };
    let mut blocks: Vec<Block> = Vec::new();
    let mut from = 0;
    for total in heads(Part::Total, 0..lines.len()) {
        if total < from {
            continue;
        }
        let thresholds = heads(Part::Thresholds, from..total).last().copied();
        let block = read(lines, thresholds, total);
        from = block.lines.end;
        // Of more than one only the places are told.
        blocks.push(if blocks.is_empty() { block } else { Block { lines: block.lines, head: block.head, ..Block::default() } });
    }
    blocks.extend(heads(Part::Thresholds, from..lines.len()).first().map(|at| unfinished(lines, *at)));
    blocks
}

/// A summary that ends before its totals begin.
fn unfinished(lines: &[Line], head: usize) -> Block {
    Block { lines: head..lines.len(), head, missing: Some("it has no `█ TOTAL RESULTS`".to_owned()), ..Block::default() }
}

fn read(lines: &[Line], thresholds: Option<usize>, total: usize) -> Block {
    if total - thresholds.unwrap_or(total) > SUMMARY_LINES {
        return Block { lines: total..lines.len(), head: total, too_long: Some(TooLong::Lines), ..Block::default() };
    }
    if thresholds.is_some_and(|at| threshold_list::has_long_name(lines, at + 1..total)) {
        return Block { lines: total..lines.len(), head: total, too_long: Some(TooLong::Name), ..Block::default() };
    }
    // How times were shortened shows on the section's own lines, and where it ends shows only when it is read.
    let own = total + 1..Section::new(lines, total, Times::Cut).read(total + 1);
    let mut section = Section::new(lines, total, times_on(lines.get(own).unwrap_or_default()));
    let end = section.read(total + 1);
    let (judged, mut unread) = thresholds.map(|at| threshold_list::read(lines, at + 1..total)).unwrap_or_default();
    let Sections { checks: grouped, end, is_too_long } = sections(lines, end);
    let has_too_many = section.too_long || grouped.len() > SUMMARY_LINES;
    let too_long = has_too_many.then_some(TooLong::Lines).or(is_too_long.then_some(TooLong::Group));
    for judged in &judged {
        let _added = add_judged_value(&mut section.metrics, judged, section.times);
    }
    unread.append(&mut section.unread);
    let missing = section.missing().map(str::to_owned);
    Block {
        lines: thresholds.unwrap_or(total)..end,
        head: total,
        checks: with_groups(section.checks.checks, &grouped),
        metrics: section.metrics,
        thresholds: judged.into_iter().map(|judged| judged.threshold).collect(),
        unread,
        missing,
        too_long,
        blanks: 2,
        times: Some(section.times),
    }
}

/// A threshold's line may print what is nowhere else: a percentile that is no column of its trend, a metric that the
/// layout hides (`checks{check:a}`). A zero may stand for no sample there, so it is not taken for a value.
fn add_judged_value(metrics: &mut BTreeMap<String, Metric>, judged: &Judged, times: Times) -> Option<()> {
    let (stat, text) = judged.value.as_ref()?;
    let (name, tags) = split_name(&judged.threshold.metric)?;
    let stat: Stat = stat.parse().ok()?;
    let Cell::Number(number) = Cell::read(text.strip_suffix("/s").unwrap_or(text), times)? else { return None };
    let kind = match stat {
        Stat::Rate if text.ends_with('%') => MetricKind::Rate,
        Stat::Rate | Stat::Count => MetricKind::Counter,
        Stat::Value => MetricKind::Gauge,
        _ => MetricKind::Trend,
    };
    let empty = || Metric::new(kind, unit_of(Cell::Number(number)));
    let shown = metrics.get(name).is_some_and(|whole| tags.is_empty() || whole.submetrics.contains_key(tags));
    if !shown && number.value.abs() < f64::MIN_POSITIVE {
        return None;
    }
    let whole = if tags.is_empty() { metrics.entry(name.to_owned()).or_insert_with(empty) } else { metrics.get_mut(name)? };
    let metric = if tags.is_empty() { whole } else { whole.submetrics.entry(tags.to_owned()).or_insert_with(empty) };
    if let std::collections::btree_map::Entry::Vacant(place) = metric.values.0.entry(stat) {
        place.insert(Some(number.value));
        metric.bounds.extend(number.bounds.map(|bounds| (stat, bounds)));
    }
    Some(())
}

/// `name` and `tag:value` of `name{tag:value}`.
fn split_name(full: &str) -> Option<(&str, &str)> {
    match full.split_once('{') {
        Some((name, tags)) => Some((name, tags.strip_suffix('}')?.trim())),
        None => Some((full, "")),
    }
}

/// A part of the text with totals of checks, checks and metrics.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about the lines so far")]
struct Section<'a> {
    lines: &'a [Line],
    /// The column of its lines.
    column: usize,
    times: Times,
    checks: CheckList,
    /// True while the lines are checks.
    listing: bool,
    metrics: BTreeMap<String, Metric>,
    parent: Option<String>,
    unread: Vec<usize>,
    /// True behind a title, until a metric follows.
    bare: bool,
    /// True if `checks_total` has the dots of v1.0 and v1.1.
    old_dots: bool,
    /// True if it has more lines than are read.
    too_long: bool,
}

impl<'a> Section<'a> {
    fn new(lines: &'a [Line], head: usize, times: Times) -> Self {
        let indent = lines.get(head).map_or(0, Line::indent);
        Self {
            lines,
            column: if indent == 0 { 0 } else { indent + 2 },
            times,
            checks: CheckList::default(),
            listing: false,
            metrics: BTreeMap::new(),
            parent: None,
            unread: Vec::new(),
            bare: false,
            old_dots: false,
            too_long: false,
        }
    }

    /// Reads lines to the section's end, and returns that: the next heading, k6's progress, or text of others.
    fn read(&mut self, from: usize) -> usize {
        let mut end = from;
        for (at, line) in self.lines.iter().enumerate().skip(from) {
            if (!self.listing || self.column == 0) && ends(line) {
                return end;
            }
            if at - from > SUMMARY_LINES && end > from + SUMMARY_LINES / 2 {
                self.too_long = true;
                return end;
            }
            if line.is_blank() && !self.is_nameless_check(line) {
                self.listing = false;
            } else if self.take(at, line) {
                end = at + 1;
            } else if self.metrics.contains_key("data_sent") && (self.column == 0 || line.indent() < self.column) {
                return end;
            } else {
                self.unread.push(at);
                end = at + 1;
            }
        }
        end
    }

    fn is_nameless_check(&self, line: &Line) -> bool {
        matches!(entry(line, self.column), Entry::Check(..))
    }

    fn take(&mut self, at: usize, line: &Line) -> bool {
        let metric = MetricLine::split(line);
        if is_section(line.text.trim()) && (self.column == 0 || line.indent() == self.column) {
            (self.listing, self.bare) = (false, true);
            return true;
        }
        match entry(line, self.column) {
            Entry::Check(held, name) if self.parent.is_none() => {
                self.listing = true;
                self.checks.open(held, name, "");
                true
            }
            Entry::Counts(passes, fails) if self.checks.count(passes, fails) => true,
            _ if self.listing && self.column > 0 => self.lines.get(at - 1).is_some_and(|before| self.checks.go_on(before, line)),
            _ => metric.is_some_and(|metric| self.take_metric(&metric)),
        }
    }

    /// What shows that the section was cut off: every run has sent data, and no title stands alone.
    fn missing(&self) -> Option<&'static str> {
        if self.metrics.contains_key("data_sent") {
            self.bare.then_some("its last title has nothing below it")
        } else {
            Some("it has no `data_sent`")
        }
    }

    fn take_metric(&mut self, line: &MetricLine<'_>) -> bool {
        self.bare = false;
        match line.whole() {
            Some("checks_total") => {
                self.old_dots = line.dots > 7;
                line.read(self.times).is_some()
            }
            Some("checks_failed") => line.read(self.times).is_some(),
            Some("checks_succeeded") => {
                line.read(self.times).is_some_and(|metric| self.metrics.insert("checks".to_owned(), metric).is_none())
            }
            _ => take_metric(&mut self.metrics, &mut self.parent, line, self.times),
        }
    }
}

/// True exactly if a line is no part of a section any more.
fn ends(line: &Line) -> bool {
    heading(line).is_some() || status::is_progress(line.text.trim()) || status::begins_another_run(line.text.trim())
}

/// The sections of groups.
struct Sections {
    /// Their checks, each with its path; empty where the layout does not tell it.
    checks: Vec<Check>,
    /// Where they end.
    end: usize,
    /// Whether a path is longer than is read.
    is_too_long: bool,
}

fn sections(lines: &[Line], from: usize) -> Sections {
    let mut found = Vec::new();
    let mut is_too_long = false;
    let mut path: Vec<(usize, Option<String>)> = Vec::new();
    let mut end = from;
    while let Some(at) = (end..lines.len()).find(|at| lines.get(*at).is_some_and(|line| !line.is_blank())) {
        let Some(heading) = lines.get(at).and_then(heading) else { break };
        let name = match heading.of {
            Part::Group(name) | Part::Nested(name) => Some(name),
            Part::Scenario => None,
            Part::Thresholds | Part::Total => break,
        };
        let (name, body) = whole_name(lines, at, name);
        path.retain(|(indent, _)| *indent < heading.indent);
        path.push((heading.indent, name.clone()));
        let mut section = Section::new(lines, at, Times::Cut);
        end = section.read(body);
        if section.too_long || found.len() > SUMMARY_LINES {
            found.extend(section.checks.checks);
            break;
        }
        if name.is_some() {
            let unclear = section.old_dots && path.len() > 1;
            let group = if unclear { String::new() } else { joined(&path) };
            is_too_long |= group.len() > NAME_BYTES;
            if is_too_long {
                break;
            }
            found.extend(section.checks.checks.into_iter().map(|check| Check { group: group.clone(), ..check }));
        }
    }
    Sections { checks: found, end, is_too_long }
}

/// A group's name may go on over lines, to the blank one; and the line behind it.
fn whole_name(lines: &[Line], at: usize, first: Option<&str>) -> (Option<String>, usize) {
    let rest = lines.get(at + 1..).unwrap_or_default().iter().take_while(|line| !line.is_blank());
    let mut name = first.map(str::to_owned);
    let mut before = lines.get(at);
    let mut end = at + 1;
    for line in rest {
        if let (Some(name), Some(before)) = (&mut name, before) {
            if name.is_empty() || MetricLine::split(line).is_some() {
                break;
            }
            name.push_str(before.end.text());
            name.push_str(&line.text);
        }
        before = Some(line);
        end += 1;
    }
    if end > at + 1 {
        name = name.map(|name| name.strip_suffix(' ').unwrap_or(&name).to_owned());
    }
    (name, end)
}

fn joined(path: &[(usize, Option<String>)]) -> String {
    path.iter().filter_map(|(_, name)| name.as_ref()).fold(String::new(), |all, name| all + "::" + name)
}
