//! The page of a release: its targets and how they ended.

use super::folder::{DocsError, DocsInput};
use crate::model::collection::ReleaseRuns;
use crate::tree::Tree;

/// Its files, by their paths from the docs folder.
pub(super) fn tree(_input: &DocsInput<'_>, _runs: &ReleaseRuns) -> Result<Tree, DocsError> {
    Ok(Tree::new())
}
