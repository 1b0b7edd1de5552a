//! `pg_stat_database`: transactions, blocks read, deadlocks between two snapshots.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::cells::Cells;
use super::moment;
use super::table::Row;

/// A row: a database, or the shared objects, which have no name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Database {
    pub(super) oid: Option<String>,
    pub(super) name: Option<String>,
    commits: u64,
    rollbacks: u64,
    blocks_read: Option<u64>,
    deadlocks: Option<u64>,
    connections: Option<u64>,
    reset: Option<DateTime<Utc>>,
}

impl Database {
    pub(super) fn read(cells: &mut Cells, row: &Row) -> Option<Self> {
        let own = |column: &str| cells.table.text(row, column).map(str::to_owned);
        let (oid, name) = (own("datid"), own("datname"));
        let (commits, rollbacks) = (cells.count(row, "xact_commit"), cells.count(row, "xact_rollback"));
        let commits = cells.wanted(row, "xact_commit", commits);
        let rollbacks = cells.wanted(row, "xact_rollback", rollbacks);
        let (blocks_read, deadlocks) = (cells.count(row, "blks_read"), cells.count(row, "deadlocks"));
        let (connections, reset) = (cells.count(row, "numbackends"), cells.moment_in(row, "stats_reset"));
        Some(Self { oid, name, commits: commits?, rollbacks: rollbacks?, blocks_read, deadlocks, connections, reset })
    }

    fn key(&self) -> (Option<&str>, Option<&str>) {
        (self.oid.as_deref(), self.name.as_deref())
    }

    fn transactions(&self) -> u64 {
        self.commits.saturating_add(self.rollbacks)
    }
}

/// What two snapshots tell of the time between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Commits and rollbacks of all databases.
    pub(super) transactions: u64,
    /// The same of each database, by name.
    pub(super) by_name: BTreeMap<String, u64>,
    /// Blocks read; `None` where the column is missing.
    pub(super) blocks_read: Option<u64>,
    /// Deadlocks; `None` where the column is missing.
    pub(super) deadlocks: Option<u64>,
    /// Connections at the second snapshot.
    pub(super) connections: Option<u64>,
    /// Databases that only the first snapshot has.
    pub(super) gone: Vec<String>,
}

/// What came between two snapshots. A database that the first has not began at zero.
///
/// # Errors
/// The name of a database whose counters fell or were reset: then nothing is known of the time before that.
pub(super) fn difference(first: &[Database], second: &[Database]) -> Result<Difference, String> {
    let before: BTreeMap<_, &Database> = first.iter().map(|row| (row.key(), row)).collect();
    let after: BTreeMap<_, &Database> = second.iter().map(|row| (row.key(), row)).collect();
    let mut difference = Difference { blocks_read: Some(0), deadlocks: Some(0), ..Difference::default() };
    for (key, now) in &after {
        let then = before.get(key).copied();
        let name = now.name.clone().unwrap_or_else(|| "the shared objects".to_owned());
        let anew = then.is_some_and(|then| !moment::same(then.reset, now.reset));
        let count = since(then.map(Database::transactions), Some(now.transactions())).filter(|_| !anew && !fell(then, now));
        let transactions = count.ok_or_else(|| name.clone())?;
        difference.transactions += transactions;
        difference.by_name.extend(now.name.clone().map(|name| (name, transactions)));
        let blocks = since(then.and_then(|then| then.blocks_read), now.blocks_read);
        difference.blocks_read = difference.blocks_read.zip(blocks).map(|(sum, count)| sum + count);
        let deadlocks = since(then.and_then(|then| then.deadlocks), now.deadlocks);
        difference.deadlocks = difference.deadlocks.zip(deadlocks).map(|(sum, count)| sum + count);
        // The row of the shared objects has no connections.
        difference.connections =
            now.connections.map_or(difference.connections, |own| Some(difference.connections.unwrap_or(0) + own));
    }
    let gone = before.iter().filter(|(key, _)| !after.contains_key(*key));
    difference.gone = gone.map(|(_, row)| row.name.clone().unwrap_or_default()).collect();
    Ok(difference)
}

fn fell(then: Option<&Database>, now: &Database) -> bool {
    then.is_some_and(|then| now.commits < then.commits || now.rollbacks < then.rollbacks)
}

fn since(then: Option<u64>, now: Option<u64>) -> Option<u64> {
    now?.checked_sub(then.unwrap_or_default())
}
