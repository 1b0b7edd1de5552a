//! The summary as Markdown for a pull request (GitHub's tables).

use super::{cell, check_name, columns, groups, headline, mark, outcome, said, scenarios, threshold};
use crate::model::stat::Stat;
use crate::model::summary::{MetricKind, Summary};
use crate::render::markup;

/// The summary as GitHub-flavoured Markdown. Text from the source is escaped: it stays text, in its cell.
#[must_use]
pub fn markdown(summary: &Summary) -> String {
    let mut out = String::new();
    for line in headline(summary).into_iter().chain(scenarios(summary)) {
        out.extend([markup::markdown(&line).as_str(), "\n\n"]);
    }
    for group in groups(summary) {
        out.extend(["**", group.title, "**\n\n"]);
        let stats = columns(&group.rows);
        let (trends, others): (Vec<_>, Vec<_>) = group.rows.iter().partition(|(_, metric)| metric.kind == MetricKind::Trend);
        let head = std::iter::once(String::from("metric")).chain(stats.iter().map(Stat::to_string));
        let row =
            |name: &str, cells: &mut dyn Iterator<Item = String>| std::iter::once(name.trim().to_owned()).chain(cells).collect();
        let rows = trends.iter().map(|(name, metric)| row(name, &mut stats.iter().map(|stat| cell(metric, *stat))));
        out += &rendered(&head.collect::<Vec<_>>(), &rows.collect::<Vec<_>>());
        let rows = others.iter().map(|(name, metric)| row(name, &mut said(metric).into_iter()));
        out += &rendered(&["metric", "value", ""].map(str::to_owned), &rows.collect::<Vec<_>>());
    }
    let checks = summary.checks.iter().map(|check| {
        let held = check.fails.is_some_and(|fails| fails == 0);
        vec![mark(Some(held)).to_owned(), check_name(check), outcome(check)]
    });
    out += &rendered(&["", "check", "outcome"].map(str::to_owned), &checks.collect::<Vec<_>>());
    let thresholds = summary.thresholds.iter().map(|judged| vec![mark(judged.passed).to_owned(), threshold(judged)]);
    out += &rendered(&["", "threshold"].map(str::to_owned), &thresholds.collect::<Vec<_>>());
    out.extend(summary.notes.iter().map(|note| format!("- {}\n", markup::markdown(note))));
    out.trim_end().to_owned() + "\n"
}

/// A table with a blank line behind it; nothing without rows.
fn rendered(head: &[String], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line =
        |cells: &[String]| format!("| {} |\n", cells.iter().map(|cell| markup::markdown(cell)).collect::<Vec<_>>().join(" | "));
    let named =
        |cell: &String| if matches!(cell.as_str(), "" | "metric" | "check" | "threshold" | "outcome") { "---" } else { "---:" };
    let rule = format!("| {} |\n", head.iter().map(named).collect::<Vec<_>>().join(" | "));
    rows.iter().fold(line(head) + &rule, |table, row| table + &line(row)) + "\n"
}
