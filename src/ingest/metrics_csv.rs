//! The team's metrics CSV: `target,metric,timestamp,value`, a whole sweep in one file, 16 metric names.
//!
//! A point stands for the period that ends at its timestamp, so a window holds the points after its start up to its end.
//! Percentile metrics are percentiles of one period each, and latencies were averaged over response codes before that
//! (the script asks for `REDUCE_MEAN`): what is made of them says so in its method.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Measurement};
use crate::model::instant::Moment;
use crate::source::Source;

/// One point of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The end of its period.
    pub at: DateTime<Utc>,
    /// Its value, in the unit of the metric's figures.
    pub value: f64,
}

/// The points of a file by target and metric name, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Targets, their metrics, their points.
    pub targets: BTreeMap<String, BTreeMap<String, Vec<Point>>>,
    /// Names that are none of the sixteen, with their rows.
    pub unknown: BTreeMap<String, u64>,
}

/// How the points of a window become one figure.
#[derive(Clone, Copy)]
enum Reduce {
    Median,
    Min,
    Max,
    Mean,
    Sum,
}

/// A metric name and a figure it gives.
struct Rule {
    metric: &'static str,
    figure: FigureId,
    reduce: Reduce,
    method: &'static str,
}

const fn rule(metric: &'static str, figure: FigureId, reduce: Reduce, method: &'static str) -> Rule {
    Rule { metric, figure, reduce, method }
}

const PERCENTILES: &str = "median of one-period percentiles";
const AVERAGED: &str = "median of one-period percentiles, each averaged over response codes by the source";
const MEDIAN: &str = "median of periods";
const MEAN: &str = "mean of equal periods";

/// Every metric name and what it gives. Utilisations are fractions, times milliseconds, rates per second.
const RULES: &[Rule] = &[
    rule("zit_cpu_p50", FigureId::ContainerCpuP50, Reduce::Median, PERCENTILES),
    rule("zit_cpu_p99", FigureId::ContainerCpuP99, Reduce::Median, PERCENTILES),
    rule("zit_mem_p50", FigureId::ContainerMemoryP50, Reduce::Median, PERCENTILES),
    rule(
        "zit_mem_p99",
        FigureId::ContainerMemoryPeak,
        Reduce::Max,
        "highest one-period 99th percentile; a container may have been above it",
    ),
    rule("zit_instances", FigureId::ContainerInstancesMedian, Reduce::Median, MEDIAN),
    rule("zit_instances", FigureId::ContainerInstancesMin, Reduce::Min, "lowest period"),
    rule("zit_instances", FigureId::ContainerInstancesMax, Reduce::Max, "highest period"),
    rule("zit_startups", FigureId::ContainerInstancesStartups, Reduce::Sum, "sum of periods"),
    rule("zit_req_per_s", FigureId::ServerRequestsPerS, Reduce::Mean, MEAN),
    rule("zit_lat_p50_ms", FigureId::ServerLatencyP50, Reduce::Median, AVERAGED),
    rule("zit_lat_p95_ms", FigureId::ServerLatencyP95, Reduce::Median, AVERAGED),
    rule("zit_lat_p99_ms", FigureId::ServerLatencyP99, Reduce::Median, AVERAGED),
    rule("db_cpu", FigureId::DatabaseCpuMedian, Reduce::Median, MEDIAN),
    rule("db_cpu", FigureId::DatabaseCpuPeak, Reduce::Max, "highest period"),
    rule("db_mem", FigureId::DatabaseMemory, Reduce::Median, MEDIAN),
    rule("db_connections", FigureId::DatabaseConnections, Reduce::Median, MEDIAN),
    rule("db_tx_per_s", FigureId::DatabaseTransactionsPerS, Reduce::Mean, MEAN),
    rule("db_read_iops", FigureId::DatabaseIopsRead, Reduce::Mean, MEAN),
    rule("db_write_iops", FigureId::DatabaseIopsWrite, Reduce::Mean, MEAN),
];

/// Whether a text is such a file: its header names the four columns.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let header = source.text().lines().next().unwrap_or_default();
    let names: Vec<&str> = header.split(',').map(|name| name.trim().trim_matches('"')).collect();
    ["target", "metric", "timestamp", "value"].iter().all(|column| names.contains(column))
}

/// Reads a file, all targets.
///
/// # Errors
/// `bad-metric-row` for the first rows without a target, a moment and a finite number, with the number of the others.
pub fn read(source: &Source) -> Result<Metrics, Faults> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(source.text().as_bytes());
    let headers = reader.headers().cloned().unwrap_or_default();
    let column = |name: &str| headers.iter().position(|header| header.trim() == name);
    let (Some(target), Some(metric), Some(at), Some(value)) =
        (column("target"), column("metric"), column("timestamp"), column("value"))
    else {
        let fault = Diagnostic::error("no-metrics", "the header lacks one of target, metric, timestamp, value");
        return Err(fault.at(source.at_line(1)).into());
    };
    let (mut metrics, mut faults) = (Metrics::default(), FirstFaults::default());
    for record in reader.records() {
        let row = record.as_ref().ok().and_then(|row| {
            let point = Point { at: row.get(at)?.parse::<Moment>().ok()?.instant()?, value: finite(row.get(value)?)? };
            Some((row.get(target).filter(|name| !name.is_empty())?, row.get(metric)?, point))
        });
        match row {
            Some((target, metric, point)) => metrics.add(target, metric, point),
            None => faults
                .push(|| bad_row(source, record.as_ref().ok().and_then(csv::StringRecord::position).map(csv::Position::line))),
        }
    }
    Faults::check(faults.told())?;
    metrics.sort();
    Ok(metrics)
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

fn bad_row(source: &Source, line: Option<u64>) -> Diagnostic {
    let line = line.and_then(|line| usize::try_from(line).ok()).unwrap_or(usize::MAX);
    Diagnostic::error("bad-metric-row", "a row has no target, no moment in UTC or no number")
        .at(source.at_line(line))
        .help("rows are `target,metric,2026-09-28T22:12:33Z,0.625`")
}

impl Metrics {
    fn add(&mut self, target: &str, metric: &str, point: Point) {
        if RULES.iter().any(|rule| rule.metric == metric) {
            self.targets.entry(target.to_owned()).or_default().entry(metric.to_owned()).or_default().push(point);
        } else {
            *self.unknown.entry(metric.to_owned()).or_default() += 1;
            self.targets.entry(target.to_owned()).or_default();
        }
    }

    fn sort(&mut self) {
        for points in self.targets.values_mut().flat_map(BTreeMap::values_mut) {
            points.sort_by(|a, b| a.at.cmp(&b.at).then(a.value.total_cmp(&b.value)));
        }
    }

    /// What the points of a target say of a window (after its start, up to its end; all points where it is not known):
    /// a figure for every metric the file has, and how many points lay outside.
    #[must_use]
    pub fn figures(&self, target: &str, window: Option<(DateTime<Utc>, DateTime<Utc>)>) -> Reduced {
        let mut reduced = Reduced::default();
        let Some(metrics) = self.targets.get(target) else { return reduced };
        for points in metrics.values() {
            reduced.outside += points.iter().filter(|point| !inside(point.at, window)).count() as u64;
        }
        for rule in RULES {
            let Some(points) = metrics.get(rule.metric) else { continue };
            reduced.figures.push((rule.figure, reduce(rule, points, window)));
        }
        reduced
    }
}

/// Figures of one target and window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reduced {
    /// The figures.
    pub figures: Vec<(FigureId, Figure)>,
    /// Points of the target that lie outside the window.
    pub outside: u64,
}

fn inside(at: DateTime<Utc>, window: Option<(DateTime<Utc>, DateTime<Utc>)>) -> bool {
    window.is_none_or(|(start, end)| start < at && at <= end)
}

fn reduce(rule: &Rule, points: &[Point], window: Option<(DateTime<Utc>, DateTime<Utc>)>) -> Figure {
    let values: Vec<f64> = points.iter().filter(|point| inside(point.at, window)).map(|point| point.value).collect();
    let Some(value) = apply(rule.reduce, &values) else {
        return Figure::not_captured(format!("no point of {} lies in the window", rule.metric));
    };
    if !value.is_finite() {
        return Figure::not_captured(format!("the points of {} add up to more than a number can hold", rule.metric));
    }
    let seen = values.len() as u64;
    let expected = window.and_then(|window| expected(points, window)).unwrap_or(seen).max(seen);
    let coverage = Coverage::of(seen, expected);
    let mut measurement = Measurement::exact(value, rule.figure.unit()).by(rule.method).from(rule.metric);
    measurement.coverage = Some(coverage);
    if coverage.is_complete() { Figure::Measured(measurement) } else { Figure::Incomplete(measurement) }
}

/// How many whole periods a window holds; the period is the commonest distance of two points, the shorter one if two are.
fn expected(points: &[Point], (start, end): (DateTime<Utc>, DateTime<Utc>)) -> Option<u64> {
    let mut distances: BTreeMap<i64, u64> = BTreeMap::new();
    for pair in points.windows(2) {
        *distances.entry((pair[1].at - pair[0].at).num_seconds()).or_default() += 1;
    }
    distances.remove(&0);
    let (period, _) = distances.into_iter().max_by_key(|(distance, count)| (*count, -distance))?;
    u64::try_from((end - start).num_seconds() / period).ok()
}

/// Ordered values to one; `None` for no value. The median of an even number is the mean of the two in the middle.
fn apply(reduce: Reduce, values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (first, last) = (sorted.first()?, sorted.last()?);
    let sum: f64 = sorted.iter().sum();
    Some(match reduce {
        Reduce::Min => *first,
        Reduce::Max => *last,
        Reduce::Sum => sum,
        Reduce::Mean => sum / sorted.len() as f64,
        Reduce::Median => f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: &[(&str, &str, &str)]) -> Source {
        let row = |(metric, at, value): &(&str, &str, &str)| format!("\"a\",\"{metric}\",\"2026-09-28T{at}Z\",\"{value}\"");
        let rows: Vec<String> = rows.iter().map(row).collect();
        Source::new("m.csv", format!("target,metric,timestamp,value\n{}\n", rows.join("\n")))
    }

    fn window(start: &str, end: &str) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let at = |time: &str| format!("2026-09-28T{time}Z").parse::<Moment>().ok()?.instant();
        Some((at(start)?, at(end)?))
    }

    #[test]
    fn a_point_belongs_to_the_period_that_ends_at_it() {
        let source = csv(&[("db_cpu", "10:00:00", "0.9"), ("db_cpu", "10:01:00", "0.2"), ("db_cpu", "10:02:00", "0.4")]);
        let metrics = read(&source).unwrap_or_else(|f| unreachable!("{f}"));
        let reduced = metrics.figures("a", window("10:00:00", "10:02:00"));
        assert_eq!(reduced.outside, 1);
        let median = reduced.figures[0].1.measured().map(|m| (m.value * 100.0).round());
        assert_eq!(median, Some(30.0));
    }

    #[test]
    fn a_window_that_is_not_covered_gives_an_incomplete_figure() {
        let source = csv(&[("db_cpu", "10:01:00", "0.2"), ("db_cpu", "10:02:00", "0.4")]);
        let metrics = read(&source).unwrap_or_else(|f| unreachable!("{f}"));
        let reduced = metrics.figures("a", window("10:00:00", "10:10:00"));
        assert!(matches!(reduced.figures[0].1, Figure::Incomplete(_)));
        let none = metrics.figures("a", window("12:00:00", "12:10:00"));
        assert!(matches!(none.figures[0].1, Figure::NotCaptured { .. }));
    }

    #[test]
    fn points_beyond_all_numbers_are_no_figure() {
        let source = csv(&[("zit_startups", "10:01:00", "1e308"), ("zit_startups", "10:02:00", "1e308")]);
        let metrics = read(&source).unwrap_or_else(|f| unreachable!("{f}"));
        assert!(matches!(metrics.figures("a", None).figures[0].1, Figure::NotCaptured { reason: Some(_) }));
    }

    #[test]
    fn bad_rows_are_pointed_at_and_unknown_metrics_counted() {
        let source = csv(&[("db_cpu", "10:01:00", "high"), ("db_cpu", "yesterday", "0.2")]);
        let faults = read(&source).err().unwrap_or_else(|| unreachable!());
        assert_eq!(faults.list().iter().map(|f| f.places[0].to_string()).collect::<Vec<_>>(), ["m.csv:2:1", "m.csv:3:1"]);
        let metrics = read(&csv(&[("db_color", "10:01:00", "1")])).unwrap_or_else(|f| unreachable!("{f}"));
        assert_eq!(metrics.unknown.get("db_color"), Some(&1));
    }
}
