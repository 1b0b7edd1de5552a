//! The page of a comparison: what changed since an earlier release.

use super::folder::{DocsError, DocsInput};
use crate::model::comparison::Compared;
use crate::tree::Tree;

/// Its files, by their paths from the docs folder.
pub(super) fn tree(_input: &DocsInput<'_>, _compared: &Compared) -> Result<Tree, DocsError> {
    Ok(Tree::new())
}
