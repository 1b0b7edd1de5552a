//! A comparison as annotations of GitHub: lines that a step prints (`::error title=...::message`).

use super::words::{accepted, by_level, counted, decided, decision, key_difference, ranked, told};
use crate::model::comparison::{Change, Comparability, Comparison, Decision, Level, Presence, TargetComparison};
use crate::render::annotation::{MOST, annotation};

/// How many metrics, and how many keys of a contract, a message names.
const NAMED: usize = 5;

/// The comparison as at most 10 lines, the worst first: errors for regressions, warnings for what could not be compared or
/// told, notices for improvements, targets on one side only and accepted differences. The last line says how many more there are;
/// where there is nothing to annotate, a notice has the headline.
#[must_use]
pub fn github(comparison: &Comparison) -> String {
    let mut all = annotations(comparison);
    if all.is_empty() {
        all.push(annotation("notice", "plimsoll diff", &comparison.headline.sentence));
    }
    let keys = comparison.method.accepted.iter().filter(|one| one.used).map(accepted);
    all.extend(keys.map(|key| annotation("notice", "accepted difference of the contract", &key)));
    if all.len() > MOST {
        let more = all.len() - (MOST - 1);
        all.truncate(MOST - 1);
        let message = format!(
            "{} not shown here; plimsoll diff {} {} shows all",
            counted(more, "more annotation"),
            comparison.a,
            comparison.b
        );
        all.push(annotation("notice", "plimsoll diff", &message));
    }
    all.concat()
}

fn annotations(comparison: &Comparison) -> Vec<String> {
    let ranked = ranked(comparison);
    let of = |wanted: Decision| ranked.iter().filter(move |(_, change)| change.decision == wanted);
    let changes = |level: &'static str, wanted| of(wanted).map(move |(target, change)| one(level, target, change));
    let targets = |make: fn(&TargetComparison) -> Option<String>| comparison.targets.iter().filter_map(make);
    changes("error", Decision::Regression)
        .chain(targets(not_comparable))
        .chain(targets(gone))
        .chain(targets(inconclusive))
        .chain(changes("notice", Decision::Improvement))
        .chain(targets(new))
        .collect()
}

/// A change with both values, what it can be, and the counts behind it.
fn one(level: &str, target: &TargetComparison, change: &Change) -> String {
    let words = told(change);
    let title = format!("{} in {}: {}", decision(change.decision), target.target, change.metric);
    let weakened = if target.contract.verdict == Comparability::Weakened { "; the runs are not quite alike" } else { "" };
    let counts = words.counts.map(|counts| format!("; {counts}")).unwrap_or_default();
    let message =
        format!("{} {} ({}), {} against {}{counts}{weakened}", change.metric, words.change, words.interval, words.a, words.b);
    annotation(level, &title, &message)
}

fn not_comparable(target: &TargetComparison) -> Option<String> {
    let is_unlike = target.presence == Presence::Both && target.contract.verdict == Comparability::NotComparable;
    is_unlike.then(|| {
        let blocking = by_level(target).into_iter().filter(|one| one.level == Level::Blocking && one.accepted.is_none());
        let keys: Vec<String> = blocking.map(key_difference).collect();
        let message = format!("the runs are unlike: {}", some(&keys));
        annotation("warning", &format!("not comparable: {}", target.target), &message)
    })
}

fn inconclusive(target: &TargetComparison) -> Option<String> {
    let open: Vec<&Change> = target.changes.iter().filter(|change| change.decision == Decision::Inconclusive).collect();
    let names: Vec<String> = open
        .iter()
        .map(|change| {
            let words = told(change);
            let detectable = words.detectable.map(|size| format!(", {size} could have been shown")).unwrap_or_default();
            format!("{} {} ({}{detectable})", change.metric, words.change, words.interval)
        })
        .collect();
    (!open.is_empty()).then(|| {
        let title = format!("{} in {}", decided(open.iter().copied()), target.target);
        annotation("warning", &title, &some(&names))
    })
}

fn gone(target: &TargetComparison) -> Option<String> {
    alone(target, Presence::Gone, "warning", "it is on the earlier side only")
}

fn new(target: &TargetComparison) -> Option<String> {
    alone(target, Presence::New, "notice", "it is on the later side only")
}

fn alone(target: &TargetComparison, presence: Presence, level: &str, why: &str) -> Option<String> {
    let word = if presence == Presence::New { "new" } else { "gone" };
    (target.presence == presence).then(|| annotation(level, &format!("{word}: {}", target.target), why))
}

/// The first names, and how many more there are.
fn some(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    if names.len() > NAMED { format!("{shown}; and {} more", names.len() - NAMED) } else { shown }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::render::comparison::made_up;

    #[test]
    fn the_worst_comes_first_and_a_name_ends_no_line() {
        insta::assert_snapshot!(github(&made_up::everything()));
        insta::assert_snapshot!(github(&made_up::hostile()));
    }

    #[test]
    fn of_many_the_last_line_counts_the_others() {
        let text = github(&made_up::many(200));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), MOST);
        assert!(lines[9].contains("more annotations not shown here"), "{}", lines[9]);
    }

    #[test]
    fn nothing_to_say_is_said_in_a_notice() {
        insta::assert_snapshot!(github(&made_up::unchanged()));
        insta::assert_snapshot!(github(&made_up::nothing()));
    }

    proptest! {
        #[test]
        fn every_line_is_an_annotation(comparison in made_up::any()) {
            let text = github(&comparison);
            prop_assert!((1..=MOST).contains(&text.lines().count()));
            for line in text.split_terminator('\n') {
                let rest = line.strip_prefix("::").unwrap_or_default();
                prop_assert!(["error ", "warning ", "notice "].iter().any(|level| rest.starts_with(level)), "{}", line);
                let (properties, _) = rest.split_once("::").unwrap_or_default();
                prop_assert!(!properties.contains(',') && !line.chars().any(char::is_control), "{}", line);
            }
        }
    }
}
