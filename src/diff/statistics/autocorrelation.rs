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
