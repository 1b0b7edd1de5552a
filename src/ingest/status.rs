//! The runner's status breakdown: a table of status, error code, error and requests, drawn with box characters.
//!
//! ```text
//! │ status │ error_code │ error │ requests │
//! │ 201    │ -          │ -     │ 22400    │
//! ```

use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::limits::STATUS_ROWS;
use crate::model::record::StatusCount;
use crate::model::units::ungrouped;
use crate::source::{Source, Span};

/// The columns, in any order.
const COLUMNS: [&str; 4] = ["status", "error_code", "error", "requests"];

/// Whether a text is a status breakdown: it has a row that names all four columns.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    header(source.text()).is_some()
}

/// Reads a status breakdown, in the table's order.
///
/// # Errors
/// `bad-status-row` for the first rows that have other cells than the header or no number where one is wanted, with the
/// number of the others.
pub fn read(source: &Source) -> Result<Vec<StatusCount>, Faults> {
    let Some((columns, after)) = header(source.text()) else {
        let fault = Diagnostic::error("no-status-table", "no table of status, error_code, error and requests");
        return Err(fault.at(source.at(0..0)).into());
    };
    let (mut rows, mut faults) = (Vec::new(), FirstFaults::default());
    for (start, line) in lines(source.text()).skip(after) {
        let Some(cells) = cells(line) else { continue };
        match row(&cells, &columns) {
            Some(_) if rows.len() == STATUS_ROWS => return Err(too_many(source, start..start + line.len()).into()),
            Some(row) => rows.push(row),
            None => faults.push(|| bad_row(source, start..start + line.len())),
        }
    }
    Faults::check(faults.told()).map(|_| rows)
}

fn too_many(source: &Source, span: Span) -> Diagnostic {
    Diagnostic::error("large-table", format!("a status table of more than {STATUS_ROWS} rows is none of a run"))
        .at(source.at(span).labelled("one more"))
        .help("are messages of errors made of ids?")
}

fn bad_row(source: &Source, span: Span) -> Diagnostic {
    Diagnostic::error("bad-status-row", "a row of the status table can't be read")
        .at(source.at(span))
        .help("a row has a status or `-`, an error code or `-`, an error or `-`, and a number of requests")
}

/// The header's column order and the number of lines up to it.
fn header(text: &str) -> Option<([usize; 4], usize)> {
    lines(text).enumerate().take(50).find_map(|(at, (_, line))| {
        let cells = cells(line)?;
        let mut columns = [0; 4];
        for (slot, name) in columns.iter_mut().zip(COLUMNS) {
            *slot = cells.iter().position(|cell| cell.eq_ignore_ascii_case(name))?;
        }
        Some((columns, at + 1))
    })
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, line.trim_end_matches('\r'))
    })
}

/// The cells between `│` (or `|`); `None` for rules and everything else.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let bar = ['│', '|'].into_iter().find(|bar| line.starts_with(*bar) && line.ends_with(*bar))?;
    let cells: Vec<&str> = line.split(bar).map(str::trim).collect();
    let inner = cells.get(1..cells.len().checked_sub(1)?)?;
    let is_rule = |cell: &&str| cell.chars().count() > 1 && cell.chars().all(|c| matches!(c, '-' | '─' | '┼' | ':' | '+'));
    (!inner.iter().all(is_rule)).then(|| inner.to_vec())
}

fn row(cells: &[&str], columns: &[usize; 4]) -> Option<StatusCount> {
    let cell = |at: usize| cells.get(columns[at]).copied().filter(|_| cells.len() == COLUMNS.len());
    let known = |text: &str| !matches!(text, "-" | "" | "NULL");
    let status = cell(0)?;
    let code = cell(1)?;
    let error = cell(2)?;
    Some(StatusCount {
        status: if known(status) && status != "0" { Some(status.parse().ok()?) } else { None },
        error_code: if known(code) { Some(code.parse().ok()?) } else { None },
        error: known(error).then(|| error.to_owned()),
        requests: ungrouped(cell(3)?)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakdown_is_read() {
        let text = "┌────────┬────────────┬─────────────────┬──────────┐\n│ status │ error_code │ error           │ requests │\n\
                    ├────────┼────────────┼─────────────────┼──────────┤\n│ 200    │ -          │ -               │ 22400    │\n\
                    │ 0      │ 1050       │ request timeout │ 36       │\n└────────┴────────────┴─────────────────┴──────────┘\n";
        let source = Source::new("a_status.txt", text);
        assert!(sniff(&source));
        let rows = read(&source).unwrap_or_else(|f| unreachable!("{f}"));
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].status, None);
        assert_eq!((rows[1].error_code, rows[1].error.as_deref(), rows[1].requests), (Some(1050), Some("request timeout"), 36));
    }

    #[test]
    fn a_row_that_is_none_is_pointed_at() {
        let text = "| status | error_code | error | requests |\n| 200 | - | - | many |\n| 200 | - |\n";
        let faults = read(&Source::new("s.txt", text)).err().unwrap_or_else(|| unreachable!());
        assert_eq!(faults.list().len(), 2);
        assert_eq!(faults.list()[0].places[0].to_string(), "s.txt:2:1");
    }
}
