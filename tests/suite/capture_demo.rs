//! The demo's runs with everything that was captured beside them, one command a release: against `truth.csv`, the table of its
//! README, and the files themselves, read again in the slow and obvious way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::DateTime;
use plimsoll::model::catalogue::FigureId;
use plimsoll::model::derive;
use plimsoll::model::record::Record;
use serde_json::Value;

use super::capture_support::{figure, near, record, told};
use super::command::{Answer, Folder};
use super::material::shared;
use super::samples_demo::{Truth, truth_faults, truths};

/// A project that knows tokend's metrics and statements.
fn project() -> Folder {
    Folder::new()
        .file("plimsoll.toml", include_bytes!("../fixtures/demo/plimsoll.toml"))
        .file("metrics.toml", include_bytes!("../fixtures/demo/metrics.toml"))
        .file("queries.toml", include_bytes!("../fixtures/demo/queries.toml"))
}

/// A row of the README's table of machine states: the run, and its columns by their heads.
type Row = BTreeMap<String, String>;

fn readme(demo: &Path) -> BTreeMap<String, Row> {
    let text = std::fs::read_to_string(demo.join("README.md")).unwrap();
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("| run (in order)"));
    let heads = cells(lines.next().unwrap());
    let rows = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells);
    rows.map(|row| (row[0].clone(), heads.iter().cloned().zip(row).collect())).collect()
}

/// A run as it was ingested, with what there is to hold it against.
struct Ingested<'a> {
    truth: &'a Truth,
    row: Row,
    record: Value,
}

impl Ingested<'_> {
    fn value(&self, name: &str) -> Option<f64> {
        figure(&self.record, name)["value"].as_f64()
    }

    fn readme(&self, head: &str) -> f64 {
        self.row[head].parse().unwrap_or_else(|_| panic!("{head}: {}", self.row[head]))
    }

    fn window(&self) -> (f64, f64) {
        let second = |key: &str| {
            let text = self.record["window"][key].as_str().unwrap_or_else(|| panic!("the window has no {key}"));
            let moment = DateTime::parse_from_rfc3339(text).unwrap();
            moment.timestamp() as f64 + f64::from(moment.timestamp_subsec_micros()) / 1e6
        };
        (second("start"), second("end"))
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.truth.raw(name)).unwrap()
    }
}

/// What counters of a name add up to between two moments: differences of raw points, a fall is a new beginning at zero.
fn counted(answer: &Value, name: &str, from: f64, to: f64) -> f64 {
    let series = answer["data"]["result"].as_array().unwrap().iter().filter(|series| series["metric"]["__name__"] == name);
    let of_series = |series: &Value| {
        let point = |point: &Value| (point[0].as_f64().unwrap(), point[1].as_str().unwrap().parse::<f64>().unwrap());
        let points: Vec<(f64, f64)> = series["values"].as_array().unwrap().iter().map(point).collect();
        let before = points.iter().rev().find(|(at, _)| *at <= from).copied();
        let inside = points.iter().filter(|(at, _)| from < *at && *at <= to).copied();
        let chain: Vec<(f64, f64)> = before.into_iter().chain(inside).collect();
        let step = |pair: &[(f64, f64)]| if pair[1].1 < pair[0].1 { pair[1].1 } else { pair[1].1 - pair[0].1 };
        chain.windows(2).map(step).sum::<f64>()
    };
    series.map(of_series).sum()
}

/// What a counter has counted at its last point.
fn last(answer: &Value, name: &str) -> f64 {
    let series = answer["data"]["result"].as_array().unwrap().iter().find(|series| series["metric"]["__name__"] == name);
    series.unwrap()["values"].as_array().unwrap().last().unwrap()[1].as_str().unwrap().parse().unwrap()
}

/// The figures that every run of the demo has.
const EVERYWHERE: [&str; 16] = [
    "container.cpu.p50",
    "container.cpu.peak",
    "server.requests_per_s",
    "server.latency.p50",
    "server.latency.p95",
    "server.latency.p99",
    "pool.acquires",
    "pool.empty_ratio",
    "pool.mean_wait",
    "pool.max_open",
    "database.cpu.median",
    "database.cpu.peak",
    "database.transactions_per_s",
    "database.lock_wait_ratio",
    "client.cpu.peak",
    "client.cpu.steal",
];

fn provenance_faults(run: &Ingested<'_>, faults: &mut Vec<String>) {
    for name in EVERYWHERE {
        let found = figure(&run.record, name);
        let text = |key: &str| found[key].as_str().unwrap_or_default();
        let files = found["files"].as_array().into_iter().flatten().count();
        if found["value"].is_null() {
            faults.push(format!("{name} is not captured: {}", found["reason"]));
        } else if text("method").is_empty() || files == 0 {
            faults.push(format!("{name} does not say where it comes from: {found}"));
        }
    }
    if !figure(&run.record, "database.lock_wait_ratio")["of"].is_string() {
        faults.push("nothing says what the lock-wait share is a share of".to_owned());
    }
    let inputs = run.record["provenance"].as_array().unwrap();
    let known: BTreeSet<&str> = inputs.iter().filter_map(|input| input["path"].as_str()).collect();
    for (name, found) in run.record["figures"].as_object().into_iter().flatten() {
        for file in found["files"].as_array().into_iter().flatten() {
            if !known.contains(file.as_str().unwrap()) {
                faults.push(format!("{name} comes from {file}, which provenance does not name"));
            }
        }
    }
}

/// Iterations per second over the test phase, as the record derives them.
fn throughput_fault(run: &Ingested<'_>) -> Option<String> {
    let record: Record = serde_json::from_value(run.record.clone()).unwrap();
    let ours = derive::figure(&record, FigureId::K6TestIterationsPerS).measurement().map(|measurement| measurement.value);
    let wanted = run.truth.number("iterations_per_s");
    // truth.csv prints four decimals.
    let holds = ours.is_some_and(|ours| near(ours, wanted, 6e-5));
    (!holds).then(|| format!("{ours:?} iterations/s, not {wanted}"))
}

/// Pool counters over the window, exactly as their raw points have them. The README's table has other counts: from the start of
/// the process to the last scrape, up to six seconds after the run; the last points of the file are held against it.
fn pool_faults(run: &Ingested<'_>, faults: &mut Vec<String>) {
    let pool: Value = serde_json::from_str(&run.file("metrics/pool.json")).unwrap();
    let (from, to) = run.window();
    let figures = (run.value("pool.acquires"), run.value("pool.empty_ratio"), run.value("pool.mean_wait"));
    let (Some(acquires), Some(empty), Some(wait)) = figures else { return };
    let ours = [
        ("tokend_db_pool_acquires_total", acquires, 0.0),
        ("tokend_db_pool_empty_acquires_total", empty * acquires, 0.001),
        ("tokend_db_pool_acquire_wait_ms_total", wait * acquires, 0.01),
    ];
    for (name, ours, tolerance) in ours {
        let wanted = counted(&pool, name, from, to);
        if !near(ours, wanted, tolerance) {
            faults.push(format!("{name} counts {ours} in the window, not {wanted}"));
        }
    }
    for (name, head) in
        [("tokend_db_pool_empty_acquires_total", "empty acquires"), ("tokend_db_pool_acquire_wait_ms_total", "pool wait ms")]
    {
        let whole = last(&pool, name);
        if !near(whole, run.readme(head), 1.0) {
            faults.push(format!("{head} are {whole} at the end of the file, {} in the README", run.readme(head)));
        }
    }
    if run.value("pool.max_open") != Some(8.0) {
        faults.push(format!("the pool holds {:?}, not 8 connections", run.value("pool.max_open")));
    }
}

/// Shares of CPU near the README's means of the inner part of a run: a median is another figure, near it.
fn cpu_faults(run: &Ingested<'_>, faults: &mut Vec<String>) {
    for (name, head) in [("container.cpu.p50", "tokend cpu %"), ("database.cpu.median", "postgres cpu %")] {
        let (ours, wanted) = (run.value(name).map(|ratio| ratio * 200.0), run.readme(head));
        if !ours.is_some_and(|ours| near(ours, wanted, 2.0 + wanted * 0.1)) {
            faults.push(format!("{name} is {ours:?} per cent of a core, near {wanted} in the README"));
        }
    }
    let peak = run.value("client.cpu.peak").unwrap_or(f64::NAN) * 200.0;
    if !(run.readme("k6 cpu %")..60.0).contains(&peak) {
        faults.push(format!("client.cpu.peak is {peak} per cent of a core; the README's mean is {}", run.readme("k6 cpu %")));
    }
}

/// The share of CPU time that the host took: the mean of all points of the window, two cores being 200 per cent. The README leaves out
/// 15 s at either end, over which its rates are smeared; the same points give its column to the last digit, so the figure and the
/// README are of one series. The ends weigh a quarter, and one of them may have all the steal: the two means are not near each other.
fn steal_faults(run: &Ingested<'_>, faults: &mut Vec<String>) {
    let answer: Value = serde_json::from_str(&run.file("metrics/node_cpu_percent.json")).unwrap();
    let series = answer["data"]["result"].as_array().unwrap().iter().find(|series| series["metric"]["mode"] == "steal").unwrap();
    let (from, to) = run.window();
    let mean = |edge: f64| {
        let point = |point: &Value| (point[0].as_f64().unwrap(), point[1].as_str().unwrap().parse::<f64>().unwrap());
        let points = series["values"].as_array().unwrap().iter().map(point);
        let inside: Vec<f64> = points.filter(|(at, _)| from + edge < *at && *at <= to - edge).map(|(_, value)| value).collect();
        inside.iter().sum::<f64>() / inside.len() as f64
    };
    let ours = run.value("client.cpu.steal").map(|ratio| ratio * 200.0);
    if !ours.is_some_and(|ours| near(ours, mean(0.0), 1e-9)) {
        faults.push(format!("client.cpu.steal is {ours:?} per cent of a core, not {}", mean(0.0)));
    }
    if !near(mean(15.0), run.readme("steal %"), 0.05) {
        faults.push(format!("{} per cent stolen in the inner part, {} in the README", mean(15.0), run.readme("steal %")));
    }
}

/// What the service counts a second is what k6 asked for, the burst aside that the platform answered without asking the service. The
/// counter is seen every 5 s and began anew before the run; the rate leaves out the period of that, so the edges cost nothing.
fn request_fault(run: &Ingested<'_>) -> Option<String> {
    let unseen = if run.truth.release == "2.2.0" { 2_032.0 } else { 0.0 };
    let (from, to) = run.window();
    let asked = (run.truth.number("http_reqs") - unseen) / (to - from);
    let served = run.value("server.requests_per_s")?;
    (!near(served, asked, asked * 0.01)).then(|| format!("{served} requests/s served, {asked} asked for"))
}

/// The statements that a run of a target spends its time on, the first first.
fn top_query(release: &str, target: &str) -> (&'static str, &'static str) {
    match (release, target) {
        ("2.0.0", "add_session") => ("Session projection lock", "lock-wait"),
        (_, "user_info") => ("Profile of a user", "work"),
        _ => ("Push an event", "work"),
    }
}

fn query_faults(run: &Ingested<'_>, faults: &mut Vec<String>) {
    let queries = run.record["queries"].as_array().cloned().unwrap_or_default();
    let (name, class) = top_query(&run.truth.release, &run.truth.target);
    match queries.first() {
        Some(first) if first["name"].as_str().is_some_and(|own| own.starts_with(name)) && first["class"] == class => {
            if run.truth.target == "user_info" && !first["text"].as_str().unwrap_or_default().contains("user_profiles") {
                faults.push(format!("the top query is no look at user_profiles: {first}"));
            }
        }
        first => faults.push(format!("the top query is {first:?}, not {name} ({class})")),
    }
    let seconds: Vec<f64> = queries.iter().map(|query| query["seconds"].as_f64().unwrap_or(f64::NAN)).collect();
    if !seconds.is_sorted_by(|a, b| a >= b) {
        faults.push(format!("the queries are not in the order of their time: {seconds:?}"));
    }
    // Sum by text: one insertion stands under two ids.
    let inserted = queries.iter().filter(|query| query["name"].as_str().is_some_and(|own| own.starts_with("Push an event")));
    if inserted.count() > 1 {
        faults.push("one statement under two ids is two queries".to_owned());
    }
    let time = &run.record["database_time"];
    let share = time["lock_wait_s"].as_f64().unwrap_or(f64::NAN) / time["total_s"].as_f64().unwrap_or(f64::NAN);
    if !run.value("database.lock_wait_ratio").is_some_and(|ratio| near(ratio, share, 1e-6)) {
        faults.push(format!("the lock-wait share is {:?}; of {time} it is {share}", run.value("database.lock_wait_ratio")));
    }
    lock_faults(run, share, faults);
}

/// Lock waits were planted into `add_session` of 2.0.0, and sampled there and nowhere else.
fn lock_faults(run: &Ingested<'_>, share: f64, faults: &mut Vec<String>) {
    let is_planted = run.truth.release == "2.0.0" && run.truth.target == "add_session";
    if is_planted != (share > 0.5) {
        faults.push(format!("a lock-wait share of {share}"));
    }
    let sampled: Vec<&Value> =
        run.record["observed"].as_array().into_iter().flatten().filter(|one| is_lock_sample(one)).collect();
    let is_sampled = sampled.iter().any(|one| one["value"].as_f64() > Some(0.0));
    if is_sampled != (run.readme("lock-wait samples") > 0.0) {
        faults.push(format!("{} lock-wait samples in the README, {sampled:?} in the record", run.readme("lock-wait samples")));
    }
}

fn is_lock_sample(observation: &Value) -> bool {
    observation["name"].as_str().is_some_and(|name| name.contains("waiting for an advisory lock"))
}

/// Flags as `features.json` has them, set before the run began.
fn flag_faults(run: &Ingested<'_>, faults: &mut Vec<String>) {
    let answer: Value = serde_json::from_str(&run.file("features.json")).unwrap();
    let flags = &run.record["environment"]["service"]["flags"];
    let sequence = answer["details"]["sequence"].as_str().and_then(|digits| digits.parse::<u64>().ok());
    if flags["captured"]["sequence"].as_u64() != sequence {
        faults.push(format!("flags of the sequence {}, not {sequence:?}", flags["captured"]["sequence"]));
    }
    let changed = flags["captured"]["changed"].as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    if !changed.is_some_and(|changed| (changed.timestamp() as f64) < run.window().0) {
        faults.push(format!("flags changed at {changed:?}, not before the run"));
    }
    for (name, told) in answer.as_object().unwrap().iter().filter(|(name, _)| *name != "details") {
        let wanted = match (told["enabled"] == true, told["source"].is_string()) {
            (true, _) => "on",
            (false, true) => "explicitly-off",
            (false, false) => "off",
        };
        let ours = flags["flags"].as_array().into_iter().flatten().find(|flag| flag["name"].as_str() == Some(name));
        if ours.is_none_or(|flag| flag["state"] != wanted) {
            faults.push(format!("flag {name} is {ours:?}, not {wanted}"));
        }
    }
}

/// Settings of `config.yaml`, by which three of the planted changes can be told, and no password.
fn setting_faults(run: &Ingested<'_>, faults: &mut Vec<String>) {
    let groups = run.record["environment"]["service"]["settings"].as_array().cloned().unwrap_or_default();
    let entries: Vec<&Value> = groups.iter().flat_map(|group| group["entries"].as_array().into_iter().flatten()).collect();
    let value = |key: &str| entries.iter().find(|entry| entry["key"] == key).and_then(|entry| entry["value"].as_str());
    let iterations = if run.truth.release == "2.1.0" { "16000" } else { "32000" };
    let audited = if run.truth.release == "1.2.0" { "2500" } else { "0" };
    let limit = if run.truth.release == "2.0.0" { "2000" } else { "50" };
    for (key, wanted) in [
        ("secretHasher.iterations", iterations),
        ("secretHasher.auditIterations", audited),
        ("projections.sessions.catchUpLimit", limit),
        ("database.pool.maxConns", "8"),
    ] {
        if value(key) != Some(wanted) {
            faults.push(format!("setting {key} is {:?}, not {wanted}", value(key)));
        }
    }
    if value("database.password").is_some_and(|password| password.chars().any(|c| c.is_ascii_digit())) {
        faults.push("a password that looks like one".to_owned());
    }
}

/// Ingests a release of the demo and holds every run of it against all there is.
fn whole_release(release: &str, runs: usize) {
    let (Some(demo), Some(truths)) = (shared("data/demo"), truths()) else { return };
    let folder = project();
    let place = demo.join("runs").join(release);
    let answer = folder.plimsoll(&["-v", "ingest", place.to_str().unwrap(), "--release", release]).exits(0);
    let (rows, mut faults, mut held) = (readme(&demo), Vec::new(), 0);
    for truth in truths.iter().filter(|truth| truth.release == release && truth.run.exists()) {
        let rep = &truth.columns["rep"];
        let run = if rep == "1" { truth.target.clone() } else { format!("{}~{rep}", truth.target) };
        let record = record(&folder, release, &run);
        if record.is_null() {
            faults.push(format!("{run} has no record"));
            continue;
        }
        let row = rows[&format!("{release} {} {rep}", truth.target)].clone();
        let ingested = Ingested { truth, row, record };
        held += 1;
        faults.extend(run_faults(&ingested).into_iter().map(|fault| format!("{}: {fault}", truth.place())));
    }
    faults.extend(listing_faults(&answer, &truths, release));
    println!("{release}: {held} runs with all that was captured");
    assert!(faults.is_empty(), "{} differences:\n{}\n{}", faults.len(), faults.join("\n"), told(&answer.talk));
    assert_eq!(held, runs);
    // Nothing in it is taken for a secret, whatever its scripts call their requests.
    folder.plimsoll(&["build"]).exits(0);
}

fn run_faults(run: &Ingested<'_>) -> Vec<String> {
    let mut faults = truth_faults(run.truth, &run.record);
    faults.extend(throughput_fault(run));
    provenance_faults(run, &mut faults);
    pool_faults(run, &mut faults);
    cpu_faults(run, &mut faults);
    steal_faults(run, &mut faults);
    faults.extend(request_fault(run));
    query_faults(run, &mut faults);
    flag_faults(run, &mut faults);
    setting_faults(run, &mut faults);
    faults
}

/// A repetition is labelled by its folder's name, and that is said.
fn listing_faults(answer: &Answer, truths: &[Truth], release: &str) -> Vec<String> {
    let repeated = truths.iter().any(|truth| truth.release == release && truth.columns["rep"] == "2" && truth.run.exists());
    let is_said = answer.talk.contains("[label-from-folder]") || !repeated;
    if is_said { Vec::new() } else { vec!["nothing says that labels were taken from the names of folders".to_owned()] }
}

#[test]
fn release_1_0_0_comes_with_all_its_captures() {
    whole_release("1.0.0", 9);
}

#[test]
fn release_1_1_0_comes_with_all_its_captures() {
    whole_release("1.1.0", 2);
}

#[test]
fn release_1_2_0_comes_with_all_its_captures() {
    whole_release("1.2.0", 2);
}

#[test]
fn release_2_0_0_comes_with_its_scan_and_its_lock() {
    whole_release("2.0.0", 4);
}

#[test]
fn release_2_1_0_comes_with_all_its_captures() {
    whole_release("2.1.0", 1);
}

#[test]
fn release_2_2_0_comes_with_its_burst_and_all_its_captures() {
    whole_release("2.2.0", 1);
}

/// The median of the rows of a metric that lie in the window of a run.
fn median_of(csv: &str, target: &str, metric: &str, window: (f64, f64)) -> Option<f64> {
    let mut values: Vec<f64> = csv::Reader::from_reader(csv.as_bytes())
        .records()
        .map(|row| row.unwrap())
        .filter(|row| &row[0] == target && &row[1] == metric)
        .filter(|row| {
            let at = DateTime::parse_from_rfc3339(&row[2]).unwrap().timestamp() as f64;
            window.0 < at && at <= window.1
        })
        .map(|row| row[3].parse().unwrap())
        .collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[half]),
        _ => Some(f64::midpoint(values[half - 1], values[half])),
    }
}

#[test]
fn the_flat_sweep_comes_with_its_metrics_by_one_command() {
    let (Some(demo), Some(truths)) = (shared("data/demo"), truths()) else { return };
    let (sweep, folder) = (demo.join("flat-sweep"), project());
    let answer = folder.plimsoll(&["-v", "ingest", sweep.to_str().unwrap(), "--release", "1.0.0"]).exits(0);
    let csv = std::fs::read_to_string(sweep.join("bench-metrics-raw.csv")).unwrap();
    for target in ["add_session", "token_login", "user_info"] {
        let truth = truths.iter().find(|truth| truth.release == "1.0.0" && truth.target == target).unwrap();
        let run = Ingested { truth, row: Row::new(), record: record(&folder, "1.0.0", target) };
        let wanted = [
            ("database.cpu.median", "db_cpu", 1e-9),
            ("container.cpu.p50", "zit_cpu_p50", 1e-9),
            ("container.instances.median", "zit_instances", 0.0),
            ("server.latency.p99", "zit_lat_p99_ms", 1e-6),
        ];
        for (name, metric, tolerance) in wanted {
            let (ours, wanted) = (run.value(name), median_of(&csv, target, metric, run.window()));
            let same = ours.zip(wanted).is_some_and(|(ours, wanted)| near(ours, wanted, tolerance));
            assert!(same, "{target}: {name} is {ours:?}, not {wanted:?}\n{}", told(&answer.talk));
        }
        let latency = figure(&run.record, "server.latency.p99");
        assert_eq!(latency["grade"], "averaged-percentiles", "{target}: {latency}");
        let files = latency["files"].to_string();
        assert!(files.contains("bench-metrics-raw.csv"), "{target}: {files}");
    }
}
