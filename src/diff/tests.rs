//! What a comparison of a few records says as a whole.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Input, Repeats, Resampled, Side, compare, compare_target, of_targets};
use crate::model::address::Address;
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::comparison::{Change, Comparison, Decision, Judgement, Presence};
use crate::model::record::Record;
use crate::model::verdict::Class;
use crate::settings::Settings;

/// A run with metrics of k6's text.
fn run(address: &Address, metrics: &Value, aborted: bool) -> Run {
    let mut record = serde_json::to_value(Record::new(address.clone())).unwrap_or_else(|bad| unreachable!("{bad}"));
    record["k6"] = json!({
        "schema": 1, "source": {"kind": "text", "k6_version": null}, "thresholds": [], "duration_s": null, "vus_max": null,
        "checks": [], "aborted": aborted, "notes": [], "iterations": {"complete": null, "interrupted": null}, "metrics": metrics,
    });
    record["window"]["start"] = json!("2026-03-01T10:00:00Z");
    let record = serde_json::from_value(record).unwrap_or_else(|bad| unreachable!("{bad}"));
    Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None }
}

fn archive(runs: &[(&str, Value)], aborted: bool) -> Archive {
    let mut releases: BTreeMap<String, ReleaseRuns> = BTreeMap::new();
    for (name, metrics) in runs {
        let address: Address = name.parse().unwrap_or_else(|bad| unreachable!("{bad}"));
        let release = releases.entry(address.release.to_string()).or_insert_with(|| ReleaseRuns {
            name: address.release.clone(),
            order: None,
            notes: Vec::new(),
            runs: BTreeMap::new(),
        });
        release.runs.insert(address.clone(), run(&address, metrics, aborted));
    }
    Archive::new(releases.into_values().collect())
}

/// A release, or one run of it.
fn side<'a>(archive: &'a Archive, name: &str) -> Side<'a> {
    let runs = archive.runs().filter(|(address, _)| address.release.as_str() == name || address.to_string() == name);
    Side { name: name.to_owned(), runs: runs.collect() }
}

fn judge(_: &Address, _: &Run) -> Judgement {
    Judgement { label: "Done".to_owned(), class: Class::Done, recorded: None }
}

fn compared(archive: &Archive, a: &str, b: &str) -> Comparison {
    let settings = Settings::default();
    compare(&Input { archive, a: side(archive, a), b: side(archive, b), settings: &settings, judge: &judge })
}

fn latency(p95: f64) -> Value {
    json!({"http_req_duration": {"kind": "trend", "unit": "ms", "values": {"p(95)": p95}}})
}

fn failing(failed: u64) -> Value {
    json!({"http_req_failed": {"kind": "rate", "unit": "ratio", "values": {"passes": failed, "fails": 1000}}})
}

fn change<'c>(comparison: &'c Comparison, metric: &str) -> Option<&'c Change> {
    comparison.targets.iter().flat_map(|target| &target.changes).find(|change| change.metric == metric)
}

#[test]
fn a_run_against_a_release_is_held_against_its_target_alone() {
    let archive = archive(&[("v1/a", json!({})), ("v1/b", json!({})), ("v2/a", json!({})), ("v2/b", json!({}))], false);
    for (a, b) in [("v1/a", "v2"), ("v1", "v2/a")] {
        let targets: Vec<(String, Presence)> =
            compared(&archive, a, b).targets.into_iter().map(|target| (target.target, target.presence)).collect();
        assert_eq!(targets, [("a".to_owned(), Presence::Both)], "{a} {b}");
    }
    assert_eq!(compared(&archive, "v1", "v2").targets.len(), 2);
}

#[test]
fn the_headline_tells_that_nothing_was_compared_and_what_is_new_and_gone() {
    let runs = [("v1/a", json!({})), ("v1/b", json!({})), ("v2/a", json!({})), ("v2/c", json!({})), ("v2/d", json!({}))];
    let comparison = compared(&archive(&runs, false), "v1", "v2");
    let wanted = "Nothing could be compared in 1 target; 2 targets are new; 1 target is gone.";
    assert_eq!(comparison.headline.sentence, wanted);
    let unlike = compared(&archive(&runs, true), "v1", "v2").headline.sentence;
    let wanted =
        "Nothing can be concluded: the target in common is not comparable (k6.aborted); 2 targets are new; 1 target is gone.";
    assert_eq!(unlike, wanted);
}

#[test]
fn a_percentile_whose_samples_nobody_counted_concludes_nothing_anywhere() {
    let runs = [("v1/a", latency(100.0)), ("v2/a", latency(200.0)), ("v3/a", latency(400.0))];
    let comparison = compared(&archive(&runs, false), "v2", "v3");
    let p95 = change(&comparison, "p95");
    assert_eq!(p95.map(|change| (change.decision, change.detectable)), Some((Decision::Inconclusive, None)));
    let drift: Vec<(&str, Decision)> =
        comparison.targets.iter().flat_map(|target| &target.drift).map(|one| (one.metric.as_str(), one.decision)).collect();
    assert_eq!(drift, [("p95", Decision::Inconclusive)]);
}

#[test]
fn where_nothing_is_concluded_a_difference_has_no_interval() {
    let runs = [("v1/a", failing(5)), ("v2/a", failing(90))];
    let (told, withheld) = (compared(&archive(&runs, false), "v1", "v2"), compared(&archive(&runs, true), "v1", "v2"));
    let of = |comparison| {
        let failures: Option<&Change> = change(comparison, "failures");
        failures.and_then(|change| Some((change.decision, change.difference?.interval.is_some())))
    };
    assert_eq!(of(&told), Some((Decision::Regression, true)));
    assert_eq!(of(&withheld), Some((Decision::NotComparable, false)));
}

#[test]
fn a_comparison_is_made_target_by_target() {
    let runs = [("v1/a", failing(5)), ("v1/a~2", failing(6)), ("v1/b", failing(7)), ("v2/a", failing(90)), ("v2/c", failing(4))];
    let archive = archive(&runs, false);
    let settings = Settings::default();
    let [a, b] = ["v1", "v2"].map(|name| side(&archive, name));
    let repeats = archive.releases().iter().map(|release| Repeats::within(release, &settings)).collect();
    let resampled = Resampled::default();
    let input = Input { archive: &archive, a, b, settings: &settings, judge: &judge };
    let targets = ["a", "b", "c"].into_iter().filter_map(|target| compare_target(&input, target, &repeats, &resampled)).collect();
    assert_eq!(of_targets(["v1", "v2"], &settings, targets), compared(&archive, "v1", "v2"));
    assert_eq!(compare_target(&input, "d", &repeats, &resampled), None);
}

#[test]
fn a_run_that_was_filed_twice_counts_once() {
    let runs = [("v1/a", failing(5)), ("v1/a~2", failing(5)), ("v1/a~3", failing(6)), ("v2/a", failing(7))];
    let archive = archive(&runs, false);
    let comparison = compared(&archive, "v1", "v2");
    let left_out: Vec<&str> = comparison
        .targets
        .iter()
        .flat_map(|target| &target.runs)
        .filter(|run| run.left_out.is_some())
        .map(|run| run.run.as_str())
        .collect();
    assert_eq!(left_out, ["v1/a~2"]);
    assert_eq!(super::calibrate(&archive, &Settings::default()).runs, 2);
}
