//! What was captured on the service, the database and the load generator.

use serde::Serialize;

use super::super::view::{Cell, Labelled, number};
use crate::model::catalogue::{CATALOGUE, FigureId, Origin, Row};
use crate::model::derive;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{Observation, Query, QueryClass, Record};
use crate::model::units::{self, Unit};
use crate::render::svg::bar::bar;

/// Figures about one thing.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CapturedView {
    pub id: &'static str,
    pub title: String,
    pub rows: Vec<Labelled>,
    /// Figures that nobody captured, with the reason where one is known.
    pub missing: Vec<String>,
    /// What the sources say about it in words.
    pub notes_html: Vec<String>,
}

/// A query in the list of the most expensive ones.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct QueryView {
    pub name: String,
    pub remark: String,
    pub seconds: Cell,
    pub bar_svg: String,
    /// `lock wait`, `work`, or that it is not known.
    pub class: &'static str,
    pub is_wait: bool,
}

/// The things figures are about: the first part of their names, an id, a title.
const ABOUT: [(&str, &str, &str); 5] = [
    ("container.", "captured-containers", "Containers"),
    ("server.", "captured-server", "Server"),
    ("pool.", "captured-pool", "Connection pool"),
    ("database.", "captured-database", "Database"),
    ("client.", "captured-client", "Load generator"),
];

pub(crate) fn groups(record: &Record) -> Vec<CapturedView> {
    ABOUT.iter().map(|(prefix, id, title)| group(record, prefix, id, title)).collect()
}

fn group(record: &Record, prefix: &str, id: &'static str, title: &str) -> CapturedView {
    let mut view = CapturedView { id, title: title.to_owned(), rows: Vec::new(), missing: Vec::new(), notes_html: Vec::new() };
    for row in CATALOGUE.iter().filter(|row| row.name.starts_with(prefix) && is_captured(row)) {
        match derive::figure(record, row.figure) {
            Figure::NotCaptured { reason } => view.missing.push(missing(row, prefix, reason.as_deref())),
            figure => view.rows.push(Labelled {
                label: label(row, prefix),
                meaning: row.meaning.to_owned(),
                cell: with_others(record, row.figure, Cell::figure(&figure)),
            }),
        }
    }
    view
}

/// The share of lock wait with the other estimates that differ from it.
fn with_others(record: &Record, id: FigureId, cell: Cell) -> Cell {
    if id != FigureId::DatabaseLockWaitRatio {
        return cell;
    }
    let others = record.other_lock_waits().map(|other| format!("{}: {}", other.name, other.measurement.text()));
    let words: Vec<String> = Some(cell.note.clone()).filter(|note| !note.is_empty()).into_iter().chain(others).collect();
    cell.noting(words.join("; "))
}

/// Captured figures; provisioned ones stand among the specifications, but for the disk's, which has no row there.
fn is_captured(row: &Row) -> bool {
    row.origin == Origin::Captured || row.name == "database.iops.provisioned"
}

fn missing(row: &Row, prefix: &str, reason: Option<&str>) -> String {
    let label = label(row, prefix);
    reason.map_or_else(|| label.clone(), |reason| format!("{label} ({reason})"))
}

/// The name in words: `cpu.p50` of `container.cpu.p50` is `CPU p50`.
fn label(row: &Row, prefix: &str) -> String {
    let bare = row.name.strip_prefix(prefix).unwrap_or(row.name).replace(['.', '_'], " ");
    let worded =
        bare.replace("cpu", "CPU").replace("iops", "IOPS").replace("per s", "per second").replace("per min", "per minute");
    let mut letters = worded.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Numbers that have no name in the catalogue, with how they were computed.
pub(crate) fn observed(record: &Record) -> Vec<Labelled> {
    let cell = |measurement: &Measurement| {
        let method = measurement.method.clone().unwrap_or_default();
        Cell { note: method, ..Cell::figure(&Figure::Measured(measurement.clone())) }
    };
    let row = |one: &Observation| Labelled { label: one.name.clone(), meaning: String::new(), cell: cell(&one.measurement) };
    record.observed.iter().map(row).collect()
}

/// What the database's time went to, in a sentence; empty where nobody knows.
pub(crate) fn database_time(record: &Record) -> String {
    let Some(time) = &record.database_time else { return String::new() };
    let seconds = |s: f64| format!("{} s", units::show(s, Unit::Count));
    let waits = if time.total_s > 0.0 { units::show(time.lock_wait_s / time.total_s, Unit::Ratio) } else { "none".to_owned() };
    format!(
        "All {} statements together took {}, {waits} of it waiting for locks ({}).",
        number(time.statements),
        seconds(time.total_s),
        time.source
    )
}

pub(crate) fn queries(record: &Record) -> Vec<QueryView> {
    let longest = record.queries.iter().filter_map(|query| query.seconds).fold(0.0_f64, f64::max);
    record.queries.iter().map(|query| query_view(query, longest)).collect()
}

fn query_view(query: &Query, longest: f64) -> QueryView {
    let (class, word) = match query.class {
        Some(QueryClass::LockWait) => ("wait", "lock wait"),
        Some(QueryClass::Work) => ("work", "work"),
        Some(QueryClass::Ignored) => ("work", "transaction control"),
        None => ("untold", "not known"),
    };
    let calls = query.calls.zip(query.seconds).filter(|(calls, _)| *calls > 0);
    let calls = calls.map(|(n, s)| {
        let each = units::show(s * 1e3 / n as f64, Unit::Ms);
        if n == 1 { "1 call".to_owned() } else { format!("{} calls, {each} each", number(n)) }
    });
    let seconds = query.seconds.map(|s| Cell::known(seconds(s)));
    let seconds = seconds.map(|cell| cell.noting(calls.unwrap_or_default()));
    QueryView {
        name: query.name.clone(),
        remark: query.remark.clone().unwrap_or_default(),
        bar_svg: query.seconds.filter(|_| longest > 0.0).map(|s| bar(s / longest, class)).unwrap_or_default(),
        seconds: seconds.unwrap_or_else(|| Cell::missing("")),
        class: word,
        is_wait: class == "wait",
    }
}

/// Seconds as they are compared; of what took less than a tenth of one, its milliseconds.
fn seconds(seconds: f64) -> String {
    if seconds < 0.1 { units::show(seconds * 1e3, Unit::Ms) } else { format!("{} s", units::show(seconds, Unit::Count)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_figures_become_words() {
        let label = |name: &str, prefix: &str| {
            label(CATALOGUE.iter().find(|row| row.name == name).unwrap_or_else(|| unreachable!("{name}")), prefix)
        };
        assert_eq!(label("container.cpu.p50", "container."), "CPU p50");
        assert_eq!(label("server.requests_per_s", "server."), "Requests per second");
        assert_eq!(label("database.iops.read", "database."), "IOPS read");
        assert_eq!(label("pool.mean_wait", "pool."), "Mean wait");
    }
}
