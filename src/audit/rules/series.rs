//! Whether the per-second series is of this run.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveTime, Utc};

use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::finding::Level;
use crate::model::instant::Moment;
use crate::model::record::WindowBasis;
use crate::model::series::{Series, TrendSeries};
use crate::model::stat::Stat;
use crate::model::summary::{MetricUnit, Summary};
use crate::model::units::{Unit, show, show_count, show_number};

/// A series that ends early or has holes.
pub(super) const SHORT: Rule = Rule {
    code: "series-short",
    level: Level::Warning,
    title: "The series does not cover the test",
    reason: "A test under load has samples in every second. A series with fewer than 95% of the test's seconds was cut, or nothing ended in the others: its \
             charts and percentiles leave out a part of the run, often the worst.",
    hint: "make the series again from the whole raw samples, or say what stood still",
    look: Scope::Run(short),
};

fn short(subject: &Subject<'_>) -> Vec<Found> {
    let is_aborted = subject.k6().is_some_and(|k6| k6.aborted);
    let duration = subject.duration_s().filter(|seconds| *seconds >= 60.0 && !is_aborted);
    let measured = subject.run.series.as_ref().zip(duration);
    one(measured.and_then(|(series, duration)| {
        let seconds = seconds(series);
        (seconds > 0 && (seconds as f64) < 0.95 * duration).then(|| {
            let message = format!("the series has {} of the test's {} seconds", show_count(seconds), show_number(duration));
            Found::new(message).with("series.seconds", seconds as f64, Unit::Count).with("duration", duration * 1e3, Unit::Ms)
        })
    }))
}

/// Seconds with a sample of any trend.
fn seconds(series: &Series) -> u64 {
    let all: BTreeSet<i64> = series.trends.values().flat_map(|trend| trend.points.iter().map(|point| point.second)).collect();
    all.len() as u64
}

/// A series that begins elsewhere.
pub(super) const OFF_START: Rule = Rule {
    code: "series-off-start",
    level: Level::Error,
    title: "The series begins at another time than the test",
    reason: "The first second of the series lies more than a minute before the stated start or more than ten minutes after it (set-up takes its time). Whole hours \
             are a time zone taken for UTC; anything else is another run. Metrics of service and database that were fetched for the stated window are then \
             of another hour.",
    hint: "correct the start, in UTC; check the windows of all captures",
    look: Scope::Run(off_start),
};

fn off_start(subject: &Subject<'_>) -> Vec<Found> {
    one(begins(subject).filter(|begins| !is_other_day(begins)).and_then(|begins| {
        let late = begins.late_s();
        // A start to the minute may be anywhere in it.
        let is_near = (-60..=600).contains(&late);
        (!is_near).then(|| {
            let side = if late < 0 { "before" } else { "after" };
            let message = format!(
                "the series begins at {}, {} {side} the stated {}{}",
                Moment::Instant(begins.first).page_text(),
                show(late.unsigned_abs() as f64 * 1e3, Unit::Ms),
                begins.stated.page_text(),
                zone(late)
            );
            Found::new(message).with("series.late", late as f64 * 1e3, Unit::Ms)
        })
    }))
}

/// A series of another day.
pub(super) const OTHER_DAY: Rule = Rule {
    code: "series-other-day",
    level: Level::Error,
    title: "The series is of another day than the test",
    reason: "The first second of the series lies half a day or more from the stated start: it is of another run.",
    hint: "take the series of this run, or correct the date",
    look: Scope::Run(other_day),
};

fn other_day(subject: &Subject<'_>) -> Vec<Found> {
    one(begins(subject).filter(is_other_day).map(|begins| {
        let first = Moment::Instant(begins.first).page_text();
        let message = format!("the series begins at {first}, the test at {}", begins.stated.page_text());
        Found::new(message).with("series.late", begins.late_s() as f64 * 1e3, Unit::Ms)
    }))
}

/// Where a series begins, and where somebody says the test does.
struct Begins {
    first: DateTime<Utc>,
    stated: Moment,
}

impl Begins {
    /// Seconds from the stated start to the series; of a time without a day, to its nearest occurrence.
    fn late_s(&self) -> i64 {
        match self.stated {
            Moment::Instant(at) | Moment::Minute(at) => (self.first - at).num_seconds(),
            Moment::TimeOfDay(time) => nearest(self.first.time(), time),
        }
    }
}

fn nearest(first: NaiveTime, stated: NaiveTime) -> i64 {
    const DAY: i64 = 86_400;
    let late = (first - stated).num_seconds().rem_euclid(DAY);
    if late > DAY / 2 { late - DAY } else { late }
}

/// A window that was read from the samples themselves says nothing about them.
fn begins(subject: &Subject<'_>) -> Option<Begins> {
    let window = &subject.record().window;
    let stated = window.start.filter(|_| window.basis != Some(WindowBasis::Samples))?;
    let (first, _) = subject.run.series.as_ref()?.span()?;
    Some(Begins { first, stated })
}

fn is_other_day(begins: &Begins) -> bool {
    begins.late_s().abs() >= 43_200
}

/// ": about an hour, a time zone" where it is near whole hours.
fn zone(late: i64) -> String {
    let hours = (late as f64 / 3600.0).round();
    let off = (late as f64 - hours * 3600.0).abs();
    let count = hours.abs();
    let hours = if count < 1.5 { "an hour".to_owned() } else { format!("{count} hours") };
    if count >= 1.0 && off <= 300.0 { format!(": about {hours}, as if in another time zone") } else { String::new() }
}

/// A series with trends that k6 did not count.
pub(super) const UNLIKE_K6: Rule = Rule {
    code: "series-unlike-k6",
    level: Level::Error,
    title: "The series does not fit k6's output",
    reason: "A trend of the series is missing from k6's output, or has a second whose median lies outside the trend's own min and max: what k6 printed and what was sampled are of two runs, or of two versions of the script.",
    hint: "take series and output from the same run",
    look: Scope::Run(unlike_k6),
};

fn unlike_k6(subject: &Subject<'_>) -> Vec<Found> {
    let (Some(series), Some(k6)) = (subject.run.series.as_ref(), subject.k6()) else { return Vec::new() };
    let is_timed = |name: &str| k6.metrics.get(name).is_none_or(|metric| metric.unit == Some(MetricUnit::Ms));
    let trends = series.trends.iter().filter(|(name, trend)| !trend.points.is_empty() && is_timed(name));
    trends.filter_map(|(name, trend)| outside(name, trend, k6)).collect()
}

fn outside(name: &str, trend: &TrendSeries, k6: &Summary) -> Option<Found> {
    let Some(metric) = k6.metrics.get(name) else {
        return Some(Found::new(format!("the series has {name}, and k6's output has no such trend")));
    };
    // The series holds thousandths of a millisecond, rounded.
    let allowed = metric.bounds_of(Stat::Min)?.lo() - 0.001..=metric.bounds_of(Stat::Max)?.hi() + 0.001;
    let point = trend.points.iter().find(|point| !allowed.contains(&(point.p50 as f64 / 1e3)))?;
    let median = point.p50 as f64 / 1e3;
    let (min, max) = (metric.value(Stat::Min)?, metric.value(Stat::Max)?);
    let at = DateTime::from_timestamp(point.second, 0)?;
    let message = format!(
        "{name} has a median of {} at {}, and k6's output a min of {} and a max of {}",
        show(median, Unit::Ms),
        Moment::Instant(at).page_text(),
        show(min, Unit::Ms),
        show(max, Unit::Ms)
    );
    let found = Found::new(message).with(format!("series.{name}.p50"), median, Unit::Ms);
    Some(found.with(format!("{name}.min"), min, Unit::Ms).with(format!("{name}.max"), max, Unit::Ms))
}
