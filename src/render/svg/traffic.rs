//! What was done and what failed, second by second: two panels on the time axis of the latencies.

use std::fmt::Write;

use super::bands::{Band, bands};
use super::scale::Scale;
use super::series::{path_in, time_axis_at};
use super::{open, short};
use crate::model::units::{Unit, show};

/// A count of each second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The class of its line, which gives it its colour.
    pub class: &'static str,
    /// Elapsed second and count, in order.
    pub points: Vec<(i64, i64)>,
}

/// What to draw.
#[derive(Clone, Debug)]
pub struct Traffic<'a> {
    /// The id of the chart on its page.
    pub id: &'a str,
    /// What was done.
    pub done: &'a [Line],
    /// What failed; its panel is left out where this is empty.
    pub failed: &'a [Line],
    /// Seconds from the left to the right edge.
    pub span: i64,
    /// Stretches to be marked behind the lines.
    pub bands: &'a [Band],
}

const TOP: f64 = 26.0;
/// Pixels of the panel of what was done.
const DONE: f64 = 150.0;
/// Pixels between the panels.
const BETWEEN: f64 = 26.0;
/// Pixels of the panel of what failed.
const FAILED: f64 = 70.0;
/// Pixels of the axis.
const AXIS: f64 = 30.0;

/// The chart.
#[must_use]
pub fn traffic(chart: &Traffic<'_>) -> String {
    let panels = panels(chart);
    let bottom = panels.last().map_or(TOP, |panel| panel.top + panel.height);
    let most = |lines: &[Line]| lines.iter().flat_map(|line| &line.points).map(|(_, count)| *count).max().unwrap_or(0);
    let failed = match (chart.failed.is_empty(), most(chart.failed)) {
        (true, _) => String::new(),
        (false, 0) => "; nothing failed".to_owned(),
        (false, most) => format!("; at most {} failed in one", show(most as f64, Unit::Count)),
    };
    let description = format!(
        "Counts of every second over the elapsed time; at most {} in one{failed}. The scales begin at zero.",
        show(most(chart.done) as f64, Unit::Count)
    );
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred pixels")]
    let mut svg = open(chart.id, "traffic", (bottom + AXIS) as u32, "Throughput and failures over time", &description);
    bands(&mut svg, chart.bands, chart.span, TOP, bottom - TOP);
    for panel in &panels {
        panel.draw(&mut svg, chart.span);
    }
    time_axis_at(&mut svg, chart.span, bottom);
    svg.push_str("</svg>");
    svg
}

/// Lines on a scale of their own.
struct Panel<'a> {
    name: &'static str,
    lines: &'a [Line],
    scale: Scale,
    top: f64,
    height: f64,
}

fn panels<'a>(chart: &Traffic<'a>) -> Vec<Panel<'a>> {
    let panel = |name: &'static str, lines: &'a [Line], top: f64, height: f64| {
        let most = lines.iter().flat_map(|line| &line.points).map(|(_, count)| *count).max().unwrap_or(0);
        Panel { name, lines, scale: Scale::linear(most as f64), top, height }
    };
    let mut panels = vec![panel("done", chart.done, TOP, DONE)];
    if !chart.failed.is_empty() {
        panels.push(panel("failed", chart.failed, TOP + DONE + BETWEEN, FAILED));
    }
    panels
}

impl Panel<'_> {
    fn draw(&self, svg: &mut String, span: i64) {
        let y = |value: f64| short(self.top + self.height * (1.0 - self.scale.at(value)), 1);
        // A low panel has room for its ends alone.
        let ticks = self.scale.ticks();
        let shown: Vec<f64> =
            if self.height < 100.0 { ticks.first().into_iter().chain(ticks.last()).copied().collect() } else { ticks.to_vec() };
        for tick in &shown {
            let _ = write!(svg, "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/>", y(*tick));
        }
        let (top, height) = (short(self.top, 1), short(self.height, 1));
        let _ = write!(
            svg,
            "<svg x=\"0\" y=\"{top}\" width=\"100%\" height=\"{height}\" viewBox=\"0 0 1000 {height}\" preserveAspectRatio=\"none\">"
        );
        for line in self.lines {
            let d = path_in(line.points.iter().copied(), span, &self.scale, self.height);
            let _ = write!(svg, "<path class=\"line {}\" d=\"{d}\"/>", line.class);
        }
        svg.push_str("</svg>");
        let _ = write!(
            svg,
            "<text class=\"tick halo\" x=\"100%\" y=\"{}\" text-anchor=\"end\">{}</text>",
            short(self.top - 4.0, 1),
            self.name
        );
        for tick in shown.iter().filter(|tick| **tick > 0.0) {
            let at = short(self.top + self.height * (1.0 - self.scale.at(*tick)) - 4.0, 1);
            let _ = write!(svg, "<text class=\"tick halo\" x=\"0\" y=\"{at}\">{}</text>", show(*tick, Unit::PerSecond));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_chart_reads_as_written() {
        let line = |class, points: &[(i64, i64)]| Line { class, points: points.to_vec() };
        let band = Band { from: 1, to: 1, mark: "1".to_owned() };
        let chart = Traffic {
            id: "t",
            done: &[line("requests", &[(0, 10), (1, 12), (2, 11)])],
            failed: &[line("failed", &[(0, 0), (1, 3), (2, 0)])],
            span: 2,
            bands: &[band],
        };
        insta::assert_snapshot!(traffic(&chart));
    }

    #[test]
    fn no_count_breaks_it() {
        for points in [vec![], vec![(0, 0)], vec![(i64::MIN, i64::MAX), (i64::MAX, i64::MIN)]] {
            let lines = [Line { class: "requests", points }];
            let svg = traffic(&Traffic { id: "t", done: &lines, failed: &lines, span: i64::MAX, bands: &[] });
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }
}
