//! Failures of a record in words: `2,095 of 23,434 requests failed (8.94%): 2,032: 503 (platform), burst of 11 s from 55 s into
//! the test; 63: 500 (service), steady`. Plain text; who puts it on a page makes it safe.

use crate::model::failures::{CheckResult, Failures, Origin, Phase, Population, Shape};
use crate::model::instant::Moment;
use crate::model::record::Record;
use crate::model::units::{Unit, show, show_count};

/// So many populations are told one by one, the largest; the others are counted.
const TOLD: usize = 8;

/// A sentence about requests and one about checks, where raw samples tell of them and nobody stated failures by hand.
pub(super) fn sentences(record: &Record) -> Vec<String> {
    let by_hand = &record.errors;
    let stated = by_hand.none
        || by_hand.requests.is_some()
        || by_hand.checks.is_some()
        || !by_hand.kinds.is_empty()
        || !by_hand.failed_checks.is_empty()
        || !by_hand.aborted_iterations.is_empty();
    let start = record.phases.as_ref().and_then(|phases| phases.test.as_ref()).map(|test| test.first);
    match record.failures.as_ref().filter(|_| !stated) {
        Some(failures) => {
            let is_cut = record.phases.as_ref().is_some_and(|phases| phases.is_cut);
            let cut = is_cut.then(|| "the raw samples were cut, what came after is missing".to_owned());
            requests(failures, start).into_iter().chain(checks(&failures.checks)).chain(cut).collect()
        }
        None => Vec::new(),
    }
}

fn requests(failures: &Failures, start: Option<Moment>) -> Option<String> {
    let head = failed_of(failures.failed?, failures.requests, "requests");
    let kinds = kinds(&failures.populations, start);
    Some(if kinds.is_empty() { head } else { format!("{head}: {}", kinds.join("; ")) })
}

/// `1 of 2,000 checks failed (0.05%)`: the count stands beside the share.
fn failed_of(failed: u64, of: Option<u64>, what: &str) -> String {
    let failed_text = show_count(failed);
    match of {
        Some(of) if of > 0 => {
            format!("{failed_text} of {} {what} failed ({})", show_count(of), show(failed as f64 / of as f64, Unit::Ratio))
        }
        Some(_) => format!("{failed_text} of 0 {what} failed"),
        None => format!("{failed_text} {what} failed"),
    }
}

/// The largest populations in their order, then how many are left.
fn kinds(populations: &[Population], start: Option<Moment>) -> Vec<String> {
    let mut by_size: Vec<usize> = (0..populations.len()).collect();
    by_size.sort_by_key(|at| std::cmp::Reverse(populations[*at].count));
    let (told, rest) = by_size.split_at(by_size.len().min(TOLD));
    let mut told = told.to_vec();
    told.sort_unstable();
    let left = rest.iter().fold(0_u64, |sum, at| sum.saturating_add(populations[*at].count));
    let left = (!rest.is_empty()).then(|| format!("{} of {} smaller kinds", show_count(left), rest.len()));
    told.into_iter().map(|at| kind(&populations[at], start)).chain(left).collect()
}

/// `2,032: 503 (platform), burst of 10 s from 55 s into the test`.
fn kind(population: &Population, start: Option<Moment>) -> String {
    let what = what(population);
    let origin = match population.origin {
        Origin::Service => "service",
        Origin::Platform => "platform",
        Origin::Client => "client",
        Origin::Unknown => "side not known",
    };
    format!("{}: {what} ({origin}), {}", show_count(population.count), when(population, start))
}

/// What came back, or what k6 says instead: `503`, `dial: i/o timeout`.
pub(super) fn what(population: &Population) -> String {
    match (population.status, &population.message, population.error_code) {
        (Some(status), _, _) if status > 0 => status.to_string(),
        (_, Some(message), _) if !message.is_empty() => message.clone(),
        (_, _, Some(code)) => format!("error code {code}"),
        _ => "no response".to_owned(),
    }
}

/// When in the test it was: `burst of 11 s from 55 s into the test`.
pub(super) fn when(population: &Population, start: Option<Moment>) -> String {
    let place = match population.phase {
        Phase::Setup => "in setup",
        Phase::Test => "",
        Phase::Teardown => "in teardown",
    };
    let begins = || match seconds(start, population.first) {
        Some(from) if population.phase == Phase::Test && from >= 0 => format!("{} into the test", show_seconds(from)),
        _ => format!("{} {place}", population.first.page_text()).trim_end().to_owned(),
    };
    match population.shape {
        Shape::Steady => format!("steady {place}").trim_end().to_owned(),
        Shape::Single => format!("once, {}", begins()),
        Shape::Burst => match seconds(Some(population.first), population.last) {
            // Both its first and its last second are of it.
            Some(length) if length >= 1 => format!("burst of {} from {}", show_seconds(length + 1), begins()),
            _ => format!("burst within a second, {}", begins()),
        },
    }
}

/// From the second of one moment to that of another, where both are on known days: populations are told by whole seconds.
fn seconds(from: Option<Moment>, to: Moment) -> Option<i64> {
    Some(to.instant()?.timestamp() - from?.instant()?.timestamp())
}

fn show_seconds(seconds: i64) -> String {
    show(seconds as f64 * 1e3, Unit::Ms)
}

/// `1 of 2,000 checks failed (0.05%): paid (1 failed)`.
fn checks(checks: &[CheckResult]) -> Option<String> {
    let sum = |count: fn(&CheckResult) -> u64| checks.iter().fold(0_u64, |sum, check| sum.saturating_add(count(check)));
    let (passes, fails) = (sum(|check| check.passes), sum(|check| check.fails));
    let head = failed_of(fails, Some(passes.saturating_add(fails)), "checks");
    let failed = checks.iter().filter(|check| check.fails > 0);
    let names: Vec<String> = failed.map(|check| format!("{} ({} failed)", check.name, show_count(check.fails))).collect();
    let told = if names.is_empty() { head } else { format!("{head}: {}", names.join(", ")) };
    (!checks.is_empty()).then_some(told)
}

/// A record with a burst, a steady failure, a time-out and failed checks, whose test phase knows its successes.
#[cfg(test)]
pub(super) fn example() -> Record {
    let moment = |text: &str| text.parse().unwrap_or_else(|bad| unreachable!("{bad}"));
    let failure = |status, message: &str, origin, shape, count, first, last| Population {
        status,
        error_code: None,
        message: Some(message.to_owned()),
        origin,
        reason: None,
        phase: Phase::Test,
        count,
        first: moment(first),
        last: moment(last),
        peak_per_minute: count,
        shape,
        methods: std::collections::BTreeMap::new(),
        names: std::collections::BTreeMap::new(),
        per_minute: Vec::new(),
    };
    let mut record = Record::new("v2.2.0/token_login".parse().unwrap_or_else(|bad| unreachable!("{bad}")));
    let (steady, burst, once) = (Shape::Steady, Shape::Burst, Shape::Single);
    record.failures = Some(Failures {
        schema: crate::model::failures::SCHEMA,
        requests: Some(23_434),
        failed: Some(2_096),
        populations: vec![
            failure(Some(500), "", Origin::Service, steady, 63, "2026-03-01T10:00:03Z", "2026-03-01T10:02:57Z"),
            failure(Some(503), "", Origin::Platform, burst, 2_032, "2026-03-01T10:00:55Z", "2026-03-01T10:01:05Z"),
            failure(None, "dial {x} <b>", Origin::Unknown, once, 1, "2026-03-01T10:02:00Z", "2026-03-01T10:02:00Z"),
        ],
        checks: vec![CheckResult {
            name: "token <ok>".to_owned(),
            group: String::new(),
            passes: 21_338,
            fails: 2_096,
            first_failure: Some(moment("2026-03-01T10:00:03Z")),
            last_failure: Some(moment("2026-03-01T10:02:57Z")),
        }],
    });
    record.phases = Some(tests::phases());
    record
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::phases::{PhaseFigures, Phases};
    use crate::model::record::StatedShare;
    use crate::model::stat::Stat;
    use crate::model::summary::{Metric, MetricKind, MetricUnit};

    pub(super) fn phases() -> Phases {
        let moment = |text: &str| text.parse().unwrap_or_else(|bad| unreachable!("{bad}"));
        let mut successes = Metric::new(MetricKind::Trend, Some(MetricUnit::Ms));
        let values = [(Stat::Count, 21_338.0), (Stat::Med, 80.1), (Stat::p(95), 120.0), (Stat::p(99), 1_290.5)];
        successes.values.0.extend(values.map(|(stat, value)| (stat, Some(value))));
        let mut duration = Metric::new(MetricKind::Trend, Some(MetricUnit::Ms));
        duration.submetrics.insert("expected_response:true".to_owned(), successes);
        let test = PhaseFigures {
            first: moment("2026-03-01T10:00:00Z"),
            last: moment("2026-03-01T10:03:00Z"),
            metrics: [("http_req_duration".to_owned(), duration)].into(),
        };
        Phases { resolution_s: 1.0, test: Some(test), ..Phases::default() }
    }

    #[test]
    fn failures_are_told_by_kind_with_their_time() {
        insta::assert_snapshot!(sentences(&example()).join("\n"));
    }

    #[test]
    fn what_somebody_stated_is_not_contradicted() {
        let mut record = example();
        record.errors.requests = Some(StatedShare { count: 1, of: 2, printed: None });
        assert_eq!(sentences(&record), Vec::<String>::new());
    }

    #[test]
    fn many_kinds_are_told_by_their_size() {
        let mut record = example();
        if let Some(failures) = &mut record.failures {
            let one = failures.populations[0].clone();
            failures.populations.extend((1..=20).map(|count| Population { count, ..one.clone() }));
        }
        let told = sentences(&record).remove(0);
        assert!(told.ends_with("; 20: 500 (service), steady; 106 of 15 smaller kinds"), "{told}");
    }

    #[test]
    fn a_run_without_failures_says_so() {
        let mut record = example();
        if let Some(failures) = &mut record.failures {
            *failures = Failures { failed: Some(0), populations: Vec::new(), checks: Vec::new(), ..failures.clone() };
        }
        assert_eq!(sentences(&record), ["0 of 23,434 requests failed (0%)"]);
    }
}
