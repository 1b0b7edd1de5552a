//! Series whose truth is known, for the tests: normal numbers, and series that remember.

use super::random::Random;

/// Normal numbers, the same in every run.
pub(super) struct Normal(Random);

impl Normal {
    pub(super) fn of(names: &[&str]) -> Self {
        Self(Random::of(names))
    }

    /// A normal number of mean 0 and standard deviation 1 (Box and Muller 1958).
    pub(super) fn draw(&mut self) -> f64 {
        let (radius, angle) = (self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// So many of them.
    pub(super) fn many(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.draw()).collect()
    }

    /// An AR(1) series of mean 0 and standard deviation 1, each value `rho` of the one before and something new.
    pub(super) fn correlated(&mut self, count: usize, rho: f64) -> Vec<f64> {
        let mut value = self.draw();
        let new = (1.0 - rho * rho).sqrt();
        let mut next = || {
            value = rho * value + new * self.draw();
            value
        };
        (0..count).map(|_| next()).collect()
    }

    /// Between 0 and 1, neither of them.
    fn uniform(&mut self) -> f64 {
        const PLACES: usize = 1 << 30;
        (self.0.below(PLACES) as f64 + 0.5) / PLACES as f64
    }
}

/// Means of blocks of so many values.
pub(super) fn block_means(values: &[f64], length: usize) -> Vec<f64> {
    values.chunks(length).map(|block| block.iter().sum::<f64>() / block.len() as f64).collect()
}
