//! What is concluded of a run in a few words: by hand, by a person who recorded it, by the flow. The first of them counts; a
//! computed verdict that differs is named beside it.

use serde::Serialize;

use crate::model::record::{Override, Record, Recorded};
use crate::model::verdict::{Class, Verdict};

/// An outcome in a few words.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(in crate::render) struct Chip {
    /// The label that counts.
    pub label: String,
    /// The class of a style sheet: a class of outcomes, or `recorded`.
    pub class: String,
    /// The class in words and whether the label is a person's.
    pub word: String,
}

/// The chip of a run for tables.
pub(in crate::render) fn chip(record: &Record, verdict: Option<&Verdict>) -> Chip {
    let computed = verdict.map(computed_chip);
    if let Some(over) = set_by(record, verdict) {
        return Chip {
            label: over.outcome.clone(),
            class: "override".to_owned(),
            word: beside("set by hand", computed.as_ref()),
        };
    }
    match (recorded_by(record, verdict).map(|recorded| recorded.label.clone()), computed) {
        (Some(label), Some(computed)) if same(&label, &computed.label) => Chip { label, ..computed },
        (Some(label), computed) => {
            let class = computed.as_ref().map_or("recorded", |chip| class_of(chip)).to_owned();
            Chip { label, class, word: beside("recorded", computed.as_ref()) }
        }
        (None, Some(computed)) => computed,
        (None, None) => Chip { label: "Not judged".to_owned(), class: "undetermined".to_owned(), word: "no verdict".to_owned() },
    }
}

/// A recorded label has no class of its own: it wears the computed one, unless that is unknown.
fn class_of(computed: &Chip) -> &str {
    if computed.class == Class::Undetermined.name() { "recorded" } else { &computed.class }
}

fn beside(whose: &str, computed: Option<&Chip>) -> String {
    match computed {
        Some(chip) if chip.class == Class::Undetermined.name() => format!("{whose}; computed: undetermined"),
        Some(chip) => format!("{whose}; computed: {}", chip.word),
        None => whose.to_owned(),
    }
}

/// The computed verdict. An undetermined one says for want of what in its label, behind a colon: that is the word.
pub(in crate::render) fn computed_chip(verdict: &Verdict) -> Chip {
    let (class, label) = (verdict.outcome.class.name().to_owned(), verdict.outcome.label.as_str());
    match label.split_once(": ") {
        Some((label, word)) if verdict.outcome.class == Class::Undetermined => {
            Chip { label: label.to_owned(), class, word: word.to_owned() }
        }
        _ => Chip { label: label.to_owned(), word: class.clone(), class },
    }
}

/// What a person recorded, unless it says nothing.
pub(in crate::render) fn recorded_by<'a>(record: &'a Record, verdict: Option<&'a Verdict>) -> Option<&'a Recorded> {
    record.recorded.as_ref().or_else(|| verdict?.recorded.as_ref()).filter(|recorded| !recorded.label.trim().is_empty())
}

/// What somebody set by hand.
pub(in crate::render) fn set_by<'a>(record: &'a Record, verdict: Option<&'a Verdict>) -> Option<&'a Override> {
    record.overridden.as_ref().or_else(|| verdict?.overridden.as_ref())
}

/// Whether two labels are one.
pub(in crate::render) fn same(a: &str, b: &str) -> bool {
    a.trim().eq_ignore_ascii_case(b.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::Recorded;

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

    fn told(record: &Record, verdict: Option<&Verdict>) -> String {
        let chip = chip(record, verdict);
        format!("{} [{}] {}", chip.label, chip.class, chip.word)
    }

    #[test]
    fn a_recorded_label_comes_first_and_a_computed_one_that_differs_beside_it() {
        let scale = verdict(Class::Scale, "Scale (database)");
        assert_eq!(told(&record(None), Some(&scale)), "Scale (database) [scale] scale");
        assert_eq!(told(&record(Some("scale (Database)")), Some(&scale)), "scale (Database) [scale] scale");
        assert_eq!(told(&record(Some("Scale")), Some(&scale)), "Scale [scale] recorded; computed: scale");
        assert_eq!(told(&record(Some("Scale out")), None), "Scale out [recorded] recorded");
        assert_eq!(told(&record(None), None), "Not judged [undetermined] no verdict");
    }

    #[test]
    fn what_is_undetermined_lends_no_class_to_a_label() {
        let open = verdict(Class::Undetermined, "Undetermined: database.cpu.median not captured");
        assert_eq!(told(&record(None), Some(&open)), "Undetermined [undetermined] database.cpu.median not captured");
        assert_eq!(told(&record(Some("Scale out")), Some(&open)), "Scale out [recorded] recorded; computed: undetermined");
    }
}
