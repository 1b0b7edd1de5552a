//! The page of all results: every release and target, the latest first.

use super::folder::{DocsError, DocsInput};

use crate::tree::Tree;

/// Its files, by their paths from the docs folder.
pub(super) fn tree(_input: &DocsInput<'_>) -> Result<Tree, DocsError> {
    Ok(Tree::new())
}
