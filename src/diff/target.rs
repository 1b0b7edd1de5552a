//! One target of two sides: contract, changes, what is missing, and what stands beside them.

use super::change::{self, Ground};
use super::metric::{self, Metric, Subject};
use super::noise::Repeats;
use super::resampled::Resampled;
use super::sides::{Input, Member, Members, Pairing};
use super::{account, contract, differences, drift, failures};
use crate::model::catalogue::FigureId;
use crate::model::comparison::{
    Basis, Change, Comparability, Contract, Decision, Incident, KeyDifference, Kind, Level, Missing, NoiseOrigin, Outcomes,
    Presence, RunAccount, Side, TargetComparison,
};
use crate::model::derive;
use crate::model::record::Record;
use crate::settings::Floors;

/// Where the noise is known from.
#[derive(Clone, Copy)]
pub(super) struct Noise<'a> {
    /// That from run to run.
    pub repeats: &'a Repeats,
    /// That within runs.
    pub resampled: &'a Resampled,
}

/// Compares a target.
pub(super) fn compare(input: &Input<'_>, pairing: &Pairing<'_>, noise: Noise<'_>) -> TargetComparison {
    let (a, b) = (&pairing.a, &pairing.b);
    let floors = &input.settings.floors;
    let presence = match (a.is_empty(), b.is_empty()) {
        (true, _) => Presence::New,
        (_, true) => Presence::Gone,
        _ => Presence::Both,
    };
    let same_runs = pairing.is_same();
    let mut comparison = TargetComparison {
        target: pairing.target.clone(),
        presence,
        contract: Contract {
            verdict: Comparability::Comparable,
            differences: Vec::new(),
            alike: Vec::new(),
            unknown: Vec::new(),
        },
        runs: accounts(pairing, floors),
        same_runs,
        closed_model: [a, b].into_iter().flat_map(Members::records).all(is_closed),
        changes: Vec::new(),
        missing: Vec::new(),
        outcome: outcomes(input, pairing),
        figures: Vec::new(),
        queries: Vec::new(),
        settings: Vec::new(),
        drift: Vec::new(),
        notes: Vec::new(),
    };
    let (Some(first_a), Some(first_b)) = (a.compared.first(), b.compared.first()) else {
        comparison.changes =
            metric::of_target(a, b).iter().filter_map(|metric| change::one_sided(metric, a, b, floors)).collect();
        return comparison;
    };
    comparison.contract = with_aborts(contract::compare(&a.records(), &b.records(), &input.settings.contract_accept), a, b);
    let incidents = [of_side(&comparison.runs, Side::A), of_side(&comparison.runs, Side::B)];
    let ground = Ground {
        target: &pairing.target,
        floors,
        repeats: noise.repeats,
        resampled: noise.resampled,
        left_out: &[],
        same_runs,
        incidents: [&incidents[0], &incidents[1]],
    };
    (comparison.changes, comparison.missing) = changes(a, b, ground);
    if comparison.contract.verdict == Comparability::NotComparable {
        comparison.changes.iter_mut().for_each(withhold);
    } else if !same_runs {
        comparison.drift = drift::since_oldest(input, pairing, noise);
    }
    let (record_a, record_b) = (first_a.record(), first_b.record());
    comparison.figures = differences::figures(record_a, record_b);
    comparison.queries = differences::queries(record_a, record_b);
    comparison.settings = differences::settings(record_a, record_b);
    comparison.notes = notes(&comparison);
    comparison
}

/// Every change that can be told, and why others can't.
pub(super) fn changes(a: &Members<'_>, b: &Members<'_>, ground: Ground<'_>) -> (Vec<Change>, Vec<Missing>) {
    let (mut changes, mut missing) = (Vec::new(), Vec::new());
    for metric in metric::of_target(a, b) {
        match told(&metric, a, b, ground) {
            Ok(change) => changes.push(change),
            Err(reason) => missing.push(Missing { metric: metric.name(), reason }),
        }
    }
    (changes, missing)
}

/// One metric of both sides, or why it can't be told.
pub(super) fn told(metric: &Metric, a: &Members<'_>, b: &Members<'_>, ground: Ground<'_>) -> Result<Change, String> {
    let change = match one_sided(metric, a, b) {
        Some((a, b)) => change::one_sided(metric, &a, &b, ground.floors).ok_or_else(|| "it has no value".to_owned()),
        None if metric.kind == Kind::Failures => failures::change(a, b, ground),
        None => alike_of(metric, a, b).and_then(|()| change::change(metric, a, b, ground)),
    };
    change.map(|change| hold_back(change, metric, a, b))
}

/// The sides with one of them empty, where a trend is surely on the other alone: both sides' figures list their trends.
fn one_sided<'a>(metric: &Metric, a: &Members<'a>, b: &Members<'a>) -> Option<(Members<'a>, Members<'a>)> {
    let Subject::Trend(trend) = &metric.subject else { return None };
    let has = |members: &Members<'_>| members.records().into_iter().any(|record| metric::has_own_trend(record, trend));
    let lists =
        |members: &Members<'_>| members.records().into_iter().all(|record| record.k6.is_some() || record.phases.is_some());
    match (has(a), has(b)) {
        (true, false) if lists(b) => Some((a.clone(), Members::default())),
        (false, true) if lists(a) => Some((Members::default(), b.clone())),
        _ => None,
    }
}

/// Whether shares are of the same thing on both sides.
fn alike_of(metric: &Metric, a: &Members<'_>, b: &Members<'_>) -> Result<(), String> {
    if metric.kind != Kind::LockWait {
        return Ok(());
    }
    let of = |record: &Record| {
        derive::figure(record, FigureId::DatabaseLockWaitRatio).measured().and_then(|measurement| measurement.of.clone())
    };
    let mut all = [a, b].into_iter().flat_map(Members::records).map(of);
    let first = all.next().flatten();
    match (&first, all.find(|of| *of != first)) {
        (Some(one), Some(Some(other))) => Err(format!("it is a share of {one} in one run and of {other} in another")),
        _ => Ok(()),
    }
}

/// A percentile of a text summary whose samples nobody counted may be one of a handful: its numbers are shown, no change is
/// concluded from them.
fn hold_back(mut change: Change, metric: &Metric, a: &Members<'_>, b: &Members<'_>) -> Change {
    let is_bare = change.basis == Some(Basis::Summary) && change.kind.is_latency();
    if !is_bare || !change.decision.is_compared() || change.noise.as_ref().is_some_and(|n| n.origin == NoiseOrigin::SameRuns) {
        return change;
    }
    let counted = |record: &Record| {
        let k6 = metric::run_metric(record, &metric.subject);
        k6.and_then(|k6| super::reading::samples(metric, k6, record)).is_some()
    };
    if ![a, b].into_iter().flat_map(Members::records).all(counted) {
        change.decision = Decision::Inconclusive;
        // However large a change were, it would not be concluded.
        change.detectable = None;
        change.notes.retain(|note| !change::concludes(note));
        change.notes.push("how many samples it has is not told".to_owned());
    }
    change
}

/// The runs are unlike: numbers stay, conclusions go.
fn withhold(change: &mut Change) {
    if change.decision.is_compared() {
        change.decision = Decision::NotComparable;
    }
    change.interval = None;
    change.detectable = None;
    change.noise = None;
    change.without_incidents = None;
    if let Some(difference) = &mut change.difference {
        difference.interval = None;
    }
    change.notes.retain(|note| !change::concludes(note));
}

fn accounts(pairing: &Pairing<'_>, floors: &Floors) -> Vec<RunAccount> {
    let side = |members: &Members<'_>, side: Side| {
        let compared = members.compared.iter().map(|member| account::of(member, side, floors, None));
        let left_out = members.left_out.iter().map(|(member, reason)| account::of(member, side, floors, Some(reason.clone())));
        compared.chain(left_out).collect::<Vec<_>>()
    };
    side(&pairing.a, Side::A).into_iter().chain(side(&pairing.b, Side::B)).collect()
}

fn of_side(runs: &[RunAccount], side: Side) -> Vec<Vec<Incident>> {
    runs.iter().filter(|run| run.side == side && run.left_out.is_none()).map(|run| run.incidents.clone()).collect()
}

fn outcomes(input: &Input<'_>, pairing: &Pairing<'_>) -> Outcomes {
    let judged = |members: &Members<'_>| {
        let Member { address, run } = members.compared.first()?;
        Some((input.judge)(address, run))
    };
    Outcomes { a: judged(&pairing.a), b: judged(&pairing.b) }
}

/// An aborted run has another length and another end than a whole one: nothing can be concluded from it.
fn with_aborts(mut contract: Contract, a: &Members<'_>, b: &Members<'_>) -> Contract {
    if a.is_aborted() || b.is_aborted() {
        let word = |members: &Members<'_>| Some(if members.is_aborted() { "aborted" } else { "ended by itself" }.to_owned());
        let difference = KeyDifference {
            key: "k6.aborted".to_owned(),
            level: Level::Blocking,
            a: word(a),
            b: word(b),
            behavioural: true,
            accepted: None,
        };
        contract.differences.insert(0, difference);
        contract.verdict = Comparability::NotComparable;
    }
    contract
}

/// Whether a fixed or scripted number of virtual users made the load, each waiting for its answer: no sign of an arrival rate, which
/// drops iterations or has no users of its own.
fn is_closed(record: &Record) -> bool {
    record.k6.as_ref().is_some_and(|k6| {
        let dropped = k6.metrics.contains_key("dropped_iterations");
        let users = k6.scenarios.iter().all(|scenario| scenario.vus.is_some())
            && derive::figure(record, FigureId::K6Vus).measurement().is_some();
        !dropped && users
    })
}

fn notes(comparison: &TargetComparison) -> Vec<String> {
    let mut notes = Vec::new();
    if comparison.same_runs {
        notes.push("both sides are the same runs".to_owned());
    }
    if comparison.closed_model {
        notes.push(
            "virtual users wait for each answer (closed model): throughput and latency are one quantity, and a stall delays the \
             requests that would have met it (coordinated omission), so high percentiles are lower than users would have met"
                .to_owned(),
        );
    }
    let assumed = comparison.changes.iter().filter_map(|change| change.noise.as_ref());
    if assumed.filter(|noise| noise.origin == NoiseOrigin::Assumed).count() > 0 {
        notes.push("the noise from run to run is assumed where repeats do not tell it".to_owned());
    }
    for run in comparison.runs.iter().filter(|run| run.steadiness.as_ref().is_some_and(|one| !one.is_steady)) {
        let ratio = run.steadiness.as_ref().map_or(1.0, |one| one.ratio);
        notes
            .push(format!("{} was not steady: median latency of its last third was {ratio:.2} times that of its first", run.run));
    }
    notes
}
