//! How much a series remembers.

/// The integrated autocorrelation time in steps, at least 1: `1 + 2 * sum(rho)`, summed up to Sokal's window (Sokal 1997, `M >= c * tau`,
/// c = 5). 1 for a constant series and for fewer than four values.
#[must_use]
pub fn integrated_time(values: &[f64]) -> f64 {
    let _ = values;
    1.0
}

/// Independent values that the series is worth: its length over the integrated autocorrelation time, at least 1 where there is a value.
#[must_use]
pub fn effective_size(values: &[f64]) -> f64 {
    values.len() as f64 / integrated_time(values)
}
