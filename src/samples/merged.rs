//! What the threads of all files of a run added up, under common names.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::Fault;
use super::group::{Group, Member};
use super::ndjson::{Declared, declare};
use super::phases::moment_at;
use super::reading::{Added, Pass};
use super::rows::{Layout, MOST_METRICS, Rows, too_many_failures, too_many_metrics};
use super::tags::{MOST_CHECKS, MOST_FAILURES, MOST_NAMES, Parts, Told, TooMany};
use super::tally::{Part, Stream, Tally, Text};
use super::wanted::Keep;
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::failures::Phase;
use crate::model::summary::SummaryKind;
use crate::source::Source;

/// Raw samples of a run, added up.
///
/// Nothing in it depends on the order of rows, on the files they came in, on threads or on the size of reads.
pub struct Samples {
    tallies: Vec<Tally>,
    pieces: BTreeMap<String, BTreeMap<Piece, Vec<(usize, usize)>>>,
    /// What k6's JSON says of its metrics.
    pub(super) declared: BTreeMap<String, Declared>,
    /// Which form the files have: JSON only if all do.
    pub kind: SummaryKind,
    /// The files, in the order given.
    pub files: Vec<File>,
    /// What people should know.
    pub remarks: Vec<Diagnostic>,
    /// Which tags that tell phases every file has.
    pub(super) told: Told,
    pub(super) resolution_ns: i64,
    pub(super) too_many: TooMany,
}

/// A raw file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// What people know it by.
    pub name: String,
    /// Rows in it.
    pub rows: u64,
    /// Bytes of it as it lies there, packed or not.
    pub bytes: u64,
    /// BLAKE3 of them, in hex; `None` where nothing is kept of the file.
    pub blake3: Option<String>,
}

/// Which samples of a metric.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) phase: Option<Phase>,
    pub(super) expected: Option<bool>,
    pub(super) part: Named,
}

/// What tells samples of a metric apart, in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    Whole,
    Name(String),
    Failure(FailureKey),
    Check { group: String, name: String },
}

/// How and where a request failed; what is empty is not told.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FailureKey {
    pub(super) status: String,
    pub(super) error_code: String,
    pub(super) error: String,
    pub(super) method: String,
    pub(super) name: String,
}

/// What a thread leaves, whatever the layout.
struct Left {
    tally: Tally,
    names: Vec<String>,
    parts: Parts,
}

impl<L> From<Rows<L>> for Left
where
    L: Layout,
{
    fn from(rows: Rows<L>) -> Self {
        let Rows { tally, metrics, parts, .. } = rows;
        Self { tally, names: metrics.into_iter().map(|metric| metric.name).collect(), parts }
    }
}

impl Left {
    fn told_apart(&self) -> impl Iterator<Item = Part> {
        self.tally.streams.iter().map(|stream| stream.facet.part)
    }

    fn failure(&self, part: Part) -> Option<FailureKey> {
        let Part::Failure { status, error_code, error, method, name } = part else { return None };
        let text = |text: Text| self.parts.texts.get(text).to_owned();
        let (status, error_code) = (text(status), text(error_code));
        Some(FailureKey { status, error_code, error: text(error), method: text(method), name: text(name) })
    }
}

/// What all threads together have more of than is read at all.
fn beyond(left: &[Left]) -> impl Iterator<Item = Fault> {
    let metrics: BTreeSet<&str> = left.iter().flat_map(|left| &left.names).map(String::as_str).collect();
    let coarse = |key: FailureKey| (key.status, key.error_code, key.method);
    let failures = left.iter().flat_map(|left| left.told_apart().filter_map(|part| left.failure(part)).map(coarse));
    let failures: BTreeSet<(String, String, String)> = failures.collect();
    let metrics = (metrics.len() > MOST_METRICS).then(too_many_metrics);
    metrics.into_iter().chain((failures.len() > MOST_FAILURES).then(too_many_failures))
}

/// What has too many values in a thread, or in all of them together.
fn too_many(left: &[Left]) -> TooMany {
    let (mut names, mut failures, mut checks) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut alone = TooMany::default();
    for left in left {
        alone = alone.or(left.parts.too_many);
        let text = |text: Text| left.parts.texts.get(text);
        for part in left.told_apart() {
            match part {
                Part::Whole => {}
                Part::Name(name) => _ = names.insert(text(name)),
                Part::Failure { .. } => failures.extend(left.failure(part)),
                Part::Check { group, name } => _ = checks.insert((text(group), text(name))),
            }
        }
    }
    let together =
        TooMany { names: names.len() > MOST_NAMES, failures: failures.len() > MOST_FAILURES, checks: checks.len() > MOST_CHECKS };
    alone.or(together)
}

/// Seconds without a sample of `vus` above which a file holds two runs: k6 writes one every second.
const GAP: i64 = 60;

impl Samples {
    /// Puts the files of one run together.
    pub(super) fn of(passes: Vec<(String, Pass)>) -> Result<Self, Faults> {
        let mut samples = Self {
            tallies: Vec::new(),
            pieces: BTreeMap::new(),
            declared: BTreeMap::new(),
            kind: SummaryKind::Ndjson,
            files: Vec::new(),
            remarks: Vec::new(),
            told: Told { group: true, scenario: true },
            resolution_ns: 1,
            too_many: TooMany::default(),
        };
        let mut left: Vec<Left> = Vec::new();
        let mut faults = Vec::new();
        let mut parts: Vec<(String, std::ops::Range<usize>)> = Vec::new();
        for (name, pass) in passes {
            let from = left.len();
            faults.extend(samples.take(&name, pass, &mut left));
            faults.extend(two_runs(&name, &left[from..], samples.told));
            parts.push((name, from..left.len()));
        }
        // Without scenarios, a group of the script may be called `setup` too.
        faults.extend(samples.told.scenario.then(|| one_after_another(&parts, &left)).flatten());
        // Load generators of one run write their virtual users side by side.
        if faults.is_empty() && samples.files.len() > 1 {
            let files: Vec<&str> = samples.files.iter().map(|file| file.name.as_str()).collect();
            faults.extend(gap(&files.join(", "), &left));
        }
        // No thread has met all of them, so no row is the first one too many.
        for Fault { code, message, help, .. } in beyond(&left) {
            let name = samples.files.first().map_or("", |file| file.name.as_str());
            faults.push(Diagnostic::error(code, format!("{name}: {message}")).at(Source::new(name, "").at(0..0)).help(help));
        }
        Faults::check(faults)?;
        samples.too_many = too_many(&left);
        samples.remarks.extend(samples.too_many.notes().map(|note| Diagnostic::remark("too-many-kinds", note)));
        for (at, left) in left.into_iter().enumerate() {
            samples.index(at, &left);
            samples.tallies.push(left.tally);
        }
        Ok(samples)
    }

    /// Takes a file; gives the metric that it calls another thing than a file before, if there is one.
    fn take(&mut self, name: &str, pass: Pass, left: &mut Vec<Left>) -> Option<Diagnostic> {
        match pass {
            Pass::Csv(header, added) => {
                self.kind = SummaryKind::Csv;
                let has_fractions = added.workers.iter().any(|worker| worker.layout.has_fractions);
                let resolution = header.time_format.map_or(1_000_000_000, |format| format.resolution_ns(has_fractions));
                self.resolution_ns = self.resolution_ns.max(resolution);
                self.add(name, added, left);
                None
            }
            Pass::Ndjson(added) => {
                let declared = added.workers.iter().flat_map(|worker| worker.layout.declared.clone());
                let is_unlike =
                    |(metric, one): (String, Declared)| declare(&mut self.declared, &metric, one).is_err().then_some(metric);
                let unlike = declared.filter_map(is_unlike).min();
                let fractions = added.workers.iter().any(|worker| worker.layout.has_fractions);
                self.resolution_ns = self.resolution_ns.max(if fractions { 1 } else { 1_000_000_000 });
                self.add(name, added, left);
                unlike.map(|metric| apart(name, format!("`{metric}` is declared as metrics of two kinds")))
            }
        }
    }

    fn add<L: Layout>(&mut self, name: &str, added: Added<L>, left: &mut Vec<Left>) {
        let rows = added.workers.iter().map(|worker| worker.count).sum();
        self.files.push(File { name: name.to_owned(), rows, bytes: added.bytes, blake3: added.blake3 });
        self.remarks.extend(added.remarks);
        for worker in added.workers {
            let told = worker.layout.told();
            self.told = Told { group: self.told.group && told.group, scenario: self.told.scenario && told.scenario };
            left.push(worker.into());
        }
    }

    /// Files the streams of a thread under their names.
    fn index(&mut self, at: usize, left: &Left) {
        let text = |text: Text| left.parts.texts.get(text).to_owned();
        for (number, stream) in left.tally.streams.iter().enumerate() {
            let part = match stream.facet.part {
                Part::Name(name) if !self.too_many.names => Named::Name(text(name)),
                Part::Check { group, name } if !self.too_many.checks => Named::Check { group: text(group), name: text(name) },
                part @ Part::Failure { .. } => {
                    let key = left.failure(part).unwrap_or_default();
                    let (error, name) = (String::new(), String::new());
                    Named::Failure(if self.too_many.failures { FailureKey { error, name, ..key } } else { key })
                }
                Part::Whole | Part::Name(_) | Part::Check { .. } => Named::Whole,
            };
            let piece = Piece { phase: stream.facet.phase, expected: stream.facet.expected, part };
            let metric = left.names.get(stream.metric).cloned().unwrap_or_default();
            self.pieces.entry(metric).or_default().entry(piece).or_default().push((at, number));
        }
    }

    /// The metrics, by name.
    pub(super) fn metrics(&self) -> impl Iterator<Item = &str> {
        self.pieces.keys().map(String::as_str)
    }

    /// The samples of a metric that are wanted.
    pub(super) fn group(&self, metric: &str, wanted: impl Fn(&Piece) -> bool) -> Group<'_> {
        let pieces = self.pieces.get(metric).into_iter().flatten().filter(|(piece, _)| wanted(piece));
        self.gathered(pieces.flat_map(|(_, streams)| streams))
    }

    /// The samples of a metric, piece by piece in order.
    pub(super) fn by_piece(&self, metric: &str) -> impl Iterator<Item = (&Piece, Group<'_>)> {
        self.pieces.get(metric).into_iter().flatten().map(|(piece, streams)| (piece, self.gathered(streams)))
    }

    /// The samples of some streams, by tally and number; those of which nothing was kept are left out.
    fn gathered<'a>(&'a self, streams: impl IntoIterator<Item = &'a (usize, usize)>) -> Group<'a> {
        let member = |(tally, stream): &(usize, usize)| {
            let tally = self.tallies.get(*tally)?;
            let stream = tally.streams.get(*stream).filter(|stream| stream.keep != Keep::Nothing)?;
            Some(Member { tally, stream })
        };
        Group { members: streams.into_iter().filter_map(member).collect() }
    }

    /// The pieces of a metric, in order.
    pub(super) fn pieces(&self, metric: &str) -> impl Iterator<Item = &Piece> {
        self.pieces.get(metric).into_iter().flat_map(BTreeMap::keys)
    }

    /// The names of the requests in a part of the test.
    pub(super) fn request_names(&self, phase: Phase) -> Vec<String> {
        let named = |piece: &Piece| match &piece.part {
            Named::Name(name) if piece.phase == Some(phase) => Some(name.clone()),
            _ => None,
        };
        self.pieces("http_req_duration").filter_map(named).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The signs that a file holds more than one run: a gap in what k6 writes every second, a `setup()` behind a test.
fn two_runs(name: &str, left: &[Left], told: Told) -> Option<Diagnostic> {
    if let Some(gap) = gap(name, left) {
        return Some(gap);
    }
    let ((_, setup), (test, _)) = (span(left, Phase::Setup)?, span(left, Phase::Test)?);
    let why = format!("setup() goes on until {}, the test begins at {}", moment_of(setup), moment_of(test));
    // Without scenarios, a group of the script may be called `setup` too.
    (told.scenario && setup - test > SLACK).then(|| apart(name, why))
}

/// The sign that files are of runs that followed each other: a `setup()` of one behind the whole test of another. Load
/// generators of one run set up side by side, and a file that was split has one `setup()`.
fn one_after_another(parts: &[(String, std::ops::Range<usize>)], left: &[Left]) -> Option<Diagnostic> {
    let of = |range: &std::ops::Range<usize>, phase: Phase| span(&left[range.clone()], phase);
    parts.iter().find_map(|(earlier, test)| {
        let (_, end) = of(test, Phase::Test)?;
        let begins = |range| of(range, Phase::Setup).map(|(first, _)| first).filter(|first| first - end > SLACK);
        let (later, setup) = parts.iter().find_map(|(name, range)| Some((name, begins(range)?)))?;
        let why = format!("the test of {earlier} ends at {}, setup() begins at {}", moment_of(end), moment_of(setup));
        Some(apart(later, why))
    })
}

/// First and last sample of a phase, in nanoseconds since 1970.
fn span(left: &[Left], phase: Phase) -> Option<(i64, i64)> {
    streams(left, |_, stream| stream.facet.phase == Some(phase)).span()
}

/// The streams of threads that are wanted, those of which nothing was kept included.
fn streams(left: &[Left], wanted: impl Fn(&Left, &Stream) -> bool) -> Group<'_> {
    let all = left.iter().flat_map(|left| left.tally.streams.iter().map(move |stream| (left, stream)));
    let members = all.filter(|(left, stream)| wanted(left, stream));
    Group { members: members.map(|(left, stream)| Member { tally: &left.tally, stream }).collect() }
}

/// Times may be cut to whole seconds.
const SLACK: i64 = 1_000_000_000;

/// A gap in what k6 writes every second, in one file or in those of one run together.
fn gap(name: &str, left: &[Left]) -> Option<Diagnostic> {
    let vus = streams(left, |left, stream| left.names.get(stream.metric).is_some_and(|name| name == "vus"));
    let mut seconds: BTreeMap<i64, u64> = BTreeMap::new();
    vus.gauges(|second, latest| {
        let offset = seconds.entry(second).or_insert(u64::MAX);
        *offset = latest.offset.min(*offset);
    });
    let mut pairs = seconds.iter().zip(seconds.iter().skip(1));
    let ((before, _), (after, offset)) = pairs.find(|((before, _), (after, _))| *after - *before > GAP)?;
    let message = format!("k6 tells its virtual users every second, and there is nothing for {} s", after - before);
    let note = format!("byte {offset} of {name}: the first such row after {} is of {}", moment_in(*before), moment_in(*after));
    Some(apart(name, message).note(note))
}

/// The second of a time in nanoseconds since 1970, in words.
fn moment_of(ns: i64) -> String {
    moment_in(ns.div_euclid(1_000_000_000))
}

fn moment_in(second: i64) -> String {
    moment_at(second).page_text()
}

fn apart(name: &str, why: impl std::fmt::Display) -> Diagnostic {
    let help = "split the file where the second run begins, and ingest each run by itself";
    Diagnostic::error("two-runs", format!("{name}: these are two runs: {why}")).at(Source::new(name, "").at(0..0)).help(help)
}
