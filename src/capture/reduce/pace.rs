//! How fast counters grew: what was counted over the time it was counted in.
//!
//! The period in which a run begins is a run's in part only, and so is the one in which a counter begins anew: what they count over
//! their whole length is too low a rate. Where enough is left of the window, a rate leaves such periods at its beginning out,
//! amount and seconds; a count does not.

use chrono::{DateTime, Utc};

use super::group::Group;
use super::growth::{Starts, Step, Way, steps};

/// An amount and the time it was counted in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    pub(super) amount: f64,
    pub(super) seconds: f64,
    /// Between what the seconds lie, in words.
    pub(super) between: &'static str,
}

/// What the counters of a group grew by, and in which time; `None` where there is no time between two points.
pub(super) fn pace(group: &Group<'_>, starts: &Starts<'_>) -> Option<Pace> {
    let all: Vec<Step> = group.series.iter().flat_map(|series| steps(group, series, starts)).collect();
    let moments = group.moments();
    let last = *moments.last()?;
    if let Some(from) = whole_periods(group, &all, last) {
        return over(&all, from, last, "between the first whole period of the run and the last point");
    }
    let bases = group.series.iter().filter_map(|series| group.base(series)).map(|point| point.end).min();
    over(&all, bases.or_else(|| moments.first().copied())?, last, "between the first and the last")
}

fn over(all: &[Step], from: DateTime<Utc>, last: DateTime<Utc>, between: &'static str) -> Option<Pace> {
    let seconds = (last - from).as_seconds_f64();
    // In the order of the series: the same input gives the same sum.
    let amount = all.iter().filter(|step| step.from >= from).fold(0.0, |sum, step| sum + step.amount);
    (seconds > 0.0).then_some(Pace { amount, seconds, between })
}

/// The first moment of the run from which on all counters were there, if nine tenths of the window follow it.
fn whole_periods(group: &Group<'_>, all: &[Step], last: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let window = group.window()?;
    let cuts = |step: &Step, at: DateTime<Utc>| {
        let counts = step.amount > 0.0 && step.until > at;
        counts && (step.from < at || step.from == at && step.way != Way::On)
    };
    let mut moments: Vec<DateTime<Utc>> = all.iter().flat_map(|step| [step.from, step.until]).collect();
    moments.sort_unstable();
    let from = moments.into_iter().find(|at| *at >= window.start && !all.iter().any(|step| cuts(step, *at)))?;
    (last - from).as_seconds_f64().ge(&(0.9 * window.seconds())).then_some(from)
}
