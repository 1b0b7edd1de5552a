//! Every raw file of the recordings against what k6 itself said at the end of the same run, and against the reference.
//!
//! First the reference is held against k6's own figures, so that it can be trusted; then the program against both. What the
//! recordings' README states as a difference is a row of [`EXCEPTIONS`] and printed with the places where it occurs.

#![allow(clippy::float_cmp, reason = "the same doubles are wanted, to the last bit")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use plimsoll::ingest::k6;
use plimsoll::model::stat::Stat;
use plimsoll::model::summary::{Check, Metric, MetricKind, Summary, SummaryKind};
use plimsoll::source::Source;
use serde_json::Value;

use super::command::{Answer, Folder};
use super::material::{folders, name, shared};
use super::samples_reference::{self as reference, Kind, Raw};

/// A raw file of a recorded run.
struct File {
    version: String,
    case: String,
    path: PathBuf,
}

/// Why a figure of raw samples differs from k6's, by the recordings' README.
const EXCEPTIONS: [(&str, &str); 7] = [
    ("kind", "CSV does not tell the kind of a script's metric: a counter or gauge reads as a trend, flags as a rate"),
    ("cut", "CSV: `%f` has six decimals; trends fed with more differ by less than 1e-6"),
    ("lost", "CSV: a counter of 4e-7 a sample is 0.000000"),
    ("gauge", "before v2.2 the maximum of a gauge that is always negative is 0"),
    ("empty", "metrics without a sample are in k6's summary only if a threshold names them, as zeros, and not in raw files"),
    ("infinite", "k6 counts infinite samples in, and its JSON has null for them; they are no number here"),
    (
        "hidden",
        "machine-readable: checks have no group; values that were not asked for, and metrics that compact hides, are missing",
    ),
];

/// Trends that their scripts feed with more than six decimals, by case.
fn is_cut(case: &str, metric: &str) -> bool {
    ["durations", "many-samples", "gz"].contains(&case) || metric == "payload_size"
}

/// A counter whose samples are below what `%f` shows.
fn is_lost(file: &File, metric: &str) -> bool {
    file.case == "counts" && metric == "c_small"
}

#[derive(Default)]
struct Ledger {
    files: usize,
    figures: usize,
    equal: usize,
    checks: usize,
    excepted: BTreeMap<&'static str, BTreeSet<String>>,
    faults: Vec<String>,
}

/// A figure's place: file, metric, statistic.
struct Place<'a> {
    file: &'a File,
    metric: &'a str,
}

impl Place<'_> {
    fn text(&self, stat: impl std::fmt::Display) -> String {
        let file = self.file;
        format!("{}/{}/{} {} {stat}", file.version, file.case, name(&file.path), self.metric)
    }
}

impl File {
    fn is_csv(&self) -> bool {
        !name(&self.path).contains(".json")
    }

    /// The files that a killed k6 leaves of its gzip streams: none was finished.
    fn is_empty(&self) -> bool {
        self.case == "killed" && self.path.extension().is_some_and(|ending| ending == "gz")
    }

    fn beside(&self, file: &str) -> Option<PathBuf> {
        Some(self.path.with_file_name(file)).filter(|path| path.exists())
    }

    fn exact(&self) -> Option<Summary> {
        let path = self.beside("handle-summary.json")?;
        let source = Source::from_bytes(path.display().to_string(), &fs::read(&path).unwrap());
        Some(k6::read(&source).unwrap_or_else(|faults| panic!("{faults}")))
    }

    /// The trend statistics that the run was asked for; those of `summary` where it is not told.
    fn stats(&self) -> Vec<String> {
        let told = self.beside("handle-summary.json").and_then(|path| {
            let data: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            let stats = data["options"]["summaryTrendStats"].as_array()?.iter();
            Some(stats.map(|stat| stat.as_str().unwrap().to_owned()).collect())
        });
        told.unwrap_or_else(|| reference::stats_of(Kind::Trend).iter().map(|stat| (*stat).to_owned()).collect())
    }
}

fn files() -> Option<Vec<File>> {
    let versions = folders(&shared("data/k6")?).into_iter().filter(|path| name(path).starts_with('v'));
    let mut files = Vec::new();
    for version in versions {
        for case in folders(&version) {
            let mut found: Vec<PathBuf> = fs::read_dir(&case).unwrap().map(|entry| entry.unwrap().path()).collect();
            found.retain(|path| name(path).starts_with("metrics.") || path.extension().is_some_and(|ending| ending == "csv"));
            found.sort();
            let of = |path| File { version: name(&version).to_owned(), case: name(&case).to_owned(), path };
            files.extend(found.into_iter().map(of));
        }
    }
    Some(files)
}

impl Ledger {
    fn except(&mut self, key: &'static str, place: String) {
        assert!(EXCEPTIONS.iter().any(|(known, _)| *known == key), "{key}");
        self.excepted.entry(key).or_default().insert(place);
    }

    /// Holds one metric's values against k6's.
    fn metric(&mut self, place: &Place<'_>, told: &Metric, exact: &Metric, raw: &Raw) {
        if told.kind != exact.kind {
            if place.file.is_csv() && is_lost(place.file, place.metric) {
                return self.except("lost", place.text(""));
            }
            if place.file.is_csv() && Kind::built_in(place.metric).is_none() {
                self.except("kind", place.text(format_args!("{:?} {:?}", exact.kind, told.kind)));
                return self.other_kind(place, told, exact);
            }
            return self.faults.push(place.text(format_args!("{:?}, not {:?}", told.kind, exact.kind)));
        }
        for (stat, wanted) in &exact.values.0 {
            // k6 divides by a clock that raw files don't have.
            if exact.kind == MetricKind::Counter && *stat == Stat::Rate {
                continue;
            }
            let found = told.value(*stat);
            match (found, wanted) {
                (Some(found), Some(wanted)) => self.figure(place, *stat, found, *wanted, told, raw),
                (None, None) => self.except("infinite", place.text(stat)),
                (Some(_), None) if place.file.case == "machine-readable" => self.except("hidden", place.text(stat)),
                other => self.faults.push(place.text(format_args!("{stat}: {other:?}"))),
            }
        }
    }

    fn figure(&mut self, place: &Place<'_>, stat: Stat, found: f64, wanted: f64, told: &Metric, raw: &Raw) {
        self.figures += 1;
        let metric = place.metric.split('{').next().unwrap();
        let (csv, own) = (place.file.is_csv(), Kind::built_in(metric).is_none());
        let near = |allowed: f64| (found - wanted).abs() <= allowed;
        let summed = stat == Stat::Avg || (told.kind == MetricKind::Counter && stat == Stat::Count);
        if let Some(bounds) = told.bounds.get(&stat)
            && !(bounds.contains(wanted) || near(wanted.abs() * 1e-12))
        {
            self.faults.push(place.text(format_args!("{stat}: {wanted} is outside of {bounds:?}")));
        }
        if found == wanted {
            self.equal += 1;
        } else if summed && near(wanted.abs() * 1e-12) {
        } else if csv && own && is_cut(&place.file.case, metric) && near(wanted.abs().max(1.0) * 1e-6) {
            self.except("cut", place.text(stat));
        } else if told.kind == MetricKind::Gauge && stat == Stat::Max && wanted == 0.0 && found < 0.0 {
            self.except("gauge", place.text(stat));
        } else {
            let values = raw.values(metric, |_| true).len();
            self.faults.push(place.text(format_args!("{stat}: {found}, not {wanted} ({values} samples)")));
        }
    }

    /// What must hold of a metric whose kind could not be known: its extremes and its sum.
    fn other_kind(&mut self, place: &Place<'_>, told: &Metric, exact: &Metric) {
        let near = |a: f64, b: f64| (a - b).abs() <= b.abs().max(1.0) * 1e-6;
        let same = match (told.kind, exact.kind) {
            (MetricKind::Trend, MetricKind::Gauge) => {
                let all = [Stat::Min, Stat::Max].map(|stat| told.value(stat).zip(exact.value(stat)));
                all.iter().flatten().all(|(a, b)| near(*a, *b) || *b == 0.0)
            }
            (MetricKind::Trend, MetricKind::Counter) => {
                let sum = told.value(Stat::Avg).zip(told.value(Stat::Count)).map(|(avg, count)| avg * count);
                sum.zip(exact.value(Stat::Count)).is_none_or(|(a, b)| near(a, b))
            }
            (MetricKind::Counter, MetricKind::Trend) => exact.value(Stat::Max).is_none_or(|max| near(max, 1.0)),
            (MetricKind::Rate, MetricKind::Counter) => told.value(Stat::Passes) == exact.value(Stat::Count),
            (MetricKind::Rate, MetricKind::Trend) => exact.value(Stat::Max).is_none_or(|max| max <= 1.0),
            _ => true,
        };
        if !same {
            self.faults.push(place.text(format_args!("{told:?} can't be {exact:?}")));
        }
    }

    /// Holds a summary against the one that k6 made of the same run.
    fn summary(&mut self, file: &File, told: &Summary, exact: &Summary, raw: &Raw) {
        for (name, metric) in &exact.metrics {
            let place = Place { file, metric: name };
            match told.metrics.get(name) {
                None if raw.values(name, |_| true).is_empty() => {
                    self.except(if raw.not_finite().contains_key(name) { "infinite" } else { "empty" }, place.text(""));
                }
                None => self.faults.push(place.text("is not in the summary")),
                Some(found) if raw.values(name, |_| true).is_empty() => {
                    let unknown = |(stat, value): (&Stat, &Option<f64>)| value.is_none() || *stat == Stat::Count;
                    if found.kind != metric.kind || !found.values.0.iter().all(unknown) {
                        self.faults.push(place.text(format_args!("has values without a number: {found:?}")));
                    }
                    self.except("infinite", place.text(""));
                }
                Some(found) => {
                    self.metric(&place, found, metric, raw);
                    for (tags, part) in &found.submetrics {
                        let whole = format!("{name}{{{tags}}}");
                        if let Some(exact) = metric.submetrics.get(tags) {
                            self.metric(&Place { file, metric: &whole }, part, exact, raw);
                        }
                    }
                }
            }
        }
        for name in told.metrics.keys().filter(|name| !exact.metrics.contains_key(*name)) {
            let detail = ["blocked", "connecting", "tls_handshaking", "sending", "waiting", "receiving"];
            let hidden = ["group_duration", "checks"].iter().any(|start| name.starts_with(start))
                || detail.iter().any(|part| name.strip_prefix("http_req_") == Some(part));
            let place = Place { file, metric: name };
            match exact.source.kind {
                SummaryKind::MachineReadable if hidden => self.except("hidden", place.text("")),
                _ => self.faults.push(place.text("is not in k6's summary")),
            }
        }
        self.checks(file, told, exact);
    }

    fn checks(&mut self, file: &File, told: &Summary, exact: &Summary) {
        let grouped = exact.checks.iter().any(|check| !check.group.is_empty());
        let keyed = |summary: &Summary| {
            let mut table: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
            for check in &summary.checks {
                let group = if grouped { check.group.clone() } else { String::new() };
                let counts = table.entry((group, check.name.clone())).or_default();
                *counts = (counts.0 + check.passes.unwrap(), counts.1 + check.fails.unwrap());
            }
            table
        };
        let (found, wanted) = (keyed(told), keyed(exact));
        self.checks += wanted.len();
        if !grouped && told.checks.iter().any(|check| !check.group.is_empty()) {
            self.except("hidden", format!("{}/{}", file.version, file.case));
        }
        if found != wanted {
            self.faults.push(format!("{}: checks {found:?}, not {wanted:?}", file.path.display()));
        }
    }

    fn report(&self, of: &str) {
        println!(
            "{of}: {} files, {} figures compared with k6's, {} of them equal to the last bit, {} checks",
            self.files, self.figures, self.equal, self.checks
        );
        for (key, reason) in EXCEPTIONS {
            let found = self.excepted.get(key);
            println!("  excepted {:4} ({key}): {reason}", found.map_or(0, BTreeSet::len));
            let metrics: BTreeSet<&str> = found.into_iter().flatten().filter_map(|place| place.split(' ').nth(1)).collect();
            println!("        {}", metrics.into_iter().take(40).collect::<Vec<_>>().join(" "));
        }
        let faults: Vec<&str> = self.faults.iter().take(60).map(String::as_str).collect();
        assert!(self.faults.is_empty(), "{of}: {} differences:\n{}", self.faults.len(), faults.join("\n"));
    }
}

/// The summary that the reference makes of a file, in the program's shape.
fn summarised(raw: &Raw, stats: &[String]) -> Summary {
    let mut summary = Summary::new(SummaryKind::Csv, None);
    for name in raw.metrics() {
        let of = |wanted: &dyn Fn(&reference::Sample) -> bool| metric(raw.kind(name), &raw.values(name, wanted), stats);
        let mut whole = of(&|_| true);
        if name == "http_req_duration" && !raw.values(name, |sample| sample.tag("expected_response") == "true").is_empty() {
            whole.submetrics.insert("expected_response:true".to_owned(), of(&|s| s.tag("expected_response") == "true"));
        }
        summary.metrics.insert(name.to_owned(), whole);
    }
    summary.checks = (raw.checks().into_iter())
        .map(|((group, name), (passes, fails))| Check { name, group, passes: Some(passes), fails: Some(fails) })
        .collect();
    summary
}

fn metric(kind: Kind, values: &[f64], stats: &[String]) -> Metric {
    let (model, names): (_, Vec<String>) = match kind {
        Kind::Trend => (MetricKind::Trend, stats.iter().cloned().chain(["count".to_owned()]).collect()),
        Kind::Counter => (MetricKind::Counter, vec!["count".to_owned()]),
        Kind::Rate => (MetricKind::Rate, ["rate", "passes", "fails"].map(str::to_owned).to_vec()),
        Kind::Gauge => (MetricKind::Gauge, ["value", "min", "max"].map(str::to_owned).to_vec()),
    };
    let mut metric = Metric::new(model, None);
    for name in names {
        metric.values.0.insert(name.parse().unwrap(), Some(reference::stat(kind, values, &name)));
    }
    metric
}

#[test]
fn the_reference_gives_k6s_own_figures() {
    let Some(files) = files() else { return };
    let mut ledger = Ledger::default();
    for file in files.iter().filter(|file| !file.is_empty()) {
        let Some(exact) = file.exact() else { continue };
        let raw = reference::read(&fs::read(&file.path).unwrap());
        ledger.files += 1;
        ledger.summary(file, &summarised(&raw, &file.stats()), &exact, &raw);
    }
    ledger.report("the reference");
    assert!(ledger.files > 180 && ledger.figures > 11_000, "{} files, {} figures", ledger.files, ledger.figures);
}

/// The summaries of some files, which one command reads: an array, an object a file.
fn summaries(files: &[&File], stats: Option<&str>) -> Vec<Value> {
    let folder = Folder::new();
    let asked = stats.map(|stats| ["--summary-trend-stats", stats]);
    let of = |files: &[&File]| {
        let paths = files.iter().map(|file| file.path.to_str().unwrap());
        let args: Vec<&str> =
            ["summary", "--format", "json"].into_iter().chain(asked.into_iter().flatten()).chain(paths).collect();
        folder.plimsoll(&args)
    };
    let all = of(files);
    if all.status == 0 && files.len() > 1 {
        let told: Vec<Value> = serde_json::from_str(&all.out).unwrap();
        assert_eq!(told.len(), files.len());
        return told;
    }
    // One at fault lets all down; it is looked for.
    let one = |file: &&File| serde_json::from_str(&of(&[*file]).exits(0).out).unwrap();
    files.iter().map(one).collect()
}

/// What is wrong with the answer to the file of a killed k6.
fn empty_faults(file: &File) -> Option<String> {
    let Answer { talk, status, .. } = Folder::new().plimsoll(&["summary", file.path.to_str().unwrap(), "--format", "json"]);
    // An archive of no byte is of no kind: to `summary` it is as little a log as it is a raw file.
    let told = talk.contains("no-samples") || (talk.contains("no-summary") && fs::read(&file.path).unwrap().is_empty());
    let right = status == 3 && told && talk.contains(name(&file.path));
    (!right).then(|| format!("{}: exit {status}, {talk}", file.path.display()))
}

/// What is wrong with a file's summary and series, against the reference.
fn reference_faults(file: &File, told: &Value, raw: &Raw) -> Vec<String> {
    let kind = if file.is_csv() { "csv" } else { "ndjson" };
    let wrong_kind = (told["source"]["kind"] != kind).then(|| format!("{}, not {kind}", told["source"]["kind"]));
    let series = Folder::new().plimsoll(&["series", file.path.to_str().unwrap()]);
    let series = match series.status {
        0 => reference::series_faults(&series.out, &raw.series()),
        // A run of k6's own metrics alone has no series.
        _ if raw.series().is_empty() => Vec::new(),
        status => vec![format!("series exits {status}, {}", series.talk)],
    };
    let all = reference::summary_faults(told, raw).into_iter().chain(wrong_kind).chain(series);
    all.map(|fault| format!("{}: {fault}", file.path.display())).collect()
}

/// All files of some versions. Two tests share them, so that both cores are busy.
fn all_of(versions: &[&str]) {
    let Some(files) = files() else { return };
    let mut ledger = Ledger::default();
    let of = |file: &&File| versions.contains(&file.version.as_str());
    let (empty, whole): (Vec<&File>, Vec<&File>) = files.iter().filter(of).partition(|file| file.is_empty());
    ledger.faults.extend(empty.iter().filter_map(|file| empty_faults(file)));
    let raws: Vec<Raw> = whole.iter().map(|file| reference::read(&fs::read(&file.path).unwrap())).collect();
    for ((file, told), raw) in whole.iter().zip(summaries(&whole, None)).zip(&raws) {
        ledger.files += 1;
        ledger.faults.extend(reference_faults(file, &told, raw));
    }
    let asked: BTreeSet<String> = whole.iter().map(|file| file.stats().join(",")).collect();
    for stats in asked {
        let asked = whole.iter().zip(&raws).filter(|(file, _)| file.stats().join(",") == stats);
        let exact: Vec<(&File, &Raw, Summary)> = asked.filter_map(|(file, raw)| Some((*file, raw, file.exact()?))).collect();
        let files: Vec<&File> = exact.iter().map(|(file, ..)| *file).collect();
        for ((file, raw, exact), told) in exact.iter().zip(summaries(&files, Some(&stats))) {
            ledger.summary(file, &serde_json::from_value(told).unwrap(), exact, raw);
        }
    }
    println!("{} raw files read, {} refused as they must be", whole.len(), empty.len());
    ledger.report(&versions.join(", "));
    assert!(ledger.files > 100 && ledger.figures > 5_000, "{} files, {} figures", ledger.files, ledger.figures);
}

const VERSIONS: [&[&str]; 2] = [&["v0.54.0", "v1.0.0-rc1", "v2.1.0"], &["v1.0.0", "v1.7.1", "v2.0.0"]];

#[test]
fn raw_files_give_k6s_own_figures() {
    all_of(VERSIONS[0]);
}

#[test]
fn raw_files_of_other_versions_give_k6s_own_figures() {
    all_of(VERSIONS[1]);
}

#[test]
fn no_version_is_left_out() {
    let Some(files) = files() else { return };
    let found: BTreeSet<&str> = files.iter().map(|file| file.version.as_str()).collect();
    assert_eq!(found, VERSIONS.concat().into_iter().collect());
    println!("{} raw files of {} versions", files.len(), found.len());
}

/// Rows between the lines of a console: `summary` reads k6's own text there, which is exact in what it says; `series` and
/// `errors` have nothing to read, since a console's lines may stand within a row.
#[test]
fn rows_in_a_console_log_are_no_raw_file() {
    let Some(k6) = shared("data/k6") else { return };
    let mut read = 0;
    for version in folders(&k6) {
        for case in ["csv-stdout", "json-stdout"] {
            let path = version.join(case).join("stdout.txt");
            let Some(path) = Some(&path).filter(|path| path.exists()).and_then(|path| path.to_str()) else { continue };
            let folder = Folder::new();
            let told: Value =
                serde_json::from_str(&folder.plimsoll(&["summary", path, "--format", "json"]).exits(0).out).unwrap();
            assert_eq!(told["source"]["kind"], "text", "{path}");
            for verb in ["series", "errors"] {
                folder.plimsoll(&[verb, path]).exits(3).says("stdout.txt");
            }
            read += 1;
        }
    }
    println!("{read} console logs with rows in them: read as k6's text, refused as raw files");
    assert!(read >= 6);
}
