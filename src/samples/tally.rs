//! What a thread adds up: a stream for every metric and part of it, by second where that is wanted.
//!
//! Nothing here depends on the order of samples: sums are exact, extremes and latest values have no first-come rule.

use std::collections::BTreeMap;

use super::arena::{Arena, List};
use super::number::{Number, Sum, double};
use super::wanted::Keep;
use crate::model::failures::Phase;

/// Seconds of a page.
pub(super) const PAGE: i64 = 60;
/// No page yet.
const NO_PAGE: i64 = i64::MIN;
/// Values from here on are kept as doubles.
const WIDE: i64 = u32::MAX as i64;
const ONE: i64 = 1_000_000;

/// A moment of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time {
    /// Nanoseconds since 1970.
    pub(super) ns: i64,
    /// Whole seconds of them.
    pub(super) second: i64,
}

impl Time {
    pub(super) fn new(ns: i64) -> Self {
        Self { ns, second: ns.div_euclid(1_000_000_000) }
    }
}

/// A text of a thread, by number.
pub(super) type Text = u32;

/// Which samples of a metric a stream has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Facet {
    /// The part of the test; `None` where the source does not tell.
    pub(super) phase: Option<Phase>,
    /// `expected_response`; `None` where the sample has none.
    pub(super) expected: Option<bool>,
    /// What else tells them apart.
    pub(super) part: Part,
}

/// What tells samples of a metric apart, besides phase and success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// Nothing.
    Whole,
    /// The request's `name`.
    Name(Text),
    /// How and where a request failed.
    Failure { status: Text, error_code: Text, error: Text, method: Text, name: Text },
    /// A check.
    Check { group: Text, name: Text },
}

/// Counts and sums of a second.
#[derive(Clone, Debug, Default)]
pub(super) struct SumCell {
    pub(super) count: u64,
    pub(super) trues: u64,
    pub(super) millionths: i128,
}

/// All values of a second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueCell {
    pub(super) zeros: u32,
    pub(super) ones: u32,
    pub(super) list: List,
    /// One more than the index of its doubles.
    pub(super) wide: u32,
}

/// The latest value of a second; of several at one moment the smallest and the largest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latest {
    pub(super) ns: i64,
    pub(super) least: f64,
    pub(super) most: f64,
    /// Where the first row of the second stands.
    pub(super) offset: u64,
}

impl Default for Latest {
    fn default() -> Self {
        Self { ns: i64::MIN, least: 0.0, most: 0.0, offset: u64::MAX }
    }
}

impl Latest {
    #[inline]
    pub(super) fn take(&mut self, ns: i64, least: f64, most: f64, offset: u64) {
        if ns > self.ns {
            (self.ns, self.least, self.most) = (ns, least, most);
        } else if ns == self.ns {
            (self.least, self.most) = (self.least.min(least), self.most.max(most));
        }
        self.offset = self.offset.min(offset);
    }

    pub(super) fn is_some(&self) -> bool {
        self.ns != i64::MIN
    }
}

/// Pages of cells, a minute each.
#[derive(Debug, Default)]
pub(super) struct Pages<C>(Vec<Box<[C]>>);

impl<C: Clone + Default> Pages<C> {
    fn add(&mut self) -> usize {
        self.0.push(vec![C::default(); 60].into_boxed_slice());
        self.0.len() - 1
    }

    pub(super) fn get(&self, page: usize) -> &[C] {
        self.0.get(page).map_or(&[], |page| page)
    }
}

/// Samples of one metric that are alike.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) metric: usize,
    pub(super) facet: Facet,
    pub(super) keep: Keep,
    pub(super) count: u64,
    /// Samples that are not zero.
    pub(super) trues: u64,
    pub(super) sum: Sum,
    least: i64,
    most: i64,
    doubles: Option<(f64, f64)>,
    pub(super) not_finite: u64,
    pub(super) first_ns: i64,
    pub(super) last_ns: i64,
    pub(super) latest: Latest,
    minute: i64,
    page: usize,
    /// Pages by minute since 1970.
    pub(super) pages: BTreeMap<i64, usize>,
}

impl Stream {
    fn new(metric: usize, facet: Facet, keep: Keep) -> Self {
        Self {
            metric,
            facet,
            keep,
            count: 0,
            trues: 0,
            sum: Sum::default(),
            least: i64::MAX,
            most: i64::MIN,
            doubles: None,
            not_finite: 0,
            first_ns: i64::MAX,
            last_ns: i64::MIN,
            latest: Latest::default(),
            minute: NO_PAGE,
            page: 0,
            pages: BTreeMap::new(),
        }
    }

    /// The smallest and the largest finite value.
    pub(super) fn extremes(&self) -> Option<(f64, f64)> {
        let whole = (self.least <= self.most).then(|| (double(self.least), double(self.most)));
        match (whole, self.doubles) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (some, other) => some.or(other),
        }
    }
}

/// Everything that a thread has added up.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) streams: Vec<Stream>,
    pub(super) sums: Pages<SumCell>,
    pub(super) values: Pages<ValueCell>,
    pub(super) gauges: Pages<Latest>,
    pub(super) arena: Arena,
    pub(super) wide: Vec<Vec<f64>>,
}

impl Tally {
    /// How many pages there are.
    pub(super) fn pages(&self) -> u64 {
        (self.sums.0.len() + self.values.0.len() + self.gauges.0.len()) as u64
    }

    /// A new stream.
    pub(super) fn open(&mut self, metric: usize, facet: Facet, keep: Keep) -> usize {
        self.streams.push(Stream::new(metric, facet, keep));
        self.streams.len() - 1
    }

    /// Adds a sample to a stream; `offset` is where its row stands.
    #[inline]
    pub(super) fn add(&mut self, stream: usize, time: Time, value: Number, offset: u64) {
        let stream = &mut self.streams[stream];
        if stream.keep == Keep::Nothing {
            return;
        }
        stream.first_ns = stream.first_ns.min(time.ns);
        stream.last_ns = stream.last_ns.max(time.ns);
        match value {
            Number::Millionths(value) => {
                stream.count += 1;
                stream.trues += u64::from(value != 0);
                stream.sum.add_millionths(value);
                stream.least = stream.least.min(value);
                stream.most = stream.most.max(value);
            }
            Number::Double(value) => {
                stream.count += 1;
                stream.trues += u64::from(value != 0.0);
                stream.sum.add_double(value);
                stream.doubles = Some(stream.doubles.map_or((value, value), |(a, b)| (a.min(value), b.max(value))));
            }
            Number::NotFinite => {
                stream.not_finite += 1;
                // A rate takes it for true; as a value it is none.
                return;
            }
        }
        if stream.keep == Keep::Totals {
            return;
        }
        let minute = time.second.div_euclid(PAGE);
        if minute != stream.minute {
            stream.minute = minute;
            stream.page = match stream.keep {
                Keep::Sums => *stream.pages.entry(minute).or_insert_with(|| self.sums.add()),
                Keep::Values => *stream.pages.entry(minute).or_insert_with(|| self.values.add()),
                _ => *stream.pages.entry(minute).or_insert_with(|| self.gauges.add()),
            };
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the remainder is in 0..60")]
        let second = time.second.rem_euclid(PAGE) as usize;
        match stream.keep {
            Keep::Sums => {
                let cell = &mut self.sums.0[stream.page][second];
                cell.count += 1;
                cell.trues += u64::from(value.is_true());
                cell.millionths += value.millionths();
            }
            Keep::Values => {
                let cell = &mut self.values.0[stream.page][second];
                match value {
                    Number::Millionths(0) => cell.zeros += 1,
                    Number::Millionths(ONE) => cell.ones += 1,
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in 0..2^32")]
                    Number::Millionths(value) if (0..WIDE).contains(&value) => self.arena.push(&mut cell.list, value as u32),
                    _ => put_wide(&mut self.wide, cell, value),
                }
                // What a script's own metric is, nothing may tell: it can be a gauge.
                if time.ns >= stream.latest.ns
                    && let Some(value) = value.get()
                {
                    stream.latest.take(time.ns, value, value, offset);
                }
            }
            _ => {
                if let Some(value) = value.get() {
                    self.gauges.0[stream.page][second].take(time.ns, value, value, offset);
                    stream.latest.take(time.ns, value, value, offset);
                }
            }
        }
    }
}

fn put_wide(wide: &mut Vec<Vec<f64>>, cell: &mut ValueCell, value: Number) {
    let Some(value) = value.get() else { return };
    if cell.wide == 0 {
        wide.push(Vec::new());
        cell.wide = u32::try_from(wide.len()).unwrap_or(u32::MAX);
    }
    if let Some(list) = wide.get_mut(cell.wide as usize - 1) {
        list.push(value);
    }
}
