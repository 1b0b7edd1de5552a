//! How runs are named and chosen: `v4.17.1/otp_session~2`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A name that can't be a folder of the archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` can't be {what}: letters, digits, `.`, `_`, `-` and `+` only, at most 100 of them, the first no `.`")]
pub struct BadName {
    /// The name.
    pub name: String,
    /// What it was for.
    pub what: &'static str,
}

fn checked(name: &str, what: &'static str) -> Result<String, BadName> {
    let fine = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    // A folder whose name begins with a dot is hidden: nothing that searches the archive would find it again.
    let good = !name.is_empty() && name.len() <= 100 && name.chars().all(fine) && !name.starts_with('.');
    if good { Ok(name.to_owned()) } else { Err(BadName { name: name.to_owned(), what }) }
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $type(String);

        impl $type {
            /// Checks a name.
            ///
            /// # Errors
            /// [`BadName`] if it can't be part of a folder's name.
            pub fn new(name: &str) -> Result<Self, BadName> {
                checked(name, $what).map(Self)
            }

            /// The name.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $type {
            type Error = BadName;

            fn try_from(name: String) -> Result<Self, BadName> {
                Self::new(&name)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }
    };
}

name!(
    /// A version under test, `v4.17.1`.
    Release, "a release"
);
name!(
    /// The executed test, the name of the make recipe: `otp_session`.
    Target, "a target"
);
name!(
    /// What tells a further run of a target from the run of record: `bcrypt8`, `2`.
    Label, "a label"
);

/// Compares versions by their numbers, part by part: `v4` is 4.0.0, `v4.2` comes before `v4.17.1`; a pre-release comes
/// before its release; what is no version comes after all that are, by name.
#[must_use]
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    match (version_key(a), version_key(b)) {
        (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Numbers, then whether it is final, then the parts of its pre-release: numbers before words, as semver orders them.
type VersionKey = ([u64; 4], bool, Vec<(bool, u64, String)>);

fn version_key(text: &str) -> Option<VersionKey> {
    let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let bare = bare.split('+').next().unwrap_or(bare);
    let (numbers, pre) = bare.split_once('-').map_or((bare, None), |(n, p)| (n, Some(p)));
    let mut key = [0; 4];
    for (at, part) in numbers.split('.').enumerate() {
        *key.get_mut(at)? = part.parse().ok()?;
    }
    let pre = pre.map(pre_release).unwrap_or_default();
    Some((key, pre.is_empty(), pre))
}

/// `rc.2` and `rc2` in comparable parts.
fn pre_release(text: &str) -> Vec<(bool, u64, String)> {
    let mut parts = Vec::new();
    for part in text.split('.') {
        let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
        let (word, number) = part.split_at(digits);
        if !word.is_empty() {
            parts.push((true, 0, word.to_owned()));
        }
        if !number.is_empty() {
            parts.push((false, number.parse().unwrap_or(u64::MAX), String::new()));
        }
    }
    parts
}

/// A run's place in the archive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The release.
    pub release: Release,
    /// The target.
    pub target: Target,
    /// Nothing for the run of record.
    pub label: Option<Label>,
}

impl Address {
    /// The folder of the run inside its release: `otp_session`, `otp_session~2`.
    #[must_use]
    pub fn run(&self) -> String {
        match &self.label {
            None => self.target.to_string(),
            Some(label) => format!("{}~{label}", self.target),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.release, self.run())
    }
}

/// Splits `otp_session~2` into target and label.
///
/// # Errors
/// [`BadName`] if either part can't be a name.
pub fn split_run(run: &str) -> Result<(Target, Option<Label>), BadName> {
    match run.split_once('~') {
        None => Ok((Target::new(run)?, None)),
        Some((target, label)) => Ok((Target::new(target)?, Some(Label::new(label)?))),
    }
}

impl FromStr for Address {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let bad = || BadName { name: text.to_owned(), what: "a run (RELEASE/RUN)" };
        let (release, run) = text.split_once('/').ok_or_else(bad)?;
        let (target, label) = split_run(run)?;
        Ok(Self { release: Release::new(release)?, target, label })
    }
}

/// A pattern that chooses runs: `v4.17.1` (all of a release), `v4.17.1/otp_session`, `*/otp_session`. `*` stands for any
/// letters but `/`.
#[derive(Clone, Debug)]
pub struct Pattern {
    glob: globset::GlobMatcher,
    text: String,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`BadName`] if it has more than one `/` or is no pattern.
    pub fn new(text: &str) -> Result<Self, BadName> {
        let bad = || BadName { name: text.to_owned(), what: "a choice of runs (RELEASE/RUN, with `*`)" };
        let whole = match text.matches('/').count() {
            0 => format!("{text}/*"),
            1 => text.to_owned(),
            _ => return Err(bad()),
        };
        if text.is_empty() || whole.contains(['[', ']', '{', '}', '?', '\\']) {
            return Err(bad());
        }
        let glob = globset::GlobBuilder::new(&whole).literal_separator(true).build().map_err(|_| bad())?;
        Ok(Self { glob: glob.compile_matcher(), text: text.to_owned() })
    }

    /// True exactly if the run is chosen.
    #[must_use]
    pub fn matches(&self, address: &Address) -> bool {
        self.glob.is_match(address.to_string())
    }

    /// The pattern as typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_by_number() {
        let mut names = vec!["main", "v4.17.1", "v2.70.0", "v4", "v4.19.2", "v4.0.0-rc2", "v4.0.0-rc10", "v2.65.0"];
        names.sort_by(|a, b| compare_versions(a, b));
        assert_eq!(names, ["v2.65.0", "v2.70.0", "v4.0.0-rc2", "v4.0.0-rc10", "v4", "v4.17.1", "v4.19.2", "main"]);
    }

    #[test]
    fn a_name_cannot_leave_its_folder() {
        for bad in ["", "..", ".v4", "a/b", "a b", "a~b", "v1\0"] {
            assert!(Target::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn patterns_choose_releases_targets_and_runs() {
        let address: Address = "v4.17.1/otp_session~2".parse().unwrap_or_else(|e| unreachable!("{e}"));
        let matches = |p: &str| Pattern::new(p).unwrap_or_else(|e| unreachable!("{e}")).matches(&address);
        assert!(matches("v4.17.1") && matches("*/otp_session~*") && matches("v4*/*"));
        assert!(!matches("v4.17") && !matches("*/otp_session"));
        assert!(Pattern::new("a/b/c").is_err());
    }
}
