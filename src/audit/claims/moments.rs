//! When the run was and how long it ran, as texts tell it.

use chrono::{DateTime, Datelike, NaiveTime, Timelike, Utc};

use super::number::{Digits, Number};
use super::reading::Reading;
use super::topic::{Extent, Topic};
use crate::model::bounds::Bounds;
use crate::model::collection::Run;
use crate::model::instant::Moment;
use crate::model::record::Window;
use crate::model::units::{Unit, show};

/// How far a time of day may lie outside of the window, in seconds: minutes are written for seconds, and failures counted as they are told.
const SLACK_S: f64 = 60.0;

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

/// What a run has of a time.
pub(super) fn of(topic: &Topic, run: &Run) -> Vec<Reading> {
    let one = |reading: Option<Reading>| reading.into_iter().collect();
    match topic {
        Topic::SameTime(time) => one(same(time)),
        Topic::Duration => durations(run),
        Topic::IntoRun(clock) => into_run(run, clock.as_ref()),
        Topic::Clock => one(window(run)),
        Topic::Day => one(day(run)),
        _ => Vec::new(),
    }
}

fn same(time: &Number) -> Option<Reading> {
    let reading = Reading::within("the same time", time.value, time.range(Digits::Cut)?, Unit::Ms);
    Some(Reading { shown: format!("written as {}", show(time.value, Unit::Ms)), ..reading })
}

fn instant(moment: Option<Moment>) -> Option<DateTime<Utc>> {
    moment.and_then(Moment::instant)
}

/// Milliseconds from the window's start to its end.
fn length_ms(window: &Window) -> Option<f64> {
    let (start, end) = instant(window.start).zip(instant(window.end))?;
    #[allow(clippy::cast_precision_loss, reason = "a test lasts less than 2^53 ms")]
    Some((end - start).num_milliseconds() as f64).filter(|length| *length > 0.0)
}

/// How long the test ran: the time it was given, its window, k6's clock with set-up and teardown.
fn durations(run: &Run) -> Vec<Reading> {
    let record = &run.record;
    let exact = |name: &str, ms: Option<f64>| ms.and_then(|ms| Reading::exact(name, ms, Unit::Ms));
    let given = exact("the duration of the test", record.window.duration_s.map(|seconds| seconds * 1e3));
    let window = exact("the window", length_ms(&record.window));
    let clock = clock(run).map(|bounds| Reading::within("k6's clock", bounds.lo(), bounds, Unit::Ms));
    let readings = given.into_iter().chain(window).chain(clock).map(|reading| Reading { digits: Digits::Cut, ..reading });
    readings.collect()
}

/// k6's own clock, in ms.
fn clock(run: &Run) -> Option<Bounds> {
    let k6 = run.record.k6.as_ref()?;
    let clock = k6.duration_bounds.or_else(|| Bounds::exact(k6.duration_s?))?;
    clock.times(Bounds::exact(1e3)?)
}

/// How far into the run something can be: no further than it lasted, and where a time of day is said of it, as far as that. The run
/// may begin with k6's set-up or behind it, so the two may differ by that.
fn into_run(run: &Run, at: Option<&Number>) -> Vec<Reading> {
    let longest = durations(run).into_iter().max_by(|a, b| a.bounds.hi().total_cmp(&b.bounds.hi()));
    let given = run.record.window.duration_s.map(|seconds| seconds * 1e3);
    let extra = clock(run).zip(given).map_or(0.0, |(clock, given)| (clock.hi() - given).max(0.0));
    let offset = at.and_then(|at| {
        let start = f64::from(instant(run.record.window.start)?.time().num_seconds_from_midnight());
        let offset = (at.value - start).rem_euclid(DAY_S) * 1e3;
        let bounds = Bounds::new(offset - SLACK_S * 1e3 - extra, offset + SLACK_S * 1e3 + extra)?;
        Some(Reading {
            shown: show(offset, Unit::Ms),
            ..Reading::within("the time from the run's start", offset, bounds, Unit::Ms)
        })
    });
    let length = longest.map(|reading| reading.extent(Extent::Part));
    offset.or(length).into_iter().collect()
}

/// The time of day of the window, in seconds; its end is past midnight where it is beyond a day.
fn window(run: &Run) -> Option<Reading> {
    let window = &run.record.window;
    let time = |moment: Moment| match moment {
        Moment::Instant(at) | Moment::Minute(at) => at.time(),
        Moment::TimeOfDay(time) => time,
    };
    // Only a day tells that it is the start of this run, and not an hour off.
    let start = instant(window.start).map(|start| f64::from(start.time().num_seconds_from_midnight()))?;
    let length = length_ms(window).or_else(|| clock(run).map(Bounds::hi))? / 1e3;
    let bounds = Bounds::new(start - SLACK_S, start + length + SLACK_S)?;
    let text = |seconds: f64| clock_text(seconds).unwrap_or_default();
    let shown =
        format!("{} to {} UTC", window.start.map(time).map(|start| start.format("%H:%M:%S").to_string())?, text(start + length));
    Some(Reading { name: "the run's window".to_owned(), bounds, shown, amount: None, digits: Digits::All, extent: Extent::All })
}

/// A time of day.
fn clock_text(seconds: f64) -> Option<String> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of a day")]
    let seconds = seconds.rem_euclid(DAY_S) as u32;
    NaiveTime::from_num_seconds_from_midnight_opt(seconds, 0).map(|time| time.format("%H:%M:%S").to_string())
}

/// Whether a time of day is in a window, on whatever day. One without a zone may be of any zone of whole hours.
pub(super) fn is_within(clock: &Number, has_seconds: bool, window: Bounds) -> bool {
    let end = clock.value + if has_seconds { 0.0 } else { 59.0 };
    let step = if clock.is_utc { DAY_S } else { 3600.0 };
    let shift = ((window.lo() - end) / step).ceil() * step;
    clock.value + shift <= window.hi()
}

/// The days that the run touches.
fn day(run: &Run) -> Option<Reading> {
    let (start, end) = (instant(run.record.window.start)?, instant(run.record.window.end));
    let days = |at: DateTime<Utc>| f64::from(at.date_naive().num_days_from_ce());
    let bounds = Bounds::new(days(start), end.map_or(days(start), days).max(days(start)))?;
    let shown = start.format("%Y-%m-%d").to_string();
    Some(Reading { name: "the run's day".to_owned(), bounds, shown, amount: None, digits: Digits::All, extent: Extent::All })
}
