//! An interval in a table cell, held against the band of changes that are too small to matter. Its values stand in the cells
//! beside it, so the picture itself says nothing to a reader of text.

use std::fmt::Write;

use super::percent;

/// What to draw, on an axis on which no change is 0: logarithms of ratios, or differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval<'a> {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
    /// The estimate; none is not drawn.
    pub at: Option<f64>,
    /// The smallest change that matters, the same both ways.
    pub floor: f64,
    /// How far the axis reaches both ways.
    pub reach: f64,
    /// The class that colours it.
    pub class: &'a str,
}

/// Where the middle of the picture is, in pixels.
const MIDDLE: u8 = 11;
/// How much of the width is left at each end, for the sign of what lies beyond.
const MARGIN: f64 = 0.05;

/// The picture: the band, no change, the interval with its estimate; an end beyond the axis is a sign at the edge. Empty where a
/// number is not finite or the axis has no length.
#[must_use]
pub fn interval(shown: &Interval<'_>) -> String {
    let numbers = [shown.lo, shown.hi, shown.floor, shown.reach];
    if numbers.iter().any(|number| !number.is_finite()) || shown.reach <= 0.0 {
        return String::new();
    }
    let place = |value: f64| MARGIN + (1.0 - 2.0 * MARGIN) * (0.5 + (value / shown.reach).clamp(-1.0, 1.0) / 2.0);
    let mut svg = String::from("<svg class=\"interval\" width=\"100%\" height=\"22\" aria-hidden=\"true\" focusable=\"false\">");
    let (from, to) = (place(-shown.floor.abs()), place(shown.floor.abs()));
    let (middle, class) = (MIDDLE, shown.class);
    let _ = write!(
        svg,
        "<rect class=\"band\" x=\"{}\" y=\"1\" width=\"{}\" height=\"20\"/><line class=\"zero\" x1=\"50%\" x2=\"50%\" y1=\"1\" y2=\"21\"/>",
        percent(from),
        percent(to - from)
    );
    let (x1, x2) = (percent(place(shown.lo)), percent(place(shown.hi)));
    let _ = write!(svg, "<line class=\"span {class}\" x1=\"{x1}\" x2=\"{x2}\" y1=\"{middle}\" y2=\"{middle}\"/>");
    for (end, beyond, sign, x, anchor) in
        [(shown.lo, shown.lo < -shown.reach, "‹", "0", "start"), (shown.hi, shown.hi > shown.reach, "›", "100%", "end")]
    {
        if beyond {
            let _ = write!(svg, "<text class=\"beyond {class}\" x=\"{x}\" y=\"16\" text-anchor=\"{anchor}\">{sign}</text>");
        } else if end.abs() <= shown.reach {
            let x = percent(place(end));
            let _ = write!(svg, "<line class=\"span {class}\" x1=\"{x}\" x2=\"{x}\" y1=\"7\" y2=\"15\"/>");
        }
    }
    if let Some(at) = shown.at.filter(|at| at.is_finite() && at.abs() <= shown.reach) {
        let _ = write!(svg, "<circle class=\"dot {class}\" cx=\"{}\" cy=\"{middle}\" r=\"4\"/>", percent(place(at)));
    }
    svg.push_str("</svg>");
    svg
}

/// The ratios that an axis can end at.
const ENDS: [f64; 5] = [1.1, 1.25, 1.5, 2.0, 4.0];

/// The ratio at which an axis for some intervals of ratios ends: the smallest round one that holds them and twice each floor, four at
/// most, so that one large change does not hide all small ones.
#[must_use]
pub fn end_for(logarithms: impl IntoIterator<Item = f64>) -> f64 {
    let largest = logarithms.into_iter().filter(|log| log.is_finite()).fold(0.0, |max: f64, log| max.max(log.abs()));
    ENDS.into_iter().find(|end| end.ln() >= largest).unwrap_or(4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: Interval<'_> = Interval { lo: -0.02, hi: 0.3, at: Some(0.1), floor: 0.05, reach: 0.4, class: "regression" };

    #[test]
    fn a_small_picture_reads_as_written() {
        insta::assert_snapshot!(interval(&SHOWN));
    }

    #[test]
    fn what_lies_beyond_the_axis_is_a_sign_at_its_edge() {
        let svg = interval(&Interval { lo: -5.0, hi: 7.0, at: Some(6.0), ..SHOWN });
        assert!(svg.contains('‹') && svg.contains('›') && !svg.contains("circle"), "{svg}");
        let inside = interval(&SHOWN);
        assert!(!inside.contains('‹') && !inside.contains('›'));
    }

    #[test]
    fn no_number_breaks_it() {
        for number in [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, -0.0, 0.0, f64::MIN_POSITIVE] {
            for shown in [
                Interval { lo: number, ..SHOWN },
                Interval { hi: number, ..SHOWN },
                Interval { at: Some(number), ..SHOWN },
                Interval { floor: number, ..SHOWN },
                Interval { reach: number, ..SHOWN },
            ] {
                let svg = interval(&shown);
                assert!(!svg.contains("NaN") && !svg.contains("inf%") && !svg.contains("\"inf"), "{svg}");
            }
        }
        assert_eq!(interval(&Interval { lo: f64::NAN, ..SHOWN }), "");
    }

    #[test]
    fn an_axis_ends_at_a_round_ratio() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(end_for([]), 1.1) && close(end_for([0.2, -0.3]), 1.5));
        assert!(close(end_for([f64::NAN, 9.0]), 4.0));
    }
}
