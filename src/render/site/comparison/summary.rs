//! What is said first: the headline, a row a target, what was accepted, how it was decided.

use serde::Serialize;

use super::super::view::{Link, plural};
use super::words;
use super::{Mark, target_id};
use crate::model::comparison::{Change, Comparability, Comparison, Decision, Kind, Presence, TargetComparison};
use crate::model::units::{Unit, show};
use crate::render::markup::breakable;

/// The head of a comparison.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SummaryView {
    pub sentence: String,
    /// How much was compared.
    pub extent: String,
    pub tally: Vec<Mark>,
    pub findings: Vec<FindingView>,
    pub targets: Vec<TargetRow>,
    pub accepted: Vec<AcceptedView>,
    /// How it was decided, a sentence each.
    pub method: Vec<String>,
}

/// A change that was found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FindingView {
    pub link: Link,
    pub mark: Mark,
    pub what: String,
}

/// A target in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TargetRow {
    pub href: String,
    pub target_html: String,
    pub standing: Mark,
    /// The worst differences of the contract.
    pub unlike: String,
    pub tally: Vec<Mark>,
    /// The outcomes, `Done before, Terminate now`.
    pub outcome: String,
}

/// A key that may differ.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AcceptedView {
    pub key: String,
    pub reason: String,
    pub used: &'static str,
}

/// The head; `href` leads to a target's part.
pub(super) fn view(comparison: &Comparison, href: &dyn Fn(&str) -> String) -> SummaryView {
    let headline = &comparison.headline;
    let finding = |finding: &crate::model::comparison::Finding| FindingView {
        link: Link { href: href(&finding.target), text: finding.target.clone() },
        mark: Mark::decision(finding.decision),
        what: finding.what.clone(),
    };
    SummaryView {
        sentence: headline.sentence.clone(),
        extent: extent(comparison),
        tally: marks(
            comparison.targets.iter().filter(|target| target.presence == Presence::Both).flat_map(|target| &target.changes),
        ),
        findings: headline.found.iter().map(finding).collect(),
        targets: comparison.targets.iter().map(|target| row(target, href)).collect(),
        accepted: accepted(comparison),
        method: method(comparison),
    }
}

fn extent(comparison: &Comparison) -> String {
    let headline = &comparison.headline;
    let made = plural(headline.comparisons as usize, "comparison", "comparisons");
    let targets = plural(headline.targets as usize, "target", "targets");
    let unlike = headline.targets.saturating_sub(headline.comparable);
    let facts = [(unlike, "not comparable"), (headline.weakened, "weakened: not quite alike")];
    let facts: Vec<String> = facts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} of them {what}")).collect();
    let facts = if facts.is_empty() { String::new() } else { format!("; {}", facts.join(", ")) };
    format!("{made} in {targets} that both have{facts}")
}

fn row(target: &TargetComparison, href: &dyn Fn(&str) -> String) -> TargetRow {
    TargetRow {
        href: href(&target.target),
        target_html: breakable(&target.target),
        standing: standing(target),
        unlike: unlike(target),
        tally: tally(target),
        outcome: super::beside::outcome_words(&target.outcome).unwrap_or_default(),
    }
}

/// The changes of a target by decision; a target that is new or gone as a whole has none.
pub(super) fn tally(target: &TargetComparison) -> Vec<Mark> {
    if target.presence == Presence::Both { marks(&target.changes) } else { Vec::new() }
}

fn marks<'a>(changes: impl IntoIterator<Item = &'a Change>) -> Vec<Mark> {
    let changes: Vec<&Change> = changes.into_iter().collect();
    let count = |decision: Decision| changes.iter().filter(|change| change.decision == decision).count();
    let counts = Decision::ALL.into_iter().map(|decision| (decision, count(decision)));
    counts.filter(|(_, count)| *count > 0).map(|(decision, count)| Mark::counted(decision, count)).collect()
}

/// The contract's conclusion, or on which side the target is.
pub(super) fn standing(target: &TargetComparison) -> Mark {
    let (class, label) = match (target.presence, target.contract.verdict) {
        (Presence::New, _) => ("new", "new"),
        (Presence::Gone, _) => ("gone", "gone"),
        _ if target.same_runs => ("no-change", "same runs"),
        (_, verdict @ Comparability::Comparable) => ("comparable", verdict.name()),
        (_, verdict @ Comparability::Weakened) => ("weakened", verdict.name()),
        (_, verdict @ Comparability::NotComparable) => ("not-comparable", verdict.name()),
    };
    Mark { class, label: label.to_owned() }
}

/// Some of the keys that weigh as much as the verdict: `client.location, vus and 2 more`.
fn unlike(target: &TargetComparison) -> String {
    const SHOWN: usize = 3;
    let open = || target.contract.differences.iter().filter(|difference| difference.accepted.is_none());
    let Some(worst) = open().map(|difference| difference.level).max() else { return String::new() };
    let keys: Vec<&str> =
        open().filter(|difference| difference.level == worst).map(|difference| difference.key.as_str()).collect();
    let shown = keys.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    let more = if keys.len() > SHOWN { format!(" and {} more", keys.len() - SHOWN) } else { String::new() };
    format!("{}: {shown}{more}", worst.name())
}

fn accepted(comparison: &Comparison) -> Vec<AcceptedView> {
    let used = |used: bool| if used { "met a difference" } else { "met none" };
    let view = |accepted: &crate::model::comparison::Accepted| AcceptedView {
        key: accepted.key.clone(),
        reason: accepted.reason.clone(),
        used: used(accepted.used),
    };
    comparison.method.accepted.iter().map(view).collect()
}

fn method(comparison: &Comparison) -> Vec<String> {
    let method = &comparison.method;
    let floor = |(kind, floor): (&Kind, &f64)| format!("{} {}", kind.name(), words::size(*floor, *kind));
    let floors = method.floors.iter().map(floor).collect::<Vec<_>>().join(", ");
    let level = show(method.level, Unit::Ratio);
    vec![
        format!(
            "An interval decides, never a p-value: it holds the noise within the runs, the noise from run to run and what rounding \
             allows, at {level}. Beyond the floor with all of its interval is a change; within it with all of its interval is no \
             change; everything else is inconclusive."
        ),
        format!("Floors: {floors}; of a latency at least {}.", show(method.floor_ms, Unit::Ms)),
        format!(
            "The first {} of a test are left out, less of a short one; {} resamples of blocks, with a fixed seed.",
            show(method.warm_up_s * 1e3, Unit::Ms),
            super::super::view::number(u64::from(method.resamples))
        ),
    ]
}

/// The part of a page that is a target's.
pub(super) fn anchor(comparison: &Comparison, target: &str) -> String {
    let at = comparison.targets.iter().position(|one| one.target == target);
    at.map_or_else(String::new, |at| format!("#{}", target_id(at)))
}
