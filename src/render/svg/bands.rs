//! Stretches of time marked behind the lines of a chart.

use std::fmt::Write;

use super::{percent, short};

/// A stretch of time, in seconds from the left edge; `to` is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Its first second.
    pub from: i64,
    /// Its last second.
    pub to: i64,
    /// What it is called in the chart: a number or a letter.
    pub mark: String,
}

/// Draws the bands from a height on, so many pixels high, each with its mark above it. What lies outside of the chart is left out.
pub(super) fn bands(svg: &mut String, bands: &[Band], span: i64, top: f64, height: f64) {
    let span = span.max(1) as f64;
    for band in bands {
        // A second is a point on the axis, and its band goes half a second to both sides.
        let (from, to) = (((band.from as f64 - 0.5) / span).clamp(0.0, 1.0), ((band.to as f64 + 0.5) / span).clamp(0.0, 1.0));
        if to <= from {
            continue;
        }
        // A band of one second in an hour would not be seen.
        let width = (to - from).max(0.003);
        let from = from.min(1.0 - width);
        let _ = write!(
            svg,
            "<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text class=\"tick bandmark\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            percent(from),
            short(top, 1),
            percent(width),
            short(height, 1),
            percent((from + width / 2.0).clamp(0.008, 0.992)),
            short(top - 5.0, 1),
            crate::render::markup::escape(&band.mark)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(from: i64, to: i64, span: i64) -> String {
        let mut svg = String::new();
        bands(&mut svg, &[Band { from, to, mark: "1".to_owned() }], span, 26.0, 100.0);
        svg
    }

    #[test]
    fn a_band_is_where_it_was_and_never_too_thin_to_see() {
        assert!(drawn(60, 89, 120).contains("x=\"49.58%\" y=\"26\" width=\"25%\""));
        assert!(drawn(3600, 3600, 3600).contains("x=\"99.7%\" y=\"26\" width=\"0.3%\""));
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        assert_eq!(drawn(200, 300, 120), "");
        assert_eq!(drawn(-9, -1, 120), "");
        assert!(!drawn(120, 120, 120).is_empty() && !drawn(0, 0, 120).is_empty());
        assert!(!drawn(i64::MIN, i64::MAX, i64::MAX).contains("NaN"));
    }
}
