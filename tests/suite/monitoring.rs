//! Every answer of Cloud Monitoring in the capture samples: read or refused as their answer key says, with its sums and percentiles.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use plimsoll::capture::buckets::{Buckets, Quantile};
use plimsoll::capture::mapping::{Mapping, Unmapped};
use plimsoll::capture::track::{Kind, Limit, Point, Track, Tracks};
use plimsoll::capture::{Capture, Window, monitoring};
use plimsoll::source::Source;
use toml::{Table, Value};

use crate::material;

/// A case of the answer key that is about one or more answers of this API.
struct Case {
    files: Vec<(String, Source)>,
    key: Table,
}

fn cases(folder: &Path) -> Vec<Case> {
    let key: Table = fs::read_to_string(folder.join("expected.toml")).unwrap().parse().unwrap();
    let cases = key["case"].as_array().unwrap().iter().map(|case| case.as_table().unwrap().clone());
    let ours = cases.filter(|case| {
        let files = case["files"].as_array().unwrap();
        let is_ours = |name: &str| {
            (name.starts_with("gcp-monitoring") || name.starts_with("gcp-query"))
                && Path::new(name).extension().is_some_and(|end| end == "json")
        };
        files.iter().all(|file| is_ours(file.as_str().unwrap()))
    });
    let read = |key: Table| {
        let names = key["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
        let files = names.map(|name| {
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            (name.clone(), Source::new(name, text))
        });
        Case { files: files.collect(), key }
    };
    ours.map(read).collect()
}

impl Case {
    fn word(&self, name: &str) -> &str {
        self.key.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn window(&self) -> Option<Window> {
        let window = self.key.get("window")?;
        let moment = |name: &str| window[name].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
        Some(Window { start: moment("start"), end: moment("end") })
    }

    /// The series of all files, if all have some.
    fn tracks(&self) -> Tracks {
        let mut whole = Tracks::default();
        for (name, source) in &self.files {
            assert!(monitoring::sniff(source), "{name} is not known");
            match monitoring::read(source) {
                Ok(Capture::Tracks(tracks)) => {
                    whole.tracks.extend(tracks.tracks);
                    whole.limits.extend(tracks.limits);
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        whole
    }

    /// A number of the key with its tolerance.
    fn number(&self, table: &str, name: &str) -> Option<(f64, f64)> {
        let row = self.key.get(table)?.get(name)?;
        let number = |name: &str| {
            let value = &row[name];
            value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64)).unwrap()
        };
        Some((number("value"), number("tolerance")))
    }

    /// Holds what was read against a number of the key, if the key has it.
    fn check(&self, table: &str, name: &str, read: impl FnOnce() -> f64, checked: &mut BTreeSet<String>) {
        let Some((wanted, tolerance)) = self.number(table, name) else { return };
        let read = read();
        assert!((read - wanted).abs() <= tolerance + 1e-9, "{:?}: {name} is {wanted}, read {read}", self.key["files"]);
        checked.insert(name.to_owned());
    }
}

fn points(tracks: &[Track], window: Window) -> impl Iterator<Item = &Point> {
    tracks.iter().flat_map(|track| &track.points).filter(move |point| window.holds(point.end))
}

fn sum(tracks: &[Track], window: Window) -> f64 {
    points(tracks, window).filter_map(Point::number).sum()
}

fn pooled(tracks: &[Track], window: Window) -> Buckets {
    Buckets::pooled(points(tracks, window).filter_map(Point::buckets))
}

fn percentile(buckets: &Buckets, percent: f64) -> f64 {
    match buckets.quantile(percent / 100.0, 0.0) {
        Some(Quantile::At(value)) => value,
        other => panic!("{other:?}"),
    }
}

fn with(tracks: &[Track], is_wanted: impl Fn(&Track) -> bool) -> Vec<Track> {
    tracks.iter().filter(|track| is_wanted(track)).cloned().collect()
}

#[test]
fn every_refusal_of_the_key_is_one() {
    let Some(folder) = material::shared("data/capture") else { return };
    let mut seen = BTreeSet::new();
    for case in cases(&folder) {
        let refuse = case.word("refuse");
        let (name, source) = &case.files[0];
        let code = match refuse {
            "error-envelope" => "error-answer",
            "no-data" => "no-data",
            "other-api" => "other-api",
            "unknown-kind" => {
                assert!(!monitoring::sniff(source), "{name} was taken");
                seen.insert("unknown-kind");
                continue;
            }
            "truncated" => {
                assert_eq!(case.tracks().limits.len(), 1, "{name}");
                seen.insert("truncated");
                continue;
            }
            _ => continue,
        };
        assert!(monitoring::sniff(source), "{name} is not known");
        match monitoring::read(source) {
            Ok(Capture::Refused(refusal)) => assert_eq!(refusal.code, code, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
        seen.insert(code);
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
}

#[test]
fn sums_and_coverage_are_those_of_the_key() {
    let Some(folder) = material::shared("data/capture") else { return };
    let mut checked = BTreeSet::new();
    for case in cases(&folder) {
        let (kind, Some(window)) = (case.word("kind"), case.window()) else { continue };
        if !["", "timeSeries.list", "timeSeries:query", "query-insights"].contains(&kind) || case.files.len() > 1 {
            continue;
        }
        let all = case.tracks();
        let tracks = &all.tracks;
        let buckets = pooled(tracks, window);
        let moments: BTreeSet<DateTime<Utc>> = points(tracks, window).map(|point| point.end).collect();
        let is_counter = tracks.iter().any(|track| track.kind == Kind::Cumulative);
        if let Some(coverage) = case.key.get("coverage").filter(|_| !is_counter) {
            assert_eq!(i64::try_from(moments.len()).ok(), coverage["seen"].as_integer(), "{:?}", case.key["files"]);
        }
        if let Some(dropped) = case.key.get("dropped") {
            let outside = tracks.iter().flat_map(|track| &track.points).filter(|point| !window.holds(point.end)).count();
            assert_eq!(i64::try_from(outside).ok(), dropped["points"].as_integer(), "{:?}", case.key["files"]);
        }
        let total = || if buckets.is_empty() { sum(tracks, window) } else { buckets.count() };
        for fact in ["requests", "transactions", "commits", "rollbacks", "samples", "calls"] {
            case.check("facts", fact, total, &mut checked);
        }
        for code in ["200", "201", "429"] {
            let of_code = || sum(&with(tracks, |track| track.label("response_code") == code), window);
            case.check("facts", &format!("requests by code {code}"), of_code, &mut checked);
        }
        if !is_counter {
            for fact in ["query time", "lock time (hw)", "io time (write)"] {
                case.check("facts", fact, || sum(tracks, window) / 1e6, &mut checked);
            }
        }
        case.check("facts", "statements", || tracks.len() as f64, &mut checked);
        for wait in ["Lock/advisory", "Lock/transactionid", "IO/WalSync", "LWLock/WALWrite", "Client/ClientRead"] {
            let is_it = |track: &Track| format!("{}/{}", track.label("wait_event_type"), track.label("wait_event")) == wait;
            let mean = || sum(&with(tracks, is_it), window) / moments.len() as f64;
            case.check("facts", &format!("mean sessions in {wait}"), mean, &mut checked);
        }
        case.check("expect", "container.instances.startups", || buckets.count(), &mut checked);
    }
    let wanted = ["requests", "transactions", "commits", "rollbacks", "samples", "calls", "query time", "statements"];
    assert!(wanted.iter().all(|name| checked.contains(*name)), "{checked:?}");
}

#[test]
fn counters_grow_by_what_the_key_says() {
    let Some(folder) = material::shared("data/capture") else { return };
    let mut checked = BTreeSet::new();
    for case in cases(&folder) {
        let (true, Some(_)) = (["timeSeries.list", "query-insights"].contains(&case.word("kind")), case.window()) else {
            continue;
        };
        let tracks = case.tracks().tracks;
        let counters = with(&tracks, |track| track.kind == Kind::Cumulative);
        if counters.is_empty() {
            continue;
        }
        let grown = |ending: &str| {
            let of_name = counters.iter().filter(|track| track.metric.ends_with(ending));
            let growth = |track: &Track| {
                let numbers: Vec<f64> = track.points.iter().filter_map(Point::number).collect();
                assert!(track.points.iter().all(|point| point.start == track.points[0].start), "the counter began anew");
                numbers[numbers.len() - 1] - numbers[0]
            };
            of_name.map(growth).sum::<f64>()
        };
        case.check("expect", "pool.acquires", || grown(".acquire_count"), &mut checked);
        case.check("facts", "empty acquires", || grown(".empty_acquire_count"), &mut checked);
        case.check("facts", "wait", || grown(".acquire_duration_milliseconds"), &mut checked);
        case.check("facts", "query time", || grown("/execution_time") / 1e6, &mut checked);
        let containers: BTreeSet<&str> = counters.iter().map(|track| track.label("task_id")).collect();
        case.check("facts", "containers", || containers.len() as f64, &mut checked);
    }
    assert_eq!(checked.len(), 5, "{checked:?}");
}

#[test]
fn percentiles_of_pooled_buckets_are_those_of_the_key() {
    let Some(folder) = material::shared("data/capture") else { return };
    let mut checked = BTreeSet::new();
    for case in cases(&folder) {
        let Some(window) = case.window().filter(|_| case.files.len() == 1) else { continue };
        if !["timeSeries.list", "query-insights"].contains(&case.word("kind")) {
            continue;
        }
        let tracks = case.tracks().tracks;
        let buckets = pooled(&tracks, window);
        if buckets.is_empty() {
            continue;
        }
        let unit = if tracks[0].unit.as_deref() == Some("us") { 1e-3 } else { 1.0 };
        for percent in [50, 95, 99] {
            let own = || percentile(&buckets, f64::from(percent)) * unit;
            for figure in ["container.cpu", "container.memory", "server.latency"] {
                case.check("expect", &format!("{figure}.p{percent}"), own, &mut checked);
            }
            case.check("facts", &format!("p{percent}"), own, &mut checked);
            let successes = with(&tracks, |track| track.label("response_code_class") == "2xx");
            let of_successes = || percentile(&pooled(&successes, window), f64::from(percent));
            case.check("facts", &format!("2xx only.p{percent}"), of_successes, &mut checked);
        }
        for figure in ["container.cpu.peak", "container.memory.peak"] {
            case.check("expect", figure, || buckets.highest().unwrap().high, &mut checked);
        }
        case.check("facts", "mean", || buckets.mean().unwrap() * unit, &mut checked);
    }
    assert!(checked.len() >= 15, "{checked:?}");
}

#[test]
fn the_built_in_rules_know_every_series_that_names_its_metric() {
    let Some(folder) = material::shared("data/capture") else { return };
    let rules = Mapping::built_in();
    for case in cases(&folder).into_iter().filter(|case| case.word("kind").starts_with("timeSeries.l")) {
        for (name, _) in &case.files {
            let stem = name.rsplit('/').next().unwrap().trim_end_matches(".json");
            for track in &case.tracks().tracks {
                let meaning = rules.meaning(track, stem);
                let is_known = meaning.is_ok() || meaning == Err(Unmapped::WhichPercentile) && case.files.len() > 1;
                assert!(is_known, "{name}: {} {meaning:?}", track.metric);
            }
        }
    }
}

#[test]
fn limits_are_told_in_the_words_of_the_api() {
    let Some(folder) = material::shared("data/capture/gcp-monitoring") else { return };
    let read = |name: &str| Source::new(name, fs::read_to_string(folder.join(name)).unwrap());
    let (one, two) = (read("paged.page1.json"), read("paged.page2_with_execution_error.json"));
    // Both pages in one file: the second is there, but not whole.
    let both = Source::new("both.json", format!("{}\n{}", one.text(), two.text()));
    let Ok(Capture::Tracks(tracks)) = monitoring::read(&both) else { panic!("no series") };
    let [Limit::Partial(words)] = &tracks.limits[..] else { panic!("{:?}", tracks.limits) };
    assert!(words.starts_with("code 14: Query execution incomplete"), "{words}");
}

#[test]
fn no_other_file_of_the_material_is_taken() {
    let Some(folder) = material::shared("data") else { return };
    let mut seen = 0;
    for entry in walkdir::WalkDir::new(&folder).into_iter().map(Result::unwrap) {
        let name = entry.path().strip_prefix(&folder).unwrap().display().to_string();
        let is_small = entry.file_type().is_file() && entry.metadata().unwrap().len() < 1_000_000;
        let Some(text) = is_small.then(|| fs::read_to_string(entry.path()).ok()).flatten() else { continue };
        let taken = monitoring::sniff(&Source::new(&name, text));
        let ours = name.starts_with("capture/gcp-monitoring") || name.starts_with("capture/gcp-query-insights");
        let other = ["promql_", "team_csv", "latency_percentile_comparison"].iter().any(|word| name.contains(word));
        assert_eq!(taken, ours && !other, "{name}");
        seen += usize::from(taken);
    }
    assert!(seen > 40, "{seen}");
}
