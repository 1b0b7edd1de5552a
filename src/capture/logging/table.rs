//! Entries as rows: `--format="csv(...)"` with a line of names, `--format="value(...)"` with tabs and none.

use chrono::{DateTime, Utc};

use super::Entry;
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::source::Source;

/// Whether a text begins with the names of columns that tell of entries.
pub(super) fn is_csv(text: &str) -> bool {
    let names: Vec<&str> = text.lines().next().unwrap_or_default().split(',').map(str::trim).collect();
    let has = |name: &str| names.contains(&name);
    has("timestamp") && has("severity")
}

/// Whether a text begins with a row of `value(timestamp,severity,...)`.
pub(super) fn is_values(text: &str) -> bool {
    let mut cells = text.lines().next().unwrap_or_default().split('\t');
    let is_moment = cells.next().is_some_and(|cell| moment(cell).is_some());
    is_moment && cells.next().is_some_and(|severity| SEVERITIES.contains(&severity))
}

/// The severities of Cloud Logging.
const SEVERITIES: [&str; 9] = ["DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY"];

/// Columns that tell what an entry is about, by the names that people give them, with the field they are of.
const ABOUT: [(&str, &str); 5] = [
    ("kind", "err.kind"),
    ("err_kind", "err.kind"),
    ("error_kind", "error.kind"),
    ("status", "httpRequest.status"),
    ("httpRequest.status", "httpRequest.status"),
];

/// Rows of a CSV by their names.
pub(super) fn of_csv(source: &Source) -> Result<Vec<Entry>, Faults> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(source.text().trim_start().as_bytes());
    let names = reader.headers().cloned().unwrap_or_default();
    let column = |name: &str| names.iter().position(|own| own.trim() == name);
    let (mut entries, mut faults) = (Vec::new(), FirstFaults::default());
    for row in reader.records() {
        let row = row.unwrap_or_default();
        let line = row.position().map_or(1, |position| usize::try_from(position.line()).unwrap_or(1));
        let cell = |name: &str| column(name).and_then(|at| row.get(at)).unwrap_or_default();
        let known = ABOUT.iter().find(|(name, _)| !cell(name).is_empty());
        let about = known.map_or_else(|| "without kind".to_owned(), |(name, field)| format!("{field} {}", cell(name)));
        match moment(cell("timestamp")) {
            Some(at) => entries.push(Entry { at, severity: severity(cell("severity")), about }),
            None => faults.push(|| without_moment(source, line)),
        }
    }
    Faults::check(faults.told()).map(|_| entries)
}

/// Rows of values. A cell of an object is printed as `id=...;kind=...`; a line that begins with no moment goes on from the one before.
pub(super) fn of_values(source: &Source) -> Vec<Entry> {
    let mut entries = Vec::new();
    for line in source.text().lines() {
        let mut cells = line.split('\t');
        let Some(at) = cells.next().and_then(moment) else { continue };
        let severity = severity(cells.next().unwrap_or_default());
        let kind = cells.flat_map(|cell| cell.split(';')).find_map(|part| part.strip_prefix("kind="));
        let about = kind.map_or_else(|| "without kind".to_owned(), |kind| format!("error.kind {kind}"));
        entries.push(Entry { at, severity, about });
    }
    entries
}

fn severity(cell: &str) -> String {
    if cell.is_empty() { "DEFAULT".to_owned() } else { cell.to_owned() }
}

fn moment(cell: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(cell.trim()).ok().map(|at| at.with_timezone(&Utc))
}

fn without_moment(source: &Source, line: usize) -> Diagnostic {
    Diagnostic::error("bad-capture", "a row of the log has no moment in its column `timestamp`").at(source.at_line(line))
}
