//! What scrapes tell of a run: gauges of each, and of two of a process what it counted between them.

use std::collections::BTreeSet;

use chrono::SecondsFormat;

use super::super::buckets::Quantile;
use super::super::findings::{Findings, Standing};
use super::super::mapping::{Meaning, Means};
use super::super::quantity::Quantity;
use super::super::{Capture, File, Role, Rules, Window};
use super::difference::Sums;
use super::pairs::{Course, Pair, State, pairs, process};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Measurement};
use crate::model::record::Observation;
use crate::model::units::{Unit, show_number};

/// The figures that need two scrapes.
const COUNTED: [FigureId; 7] = [
    FigureId::PoolAcquires,
    FigureId::PoolEmptyRatio,
    FigureId::PoolMeanWait,
    FigureId::ServerRequestsPerS,
    FigureId::ServerLatencyP50,
    FigureId::ServerLatencyP95,
    FigureId::ServerLatencyP99,
];

/// What the scrapes among the files tell. Two of one process are known by their names, which differ in `start` and `end` or `before`
/// and `after`; the moments between which it was counted are those of files like `scrape_start_time.txt`, else the window's.
#[must_use]
pub fn findings(files: &[&File], window: Option<Window>, rules: &Rules) -> Findings {
    let mut findings = Findings::default();
    let mut states: Vec<State<'_>> = files.iter().filter_map(|file| State::of(file, rules)).collect();
    if states.is_empty() {
        return findings;
    }
    states.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    max_open(&mut findings, &states, rules);
    let times = scrape_times(files);
    let (pairs, single) = pairs(&states);
    if let (Some(times), Some(window)) = (times, window)
        && (times.end <= window.start || window.end <= times.start)
    {
        let fault = states[0].file.complaint("no-overlap", "the scrapes were made at another time than the run");
        findings.told.push(fault.note(format!("scraped from {} to {}", text(times.start), text(times.end))));
        return nothing(findings, "the scrapes were made at another time than the run");
    }
    let count = Count::of(&pairs, &single, times.or(window), rules, &mut findings);
    if count.seen == 0 {
        let why = count
            .lacking
            .first()
            .cloned()
            .unwrap_or_else(|| "one scrape has no window: its counters count since the process began".to_owned());
        return nothing(findings, &why);
    }
    count.tell(&mut findings, times.is_some());
    findings
}

fn nothing(mut findings: Findings, why: &str) -> Findings {
    for id in COUNTED {
        findings.add(id, Figure::not_captured(why), Standing::None);
    }
    findings
}

fn text(at: chrono::DateTime<chrono::Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// When the scrapes were made, from files with the word `scrape` in their names that hold a moment each.
fn scrape_times(files: &[&File]) -> Option<Window> {
    let moment = |role: Role| {
        files.iter().find_map(|file| match file.capture {
            Capture::Moment(at) if Role::named(&file.path) == Some(role) && file.stem().contains("scrape") => Some(at),
            _ => None,
        })
    };
    let (start, end) = (moment(Role::Before)?, moment(Role::After)?);
    (start < end).then_some(Window { start, end })
}

/// The most connections that a pool may open: a gauge, so that each scrape tells it.
fn max_open(findings: &mut Findings, states: &[State<'_>], rules: &Rules) {
    let (mut highest, mut files, mut series) = (None, BTreeSet::new(), 0);
    for state in states {
        for track in state.tracks {
            let meaning = rules.mapping.meaning(track, state.file.stem());
            let Ok(Meaning { means: Means::Quantity(Quantity::PoolMaxOpen), factor, .. }) = meaning else { continue };
            if let Some(number) = track.points.first().and_then(|point| point.number()) {
                highest = Some(f64::max(highest.unwrap_or(f64::NEG_INFINITY), number * factor));
                files.insert(state.file.path.clone());
                series += 1;
            }
        }
    }
    if let Some(highest) = highest {
        let mut measured = Measurement::exact(highest, Unit::Count).by("the highest of one container's pool, in any scrape");
        measured.files = files.into_iter().collect();
        measured.series = Some(series);
        findings.add(FigureId::PoolMaxOpen, Figure::Measured(measured), Standing::Raw);
    }
}

/// What the pairs counted, and what of the window they did not see.
struct Count {
    sums: Sums,
    /// Processes whose counters could be told.
    seen: u64,
    restarts: u64,
    /// Why the sums are lower bounds.
    lacking: Vec<String>,
    /// Seconds between the scrapes.
    seconds: Option<f64>,
    coverage: Option<Coverage>,
}

impl Count {
    fn of(pairs: &[Pair<'_>], single: &[State<'_>], span: Option<Window>, rules: &Rules, findings: &mut Findings) -> Self {
        let seconds = span.map(Window::seconds);
        let (mut sums, mut lacking, mut seen, mut restarts, mut covered) = (Sums::default(), Vec::new(), 0, 0, 0.0);
        for pair in pairs {
            match pair.course(span) {
                Course::Same => covered += seconds.unwrap_or(0.0),
                Course::Restarted(at) => {
                    restarts += 1;
                    covered += span.map_or(0.0, |span| (span.end - at).as_seconds_f64());
                    lacking.push(format!("what {} counted before it restarted at {}", name(pair), text(at)));
                }
                Course::WrongOrder => {
                    lacking.push(format!("{}: its two scrapes are exchanged", name(pair)));
                    findings.told.push(wrong_order(pair));
                    continue;
                }
                Course::OtherServer => {
                    lacking.push(format!("{}: its two scrapes are of two processes", name(pair)));
                    findings.told.push(other_server(pair));
                    continue;
                }
            }
            sums.add(pair, matches!(pair.course(span), Course::Restarted(_)), rules);
            seen += 1;
        }
        if !pairs.is_empty() {
            lacking.extend(single.iter().map(|state| format!("{} has no other scrape beside it", state.file.path)));
        }
        let all = pairs.len() + if pairs.is_empty() { 0 } else { single.len() };
        let coverage =
            seconds.map(|seconds| Coverage { period_s: Some(1), ..Coverage::of(whole(covered), whole(seconds * all as f64)) });
        Self { sums, seen, restarts, lacking, seconds, coverage }
    }

    fn tell(self, findings: &mut Findings, timed: bool) {
        let sums = &self.sums;
        let difference = format!("difference of two scrapes, summed over {} processes", self.seen);
        let acquires = sums.of(Quantity::PoolAcquires);
        self.add(findings, FigureId::PoolAcquires, Quantity::PoolAcquires, acquires, |one| one.by(&difference));
        let share = |of: Option<f64>| of.zip(acquires.filter(|all| *all > 0.0)).map(|(part, all)| part / all);
        let empty = sums.of(Quantity::PoolEmptyAcquires);
        let ratio = |one: Measurement| one.of("acquires").by("empty acquires / all acquires, each the difference of two scrapes");
        self.add(findings, FigureId::PoolEmptyRatio, Quantity::PoolEmptyAcquires, share(empty), ratio);
        let wait = sums.of(Quantity::PoolWait);
        let mean = |one: Measurement| one.by("wait / all acquires, each the difference of two scrapes");
        self.add(findings, FigureId::PoolMeanWait, Quantity::PoolWait, share(wait), mean);
        let latency = sums.pooled(Quantity::ServerLatency);
        let requests = sums.of(Quantity::ServerRequests).or_else(|| latency.as_ref().map(|all| all.count()));
        let per_second = requests.zip(self.seconds).map(|(requests, seconds)| requests / seconds);
        let between = if timed { "between the scrapes" } else { "of the window" };
        let seconds = show_number(self.seconds.unwrap_or_default());
        let rate = |one: Measurement| one.by(format!("requests / {seconds} s {between}, each the difference of two scrapes"));
        self.add(findings, FigureId::ServerRequestsPerS, Quantity::ServerRequests, per_second, rate);
        let percentiles =
            [(FigureId::ServerLatencyP50, 0.5), (FigureId::ServerLatencyP95, 0.95), (FigureId::ServerLatencyP99, 0.99)];
        for (id, share) in percentiles {
            let value = match latency.as_ref().and_then(|all| all.quantile(share, 0.0)) {
                Some(Quantile::At(value)) => Some(value),
                _ => None,
            };
            let method = "le buckets pooled over processes, linear inside the bucket";
            self.add(findings, id, Quantity::ServerLatency, value, |one| one.by(method));
        }
        self.observe(findings, empty, wait, requests);
    }

    fn observe(&self, findings: &mut Findings, empty: Option<f64>, wait: Option<f64>, requests: Option<f64>) {
        let mut add = |name: String, value: Option<f64>, unit: Unit, quantity: Option<Quantity>, method: &str| {
            let Some(value) = value else { return };
            let measurement = self.measured(value, unit, quantity).by(method);
            for path in &measurement.files {
                findings.use_file(path, name.clone());
            }
            findings.observed.push(Observation { name, measurement });
        };
        let difference = "difference of two scrapes, summed";
        add("empty acquires".to_owned(), empty, Unit::Count, Some(Quantity::PoolEmptyAcquires), difference);
        add("wait".to_owned(), wait, Unit::Ms, Some(Quantity::PoolWait), difference);
        let waiting = wait.zip(empty.filter(|empty| *empty > 0.0)).map(|(wait, empty)| wait / empty);
        let upper = "wait / empty acquires: an upper estimate, since other acquires take time too";
        add("mean wait of waiting acquires".to_owned(), waiting, Unit::Ms, Some(Quantity::PoolWait), upper);
        add("requests".to_owned(), requests, Unit::Count, Some(Quantity::ServerRequests), difference);
        for (code, count) in &self.sums.codes {
            add(format!("requests by code {code}"), Some(*count), Unit::Count, Some(Quantity::ServerRequests), difference);
        }
        add("containers".to_owned(), Some(self.seen as f64), Unit::Count, None, "processes with two scrapes");
        let method = "processes whose process_start_time_seconds changed between the scrapes";
        add("restarts".to_owned(), Some(self.restarts as f64), Unit::Count, None, method);
    }

    /// Adds a figure, or that it was not captured.
    fn add(
        &self,
        findings: &mut Findings,
        id: FigureId,
        of: Quantity,
        value: Option<f64>,
        finish: impl Fn(Measurement) -> Measurement,
    ) {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            let why = if id == FigureId::ServerRequestsPerS && self.seconds.is_none() {
                "nothing says how long it was from one scrape to the other".to_owned()
            } else {
                format!("the scrapes tell nothing of it: no counter of {}, or nothing was counted", of.name())
            };
            return findings.add(id, Figure::not_captured(why), Standing::None);
        };
        let measured = finish(self.measured(value, id.unit(), Some(of)));
        let is_whole = measured.lacking.is_none() && measured.coverage.is_none_or(Coverage::is_complete);
        findings.add(id, if is_whole { Figure::Measured(measured) } else { Figure::Incomplete(measured) }, Standing::Raw);
    }

    fn measured(&self, value: f64, unit: Unit, of: Option<Quantity>) -> Measurement {
        let mut measured = Measurement::exact(value, unit);
        measured.coverage = self.coverage;
        measured.lacking = (!self.lacking.is_empty()).then(|| self.lacking.join("; "));
        measured.files = self.sums.files.iter().cloned().collect();
        measured.series = of.and_then(|of| self.sums.series.get(&of)).copied();
        measured
    }
}

/// Seconds cut to whole ones.
fn whole(seconds: f64) -> u64 {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a length of time is not negative; what is too long is cut"
    )]
    let whole = seconds.max(0.0) as u64;
    whole
}

fn name(pair: &Pair<'_>) -> String {
    let name = process(&pair.after.file.path);
    name.rsplit('/').next().unwrap_or(&name).trim_end_matches("_txt").to_owned()
}

fn wrong_order(pair: &Pair<'_>) -> Diagnostic {
    let message = "the two scrapes of this process are exchanged: counters are lower in the one that is called the later";
    pair.before
        .file
        .complaint("wrong-order", message)
        .at(pair.after.file.source.at(0..0))
        .help("exchange the names of the two files")
}

fn other_server(pair: &Pair<'_>) -> Diagnostic {
    let message = "these two scrapes are of two processes: they did not start at one moment, and neither restarted in between";
    let fault = pair.before.file.complaint("different-servers", message).at(pair.after.file.source.at(0..0));
    fault.help("keep the two scrapes of one process under names that differ in `start` and `end` alone")
}
