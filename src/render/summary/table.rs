//! The summary for a terminal.

use super::{cell, check_name, columns, grid, groups, headline, mark, outcome, said, scenarios, threshold};
use crate::model::stat::Stat;
use crate::model::summary::{Check, Metric, MetricKind, Summary};
use crate::model::units;
use crate::render::markup::on_one_line;

/// The summary as aligned text of about 80 columns, without colour, ending in a line break.
#[must_use]
pub fn table(summary: &Summary) -> String {
    let mut lines = headline(summary);
    lines.extend(scenarios(summary));
    for group in groups(summary) {
        section(&mut lines, group.title, metrics(&group.rows));
    }
    section(&mut lines, &checks_title(summary), checks(&summary.checks));
    let thresholds = summary.thresholds.iter().map(|judged| format!("{} {}", mark(judged.passed), threshold(judged)));
    section(&mut lines, "Thresholds", thresholds.collect());
    section(&mut lines, "Notes", summary.notes.iter().map(|note| format!("- {note}")).collect());
    lines.iter().map(|line| on_one_line(line) + "\n").collect()
}

fn section(lines: &mut Vec<String>, title: &str, body: Vec<String>) {
    if !body.is_empty() || title.contains(':') {
        lines.push(String::new());
        lines.push(title.to_owned());
        lines.extend(body.into_iter().map(|line| format!("  {line}")));
    }
}

/// Trends under their columns, then the others.
fn metrics(rows: &[(String, &Metric)]) -> Vec<String> {
    let stats = columns(rows);
    let (trends, others): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, metric)| metric.kind == MetricKind::Trend);
    let head = std::iter::once(String::new()).chain(stats.iter().map(Stat::to_string)).collect();
    let trend = |(name, metric): &&(String, &Metric)| {
        std::iter::once(on_one_line(name)).chain(stats.iter().map(|stat| cell(metric, *stat))).collect()
    };
    let mut cells: Vec<Vec<String>> = if trends.is_empty() { Vec::new() } else { vec![head] };
    cells.extend(trends.iter().map(trend));
    let mut lines = grid::lines(&cells);
    let other = |(name, metric): &&(String, &Metric)| std::iter::once(on_one_line(name)).chain(said(metric)).collect();
    lines.extend(grid::lines(&others.iter().map(other).collect::<Vec<Vec<String>>>()));
    lines
}

fn checks_title(summary: &Summary) -> String {
    let count = |stat| summary.value("checks", stat).map(units::show_number);
    match (count(Stat::Passes), count(Stat::Fails)) {
        (Some(passes), Some(fails)) => format!("Checks: {passes} passed, {fails} failed"),
        _ => "Checks".to_owned(),
    }
}

fn checks(checks: &[Check]) -> Vec<String> {
    let row = |check: &Check| {
        let mark = mark(check.fails.map_or(Some(false), |fails| Some(fails == 0)));
        vec![format!("{mark} {}", on_one_line(&check_name(check))), outcome(check)]
    };
    grid::lines(&checks.iter().map(row).collect::<Vec<_>>())
}
