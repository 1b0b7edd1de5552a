//! Every rule of the audit on runs made up for it: a case in which it fires, and one near it in which it stays silent.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use plimsoll::audit::{Around, RULES, Scope, audit, evidence, not_captured};
use plimsoll::model::address::{Address, Release};
use plimsoll::model::catalogue::FigureId;
use plimsoll::model::collection::{Archive, ReleaseRuns, Run};
use plimsoll::model::finding::Finding;
use plimsoll::model::series::{Series, SeriesPoint, TrendSeries};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Two releases of three targets each, in which everything fits, and what people wrote about the later one.
struct Scene(BTreeMap<String, Made>, Vec<String>);

/// A run in the making.
struct Made {
    record: Value,
    k6_text: String,
    series: Series,
    notes: Vec<String>,
}

const TARGETS: [&str; 3] = ["login", "read", "write"];

/// The second at which every run begins: 2026-01-01 10:00:00 UTC, and an hour later for each further target.
const START: i64 = 1_767_261_600;

impl Scene {
    fn new() -> Self {
        let runs = ["v1", "v2"].into_iter().enumerate().flat_map(|(release, name)| {
            TARGETS
                .into_iter()
                .enumerate()
                .map(move |(at, target)| (format!("{name}/{target}"), made(name, target, release * 3 + at)))
        });
        Self(runs.collect(), Vec::new())
    }

    fn run(&mut self, place: &str) -> &mut Made {
        self.0.get_mut(place).unwrap()
    }

    /// The run that cases change.
    fn own(&mut self) -> &mut Made {
        self.run("v2/read")
    }

    fn archive(self) -> Archive {
        let mut releases: BTreeMap<Release, BTreeMap<Address, Run>> = BTreeMap::new();
        for (place, made) in self.0 {
            let address: Address = place.parse().unwrap();
            let run = Run {
                record: serde_json::from_value(made.record).unwrap(),
                differences: Vec::new(),
                notes: made.notes,
                k6_text: Some(made.k6_text),
                series: Some(made.series),
            };
            releases.entry(address.release.clone()).or_default().insert(address, run);
        }
        let notes = |name: &Release| if name.as_str() == "v2" { self.1.clone() } else { Vec::new() };
        let made = |(name, runs)| ReleaseRuns { notes: notes(&name), name, order: None, runs };
        Archive::new(releases.into_iter().map(made).collect())
    }
}

impl Made {
    /// Sets a value of the record, by JSON pointer; what is on the way is made.
    fn set(&mut self, pointer: &str, value: Value) -> &mut Self {
        let mut place = &mut self.record;
        for key in pointer.split('/').skip(1) {
            if let Value::Array(list) = place {
                let at: usize = key.parse().unwrap();
                place = &mut list[at];
                continue;
            }
            place = place.as_object_mut().unwrap().entry(key).or_insert_with(|| json!({}));
        }
        *place = value;
        self
    }

    fn k6(&mut self, metric: &str, stat: &str, value: f64) -> &mut Self {
        self.set(&format!("/k6/metrics/{metric}/values/{stat}"), json!(value))
    }

    fn figure(&mut self, name: &str, value: f64) -> &mut Self {
        self.set(&format!("/figures/{name}/value"), json!(value))
    }

    fn note(&mut self, place: &str, text: &str) -> &mut Self {
        self.record["notes"].as_array_mut().unwrap().push(json!({"place": place, "text": text}));
        self
    }
}

fn time(second: i64) -> String {
    chrono::DateTime::from_timestamp(second, 0).unwrap().format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A run in which everything fits, unlike every other run by its counts.
fn made(release: &str, target: &str, number: usize) -> Made {
    let start = START + 3600 * i64::try_from(number).unwrap();
    let iterations = 120_000 + number;
    let requests = 2 * iterations + 10;
    let trend = |avg: f64, p50: f64, p95: f64, p99: f64| {
        json!({"kind": "trend", "unit": "ms",
               "values": {"min": 5.5, "avg": avg, "p(50)": p50, "p(95)": p95, "p(99)": p99, "max": 4000.25}})
    };
    let measured = |value: f64, unit: &str| json!({"state": "measured", "value": value, "unit": unit});
    let record = json!({
        "schema": 1,
        "identity": {"release": release, "target": target, "purpose": "Measure it"},
        "environment": {
            "client": {"k6_version": "v2.1.0", "location": "EU1"},
            "service": {
                "container": {"max_scale": 3},
                "flags": {"flags": [{"name": "fast", "state": "on", "paths": ["A", "B"]}, {"name": "old", "state": "off"}],
                          "captured": {"level": "instance", "when": "before", "at": time(start - 300), "changed": time(start - 4000)}}
            },
        },
        "window": {"start": time(start), "end": time(start + 602), "duration_s": 600.0, "basis": "stated"},
        "k6": {
            "schema": 1, "source": {"kind": "text", "k6_version": null},
            "metrics": {
                "checks": {"kind": "rate", "unit": "ratio", "values": {"rate": 1.0, "passes": 2 * requests, "fails": 0}},
                "data_received": {"kind": "counter", "unit": "bytes", "values": {"count": 700 * requests, "rate": 280_000.0}},
                "http_req_duration": trend(249.0, 240.0, 500.0, 700.0),
                "http_req_failed": {"kind": "rate", "unit": "ratio", "values": {"rate": 0.0, "passes": 0, "fails": requests}},
                "http_reqs": {"kind": "counter", "unit": "count", "values": {"count": requests, "rate": requests as f64 / 603.0}},
                "iteration_duration": trend(500.0, 480.0, 900.0, 1200.0),
                "iterations": {"kind": "counter", "unit": "count", "values": {"count": iterations, "rate": iterations as f64 / 603.0}},
                "endpoint_duration": trend(260.0, 250.0, 520.0, 710.0),
                "enter_password_duration": trend(120.0, 110.0, 150.0, 170.0),
                "vus_max": {"kind": "gauge", "unit": "count", "values": {"value": 100, "min": 100, "max": 100}},
            },
            "checks": [{"name": "ok", "group": "", "passes": 2 * requests, "fails": 0}],
            "thresholds": [], "duration_s": 603.0, "vus_max": 100,
            "iterations": {"complete": iterations, "interrupted": 0},
            "scenarios": [{"name": "default", "state": "done", "vus": 100, "duration_s": 600}],
            "aborted": false, "notes": []
        },
        "figures": {
            "container.cpu.p50": measured(0.4, "ratio"), "container.cpu.p99": measured(0.5, "ratio"), "container.cpu.peak": measured(0.6, "ratio"),
            "container.memory.p50": measured(0.4, "ratio"), "container.memory.peak": measured(0.5, "ratio"),
            "container.instances.median": measured(3.0, "count"), "container.instances.min": measured(3.0, "count"),
            "container.instances.max": measured(3.0, "count"), "container.instances.startups": measured(0.0, "count"),
            "server.requests_per_s": measured(399.0, "per-second"), "server.latency.p50": measured(200.0, "ms"),
            "server.latency.p95": measured(450.0, "ms"), "server.latency.p99": measured(600.0, "ms"),
            "pool.max_open": measured(10.0, "count"), "pool.empty_ratio": measured(0.1, "ratio"),
            "database.cpu.median": measured(0.7, "ratio"), "database.cpu.peak": measured(0.8, "ratio"), "database.memory": measured(0.3, "ratio"),
            "database.connections": measured(25.0, "count"), "database.transactions_per_s": measured(900.0, "per-second"),
            "database.iops.read": measured(1.0, "per-second"), "database.iops.write": measured(20.0, "per-second"),
            "database.lock_wait_ratio": measured(0.05, "ratio"),
        },
        "stated": {"k6.vus": measured(100.0, "count")},
        "errors": {"none": true},
        "notes": [{"place": "introduction", "text": "A test of everything."}],
        "provenance": [{"path": format!("{target}/page.mdx"), "kind": "page", "bytes": 10, "blake3": "0".repeat(64)}],
    });
    let k6_text = "  █ TOTAL RESULTS \n\n    checks_succeeded...: 100.00% 5 out of 5\n".to_owned();
    Made { record, k6_text, series: series(start + 2, 600), notes: Vec::new() }
}

/// A trend with a point a second.
fn series(first: i64, seconds: i64) -> Series {
    let point = |second| SeriesPoint { second, p50: 250_000, p95: 520_000, p99: 710_000, count: None };
    let trend = TrendSeries { points: (first..first + seconds).map(point).collect(), successes: None };
    Series { trends: BTreeMap::from([("endpoint_duration".to_owned(), trend)]), ..Series::default() }
}

/// Failed requests and checks, so many of each, and what the page tells of them.
fn failed(made: &mut Made, count: u64, errors: Value) {
    let all = made.record["k6"]["metrics"]["http_reqs"]["values"]["count"].as_u64().unwrap();
    made.k6("http_req_failed", "passes", count as f64).k6("http_req_failed", "fails", (all - count) as f64);
    made.set("/errors", errors);
}

fn told(count: u64, made: &Made) -> Value {
    let all = made.record["k6"]["metrics"]["http_reqs"]["values"]["count"].as_u64().unwrap();
    json!({"requests": {"count": count, "of": all}, "kinds": [{"count": count, "what": "request timeout"}]})
}

/// A rule, what it fires on, and what it does not.
struct Case {
    code: &'static str,
    fires: fn(&mut Scene),
    silent: fn(&mut Scene),
    /// Rules that what it fires on is a case of as well.
    also: &'static [&'static str],
}

const fn case(code: &'static str, fires: fn(&mut Scene), silent: fn(&mut Scene)) -> Case {
    Case { code, fires, silent, also: &[] }
}

impl Case {
    const fn also(mut self, codes: &'static [&'static str]) -> Self {
        self.also = codes;
        self
    }
}

fn stated(made: &mut Made, lo: f64, hi: f64) {
    let value = f64::midpoint(lo, hi);
    let figure = json!({"state": "measured", "value": value, "unit": "per-second", "bounds": [lo, hi], "printed": format!("{value}"),
                        "source": "k6 Iterations per second"});
    made.set("/stated/k6.iterations_per_s", figure);
}

/// The counts of one run in another.
fn copied(scene: &mut Scene, from: &str, to: &str) {
    let k6 = scene.run(from).record["k6"].clone();
    scene.run(to).set("/k6", k6);
}

const CASES: &[Case] = &[
    // 120,004 iterations in 603 s are 199.01/s.
    case("stated-differs", |s| stated(s.own(), 200.5, 201.5), |s| stated(s.own(), 198.5, 199.5)),
    case(
        "claim-differs",
        |s| {
            s.own().note("Database metrics during test", "The database CPU was at 90% in the median.");
        },
        |s| {
            s.own().note("Database metrics during test", "The database CPU was at 70% in the median.");
        },
    ),
    case(
        "release-claim-differs",
        |s| s.1.push("In the run of read the database CPU was at 90% in the median.".to_owned()),
        |s| s.1.push("In the run of read the database CPU was at 70% in the median.".to_owned()),
    ),
    case(
        "foreign-k6-output",
        |s| {
            s.run("v1/login").k6("login_duration", "avg", 240.0).set("/k6/metrics/login_duration/kind", json!("trend"));
            s.run("v1/login").set("/k6/metrics/login_duration/unit", json!("ms"));
            copied(s, "v1/login", "v2/read");
        },
        |s| copied(s, "v2/read", "v2/read"),
    ),
    case(
        "k6-version-layout",
        |s| {
            s.own().set("/environment/client/k6_version", json!("v0.54.0"));
        },
        |s| {
            s.own().set("/environment/client/k6_version", json!("v1.0.0-rc1"));
        },
    ),
    case(
        "littles-law",
        |s| {
            s.own().k6("iteration_duration", "avg", 350.0);
        },
        |s| {
            s.own().k6("iteration_duration", "avg", 520.0);
        },
    ),
    case(
        "aborted-run",
        |s| {
            s.own().set("/k6/aborted", json!(true)).set("/k6/aborted_by", json!("exit code 105"));
        },
        |s| {
            s.own().set("/k6/aborted", json!(false));
        },
    ),
    case(
        "interrupted-iterations",
        |s| {
            s.own().set("/k6/iterations/interrupted", json!(98));
        },
        |s| {
            s.own().set("/k6/iterations/interrupted", json!(null));
        },
    ),
    case(
        "clock-beyond-duration",
        |s| {
            s.own().set("/k6/duration_s", json!(661.0));
        },
        |s| {
            s.own().set("/k6/duration_s", json!(659.0));
        },
    ),
    case(
        "rate-over-clock",
        |s| {
            s.own().k6("iterations", "rate", 197.0);
        },
        |s| {
            s.own().k6("iterations", "rate", 198.5);
        },
    ),
    case(
        "client-time",
        |s| {
            s.own().k6("http_req_duration", "avg", 220.0);
        },
        |s| {
            s.own().k6("http_req_duration", "avg", 230.0);
        },
    ),
    case(
        "unexplained-iteration",
        |s| {
            s.own().k6("endpoint_duration", "avg", 200.0);
        },
        |s| {
            s.own().k6("endpoint_duration", "avg", 249.5);
        },
    ),
    case(
        "single-sample-trend",
        |s| {
            for stat in ["min", "avg", "p(50)", "p(95)", "p(99)", "max"] {
                s.own().k6("enter_password_duration", stat, 61.25);
            }
        },
        |s| {
            for stat in ["avg", "p(50)", "p(95)", "p(99)", "max"] {
                s.own().k6("enter_password_duration", stat, 61.25);
            }
        },
    ),
    case(
        "fast-password",
        |s| {
            s.own().k6("enter_password_duration", "p(50)", 39.0);
        },
        |s| {
            s.own().k6("enter_password_duration", "p(50)", 40.0);
        },
    ),
    case(
        "percentile-order",
        |s| {
            s.own().k6("endpoint_duration", "p(95)", 900.0);
        },
        |s| {
            s.own().k6("endpoint_duration", "p(95)", 710.0);
        },
    ),
    case(
        "failures-untold",
        |s| failed(s.own(), 2_500, json!({})),
        |s| {
            let t = told(2_500, s.own());
            failed(s.own(), 2_500, t);
        },
    ),
    case(
        "failures-uncounted",
        |s| failed(s.own(), 240, json!({})),
        |s| {
            let t = told(240, s.own());
            failed(s.own(), 240, t);
        },
    ),
    case("none-but-failed", |s| failed(s.own(), 240, json!({"none": true})), |s| failed(s.own(), 0, json!({"none": true}))),
    case(
        "counts-disagree",
        |s| {
            let t = told(241, s.own());
            failed(s.own(), 240, t);
        },
        |s| {
            let t = told(240, s.own());
            failed(s.own(), 240, t);
        },
    ),
    case(
        "error-kinds-sum",
        |s| {
            let mut t = told(240, s.own());
            t["kinds"][0]["count"] = json!(239);
            failed(s.own(), 240, t);
        },
        |s| {
            let mut t = told(240, s.own());
            t["kinds"] = json!([]);
            failed(s.own(), 240, t);
        },
    ),
    case(
        "hidden-failures",
        |s| {
            let t = told(23, s.own());
            failed(s.own(), 23, t);
        },
        |s| {
            let t = told(25, s.own());
            failed(s.own(), 25, t);
        },
    ),
    case(
        "window-length",
        |s| {
            s.own().set("/window/end", json!(time(START + 4 * 3600 + 662)));
        },
        |s| {
            s.own().set("/window/end", json!(time(START + 4 * 3600 + 659)));
        },
    ),
    case("overlapping-runs", |s| moved(s.own(), START + 3 * 3600 + 500), |s| moved(s.own(), START + 3 * 3600 + 550)),
    case(
        "series-short",
        |s| s.own().series = series(START + 4 * 3600 + 2, 569),
        |s| s.own().series = series(START + 4 * 3600 + 2, 570),
    ),
    case(
        "series-off-start",
        |s| s.own().series = series(START + 3 * 3600 + 70, 600),
        |s| s.own().series = series(START + 4 * 3600 - 60, 600),
    ),
    case(
        "series-other-day",
        |s| s.own().series = series(START - 86_400 + 4 * 3600, 600),
        |s| s.own().series = series(START + 4 * 3600 + 600, 600),
    ),
    case(
        "series-unlike-k6",
        |s| s.own().series.trends.get_mut("endpoint_duration").unwrap().points[7].p50 = 4_000_252,
        |s| s.own().series.trends.get_mut("endpoint_duration").unwrap().points[7].p50 = 4_000_250,
    ),
    case(
        "instances-beyond-scale",
        |s| {
            s.own().set("/environment/service/container/max_scale", json!(2));
        },
        |s| {
            s.own().set("/environment/service/container/max_scale", json!(null));
        },
    ),
    case(
        "instances-varied",
        |s| {
            s.own().figure("container.instances.min", 2.0).figure("container.instances.startups", 1.0);
        },
        |s| {
            s.own().figure("container.instances.min", 3.0);
        },
    ),
    case(
        "startups-without-growth",
        |s| {
            s.own().figure("container.instances.startups", 1.0);
        },
        |s| {
            s.own().figure("container.instances.startups", 1.0).figure("container.instances.min", 2.0);
        },
    ),
    case(
        "growth-without-startups",
        |s| {
            s.own().figure("container.instances.min", 1.0).figure("container.instances.startups", 1.0);
        },
        |s| {
            s.own().figure("container.instances.min", 2.0).figure("container.instances.startups", 1.0);
        },
    )
    .also(&["instances-varied"]),
    case(
        "carried-containers",
        |s| {
            s.own().note("Service metrics during test", "load carried by 3 of 7 containers");
        },
        |s| {
            s.own().note("Service metrics during test", "load carried by 2 of 3 containers");
        },
    ),
    case(
        "connections-beyond-pools",
        |s| {
            s.own().figure("database.connections", 31.0);
        },
        |s| {
            s.own().figure("database.connections", 30.0);
        },
    ),
    // 240,018 requests are 398.04/s over 603 s and 400.03/s over 600 s.
    case(
        "server-rate",
        |s| {
            s.own().figure("server.requests_per_s", 386.0);
        },
        |s| {
            s.own().figure("server.requests_per_s", 412.0);
        },
    ),
    case(
        "server-slower-than-client",
        |s| {
            s.own().figure("server.latency.p50", 241.0);
        },
        |s| {
            s.own().figure("server.latency.p50", 241.0).set("/figures/server.latency.p50/grade", json!("approximate"));
        },
    ),
    case(
        "server-faster-than-client",
        |s| {
            s.own().figure("server.latency.p95", 330.0);
        },
        |s| {
            s.own().figure("server.latency.p95", 340.0);
        },
    ),
    case(
        "figure-order",
        |s| {
            s.own().figure("database.cpu.peak", 0.69);
        },
        |s| {
            s.own().figure("database.cpu.peak", 0.7);
        },
    ),
    case(
        "figure-incomplete",
        |s| {
            s.own().set("/figures/database.memory/state", json!("incomplete"));
            s.own().set("/figures/database.memory/coverage", json!({"seen": 4, "expected": 10}));
        },
        |s| {
            s.own().set("/figures/database.memory/coverage", json!({"seen": 9, "expected": 10}));
        },
    ),
    case(
        "not-captured",
        |s| {
            s.own().set("/figures/database.memory", json!({"state": "not-captured", "reason": "no file holds it"}));
        },
        |s| {
            s.own().figure("database.memory", 0.0);
        },
    ),
    case(
        "flags-captured-late",
        |s| {
            s.own().set("/environment/service/flags/captured/at", json!(time(START + 4 * 3600 + 700)));
        },
        |s| {
            s.own().set("/environment/service/flags/captured/at", json!(time(START + 4 * 3600 + 600)));
        },
    ),
    case(
        "flags-changed-during-run",
        |s| {
            s.own().set("/environment/service/flags/captured/changed", json!(time(START + 4 * 3600 + 1)));
        },
        |s| {
            s.own().set("/environment/service/flags/captured/changed", json!(time(START + 4 * 3600)));
        },
    ),
    case(
        "flags-unlike-previous",
        |s| {
            for target in TARGETS {
                s.run(&format!("v2/{target}")).set("/environment/service/flags/flags/0/paths", json!(["A", "C"]));
            }
        },
        |s| {
            for target in TARGETS {
                s.run(&format!("v2/{target}")).set("/environment/service/flags/flags/0/paths", json!(["B", "A"]));
            }
        },
    ),
    case(
        "flags-within-release",
        |s| {
            s.own().set("/environment/service/flags/flags/1/state", json!("on"));
        },
        |s| {
            s.own().set("/environment/service/flags/flags/1/state", json!("explicitly-off"));
        },
    ),
    case(
        "vus-unlike-release",
        |s| {
            s.own().set("/stated/k6.vus/value", json!(50.0)).k6("vus_max", "max", 50.0).set("/k6/scenarios", json!([]));
        },
        |s| {
            s.own().set("/stated/k6.vus/value", json!(50.0)).k6("vus_max", "max", 50.0).set("/k6/scenarios", json!([]));
            s.0.remove("v2/write");
        },
    ),
    case(
        "bytes-per-request",
        |s| {
            s.own().k6("data_received", "count", 240_018.0 * 880.0);
        },
        |s| {
            s.own().k6("data_received", "count", 240_018.0 * 870.0);
        },
    ),
    case(
        "saturated-not-bound",
        |s| {
            s.own().note("Database metrics during test", "CPU-saturated: the bottleneck.");
            s.own().set("/recorded", json!({"label": "Log it", "message": "Not resource-bound."}));
        },
        |s| {
            s.own().note("Database metrics during test", "CPU-saturated: the bottleneck.");
        },
    ),
    case(
        "placeholder",
        |s| {
            s.own().set("/identity/purpose", json!("TODO: say why"));
        },
        |s| {
            s.own().note("introduction", "Creates a todo list, and what was to do is done.");
        },
    ),
];

/// The run begins at another second, with all that knows when.
fn moved(made: &mut Made, start: i64) {
    made.set("/window/start", json!(time(start))).set("/window/end", json!(time(start + 602)));
    made.set("/environment/service/flags/captured/at", json!(time(start - 300)));
    made.set("/environment/service/flags/captured/changed", json!(time(start - 4000)));
    made.series = series(start + 2, 600);
}

fn found(change: fn(&mut Scene)) -> Vec<Finding> {
    let mut scene = Scene::new();
    change(&mut scene);
    let archive = scene.archive();
    let chosen: Vec<(&Address, &Run)> = archive.runs().collect();
    let mut findings = audit(&Around::new(&archive, "Service"), &chosen);
    findings.extend(not_captured(&Around::new(&archive, "Service"), &chosen, &[FigureId::DatabaseCpuMedian]));
    findings
}

fn codes(findings: &[Finding]) -> BTreeSet<&str> {
    findings.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn where_everything_fits_nothing_is_found() {
    assert_eq!(found(|_| ()), []);
}

#[test]
fn every_rule_fires_on_its_case_and_on_nothing_else() {
    let (mut told, mut faults) = (String::new(), Vec::new());
    for case in CASES {
        let findings = found(case.fires);
        let wanted: BTreeSet<&str> = [case.code].into_iter().chain(case.also.iter().copied()).collect();
        if codes(&findings) != wanted {
            faults.push(format!("{}: {:?}", case.code, codes(&findings)));
        }
        for finding in findings.iter().filter(|finding| finding.code == case.code) {
            writeln!(told, "{} {} in {}\n  {}", finding.level, finding.code, finding.place(), finding.message).unwrap();
            for (name, amount) in &finding.figures {
                writeln!(told, "    {name} = {} {}", amount.value, amount.unit).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    insta::assert_snapshot!(told);
}

#[test]
fn every_rule_stays_silent_on_what_is_near_its_case() {
    let loud = CASES.iter().filter(|case| codes(&found(case.silent)).contains(case.code));
    assert_eq!(loud.map(|case| case.code).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_rule_has_its_cases_and_manners() {
    let cases: BTreeSet<&str> = CASES.iter().map(|case| case.code).collect();
    for rule in RULES {
        // What evidence finds has its cases where things are made again.
        let is_evidence = evidence::is_code(rule.code);
        assert!(is_evidence || cases.contains(rule.code), "{} has no case", rule.code);
        let is_code = rule.code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(
            is_code && !rule.title.ends_with('.') && rule.reason.ends_with('.') && !rule.hint.ends_with('.'),
            "{}",
            rule.code
        );
        assert!(!matches!(rule.look, Scope::Elsewhere) || is_evidence || rule.code == "not-captured", "{}", rule.code);
    }
    let all: BTreeSet<&str> = RULES.iter().map(|rule| rule.code).collect();
    assert_eq!(all.len(), RULES.len(), "two rules of one code");
}

/// All places of a document where a number or a text stands.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                leaves(value, &format!("{at}/{}", key.replace('/', "~1")), found);
            }
        }
        Value::Array(list) => {
            for (key, value) in list.iter().enumerate() {
                leaves(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Number(_) | Value::String(_) => found.push(at.to_owned()),
        _ => {}
    }
}

proptest! {
    #[test]
    fn no_number_breaks_a_rule(changes in proptest::collection::vec((any::<proptest::sample::Index>(), 0..ODD.len()), 1..6)) {
        let mut scene = Scene::new();
        let record = &mut scene.own().record;
        let mut places = Vec::new();
        leaves(record, "", &mut places);
        for (place, odd) in changes {
            let place = place.get(&places);
            let was = record.pointer(place).cloned().unwrap();
            *record.pointer_mut(place).unwrap() = json!(ODD[odd]);
            // What is no record is refused by the archive; what is one has to be looked at.
            if serde_json::from_value::<plimsoll::model::record::Record>(record.clone()).is_err() {
                *record.pointer_mut(place).unwrap() = was;
            }
        }
        let archive = scene.archive();
        let chosen: Vec<(&Address, &Run)> = archive.runs().collect();
        for finding in audit(&Around::new(&archive, "Service"), &chosen) {
            prop_assert!(!finding.message.contains("NaN") && !finding.message.contains("inf "), "{}", finding.message);
            prop_assert!(finding.figures.values().all(|amount| amount.value.is_finite()));
        }
    }
}

/// Numbers that counts, rates and times are not meant to be.
const ODD: [f64; 10] = [0.0, -1.0, 0.5, 1.0, 1e-300, 1e15, 9_007_199_254_740_993.0, 1e300, f64::MAX, -1e300];
