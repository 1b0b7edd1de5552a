//! Changes as pages show them: ratios in percent, differences of shares in points, with their sign.

use super::show_number;
use crate::model::bounds::Bounds;

/// From this ratio on a change is told as the ratio: nobody reads `+8,800%` as 89 times as much.
const TIMES: f64 = 3.0;

/// A ratio as a change: `+12%`, `-0.4%`, `x 89`. What is not all gone is never `-100%`.
#[must_use]
pub fn show_change(ratio: f64) -> String {
    if ratio >= TIMES { format!("x {}", times(ratio)) } else { signed((ratio - 1.0) * 100.0) + "%" }
}

/// What a ratio can be, as changes: `+9.0 to +15%`, `x 87 to 91`.
#[must_use]
pub fn show_change_within(interval: Bounds) -> String {
    let (lo, hi) = (interval.lo(), interval.hi());
    match (lo >= TIMES, hi >= TIMES) {
        (true, _) => format!("x {} to {}", times(lo), times(hi)),
        (false, true) => format!("{} to {}", show_change(lo), show_change(hi)),
        (false, false) => format!("{} to {}%", signed((lo - 1.0) * 100.0), signed((hi - 1.0) * 100.0)),
    }
}

fn times(ratio: f64) -> String {
    show_number(if ratio >= 99.5 { ratio.round() } else { ratio })
}

/// A difference of shares in percentage points: `+1.2 pp`.
#[must_use]
pub fn show_points(difference: f64) -> String {
    signed_points(difference * 100.0) + " pp"
}

/// What a difference of shares can be: `+0.10 to +1.20 pp`.
#[must_use]
pub fn show_points_within(interval: Bounds) -> String {
    format!("{} to {} pp", signed_points(interval.lo() * 100.0), signed_points(interval.hi() * 100.0))
}

fn signed(percent: f64) -> String {
    let size = percent.abs();
    let size = if percent > -100.0 && percent <= -99.0 { (size * 10.0).floor() / 10.0 } else { size };
    let is_whole = size >= 9.95 && !(percent > -100.0 && percent <= -99.0);
    with_sign(percent, &if is_whole { show_number(size.round()) } else { format!("{size:.1}") })
}

fn signed_points(points: f64) -> String {
    let size = points.abs();
    with_sign(points, &if size >= 0.995 { format!("{size:.1}") } else { format!("{size:.2}") })
}

/// The digits with their sign; without one where they are all zeros.
fn with_sign(value: f64, digits: &str) -> String {
    let is_zero = !digits.contains(|c: char| ('1'..='9').contains(&c));
    let sign = match value {
        _ if is_zero => "",
        value if value < 0.0 => "-",
        _ => "+",
    };
    format!("{sign}{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(lo: f64, hi: f64) -> Bounds {
        Bounds::new(lo, hi).unwrap_or_else(|| unreachable!("in order"))
    }

    #[test]
    fn a_change_has_its_sign_and_no_more_digits_than_it_deserves() {
        let shown = [1.0, 1.1234, 0.996, 1.000_01, 89.0, 0.47, 0.0, 0.0002, 2.0].map(show_change);
        assert_eq!(shown, ["0.0%", "+12%", "-0.4%", "0.0%", "x 89", "-53%", "-100%", "-99.9%", "+100%"]);
        let intervals = [bounds(0.95, 1.153), bounds(3.04, 1234.5), bounds(2.5, 3.4)].map(show_change_within);
        assert_eq!(intervals, ["-5.0 to +15%", "x 3.04 to 1,235", "+150% to x 3.4"]);
        assert_eq!([show_points(0.012), show_points(-0.25), show_points(0.000_001)], ["+1.2 pp", "-25.0 pp", "0.00 pp"]);
    }
}
