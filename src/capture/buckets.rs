//! Counts of values between bounds: histograms and distributions, pooled before a percentile is asked for.
//!
//! A percentile is the value at rank `p * N`, by linear interpolation inside the bucket that holds the rank: what Cloud
//! Monitoring documents for distributions and Prometheus for classic histograms (`histogram_quantile`).

use std::collections::BTreeMap;

/// Counts by bucket, in the order of the bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buckets {
    buckets: Vec<Bucket>,
    /// The sum of all values, where the source tells it.
    pub sum: Option<f64>,
}

/// How many values lie between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The lower bound; negative infinity where there is none.
    pub low: f64,
    /// The upper bound; infinity where there is none.
    pub high: f64,
    /// How many; may be a fraction where the source extrapolated.
    pub count: f64,
}

/// A percentile of buckets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantile {
    /// The value by interpolation.
    At(f64),
    /// All that is known is that it is at least this: the rank lies in a bucket without an upper bound.
    AtLeast(f64),
}

impl Buckets {
    /// Buckets in any order; those of one pair of bounds are added, empty ones left out.
    #[must_use]
    pub fn new(buckets: impl IntoIterator<Item = Bucket>, sum: Option<f64>) -> Self {
        let mut by_bounds: BTreeMap<(Ordered, Ordered), f64> = BTreeMap::new();
        for bucket in buckets.into_iter().filter(|bucket| bucket.count > 0.0) {
            *by_bounds.entry((Ordered(bucket.low), Ordered(bucket.high))).or_default() += bucket.count;
        }
        let buckets = by_bounds.into_iter().map(|((low, high), count)| Bucket { low: low.0, high: high.0, count });
        Self { buckets: buckets.collect(), sum }
    }

    /// The buckets that are not empty, in order.
    #[must_use]
    pub fn list(&self) -> &[Bucket] {
        &self.buckets
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// All values of several histograms together.
    #[must_use]
    pub fn pooled<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut buckets, mut sum) = (Vec::new(), Some(0.0));
        for one in all {
            buckets.extend_from_slice(&one.buckets);
            // A histogram without values adds nothing, whether its source tells a sum or not.
            let own = if one.is_empty() { Some(0.0) } else { one.sum };
            sum = sum.zip(own).map(|(a, b)| a + b);
        }
        Self::new(buckets, sum)
    }

    /// The value that a share of all values does not exceed, 0..=1; `None` of no value. A bucket without a lower bound begins
    /// at `least`.
    #[must_use]
    pub fn quantile(&self, share: f64, least: f64) -> Option<Quantile> {
        let mut rank = share * self.count();
        let disjoint = self.disjoint(least);
        for bucket in &disjoint {
            if rank <= bucket.count {
                let low = if bucket.low.is_finite() { bucket.low } else { least };
                if !bucket.high.is_finite() {
                    return Some(Quantile::AtLeast(low));
                }
                return Some(Quantile::At(low + (bucket.high - low) * (rank / bucket.count).max(0.0)));
            }
            rank -= bucket.count;
        }
        // Rounding may leave the last rank a hair above the last count.
        disjoint.last().map(|last| if last.high.is_finite() { Quantile::At(last.high) } else { Quantile::AtLeast(last.low) })
    }

    /// The highest bucket with a value: the highest value lies in it. `None` of no value, or where it has no upper bound.
    #[must_use]
    pub fn highest(&self) -> Option<Bucket> {
        self.buckets.iter().copied().max_by(|a, b| a.high.total_cmp(&b.high)).filter(|bucket| bucket.high.is_finite())
    }

    /// The mean, where the sum is known.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        self.sum.filter(|_| !self.is_empty()).map(|sum| sum / self.count())
    }

    /// The same histogram with every bound and the sum multiplied: from seconds to milliseconds.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let scale = |bucket: &Bucket| Bucket { low: bucket.low * factor, high: bucket.high * factor, count: bucket.count };
        Self { buckets: self.buckets.iter().map(scale).collect(), sum: self.sum.map(|sum| sum * factor) }
    }

    /// What came since an earlier state of the same counters; `None` if a count fell: they began anew.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Option<Self> {
        let mut counts: BTreeMap<(Ordered, Ordered), f64> = BTreeMap::new();
        for bucket in &self.buckets {
            counts.insert((Ordered(bucket.low), Ordered(bucket.high)), bucket.count);
        }
        for bucket in &earlier.buckets {
            let left = counts.get_mut(&(Ordered(bucket.low), Ordered(bucket.high)))?;
            *left -= bucket.count;
        }
        if counts.values().any(|count| *count < 0.0) {
            return None;
        }
        let sum = self.sum.zip(earlier.sum.or(earlier.is_empty().then_some(0.0))).map(|(now, then)| now - then);
        let buckets = counts.into_iter().map(|((low, high), count)| Bucket { low: low.0, high: high.0, count });
        Some(Self::new(buckets, sum))
    }

    /// Buckets that don't overlap: where sources with other bounds were pooled, each is cut at all bounds inside it, its
    /// values spread evenly.
    fn disjoint(&self, least: f64) -> Vec<Bucket> {
        let floor = |low: f64| if low.is_finite() { low } else { least };
        let apart = self.buckets.windows(2).all(|pair| pair[0].high <= floor(pair[1].low));
        if apart {
            return self.buckets.clone();
        }
        let mut edges: Vec<f64> = self.buckets.iter().flat_map(|bucket| [floor(bucket.low), bucket.high]).collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let pieces = edges.windows(2).map(|edge| {
            let share = |bucket: &Bucket| {
                let (low, high) = (floor(bucket.low), bucket.high);
                match (low <= edge[0] && edge[1] <= high, high.is_finite()) {
                    (false, _) => 0.0,
                    (true, true) => bucket.count * (edge[1] - edge[0]) / (high - low),
                    // What is above the last bound of one source is somewhere above it: kept in the open piece.
                    (true, false) => {
                        if edge[1].is_finite() {
                            0.0
                        } else {
                            bucket.count
                        }
                    }
                }
            };
            Bucket { low: edge[0], high: edge[1], count: self.buckets.iter().map(share).sum() }
        });
        pieces.filter(|piece| piece.count > 0.0).collect()
    }
}

/// A bound in the order of all numbers.
#[derive(Clone, Copy, Debug)]
struct Ordered(f64);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.0.total_cmp(&other.0).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(list: &[(f64, f64, f64)]) -> Buckets {
        Buckets::new(list.iter().map(|&(low, high, count)| Bucket { low, high, count }), None)
    }

    /// In thousandths, to compare.
    fn at(buckets: &Buckets, share: f64) -> i64 {
        match buckets.quantile(share, 0.0) {
            #[allow(clippy::cast_possible_truncation, reason = "small numbers of these tests")]
            Some(Quantile::At(value)) => (value * 1e3).round() as i64,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_rank_is_interpolated_inside_its_bucket() {
        // The example of Google's documentation: one sample between 8 and 16.
        let one = buckets(&[(8.0, 16.0, 1.0)]);
        assert_eq!([at(&one, 0.5), at(&one, 0.95), at(&one, 0.99)], [12_000, 15_600, 15_920]);
    }

    #[test]
    fn no_value_has_no_percentile_and_an_open_bucket_only_a_bound() {
        assert_eq!(buckets(&[]).quantile(0.5, 0.0), None);
        let open = buckets(&[(0.0, 1.0, 1.0), (1.0, f64::INFINITY, 9.0)]);
        assert_eq!(open.quantile(0.5, 0.0), Some(Quantile::AtLeast(1.0)));
        assert_eq!(open.highest(), None);
    }

    #[test]
    fn histograms_with_other_bounds_are_pooled_by_parts() {
        let pooled = Buckets::pooled([&buckets(&[(0.0, 10.0, 10.0)]), &buckets(&[(0.0, 5.0, 10.0)])]);
        // 15 of 20 values lie below 5, spread evenly.
        assert_eq!(at(&pooled, 0.75), 5000);
        assert_eq!(at(&pooled, 0.375), 2500);
    }

    #[test]
    fn a_counter_that_fell_began_anew() {
        let (before, after) = (buckets(&[(0.0, 1.0, 5.0)]), buckets(&[(0.0, 1.0, 7.0), (1.0, 2.0, 1.0)]));
        assert_eq!(after.since(&before).map(|new| new.count()), Some(3.0));
        assert_eq!(before.since(&after), None);
    }
}
