//! The demo's runs, minutes of load each, from their raw files: against its `truth.csv`, k6's own figures, the published
//! series of the same samples, the same run in JSON, and the failures that were planted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::DateTime;
use plimsoll::ingest::k6;
use plimsoll::model::stat::Stat;
use plimsoll::model::summary::{Metric, MetricKind, Summary};
use plimsoll::source::Source;
use serde_json::Value;

use super::command::Folder;
use super::material::shared;
use super::samples_reference::second;

/// A row of truth.csv.
pub(crate) struct Truth {
    pub(crate) run: PathBuf,
    pub(crate) release: String,
    pub(crate) target: String,
    pub(crate) columns: BTreeMap<String, String>,
}

impl Truth {
    pub(crate) fn number(&self, column: &str) -> f64 {
        self.columns[column].parse().unwrap_or_else(|_| panic!("{column}: {}", self.columns[column]))
    }

    pub(crate) fn raw(&self, file: &str) -> String {
        self.run.join(file).to_str().unwrap().to_owned()
    }

    pub(crate) fn place(&self) -> String {
        format!("{}/{}/{}", self.release, self.target, self.columns["rep"])
    }
}

pub(crate) fn truths() -> Option<Vec<Truth>> {
    let demo = shared("data/demo")?;
    let mut reader = csv::Reader::from_path(demo.join("truth.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let truth = |record: csv::StringRecord| {
        let columns: BTreeMap<String, String> =
            header.iter().zip(&record).map(|(column, text)| (column.to_owned(), text.to_owned())).collect();
        let run = demo.join("runs").join(&columns["release"]).join(&columns["target"]).join(&columns["rep"]);
        Truth { run, release: columns["release"].clone(), target: columns["target"].clone(), columns }
    };
    Some(reader.records().map(|record| truth(record.unwrap())).collect())
}

/// The record and the series that `ingest` makes of one raw file.
fn ingested(file: &str, release: &str, target: &str) -> (Value, String) {
    let folder = Folder::new();
    folder.plimsoll(&["ingest", file, "--release", release, "--target", target]).exits(0);
    let of = format!("data/{release}/{target}");
    (serde_json::from_str(&folder.read(&format!("{of}/record.json"))).unwrap(), folder.read(&format!("{of}/series.json")))
}

fn metric(value: &Value) -> Metric {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// A part of a metric, whatever other tags its name has and in whatever order.
fn part<'a>(metric: &'a Metric, tags: &[&str]) -> &'a Metric {
    let all = |name: &&String| tags.iter().all(|tag| name.contains(tag));
    let names: Vec<&String> = metric.submetrics.keys().filter(all).collect();
    assert_eq!(names.len(), 1, "{tags:?}: {:?}", metric.submetrics.keys());
    &metric.submetrics[names[0]]
}

/// The name that the script gives its main request.
fn main_request(target: &str) -> &'static str {
    match target {
        "token_login" => "name:token",
        "user_info" => "name:userinfo",
        _ => "name:add_session",
    }
}

/// truth.csv prints six decimals.
fn same(printed: f64, exact: Option<f64>) -> bool {
    exact.is_some_and(|exact| (printed - exact).abs() < 6e-7)
}

/// What is wrong with a run's record, against its row of truth.csv.
pub(crate) fn truth_faults(truth: &Truth, record: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let test = &record["phases"]["test"];
    let trend = metric(&test["metrics"][&truth.columns["trend"]]);
    let requests = metric(&test["metrics"]["http_req_duration"]);
    let successful = part(&requests, &["expected_response:true", main_request(&truth.target)]);
    let percentiles = [("p50", Stat::Med), ("p95", Stat::p(95)), ("p99", Stat::p(99))];
    let mut held = vec![(format!("{}_ms", "avg"), Stat::Avg, &trend)];
    for (name, stat) in percentiles {
        held.push((format!("{name}_ms"), stat, &trend));
        held.push((format!("ok_{name}_ms"), stat, successful));
    }
    for (column, stat, metric) in held {
        let found = metric.value(stat).or_else(|| metric.value(Stat::p(50)).filter(|_| stat == Stat::Med));
        if !same(truth.number(&column), found) {
            faults.push(format!("{column} is {found:?}, not {}", truth.columns[&column]));
        }
    }
    for (column, name) in [("iterations", "iterations"), ("http_reqs", "http_reqs"), ("failures", "http_req_failed")] {
        let metric = metric(&test["metrics"][name]);
        let stat = if metric.kind == MetricKind::Rate { Stat::Passes } else { Stat::Count };
        if metric.value(stat) != Some(truth.number(column)) {
            faults.push(format!("{column} is {:?}, not {}", metric.value(stat), truth.columns[column]));
        }
    }
    let (first, last) = (second(&test["first"]) as f64, second(&test["last"]) as f64);
    // truth.csv has the last sample of the trend; an iteration ends after it, when its think time is over.
    let after = last - truth.number("last_ts");
    if (first - truth.number("first_ts")).abs() > 0.0 || !(0.0..=1.0).contains(&after) {
        faults.push(format!("the test is {first} to {last}, not {} to {}", truth.columns["first_ts"], truth.columns["last_ts"]));
    }
    let statuses = by_status(&record["failures"]);
    if statuses != truth.columns["failures_by_status"] {
        faults.push(format!("failures {statuses}, not {}", truth.columns["failures_by_status"]));
    }
    faults
}

/// `500:63;503:2032`
fn by_status(failures: &Value) -> String {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for population in failures["populations"].as_array().unwrap() {
        *counts.entry(population["status"].as_u64().unwrap_or_default()).or_default() += population["count"].as_u64().unwrap();
    }
    counts.iter().map(|(status, count)| format!("{status}:{count}")).collect::<Vec<_>>().join(";")
}

/// What is wrong with the summary in a record, against what k6 said: every value but a counter's rate, and how many there are.
fn k6_faults(truth: &Truth, record: &Value) -> (usize, Vec<String>) {
    let path = truth.run.join("handle-summary.json");
    let exact = k6::read(&Source::from_bytes("handle-summary.json", &fs::read(path).unwrap())).unwrap();
    let told: Summary = serde_json::from_value(record["k6"].clone()).unwrap();
    let (mut figures, mut faults) = (0, Vec::new());
    for (name, metric) in &exact.metrics {
        let of = |found: Option<&Metric>, exact: &Metric, place: &str| {
            let Some(found) = found else { return (0, vec![format!("{place} is missing")]) };
            let stats = exact.values.0.iter().filter(|(stat, _)| !(exact.kind == MetricKind::Counter && **stat == Stat::Rate));
            // A record has no percentiles of the parts of a request's time.
            let detail = name.starts_with("http_req_") && name != "http_req_duration" || name == "group_duration";
            let stats = stats.filter(|(stat, _)| !(detail && matches!(stat, Stat::Med | Stat::Percentile(_))));
            let wrong = stats.clone().filter_map(|(stat, wanted)| {
                let value = found.value(*stat).or_else(|| found.value(Stat::Med).filter(|_| *stat == Stat::p(50)));
                let near = value.zip(*wanted).is_some_and(|(a, b)| (a - b).abs() <= b.abs() * 1e-12 && *stat == Stat::Avg);
                (value != *wanted && !near).then(|| format!("{place} {stat}: {value:?}, not {wanted:?}"))
            });
            (stats.clone().count(), wrong.collect::<Vec<_>>())
        };
        let mut all = vec![of(told.metrics.get(name), metric, name)];
        for (tags, part) in &metric.submetrics {
            let found = told.metrics.get(name).and_then(|metric| metric.submetrics.get(tags));
            all.push(of(found, part, &format!("{name}{{{tags}}}")));
        }
        for (count, wrong) in all {
            figures += count;
            faults.extend(wrong);
        }
    }
    let checks = |summary: &Summary| {
        let counts = summary.checks.iter().map(|check| ((check.group.clone(), check.name.clone()), (check.passes, check.fails)));
        counts.collect::<BTreeMap<_, _>>()
    };
    if checks(&told) != checks(&exact) {
        faults.push(format!("checks {:?}, not {:?}", checks(&told), checks(&exact)));
    }
    (figures, faults)
}

/// All runs of some targets. Tests share them, so that they run side by side.
fn all_runs_of(targets: &[&str], count: usize) {
    let Some(truths) = truths() else { return };
    let (mut runs, mut figures, mut faults) = (0, 0, Vec::new());
    for truth in truths.iter().filter(|truth| targets.contains(&truth.target.as_str())) {
        let (record, _) = ingested(&truth.raw("samples.csv.gz"), &truth.release, &truth.target);
        let (compared, wrong) = k6_faults(truth, &record);
        runs += 1;
        figures += compared;
        let all = truth_faults(truth, &record).into_iter().chain(wrong);
        faults.extend(all.map(|fault| format!("{}: {fault}", truth.place())));
    }
    println!("{targets:?}: {runs} runs equal their truth; {figures} figures equal k6's own");
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
    assert!(runs == count && figures > runs * 40, "{runs} runs, {figures} figures");
}

#[test]
fn every_run_of_token_login_comes_out_as_its_truth() {
    all_runs_of(&["token_login"], 10);
}

#[test]
fn every_run_of_add_session_and_user_info_comes_out_as_its_truth() {
    all_runs_of(&["add_session", "user_info"], 9);
}

#[test]
fn a_run_in_csv_and_in_json_is_the_same_run() {
    let Some(truths) = truths() else { return };
    let mut runs = 0;
    for truth in truths.iter().filter(|truth| Path::new(&truth.raw("samples.json.gz")).exists()) {
        let of = |file: &str| ingested(&truth.raw(file), &truth.release, &truth.target);
        let ((csv, by_csv), (json, by_json)) = (of("samples.csv.gz"), of("samples.json.gz"));
        let faults: Vec<String> = k6_faults(truth, &json).1.into_iter().chain(truth_faults(truth, &json)).collect();
        assert!(faults.is_empty(), "{}: {}", truth.place(), faults.join("\n"));
        for section in ["setup", "test", "teardown"] {
            let metrics = |record: &Value| values_of(&record["phases"][section]["metrics"]);
            assert_eq!(metrics(&csv), metrics(&json), "{} {section}", truth.place());
        }
        assert_eq!(values_of(&csv["k6"]["metrics"]), values_of(&json["k6"]["metrics"]), "{}", truth.place());
        assert_eq!(populations(&csv["failures"]), populations(&json["failures"]), "{}", truth.place());
        assert!(by_csv == by_json, "{}: the series differ", truth.place());
        runs += 1;
    }
    println!("{runs} runs are the same in CSV and in JSON");
    assert_eq!(runs, 2);
}

/// Kinds and values of metrics with all their parts.
fn values_of(metrics: &Value) -> BTreeMap<String, (MetricKind, BTreeMap<Stat, Option<f64>>)> {
    let mut values = BTreeMap::new();
    for (name, told) in metrics.as_object().into_iter().flatten() {
        let metric = metric(told);
        for (tags, part) in metric.submetrics {
            values.insert(format!("{name}{{{tags}}}"), (part.kind, part.values.0));
        }
        values.insert(name.clone(), (metric.kind, metric.values.0));
    }
    values
}

/// Populations without the parts of a second, which the CSV does not have.
fn populations(failures: &Value) -> Vec<(Value, i64, i64)> {
    let bare = |population: &Value| {
        let (first, last) = (second(&population["first"]), second(&population["last"]));
        let mut rest = population.clone();
        for key in ["first", "last"] {
            rest.as_object_mut().unwrap().remove(key);
        }
        (rest, first, last)
    };
    failures["populations"].as_array().unwrap().iter().map(bare).collect()
}

/// The burst of 503 that "the platform" answered for ten seconds, and every 333rd request that the service failed.
#[test]
fn a_burst_and_steady_failures_are_two_populations() {
    let Some(demo) = shared("data/demo") else { return };
    let file = demo.join("runs/2.2.0/token_login/1/samples.csv.gz");
    let answer = Folder::new().plimsoll(&["errors", file.to_str().unwrap(), "--format", "json"]).exits(0);
    let told: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!((told["requests"].as_u64(), told["failed"].as_u64()), (Some(23_387), Some(2_095)));
    let populations = told["populations"].as_array().unwrap();
    assert_eq!(populations.len(), 2, "{}", answer.out);
    let of = |status: u64| populations.iter().find(|population| population["status"].as_u64() == Some(status)).unwrap();
    let (burst, steady) = (of(503), of(500));
    let tell = |population: &Value| {
        let text = |key: &str| population[key].as_str().unwrap().to_owned();
        (population["count"].as_u64().unwrap(), text("shape"), text("origin"), text("phase"))
    };
    assert_eq!(tell(burst), (2_032, "burst".to_owned(), "platform".to_owned(), "test".to_owned()));
    assert_eq!((second(&burst["first"]), second(&burst["last"])), (1_796_031_509, 1_796_031_519));
    assert_eq!(tell(steady), (63, "steady".to_owned(), "service".to_owned(), "test".to_owned()));
    assert_eq!((burst["error_code"].as_u64(), steady["error_code"].as_u64()), (Some(1503), Some(1500)));
}

/// The series that another tool made of the same rows, published as the runner leaves it.
#[test]
fn series_are_the_ones_that_were_published() {
    let Some(demo) = shared("data/demo") else { return };
    for target in ["token_login", "user_info", "add_session"] {
        let published = fs::read_to_string(demo.join(format!("flat-sweep/output/{target}-output.json"))).unwrap();
        let raw = demo.join(format!("runs/1.0.0/{target}/1/samples.csv.gz"));
        let ours = Folder::new().plimsoll(&["series", raw.to_str().unwrap()]).exits(0).out;
        let (published, ours) = (points(&published), points(&ours));
        assert!(published.keys().eq(ours.keys()), "{target}: {} and {} points", published.len(), ours.len());
        for (key, wanted) in &published {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= b.abs() * 1e-12;
            assert!(ours[key].iter().zip(wanted).all(near), "{target} {key:?}: {:?}, not {wanted:?}", ours[key]);
        }
        println!("{target}: {} points are the published ones", ours.len());
    }
}

fn points(text: &str) -> BTreeMap<(i64, String), [f64; 3]> {
    let points: Vec<Value> = serde_json::from_str(text).unwrap();
    let of = |point: &Value| {
        let time = format!("{}00", point["timestamp"].as_str().unwrap());
        let second = DateTime::parse_from_str(&time, "%Y-%m-%d %H:%M:%S%z").unwrap().timestamp();
        ((second, point["metric_name"].as_str().unwrap().to_owned()), ["p50", "p95", "p99"].map(|p| point[p].as_f64().unwrap()))
    };
    points.iter().map(of).collect()
}
