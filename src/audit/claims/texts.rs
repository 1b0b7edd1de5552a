//! The texts that people wrote, with where they stand.

use crate::model::collection::Run;

/// A text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// Where: the place of a note, `recorded`, `run.toml`.
    pub place: &'a str,
    /// What is written.
    pub text: &'a str,
}

/// Those of a run: notes, the reasons of the recorded outcome and of an override, remarks on queries, the purpose, run.toml.
pub(super) fn of(run: &Run) -> Vec<Text<'_>> {
    let record = &run.record;
    let text = |place, text| Text { place, text };
    let notes = record.notes.iter().map(|note| text(note.place.as_str(), note.text.as_str()));
    let recorded = record.recorded.iter().map(|recorded| text("recorded", recorded.message.as_str()));
    let overridden = record.overridden.iter().map(|overridden| text("override", overridden.reason.as_str()));
    let remarks = record.queries.iter().filter_map(|query| Some(text("queries", query.remark.as_deref()?)));
    let purpose = record.identity.purpose.iter().map(|purpose| text("purpose", purpose.as_str()));
    let by_hand = run.notes.iter().map(|note| text("run.toml", note.as_str()));
    notes.chain(recorded).chain(overridden).chain(remarks).chain(purpose).chain(by_hand).collect()
}
