//! Findings as a terminal, a program, a CI server and GitHub read them.

mod github;
mod junit;
mod text;

pub use self::github::github;
pub use self::junit::junit;
pub use self::text::{Detail, text};

use crate::model::finding::{Finding, Findings, Level, SCHEMA};
use crate::model::units::show_counted;

/// What is known of the rule of a finding: what is the same wherever it fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its title.
    pub title: &'static str,
    /// Why it matters and when it fires.
    pub reason: &'static str,
}

/// What was looked at and found.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The findings.
    pub findings: &'a [Finding],
    /// The runs that were looked at, in order: `v4/otp_session`.
    pub runs: &'a [String],
    /// The rule of a code.
    pub about: &'a dyn Fn(&str) -> Option<About>,
}

impl Report<'_> {
    fn title(&self, finding: &Finding) -> &'static str {
        (self.about)(&finding.code).map(|about| about.title).unwrap_or_default()
    }

    /// `12 errors, 31 warnings and 40 notes in 32 runs; 3 accepted`, the accepted ones not among the others.
    fn sentence(&self) -> String {
        let open = |level: Level| self.findings.iter().filter(|one| one.level == level && one.accepted.is_none()).count() as u64;
        let counted = Level::ALL.map(|level| show_counted(open(level), level.name()));
        let accepted = self.findings.iter().filter(|one| one.accepted.is_some()).count();
        let accepted = if accepted > 0 { format!("; {accepted} accepted") } else { String::new() };
        let [errors, warnings, notes] = counted;
        format!("{errors}, {warnings} and {notes} in {}{accepted}", show_counted(self.runs.len() as u64, "run"))
    }
}

/// The findings as JSON: `{"schema": 1, "findings": [...]}`, indented, with a line break at the end.
///
/// # Errors
/// A defect: findings are JSON by construction.
pub fn json(findings: &[Finding]) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&Findings { schema: SCHEMA, findings: findings.to_vec() }).map(|text| text + "\n")
}

#[cfg(test)]
mod made_up;
