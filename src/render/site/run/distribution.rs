//! How many requests took how long.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::view::number;
use crate::model::distribution::{Distribution, range_of};
use crate::model::series::Series;
use crate::model::summary::SUCCESSES;
use crate::model::units::{Unit, show};
use crate::render::svg::histogram::{Bin, Histogram, histogram};

/// The figure of a distribution; without a chart where there is none.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct DistributionView {
    pub name: String,
    pub chart_svg: String,
    /// How many samples it holds, and how many lie outside of it.
    pub samples: String,
    pub rows: Vec<QuantileRow>,
}

/// A quantile in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct QuantileRow {
    pub quantile: String,
    pub value: String,
    /// How many samples are above it.
    pub above: String,
}

/// Bars to a tenfold.
const PER_TENFOLD: f64 = 24.0;
/// Quantiles in the table, in thousandths.
const TOLD: [u64; 9] = [10, 50, 250, 500, 750, 900, 950, 990, 999];
/// Quantiles marked in the chart: class and thousandths.
const MARKED: [(&str, u64); 3] = [("p50", 500), ("p95", 950), ("p99", 990)];

/// The figure of successful requests, else of all.
pub(crate) fn view(series: Option<&Series>) -> DistributionView {
    let names = [format!("http_req_duration{{{SUCCESSES}}}"), "http_req_duration".to_owned()];
    let found = series.and_then(|series| names.into_iter().find_map(|name| Some((series.distributions.get(&name)?, name))));
    match found {
        Some((distribution, name)) if distribution.count() > 0 => of(distribution, name),
        _ => DistributionView::default(),
    }
}

fn of(distribution: &Distribution, name: String) -> DistributionView {
    let mark = |(class, thousandths): (&'static str, u64)| {
        let value = quantile(distribution, thousandths)?;
        Some((class, format!("{} {}", quantile_name(thousandths), show(value, Unit::Ms)), value))
    };
    let marks: Vec<_> = MARKED.into_iter().filter_map(mark).collect();
    let outside = match distribution.outside {
        0 => String::new(),
        n => format!(", {} more lie outside of what is counted", number(n)),
    };
    DistributionView {
        chart_svg: histogram(&Histogram { id: "distribution-chart", name: &name, bins: &bins(distribution), marks: &marks }),
        samples: format!("{} samples{outside}", number(distribution.count())),
        rows: TOLD.into_iter().filter_map(|thousandths| row(distribution, thousandths)).collect(),
        name,
    }
}

fn row(distribution: &Distribution, thousandths: u64) -> Option<QuantileRow> {
    let above = distribution.count() - rank(distribution.count(), thousandths);
    Some(QuantileRow {
        quantile: quantile_name(thousandths),
        value: show(quantile(distribution, thousandths)?, Unit::Ms),
        above: number(above),
    })
}

fn quantile_name(thousandths: u64) -> String {
    if thousandths.is_multiple_of(10) {
        format!("p{}", thousandths / 10)
    } else {
        format!("p{}.{}", thousandths / 10, thousandths % 10)
    }
}

/// The place of a quantile among so many samples, from 1 on.
fn rank(count: u64, thousandths: u64) -> u64 {
    let rank = (u128::from(count) * u128::from(thousandths)).div_ceil(1000).max(1);
    u64::try_from(rank).unwrap_or(u64::MAX).min(count)
}

/// The middle of the bucket that holds a quantile, in milliseconds: known to 1/128 of its value.
fn quantile(distribution: &Distribution, thousandths: u64) -> Option<f64> {
    let rank = rank(distribution.count(), thousandths);
    let mut below = 0_u64;
    let bucket = distribution.buckets.iter().find_map(|(bucket, samples)| {
        below = below.saturating_add(*samples);
        (below >= rank).then_some(*bucket)
    })?;
    let (first, width) = range_of(bucket);
    Some((first as f64 + (width - 1) as f64 / 2.0) / 1e6)
}

/// Bars of one ratio over all samples. What took no time at all is in the first.
fn bins(distribution: &Distribution) -> Vec<Bin> {
    let mut counts: BTreeMap<i32, u64> = BTreeMap::new();
    for (bucket, samples) in &distribution.buckets {
        let (first, width) = range_of(*bucket);
        let middle = (first as f64 + (width - 1) as f64 / 2.0).max(1.0) / 1e6;
        #[allow(clippy::cast_possible_truncation, reason = "a logarithm of a number of 64 bits is small")]
        let at = (middle.log10() * PER_TENFOLD).floor() as i32;
        let sum = counts.entry(at).or_default();
        *sum = sum.saturating_add(*samples);
    }
    let Some((first, last)) = counts.keys().next().copied().zip(counts.keys().next_back().copied()) else { return Vec::new() };
    let edge = |at: i32| 10f64.powf(f64::from(at) / PER_TENFOLD);
    (first..=last).map(|at| Bin { from: edge(at), to: edge(at + 1), samples: counts.get(&at).copied().unwrap_or(0) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(samples: &[(u64, u64)]) -> Distribution {
        let mut distribution = Distribution::default();
        for (millionths, count) in samples {
            distribution.add(*millionths, *count);
        }
        distribution
    }

    #[test]
    fn every_sample_is_in_a_bar() {
        let distribution = distribution(&[(0, 3), (1_000_000, 50), (4_000_000, 49), (90_000_000_000, 1)]);
        let bins = bins(&distribution);
        assert_eq!(bins.iter().map(|bin| bin.samples).sum::<u64>(), 103);
        assert!(bins.windows(2).all(|pair| pair[0].to.to_bits() == pair[1].from.to_bits()));
    }

    #[test]
    fn quantiles_have_their_rank() {
        let distribution = distribution(&[(1_000_000, 50), (4_000_000, 49), (90_000_000, 1)]);
        let at = |thousandths| quantile(&distribution, thousandths).map(f64::round);
        assert_eq!([at(500), at(501), at(990), at(999)], [Some(1.0), Some(4.0), Some(4.0), Some(90.0)]);
        let row = row(&distribution, 990);
        assert_eq!(row.map(|row| (row.quantile, row.above)), Some(("p99".to_owned(), "1".to_owned())));
        assert_eq!(quantile_name(999), "p99.9");
    }

    #[test]
    fn extreme_counts_make_a_figure_all_the_same() {
        let view = of(&distribution(&[(0, u64::MAX), (u64::MAX, u64::MAX)]), "x".to_owned());
        assert!(!view.chart_svg.contains("NaN") && view.rows.len() == TOLD.len());
        assert_eq!(self::view(None).chart_svg, "");
    }
}
