//! Random numbers from a seed, in integers only: a float's `exp` and `ln` differ between machines, the samples must not.

/// One part of 65,536: the fixed point of exponents below.
const ONE: i64 = 1 << 16;

/// Splitmix64 by Steele, Lea and Flood ("Fast splittable pseudorandom number generators", 2014).
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is above zero; the bias of the remainder is far below anything a latency shows.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True `parts` times of a million.
    pub(crate) fn chance(&mut self, parts: u64) -> bool {
        self.below(1_000_000) < parts
    }

    /// Nanoseconds spread as latencies are: the logarithm is bell-shaped around `median`, one of 200 is four times as long.
    ///
    /// `spread` is the standard deviation of the base-2 logarithm in 65,536ths.
    pub(crate) fn latency(&mut self, median: u64, spread: i64) -> u64 {
        let exponent = self.bell() * spread / ONE;
        let scaled = scaled(median, exponent) + self.below(512);
        if self.chance(5_000) { scaled * 4 } else { scaled }
    }

    /// Close to a normal number of mean 0 and standard deviation 1, in 65,536ths: the sum of four even ones, so never beyond 3.5.
    fn bell(&mut self) -> i64 {
        let bits = self.next();
        let sum: i64 = [0, 16, 32, 48].iter().map(|shift| i64::from(((bits >> shift) & 0xFFFF) as u16)).sum();
        // Four even numbers below 2^16 have the mean 131,070 and the standard deviation 2^16 / sqrt(3).
        (sum - 131_070) * 113_512 / ONE
    }
}

/// `median` times two to the power of `exponent` / 65,536; between whole powers by the parabola through 1, sqrt(2) and 2.
fn scaled(median: u64, exponent: i64) -> u64 {
    let (whole, part) = (exponent.div_euclid(ONE), exponent.rem_euclid(ONE));
    let factor = ONE + part * (43_024 + part * 22_512 / ONE) / ONE;
    let exact = median * factor.unsigned_abs();
    if whole >= 0 { (exact << whole.min(20)) >> 16 } else { exact >> (16 - whole).min(60) }
}
