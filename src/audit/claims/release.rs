//! Numbers in the notes of a release: each may be of any of its runs.

use super::claim::{Candidate, candidates, compare};
use super::context::Of;
use super::reading::Reading;
use crate::audit::around::Around;
use crate::audit::rule::{Found, Rule, Scope};
use crate::model::address::Address;
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::finding::Level;

/// A number in a release's notes that is no run's.
pub(in crate::audit) const RELEASE_DIFFERS: Rule = Rule {
    code: "release-claim-differs",
    level: Level::Error,
    title: "A release's notes state a number that no run of it has",
    reason: "A note in release.toml states a number whose words tie it to a figure. Where it names a target, it is held against that run; else it may be of any run of the \
             release, and is told only where it holds for none of those that know the figure. What is understood is the same as for the notes of a run.",
    hint: "correct the note, or name the target that it is of",
    look: Scope::Release(differs),
};

fn differs(around: &Around<'_>, release: &ReleaseRuns) -> Vec<Found> {
    let own = (release.name.as_str(), "");
    let sentences = release.notes.iter().flat_map(|note| candidates(around, own, note));
    sentences.flatten().filter_map(|candidate| differing(around, release, &candidate)).collect()
}

fn differing(around: &Around<'_>, release: &ReleaseRuns, candidate: &Candidate) -> Option<Found> {
    let runs = runs(around, release, &candidate.of);
    let known: Vec<(&Address, Reading, bool)> = runs
        .into_iter()
        .filter_map(|(address, run)| compare(candidate, run).map(|(reading, holds)| (address, reading, holds)))
        .collect();
    let is_told = !known.is_empty() && known.iter().all(|(_, _, holds)| !holds);
    is_told.then(|| found(candidate, &known))
}

/// The runs that a number may be of.
fn runs<'a>(around: &Around<'a>, release: &'a ReleaseRuns, of: &Of) -> Vec<(&'a Address, &'a Run)> {
    match of {
        Of::Nobody => Vec::new(),
        Of::This => release.runs.iter().collect(),
        Of::Named { release: other, target } => {
            let named = other.as_deref().unwrap_or(release.name.as_str());
            let Some(release) = around.archive.releases().iter().find(|one| one.name.as_str() == named) else {
                return Vec::new();
            };
            let is_named = |address: &Address| target.as_deref().is_none_or(|target| address.target.as_str() == target);
            release.runs.iter().filter(|(address, _)| is_named(address)).collect()
        }
    }
}

/// The most runs whose numbers are told.
const TOLD: usize = 3;

fn found(candidate: &Candidate, known: &[(&Address, Reading, bool)]) -> Found {
    let name = known.first().map_or("", |(_, reading, _)| reading.name.as_str());
    let each: Vec<String> =
        known.iter().take(TOLD).map(|(address, reading, _)| format!("{} in {address}", reading.shown)).collect();
    let more = if known.len() > TOLD { format!(", and another in {} more", known.len() - TOLD) } else { String::new() };
    let mut found = Found::new(format!("\"{}\": {name} is {}{more}", candidate.quote, each.join(", ")));
    let amount = known.first().and_then(|(_, reading, _)| reading.amount.as_ref());
    if let Some(amount) = amount.filter(|_| !name.contains(' ')) {
        found = found.with(format!("claimed.{name}"), candidate.number.value, amount.unit);
    }
    for (address, reading, _) in known {
        if let Some(amount) = &reading.amount {
            found = found.amount(format!("{}.{}", address.run(), reading.name), amount.clone());
        }
    }
    found
}
