//! `pg_stat_io` (since PostgreSQL 16): what the server asked of the kernel between two snapshots. That is not what the disk did:
//! the kernel's cache lies between them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::cells::Cells;
use super::moment;
use super::table::Row;

/// The counters that are kept, in the order of the columns of [`Io`].
pub(super) const COUNTERS: [&str; 4] = ["reads", "writes", "extends", "fsyncs"];

/// A row: a kind of process, of object, of access. A counter that can't occur there is `None`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Io {
    process: String,
    object: String,
    context: String,
    counters: [Option<u64>; 4],
    reset: Option<DateTime<Utc>>,
}

impl Io {
    pub(super) fn read(cells: &mut Cells, row: &Row) -> Self {
        let own = |column: &str| cells.table.text(row, column).unwrap_or_default().to_owned();
        let (process, object, context) = (own("backend_type"), own("object"), own("context"));
        let counters = COUNTERS.map(|column| cells.count(row, column));
        Self { process, object, context, counters, reset: cells.moment_in(row, "stats_reset") }
    }

    fn key(&self) -> (&str, &str, &str) {
        (&self.process, &self.object, &self.context)
    }
}

/// The sums of all rows of relations between two snapshots, in the order of [`COUNTERS`]; `None` of a counter that no row has.
/// WAL, which the view counts since PostgreSQL 18, is left out: else two versions could not be compared.
///
/// # Errors
/// If the statistics were reset in between, or a counter fell.
pub(super) fn difference(first: &[Io], second: &[Io]) -> Result<[Option<u64>; 4], ()> {
    let before: BTreeMap<_, &Io> = first.iter().map(|row| (row.key(), row)).collect();
    let mut sums = [None; 4];
    for now in second.iter().filter(|row| row.object != "wal") {
        let then = before.get(&now.key());
        if then.is_some_and(|then| !moment::same(then.reset, now.reset)) {
            return Err(());
        }
        for (at, sum) in sums.iter_mut().enumerate() {
            let Some(count) = now.counters[at] else { continue };
            let earlier = then.and_then(|then| then.counters[at]).unwrap_or_default();
            *sum = Some(sum.unwrap_or_default() + count.checked_sub(earlier).ok_or(())?);
        }
    }
    Ok(sums)
}
