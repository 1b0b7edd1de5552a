//! Every recorded run of k6 reads to the same figures, whatever form it was left in.
//!
//! The data of `handleSummary()` has exact values. Each other form of the same run must print, for every figure that it
//! prints at all, a number whose bounds hold the exact one; counts must be equal. What the recordings' README states as
//! a difference is a row of [`EXCEPTIONS`] and printed when it occurs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use plimsoll::ingest::k6;
use plimsoll::model::stat::Stat;
use plimsoll::model::summary::{Check, Metric, Summary, SummaryKind};
use plimsoll::source::Source;

use super::material::{folders, name, shared};

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), &fs::read(path).unwrap())
}

/// One recorded run: `v2.1.0`, `mixed`, its folder.
struct Run {
    version: String,
    case: String,
    path: PathBuf,
}

fn runs() -> Option<Vec<Run>> {
    let versions = folders(&shared("data/k6")?).into_iter().filter(|path| name(path).starts_with('v'));
    let of = |version: PathBuf| {
        folders(&version).into_iter().map(move |path| Run {
            version: name(&version).to_owned(),
            case: name(&path).to_owned(),
            path,
        })
    };
    Some(versions.flat_map(of).collect())
}

/// Differences between forms of one run that the recordings' README states: where, and its reason.
const EXCEPTIONS: [(&str, &[&str], &str); 8] = [
    ("no text", &["handle-file"], "the default text is suppressed: handleSummary() returns its own"),
    (
        "rate",
        &["abort-on-fail", "interrupted", "interrupted-sigterm", "many-vus", "test-abort", "setup-throws", "setup-timeout"],
        "trap 15: v1 and later compute an aborted run's duration twice, so rates differ in the last digits",
    ),
    (
        "failed",
        &["mark-failed"],
        "the same in a run that its script marked as failed; the README has this of aborted runs alone, the data of both",
    ),
    (
        "nested",
        &["mode-full"],
        "README, full mode: up to v1.0.0 all levels of nested groups stand at one depth, so no path is told",
    ),
    ("check", &[], "trap 10: the name is printed raw, so its colour can't be told from k6's"),
    (
        "hidden",
        &[],
        "README, text: compact hides six http_req_* trends, and metrics called checks... or group_duration... in all of v1",
    ),
    ("proto", &["weird"], "README, export: a check called __proto__ is lost"),
    ("stats", &[], "README, machine-readable: only avg, min, med, max, p90, p95; no thresholds, groups, rates of counters"),
];

/// What was compared, and what differs.
#[derive(Default)]
struct Ledger {
    figures: usize,
    checks: usize,
    thresholds: usize,
    excepted: BTreeMap<&'static str, BTreeSet<String>>,
    faults: Vec<String>,
}

impl Ledger {
    fn except(&mut self, key: &str, case: &str, what: String) -> bool {
        let Some((key, _, _)) = EXCEPTIONS.iter().find(|(k, cases, _)| *k == key && (cases.is_empty() || cases.contains(&case)))
        else {
            return false;
        };
        self.excepted.entry(key).or_default().insert(what);
        true
    }

    fn metric(&mut self, run: &Run, file: &str, name: &str, printed: &Metric, exact: &Metric) {
        let place = format!("{}/{}/{file} {name}", run.version, run.case);
        if printed.kind != exact.kind || (printed.unit.is_some() && printed.unit != exact.unit) {
            let (a, b) = ((printed.kind, printed.unit), (exact.kind, exact.unit));
            // A trend of infinities alone prints no unit; nor does a counter of a script's own in the export.
            self.faults.push(format!("{place}: {a:?}, not {b:?}"));
        }
        for (stat, value) in &printed.values.0 {
            let Some(wanted) = exact.values.0.get(stat) else {
                if !matches!(stat, Stat::Percentile(_)) {
                    self.faults.push(format!("{place} {stat}: {value:?}, but the data has none"));
                }
                continue;
            };
            self.figures += 1;
            let same = match (printed.bounds_of(*stat), wanted) {
                (Some(bounds), Some(wanted)) => bounds.contains(*wanted),
                (None, wanted) => wanted.is_none(),
                _ => false,
            };
            let twice = |ledger: &mut Self, key| ledger.except(key, &run.case, place.clone());
            if !same && !(*stat == Stat::Rate && (twice(self, "rate") || twice(self, "failed"))) {
                let bounds = printed.bounds_of(*stat);
                self.faults.push(format!("{place} {stat}: {value:?} {bounds:?}, not {wanted:?}"));
            }
        }
        for (tags, part) in &printed.submetrics {
            match exact.submetrics.get(tags) {
                Some(exact) => self.metric(run, file, &format!("{name}{{{tags}}}"), part, exact),
                None => self.faults.push(format!("{place}{{{tags}}}: not in the data")),
            }
        }
    }

    fn metrics(&mut self, run: &Run, file: &str, printed: &Summary, exact: &Summary) {
        for (name, metric) in &printed.metrics {
            match exact.metrics.get(name) {
                Some(exact) => self.metric(run, file, name, metric, exact),
                None => self.faults.push(format!("{}/{}/{file}: {name} is not in the data", run.version, run.case)),
            }
        }
        for (name, metric) in &exact.metrics {
            let place = format!("{}/{}/{file} {name}", run.version, run.case);
            match printed.metrics.get(name) {
                Some(found) => {
                    for tags in metric.submetrics.keys().filter(|tags| !found.submetrics.contains_key(*tags)) {
                        if !(may_hide(name) && self.except("hidden", &run.case, format!("{name}{{{tags}}}"))) {
                            self.faults.push(format!("{place}{{{tags}}} was not read"));
                        }
                    }
                }
                None if may_hide(name) && self.except("hidden", &run.case, name.clone()) => {}
                None => self.faults.push(format!("{place} was not read")),
            }
        }
    }

    fn checks(&mut self, run: &Run, file: &str, printed: &Summary, exact: &Summary) {
        let grouped = printed.checks.iter().any(|check| !check.group.is_empty()) || printed.source.kind == SummaryKind::Export;
        let place = format!("{}/{}/{file}", run.version, run.case);
        let (mut found, mut wanted) = (keyed(&printed.checks, grouped), keyed(&exact.checks, grouped));
        if grouped && printed.source.kind == SummaryKind::Text && found.len() != wanted.len() {
            (found, wanted) = (keyed(&printed.checks, false), keyed(&exact.checks, false));
        }
        if exact.checks.iter().any(|check| check.name.contains('\u{1b}')) {
            self.except("check", &run.case, "ansi \\x1b[31mred\\x1b[0m".to_owned());
        }
        for (key, wanted) in &wanted {
            self.checks += 1;
            match found.remove(key) {
                Some(found) if held(found, *wanted) => {}
                None if untold(run) && self.nested(run, key, *wanted, &mut found) => {}
                None if key.1 == "__proto__" && self.except("proto", &run.case, file.to_owned()) => {}
                other => self.faults.push(format!("{place}: check {key:?} is {other:?}, not {wanted:?}")),
            }
        }
        self.faults.extend(found.keys().map(|key| format!("{place}: check {key:?} is not in the data")));
    }

    /// A check of a nested group where the layout does not tell groups apart.
    fn nested(
        &mut self,
        run: &Run,
        key: &(String, String),
        wanted: Counts,
        found: &mut BTreeMap<(String, String), Counts>,
    ) -> bool {
        let without = (String::new(), key.1.clone());
        let told = found.get(&without).is_some_and(|found| held(*found, wanted));
        told && self.except("nested", &run.case, format!("{} {key:?}", run.version)) && found.remove(&without).is_some()
    }

    /// The status line is printed a little after the summary was made: its clock is never behind, and hardly ahead.
    fn clock(&mut self, run: &Run, file: &str, printed: &Summary, exact: &Summary) {
        let (Some(bounds), Some(exact)) = (printed.duration_bounds, exact.duration_s) else { return };
        if bounds.hi() < exact || bounds.lo() > exact + 1.0 {
            self.faults.push(format!("{}/{}/{file}: clock {bounds:?}, not {exact}", run.version, run.case));
        }
    }

    fn thresholds(&mut self, run: &Run, file: &str, printed: &Summary, exact: &Summary) {
        let place = format!("{}/{}/{file}", run.version, run.case);
        let marks_only = printed.thresholds.iter().any(|threshold| threshold.expression.is_empty());
        let table = |summary: &Summary| {
            let mut table: BTreeMap<(String, String), bool> = BTreeMap::new();
            for threshold in &summary.thresholds {
                let expression = if marks_only { String::new() } else { threshold.expression.clone() };
                *table.entry((threshold.metric.clone(), expression)).or_insert(true) &= threshold.passed.unwrap();
            }
            table
        };
        let (found, wanted) = (table(printed), table(exact));
        self.thresholds += wanted.len();
        if found != wanted {
            self.faults.push(format!("{place}: thresholds {found:?}, not {wanted:?}"));
        }
    }
}

fn may_hide(name: &str) -> bool {
    let detail = ["blocked", "connecting", "tls_handshaking", "sending", "waiting", "receiving"];
    name.starts_with("checks_")
        || name == "checks"
        || name.starts_with("group_duration")
        || detail.iter().any(|part| name.strip_prefix("http_req_") == Some(part))
}

/// True exactly if a version's full mode does not nest groups.
fn untold(run: &Run) -> bool {
    run.version.starts_with("v1.0.0")
}

/// Passes and fails.
type Counts = (Option<u64>, Option<u64>);

/// Counts by group and name; by name alone, added up, where a form does not tell groups.
fn keyed(checks: &[Check], grouped: bool) -> BTreeMap<(String, String), Counts> {
    let mut table = BTreeMap::new();
    for check in checks {
        let group = if grouped { check.group.clone() } else { String::new() };
        let name = check.name.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
        let entry = table.entry((group, name)).or_insert((Some(0), Some(0)));
        *entry = (entry.0.zip(check.passes).map(|(a, b)| a + b), entry.1.zip(check.fails).map(|(a, b)| a + b));
    }
    table
}

/// A check that prints its tick alone has no count of passes, and never failed.
fn held(found: Counts, wanted: Counts) -> bool {
    found == wanted || (found == (None, Some(0)) && wanted.1 == Some(0))
}

const TEXTS: [&str; 3] = ["stdout.txt", "console.log", "tty.log"];

#[test]
fn every_form_of_a_run_reads_to_the_same_figures() {
    let Some(runs) = runs() else { return };
    let mut ledger = Ledger::default();
    let (mut cases, mut files) = (0, 0);
    for run in runs.iter().filter(|run| run.path.join("handle-summary.json").exists()) {
        cases += 1;
        let exact =
            k6::read(&source(&run.path.join("handle-summary.json"))).unwrap_or_else(|e| panic!("{}: {e}", run.path.display()));
        for file in TEXTS.into_iter().chain(["summary-export.json", "handle-summary.min.json"]) {
            let path = run.path.join(file);
            if !path.exists() {
                continue;
            }
            let printed = match k6::read(&source(&path)) {
                Ok(printed) => printed,
                Err(_) if ledger.except("no text", &run.case, format!("{}/{}", run.version, run.case)) => continue,
                Err(faults) => {
                    ledger.faults.push(format!("{}: {faults}", path.display()));
                    continue;
                }
            };
            files += 1;
            compare(&mut ledger, run, file, &printed, &exact);
        }
    }
    report(&ledger, cases, files);
    assert!(ledger.faults.is_empty(), "{} differences:\n{}", ledger.faults.len(), ledger.faults.join("\n"));
    assert!(cases > 190 && files > 380 && ledger.figures > 15_000, "{cases} cases, {files} files, {} figures", ledger.figures);
}

fn compare(ledger: &mut Ledger, run: &Run, file: &str, printed: &Summary, exact: &Summary) {
    if exact.source.kind == SummaryKind::MachineReadable && printed.source.kind == SummaryKind::Text {
        ledger.except("stats", &run.case, format!("{}/{}", run.version, run.case));
        let narrowed = narrowed(printed, exact);
        ledger.metrics(run, file, &narrowed, exact);
        ledger.checks(run, file, &narrowed, exact);
        return;
    }
    ledger.metrics(run, file, printed, exact);
    ledger.checks(run, file, printed, exact);
    ledger.thresholds(run, file, printed, exact);
    ledger.clock(run, file, printed, exact);
}

/// The text as far as the machine-readable summary goes.
fn narrowed(printed: &Summary, exact: &Summary) -> Summary {
    let mut summary = printed.clone();
    for check in &mut summary.checks {
        check.group.clear();
    }
    for (name, metric) in &mut summary.metrics {
        let Some(wanted) = exact.metrics.get(name) else { continue };
        let keep = |metric: &mut Metric, wanted: &Metric| metric.values.0.retain(|stat, _| wanted.values.0.contains_key(stat));
        keep(metric, wanted);
        // What its thresholds print of parts of the hidden `checks` is missing there too.
        metric.submetrics.retain(|tags, _| name != "checks" || wanted.submetrics.contains_key(tags));
        for (tags, part) in &mut metric.submetrics {
            if let Some(wanted) = wanted.submetrics.get(tags) {
                keep(part, wanted);
            }
        }
    }
    summary
}

fn report(ledger: &Ledger, cases: usize, files: usize) {
    println!(
        "{cases} cases, {files} files against the exact data: {} figures, {} checks, {} thresholds compared",
        ledger.figures, ledger.checks, ledger.thresholds
    );
    for (key, cases, reason) in EXCEPTIONS {
        let found = ledger.excepted.get(key).map(BTreeSet::len).unwrap_or_default();
        println!("  excepted {found:4} ({key}, {cases:?}): {reason}");
        for what in ledger.excepted.get(key).into_iter().flatten().take(8) {
            println!("        {what}");
        }
    }
}

/// Every text file of every run: read whole, or refused with a fault that has a place and says what to do.
#[test]
fn every_log_reads_or_says_why_not() {
    let Some(runs) = runs() else { return };
    let (mut read, mut refused) = (0, BTreeMap::<&str, usize>::new());
    for run in &runs {
        for file in TEXTS.into_iter().chain(["stderr.txt"]) {
            let path = run.path.join(file);
            if !path.exists() {
                continue;
            }
            match k6::read_text(&source(&path)) {
                Ok(text) => {
                    read += 1;
                    check_verbatim(&path, &text);
                    assert_eq!(text.summary.aborted, is_aborted(run, &text), "{}", path.display());
                }
                Err(faults) => {
                    assert!(!prints_summary(run, file), "{}: {faults}", path.display());
                    let fault = &faults.list()[0];
                    assert!(!fault.places.is_empty() && fault.help.is_some(), "{faults}");
                    *refused.entry(fault.code).or_default() += 1;
                }
            }
        }
    }
    println!("{read} logs read, refused: {refused:?}");
    assert!(read > 250 && refused.keys().eq(["no-summary"].iter()), "{read} {refused:?}");
}

/// Reading the kept text gives the same run, and it has no escapes.
fn check_verbatim(path: &Path, text: &k6::TextRun) {
    let again =
        k6::read_text(&Source::new("k6.txt", text.verbatim.clone())).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut told = text.summary.clone();
    told.source.k6_version = None;
    assert_eq!(again.summary, told, "{}", path.display());
    assert_eq!(again.verbatim, text.verbatim, "{}", path.display());
    assert!(!text.verbatim.contains('\u{1b}'), "{}", path.display());
}

/// Runs that printed a summary by their README: not those that failed before, were killed, or had it switched off.
fn prints_summary(run: &Run, file: &str) -> bool {
    let silent = ["handle-file", "interrupted-twice", "killed", "no-summary", "mode-disabled"];
    file != "stderr.txt" && !run.case.starts_with("error-") && !silent.contains(&run.case.as_str())
}

/// Whether the run ended early *and* the file at hand shows it: `✗` or a run stuck in `setup()`, here in all of them.
fn is_aborted(run: &Run, text: &k6::TextRun) -> bool {
    let early =
        ["abort-on-fail", "interrupted", "interrupted-sigterm", "many-vus", "setup-throws", "setup-timeout", "test-abort"];
    let closed = !text.summary.scenarios.is_empty();
    closed && early.contains(&run.case.as_str())
}

#[test]
fn published_blocks_and_demo_logs_read_and_are_kept_verbatim() {
    let (Some(published), Some(demo)) = (shared("data/published"), shared("data/demo")) else { return };
    let mut paths = Vec::new();
    walk(&published, "k6.txt", &mut paths);
    assert!(paths.len() >= 32, "{} published blocks", paths.len());
    let published_count = paths.len();
    walk(&demo, ".log", &mut paths);
    for path in &paths {
        let text = k6::read_text(&source(path)).unwrap_or_else(|e| panic!("{e}"));
        check_verbatim(path, &text);
        let understood = text.summary.notes.iter().all(|note| note.starts_with("every time has two decimals"));
        assert!(understood && text.summary.duration_s.is_some(), "{}: {:?}", path.display(), text.summary.notes);
        assert_eq!(text.summary.metrics["iteration_duration"].values.0.len(), 6, "{}", path.display());
        assert!(!text.summary.aborted && text.summary.vus_max > Some(10), "{}", path.display());
        if path.extension().is_some_and(|e| e == "log") {
            let stamps = text.stamps;
            assert!(stamps.start.is_some() && stamps.end > stamps.start && stamps.target.is_some(), "{}", path.display());
            assert_eq!((stamps.vus, stamps.duration_s), (Some(12), Some(120.0)));
        }
    }
    println!("{published_count} published blocks, {} demo logs", paths.len() - published_count);
}

fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, ending, found);
        } else if name(&path).ends_with(ending) && !name(&path).contains("status") {
            found.push(path);
        }
    }
}

#[test]
fn the_seeds_read_without_indentation_and_with_glued_words() {
    let Some(seeds) = shared("data/seeds") else { return };
    let mut paths = Vec::new();
    walk(&seeds, ".txt", &mut paths);
    assert_eq!(paths.len(), 4);
    let runs: Vec<Summary> = paths
        .iter()
        .map(|path| {
            let text = k6::read_text(&source(path)).unwrap_or_else(|e| panic!("{e}"));
            check_verbatim(path, &text);
            text.summary
        })
        .collect();
    let rate = |run: usize, metric: &str| {
        let metric = &runs[run].metrics[metric];
        (metric.value(Stat::Passes), metric.value(Stat::Fails))
    };
    assert_eq!(rate(0, "http_req_failed"), (Some(1789.0), Some(3_071_708.0)));
    assert_eq!(rate(0, "checks"), (Some(4_606_202.0), Some(1789.0)));
    assert_eq!(rate(2, "http_req_failed"), (Some(5.0), Some(791_265.0)));
    assert_eq!(rate(3, "checks"), (Some(2_244_563.0), Some(2.0)));
    assert_eq!(runs[0].duration_s, Some(1841.8));
    assert_eq!(runs[0].vus_max, Some(600));
    assert_eq!(runs[0].iterations.complete, Some(1_535_996));
    assert_eq!(runs[0].scenarios[0].duration_s, Some(1800));
    assert_eq!(runs[0].checks.len(), 19);
    assert_eq!(runs[0].checks[15].fails, Some(905));
    assert!(runs[0].metrics["http_req_duration"].submetrics.contains_key("expected_response:true"));
    assert_eq!(runs[2].checks.last().map(|check| check.group.as_str()), Some("::teardown"));
    assert!(runs.iter().all(|run| run.notes.is_empty()), "{:?}", runs.iter().map(|r| &r.notes).collect::<Vec<_>>());
}
