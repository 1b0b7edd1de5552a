//! `plimsoll diff` from the command line over made-up runs: what is asked, what bad input gets, exit statuses, and what the outputs
//! promise.

use plimsoll::model::comparison::{Basis, Change, Comparability, Comparison, Decision, Kind, NoiseOrigin, Presence};
use serde_json::Value;

use super::capture_support::K6;
use super::command::{Answer, Folder};
use super::diff_support::{FORMATS, Load, change, diff, found, read, target, told, with, with_files};

/// Two releases with three runs each of one target; the later one is as many times slower.
fn slower(factor: f64) -> Folder {
    let (before, after) = (Load::default(), Load { ms: 40.0 * factor, start: 50_000, seed: 7, ..Load::default() });
    repeated(repeated(Folder::new(), "v1", "a", &before), "v2", "a", &after)
}

/// Three runs of a target.
fn repeated(folder: Folder, release: &str, name: &str, load: &Load) -> Folder {
    let folder = with(folder, release, name, load);
    let folder = with(folder, release, &format!("{name}~2"), &load.again(1));
    with(folder, release, &format!("{name}~3"), &load.again(2))
}

/// One run on each side.
fn pair(a: &Load, b: &Load) -> Folder {
    with(with(Folder::new(), "v1", "a", a), "v2", "a", b)
}

/// Whatever is compared, every form tells it without a number that is none, and the JSON keeps what it promises.
#[track_caller]
fn answers_in_every_form(folder: &Folder, a: &str, b: &str) -> Comparison {
    let json = folder.plimsoll(&["diff", a, b, "--format", "json"]);
    for format in FORMATS {
        let answer = folder.plimsoll(&["diff", a, b, "--format", format]);
        assert_eq!(answer.status, json.status, "{format}: {}", answer.talk);
        for wrong in ["NaN", "inf ", "inf%", "-inf", "null"].into_iter().filter(|_| !["json", "html"].contains(&format)) {
            assert!(!answer.out.contains(wrong), "{format} holds `{wrong}`:\n{}", answer.out);
        }
    }
    read(&json)
}

#[test]
fn a_slower_release_is_a_regression_and_exit_status_1() {
    let folder = slower(1.3);
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let slow = target(&comparison, "a");
    let median = change(slow, "p50");
    assert_eq!((median.decision, median.runs_a, median.runs_b), (Decision::Regression, 3, 3), "{}", told(slow));
    assert_eq!(median.basis, Some(Basis::Samples));
    assert_eq!(change(slow, "throughput").decision, Decision::NoChange, "{}", told(slow));
    folder.plimsoll(&["diff", "v1", "v2"]).exits(1).prints("regression");
}

#[test]
fn a_faster_release_is_an_improvement_and_exit_status_0() {
    let folder = slower(1.3);
    let comparison = diff(&folder, "v2", "v1");
    assert_eq!(change(target(&comparison, "a"), "p50").decision, Decision::Improvement);
    folder.plimsoll(&["diff", "v2", "v1"]).exits(0).prints("improvement");
}

#[test]
fn a_release_that_is_as_fast_is_no_change() {
    let folder = slower(1.0);
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let same = target(&comparison, "a");
    for metric in ["throughput", "p50"] {
        assert_eq!(change(same, metric).decision, Decision::NoChange, "{}", told(same));
    }
    assert_eq!(found(same), Vec::<String>::new());
    folder.plimsoll(&["diff", "v1", "v2"]).exits(0);
}

/// Wide latencies and repeats that lie apart: the interval is wider than the floor.
#[test]
fn what_noise_could_have_made_is_inconclusive() {
    let folder = Folder::new();
    let levels = [("v1", "a", 38.0), ("v1", "a~2", 44.0), ("v1", "a~3", 40.0), ("v2", "a", 41.0), ("v2", "a~2", 47.0)];
    let folder = levels.into_iter().enumerate().fold(folder, |folder, (at, (release, run, ms))| {
        let at = u64::try_from(at).unwrap();
        with(folder, release, run, &Load { ms, ..Load::default() }.again(at))
    });
    let comparison = diff(&folder, "v1", "v2");
    let unknown = change(target(&comparison, "a"), "p50");
    assert_eq!(unknown.decision, Decision::Inconclusive, "{unknown:?}");
    assert!(unknown.detectable.unwrap() > 0.05, "{unknown:?}");
    folder.plimsoll(&["diff", "v1", "v2"]).exits(0).prints("inconclusive");
    folder.plimsoll(&["diff", "v1", "v2", "--fail-on", "inconclusive"]).exits(1);
}

/// Slower by a little more than what is said to be detectable is found; by a little less is not.
#[test]
fn what_is_said_to_be_detectable_is_detected() {
    let metrics = ["p50", "p95", "p99"];
    let comparison = diff(&slower(1.0), "v1", "v2");
    let known = target(&comparison, "a");
    for metric in metrics {
        let same = change(known, metric);
        let (detectable, ratio) = (same.detectable.unwrap(), same.ratio.unwrap());
        for (factor, is_found) in [(1.03, true), (0.97, false)] {
            let folder = slower((1.0 + detectable) * factor / ratio);
            let moved = diff(&folder, "v1", "v2");
            let moved = change(target(&moved, "a"), metric);
            let decision = moved.decision;
            assert_eq!(decision == Decision::Regression, is_found, "{metric}, {factor} of {detectable}: {decision}\n{moved:?}");
        }
    }
}

#[test]
fn an_unknown_name_is_misuse_with_near_ones() {
    let folder = pair(&Load::default(), &Load::default().again(3));
    folder.plimsoll(&["diff", "v1", "v3"]).exits(2).says("v3").says("releases: v1, v2");
    folder.plimsoll(&["diff", "v11", "v2"]).exits(2).says("v11").says("did you mean `v1`?");
    folder.plimsoll(&["diff", "v1/b", "v2"]).exits(2).says("its runs: a");
    folder.plimsoll(&["diff", "v1", "v2", "--target", "aa"]).exits(2).says("aa");
    folder.plimsoll(&["diff", "v1/a", "v2/a~2"]).exits(2).says("release v2 has no run `a~2`");
    for args in [&["diff"][..], &["diff", "v1"], &["diff", "v1", "v2", "v3"], &["diff", "v1", "v2", "--format", "yaml"]] {
        assert_eq!(folder.plimsoll(args).exits(2).out, "", "{args:?}");
    }
    folder.plimsoll(&["diff", "v1", "v2", "--fail-on", "regresion"]).exits(2).says("did you mean `regression`?");
    Folder::new().plimsoll(&["diff", "v1", "v2"]).exits(2);
}

#[test]
fn only_the_targets_that_were_asked_for_are_compared() {
    let folder = pair(&Load::default(), &Load::default().again(3));
    let folder = with(with(folder, "v1", "b", &Load::default()), "v2", "b", &Load::default().again(4));
    let answer = folder.plimsoll(&["diff", "v1", "v2", "--target", "b", "--format", "json"]).exits(0);
    let names: Vec<String> = read(&answer).targets.into_iter().map(|target| target.target).collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn nothing_in_common_is_exit_status_2() {
    let folder = with(with(Folder::new(), "v1", "a", &Load::default()), "v2", "b", &Load::default());
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let presence: Vec<_> = comparison.targets.iter().map(|target| (&*target.target, target.presence)).collect();
    assert_eq!(presence, [("a", Presence::Gone), ("b", Presence::New)]);
    assert_eq!(comparison.headline.comparisons, 0);
    folder.plimsoll(&["diff", "v1", "v2"]).exits(2);
    folder.plimsoll(&["diff", "v1", "v2", "--fail-on", "none"]).exits(2);
}

#[test]
fn a_target_on_one_side_is_new_or_gone_and_never_within_noise() {
    let folder = pair(&Load::default(), &Load::default().again(3));
    let folder = with(with(folder, "v1", "old", &Load::default()), "v2", "young", &Load::default());
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    for (name, decision) in [("old", Decision::Gone), ("young", Decision::New)] {
        let one = target(&comparison, name);
        assert!(!one.changes.is_empty() && one.changes.iter().all(|change| change.decision == decision), "{}", told(one));
        assert!(one.changes.iter().all(|change| change.interval.is_none() && change.ratio.is_none()), "{}", told(one));
    }
    for format in FORMATS.into_iter().filter(|format| *format != "github") {
        let told = folder.plimsoll(&["diff", "v1", "v2", "--format", format]).exits(0).out;
        assert!(told.contains("old") && told.contains("young"), "{format}:\n{told}");
    }
    folder.plimsoll(&["diff", "v1", "v2", "--fail-on", "gone"]).exits(1);
    folder.plimsoll(&["diff", "v1", "v2", "--fail-on", "new"]).exits(1);
}

fn failures(before: i64, after: i64) -> Change {
    let load = Load { rate: 25, ..Load::default() };
    let folder = pair(&Load { fails: before, ..load.clone() }, &Load { fails: after, ..load.again(3) });
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    change(target(&comparison, "a"), "failures").clone()
}

/// 4,500 requests a run.
#[test]
fn from_no_failure_to_three_is_never_no_change() {
    let few = failures(0, 1_300);
    assert!(matches!(few.decision, Decision::Inconclusive | Decision::Regression), "{few:?}");
    assert_eq!(few.counted_a.map(|counted| counted.count), Some(0));
    assert!(few.ratio.is_none() && few.difference.is_some(), "{few:?}");
    let fewer = failures(1_300, 0);
    assert!(!matches!(fewer.decision, Decision::Regression), "{fewer:?}");
}

#[test]
fn from_no_failure_to_one_in_ten_is_a_regression() {
    let many = failures(0, 10);
    assert_eq!(many.decision, Decision::Regression, "{many:?}");
    assert_eq!(failures(10, 0).decision, Decision::Improvement);
    let same = failures(10, 10);
    assert!(!same.decision.is_change(), "{same:?}");
}

#[test]
fn no_failure_on_either_side_is_no_regression() {
    let none = failures(0, 0);
    assert!(!none.decision.is_change(), "{none:?}");
    assert_eq!((none.a, none.b), (Some(0.0), Some(0.0)));
}

#[test]
fn a_throughput_of_zero_is_told_and_divides_nothing() {
    let (none, some) = (Load { iterates: false, ..Load::default() }, Load::default().again(3));
    for (a, b) in [(&none, &some), (&some, &none), (&none, &none)] {
        let folder = pair(a, b);
        let comparison = answers_in_every_form(&folder, "v1", "v2");
        let one = target(&comparison, "a");
        let throughput = one.changes.iter().find(|change| change.metric == "throughput");
        let missing = one.missing.iter().find(|missing| missing.metric.starts_with("throughput"));
        assert!(throughput.is_some() != missing.is_some(), "{}\n{:?}", told(one), one.missing);
        if let Some(throughput) = throughput {
            assert!(throughput.a != Some(0.0) || throughput.ratio.is_none(), "{throughput:?}");
            assert_ne!(throughput.decision, Decision::NoChange, "{throughput:?}");
        }
    }
}

#[test]
fn one_sample_decides_nothing() {
    let (one, some) = (Load { seconds: 1, rate: 1, ..Load::default() }, Load::default().again(3));
    for (a, b) in [(&one, &some), (&some, &one), (&one, &one.again(5))] {
        let comparison = answers_in_every_form(&pair(a, b), "v1", "v2");
        let compared = target(&comparison, "a");
        assert_eq!(found(compared), Vec::<String>::new(), "{}", told(compared));
        assert!(compared.changes.iter().all(|change| change.decision != Decision::NoChange || change.kind == Kind::Bytes));
    }
}

/// No sample lies after the warm-up in a whole block, or hardly any.
#[test]
fn a_run_of_seconds_has_a_stated_answer() {
    for seconds in [5, 29, 31, 45, 61] {
        let short = Load { seconds, ..Load::default() };
        let comparison = answers_in_every_form(&pair(&short, &short.again(3)), "v1", "v2");
        let compared = target(&comparison, "a");
        assert_eq!(found(compared), Vec::<String>::new(), "{seconds} s: {}", told(compared));
        for metric in ["throughput", "p50", "p95", "p99"] {
            let is_there = compared.changes.iter().any(|change| change.metric == metric);
            let is_missing = compared.missing.iter().any(|missing| missing.metric == metric);
            assert!(is_there != is_missing, "{seconds} s, {metric}: {}\n{:?}", told(compared), compared.missing);
        }
    }
}

#[test]
fn a_constant_series_has_no_noise_of_its_own() {
    let constant = Load { spread: 0.0, ..Load::default() };
    let comparison = answers_in_every_form(&pair(&constant, &constant.again(3)), "v1", "v2");
    let same = target(&comparison, "a");
    assert_eq!(found(same), Vec::<String>::new(), "{}", told(same));
    let slow = pair(&constant, &Load { ms: 80.0, ..constant.again(3) });
    let comparison = answers_in_every_form(&slow, "v1", "v2");
    let slow = change(target(&comparison, "a"), "p50");
    assert_eq!(slow.decision, Decision::Regression, "{slow:?}");
    let noise = slow.noise.as_ref().unwrap();
    assert!(noise.between > 0.0, "{noise:?}");
    assert_eq!(noise.origin, NoiseOrigin::Assumed);
}

/// Few requests: p99 needs 300 in a block, p95 60; two a second are 60 in 30 s and 300 in no block that there is.
#[test]
fn a_percentile_of_too_few_samples_is_taken_from_longer_blocks_or_not_at_all() {
    let few = Load { rate: 2, seconds: 300, ..Load::default() };
    let comparison = answers_in_every_form(&pair(&few, &few.again(3)), "v1", "v2");
    let compared = target(&comparison, "a");
    let block = |metric: &str| change(compared, metric).noise.as_ref().and_then(|noise| noise.block_s);
    assert_eq!(block("p95"), Some(30), "{}", told(compared));
    match compared.changes.iter().find(|change| change.metric == "p99") {
        // k6's own figure of the whole test has no block, and says so by its basis.
        Some(top) if top.basis == Some(Basis::Summary) => {
            assert_eq!(top.noise.as_ref().and_then(|noise| noise.within), None, "{top:?}");
        }
        Some(top) => assert!(top.noise.as_ref().and_then(|noise| noise.block_s) >= Some(150), "{top:?}"),
        None => assert!(compared.missing.iter().any(|missing| missing.metric == "p99"), "{:?}", compared.missing),
    }
    let sparse = Load { rate: 1, seconds: 300, ..Load::default() };
    let comparison = answers_in_every_form(&pair(&sparse, &sparse.again(3)), "v1", "v2");
    let compared = target(&comparison, "a");
    let noise = change(compared, "p95").noise.as_ref().unwrap();
    assert!(noise.block_s >= Some(60), "60 samples take 60 s: {noise:?}");
}

#[test]
fn text_alone_against_raw_samples_says_so() {
    let folder = with_files(Folder::new(), "v1", "a", &[("k6.log", K6.to_vec())]);
    let folder = with(folder, "v2", "a", &Load { vus: 2.0, ..Load::default() });
    for (a, b) in [("v1", "v2"), ("v2", "v1")] {
        let comparison = answers_in_every_form(&folder, a, b);
        let compared = target(&comparison, "a");
        let bases: Vec<_> = compared.runs.iter().map(|run| run.basis).collect();
        assert!(bases.contains(&Basis::Summary) && bases.contains(&Basis::Samples), "{bases:?}");
        for change in compared.changes.iter().filter(|change| change.kind.is_latency() && change.decision.is_compared()) {
            assert_eq!(change.basis, Some(Basis::Summary), "{change:?}");
        }
    }
}

#[test]
fn text_alone_on_both_sides_rests_on_rounding_and_assumed_noise() {
    let folder = with_files(Folder::new(), "v1", "a", &[("k6.log", K6.to_vec())]);
    let folder = with_files(folder, "v2", "a", &[("k6.log", K6.to_vec())]);
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let same = target(&comparison, "a");
    assert_eq!(found(same), Vec::<String>::new(), "{}", told(same));
    let median = change(same, "p50");
    assert_eq!((median.basis, median.ratio), (Some(Basis::Summary), Some(1.0)), "{median:?}");
    let noise = median.noise.as_ref().unwrap();
    assert_eq!((noise.within, noise.origin), (None, NoiseOrigin::Assumed), "{noise:?}");
    assert!(median.bounds_a.is_some_and(|bounds| bounds.lo() < bounds.hi()), "printed digits are an interval: {median:?}");
    folder.plimsoll(&["diff", "v1", "v2"]).prints("assumed");
    folder.plimsoll(&["diff", "v1", "v2", "--format", "markdown"]).prints("assumed");
}

#[test]
fn an_aborted_run_is_told() {
    let text = String::from_utf8(K6.to_vec()).unwrap();
    let aborted = text
        + "\ntime=\"2026-11-30T08:30:18Z\" level=error msg=\"test run was aborted because k6 received a 'interrupt' signal\"\n";
    let folder = with_files(Folder::new(), "v1", "a", &[("k6.log", K6.to_vec())]);
    let folder = with_files(folder, "v2", "a", &[("k6.log", aborted.into_bytes())]);
    let record: Value = serde_json::from_str(&folder.read("data/v2/a/record.json")).unwrap();
    assert_eq!(record["k6"]["aborted"], true, "the sign is read");
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let compared = target(&comparison, "a");
    let notes = compared.notes.join("\n") + &compared.runs.iter().filter_map(|run| run.left_out.clone()).collect::<String>();
    let notes = notes + &compared.contract.differences.iter().map(|one| one.key.clone()).collect::<String>();
    assert!(notes.contains("abort"), "{notes}\n{}", told(compared));
    assert_eq!(found(compared), Vec::<String>::new());
    folder.plimsoll(&["diff", "v1", "v2"]).prints("aborted");
}

#[test]
fn a_release_against_itself_is_no_change_at_all() {
    let folder = slower(1.3);
    let comparison = answers_in_every_form(&folder, "v1", "v1");
    let same = target(&comparison, "a");
    assert!(same.same_runs);
    assert!(same.changes.iter().all(|change| change.decision == Decision::NoChange), "{}", told(same));
    folder.plimsoll(&["diff", "v1", "v1", "--fail-on", "regression,inconclusive,not-comparable"]).exits(0);
}

#[test]
fn one_run_under_two_releases_is_no_change() {
    let load = Load::default();
    let folder = pair(&load, &load);
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let same = target(&comparison, "a");
    assert!(same.same_runs, "they left the same in everything");
    assert!(same.changes.iter().all(|change| change.decision == Decision::NoChange), "{}", told(same));
    assert!(same.contract.differences.is_empty(), "{:?}", same.contract.differences);
    for change in &same.changes {
        assert!(change.ratio.is_none_or(|ratio| (ratio - 1.0).abs() < 1e-12), "{change:?}");
        assert!(change.difference.is_none_or(|difference| difference.value.abs() < 1e-12), "{change:?}");
        assert!(change.interval.is_none_or(|interval| interval.contains(1.0)), "{change:?}");
    }
    folder.plimsoll(&["diff", "v1", "v2"]).exits(0);
}

#[test]
fn a_release_against_one_of_its_runs_holds_no_run_against_itself() {
    let folder = slower(1.3);
    for (a, b) in [("v1", "v1/a~2"), ("v1/a~2", "v1"), ("v1/a", "v1/a~3")] {
        let answer = folder.plimsoll(&["diff", a, b, "--format", "json"]);
        assert!(answer.status == 0, "{a} {b}: {}\n{}", answer.status, answer.talk);
        let comparison = read(&answer);
        assert_eq!(found(target(&comparison, "a")), Vec::<String>::new(), "{a} {b}");
    }
}

/// Another number of virtual users is another test, whatever its label says.
#[test]
fn a_repeat_that_is_none_is_left_out_and_said_so() {
    let folder = pair(&Load::default(), &Load::default().again(3));
    let folder = with(folder, "v2", "a~50vus", &Load { vus: 50.0, ms: 400.0, ..Load::default().again(5) });
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let compared = target(&comparison, "a");
    let other = compared.runs.iter().find(|run| run.run == "v2/a~50vus").unwrap_or_else(|| panic!("{:?}", compared.runs));
    let reason = other.left_out.as_deref().unwrap_or_else(|| panic!("{other:?}"));
    assert!(reason.to_lowercase().contains("vus") || reason.contains("virtual users"), "{reason}");
    assert_eq!(change(compared, "p50").runs_b, 1);
    assert_eq!(found(compared), Vec::<String>::new(), "{}", told(compared));
    for format in ["text", "markdown"] {
        let told = folder.plimsoll(&["diff", "v1", "v2", "--format", format]).exits(0).out.replace('\\', "");
        assert!(told.contains("a~50vus"), "{format} does not say what was left out:\n{told}");
    }
}

#[test]
fn another_number_of_virtual_users_is_not_comparable() {
    let folder = pair(&Load::default(), &Load { vus: 20.0, ..Load::default().again(3) });
    let comparison = read(&folder.plimsoll(&["diff", "v1", "v2", "--format", "json"]).exits(2));
    let refused = target(&comparison, "a");
    assert_eq!(refused.contract.verdict, Comparability::NotComparable);
    assert!(change(refused, "p50").ratio.is_some(), "the numbers are still there");
    folder.plimsoll(&["diff", "v1", "v2"]).exits(2).prints("not comparable");
}

/// Answers of a quarter more bytes and less: behaviour, not what somebody declared.
#[test]
fn answers_that_grew_by_more_than_a_quarter_are_not_comparable() {
    for (bytes, status) in [(500.0, 0), (610.0, 1), (640.0, 2), (370.0, 2)] {
        let folder = pair(&Load::default(), &Load { bytes, ..Load::default().again(3) });
        let comparison = read(&folder.plimsoll(&["diff", "v1", "v2", "--format", "json"]).exits(status));
        let compared = target(&comparison, "a");
        let grown = compared.contract.differences.iter().find(|one| one.behavioural && one.key.contains("bytes"));
        assert_eq!(grown.is_some(), status == 2, "{bytes}: {:?}", compared.contract.differences);
    }
}

#[test]
fn what_fails_is_chosen_by_decision() {
    let folder = slower(1.3);
    for (choice, status) in [
        ("regression", 1),
        ("improvement", 0),
        ("inconclusive,regression", 1),
        ("not-comparable", 0),
        ("new,gone", 0),
        ("no-change", 1),
        ("none", 0),
    ] {
        let answer = folder.plimsoll(&["diff", "v1", "v2", "--fail-on", choice]);
        assert_eq!(answer.status, status, "--fail-on {choice}");
        assert!(answer.out.contains("regression"), "--fail-on {choice} changes what is told");
    }
    folder.plimsoll(&["diff", "v2", "v1", "--fail-on", "improvement"]).exits(1);
    let other = with(with(folder, "v1", "b", &Load::default()), "v2", "b", &Load { vus: 3.0, ..Load::default().again(9) });
    other.plimsoll(&["diff", "v1", "v2", "--fail-on", "not-comparable"]).exits(1);
    other.plimsoll(&["diff", "v1", "v2", "--fail-on", "none"]).exits(0);
}

#[test]
fn a_report_is_written_before_a_status_that_is_not_0() {
    let (slow, unlike) = (slower(1.3), pair(&Load::default(), &Load { vus: 20.0, ..Load::default().again(3) }));
    for (folder, status) in [(&slow, 1), (&unlike, 2)] {
        for format in FORMATS {
            let place = format!("reports/{format}");
            let answer = folder.plimsoll(&["diff", "v1", "v2", "--format", format, "--out", &place]).exits(status);
            assert_eq!(answer.out, "", "{format}: what is written to a file is not printed too");
            let printed = folder.plimsoll(&["diff", "v1", "v2", "--format", format]).exits(status).out;
            assert_eq!(folder.read(&place), printed, "{format}");
        }
    }
}

const ACCEPTED: &str = "[contract]\naccept = [{ key = \"k6.vus\", reason = \"twice the users, on purpose\" }, { key = \"nothing.here\", reason = \"z\" }]\n";

#[test]
fn an_accepted_key_lets_runs_be_compared_and_its_reason_is_told_everywhere() {
    let folder = pair(&Load::default(), &Load { vus: 20.0, ..Load::default().again(3) });
    let comparison = diff(&folder, "v1", "v2");
    let key = target(&comparison, "a").contract.differences.iter().find(|one| one.key.ends_with("vus")).unwrap().key.clone();
    let folder = folder.file("plimsoll.toml", ACCEPTED.replace("k6.vus", &key));
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let compared = target(&comparison, "a");
    assert_eq!(compared.contract.verdict, Comparability::Comparable, "{:?}", compared.contract.differences);
    let used: Vec<_> = comparison.method.accepted.iter().map(|accepted| (&*accepted.key, accepted.used)).collect();
    assert_eq!(used, [(&*key, true), ("nothing.here", false)]);
    for format in FORMATS {
        let told = folder.plimsoll(&["diff", "v1", "v2", "--format", format]).exits(0).out;
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("twice the users, on purpose"), "{format} does not tell the reason:\n{told}");
    }
}

#[test]
fn floors_are_the_projects_own() {
    let folder = slower(1.12);
    let decision = |folder: &Folder| change(target(&diff(folder, "v1", "v2"), "a"), "p50").decision;
    assert_eq!(decision(&folder), Decision::Regression);
    let folder = folder.file("plimsoll.toml", "[floors]\np50 = \"25%\"\n");
    assert_eq!(decision(&folder), Decision::NoChange);
    // 40 ms and 4.8 ms more.
    let folder = folder.file("plimsoll.toml", "[floors]\nabsolute = \"10ms\"\n");
    assert_eq!(decision(&folder), Decision::NoChange);
}

/// An archive of as many targets as no real one has, each slower and new words in it.
fn crowd(targets: usize) -> Folder {
    let folder = pair(&Load { seconds: 60, ..Load::default() }, &Load { seconds: 60, ms: 90.0, ..Load::default().again(3) });
    let files = ["v1", "v2"].map(|release| (release, folder.files(&format!("data/{release}/a"))));
    let copies = (0..targets).flat_map(|number| {
        let name = format!("a_target_with_a_name_that_is_as_long_as_names_of_targets_get_{number:03}");
        let copy = |release: &str, (path, bytes): &(String, Vec<u8>)| {
            let text = String::from_utf8(bytes.clone()).unwrap().replace("\"target\": \"a\"", &format!("\"target\": \"{name}\""));
            (format!("data/{release}/{name}/{path}"), text)
        };
        files
            .iter()
            .flat_map(|(release, files)| files.iter().map(|file| copy(release, file)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    });
    let copies: Vec<(String, String)> = copies.collect();
    copies.into_iter().fold(folder, |folder, (path, text)| folder.file(&path, text))
}

#[test]
fn three_hundred_targets_fit_into_a_comment_and_ten_annotations() {
    let folder = crowd(300);
    let answer = |format: &str| folder.plimsoll(&["diff", "v1", "v2", "--format", format]).exits(1).out;
    let comparison = read(&folder.plimsoll(&["diff", "v1", "v2", "--format", "json"]).exits(1));
    assert_eq!(comparison.targets.len(), 301);
    let markdown = answer("markdown");
    assert!(markdown.starts_with("<!-- "), "{}", &markdown[..200]);
    assert!(markdown.chars().count() <= 65_536 && markdown.len() > 10_000, "{} characters", markdown.chars().count());
    assert_eq!(markdown.matches("<details").count(), markdown.matches("</details>").count(), "a fold is cut in two");
    let github = answer("github");
    assert!(github.lines().count() <= 10, "{} annotations", github.lines().count());
    assert!(github.lines().next().is_some_and(|line| line.starts_with("::error")), "{github}");
    assert_eq!(answer("junit").matches("<testsuite ").count(), 301);
}

#[test]
fn annotations_are_commands_of_github_with_the_worst_first() {
    let folder = slower(1.3);
    let faster = Load { ms: 20.0, ..Load::default().again(9) };
    let folder = repeated(repeated(folder, "v1", "b", &Load::default()), "v2", "b", &faster);
    let told = folder.plimsoll(&["diff", "v1", "v2", "--format", "github"]).exits(1).out;
    let lines: Vec<&str> = told.lines().collect();
    assert!((1..=10).contains(&lines.len()), "{told}");
    let rank = |line: &str| ["::error", "::warning", "::notice"].iter().position(|start| line.starts_with(start));
    assert!(lines.iter().all(|line| rank(line).is_some()), "{told}");
    assert!(lines.is_sorted_by_key(|line| rank(line)), "{told}");
}

/// The number behind an attribute of the first element of a name.
fn attribute(xml: &str, element: &str, name: &str) -> usize {
    let begin = xml.split(&format!("<{element} ")).nth(1).unwrap_or_else(|| panic!("no <{element}> in:\n{xml}"));
    let value = begin.split(&format!("{name}=\"")).nth(1).unwrap_or_else(|| panic!("no {name} of <{element}> in:\n{xml}"));
    value.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn totals_of_junit_are_those_of_its_cases() {
    let folder = slower(1.3);
    let folder = with(with(folder, "v1", "b", &Load::default()), "v2", "c", &Load::default());
    let xml = folder.plimsoll(&["diff", "v1", "v2", "--format", "junit"]).exits(1).out;
    assert_eq!(attribute(&xml, "testsuites", "tests"), xml.matches("<testcase ").count(), "{xml}");
    assert_eq!(attribute(&xml, "testsuites", "failures"), xml.matches("<failure").count(), "{xml}");
    let comparison = diff(&folder, "v1", "v2");
    let regressions = comparison.headline.decisions.get(&Decision::Regression).copied().unwrap_or(0);
    assert_eq!(xml.matches("<failure").count(), usize::try_from(regressions).unwrap(), "{xml}");
}

#[test]
fn markdown_begins_with_its_marker_and_is_one_line_where_there_is_nothing_to_say() {
    let folder = slower(1.3);
    let some = folder.plimsoll(&["diff", "v1", "v2", "--format", "markdown"]).exits(1).out;
    let none = folder.plimsoll(&["diff", "v1", "v1", "--format", "markdown"]).exits(0).out;
    let (marker, other) = (some.lines().next().unwrap(), none.lines().next().unwrap());
    assert!(marker.starts_with("<!--") && marker.ends_with("-->") && marker == other, "{marker} {other}");
    let said: Vec<&str> = none.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(said.len(), 2, "the marker and a line:\n{none}");
    let fold = some.find("<details").unwrap_or(some.len());
    assert!(some.find("regression").is_some_and(|at| at < fold), "the headline comes first:\n{some}");
}

/// Names of fields of a shape and of what it is made of, held against the schema, and nothing that the schema does not know.
fn schema_faults(schema: &Value, of: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let of = match of["$ref"].as_str() {
        Some(name) => &schema["$defs"][name.rsplit('/').next().unwrap()],
        None => of,
    };
    let choices = of["anyOf"].as_array().or(of["oneOf"].as_array());
    if let Some(choices) = choices {
        let fits = |choice: &&Value| {
            let mut own = Vec::new();
            schema_faults(schema, choice, value, at, &mut own);
            own.is_empty()
        };
        if !choices.iter().any(|choice| fits(&choice)) {
            faults.push(format!("{at}: {value} fits none of {choices:?}"));
        }
        return;
    }
    let types: Vec<&str> = match &of["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let own = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_known = types.contains(&own) || (own == "integer" && types.contains(&"number"));
    if !types.is_empty() && !is_known {
        faults.push(format!("{at}: {own}, not {types:?}"));
    }
    if of["const"].is_string() && of["const"] != *value {
        faults.push(format!("{at}: {value} is not {}", of["const"]));
    }
    if of["enum"].as_array().is_some_and(|known| !known.contains(value)) {
        faults.push(format!("{at}: {value} is none of {}", of["enum"]));
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate().filter(|_| of["items"].is_object()) {
        schema_faults(schema, &of["items"], item, &format!("{at}[{number}]"), faults);
    }
    let Some(object) = value.as_object() else { return };
    for needed in of["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(needed) {
            faults.push(format!("{at}: no {needed}"));
        }
    }
    for (key, item) in object {
        let known = [&of["properties"][key], &of["additionalProperties"]].into_iter().find(|known| known.is_object());
        match known {
            Some(known) => schema_faults(schema, known, item, &format!("{at}.{key}"), faults),
            None if of["properties"].is_object() => faults.push(format!("{at}: the schema knows no {key}")),
            None => {}
        }
    }
}

#[track_caller]
fn fits(name: &str, answer: &Answer) {
    let schema: Value = serde_json::from_str(&Folder::new().plimsoll(&["schema", name]).exits(0).out).unwrap();
    let mut faults = Vec::new();
    schema_faults(&schema, &schema, &serde_json::from_str(&answer.out).unwrap(), name, &mut faults);
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn json_is_what_its_schema_says() {
    let folder = slower(1.3);
    let folder = with(with(folder, "v1", "b", &Load::default()), "v2", "c", &Load::default());
    fits("comparison", &folder.plimsoll(&["diff", "v1", "v2", "--format", "json"]).exits(1));
    fits("comparison", &folder.plimsoll(&["diff", "v1", "v1", "--format", "json"]).exits(0));
    fits("calibration", &folder.plimsoll(&["diff", "--calibrate", "--format", "json"]).exits(0));
}

#[test]
fn a_calibration_without_repeats_says_what_it_needs() {
    let folder = pair(&Load::default(), &Load::default().again(3));
    let answer = folder.plimsoll(&["diff", "--calibrate"]).exits(2);
    assert!(answer.talk.contains("repeat") || answer.out.contains("repeat"), "{}\n{}", answer.out, answer.talk);
    folder.plimsoll(&["diff", "--calibrate", "v1", "v2"]).exits(2);
}

#[test]
fn the_same_bytes_again_and_with_any_number_of_threads() {
    let folder = slower(1.08);
    for format in FORMATS {
        let args = ["diff", "v1", "v2", "--format", format];
        let first = folder.plimsoll(&args);
        for other in [folder.plimsoll(&args), folder.plimsoll_on_threads("1", &args), folder.plimsoll_on_threads("7", &args)] {
            assert!(first.out == other.out && first.status == other.status, "{format}");
        }
    }
    let calibrated = || folder.plimsoll(&["diff", "--calibrate", "--format", "json"]).exits(0).out;
    assert!(calibrated() == calibrated());
}

/// What is left over from a run that was ingested twice says nothing about how runs differ.
#[test]
fn one_execution_that_was_ingested_twice_is_no_repeat_of_itself() {
    let folder = pair(&Load::default(), &Load::default().again(3));
    let before = diff(&folder, "v1", "v2");
    let folder = with(folder, "v2", "a~2", &Load::default().again(3));
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let compared = target(&comparison, "a");
    let copy = compared.runs.iter().find(|run| run.run == "v2/a~2").unwrap();
    assert_eq!(copy.left_out.as_deref(), Some("it is the same execution as v2/a"));
    assert_eq!(compared.changes, target(&before, "a").changes, "it changes no number");
    folder.plimsoll(&["diff", "--calibrate"]).exits(2).says("no two runs that are repeats");
}

#[test]
fn what_blocks_is_told_with_the_words_that_accept_it() {
    let folder = pair(&Load::default(), &Load { vus: 20.0, ..Load::default().again(3) });
    let answer = folder.plimsoll(&["diff", "v1", "v2"]).exits(2);
    let help = answer.talk.split_once("in plimsoll.toml: ").unwrap_or_else(|| panic!("{}", answer.talk)).1;
    let words = help.lines().next().unwrap().replacen("[contract] ", "[contract]\n", 1);
    assert!(words.contains("\"k6.vus\""), "{words}");
    let folder = folder.file("plimsoll.toml", words);
    folder.plimsoll(&["diff", "v1", "v2"]).exits(0);
    // Where the two have nothing in common there is nothing to accept.
    let apart = with(with(Folder::new(), "v1", "a", &Load::default()), "v2", "b", &Load::default().again(1));
    let answer = apart.plimsoll(&["diff", "v1", "v2"]).exits(2).says("no target in common");
    assert!(!answer.talk.contains("accept"), "{}", answer.talk);
}

#[test]
fn a_lock_wait_of_all_is_a_share_too() {
    let folder = pair(&Load::default(), &Load::default().again(3));
    let typed = |share: &str| format!("[figures]\n\"database.lock_wait_ratio\" = \"{share}\"\n");
    let folder = folder.file("data/v1/a/run.toml", typed("3%")).file("data/v2/a/run.toml", typed("100%"));
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    let lock = change(target(&comparison, "a"), "lock-wait of database");
    assert_eq!(lock.decision, Decision::Regression, "{lock:?}");
    assert!(lock.b.is_some_and(|share| share > 0.99), "{lock:?}");
    let folder = folder.file("data/v2/a/run.toml", typed("3%"));
    let comparison = answers_in_every_form(&folder, "v1", "v2");
    assert_eq!(change(target(&comparison, "a"), "lock-wait of database").decision, Decision::NoChange);
}

/// A gate is a gate, also where somebody reads its first line alone.
#[test]
fn a_reader_that_goes_away_changes_no_exit_status() {
    let (slow, unlike) = (slower(1.3), pair(&Load::default(), &Load { vus: 20.0, ..Load::default().again(3) }));
    for (folder, status) in [(&slow, 1), (&unlike, 2)] {
        for format in ["github", "html"] {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"));
            let piped = std::process::Stdio::piped();
            command.current_dir(folder.path("")).args(["-q", "diff", "v1", "v2", "--format", format]).stdout(piped);
            let mut child = command.spawn().unwrap();
            drop(child.stdout.take());
            assert_eq!(child.wait().unwrap().code(), Some(status), "{format}");
        }
    }
}
