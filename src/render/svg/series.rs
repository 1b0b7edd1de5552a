//! Percentiles of a trend over time, second by second.

use std::fmt::Write;

use super::bands::{Band, bands};
use super::scale::{Scale, time_ticks};
use super::thinning::thin;
use super::{anchor, open, percent, short};
use crate::model::series::{SeriesPoint, TrendSeries};
use crate::model::units::{Unit, show};
use crate::render::markup::escape;

/// What to draw.
#[derive(Clone, Debug)]
pub struct OverTime<'a> {
    /// The id of the chart on its page.
    pub id: &'a str,
    /// The trend's name.
    pub name: &'a str,
    /// The trend.
    pub trend: &'a TrendSeries,
    /// The second at the left edge, since 1970.
    pub start: i64,
    /// Seconds from the left to the right edge.
    pub span: i64,
    /// Stretches to be marked behind the lines.
    pub bands: &'a [Band],
}

/// How many parts the width is cut into; each keeps its lowest and its highest second.
const PARTS: i64 = 240;
/// Without a sample for longer than this, in seconds, a line is broken.
const GAP: i64 = 10;
/// Pixels above the lines.
pub(super) const TOP: f64 = 26.0;
/// Pixels of the lines.
pub(super) const HEIGHT: f64 = 210.0;

/// Which line is which: class, name, value of a second in microseconds.
type Line = (&'static str, fn(&SeriesPoint) -> i64);

/// The lines, from the back to the front: a median that jumps from second to second shall not hide the others.
const LINES: [Line; 3] = [("p50", |p| p.p50), ("p99", |p| p.p99), ("p95", |p| p.p95)];

/// The chart: three lines (p50, p95, p99) over elapsed time.
#[must_use]
pub fn over_time(chart: &OverTime<'_>) -> String {
    let scale = latency_scale(chart.trend);
    let kind = if scale.is_log() { "logarithmic" } else { "linear, from zero" };
    let description = format!(
        "Lines of the 50th, 95th and 99th percentile of every second over the elapsed time; highest p99 {}. The scale is {kind}.",
        show(largest(chart.trend) / 1e3, Unit::Ms)
    );
    let mut svg = open(chart.id, "over-time", 266, &format!("{} over time", chart.name), &description);
    bands(&mut svg, chart.bands, chart.span, TOP, HEIGHT);
    grid(&mut svg, &scale);
    time_axis(&mut svg, chart.span);
    let _ = write!(
        svg,
        "<svg x=\"0\" y=\"{TOP}\" width=\"100%\" height=\"{HEIGHT}\" viewBox=\"0 0 1000 {HEIGHT}\" preserveAspectRatio=\"none\">"
    );
    for (class, value) in LINES {
        let points = chart.trend.points.iter().map(|p| (p.second.saturating_sub(chart.start), value(p)));
        let _ = write!(svg, "<path class=\"line {class}\" d=\"{}\"/>", path(points, chart.span, &scale));
    }
    svg.push_str("</svg>");
    grid_labels(&mut svg, &scale);
    svg.push_str("</svg>");
    svg
}

/// Whether the scale of a trend's chart is logarithmic.
#[must_use]
pub fn is_logarithmic(trend: &TrendSeries) -> bool {
    latency_scale(trend).is_log()
}

/// The scale in microseconds. Medians decide about its kind: one slow second alone shall not flatten the rest.
fn latency_scale(trend: &TrendSeries) -> Scale {
    let smallest = trend.points.iter().map(|p| p.p50).filter(|v| *v > 0).min().unwrap_or(0);
    Scale::fitting(smallest as f64, largest(trend))
}

fn largest(trend: &TrendSeries) -> f64 {
    trend.points.iter().map(|p| p.p99.max(p.p95).max(p.p50)).max().unwrap_or(0) as f64
}

fn height_of(scale: &Scale, value: f64) -> f64 {
    HEIGHT * (1.0 - scale.at(value))
}

pub(super) fn grid(svg: &mut String, scale: &Scale) {
    let above = scale.ticks().iter().filter(|tick| scale.at(**tick) > 0.0).map(|tick| height_of(scale, *tick));
    for height in above.chain([HEIGHT]) {
        let y = short(TOP + height, 1);
        let _ = write!(svg, "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{y}\" y2=\"{y}\"/>");
    }
}

pub(super) fn grid_labels(svg: &mut String, scale: &Scale) {
    for tick in scale.ticks().iter().filter(|tick| **tick > 0.0) {
        let y = short(TOP + height_of(scale, *tick) - 4.0, 1);
        let _ = write!(svg, "<text class=\"tick halo\" x=\"0\" y=\"{y}\">{}</text>", escape(&show(tick / 1e3, Unit::Ms)));
    }
}

pub(super) fn time_axis(svg: &mut String, span: i64) {
    time_axis_at(svg, span, TOP + HEIGHT);
}

/// The time axis at a height.
pub(super) fn time_axis_at(svg: &mut String, span: i64, y: f64) {
    for at in time_ticks(span) {
        let share = at as f64 / span.max(1) as f64;
        let x = percent(share);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{y}\" y2=\"{}\"/><text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
            y + 5.0,
            y + 20.0,
            anchor(share),
            elapsed(at)
        );
    }
}

/// Elapsed time on an axis: `0`, `45 s`, `5 min`, `1:30 h`.
#[must_use]
pub fn elapsed(seconds: i64) -> String {
    match seconds {
        0 => "0".to_owned(),
        s if s % 60 != 0 && s < 60 => format!("{s} s"),
        s if s % 60 != 0 => format!("{}:{:02} min", s / 60, s % 60),
        s if s < 3600 => format!("{} min", s / 60),
        s if s % 3600 == 0 => format!("{} h", s / 3600),
        s => format!("{}:{:02} h", s / 3600, s % 3600 / 60),
    }
}

/// The path of one line of (elapsed second, value), in a picture 1000 wide and [`HEIGHT`] high.
pub(super) fn path(points: impl IntoIterator<Item = (i64, i64)>, span: i64, scale: &Scale) -> String {
    path_in(points, span, scale, HEIGHT)
}

/// The path of one line in a picture 1000 wide and so high. A lone point is a line of no length, which round ends make a dot.
pub(super) fn path_in(points: impl IntoIterator<Item = (i64, i64)>, span: i64, scale: &Scale, height: f64) -> String {
    let span = span.max(1);
    let width = span / PARTS + i64::from(span % PARTS != 0);
    let mut d = String::new();
    for stretch in thin(points, width, GAP.max(width.saturating_mul(2))) {
        for (nth, (at, value)) in stretch.iter().enumerate() {
            let x = short(1000.0 * *at as f64 / span as f64, 1);
            let y = short(height * (1.0 - scale.at(*value as f64)), 1);
            let _ = write!(d, "{}{x} {y}", if nth == 0 { "M" } else { "L" });
        }
        if stretch.len() == 1 {
            d.push_str("h0");
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend(points: impl IntoIterator<Item = (i64, i64)>) -> TrendSeries {
        let point = |(second, p50)| SeriesPoint { second, p50, p95: p50 * 2, p99: p50 * 3, count: None };
        TrendSeries { points: points.into_iter().map(point).collect(), successes: None }
    }

    #[test]
    fn a_small_chart_reads_as_written() {
        let trend = trend([(100, 10_000), (101, 12_000), (130, 20_000)]);
        insta::assert_snapshot!(over_time(&OverTime { id: "c", name: "a<b", trend: &trend, start: 100, span: 30, bands: &[] }));
    }

    #[test]
    fn extreme_seconds_do_not_break_it() {
        let trend = trend([(i64::MIN, 1), (0, 5), (i64::MAX, 1 << 40)]);
        let svg = over_time(&OverTime { id: "c", name: "x", trend: &trend, start: i64::MIN, span: i64::MAX, bands: &[] });
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn time_is_written_in_the_unit_that_suits_it() {
        assert_eq!([0, 45, 90, 300, 3600, 5400].map(elapsed), ["0", "45 s", "1:30 min", "5 min", "1 h", "1:30 h"]);
    }
}
