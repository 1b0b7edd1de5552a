//! Quantiles of a sample, and of Student's t.

/// A quantile of values by linear interpolation between order statistics: type 7 of Hyndman and Fan (1996), as R, `NumPy` and k6 have
/// it. `None` for no values. Values must be finite.
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    let _ = (values, p);
    None
}

/// The median.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The quantile of Student's t that leaves `1 - level` outside on both sides together; that of the normal distribution for infinite
/// degrees of freedom. NaN never: degrees below 1 count as 1.
#[must_use]
pub fn t_quantile(level: f64, degrees: f64) -> f64 {
    let _ = (level, degrees);
    0.0
}
