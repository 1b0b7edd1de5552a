//! The demo's releases compared: the truth that was planted into them, and how often `diff` is wrong over its repeats.

use std::collections::BTreeMap;

use plimsoll::model::calibration::Calibration;
use plimsoll::model::comparison::{Basis, Change, Comparability, Decision, Kind, TargetComparison};
use serde_json::Value;

use super::capture_support::near;
use super::command::Folder;
use super::diff_support::{FLAGS_ACCEPTED, FORMATS, WHOLE_DEMO, change, demo, demo_in_order, diff, found, read, target, told};

fn calibration(folder: &Folder) -> Calibration {
    let answer = folder.plimsoll(&["diff", "--calibrate", "--format", "json"]).exits(0);
    serde_json::from_str(&answer.out).unwrap()
}

#[test]
fn over_pairs_of_unchanged_runs_at_most_two_in_a_hundred_decisions_are_changes() {
    let Some(folder) = demo("", &WHOLE_DEMO) else { return };
    let calibration = calibration(&folder);
    let pairs = |runs: usize| runs * (runs - 1) / 2;
    let sizes: Vec<(&str, &str, usize)> =
        calibration.groups.iter().map(|group| (&*group.release, &*group.target, group.runs.len())).collect();
    let wanted = [
        ("1.0.0", "add_session", 2),
        ("1.0.0", "token_login", 4),
        ("1.0.0", "user_info", 3),
        ("1.1.0", "token_login", 2),
        ("1.2.0", "token_login", 2),
        ("2.0.0", "add_session", 2),
        ("2.0.0", "user_info", 2),
    ];
    assert_eq!(sizes, wanted, "the groups of repeats");
    assert_eq!(calibration.runs, 17, "runs that have a repeat");
    assert_eq!(calibration.pairs.len(), wanted.iter().map(|(_, _, runs)| pairs(*runs)).sum::<usize>());
    let decisions: Vec<Decision> =
        calibration.pairs.iter().flat_map(|pair| pair.decisions.iter().map(|decision| decision.decision)).collect();
    let alarms = decisions.iter().filter(|decision| decision.is_change()).count();
    println!(
        "{} runs, {} pairs, {} decisions, {alarms} of them changes",
        calibration.runs,
        calibration.pairs.len(),
        decisions.len()
    );
    assert_eq!(usize::try_from(calibration.decisions).unwrap(), decisions.len());
    assert_eq!(usize::try_from(calibration.false_alarms).unwrap(), alarms);
    assert!(decisions.len() >= calibration.pairs.len() * 4, "throughput and three percentiles of every pair");
    assert!(alarms * 50 <= decisions.len(), "{alarms} of {} decisions are changes", decisions.len());
}

#[test]
fn a_calibration_prints_its_runs_pairs_and_decisions() {
    let Some(folder) = demo("", &["1.0.0/user_info", "2.0.0/user_info"]) else { return };
    let found = calibration(&folder);
    let text = folder.plimsoll(&["diff", "--calibrate"]).exits(0).out;
    for wanted in [found.runs.to_string(), found.pairs.len().to_string(), found.decisions.to_string()] {
        assert!(text.contains(&wanted), "no {wanted} in:\n{text}");
    }
    for wanted in ["runs", "pairs", "decisions", "throughput", "p50", "p95", "p99"] {
        assert!(text.contains(wanted), "no `{wanted}` in:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "a line is longer than 80 columns:\n{text}");
}

#[test]
fn a_bigger_change_is_found_at_least_as_often_as_a_smaller_one() {
    let Some(folder) = demo("", &WHOLE_DEMO) else { return };
    let mut by_kind: BTreeMap<(Kind, u32), Vec<(f64, f64)>> = BTreeMap::new();
    for power in calibration(&folder).power {
        assert!(power.found <= power.of && power.of > 0, "{power:?}");
        let share = f64::from(power.found) / f64::from(power.of);
        by_kind.entry((power.kind, power.runs)).or_default().push((power.change.abs(), share));
    }
    assert!([Kind::Throughput, Kind::P50].iter().all(|kind| by_kind.keys().any(|(known, _)| known == kind)), "{by_kind:?}");
    for (kind, mut shares) in by_kind {
        shares.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(shares.is_sorted_by(|one, next| one.1 <= next.1 + 0.1), "{kind:?}: {shares:?}");
    }
}

/// The spread of log values between repeats, pooled, straight from the definition.
#[test]
fn the_spread_between_repeats_is_that_of_their_log_values() {
    let Some(folder) = demo("", &WHOLE_DEMO) else { return };
    let calibration = calibration(&folder);
    for kind in [Kind::Throughput, Kind::P50, Kind::P95, Kind::P99] {
        let (mut squares, mut degrees) = (0.0, 0);
        for group in &calibration.groups {
            let logs: Vec<f64> = group.runs.iter().map(|run| estimate(&folder, &bare(&group.release, run), kind).ln()).collect();
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
            degrees += u32::try_from(logs.len()).unwrap() - 1;
        }
        let spread = calibration.spreads.iter().find(|spread| spread.kind == kind && spread.of.is_none()).unwrap();
        assert_eq!(spread.degrees, degrees, "{kind}");
        let wanted = (squares / f64::from(degrees)).sqrt();
        assert!(near(spread.sd, wanted, 1e-6), "{kind}: {} is not {wanted}", spread.sd);
    }
}

/// A run's address, whether it was told with its release or without.
fn bare(release: &str, run: &str) -> String {
    if run.contains('/') { run.to_owned() } else { format!("{release}/{run}") }
}

#[test]
fn release_2_0_0_regresses_where_its_index_is_gone() {
    let Some(folder) = demo(FLAGS_ACCEPTED, &["1.0.0/user_info", "2.0.0/user_info", "1.0.0/token_login"]) else { return };
    let comparison = diff(&folder, "1.0.0", "2.0.0");
    let slow = target(&comparison, "user_info");
    for metric in ["throughput", "p50", "p95", "p99"] {
        assert_eq!(change(slow, metric).decision, Decision::Regression, "{metric}\n{}", told(slow));
    }
    assert!(found(slow).iter().all(|found| found.ends_with("regression")), "{}", told(slow));
    assert_eq!(change(slow, "throughput").basis, Some(Basis::Samples));
    assert!(slow.closed_model, "12 virtual users make the load");
    let finding = &comparison.headline.found[0];
    assert_eq!((&*finding.target, finding.decision), ("user_info", Decision::Regression));
    let is_load = |metric: &String| metric == "throughput" || metric.starts_with('p');
    let told =
        comparison.headline.found.iter().filter(|finding| finding.target == "user_info" && finding.metrics.iter().any(is_load));
    assert_eq!(told.count(), 1, "throughput and latency of a closed model are one change: {:?}", comparison.headline.found);
    folder.plimsoll(&["diff", "1.0.0", "2.0.0"]).exits(1).prints("user_info").prints("regression");
}

#[test]
fn release_2_0_0_regresses_where_a_lock_was_planted() {
    let parts = ["1.0.0", "2.0.0/add_session"];
    let Some(folder) = demo(FLAGS_ACCEPTED, &parts) else { return };
    let comparison = diff(&folder, "1.0.0", "2.0.0");
    let slow = target(&comparison, "add_session");
    for metric in ["throughput", "p50"] {
        assert_eq!(change(slow, metric).decision, Decision::Regression, "{metric}\n{}", told(slow));
    }
    assert!(found(slow).iter().all(|found| found.ends_with("regression")), "{}", told(slow));
    let locks =
        slow.queries.iter().find(|query| query.text.as_deref().is_some_and(|text| text.contains("pg_advisory_xact_lock")));
    assert!(locks.is_some(), "the lock's statement is among the queries: {:?}", slow.queries);
    let setting = slow.settings.iter().find(|setting| setting.key.contains("catchUpLimit")).unwrap();
    assert_eq!((setting.a.as_deref(), setting.b.as_deref()), (Some("50"), Some("2000")));
}

#[test]
fn release_2_1_0_improves_where_half_the_work_is_gone() {
    let parts = ["1.0.0", "2.0.0", "2.1.0"];
    let Some(folder) = demo(FLAGS_ACCEPTED, &parts) else { return };
    let comparison = diff(&folder, "1.0.0", "2.1.0");
    let fast = target(&comparison, "token_login");
    let median = change(fast, "p50");
    assert_eq!(median.decision, Decision::Improvement, "{}", told(fast));
    assert_eq!((median.runs_a, median.runs_b), (4, 1));
    assert!(found(fast).iter().all(|found| found.ends_with("improvement")), "{}", told(fast));
    folder.plimsoll(&["diff", "1.0.0", "2.1.0"]).exits(0).prints("improvement");
    let setting = fast.settings.iter().find(|setting| setting.key.contains("secretHasher.iterations")).unwrap();
    assert_eq!((setting.a.as_deref(), setting.b.as_deref()), (Some("32000"), Some("16000")));
}

#[test]
fn release_1_1_0_that_changes_nothing_has_no_change() {
    let Some(folder) = demo("", &WHOLE_DEMO) else { return };
    let comparison = diff(&folder, "1.0.0", "1.1.0");
    let same = target(&comparison, "token_login");
    assert_eq!(found(same), Vec::<String>::new(), "{}", told(same));
    assert_eq!(same.contract.verdict, Comparability::Comparable, "{:?}", same.contract.differences);
    folder.plimsoll(&["diff", "1.0.0", "1.1.0"]).exits(0);
}

#[test]
fn release_1_2_0_that_is_slower_within_noise_is_not_called_faster() {
    let Some(folder) = demo("", &WHOLE_DEMO) else { return };
    let comparison = diff(&folder, "1.0.0", "1.2.0");
    let slow = target(&comparison, "token_login");
    let improved = slow.changes.iter().filter(|change| change.decision == Decision::Improvement).count();
    assert_eq!(improved, 0, "{}", told(slow));
    let setting = slow.settings.iter().find(|setting| setting.key.contains("auditIterations")).unwrap();
    assert_eq!((setting.a.as_deref(), setting.b.as_deref()), (Some("0"), Some("2500")));
    let query = slow.queries.iter().find(|query| query.text.as_deref().is_some_and(|text| text.contains("org_id, changed_at")));
    assert!(query.is_some(), "the read that was added is among the queries: {:?}", slow.queries);
}

#[test]
fn release_2_2_0_fails_more_often_and_its_successes_are_as_fast() {
    let Some(folder) = demo(FLAGS_ACCEPTED, &WHOLE_DEMO) else { return };
    let comparison = diff(&folder, "1.0.0", "2.2.0");
    let failing = target(&comparison, "token_login");
    let failures = change(failing, "failures");
    assert_eq!(failures.decision, Decision::Regression, "{}", told(failing));
    let (before, after) = (failures.counted_a.unwrap(), failures.counted_b.unwrap());
    assert_eq!(before.count, 0);
    assert!(after.count > 2_000 && after.of > 15_000, "{after:?}");
    for metric in ["p50", "p95", "p99"] {
        let decision = change(failing, metric).decision;
        assert!(matches!(decision, Decision::NoChange | Decision::Inconclusive), "{metric} is {decision}\n{}", told(failing));
    }
    let text = folder.plimsoll(&["diff", "1.0.0", "2.2.0"]).exits(1).out;
    let spoken = |count: u64| plimsoll::model::units::show_count(count);
    assert!(text.contains(&spoken(after.count)) || text.contains(&after.count.to_string()), "a share hides its count:\n{text}");
}

#[test]
fn the_burst_of_release_2_2_0_is_named_and_left_out_for_a_second_look() {
    let Some(folder) = demo(FLAGS_ACCEPTED, &["1.0.0/token_login", "2.2.0"]) else { return };
    let comparison = diff(&folder, "1.0.0", "2.2.0");
    let failing = target(&comparison, "token_login");
    let run = failing.runs.iter().find(|run| run.run.starts_with("2.2.0")).unwrap();
    let incident = run.incidents.iter().find(|incident| incident.what.contains("failed")).unwrap_or_else(|| panic!("{run:?}"));
    // 2,032 requests failed for ten seconds, from 55 s after the first one.
    assert!((50.0..=58.0).contains(&incident.from_s) && (63.0..=70.0).contains(&incident.to_s), "{incident:?}");
    assert!(incident.what.contains("503"), "{incident:?}");
    let quiet: Vec<_> = failing.runs.iter().filter(|run| run.run.starts_with("1.0.0")).collect();
    let false_ones = quiet.iter().flat_map(|run| &run.incidents).filter(|incident| incident.what.contains("failed")).count();
    assert_eq!(false_ones, 0, "no request of 1.0.0 failed");
    let without = change(failing, "failures").without_incidents.unwrap_or_else(|| panic!("{}", told(failing)));
    let whole = change(failing, "failures").difference.unwrap();
    assert!(without.interval.hi() < whole.value, "about 0.3% without the burst: {without:?}, {whole:?}");
    for format in ["text", "markdown"] {
        let told = folder.plimsoll(&["diff", "1.0.0", "2.2.0", "--format", format]).exits(1).out;
        assert!(told.contains("503"), "{format} does not tell the burst:\n{told}");
    }
}

#[test]
fn another_flag_makes_two_releases_not_comparable() {
    let Some(folder) = demo("", &["1.0.0/token_login/1", "2.1.0"]) else { return };
    let comparison = read(&folder.plimsoll(&["diff", "1.0.0", "2.1.0", "--format", "json"]).exits(2));
    let refused = target(&comparison, "token_login");
    assert_eq!(refused.contract.verdict, Comparability::NotComparable);
    let keys: Vec<&str> = refused.contract.differences.iter().map(|difference| &*difference.key).collect();
    assert!(keys.iter().any(|key| key.starts_with("service.flags") && key.contains("tokenExchange")), "{keys:?}");
    assert!(refused.changes.iter().all(|change| change.decision == Decision::NotComparable), "{}", told(refused));
    assert!(change(refused, "p50").ratio.is_some(), "the numbers are still there: {}", told(refused));
    for format in FORMATS.into_iter().filter(|format| *format != "html") {
        let told = folder.plimsoll(&["diff", "1.0.0", "2.1.0", "--format", format]).exits(2).out;
        assert!(told.contains("tokenExchange"), "{format} does not name the flag:\n{told}");
    }
}

#[test]
fn an_accepted_flag_lets_them_be_compared_and_its_reason_is_told_everywhere() {
    let Some(folder) = demo(FLAGS_ACCEPTED, &["1.0.0/token_login/1", "2.1.0"]) else { return };
    let comparison = diff(&folder, "1.0.0", "2.1.0");
    let compared = target(&comparison, "token_login");
    assert_ne!(compared.contract.verdict, Comparability::NotComparable, "{:?}", compared.contract.differences);
    let flag = compared.contract.differences.iter().find(|difference| difference.key.contains("tokenExchange")).unwrap();
    assert_eq!(flag.accepted.as_deref(), Some("the flag has no effect on what is tested"));
    assert!(comparison.method.accepted.iter().any(|accepted| accepted.key == "service.flags" && accepted.used));
    for format in FORMATS {
        let told = folder.plimsoll(&["diff", "1.0.0", "2.1.0", "--format", format]).exits(0).out;
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("no effect on what is tested"), "{format} does not tell the reason:\n{told}");
    }
}

/// Values of a block column, kept as differences.
fn column(values: &Value) -> Vec<Option<f64>> {
    let mut sum = None;
    let of = |value: &Value| {
        let step = value.as_f64()?;
        sum = Some(sum.unwrap_or(0.0) + step);
        sum
    };
    values.as_array().unwrap().iter().map(of).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// A run's value straight from its `blocks.json`: the median of whole blocks that begin after the warm-up, of throughput the
/// mean.
fn estimate(folder: &Folder, run: &str, kind: Kind) -> f64 {
    let blocks: Value = serde_json::from_str(&folder.read(&format!("data/{run}/blocks.json"))).unwrap();
    let record: Value = serde_json::from_str(&folder.read(&format!("data/{run}/record.json"))).unwrap();
    let length = record["window"]["duration_s"].as_f64().unwrap();
    let warm_up = if length >= 600.0 { 60.0 } else { length / 10.0 };
    let enough = match kind {
        Kind::P99 => 300.0,
        Kind::P95 => 60.0,
        _ => 1.0,
    };
    for lengths in blocks["blocks"].as_array().unwrap() {
        let seconds = lengths["seconds"].as_f64().unwrap();
        let counts = column(&lengths["counts"]["iterations"]);
        let whole = if lengths["last_seconds"].as_f64().unwrap() < seconds { counts.len() - 1 } else { counts.len() };
        let used = || (0..whole).filter(|at| *at as f64 * seconds >= warm_up);
        if kind == Kind::Throughput {
            // A mean: a median would not see a stall, and a stall is lost throughput.
            return used().map(|at| counts[at].unwrap() / seconds).sum::<f64>() / used().count() as f64;
        }
        let trend = &lengths["trends"]["http_req_duration{expected_response:true}"];
        let samples = column(&trend["count"]);
        if used().all(|at| samples[at].unwrap() >= enough) {
            let values = column(&trend[kind.name()]);
            return median(used().map(|at| values[at].unwrap() / 1e3).collect());
        }
    }
    panic!("{run} has no {kind}")
}

/// Failed requests and all requests of the test phase, the warm-up too.
fn failures(folder: &Folder, run: &str) -> (u64, u64) {
    let blocks: Value = serde_json::from_str(&folder.read(&format!("data/{run}/blocks.json"))).unwrap();
    let lengths = &blocks["blocks"][0];
    let (failed, all) = (column(&lengths["counts"]["http_req_failed"]), column(&lengths["counts"]["http_reqs"]));
    let sum = |values: &[Option<f64>]| values.iter().map(|value| value.unwrap()).sum::<f64>();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of requests")]
    let whole = |sum: f64| sum as u64;
    (whole(sum(&failed)), whole(sum(&all)))
}

/// The runs of a target, `1.0.0/token_login~2`.
fn runs(folder: &Folder, release: &str, name: &str) -> Vec<String> {
    let files = folder.files(&format!("data/{release}"));
    let runs = files.iter().filter_map(|(path, _)| path.strip_suffix("/record.json"));
    let own = runs.filter(|run| run.split('~').next() == Some(name));
    own.map(|run| format!("{release}/{run}")).collect()
}

fn estimate_fault(folder: &Folder, releases: [&str; 2], target: &TargetComparison, change: &Change) -> Option<String> {
    let sides = releases.map(|release| {
        let runs = runs(folder, release, &target.target);
        let logs: f64 = runs.iter().map(|run| estimate(folder, run, change.kind).ln()).sum();
        ((logs / runs.len() as f64).exp(), u32::try_from(runs.len()).unwrap())
    });
    let [(a, runs_a), (b, runs_b)] = sides;
    let is_near = |found: Option<f64>, wanted: f64| found.is_some_and(|found| near(found, wanted, 1e-6 * wanted));
    let holds = is_near(change.a, a) && is_near(change.b, b) && is_near(change.ratio, b / a);
    let same_runs = (change.runs_a, change.runs_b) == (runs_a, runs_b);
    (!holds || !same_runs).then(|| {
        let ours = (change.a, change.b, change.ratio, change.runs_a, change.runs_b);
        format!("{releases:?} {} {}: {ours:?}, not {:?}", target.target, change.metric, (a, b, b / a, runs_a, runs_b))
    })
}

#[test]
fn every_estimate_is_the_one_that_blocks_give_by_hand() {
    let Some(folder) = demo(FLAGS_ACCEPTED, &WHOLE_DEMO) else { return };
    let (mut faults, mut compared) = (Vec::new(), 0);
    for (at, a) in WHOLE_DEMO.into_iter().enumerate() {
        for b in WHOLE_DEMO.into_iter().skip(at + 1) {
            let comparison = diff(&folder, a, b);
            for target in &comparison.targets {
                if runs(&folder, a, &target.target).is_empty() || runs(&folder, b, &target.target).is_empty() {
                    continue;
                }
                for metric in ["throughput", "p50", "p95", "p99"] {
                    compared += 1;
                    faults.extend(estimate_fault(&folder, [a, b], target, change(target, metric)));
                }
                let failed = change(target, "failures");
                for (release, told) in [(a, failed.counted_a), (b, failed.counted_b)] {
                    let counts = runs(&folder, release, &target.target).into_iter().map(|run| failures(&folder, &run));
                    let (count, of) = counts.fold((0, 0), |(failed, all), run| (failed + run.0, all + run.1));
                    if told.map(|told| (told.count, told.of)) != Some((count, of)) {
                        faults.push(format!("{release} {}: failures {told:?}, not {count} of {of}", target.target));
                    }
                }
            }
        }
    }
    println!("{compared} estimates compared");
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(compared, 12 * 4, "ten pairs of token_login, one of each other target");
}

#[test]
fn what_the_page_of_a_run_says_stands_beside_the_estimate() {
    let Some(folder) = demo("", &["1.0.0/token_login/1", "1.1.0/token_login/1"]) else { return };
    let comparison = diff(&folder, "1.0.0", "1.1.0");
    let compared = target(&comparison, "token_login");
    // truth.csv: 190.3583 and 197.2833 iterations/s of 120 s.
    let throughput = change(compared, "throughput");
    let holds = |found: Option<f64>, wanted| found.is_some_and(|found| near(found, wanted, 1e-3));
    assert!(holds(throughput.run_a, 190.358_333) && holds(throughput.run_b, 197.283_333), "{throughput:?}");
    let median = change(compared, "p50");
    assert!(median.run_a.is_some_and(|own| near(own, 5.366, 0.02)), "{median:?}");
}

#[test]
fn the_order_of_ingestion_and_repetition_change_no_byte() {
    let parts = ["1.0.0/user_info/1", "1.0.0/user_info/2", "1.0.0/user_info/3", "2.0.0/user_info/1", "2.0.0/user_info/2"];
    let order = [4, 1, 3, 2, 0].map(|at: usize| parts[at]);
    let (Some(one), Some(other)) = (demo_in_order(FLAGS_ACCEPTED, &parts), demo_in_order(FLAGS_ACCEPTED, &order)) else { return };
    for format in FORMATS {
        let args = ["diff", "1.0.0", "2.0.0", "--format", format];
        let first = one.plimsoll(&args).exits(1).out;
        assert!(first == one.plimsoll(&args).exits(1).out, "{format} again");
        assert!(first == one.plimsoll_on_threads("1", &args).exits(1).out, "{format} on one thread");
        assert!(first == other.plimsoll(&args).exits(1).out, "{format} after another order of ingestion");
    }
}

#[test]
fn what_one_release_alone_tests_is_new_or_gone() {
    let Some(folder) =
        demo(FLAGS_ACCEPTED, &["1.0.0/user_info", "1.0.0/token_login/1", "2.0.0/user_info/1", "2.0.0/add_session/1"])
    else {
        return;
    };
    let comparison = diff(&folder, "1.0.0", "2.0.0");
    let decisions = |name: &str| {
        let mut all: Vec<Decision> = target(&comparison, name).changes.iter().map(|change| change.decision).collect();
        all.dedup();
        all
    };
    assert_eq!(decisions("token_login"), [Decision::Gone]);
    assert_eq!(decisions("add_session"), [Decision::New]);
    assert_eq!(comparison.headline.targets, 1);
}
