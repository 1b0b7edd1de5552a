//! A comparison of two releases, and a calibration, for a terminal, a pull request, a CI server, a program.
//!
//! All forms say the same in the same words (`words`), and none escapes for another: a form escapes what people named
//! as its readers need it.

pub mod calibration;
pub(super) mod choice;
mod columns;
pub mod github;
pub mod junit;
pub mod markdown;
pub(super) mod parts;
pub mod text;
pub(super) mod together;
pub(super) mod words;

#[cfg(test)]
pub(super) mod made_up;

use crate::model::comparison::Comparison;

pub use choice::Detail;
pub use words::nothing_compared;

/// The comparison as a program reads it: the shape of [`Comparison`], indented, with a line break at the end.
///
/// # Errors
/// A defect: the shape is JSON by construction.
pub fn json(comparison: &Comparison) -> serde_json::Result<String> {
    serde_json::to_string_pretty(comparison).map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_reads_back() {
        let whole = made_up::everything();
        let text = json(&whole).unwrap_or_default();
        assert_eq!(serde_json::from_str::<Comparison>(&text).ok(), Some(whole));
        assert!(text.ends_with("}\n"));
    }

    #[test]
    fn what_could_not_be_compared_has_its_reason() {
        assert_eq!(nothing_compared(&made_up::everything()), None);
        assert_eq!(
            nothing_compared(&made_up::nothing()).as_deref(),
            Some("nothing could be compared: v4.17.1 and v5 have no runs")
        );
        let mut unlike = made_up::everything();
        unlike.targets.retain(|target| target.target == "manipulate_user");
        let why = "nothing could be compared: the contract of the only target is broken";
        assert_eq!(nothing_compared(&unlike).as_deref(), Some(why));
        let mut rest = made_up::everything();
        rest.targets.retain(|target| target.changes.iter().all(|change| !change.decision.is_compared()));
        let why = "nothing could be compared: of 3 targets 1 not comparable, 2 on one side only";
        assert_eq!(nothing_compared(&rest).as_deref(), Some(why));
        let mut alone = made_up::everything();
        alone.targets.retain(|target| target.presence != crate::model::comparison::Presence::Both);
        let why = "nothing could be compared: v4.17.1 and v4.19.2 have no target in common";
        assert_eq!(nothing_compared(&alone).as_deref(), Some(why));
    }
}
