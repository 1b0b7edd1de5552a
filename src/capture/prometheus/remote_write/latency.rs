//! Latencies of requests that succeeded: observations beside k6's own summary, which tells them better.

use super::super::super::buckets::{Buckets, Quantile};
use super::super::super::track::Value;
use super::series::{Series, Told, measured};
use crate::model::figure::Measurement;
use crate::model::record::Observation;
use crate::model::units::Unit;
use crate::secrets::masked;

/// k6 writes times in seconds.
const MS: f64 = 1e3;

/// The ending of a trend's series and what it is.
const STATS: [(&str, &str); 5] = [("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99"), ("avg", "mean")];

/// Labels that name a request without its address, which may hold a token.
const NAMING: [&str; 5] = ["scenario", "group", "name", "method", "status"];

/// What the series of `http_req_duration` tell of successes.
pub(super) fn observations(told: &Told<'_>) -> Vec<Observation> {
    let mut observed = from_stats(told);
    observed.extend(from_buckets(told));
    observed
}

fn successes<'t, 'a>(told: &'t Told<'a>, metric: &str) -> Vec<&'t Series<'a>> {
    told.of(metric).iter().filter(|series| series.labels.get("expected_response").is_some_and(|own| own == "true")).collect()
}

/// Percentiles that k6 computed, one a tag set: they can't be merged.
fn from_stats(told: &Told<'_>) -> Vec<Observation> {
    let mut observed = Vec::new();
    for (ending, stat) in STATS {
        let metric = format!("k6_http_req_duration_{ending}");
        let all = successes(told, &metric);
        for series in &all {
            let Some((_, seconds)) = series.last() else { continue };
            let of = if all.len() > 1 { format!(" ({})", name(series)) } else { String::new() };
            let measurement = measured(seconds * MS, Unit::Ms, &metric, [*series]).by("k6's own, of one tag set, since it began");
            observed.push(Observation { name: format!("{stat} of successes{of}"), measurement });
        }
    }
    observed
}

/// Percentiles of native histograms, whose buckets can be added over tag sets.
fn from_buckets(told: &Told<'_>) -> Vec<Observation> {
    let metric = "k6_http_req_duration_seconds";
    let all = successes(told, metric);
    let value = |series: &&Series<'_>| match series.last_point().map(|point| point.value.clone()) {
        Some(Value::Buckets(buckets)) => Some(buckets),
        _ => None,
    };
    let buckets: Vec<Buckets> = all.iter().filter_map(value).collect();
    let pooled = Buckets::pooled(&buckets).scaled(MS);
    if pooled.is_empty() || buckets.len() < all.len() || told.names().any(|name| name == "k6_http_req_duration_p50") {
        return Vec::new();
    }
    let measured = |value: f64, unit: Unit, method: &str| measured(value, unit, metric, all.iter().copied()).by(method);
    let observation = |name: &str, measurement: Measurement| Observation { name: name.to_owned(), measurement };
    let mut observed =
        vec![observation("successful requests", measured(pooled.count(), Unit::Count, "count of the last histogram"))];
    if let Some(mean) = pooled.mean() {
        observed.push(observation("mean of successes", measured(mean, Unit::Ms, "sum by count of the last histogram")));
    }
    for (name, share) in [("p50 of successes", 0.5), ("p95 of successes", 0.95), ("p99 of successes", 0.99)] {
        if let Some(Quantile::At(value)) = pooled.quantile(share, 0.0) {
            let method = "native buckets of the last histogram, linear inside the bucket";
            observed.push(observation(name, measured(value, Unit::Ms, method)));
        }
    }
    observed
}

/// What a tag set is of, by the labels that name a request.
fn name(series: &Series<'_>) -> String {
    let labels = NAMING.iter().filter_map(|label| Some(format!("{label} {}", series.labels.get(*label)?)));
    masked(&labels.collect::<Vec<_>>().join(", ")).into_owned()
}
