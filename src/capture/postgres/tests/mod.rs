//! Whole readings: from texts to what they tell.

mod properties;
mod refusals;
mod resets;
mod shared;
mod views;

use chrono::{DateTime, Utc};

use super::super::findings::Findings;
use super::super::{Capture, File, Rules, Window};
use super::{findings, read};
use crate::model::catalogue::FigureId;
use crate::model::figure::Figure;
use crate::source::Source;

/// A file under a path.
fn file(path: &str, text: &str) -> File {
    let source = Source::new(path, text);
    let capture = read(&source).unwrap_or_else(|e| unreachable!("{path}: {:?}", e.list()));
    File { source, path: path.to_owned(), kind: "postgres", named: false, capture }
}

fn at(text: &str) -> DateTime<Utc> {
    super::moment::read(text).unwrap_or_else(|| unreachable!("{text}"))
}

#[allow(clippy::unnecessary_wraps, reason = "the same question is asked with a window and without")]
fn window(start: &str, end: &str) -> Option<Window> {
    Some(Window { start: at(start), end: at(end) })
}

fn tell(files: &[File], window: Option<Window>) -> Findings {
    findings(&files.iter().collect::<Vec<_>>(), window, &Rules::built_in())
}

/// What was told, by code, with the places.
fn told(findings: &Findings) -> Vec<String> {
    let places = |one: &crate::diagnostic::Diagnostic| one.places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    findings.told.iter().map(|one| format!("{:?} {} {}", one.level, one.code, places(one))).collect()
}

fn figure(findings: &Findings, id: FigureId) -> Option<&Figure> {
    findings.figures.iter().find(|one| one.id == id).map(|one| &one.figure)
}

/// A value to three decimals, as text: floats are not compared.
fn value(findings: &Findings, id: FigureId) -> String {
    let measurement = figure(findings, id).and_then(Figure::measurement);
    measurement.map_or_else(|| "none".to_owned(), |measurement| format!("{:.3}", measurement.value))
}

fn observed(findings: &Findings, name: &str) -> String {
    let found = findings.observed.iter().find(|one| one.name == name);
    found.map_or_else(|| "none".to_owned(), |one| format!("{:.4}", one.measurement.value))
}

/// Rows of `pg_stat_statements`: seconds of the moment, then `queryid calls ms`.
fn statements(second: u32, rows: &[(i64, u64, f64)]) -> String {
    let at = format!("2026-01-02 03:{:02}:{:02}.5+00", second / 60, second % 60);
    let rows = rows.iter().map(|(id, calls, ms)| format!("{at},10,5,t,{id},\"select {id}, $1\",{calls},{ms}\n"));
    let header = "captured_at,userid,dbid,toplevel,queryid,query,calls,total_exec_time\n".to_owned();
    [header].into_iter().chain(rows).collect::<Vec<_>>().concat()
}

/// Rows of `pg_stat_database`: seconds of the moment, then `name commits`.
fn databases(second: u32, rows: &[(&str, u64)]) -> String {
    let at = format!("2026-01-02 03:{:02}:{:02}.5+00", second / 60, second % 60);
    let rows = rows.iter().enumerate().map(|(oid, (name, commits))| format!("{at},{oid},{name},3,{commits},1,{oid},0,\n"));
    let header = "captured_at,datid,datname,numbackends,xact_commit,xact_rollback,blks_read,deadlocks,stats_reset\n".to_owned();
    [header].into_iter().chain(rows).collect::<Vec<_>>().concat()
}

/// The state of a view in a file that holds one.
fn state(file: &File) -> &super::snapshot::State {
    match &file.capture {
        Capture::Snapshot(snapshot) => &snapshot.states[0],
        other => unreachable!("{other:?}"),
    }
}

/// The difference of two files of statements.
fn difference(first: &File, second: &File, reset: bool) -> super::statements::Difference {
    use super::snapshot::Rows;
    match (&state(first).rows, &state(second).rows) {
        (Rows::Statements(a), Rows::Statements(b)) => super::statements::difference(a, b, state(first).at, reset),
        other => unreachable!("{other:?}"),
    }
}
