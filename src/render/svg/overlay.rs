//! One percentile of two runs, second by second, on one axis of elapsed time.

use std::fmt::Write;

use super::scale::Scale;
use super::series::{HEIGHT, TOP, grid, grid_labels, path, time_axis};
use super::{open, percent};
use crate::model::units::{Unit, show};

/// A run's line, and what is to be marked behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Elapsed seconds and thousandths of milliseconds, in order.
    pub points: Vec<(i64, i64)>,
    /// Stretches that are unlike the rest, from and to in elapsed seconds.
    pub incidents: Vec<(f64, f64)>,
}

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<'a> {
    /// The id of the chart on its page.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The earlier run.
    pub a: &'a Track,
    /// The later run.
    pub b: &'a Track,
    /// Seconds from the left to the right edge.
    pub span: i64,
    /// Seconds at the beginning that are not compared.
    pub warm_up_s: f64,
}

/// The chart: two lines over elapsed time, the warm-up and incidents behind them.
#[must_use]
pub fn overlay(chart: &Overlay<'_>) -> String {
    let scale = scale(chart.a, chart.b);
    let kind = if scale.is_log() { "logarithmic" } else { "linear, from zero" };
    let description = format!(
        "A line a run over the elapsed time of both; highest {} in the earlier run, {} in the later one. The scale is {kind}.",
        highest(chart.a),
        highest(chart.b)
    );
    let mut svg = open(chart.id, "overlay", 266, chart.title, &description);
    stretch(&mut svg, "warm-up", 0.0, chart.warm_up_s, chart.span);
    for (class, track) in [("incident a", chart.a), ("incident b", chart.b)] {
        for (from, to) in &track.incidents {
            stretch(&mut svg, class, *from, *to, chart.span);
        }
    }
    grid(&mut svg, &scale);
    time_axis(&mut svg, chart.span);
    let _ = write!(
        svg,
        "<svg x=\"0\" y=\"{TOP}\" width=\"100%\" height=\"{HEIGHT}\" viewBox=\"0 0 1000 {HEIGHT}\" preserveAspectRatio=\"none\">"
    );
    for (class, track) in [("a", chart.a), ("b", chart.b)] {
        let d = path(track.points.iter().copied(), chart.span, &scale);
        let _ = write!(svg, "<path class=\"line side-{class}\" d=\"{d}\"/>");
    }
    svg.push_str("</svg>");
    grid_labels(&mut svg, &scale);
    svg.push_str("</svg>");
    svg
}

/// The scale in thousandths of milliseconds that shows both runs.
fn scale(a: &Track, b: &Track) -> Scale {
    let values = || a.points.iter().chain(&b.points).map(|(_, value)| *value);
    let smallest = values().filter(|value| *value > 0).min().unwrap_or(0);
    Scale::fitting(smallest as f64, values().max().unwrap_or(0) as f64)
}

fn highest(track: &Track) -> String {
    let highest = track.points.iter().map(|(_, value)| *value).max();
    highest.map_or_else(|| "nothing".to_owned(), |micros| show(micros as f64 / 1e3, Unit::Ms))
}

/// A stretch of time behind the lines, never too narrow to be seen.
fn stretch(svg: &mut String, class: &str, from: f64, to: f64, span: i64) {
    let share = |seconds: f64| (seconds / span.max(1) as f64).clamp(0.0, 1.0);
    if !(from.is_finite() && to.is_finite()) || to <= from {
        return;
    }
    let (x, width) = (percent(share(from)), percent((share(to) - share(from)).max(0.004)));
    let _ = write!(svg, "<rect class=\"{class}\" x=\"{x}\" y=\"{TOP}\" width=\"{width}\" height=\"{HEIGHT}\"/>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(a: &[(i64, i64)], b: &[(i64, i64)], span: i64) -> String {
        let a = Track { points: a.to_vec(), incidents: vec![(1.0, 2.0), (f64::NAN, 1.0)] };
        let b = Track { points: b.to_vec(), incidents: Vec::new() };
        overlay(&Overlay { id: "o", title: "p50 <of> x", a: &a, b: &b, span, warm_up_s: 3.0 })
    }

    #[test]
    fn a_small_chart_reads_as_written() {
        insta::assert_snapshot!(drawn(&[(0, 10_000), (1, 12_000), (30, 20_000)], &[(0, 11_000), (29, 90_000)], 30));
    }

    #[test]
    fn extreme_seconds_and_values_do_not_break_it() {
        let extreme = [(i64::MIN, i64::MIN), (0, 0), (1, 5), (i64::MAX, i64::MAX)];
        for span in [i64::MIN, 0, 1, i64::MAX] {
            for (a, b) in [(&extreme[..], &[][..]), (&[], &extreme), (&[], &[]), (&extreme[1..2], &extreme[2..3])] {
                let svg = drawn(a, b, span);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
