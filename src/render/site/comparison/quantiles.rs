//! The shift plot: each quantile of the later run over the same quantile of the earlier one.

use serde::Serialize;

use super::super::view::number;
use super::words;
use crate::model::bounds::Bounds;
use crate::model::collection::Run;
use crate::model::distribution::{Distribution, range_of};
use crate::model::summary::{Metric, SUCCESSES};
use crate::model::units::{Unit, show};
use crate::render::svg::shift::{Shift, ShiftPoint, shift};

/// The section about quantiles.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ShiftView {
    pub chart_svg: String,
    /// What the numbers are of, and how well they are known.
    pub source: String,
    pub rows: Vec<QuantileRow>,
    /// Why there is none; empty where there is.
    pub missing: String,
}

/// A quantile in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct QuantileRow {
    pub quantile: String,
    pub a: String,
    pub b: String,
    pub change: String,
    pub interval: String,
}

/// A quantile of both runs in milliseconds, as far as it is known.
struct Quantile {
    percent: u8,
    a: Known,
    b: Known,
}

/// A value and what it can be.
#[derive(Clone, Copy)]
struct Known {
    value: f64,
    bounds: Bounds,
}

/// Quantiles that have a row in the table of a distribution.
const TOLD: [u8; 11] = [1, 5, 10, 25, 50, 75, 90, 95, 97, 98, 99];
/// Percentiles that k6's summary may have.
const PRINTED: [u8; 7] = [10, 25, 50, 75, 90, 95, 99];
const TREND: &str = "http_req_duration";

/// The section of two runs of record; the id is that of the chart.
pub(super) fn view(id: &str, a: Option<&Run>, b: Option<&Run>) -> ShiftView {
    let Some((a, b)) = a.zip(b) else { return missing("the runs of record are not at hand") };
    if let Some((name, a, b)) = distributions(a, b) {
        let quantiles: Vec<Quantile> = (1..=99).filter_map(|percent| of_distributions(percent, a, b)).collect();
        if !quantiles.is_empty() {
            return distribution_view(id, &name, &quantiles, a, b);
        }
    }
    match metrics(a, b) {
        Some((name, a, b)) => summary_view(id, &name, &printed(a, b)),
        None => missing("neither distributions nor k6's percentiles are known of both runs"),
    }
}

fn missing(why: &str) -> ShiftView {
    ShiftView { missing: why.to_owned(), ..ShiftView::default() }
}

/// The distributions of requests that both have: of successful ones, else of all.
fn distributions<'a>(a: &'a Run, b: &'a Run) -> Option<(String, &'a Distribution, &'a Distribution)> {
    let (a, b) = (a.series.as_ref()?, b.series.as_ref()?);
    [format!("{TREND}{{{SUCCESSES}}}"), TREND.to_owned()].into_iter().find_map(|name| {
        let (a, b) = (a.distributions.get(&name)?, b.distributions.get(&name)?);
        Some((name, a, b))
    })
}

/// The trend of requests in both summaries: of successful ones, else of all.
fn metrics<'a>(a: &'a Run, b: &'a Run) -> Option<(String, &'a Metric, &'a Metric)> {
    let metric = |run: &'a Run| run.record.k6.as_ref()?.metrics.get(TREND);
    let (all_a, all_b) = (metric(a)?, metric(b)?);
    let part = |metric: &'a Metric| metric.submetrics.get(SUCCESSES).filter(|part| !part.values.0.is_empty());
    match part(all_a).zip(part(all_b)) {
        Some((a, b)) => Some((format!("{TREND}{{{SUCCESSES}}}"), a, b)),
        None => Some((TREND.to_owned(), all_a, all_b)),
    }
}

fn of_distributions(percent: u8, a: &Distribution, b: &Distribution) -> Option<Quantile> {
    Some(Quantile { percent, a: quantile(a, percent)?, b: quantile(b, percent)? })
}

/// The sample of a quantile's rank: its bucket is what is known of it, the middle of the bucket is shown.
fn quantile(distribution: &Distribution, percent: u8) -> Option<Known> {
    let count = u128::from(distribution.count());
    let rank = (count * u128::from(percent)).div_ceil(100).max(1);
    let mut below = 0_u128;
    let bucket = distribution.buckets.iter().find_map(|(bucket, samples)| {
        below += u128::from(*samples);
        (below >= rank).then_some(*bucket)
    })?;
    let (first, width) = range_of(bucket);
    let ms = |millionths: f64| millionths / 1e6;
    let (lo, hi) = (ms(first as f64), ms(first as f64 + (width - 1) as f64));
    Some(Known { value: f64::midpoint(lo, hi), bounds: Bounds::new(lo, hi)? })
}

fn printed(a: &Metric, b: &Metric) -> Vec<Quantile> {
    let known = |metric: &Metric, percent: u8| {
        let stat = metric.percentile(percent)?;
        let value = metric.value(stat)?;
        Some(Known { value, bounds: metric.bounds_of(stat).or_else(|| Bounds::exact(value))? })
    };
    let quantile = |percent: u8| Some(Quantile { percent, a: known(a, percent)?, b: known(b, percent)? });
    PRINTED.into_iter().filter_map(quantile).collect()
}

fn distribution_view(id: &str, name: &str, quantiles: &[Quantile], a: &Distribution, b: &Distribution) -> ShiftView {
    let outside = a.outside.saturating_add(b.outside);
    let outside =
        if outside > 0 { format!(" {} samples lie outside of what is counted.", number(outside)) } else { String::new() };
    ShiftView {
        chart_svg: chart(id, quantiles, true),
        source: format!(
            "{name}: {} samples against {}. A quantile is known to 1/128 of its value; the band is what that leaves open, not the \
             noise from run to run.{outside}",
            number(a.count()),
            number(b.count())
        ),
        rows: quantiles.iter().filter(|quantile| TOLD.contains(&quantile.percent)).map(row).collect(),
        missing: String::new(),
    }
}

fn summary_view(id: &str, name: &str, quantiles: &[Quantile]) -> ShiftView {
    if quantiles.is_empty() {
        return missing("k6's summaries have no percentile in common");
    }
    ShiftView {
        chart_svg: chart(id, quantiles, false),
        source: format!(
            "{name}, the percentiles that k6's summaries have in common. The line through a point is what rounding leaves open, not \
             the noise from run to run."
        ),
        rows: quantiles.iter().map(row).collect(),
        missing: String::new(),
    }
}

impl Quantile {
    /// The ratio and what it can be; none where the earlier value is or may be zero.
    fn ratio(&self) -> Option<(f64, Bounds)> {
        let ratio = self.b.value / self.a.value;
        ratio.is_finite().then_some(ratio).zip(self.b.bounds.over(self.a.bounds))
    }
}

fn chart(id: &str, quantiles: &[Quantile], joined: bool) -> String {
    let point = |quantile: &Quantile| {
        let (ratio, bounds) = quantile.ratio()?;
        Some(ShiftPoint { percent: f64::from(quantile.percent), ratio, lo: bounds.lo(), hi: bounds.hi() })
    };
    let points: Vec<ShiftPoint> = quantiles.iter().filter_map(point).collect();
    let title = "Each quantile of the later run over that of the earlier run";
    shift(&Shift { id, title, points: &points, joined })
}

fn row(quantile: &Quantile) -> QuantileRow {
    let ms = |known: Known| show(known.value, Unit::Ms);
    let ratio = quantile.ratio();
    QuantileRow {
        quantile: if quantile.percent == 50 { "p50, the median".to_owned() } else { format!("p{}", quantile.percent) },
        a: ms(quantile.a),
        b: ms(quantile.b),
        change: ratio.map_or_else(|| "not known".to_owned(), |(ratio, _)| words::times(ratio)),
        interval: ratio.map(|(_, bounds)| spread(bounds)).unwrap_or_default(),
    }
}

/// What a ratio can be, with the digits that tell its ends apart.
fn spread(bounds: Bounds) -> String {
    if bounds.lo() < bounds.hi() { format!("×{:.3} to ×{:.3}", bounds.lo(), bounds.hi()) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::Record;
    use crate::model::series::Series;

    fn run(samples: &[(u64, u64)]) -> Run {
        let mut distribution = Distribution::default();
        for (millionths, count) in samples {
            distribution.add(*millionths, *count);
        }
        let series = Series { distributions: [(TREND.to_owned(), distribution)].into(), ..Series::default() };
        let address = "v1/a".parse().unwrap_or_else(|_| unreachable!());
        let record = Record::new(address);
        Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: Some(series) }
    }

    #[test]
    fn a_quantile_is_the_bucket_of_its_rank() {
        let run = run(&[(1_000_000, 50), (4_000_000, 49), (90_000_000, 1)]);
        let series = run.series.unwrap_or_default();
        let at = |percent| quantile(&series.distributions[TREND], percent).map(|known| known.bounds);
        assert!(at(50).is_some_and(|bounds| bounds.contains(1.0)));
        assert!(at(51).is_some_and(|bounds| bounds.contains(4.0)) && at(99).is_some_and(|bounds| bounds.contains(4.0)));
        assert!(quantile(&Distribution::default(), 50).is_none());
    }

    #[test]
    fn a_zero_has_no_ratio_and_draws_nothing() {
        let (zero, one) = (run(&[(0, 10)]), run(&[(1_000_000, 10)]));
        let view = view("s", Some(&zero), Some(&one));
        assert_eq!((view.chart_svg.as_str(), view.rows[4].change.as_str()), ("", "not known"));
        assert_eq!((view.rows[4].a.as_str(), view.rows[4].b.as_str()), ("0 ms", "1.00 ms"));
    }

    #[test]
    fn extreme_counts_and_values_make_a_table_all_the_same() {
        let wild = run(&[(0, u64::MAX), (u64::MAX, u64::MAX)]);
        for (a, b) in [(&wild, &wild), (&wild, &run(&[])), (&run(&[]), &run(&[]))] {
            let view = view("s", Some(a), Some(b));
            assert!(!view.chart_svg.contains("NaN") && !view.chart_svg.contains("inf"));
            assert!(!view.missing.is_empty() || view.rows.len() == TOLD.len());
        }
    }

    #[test]
    fn runs_that_are_not_at_hand_are_told() {
        assert!(view("s", None, Some(&run(&[]))).missing.contains("not at hand"));
    }
}
