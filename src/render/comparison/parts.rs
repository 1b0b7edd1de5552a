//! What a comparison's forms of paragraphs, lists and tables say of a target. Not escaped for any of them.

use super::choice::Choice;
use super::together::{gaps, shared_notes};
use super::words::{
    DETECTABLE, NAMED, NONE, NOT_COMPARABLE, ROUNDED, WEAKENED, by_level, counted_words, decided, drift, grounds, has_moved,
    key_difference, outcome, query_note, query_sides, run_events, run_words, setting, shown, told,
};
use crate::model::comparison::{Change, Comparability, Comparison, Counted, Decision, Level, Presence, TargetComparison};

/// The name of the list of outcomes.
pub(in crate::render) const OUTCOME: &str = "Outcome";

/// The name of the list of runs.
pub(in crate::render) const RUNS: &str = "Runs";

/// A target that needs a word above the details: it is unlike, weakened, on one side, or something in it is inconclusive.
pub(in crate::render) fn remark(target: &TargetComparison) -> Option<String> {
    let words = match (target.presence, target.contract.verdict) {
        (Presence::New, _) => "new, it is on the later side only".to_owned(),
        (Presence::Gone, _) => "gone, it is on the earlier side only".to_owned(),
        (Presence::Both, Comparability::NotComparable) => format!("not comparable ({})", worst(target, Level::Blocking)),
        (Presence::Both, Comparability::Weakened) => format!("weakened ({})", worst(target, Level::Weakening)),
        (Presence::Both, Comparability::Comparable) => String::new(),
    };
    let open: Vec<&Change> = target.changes.iter().filter(|change| change.decision == Decision::Inconclusive).collect();
    let open = if open.is_empty() { String::new() } else { decided(open) };
    let words: Vec<String> = [words, open].into_iter().filter(|words| !words.is_empty()).collect();
    (!words.is_empty()).then(|| format!("{}: {}", target.target, words.join("; ")))
}

/// The first differences of a level or above, and how many there are beside them.
fn worst(target: &TargetComparison, level: Level) -> String {
    const SHOWN: usize = 4;
    let differences = by_level(target);
    let worst: Vec<String> =
        differences.iter().filter(|one| one.level >= level && one.accepted.is_none()).map(|one| key_difference(one)).collect();
    let shown = worst.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if worst.len() > SHOWN { format!("{shown}, and {} more", worst.len() - SHOWN) } else { shown }
}

/// What stands below the table of a target: counts, notes of its changes, what its marks mean and what it rests on.
pub(in crate::render) fn remarks(target: &TargetComparison) -> Vec<String> {
    let mut items = Vec::new();
    let changes = shown(target);
    let shared = shared_notes(&changes);
    for change in &changes {
        let notes = told(change).notes.into_iter().filter(|note| shared.iter().all(|other| !other.holds(note)));
        items.extend(notes.map(|note| format!("{}: {note}", change.metric)));
    }
    items.extend(shared.iter().map(|note| note.sentence(NAMED)));
    let has = |is: &dyn Fn(&Change) -> bool| target.changes.iter().any(is);
    if target.contract.verdict == Comparability::Weakened && has(&|change| change.decision.is_compared()) {
        items.push(format!("weakened: {WEAKENED}"));
    }
    if has(&|change| change.decision == Decision::NotComparable) {
        items.push(format!("not comparable: {NOT_COMPARABLE}"));
    }
    if has(&|change| told(change).detectable.is_some()) {
        items.push(format!("a number beside a decision: {DETECTABLE}"));
    }
    if has(&|change| [told(change).a, told(change).b].iter().any(|value| value.starts_with('~'))) {
        items.push(format!("~ {ROUNDED}"));
    }
    items.extend(grounds(target));
    items
}

/// The other parts of a target, each under its name, as far as it was chosen to tell them.
pub(in crate::render) fn lists_of<'a>(choice: &Choice<'a>, target: &'a TargetComparison) -> Vec<(&'static str, Vec<String>)> {
    let differences = choice.differences(target).into_iter().map(|one| format!("{}: {}", one.level.name(), key_difference(one)));
    let gaps = gaps(choice.missing(target));
    let missing = gaps.iter().map(|gap| gap.words(usize::MAX));
    let queries = target.queries.iter().filter(|query| has_moved(query)).map(|query| {
        let note = query_note(query);
        let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
        format!("{}{note}{}", query.name, query_sides(query))
    });
    let parts: [(&str, Vec<String>); 9] = [
        ("Contract", differences.collect()),
        ("Could not be compared", missing.collect()),
        (OUTCOME, outcome(&target.outcome).into_iter().collect()),
        ("Queries", queries.collect()),
        ("Settings", choice.settings(target).into_iter().map(setting).collect()),
        ("Drift", target.drift.iter().map(drift).collect()),
        (RUNS, target.runs.iter().map(run_words).collect()),
        ("Within runs", target.runs.iter().flat_map(run_events).collect()),
        ("Notes", choice.notes(target).into_iter().cloned().collect()),
    ];
    parts.into_iter().filter(|(_, items)| !items.is_empty()).collect()
}

/// Captured figures of both sides, to read beside the changes: name, a, b.
pub(in crate::render) fn figures_of(target: &TargetComparison) -> Vec<Vec<String>> {
    let cell = |value: Option<&String>| value.cloned().unwrap_or_else(|| NONE.to_owned());
    target
        .figures
        .iter()
        .map(|pair| vec![pair.figure.name().to_owned(), cell(pair.shown_a.as_ref()), cell(pair.shown_b.as_ref())])
        .collect()
}

/// The heads of a table of changes, the target first where there are several.
pub(in crate::render) fn heads(comparison: &Comparison, with_target: bool) -> Vec<String> {
    let interval = format!("{:.0}% interval", comparison.method.level * 100.0);
    let target = with_target.then(|| "target".to_owned());
    let names = ["metric", &comparison.a, &comparison.b, "change", &interval, "decision"].map(str::to_owned);
    target.into_iter().chain(names).collect()
}

/// Metric, both values with the counts behind them, change, interval, decision.
pub(in crate::render) fn cells(target: &TargetComparison, change: &Change) -> [String; 6] {
    let words = told(change);
    let is_weakened = target.contract.verdict == Comparability::Weakened && change.decision.is_compared();
    let remarks: Vec<String> = is_weakened.then(|| "weakened".to_owned()).into_iter().chain(words.detectable).collect();
    let remarks = if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
    let side = |value: String, counted: Option<Counted>| match counted {
        Some(counted) => format!("{value} ({})", counted_words(counted.count, counted.of)),
        None => value,
    };
    [
        change.metric.clone(),
        side(words.a, change.counted_a),
        side(words.b, change.counted_b),
        words.change,
        words.interval,
        format!("{}{remarks}", words.decision),
    ]
}
