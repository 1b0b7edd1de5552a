//! What must be alike before two runs may be compared.
//!
//! One table of keys ([`keys`]) says what is held against the contract, what a difference weighs, and what it weighs where one side
//! does not know the value. Values are brought to one form before they are compared: `6 Gi` is `6144 MiB`, `v17.4` is `17.4`,
//! `add\_session` is `add_session`. What is unknown is never equal to anything; what rounding leaves open is not told apart and not
//! called alike either.

mod behaviour;
mod declared;
mod errors;
mod flags;
mod held;
mod key;
mod names;
mod normal;
mod repeat;
mod scale;
mod settings;
mod version;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use self::held::{Held, Sides};
use self::key::{KEYS, Key};
use crate::model::comparison::{Comparability, Contract, KeyDifference, Level};
use crate::model::record::Record;
use crate::settings::AcceptedKey;

pub use self::repeat::is_repeat;

/// Holds the runs of two sides against the contract. Each side has at least one run, the run of record first; the runs of a side are
/// repeats, so they are alike in all declared keys: what is declared is read from the first run that knows it. What the runs did is
/// taken over all of them.
#[must_use]
pub fn compare(a: &[&Record], b: &[&Record], accepted: &[AcceptedKey]) -> Contract {
    let sides = Sides::new(a, b);
    let (mut differences, mut alike, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for key in KEYS {
        for (name, held) in key.hold(&sides) {
            match held {
                Held::Alike => alike.push(name),
                Held::Unknown => unknown.push(name),
                other => differences.extend(difference(key, name, other, accepted)),
            }
        }
    }
    differences.sort_by_key(|difference| Reverse(difference.level));
    Contract { verdict: verdict(&differences), differences, alike, unknown }
}

fn difference(key: &Key, name: String, held: Held, accepted: &[AcceptedKey]) -> Option<KeyDifference> {
    let (level, a, b) = match held {
        Held::Alike | Held::Unknown => return None,
        Held::Unlike { a, b } => (key.level, Some(a), Some(b)),
        Held::Untold { a, b } => (key.untold, a, b),
    };
    let accepted = accepted.iter().find(|accepted| covers(&accepted.key, &name)).map(|accepted| accepted.reason.clone());
    Some(KeyDifference { key: name, level, a, b, behavioural: key.is_behavioural, accepted })
}

/// The worst difference that nobody accepted.
fn verdict(differences: &[KeyDifference]) -> Comparability {
    let worst = differences.iter().filter(|difference| difference.accepted.is_none()).map(|difference| difference.level).max();
    match worst {
        Some(Level::Blocking) => Comparability::NotComparable,
        Some(Level::Weakening) => Comparability::Weakened,
        Some(Level::Informational) | None => Comparability::Comparable,
    }
}

/// Whether an accepted key met a difference of a contract: the key itself, or one below it.
#[must_use]
pub fn used(contract: &Contract, accepted: &AcceptedKey) -> bool {
    contract.differences.iter().any(|difference| covers(&accepted.key, &difference.key))
}

/// The keys of the contract, in the order of a report. Below `service.flags` each flag is a key of its own, below
/// `database.settings` each setting that changes the work.
pub fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name)
}

/// Whether a difference can have the key, or one below it: `service.flags`, `service.flags.tokenExchange`, `service`.
#[must_use]
pub fn is_key(key: &str) -> bool {
    KEYS.iter().any(|row| covers(key, row.name) || (row.is_family && covers(row.name, key)))
}

/// Whether a key is the other one, or above it: what an accepted key covers.
#[must_use]
pub fn covers(above: &str, key: &str) -> bool {
    let above = above.trim();
    key.strip_prefix(above).is_some_and(|rest| !above.is_empty() && (rest.is_empty() || rest.starts_with('.')))
}
