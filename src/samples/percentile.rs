//! Exact percentiles by k6's definition: sort, index p(n-1), interpolate linearly between the two nearest (Hyndman and Fan's
//! type 7). Nothing is sorted for it: the few ranks that are needed are selected.

use super::number::double;

/// The ranks beside the index of a percentile, and how far it lies between them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Index {
    below: u64,
    above: u64,
    part: f64,
}

impl Index {
    /// `percent` in 0..100, of `count` values.
    fn new(percent: f64, count: u64) -> Self {
        let index = percent / 100.0 * (count as f64 - 1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index is in 0..count")]
        let rank = |at: f64| (at.max(0.0) as u64).min(count.saturating_sub(1));
        Self { below: rank(index.floor()), above: rank(index.ceil()), part: index - index.floor() }
    }

    /// k6's own order of operations, so that the result is the same double.
    fn between(self, below: f64, above: f64) -> f64 {
        below + (above - below) * self.part
    }
}

/// Percentiles of `count` values, of which `at_ranks` gives those at some ranks, ascending and each once.
pub(super) fn by_ranks(percents: &[f64], count: u64, at_ranks: impl FnOnce(&[u64]) -> Vec<f64>) -> Vec<f64> {
    let indices: Vec<Index> = percents.iter().map(|percent| Index::new(*percent, count)).collect();
    let mut ranks: Vec<u64> = indices.iter().flat_map(|index| [index.below, index.above]).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let values = at_ranks(&ranks);
    let value = |rank: u64| ranks.binary_search(&rank).ok().and_then(|at| values.get(at)).copied().unwrap_or(f64::NAN);
    indices.iter().map(|index| index.between(value(index.below), value(index.above))).collect()
}

/// The values at some ranks, ascending and each once, by partial sorting.
pub(super) fn select<T: Copy>(values: &mut [T], ranks: &[u64], compare: impl Fn(&T, &T) -> std::cmp::Ordering) -> Vec<T> {
    let (mut rest, mut passed) = (values, 0);
    let mut found = Vec::with_capacity(ranks.len());
    for rank in ranks {
        let at = usize::try_from(rank - passed).unwrap_or(usize::MAX);
        if at >= rest.len() {
            break;
        }
        let (_, value, right) = rest.select_nth_unstable_by(at, &compare);
        found.push(*value);
        (rest, passed) = (right, rank + 1);
    }
    found
}

/// Some values, gathered to be selected from.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// Values in millionths.
    pub(super) narrow: Vec<u32>,
    /// All others.
    pub(super) wide: Vec<f64>,
}

impl Pool {
    pub(super) fn clear(&mut self) {
        self.narrow.clear();
        self.wide.clear();
    }

    pub(super) fn count(&self) -> u64 {
        (self.narrow.len() + self.wide.len()) as u64
    }

    /// Percentiles of the values; none of no value.
    pub(super) fn percentiles(&mut self, percents: &[f64]) -> Option<Vec<f64>> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        Some(by_ranks(percents, count, |ranks| {
            if self.wide.is_empty() {
                let found = select(&mut self.narrow, ranks, Ord::cmp);
                found.into_iter().map(|value| double(i64::from(value))).collect()
            } else {
                let narrow = self.narrow.iter().map(|value| double(i64::from(*value)));
                let mut all: Vec<f64> = narrow.chain(self.wide.iter().copied()).collect();
                select(&mut all, ranks, f64::total_cmp)
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// k6's own code, `TrendSink.P`, on sorted values.
    fn k6(sorted: &[f64], percent: f64) -> f64 {
        let index = percent / 100.0 * (sorted.len() as f64 - 1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of the values")]
        let (below, above) = (sorted[index.floor() as usize], sorted[index.ceil() as usize]);
        below + (above - below) * (index - index.floor())
    }

    proptest! {
        #[test]
        fn a_pool_gives_what_k6_gives(
            narrow in prop::collection::vec(any::<u32>(), 0..80),
            wide in prop::collection::vec(-1e9_f64..1e9, 0..4),
        ) {
            let mut all: Vec<f64> = narrow.iter().map(|v| double(i64::from(*v))).chain(wide.iter().copied()).collect();
            all.sort_by(f64::total_cmp);
            let percents = [0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 100.0];
            let found = Pool { narrow, wide }.percentiles(&percents);
            let wanted = (!all.is_empty()).then(|| percents.map(|percent| k6(&all, percent)).to_vec());
            prop_assert_eq!(found, wanted);
        }
    }
}
