//! How many samples took how long: bars over a logarithmic axis, with percentiles marked.

use std::fmt::Write;

use super::scale::Scale;
use super::{anchor, open, percent, short};
use crate::model::units::{Unit, show};
use crate::render::markup::escape;

/// Samples of a stretch of values, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How many samples it holds.
    pub samples: u64,
}

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'a> {
    /// The id of the chart on its page.
    pub id: &'a str,
    /// What is drawn.
    pub name: &'a str,
    /// The bins, ascending, all of one ratio.
    pub bins: &'a [Bin],
    /// Percentiles to be marked: class, label, milliseconds.
    pub marks: &'a [(&'static str, String, f64)],
}

const TOP: f64 = 40.0;
const HEIGHT: f64 = 150.0;

/// The chart; empty without a bin.
#[must_use]
pub fn histogram(chart: &Histogram<'_>) -> String {
    let Some((first, last)) = chart.bins.first().zip(chart.bins.last()) else { return String::new() };
    let (from, to) = (first.from, last.to);
    let ratio = (to / from).ln();
    if !(from > 0.0 && ratio > 0.0 && ratio.is_finite()) {
        return String::new();
    }
    let across = |value: f64| ((value / from).ln() / ratio).clamp(0.0, 1.0);
    let most = chart.bins.iter().map(|bin| bin.samples).max().unwrap_or(0);
    let count = Scale::linear(most as f64);
    let description = format!(
        "Samples by how long they took, from {} to {} on a logarithmic axis; the highest bar has {} samples.",
        show(from, Unit::Ms),
        show(to, Unit::Ms),
        show(most as f64, Unit::Count)
    );
    let mut svg = open(chart.id, "histogram", 222, &format!("Distribution of {}", chart.name), &description);
    let bottom = TOP + HEIGHT;
    for bin in chart.bins.iter().filter(|bin| bin.samples > 0) {
        let (x, width) = (across(bin.from), across(bin.to) - across(bin.from));
        // What is there is seen, however little it is.
        let height = (HEIGHT * count.at(bin.samples as f64)).max(1.0);
        let _ = write!(
            svg,
            "<rect class=\"bin\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            percent(x),
            short(bottom - height, 1),
            percent(width),
            short(height, 1)
        );
    }
    let _ = write!(svg, "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{bottom}\" y2=\"{bottom}\"/>");
    for tick in Scale::log(from, to).ticks().iter().filter(|tick| (from..=to).contains(*tick)) {
        let share = across(*tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{bottom}\" y2=\"{1}\"/><text class=\"tick\" x=\"{0}\" y=\"{2}\" text-anchor=\"{3}\">{4}</text>",
            percent(share),
            bottom + 5.0,
            bottom + 20.0,
            anchor(share),
            show(*tick, Unit::Ms)
        );
    }
    let mut marks: Vec<_> = chart.marks.iter().filter(|mark| mark.2.is_finite()).cloned().collect();
    marks.sort_by(|a, b| a.2.total_cmp(&b.2));
    for (nth, (class, label, value)) in marks.iter().enumerate() {
        let share = across(*value);
        // Neighbours stand on lines of their own.
        let y = 12.0 + 11.0 * (nth % 2) as f64;
        let _ = write!(
            svg,
            "<line class=\"mark-{class}\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{bottom}\"/><text class=\"tick halo\" x=\"{0}\" y=\"{y}\" text-anchor=\"{2}\">{3}</text>",
            percent(share),
            y + 4.0,
            anchor(share),
            escape(label)
        );
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(from: f64, to: f64, samples: u64) -> Bin {
        Bin { from, to, samples }
    }

    #[test]
    fn a_small_chart_reads_as_written() {
        let bins = [bin(1.0, 2.0, 5), bin(2.0, 4.0, 0), bin(4.0, 8.0, 1)];
        let marks = [("p50", "p50 1.4 ms".to_owned(), 1.4), ("p99", "p99 7 ms".to_owned(), 7.0)];
        insta::assert_snapshot!(histogram(&Histogram { id: "h", name: "a<b", bins: &bins, marks: &marks }));
    }

    #[test]
    fn nothing_breaks_it() {
        for bins in [vec![], vec![bin(0.0, 1.0, 3)], vec![bin(1.0, 1.0, 3)], vec![bin(1e-9, 1e300, u64::MAX)]] {
            let svg = histogram(&Histogram { id: "h", name: "x", bins: &bins, marks: &[("p50", "p50".to_owned(), f64::NAN)] });
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
