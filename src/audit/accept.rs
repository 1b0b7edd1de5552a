//! Findings that a project accepts, with its reason: `[audits] accept` of plimsoll.toml.

use crate::model::address::{Address, BadName, Pattern};
use crate::model::finding::Finding;
use crate::settings::AcceptedFinding;

/// A row of `[audits] accept`, read, and whether it was needed.
#[derive(Clone, Debug)]
pub struct Acceptance {
    pattern: Pattern,
    accepted: AcceptedFinding,
    /// Whether a finding was accepted by it.
    pub used: bool,
}

impl Acceptance {
    /// Reads a row.
    ///
    /// # Errors
    /// A run that is no pattern.
    pub fn new(accepted: &AcceptedFinding) -> Result<Self, BadName> {
        Ok(Self { pattern: Pattern::new(&accepted.run)?, accepted: accepted.clone(), used: false })
    }

    /// The row as it was written.
    #[must_use]
    pub fn row(&self) -> &AcceptedFinding {
        &self.accepted
    }

    /// A finding of the release as a whole is accepted by a row for the release, not by one for some of its runs.
    fn covers(&self, finding: &Finding) -> bool {
        let is_place = match &finding.run {
            Some(run) => {
                format!("{}/{run}", finding.release).parse::<Address>().is_ok_and(|address| self.pattern.matches(&address))
            }
            None => {
                let release = self.pattern.as_str();
                let release = release.strip_suffix("/*").unwrap_or(release);
                let any = format!("{}/any", finding.release).parse::<Address>();
                !release.contains('/') && any.is_ok_and(|any| self.pattern.matches(&any))
            }
        };
        is_place && self.accepted.code == finding.code
    }
}

/// Writes beside each finding why it is accepted, where a row covers it; the first that does counts as used.
pub fn accept(findings: &mut [Finding], rows: &mut [Acceptance]) {
    for finding in findings {
        if let Some(row) = rows.iter_mut().find(|row| row.covers(finding)) {
            row.used = true;
            finding.accepted = Some(row.accepted.reason.clone());
        }
    }
}
