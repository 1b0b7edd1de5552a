//! What must be alike before two runs may be compared.

use crate::model::comparison::{Comparability, Contract};
use crate::model::record::Record;
use crate::settings::AcceptedKey;

/// Holds the runs of two sides against the contract. Each side has at least one run, the run of record first; the runs of a side are
/// repeats, so they are alike in all declared keys.
#[must_use]
pub fn compare(a: &[&Record], b: &[&Record], accepted: &[AcceptedKey]) -> Contract {
    let _ = (a, b, accepted);
    Contract { verdict: Comparability::Comparable, differences: Vec::new(), alike: Vec::new(), unknown: Vec::new() }
}

/// Whether a run is a repeat of another: all declared keys that both know are equal.
///
/// # Errors
/// The first declared key that differs, and both values, in words: `VUs 200, not 600`.
pub fn is_repeat(run: &Record, of: &Record) -> Result<(), String> {
    let _ = (run, of);
    Ok(())
}

/// Whether an accepted key covers a key: it is that key, or what it begins with, up to a dot.
#[must_use]
pub fn covers(accepted: &str, key: &str) -> bool {
    key.strip_prefix(accepted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
