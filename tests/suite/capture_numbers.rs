//! What the command makes of series, against the same figures computed here straight from the documents, in windows drawn by a fixed
//! seed: inside the series, and half outside of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use chrono::{DateTime, SecondsFormat};
use serde_json::Value;

use super::capture_support::{figure, log, near, record};
use super::command::Folder;
use super::material::shared;

/// A window in seconds since 1970.
type Window = (i64, i64);
type Figures = Vec<(&'static str, f64)>;

/// A point: start and end of its period, its value.
type Point = (f64, f64, Value);

/// Windows over a range: two thirds of them inside, the others half outside.
fn windows(range: Window, seed: u64) -> Vec<Window> {
    let (length, mut state) = (range.1 - range.0, seed);
    let mut below = |limit: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap() % limit
    };
    let mut drawn = |n: u64| {
        let (a, b) = (below(length), below(length));
        let (first, last) = (range.0 + a.min(b), range.0 + a.max(b) + 61);
        match n % 6 {
            0 => (range.0 - below(length / 2), last),
            1 => (first, range.1 + 1 + below(length / 2)),
            _ => (first, last),
        }
    };
    (0..12).map(&mut drawn).collect()
}

fn seconds(text: &str) -> f64 {
    let at = DateTime::parse_from_rfc3339(text).unwrap();
    at.timestamp() as f64 + f64::from(at.timestamp_subsec_millis()) / 1e3
}

#[allow(clippy::cast_possible_truncation, reason = "moments of samples, some 2e9")]
fn second(at: f64) -> i64 {
    at.floor() as i64
}

fn written(at: i64) -> String {
    DateTime::from_timestamp(at, 0).unwrap().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The record of one file in a window.
fn ingested(path: &Path, rules: &str, window: Window) -> Value {
    let folder = Folder::new()
        .file("plimsoll.toml", "[metrics]\nrules = \"metrics.toml\"\n")
        .file("metrics.toml", format!("schema = 1\n{rules}"))
        .file("in/k6.log", log("a", &written(window.0), &written(window.1)))
        .file(&format!("in/{}", path.file_name().unwrap().to_str().unwrap()), fs::read(path).unwrap());
    folder.plimsoll(&["ingest", "in", "--release", "v9", "--target", "a"]).exits(0);
    record(&folder, "v9", "a")
}

/// The differences of a record from figures computed here, and from the moments that they were computed of.
fn differences(record: &Value, figures: &Figures, moments: i64, expected: i64) -> Vec<String> {
    let mut faults = Vec::new();
    let state = if moments * 10 >= expected * 9 { "measured" } else { "incomplete" };
    for (name, wanted) in figures {
        let found = figure(record, name);
        if !found["value"].as_f64().is_some_and(|value| near(value, *wanted, 1e-9)) {
            faults.push(format!("{name} is {} ({}), not {wanted}", found["value"], found["reason"]));
            continue;
        }
        let coverage = (found["coverage"]["seen"].as_i64(), found["coverage"]["expected"].as_i64());
        if coverage != (Some(moments), Some(expected)) || found["state"] != state {
            faults.push(format!("{name} is {} of {coverage:?}, not {state} of {moments}, {expected}", found["state"]));
        }
    }
    let wanted = |name: &String| figures.iter().any(|(own, _)| own == name);
    for (name, figure) in record["figures"].as_object().into_iter().flatten() {
        if figure["value"].is_number() && !wanted(name) {
            faults.push(format!("{name} is {figure}; nothing was expected"));
        }
    }
    faults
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(values: &[f64]) -> f64 {
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// All points of a `timeSeries.list` answer.
fn points(document: &Value) -> Vec<Point> {
    let series = document["timeSeries"].as_array().unwrap();
    let all = series.iter().flat_map(|series| series["points"].as_array().unwrap());
    let of = |point: &Value| {
        let at = |key: &str| point["interval"][key].as_str().map(seconds);
        let end = at("endTime").unwrap();
        (at("startTime").unwrap_or(end), end, point["value"].clone())
    };
    all.map(of).collect()
}

fn number(value: &Value) -> f64 {
    let whole = value["int64Value"].as_str().map(|digits| digits.parse().unwrap());
    whole.or_else(|| value["doubleValue"].as_f64()).unwrap_or(0.0)
}

/// The bounds of a distribution's buckets, from the underflow bucket's lower one to the overflow bucket's upper one.
fn bounds(options: &Value) -> Vec<f64> {
    let (linear, exponential) = (&options["linearBuckets"], &options["exponentialBuckets"]);
    let finite = |of: &Value| 0..=i32::try_from(of["numFiniteBuckets"].as_i64().unwrap()).unwrap();
    let of = |of: &Value, key: &str| of[key].as_f64().unwrap_or(0.0);
    let inner: Vec<f64> = if linear.is_object() {
        finite(linear).map(|i| of(linear, "offset") + of(linear, "width") * f64::from(i)).collect()
    } else if exponential.is_object() {
        finite(exponential).map(|i| of(exponential, "scale") * of(exponential, "growthFactor").powi(i)).collect()
    } else {
        options["explicitBuckets"]["bounds"].as_array().unwrap().iter().map(|bound| bound.as_f64().unwrap()).collect()
    };
    [0.0].into_iter().chain(inner).chain([f64::INFINITY]).collect()
}

/// The buckets of points added up: lower bound, upper bound, count; in order, none empty.
fn pooled(points: &[Point]) -> Vec<(f64, f64, f64)> {
    let mut counts: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    for distribution in points.iter().map(|(_, _, value)| &value["distributionValue"]) {
        let Some(list) = distribution["bucketCounts"].as_array() else { continue };
        let bounds = bounds(&distribution["bucketOptions"]);
        for (index, count) in list.iter().enumerate() {
            let count: f64 = count.as_str().unwrap().parse().unwrap();
            // Bits of numbers that are not below zero are in the order of the numbers.
            *counts.entry((bounds[index].to_bits(), bounds[index + 1].to_bits())).or_default() += count;
        }
    }
    let of = |((low, high), count): ((u64, u64), f64)| (f64::from_bits(low), f64::from_bits(high), count);
    counts.into_iter().filter(|(_, count)| *count > 0.0).map(of).collect()
}

fn percentile(buckets: &[(f64, f64, f64)], share: f64) -> f64 {
    let rank = share * buckets.iter().map(|(_, _, count)| count).sum::<f64>();
    let mut before = 0.0;
    for (low, high, count) in buckets {
        if before + count >= rank {
            return low + (high - low) * (rank - before) / count;
        }
        before += count;
    }
    f64::NAN
}

/// The figures of a file of Cloud Monitoring by what its name says that it holds.
fn figures(name: &str, inside: &[Point]) -> Figures {
    let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
    for (_, end, value) in inside {
        *sums.entry(end.to_bits()).or_default() += number(value);
    }
    let (minutes, values) = (sums.len() as f64, sorted(sums.into_values()));
    let (sum, middle, lowest, highest) = (values.iter().sum::<f64>(), median(&values), values[0], values[values.len() - 1]);
    let buckets = pooled(inside);
    let at = |share| percentile(&buckets, share);
    let top = || buckets[buckets.len() - 1].1;
    match name {
        "cloudsql.cpu_utilization" => vec![("database.cpu.median", middle), ("database.cpu.peak", highest)],
        "cloudsql.memory_utilization" => vec![("database.memory", middle)],
        "cloudsql.num_backends" => vec![("database.connections", middle)],
        "cloudsql.transaction_count" => vec![("database.transactions_per_s", sum / minutes / 60.0)],
        "cloudsql.disk_read_ops_count" => vec![("database.iops.read", sum / minutes / 60.0)],
        "cloudsql.disk_write_ops_count" => vec![("database.iops.write", sum / minutes / 60.0)],
        "instance_count.raw_by_state" | "instance_count.ALIGN_MEAN.REDUCE_SUM" => vec![
            ("container.instances.median", middle),
            ("container.instances.min", lowest),
            ("container.instances.max", highest),
        ],
        "request_count.raw_delta" => vec![("server.requests_per_s", sum / minutes / 60.0)],
        "request_count.ALIGN_RATE.REDUCE_SUM" => vec![("server.requests_per_s", sum / minutes)],
        "request_latencies.raw_distribution" => {
            vec![("server.latency.p50", at(0.5)), ("server.latency.p95", at(0.95)), ("server.latency.p99", at(0.99))]
        }
        "request_latencies.p95.ALIGN_DELTA.REDUCE_PERCENTILE_95" => vec![("server.latency.p95", middle)],
        "request_latencies.p99.ALIGN_PERCENTILE_99.REDUCE_MEAN" => vec![("server.latency.p99", middle)],
        "container_cpu_utilizations.raw_distribution" => {
            vec![("container.cpu.p50", at(0.5)), ("container.cpu.p99", at(0.99)), ("container.cpu.peak", top())]
        }
        "container_cpu_utilizations.ALIGN_PERCENTILE_99" => vec![("container.cpu.p99", middle)],
        "container_memory_utilizations.raw_distribution" => {
            vec![("container.memory.p50", at(0.5)), ("container.memory.peak", top())]
        }
        _ => panic!("{name} has no figures here"),
    }
}

const MONITORING: [&str; 15] = [
    "cloudsql.cpu_utilization",
    "cloudsql.memory_utilization",
    "cloudsql.num_backends",
    "cloudsql.transaction_count",
    "cloudsql.disk_read_ops_count",
    "cloudsql.disk_write_ops_count",
    "instance_count.raw_by_state",
    "instance_count.ALIGN_MEAN.REDUCE_SUM",
    "request_count.raw_delta",
    "request_count.ALIGN_RATE.REDUCE_SUM",
    "request_latencies.raw_distribution",
    "request_latencies.p95.ALIGN_DELTA.REDUCE_PERCENTILE_95",
    "request_latencies.p99.ALIGN_PERCENTILE_99.REDUCE_MEAN",
    "container_cpu_utilizations.raw_distribution",
    "container_memory_utilizations.raw_distribution",
];

#[test]
fn cloud_monitoring_gives_the_same_numbers_in_any_window() {
    let Some(folder) = shared("data/capture/gcp-monitoring") else { return };
    let (mut faults, mut compared) = (Vec::new(), 0);
    for (seed, name) in (1..).zip(MONITORING) {
        let path = folder.join(format!("{name}.json"));
        let document: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let is_delta = document["timeSeries"][0]["metricKind"] == "DELTA";
        let all = points(&document);
        let ends = sorted(all.iter().map(|(_, end, _)| *end));
        for (start, end) in windows((second(ends[0]) - 60, second(ends[ends.len() - 1])), seed) {
            let (from, to) = (start as f64, end as f64);
            let is_inside = |(begun, ended, _): &&Point| {
                let (whole, own) = (ended - begun, ended - begun.max(from));
                from < *ended && *ended <= to && (!is_delta || whole * 10.0 <= to - from || own * 2.0 >= whole)
            };
            let inside: Vec<Point> = all.iter().filter(is_inside).cloned().collect();
            let mut moments: Vec<u64> = inside.iter().map(|(_, end, _)| end.to_bits()).collect();
            moments.sort_unstable();
            moments.dedup();
            let wanted = if inside.is_empty() { Vec::new() } else { figures(name, &inside) };
            let moments = i64::try_from(moments.len()).unwrap();
            let expected = ((end - start) / 60).max(moments);
            let found = differences(&ingested(&path, "", (start, end)), &wanted, moments, expected);
            compared += wanted.len();
            faults.extend(found.into_iter().map(|fault| format!("{name} {start}..{end}: {fault}")));
        }
    }
    println!("{compared} figures of Cloud Monitoring compared");
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
    assert!(compared > 250, "only {compared} figures");
}

/// The series of an answer of Prometheus by their labels, with their points.
fn matrix(path: &Path) -> Vec<(Value, Vec<(f64, f64)>)> {
    let document: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let value = |point: &Value| (point[0].as_f64().unwrap(), point[1].as_str().unwrap().parse().unwrap());
    let of = |series: &Value| (series["metric"].clone(), series["values"].as_array().unwrap().iter().map(value).collect());
    document["data"]["result"].as_array().unwrap().iter().map(of).collect()
}

/// What the counters of a name grew by in a window: differences of points, from the last one before it that is not older than a
/// period and a half; a fall is a new beginning, and so is what the process's start says to be one.
fn grown(series: &[(Value, Vec<(f64, f64)>)], name: &str, (from, to): (f64, f64)) -> f64 {
    let started = |instance: &Value, after: f64, until: f64| {
        let own = series.iter().filter(|(labels, _)| labels["__name__"] == "process_start_time_seconds");
        let own = own.filter(|(labels, _)| labels["instance"] == *instance).flat_map(|(_, points)| points);
        own.into_iter().any(|(_, start)| after < *start && *start <= until)
    };
    let of_one = |(labels, points): &(Value, Vec<(f64, f64)>)| {
        let base = points.iter().rfind(|(at, _)| *at <= from).filter(|(at, _)| from - at <= 22.5);
        let inside = points.iter().filter(|(at, _)| from < *at && *at <= to);
        let chain: Vec<&(f64, f64)> = base.into_iter().chain(inside).collect();
        let began = base.is_none() && chain.first().is_some_and(|(at, _)| started(&labels["instance"], from, *at));
        let first = if began { chain[0].1 } else { 0.0 };
        let step = |pair: &[&(f64, f64)]| {
            let anew = pair[1].1 < pair[0].1 || started(&labels["instance"], pair[0].0, pair[1].0);
            if anew { pair[1].1 } else { pair[1].1 - pair[0].1 }
        };
        first + chain.windows(2).map(step).sum::<f64>()
    };
    series.iter().filter(|(labels, _)| labels["__name__"] == name).map(of_one).sum()
}

#[test]
fn raw_counters_of_prometheus_give_the_same_numbers_in_any_window() {
    let Some(path) = shared("data/capture/prometheus/query_range_pool_counters_raw_matrix.json") else { return };
    let (series, mut faults, mut compared) = (matrix(&path), Vec::new(), 0);
    let ends = sorted(series.iter().flat_map(|(_, points)| points.iter().map(|(at, _)| *at)));
    for window in windows((second(ends[0]), second(ends[ends.len() - 1])), 77) {
        let of = |name: &str| grown(&series, &format!("zitadel_database_pool_{name}_total"), (window.0 as f64, window.1 as f64));
        let (acquires, empty, wait) = (of("acquire_count"), of("empty_acquire_count"), of("acquire_duration_milliseconds"));
        if acquires <= 0.0 {
            continue;
        }
        let record = ingested(&path, "", window);
        for (name, wanted) in
            [("pool.acquires", acquires), ("pool.empty_ratio", empty / acquires), ("pool.mean_wait", wait / acquires)]
        {
            compared += 1;
            let found = figure(&record, name)["value"].as_f64();
            if !found.is_some_and(|found| near(found, wanted, 1e-9)) {
                faults.push(format!("{window:?}: {name} is {found:?}, not {wanted}"));
            }
        }
    }
    println!("{compared} figures of raw counters compared");
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
    assert!(compared > 25, "only {compared} figures");
}

#[test]
fn queries_of_prometheus_give_the_same_numbers_in_any_window() {
    let Some(folder) = shared("data/capture/prometheus") else { return };
    let (mut faults, mut compared) = (Vec::new(), 0);
    let latency = |figure: &str| format!("figure = \"{figure}\"\nunit = \"s\"\n");
    for (seed, file, figure, is_latency) in [
        (5, "query_range_latency_p0.5", "server.latency.p50", true),
        (6, "query_range_latency_p0.99", "server.latency.p99", true),
        (7, "query_range_http_rate", "server.requests_per_s", false),
    ] {
        let path = folder.join(format!("{file}.json"));
        let all: Vec<(f64, f64)> = matrix(&path).remove(0).1;
        let rule = if is_latency { latency(figure) } else { format!("figure = \"{figure}\"\n") };
        for (start, end) in windows((second(all[0].0), second(all[all.len() - 1].0)), seed) {
            let inside = all.iter().filter(|(at, value)| (start as f64) < *at && *at <= end as f64 && value.is_finite());
            let values = sorted(inside.map(|(_, value)| *value));
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let wanted = match values.len() {
                0 => Vec::new(),
                _ => vec![(figure, if is_latency { median(&values) * 1e3 } else { mean })],
            };
            let record = ingested(&path, &format!("[rule.own]\nfile = \"{file}\"\n{rule}"), (start, end));
            let moments = i64::try_from(values.len()).unwrap();
            let expected = ((end - start) / 15).max(moments);
            compared += wanted.len();
            let found = differences(&record, &wanted, moments, expected);
            faults.extend(found.into_iter().map(|fault| format!("{file} {start}..{end}: {fault}")));
        }
    }
    println!("{compared} figures of queries compared");
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
    assert!(compared > 25, "only {compared} figures");
}
