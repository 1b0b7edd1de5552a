//! Latency of a run: charts, and the tables that say the same in numbers.

use std::collections::BTreeMap;

use chrono::DateTime;
use serde::Serialize;

use super::super::view::{Cell, number, plural};
use crate::model::phases::{PhaseFigures, Phases};
use crate::model::series::{Series, SeriesPoint, TrendSeries};
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, MetricUnit, SUCCESSES, Summary};
use crate::model::units::{self, Unit};
use crate::render::markup::breakable;
use crate::render::svg::bands::Band;
use crate::render::svg::ranges::{Range, ranges};
use crate::render::svg::series::{self, OverTime, over_time};

/// The section about latency.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LatencyView {
    /// Charts over time, where there is a series.
    pub charts: Vec<ChartView>,
    /// When the charts start; empty without a series.
    pub started: String,
    /// Trends with too few points for a line.
    pub undrawn: Vec<String>,
    /// The chart of ranges, where there is no series.
    pub ranges_svg: String,
    /// Latency of successful requests of the test phase alone, where raw samples tell it; else empty.
    pub successes: String,
    /// The columns of the table of trends.
    pub columns: Vec<String>,
    /// The table of trends.
    pub trends: Vec<TrendView>,
    /// Usual columns that the summary does not have.
    pub absent: Vec<String>,
}

/// A chart over time with its table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChartView {
    pub name: String,
    pub chart_svg: String,
    pub points: String,
    pub scale: &'static str,
    /// How long a row of the table is, in words.
    pub step: String,
    /// Whether the source counts samples.
    pub counted: bool,
    pub rows: Vec<StepRow>,
}

/// A stretch of time of a trend: percentiles are never averaged, so extremes of the seconds are shown.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StepRow {
    pub at: String,
    pub clock: String,
    pub seconds: String,
    pub samples: String,
    pub p50: String,
    pub p95: String,
    pub p99: String,
}

/// A trend in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TrendView {
    pub name_html: String,
    /// The part of it, `expected_response:true`; empty for all of it.
    pub part: String,
    /// Whether only set-up or teardown has samples of it, which say nothing of the load.
    pub is_aside: bool,
    pub cells: Vec<Cell>,
}

/// The columns readers look for.
const USUAL: [(&str, Stat); 3] = [("min", Stat::Min), ("avg", Stat::Avg), ("max", Stat::Max)];
/// The percentiles readers look for.
const PERCENTILES: [u8; 3] = [50, 95, 99];
/// At most so many rows in a table of time.
const ROWS: i64 = 120;

pub(crate) fn view(summary: Option<&Summary>, series: Option<&Series>, phases: Option<&Phases>, bands: &[Band]) -> LatencyView {
    let (charts, undrawn) = series.map(|series| charts(series, bands)).unwrap_or_default();
    let started = series.and_then(Series::span).map(|(first, _)| first.format("%Y-%m-%d %H:%M:%S UTC").to_string());
    let rows = summary.map(trend_metrics).unwrap_or_default();
    let columns = columns(&rows);
    LatencyView {
        ranges_svg: if charts.is_empty() { ranges_of(&rows) } else { String::new() },
        charts,
        started: started.unwrap_or_default(),
        successes: phases.and_then(successes).unwrap_or_default(),
        undrawn,
        absent: absent(&rows),
        trends: rows.iter().map(|row| trend_view(row, &columns, phases)).collect(),
        columns: columns.into_iter().map(|column| column.name).collect(),
    }
}

/// The axis that all charts of a run share: its first second, and how many there are to its last.
pub(crate) fn axis(series: &Series) -> Option<(i64, i64)> {
    let starts = series.trends.values().filter_map(|t| t.points.first()).map(|p| p.second);
    let ends = series.trends.values().filter_map(|t| t.points.last()).map(|p| p.second);
    let (start, end) = (starts.min()?, ends.max()?);
    Some((start, end.saturating_sub(start).max(1)))
}

fn charts(series: &Series, bands: &[Band]) -> (Vec<ChartView>, Vec<String>) {
    let Some(axis) = axis(series) else { return (Vec::new(), Vec::new()) };
    let (drawn, undrawn): (Vec<_>, Vec<_>) = series.trends.iter().partition(|(_, trend)| trend.points.len() > 1);
    let charts = drawn.iter().enumerate().map(|(nth, (name, trend))| chart(nth, (name, trend), axis, bands)).collect();
    let undrawn = undrawn.iter().map(|(name, t)| format!("{name} ({})", plural(t.points.len(), "point", "points"))).collect();
    (charts, undrawn)
}

fn chart(nth: usize, (name, trend): (&String, &TrendSeries), (start, span): (i64, i64), bands: &[Band]) -> ChartView {
    let id = format!("over-time-{}", nth + 1);
    let step = step_of(span);
    ChartView {
        name: name.clone(),
        chart_svg: over_time(&OverTime { id: &id, name, trend, start, span, bands }),
        points: plural(trend.points.len(), "second with samples", "seconds with samples"),
        scale: if series::is_logarithmic(trend) { "logarithmic scale" } else { "scale from zero" },
        step: units::show(step as f64 * 1e3, Unit::Ms),
        counted: trend.points.iter().any(|point| point.count.is_some()),
        rows: step_rows(trend, start, step),
    }
}

/// Whole minutes, as few as keep the table short.
pub(crate) fn step_of(span: i64) -> i64 {
    [60, 300, 600, 1800, 3600].into_iter().find(|step| span / step < ROWS).unwrap_or_else(|| (span / ROWS).saturating_add(1))
}

fn step_rows(trend: &TrendSeries, start: i64, step: i64) -> Vec<StepRow> {
    let mut rows: BTreeMap<i64, Vec<&SeriesPoint>> = BTreeMap::new();
    for point in &trend.points {
        rows.entry(point.second.saturating_sub(start) / step.max(1)).or_default().push(point);
    }
    rows.iter().map(|(row, points)| step_row(row.saturating_mul(step), start, points)).collect()
}

fn step_row(at: i64, start: i64, points: &[&SeriesPoint]) -> StepRow {
    let clock = DateTime::from_timestamp(start.saturating_add(at), 0).map(|at| at.format("%H:%M:%S").to_string());
    let samples: Option<u64> = points.iter().map(|point| point.count).try_fold(0_u64, |sum, n| Some(sum.saturating_add(n?)));
    StepRow {
        at: series::elapsed(at),
        clock: clock.unwrap_or_default(),
        seconds: number(points.len() as u64),
        samples: samples.map_or_else(|| "not counted".to_owned(), number),
        p50: extremes(points, |point| point.p50),
        p95: extremes(points, |point| point.p95),
        p99: extremes(points, |point| point.p99),
    }
}

/// The lowest and the highest of some seconds.
fn extremes(points: &[&SeriesPoint], value: fn(&SeriesPoint) -> i64) -> String {
    let values = || points.iter().map(|point| value(point));
    let shown = |micros: i64| units::show(micros as f64 / 1e3, Unit::Ms);
    match (values().min(), values().max()) {
        (Some(low), Some(high)) if low == high => shown(low),
        (Some(low), Some(high)) => format!("{} – {}", shown(low), shown(high)),
        _ => String::new(),
    }
}

/// The percentiles that successful requests of the test phase have, set-up and teardown apart.
fn successes(phases: &Phases) -> Option<String> {
    let metric = phases.test.as_ref()?.metrics.get("http_req_duration")?.submetrics.get(SUCCESSES)?;
    let known = PERCENTILES.iter().filter_map(|percent| Some((percent, metric.value(metric.percentile(*percent)?)?)));
    let known: Vec<String> = known.map(|(percent, ms)| format!("p{percent} {}", units::show(ms, Unit::Ms))).collect();
    let samples = metric.value(Stat::Count).and_then(units::whole);
    let samples = samples.map(|count| format!(" ({} requests)", number(count))).unwrap_or_default();
    let told =
        format!("Successful requests of the test phase alone, set-up and teardown left out: {}{samples}.", known.join(", "));
    (!known.is_empty()).then_some(told)
}

/// A trend or a part of one.
struct Row<'a> {
    name: &'a str,
    part: &'a str,
    metric: &'a Metric,
}

/// All trends with their parts: the request first, then the script's own, then the iteration, then k6's phases.
fn trend_metrics(summary: &Summary) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (name, metric) in &summary.metrics {
        if metric.kind == MetricKind::Trend {
            rows.push(Row { name, part: "", metric });
            rows.extend(metric.submetrics.iter().map(|(part, metric)| Row { name, part, metric }));
        }
    }
    rows.sort_by_key(|row| rank(row.name));
    rows
}

fn rank(name: &str) -> u8 {
    match name {
        "http_req_duration" => 0,
        "iteration_duration" => 2,
        "group_duration" => 3,
        _ if is_phase(name) => 4,
        _ => 1,
    }
}

/// The phases k6 cuts a request into.
fn is_phase(name: &str) -> bool {
    ["blocked", "connecting", "tls_handshaking", "sending", "waiting", "receiving"]
        .iter()
        .any(|phase| name.strip_prefix("http_req_") == Some(phase))
}

/// A column of the table of trends.
struct Column {
    name: String,
    stat: Stat,
}

fn columns(rows: &[Row<'_>]) -> Vec<Column> {
    let mut stats: Vec<Stat> = rows.iter().flat_map(|row| row.metric.values.0.keys().copied()).map(one_name).collect();
    stats.sort();
    stats.dedup();
    stats.into_iter().map(|stat| Column { name: column_name(stat), stat }).collect()
}

/// The median goes by two names; the table has one column for it.
fn one_name(stat: Stat) -> Stat {
    if stat == Stat::Med { Stat::p(50) } else { stat }
}

fn column_name(stat: Stat) -> String {
    match stat {
        Stat::Percentile(percent) => format!("p{}", percent.get()),
        Stat::Count => "samples".to_owned(),
        other => other.to_string(),
    }
}

fn absent(rows: &[Row<'_>]) -> Vec<String> {
    let lacks = |stat: Stat| !rows.iter().any(|row| row.metric.values.0.contains_key(&stat));
    let usual = USUAL.iter().filter(|(_, stat)| lacks(*stat)).map(|(name, _)| (*name).to_owned());
    let percentiles = PERCENTILES.iter().filter(|p| lacks(Stat::p(**p)) && (**p != 50 || lacks(Stat::Med)));
    if rows.is_empty() { Vec::new() } else { usual.chain(percentiles.map(|p| format!("p{p}"))).collect() }
}

fn trend_view(row: &Row<'_>, columns: &[Column], phases: Option<&Phases>) -> TrendView {
    let cells = columns.iter().map(|column| cell(row.metric, column.stat)).collect();
    let is_aside = phases.is_some_and(|phases| is_aside(row.name, phases));
    TrendView { name_html: breakable(row.name), part: row.part.to_owned(), is_aside, cells }
}

/// Whether a metric has samples beside the test and none in it.
fn is_aside(name: &str, phases: &Phases) -> bool {
    let has = |phase: &Option<PhaseFigures>| phase.as_ref().is_some_and(|phase| phase.metrics.contains_key(name));
    !has(&phases.test) && (has(&phases.setup) || has(&phases.teardown))
}

fn cell(metric: &Metric, stat: Stat) -> Cell {
    let stat = if stat == Stat::p(50) { metric.percentile(50).unwrap_or(stat) } else { stat };
    let unit = if stat.counts() { Unit::Count } else { unit(metric.unit) };
    let reason = metric.reasons.get(&stat).map_or("not in k6's summary", String::as_str);
    Cell::value(metric.value(stat), metric.bounds_of(stat), unit, reason)
}

/// The unit values are shown in; a number of unknown meaning is a plain one.
pub(crate) fn unit(unit: Option<MetricUnit>) -> Unit {
    match unit {
        Some(MetricUnit::Ms) => Unit::Ms,
        Some(MetricUnit::Bytes) => Unit::Bytes,
        Some(MetricUnit::Ratio) => Unit::Ratio,
        Some(MetricUnit::Count) | None => Unit::Count,
    }
}

/// Ranges of the times a reader compares: not of k6's phases, and of a part only if it is the successes.
fn ranges_of(rows: &[Row<'_>]) -> String {
    let drawn = rows.iter().filter(|row| {
        row.metric.unit == Some(MetricUnit::Ms) && !is_phase(row.name) && (row.part.is_empty() || row.part == SUCCESSES)
    });
    let list: Vec<Range> = drawn.map(range).collect();
    ranges("ranges", "Latency ranges", &list)
}

fn range(row: &Row<'_>) -> Range {
    let value = |percent: u8| row.metric.percentile(percent).and_then(|stat| row.metric.value(stat));
    Range {
        name: if row.part.is_empty() { row.name.to_owned() } else { format!("{}, successes only", row.name) },
        min: row.metric.value(Stat::Min),
        p50: value(50),
        p95: value(95),
        p99: value(99),
        max: row.metric.value(Stat::Max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_a_short_table() {
        assert_eq!((step_of(1800), step_of(86_400), step_of(7200)), (60, 1800, 300));
        assert!(i64::MAX / step_of(i64::MAX) <= ROWS);
    }

    #[test]
    fn extreme_seconds_and_values_make_a_page_all_the_same() {
        let point = |second, micros| SeriesPoint { second, p50: micros, p95: micros, p99: micros, count: Some(u64::MAX) };
        let points = vec![point(i64::MIN, i64::MIN), point(0, 0), point(1, 7), point(i64::MAX, i64::MAX)];
        let series = Series {
            trends: [("a".to_owned(), TrendSeries { points, successes: None }), ("b".to_owned(), TrendSeries::default())].into(),
            ..Series::default()
        };
        let view = view(None, Some(&series), None, &[]);
        assert_eq!((view.charts.len(), view.undrawn.as_slice()), (1, ["b (0 points)".to_owned()].as_slice()));
        assert!(view.charts[0].rows.len() <= 122 && !view.charts[0].chart_svg.contains("NaN"));
    }

    #[test]
    fn a_row_shows_extremes_and_averages_nothing() {
        let point = |second, p95| SeriesPoint { second, p50: 1000, p95, p99: 9000, count: Some(3) };
        let trend = TrendSeries { points: vec![point(0, 2000), point(59, 4000), point(60, 5000)], successes: None };
        let rows = step_rows(&trend, 0, 60);
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].p95.as_str(), rows[0].samples.as_str(), rows[0].seconds.as_str()), ("2 ms – 4 ms", "6", "2"));
        assert_eq!((rows[1].at.as_str(), rows[1].p95.as_str()), ("1 min", "5 ms"));
    }
}
