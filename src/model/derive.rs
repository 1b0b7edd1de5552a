//! Figures of a record: what was captured, what follows from k6's summary, what was provisioned.
//!
//! Derived figures are computed whenever they are asked for, from k6's own numbers and with their bounds; they are
//! never stored, so they can't go stale. Where raw samples tell the test phase from set-up and teardown, what is asked of the
//! load is computed over it alone; `method` says so.

mod phase;

use std::collections::BTreeMap;

use super::bounds::Bounds;
use super::catalogue::{CATALOGUE, FigureId, Origin};
use super::evidence::{Fact, FigureRef, Known};
use super::figure::{Figure, Measurement};
use super::record::Record;
use super::stat::Stat;
use super::summary::{Metric, ScenarioState, Summary};
use super::units::Unit;

/// What k6 or a phase of its run has of metrics, by name.
type Metrics = BTreeMap<String, Metric>;

/// A figure of a record. Derived figures fall back to what a page states where there is neither a summary of k6 nor a test
/// phase that gives them.
#[must_use]
pub fn figure(record: &Record, id: FigureId) -> Figure {
    let found = match id.row().origin {
        Origin::Derived => derived(record, id),
        Origin::Provisioned => provisioned(record, id),
        Origin::Captured | Origin::Project => Figure::NotCaptured { reason: None },
    };
    record.figures.get(id).cloned().unwrap_or_else(|| finite(found))
}

/// Counts may add up to more than a number can hold; that is no figure.
fn finite(figure: Figure) -> Figure {
    match figure.measurement() {
        Some(measurement) if !measurement.value.is_finite() => Figure::not_captured("it is beyond the numbers that can be kept"),
        _ => figure,
    }
}

/// Everything a flow may ask about a record.
#[must_use]
pub fn known(record: &Record, previous: Option<&Record>, goal: Option<f64>, stop_at_goal: bool) -> Known {
    let mut known = Known::default();
    for row in CATALOGUE {
        known.figures.insert(FigureRef::this(row.figure), figure(record, row.figure));
        if let Some(previous) = previous {
            known.figures.insert(FigureRef::previous(row.figure), figure(previous, row.figure));
        }
    }
    let goal = goal.map_or_else(
        || Figure::not_captured("the target has no goal in plimsoll.toml"),
        |goal| Figure::Measured(Measurement::exact(goal, Unit::PerSecond)),
    );
    known.figures.insert(FigureRef::this(FigureId::GoalIterationsPerS), goal);
    known.facts.insert(Fact::StopAtGoal, stop_at_goal);
    known.facts.insert(Fact::HasPrevious, previous.is_some());
    if let Some(deferrable) = record.identity.deferrable {
        known.facts.insert(Fact::Deferrable, deferrable);
    }
    known.aborted = record.k6.as_ref().filter(|s| s.aborted).map(|s| s.aborted_by.clone().unwrap_or_default());
    known
}

/// What a figure means for a record: the catalogue's words, or those of the test phase where it is computed over it alone.
#[must_use]
pub fn meaning(record: &Record, id: FigureId) -> &'static str {
    let over_test = || record.phases.as_ref().is_some_and(|phases| phase::figure(phases, id).is_some());
    if id == FigureId::K6RequestsPerIteration && over_test() {
        return "HTTP requests per iteration, those of the test phase alone.";
    }
    id.row().meaning
}

/// From the test phase where the figure is one of it, from k6's summary, by the clock of the samples: the first that measures
/// it. What a page states comes last, and only where k6 left no summary.
fn derived(record: &Record, id: FigureId) -> Figure {
    let over_test = record.phases.as_ref().and_then(|phases| phase::figure(phases, id));
    let by_summary = record.k6.as_ref().map(|summary| summarised(summary, id));
    let stated = if record.k6.is_none() { record.stated.get(id).cloned() } else { None };
    let by_samples = record.phases.as_ref().filter(|_| id == FigureId::K6TestIterationsPerS).and_then(phase::iterations_per_s);
    let ways: Vec<Figure> = [over_test, by_summary, by_samples, stated].into_iter().flatten().collect();
    let measured = ways.iter().position(|figure| figure.measurement().is_some());
    // Nobody measured it: the last way says what it would have taken.
    let best = measured.or_else(|| ways.len().checked_sub(1)).and_then(|at| ways.into_iter().nth(at));
    best.unwrap_or_else(|| Figure::not_captured("no k6 summary"))
}

fn summarised(summary: &Summary, id: FigureId) -> Figure {
    let metrics = &summary.metrics;
    match id {
        FigureId::K6IterationsPerS => value(summary, "iterations", Stat::Rate, id),
        FigureId::K6TestIterationsPerS => test_iterations_per_s(summary),
        FigureId::K6Iterations => value(summary, "iterations", Stat::Count, id),
        FigureId::K6Requests => value(summary, "http_reqs", Stat::Count, id),
        // A sample of http_req_failed is true when the request failed, so its "passes" are the failures.
        FigureId::K6FailedRequests => value(summary, "http_req_failed", Stat::Passes, id),
        FigureId::K6Checks => checks_total(summary),
        FigureId::K6FailedChecks => value(summary, "checks", Stat::Fails, id),
        FigureId::K6SuccessRatio => success_ratio(summary),
        FigureId::K6Vus => vus(summary),
        FigureId::K6ClientTimeRatio => client_time_ratio(metrics, "set-up requests included"),
        FigureId::K6BytesPerRequest => quotient(metrics, ("data_received", Stat::Count), ("http_reqs", Stat::Count), id, None),
        FigureId::K6RequestsPerIteration => quotient(metrics, ("http_reqs", Stat::Count), ("iterations", Stat::Count), id, None),
        _ => Figure::NotCaptured { reason: None },
    }
}

fn value(summary: &Summary, metric: &str, stat: Stat, id: FigureId) -> Figure {
    match (summary.value(metric, stat), summary.bounds(metric, stat)) {
        (Some(value), Some(bounds)) => Figure::Measured(Measurement::exact(value, id.unit()).within(bounds)),
        _ => missing(metric),
    }
}

fn missing(metric: &str) -> Figure {
    Figure::not_captured(format!("k6's summary has no {metric}"))
}

/// Passes and fails of a rate metric.
fn counts(summary: &Summary, metric: &str) -> Option<(f64, f64)> {
    Some((summary.value(metric, Stat::Passes)?, summary.value(metric, Stat::Fails)?))
}

fn checks_total(summary: &Summary) -> Figure {
    counts(summary, "checks")
        .map_or_else(|| missing("checks"), |(passes, fails)| Figure::Measured(Measurement::exact(passes + fails, Unit::Count)))
}

/// The smaller of the share of requests that did not fail and the share of checks that held; `of` says which.
fn success_ratio(summary: &Summary) -> Figure {
    let requests = counts(summary, "http_req_failed").map(|(failed, fine)| (fine, failed + fine, "requests"));
    let checks = counts(summary, "checks").map(|(held, failed)| (held, held + failed, "checks"));
    let ratio = |&(good, all, _): &(f64, f64, &str)| good / all;
    [requests, checks]
        .into_iter()
        .flatten()
        .filter(|(_, all, _)| *all > 0.0 && all.is_finite())
        .min_by(|a, b| ratio(a).total_cmp(&ratio(b)))
        .map_or_else(
            || Figure::not_captured("k6's summary counts neither requests nor checks"),
            |(good, all, what)| Figure::Measured(Measurement::exact(good / all, Unit::Ratio).of(what)),
        )
}

fn vus(summary: &Summary) -> Figure {
    let max = summary.value("vus_max", Stat::Max).or_else(|| summary.value("vus_max", Stat::Value));
    #[allow(clippy::cast_precision_loss, reason = "no run has 2^53 virtual users")]
    let status = summary.vus_max.map(|vus| vus as f64);
    max.or(status).map_or_else(|| missing("vus_max"), |vus| Figure::Measured(Measurement::exact(vus, Unit::Count)))
}

/// Iterations over the configured duration, where one scenario with a duration made them all and lasted it.
fn test_iterations_per_s(summary: &Summary) -> Figure {
    let [scenario] = summary.scenarios.as_slice() else {
        return Figure::not_captured("the length of the test phase is not known");
    };
    if scenario.state != ScenarioState::Done {
        return Figure::not_captured("the test phase did not last as long as it was given");
    }
    let (Some(seconds), Some(count)) = (scenario.duration_s.filter(|s| *s > 0), summary.value("iterations", Stat::Count)) else {
        return Figure::not_captured("the length of the test phase is not known");
    };
    #[allow(clippy::cast_precision_loss, reason = "no run lasts 2^53 seconds")]
    let rate = count / seconds as f64;
    Figure::Measured(Measurement::exact(rate, Unit::PerSecond).by("iterations over the scenario's configured duration"))
}

/// One minus the time spent in requests over the time spent in iterations, from means and counts; `which` says of which
/// requests.
fn client_time_ratio(metrics: &Metrics, which: &str) -> Figure {
    let id = FigureId::K6ClientTimeRatio;
    let bounds = |metric: &str, stat| metrics.get(metric)?.bounds_of(stat);
    let parts = || {
        let requests = bounds("http_req_duration", Stat::Avg)?.times(bounds("http_reqs", Stat::Count)?)?;
        let iterations = bounds("iteration_duration", Stat::Avg)?.times(bounds("iterations", Stat::Count)?)?;
        Bounds::exact(1.0)?.minus(requests.over(iterations)?)
    };
    let Some(share) = parts() else {
        return missing("http_req_duration and iteration_duration with avg");
    };
    let Some(bounds) = Bounds::new(0.0, 1.0).and_then(|all| all.intersect(share)) else {
        return Figure::not_captured("requests overlap within an iteration");
    };
    let middle = f64::midpoint(bounds.lo(), bounds.hi());
    let method = format!("1 - mean request time x requests / (mean iteration time x iterations), {which}");
    Figure::Measured(Measurement::exact(middle, id.unit()).within(bounds).by(method))
}

fn quotient(metrics: &Metrics, above: (&str, Stat), below: (&str, Stat), id: FigureId, method: Option<&str>) -> Figure {
    let of = |(metric, stat): (&str, Stat)| {
        let metric = metrics.get(metric)?;
        Some((metric.value(stat)?, metric.bounds_of(stat)?))
    };
    let Some((a, a_bounds)) = of(above) else { return missing(above.0) };
    let Some((b, b_bounds)) = of(below) else { return missing(below.0) };
    match a_bounds.over(b_bounds) {
        Some(bounds) => {
            let method = method.map(str::to_owned);
            Figure::Measured(Measurement { method, ..Measurement::exact(a / b, id.unit()).within(bounds) })
        }
        None => Figure::not_captured(format!("{} is 0", below.0)),
    }
}

fn provisioned(record: &Record, id: FigureId) -> Figure {
    let container = &record.environment.service.container;
    let database = &record.environment.database;
    #[allow(clippy::cast_precision_loss, reason = "no service has 2^53 containers")]
    let value = match id {
        FigureId::ContainerVcpu => container.vcpu,
        FigureId::ContainerMemorySize => container.memory.as_ref().map(|size| size.bytes.get()),
        FigureId::ContainerMaxScale => container.max_scale.or(container.count).map(|n| n as f64),
        FigureId::DatabaseVcpu => database.vcpu,
        FigureId::DatabaseMemorySize => database.memory.as_ref().map(|size| size.bytes.get()),
        _ => None,
    };
    value.map_or(Figure::NotCaptured { reason: None }, |value| Figure::Measured(Measurement::exact(value, id.unit())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::summary::{MetricKind, Scenario, SummaryKind};

    /// A summary of one rate metric.
    fn rate(name: &str, passes: f64, fails: f64) -> Summary {
        let mut metric = Metric::new(MetricKind::Rate, None);
        metric.values.0.extend([(Stat::Passes, Some(passes)), (Stat::Fails, Some(fails))]);
        let mut summary = Summary::new(SummaryKind::Export, None);
        summary.metrics.insert(name.to_owned(), metric);
        summary
    }

    fn value(summary: Summary, id: FigureId) -> Option<f64> {
        let mut record = Record::new("v1/a".parse().unwrap_or_else(|bad| unreachable!("{bad}")));
        record.k6 = Some(summary);
        figure(&record, id).measurement().map(|measurement| measurement.range().lo())
    }

    #[test]
    fn counts_beyond_all_numbers_are_no_figure() {
        assert_eq!(value(rate("checks", 1e308, 1e308), FigureId::K6Checks), None);
        assert_eq!(value(rate("checks", 1e308, 1e308), FigureId::K6SuccessRatio), None);
        assert_eq!(value(rate("http_req_failed", 1e308, 1e308), FigureId::K6SuccessRatio), None);
        assert_eq!(value(rate("checks", 3.0, 1.0), FigureId::K6SuccessRatio), Some(0.75));
    }

    #[test]
    fn iterations_of_a_test_that_was_cut_off_are_not_spread_over_the_time_it_was_given() {
        let rate = |state| {
            let mut iterations = Metric::new(MetricKind::Counter, None);
            iterations.values.0.insert(Stat::Count, Some(600.0));
            let mut summary = Summary::new(SummaryKind::Text, None);
            summary.metrics.insert("iterations".to_owned(), iterations);
            summary.scenarios.push(Scenario { name: "default".to_owned(), state, vus: Some(1), duration_s: Some(60) });
            value(summary, FigureId::K6TestIterationsPerS)
        };
        assert_eq!(rate(ScenarioState::Done), Some(10.0));
        assert_eq!(rate(ScenarioState::Interrupted), None);
        assert_eq!(rate(ScenarioState::Unfinished), None);
    }

    #[test]
    fn the_smaller_share_is_the_success() {
        let mut summary = rate("checks", 98.0, 2.0);
        summary.metrics.extend(rate("http_req_failed", 3.0, 97.0).metrics);
        assert_eq!(value(summary, FigureId::K6SuccessRatio), Some(0.97));
    }
}
