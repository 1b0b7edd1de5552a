//! Which files a commit is of: those that the publication changes, and of those that it keeps the ones that HEAD lacks something of.
//!
//! A kept file says what is wanted, but an earlier publication without a commit may have written that, or somebody's own edit may
//! be all that HEAD lacks of it. What HEAD has tells which.

use std::collections::{BTreeMap, BTreeSet};

use super::super::folders::{Folders, page_name};
use super::super::misplaced;
use super::super::scope::Scope;
use super::Commit;
use crate::cmd::Failure;
use crate::fs;
use crate::git::RepoPath;
use crate::model::address::Release;
use crate::publish::keep;
use crate::publish::manifest::{self, Manifest};
use crate::publish::navigation::Entries;
use crate::publish::place::{Place, Root};
use crate::publish::plan::{Group, Step};
use crate::publish::{Change, Plan, ends};
use crate::source::Source;

/// A publication, as far as a commit of it has to know.
pub(in crate::cmd::publish) struct Publication<'a> {
    /// What happens to every file.
    pub(in crate::cmd::publish) plan: &'a Plan,
    /// Where they lie.
    pub(in crate::cmd::publish) folders: &'a Folders,
    /// What the navigation shall list.
    pub(in crate::cmd::publish) entries: Entries,
    /// Which releases it is of.
    pub(in crate::cmd::publish) scope: &'a Scope<'a>,
}

/// Files of a commit, by their paths from the top.
#[derive(Default)]
pub(super) struct Files {
    /// Those that must be as HEAD has them before they are written.
    pub(super) changed: Vec<RepoPath>,
    /// Those that may differ from HEAD before: they are as they should be already, or nobody writes into them.
    pub(super) kept: Vec<RepoPath>,
}

/// Whose the difference between HEAD and a kept file is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    /// The publication's.
    Ours,
    /// Somebody else's.
    Theirs,
    /// Both, in a file of other people.
    Mixed,
}

impl Commit {
    /// The files of a publication.
    pub(super) fn files(&self, publication: &Publication<'_>) -> Result<Files, Failure> {
        let roots = &publication.folders.roots;
        let other: BTreeSet<RepoPath> = self.git.status(&self.roots)?.into_iter().map(|entry| entry.path).collect();
        let gone = self.gone(publication)?;
        let mut files = Files::default();
        for step in &publication.plan.steps {
            let path = self.path(&roots.path(&step.place))?;
            let is_kept = step.change == Change::Keep;
            let share = if is_kept && other.contains(&path) { self.share(publication, step, &path, &gone)? } else { Share::Ours };
            match share {
                Share::Theirs => {}
                // A manifest holds nobody's words but ours.
                Share::Ours if is_kept || step.place.path.file_name() == manifest::FILE => files.kept.push(path),
                // A kept file that is mixed stands in the way like one to be written: a commit can't part it.
                Share::Ours | Share::Mixed => files.changed.push(path),
            }
        }
        for place in &gone {
            files.kept.push(self.path(&roots.path(place))?);
        }
        Ok(files)
    }

    /// Whose the difference between HEAD and a kept file is. A page is committed whole once anything of ours differs in it.
    fn share(
        &self,
        publication: &Publication<'_>,
        step: &Step,
        path: &RepoPath,
        gone: &BTreeSet<Place>,
    ) -> Result<Share, Failure> {
        let present = step.old.as_deref().unwrap_or_default();
        let head = self.git.at_head(path)?;
        if step.place.root == Root::Navigation {
            return Ok(head.map_or(Share::Mixed, |head| share_of_navigation(publication, step, &head, gone)));
        }
        let is_of_author = head.is_some_and(|head| keep::differ_by_regions(step.place.path.file_name(), &head, present));
        Ok(if is_of_author { Share::Theirs } else { Share::Ours })
    }

    /// What HEAD has of earlier publications and one without a commit took away.
    fn gone(&self, publication: &Publication<'_>) -> Result<BTreeSet<Place>, Failure> {
        let roots = &publication.folders.roots;
        let planned: BTreeSet<&Place> = publication.plan.steps.iter().map(|step| &step.place).collect();
        let mut gone = BTreeSet::new();
        for release in publication.scope.releases.iter().map(Some).chain([None]) {
            let (place, group) = self.published_at_head(publication, release)?;
            let files = group.iter().flat_map(|group| group.owned(roots).map(|(place, _)| place).chain([&place]));
            gone.extend(files.filter(|place| !planned.contains(place) && !fs::exists(&roots.path(place))).cloned());
        }
        Ok(gone)
    }

    /// The manifest of a release, and what HEAD has in it; nothing of one that can't be read, since it names no file for sure.
    fn published_at_head(
        &self,
        publication: &Publication<'_>,
        release: Option<&Release>,
    ) -> Result<(Place, Option<Group>), Failure> {
        let roots = &publication.folders.roots;
        let mut group = Group { release: release.cloned(), wanted: BTreeMap::new(), manifest: None };
        let place = group.manifest_place().map_err(|bad| misplaced(&bad))?;
        let Some(bytes) = self.git.at_head(&self.path(&roots.path(&place))?)? else { return Ok((place, None)) };
        group.manifest = Manifest::read(&Source::from_bytes(roots.shown(&place), &bytes), release).ok();
        Ok((place, Some(group)))
    }
}

/// The same of the navigation file: what this publication would make of it as HEAD has it.
fn share_of_navigation(publication: &Publication<'_>, step: &Step, head: &[u8], gone: &BTreeSet<Place>) -> Share {
    let present = step.old.as_deref().unwrap_or_default();
    let mut entries = publication.entries.clone();
    entries.removed.extend(gone.iter().filter_map(|place| page_name(place.path.as_str())));
    match publication.folders.listing(&step.place, head.to_owned(), &entries) {
        Ok(made) if made == head => Share::Theirs,
        Ok(made) if ends::unified(&made) == ends::unified(present) => Share::Ours,
        _ => Share::Mixed,
    }
}
