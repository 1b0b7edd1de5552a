//! A record held against itself and the method: what does not fit is a finding.
//!
//! Rules are data with manners ([`RULES`]): a code, a level, a title, the reason why it matters, what to do, and a function that
//! looks. A rule says only what follows from numbers and words of the archive; what was not captured finds nothing. A
//! number that was cut or rounded contradicts another only where no value within both their bounds agrees.

mod accept;
mod around;
mod claims;
mod complete;
pub mod evidence;
mod rule;
mod rules;
mod subject;

pub use self::accept::{Acceptance, accept};
pub use self::around::Around;
pub use self::claims::{Claim, Text, of_run as claims};
pub use self::complete::not_captured;
pub use self::rule::{Rule, Scope};
pub use self::rules::{RULES, rule};

use crate::model::address::Address;
use crate::model::collection::Run;
use crate::model::finding::Finding;

use self::rule::Found;
use self::subject::Subject;

/// What all rules find in the chosen runs, and in the releases that they are of. Findings are in the order of
/// [`crate::model::finding::Findings`].
#[must_use]
pub fn audit(around: &Around<'_>, chosen: &[(&Address, &Run)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for release in around.archive.releases() {
        let runs: Vec<&(&Address, &Run)> = chosen.iter().filter(|(address, _)| address.release == release.name).collect();
        if runs.is_empty() {
            continue;
        }
        for rule in RULES {
            if let Scope::Release(look) = rule.look {
                findings.extend(look(around, release).into_iter().map(|found| finding(rule, release.name.as_str(), None, found)));
            }
        }
        for (address, run) in runs {
            let subject = Subject { around, address, run };
            let mut of_run: Vec<Finding> = RULES.iter().flat_map(|rule| of_run(rule, &subject)).collect();
            of_run.sort_by(|a, b| (a.level, &a.code).cmp(&(b.level, &b.code)));
            findings.extend(of_run);
        }
    }
    findings
}

fn of_run(rule: &Rule, subject: &Subject<'_>) -> Vec<Finding> {
    let Scope::Run(look) = rule.look else { return Vec::new() };
    let release = subject.address.release.as_str();
    look(subject).into_iter().map(|found| finding(rule, release, Some(subject.address.run()), found)).collect()
}

fn finding(rule: &Rule, release: &str, run: Option<String>, found: Found) -> Finding {
    Finding {
        release: release.to_owned(),
        run,
        code: rule.code.to_owned(),
        level: rule.level,
        message: found.message,
        figures: found.figures,
        hint: rule.hint.to_owned(),
        accepted: None,
    }
}
