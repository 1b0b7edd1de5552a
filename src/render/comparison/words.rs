//! What all forms of a comparison say alike: changes in percent, intervals, values, decisions, where a number comes from.

use super::together::names;
use crate::model::bounds::Bounds;
use crate::model::comparison::{
    Accepted, Basis, Change, Comparability, Comparison, Counted, Decision, Drift, KeyDifference, Matched, Noise, NoiseOrigin,
    Outcomes, Presence, QueryChange, RunAccount, SettingChange, Side, TargetComparison, Without,
};
use crate::model::comparison::{Area, Kind};
use crate::model::instant::Moment;
use crate::model::units::{Unit, show, show_count, show_counted};

pub(in crate::render) use crate::model::units::{
    show_change as percent, show_change_within as within, show_points as points, show_points_within as points_within,
};

/// How many names of trends or metrics stand in a sentence.
pub(in crate::render) const NAMED: usize = 6;

/// What stands in the place of a value that is not known.
pub(super) const NONE: &str = "-";

/// What a row of a weakened target is marked with, and what the mark means.
pub(super) const WEAKENED: &str = "the runs are not quite alike (see the contract): read every number with that in mind";

/// What a row of a target that is not comparable means.
pub(super) const NOT_COMPARABLE: &str = "the runs are unlike (see the contract): numbers are shown, nothing is concluded";

/// What `~` before a value means.
pub(super) const ROUNDED: &str = "printed rounded; the interval holds what the rounding allows";

/// What a number in parentheses behind a decision means.
pub(super) const DETECTABLE: &str = "the smallest change that these runs could have shown";

/// A change of one metric, in finished words. Not escaped for any form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// `1,234/s`; `~` before it where it was rounded, `-` where it is not known.
    pub a: String,
    /// The same of `b`.
    pub b: String,
    /// `+12%`, of shares `+1.2 pp`; empty where nothing is concluded.
    pub change: String,
    /// `+9 to +15%`; empty where nothing is concluded.
    pub interval: String,
    /// `no change`
    pub decision: &'static str,
    /// `8%`: what could have been shown, where no change was.
    pub detectable: Option<String>,
    /// `38 of 7,270,615 (a), 2,032 of 23,434 (b)`: what is behind shares.
    pub counts: Option<String>,
    /// The same without incidents, then the engine's notes.
    pub notes: Vec<String>,
}

/// A change in words.
pub(super) fn told(change: &Change) -> Told {
    let is_compared = change.decision.is_compared();
    let (delta, interval) = if is_compared { estimate(change) } else { (String::new(), String::new()) };
    let is_unseen = matches!(change.decision, Decision::Inconclusive | Decision::NoChange);
    let without =
        change.without_incidents.as_ref().filter(|_| is_compared).map(|without| without_incidents(without, change.kind));
    Told {
        a: value(change.a, change.bounds_a, change.unit),
        b: value(change.b, change.bounds_b, change.unit),
        change: delta,
        interval,
        decision: decision(change.decision),
        detectable: change.detectable.filter(|_| is_unseen).map(|size| plain(size, change.kind)),
        counts: counts(change.counted_a, change.counted_b),
        notes: without.into_iter().chain(change.notes.iter().cloned()).collect(),
    }
}

/// The change and what it can be.
fn estimate(change: &Change) -> (String, String) {
    match (change.difference, change.ratio) {
        (Some(difference), _) => (points(difference.value), difference.interval.map(points_within).unwrap_or_default()),
        (None, Some(ratio)) => (percent(ratio), change.interval.map(within).unwrap_or_default()),
        (None, None) => (String::new(), change.interval.map(within).unwrap_or_default()),
    }
}

fn value(value: Option<f64>, bounds: Option<Bounds>, unit: Unit) -> String {
    let Some(value) = value else { return NONE.to_owned() };
    let is_rounded = bounds.is_some_and(|bounds| bounds.lo() < bounds.hi());
    format!("{}{}", if is_rounded { "~" } else { "" }, show(value, unit))
}

fn counts(a: Option<Counted>, b: Option<Counted>) -> Option<String> {
    let side = |counted: Option<Counted>, name: &str| {
        counted.map(|counted| format!("{} ({name})", counted_words(counted.count, counted.of)))
    };
    let sides: Vec<String> = [side(a, "a"), side(b, "b")].into_iter().flatten().collect();
    (!sides.is_empty()).then(|| sides.join(", "))
}

/// `38 of 7,270,615`
pub(in crate::render) fn counted_words(count: u64, of: u64) -> String {
    format!("{} of {}", show_count(count), show_count(of))
}

/// `without incidents +3.0% (-1.0 to +7.0%): no change`
fn without_incidents(without: &Without, kind: Kind) -> String {
    let interval = if kind.is_share() { points_within(without.interval) } else { within(without.interval) };
    let ratio = without.ratio.map(|ratio| percent(ratio) + " ").unwrap_or_default();
    format!("without incidents {ratio}({interval}): {}", decision(without.decision))
}

/// A decision in words.
pub(in crate::render) fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::NotComparable => "not comparable",
        Decision::NoChange => "no change",
        other => other.name(),
    }
}

/// A size without a sign: `8%`, of shares `0.10 pp`.
pub(in crate::render) fn plain(size: f64, kind: Kind) -> String {
    let text = if kind.is_share() { points(size.abs()) } else { percent(1.0 + size.abs()) };
    text.trim_start_matches('+').to_owned()
}

/// How far a change is beyond what matters: its size in floors. What to look at first has the most.
pub(super) fn weight(change: &Change) -> f64 {
    let size = match (change.difference, change.ratio) {
        (Some(difference), _) => difference.value.abs() / change.floor.abs().max(1e-6),
        (None, Some(ratio)) if ratio > 0.0 => ratio.ln().abs() / change.floor.abs().ln_1p().max(1e-6),
        (None, Some(_)) => f64::MAX,
        (None, None) => 0.0,
    };
    if size.is_nan() { 0.0 } else { size }
}

/// The changes of a target that a report for people shows. Of a target on one side only those of the whole, not of its endpoints: there
/// is nothing to hold them against.
pub(in crate::render) fn shown(target: &TargetComparison) -> Vec<&Change> {
    let is_whole = |change: &&Change| target.presence == Presence::Both || change.of.is_none();
    target.changes.iter().filter(is_whole).collect()
}

/// All changes with their targets, by decision, the largest first; equal ones stay in their order.
pub(in crate::render) fn ranked(comparison: &Comparison) -> Vec<(&TargetComparison, &Change)> {
    let mut all: Vec<(&TargetComparison, &Change)> =
        comparison.targets.iter().flat_map(|target| target.changes.iter().map(move |change| (target, change))).collect();
    all.sort_by(|(_, x), (_, y)| x.decision.cmp(&y.decision).then_with(|| weight(y).total_cmp(&weight(x))));
    all
}

/// A count with its noun: `1 target`, `3 targets`.
pub(in crate::render) fn counted(count: usize, noun: &str) -> String {
    show_counted(count as u64, noun)
}

/// `32 GiB against 64 GiB`, `unknown against 64 GiB`.
pub(super) fn against(a: Option<&str>, b: Option<&str>) -> String {
    format!("{} against {}", known(a), known(b))
}

/// A value of one side, or that it is unknown, or nothing.
pub(in crate::render) fn known(value: Option<&str>) -> &str {
    match value {
        None => "unknown",
        Some("") => "nothing",
        Some(value) => value,
    }
}

/// `database.memory: 32 GiB against 64 GiB`, and why it may differ.
pub(in crate::render) fn key_difference(difference: &KeyDifference) -> String {
    let accepted = difference.accepted.as_ref().map(|reason| format!("; accepted: {reason}")).unwrap_or_default();
    let seen = if difference.behavioural { " (as measured)" } else { "" };
    format!("{}: {}{seen}{accepted}", difference.key, against(difference.a.as_deref(), difference.b.as_deref()))
}

/// The differences, blocking ones first.
pub(in crate::render) fn by_level(target: &TargetComparison) -> Vec<&KeyDifference> {
    let mut differences: Vec<&KeyDifference> = target.contract.differences.iter().collect();
    differences.sort_by_key(|difference| (difference.accepted.is_some(), std::cmp::Reverse(difference.level)));
    differences
}

/// An accepted key in words.
pub(in crate::render) fn accepted(accepted: &Accepted) -> String {
    let unused = if accepted.used { "" } else { " (it met no difference)" };
    format!("{}: {}{unused}", accepted.key, accepted.reason)
}

/// The contract's conclusion in words, or on which side the target is.
pub(in crate::render) fn standing(target: &TargetComparison) -> &'static str {
    match target.presence {
        Presence::New => "new",
        Presence::Gone => "gone",
        Presence::Both if target.same_runs => "same runs",
        Presence::Both => target.contract.verdict.name(),
    }
}

/// What became of a target, in a few words.
pub(in crate::render) fn fate(target: &TargetComparison) -> String {
    let decided = decided(&target.changes);
    match target.presence {
        Presence::New => "on the later side only".to_owned(),
        Presence::Gone => "on the earlier side only".to_owned(),
        Presence::Both if decided.is_empty() && target.same_runs => "nothing can have changed".to_owned(),
        Presence::Both if decided.is_empty() => "no metric in common".to_owned(),
        Presence::Both => decided,
    }
}

/// `2 regressions, 1 inconclusive`: what became of the changes, by decision.
pub(in crate::render) fn decided<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let mut counts = [0_usize; Decision::ALL.len()];
    for change in changes {
        if let Some(at) = Decision::ALL.iter().position(|decision| *decision == change.decision) {
            counts[at] += 1;
        }
    }
    let words = Decision::ALL.iter().zip(counts).filter(|(_, count)| *count > 0).map(|(one, count)| match one {
        Decision::Regression | Decision::Improvement => counted(count, one.name()),
        other => format!("{} {}", show_count(count as u64), decision(*other)),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What the numbers of a target rest on and where the noise from run to run is known from: a sentence for each kind of it.
pub(super) fn grounds(target: &TargetComparison) -> Vec<String> {
    by_words(target, ground)
}

/// Where the noise from run to run is known from, without what the numbers rest on: a sentence for each kind of it. Of counts it goes
/// without saying.
pub(super) fn noise_grounds(target: &TargetComparison) -> Vec<String> {
    let is_told = |noise: &&Noise| noise.origin != NoiseOrigin::Counts;
    by_words(target, |change| change.noise.as_ref().filter(is_told).map(noise_words).unwrap_or_default())
}

/// A sentence for each kind of words that the compared metrics of a target have, with the metrics where there are several kinds.
fn by_words(target: &TargetComparison, words: impl Fn(&Change) -> String) -> Vec<String> {
    let mut sentences: Vec<(String, Vec<&str>)> = Vec::new();
    for change in target.changes.iter().filter(|change| change.decision.is_compared()) {
        let words = words(change);
        if words.is_empty() {
            continue;
        }
        match sentences.iter_mut().find(|(known, _)| *known == words) {
            Some((_, metrics)) => metrics.push(&change.metric),
            None => sentences.push((words, vec![&change.metric])),
        }
    }
    match sentences.as_slice() {
        [(only, _)] => vec![only.clone()],
        several => several.iter().map(|(words, metrics)| format!("{words}: {}", names(metrics, NAMED))).collect(),
    }
}

fn ground(change: &Change) -> String {
    let basis = change.basis.map(|basis| format!("from {}", basis_words(basis)));
    let noise = change.noise.as_ref().map(noise_words);
    basis.into_iter().chain(noise).collect::<Vec<_>>().join("; ")
}

/// What a number rests on.
pub(in crate::render) fn basis_words(basis: Basis) -> &'static str {
    match basis {
        Basis::Samples => "raw samples",
        Basis::Series => "percentiles of every second",
        Basis::Summary => "k6's summary",
        Basis::Figures => "captured figures",
    }
}

fn noise_words(noise: &Noise) -> String {
    let degrees = noise.degrees.map(|degrees| format!(" ({})", counted(degrees as usize, "degree") + " of freedom"));
    let degrees = degrees.unwrap_or_default();
    match noise.origin {
        NoiseOrigin::Repeats => format!("noise from run to run as between the archive's repeats{degrees}"),
        NoiseOrigin::RepeatsOfTarget => format!("noise from run to run as between the target's repeats{degrees}"),
        NoiseOrigin::Assumed => "noise from run to run is assumed: repeats do not tell it".to_owned(),
        NoiseOrigin::Counts => "noise of counts".to_owned(),
        NoiseOrigin::SameRuns => "no noise: both sides are the same runs".to_owned(),
    }
}

/// A run of a side: which, when, and how much of it was compared.
pub(in crate::render) fn run_words(run: &RunAccount) -> String {
    let start = run.start.map(|start| format!(", {}", moment(start))).unwrap_or_default();
    format!("{} {} ({}{start}{}){}", side(run.side), run.run, basis_words(run.basis), compared(run), left_out(run))
}

/// The runs of both sides, those of which the same is said together: `a 1.0.0/login, ~2, ~3 (raw samples, 90 s compared)`.
pub(super) fn runs_together(runs: &[RunAccount]) -> Vec<String> {
    let mut lines: Vec<(Side, Vec<&str>, String)> = Vec::new();
    for run in runs {
        let words = format!("({}{}){}", basis_words(run.basis), compared(run), left_out(run));
        match lines.iter_mut().find(|(side, _, known)| *side == run.side && *known == words) {
            Some((_, names, _)) => names.push(&run.run),
            None => lines.push((run.side, vec![&run.run], words)),
        }
    }
    lines.iter().map(|(of, names, words)| format!("{} {} {words}", side(*of), repeats(names))).collect()
}

/// `1.0.0/login, ~2`: the first in full, of its repeats the label.
fn repeats(names: &[&str]) -> String {
    let first = names.first().copied().unwrap_or_default();
    let whole = first.split_once('~').map_or(first, |(whole, _)| whole);
    let label = |name: &&str| name.strip_prefix(whole).filter(|rest| rest.starts_with('~')).unwrap_or(name).to_owned();
    std::iter::once(first.to_owned()).chain(names.iter().skip(1).map(label)).collect::<Vec<_>>().join(", ")
}

fn compared(run: &RunAccount) -> String {
    let compared = run.compared_s.map(|seconds| format!(", {} compared", show(seconds * 1e3, Unit::Ms))).unwrap_or_default();
    let warm_up = run.warm_up_s.filter(|seconds| *seconds > 0.0);
    let warm_up = warm_up.map(|seconds| format!(" after {} of warm-up", show(seconds * 1e3, Unit::Ms))).unwrap_or_default();
    compared + &warm_up
}

fn left_out(run: &RunAccount) -> String {
    run.left_out.as_ref().map(|why| format!("; left out: {why}")).unwrap_or_default()
}

/// A moment to the second: nobody tells runs apart by less.
fn moment(moment: Moment) -> String {
    match moment {
        Moment::Instant(at) => at.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        other => other.page_text(),
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::A => "a",
        Side::B => "b",
    }
}

/// What happened within a run: levels that it left, stretches that are unlike the rest. Nothing where it stayed at one level.
pub(super) fn run_events(run: &RunAccount) -> Vec<String> {
    let minutes = |seconds: f64| show(seconds * 1e3, Unit::Ms);
    let level = run.steadiness.as_ref().filter(|steadiness| !steadiness.is_steady).map(|steadiness| {
        let points: Vec<String> = steadiness.change_points_s.iter().map(|at| minutes(*at)).collect();
        let points = if points.is_empty() { String::new() } else { format!("; its level changed at {}", points.join(", ")) };
        format!(
            "{} did not stay at one level: its median latency is {} in the last third ({}){points}",
            run.run,
            percent(steadiness.ratio),
            within(steadiness.interval)
        )
    });
    let incidents = run
        .incidents
        .iter()
        .map(|incident| format!("{}, {} to {}: {}", run.run, minutes(incident.from_s), minutes(incident.to_s), incident.what));
    level.into_iter().chain(incidents).collect()
}

/// `Scale (database) before, Terminate after`; nothing where neither side was judged.
pub(in crate::render) fn outcome(outcomes: &Outcomes) -> Option<String> {
    if outcomes.a.is_none() && outcomes.b.is_none() {
        return None;
    }
    let side = |judgement: Option<&crate::model::comparison::Judgement>| {
        let Some(judgement) = judgement else { return "not judged".to_owned() };
        let recorded = judgement.recorded.as_ref().filter(|recorded| recorded.label != judgement.label);
        let recorded = recorded.map(|recorded| format!(", recorded as {}", recorded.label)).unwrap_or_default();
        format!("{} [{}]{recorded}", judgement.label, judgement.class)
    };
    let (a, b) = (side(outcomes.a.as_ref()), side(outcomes.b.as_ref()));
    Some(if a == b { format!("{a} on both sides") } else { format!("{a} in a, {b} in b") })
}

/// Whether a query is worth a line: it is on one side alone, or its share of the time changed by a point or more.
pub(super) fn has_moved(query: &QueryChange) -> bool {
    query.presence != Presence::Both || query.share_a.zip(query.share_b).is_some_and(|(a, b)| (b - a).abs() >= 0.01)
}

/// `new`, `gone`, or nothing, and where it was matched by name alone, that.
pub(super) fn query_note(query: &QueryChange) -> &'static str {
    match (query.presence, query.matched) {
        (Presence::New, _) => "new",
        (Presence::Gone, _) => "gone",
        (Presence::Both, Some(Matched::Name)) => "matched by name",
        (Presence::Both, _) => "",
    }
}

/// A share of database time, with the seconds and the calls behind it where they are known: `12.3%, 45.6 s, 1,234 calls`.
fn query_side(share: Option<f64>, seconds: Option<f64>, calls: Option<u64>) -> String {
    let share = share.map(|share| show(share, Unit::Ratio));
    let seconds = seconds.map(|seconds| show(seconds * 1e3, Unit::Ms));
    let calls = calls.map(|calls| counted(usize::try_from(calls).unwrap_or(usize::MAX), "call"));
    let parts: Vec<String> = share.into_iter().chain(seconds).chain(calls).collect();
    if parts.is_empty() { NONE.to_owned() } else { parts.join(", ") }
}

/// Both sides of a query behind its name; nothing where neither is known.
pub(super) fn query_sides(query: &QueryChange) -> String {
    let a = query_side(query.share_a, query.seconds_a, query.calls_a);
    let b = query_side(query.share_b, query.seconds_b, query.calls_b);
    if a == NONE && b == NONE { String::new() } else { format!(": {a} against {b}") }
}

/// What a setting belongs to.
pub(in crate::render) fn area(area: Area) -> &'static str {
    match area {
        Area::Flags => "flag",
        Area::Service => "service",
        Area::Database => "database",
        Area::Environment => "environment",
    }
}

/// `flag tokenExchange: off against on`
pub(in crate::render) fn setting(setting: &SettingChange) -> String {
    format!("{} {}: {}", area(setting.area), setting.key, against(setting.a.as_deref(), setting.b.as_deref()))
}

/// `p50 +23% since v4 (+18 to +28%): regression`
pub(super) fn drift(drift: &Drift) -> String {
    let (ratio, interval) = (percent(drift.ratio), within(drift.interval));
    format!("{} {ratio} since {} ({interval}): {}", drift.metric, drift.since, decision(drift.decision))
}

/// How it was decided, in a sentence.
pub(in crate::render) fn method(comparison: &Comparison) -> String {
    let method = &comparison.method;
    let floors: Vec<String> =
        method.floors.iter().map(|(kind, floor)| format!("{} {}", kind.name(), plain(*floor, *kind))).collect();
    let floors = if floors.is_empty() { String::new() } else { format!(" {}", floors.join(", ")) };
    format!(
        "Decided by {} intervals against the smallest changes that matter:{floors}; of latencies {} at least",
        show(method.level, Unit::Ratio),
        show(method.floor_ms, Unit::Ms)
    )
}

/// Why nothing could be compared; `None` where something was.
#[must_use]
pub fn nothing_compared(comparison: &Comparison) -> Option<String> {
    let targets = &comparison.targets;
    if targets.iter().any(|target| target.same_runs || target.changes.iter().any(|change| change.decision.is_compared())) {
        return None;
    }
    let count = |is: &dyn Fn(&TargetComparison) -> bool| targets.iter().filter(|target| is(target)).count();
    let unlike = count(&|t| t.presence == Presence::Both && t.contract.verdict == Comparability::NotComparable);
    let alone = count(&|t| t.presence != Presence::Both);
    let (a, b) = (&comparison.a, &comparison.b);
    Some(match targets.len() {
        0 => format!("nothing could be compared: {a} and {b} have no runs"),
        all if alone == all => format!("nothing could be compared: {a} and {b} have no target in common"),
        all if unlike == all => format!("nothing could be compared: the contract of {} is broken", all_of(all)),
        all if unlike > 0 => {
            let parts =
                [(unlike, "not comparable"), (alone, "on one side only"), (all - unlike - alone, "without a common metric")];
            let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
            format!("nothing could be compared: of {all} targets {}", parts.collect::<Vec<_>>().join(", "))
        }
        _ => format!("nothing could be compared: {a} and {b} have no metric in common"),
    })
}

fn all_of(count: usize) -> String {
    if count == 1 { "the only target".to_owned() } else { format!("all {count} targets") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_told_by_their_labels() {
        assert_eq!(repeats(&["1.0.0/login", "1.0.0/login~2", "1.0.0/pay~2"]), "1.0.0/login, ~2, 1.0.0/pay~2");
        assert_eq!(repeats(&["1.0.0/login~2", "1.0.0/login~3"]), "1.0.0/login~2, ~3");
        assert_eq!(repeats(&[]), "");
    }

    #[test]
    fn a_query_of_which_nothing_is_known_has_a_name_alone() {
        let mut query = QueryChange {
            name: "user by login name".to_owned(),
            presence: Presence::Gone,
            share_a: None,
            share_b: None,
            seconds_a: None,
            seconds_b: None,
            calls_a: None,
            calls_b: None,
            text: None,
            matched: None,
        };
        assert_eq!(query_sides(&query), "");
        query.share_a = Some(0.25);
        assert_eq!(query_sides(&query), ": 25% against -");
    }

    #[test]
    fn what_is_unknown_is_said_so() {
        assert_eq!(against(None, Some("64 GiB")), "unknown against 64 GiB");
        assert_eq!(against(Some(""), Some("on")), "nothing against on");
        assert_eq!(query_side(None, None, None), "-");
        assert_eq!(query_side(Some(0.25), Some(3.0), Some(1)), "25%, 3 s, 1 call");
    }
}
