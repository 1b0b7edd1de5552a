//! Quantiles of a sample, and of Student's t.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Degrees of freedom from which Student's t is taken for the normal distribution: its quantile at 95% is then 3e-5 wider at most.
const AS_GOOD_AS_INFINITE: f64 = 1e5;

/// A quantile of values by linear interpolation between order statistics: type 7 of Hyndman and Fan (1996), as R, `NumPy` and k6 have
/// it. `None` for no values. Values must be finite; `p` below 0 counts as 0, above 1 as 1.
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let place = p.clamp(0.0, 1.0) * last as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place lies between 0 and the last index")]
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(between(sorted[below], sorted[above], place - below as f64))
}

/// The median.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The quantile of Student's t that leaves `1 - level` outside on both sides together; that of the normal distribution for infinite
/// degrees of freedom. NaN never: degrees below 1 count as 1. 0 for a level of 0 or less, infinite for a level of 1 or more.
#[must_use]
pub fn t_quantile(level: f64, degrees: f64) -> f64 {
    // What is no number is no level.
    let outside = if level.is_nan() { 1.0 } else { 1.0 - level.clamp(0.0, 1.0) };
    if outside <= 0.0 {
        return f64::INFINITY;
    }
    if outside >= 1.0 {
        return 0.0;
    }
    let degrees = degrees.max(1.0);
    // The lower tail, not the upper one: a tail of 1e-12 keeps its digits there.
    let lower = match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) if degrees < AS_GOOD_AS_INFINITE => student.inverse_cdf(outside / 2.0),
        _ => Normal::standard().inverse_cdf(outside / 2.0),
    };
    lower.abs()
}

/// What lies between two neighbours; exactly the first where they are the same.
pub(super) fn between(low: f64, high: f64, part: f64) -> f64 {
    low + (high - low) * part
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "known values are small decimal fractions")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([15, 20, 35, 40, 50], [.05, .3, .4, .5, .95]); numpy.quantile([1, 2, 3, 4], [.25, .9])
        let ages = [40.0, 15.0, 50.0, 20.0, 35.0];
        let known = [(0.05, 16.0), (0.3, 23.0), (0.4, 29.0), (0.5, 35.0), (0.95, 48.0)];
        for (p, expected) in known {
            assert!((quantile(&ages, p).unwrap_or(f64::NAN) - expected).abs() < 1e-12, "{p}");
        }
        assert_eq!(quantile(&[4.0, 3.0, 2.0, 1.0], 0.25), Some(1.75));
        assert_eq!(quantile(&[4.0, 3.0, 2.0, 1.0], 0.9), Some(3.7));
    }

    #[test]
    fn a_quantile_of_nothing_is_none_and_of_one_value_that_value() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median(&[]), None);
        for p in [-1.0, 0.0, 0.3, 1.0, 2.0] {
            assert_eq!(quantile(&[7.5], p), Some(7.5));
        }
        assert_eq!(median(&[3.0, 1.0]), Some(2.0));
        assert_eq!(quantile(&[3.0, 1.0], 7.0), Some(3.0));
    }

    #[test]
    fn quantiles_of_t_are_those_of_scipy() {
        // scipy.stats.t.isf((1 - level) / 2, degrees), SciPy 1.17.1; norm.isf(0.025) for the last
        let known = [
            (0.95, 1.0, 12.706_204_736_174_694),
            (0.95, 2.0, 4.302_652_729_749_462),
            (0.95, 4.5, 2.658_912_347_204_403_4),
            (0.95, 6.0, 2.446_911_851_144_979),
            (0.95, 30.0, 2.042_272_456_301_238),
            (0.95, 10_000.0, 1.960_201_239_890_626),
            (0.99, 10.0, 3.169_272_672_616_95),
            (0.5, 3.0, 0.764_892_328_404_344_4),
            (0.999_999, 3.0, 130.154_589_557_110_2),
            (0.95, f64::INFINITY, 1.959_963_984_540_054),
        ];
        for (level, degrees, expected) in known {
            let found = t_quantile(level, degrees);
            assert!((found / expected - 1.0).abs() < 1e-10, "{level} {degrees}: {found}");
        }
        // The same, of 999,999 degrees: here taken for infinite.
        assert!((t_quantile(0.95, 999_999.0) - 1.959_966_356_8).abs() < 1e-4);
    }

    #[test]
    fn t_is_never_nan() {
        assert_eq!(t_quantile(0.95, 0.2), t_quantile(0.95, 1.0));
        assert_eq!(t_quantile(0.95, f64::NAN), t_quantile(0.95, 1.0));
        assert_eq!((t_quantile(0.0, 5.0), t_quantile(-1.0, 5.0), t_quantile(f64::NAN, 5.0)), (0.0, 0.0, 0.0));
        assert_eq!((t_quantile(1.0, 5.0), t_quantile(2.0, f64::INFINITY)), (f64::INFINITY, f64::INFINITY));
    }

    proptest! {
        #[test]
        fn a_quantile_grows_with_p_and_lies_among_its_values(
            values in prop::collection::vec(-1e9..1e9_f64, 1..40), p in 0.0..1.0_f64, q in 0.0..1.0_f64,
        ) {
            let (low, high) = (quantile(&values, p.min(q)), quantile(&values, p.max(q)));
            prop_assert!(low <= high);
            prop_assert!(quantile(&values, 0.0) <= low && high <= quantile(&values, 1.0));
        }

        #[test]
        fn t_falls_with_degrees_and_grows_with_the_level(level in 0.5..0.999_f64, degrees in 1.0..500.0_f64) {
            prop_assert!(t_quantile(level, degrees) > t_quantile(level, degrees + 1.0));
            prop_assert!(t_quantile(level, degrees) < t_quantile(level + 0.0005, degrees));
            prop_assert!(t_quantile(level, degrees) > t_quantile(level, f64::INFINITY));
        }
    }
}
