//! The few figures that stand for a run wherever it is named: throughput, latency, failures.

use serde::Serialize;

use super::cell::{Cell, Labelled, share};
use crate::model::catalogue::FigureId;
use crate::model::derive;
use crate::model::failures::CheckResult;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{Record, StatedShare};
use crate::model::stat::Stat;
use crate::model::summary::{Metric, SUCCESSES, Summary};
use crate::model::units::{self, Unit};

/// Iterations per second as k6 prints them.
pub(in crate::render) fn throughput(record: &Record) -> Cell {
    Cell::figure(&derive::figure(record, FigureId::K6IterationsPerS))
}

/// Iterations per second of the test phase alone.
pub(in crate::render) fn test_throughput(record: &Record) -> Cell {
    Cell::figure(&derive::figure(record, FigureId::K6TestIterationsPerS))
}

/// A percentile of `http_req_duration`, of successes only where they are known.
pub(in crate::render) fn latency(record: &Record, percent: u8) -> Cell {
    let Some(summary) = &record.k6 else { return Cell::missing("no k6 summary") };
    let Some((metric, successes)) = http_latency(summary) else {
        return Cell::missing("k6's summary has no http_req_duration");
    };
    match metric.percentile(percent) {
        Some(stat) => {
            let cell = Cell::value(metric.value(stat), metric.bounds_of(stat), Unit::Ms, "");
            let of = if successes { "successful requests only" } else { "failed requests included" };
            let title = if cell.title.is_empty() { of.to_owned() } else { format!("{of}; {}", cell.title) };
            Cell { title, ..cell }
        }
        None => Cell::missing(format!("k6's summary has no p{percent}")),
    }
}

/// Iterations per second as a number, as k6 has them.
pub(in crate::render) fn throughput_value(record: &Record) -> Option<f64> {
    derive::figure(record, FigureId::K6IterationsPerS).measurement().map(|measurement| measurement.value)
}

/// A percentile of [`latency`] in milliseconds.
pub(in crate::render) fn latency_value(record: &Record, percent: u8) -> Option<f64> {
    let (metric, _) = http_latency(record.k6.as_ref()?)?;
    metric.value(metric.percentile(percent)?)
}

/// A percentile of [`latency`] with all that is known of it.
pub(in crate::render) fn latency_figure(record: &Record, percent: u8) -> Figure {
    let missing = |reason: String| Figure::NotCaptured { reason: Some(reason) };
    let Some(summary) = &record.k6 else { return missing("no k6 summary".to_owned()) };
    let Some((metric, _)) = http_latency(summary) else {
        return missing("k6's summary has no http_req_duration".to_owned());
    };
    let Some((stat, value)) = metric.percentile(percent).and_then(|stat| Some((stat, metric.value(stat)?))) else {
        return missing(format!("k6's summary has no p{percent}"));
    };
    let exact = Measurement::exact(value, Unit::Ms);
    Figure::Measured(match metric.bounds_of(stat) {
        Some(bounds) => exact.within(bounds),
        None => exact,
    })
}

/// The share of [`failures`], where requests were counted.
pub(in crate::render) fn failure_share(record: &Record) -> Option<f64> {
    let (count, of) = counted_requests(record)?;
    (of > 0.0).then(|| count / of)
}

/// So many of so many; or nothing, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::render) struct Share {
    /// How many.
    pub count: Option<u64>,
    /// Of how many.
    pub of: Option<u64>,
    /// Why that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl Share {
    fn of(counts: Option<(f64, f64)>, reason: &'static str) -> Self {
        let counts = counts.and_then(|(count, of)| Some((units::whole(count)?, units::whole(of)?)));
        let (count, of) = counts.unzip();
        Self { count, of, reason: counts.is_none().then_some(reason) }
    }
}

/// [`failures`] as counts.
pub(in crate::render) fn failed_requests(record: &Record) -> Share {
    let reason = if record.errors.none { "stated to be none; requests were not counted" } else { "requests were not counted" };
    Share::of(counted_requests(record), reason)
}

/// [`failed_checks`] as counts.
pub(in crate::render) fn check_failures(record: &Record) -> Share {
    let of_summary = || {
        let (passes, fails) = passes_and_fails(record, "checks")?;
        Some((fails, passes + fails))
    };
    let of_page = || record.errors.checks.as_ref().map(|stated| (stated.count as f64, stated.of as f64));
    let of_samples = || {
        let checks = &record.failures.as_ref()?.checks;
        let sum = |count: fn(&CheckResult) -> u64| checks.iter().map(|check| count(check) as f64).sum::<f64>();
        let (passes, fails) = (sum(|check| check.passes), sum(|check| check.fails));
        (!checks.is_empty()).then_some((fails, passes + fails))
    };
    Share::of(of_summary().or_else(of_page).or_else(of_samples), "checks were not counted")
}

/// Failed requests, and all requests.
fn counted_requests(record: &Record) -> Option<(f64, f64)> {
    let of_summary = || {
        let (passes, fails) = passes_and_fails(record, "http_req_failed")?;
        Some((passes, passes + fails))
    };
    let of_page = || record.errors.requests.as_ref().map(|stated| (stated.count as f64, stated.of as f64));
    let of_samples = || {
        let failures = record.failures.as_ref()?;
        Some((failures.failed? as f64, failures.requests? as f64))
    };
    of_summary().or_else(of_page).or_else(of_samples)
}

fn passes_and_fails(record: &Record, metric: &str) -> Option<(f64, f64)> {
    let summary = record.k6.as_ref()?;
    Some((summary.value(metric, Stat::Passes)?, summary.value(metric, Stat::Fails)?))
}

/// The words that say whether [`latency`] is of successes only.
pub(in crate::render) fn latency_basis(record: &Record) -> &'static str {
    match record.k6.as_ref().and_then(http_latency) {
        Some((_, true)) => "successful requests",
        Some((_, false)) => "all requests",
        None => "",
    }
}

/// Failed requests of all requests.
pub(in crate::render) fn failures(record: &Record) -> Cell {
    counts(record, "http_req_failed", true)
        .or_else(|| record.errors.requests.as_ref().map(stated))
        .or_else(|| sampled(record))
        .or_else(|| record.errors.none.then(|| Cell::known("none").noting("as stated")))
        .unwrap_or_else(|| Cell::missing("requests were not counted"))
}

/// Failed checks of all checks.
pub(in crate::render) fn failed_checks(record: &Record) -> Cell {
    counts(record, "checks", false)
        .or_else(|| record.errors.checks.as_ref().map(stated))
        .or_else(|| sampled_checks(record))
        .unwrap_or_else(|| Cell::missing("checks were not counted"))
}

/// The strip of figures at the top of a run's page.
pub(in crate::render) fn strip(record: &Record) -> Vec<Labelled> {
    let basis = latency_basis(record);
    let row = |label: &str, meaning: &str, cell: Cell| Labelled { label: label.to_owned(), meaning: meaning.to_owned(), cell };
    let percentile = |percent: u8| {
        let cell = latency(record, percent);
        let note = if cell.state == "missing" { cell.note.clone() } else { basis.to_owned() };
        row(&format!("p{percent} latency"), "http_req_duration", cell.noting(note))
    };
    vec![
        row("Iterations per second", "over k6's whole clock, set-up and teardown included", beside_stated(record)),
        percentile(50),
        percentile(95),
        percentile(99),
        row("Failed requests", "requests that k6 counts as failed", failures(record)),
        row("Failed checks", "check results that did not hold", failed_checks(record)),
    ]
}

/// Throughput with what a page states of it, where k6's own figure is there too.
fn beside_stated(record: &Record) -> Cell {
    let cell = throughput(record);
    let stated = record.stated.get(FigureId::K6IterationsPerS).and_then(Figure::measurement);
    match stated.filter(|_| record.k6.is_some()) {
        Some(stated) => cell.noting(format!("stated: {}", stated.text())),
        None => cell,
    }
}

/// `http_req_duration`, its successes where they are told apart.
fn http_latency(summary: &Summary) -> Option<(&Metric, bool)> {
    let all = summary.metrics.get("http_req_duration")?;
    let successes = all.submetrics.get(SUCCESSES).filter(|metric| !metric.values.0.is_empty());
    Some(successes.map_or((all, false), |metric| (metric, true)))
}

/// The bad samples of a rate metric: those that were true where `bad` is true.
fn counts(record: &Record, metric: &str, bad: bool) -> Option<Cell> {
    let summary = record.k6.as_ref()?;
    let (passes, fails) = (summary.value(metric, Stat::Passes)?, summary.value(metric, Stat::Fails)?);
    Some(failed(if bad { passes } else { fails }, passes + fails))
}

/// Failed requests of the raw samples.
fn sampled(record: &Record) -> Option<Cell> {
    let failures = record.failures.as_ref()?;
    Some(failed(failures.failed? as f64, failures.requests? as f64))
}

/// Failed checks of the raw samples.
fn sampled_checks(record: &Record) -> Option<Cell> {
    let checks = &record.failures.as_ref()?.checks;
    let sum = |count: fn(&CheckResult) -> u64| checks.iter().map(|check| count(check) as f64).sum::<f64>();
    let (passes, fails) = (sum(|check| check.passes), sum(|check| check.fails));
    (!checks.is_empty()).then(|| failed(fails, passes + fails))
}

fn failed(count: f64, of: f64) -> Cell {
    let cell = Cell::known(share(count, of));
    if count > 0.0 && of > 0.0 { cell.noting(units::show(count / of, Unit::Ratio)) } else { cell }
}

fn stated(stated: &StatedShare) -> Cell {
    let cell = failed(stated.count as f64, stated.of as f64);
    Cell { title: "as stated, without a k6 summary".to_owned(), ..cell }
}
