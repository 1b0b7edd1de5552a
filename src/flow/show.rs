//! A flow in words: what it asks, at which thresholds, where it leads.

use std::fmt::Write;

use super::chart::{Flow, Next, Question, Unknown};
use crate::terminal::wrapped;

/// The flow for a terminal: its title, how its thresholds are to be read, every question with its condition and edges,
/// every outcome, every case.
#[must_use]
pub fn show(flow: &Flow) -> String {
    let mut out = format!("{}: {}\n", flow.name, flow.title);
    if let Some(reading) = &flow.reading {
        write!(out, "\n{}\n", wrapped(&squeezed(reading), 0)).unwrap_or_default();
    }
    out.push_str("\nQuestions\n");
    for (at, question) in flow.questions.iter().enumerate() {
        write!(out, "\n{:>3}. {}\n", at + 1, described(question, &lines(flow, question))).unwrap_or_default();
    }
    out.push_str("\nOutcomes\n\n");
    for outcome in &flow.outcomes {
        let action = wrapped(&format!("    {}", outcome.action), 4);
        writeln!(out, "  {} [{}]: {}\n{action}", outcome.name, outcome.class, outcome.label).unwrap_or_default();
    }
    out.push_str("\nCases\n\n");
    for case in &flow.cases {
        writeln!(out, "  {} -> {}", case.name, case.outcome).unwrap_or_default();
    }
    out
}

/// A question in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InWords {
    /// The question.
    pub ask: String,
    /// What is to be known of it, each under a word: the condition under `when`, where its answers lead under `yes` and `no`, what happens
    /// without an answer under `unknown`, the known cases next to a threshold under `nearest`.
    pub lines: Vec<(&'static str, String)>,
}

/// All questions of a flow in words, in the order of the file, which is also how they are numbered.
#[must_use]
pub fn in_words(flow: &Flow) -> Vec<InWords> {
    flow.questions.iter().map(|question| InWords { ask: question.ask.clone(), lines: lines(flow, question) }).collect()
}

/// A line for each thing to know of a question.
fn lines(flow: &Flow, question: &Question) -> Vec<(&'static str, String)> {
    let mut lines = vec![("when", squeezed(&question.when_text))];
    lines.extend(question.edges().map(|(answer, next)| (answer.word(), target(flow, next))));
    if let Unknown::GoOn { answer, because } = &question.unknown {
        lines.push(("unknown", format!("taken as {}: {because}", answer.word())));
    }
    if let Some(between) = &question.between {
        lines.push(("nearest", format!("below: {}", between.below)));
        lines.push(("nearest", format!("above: {}", between.above)));
    }
    lines
}

/// The question's own words, then the lines.
fn described(question: &Question, lines: &[(&'static str, String)]) -> String {
    let lines = lines.iter().map(|(name, text)| wrapped(&format!("     {name:<8} {text}"), 14));
    std::iter::once(question.ask.clone()).chain(lines).collect::<Vec<_>>().join("\n")
}

/// The words of a text with one blank between them.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where an edge leads: `question 7`, or the outcome with its class.
fn target(flow: &Flow, next: Next) -> String {
    match next {
        Next::Question(at) => format!("question {}", at + 1),
        Next::Outcome(at) => format!("{} [{}]", flow.outcomes[at].label, flow.outcomes[at].class),
    }
}
