//! The share of failed requests: counts, resampled by minute where the minutes are known, because failures come in bursts.

use super::blocks;
use super::change::{Ground, blank, total};
use super::decide;
use super::metric::Metric;
use super::reading;
use super::sides::{Member, Members};
use super::statistics::proportion::{self, Share};
use super::statistics::random::Random;
use crate::model::bounds::Bounds;
use crate::model::comparison::{Basis, Change, Counted, Decision, Difference, Incident, Kind, Noise, NoiseOrigin, Without};

/// Seconds of the blocks that are resampled.
const MINUTE: u32 = 60;
const NAME: &str = "failures";

/// The minutes of each run of a side.
type Minutes = Vec<Vec<Share>>;

/// Compares the shares of failed requests of two sides: those of the whole test phase, the warm-up too.
///
/// # Errors
/// Why they can't be compared.
pub(super) fn change(a: &Members<'_>, b: &Members<'_>, ground: Ground<'_>) -> Result<Change, String> {
    let counted_a = counted(a).ok_or("before: requests were not counted")?;
    let counted_b = counted(b).ok_or("after: requests were not counted")?;
    if counted_a.of == 0 || counted_b.of == 0 {
        return Err("no request was made".to_owned());
    }
    let mut change = blank(&Metric::whole(Kind::Failures), a, b, ground.floors);
    (change.a, change.b) = (Some(share_of(counted_a)), Some(share_of(counted_b)));
    (change.counted_a, change.counted_b) = (Some(counted_a), Some(counted_b));
    let minutes = minutes(a, None).zip(minutes(b, None));
    change.basis = Some(if minutes.is_some() { Basis::Samples } else { Basis::Summary });
    if ground.same_runs {
        change.difference = Bounds::exact(0.0).map(|interval| Difference { value: 0.0, interval });
        change.decision = Decision::NoChange;
        change.noise = Some(noise(0.0, NoiseOrigin::SameRuns, None));
        return Ok(change);
    }
    let interval = interval(counted_a, counted_b, minutes.as_ref(), ground);
    let half_width = (interval.hi() - interval.lo()) / 2.0;
    change.difference = Some(Difference { value: share_of(counted_b) - share_of(counted_a), interval });
    change.decision = decide::share(interval, counted_a.count == 0, counted_b.count == 0, change.floor);
    change.detectable = Some(half_width + change.floor);
    change.noise = Some(noise(half_width, NoiseOrigin::Counts, minutes.is_some().then_some(MINUTE)));
    if counted_a.count == 0 && counted_b.count > 0 {
        change.notes.push("there was none before".to_owned());
    }
    if minutes.is_none() && (counted_a.count > 0 || counted_b.count > 0) {
        change.notes.push("when they failed is not known: a burst counts like a steady share".to_owned());
    }
    change.without_incidents = without(a, b, ground);
    Ok(change)
}

fn noise(half_width: f64, origin: NoiseOrigin, block_s: Option<u32>) -> Noise {
    Noise { within: Some(half_width), within_by_batches: None, between: 0.0, origin, degrees: None, block_s, effective: None }
}

fn interval(a: Counted, b: Counted, minutes: Option<&(Minutes, Minutes)>, ground: Ground<'_>) -> Bounds {
    let share = |counted: Counted| Share { count: counted.count, of: counted.of };
    match minutes {
        Some((a, b)) => {
            let mut random = Random::of(&[ground.target, NAME]);
            proportion::resampled(a, b, ground.floors.level, super::change::RESAMPLES, &mut random)
        }
        None => proportion::newcombe(share(a), share(b), ground.floors.level),
    }
}

fn share_of(counted: Counted) -> f64 {
    counted.count as f64 / counted.of as f64
}

/// Failed requests of a side, all its runs together.
pub(super) fn counted(members: &Members<'_>) -> Option<Counted> {
    let counts: Option<Vec<Counted>> = members.compared.iter().map(|member| reading::failed(member.record())).collect();
    counts.filter(|counts| !counts.is_empty()).map(total)
}

/// Failed requests of every minute of every run; `None` where a run has no blocks.
fn minutes(members: &Members<'_>, without: Option<&[Vec<Incident>]>) -> Option<Minutes> {
    let runs = members.compared.iter().enumerate();
    runs.map(|(nth, member)| of_run(member, without.and_then(|runs| runs.get(nth)).map_or(&[], Vec::as_slice))).collect()
}

fn of_run(member: &Member<'_>, without: &[Incident]) -> Option<Vec<Share>> {
    let blocks = blocks::of_length(member.run.series.as_ref()?, MINUTE)?;
    let (failed, requests) = (blocks.counts.get("http_req_failed")?, blocks.counts.get("http_reqs")?);
    let clean = |block: usize| {
        let (from, to) = (block as f64 * f64::from(MINUTE), (block + 1) as f64 * f64::from(MINUTE));
        without.iter().all(|one| one.to_s <= from || to <= one.from_s)
    };
    let pairs = failed.iter().zip(requests).enumerate().filter(|(block, _)| clean(*block));
    Some(pairs.map(|(_, (count, of))| Share { count: *count, of: *of }).collect())
}

/// The same without the minutes in which there was an incident.
fn without(a: &Members<'_>, b: &Members<'_>, ground: Ground<'_>) -> Option<Without> {
    if ground.incidents.iter().all(|side| side.iter().all(Vec::is_empty)) {
        return None;
    }
    let minutes = (minutes(a, Some(ground.incidents[0]))?, minutes(b, Some(ground.incidents[1]))?);
    let sum = |runs: &Minutes| total(runs.iter().flatten().map(|share| Counted { count: share.count, of: share.of }));
    let (counted_a, counted_b) = (sum(&minutes.0), sum(&minutes.1));
    if counted_a.of == 0 || counted_b.of == 0 {
        return None;
    }
    let interval = interval(counted_a, counted_b, Some(&minutes), ground);
    let decision = decide::share(interval, counted_a.count == 0, counted_b.count == 0, ground.floors.failures);
    Some(Without { ratio: None, interval, decision })
}
