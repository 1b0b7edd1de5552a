//! Versions in the form in which they are compared.

use super::held::Agreement;
use crate::diff::writing;

/// Numbers of a version, as many as were told: `v17.4` has two, `17 (Cloud SQL POSTGRES_17)` one. What is no version is words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// Its numbers, `[17, 4]`.
    Numbers(Vec<u64>),
    /// A text without a number.
    Words(String),
}

impl Version {
    /// Major and minor of a database's version; a patch says nothing that the contract asks.
    pub(super) fn minor(text: &str) -> Self {
        let mut numbers = numbers(text);
        numbers.truncate(2);
        if numbers.is_empty() { Self::Words(writing::name(text)) } else { Self::Numbers(numbers) }
    }

    /// Where one tells fewer numbers and they are the beginning of the other's, the rest is unknown on one side.
    pub(super) fn agreement(&self, other: &Self) -> Agreement {
        match (self, other) {
            (Self::Numbers(a), Self::Numbers(b)) if a == b => Agreement::Alike,
            (Self::Numbers(a), Self::Numbers(b)) if a.starts_with(b) || b.starts_with(a) => Agreement::Untold,
            (a, b) if a == b => Agreement::Alike,
            _ => Agreement::Unlike,
        }
    }
}

/// The numbers of a text, as many as can be told.
fn numbers(text: &str) -> Vec<u64> {
    writing::numbers(text).split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(a: &str, b: &str) -> Agreement {
        Version::minor(a).agreement(&Version::minor(b))
    }

    #[test]
    fn a_database_is_of_one_version_however_it_is_written() {
        for (a, b) in [("v17.4", "17.4"), ("17 (Cloud SQL POSTGRES_17)", "v17"), ("POSTGRES_9_6", "9.6"), ("8.0.35", "8.0.36")] {
            assert_eq!(agreement(a, b), Agreement::Alike, "{a} {b}");
        }
        assert_eq!(agreement("v17.4", "17.10"), Agreement::Unlike);
        assert_eq!(agreement("v15", "v17.4"), Agreement::Unlike);
        assert_eq!(agreement("PostgreSQL 15.18 (Debian 15.18-1)", "15.18"), Agreement::Alike);
    }

    #[test]
    fn a_version_that_says_less_is_not_told_apart() {
        assert_eq!(agreement("v17.4", "17 (Cloud SQL POSTGRES_17)"), Agreement::Untold);
        assert_eq!(agreement("17", "v17.4"), Agreement::Untold);
    }

    #[test]
    fn words_are_compared_as_words() {
        assert_eq!(agreement("latest", "Latest"), Agreement::Alike);
        assert_eq!(agreement("latest", "v17"), Agreement::Unlike);
    }
}
