//! What happened when, for the archive: series, traffic, blocks and distributions of the test phase.

use std::collections::BTreeMap;

use super::group::{Group, three};
use super::merged::{Named, Piece, Samples};
use super::percentile::Pool;
use super::seconds::seconds;
use crate::model::failures::Phase;
use crate::model::series::{BlockPoint, Blocks, ExactPoint, Series, SeriesPoint, SuccessPoint, Traffic, TrendSeries};

/// Lengths of blocks in seconds. Percentiles of a longer block can't be made of those of shorter ones, and a rare request
/// needs longer blocks.
const BLOCKS: [u32; 4] = [30, 60, 120, 300];
/// Seconds of the longest test that is counted second by second: a week.
const LONGEST: i64 = 7 * 86_400;
/// How many of the shortest blocks a test may have, those of every trend, and how many more for each sample: eleven trends of a day are counted
/// whatever they hold, and a rare request of a week; two samples days apart are no test.
const FREE_BLOCKS: u64 = 1 << 15;
const BLOCKS_A_SAMPLE: u64 = 8;
/// Requests are told apart by name in blocks up to so many names.
const MOST_NAMES: usize = 20;
const MILLION: i128 = 1_000_000;
/// The largest count that a column of the archive can hold.
const MOST: u64 = i64::MAX as u64;
/// The columns of traffic: the metric, and whether true samples alone count.
const COLUMNS: [(&str, Column); 6] = [
    ("iterations", Column::Sum),
    ("http_reqs", Column::Sum),
    ("http_req_failed", Column::Trues),
    ("checks", Column::Falses),
    ("data_received", Column::Sum),
    ("data_sent", Column::Sum),
];

/// What of a metric's second a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Sum,
    Trues,
    Falses,
}

/// A trend, or a part of one, under the name that its figures get.
struct TrendPart<'a> {
    name: String,
    group: Group<'a>,
    /// Whether blocks have it: comparisons are of successful requests where the source tells them.
    in_blocks: bool,
}

fn is_test(piece: &Piece) -> bool {
    piece.phase == Some(Phase::Test)
}

impl Samples {
    /// The series of the test phase.
    #[must_use]
    pub fn series(&self) -> Series {
        let trends = self.kept_trends();
        let parts = self.trend_parts(&trends);
        let (first, last) = match self.span(Phase::Test) {
            Some((first, last)) => (first.div_euclid(1_000_000_000), last.div_euclid(1_000_000_000)),
            None => return Series::default(),
        };
        let trends_by_second = trends.iter().filter_map(|name| Some(((*name).to_owned(), self.trend(name)?))).collect();
        let distributions = parts.iter().map(|part| (part.name.clone(), part.group.distribution())).collect();
        // Samples months apart are of no test; counting its empty seconds would fill a disk.
        if last - first > LONGEST || !is_dense(&parts, last - first) {
            return Series { trends: trends_by_second, distributions, ..Series::default() };
        }
        let mut traffic = self.traffic(first, last);
        let blocks = BLOCKS.iter().map(|length| blocks(&parts, &traffic, *length, first, last)).collect();
        traffic.columns.retain(|name, _| !is_told_elsewhere(name, &trends_by_second));
        Series { trends: trends_by_second, blocks, distributions, traffic: Some(traffic) }
    }

    /// Trends of which every value is kept.
    fn kept_trends(&self) -> Vec<&str> {
        let mut names = self.own_trends();
        names.extend(["http_req_duration", "iteration_duration"]);
        names.retain(|name| self.group(name, is_test).has_values());
        names.sort_unstable();
        names
    }

    /// A trend by second; `None` where a value is beyond what a series can hold.
    fn trend(&self, name: &str) -> Option<TrendSeries> {
        let points: Option<Vec<SeriesPoint>> = seconds(&self.group(name, is_test)).iter().map(point).collect();
        let points = points?;
        let tells = self.pieces(name).any(|piece| is_test(piece) && piece.expected.is_some());
        let successes = tells.then(|| self.successes(name, &points)).flatten();
        Some(TrendSeries { points, successes })
    }

    /// The successful requests of the seconds in which others failed.
    fn successes(&self, name: &str, points: &[SeriesPoint]) -> Option<Vec<SuccessPoint>> {
        let expected = self.group(name, |piece| is_test(piece) && piece.expected == Some(true));
        let by_second: BTreeMap<i64, ExactPoint> = seconds(&expected).into_iter().map(|second| (second.second, second)).collect();
        let of = |point: &SeriesPoint| match by_second.get(&point.second) {
            Some(second) if Some(second.count) == point.count => None,
            Some(second) => Some(thousandths(&second.percentiles).map(|found| SuccessPoint {
                second: point.second,
                count: second.count,
                percentiles: Some(found),
            })),
            None => Some(Some(SuccessPoint { second: point.second, count: 0, percentiles: None })),
        };
        points.iter().filter_map(of).collect()
    }

    /// Trends and parts of them for blocks and distributions: of successful requests where the source tells.
    fn trend_parts(&self, trends: &[&str]) -> Vec<TrendPart<'_>> {
        let mut found = Vec::new();
        for name in trends {
            let expected = |piece: &Piece| is_test(piece) && piece.expected == Some(true);
            let (all, successes) = (self.group(name, is_test), self.group(name, expected));
            found.push(TrendPart { name: (*name).to_owned(), group: all, in_blocks: successes.is_empty() });
            if successes.is_empty() {
                continue;
            }
            found.push(TrendPart { name: format!("{name}{{expected_response:true}}"), group: successes, in_blocks: true });
            let requests = if *name == "http_req_duration" { self.request_names(Phase::Test) } else { Vec::new() };
            for request in requests.iter().filter(|_| (2..=MOST_NAMES).contains(&requests.len())) {
                let is_it = |piece: &Piece| expected(piece) && piece.part == Named::Name(request.clone());
                let group = self.group(name, is_it);
                let name = format!("{name}{{expected_response:true,name:{request}}}");
                found.push(TrendPart { name, group, in_blocks: true });
            }
        }
        found.retain(|part| !part.group.is_empty());
        found
    }

    fn traffic(&self, first: i64, last: i64) -> Traffic {
        let length = usize::try_from(last - first + 1).unwrap_or(0);
        let mut columns = BTreeMap::new();
        for (metric, column) in COLUMNS {
            let group = self.group(metric, is_test);
            if group.is_empty() {
                continue;
            }
            // Whole numbers only at the end: threads have seen other parts of a second each time.
            let mut sums = vec![0_i128; length];
            group.sums(|second, cell| {
                let more = match column {
                    Column::Sum => cell.millionths,
                    Column::Trues => MILLION * i128::from(cell.trues),
                    Column::Falses => MILLION * i128::from(cell.count - cell.trues),
                };
                if let Some(sum) = usize::try_from(second - first).ok().and_then(|at| sums.get_mut(at)) {
                    *sum = sum.saturating_add(more);
                }
            });
            let name = if column == Column::Falses { "checks_failed" } else { metric };
            columns.insert(name.to_owned(), sums.into_iter().map(counted).collect());
        }
        Traffic { start: first, columns, vus: self.users(first, last) }
    }

    /// The virtual users as they change within the test.
    fn users(&self, first: i64, last: i64) -> Vec<(i64, u64)> {
        let mut seconds: BTreeMap<i64, f64> = BTreeMap::new();
        self.group("vus", |_| true).gauges(|second, latest| {
            let most = seconds.entry(second).or_insert(latest.most);
            *most = most.max(latest.most);
        });
        let mut changes: Vec<(i64, u64)> = Vec::new();
        for (second, vus) in seconds.range(first..=last) {
            if let Some(vus) = crate::model::units::whole(*vus)
                && changes.last().is_none_or(|(_, before)| *before != vus)
            {
                changes.push((*second, vus));
            }
        }
        changes
    }
}

/// Whether the samples of some seconds are as many as those of a test.
fn is_dense(parts: &[TrendPart<'_>], seconds: i64) -> bool {
    let of_each = u64::try_from(seconds / i64::from(BLOCKS[0])).unwrap_or(u64::MAX);
    let in_blocks = || parts.iter().filter(|part| part.in_blocks);
    let samples: u64 = in_blocks().map(|part| part.group.count()).sum();
    of_each.saturating_mul(in_blocks().count() as u64) <= FREE_BLOCKS.saturating_add(BLOCKS_A_SAMPLE.saturating_mul(samples))
}

/// A sum in millionths as a count, which is never below zero.
fn counted(sum: i128) -> u64 {
    u64::try_from((sum / MILLION).max(0)).map_or(MOST, |count| count.min(MOST))
}

/// The counts of a block's seconds together.
fn of_chunk(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)).min(MOST)
}

/// Whether the counts of every second are those of a trend, or not worth their size: bytes are in the blocks.
fn is_told_elsewhere(column: &str, trends: &BTreeMap<String, TrendSeries>) -> bool {
    match column {
        "http_reqs" => trends.contains_key("http_req_duration"),
        "iterations" => trends.contains_key("iteration_duration"),
        _ => matches!(column, "data_received" | "data_sent"),
    }
}

/// The blocks of one length.
fn blocks(parts: &[TrendPart<'_>], traffic: &Traffic, seconds: u32, first: i64, last: i64) -> Blocks {
    let step = i64::from(seconds);
    let starts: Vec<i64> = (first..=last).step_by(seconds as usize).collect();
    let mut pool = Pool::default();
    let mut point = |group: &Group<'_>, start: i64| {
        pool.clear();
        group.pool(start..(start + step).min(last + 1), &mut pool);
        let count = pool.count();
        BlockPoint { count, percentiles: three(&mut pool).and_then(|found| thousandths(&found)) }
    };
    let trends = parts.iter().filter(|part| part.in_blocks).map(|part| {
        let points = starts.iter().map(|start| point(&part.group, *start)).collect();
        (part.name.clone(), points)
    });
    let trends = trends.collect();
    let counts = traffic.columns.iter().map(|(name, counts)| {
        let sums = counts.chunks(seconds as usize).map(of_chunk).collect();
        (name.clone(), sums)
    });
    let last_seconds = starts.last().map_or(0, |start| u32::try_from(last + 1 - start).unwrap_or(seconds));
    Blocks { seconds, start: first, last_seconds, counts: counts.collect(), trends }
}

fn point(second: &ExactPoint) -> Option<SeriesPoint> {
    let [p50, p95, p99] = thousandths(&second.percentiles)?;
    Some(SeriesPoint { second: second.second, p50, p95, p99, count: Some(second.count) })
}

/// Values in whole thousandths, rounded half away from zero; `None` where one is beyond what can be held exactly.
fn thousandths(values: &[f64; 3]) -> Option<[i64; 3]> {
    let whole = values.map(|value| (value * 1000.0).round());
    let fits = |value: &f64| value.abs() < 9.0e15;
    #[allow(clippy::cast_possible_truncation, reason = "checked: below 9e15")]
    whole.iter().all(fits).then(|| whole.map(|value| value as i64))
}
