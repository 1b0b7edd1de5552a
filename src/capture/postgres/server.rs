//! Whether two snapshots are of one server: the same columns, the same databases under the same oids.

use std::collections::BTreeSet;

use super::pair::Pair;
use super::snapshot::Rows;
use crate::diagnostic::Diagnostic;

/// Holds two snapshots against each other.
///
/// # Errors
/// `different-servers`, with both places.
pub(super) fn same(pair: &Pair) -> Result<(), Box<Diagnostic>> {
    let Some(why) = difference(pair) else { return Ok(()) };
    let diagnostic = Diagnostic::error("different-servers", format!("the two snapshots are not of one server: {why}"));
    let diagnostic = diagnostic.at(pair.first.place()).at(pair.second.place());
    Err(Box::new(diagnostic.help("leave only the snapshots of the server that was tested, taken with one query")))
}

fn difference(pair: &Pair) -> Option<String> {
    let (first, second) = (&pair.first, &pair.second);
    if first.snapshot.columns != second.snapshot.columns {
        let other = first.snapshot.columns.symmetric_difference(&second.snapshot.columns);
        return Some(format!("only one has {}", other.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")));
    }
    let (a, b) = (databases(&first.state.rows), databases(&second.state.rows));
    for (name, oid) in a.iter().filter(|(name, oid)| name.is_some() && oid.is_some()) {
        let mut same_name = b.range((*name, None)..).take_while(|(own, _)| own == name);
        if let Some((_, other)) = same_name.find(|(_, other)| other.is_some() && other != oid) {
            let (oid, other) = (oid.unwrap_or_default(), other.unwrap_or_default());
            return Some(format!(
                "the database `{}` has the oid {oid} in one and {other} in the other",
                name.unwrap_or_default()
            ));
        }
    }
    if a.is_empty() && b.is_empty() {
        let apart = are_apart(&users(&first.state.rows), &users(&second.state.rows));
        return apart.then(|| "they have no user in common".to_owned());
    }
    are_apart(&a, &b).then(|| "they have no database in common".to_owned())
}

fn are_apart<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> bool {
    !a.is_empty() && !b.is_empty() && a.is_disjoint(b)
}

fn users(rows: &Rows) -> BTreeSet<&str> {
    if let Rows::Statements(rows) = rows {
        rows.iter().filter_map(|row| row.key.user.as_deref()).collect()
    } else {
        BTreeSet::new()
    }
}

/// The databases that rows name, by name and oid, as far as they have them.
fn databases(rows: &Rows) -> BTreeSet<(Option<&str>, Option<&str>)> {
    let mut names: BTreeSet<_> = match rows {
        Rows::Statements(rows) => rows.iter().map(|row| (row.database.as_deref(), row.key.dbid.as_deref())).collect(),
        Rows::Databases(rows) => rows.iter().map(|row| (row.name.as_deref(), row.oid.as_deref())).collect(),
        _ => BTreeSet::new(),
    };
    // Shared objects, and statements of a database that is gone, tell nothing.
    names.retain(|(name, oid)| name.is_some() || oid.is_some_and(|oid| oid != "0"));
    names
}
