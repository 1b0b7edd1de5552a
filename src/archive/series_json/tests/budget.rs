//! How large a file of half an hour is, gzipped as git and web servers do it.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::write;
use crate::model::distribution::Distribution;
use crate::model::series::{BlockPoint, Blocks, Series, SeriesPoint, SuccessPoint, Traffic, TrendSeries};

const SECONDS: usize = 1800;
const START: i64 = 1_753_871_546;
/// The lengths of blocks.
const LENGTHS: [u32; 4] = [30, 60, 120, 300];
/// The seconds in which some requests fail.
const BURST: std::ops::Range<usize> = 600..655;

/// Numbers that look like chance and are the same every time (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// About normal, with mean 0 and deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| (self.bits() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and not below zero")]
    fn count(&mut self, mean: f64, deviation: f64) -> u64 {
        (mean + deviation * self.normal()).max(0.0).round() as u64
    }
}

/// A run as samples would have it, latencies lognormal around a median that drifts.
struct Made {
    series: Series,
}

impl Made {
    fn new() -> Self {
        let block = |seconds| Blocks { seconds, start: START, last_seconds: seconds, ..Blocks::default() };
        let traffic = Traffic { start: START, columns: BTreeMap::new(), vus: vec![(START, 1), (START + 1, 100)] };
        Self { series: Series { traffic: Some(traffic), blocks: LENGTHS.map(block).into(), ..Series::default() } }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "small numbers")]
    fn trend(&mut self, name: &str, median_ms: f64, spread: f64, chance: &mut Chance) {
        let mut drift = 0.0;
        let (mut trend, mut all) =
            (TrendSeries { successes: Some(Vec::new()), ..TrendSeries::default() }, Distribution::default());
        let mut blocks = LENGTHS.map(|_| (Vec::new(), Vec::new()));
        for second in 0..SECONDS {
            drift = 0.9 * drift + 0.03 * chance.normal();
            let count = chance.count(300.0, 17.0);
            let mut samples: Vec<u64> =
                (0..count).map(|_| ((median_ms.ln() + drift + spread * chance.normal()).exp() * 1e6) as u64).collect();
            samples.sort_unstable();
            for sample in &samples {
                all.add(*sample, 1);
            }
            let [p50, p95, p99] = percentiles(&samples);
            let at = START + second as i64;
            trend.points.push(SeriesPoint { second: at, p50, p95, p99, count: Some(count) });
            // Only requests say whether they went as expected.
            if name == "http_req_duration" && BURST.contains(&second) {
                let fine = &samples[samples.len() / 2..];
                let success = SuccessPoint { second: at, count: fine.len() as u64, percentiles: Some(percentiles(fine)) };
                trend.successes.get_or_insert_default().push(success);
            }
            for ((block, points), length) in blocks.iter_mut().zip(LENGTHS) {
                block.extend_from_slice(&samples);
                if (second as u32 + 1).is_multiple_of(length) {
                    block.sort_unstable();
                    points.push(BlockPoint { count: block.len() as u64, percentiles: Some(percentiles(block)) });
                    block.clear();
                }
            }
        }
        self.series.trends.insert(name.to_owned(), trend);
        self.series.distributions.insert(name.to_owned(), all);
        for (of_length, (_, points)) in self.series.blocks.iter_mut().zip(blocks) {
            // Requests are compared by their successes alone.
            let part = if name == "http_req_duration" { format!("{name}{{expected_response:true}}") } else { name.to_owned() };
            of_length.trends.insert(part, points);
        }
    }

    fn traffic(&mut self, chance: &mut Chance) {
        let mut columns: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for second in 0..SECONDS {
            let requests = chance.count(900.0, 30.0);
            let failed = if BURST.contains(&second) { requests / 2 } else { 0 };
            let bytes = |mean: f64, noise: f64, chance: &mut Chance| chance.count(requests as f64 * mean, noise);
            let row = [
                ("http_reqs", requests),
                ("iterations", chance.count(requests as f64 / 3.0, 2.0)),
                ("http_req_failed", failed),
                ("checks_failed", failed),
                ("data_received", bytes(1234.0, 9_000.0, chance)),
                ("data_sent", bytes(833.0, 1_800.0, chance)),
            ];
            for (name, count) in row {
                columns.entry(name.to_owned()).or_default().push(count);
            }
        }
        for blocks in &mut self.series.blocks {
            let by_block = |column: &Vec<u64>| column.chunks(blocks.seconds as usize).map(|block| block.iter().sum()).collect();
            blocks.counts = columns.iter().map(|(name, column)| (name.clone(), by_block(column))).collect();
        }
        // The counts of trends and the bytes of blocks are not told twice.
        columns.retain(|name, _| name.ends_with("_failed"));
        self.series.traffic.get_or_insert_default().columns = columns;
    }
}

/// p50, p95 and p99 in microseconds of sorted nanoseconds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
fn percentiles(sorted: &[u64]) -> [i64; 3] {
    [0.5, 0.95, 0.99].map(|p| {
        let index = p * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[index as usize] as f64, sorted[(index as usize + 1).min(sorted.len() - 1)] as f64);
        ((low + (high - low) * index.fract()) / 1e3).round() as i64
    })
}

fn gzipped(series: &Series) -> usize {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(6));
    gzip.write_all(write(series).as_bytes()).and_then(|()| gzip.finish()).map(|bytes| bytes.len()).unwrap_or_default()
}

/// What half an hour of three trends may take, traffic included.
const BUDGET: usize = 60_000;

/// Percentiles to the microsecond are mostly chance, which nothing packs: every further trend costs its share.
#[test]
fn half_an_hour_of_three_trends_is_small() {
    let mut chance = Chance(7);
    let mut made = Made::new();
    made.traffic(&mut chance);
    made.trend("http_req_duration", 95.0, 0.6, &mut chance);
    made.trend("iteration_duration", 350.0, 0.3, &mut chance);
    made.trend("session_add_session_duration", 80.0, 0.35, &mut chance);
    let three = gzipped(&made.series.by_second());
    assert!(three < BUDGET, "{three} of {BUDGET} bytes");
    made.trend("oidc_token_duration", 210.0, 0.3, &mut chance);
    made.trend("user_info_duration", 45.0, 0.4, &mut chance);
    let (five, blocks) = (gzipped(&made.series.by_second()), gzipped(&made.series.by_block()));
    assert!(five < BUDGET / 3 * 5 && blocks < BUDGET / 4, "{five} bytes of five trends, {blocks} of their blocks");
}
