//! Scales and their ticks.

/// Values onto 0..1.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    kind: Kind,
    lo: f64,
    hi: f64,
    ticks: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Linear,
    Log,
}

/// Over how many times the smallest value the largest one may be before a linear scale hides the small ones.
const LOG_FROM: f64 = 60.0;

impl Scale {
    /// A scale from zero to at least the largest value, with three to six round ticks. A largest value that is not above
    /// zero counts as 1.
    #[must_use]
    pub fn linear(largest: f64) -> Self {
        let largest = if largest.is_finite() && largest > 0.0 { largest } else { 1.0 };
        let step = round_step(largest / 4.0);
        let count = (largest / step - 1e-9).ceil().max(1.0);
        let ticks = steps(count).map(|n| n * step).collect();
        Self { kind: Kind::Linear, lo: 0.0, hi: count * step, ticks }
    }

    /// A logarithmic scale around the smallest and the largest value, both above zero; ticks at powers of ten, and between
    /// them where there are few.
    #[must_use]
    pub fn log(smallest: f64, largest: f64) -> Self {
        let lo = if smallest.is_finite() && smallest > 0.0 { smallest } else { 1.0 };
        let hi = if largest.is_finite() && largest > lo { largest } else { lo * 10.0 };
        let round = |parts: &'static [f64]| {
            let first = lo.log10().floor();
            let decades = steps((hi / lo).log10().ceil() + 2.0);
            decades.flat_map(move |decade| parts.iter().map(move |part| part * 10f64.powf(first + decade)))
        };
        let begin = round(&[1.0, 2.0, 5.0]).filter(|tick| *tick <= lo * 1.000_001).last().unwrap_or(lo);
        let end = round(&[1.0, 2.0, 5.0]).find(|tick| *tick >= hi * 0.999_999).unwrap_or(hi);
        let inside = |tick: &f64| (begin * 0.999_999..=end * 1.000_001).contains(tick);
        let parts: &[f64] = match hi / lo {
            wide if wide > 1000.0 => &[1.0],
            middling if middling > 30.0 => &[1.0, 3.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let ticks = round(parts).filter(inside).collect();
        Self { kind: Kind::Log, lo: begin, hi: end, ticks }
    }

    /// The scale that shows both the smallest and the largest of some values: linear, unless they lie too far apart.
    #[must_use]
    pub fn fitting(smallest: f64, largest: f64) -> Self {
        if smallest > 0.0 && largest / smallest > LOG_FROM { Self::log(smallest, largest) } else { Self::linear(largest) }
    }

    /// Where a value lies, 0..1; what is outside lies at the end.
    #[must_use]
    pub fn at(&self, value: f64) -> f64 {
        let place = match self.kind {
            Kind::Linear => (value - self.lo) / (self.hi - self.lo),
            Kind::Log if value <= 0.0 => 0.0,
            Kind::Log => (value / self.lo).ln() / (self.hi / self.lo).ln(),
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The values to mark, smallest first.
    #[must_use]
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// Whether equal distances are equal factors.
    #[must_use]
    pub fn is_log(&self) -> bool {
        self.kind == Kind::Log
    }
}

/// 0, 1, 2 up to a count, at most 40 of them.
fn steps(count: f64) -> impl Iterator<Item = f64> {
    (0..=40_u8).map(f64::from).take_while(move |n| *n <= count)
}

/// The smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below the value.
fn round_step(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let factor = [1.0, 2.0, 2.5, 5.0].into_iter().find(|f| f * power >= value * 0.999_999).unwrap_or(10.0);
    factor * power
}

/// Steps of a time axis, in seconds.
const TIME_STEPS: [i64; 16] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200];

/// Ticks of a time axis from 0 to a span of seconds, at most seven, at round steps.
#[must_use]
pub fn time_ticks(span: i64) -> Vec<i64> {
    let span = span.max(1);
    let step = TIME_STEPS.into_iter().find(|step| span / step <= 6).unwrap_or_else(|| (span / 6).max(1));
    (0..=6).map(|n| step.saturating_mul(n)).take_while(|at| *at <= span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn a_linear_scale_starts_at_zero_and_ends_at_a_round_number() {
        let scale = Scale::linear(87.0);
        assert_eq!(scale.ticks(), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert!(close(scale.at(50.0), 0.5) && close(scale.at(1e9), 1.0) && close(scale.at(-1.0), 0.0));
    }

    #[test]
    fn a_log_scale_has_round_ends() {
        let wide = Scale::log(0.39, 12_360.0);
        assert_eq!(wide.ticks().len(), 5);
        assert!(close(wide.at(0.2), 0.0) && close(wide.at(20_000.0), 1.0));
        let scale = Scale::log(14.0, 180.0);
        assert_eq!(scale.ticks(), [10.0, 20.0, 50.0, 100.0, 200.0]);
        assert!(close(scale.at(0.0), 0.0) && close(scale.at(10.0), 0.0) && close(scale.at(200.0), 1.0));
    }

    #[test]
    fn no_value_breaks_a_scale() {
        for (lo, hi) in [(0.0, 0.0), (f64::NAN, f64::INFINITY), (-1.0, -2.0), (1e-300, 1e300), (5.0, 5.0)] {
            for scale in [Scale::linear(hi), Scale::log(lo, hi), Scale::fitting(lo, hi)] {
                assert!((0.0..=1.0).contains(&scale.at(lo)) && scale.ticks().len() <= 130, "{lo} {hi}");
            }
        }
    }

    #[test]
    fn time_is_ticked_at_round_steps() {
        assert_eq!(time_ticks(1800), [0, 300, 600, 900, 1200, 1500, 1800]);
        assert_eq!(time_ticks(0), [0, 1]);
        assert!(time_ticks(i64::MAX).len() <= 7);
    }
}
