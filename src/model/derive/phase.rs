//! Figures of the test phase alone, where raw samples tell it from set-up and teardown.

use super::{client_time_ratio, quotient};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::phases::{PhaseFigures, Phases};
use crate::model::stat::Stat;
use crate::model::units::Unit;

/// A figure over the test phase alone; `None` if it has another clock, or the samples of the phase don't give it.
pub(super) fn figure(phases: &Phases, id: FigureId) -> Option<Figure> {
    let metrics = &phases.test.as_ref()?.metrics;
    let figure = match id {
        FigureId::K6ClientTimeRatio => client_time_ratio(metrics, "set-up requests excluded"),
        FigureId::K6BytesPerRequest => quotient(
            metrics,
            ("data_received", Stat::Count),
            ("http_reqs", Stat::Count),
            id,
            Some("bytes / requests of the test phase"),
        ),
        FigureId::K6RequestsPerIteration => quotient(
            metrics,
            ("http_reqs", Stat::Count),
            ("iterations", Stat::Count),
            id,
            Some("requests / iterations of the test phase"),
        ),
        _ => return None,
    };
    figure.measurement().is_some().then_some(figure)
}

/// Iterations over the time from the first to the last sample, within what cut times allow that time to be; `None` without a
/// test phase.
pub(super) fn iterations_per_s(phases: &Phases) -> Option<Figure> {
    phases.test.as_ref().map(|test| over_samples(test, phases.resolution_s))
}

fn over_samples(test: &PhaseFigures, resolution_s: f64) -> Figure {
    let count = |test: &PhaseFigures| {
        let iterations = test.metrics.get("iterations")?;
        Some((iterations.value(Stat::Count)?, iterations.bounds_of(Stat::Count)?))
    };
    let Some((count, counts)) = count(test) else {
        return Figure::not_captured("the samples of the test phase have no iterations");
    };
    let Some((seconds, lengths)) = test.seconds(resolution_s) else {
        return Figure::not_captured("the length of the test phase is not known: its samples have no time or no known day");
    };
    match counts.over(lengths) {
        Some(bounds) => {
            let rate = Measurement::exact(count / seconds, Unit::PerSecond).within(bounds);
            Figure::Measured(rate.by("iterations over the time from the first to the last sample of the test phase"))
        }
        None => Figure::not_captured("the samples of the test phase lie too close together to tell its length"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{figure, meaning};
    use super::*;
    use crate::model::record::Record;
    use crate::model::summary::{Metric, MetricKind, Scenario, ScenarioState, Summary, SummaryKind};

    fn counter(count: f64) -> Metric {
        let mut metric = Metric::new(MetricKind::Counter, None);
        metric.values.0.insert(Stat::Count, Some(count));
        metric
    }

    fn trend(avg: f64) -> Metric {
        let mut metric = Metric::new(MetricKind::Trend, None);
        metric.values.0.insert(Stat::Avg, Some(avg));
        metric
    }

    /// A run whose set-up made 100 of its 400 requests.
    fn record(last: &str) -> Record {
        let mut record = Record::new("v1/a".parse().unwrap_or_else(|bad| unreachable!("{bad}")));
        let mut summary = Summary::new(SummaryKind::Csv, None);
        let metrics = |requests: f64, bytes: f64| {
            [("http_reqs", counter(requests)), ("iterations", counter(100.0)), ("data_received", counter(bytes))]
                .map(|(name, metric)| (name.to_owned(), metric))
        };
        summary.metrics.extend(metrics(400.0, 80_000.0));
        let moment = |text: &str| text.parse().unwrap_or_else(|bad| unreachable!("{bad}"));
        let mut test =
            PhaseFigures { first: moment("2026-03-01T10:00:00Z"), last: moment(last), metrics: metrics(300.0, 30_000.0).into() };
        test.metrics.insert("http_req_duration".to_owned(), trend(20.0));
        test.metrics.insert("iteration_duration".to_owned(), trend(80.0));
        record.k6 = Some(summary);
        record.phases = Some(Phases { resolution_s: 1.0, test: Some(test), ..Phases::default() });
        record
    }

    fn measured(record: &Record, id: FigureId) -> Option<(f64, String)> {
        let figure = figure(record, id);
        figure.measured().map(|value| (value.value, value.method.clone().unwrap_or_default()))
    }

    #[test]
    fn the_test_phase_is_told_from_set_up() {
        let mut record = record("2026-03-01T10:00:50Z");
        let of = |record: &Record, id| measured(record, id).map(|(value, method)| format!("{value}: {method}"));
        let requests = of(&record, FigureId::K6RequestsPerIteration);
        assert_eq!(requests.as_deref(), Some("3: requests / iterations of the test phase"));
        let bytes = of(&record, FigureId::K6BytesPerRequest);
        assert_eq!(bytes.as_deref(), Some("100: bytes / requests of the test phase"));
        let client = of(&record, FigureId::K6ClientTimeRatio).unwrap_or_default();
        assert!(client.starts_with("0.25: ") && client.ends_with("set-up requests excluded"), "{client}");
        assert!(!meaning(&record, FigureId::K6RequestsPerIteration).contains("set-up"));
        // Without samples of it, k6's own summary answers, and says so.
        record.phases = None;
        assert_eq!(of(&record, FigureId::K6RequestsPerIteration).as_deref(), Some("4: "));
        assert_eq!(of(&record, FigureId::K6ClientTimeRatio), None);
        assert!(meaning(&record, FigureId::K6RequestsPerIteration).contains("set-up"));
    }

    #[test]
    fn first_to_last_sample_is_the_clock_where_no_scenario_has_one() {
        let id = FigureId::K6TestIterationsPerS;
        let mut record = record("2026-03-01T10:00:50Z");
        let rate = figure(&record, id);
        let rate = rate.measured().cloned().unwrap_or_else(|| unreachable!("{rate:?}"));
        assert!((rate.value - 2.0).abs() < 1e-12);
        assert_eq!((rate.range().lo(), rate.range().hi()), (100.0 / 51.0, 100.0 / 49.0));
        assert!(rate.method.is_some_and(|method| method.contains("first to the last sample")));
        let scenario = Scenario { name: "default".to_owned(), state: ScenarioState::Done, vus: None, duration_s: Some(40) };
        record.k6.as_mut().unwrap_or_else(|| unreachable!()).scenarios.push(scenario);
        let by_scenario = measured(&record, id).unwrap_or_default();
        assert!((by_scenario.0 - 2.5).abs() < 1e-12 && by_scenario.1.contains("configured duration"));
        // Samples alone, without a summary of k6.
        record.k6 = None;
        assert!(measured(&record, id).is_some());
    }

    #[test]
    fn a_phase_of_no_known_length_has_no_rate() {
        let reason = |last: &str| match figure(&record(last), FigureId::K6TestIterationsPerS) {
            Figure::NotCaptured { reason } => reason.unwrap_or_default(),
            other => unreachable!("{other:?}"),
        };
        assert!(reason("2026-03-01T10:00:01Z").contains("too close together"));
        assert!(reason("2026-03-01T10:00:00Z").contains("too close together"));
        assert!(reason("10:05Z").contains("no known day"));
    }
}
