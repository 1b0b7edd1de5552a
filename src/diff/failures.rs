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
use crate::model::comparison::{Basis, Change, Counted, Decision, Difference, Kind, Noise, NoiseOrigin, Without};
use crate::model::failures::{Phase, Shape};
use crate::model::units::show_count;

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
    let minutes = minutes(a).zip(minutes(b));
    change.basis = Some(if minutes.is_some() { Basis::Samples } else { Basis::Summary });
    if ground.same_runs {
        change.difference = Some(Difference { value: 0.0, interval: Bounds::exact(0.0) });
        change.decision = Decision::NoChange;
        change.noise = Some(noise(0.0, NoiseOrigin::SameRuns, None));
        return Ok(change);
    }
    let interval = interval(counted_a, counted_b, minutes.as_ref(), ground);
    let half_width = (interval.hi() - interval.lo()) / 2.0;
    change.difference = Some(Difference { value: share_of(counted_b) - share_of(counted_a), interval: Some(interval) });
    change.decision = decide::share(interval, counted_a.count == 0, counted_b.count == 0, change.floor);
    change.detectable = Some(half_width + change.floor);
    change.noise = Some(noise(half_width, NoiseOrigin::Counts, minutes.is_some().then_some(MINUTE)));
    if counted_a.count == 0 && counted_b.count > 0 {
        change.notes.push("there was none before".to_owned());
    }
    if minutes.is_none() && (counted_a.count > 0 || counted_b.count > 0) {
        change.notes.push("when they failed is not known: a burst counts like a steady share".to_owned());
    }
    if let Some((without, rest)) = without(a, b, ground) {
        also_without(&mut change, without, rest);
    }
    Ok(change)
}

/// A burst hides behind its own size what goes on beside it: a steady failure that is surely more than before is a regression,
/// whatever the minutes with the burst allow.
fn also_without(change: &mut Change, without: Without, [rest_a, rest_b]: [Counted; 2]) {
    let words = |counted: Counted| format!("{} of {}", show_count(counted.count), show_count(counted.of));
    change.notes.push(format!("without bursts {} before and {} after", words(rest_a), words(rest_b)));
    if without.decision == Decision::Regression {
        change.decision = Decision::Regression;
    }
    change.without_incidents = Some(without);
}

fn noise(half_width: f64, origin: NoiseOrigin, block_s: Option<u32>) -> Noise {
    Noise { within: Some(half_width), within_by_batches: None, between: 0.0, origin, degrees: None, block_s, effective: None }
}

fn interval(a: Counted, b: Counted, minutes: Option<&(Minutes, Minutes)>, ground: Ground<'_>) -> Bounds {
    let share = |counted: Counted| Share { count: counted.count, of: counted.of };
    let level = ground.floors.level;
    let interval = match minutes {
        Some((a, b)) => {
            let mut random = Random::of(&[ground.target, NAME]);
            proportion::resampled(a, b, level, super::change::RESAMPLES, &mut random)
        }
        None => proportion::newcombe(share(a), share(b), level),
    };
    // From none a share can fall no further than what none can hide, and rise to none no further.
    let hidden = |counted: Counted| if counted.count == 0 { proportion::wilson(share(counted), level).hi() } else { 1.0 };
    Bounds::new(interval.lo().max(-hidden(a)), interval.hi().min(hidden(b))).unwrap_or(interval)
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
fn minutes(members: &Members<'_>) -> Option<Minutes> {
    members.compared.iter().map(of_run).collect()
}

fn of_run(member: &Member<'_>) -> Option<Vec<Share>> {
    let blocks = blocks::of_length(member.run.series.as_ref()?, MINUTE)?;
    let (failed, requests) = (blocks.counts.get("http_req_failed")?, blocks.counts.get("http_reqs")?);
    Some(failed.iter().zip(requests).map(|(count, of)| Share { count: *count, of: *of }).collect())
}

/// The same without bursts. What is left shows no burst, so that its failures come as independent ones do, and a score interval holds.
fn without(a: &Members<'_>, b: &Members<'_>, ground: Ground<'_>) -> Option<(Without, [Counted; 2])> {
    let is_burst = |members: &Members<'_>| members.compared.iter().any(|member| bursts(member).is_some_and(|count| count > 0));
    if !is_burst(a) && !is_burst(b) {
        return None;
    }
    let (rest_a, rest_b) = (rest(a)?, rest(b)?);
    if rest_a.of == 0 || rest_b.of == 0 {
        return None;
    }
    let interval = interval(rest_a, rest_b, None, ground);
    let decision = decide::share(interval, rest_a.count == 0, rest_b.count == 0, ground.floors.failures);
    Some((Without { ratio: None, interval, decision }, [rest_a, rest_b]))
}

/// Failed requests of a side that are in no burst, of all that are in none.
fn rest(members: &Members<'_>) -> Option<Counted> {
    let of_run = |member: &Member<'_>| {
        let (all, burst) = (reading::failed(member.record())?, bursts(member)?);
        Some(Counted { count: all.count.checked_sub(burst)?, of: all.of.checked_sub(burst)? })
    };
    let counts: Option<Vec<Counted>> = members.compared.iter().map(of_run).collect();
    counts.map(total)
}

/// Failed requests of a run's test phase that are in a burst; `None` where nobody told them apart.
fn bursts(member: &Member<'_>) -> Option<u64> {
    let failures = member.record().failures.as_ref()?;
    let of_test = failures.populations.iter().filter(|one| one.phase == Phase::Test && one.shape == Shape::Burst);
    Some(of_test.map(|one| one.count).fold(0, u64::saturating_add))
}
