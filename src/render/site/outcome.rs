//! What is concluded of a run: by hand, by a person who recorded it, by the flow. The first of them counts; a computed
//! verdict that differs stands beside it.

use serde::Serialize;

use super::inline;
use super::view::{Chip, plural};
use crate::model::record::Record;
use crate::model::units;
use crate::model::verdict::{Answer, Class, Counterfactual, Evidence, Step, Verdict};
pub(super) use crate::render::facts::outcome::chip;
use crate::render::facts::outcome::{computed_chip, recorded_by, same, set_by};
use crate::render::markup::breakable;

/// The section about a run's outcome.
#[derive(Clone, Debug, Serialize)]
pub(super) struct OutcomeView {
    /// The outcome that counts.
    pub chip: Chip,
    /// Whose it is.
    pub origin: String,
    /// Its reasons.
    pub message_html: String,
    /// Who set it by hand; empty for nobody known.
    pub author: String,
    /// The computed verdict, where another one counts and it differs.
    pub computed: Option<Chip>,
    /// Its reasons, where they are not above.
    pub computed_message: String,
    /// What the flow says to do next.
    pub action: String,
    /// What is missing for a verdict.
    pub lacking: Vec<String>,
    /// What is not known but was passed over.
    pub passed_over: Vec<String>,
    /// The flow's name.
    pub flow: String,
    /// The flow in words.
    pub flow_title: String,
    /// The flow's drawing with the path lit; empty where there is none.
    pub drawing_svg: String,
    /// How many questions were asked.
    pub asked: String,
    /// The path.
    pub steps: Vec<StepView>,
    /// What would have to change.
    pub counterfactuals: Vec<CounterfactualView>,
}

/// A question of the path.
#[derive(Clone, Debug, Serialize)]
pub(super) struct StepView {
    pub ask: String,
    pub answer: &'static str,
    pub assumed: String,
    pub evidence: Vec<EvidenceView>,
}

/// A comparison.
#[derive(Clone, Debug, Serialize)]
pub(super) struct EvidenceView {
    pub figure_html: String,
    pub value: String,
    pub comparison: String,
    pub note: String,
    pub answer: &'static str,
}

/// A change that would lead elsewhere.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CounterfactualView {
    pub figure_html: String,
    pub from: String,
    pub to: String,
    pub outcome: String,
}

/// Why a run ended as it did, in its first sentence: of the outcome that counts, else of the flow.
pub(super) fn reason(record: &Record, verdict: Option<&Verdict>, anchors: &[&str]) -> String {
    let by_hand = set_by(record, verdict).map(|over| over.reason.clone());
    let recorded = recorded_by(record, verdict).map(|recorded| recorded.message.clone());
    let by_flow = verdict.map(|verdict| verdict.message.clone());
    let told = [by_hand, recorded, by_flow].into_iter().flatten().find(|message| !message.is_empty());
    told.map(|message| inline::html(first_sentence(&message), anchors)).unwrap_or_default()
}

/// Up to the first full stop with a blank behind it; a number has none.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |at| &text[..=at])
}

/// The section of a run's page.
pub(super) fn view(
    record: &Record,
    verdict: Option<&Verdict>,
    flow_title: &str,
    drawing: Option<&str>,
    anchors: &[&str],
) -> OutcomeView {
    let chip = chip(record, verdict);
    let over = set_by(record, verdict);
    let recorded = recorded_by(record, verdict);
    let computed = verdict.map(computed_chip);
    let by_flow = verdict.map(|v| v.message.clone()).unwrap_or_default();
    let (origin, message) = match (over, recorded) {
        (Some(over), _) => ("Set by hand".to_owned(), over.reason.clone()),
        (None, Some(recorded)) => ("Recorded by a person".to_owned(), recorded.message.clone()),
        (None, None) => (computed_origin(verdict), by_flow.clone()),
    };
    let (lacking, passed_over) = verdict.map(unknown).unwrap_or_default();
    let told = over.is_none() && recorded.is_none();
    OutcomeView {
        origin,
        message_html: inline::html(&message, anchors),
        author: over.and_then(|over| over.author.clone()).unwrap_or_default(),
        computed: computed.filter(|computed| !told && !same(&computed.label, &chip.label)),
        computed_message: if told { String::new() } else { by_flow },
        chip,
        action: verdict.map(|v| v.outcome.action.clone()).unwrap_or_default(),
        lacking,
        passed_over,
        flow: verdict.map(|v| v.flow.clone()).unwrap_or_default(),
        flow_title: flow_title.to_owned(),
        drawing_svg: drawing.unwrap_or_default().to_owned(),
        asked: plural(verdict.map_or(0, |v| v.path.len()), "question", "questions"),
        steps: verdict.map(|v| v.path.iter().map(step).collect()).unwrap_or_default(),
        counterfactuals: verdict.map(|v| v.counterfactuals.iter().map(counterfactual).collect()).unwrap_or_default(),
    }
}

/// What is not known, split: what keeps the run from a verdict, and what the flow passed over.
fn unknown(verdict: &Verdict) -> (Vec<String>, Vec<String>) {
    let open = verdict.path.iter().filter(|step| step.assumed.is_none() && step.answer == Answer::Undetermined);
    let asked: Vec<&str> = open.flat_map(|step| &step.evidence).map(|evidence| evidence.figure.as_str()).collect();
    let ended = verdict.outcome.class != Class::Undetermined;
    verdict.undetermined.iter().cloned().partition(|figure| !ended && (asked.is_empty() || asked.contains(&figure.as_str())))
}

fn computed_origin(verdict: Option<&Verdict>) -> String {
    verdict.map_or_else(|| "No flow was applied to this run".to_owned(), |v| format!("Computed by the flow {}", v.flow))
}

fn step(step: &Step) -> StepView {
    StepView {
        ask: step.ask.clone(),
        answer: answer(step.answer),
        assumed: step
            .assumed
            .as_ref()
            .map(|assumed| format!("taken as {}: {}", answer(assumed.answer), assumed.because))
            .unwrap_or_default(),
        evidence: step.evidence.iter().map(evidence).collect(),
    }
}

fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::Undetermined => "undetermined",
    }
}

fn evidence(evidence: &Evidence) -> EvidenceView {
    let shown = |value: f64| evidence.unit.map_or_else(|| units::show_number(value), |unit| units::show(value, unit));
    let value = evidence.printed.clone().or_else(|| evidence.value.map(shown));
    let against = evidence.threshold.map(|threshold| format!(" {}", shown(threshold))).unwrap_or_default();
    let value = value.unwrap_or_else(|| "not captured".to_owned());
    EvidenceView {
        figure_html: breakable(&evidence.figure),
        comparison: format!("{}{against}", sign(&evidence.comparison)),
        note: evidence.note.clone().filter(|note| *note != value).unwrap_or_default(),
        answer: answer(evidence.answer),
        value,
    }
}

fn sign(comparison: &str) -> &str {
    match comparison {
        ">=" => "≥",
        "<=" => "≤",
        "!=" => "≠",
        "==" => "=",
        other => other,
    }
}

fn counterfactual(change: &Counterfactual) -> CounterfactualView {
    CounterfactualView {
        figure_html: breakable(&change.figure),
        from: change.from.map_or_else(|| "not captured".to_owned(), |from| units::show(from, change.unit)),
        to: units::show(change.to, change.unit),
        outcome: change.label.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::{Override, Recorded};

    fn verdict(class: Class, label: &str) -> Verdict {
        let text = include_str!("../../../tests/fixtures/site/verdict.json");
        let mut verdict: Verdict = serde_json::from_str(text).unwrap_or_else(|e| unreachable!("{e}"));
        verdict.outcome.class = class;
        label.clone_into(&mut verdict.outcome.label);
        verdict
    }

    fn record(label: Option<&str>) -> Record {
        let address = "v1/checkout".parse().unwrap_or_else(|e| unreachable!("{e}"));
        let recorded = label.map(|label| Recorded { label: label.to_owned(), message: String::new() });
        Record { recorded, ..Record::new(address) }
    }

    #[test]
    fn an_override_counts_before_all() {
        let overridden = Some(Override { outcome: "observe".to_owned(), reason: "seen".to_owned(), author: None });
        let record = Record { overridden, ..record(Some("Scale")) };
        let view = view(&record, Some(&verdict(Class::Scale, "Scale (database)")), "f", None, &[]);
        assert_eq!((view.chip.label.as_str(), view.origin.as_str()), ("observe", "Set by hand"));
        assert_eq!(view.computed.map(|chip| chip.label).as_deref(), Some("Scale (database)"));
    }

    #[test]
    fn what_is_missing_and_what_was_passed_over_are_told_apart() {
        let mut open = verdict(Class::Undetermined, "Undetermined: x");
        open.undetermined = vec!["container.memory.peak".to_owned(), "pool.empty_ratio".to_owned()];
        for step in &mut open.path {
            step.assumed = None;
        }
        assert_eq!(unknown(&open), (vec!["pool.empty_ratio".to_owned()], vec!["container.memory.peak".to_owned()]));
        open.outcome.class = Class::Scale;
        assert_eq!(unknown(&open).0, Vec::<String>::new());
    }
}
