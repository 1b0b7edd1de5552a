//! Files in memory: what a renderer returns and a publisher writes.
//!
//! Paths are relative, use `/`, and can't leave the tree; iteration is in path order, so the same content is the same
//! bytes wherever it goes.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A path inside a tree: one or more names joined by `/`, none of them empty, `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TreePath(String);

/// A path that would leave its tree, or is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a path inside a folder")]
pub struct BadPath(pub String);

impl TreePath {
    /// Checks a path.
    ///
    /// # Errors
    /// [`BadPath`] if it is absolute, empty, or has a part that is empty, `.`, `..` or holds a backslash or NUL.
    pub fn new(path: impl Into<String>) -> Result<Self, BadPath> {
        let path = path.into();
        let fine = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
        if path.split('/').all(fine) { Ok(Self(path)) } else { Err(BadPath(path)) }
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names it is made of.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The last name.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl TryFrom<String> for TreePath {
    type Error = BadPath;

    fn try_from(path: String) -> Result<Self, BadPath> {
        Self::new(path)
    }
}

impl From<TreePath> for String {
    fn from(path: TreePath) -> Self {
        path.0
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Files by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<TreePath, Vec<u8>>,
}

impl Tree {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    ///
    /// # Errors
    /// [`BadPath`] if the path would leave the tree.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<(), BadPath> {
        self.files.insert(TreePath::new(path)?, bytes.into());
        Ok(())
    }

    /// A file's bytes.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(&TreePath(path.to_owned())).map(Vec::as_slice)
    }

    /// All files in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&TreePath, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path, bytes.as_slice()))
    }

    /// Adds all files of another tree; its files win.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_leave_its_tree() {
        for bad in ["", "/etc/passwd", "a/../b", "a//b", ".", "a\\b", "a/"] {
            assert!(TreePath::new(bad).is_err(), "{bad}");
        }
        assert!(TreePath::new("v4.17.1/otp_session~bcrypt8/index.mdx").is_ok());
    }
}
