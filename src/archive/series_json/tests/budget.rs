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
        let names = ["http_reqs", "iterations", "http_req_failed", "checks_failed", "data_received", "data_sent"];
        let columns = names.map(|name| (name.to_owned(), Vec::new())).into();
        let block = Blocks { seconds: 30, start: START, last_seconds: 30, ..Blocks::default() };
        let traffic = Traffic { start: START, columns, vus: vec![(START, 1), (START + 1, 100)] };
        Self { series: Series { traffic: Some(traffic), blocks: vec![block], ..Series::default() } }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "small numbers")]
    fn trend(&mut self, name: &str, median_ms: f64, spread: f64, chance: &mut Chance) {
        let mut drift = 0.0;
        let (mut trend, mut all) =
            (TrendSeries { successes: Some(Vec::new()), ..TrendSeries::default() }, Distribution::default());
        let (mut block, mut blocks) = (Vec::new(), Vec::new());
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
            if BURST.contains(&second) {
                let fine = &samples[samples.len() / 2..];
                let success = SuccessPoint { second: at, count: fine.len() as u64, percentiles: Some(percentiles(fine)) };
                trend.successes.get_or_insert_default().push(success);
            }
            block.append(&mut samples);
            if second % 30 == 29 {
                block.sort_unstable();
                blocks.push(BlockPoint { count: block.len() as u64, percentiles: Some(percentiles(&block)) });
                block.clear();
            }
        }
        self.series.trends.insert(name.to_owned(), trend);
        self.series.distributions.insert(name.to_owned(), all);
        self.series.blocks[0].trends.insert(name.to_owned(), blocks);
    }

    fn traffic(&mut self, chance: &mut Chance) {
        let columns = &mut self.series.traffic.get_or_insert_default().columns;
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
        let by_block = |column: &Vec<u64>| column.chunks(30).map(|block| block.iter().sum()).collect();
        self.series.blocks[0].counts = columns.iter().map(|(name, column)| (name.clone(), by_block(column))).collect();
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

/// Sizes by what is in the file, in bytes.
fn sizes() -> BTreeMap<&'static str, usize> {
    let mut chance = Chance(7);
    let mut made = Made::new();
    made.traffic(&mut chance);
    made.trend("add_session_duration", 80.0, 0.35, &mut chance);
    made.trend("oidc_token_duration", 210.0, 0.3, &mut chance);
    made.trend("user_info_duration", 45.0, 0.4, &mut chance);
    let everything = made.series.clone();
    let trends = Series { trends: everything.trends.clone(), ..Series::default() };
    let mut without_bytes = everything.clone();
    if let Some(traffic) = &mut without_bytes.traffic {
        traffic.columns.retain(|name, _| !name.starts_with("data_"));
    }
    made.trend("http_req_duration", 95.0, 0.6, &mut chance);
    made.trend("iteration_duration", 350.0, 0.3, &mut chance);
    [
        ("trends", gzipped(&trends)),
        ("without bytes by second", gzipped(&without_bytes)),
        ("everything", gzipped(&everything)),
        ("everything of five trends", gzipped(&made.series)),
    ]
    .into()
}

/// What three trends of half an hour may take.
const BUDGET: usize = 60_000;

/// Percentiles to the microsecond are mostly chance, which nothing packs: the trends keep the budget, and what came to them
/// costs 9 kB more without the bytes of every second, which are chance as well, 20 kB with them.
#[test]
fn half_an_hour_of_three_trends_is_small() {
    let sizes = sizes();
    let most = [
        ("trends", BUDGET),
        ("without bytes by second", BUDGET + 2_000),
        ("everything", BUDGET + 13_000),
        ("everything of five trends", BUDGET + 53_000),
    ];
    for (what, most) in most {
        assert!(sizes[what] < most, "{what}: {} of {most} bytes; {sizes:#?}", sizes[what]);
    }
}
