//! Random numbers that are the same in every run: a seed made of names, xoshiro256++.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// A source of its own for what the names name: `["throughput", "otp_session"]`. Other names, another order of them, or the same
    /// letters cut elsewhere give other numbers.
    #[must_use]
    pub fn of(names: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for name in names {
            // The length first: `ab`, `c` is not `a`, `bc`.
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(*hasher.finalize().as_bytes()))
    }

    /// A whole number below `below`, each as likely as any other (to `below` in 2^64); 0 where that is 0.
    pub fn below(&mut self, below: usize) -> usize {
        let product = u128::from(self.0.next_u64()) * below as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(names: &[&str]) -> Vec<usize> {
        let mut random = Random::of(names);
        (0..8).map(|_| random.below(1_000_000)).collect()
    }

    #[test]
    fn the_same_names_give_the_same_numbers() {
        assert_eq!(draws(&["throughput", "otp_session"]), draws(&["throughput", "otp_session"]));
        // Written down when they were first drawn: another machine, compiler or version of a crate must give them too.
        assert_eq!(draws(&["throughput", "otp_session"])[..4], [513_890, 496_422, 989_623, 225_732]);
    }

    #[test]
    fn other_names_give_other_numbers() {
        let all =
            [draws(&["ab", "c"]), draws(&["a", "bc"]), draws(&["c", "ab"]), draws(&["abc"]), draws(&["abc", ""]), draws(&[])];
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{place}");
        }
    }

    #[test]
    fn numbers_lie_below_and_are_spread_evenly() {
        let mut random = Random::of(&["evenly"]);
        let mut times = [0_u32; 7];
        for _ in 0..70_000 {
            times[random.below(7)] += 1;
        }
        // 10,000 of each are expected, with a standard deviation of 93.
        assert!(times.iter().all(|times| times.abs_diff(10_000) < 400), "{times:?}");
        assert_eq!((random.below(0), random.below(1)), (0, 0));
        assert!(random.below(usize::MAX) > 0);
    }
}
