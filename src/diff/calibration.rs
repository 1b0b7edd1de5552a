//! How often a comparison is wrong at the current settings: over pairs of runs between which nothing changed, and over the same pairs
//! with a change put in.

use super::change::{Ground, RESAMPLES, count};
use super::decide::{self, Floor};
use super::noise::{Repeated, Repeats, noisy};
use super::resampled::Resampled;
use super::sides::Members;
use super::{method, target};
use crate::model::address::Address;
use crate::model::bounds::Bounds;
use crate::model::calibration::{Calibration, Group, Pair, PairDecision, Power, SCHEMA, Spread};
use crate::model::collection::{Archive, Run};
use crate::model::comparison::{Change, Decision, Kind};
use crate::settings::{Floors, Settings};

/// Changes that are put in, as ratios minus 1.
const PUT_IN: [f64; 6] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5];
/// Runs on a side at most.
const MOST_RUNS: usize = 3;
/// Runs of a group that are taken: more would be more pairs than anybody waits for.
const MOST_OF_GROUP: usize = 12;
/// Ways to part a group that are tried at most: all pairs of its runs.
const MOST_WAYS: usize = MOST_OF_GROUP * (MOST_OF_GROUP - 1) / 2;

/// Calibrates over the repeats of an archive; without repeats there is nothing in it.
#[must_use]
pub fn calibrate(archive: &Archive, settings: &Settings) -> Calibration {
    let floors = &settings.floors;
    let repeats = Repeats::of(archive, settings);
    let pairs: Vec<Pair> = repeats.groups.iter().flat_map(|group| pairs(&runs(archive, group), &repeats, floors)).collect();
    let decided = || pairs.iter().flat_map(|pair| &pair.decisions).filter(|one| one.decision.is_compared());
    Calibration {
        schema: SCHEMA,
        method: method(settings, RESAMPLES, &[]),
        runs: count(repeats.groups.iter().map(|group| group.runs.len()).sum()),
        groups: repeats.groups.iter().filter_map(group).collect(),
        decisions: count(decided().count()),
        false_alarms: count(decided().filter(|one| one.decision.is_change()).count()),
        spreads: spreads(&repeats),
        power: power(archive, &repeats, floors),
        pairs,
    }
}

fn group(group: &Repeated) -> Option<Group> {
    let first = group.runs.first()?;
    let runs = group.runs.iter().map(Address::run).collect();
    Some(Group { release: first.release.to_string(), target: first.target.to_string(), runs })
}

fn spreads(repeats: &Repeats) -> Vec<Spread> {
    let of = |metric: super::metric::Metric| {
        let pooled = repeats.spread(metric.kind, &metric.subject)?;
        Some(Spread { kind: metric.kind, of: metric.subject.of(), sd: pooled.sd, degrees: pooled.degrees })
    };
    noisy().into_iter().filter_map(of).collect()
}

type Runs<'a> = Vec<(&'a Address, &'a Run)>;

/// The runs of a group.
fn runs<'a>(archive: &'a Archive, group: &'a Repeated) -> Runs<'a> {
    group.runs.iter().filter_map(|address| Some((address, archive.run(address)?))).collect()
}

/// Every pair of single runs of a group.
fn pairs(group: &Runs<'_>, repeats: &Repeats, floors: &Floors) -> Vec<Pair> {
    let pair = |(a, b): (Runs<'_>, Runs<'_>)| {
        let decisions = compared(&a, &b, repeats, floors).into_iter().map(|change| PairDecision {
            metric: change.metric,
            kind: change.kind,
            ratio: change.ratio,
            decision: change.decision,
        });
        let name = |runs: &Runs<'_>| runs.first().map(|(address, _)| address.to_string()).unwrap_or_default();
        Pair { decisions: decisions.collect(), a: name(&a), b: name(&b) }
    };
    ways(group, 1).into_iter().map(pair).collect()
}

/// All changes between runs of one build, those runs left out of the noise from run to run.
fn compared(a: &Runs<'_>, b: &Runs<'_>, repeats: &Repeats, floors: &Floors) -> Vec<Change> {
    let left_out: Vec<&Address> = a.iter().chain(b).map(|(address, _)| *address).collect();
    let name = a.first().map(|(address, _)| address.target.to_string()).unwrap_or_default();
    let resampled = &Resampled::default();
    let ground =
        Ground { target: &name, floors, repeats, resampled, left_out: &left_out, same_runs: false, incidents: [&[], &[]] };
    target::changes(&Members::of(a.iter().copied()), &Members::of(b.iter().copied()), ground).0
}

/// The ways to take so many runs for each side, no run on both; a way and its mirror are one.
fn ways<'a>(runs: &[(&'a Address, &'a Run)], size: usize) -> Vec<(Runs<'a>, Runs<'a>)> {
    let pick = |chosen: &[usize]| chosen.iter().filter_map(|nth| runs.get(*nth).copied()).collect::<Vec<_>>();
    let sides = choose(runs.len(), size);
    let mut ways = Vec::new();
    for (nth, a) in sides.iter().enumerate() {
        for b in sides.iter().skip(nth + 1).filter(|b| b.iter().all(|run| !a.contains(run))) {
            if ways.len() < MOST_WAYS {
                ways.push((pick(a), pick(b)));
            }
        }
    }
    ways
}

/// Numbers below `of`, `size` at a time, in order; of the first [`MOST_OF_GROUP`].
fn choose(of: usize, size: usize) -> Vec<Vec<usize>> {
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        chosen = chosen
            .into_iter()
            .flat_map(|set| {
                let next = set.last().map_or(0, |last| last + 1);
                (next..of.min(MOST_OF_GROUP)).map(move |one| set.iter().copied().chain([one]).collect())
            })
            .collect();
    }
    chosen
}

/// How often changes that are put into pairs of unchanged runs are found, up and down alike.
fn power(archive: &Archive, repeats: &Repeats, floors: &Floors) -> Vec<Power> {
    let mut rows = Vec::new();
    for size in 1..=MOST_RUNS {
        let changes: Vec<Change> = repeats
            .groups
            .iter()
            .flat_map(|group| ways(&runs(archive, group), size))
            .flat_map(|(a, b)| compared(&a, &b, repeats, floors))
            .filter(|change| change.of.is_none())
            .collect();
        for kind in [Kind::Throughput, Kind::P50, Kind::P95, Kind::P99] {
            let of_kind: Vec<&Change> =
                changes.iter().filter(|change| change.kind == kind && change.detectable.is_some()).collect();
            if of_kind.is_empty() {
                continue;
            }
            for change in PUT_IN {
                let found = of_kind.iter().map(|one| found(one, change, floors)).sum();
                rows.push(Power { kind, runs: count(size), change, found, of: count(2 * of_kind.len()) });
            }
        }
    }
    rows
}

/// In how many of the two directions a change that is put in is found.
fn found(change: &Change, put_in: f64, floors: &Floors) -> u32 {
    let Some((interval, a)) = change.interval.zip(change.a) else { return 0 };
    let floor = Floor::of(change.kind, floors);
    let moved = |factor: f64| {
        let moved = Bounds::new(interval.lo() * factor, interval.hi() * factor);
        moved.is_some_and(|moved| {
            let worse = (factor > 1.0) != change.kind.more_is_better();
            let decided = decide::ratio(change.kind, moved, a, floor).decision;
            decided.is_change() && (decided == Decision::Regression) == worse
        })
    };
    u32::from(moved(1.0 + put_in)) + u32::from(moved(1.0 / (1.0 + put_in)))
}
