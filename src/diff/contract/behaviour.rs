//! What the runs did, in numbers: bytes, requests, time. Over the runs of a side counts are added, other figures averaged.

use std::collections::BTreeMap;

use super::held::{Agreement, Held, Sides, by_difference, by_ratio};
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::derive;
use crate::model::instant::Moment;
use crate::model::record::Record;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, ScenarioState};
use crate::model::units::{Unit, show, show_number, show_traffic};

/// Bytes per request that differ by more are another response.
const BYTES: f64 = 0.25;

/// Requests per iteration that differ by more are another script.
const REQUESTS: f64 = 0.02;

/// Test phases that differ by more are of another length.
const LENGTH: f64 = 0.05;

/// Shares of client time that differ by more, in points.
const CLIENT: f64 = 0.05;

/// What of a run's requests set-up, teardown and unfinished iterations may have made where nobody told them apart from the test.
const BESIDE_THE_TEST: f64 = 0.1;

/// A number of a side, and what its rounding allows.
#[derive(Clone, Copy)]
struct Known {
    value: f64,
    bounds: Bounds,
}

/// A counter over another: the quotient, and both as means over the runs of a side where they are known.
#[derive(Clone, Copy)]
struct Quotient {
    quotient: Known,
    counts: Option<(Known, Known)>,
}

/// Over what the counters were read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    /// The test phase alone.
    Test,
    /// k6's summary: set-up and teardown are in it.
    Run,
}

/// Whether the responses are of a size.
pub(super) fn bytes_per_request(sides: &Sides<'_>) -> Held {
    let (a, b, _) = quotients(sides, "data_received", "http_reqs", FigureId::K6BytesPerRequest);
    let judge = |a, b| by_ratio(a, b, BYTES);
    hold(sides, [a.map(|side| side.quotient), b.map(|side| side.quotient)], judge, show_traffic)
}

/// Whether an iteration makes as many requests. Where set-up and teardown are among them on both sides, and the same number of them
/// could explain the difference, nobody can tell.
pub(super) fn requests_per_iteration(sides: &Sides<'_>) -> Held {
    let (a, b, over) = quotients(sides, "http_reqs", "iterations", FigureId::K6RequestsPerIteration);
    let counts = a.and_then(|side| side.counts).zip(b.and_then(|side| side.counts));
    let is_explained = over == Some(Over::Run) && counts.is_some_and(|(a, b)| may_be_beside_the_test(a, b));
    let judge = |a, b| match by_ratio(a, b, REQUESTS) {
        Agreement::Unlike if is_explained => Agreement::Untold,
        other => other,
    };
    let note = if is_explained { ", those of set-up included" } else { "" };
    let shown = |requests| format!("{}{note}", show_number(requests));
    hold(sides, [a.map(|side| side.quotient), b.map(|side| side.quotient)], judge, shown)
}

/// Whether the test phases are of a length.
pub(super) fn test_length(sides: &Sides<'_>) -> Held {
    let side = |runs: &[&Record]| mean(runs.iter().filter_map(|run| length(run)));
    hold(sides, [side(sides.a), side(sides.b)], |a, b| by_ratio(a, b, LENGTH), |seconds| show(seconds * 1e3, Unit::Ms))
}

/// Whether the load generator spent a like share of the iterations by itself.
pub(super) fn client_time(sides: &Sides<'_>) -> Held {
    let side = |runs: &[&Record]| mean(runs.iter().filter_map(|run| figure(run, FigureId::K6ClientTimeRatio)));
    hold(sides, [side(sides.a), side(sides.b)], |a, b| by_difference(a, b, CLIENT), |share| show(share, Unit::Ratio))
}

/// Both sides by what they can be. Where that does not tell, it is shown, else the numbers themselves.
fn hold(
    sides: &Sides<'_>,
    [a, b]: [Option<Known>; 2],
    judge: impl Fn(Bounds, Bounds) -> Agreement,
    shown: impl Fn(f64) -> String,
) -> Held {
    let Some((known_a, known_b)) = a.zip(b) else {
        let shown = |side: Option<Known>| side.map(|known| shown(known.value));
        return if a.or(b).is_none() { Held::Unknown } else { Held::Untold { a: shown(a), b: shown(b) } };
    };
    let agreement = if sides.are_same { Agreement::Alike } else { judge(known_a.bounds, known_b.bounds) };
    let shown = |known: Known| match agreement {
        Agreement::Untold => ranged(known.bounds, &shown),
        Agreement::Alike | Agreement::Unlike => shown(known.value),
    };
    agreement.of(shown(known_a), shown(known_b))
}

/// A value, or both ends of what it can be where they are shown differently.
fn ranged(bounds: Bounds, shown: impl Fn(f64) -> String) -> String {
    let (lo, hi) = (shown(bounds.lo()), shown(bounds.hi()));
    if lo == hi { lo } else { format!("{lo} to {hi}") }
}

/// The quotients of both sides over the same: the test phase where every run tells it, else k6's summaries, else the figures as they
/// are known of each run.
fn quotients(sides: &Sides<'_>, above: &str, below: &str, id: FigureId) -> (Option<Quotient>, Option<Quotient>, Option<Over>) {
    for over in [Over::Test, Over::Run] {
        let side = |runs: &[&Record]| quotient(runs, over, above, below);
        if let (Some(a), Some(b)) = (side(sides.a), side(sides.b)) {
            return (Some(a), Some(b), Some(over));
        }
    }
    let side = |runs: &[&Record]| {
        let quotient = mean(runs.iter().filter_map(|run| figure(run, id)))?;
        Some(Quotient { quotient, counts: None })
    };
    (side(sides.a), side(sides.b), None)
}

fn quotient(runs: &[&Record], over: Over, above: &str, below: &str) -> Option<Quotient> {
    let mean_of = |name: &str| {
        let count = |run: &&Record| {
            let metric = metrics(run, over)?.get(name)?;
            Some(Known { value: metric.value(Stat::Count)?, bounds: metric.bounds_of(Stat::Count)? })
        };
        let counts: Option<Vec<Known>> = runs.iter().map(count).collect();
        mean(counts?.into_iter())
    };
    let (above, below) = (mean_of(above)?, mean_of(below)?);
    let quotient = Known { value: above.value / below.value, bounds: above.bounds.over(below.bounds)? };
    Some(Quotient { quotient, counts: Some((above, below)) })
}

fn metrics(run: &Record, over: Over) -> Option<&BTreeMap<String, Metric>> {
    match over {
        Over::Test => run.phases.as_ref()?.test.as_ref().map(|test| &test.metrics),
        Over::Run => run.k6.as_ref().map(|summary| &summary.metrics),
    }
}

/// Whether the same number of requests beside the test, on both sides, leaves as many requests an iteration: s of
/// (`r_a` - s) / `i_a` = (`r_b` - s) / `i_b`, if it is no more than [`BESIDE_THE_TEST`] of the smaller number of requests.
fn may_be_beside_the_test(a: (Known, Known), b: (Known, Known)) -> bool {
    let (requests_a, iterations_a) = (a.0.value, a.1.value);
    let (requests_b, iterations_b) = (b.0.value, b.1.value);
    let beside = (requests_a * iterations_b - requests_b * iterations_a) / (iterations_b - iterations_a);
    beside.is_finite() && beside > 0.0 && beside <= BESIDE_THE_TEST * requests_a.min(requests_b)
}

fn figure(run: &Record, id: FigureId) -> Option<Known> {
    derive::figure(run, id).measurement().map(|measurement| Known { value: measurement.value, bounds: measurement.range() })
}

/// The mean of values, and what it can be; `None` of none.
fn mean(values: impl Iterator<Item = Known>) -> Option<Known> {
    let values: Vec<Known> = values.collect();
    let count = values.len() as f64;
    let sum = values.iter().map(|known| known.bounds).try_fold(Bounds::exact(0.0)?, Bounds::plus)?;
    let value = values.iter().map(|known| known.value).sum::<f64>() / count;
    Some(Known { value, bounds: sum.over(Bounds::exact(count)?)? })
}

/// Seconds of the test phase: by its samples, else as its one scenario was given where it lasted that long, else by the window.
fn length(run: &Record) -> Option<Known> {
    let by_samples = || {
        let phases = run.phases.as_ref()?;
        let (value, bounds) = phases.test.as_ref()?.seconds(phases.resolution_s)?;
        Some(Known { value, bounds })
    };
    by_samples().or_else(|| by_scenario(run)).or_else(|| by_window(run))
}

fn by_scenario(run: &Record) -> Option<Known> {
    let [scenario] = run.k6.as_ref()?.scenarios.as_slice() else { return None };
    let seconds = scenario.duration_s.filter(|_| scenario.state == ScenarioState::Done)? as f64;
    Some(Known { value: seconds, bounds: Bounds::exact(seconds)? })
}

/// A moment that is written to the minute lies anywhere in it.
fn by_window(run: &Record) -> Option<Known> {
    let moment = |moment: Moment| {
        let at = moment.instant()?.timestamp_millis() as f64 / 1e3;
        let width = if matches!(moment, Moment::Minute(_)) { 60.0 } else { 0.0 };
        Some((at, Bounds::new(at, at + width)?))
    };
    let ((end, ends), (start, starts)) = (moment(run.window.end?)?, moment(run.window.start?)?);
    let length = ends.minus(starts)?;
    Some(Known { value: (end - start).max(0.0), bounds: Bounds::new(length.lo().max(0.0), length.hi().max(0.0))? })
}
