//! A k6 summary for people: a table for a terminal, Markdown for a pull request.
//!
//! Both show the same lines, made here: numbers in the units of [`units`], a share never without its counts.

mod grid;
mod markdown;
mod table;

pub use markdown::markdown;
pub use table::table;

use std::collections::BTreeSet;

use crate::model::stat::Stat;
use crate::model::summary::{Check, Metric, MetricKind, MetricUnit, ScenarioState, Summary, SummaryKind, Threshold};
use crate::model::units::{self, Unit};

/// Metrics of one part of k6, as its own summary groups them.
struct Group<'a> {
    title: &'static str,
    /// Name and metric; parts by tag directly behind their metric, with their tags in braces.
    rows: Vec<(String, &'a Metric)>,
}

/// The titles in the order of reading, and how the names of their metrics begin.
const GROUPS: [(&str, &[&str]); 7] = [
    ("HTTP", &["http_req"]),
    ("Execution", &["iteration", "dropped_iterations", "vus", "group_duration"]),
    ("Network", &["data_"]),
    ("WebSocket", &["ws_"]),
    ("gRPC", &["grpc_"]),
    ("Browser", &["browser_"]),
    ("Custom", &[""]),
];

/// All metrics but the total of checks, by group; groups without one are left out.
fn groups(summary: &Summary) -> Vec<Group<'_>> {
    let title = |name: &str| {
        GROUPS.iter().find(|(_, starts)| starts.iter().any(|start| name.starts_with(start))).map(|(title, _)| *title)
    };
    let group = |wanted: &'static str| {
        let mut rows = Vec::new();
        for (name, metric) in summary.metrics.iter().filter(|(name, _)| *name != "checks" && title(name) == Some(wanted)) {
            rows.push((name.clone(), metric));
            rows.extend(metric.submetrics.iter().map(|(tags, part)| (format!("  {{ {tags} }}"), part)));
        }
        Group { title: wanted, rows }
    };
    GROUPS.iter().map(|(title, _)| group(title)).filter(|group| !group.rows.is_empty()).collect()
}

/// The statistics that some trends have, in the order of columns.
fn columns(rows: &[(String, &Metric)]) -> Vec<Stat> {
    let trends = rows.iter().filter(|(_, metric)| metric.kind == MetricKind::Trend);
    trends.flat_map(|(_, metric)| metric.values.0.keys().copied()).collect::<BTreeSet<Stat>>().into_iter().collect()
}

/// A value as a cell; `-` where there is none.
fn cell(metric: &Metric, stat: Stat) -> String {
    let Some(value) = metric.value(stat) else { return "-".to_owned() };
    if metric.unit == Some(MetricUnit::Bytes) {
        return units::show_traffic(value);
    }
    let unit = match (metric.unit, stat) {
        (_, Stat::Count) if metric.kind == MetricKind::Trend => Unit::Count,
        (Some(MetricUnit::Ms), _) => Unit::Ms,
        (Some(MetricUnit::Ratio), Stat::Rate) => Unit::Ratio,
        _ => Unit::Count,
    };
    units::show(value, unit)
}

/// What a metric that is no trend says, in one or two cells.
fn said(metric: &Metric) -> [String; 2] {
    match metric.kind {
        MetricKind::Rate => {
            let counts = [Stat::Passes, Stat::Fails].map(|stat| metric.value(stat));
            let of = match counts {
                [Some(passes), Some(fails)] => {
                    format!("{} of {}", units::show_number(passes), units::show_number(passes + fails))
                }
                _ => String::new(),
            };
            [cell(metric, Stat::Rate), of]
        }
        MetricKind::Counter => {
            let rate = metric.value(Stat::Rate).map(|_| format!("{}/s", cell(metric, Stat::Rate)));
            [cell(metric, Stat::Count), rate.unwrap_or_default()]
        }
        MetricKind::Gauge | MetricKind::Trend => {
            let range = format!("{} to {}", cell(metric, Stat::Min), cell(metric, Stat::Max));
            [cell(metric, Stat::Value), range]
        }
    }
}

/// How often a check held, counts first.
fn outcome(check: &Check) -> String {
    match (check.passes, check.fails) {
        (Some(passes), Some(0)) => format!("{} passed", units::show_count(passes)),
        (Some(passes), Some(fails)) => {
            format!("{} of {} failed", units::show_count(fails), units::show_count(passes.saturating_add(fails)))
        }
        (None, Some(0)) => "never failed".to_owned(),
        (_, Some(fails)) => format!("{} failed", units::show_count(fails)),
        (_, None) => "failed, not told how often".to_owned(),
    }
}

/// A check with its groups, `login › token › status ok`.
fn check_name(check: &Check) -> String {
    let path = check.group.split("::").filter(|name| !name.is_empty());
    path.chain(std::iter::once(check.name.as_str())).collect::<Vec<_>>().join(" › ")
}

/// `✓`, `✗`, or `?` where nobody tells.
fn mark(held: Option<bool>) -> &'static str {
    match held {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "?",
    }
}

fn threshold(threshold: &Threshold) -> String {
    let expression = if threshold.expression.is_empty() { "(its thresholds)" } else { threshold.expression.as_str() };
    format!("{} {expression}", threshold.metric)
}

/// The sentence about the whole run: source, clock, users, iterations.
fn headline(summary: &Summary) -> Vec<String> {
    let kind = match summary.source.kind {
        SummaryKind::Text => "text summary",
        SummaryKind::Export => "summary export",
        SummaryKind::HandleSummary => "handleSummary data",
        SummaryKind::MachineReadable => "machine-readable summary",
        SummaryKind::Csv => "CSV samples",
        SummaryKind::Ndjson => "JSON samples",
    };
    let version = summary.source.k6_version.as_deref().map(|version| format!(" {}", version.trim_start_matches('v')));
    let mut facts = vec![format!("k6{} {kind}", version.unwrap_or_default())];
    facts.extend(summary.duration_s.map(|seconds| units::show(seconds * 1000.0, Unit::Ms)));
    facts.extend(summary.vus_max.map(|users| format!("up to {} VUs", units::show_count(users))));
    if let (Some(complete), Some(interrupted)) = (summary.iterations.complete, summary.iterations.interrupted) {
        facts.push(format!("{} iterations, {} interrupted", units::show_count(complete), units::show_count(interrupted)));
    }
    let mut lines = vec![facts.join(" · ")];
    if summary.aborted {
        lines.push(format!("ABORTED: {}", summary.aborted_by.as_deref().unwrap_or("ended before its time")));
    }
    lines
}

/// A line per scenario, if there is more than one, or one that did not end well.
fn scenarios(summary: &Summary) -> Vec<String> {
    let plain = summary.scenarios.len() < 2 && summary.scenarios.iter().all(|scenario| scenario.state == ScenarioState::Done);
    let line = |scenario: &crate::model::summary::Scenario| {
        let state = match scenario.state {
            ScenarioState::Done => "done",
            ScenarioState::Interrupted => "interrupted",
            ScenarioState::Unfinished => "unfinished",
        };
        let users = scenario.vus.map(|users| format!("{} VUs", units::show_count(users)));
        let given = scenario.duration_s.map(|seconds| units::show(seconds as f64 * 1000.0, Unit::Ms));
        let facts: Vec<String> = std::iter::once(state.to_owned()).chain(users).chain(given).collect();
        format!("{}: {}", scenario.name, facts.join(", "))
    };
    if plain { Vec::new() } else { summary.scenarios.iter().map(line).collect() }
}
