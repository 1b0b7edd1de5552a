//! What was done and what failed over time: a chart, and its table.

use serde::Serialize;

use super::super::view::number;
use super::latency::step_of;
use crate::model::series::Series;
use crate::model::units::{self, Unit};
use crate::render::svg::bands::Band;
use crate::render::svg::series::elapsed;
use crate::render::svg::traffic::{Line, Traffic, traffic};

/// The figure of throughput and failures.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TrafficView {
    /// The chart; empty where nothing was counted by second.
    pub chart_svg: String,
    /// The lines, by class and name.
    pub lines: Vec<LineName>,
    /// How long a row of the table is, in words.
    pub step: String,
    pub rows: Vec<TrafficRow>,
}

/// A line of the chart, and a column of its table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LineName {
    pub class: &'static str,
    pub name: &'static str,
}

/// A stretch of time.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TrafficRow {
    pub at: String,
    /// Sums, a cell a line.
    pub cells: Vec<String>,
}

/// Columns of traffic with the class and the name of their lines, and whether they count what failed.
const COLUMNS: [(&str, &str, &str, bool); 4] = [
    ("http_reqs", "requests", "Requests", false),
    ("iterations", "iterations", "Iterations", false),
    ("http_req_failed", "failed", "Failed requests", true),
    ("checks_failed", "checks", "Failed checks", true),
];

/// What was counted, by column: its place among [`COLUMNS`], elapsed seconds and counts.
type Counted = (usize, Vec<(i64, u64)>);

/// The figure on an axis of some seconds that begins at one.
pub(crate) fn view(series: &Series, (start, span): (i64, i64), bands: &[Band]) -> TrafficView {
    let counted: Vec<Counted> =
        COLUMNS.iter().enumerate().filter_map(|(at, column)| Some((at, counts(series, column.0, start)?))).collect();
    let lines = |fails: bool| -> Vec<Line> { counted.iter().filter(|(at, _)| COLUMNS[*at].3 == fails).map(line).collect() };
    let (done, failed) = (lines(false), lines(true));
    if done.is_empty() {
        return TrafficView::default();
    }
    let step = step_of(span);
    TrafficView {
        chart_svg: traffic(&Traffic { id: "traffic", done: &done, failed: &failed, span, bands }),
        lines: counted.iter().map(|(at, _)| LineName { class: COLUMNS[*at].1, name: COLUMNS[*at].2 }).collect(),
        step: units::show(step as f64 * 1e3, Unit::Ms),
        rows: rows(&counted, step),
    }
}

fn counts(series: &Series, column: &str, start: i64) -> Option<Vec<(i64, u64)>> {
    let (first, counts) = series.counts(column)?;
    let offset = first.saturating_sub(start);
    Some((offset..).zip(counts).collect())
}

fn line((at, counts): &Counted) -> Line {
    let points = counts.iter().map(|(second, count)| (*second, i64::try_from(*count).unwrap_or(i64::MAX)));
    Line { class: COLUMNS[*at].1, points: points.collect() }
}

fn rows(counted: &[Counted], step: i64) -> Vec<TrafficRow> {
    let last = counted.iter().filter_map(|(_, counts)| counts.last()).map(|(second, _)| *second).max().unwrap_or(0);
    let starts = (0..=last.max(0) / step).map(|row| row * step);
    let sum = |counts: &[(i64, u64)], from: i64| {
        let inside = counts.iter().filter(|(second, _)| (from..from + step).contains(second));
        number(inside.fold(0_u64, |sum, (_, count)| sum.saturating_add(*count)))
    };
    starts
        .map(|from| TrafficRow { at: elapsed(from), cells: counted.iter().map(|(_, counts)| sum(counts, from)).collect() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::series::Traffic as Counts;

    #[test]
    fn a_row_is_the_sum_of_its_seconds() {
        let columns = [("http_reqs".to_owned(), vec![5; 90]), ("http_req_failed".to_owned(), vec![1; 90])].into();
        let series = Series { traffic: Some(Counts { start: 1000, columns, vus: Vec::new() }), ..Series::default() };
        let view = view(&series, (1000, 89), &[]);
        let cells: Vec<Vec<&str>> = view.rows.iter().map(|row| row.cells.iter().map(String::as_str).collect()).collect();
        assert_eq!(cells, [["300", "60"], ["150", "30"]]);
        assert_eq!(view.lines.iter().map(|line| line.name).collect::<Vec<_>>(), ["Requests", "Failed requests"]);
    }

    #[test]
    fn what_was_not_counted_has_no_figure() {
        assert_eq!(view(&Series::default(), (0, 10), &[]).chart_svg, "");
    }
}
