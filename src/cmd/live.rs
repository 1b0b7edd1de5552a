//! The site in memory, made again when something changes.

use super::{Failure, Project, build};
use crate::cli::Common;
use crate::serve::Patch;
use crate::tree::Tree;

/// A project's site, and what is needed to make it again at small cost.
pub(super) struct Live {
    common: Common,
    shown: Tree,
}

impl Live {
    /// A site of which nothing was made yet.
    pub(super) fn new(common: &Common) -> Self {
        Self { common: common.clone(), shown: Tree::new() }
    }

    /// Looks at what lies on the disk now, makes what changed and tells what is other than before.
    ///
    /// # Errors
    /// What is wrong with the project; what was shown before stays as it is.
    pub(super) fn renew(&mut self) -> Result<Patch, Failure> {
        let project = Project::open(&self.common)?;
        let flow = project.flow(None)?;
        let archive = project.archive()?;
        let tree = build::pages(&project, &flow, &archive, &project.settings.site_url)?;
        let patch = Patch::between(&self.shown, &tree);
        self.shown = tree;
        Ok(patch)
    }
}
