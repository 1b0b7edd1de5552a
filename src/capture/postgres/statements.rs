//! `pg_stat_statements`: what each statement cost between two snapshots.
//!
//! Columns are those of the extension 1.8 to 1.12, PostgreSQL 13 to 18; times are milliseconds, all counters go on from the last
//! reset (PostgreSQL's documentation, appendix F, `pg_stat_statements`).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::super::queries::Statement;
use super::cells::Cells;
use super::moment;
use super::table::Row;

/// A row of the view.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) key: Key,
    /// The name and oid of its database, as far as the row has them.
    pub(super) database: Option<String>,
    text: String,
    calls: u64,
    ms: f64,
    /// When its counters began; since PostgreSQL 17.
    since: Option<DateTime<Utc>>,
}

/// What tells a statement from the others of one server, as far as the columns are there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) user: Option<String>,
    pub(super) dbid: Option<String>,
    /// A signed number of 64 bits.
    id: Option<i64>,
    toplevel: Option<bool>,
    /// The text, where the view hides the number.
    text: Option<String>,
}

impl Entry {
    pub(super) fn read(cells: &mut Cells, row: &Row) -> Option<Self> {
        let id = cells.number(row, "queryid", "a whole number of 64 bits");
        let text = cells.table.text(row, "query").unwrap_or_default().to_owned();
        let own = |column: &str| cells.table.text(row, column).map(str::to_owned);
        let key = Key {
            user: own("userid").or_else(|| own("rolname")).or_else(|| own("usename")),
            dbid: own("dbid"),
            id,
            toplevel: own("toplevel").map(|word| matches!(word.as_str(), "t" | "true" | "on" | "1")),
            text: id.is_none().then(|| text.clone()),
        };
        let (database, since) = (own("datname"), "stats_since");
        let ms = if cells.table.has("total_exec_time") { "total_exec_time" } else { "total_time" };
        let (count, time, since) = (cells.count(row, "calls"), cells.amount(row, ms), cells.moment_in(row, since));
        let (count, time) = (cells.wanted(row, "calls", count), cells.wanted(row, ms, time));
        Some(Self { key, database, text, calls: count?, ms: time?, since })
    }
}

/// The row of `pg_stat_statements_info`, since PostgreSQL 14.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Info {
    /// How often statements were dropped because there were too many.
    pub(super) dealloc: Option<u64>,
    /// When all statistics were last reset.
    pub(super) reset: Option<DateTime<Utc>>,
}

impl Info {
    #[allow(clippy::unnecessary_wraps, reason = "every kind of row is read the same way")]
    pub(super) fn read(cells: &mut Cells, row: &Row) -> Option<Self> {
        Some(Self { dealloc: cells.count(row, "dealloc"), reset: cells.moment_in(row, "stats_reset") })
    }
}

/// What two snapshots tell of the statements between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Difference {
    /// Every statement of the second snapshot, in the order of their keys.
    pub(super) statements: Vec<Statement>,
    /// How many of them the first has not.
    pub(super) new: u64,
    /// How many of the first the second has not.
    pub(super) gone: u64,
    /// How many began anew in between: their time is at least what is given.
    pub(super) restarted: u64,
    /// How many have a counter that rose.
    pub(super) risen: u64,
    /// How many have a counter that fell.
    pub(super) fallen: u64,
    /// The least total time of a statement of the first snapshot, in seconds: a statement that a cut snapshot left out may
    /// have had as much.
    pub(super) least_first_s: f64,
    /// How many rows hide their number or text.
    pub(super) hidden: u64,
}

impl Difference {
    /// The time of all statements in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.statements.iter().map(|statement| statement.seconds).sum()
    }
}

/// What came between two snapshots. A statement that the first has not began at zero. Counters that fell, or that began after
/// the first snapshot was taken, count from zero too; if all statistics were reset, all do.
pub(super) fn difference(first: &[Entry], second: &[Entry], first_at: Option<DateTime<Utc>>, all_reset: bool) -> Difference {
    let (before, after) = (by_key(first), by_key(second));
    let mut difference = Difference {
        gone: before.keys().filter(|key| !after.contains_key(*key)).count() as u64,
        hidden: second.iter().filter(|entry| entry.key.id.is_none()).count() as u64,
        least_first_s: before.values().map(|entry| entry.ms).reduce(f64::min).unwrap_or_default() / 1000.0,
        ..Difference::default()
    };
    for (key, now) in after {
        let then = before.get(key);
        let fell = then.is_some_and(|then| now.calls < then.calls || now.ms < then.ms);
        let anew = then.is_some_and(|then| all_reset || fell || began_later(&now, then, first_at));
        difference.new += u64::from(then.is_none());
        difference.fallen += u64::from(fell);
        difference.restarted += u64::from(anew);
        difference.risen += u64::from(then.is_some_and(|then| now.calls > then.calls));
        let from = then.filter(|_| !anew);
        difference.statements.push(Statement {
            seconds: (now.ms - from.map_or(0.0, |then| then.ms)) / 1000.0,
            calls: Some(now.calls - from.map_or(0, |then| then.calls)),
            id: key.id.map(|id| id.to_string()),
            text: now.text,
        });
    }
    difference
}

/// Whether a statement's counters began after those of the first snapshot.
fn began_later(now: &Entry, then: &Entry, first_at: Option<DateTime<Utc>>) -> bool {
    let Some(since) = now.since else { return false };
    first_at.is_some_and(|at| since - at > moment::CUT) || then.since.is_some_and(|then| since - then > moment::CUT)
}

/// The rows by key. Rows of one key, where columns that would tell them apart are missing, are added, in an order that does
/// not depend on that of the file.
fn by_key(entries: &[Entry]) -> BTreeMap<&Key, Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.key.cmp(&b.key).then(a.ms.total_cmp(&b.ms)).then(a.calls.cmp(&b.calls)).then(a.text.cmp(&b.text)));
    let mut by_key: BTreeMap<&Key, Entry> = BTreeMap::new();
    for entry in sorted {
        match by_key.get_mut(&entry.key) {
            Some(known) => {
                known.calls = known.calls.saturating_add(entry.calls);
                known.ms += entry.ms;
                known.since = known.since.min(entry.since);
            }
            None => {
                by_key.insert(&entry.key, entry.clone());
            }
        }
    }
    by_key
}
