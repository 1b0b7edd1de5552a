//! From an interval to a decision: an interval decides, not a p-value.

use crate::model::bounds::Bounds;
use crate::model::comparison::{Decision, Kind};
use crate::settings::Floors;

/// The smallest change that matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floor {
    /// As a ratio minus 1; of shares, a difference.
    pub relative: f64,
    /// In milliseconds; zero where there is none.
    pub absolute: f64,
}

impl Floor {
    /// The floor of a kind.
    pub(super) fn of(kind: Kind, floors: &Floors) -> Self {
        let relative = match kind {
            Kind::Throughput => floors.throughput,
            Kind::P50 => floors.p50,
            Kind::P95 => floors.p95,
            Kind::P99 => floors.p99,
            Kind::Failures => floors.failures,
            Kind::Cpu => floors.cpu,
            Kind::LockWait => floors.lock_wait,
            Kind::Bytes => floors.bytes,
        };
        Self { relative, absolute: if kind.is_latency() { floors.absolute_ms } else { 0.0 } }
    }
}

/// A decision and what led to it where the relative floor alone did not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decided {
    pub decision: Decision,
    /// Whether the change is surely beyond the relative floor, or may be, but surely below the absolute one.
    pub below_absolute: bool,
}

/// Decides on the interval of a ratio to the baseline `a`, both above zero.
///
/// A change is one whose whole interval lies beyond the relative floor, and which may be larger than the absolute one. No change is
/// one whose whole interval lies within one of the two floors. Whatever else is inconclusive. With the sides swapped it is the mirror image.
pub(super) fn ratio(kind: Kind, interval: Bounds, a: f64, floor: Floor) -> Decided {
    let (lo, hi) = (interval.lo(), interval.hi());
    let largest = largest(interval, a);
    let below_absolute = floor.absolute > 0.0 && largest < floor.absolute;
    let up = 1.0 + floor.relative;
    let within = lo > 1.0 / up && hi < up;
    let decision = match () {
        () if within || below_absolute => Decision::NoChange,
        () if lo > up => judged(kind.more_is_better()),
        () if hi < 1.0 / up => judged(!kind.more_is_better()),
        () => Decision::Inconclusive,
    };
    Decided { decision, below_absolute: below_absolute && !within }
}

/// How large a change can be in the unit of `a`, reckoned from either side: which one is called the baseline must not decide.
fn largest(interval: Bounds, a: f64) -> f64 {
    let (lo, hi) = (interval.lo(), interval.hi());
    let b = a * (lo * hi).sqrt();
    let from = |base: f64, one: f64, other: f64| base * (one - 1.0).abs().max((other - 1.0).abs());
    from(a, lo, hi).max(from(b, 1.0 / lo, 1.0 / hi))
}

/// Decides on the interval of a difference of shares, of which less is better. From a baseline of zero any share that is surely
/// above zero is a change, and none passes for no change unless there is still none.
pub(super) fn share(interval: Bounds, from_zero: bool, still_zero: bool, floor: f64) -> Decision {
    let (lo, hi) = (interval.lo(), interval.hi());
    let first = from_zero && !still_zero;
    match () {
        () if lo > floor || (first && lo > 0.0) => Decision::Regression,
        () if hi < -floor => Decision::Improvement,
        () if lo > -floor && hi < floor && !first => Decision::NoChange,
        () => Decision::Inconclusive,
    }
}

fn judged(better: bool) -> Decision {
    if better { Decision::Improvement } else { Decision::Regression }
}

/// The smallest worsening that is found with a half-width on the log scale: a ratio beyond 1 + it, of throughput below 1 / (1 + it).
pub(super) fn detectable(half_width: f64, a: f64, floor: Floor) -> f64 {
    let beyond_relative = (half_width + floor.relative.ln_1p()).exp_m1();
    if floor.absolute <= 0.0 || a <= 0.0 {
        return beyond_relative;
    }
    // The far end of the interval must lie beyond the absolute floor.
    beyond_relative.max(((floor.absolute / a).ln_1p() - half_width).exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: Floor = Floor { relative: 0.05, absolute: 0.0 };

    fn decide(kind: Kind, lo: f64, hi: f64) -> Decision {
        ratio(kind, Bounds::new(lo, hi).unwrap_or_else(|| unreachable!()), 100.0, FLOOR).decision
    }

    #[test]
    fn an_interval_beyond_the_floor_is_a_change() {
        assert_eq!(decide(Kind::P50, 1.06, 1.2), Decision::Regression);
        assert_eq!(decide(Kind::P50, 0.8, 0.94), Decision::Improvement);
        assert_eq!(decide(Kind::Throughput, 1.06, 1.2), Decision::Improvement);
        assert_eq!(decide(Kind::Throughput, 0.8, 0.94), Decision::Regression);
        assert_eq!(decide(Kind::P50, 1.04, 1.2), Decision::Inconclusive);
    }

    #[test]
    fn an_interval_within_the_floor_is_none() {
        assert_eq!(decide(Kind::P50, 0.96, 1.04), Decision::NoChange);
        assert_eq!(decide(Kind::P50, 0.96, 1.06), Decision::Inconclusive);
    }

    #[test]
    fn what_cannot_be_larger_than_the_absolute_floor_is_none() {
        let floor = Floor { relative: 0.05, absolute: 2.0 };
        let of = |lo, hi, a| ratio(Kind::P50, Bounds::new(lo, hi).unwrap_or_else(|| unreachable!()), a, floor);
        assert_eq!(of(1.5, 2.0, 1.0), Decided { decision: Decision::NoChange, below_absolute: true });
        assert_eq!(of(1.5, 2.0, 3.0).decision, Decision::Regression);
        assert_eq!(of(0.4, 0.7, 4.0).decision, Decision::Improvement);
        assert_eq!(of(0.6, 0.7, 4.0).decision, Decision::NoChange);
    }

    #[test]
    fn a_share_that_was_zero_does_not_pass() {
        let of = |lo, hi, from, still| share(Bounds::new(lo, hi).unwrap_or_else(|| unreachable!()), from, still, 0.001);
        assert_eq!(of(1e-6, 1e-5, true, false), Decision::Regression);
        assert_eq!(of(0.0, 1e-5, true, false), Decision::Inconclusive);
        assert_eq!(of(0.0, 1e-5, true, true), Decision::NoChange);
        assert_eq!(of(-1e-5, 1e-5, false, false), Decision::NoChange);
        assert_eq!(of(0.002, 0.01, false, false), Decision::Regression);
        assert_eq!(of(-0.01, -0.002, false, true), Decision::Improvement);
    }

    proptest::proptest! {
        #[test]
        fn what_is_beyond_the_detectable_change_is_found(half in 0.0..0.5_f64, a in 0.1..1000.0_f64, absolute in 0.0..5.0_f64) {
            let floor = Floor { relative: 0.05, absolute };
            let log = detectable(half, a, floor).ln_1p() + 1e-9;
            let found = |log: f64| {
                let interval = Bounds::new((log - half).exp(), (log + half).exp()).unwrap_or_else(|| unreachable!());
                ratio(Kind::P50, interval, a, floor).decision
            };
            proptest::prop_assert_eq!(found(log), Decision::Regression);
            proptest::prop_assert!(!found(log - 1e-6).is_change());
        }

        #[test]
        fn swapped_sides_give_the_mirror_image(log in -1.0..1.0_f64, half in 0.0..0.5_f64, a in 0.1..100.0_f64, absolute in 0.0..5.0_f64) {
            let floor = Floor { relative: 0.05, absolute };
            let of = |log: f64, base: f64| {
                ratio(Kind::P50, Bounds::new((log - half).exp(), (log + half).exp()).unwrap_or_else(|| unreachable!()), base, floor)
            };
            let mirrored = match of(-log, a * log.exp()).decision {
                Decision::Regression => Decision::Improvement,
                Decision::Improvement => Decision::Regression,
                other => other,
            };
            proptest::prop_assert_eq!(of(log, a).decision, mirrored);
        }
    }
}
