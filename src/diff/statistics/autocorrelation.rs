//! How much a series remembers.

/// Sokal's c: the window is so many times his autocorrelation time, `1/2 + sum(rho)`.
const WINDOW: f64 = 5.0;

/// The integrated autocorrelation time in steps, at least 1: `1 + 2 * sum(rho)`, summed up to Sokal's window (Sokal 1997: the smallest
/// `M >= c * (1/2 + sum(rho))`, c = 5), and raised by `(2M + 1) / n` for what taking the mean away costs (Wolff 2004, equation 49).
/// At most the length of the series; 1 for a constant series and for fewer than four values. NaN never.
#[must_use]
pub fn integrated_time(values: &[f64]) -> f64 {
    if values.len() < 4 || values.iter().all(|value| value.total_cmp(&values[0]).is_eq()) {
        return 1.0;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let variance = lagged(&deviations, 0);
    // Too small or too large for a square, or not finite.
    if !(variance.is_normal() && variance > 0.0) {
        return 1.0;
    }
    let mut sum = 0.5;
    for lag in 1..deviations.len() {
        sum += lagged(&deviations, lag) / variance;
        if lag as f64 >= WINDOW * sum {
            return (2.0 * sum * (1.0 + (2 * lag + 1) as f64 / count)).clamp(1.0, count);
        }
    }
    // Not reached: all the products of a series with itself add up to the square of the sum of its deviations, 0, so that the window closes.
    1.0
}

/// Independent values that the series is worth: its length over the integrated autocorrelation time, at least 1 where there is a value.
#[must_use]
pub fn effective_size(values: &[f64]) -> f64 {
    values.len() as f64 / integrated_time(values)
}

/// The sum of products of values so many steps apart.
fn lagged(deviations: &[f64], lag: usize) -> f64 {
    deviations.iter().zip(&deviations[lag..]).map(|(earlier, later)| earlier * later).sum()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "1 is given back as it stands")]
mod tests {
    use proptest::prelude::*;

    use super::super::synthetic::Normal;
    use super::*;

    /// The mean over some seeds of what a series of so many values with such a memory is found to remember.
    fn found(count: usize, rho: f64) -> f64 {
        let times = ["1", "2", "3", "4"].map(|seed| integrated_time(&Normal::of(&["memory", seed]).correlated(count, rho)));
        times.iter().sum::<f64>() / 4.0
    }

    #[test]
    fn the_time_of_an_ar1_series_is_known() {
        // (1 + rho) / (1 - rho); the error of four series of 20,000 values is 4% by Sokal's formula, sqrt(2 (2M + 1) / n) of each.
        for (rho, expected) in [(0.5, 3.0), (0.9, 19.0)] {
            let found = found(20_000, rho);
            assert!((found / expected - 1.0).abs() < 0.1, "{rho}: {found} for {expected}");
        }
        // Independent values, and values that swing from one side to the other, are worth what they count.
        assert!(found(20_000, 0.0) < 1.05);
        assert_eq!(found(20_000, -0.5), 1.0);
    }

    #[test]
    fn a_short_series_has_a_time_too_if_a_rough_one() {
        let series = |seed: u32| Normal::of(&["short", &seed.to_string()]).correlated(60, 0.0);
        let times: Vec<f64> = (0..200).map(|seed| integrated_time(&series(seed))).collect();
        assert!(times.iter().sum::<f64>() / 200.0 < 1.4, "independent values are taken for dependent ones");
        assert!(integrated_time(&[1.0, 2.0, 3.0, 4.0]) >= 1.0);
    }

    #[test]
    fn a_constant_and_a_handful_of_values_have_no_memory() {
        for values in [&[][..], &[1.0], &[1.0, 9.0, 1.0], &[0.1; 77], &[1e300; 12]] {
            assert_eq!(integrated_time(values), 1.0, "{values:?}");
        }
        assert_eq!(effective_size(&[0.1; 77]), 77.0);
        assert_eq!(effective_size(&[]), 0.0);
    }

    #[test]
    fn a_drift_is_worth_a_few_values() {
        let drift: Vec<f64> = (0..60).map(f64::from).collect();
        assert!((1.0..8.0).contains(&effective_size(&drift)), "{}", effective_size(&drift));
    }

    proptest! {
        #[test]
        fn a_time_lies_between_1_and_the_length(values in prop::collection::vec(any::<f64>(), 1..60)) {
            let time = integrated_time(&values);
            prop_assert!((1.0..=values.len() as f64).contains(&time), "{time}");
        }

        #[test]
        fn a_time_knows_no_unit(values in prop::collection::vec(-100.0..100.0_f64, 4..60)) {
            let scaled: Vec<f64> = values.iter().map(|value| value * 1024.0).collect();
            prop_assert_eq!(integrated_time(&values), integrated_time(&scaled));
        }
    }
}
