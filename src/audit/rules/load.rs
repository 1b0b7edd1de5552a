//! Whether the load was what the page says: virtual users, time, iterations.

use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::finding::Level;
use crate::model::stat::Stat;
use crate::model::summary::Summary;
use crate::model::units::{self, Unit, show, show_count};

/// Little's law does not hold.
pub(super) const LITTLES_LAW: Rule = Rule {
    code: "littles-law",
    level: Level::Error,
    title: "Virtual users and iterations do not fit",
    reason: "A fixed number of virtual users that iterate without a pause spend their whole time in iterations (Little's law): iterations x \
             mean iteration time is virtual users x duration. More than 5% off, and beyond what iterations cut off at the ends explain, the \
             load stood still or ran with other users or for another time than stated: throughput and latencies are then of something else. \
             It looks at runs of one scenario with a fixed number of users for at least a minute.",
    hint: "look at the per-second series for where the load stood still; measure again",
    look: Scope::Run(littles_law),
};

/// How far the two sides of Little's law may be apart.
const TOLERANCE: f64 = 0.05;

fn littles_law(subject: &Subject<'_>) -> Vec<Found> {
    one(law(subject))
}

fn law(subject: &Subject<'_>) -> Option<Found> {
    let k6 = subject.k6()?;
    let (vus, seconds) = fixed_load(k6)?;
    let count = k6.bounds("iterations", Stat::Count)?;
    let mean = k6.bounds("iteration_duration", Stat::Avg)?;
    let whole = Bounds::exact(vus * seconds * 1e3)?;
    let ratio = count.times(mean)?.over(whole)?;
    // An iteration at each end of each user may lie outside or be cut off.
    let tolerance = TOLERANCE + 2.0 * mean.hi() / (seconds * 1e3);
    if ratio.hi() >= 1.0 - tolerance && ratio.lo() <= 1.0 + tolerance {
        return None;
    }
    let (count, mean) = (k6.value("iterations", Stat::Count)?, k6.value("iteration_duration", Stat::Avg)?);
    let law = count * mean / (vus * seconds * 1e3);
    let message = format!(
        "{} iterations of {} in the mean are {law:.3} of the time of {} virtual users over {}",
        units::show_number(count),
        show(mean, Unit::Ms),
        units::show_number(vus),
        show(seconds * 1e3, Unit::Ms)
    );
    let found = Found::new(message).with("k6.iterations", count, Unit::Count).with("iteration_duration.avg", mean, Unit::Ms);
    Some(found.with("k6.vus", vus, Unit::Count).with("duration", seconds * 1e3, Unit::Ms).with("littles_law", law, Unit::Ratio))
}

/// Virtual users and seconds of the only scenario, where it holds all users for a minute or more.
fn fixed_load(k6: &Summary) -> Option<(f64, f64)> {
    let [scenario] = k6.scenarios.as_slice() else { return None };
    let (vus, seconds) = (scenario.vus? as f64, scenario.duration_s? as f64);
    let all = k6.value("vus_max", Stat::Max).or_else(|| k6.vus_max.map(|vus| vus as f64))?;
    (all.total_cmp(&vus).is_eq() && vus > 0.0 && seconds >= 60.0 && !k6.aborted).then_some((vus, seconds))
}

/// Iterations that were cut off at the end.
pub(super) const INTERRUPTED: Rule = Rule {
    code: "interrupted-iterations",
    level: Level::Warning,
    title: "Iterations were cut off at the end",
    reason: "k6 gives iterations that are under way at the end their graceful stop (30 s by default) and cuts off those that still run. Their \
             requests are in the summary, their iterations are not: the slowest are missing from every number of the iteration.",
    hint: "raise gracefulStop above the slowest iteration",
    look: Scope::Run(interrupted),
};

fn interrupted(subject: &Subject<'_>) -> Vec<Found> {
    one(subject.k6().filter(|k6| !k6.aborted).and_then(|k6| {
        let cut = k6.iterations.interrupted.filter(|cut| *cut > 0)?;
        let vus = subject.figure(FigureId::K6Vus).map(|vus| format!(" (of {} virtual users)", units::show_number(vus.value)));
        let done = k6.iterations.complete.map(|done| format!("; {} were complete", show_count(done))).unwrap_or_default();
        let message =
            format!("{} were cut off at the end{}{done}", units::show_counted(cut, "iteration"), vus.unwrap_or_default());
        Some(Found::new(message).with("interrupted_iterations", cut as f64, Unit::Count))
    }))
}

/// A run that was stopped.
pub(super) const ABORTED: Rule = Rule {
    code: "aborted-run",
    level: Level::Error,
    title: "The run was ended before its time",
    reason: "A sign in k6's output says that the run was stopped: by a signal, a threshold that aborts, the script, or an exception in setup. What it measured until then is no \
             measurement of the target; a flow gives it no verdict, and `publish` leaves it out.",
    hint: "run the test again, to its end",
    look: Scope::Run(aborted),
};

fn aborted(subject: &Subject<'_>) -> Vec<Found> {
    one(subject.k6().filter(|k6| k6.aborted).map(|k6| {
        let sign = k6.aborted_by.as_ref().map(|sign| format!(": {sign}")).unwrap_or_default();
        Found::new(format!("k6 was ended before its time{sign}"))
    }))
}

/// k6 ran far longer than the test.
pub(super) const CLOCK_BEYOND_DURATION: Rule = Rule {
    code: "clock-beyond-duration",
    level: Level::Warning,
    title: "k6 ran far longer than the test was given",
    reason: "k6's clock runs from before setup() to after teardown(). More than 10% beyond the test's duration, set-up, teardown or iterations that \
             do not end take a part of the run that no number shows by itself; every rate that k6 prints is over that clock.",
    hint: "give both times on the page, and rates over the test phase",
    look: Scope::Run(clock_beyond_duration),
};

fn clock_beyond_duration(subject: &Subject<'_>) -> Vec<Found> {
    one(clock(subject).filter(|(clock, duration)| *clock > 1.1 * duration).map(|(clock, duration)| {
        let (clock, duration) = (clock * 1e3, duration * 1e3);
        let message = format!("the test was given {}, and k6's clock says {}", show(duration, Unit::Ms), exactly(clock));
        Found::new(message).with("duration", duration, Unit::Ms).with("k6.clock", clock, Unit::Ms)
    }))
}

/// Seconds by k6's clock, and those the test was given.
fn clock(subject: &Subject<'_>) -> Option<(f64, f64)> {
    let duration = subject.duration_s().filter(|seconds| *seconds >= 60.0)?;
    // A clock that has no milliseconds is none that can be told.
    let clock = subject.k6()?.duration_s.filter(|seconds| (seconds * 1e3).is_finite())?;
    Some((clock, duration))
}

/// A long time with the tenths that k6 prints: `42m06.8s`.
fn exactly(ms: f64) -> String {
    let minutes = (ms / 6e4).floor();
    format!("{minutes}m{:04.1}s", ms / 1e3 - minutes * 60.0)
}

/// Rates over a clock that is not the test's.
pub(super) const RATE_OVER_CLOCK: Rule = Rule {
    code: "rate-over-clock",
    level: Level::Note,
    title: "The rate is over set-up and teardown too",
    reason: "k6 divides iterations by its whole clock. Where that is more than 1% below iterations over the test phase, the page's throughput is \
             lower than what the service did under load, by a part that depends on how long set-up took.",
    hint: "compare k6.test_iterations_per_s between releases, not k6's own rate",
    look: Scope::Run(rate_over_clock),
};

fn rate_over_clock(subject: &Subject<'_>) -> Vec<Found> {
    let printed = subject.figure(FigureId::K6IterationsPerS);
    let test = subject.figure(FigureId::K6TestIterationsPerS);
    one(printed.zip(test).filter(|(printed, test)| test.range().lo() > 1.01 * printed.range().hi()).map(|(printed, test)| {
        let less = 1.0 - printed.value / test.value;
        let clock = clock(subject).map(|(clock, _)| format!(" ({})", exactly(clock * 1e3))).unwrap_or_default();
        let message = format!(
            "{} over k6's whole clock{clock}, {} over the test phase: {} less",
            printed.text(),
            test.text(),
            show(less, Unit::Ratio)
        );
        Found::new(message).measured("k6.iterations_per_s", &printed).measured("k6.test_iterations_per_s", &test)
    }))
}

/// A load generator that is busy with itself.
pub(super) const CLIENT_TIME: Rule = Rule {
    code: "client-time",
    level: Level::Note,
    title: "A part of each iteration is not spent in requests",
    reason: "Virtual users that do not wait for the service (they sleep, compute, wait for a CPU of the load generator) ask for less than they \
             could: throughput is then a property of the load generator too. Above 10% of the iteration it is said.",
    hint: "look at the load generator's CPU; take sleeps and heavy work out of the script, or say why they are there",
    look: Scope::Run(client_time),
};

fn client_time(subject: &Subject<'_>) -> Vec<Found> {
    let share = subject.figure(FigureId::K6ClientTimeRatio).filter(|share| share.range().lo() > 0.1);
    let mean = subject.value("iteration_duration", Stat::Avg);
    one(share.zip(mean).map(|(share, mean)| {
        let message = format!(
            "{} of an iteration ({} in the mean) passes outside of requests",
            show(share.value, Unit::Ratio),
            show(mean, Unit::Ms)
        );
        Found::new(message).measured("k6.client_time_ratio", &share).with("iteration_duration.avg", mean, Unit::Ms)
    }))
}
