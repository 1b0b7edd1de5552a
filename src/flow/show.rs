//! A flow in words: what it asks, at which thresholds, where it leads.

use std::fmt::Write;

use super::chart::{Flow, Next, Question, Unknown};

/// The flow for a terminal: its title, how its thresholds are to be read, every question with its condition and edges,
/// every outcome, every case.
#[must_use]
pub fn show(flow: &Flow) -> String {
    let mut out = format!("{}: {}\n", flow.name, flow.title);
    if let Some(reading) = &flow.reading {
        write!(out, "\n{}\n", wrapped(reading, 100)).unwrap_or_default();
    }
    out.push_str("\nQuestions\n");
    for (at, question) in flow.questions.iter().enumerate() {
        write!(out, "\n{:>3}. {}\n", at + 1, described(flow, question)).unwrap_or_default();
    }
    out.push_str("\nOutcomes\n\n");
    for outcome in &flow.outcomes {
        writeln!(out, "  {} [{}]: {}\n    {}", outcome.name, outcome.class, outcome.label, outcome.action).unwrap_or_default();
    }
    out.push_str("\nCases\n\n");
    for case in &flow.cases {
        writeln!(out, "  {} -> {}", case.name, case.outcome).unwrap_or_default();
    }
    out
}

fn described(flow: &Flow, question: &Question) -> String {
    let mut lines =
        vec![question.ask.clone(), format!("when     {}", wrapped(&question.when_text, 100).replace('\n', "\n              "))];
    lines.extend(question.edges().map(|(answer, next)| format!("{:<8} {}", answer.word(), target(flow, next))));
    if let Unknown::GoOn { answer, because } = &question.unknown {
        lines.push(format!("unknown  taken as {}: {because}", answer.word()));
    }
    if let Some(between) = &question.between {
        lines.push(format!("nearest  below: {}", between.below));
        lines.push(format!("nearest  above: {}", between.above));
    }
    lines.join("\n     ")
}

/// Where an edge leads: `question 7`, or the outcome with its class.
fn target(flow: &Flow, next: Next) -> String {
    match next {
        Next::Question(at) => format!("question {}", at + 1),
        Next::Outcome(at) => format!("{} [{}]", flow.outcomes[at].label, flow.outcomes[at].class),
    }
}

/// The text in lines of at most so many characters; a longer word has a line to itself.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
