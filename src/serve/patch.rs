//! What is other in a tree than before.

use crate::tree::{Tree, TreePath};

/// What is other than before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Files that are new or say something else.
    pub changed: Tree,
    /// Files that are not there any more.
    pub removed: Vec<TreePath>,
}

impl Patch {
    /// What makes one tree of another.
    #[must_use]
    pub fn between(old: &Tree, new: &Tree) -> Self {
        let mut patch = Self::default();
        for (path, bytes) in new.iter().filter(|(path, bytes)| old.get(path.as_str()) != Some(bytes)) {
            // A path of a tree is a path of a tree.
            let _fits = patch.changed.insert(path.as_str(), bytes);
        }
        patch.removed = old.iter().map(|(path, _)| path).filter(|path| new.get(path.as_str()).is_none()).cloned().collect();
        patch
    }
}
