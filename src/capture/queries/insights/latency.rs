//! Latencies of single statements: how often each ran, and how long it took.

use std::collections::BTreeMap;

use super::super::text::{fingerprint, normalised};
use super::series::{Series, files};
use super::{Names, SOURCE, Statement, sum};
use crate::capture::buckets::{Buckets, Quantile};
use crate::capture::findings::Findings;
use crate::capture::queries::ranking::{queries, ranked};
use crate::model::figure::Measurement;
use crate::model::record::{Observation, Query};
use crate::model::units::{Unit, whole};

/// How often each statement ran, by text and number; only whole counts are known.
pub(super) fn calls<'a>(series: &[&'a Series<'_>]) -> BTreeMap<(&'a str, &'a str), u64> {
    let mut counts: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for one in series {
        if let Some(buckets) = one.buckets() {
            *counts.entry(one.statement()).or_default() += buckets.count();
        }
    }
    counts.into_iter().filter_map(|(statement, count)| Some((statement, whole(count)?))).collect()
}

/// Calls, mean and percentiles of the statements in the list of queries; without such a list of those that took the most time.
pub(super) fn observed(findings: &mut Findings, series: &[&Series<'_>], names: &Names) {
    let mut by_text: BTreeMap<String, Vec<&Series<'_>>> = BTreeMap::new();
    for one in series.iter().filter(|one| one.buckets().is_some()) {
        by_text.entry(normalised(one.statement().0)).or_default().push(one);
    }
    let list = if findings.queries.is_empty() { by_latency(series, names) } else { findings.queries.clone() };
    let pooled: BTreeMap<String, (Buckets, Vec<String>)> =
        by_text.into_iter().map(|(text, series)| (fingerprint(&text), (pooled(&series), files(&series)))).collect();
    for query in list {
        let Some((buckets, files)) = query.fingerprint.and_then(|digits| pooled.get(&digits)) else { continue };
        if buckets.is_empty() {
            continue;
        }
        for path in files {
            findings.use_file(path, "latency of statements");
        }
        findings.observed.extend(told(&query.name, buckets, files));
    }
}

/// Statements by the time that their latencies sum up to.
fn by_latency(series: &[&Series<'_>], names: &Names) -> Vec<Query> {
    let statements = series.iter().filter_map(|one| {
        let seconds = one.buckets()?.sum.unwrap_or_default() / 1e3;
        Some(Statement { text: one.statement().0.to_owned(), seconds, calls: None, id: None })
    });
    queries(&ranked(statements.collect(), names))
}

/// All values of several series, in an order that depends on nothing but them.
fn pooled(series: &[&Series<'_>]) -> Buckets {
    let all: Vec<Buckets> = series.iter().filter_map(|one| one.buckets()).collect();
    let sums: Option<Vec<f64>> = all.iter().map(|buckets| if buckets.is_empty() { Some(0.0) } else { buckets.sum }).collect();
    let mut pooled = Buckets::pooled(&all);
    pooled.sum = sums.map(sum);
    pooled
}

fn told(name: &str, buckets: &Buckets, files: &[String]) -> Vec<Observation> {
    let observation = |what: &str, value: f64, unit, method: &str| {
        let measurement = Measurement { files: files.to_vec(), ..Measurement::exact(value, unit).by(method).from(SOURCE) };
        Observation { name: format!("{what} of {name}"), measurement }
    };
    let mut told = vec![observation("calls", buckets.count(), Unit::Count, "count of the distribution")];
    told.extend(buckets.mean().map(|mean| observation("mean latency", mean, Unit::Ms, "sum / count")));
    for (what, share) in [("latency p50", 0.5), ("latency p95", 0.95), ("latency p99", 0.99)] {
        match buckets.quantile(share, 0.0) {
            Some(Quantile::At(value)) => {
                told.push(observation(what, value, Unit::Ms, "of all buckets together, linear inside the bucket"));
            }
            Some(Quantile::AtLeast(value)) => {
                let mut least = observation(what, value, Unit::Ms, "of all buckets together");
                least.measurement.lacking = Some("it lies above the last bound: it is at least this".to_owned());
                told.push(least);
            }
            None => {}
        }
    }
    told
}
