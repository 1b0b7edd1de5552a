//! Changes, intervals and decisions in words.

use super::super::view::number;
use crate::model::bounds::Bounds;
use crate::model::comparison::{Area, Basis, Counted, Decision, Kind, NoiseOrigin, Presence};
use crate::model::units::show_number;

/// A ratio as a change: `+12%`, `-0.4%`. What is not all gone is never `-100%`.
pub(super) fn percent(ratio: f64) -> String {
    signed((ratio - 1.0) * 100.0) + "%"
}

/// What a ratio can be, as changes: `+9.0 to +15%`.
pub(super) fn within(interval: Bounds) -> String {
    format!("{} to {}%", signed((interval.lo() - 1.0) * 100.0), signed((interval.hi() - 1.0) * 100.0))
}

/// A difference of shares in percentage points: `+1.20 pp`.
pub(super) fn points(difference: f64) -> String {
    signed_points(difference * 100.0) + " pp"
}

/// What a difference can be: `+0.10 to +1.20 pp`.
pub(super) fn points_within(interval: Bounds) -> String {
    format!("{} to {} pp", signed_points(interval.lo() * 100.0), signed_points(interval.hi() * 100.0))
}

/// A size of change without a sign: `8.0%`, of shares `0.10 pp`.
pub(super) fn size(change: f64, kind: Kind) -> String {
    let text = if kind.is_share() { points(change.abs()) } else { percent(1.0 + change.abs()) };
    text.trim_start_matches('+').to_owned()
}

/// A ratio as such: `1.08`, `67.9`.
pub(super) fn times(ratio: f64) -> String {
    format!("×{}", show_number(ratio))
}

fn signed(percent: f64) -> String {
    let is_nearly_all = percent > -100.0 && percent <= -99.0;
    let size = if is_nearly_all { (percent.abs() * 10.0).floor() / 10.0 } else { percent.abs() };
    let is_whole = size >= 9.95 && !is_nearly_all;
    with_sign(percent, &if is_whole { show_number(size.round()) } else { format!("{size:.1}") })
}

fn signed_points(points: f64) -> String {
    let size = points.abs();
    with_sign(points, &if size >= 9.95 { format!("{size:.1}") } else { format!("{size:.2}") })
}

/// The digits with their sign; without one where they are all zeros.
fn with_sign(value: f64, digits: &str) -> String {
    let is_zero = !digits.contains(|c: char| ('1'..='9').contains(&c));
    let sign = match value {
        _ if is_zero => "",
        value if value < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{digits}")
}

/// A decision in words.
pub(super) fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::NotComparable => "not comparable",
        Decision::NoChange => "no change",
        other => other.name(),
    }
}

/// What a number rests on.
pub(super) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Samples => "raw samples",
        Basis::Series => "percentiles of every second",
        Basis::Summary => "k6's summary",
        Basis::Figures => "captured figures",
    }
}

/// Where the noise from run to run is known from.
pub(super) fn origin(origin: NoiseOrigin) -> &'static str {
    match origin {
        NoiseOrigin::Repeats => "between the archive's repeats",
        NoiseOrigin::RepeatsOfTarget => "between the target's repeats",
        NoiseOrigin::Assumed => "assumed: nobody measured it",
        NoiseOrigin::Counts => "of the counts, minute by minute",
        NoiseOrigin::SameRuns => "none: both sides are the same runs",
    }
}

/// `38 of 7,270,615`
pub(super) fn counted(counted: Counted) -> String {
    format!("{} of {}", number(counted.count), number(counted.of))
}

/// On which side something is; empty where it is on both.
pub(super) fn presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Both => "",
        Presence::New => "new",
        Presence::Gone => "gone",
    }
}

/// What a setting belongs to.
pub(super) fn area(area: Area) -> &'static str {
    match area {
        Area::Flags => "feature flag",
        Area::Service => "service",
        Area::Database => "database",
        Area::Environment => "environment",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_signed_and_nothing_is_overstated() {
        assert_eq!([1.123, 1.0, 0.996, 0.5, 0.9, 89.0].map(percent), ["+12%", "0.0%", "−0.4%", "−50%", "−10%", "+8,800%"]);
        assert_eq!((percent(0.000_1), percent(0.0)), ("−99.9%".to_owned(), "−100%".to_owned()));
        assert_eq!(
            (points(0.0123), points(0.0), points(-0.25)),
            ("+1.23 pp".to_owned(), "0.00 pp".to_owned(), "−25.0 pp".to_owned())
        );
        assert_eq!((size(0.08, Kind::P95), size(0.001, Kind::Failures)), ("8.0%".to_owned(), "0.10 pp".to_owned()));
    }

    #[test]
    fn an_interval_has_one_unit_behind_its_ends() {
        let bounds = |lo, hi| Bounds::new(lo, hi).unwrap_or_else(|| unreachable!());
        assert_eq!(within(bounds(0.97, 1.25)), "−3.0 to +25%");
        assert_eq!(points_within(bounds(-0.001, 0.02)), "−0.10 to +2.00 pp");
    }
}
