//! Ranges of trends on one axis: from the fastest to the slowest sample, with the percentiles between.

use std::fmt::Write;

use super::scale::Scale;
use super::{anchor, open, percent, short};
use crate::model::units::{Unit, show};
use crate::render::markup::escape;

/// A trend's range in milliseconds; what is not known is not drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Its name.
    pub name: String,
    /// Fastest sample.
    pub min: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// Slowest sample.
    pub max: Option<f64>,
}

impl Range {
    /// The known values.
    fn values(&self) -> impl Iterator<Item = f64> {
        [self.min, self.p50, self.p95, self.p99, self.max].into_iter().flatten().filter(|v| v.is_finite())
    }
}

const HEAD: f64 = 24.0;
const ROW: f64 = 38.0;
/// How much of a name is drawn.
const LETTERS: usize = 60;

/// The chart, a row a range, on a logarithmic axis; empty if no range has a value above zero.
#[must_use]
pub fn ranges(id: &str, title: &str, ranges: &[Range]) -> String {
    let positive = || ranges.iter().flat_map(Range::values).filter(|v| *v > 0.0);
    let Some(smallest) = positive().min_by(f64::total_cmp) else { return String::new() };
    let scale = Scale::log(smallest, positive().max_by(f64::total_cmp).unwrap_or(smallest));
    let height = HEAD + ROW * ranges.len() as f64 + 4.0;
    let description = "A row a trend on a logarithmic axis: a thin line from the fastest to the slowest sample, a bar from the \
                       median to the 99th percentile with a mark at the 95th. The table beside it has the values.";
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds of pixels")]
    let mut svg = open(id, "ranges", height as u32, title, description);
    axis(&mut svg, &scale, height);
    for (nth, range) in ranges.iter().enumerate() {
        row(&mut svg, &scale, range, HEAD + ROW * nth as f64);
    }
    svg.push_str("</svg>");
    svg
}

fn axis(svg: &mut String, scale: &Scale, height: f64) {
    for tick in scale.ticks() {
        let (share, x) = (scale.at(*tick), percent(scale.at(*tick)));
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"18\" y2=\"{height}\"/><text class=\"tick\" x=\"{x}\" y=\"12\" text-anchor=\"{}\">{}</text>",
            anchor(share),
            escape(&show(*tick, Unit::Ms))
        );
    }
}

fn row(svg: &mut String, scale: &Scale, range: &Range, top: f64) {
    let _ = write!(
        svg,
        "<text class=\"name halo\" x=\"0\" y=\"{}\">{}</text>",
        short(top + 15.0, 1),
        escape(&shortened(&range.name))
    );
    let middle = short(top + 26.0, 1);
    let (first, last) = (range.values().min_by(f64::total_cmp), range.values().max_by(f64::total_cmp));
    if let (Some(first), Some(last)) = (first, last) {
        let (x1, x2) = (percent(scale.at(first)), percent(scale.at(last)));
        let _ = write!(svg, "<line class=\"whisker\" x1=\"{x1}\" x2=\"{x2}\" y1=\"{middle}\" y2=\"{middle}\"/>");
    }
    if let (Some(p50), Some(p99)) = (range.p50, range.p99.or(range.p95)) {
        let (from, to) = (scale.at(p50), scale.at(p99));
        let (x, width, y) = (percent(from), percent((to - from).max(0.0)), short(top + 21.0, 1));
        let _ = write!(svg, "<rect class=\"body\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"10\" rx=\"2\"/>");
    }
    for (class, value) in [("mark-p50", range.p50), ("mark-p95", range.p95), ("mark-end", range.min), ("mark-end", range.max)] {
        mark(svg, scale, class, value, top);
    }
}

/// A name that fits beside its bar; the table has the whole of it.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name.to_owned(),
    }
}

fn mark(svg: &mut String, scale: &Scale, class: &str, value: Option<f64>, top: f64) {
    let Some(value) = value else { return };
    let x = percent(scale.at(value));
    let (from, to) = if class == "mark-end" { (23.0, 29.0) } else { (19.0, 33.0) };
    let (y1, y2) = (short(top + from, 1), short(top + to, 1));
    let _ = write!(svg, "<line class=\"{class}\" x1=\"{x}\" x2=\"{x}\" y1=\"{y1}\" y2=\"{y2}\"/>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(name: &str, values: [Option<f64>; 5]) -> Range {
        let [min, p50, p95, p99, max] = values;
        Range { name: name.to_owned(), min, p50, p95, p99, max }
    }

    #[test]
    fn a_small_chart_reads_as_written() {
        let rows = [
            range("user_info", [Some(0.39), Some(24.97), Some(262.78), Some(320.86), Some(12_360.0)]),
            range("no <percentiles>", [Some(0.0), None, None, None, Some(31.0)]),
        ];
        insta::assert_snapshot!(ranges("r", "Latency", &rows));
    }

    #[test]
    fn nothing_measured_draws_nothing() {
        assert_eq!(ranges("r", "Latency", &[range("x", [None; 5])]), "");
        assert_eq!(ranges("r", "Latency", &[]), "");
    }
}
