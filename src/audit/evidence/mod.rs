//! What an archive keeps, held against what it was made of and what was made of it: `plimsoll audit --evidence`.
//!
//! Making things again is the attic's, where ingesting, judging and rendering meet; here the results are compared and what does not fit is said.

mod against;
mod compare;
mod findings;
pub(super) mod rules;

pub use self::against::against;
pub use self::compare::{compare, compare_values};
pub use self::findings::findings;

use crate::model::finding::Finding;
use crate::model::proof::{Proof, RunProof};

/// Whether a code is one of the evidence's, which only `audit --evidence` finds.
#[must_use]
pub fn is_code(code: &str) -> bool {
    code.starts_with("evidence-")
}

/// How findings name the place of what belongs to no run and no release.
const PLACES: [&str; 3] = ["archive", "site", "docs"];

/// Puts findings into the order of the runs: those of a release before those of its runs, those of neither last, the gravest first.
pub fn sort(findings: &mut [Finding], proof: &Proof) {
    let at = |finding: &Finding| {
        let is_own = |run: &RunProof| run.release == finding.release && finding.run.as_ref().is_none_or(|own| *own == run.run);
        let place = PLACES.iter().position(|place| *place == finding.release);
        (proof.runs.iter().position(is_own).unwrap_or(usize::MAX), place, finding.run.is_some())
    };
    findings.sort_by(|a, b| (at(a), a.place(), a.level, &a.code).cmp(&(at(b), b.place(), b.level, &b.code)));
}
