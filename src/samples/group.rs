//! Streams that are looked at together: those of all threads, phases or parts that a figure is over.

use std::collections::{BTreeMap, BTreeSet};

use super::number::Sum;
use super::percentile::{Pool, by_ranks};
use super::tally::{Latest, PAGE, Stream, SumCell, Tally, ValueCell};
use super::wanted::Keep;
use crate::model::distribution::{Distribution, bucket_of};

/// Values from here on are no narrow ones.
const WIDE: f64 = 4_294.967_295;
const HALF: usize = 1 << 16;
/// Values that are rather copied than counted.
const FEW: u64 = 1 << 14;

/// A stream and the tally whose cells it has.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    pub(super) tally: &'a Tally,
    pub(super) stream: &'a Stream,
}

/// Streams that are looked at together. None is in it twice.
#[derive(Clone, Default)]
pub(super) struct Group<'a> {
    pub(super) members: Vec<Member<'a>>,
}

impl<'a> Group<'a> {
    fn streams(&self) -> impl Iterator<Item = &'a Stream> {
        self.members.iter().map(|member| member.stream)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Finite samples.
    pub(super) fn count(&self) -> u64 {
        self.streams().map(|stream| stream.count).sum()
    }

    /// Samples that k6 takes for true, those without a number included.
    pub(super) fn trues(&self) -> u64 {
        self.streams().map(|stream| stream.trues + stream.not_finite).sum()
    }

    pub(super) fn not_finite(&self) -> u64 {
        self.streams().map(|stream| stream.not_finite).sum()
    }

    pub(super) fn sum(&self) -> f64 {
        let mut sum = Sum::default();
        self.streams().for_each(|stream| sum.merge(&stream.sum));
        sum.get()
    }

    pub(super) fn extremes(&self) -> Option<(f64, f64)> {
        self.streams().filter_map(Stream::extremes).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
    }

    /// The first and the last moment in nanoseconds since 1970.
    pub(super) fn span(&self) -> Option<(i64, i64)> {
        let seen = || self.streams().filter(|stream| stream.first_ns <= stream.last_ns);
        Some((seen().map(|stream| stream.first_ns).min()?, seen().map(|stream| stream.last_ns).max()?))
    }

    /// The value at the latest moment; of several at it the least and the most.
    pub(super) fn latest(&self) -> Option<(f64, f64)> {
        let mut latest = Latest::default();
        for stream in self.streams().filter(|stream| stream.latest.is_some()) {
            latest.take(stream.latest.ns, stream.latest.least, stream.latest.most, 0);
        }
        latest.is_some().then_some((latest.least, latest.most))
    }

    /// Whether every value was kept.
    pub(super) fn has_values(&self) -> bool {
        !self.is_empty() && self.streams().all(|stream| stream.keep == Keep::Values)
    }

    /// Minutes since 1970 that have cells.
    fn minutes(&self) -> BTreeSet<i64> {
        self.streams().flat_map(|stream| stream.pages.keys().copied()).collect()
    }

    fn value_cells(&self, minute: i64) -> Vec<(&'a Tally, &'a [ValueCell])> {
        let of = |member: &Member<'a>| {
            let page = *member.stream.pages.get(&minute)?;
            (member.stream.keep == Keep::Values).then(|| (member.tally, member.tally.values.get(page)))
        };
        self.members.iter().filter_map(of).collect()
    }

    /// Adds the values of the seconds of a range to a pool.
    pub(super) fn pool(&self, seconds: std::ops::Range<i64>, pool: &mut Pool) {
        let mut at = seconds.start;
        while at < seconds.end {
            let minute = at.div_euclid(PAGE);
            let until = ((minute + 1) * PAGE).min(seconds.end);
            for (tally, cells) in self.value_cells(minute) {
                for second in at..until {
                    if let Some(cell) = cells.get(index(second)) {
                        gather(tally, cell, pool);
                    }
                }
            }
            at = until;
        }
    }

    /// Seconds that have a value.
    pub(super) fn seconds(&self) -> Vec<i64> {
        let mut seconds = Vec::new();
        for minute in self.minutes() {
            let pages = self.value_cells(minute);
            let has = |at: usize| pages.iter().any(|(_, cells)| cells.get(at).is_some_and(|cell| size(cell) > 0));
            seconds.extend((minute * PAGE..).zip(0..60).filter(|(_, at)| has(*at)).map(|(second, _)| second));
        }
        seconds
    }

    /// Whether every value is 0 or 1, and whether there is a 0.
    pub(super) fn only_bits(&self) -> (bool, bool) {
        let (mut bits, mut zeros) = (0, 0);
        for cell in self.minutes().iter().flat_map(|minute| self.value_cells(*minute)).flat_map(|(_, cells)| cells) {
            bits += u64::from(cell.zeros) + u64::from(cell.ones);
            zeros += u64::from(cell.zeros);
        }
        // Without a single number nothing is known, and what is no number is neither 0 nor 1.
        (bits > 0 && bits == self.count() + self.not_finite(), zeros > 0)
    }

    /// Counts and sums by second, of metrics that keep those.
    pub(super) fn sums(&self, mut take: impl FnMut(i64, &SumCell)) {
        for member in self.members.iter().filter(|member| member.stream.keep == Keep::Sums) {
            for (minute, page) in &member.stream.pages {
                let cells = (minute * PAGE..).zip(member.tally.sums.get(*page));
                cells.filter(|(_, cell)| cell.count > 0).for_each(|(second, cell)| take(second, cell));
            }
        }
    }

    /// The latest value of every second, of gauges.
    pub(super) fn gauges(&self, mut take: impl FnMut(i64, &Latest)) {
        for member in self.members.iter().filter(|member| member.stream.keep == Keep::Gauge) {
            for (minute, page) in &member.stream.pages {
                let cells = (minute * PAGE..).zip(member.tally.gauges.get(*page));
                cells.filter(|(_, cell)| cell.is_some()).for_each(|(second, cell)| take(second, cell));
            }
        }
    }

    /// Everything of all cells.
    fn each(&self, take: &mut dyn FnMut(Values<'_>)) {
        for member in self.members.iter().filter(|member| member.stream.keep == Keep::Values) {
            for page in member.stream.pages.values() {
                for cell in member.tally.values.get(*page) {
                    take(Values::Times(0, u64::from(cell.zeros)));
                    take(Values::Times(1_000_000, u64::from(cell.ones)));
                    member.tally.arena.each(cell.list, |values| take(Values::Narrow(values)));
                    take(Values::Wide(wide_of(member.tally, cell)));
                }
            }
        }
    }

    /// Exact percentiles of all values, without a copy of them: two passes of counting by halves of the 32 bits. A few values are
    /// copied, since the counters of a thousand small metrics would take longer than all their values.
    pub(super) fn percentiles(&self, percents: &[f64]) -> Option<Vec<f64>> {
        let count = self.count();
        if count == 0 || !self.has_values() {
            return None;
        }
        if count <= FEW {
            return self.pooled().percentiles(percents);
        }
        let mut halves = vec![0_u64; HALF];
        let mut wide: Vec<f64> = Vec::new();
        self.each(&mut |some| match some {
            Values::Narrow(values) => values.iter().for_each(|value| halves[(value >> 16) as usize] += 1),
            Values::Times(value, times) => halves[(value >> 16) as usize] += times,
            Values::Wide(values) => wide.extend_from_slice(values),
        });
        wide.sort_unstable_by(f64::total_cmp);
        if wide.iter().any(|value| (0.0..WIDE).contains(value)) {
            // Values between whole millionths have to be sorted in.
            return self.pooled().percentiles(percents);
        }
        let low = wide.iter().take_while(|value| **value < 0.0).count();
        Some(by_ranks(percents, count, |ranks| self.at_ranks(ranks, &halves, &wide, low)))
    }

    /// All values, copied.
    fn pooled(&self) -> Pool {
        let mut pool = Pool::default();
        for minute in self.minutes() {
            self.pool(minute * PAGE..(minute + 1) * PAGE, &mut pool);
        }
        pool
    }

    /// The values at some ranks: `low` wide ones below all narrow ones, the other wide ones above.
    fn at_ranks(&self, ranks: &[u64], halves: &[u64], wide: &[f64], low: usize) -> Vec<f64> {
        let narrow: u64 = halves.iter().sum();
        let low = low as u64;
        // The upper half of the bits that every narrow rank has, and its rank among those.
        let placed: Vec<Option<(usize, u64)>> = ranks
            .iter()
            .map(|rank| rank.checked_sub(low).filter(|rank| *rank < narrow).and_then(|rank| place(halves, rank)))
            .collect();
        let lower = self.lower_halves(&placed.iter().flatten().map(|(half, _)| *half).collect());
        let value = |(rank, placed): (&u64, &Option<(usize, u64)>)| match placed {
            Some((half, within)) => {
                let rest = lower.get(half).and_then(|counts| place(counts, *within)).map_or(0, |(rest, _)| rest);
                (half << 16 | rest) as f64 / 1e6
            }
            None => usize::try_from(if *rank < low { *rank } else { rank - narrow })
                .ok()
                .and_then(|at| wide.get(at).copied())
                .unwrap_or(f64::NAN),
        };
        ranks.iter().zip(&placed).map(value).collect()
    }

    /// How often each lower half of the bits occurs with some upper halves.
    fn lower_halves(&self, wanted: &BTreeSet<usize>) -> BTreeMap<usize, Vec<u64>> {
        let mut counts: BTreeMap<usize, Vec<u64>> = wanted.iter().map(|half| (*half, vec![0; HALF])).collect();
        let mut is_wanted = vec![false; HALF];
        for half in wanted {
            is_wanted[*half] = true;
        }
        let mut add = |value: u32, times: u64| {
            let half = (value >> 16) as usize;
            if is_wanted[half]
                && let Some(counts) = counts.get_mut(&half)
            {
                counts[(value & 0xffff) as usize] += times;
            }
        };
        self.each(&mut |some| match some {
            Values::Narrow(values) => values.iter().for_each(|value| add(*value, 1)),
            Values::Times(value, times) => add(value, times),
            Values::Wide(_) => {}
        });
        counts
    }

    /// The distribution of all values.
    pub(super) fn distribution(&self) -> Distribution {
        let mut counts = vec![0_u64; bucket_of(u64::MAX) as usize + 1];
        let mut outside = 0;
        self.each(&mut |some| match some {
            Values::Narrow(values) => values.iter().for_each(|value| counts[bucket_of(u64::from(*value)) as usize] += 1),
            Values::Times(value, times) => counts[bucket_of(u64::from(value)) as usize] += times,
            Values::Wide(values) => {
                for value in values {
                    let millionths = (value * 1e6).round();
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: from 0 to 9.2e18")]
                    if (0.0..9.2e18).contains(&millionths) {
                        counts[bucket_of(millionths as u64) as usize] += 1;
                    } else {
                        outside += 1;
                    }
                }
            }
        });
        let filled = (0_u32..).zip(counts).filter(|(_, count)| *count > 0);
        Distribution { buckets: filled.collect(), outside }
    }
}

/// Some values of a group.
enum Values<'a> {
    /// In millionths.
    Narrow(&'a [u32]),
    /// One in millionths, so many times.
    Times(u32, u64),
    /// In the unit.
    Wide(&'a [f64]),
}

/// The place of a rank among counts, and its rank among those of that place.
fn place(counts: &[u64], rank: u64) -> Option<(usize, u64)> {
    let mut left = rank;
    for (at, count) in counts.iter().enumerate() {
        if left < *count {
            return Some((at, left));
        }
        left -= count;
    }
    None
}

fn index(second: i64) -> usize {
    usize::try_from(second.rem_euclid(PAGE)).unwrap_or(0)
}

fn size(cell: &ValueCell) -> u64 {
    u64::from(cell.zeros) + u64::from(cell.ones) + cell.list.len() + u64::from(cell.wide > 0)
}

fn wide_of<'a>(tally: &'a Tally, cell: &ValueCell) -> &'a [f64] {
    (cell.wide as usize).checked_sub(1).and_then(|at| tally.wide.get(at)).map_or(&[], Vec::as_slice)
}

fn gather(tally: &Tally, cell: &ValueCell, pool: &mut Pool) {
    pool.narrow.extend(std::iter::repeat_n(0, cell.zeros as usize));
    pool.narrow.extend(std::iter::repeat_n(1_000_000, cell.ones as usize));
    tally.arena.each(cell.list, |some| pool.narrow.extend_from_slice(some));
    pool.wide.extend_from_slice(wide_of(tally, cell));
}

/// The three percentiles of a series.
pub(super) const SERIES: [f64; 3] = [50.0, 95.0, 99.0];

/// p50, p95 and p99 of a pool.
pub(super) fn three(pool: &mut Pool) -> Option<[f64; 3]> {
    pool.percentiles(&SERIES)?.try_into().ok()
}
