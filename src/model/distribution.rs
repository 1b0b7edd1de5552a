//! A distribution that stays small and can be merged: counts of samples by buckets whose width is at most 1/128 of their value.
//!
//! The buckets are those of `HdrHistogram` with eight significant bits (Gil Tene, hdrhistogram.org): whole millionths of the
//! metric's unit, so nanoseconds where it is milliseconds; below 256 a bucket a value, above it 128 buckets to every
//! doubling. They don't depend on the samples, so distributions of any runs merge by adding counts, and only integers are
//! computed with: the same samples give the same buckets everywhere.

use std::collections::BTreeMap;

/// Counts of samples by bucket. An exact percentile is not in here; a quantile is known to 1/128 of its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Samples by the number of their bucket; none is zero.
    pub buckets: BTreeMap<u32, u64>,
    /// Samples below zero, and samples above 9.2e12 of the unit, that have no bucket.
    pub outside: u64,
}

/// Significant bits of a bucket's lower edge.
const BITS: u32 = 8;
/// Buckets to a doubling.
const PER_DOUBLING: u32 = 1 << (BITS - 1);

/// The bucket of a value in millionths of the unit.
#[must_use]
pub fn bucket_of(millionths: u64) -> u32 {
    let exponent = (u64::BITS - millionths.leading_zeros()).saturating_sub(BITS);
    // Eight bits are left, so the cast loses nothing.
    #[allow(clippy::cast_possible_truncation, reason = "shifted to eight bits")]
    let mantissa = (millionths >> exponent) as u32;
    exponent * PER_DOUBLING + mantissa
}

/// The values of a bucket in millionths of the unit: the first, and how many there are.
#[must_use]
pub fn range_of(bucket: u32) -> (u64, u64) {
    let exponent = (bucket / PER_DOUBLING).saturating_sub(1).min(u64::BITS - BITS);
    (u64::from(bucket - exponent * PER_DOUBLING) << exponent, 1 << exponent)
}

impl Distribution {
    /// Adds samples of a value in millionths of the unit.
    pub fn add(&mut self, millionths: u64, samples: u64) {
        if samples > 0 {
            *self.buckets.entry(bucket_of(millionths)).or_default() += samples;
        }
    }

    /// Adds all samples of another distribution.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, samples) in &other.buckets {
            let sum = self.buckets.entry(*bucket).or_default();
            *sum = sum.saturating_add(*samples);
        }
        self.outside = self.outside.saturating_add(other.outside);
    }

    /// Samples in buckets, as many as can be counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.values().fold(0, |sum, samples| sum.saturating_add(*samples))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_value_lies_in_its_bucket_which_is_narrow(value in any::<u64>()) {
            let (first, width) = range_of(bucket_of(value));
            prop_assert!(first <= value && value - first < width);
            prop_assert!(width == 1 || width <= first / 128);
        }

        #[test]
        fn greater_values_have_no_smaller_bucket(a in any::<u64>(), b in any::<u64>()) {
            prop_assert_eq!(bucket_of(a.min(b)) <= bucket_of(a.max(b)), true);
        }
    }

    #[test]
    fn distributions_merge_by_adding() {
        let (mut a, mut b) = (Distribution::default(), Distribution::default());
        a.add(5_000_000, 2);
        a.add(7, 1);
        b.add(5_000_001, 3);
        b.add(0, 0);
        a.merge(&b);
        assert_eq!((a.count(), a.buckets.len()), (6, 2));
    }
}
