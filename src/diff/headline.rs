//! What is to be said first: how many comparisons were made, what was found, what could not be told.

use std::collections::BTreeMap;

use crate::model::comparison::{Change, Comparability, Decision, Finding, Headline, Kind, Presence, TargetComparison};
use crate::model::units::{self, Unit};

/// The headline of all targets.
pub(super) fn of(targets: &[TargetComparison]) -> Headline {
    let both = || targets.iter().filter(|target| target.presence == Presence::Both);
    let of_verdict = |wanted: fn(Comparability) -> bool| number(both().filter(|target| wanted(target.contract.verdict)).count());
    let mut decisions: BTreeMap<Decision, u32> = BTreeMap::new();
    for change in targets.iter().flat_map(|target| &target.changes) {
        *decisions.entry(change.decision).or_default() += 1;
    }
    let comparisons = decisions.iter().filter(|(decision, _)| decision.is_compared()).map(|(_, count)| count).sum();
    let mut headline = Headline {
        sentence: String::new(),
        targets: number(both().count()),
        comparable: of_verdict(|verdict| verdict < Comparability::NotComparable),
        weakened: of_verdict(|verdict| verdict == Comparability::Weakened),
        comparisons,
        decisions,
        found: found(targets),
    };
    headline.sentence = sentence(&headline, targets);
    headline
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// All findings: regressions before improvements, the largest first.
fn found(targets: &[TargetComparison]) -> Vec<Finding> {
    let mut found: Vec<(Finding, f64)> = targets.iter().flat_map(of_target).collect();
    found.sort_by(|(a, a_size), (b, b_size)| {
        a.decision.cmp(&b.decision).then(b_size.total_cmp(a_size)).then_with(|| a.target.cmp(&b.target))
    });
    found.into_iter().map(|(finding, _)| finding).collect()
}

/// What belongs together: in a closed model throughput and all latency are one quantity.
fn group(kind: Kind, closed: bool) -> u8 {
    match kind {
        Kind::Throughput => 0,
        Kind::P50 | Kind::P95 | Kind::P99 => u8::from(!closed),
        Kind::Failures => 2,
        Kind::Cpu => 3,
        Kind::LockWait => 4,
        Kind::Bytes => 5,
    }
}

fn of_target(target: &TargetComparison) -> Vec<(Finding, f64)> {
    let mut groups: BTreeMap<(u8, Option<&str>), Vec<&Change>> = BTreeMap::new();
    for change in target.changes.iter().filter(|change| change.decision.is_change()) {
        let whose = if change.kind == Kind::Cpu { change.of.as_deref() } else { None };
        groups.entry((group(change.kind, target.closed_model), whose)).or_default().push(change);
    }
    groups.into_values().map(|changes| finding(&target.target, &changes)).collect()
}

fn finding(target: &str, changes: &[&Change]) -> (Finding, f64) {
    let is_regression = changes.iter().any(|change| change.decision == Decision::Regression);
    let decision = if is_regression { Decision::Regression } else { Decision::Improvement };
    let size = changes.iter().map(|change| size(change)).fold(0.0, f64::max);
    // Endpoints are parts of the whole: they are told where the whole did not change.
    let whole: Vec<&&Change> = changes.iter().filter(|change| change.of.is_none() || change.kind == Kind::Cpu).collect();
    let told: Vec<&&Change> = if whole.is_empty() { changes.iter().collect() } else { whole };
    let more = changes.len() - told.len().min(MOST_TOLD);
    let mut what: Vec<String> = told.iter().take(MOST_TOLD).map(|change| in_words(change)).collect();
    if more > 0 {
        what.push(format!("and {more} more"));
    }
    let metrics = changes.iter().map(|change| change.metric.clone()).collect();
    (Finding { target: target.to_owned(), decision, metrics, what: what.join(", ") }, size)
}

/// Metrics that a finding names.
const MOST_TOLD: usize = 4;

fn size(change: &Change) -> f64 {
    match (change.ratio, &change.difference) {
        (Some(ratio), _) if ratio > 0.0 => ratio.ln().abs(),
        (_, Some(difference)) => difference.value.abs(),
        _ => f64::INFINITY,
    }
}

/// `p50 +12%`, `failures 0 of 23,387 -> 2,095 of 23,387`.
fn in_words(change: &Change) -> String {
    let name = match (&change.of, change.kind) {
        (Some(of), Kind::Cpu) => format!("CPU per iteration of the {of}"),
        (_, Kind::LockWait) => "lock wait".to_owned(),
        (_, Kind::Bytes) => "bytes per request".to_owned(),
        _ => change.metric.clone(),
    };
    if let Some((a, b)) = change.counted_a.zip(change.counted_b) {
        return format!("{name} {} of {} -> {} of {}", show(a.count), show(a.of), show(b.count), show(b.of));
    }
    match (change.a, change.b, change.ratio) {
        (Some(a), Some(b), _) if change.unit == Unit::Ratio => {
            format!("{name} {} -> {}", units::show(a, Unit::Ratio), units::show(b, Unit::Ratio))
        }
        (_, _, Some(ratio)) => format!("{name} {}", units::show_change(ratio)),
        _ => format!("{name} to zero"),
    }
}

fn show(count: u64) -> String {
    units::show_count(count)
}

fn sentence(headline: &Headline, targets: &[TargetComparison]) -> String {
    if headline.targets == 0 {
        return "Nothing to compare: the two sides have no target in common.".to_owned();
    }
    if headline.comparable == 0 {
        let all = match headline.targets {
            1 => "the target in common is not".to_owned(),
            many => format!("none of {} targets is", show(many.into())),
        };
        let concluded = format!("Nothing can be concluded: {all} comparable ({})", blocking(targets));
        return format!("{}.", [concluded].into_iter().chain(alone(targets)).collect::<Vec<_>>().join("; "));
    }
    let count = |decision: Decision| headline.decisions.get(&decision).copied().unwrap_or_default();
    let changes = |decision: Decision| number(headline.found.iter().filter(|one| one.decision == decision).count());
    let (worse, better) = (changes(Decision::Regression), changes(Decision::Improvement));
    let found = match (worse, better) {
        (0, 0) if headline.comparisons == 0 => "Nothing could be compared".to_owned(),
        (0, 0) => "No change found".to_owned(),
        (worse, 0) => counted(worse, "regression"),
        (0, better) => counted(better, "improvement"),
        (worse, better) => format!("{} and {}", counted(worse, "regression"), counted(better, "improvement")),
    };
    let of = match headline.comparisons {
        0 => String::new(),
        comparisons => format!("{} of ", counted(comparisons, "comparison")),
    };
    let mut parts = vec![format!("{found} in {of}{}", counted(headline.comparable, "target"))];
    match count(Decision::Inconclusive) {
        0 => {}
        1 => parts.push("1 comparison is inconclusive".to_owned()),
        many => parts.push(format!("{many} comparisons are inconclusive")),
    }
    if headline.comparable < headline.targets {
        let unlike = headline.targets - headline.comparable;
        let verb = if unlike == 1 { "is" } else { "are" };
        parts.push(format!("{} {verb} not comparable", counted(unlike, "target")));
    }
    if headline.weakened > 0 {
        let verb = if headline.weakened == 1 { "is" } else { "are" };
        parts.push(format!("{} {verb} compared although not quite alike", counted(headline.weakened, "target")));
    }
    parts.extend(alone(targets));
    format!("{}.", parts.join("; "))
}

/// Targets on one side alone: `1 target is new`, `2 targets are gone`.
fn alone(targets: &[TargetComparison]) -> Vec<String> {
    let count = |wanted: Presence| number(targets.iter().filter(|target| target.presence == wanted).count());
    let words = [(count(Presence::New), "new"), (count(Presence::Gone), "gone")].into_iter().filter(|(count, _)| *count > 0);
    words.map(|(count, what)| format!("{} {} {what}", counted(count, "target"), if count == 1 { "is" } else { "are" })).collect()
}

fn counted(count: u32, what: &str) -> String {
    units::show_counted(u64::from(count), what)
}

/// The blocking keys of all targets, once each, in their order; at most four.
fn blocking(targets: &[TargetComparison]) -> String {
    let mut keys: Vec<&str> = Vec::new();
    let differences = targets.iter().flat_map(|target| &target.contract.differences);
    for difference in differences.filter(|one| one.level == crate::model::comparison::Level::Blocking && one.accepted.is_none()) {
        if !keys.contains(&difference.key.as_str()) {
            keys.push(&difference.key);
        }
    }
    let more = keys.len().saturating_sub(4);
    let words = keys.into_iter().take(4).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{words} and {more} more") } else { words }
}
