//! How two distributions differ, quantile by quantile: the ratio of each quantile of one to the same quantile of the other.
//!
//! A shift plot tells a slower tail from a slower everything, which no single percentile does.

use std::fmt::Write;

use super::{anchor, open, percent, short};

/// The ratio at one quantile, and what it can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftPoint {
    /// The quantile in percent, 0..100.
    pub percent: f64,
    /// The later over the earlier.
    pub ratio: f64,
    /// The least it can be.
    pub lo: f64,
    /// The most it can be.
    pub hi: f64,
}

impl ShiftPoint {
    /// Whether it has a place on a logarithmic axis.
    fn is_drawable(&self) -> bool {
        let places = [self.ratio, self.lo, self.hi];
        (0.0..=100.0).contains(&self.percent) && places.iter().all(|place| place.is_finite() && *place > 0.0)
    }
}

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Shift<'a> {
    /// The id of the chart on its page.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The points by quantile.
    pub points: &'a [ShiftPoint],
    /// Whether the points are so close that a line joins them; else each is a mark with its range.
    pub joined: bool,
}

const TOP: f64 = 14.0;
const HEIGHT: f64 = 220.0;
/// The axis shows at least a tenth both ways: noise shall not look like a mountain.
const LEAST: f64 = 1.1;

/// The chart, on a logarithmic axis around 1; empty without a point that can be drawn. The labels of the axis stand left of the picture, in
/// the padding that the style sheet gives it: the line would run through them within.
#[must_use]
pub fn shift(chart: &Shift<'_>) -> String {
    let points: Vec<ShiftPoint> = chart.points.iter().copied().filter(ShiftPoint::is_drawable).collect();
    let Some(axis) = Axis::around(&points) else { return String::new() };
    let description = "The ratio of each quantile of the later run to that of the earlier one, on a logarithmic axis: at 1 both are \
                       alike, above it the later run took longer. The table below it has the values.";
    let mut svg = open(chart.id, "shift", 276, chart.title, description);
    axes(&mut svg, &axis);
    if chart.joined {
        line(&mut svg, &axis, &points);
    } else {
        marks(&mut svg, &axis, &points);
    }
    labels(&mut svg, &axis);
    svg.push_str("</svg>");
    svg
}

/// Ratios onto the height.
struct Axis {
    /// Logarithms of its ends.
    lo: f64,
    hi: f64,
}

impl Axis {
    fn around(points: &[ShiftPoint]) -> Option<Self> {
        let (first, rest) = points.split_first()?;
        let (lo, hi) = rest.iter().fold((first.lo.min(first.ratio), first.hi.max(first.ratio)), |(lo, hi), point| {
            (lo.min(point.lo).min(point.ratio), hi.max(point.hi).max(point.ratio))
        });
        let (lo, hi) = (lo.ln().min(-LEAST.ln()), hi.ln().max(LEAST.ln()));
        let margin = (hi - lo) * 0.06;
        Some(Self { lo: lo - margin, hi: hi + margin })
    }

    /// Pixels from the upper edge of the lines.
    fn height_of(&self, ratio: f64) -> f64 {
        HEIGHT * (1.0 - ((ratio.ln() - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0))
    }

    /// Ratios to mark, round ones, few enough to be read.
    fn ticks(&self) -> Vec<f64> {
        const FINE: [f64; 9] = [0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2];
        const MIDDLING: [f64; 11] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0];
        const COARSE: [f64; 11] = [0.1, 0.2, 0.33, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0];
        let inside = |tick: &f64| (self.lo..=self.hi).contains(&tick.ln());
        let decades = || (-12..=12).map(|power| 10f64.powi(power));
        match self.hi - self.lo {
            span if span < 0.4 => FINE.into_iter().filter(inside).collect(),
            span if span < 1.2 => MIDDLING.into_iter().filter(inside).collect(),
            span if span < 4.0 => COARSE.into_iter().filter(inside).collect(),
            span if span < 12.0 => decades().flat_map(|ten| [ten, 3.0 * ten]).filter(inside).collect(),
            _ => decades().filter(inside).collect(),
        }
    }
}

fn axes(svg: &mut String, axis: &Axis) {
    for tick in axis.ticks() {
        let y = short(TOP + axis.height_of(tick), 1);
        let class = if (tick - 1.0).abs() < 1e-9 { "one" } else { "grid" };
        let _ = write!(svg, "<line class=\"{class}\" x1=\"0\" x2=\"100%\" y1=\"{y}\" y2=\"{y}\"/>");
    }
    let foot = TOP + HEIGHT;
    for (share, text) in [(0.1, "10th"), (0.25, "25th"), (0.5, "median"), (0.75, "75th"), (0.9, "90th"), (0.99, "99th")] {
        let x = percent(share);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{}\"/><text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"{}\">{text}</text>",
            foot + 5.0,
            foot + 20.0,
            anchor(share)
        );
    }
}

/// The labels of the axis, in the margin.
fn labels(svg: &mut String, axis: &Axis) {
    for tick in axis.ticks() {
        let y = short(TOP + axis.height_of(tick) + 4.0, 1);
        let decimals = if tick < 0.01 { 12 } else { 2 };
        let _ = write!(svg, "<text class=\"tick\" x=\"-8\" y=\"{y}\" text-anchor=\"end\">×{}</text>", short(tick, decimals));
    }
}

/// The line, with a band behind it as wide as the quantiles are known.
fn line(svg: &mut String, axis: &Axis, points: &[ShiftPoint]) {
    let place = |percent: f64, ratio: f64| format!("{} {}", short(percent * 10.0, 1), short(axis.height_of(ratio), 1));
    let joined = |places: Vec<String>| places.join("L");
    let over = points.iter().map(|point| place(point.percent, point.hi));
    let under = points.iter().rev().map(|point| place(point.percent, point.lo));
    let band = joined(over.chain(under).collect());
    let line = joined(points.iter().map(|point| place(point.percent, point.ratio)).collect());
    let dot = if points.len() == 1 { "h0" } else { "" };
    let _ = write!(
        svg,
        "<svg x=\"0\" y=\"{TOP}\" width=\"100%\" height=\"{HEIGHT}\" viewBox=\"0 0 1000 {HEIGHT}\" preserveAspectRatio=\"none\">\
         <path class=\"known\" d=\"M{band}Z\"/><path class=\"line ratio\" d=\"M{line}{dot}\"/></svg>"
    );
}

/// A mark a quantile, with the range that rounding leaves.
fn marks(svg: &mut String, axis: &Axis, points: &[ShiftPoint]) {
    for point in points {
        let x = percent(point.percent / 100.0);
        let y = |ratio: f64| short(TOP + axis.height_of(ratio), 1);
        let (lo, hi, at) = (y(point.lo), y(point.hi), y(point.ratio));
        let _ = write!(
            svg,
            "<line class=\"range\" x1=\"{x}\" x2=\"{x}\" y1=\"{hi}\" y2=\"{lo}\"/><circle class=\"ratio-dot\" cx=\"{x}\" cy=\"{at}\" r=\"4.5\"/>"
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(percent: f64, ratio: f64) -> ShiftPoint {
        ShiftPoint { percent, ratio, lo: ratio * 0.99, hi: ratio * 1.01 }
    }

    fn drawn(points: &[ShiftPoint], joined: bool) -> String {
        shift(&Shift { id: "s", title: "a<b", points, joined })
    }

    #[test]
    fn a_small_chart_reads_as_written() {
        let points = [point(1.0, 1.02), point(50.0, 1.1), point(99.0, 1.6)];
        insta::assert_snapshot!(drawn(&points, true) + "\n" + &drawn(&points[1..], false));
    }

    #[test]
    fn what_has_no_place_is_not_drawn() {
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            assert_eq!(drawn(&[point(50.0, bad)], true), "");
            let svg = drawn(&[point(50.0, bad), point(90.0, 2.0)], false);
            assert_eq!(svg.matches("<circle").count(), 1);
        }
        assert_eq!(drawn(&[], false), "");
    }

    proptest! {
        #[test]
        fn no_ratio_breaks_it(ratios in prop::collection::vec(prop::num::f64::ANY, 0..6), joined in any::<bool>()) {
            let points: Vec<ShiftPoint> = (1..).map(|n| f64::from(n) * 16.0).zip(ratios).map(|(at, ratio)| point(at, ratio)).collect();
            let svg = drawn(&points, joined);
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
        }
    }
}
