//! A tree of pages into a docs folder: first a plan, then somebody carries it out.
//!
//! Nothing here touches the disk; the plan is made from what is to be written and what lies there now.

pub mod message;
pub mod navigation;

use std::fmt;

use crate::tree::{Tree, TreePath};

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is not there yet.
    Create,
    /// It is there and says something else.
    Replace,
    /// It is there and says the same.
    Keep,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Keep => "keep",
        })
    }
}

/// What will be written, file by file, and what to tell about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The files that differ from what lies there.
    pub write: Tree,
    /// Every file of the tree in path order, and what happens to it.
    pub changes: Vec<(TreePath, Change)>,
    /// What the reader of a dry run should know.
    pub notes: Vec<String>,
}

impl Plan {
    /// Whether the folder is as it should be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.write.is_empty()
    }

    /// How many files a change happens to.
    #[must_use]
    pub fn count(&self, change: Change) -> usize {
        self.changes.iter().filter(|(_, one)| *one == change).count()
    }
}

/// The plan that makes a folder hold a tree. `current` gives the bytes that lie at a path now; files that are not in the
/// tree are left alone.
pub fn plan(wanted: &Tree, current: impl Fn(&TreePath) -> Option<Vec<u8>>) -> Plan {
    let mut plan = Plan::default();
    for (path, bytes) in wanted.iter() {
        let change = match current(path) {
            None => Change::Create,
            Some(known) if known == bytes => Change::Keep,
            Some(_) => Change::Replace,
        };
        plan.changes.push((path.clone(), change));
        if change != Change::Keep && plan.write.insert(path.as_str(), bytes).is_err() {
            plan.notes.push(format!("`{path}` can't be written: it is no path inside the folder"));
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new();
        for (path, text) in files {
            tree.insert(*path, *text).unwrap_or_else(|error| unreachable!("{error}"));
        }
        tree
    }

    #[test]
    fn a_plan_writes_what_differs_and_leaves_the_rest_alone() {
        let there = tree(&[("index.mdx", "by hand"), ("v1/a/index.mdx", "old"), ("v1/b/index.mdx", "same")]);
        let wanted = tree(&[("v1/a/index.mdx", "new"), ("v1/b/index.mdx", "same"), ("v1/c/index.mdx", "more")]);
        let plan = plan(&wanted, |path| there.get(path.as_str()).map(<[u8]>::to_vec));
        let changes: Vec<String> = plan.changes.iter().map(|(path, change)| format!("{change} {path}")).collect();
        assert_eq!(changes, ["replace v1/a/index.mdx", "keep v1/b/index.mdx", "create v1/c/index.mdx"]);
        assert_eq!((plan.write.len(), plan.count(Change::Keep)), (2, 1));
        assert_eq!(super::plan(&wanted, |path| wanted.get(path.as_str()).map(<[u8]>::to_vec)).write, Tree::new());
    }
}
