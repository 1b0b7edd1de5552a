//! Versions in the form in which they are compared.

use super::held::Agreement;

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
        if numbers.is_empty() { Self::Words(super::normal::name(text)) } else { Self::Numbers(numbers) }
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

/// The first number of a text and those that follow it behind a `.` or `_`: platforms write `POSTGRES_9_6`.
fn numbers(text: &str) -> Vec<u64> {
    let Some(first) = text.find(|c: char| c.is_ascii_digit()) else { return Vec::new() };
    let end = text[first..].find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).map_or(text.len(), |end| first + end);
    text[first..end].split(['.', '_']).map_while(|part| part.parse().ok()).collect()
}

/// A version as a whole, without the `v` before it.
pub(super) fn whole(text: &str) -> String {
    let name = super::normal::name(text);
    let bare = name.strip_prefix("k6 ").unwrap_or(&name);
    match bare.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest.to_owned(),
        _ => bare.to_owned(),
    }
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

    #[test]
    fn a_build_is_the_same_with_a_v() {
        assert_eq!(whole("v4.0.0-rc2"), whole("4.0.0-RC2"));
        assert_ne!(whole("v4.0.0-rc2"), whole("v4.0.0"));
        assert_eq!(whole("vnext"), "vnext");
        assert_eq!(whole("k6 v2.1.0"), "2.1.0");
    }
}
