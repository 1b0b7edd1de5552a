//! Both runs of record on one axis of elapsed time, with the tables that say the same in numbers.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::run::step_of;
use crate::model::collection::Run;
use crate::model::comparison::RunAccount;
use crate::model::series::{Series, SuccessPoint, TrendSeries};
use crate::model::units::{Unit, show};
use crate::render::svg::overlay::{Overlay, Track, overlay};
use crate::render::svg::series::elapsed;

/// The section about time.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TimeView {
    pub charts: Vec<TrendChart>,
    /// Trends of both that are not drawn.
    pub undrawn: Vec<String>,
    /// Why there is no chart; empty where there is.
    pub missing: String,
    /// Whether incidents or a warm-up are marked.
    pub has_incidents: bool,
    pub has_warm_up: bool,
}

/// A trend of both runs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TrendChart {
    pub name: String,
    /// Of which requests.
    pub of: &'static str,
    pub panels: Vec<Panel>,
    /// How long a row of the table is, in words.
    pub step: String,
    pub rows: Vec<StepRow>,
}

/// A chart of one percentile.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Panel {
    pub title: &'static str,
    pub chart_svg: String,
}

/// A stretch of time: the lowest and the highest second, as percentiles are never averaged.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StepRow {
    pub at: String,
    pub cells: Vec<String>,
}

/// A second of a run, elapsed, with its median and 95th percentile.
type Second = (i64, [i64; 2]);

/// At most so many trends are drawn.
const DRAWN: usize = 2;
const MISSING: &str = "there is no per-second series of both runs of record";

/// Two runs of record with what is known of each.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub a: (&'a RunAccount, &'a Run),
    pub b: (&'a RunAccount, &'a Run),
}

/// The section; ids of charts begin with the given one.
pub(super) fn view(id: &str, pair: Option<Pair<'_>>) -> TimeView {
    let none = || TimeView { missing: MISSING.to_owned(), ..TimeView::default() };
    let Some(pair) = pair else { return none() };
    let Some((a, b)) = pair.a.1.series.as_ref().zip(pair.b.1.series.as_ref()) else { return none() };
    let mut common: Vec<&String> = a.trends.keys().filter(|name| is_line(a, name) && is_line(b, name)).collect();
    common.sort_by_key(|name| rank(name));
    if common.is_empty() {
        return none();
    }
    let drawn = common.iter().take(DRAWN).enumerate();
    let warm_up_s = [pair.a.0, pair.b.0].into_iter().filter_map(|run| run.warm_up_s).fold(0.0, f64::max);
    let charts = drawn.map(|(nth, name)| chart(&format!("{id}-{}", nth + 1), name, pair, (a, b), warm_up_s)).collect();
    TimeView {
        charts,
        undrawn: common.iter().skip(DRAWN).map(|name| (*name).clone()).collect(),
        missing: String::new(),
        has_incidents: !pair.a.0.incidents.is_empty() || !pair.b.0.incidents.is_empty(),
        has_warm_up: warm_up_s > 0.0,
    }
}

fn is_line(series: &Series, name: &str) -> bool {
    series.trends.get(name).is_some_and(|trend| trend.points.len() > 1)
}

/// Requests first, then the script's own trends, then what holds think time.
fn rank(name: &str) -> u8 {
    match name {
        "http_req_duration" => 0,
        "iteration_duration" | "group_duration" => 2,
        _ => 1,
    }
}

fn chart(id: &str, name: &str, pair: Pair<'_>, (a, b): (&Series, &Series), warm_up_s: f64) -> TrendChart {
    let seconds = |series: &Series| series.trends.get(name).map(|trend| seconds(trend, start(series))).unwrap_or_default();
    let (of_a, of_b) = (seconds(a), seconds(b));
    let last = [&of_a, &of_b].into_iter().filter_map(|seconds| seconds.last()).map(|second| second.0).max();
    let span = last.unwrap_or(1).max(1);
    let panel = |which: usize, title: &'static str| {
        let (a, b) = (track(&of_a, which, pair.a.0), track(&of_b, which, pair.b.0));
        let (id, title_of) = (format!("{id}-{title}"), format!("{title} of {name}, both runs over elapsed time"));
        Panel { title, chart_svg: overlay(&Overlay { id: &id, title: &title_of, a: &a, b: &b, span, warm_up_s }) }
    };
    let step = step_of(span);
    let successes = [a, b].iter().all(|series| series.trends.get(name).is_some_and(|trend| trend.successes.is_some()));
    TrendChart {
        name: name.to_owned(),
        of: if successes { "successful requests only" } else { "all samples, failed ones included" },
        panels: vec![panel(0, "p50"), panel(1, "p95")],
        step: show(step as f64 * 1e3, Unit::Ms),
        rows: rows(&of_a, &of_b, step),
    }
}

/// The first second of a run's test.
fn start(series: &Series) -> i64 {
    let first = series.trends.values().filter_map(|trend| trend.points.first()).map(|point| point.second).min();
    series.traffic.as_ref().map(|traffic| traffic.start).into_iter().chain(first).min().unwrap_or(0)
}

/// The seconds of a trend: of successful requests where they are told apart; a second of failures alone has no latency.
fn seconds(trend: &TrendSeries, start: i64) -> Vec<Second> {
    let successes: BTreeMap<i64, &SuccessPoint> =
        trend.successes.iter().flatten().map(|success| (success.second, success)).collect();
    let second = |point: &crate::model::series::SeriesPoint| {
        let percentiles = match successes.get(&point.second) {
            Some(success) => success.percentiles.map(|[p50, p95, _]| [p50, p95])?,
            None => [point.p50, point.p95],
        };
        Some((point.second.saturating_sub(start), percentiles))
    };
    trend.points.iter().filter_map(second).collect()
}

fn track(seconds: &[Second], which: usize, run: &RunAccount) -> Track {
    Track {
        points: seconds.iter().map(|(at, percentiles)| (*at, percentiles[which])).collect(),
        incidents: run.incidents.iter().map(|incident| (incident.from_s, incident.to_s)).collect(),
    }
}

/// The rows of the table: p50 of a and b, then p95.
fn rows(a: &[Second], b: &[Second], step: i64) -> Vec<StepRow> {
    let mut rows: BTreeMap<i64, [Vec<[i64; 2]>; 2]> = BTreeMap::new();
    for (side, seconds) in [a, b].into_iter().enumerate() {
        for (at, percentiles) in seconds {
            rows.entry(at.div_euclid(step.max(1))).or_default()[side].push(*percentiles);
        }
    }
    let cells = |sides: &[Vec<[i64; 2]>; 2]| {
        [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().map(|(side, which)| extremes(&sides[side], which)).collect()
    };
    rows.iter().map(|(row, sides)| StepRow { at: elapsed(row.saturating_mul(step)), cells: cells(sides) }).collect()
}

/// The lowest and the highest of some seconds.
fn extremes(seconds: &[[i64; 2]], which: usize) -> String {
    let values = || seconds.iter().map(|percentiles| percentiles[which]);
    let shown = |micros: i64| show(micros as f64 / 1e3, Unit::Ms);
    match (values().min(), values().max()) {
        (Some(low), Some(high)) if low == high => shown(low),
        (Some(low), Some(high)) => format!("{} – {}", shown(low), shown(high)),
        _ => "no sample".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::comparison::{Basis, Side};
    use crate::model::record::Record;
    use crate::model::series::SeriesPoint;

    fn account(side: Side) -> RunAccount {
        RunAccount {
            side,
            run: "v1/a".to_owned(),
            start: None,
            basis: Basis::Series,
            left_out: None,
            warm_up_s: Some(f64::MAX),
            compared_s: None,
            steadiness: None,
            incidents: Vec::new(),
        }
    }

    fn run(seconds: &[i64], successes: Option<Vec<SuccessPoint>>) -> Run {
        let point = |second: &i64| SeriesPoint { second: *second, p50: *second, p95: 2000, p99: 3000, count: None };
        let trend = TrendSeries { points: seconds.iter().map(point).collect(), successes };
        let series = Series { trends: [("x".to_owned(), trend)].into(), ..Series::default() };
        let record = Record::new("v1/a".parse().unwrap_or_else(|_| unreachable!()));
        Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: Some(series) }
    }

    fn viewed(a: &Run, b: &Run) -> TimeView {
        view("o", Some(Pair { a: (&account(Side::A), a), b: (&account(Side::B), b) }))
    }

    #[test]
    fn both_runs_begin_at_zero() {
        let view = viewed(&run(&[1000, 1060], None), &run(&[5000, 5030], None));
        let rows: Vec<String> = view.charts[0].rows.iter().map(|row| format!("{} {}", row.at, row.cells.join(" | "))).collect();
        assert_eq!(rows, ["0 1 ms | 5 ms – 5.03 ms | 2 ms | 2 ms", "1 min 1.06 ms | no sample | 2 ms | no sample"]);
    }

    #[test]
    fn a_second_of_failures_alone_has_no_latency() {
        let success = |second, percentiles| SuccessPoint { second, count: 1, percentiles };
        let successes = vec![success(1, None), success(2, Some([7, 8, 9]))];
        let trend = run(&[0, 1, 2], Some(successes)).series.and_then(|mut series| series.trends.remove("x"));
        assert_eq!(seconds(&trend.unwrap_or_default(), 0), [(0, [0, 2000]), (2, [7, 8])]);
    }

    #[test]
    fn extremes_and_lone_seconds_are_no_trouble() {
        let wild = run(&[i64::MIN, 0, i64::MAX], None);
        let view = viewed(&wild, &wild);
        assert!(view.charts.iter().all(|chart| chart.panels.iter().all(|panel| !panel.chart_svg.contains("NaN"))));
        assert!(view.charts[0].rows.len() < 130);
        assert_eq!(viewed(&run(&[1], None), &wild).missing, MISSING);
        assert_eq!(super::view("o", None).missing, MISSING);
    }
}
