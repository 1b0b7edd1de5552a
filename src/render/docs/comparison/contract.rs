//! In what the runs of two sides are not alike, and what could not be compared: once for all targets that share it.

use crate::model::comparison::{Comparability, Comparison, KeyDifference, Level, Presence, TargetComparison};
use crate::model::units::show_counted;
use crate::render::comparison::choice::Choice;
use crate::render::comparison::together::{gaps, names};
use crate::render::comparison::words::{NAMED, by_level, known};
use crate::render::docs::layout::Layout;
use crate::render::docs::writing::{lines, list, parts, table, words};

/// The differences that weaken a comparison or forbid it, those that forbid it first, and what else all targets differ in.
pub(super) fn section(layout: Layout<'_>, comparison: &Comparison, choice: &Choice<'_>) -> String {
    let both: Vec<&TargetComparison> = comparison.targets.iter().filter(|one| one.presence == Presence::Both).collect();
    let is_told = |one: &&KeyDifference| one.level > Level::Informational || choice.shared.differences.contains(one);
    let mut found: Vec<(&KeyDifference, Vec<&str>)> = Vec::new();
    for target in &both {
        for difference in by_level(target).into_iter().filter(is_told) {
            match found.iter_mut().find(|(known, _)| *known == difference) {
                Some((_, targets)) => targets.push(&target.target),
                None => found.push((difference, vec![&target.target])),
            }
        }
    }
    found.sort_by_key(|(one, targets)| (one.accepted.is_some(), std::cmp::Reverse(one.level), std::cmp::Reverse(targets.len())));
    let rows: Vec<Vec<String>> = found.iter().map(|(one, targets)| row(layout, one, targets, both.len())).collect();
    let columns = [words("Weighs"), words("Differs"), words(&comparison.a), words(&comparison.b), words("Targets")];
    parts([verdict(&both), table(layout, &columns, &rows)])
}

fn row(layout: Layout<'_>, difference: &KeyDifference, targets: &[&str], all: usize) -> Vec<String> {
    let level = difference.level.name().to_owned();
    let weighs = match &difference.accepted {
        Some(reason) => lines(layout, ["accepted".to_owned(), reason.clone()]),
        None => lines(layout, [level]),
    };
    let key = if difference.behavioural { format!("{} (as measured)", difference.key) } else { difference.key.clone() };
    let (a, b) = (known(difference.a.as_deref()), known(difference.b.as_deref()));
    vec![weighs, lines(layout, [key]), lines(layout, [a]), lines(layout, [b]), lines(layout, [those(targets, all)])]
}

/// The targets by name, or that they are all.
fn those(targets: &[&str], all: usize) -> String {
    match all {
        2 if targets.len() == all => "both".to_owned(),
        3.. if targets.len() == all => format!("all {all}"),
        _ => targets.join(", "),
    }
}

/// How many targets may be compared.
fn verdict(both: &[&TargetComparison]) -> String {
    let count = |verdict: Comparability| both.iter().filter(|target| target.contract.verdict == verdict).count();
    let (fine, weak, unlike) =
        (count(Comparability::Comparable), count(Comparability::Weakened), count(Comparability::NotComparable));
    if both.is_empty() {
        return "No target is on both sides.".to_owned();
    }
    if weak == 0 && unlike == 0 {
        return "In all that is known of them, the runs of both sides are alike.".to_owned();
    }
    let kinds = [
        (fine, "comparable"),
        (weak, "weakened (compared, but not quite alike)"),
        (unlike, "not comparable (numbers are shown, nothing is concluded)"),
    ];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    format!("Of {} on both sides: {}.", show_counted(both.len() as u64, "target"), kinds.join(", "))
}

/// What could not be compared, and why, with its targets.
pub(super) fn missing(layout: Layout<'_>, comparison: &Comparison) -> String {
    let targets = &comparison.targets;
    let of = |is: &dyn Fn(&TargetComparison) -> bool| -> Vec<&str> {
        targets.iter().filter(|target| is(target)).map(|target| target.target.as_str()).collect()
    };
    let unlike = |t: &TargetComparison| t.presence == Presence::Both && t.contract.verdict == Comparability::NotComparable;
    let whole = [
        (of(&unlike), "the contract is broken: the runs are unlike".to_owned()),
        (of(&|t| t.presence == Presence::New), format!("only {} has it", comparison.b)),
        (of(&|t| t.presence == Presence::Gone), format!("only {} has it", comparison.a)),
    ];
    let mut rows: Vec<Vec<String>> = whole
        .iter()
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, why)| vec!["everything".to_owned(), lines(layout, [why]), lines(layout, [those(names, targets.len())])])
        .collect();
    let mut found: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for target in targets {
        for gap in gaps(&target.missing) {
            let metrics = names(&gap.metrics, NAMED);
            match found.iter_mut().find(|(known, reason, _)| *known == metrics && *reason == gap.reason) {
                Some((_, _, names)) => names.push(&target.target),
                None => found.push((metrics, gap.reason, vec![&target.target])),
            }
        }
    }
    rows.extend(found.iter().map(|(metrics, why, names)| {
        vec![lines(layout, [metrics]), lines(layout, [why]), lines(layout, [those(names, targets.len())])]
    }));
    if rows.is_empty() {
        return list(layout, ["Every metric that both sides have was compared."]);
    }
    table(layout, &[words("Metrics"), words("Why"), words("Targets")], &rows)
}
