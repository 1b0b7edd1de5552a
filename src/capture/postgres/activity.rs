//! Samples of `pg_stat_activity`: what sessions were doing, looked at again and again.

use chrono::{DateTime, Utc};

use super::super::findings::{Findings, Standing};
use super::super::{Capture, File, Window};
use super::moment;
use super::table::{Cells, Row, Table};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Measurement};
use crate::model::record::Observation;
use crate::model::units::Unit;

/// Samples of `pg_stat_activity`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// The rows of client backends, oldest first; of the other processes only the moments.
    samples: Vec<Sample>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sample {
    at: DateTime<Utc>,
    pid: i64,
    /// Whether it is a connection of a client, not a process of the server itself.
    is_client: bool,
    state: State,
    waits: Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Active,
    Idle,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wait {
    Advisory,
    Lock,
    Other,
}

impl Activity {
    /// Reads samples.
    ///
    /// # Errors
    /// `bad-capture` at a row without a moment or process.
    pub(super) fn read(table: &Table) -> Result<Self, Faults> {
        let mut cells = Cells::of(table);
        let mut samples: Vec<Sample> = table.rows.iter().filter_map(|row| Sample::read(&mut cells, row)).collect();
        samples.sort();
        cells.checked(Self { samples })
    }
}

impl Sample {
    fn read(cells: &mut Cells, row: &Row) -> Option<Self> {
        let (at, pid) = (cells.moment(row), cells.number(row, "pid", "a process's number"));
        let column = moment::COLUMNS.into_iter().find(|column| cells.table.has(column)).unwrap_or_default();
        let (at, pid) = (cells.wanted(row, column, at), cells.wanted(row, "pid", pid));
        let state = match cells.table.text(row, "state") {
            Some("active") => State::Active,
            Some(state) if state.starts_with("idle") => State::Idle,
            _ => State::Other,
        };
        let waits = match (cells.table.text(row, "wait_event_type"), cells.table.text(row, "wait_event")) {
            (Some("Lock"), Some("advisory")) => Wait::Advisory,
            (Some("Lock"), _) => Wait::Lock,
            _ => Wait::Other,
        };
        let is_client = !cells.table.has("backend_type") || cells.table.text(row, "backend_type") == Some("client backend");
        Some(Self { at: at?, pid: pid?, is_client, state, waits })
    }
}

/// What the rounds of a window hold.
#[derive(Clone, Debug, PartialEq)]
struct Rounds {
    /// The connections of each round, in the order of time.
    connections: Vec<u64>,
    active: u64,
    waiting: u64,
    advisory: u64,
    idle: u64,
    coverage: Coverage,
}

impl Rounds {
    fn of(samples: &[Sample], window: Option<Window>) -> Self {
        let moments: Vec<DateTime<Utc>> = samples.iter().map(|sample| sample.at).collect();
        let all = moment::rounds(&moments);
        let starts: Vec<DateTime<Utc>> = all.iter().map(|round| moments[round.start]).collect();
        let inside = |at: DateTime<Utc>| window.is_none_or(|window| window.holds(at));
        let mut rounds =
            Self { connections: Vec::new(), active: 0, waiting: 0, advisory: 0, idle: 0, coverage: coverage(&starts, window) };
        for (range, _) in all.into_iter().zip(&starts).filter(|(_, at)| inside(**at)) {
            let clients: Vec<&Sample> = samples[range].iter().filter(|sample| sample.is_client).collect();
            let active = clients.iter().filter(|sample| sample.state == State::Active);
            rounds.connections.push(clients.len() as u64);
            rounds.active += active.clone().count() as u64;
            rounds.waiting += active.clone().filter(|sample| sample.waits != Wait::Other).count() as u64;
            rounds.advisory += active.filter(|sample| sample.waits == Wait::Advisory).count() as u64;
            rounds.idle += clients.iter().filter(|sample| sample.state == State::Idle).count() as u64;
        }
        rounds
    }

    fn rows(&self) -> u64 {
        self.connections.iter().sum()
    }

    fn per_round(&self, rows: u64) -> f64 {
        rows as f64 / self.connections.len() as f64
    }

    /// The middle of the connections of all rounds; of an even number the mean of the two middle ones.
    fn median(&self) -> f64 {
        let mut sorted = self.connections.clone();
        sorted.sort_unstable();
        let middle = sorted.len() / 2;
        let upper = sorted.get(middle).copied().unwrap_or_default();
        let lower =
            if sorted.len().is_multiple_of(2) { sorted.get(middle.wrapping_sub(1)).copied().unwrap_or(upper) } else { upper };
        f64::midpoint(lower as f64, upper as f64)
    }
}

/// Rounds seen of those that there should be at their commonest distance.
fn coverage(starts: &[DateTime<Utc>], window: Option<Window>) -> Coverage {
    let seen = starts.iter().filter(|at| window.is_none_or(|window| window.holds(**at))).count() as u64;
    let outside = starts.len() as u64 - seen;
    let (Some(period), Some(first), Some(last)) = (period(starts), starts.first(), starts.last()) else {
        return Coverage { outside, ..Coverage::of(seen, seen.max(1)) };
    };
    let steps = |from: DateTime<Utc>, to: DateTime<Utc>| ((to - from).as_seconds_f64() / period).floor();
    let expected = window.map_or_else(
        || ((*last - *first).as_seconds_f64() / period).round() + 1.0,
        // Rounds that would lie in the window, had they gone on at their distance from the first one in both directions.
        |window| steps(*first, window.end) - steps(*first, window.start),
    );
    Coverage {
        seen,
        expected: whole(expected).max(seen),
        outside,
        period_s: Some(whole(period.round())).filter(|period| *period > 0),
    }
}

/// The commonest distance of rounds in seconds, to half a second; inside that the middle one.
fn period(starts: &[DateTime<Utc>]) -> Option<f64> {
    let mut distances: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]).as_seconds_f64()).collect();
    distances.sort_by(f64::total_cmp);
    let half = |distance: &f64| whole(distance * 2.0 + 0.5);
    let mut best: &[f64] = &[];
    for near in distances.chunk_by(|a, b| half(a) == half(b)) {
        if near.len() > best.len() {
            best = near;
        }
    }
    best.get(best.len() / 2).copied()
}

/// A number of things that came out of a division, without its fraction.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what an integer holds")]
fn whole(number: f64) -> u64 {
    number.clamp(0.0, 9e15) as u64
}

const SOURCE: &str = "pg_stat_activity";

/// What the samples among the files tell.
pub(super) fn tell(files: &[&File], window: Option<Window>, findings: &mut Findings) {
    let of = |file: &&&File| matches!(file.capture, Capture::Activity(_));
    let files: Vec<&File> = files.iter().filter(of).copied().collect();
    let Some(first) = files.first() else { return };
    let mut samples: Vec<Sample> = files
        .iter()
        .flat_map(|file| if let Capture::Activity(own) = &file.capture { own.samples.clone() } else { Vec::new() })
        .collect();
    samples.sort();
    // One capture in two formats has its rows twice; only the moments may have been cut.
    samples.dedup_by_key(|sample| (sample.at.timestamp_millis(), sample.pid));
    let rounds = Rounds::of(&samples, window);
    if rounds.connections.is_empty() {
        let reason = "no sample of pg_stat_activity lies in the run";
        findings.told.push(first.complaint("no-overlap", reason));
        findings.add(FigureId::DatabaseConnections, Figure::not_captured(reason), Standing::None);
        for file in &files {
            findings.pass_over(&file.path, reason);
        }
        return;
    }
    let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    connections(&rounds, &paths, findings);
    observe(&rounds, &paths, findings);
    compare(&rounds, first, findings);
}

fn measurement(rounds: &Rounds, value: f64, unit: Unit, method: &str, paths: &[String]) -> Measurement {
    let seen = rounds.connections.len();
    let method = format!("{method}, {} rows of client backends in {seen} rounds", rounds.rows());
    let lacking = (!rounds.coverage.is_complete()).then(|| format!("{seen} of {} rounds", rounds.coverage.expected));
    let base = Measurement::exact(value, unit).by(method).from(SOURCE);
    Measurement { coverage: Some(rounds.coverage), lacking, files: paths.to_vec(), ..base }
}

fn connections(rounds: &Rounds, paths: &[String], findings: &mut Findings) {
    let figure = if rounds.idle == 0 && rounds.active > 0 {
        Figure::not_captured("the samples of pg_stat_activity hold no idle session: connections can't be counted in them")
    } else {
        let measurement = measurement(rounds, rounds.median(), Unit::Count, "rows a round, median", paths);
        // Of one round nobody knows how many there should be.
        let single = rounds.connections.len() == 1;
        let complete = rounds.coverage.is_complete() && !single;
        let measurement = Measurement { lacking: single.then(|| "one round of samples only".to_owned()), ..measurement };
        if complete { Figure::Measured(measurement) } else { Figure::Incomplete(measurement) }
    };
    let standing = if figure.measurement().is_some() { Standing::Raw } else { Standing::None };
    findings.add(FigureId::DatabaseConnections, figure, standing);
}

fn observe(rounds: &Rounds, paths: &[String], findings: &mut Findings) {
    let mut list = vec![
        ("mean active sessions", rounds.per_round(rounds.active), Unit::Count, "active rows / rounds"),
        (
            "mean sessions waiting for an advisory lock",
            rounds.per_round(rounds.advisory),
            Unit::Count,
            "active rows that wait for Lock/advisory / rounds",
        ),
    ];
    if rounds.active > 0 {
        let share = rounds.waiting as f64 / rounds.active as f64;
        list.push(("lock wait / active", share, Unit::Ratio, "active rows with wait_event_type Lock / active rows"));
    }
    for (name, value, unit, method) in list {
        let measurement = measurement(rounds, value, unit, method, paths);
        let measurement = if unit == Unit::Ratio { measurement.of("active sessions") } else { measurement };
        findings.observed.push(Observation { name: name.to_owned(), measurement });
    }
    for path in paths {
        findings.use_file(path, "sessions by state");
    }
}

/// Two estimates of lock wait that differ by more than a fifth of the larger are both shown.
fn compare(rounds: &Rounds, file: &File, findings: &mut Findings) {
    let of_statements = findings.figures.iter().find(|one| one.id == FigureId::DatabaseLockWaitRatio);
    let Some(told) = of_statements.and_then(|one| one.figure.measurement()).map(|one| one.value) else { return };
    if rounds.active == 0 {
        return;
    }
    let sampled = rounds.waiting as f64 / rounds.active as f64;
    if (told - sampled).abs() <= 0.2 * told.max(sampled) {
        return;
    }
    let message = format!(
        "two estimates of lock wait differ: {:.1}% of the statements' time, {:.1}% of the active sessions sampled",
        told * 100.0,
        sampled * 100.0
    );
    let diagnostic = Diagnostic::warning("lock-wait-differs", message).at(file.source.at(0..0));
    findings
        .told
        .push(diagnostic.note("the figure is that of the statements; the samples stand beside it as `lock wait / active`"));
}
