//! Whether the trends can be what their names say.

use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::{Subject, is_single};
use crate::model::catalogue::FigureId;
use crate::model::finding::Level;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, MetricUnit};
use crate::model::units::{Unit, show};

/// Requests that no trend measures.
pub(super) const UNEXPLAINED_ITERATION: Rule = Rule {
    code: "unexplained-iteration",
    level: Level::Warning,
    title: "No trend explains how long an iteration takes",
    reason: "The mean of all requests (http_req_duration) is above the mean of every trend of the script's own. A mean lies between the means of its parts, \
             so there are slow requests that no trend measures: the table of endpoints leaves out what users wait for most. It looks where requests take more than half of the iteration, and \
             1,000 iterations or more outweigh those of set-up.",
    hint: "add a trend to the requests that have none; http_req_duration by name tells which they are",
    look: Scope::Run(unexplained),
};

fn unexplained(subject: &Subject<'_>) -> Vec<Found> {
    one(slow_elsewhere(subject))
}

fn slow_elsewhere(subject: &Subject<'_>) -> Option<Found> {
    let k6 = subject.k6().filter(|k6| k6.value("iterations", Stat::Count).is_some_and(|count| count >= 1e3))?;
    let is_busy = subject.range(FigureId::K6ClientTimeRatio).is_none_or(|share| share.hi() < 0.5);
    let all = k6.bounds("http_req_duration", Stat::Avg)?;
    let means =
        subject.own_trends().filter_map(|(name, metric)| Some((name, metric.bounds_of(Stat::Avg)?, metric.value(Stat::Avg)?)));
    let (slowest, bounds, mean) = means.max_by(|a, b| a.1.hi().total_cmp(&b.1.hi()))?;
    let (request, iteration) = (k6.value("http_req_duration", Stat::Avg)?, k6.value("iteration_duration", Stat::Avg)?);
    (is_busy && all.lo() > bounds.hi()).then(|| {
        let message = format!(
            "a request takes {} in the mean and an iteration {}, but {slowest}, the slowest trend of the script, takes {}",
            show(request, Unit::Ms),
            show(iteration, Unit::Ms),
            show(mean, Unit::Ms)
        );
        let found =
            Found::new(message).with("http_req_duration.avg", request, Unit::Ms).with(format!("{slowest}.avg"), mean, Unit::Ms);
        found.with("iteration_duration.avg", iteration, Unit::Ms)
    })
}

/// Trends of one sample.
pub(super) const SINGLE_SAMPLE: Rule = Rule {
    code: "single-sample-trend",
    level: Level::Note,
    title: "Trends with one sample",
    reason: "All statistics of a trend are the same number: it was sampled once (in setup(), mostly), or all its samples are alike. A p99 of one \
             sample is no percentile.",
    hint: "leave such trends out of the table of endpoints, or give n beside them",
    look: Scope::Run(single_samples),
};

fn single_samples(subject: &Subject<'_>) -> Vec<Found> {
    let single: Vec<&str> = subject.own_trends().filter(|(_, metric)| is_single(metric)).map(|(name, _)| name).collect();
    let count = single.len();
    one((count > 0).then(|| {
        let what =
            if count == 1 { "1 trend has one value only".to_owned() } else { format!("{count} trends have one value only") };
        Found::new(format!("{what}: {}", single.join(", "))).with("single_sample_trends", count as f64, Unit::Count)
    }))
}

/// A password that nobody checked.
pub(super) const FAST_PASSWORD: Rule = Rule {
    code: "fast-password",
    level: Level::Note,
    title: "A password was checked faster than it can be hashed",
    reason: "Checking a password means hashing it, slowly on purpose: bcrypt at cost 10, the least that OWASP advises, takes 40 to 60 ms on a \
             present CPU. A trend that is named after entering or checking a password, and whose median is below 40 ms, measures something else: a redirect, a refusal, an \
             answer before the check.",
    hint: "find out which request the trend measures; give the hash's cost on the page",
    look: Scope::Run(fast_password),
};

/// Milliseconds that no check of a password stays below: what the cheapest advised hash takes on a fast CPU.
const FASTEST_HASH_MS: f64 = 40.0;

fn fast_password(subject: &Subject<'_>) -> Vec<Found> {
    let checks = subject.own_trends().filter(|(name, _)| is_password_check(name));
    let found = checks.filter_map(|(name, metric)| {
        let median = metric.percentile(50)?;
        let (value, bounds) = (metric.value(median)?, metric.bounds_of(median)?);
        (bounds.hi() < FASTEST_HASH_MS).then(|| {
            let message = format!("{name} has a median of {}", show(value, Unit::Ms));
            Found::new(message).with(format!("{name}.p50"), value, Unit::Ms)
        })
    });
    found.collect()
}

fn is_password_check(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let acts = ["enter", "check", "verify", "login", "authenticate"];
    name.contains("password") && acts.iter().any(|act| name.contains(act)) && !name.contains("page")
}

/// Statistics out of order.
pub(super) const PERCENTILE_ORDER: Rule = Rule {
    code: "percentile-order",
    level: Level::Error,
    title: "Statistics of a trend are out of order",
    reason: "min, percentiles and max of a trend ascend by definition, and its mean lies between min and max. Where they do not, numbers were swapped or typed.",
    hint: "take the numbers from k6's own output again",
    look: Scope::Run(percentile_order),
};

fn percentile_order(subject: &Subject<'_>) -> Vec<Found> {
    let metrics = subject.k6().map(|k6| k6.metrics.iter()).into_iter().flatten();
    let trends = metrics.filter(|(_, metric)| metric.kind == MetricKind::Trend);
    trends.filter_map(|(name, metric)| disorder(name, metric)).collect()
}

fn disorder(name: &str, metric: &Metric) -> Option<Found> {
    // The statistics of a trend are ordered as their values must be, but for the count and the mean.
    let ranked: Vec<Stat> =
        metric.values.0.keys().copied().filter(|stat| !matches!(stat, Stat::Count | Stat::Avg | Stat::Med)).collect();
    let pairs = ranked.windows(2).map(|pair| (pair[0], pair[1]));
    let ends = [(Stat::Min, Stat::Avg), (Stat::Avg, Stat::Max), (Stat::Min, Stat::Med), (Stat::Med, Stat::Max)];
    let (low, high) = pairs.chain(ends).find(|(low, high)| {
        let bounds = metric.bounds_of(*low).zip(metric.bounds_of(*high));
        bounds.is_some_and(|(low, high)| low.lo() > high.hi() + slack(high.hi()))
    })?;
    let (a, b) = (metric.value(low)?, metric.value(high)?);
    let unit = if metric.unit == Some(MetricUnit::Ms) { Unit::Ms } else { Unit::Count };
    let message = format!("{name}: {low} is {}, above {high}, {}", show(a, unit), show(b, unit));
    Some(Found::new(message).with(format!("{name}.{low}"), a, unit).with(format!("{name}.{high}"), b, unit))
}

/// What sums of doubles may be off: a mean of equal samples.
fn slack(value: f64) -> f64 {
    value.abs() * 1e-9
}
