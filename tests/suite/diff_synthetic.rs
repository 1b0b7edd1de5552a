//! Pairs of releases whose truth is known: AR(1) series as load tests leave them, 200 seeds of each kind. How often a change is seen
//! where there is none, and how often one is missed where there is one.

use std::collections::BTreeMap;

use plimsoll::diff::statistics::{autocorrelation, bootstrap, quantile, random, spread};
use plimsoll::diff::{Input, Side, compare};
use plimsoll::model::address::{Address, Release};
use plimsoll::model::collection::{Archive, ReleaseRuns, Run};
use plimsoll::model::comparison::{Change, Decision, Judgement, NoiseOrigin};
use plimsoll::model::record::Record;
use plimsoll::model::series::{BlockPoint, Blocks, Series};
use plimsoll::model::verdict::Class;
use plimsoll::settings::Settings;

use random::Random;
use synthetic::{Normal, block_means};

#[path = "../../src/diff/statistics/synthetic.rs"]
mod synthetic;

const SEEDS: u32 = 200;
/// A test of half an hour.
const SECONDS: usize = 1800;
const BLOCK: usize = 30;
/// How much the latency of a second is that of the second before it.
const MEMORY: f64 = 0.9;
/// Standard deviation of a second's log median.
const WITHIN: f64 = 0.15;
/// The median latency, in milliseconds.
const LATENCY_MS: f64 = 100.0;

/// Log medians of the seconds of so many runs of a build: each run has a level of its own.
fn runs(normal: &mut Normal, count: usize, between: f64, change: f64) -> Vec<Vec<f64>> {
    let levels: Vec<f64> = normal.many(count).iter().map(|level| between * level + change.ln_1p()).collect();
    let seconds = |level: f64| normal.correlated(SECONDS, MEMORY).iter().map(|value| level + WITHIN * value).collect();
    levels.into_iter().map(seconds).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Two builds without a difference, three runs each, on the statistics alone.
struct Estimate {
    /// How far they lie apart.
    apart: f64,
    /// Half of the interval by the noise within the runs.
    within: f64,
    /// The same by that from run to run, known from them and from a third build.
    between: f64,
}

impl Estimate {
    fn of(seed: u32, between: f64) -> Self {
        let name = seed.to_string();
        let mut normal = Normal::of(&["statistics", &name]);
        let mut build =
            || -> Vec<Vec<f64>> { runs(&mut normal, 3, between, 0.0).iter().map(|run| block_means(run, BLOCK)).collect() };
        let builds = [build(), build(), build()];
        let values = builds.each_ref().map(|runs| runs.iter().filter_map(|run| quantile::median(run)).collect::<Vec<f64>>());
        let mut random = Random::of(&["draws", &name]);
        let (a, b) = (drawn(&builds[0], &mut random), drawn(&builds[1], &mut random));
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
        let worth: f64 = builds[..2].iter().flatten().map(|run| autocorrelation::effective_size(run)).sum();
        let spread = spread::pooled(values.iter().map(Vec::as_slice)).unwrap();
        assert_eq!(spread.degrees, 6);
        Self {
            apart: mean(&values[1]) - mean(&values[0]),
            within: bootstrap::half_width(&differences, 0.95).unwrap() * bootstrap::widening(0.95, worth),
            between: quantile::t_quantile(0.95, 6.0) * spread.sd * (2.0_f64 / 3.0).sqrt(),
        }
    }
}

/// Resampled estimates of a side: the mean of its runs' medians.
fn drawn(runs: &[Vec<f64>], random: &mut Random) -> Vec<f64> {
    const RESAMPLES: u32 = 400;
    let mut sums = vec![0.0; RESAMPLES as usize];
    for run in runs {
        let medians = bootstrap::medians(run, bootstrap::block_length(run), RESAMPLES, random);
        sums.iter_mut().zip(medians).for_each(|(sum, median)| *sum += median / runs.len() as f64);
    }
    sums
}

/// Of how many seeds an interval holds the truth.
fn held(between: f64, half_width: impl Fn(&Estimate) -> f64) -> usize {
    let holds = |seed: &u32| {
        let estimate = Estimate::of(*seed, between);
        estimate.apart.abs() <= half_width(&estimate)
    };
    (0..SEEDS).filter(holds).count()
}

#[test]
fn the_noise_within_runs_is_all_there_is_where_runs_are_alike() {
    // 95% of 200 is 190, with a standard deviation of 3.
    let held = held(0.0, |estimate| estimate.within);
    println!("intervals by the noise within runs, no noise from run to run: {held} of {SEEDS} hold the truth");
    assert!((178..=199).contains(&held), "{held}");
}

#[test]
fn the_noise_from_run_to_run_is_not_seen_within_runs() {
    let within = held(0.04, |estimate| estimate.within);
    let both = held(0.04, |estimate| estimate.within.hypot(estimate.between));
    println!("run-to-run sd 4%: by the noise within runs {within} of {SEEDS} hold the truth, with that from run to run {both}");
    assert!(within < 160, "{within}");
    assert!(both >= 188, "{both}");
}

/// A run of half an hour with blocks of successful requests, as raw samples leave it.
fn run(address: &Address, log_medians: &[f64]) -> Run {
    let median = |block: &[f64]| LATENCY_MS * quantile::median(block).unwrap().exp();
    #[allow(clippy::cast_possible_truncation, reason = "latencies are some hundred thousand microseconds")]
    let point = |block: &[f64]| {
        let p50 = (median(block) * 1000.0).round() as i64;
        // Enough samples for a median alone: the other percentiles are not asked for.
        BlockPoint { count: 30, percentiles: Some([p50, 2 * p50, 3 * p50]) }
    };
    let points = log_medians.chunks(BLOCK).map(point).collect();
    let blocks = Blocks {
        seconds: 30,
        start: 1_750_000_000,
        last_seconds: 30,
        counts: BTreeMap::new(),
        trends: BTreeMap::from([("http_req_duration{expected_response:true}".to_owned(), points)]),
    };
    Run {
        record: Record::new(address.clone()),
        differences: Vec::new(),
        notes: Vec::new(),
        k6_text: None,
        series: Some(Series { blocks: vec![blocks], ..Series::default() }),
    }
}

fn release(name: &str, log_medians: &[Vec<f64>]) -> ReleaseRuns {
    let address = |nth: usize| -> Address {
        let label = if nth == 0 { String::new() } else { format!("~{}", nth + 1) };
        format!("{name}/login{label}").parse().unwrap()
    };
    let runs = log_medians.iter().enumerate().map(|(nth, medians)| (address(nth), run(&address(nth), medians)));
    ReleaseRuns { name: Release::new(name).unwrap(), order: None, notes: Vec::new(), runs: runs.collect() }
}

/// What `diff v1 v2` says of the median latency.
fn p50(archive: &Archive) -> Change {
    let side = |name: &str| {
        let release = archive.release(&Release::new(name).unwrap()).unwrap();
        Side { name: name.to_owned(), runs: release.runs.iter().collect() }
    };
    let judge = |_: &Address, _: &Run| Judgement { label: "Done".to_owned(), class: Class::Done, recorded: None };
    let settings = Settings::default();
    let input = Input { archive, a: side("v1"), b: side("v2"), settings: &settings, judge: &judge };
    let comparison = compare(&input);
    comparison.targets[0].changes.iter().find(|change| change.metric == "p50").cloned().unwrap()
}

/// A release, one that is slower by `change`, and another build whose repeats tell the noise from run to run with them: so many runs each.
fn archive(seed: u32, repeats: usize, between: f64, change: f64) -> Archive {
    let mut normal = Normal::of(&["pipeline", &seed.to_string(), &between.to_string(), &change.to_string()]);
    let mut build = |change: f64| runs(&mut normal, repeats, between, change);
    let (before, after, third) = (build(0.0), build(change), build(0.0));
    Archive::new(vec![release("v1", &before), release("v2", &after), release("v3", &third)])
}

/// Decisions on p50 over all seeds.
fn decisions(repeats: usize, between: f64, change: f64, origin: NoiseOrigin) -> BTreeMap<Decision, u32> {
    let mut decisions = BTreeMap::new();
    for seed in 0..SEEDS {
        let found = p50(&archive(seed, repeats, between, change));
        assert_eq!(found.noise.as_ref().map(|noise| noise.origin), Some(origin));
        *decisions.entry(found.decision).or_default() += 1;
    }
    println!("{repeats} runs a side, run-to-run sd {between}, change {change:+}: {decisions:?}");
    decisions
}

fn changes(decisions: &BTreeMap<Decision, u32>) -> u32 {
    decisions.iter().filter(|(decision, _)| decision.is_change()).map(|(_, count)| count).sum()
}

/// 2% of 200.
const MOST_ALARMS: u32 = 4;
/// 98% of 200.
const FEWEST_FOUND: u32 = 196;

#[test]
fn runs_that_vary_by_nothing_between_them_seldom_seem_to_change() {
    assert!(changes(&decisions(3, 0.0, 0.0, NoiseOrigin::Repeats)) <= MOST_ALARMS);
}

#[test]
fn runs_that_vary_by_2_percent_seldom_seem_to_change() {
    assert!(changes(&decisions(3, 0.02, 0.0, NoiseOrigin::Repeats)) <= MOST_ALARMS);
}

#[test]
fn runs_that_vary_by_4_percent_seldom_seem_to_change() {
    assert!(changes(&decisions(3, 0.04, 0.0, NoiseOrigin::Repeats)) <= MOST_ALARMS);
}

#[test]
fn single_runs_with_an_assumed_noise_seldom_seem_to_change() {
    assert!(changes(&decisions(1, 0.02, 0.0, NoiseOrigin::Assumed)) <= MOST_ALARMS);
}

#[test]
fn a_fifth_more_is_found_with_three_runs_a_side() {
    let found = decisions(3, 0.02, 0.2, NoiseOrigin::Repeats);
    assert!(found.get(&Decision::Regression).copied().unwrap_or(0) >= FEWEST_FOUND, "{found:?}");
    assert_eq!(found.get(&Decision::Improvement), None);
}
