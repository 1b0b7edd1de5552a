//! The rules and sums held against real statements: `../shared`, where it lies beside the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::Value as Json;

use plimsoll::capture::buckets::{Bucket, Buckets};
use plimsoll::capture::findings::Findings;
use plimsoll::capture::mapping::{Mapping, Meaning};
use plimsoll::capture::queries::{Names, Statement, Told, insights, normalised, tell};
use plimsoll::capture::track::{Kind, Point, Track, Tracks, Value};
use plimsoll::capture::{Capture, File, Window};
use plimsoll::model::catalogue::FigureId;
use plimsoll::model::figure::Figure;
use plimsoll::source::Source;

use crate::material;

/// A file or folder of the data.
fn shared(path: &str) -> Option<PathBuf> {
    material::shared(&format!("data/{path}"))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| unreachable!("{}: {e}", path.display()))
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|e| unreachable!("{text}: {e}"))
}

/// Text, calls and milliseconds of each row of a state, by its numbers.
fn rows(path: &Path) -> BTreeMap<String, (String, u64, f64)> {
    let mut reader = csv::Reader::from_path(path).unwrap_or_else(|e| unreachable!("{e}"));
    let heads = reader.headers().unwrap_or_else(|e| unreachable!("{e}")).clone();
    let column = |name: &str| heads.iter().position(|head| head == name);
    let keys: Vec<usize> = ["userid", "rolname", "dbid", "queryid", "toplevel"].into_iter().filter_map(column).collect();
    let [query, calls, time] =
        ["query", "calls", "total_exec_time"].map(|name| column(name).unwrap_or_else(|| unreachable!("{name}")));
    let mut rows = BTreeMap::new();
    for row in reader.records() {
        let row = row.unwrap_or_else(|e| unreachable!("{e}"));
        let key = keys.iter().map(|at| &row[*at]).collect::<Vec<_>>().join("/");
        let calls = row[calls].parse().unwrap_or_else(|e| unreachable!("{e}"));
        rows.insert(key, (row[query].to_owned(), calls, number(&row[time])));
    }
    rows
}

/// What came between two states.
fn statements(before: &Path, after: &Path) -> Vec<Statement> {
    let before = rows(before);
    let since = rows(after).into_iter().filter_map(|(key, (text, calls, ms))| {
        let (earlier_calls, earlier_ms) = before.get(&key).map_or((0, 0.0), |(_, calls, ms)| (*calls, *ms));
        let id = key.split('/').rev().find(|part| part.trim_start_matches('-').len() > 8).map(str::to_owned);
        let calls = calls.checked_sub(earlier_calls).filter(|calls| *calls > 0)?;
        Some(Statement { text, seconds: (ms - earlier_ms) / 1e3, calls: Some(calls), id })
    });
    since.collect()
}

fn told(source: &str) -> Told {
    let (source, method) = (source.to_owned(), "after - before".to_owned());
    Told { source, method, files: vec!["a.csv".to_owned()], window_s: None, lacking: None }
}

fn value(findings: &Findings, id: FigureId) -> Option<f64> {
    let found = findings.figures.iter().find(|candidate| candidate.id == id)?;
    found.figure.measured().map(|measurement| measurement.value)
}

fn observed(findings: &Findings, name: &str) -> f64 {
    let found = findings.observed.iter().find(|observation| observation.name == name);
    found.map_or(f64::NAN, |observation| observation.measurement.value)
}

fn assert_near(value: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((value - wanted).abs() <= tolerance, "{what}: {value}, not {wanted}");
}

const TOP: [&str; 5] = [
    "Projection handler lock (`pg_advisory_xact_lock`)",
    "Eventstore read barrier on `events2` (`pg_advisory_lock` / `unlock`)",
    "Shared advisory lock on `events2`, taken by every push",
    "Push events (`eventstore.push`)",
    "Reduce into projection (sessions8)",
];

/// The five most expensive statements with their seconds.
fn assert_top(findings: &Findings, wanted: &[f64]) {
    assert_eq!(
        findings.queries.iter().take(wanted.len()).map(|query| query.name.as_str()).collect::<Vec<_>>(),
        TOP[..wanted.len()]
    );
    for (query, wanted) in findings.queries.iter().zip(wanted) {
        assert_near(query.seconds.unwrap_or(f64::NAN), *wanted, 0.01, &query.name);
    }
}

#[test]
fn statements_of_postgresql_have_the_names_times_and_shares_of_the_answer_key() {
    let cases = [
        ("pg17", [2647.436, 103.847, 74.56, 42.1, 30.014], [2_919_871.0, 2_825_842.0, 227.9], [0.967_797, 0.975_116]),
        ("pg15", [604.314, 21.915, 15.902, 11.102, 8.204], [667_185.0, 642_131.0, 81.4], [0.962_448, 0.970_812]),
    ];
    for (version, seconds, times, shares) in cases {
        let Some(folder) = shared(&format!("capture/postgres/{version}")) else { return };
        let state = |role: &str| folder.join(format!("{role}.pg_stat_statements.csv"));
        let findings = tell(statements(&state("before"), &state("after")), &told("pg_stat_statements"), &Names::built_in());
        assert_top(&findings, &seconds);
        assert_near(observed(&findings, "query time"), times[0], 500.0, version);
        assert_near(observed(&findings, "lock-wait time"), times[1], 100.0, version);
        assert_near(observed(&findings, "transaction control"), times[2], 10.0, version);
        assert_near(value(&findings, FigureId::DatabaseLockWaitRatio).unwrap_or(f64::NAN), shares[0], 5e-4, version);
        assert_near(observed(&findings, "lock-wait share of the top 5"), shares[1], 5e-4, version);
        assert!(findings.queries.iter().all(|query| query.calls.is_some() && !query.ids.is_empty()));
    }
}

#[test]
fn the_rules_that_the_team_has_can_be_a_projects_own() {
    let Some(path) = shared("capture/postgres/query_names.toml") else { return };
    let own = Names::read(&Source::new("queries.toml", text(&path))).unwrap_or_else(|faults| unreachable!("{faults}"));
    for version in ["pg15", "pg17"] {
        let Some(folder) = shared(&format!("capture/postgres/{version}")) else { return };
        for (statement, _, _) in rows(&folder.join("after.pg_stat_statements.csv")).into_values() {
            let normal = normalised(&statement);
            assert_eq!(Names::built_in().of(&normal), own.of(&normal), "{normal}");
            assert_eq!(normalised(&normal), normal);
        }
    }
}

#[test]
fn the_dearest_statements_of_the_demo_runs_have_names_by_verb_and_table() {
    let Some(runs) = shared("demo/runs") else { return };
    let mut seen = 0;
    for entry in walkdir::WalkDir::new(&runs).sort_by_file_name() {
        let entry = entry.unwrap_or_else(|e| unreachable!("{e}"));
        if entry.file_name() != "pg_stat_statements.after.csv" {
            continue;
        }
        let before = entry.path().with_file_name("pg_stat_statements.before.csv");
        let findings = tell(statements(&before, entry.path()), &told("pg_stat_statements"), &Names::built_in());
        assert!(findings.told.is_empty(), "{:?}", findings.told);
        for query in findings.queries.iter().take(5) {
            assert!(!query.name.contains('#'), "{}: {}", entry.path().display(), query.name);
        }
        seen += 1;
    }
    assert!(seen > 10);
}

/// A time-series answer of Cloud Monitoring, as far as Query Insights' samples go.
fn tracks(path: &Path) -> Vec<Track> {
    let json: Json = serde_json::from_str(&text(path)).unwrap_or_else(|e| unreachable!("{e}"));
    let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
    let one = |series: &Json| {
        let labels = ["metric", "resource"].into_iter().filter_map(|of| series[of]["labels"].as_object());
        let labels = labels.flatten().map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()));
        let kind = if series["metricKind"] == "DELTA" { Kind::Delta } else { Kind::Cumulative };
        let mut track = Track {
            metric: series["metric"]["type"].as_str().unwrap_or_default().to_owned(),
            labels: labels.collect(),
            kind,
            unit: Some(json["unit"].as_str().unwrap_or("us{CPU}").to_owned()),
            target: None,
            points: list(&series["points"]).iter().map(point).collect(),
        };
        track.sort();
        track
    };
    list(&json["timeSeries"]).iter().map(one).collect()
}

fn point(point: &Json) -> Point {
    let moment = |key: &str| point["interval"][key].as_str().and_then(|text| text.parse::<DateTime<Utc>>().ok());
    let distribution = &point["value"]["distributionValue"];
    let value = match point["value"]["int64Value"].as_str() {
        Some(digits) => Value::Number(number(digits)),
        None => Value::Buckets(buckets(distribution)),
    };
    Point { start: moment("startTime"), end: moment("endTime").unwrap_or_else(|| unreachable!("a point has an end")), value }
}

fn buckets(distribution: &Json) -> Buckets {
    let of = |value: &Json| value.as_str().map_or_else(|| value.as_f64().unwrap_or_default(), number);
    let options = &distribution["bucketOptions"]["exponentialBuckets"];
    let (scale, growth) = (of(&options["scale"]), of(&options["growthFactor"]));
    let mut low = f64::NEG_INFINITY;
    let mut high = scale;
    let mut all = Vec::new();
    for count in distribution["bucketCounts"].as_array().into_iter().flatten() {
        all.push(Bucket { low, high, count: of(count) });
        (low, high) = (high, high * growth);
    }
    Buckets::new(all, Some(of(&distribution["mean"]) * of(&distribution["count"])))
}

/// What Query Insights' samples of some names tell of a window.
fn insights_of(names: &[&str], start: &str) -> Option<Findings> {
    let mut files = Vec::new();
    for name in names {
        let path = shared(&format!("capture/gcp-query-insights/perquery_{name}.json"))?;
        let tracks = tracks(&path);
        let source = Source::new(*name, "{}\n");
        let capture = Capture::Tracks(Tracks { tracks, limits: Vec::new() });
        files.push(File { source, path: format!("perquery_{name}.json"), kind: "monitoring", named: true, capture });
    }
    let mapping = Mapping::built_in();
    let mut series: Vec<(&Track, Meaning, &File)> = Vec::new();
    for file in &files {
        let Capture::Tracks(tracks) = &file.capture else { continue };
        for track in &tracks.tracks {
            series.push((track, mapping.meaning(track, file.stem()).unwrap_or_else(|e| unreachable!("{e}")), file));
        }
    }
    let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap_or_else(|e| unreachable!("{e}"));
    let window = Window { start: moment(start), end: moment("2026-11-30T08:17:44Z") };
    Some(insights(&series, Some(window), &Names::built_in()))
}

const START: &str = "2026-11-30T08:13:39Z";

#[test]
fn query_insights_times_are_those_of_the_answer_key() {
    for name in ["execution_time.ALIGN_DELTA.REDUCE_SUM.by_query", "execution_time.raw_series"] {
        let Some(findings) = insights_of(&[name], START) else { return };
        assert!(findings.told.is_empty(), "{:?}", findings.told);
        assert_top(&findings, &[2647.436, 103.847, 74.56, 42.1, 30.014]);
        assert_near(value(&findings, FigureId::DatabaseLockWaitRatio).unwrap_or(f64::NAN), 0.967_797, 5e-4, name);
        assert_near(observed(&findings, "query time"), 2_919_871.0, 500.0, name);
        assert_near(observed(&findings, "lock-wait time"), 2_825_842.0, 100.0, name);
        assert_near(observed(&findings, "lock-wait share of the top 5"), 0.975_116, 5e-4, name);
        assert_eq!(findings.database_time.map(|time| (time.statements, time.window_s)), Some((16, Some(245.0))));
        assert_eq!(findings.queries[0].calls, None);
        let coverage = findings.figures[0].figure.measured().and_then(|measurement| measurement.coverage);
        assert_eq!(coverage.map(|coverage| (coverage.seen, coverage.expected, coverage.period_s)), Some((1, 1, Some(245))));
    }
}

#[test]
fn a_counter_of_query_insights_is_the_difference_in_the_window() {
    for start in ["2026-11-30T08:13:44Z", START] {
        let Some(findings) = insights_of(&["execution_time.no_aggregation_cumulative"], start) else { return };
        assert_near(observed(&findings, "query time"), 2_117_948.59, 1.0, start);
        assert_eq!(value(&findings, FigureId::DatabaseLockWaitRatio), None);
        assert_eq!(findings.queries.len(), 1);
        let time = findings.observed.iter().find(|observation| observation.name == "query time");
        let coverage = time.and_then(|observation| observation.measurement.coverage);
        assert_eq!(coverage.map(|coverage| (coverage.seen, coverage.expected, coverage.period_s)), Some((5, 5, Some(60))));
    }
}

#[test]
fn lock_and_io_time_of_query_insights_are_no_share_but_a_second_estimate() {
    let Some(findings) = insights_of(&["lock_time.hw"], START) else { return };
    assert_near(observed(&findings, "lock time (hw)"), 2_784_717.5, 10.0, "lock time");
    let lock_wait = findings.figures.iter().find(|candidate| candidate.id == FigureId::DatabaseLockWaitRatio);
    assert!(lock_wait.is_some_and(|candidate| matches!(candidate.figure, Figure::NotCaptured { reason: Some(_) })));
    let Some(findings) = insights_of(&["io_time.write"], START) else { return };
    assert_near(observed(&findings, "io time (write)"), 733.36, 1.0, "io time");
    let both = ["execution_time.ALIGN_DELTA.REDUCE_SUM.by_query", "lock_time.hw"];
    let Some(findings) = insights_of(&both, START) else { return };
    assert_near(observed(&findings, "lock time / query time"), 0.953_713, 5e-4, "second estimate");
    assert!(findings.told.is_empty());
}

#[test]
fn latencies_of_query_insights_are_those_of_the_answer_key() {
    let Some(findings) = insights_of(&["latencies"], START) else { return };
    for (what, wanted, tolerance) in [
        ("calls", 23286.0, 0.0),
        ("mean latency", 124.1287, 0.01),
        ("latency p50", 90.613, 0.2),
        ("latency p95", 357.024, 0.2),
        ("latency p99", 611.629, 0.2),
    ] {
        assert_near(observed(&findings, &format!("{what} of {}", TOP[0])), wanted, tolerance, what);
    }
    let both = ["execution_time.raw_series", "latencies"];
    let Some(findings) = insights_of(&both, START) else { return };
    assert_eq!(findings.queries.iter().map(|query| query.calls).collect::<Vec<_>>()[..2], [Some(23286), None]);
}
