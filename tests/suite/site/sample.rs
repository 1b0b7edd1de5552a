//! Two made-up runs: one of which everything is known, one of which nothing is. `§` stands in every field that may hold
//! any text.

use std::collections::BTreeMap;

use plimsoll::model::address::Address;
use plimsoll::model::collection::{Archive, Difference, ReleaseRuns, Run};
use plimsoll::model::record::Record;
use plimsoll::model::series::{Series, SeriesPoint, TrendSeries};
use plimsoll::model::verdict::Verdict;

/// A site's parts, with every free text replaced.
pub(crate) struct Sample {
    pub(crate) archive: Archive,
    pub(crate) verdicts: BTreeMap<Address, Verdict>,
    pub(crate) drawings: BTreeMap<Address, String>,
    pub(crate) words: String,
}

const RECORD: &str = r##"{
  "schema": 1,
  "identity": {"release": "v2.1.0", "target": "checkout", "title": "check out §", "baseline": "v2.0.0 §", "purpose": "Find the limit §"},
  "environment": {
    "client": {"location": "EU1 §", "machine": "8 vCPU §", "k6_version": "v2.1.0"},
    "service": {
      "location": "EU1", "version": "v2.1.0-rc1 §",
      "container": {"vcpu": 6, "memory": {"bytes": 6442450944, "printed": "6 Gi §"}, "min_scale": 2, "max_scale": 7, "concurrency": 400},
      "settings": [{"name": "Database pool §", "layout": "list", "entries": [{"key": "MaxOpenConns §", "value": "6 §"}, {"key": "Warm", "value": ""}]}],
      "flags": {"flags": [
        {"name": "fastPath §", "state": "on", "level": "instance §", "paths": ["A_B §"]},
        {"name": "slowPath", "state": "off"}, {"name": "oldPath", "state": "explicitly-off"}],
        "captured": {"level": "instance §", "when": "before §", "at": "2026-03-01T09:00:00Z", "sequence": 5, "changed": "2026-02-28T10:00:00Z"}}
    },
    "database": {"kind": "psql §", "version": "17 §", "location": "EU1 §", "tier": "N-8 §", "vcpu": 8, "memory": {"bytes": 64e9, "printed": "64 GB"},
      "data_cache": true, "settings": [{"name": "auto_explain §", "layout": "lines", "entries": [{"key": "", "value": "on §"}]}]}
  },
  "window": {"start": "2026-03-01T10:00:00Z", "end": "2026-03-01T10:03:00Z", "duration_s": 180.0, "basis": "stamps"},
  "k6": {
    "schema": 1, "source": {"kind": "text", "k6_version": "v2.1.0"},
    "metrics": {
      "checks": {"kind": "rate", "unit": "ratio", "values": {"passes": 7200, "fails": 2, "rate": 0.99972}},
      "http_req_duration": {"kind": "trend", "unit": "ms", "values": {"min": 1.5, "avg": 20.0, "p(50)": 18.0, "p(95)": 56.78, "p(99)": 80.0, "max": 1740.0},
        "bounds": {"p(95)": [56.78, 56.79], "max": [1740.0, 1750.0]},
        "submetrics": {"expected_response:true": {"kind": "trend", "unit": "ms", "values": {"min": 1.5, "avg": 19.0, "p(50)": 17.0, "p(95)": 55.5, "p(99)": 79.0, "max": 1700.0}}}},
      "http_req_failed": {"kind": "rate", "unit": "ratio", "values": {"passes": 38, "fails": 7270577, "rate": 0.0000052}},
      "http_reqs": {"kind": "counter", "unit": "count", "values": {"count": 7270615, "rate": 40392.3}},
      "iteration_duration": {"kind": "trend", "unit": "ms", "values": {"avg": 22.0, "p(95)": 60.0, "max": null}, "reasons": {"max": "no sample §"}},
      "iterations": {"kind": "counter", "unit": "count", "values": {"count": 3600, "rate": 19.98}, "bounds": {"rate": [19.98, 19.99]}},
      "data_received": {"kind": "counter", "unit": "bytes", "values": {"count": 404000000, "rate": 2240000}},
      "vus": {"kind": "gauge", "unit": "count", "values": {"value": 0, "min": 0, "max": 40}},
      "vus_max": {"kind": "gauge", "unit": "count", "values": {"value": 40, "min": 40, "max": 40}},
      "pay_duration §": {"kind": "trend", "unit": "ms", "values": {"avg": 9.0, "p(95)": 30.0}, "submetrics": {"step:§": {"kind": "trend", "unit": "ms", "values": {"avg": 9.0}}}}
    },
    "checks": [{"name": "paid §", "group": "::shop::pay §", "passes": 3600, "fails": 0}, {"name": "shipped", "group": "", "passes": 3598, "fails": 2}, {"name": "thanked", "group": "", "passes": null, "fails": null}],
    "thresholds": [{"metric": "http_req_duration §", "expression": "p(95)<50 §", "passed": false}, {"metric": "checks", "expression": "rate>0.9", "passed": true}, {"metric": "x", "expression": "", "passed": null}],
    "duration_s": 181.9, "vus_max": 40, "iterations": {"complete": 3600, "interrupted": 3},
    "scenarios": [{"name": "default", "state": "done", "vus": 40, "duration_s": 180}],
    "aborted": true, "aborted_by": "exit code 105 §", "notes": ["The clock includes set-up. §"]
  },
  "figures": {
    "container.cpu.p50": {"state": "measured", "value": 0.6, "unit": "ratio", "bounds": [0.595, 0.605], "printed": "60%", "source": "Service metrics during test §"},
    "container.instances.startups": {"state": "measured", "value": 0, "unit": "count"},
    "database.cpu.median": {"state": "measured", "value": 0.95, "unit": "ratio", "printed": "95%", "method": "median of minutes §"},
    "database.lock_wait_ratio": {"state": "measured", "value": 0.03, "unit": "ratio", "of": "database time §"},
    "database.connections": {"state": "incomplete", "value": 47, "unit": "count", "coverage": {"seen": 2, "expected": 3}},
    "pool.empty_ratio": {"state": "not-captured", "reason": "the exporter was off §"}
  },
  "stated": {"k6.iterations_per_s": {"state": "measured", "value": 20, "unit": "per-second", "printed": "20 §"}},
  "errors": {
    "kinds": [{"count": 36, "what": "request timeout §"}], "failed_checks": [{"count": 2, "what": "shipped §"}],
    "aborted_iterations": [{"count": 1, "what": "TypeError §"}],
    "by_status": [{"status": 429, "error_code": 1429, "error": "rate exceeded §", "requests": 36}, {"status": null, "error_code": null, "error": null, "requests": 2}]
  },
  "queries": [{"name": "Orders by customer §", "seconds": 2971.0, "class": "work", "remark": "every page §"}, {"name": "Lock the till", "seconds": 682.0, "class": "lock-wait"}, {"name": "Other"}],
  "recorded": {"label": "Scale §", "message": "The database is the limit. See [the guide](https://example.org/guide?a=1&b=2), `EXPLAIN` and [x](javascript:alert(1)). §"},
  "override": {"outcome": "observe §", "reason": "A second look is due. §", "author": "K. §"},
  "notes": [
    {"place": "Test start", "text": "Started by hand. §"}, {"place": "Service Settings", "text": "Tuned per the [guide](mailto:a@example.org). §"},
    {"place": "Service metrics during test", "text": "Warm. §"}, {"place": "Database metrics during test", "text": "Cool. §"},
    {"place": "Observed errors", "text": "A burst. §"}, {"place": "Top most expensive database queries", "text": "Ranked. §"},
    {"place": "flowchart outcome", "text": "Soon. §"}, {"place": "introduction", "text": "See [below](#k6-output). §"},
    {"place": "endpoint latencies", "text": "Slow start. §"}, {"place": "Weather §", "text": "<b>fair</b> §"}],
  "provenance": [{"path": "run/k6.log §", "kind": "k6 text summary §", "bytes": 4211, "blake3": "00ff §"}]
}"##;

const VERDICT: &str = r#"{
  "release": "v2.1.0", "target": "checkout", "run": "checkout", "flow": "practice §",
  "outcome": {"name": "scale-database", "class": "scale", "label": "Scale (database) §", "action": "Raise the vCPU. §"},
  "message": "Database CPU is the limit at 95%. §",
  "path": [
    {"question": "failing", "ask": "Do requests fail? §", "answer": "no", "evidence": [{"figure": "k6.success_ratio §", "value": 0.9997, "bounds": null, "unit": "ratio", "printed": null, "comparison": "<", "threshold": 0.9, "answer": "no", "note": "checks that held §"}]},
    {"question": "pool", "ask": "Was the pool empty?", "answer": "undetermined", "assumed": {"answer": "no", "because": "nobody looked §"}, "evidence": [{"figure": "pool.empty_ratio", "value": null, "bounds": null, "unit": "ratio", "printed": null, "comparison": ">=", "threshold": 0.4, "answer": "undetermined"}]},
    {"question": "database", "ask": "Is the database the limit?", "answer": "yes", "evidence": [{"figure": "database.cpu.median", "value": 0.95, "bounds": null, "unit": "ratio", "printed": "95% §", "comparison": ">=", "threshold": 0.8, "answer": "yes"}]}],
  "undetermined": ["pool.empty_ratio §"],
  "counterfactuals": [{"figure": "database.cpu.median §", "from": 0.95, "to": 0.8, "unit": "ratio", "outcome": "increase-vus", "label": "Increase VUs §"}],
  "recorded": null, "override": null
}"#;

/// Two releases, three runs, every free text holding the given one.
pub(crate) fn everything(text: &str) -> Sample {
    let fill = |json: &str| json.replace('§', serde_json::to_string(text).unwrap().trim_matches('"'));
    let record: Record = serde_json::from_str(&fill(RECORD)).unwrap();
    let verdict: Verdict = serde_json::from_str(&fill(VERDICT)).unwrap();
    let mut repeat = record.clone();
    repeat.overridden = None;
    repeat.identity.label = Some("2".to_owned().try_into().unwrap());
    repeat.environment.database.vcpu = Some(16.0);
    let full = Run {
        differences: vec![Difference {
            what: format!("database.cpu.median {text}"),
            by_hand: format!("97% {text}"),
            by_machine: format!("95% {text}"),
            file: format!("run.toml {text}"),
        }],
        notes: vec![format!("By hand. {text}")],
        k6_text: Some(format!("  █ TOTAL RESULTS\n\n    checks: 99.97% {text}\n")),
        series: Some(series(text)),
        record: record.clone(),
    };
    let bare = |record: Record| Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None };
    let (first, second) = (record.address(), repeat.address());
    let nothing: Address = "v2.0.0/checkout".parse().unwrap();
    let release = |name: &str, notes: Vec<String>, runs: Vec<(Address, Run)>| ReleaseRuns {
        name: name.to_owned().try_into().unwrap(),
        order: None,
        notes,
        runs: runs.into_iter().collect(),
    };
    Sample {
        archive: Archive::new(vec![
            release("v2.0.0", Vec::new(), vec![(nothing.clone(), bare(Record::new(nothing)))]),
            release("v2.1.0", vec![format!("New disks. {text}")], vec![(first.clone(), full), (second, bare(repeat))]),
        ]),
        verdicts: BTreeMap::from([(first.clone(), verdict)]),
        drawings: BTreeMap::from([(
            first,
            "<svg class=\"flow\" viewBox=\"0 0 10 10\" role=\"img\"><title>the flow</title></svg>".to_owned(),
        )]),
        words: format!("words {text}"),
    }
}

/// Three minutes of two trends, one of them with a gap and a lone second, and a trend of one point.
fn series(text: &str) -> Series {
    let point =
        |second: i64, p50: i64, count| SeriesPoint { second: 1_772_359_200 + second, p50, p95: p50 * 3, p99: p50 * 5, count };
    let wave = |at: i64| 18_000 + (at * 37 % 11) * 700 + if at == 100 { 400_000 } else { 0 };
    let steady = (0..180).map(|at| point(at, wave(at), Some(20))).collect();
    let gappy = (0..180).filter(|at| !(40..90).contains(at) || *at == 60).map(|at| point(at, 9_000, None)).collect();
    let trend = |points| TrendSeries { points };
    Series {
        trends: BTreeMap::from([
            (format!("checkout_duration {text}"), trend(steady)),
            ("pay_duration".to_owned(), trend(gappy)),
            (format!("setup_duration {text}"), trend(vec![point(0, 5_000, None)])),
        ]),
    }
}
