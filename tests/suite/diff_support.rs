//! What tests of `diff` share: runs of made-up rows, the demo's runs ingested, answers read back and held against what every answer
//! promises.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plimsoll::model::comparison::{
    Change, Comparability, Comparison, Decision, Kind, Level, NoiseOrigin, Presence, Side, TargetComparison,
};

use super::command::{Answer, Folder, files_below};
use super::material::shared;
use super::samples_rows::{Dice, Row, plain};

/// Every form in which a comparison is told.
pub(crate) const FORMATS: [&str; 6] = ["text", "json", "markdown", "junit", "github", "html"];

/// A made-up run: the same number of iterations a second, one request in each.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// Seconds after the first moment of made-up runs at which it begins.
    pub(crate) start: i64,
    /// Length of the test in seconds.
    pub(crate) seconds: i64,
    /// Iterations a second.
    pub(crate) rate: i64,
    /// The median latency in milliseconds.
    pub(crate) ms: f64,
    /// How far latencies lie from it, a ratio: 0 is a constant series.
    pub(crate) spread: f64,
    /// Of every so many requests one fails; 0 is none.
    pub(crate) fails: i64,
    /// Bytes received by a request.
    pub(crate) bytes: f64,
    /// Virtual users.
    pub(crate) vus: f64,
    /// Whether iterations end.
    pub(crate) iterates: bool,
    /// Which random numbers.
    pub(crate) seed: u64,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            start: 0,
            seconds: 180,
            rate: 20,
            ms: 40.0,
            spread: 0.4,
            fails: 0,
            bytes: 500.0,
            vus: 10.0,
            iterates: true,
            seed: 1,
        }
    }
}

impl Load {
    /// Another run of the same build: another time, other noise.
    pub(crate) fn again(&self, number: u64) -> Self {
        Self { start: self.start + i64::try_from(number).unwrap() * 1_000, seed: self.seed + 1_000 * number, ..self.clone() }
    }

    fn rows(&self) -> Vec<Row> {
        const SECOND: i64 = 1_000_000_000;
        let (mut rows, mut dice) = (Vec::new(), Dice::new(self.seed));
        for number in 0..self.seconds * self.rate {
            let at = self.start * SECOND + number * SECOND / self.rate + 1_000_000;
            let shift = dice.below(2_000_001) as f64 / 1_000_000.0 - 1.0;
            let latency = self.ms * (1.0 + self.spread * shift);
            let failed = self.fails > 0 && number % self.fails == self.fails - 1;
            let tagged = |row: Row| {
                let row = row.tag("scenario", "default").tag("method", "GET").tag("name", "work").tag("proto", "HTTP/1.1");
                row.tag("status", if failed { "500" } else { "200" })
                    .tag("expected_response", if failed { "false" } else { "true" })
            };
            rows.push(tagged(Row::new("http_reqs", at, 1.0)));
            rows.push(tagged(Row::new("http_req_duration", at, latency)));
            rows.push(tagged(Row::new("http_req_failed", at, f64::from(u8::from(failed)))));
            rows.push(Row::new("data_received", at, self.bytes).tag("scenario", "default"));
            if self.iterates {
                rows.push(Row::new("iteration_duration", at, latency + 1.0).tag("scenario", "default"));
                rows.push(Row::new("iterations", at, 1.0).tag("scenario", "default"));
            }
            if number % self.rate == 0 {
                rows.push(Row::new("vus", at, self.vus));
                rows.push(Row::new("vus_max", at, self.vus));
            }
        }
        rows
    }
}

/// Ingests a made-up run; `run` is a target, or target and label.
pub(crate) fn with(folder: Folder, release: &str, run: &str, load: &Load) -> Folder {
    with_files(folder, release, run, &[("samples.csv", plain(&load.rows()))])
}

/// Ingests files as a run; `run` is a target, or target and label.
pub(crate) fn with_files(folder: Folder, release: &str, run: &str, files: &[(&str, Vec<u8>)]) -> Folder {
    let place = format!("in/{release}/{}", run.replace('~', "-"));
    let named = |folder: Folder, (name, bytes): &(&str, Vec<u8>)| folder.file(&format!("{place}/{name}"), bytes);
    let folder = files.iter().fold(folder, named);
    let (target, label) = run.split_once('~').unwrap_or((run, ""));
    let mut args = vec!["-q", "ingest", &place, "--release", release, "--target", target];
    if !label.is_empty() {
        args.extend(["--label", label]);
    }
    folder.plimsoll(&args).exits(0);
    folder
}

/// The settings of the demo's project, and more of them.
pub(crate) fn demo_settings(more: &str) -> String {
    include_str!("../fixtures/demo/plimsoll.toml").to_owned() + more
}

/// The difference of flags that the demo planted beside its changes.
pub(crate) const FLAGS_ACCEPTED: &str =
    "\n[contract]\naccept = [{ key = \"service.flags\", reason = \"the flag has no effect on what is tested\" }]\n";

/// A project with runs of the demo: releases, `1.0.0/token_login`, `1.0.0/token_login/2`; `None` where the demo is absent.
///
/// The demo is ingested once for one program; tests are processes of their own and wait for the first of them.
pub(crate) fn demo(more: &str, parts: &[&str]) -> Option<Folder> {
    let whole = ingested_once()?;
    let mut folder = demo_project(more);
    for part in parts {
        let mut names = part.split('/');
        let release = names.next().unwrap();
        let run = match (names.next(), names.next()) {
            (None, _) => String::new(),
            (Some(target), None) => target.to_owned(),
            (Some(target), Some("1")) => format!("{target}/"),
            (Some(target), Some(repetition)) => format!("{target}~{repetition}/"),
        };
        let of_part = |inside: &str| match run.strip_suffix('/') {
            Some(run) => inside.strip_prefix(run).is_some_and(|rest| rest.starts_with('/')),
            None => inside.strip_prefix(&run).is_some_and(|rest| run.is_empty() || rest.starts_with(['/', '~'])),
        };
        let release_folder = whole.join("data").join(release);
        for (inside, bytes) in files_below(&release_folder).into_iter().filter(|(inside, _)| of_part(inside)) {
            folder = folder.file(&format!("data/{release}/{inside}"), bytes);
        }
    }
    Some(folder)
}

fn demo_project(more: &str) -> Folder {
    Folder::new()
        .file("plimsoll.toml", demo_settings(more))
        .file("metrics.toml", include_bytes!("../fixtures/demo/metrics.toml"))
        .file("queries.toml", include_bytes!("../fixtures/demo/queries.toml"))
}

/// The archive of the whole demo, made by this very program; `None` where the demo is absent.
fn ingested_once() -> Option<PathBuf> {
    let demo = shared("data/demo")?;
    let program = std::fs::metadata(env!("CARGO_BIN_EXE_plimsoll")).unwrap();
    let made = program.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("demo-{}-{}", made.as_nanos(), program.len()));
    std::fs::create_dir_all(&place).unwrap();
    let lock = std::fs::File::create(place.join("lock")).unwrap();
    lock.lock().unwrap();
    if !place.join("whole").exists() {
        let folder = demo_project("");
        for release in WHOLE_DEMO {
            let runs = demo.join("runs").join(release);
            folder.plimsoll(&["-q", "ingest", runs.to_str().unwrap(), "--release", release]).exits(0);
        }
        for (inside, bytes) in folder.files("data") {
            let path = place.join("data").join(inside);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        std::fs::write(place.join("whole"), "").unwrap();
    }
    Some(place)
}

/// A project with runs of the demo, `1.0.0/token_login/2`, each ingested by itself, in the given order.
pub(crate) fn demo_in_order(more: &str, parts: &[&str]) -> Option<Folder> {
    let demo = shared("data/demo")?;
    let folder = demo_project(more);
    for part in parts {
        let names: Vec<&str> = part.split('/').collect();
        let place = demo.join("runs").join(part);
        let mut args = vec!["-q", "ingest", place.to_str().unwrap(), "--release", names[0]];
        // Of a folder that is named alone nothing tells that it is a repetition.
        if let Some(label) = names.get(2).filter(|label| **label != "1") {
            args.extend(["--label", label]);
        }
        folder.plimsoll(&args).exits(0);
    }
    Some(folder)
}

/// Everything in the demo.
pub(crate) const WHOLE_DEMO: [&str; 6] = ["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.1.0", "2.2.0"];

/// A JSON answer, held against what every comparison promises.
#[track_caller]
pub(crate) fn read(answer: &Answer) -> Comparison {
    let comparison: Comparison = serde_json::from_str(&answer.out)
        .unwrap_or_else(|error| panic!("no comparison ({error}), exit {}:\n{}\n{}", answer.status, answer.out, answer.talk));
    let faults = faults(&comparison);
    assert!(faults.is_empty(), "{} broken promises:\n{}", faults.len(), faults.join("\n"));
    comparison
}

/// Compares, whatever the exit status.
#[track_caller]
pub(crate) fn diff(folder: &Folder, a: &str, b: &str) -> Comparison {
    read(&folder.plimsoll(&["diff", a, b, "--format", "json"]))
}

/// A target of a comparison.
#[track_caller]
pub(crate) fn target<'a>(comparison: &'a Comparison, name: &str) -> &'a TargetComparison {
    let found = comparison.targets.iter().find(|target| target.target == name);
    found.unwrap_or_else(|| panic!("no target {name}: {:?}", comparison.targets.iter().map(|t| &t.target).collect::<Vec<_>>()))
}

/// A change of a target.
#[track_caller]
pub(crate) fn change<'a>(target: &'a TargetComparison, metric: &str) -> &'a Change {
    let found = target.changes.iter().find(|change| change.metric == metric);
    found.unwrap_or_else(|| {
        let known: Vec<&str> = target.changes.iter().map(|change| change.metric.as_str()).collect();
        panic!("no change of {metric} in {}: {known:?}, missing: {:?}", target.target, target.missing)
    })
}

/// Every change as a line, for the message of a failed test.
pub(crate) fn told(target: &TargetComparison) -> String {
    let line = |change: &Change| {
        format!(
            "{}: {:?} -> {:?}, ratio {:?} {:?}, difference {:?}, floor {}, detectable {:?}: {} {:?}",
            change.metric,
            change.a,
            change.b,
            change.ratio,
            change.interval,
            change.difference,
            change.floor,
            change.detectable,
            change.decision,
            change.notes
        )
    };
    let lines: Vec<String> = target.changes.iter().map(line).collect();
    format!("{} ({}):\n{}", target.target, target.contract.verdict.name(), lines.join("\n"))
}

/// The decisions of a target that are changes, `p50: regression`.
pub(crate) fn found(target: &TargetComparison) -> Vec<String> {
    let found = target.changes.iter().filter(|change| change.decision.is_change());
    found.map(|change| format!("{}: {}", change.metric, change.decision)).collect()
}

/// Everything that a comparison promises and does not hold.
pub(crate) fn faults(comparison: &Comparison) -> Vec<String> {
    let mut faults = headline_faults(comparison);
    for target in &comparison.targets {
        let own = target_faults(target)
            .into_iter()
            .chain(target.changes.iter().flat_map(|one| change_faults(target, one, comparison.method.floor_ms)));
        faults.extend(own.map(|fault| format!("{}: {fault}", target.target)));
    }
    faults
}

fn headline_faults(comparison: &Comparison) -> Vec<String> {
    let (headline, mut faults) = (&comparison.headline, Vec::new());
    let mut decisions: BTreeMap<Decision, u32> = BTreeMap::new();
    for change in comparison.targets.iter().flat_map(|target| &target.changes) {
        *decisions.entry(change.decision).or_default() += 1;
    }
    let told: BTreeMap<Decision, u32> = headline.decisions.clone().into_iter().filter(|(_, count)| *count > 0).collect();
    if told != decisions {
        faults.push(format!("the headline counts {told:?}, the changes are {decisions:?}"));
    }
    let compared: u32 = decisions.iter().filter(|(decision, _)| decision.is_compared()).map(|(_, count)| count).sum();
    if headline.comparisons != compared {
        faults.push(format!("the headline tells {} comparisons, {compared} were made", headline.comparisons));
    }
    let both: Vec<&TargetComparison> = comparison.targets.iter().filter(|target| target.presence == Presence::Both).collect();
    let with = |verdict: Comparability| both.iter().filter(|target| target.contract.verdict == verdict).count();
    let (weakened, refused) = (with(Comparability::Weakened), with(Comparability::NotComparable));
    let wanted = [both.len(), both.len() - refused, weakened];
    let told = [headline.targets, headline.comparable, headline.weakened].map(|count| usize::try_from(count).unwrap());
    if told != wanted {
        faults.push(format!("the headline tells targets, comparable, weakened {told:?}, not {wanted:?}"));
    }
    let changed: BTreeSet<&str> =
        comparison.targets.iter().filter(|target| !found(target).is_empty()).map(|target| target.target.as_str()).collect();
    let named: BTreeSet<&str> = headline.found.iter().map(|finding| finding.target.as_str()).collect();
    if changed != named {
        faults.push(format!("the headline found changes in {named:?}, they are in {changed:?}"));
    }
    if headline.sentence.trim().is_empty() {
        faults.push("the headline says nothing".to_owned());
    }
    faults
}

fn target_faults(target: &TargetComparison) -> Vec<String> {
    let mut faults = Vec::new();
    let names: BTreeSet<&str> = target.changes.iter().map(|change| change.metric.as_str()).collect();
    if names.len() != target.changes.len() {
        faults.push("a metric stands there twice".to_owned());
    }
    let open = target.contract.differences.iter().filter(|difference| difference.accepted.is_none());
    let worst = open.map(|difference| difference.level).max();
    let wanted = match worst {
        Some(Level::Blocking) => Comparability::NotComparable,
        Some(Level::Weakening) => Comparability::Weakened,
        _ => Comparability::Comparable,
    };
    if target.presence == Presence::Both && target.contract.verdict != wanted {
        faults.push(format!("the contract is {:?} although the worst difference is {worst:?}", target.contract.verdict));
    }
    let levels: Vec<Level> = target.contract.differences.iter().map(|difference| difference.level).collect();
    if !levels.is_sorted_by(|one, next| one >= next) {
        faults.push(format!("the worst difference does not stand first: {levels:?}"));
    }
    if target.missing.iter().any(|missing| missing.reason.trim().is_empty()) {
        faults.push(format!("something is missing without a reason: {:?}", target.missing));
    }
    let runs = |side: Side| {
        let runs = target.runs.iter().filter(move |run| run.side == side && run.left_out.is_none());
        runs.map(|run| run.run.as_str()).collect::<BTreeSet<&str>>()
    };
    if !target.same_runs && !runs(Side::A).is_disjoint(&runs(Side::B)) {
        faults.push(format!("a run stands on both sides: {:?}", target.runs.iter().map(|run| &run.run).collect::<Vec<_>>()));
    }
    faults
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-12)
}

fn change_faults(target: &TargetComparison, change: &Change, floor_ms: f64) -> Vec<String> {
    let mut faults = Vec::new();
    let refused = target.contract.verdict == Comparability::NotComparable && target.presence == Presence::Both;
    if refused && change.decision.is_compared() {
        faults.push(format!("decided although nothing may be concluded: {}", change.decision));
    }
    if !refused && change.decision == Decision::NotComparable {
        faults.push("not comparable although the contract lets it be compared".to_owned());
    }
    match (change.a, change.b, change.decision) {
        (None, Some(_), Decision::New) | (Some(_), None, Decision::Gone) => {}
        (None, _, _) | (_, None, _) => faults.push(format!("{:?} -> {:?} is {}", change.a, change.b, change.decision)),
        (Some(_), Some(_), Decision::New | Decision::Gone) => faults.push("new or gone although both sides have it".to_owned()),
        (Some(a), Some(b), _) if change.kind.is_share() => {
            let told = change.difference.map(|difference| difference.value);
            if change.ratio.is_some() || !told.is_some_and(|told| (told - (b - a)).abs() < 1e-12) {
                faults.push(format!("the difference of {a} and {b} is {told:?}, the ratio {:?}", change.ratio));
            }
        }
        (Some(a), Some(b), _) => {
            if change.ratio.is_some() != (a != 0.0) || change.ratio.is_some_and(|ratio| !near(ratio, b / a)) {
                faults.push(format!("{b} over {a} is {:?}", change.ratio));
            }
        }
    }
    if change.decision.is_compared() {
        faults.extend(interval_faults(change, floor_ms));
    }
    faults.into_iter().map(|fault| format!("{}: {fault}", change.metric)).collect()
}

/// An interval holds its estimate, and decides.
fn interval_faults(change: &Change, floor_ms: f64) -> Vec<String> {
    let mut faults = Vec::new();
    if change.kind.is_share() {
        if let Some(difference) = change.difference {
            let Some(interval) = difference.interval else { return vec!["a decision without an interval".to_owned()] };
            let (low, high, floor) = (interval.lo(), interval.hi(), change.floor);
            if !(low <= difference.value && difference.value <= high) {
                faults.push(format!("{} is not in {:?}", difference.value, difference.interval));
            }
            let holds = match change.decision {
                Decision::Regression => low > floor,
                Decision::Improvement => high < -floor,
                Decision::NoChange => low > -floor && high < floor,
                _ => true,
            };
            // Failures outside of bursts decide by themselves, and a baseline of none has no floor: the notes tell.
            let is_told = change.kind == Kind::Failures && (change.a == Some(0.0) || !change.notes.is_empty());
            if !holds && !is_told {
                faults.push(format!("{} of {:?} with floor {floor}", change.decision, difference.interval));
            }
        }
        return faults;
    }
    let (Some(ratio), Some(interval)) = (change.ratio, change.interval) else { return faults };
    let (low, high) = (interval.lo(), interval.hi());
    if !(low <= ratio && ratio <= high) {
        faults.push(format!("{ratio} is not in {interval:?}"));
    }
    // Of a latency, less than some milliseconds from either side is no change whatever its ratio, and a change is more.
    let (a, b) = (change.a.unwrap_or(0.0), change.b.unwrap_or(0.0));
    let from_both = |ratio: f64| ((ratio - 1.0).abs() * a).max((1.0 / ratio - 1.0).abs() * b);
    let own = |ratio: f64| if change.kind.is_latency() { from_both(ratio) } else { f64::INFINITY };
    let (edge, is_small) = (1.0 + change.floor, own(low) < floor_ms && own(high) < floor_ms);
    let (more, less) = (low > edge && own(high) > floor_ms, high < 1.0 / edge && own(low) > floor_ms);
    let (worse, better) = if change.kind.more_is_better() { (less, more) } else { (more, less) };
    let holds = match change.decision {
        Decision::Regression => worse,
        Decision::Improvement => better,
        Decision::NoChange => is_small || (low > 1.0 / edge && high < edge),
        _ => true,
    };
    if !holds {
        faults.push(format!("{} of {interval:?} with floor {}", change.decision, change.floor));
    }
    // What rounding and noise allow on the side of a worsening, and the floor beyond it.
    let side = if change.kind.more_is_better() { high / ratio } else { ratio / low };
    let (needed, is_same) = (side * edge - 1.0, change.noise.as_ref().is_some_and(|noise| noise.origin == NoiseOrigin::SameRuns));
    // Of samples that nobody counted nothing would be concluded, however large a change were.
    let is_uncounted = change.notes.iter().any(|note| note.starts_with("how many samples"));
    if change.detectable.is_some() == (is_same || is_uncounted)
        || change.detectable.is_some_and(|detectable| detectable < needed * 0.999)
    {
        faults.push(format!("{:?} is said to be detectable, with {interval:?} it takes {needed}", change.detectable));
    }
    faults
}
