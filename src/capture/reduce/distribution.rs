//! Distributions: pooled over series and moments before a percentile is asked for.

use super::super::buckets::{Bucket, Buckets, Quantile};
use super::super::findings::Findings;
use super::super::mapping::Shape;
use super::super::quantity::Quantity;
use super::group::{Group, Series};
use super::growth::{Starts, began_inside};
use super::{judged, measured, observed, standing};
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::units::Unit;

const METHOD: &str = "buckets pooled over series and moments, linear inside the bucket";

pub(super) fn tell(group: &Group<'_>, quantity: Quantity, starts: &Starts<'_>, found: &mut Findings) {
    use FigureId as F;
    let all = pooled(group, starts, |_| true);
    let percentiles: &[(FigureId, f64)] = match quantity {
        Quantity::ContainerCpu => &[(F::ContainerCpuP50, 0.5), (F::ContainerCpuP99, 0.99)],
        Quantity::ContainerMemory => &[(F::ContainerMemoryP50, 0.5)],
        _ => &[(F::ServerLatencyP50, 0.5), (F::ServerLatencyP95, 0.95), (F::ServerLatencyP99, 0.99)],
    };
    for (id, share) in percentiles {
        found.add(*id, percentile(group, &all, *share, id.unit()), standing(group));
    }
    let peak = match quantity {
        Quantity::ContainerCpu => Some(F::ContainerCpuPeak),
        Quantity::ContainerMemory => Some(F::ContainerMemoryPeak),
        _ => None,
    };
    if let Some(id) = peak {
        let highest = all.highest().map(|bucket| judged(highest(group, bucket, id.unit())));
        let none = || Figure::not_captured("its values reach into a bucket without an upper bound");
        found.add(id, highest.unwrap_or_else(none), standing(group));
    }
    if quantity == Quantity::ServerLatency {
        latency(group, &all, starts, found);
    }
}

/// The highest value lies somewhere in the highest bucket: its upper bound is told, and from where it may be.
fn highest(group: &Group<'_>, bucket: Bucket, unit: Unit) -> Measurement {
    let method = "upper bound of the highest bucket with a value: an upper estimate";
    let measurement = measured(group, bucket.high, unit, method);
    match Bounds::new(bucket.low.max(0.0), bucket.high) {
        Some(bounds) => measurement.within(bounds),
        None => measurement,
    }
}

fn percentile(group: &Group<'_>, buckets: &Buckets, share: f64, unit: Unit) -> Figure {
    match buckets.quantile(share, 0.0) {
        Some(Quantile::At(value)) => judged(measured(group, value, unit, METHOD)),
        Some(Quantile::AtLeast(bound)) => {
            Figure::not_captured(format!("it lies above the last bound of the buckets, {bound} {unit}"))
        }
        None => Figure::not_captured(format!("the buckets of {} are empty: nothing was measured", group.metric)),
    }
}

/// What is known of latency besides: how many requests, their mean, and the successes alone.
fn latency(group: &Group<'_>, all: &Buckets, starts: &Starts<'_>, found: &mut Findings) {
    let named = |value: f64, unit: Unit, method: &str| measured(group, value, unit, method);
    found.observed.push(observed("requests with a latency", named(all.count(), Unit::Count, "sum of counts")));
    if let Some(mean) = all.mean() {
        found.observed.push(observed("mean server latency", named(mean, Unit::Ms, "sum of latencies / requests")));
    }
    let is_success =
        |series: &Series<'_>| series.label("response_code").starts_with('2') || series.label("response_code_class") == "2xx";
    let has_codes = group
        .series
        .iter()
        .any(|series| !series.label("response_code").is_empty() || !series.label("response_code_class").is_empty());
    if !has_codes || group.series.iter().all(is_success) {
        return;
    }
    let successes = pooled(group, starts, is_success);
    for (word, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
        if let Figure::Measured(one) | Figure::Incomplete(one) = percentile(group, &successes, share, Unit::Ms) {
            let method = "buckets of the 2xx alone pooled, linear inside the bucket".to_owned();
            found.observed.push(observed(format!("server latency {word} of 2xx"), Measurement { method: Some(method), ..one }));
        }
    }
}

/// The distribution over the window of the series that are asked for.
pub(super) fn pooled(group: &Group<'_>, starts: &Starts<'_>, which: impl Fn(&Series<'_>) -> bool) -> Buckets {
    let series = group.series.iter().filter(|series| which(series));
    Buckets::pooled(&series.map(|series| of_series(group, series, starts)).collect::<Vec<_>>())
}

/// What a series counted in the window: the sum of its periods, what its counters grew by, or what `increase()` gave last.
fn of_series(group: &Group<'_>, series: &Series<'_>, starts: &Starts<'_>) -> Buckets {
    let mut inside = group.inside(series).filter_map(|point| Some((point, series.scaled_buckets(point)?)));
    match group.shape {
        Shape::Counter => {}
        Shape::Increase => return inside.last().map(|(_, buckets)| buckets).unwrap_or_default(),
        _ => return Buckets::pooled(&inside.map(|(_, buckets)| buckets).collect::<Vec<_>>()),
    }
    let mut known = group.base(series).and_then(|base| Some((base, series.scaled_buckets(base)?)));
    let mut parts = Vec::new();
    if known.is_none() {
        known = inside.next();
        parts.extend(
            known.iter().filter(|(first, _)| began_inside(group, series, first, starts).is_some()).map(|(_, now)| now.clone()),
        );
    }
    for (point, now) in inside {
        let grown = known.and_then(|(before, then)| now.since(&then).filter(|_| !starts.restarted(series, before, point)));
        parts.push(grown.unwrap_or_else(|| now.clone()));
        known = Some((point, now));
    }
    Buckets::pooled(&parts)
}
