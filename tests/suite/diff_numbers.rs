//! The numbers of `diff` once more, straight from the files of an archive, by the words of `docs/comparison.md`: nothing here calls the
//! code that is tested. Three builds of three runs each are made up, so that the noise from run to run is measured, not assumed.

use plimsoll::model::comparison::{Change, Comparison, Decision, Kind, NoiseOrigin, TargetComparison};
use serde_json::Value;

use super::command::Folder;
use super::diff_support::{Load, change, diff, target, with};

/// What two ways of adding the same numbers up may differ by.
const DUST: f64 = 1e-9;
/// The quantile of Student's t that leaves 2.5% above, with 6 degrees of freedom: R's `qt(0.975, 6)`.
const T_6: f64 = 2.446_911_851_144_97;
const RELEASES: [&str; 3] = ["v1", "v2", "v3"];
const RUNS: [&str; 3] = ["work", "work~2", "work~3"];
const LATENCIES: [(&str, Kind, f64); 3] = [("p50", Kind::P50, 0.05), ("p95", Kind::P95, 0.07), ("p99", Kind::P99, 0.1)];

/// Every run has a level of its own; the second build is slower by three fifths and does a fifth less.
fn archive() -> Folder {
    let mut folder = Folder::new();
    for (nth, release) in RELEASES.iter().enumerate() {
        for (number, run) in RUNS.iter().enumerate() {
            let (seed, shift) = ((10 * nth + number) as u64, [0.0, 1.2, -0.8][(nth + number) % 3]);
            let (rate, ms) = if nth == 1 { (12, 64.0) } else { (15, 40.0) };
            let load = Load { start: seed.cast_signed() * 1_000, rate, ms: ms + shift, seed, ..Load::default() };
            folder = with(folder, release, run, &load);
        }
    }
    folder
}

/// Numbers that a file keeps as differences.
fn summed(values: &Value) -> Vec<f64> {
    let numbers = values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap());
    numbers
        .scan(0.0, |sum, step| {
            *sum += step;
            Some(*sum)
        })
        .collect()
}

/// The blocks of 30 s that count of a test of three minutes: it loses a tenth of itself, 18 s, and so the block that begins in it.
fn blocks(folder: &Folder, release: &str, run: &str, pick: impl Fn(&Value) -> &Value) -> Vec<f64> {
    let file: Value = serde_json::from_str(&folder.read(&format!("data/{release}/{run}/blocks.json"))).unwrap();
    let of_30 = file["blocks"].as_array().unwrap().iter().find(|blocks| blocks["seconds"] == 30).unwrap();
    summed(pick(of_30))[1..6].to_vec()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The log value of a run: of throughput the mean of its blocks, of a latency their median.
fn log_value(folder: &Folder, release: &str, run: &str, metric: &str) -> f64 {
    let value = if metric == "throughput" {
        mean(&blocks(folder, release, run, |blocks| &blocks["counts"]["iterations"])) / 30.0
    } else {
        let trend = "http_req_duration{expected_response:true}";
        median(blocks(folder, release, run, |blocks| &blocks["trends"][trend][metric])) / 1e3
    };
    value.ln()
}

fn log_values(folder: &Folder, release: &str, runs: &[&str], metric: &str) -> Vec<f64> {
    runs.iter().map(|run| log_value(folder, release, run, metric)).collect()
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| (value - mean(values)).powi(2)).sum()
}

/// The half-width from run to run of three runs against three: the standard deviation pooled over all builds, six degrees of freedom.
fn between(folder: &Folder, metric: &str) -> f64 {
    let sum: f64 = RELEASES.iter().map(|release| squares(&log_values(folder, release, &RUNS, metric))).sum();
    T_6 * (sum / 6.0).sqrt() * (2.0_f64 / 3.0).sqrt()
}

#[track_caller]
fn near(told: f64, own: f64) {
    assert!((told - own).abs() <= DUST * own.abs().max(1.0), "{told} is told, {own} is right");
}

/// What the documented rule says of an interval.
fn decision(kind: Kind, [lo, hi]: [f64; 2], a: f64, floor: f64) -> Decision {
    let up = 1.0 + floor;
    let too_small = kind.is_latency() && a * (hi - 1.0).abs().max((lo - 1.0).abs()) < 2.0;
    let (worse, better) = if kind == Kind::Throughput { (hi < 1.0 / up, lo > up) } else { (lo > up, hi < 1.0 / up) };
    match () {
        () if too_small || (lo > 1.0 / up && hi < up) => Decision::NoChange,
        () if worse => Decision::Regression,
        () if better => Decision::Improvement,
        () => Decision::Inconclusive,
    }
}

/// Holds one change of `b` against `a` against the archive.
#[track_caller]
fn hold(folder: &Folder, of: &TargetComparison, [a, b]: [&str; 2], (metric, kind, floor): (&str, Kind, f64)) {
    let told: &Change = change(of, metric);
    let (own_a, own_b) = (mean(&log_values(folder, a, &RUNS, metric)), mean(&log_values(folder, b, &RUNS, metric)));
    near(told.a.unwrap(), own_a.exp());
    near(told.b.unwrap(), own_b.exp());
    near(told.ratio.unwrap(), (own_b - own_a).exp());
    let noise = told.noise.as_ref().unwrap();
    assert_eq!((noise.origin, noise.degrees, noise.block_s), (NoiseOrigin::Repeats, Some(6), Some(30)), "{metric}");
    near(noise.between, between(folder, metric));
    // Resampled with random numbers of the program's own: how often it holds the truth is tested in `diff_synthetic`.
    let half_width = noise.within.unwrap().hypot(between(folder, metric));
    let interval = [(own_b - own_a - half_width).exp(), (own_b - own_a + half_width).exp()];
    near(told.interval.unwrap().lo(), interval[0]);
    near(told.interval.unwrap().hi(), interval[1]);
    assert_eq!(told.decision, decision(kind, interval, own_a.exp(), floor), "{metric}: {told:?}");
    let relative = half_width.exp() * (1.0 + floor) - 1.0;
    let absolute = if kind.is_latency() { (1.0 + 2.0 / own_a.exp()) / half_width.exp() - 1.0 } else { 0.0 };
    near(told.detectable.unwrap(), relative.max(absolute));
}

/// The headline counts what stands in the targets.
fn hold_headline(comparison: &Comparison) {
    let decisions: Vec<Decision> =
        comparison.targets.iter().flat_map(|target| &target.changes).map(|change| change.decision).collect();
    for decision in Decision::ALL {
        let own = decisions.iter().filter(|one| **one == decision).count();
        assert_eq!(
            usize::try_from(comparison.headline.decisions.get(&decision).copied().unwrap_or(0)).unwrap(),
            own,
            "{decision}"
        );
    }
    let compared = decisions.iter().filter(|decision| {
        matches!(decision, Decision::Regression | Decision::Improvement | Decision::Inconclusive | Decision::NoChange)
    });
    assert_eq!(usize::try_from(comparison.headline.comparisons).unwrap(), compared.count());
}

#[test]
fn estimates_intervals_and_decisions_are_what_the_archive_says() {
    let folder = archive();
    let mut decisions = Vec::new();
    for [a, b] in [["v1", "v2"], ["v2", "v1"], ["v1", "v3"]] {
        let comparison = diff(&folder, a, b);
        let work = target(&comparison, "work");
        for metric in [("throughput", Kind::Throughput, 0.05)].into_iter().chain(LATENCIES) {
            hold(&folder, work, [a, b], metric);
            decisions.push(change(work, metric.0).decision);
        }
        hold_headline(&comparison);
    }
    // The change that was made is found in both directions, and none where none was made: the rules above were all tried.
    for wanted in [Decision::Regression, Decision::Improvement] {
        assert!(decisions.contains(&wanted), "{decisions:?}");
    }
    assert!(decisions[8..].iter().all(|decision| !decision.is_change()), "{decisions:?}");
}

#[test]
fn a_calibration_leaves_the_pair_out_of_its_own_noise() {
    // Two runs that lie far apart, beside nine that hardly vary. With the two among the repeats the half-width would be 0.89 of their own
    // distance (t with 7 degrees of freedom over the root of 7), and together with the floor more than it: inconclusive. Without them it is
    // a false alarm, and has to be told as one.
    let far = |number: u64, ms: f64| Load {
        start: 100_000 + 1_000 * number.cast_signed(),
        rate: 15,
        ms,
        seed: 90 + number,
        ..Load::default()
    };
    let folder = with(with(archive(), "v4", "work", &far(0, 40.0)), "v4", "work~2", &far(1, 60.0));
    let answer = folder.plimsoll(&["diff", "--calibrate", "--format", "json"]).exits(0);
    let found: Value = serde_json::from_str(&answer.out).unwrap();
    let pairs = found["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 10, "three pairs of each of three builds, and one");
    let decisions = || pairs.iter().flat_map(|pair| pair["decisions"].as_array().unwrap());
    let is_change = |decision: &&Value| decision["decision"] == "regression" || decision["decision"] == "improvement";
    assert_eq!(found["decisions"].as_u64(), Some(decisions().count() as u64));
    assert_eq!(found["false_alarms"].as_u64(), Some(decisions().filter(is_change).count() as u64));
    for pair in pairs {
        let [a, b] = ["a", "b"].map(|side| pair[side].as_str().unwrap().split_once('/').unwrap());
        let p50 = pair["decisions"].as_array().unwrap().iter().find(|decided| decided["metric"] == "p50").unwrap();
        near(p50["ratio"].as_f64().unwrap(), (log_value(&folder, b.0, b.1, "p50") - log_value(&folder, a.0, a.1, "p50")).exp());
        assert_eq!(is_change(&p50), a.0 == "v4", "{pair}");
    }
    let groups = RELEASES.iter().map(|release| (*release, &RUNS[..])).chain([("v4", &RUNS[..2])]);
    let sum: f64 = groups.map(|(release, runs)| squares(&log_values(&folder, release, runs, "p50"))).sum();
    let spread = found["spreads"].as_array().unwrap().iter().find(|spread| spread["kind"] == "p50").unwrap();
    near(spread["sd"].as_f64().unwrap(), (sum / 7.0).sqrt());
    assert_eq!(spread["degrees"], 7);
}
