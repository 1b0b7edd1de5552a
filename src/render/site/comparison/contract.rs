//! Whether the runs are alike: the contract's conclusion and its keys.

use serde::Serialize;

use super::Mark;
use crate::model::comparison::{Comparability, KeyDifference, Level, Presence, TargetComparison};
use crate::render::markup::breakable;

/// The section about the contract.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ContractView {
    /// The conclusion in a sentence.
    pub sentence: String,
    pub differences: Vec<DifferenceRow>,
    /// Keys that are known and alike.
    pub alike: Vec<String>,
    /// Keys that nobody knows.
    pub unknown: Vec<String>,
    /// `21 keys are known on both sides and alike`; empty without one.
    pub alike_words: String,
    pub unknown_words: String,
}

/// A key that differs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DifferenceRow {
    pub key_html: String,
    pub mark: Mark,
    pub a: String,
    pub b: String,
    /// `as measured` where nobody declared it; may be empty.
    pub seen: &'static str,
    /// Why it may differ; may be empty.
    pub accepted: String,
}

pub(super) fn view(target: &TargetComparison) -> ContractView {
    let contract = &target.contract;
    ContractView {
        sentence: sentence(target),
        differences: contract.differences.iter().map(row).collect(),
        alike_words: keys(contract.alike.len(), "known on both sides and alike"),
        unknown_words: keys(contract.unknown.len(), "known on neither side"),
        alike: contract.alike.clone(),
        unknown: contract.unknown.clone(),
    }
}

fn sentence(target: &TargetComparison) -> String {
    match (target.presence, target.contract.verdict) {
        (Presence::New, _) => {
            "Only the later side has this target. It is new: there is nothing that it could be like.".to_owned()
        }
        (Presence::Gone, _) => "Only the earlier side has this target. It is gone: nothing is known of it now.".to_owned(),
        _ if target.same_runs => "Both sides are the same runs, so nothing can have changed.".to_owned(),
        (_, Comparability::Comparable) if target.contract.differences.is_empty() => {
            "The runs are alike in all that is known of them.".to_owned()
        }
        (_, Comparability::Comparable) => "The runs are alike in all that could spoil a comparison.".to_owned(),
        (_, Comparability::Weakened) => {
            "The runs are compared, but they are not quite alike: a change may come from what differs here.".to_owned()
        }
        (_, Comparability::NotComparable) => {
            "The runs are unlike. Their numbers are shown side by side, and nothing is concluded from them.".to_owned()
        }
    }
}

fn row(difference: &KeyDifference) -> DifferenceRow {
    let side = |value: &Option<String>| match value.as_deref() {
        None => "unknown".to_owned(),
        Some("") => "nothing".to_owned(),
        Some(value) => value.to_owned(),
    };
    let class = match difference.level {
        _ if difference.accepted.is_some() => "accepted",
        Level::Blocking => "blocking",
        Level::Weakening => "weakened",
        Level::Informational => "informational",
    };
    DifferenceRow {
        key_html: breakable(&difference.key),
        mark: Mark { class, label: difference.level.name().to_owned() },
        a: side(&difference.a),
        b: side(&difference.b),
        seen: if difference.behavioural { "as measured" } else { "" },
        accepted: difference.accepted.clone().unwrap_or_default(),
    }
}

fn keys(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("1 key is {what}"),
        many => format!("{many} keys are {what}"),
    }
}
