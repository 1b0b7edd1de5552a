//! How a run ended, in a table of runs: what a person concluded first, the computed verdict beside it where it differs.

use crate::model::collection::Run;
use crate::model::comparison::Judgement;
use crate::model::verdict::Verdict;
use crate::render::facts::outcome::{recorded_by, same, set_by};

/// The lines of a cell.
pub(super) fn lines(run: &Run, verdict: Option<&Verdict>) -> Vec<String> {
    let record = &run.record;
    let (set, recorded) = (set_by(record, verdict), recorded_by(record, verdict));
    let computed = verdict.map(|verdict| verdict.outcome.label.clone());
    let told = set.map(|set| set.outcome.as_str()).or(recorded.map(|recorded| recorded.label.as_str()));
    let mut lines = Vec::new();
    match (set, told, &computed) {
        (Some(set), ..) => lines.push(format!("{} (set by hand)", set.outcome)),
        (None, Some(told), _) => lines.push(told.to_owned()),
        (None, None, Some(computed)) => lines.push(computed.clone()),
        (None, None, None) => lines.push("not judged".to_owned()),
    }
    let is_new = |label: &str| told.is_some_and(|told| !same(told, label));
    lines.extend(recorded.filter(|recorded| is_new(&recorded.label)).map(|recorded| format!("recorded: {}", recorded.label)));
    lines.extend(computed.filter(|computed| is_new(computed)).map(|computed| format!("computed: {computed}")));
    lines.extend(aborted(run));
    lines
}

/// The lines of a cell of what one side of a comparison was judged.
pub(super) fn judged(judgement: Option<&Judgement>) -> Vec<String> {
    let Some(judgement) = judgement else { return Vec::new() };
    match judgement.recorded.as_ref().filter(|recorded| !same(&recorded.label, &judgement.label)) {
        Some(recorded) => vec![recorded.label.clone(), format!("computed: {}", judgement.label)],
        None => vec![judgement.label.clone()],
    }
}

/// `aborted: a threshold was crossed`; nothing where the run came to its end.
fn aborted(run: &Run) -> Option<String> {
    let summary = run.record.k6.as_ref().filter(|summary| summary.aborted)?;
    Some(summary.aborted_by.as_ref().map_or_else(|| "aborted".to_owned(), |by| format!("aborted: {by}")))
}
