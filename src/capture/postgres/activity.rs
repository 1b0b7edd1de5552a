//! Samples of `pg_stat_activity`: what sessions were doing, looked at again and again.

use chrono::{DateTime, Utc};

use super::super::findings::{Findings, Standing};
use super::super::{Capture, File, Window};
use super::cells::Cells;
use super::moment;
use super::rounds::Rounds;
use super::table::{Row, Table};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{LOCK_WAIT_ESTIMATES, Observation, lock_waits_differ};
use crate::model::units::Unit;

/// Samples of `pg_stat_activity`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// The rows of client backends, oldest first; of the other processes only the moments.
    samples: Vec<Sample>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    pub(super) at: DateTime<Utc>,
    pid: i64,
    /// Whether it is a connection of a client, not a process of the server itself.
    pub(super) is_client: bool,
    pub(super) state: State,
    pub(super) waits: Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Active,
    Idle,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wait {
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
        list.push((LOCK_WAIT_ESTIMATES[0], share, Unit::Ratio, "active rows with wait_event_type Lock / active rows"));
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

/// Two estimates of lock wait that differ are both shown.
fn compare(rounds: &Rounds, file: &File, findings: &mut Findings) {
    let of_statements = findings.figures.iter().find(|one| one.id == FigureId::DatabaseLockWaitRatio);
    let Some(told) = of_statements.and_then(|one| one.figure.measurement()).map(|one| one.value) else { return };
    if rounds.active == 0 {
        return;
    }
    let sampled = rounds.waiting as f64 / rounds.active as f64;
    if !lock_waits_differ(told, sampled) {
        return;
    }
    let message = format!(
        "two estimates of lock wait differ: {:.1}% of the statements' time, {:.1}% of the active sessions sampled",
        told * 100.0,
        sampled * 100.0
    );
    let diagnostic = Diagnostic::warning("lock-wait-differs", message).at(file.source.at(0..0));
    let seen = format!("{} of {} active rows waited for a lock", rounds.waiting, rounds.active);
    let diagnostic = diagnostic.note(seen);
    findings
        .told
        .push(diagnostic.note("the figure is that of the statements; the samples stand beside it as `lock wait / active`"));
}
