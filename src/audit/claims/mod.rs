//! Numbers that people wrote into notes and reasons, held against the record.

use super::rule::{Found, Rule, Scope};
use super::subject::Subject;
use crate::model::finding::Level;

/// A number in a text that is not the record's.
pub(super) const CLAIM_DIFFERS: Rule = Rule {
    code: "claim-differs",
    level: Level::Error,
    title: "A text states a number that is not the record's",
    reason: "A note or a reason names a figure of the run with a number, and the record has another, whatever their rounding allows.",
    hint: "correct the text",
    look: Scope::Run(differs),
};

fn differs(_: &Subject<'_>) -> Vec<Found> {
    Vec::new()
}
