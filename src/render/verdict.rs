//! Verdicts as a terminal, a Markdown page and a program read them.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::model::units::show;
use crate::model::verdict::{Answer, Counterfactual, Evidence, Step, Verdict, Verdicts};
use crate::render::markup::{self, on_one_line};
use crate::terminal::wrapped;

/// How many counterfactuals a text shows; the JSON has all.
const NEAREST: usize = 3;

/// The verdicts for a terminal: each run with what was recorded and computed, the path with its evidence, what was missing
/// and the nearest changes; for several runs, a table at the end.
#[must_use]
pub fn text(verdicts: &[Verdict]) -> String {
    let mut out = verdicts.iter().map(run).collect::<Vec<_>>().join("\n");
    if verdicts.len() > 1 {
        out.push('\n');
        out.push_str(&table(verdicts));
    }
    out
}

fn address(verdict: &Verdict) -> String {
    format!("{}/{}", verdict.release, verdict.run)
}

/// `Scale (database) [scale]`.
fn outcome(verdict: &Verdict) -> String {
    format!("{} [{}]", verdict.outcome.label, verdict.outcome.class)
}

fn run(verdict: &Verdict) -> String {
    let mut out = format!("{}\n", address(verdict));
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&fitted(&format!("  {name:<11}{}", words(value))));
            out.push('\n');
        }
    };
    if let Some(recorded) = &verdict.recorded {
        line("recorded", &recorded.label);
    }
    if let Some(set) = &verdict.overridden {
        line("set by hand", &format!(" {}", by_hand(&set.outcome, &set.reason, set.author.as_deref())));
    }
    line("computed", &format!("{}, by the flow {}", outcome(verdict), verdict.flow));
    line("", &verdict.message);
    line("next", &verdict.outcome.action);
    if !verdict.undetermined.is_empty() {
        line("missing", &verdict.undetermined.join(", "));
    }
    for (at, step) in verdict.path.iter().enumerate() {
        line(if at == 0 { "path" } else { "" }, &question(step));
        for evidence in &step.evidence {
            line("", &format!("       {}", proof(evidence)));
        }
        if let Some(assumed) = &step.assumed {
            line("", &format!("       taken as {}: {}", assumed.answer.word(), assumed.because));
        }
    }
    for (at, change) in verdict.counterfactuals.iter().take(NEAREST).enumerate() {
        line(if at == 0 { "otherwise" } else { "" }, &counterfactual(change));
    }
    out
}

/// A line of the report: what is too long for a terminal goes on under where its words begin.
fn fitted(line: &str) -> String {
    let line = on_one_line(line);
    let value = line.get(13..).unwrap_or_default();
    wrapped(&line, 13 + value.len() - value.trim_start().len())
}

fn by_hand(outcome: &str, reason: &str, author: Option<&str>) -> String {
    let by = author.map(|author| format!(" ({author})")).unwrap_or_default();
    if reason.is_empty() { format!("{outcome}{by}") } else { format!("{outcome}: {reason}{by}") }
}

fn question(step: &Step) -> String {
    let mark = match step.answer {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::Undetermined => "?",
    };
    format!("{mark:<4} {}", step.ask)
}

/// `database.cpu.median 96% >= 80%: yes`.
fn proof(evidence: &Evidence) -> String {
    let note = evidence.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    format!("{} {}: {}{note}", evidence.figure, evidence.compared(), evidence.answer.word())
}

/// `database.cpu.median at 80% (now 76%): Scale (database)`.
fn counterfactual(change: &Counterfactual) -> String {
    let now = match change.from {
        None => String::new(),
        Some(from) if from.total_cmp(&change.to).is_eq() => " exactly".to_owned(),
        Some(from) => format!(" (now {})", show(from, change.unit)),
    };
    format!("{} at {}{now}: {}", change.figure, change.reached(), change.label)
}

/// A row of the table: the run, what was recorded, what was computed, its class.
fn cells(verdict: &Verdict) -> [String; 4] {
    let recorded = verdict.recorded.as_ref().map(|recorded| recorded.label.clone()).unwrap_or_default();
    [address(verdict), recorded, verdict.outcome.label.clone(), verdict.outcome.class.to_string()]
}

/// One row a run.
fn table(verdicts: &[Verdict]) -> String {
    let head = ["run", "recorded", "computed", "class"].map(str::to_owned);
    let row = |verdict: &Verdict| cells(verdict).map(|cell| on_one_line(&words(&cell)));
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(verdicts.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The verdicts as Markdown: a table, and a section a run. Names of people's making are escaped.
#[must_use]
pub fn markdown(verdicts: &[Verdict]) -> String {
    let mut out = String::from("| Run | Recorded | Computed | Class |\n| :-- | :-- | :-- | :-- |\n");
    for verdict in verdicts {
        writeln!(out, "| {} |", cells(verdict).map(|cell| escaped(&cell)).join(" | ")).unwrap_or_default();
    }
    for verdict in verdicts {
        out.push_str(&section(verdict));
    }
    out
}

fn section(verdict: &Verdict) -> String {
    let mut paragraphs = vec![format!("## {}", escaped(&address(verdict)))];
    if let Some(recorded) = &verdict.recorded {
        paragraphs.push(format!("Recorded: {}", escaped(&recorded.label)));
    }
    if let Some(set) = &verdict.overridden {
        paragraphs.push(format!("Set by hand: {}", escaped(&by_hand(&set.outcome, &set.reason, set.author.as_deref()))));
    }
    paragraphs.push(format!(
        "Computed by the flow {}: **{}** ({})",
        escaped(&verdict.flow),
        escaped(&verdict.outcome.label),
        verdict.outcome.class
    ));
    paragraphs.extend(
        [&verdict.message, &verdict.outcome.action].into_iter().filter(|text| !text.is_empty()).map(|text| escaped(text)),
    );
    paragraphs.push(verdict.path.iter().enumerate().map(|(at, step)| item(at + 1, step)).collect::<Vec<_>>().join("\n"));
    if !verdict.undetermined.is_empty() {
        paragraphs.push(format!("Missing: {}", escaped(&verdict.undetermined.join(", "))));
    }
    let changes = verdict.counterfactuals.iter().take(NEAREST).map(|change| format!("* {}", escaped(&counterfactual(change))));
    paragraphs.push(changes.collect::<Vec<_>>().join("\n"));
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    format!("\n{}\n", paragraphs.join("\n\n"))
}

fn item(number: usize, step: &Step) -> String {
    let proofs: Vec<String> = step.evidence.iter().map(proof).collect();
    let assumed = step.assumed.as_ref().map(|assumed| format!("; taken as {}: {}", assumed.answer.word(), assumed.because));
    let answer = step.answer.word();
    format!("{number}. {} **{answer}**: {}", escaped(&step.ask), escaped(&(proofs.join("; ") + &assumed.unwrap_or_default())))
}

/// Text that Markdown and MDX show as it is.
fn escaped(text: &str) -> String {
    markup::markdown(&words(text))
}

/// A text whose line breaks are blanks.
fn words(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The verdicts as JSON: `{"schema": 1, "verdicts": [...]}`, indented, with a line break at the end.
#[must_use]
pub fn json(verdicts: &[Verdict]) -> String {
    // Texts and finite numbers always can be written.
    let document = serde_json::to_string_pretty(&Verdicts { schema: 1, verdicts: verdicts.to_vec() }).unwrap_or_default();
    document + "\n"
}
