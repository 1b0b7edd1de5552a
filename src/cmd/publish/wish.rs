//! What is to be published, beside what was published before.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Failure;
use super::folders::page_name;
use super::misplaced;
use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::Release;
use crate::model::profile::Profile;
use crate::publish::manifest::Manifest;
use crate::publish::place::{Place, Root, Roots};
use crate::publish::plan::{Group, Wish};
use crate::publish::present::Present;
use crate::render::docs::{DocsPages, SERIES_FILE};
use crate::source::Source;
use crate::tree::{BadPath, Tree};

/// What was published before, release by release; what belongs to none comes last.
pub(super) struct Known {
    groups: Vec<Group>,
}

/// Reads the manifests of the releases that are published now.
pub(super) fn known(scope: &Scope<'_>, present: &Present<'_>) -> Result<Known, Failure> {
    let (mut groups, mut faults) = (Vec::new(), Vec::new());
    for release in scope.releases.iter().cloned().map(Some).chain([None]) {
        let mut group = Group { release, wanted: BTreeMap::new(), manifest: None };
        let place = group.manifest_place().map_err(|bad| misplaced(&bad))?;
        if let Some(bytes) = present.bytes(&place)? {
            let source = Source::from_bytes(present.roots().shown(&place), &bytes);
            match Manifest::read(&source, group.release.as_ref()) {
                Ok(manifest) => group.manifest = Some(manifest),
                Err(more) => faults.extend(more.into_list()),
            }
        }
        groups.push(group);
    }
    Faults::check(faults)?;
    Ok(Known { groups })
}

impl Known {
    /// The files in the docs folder that were published before, by their paths.
    pub(super) fn owned_pages(&self) -> BTreeSet<String> {
        let files = self.groups.iter().flat_map(|group| &group.manifest).flat_map(|manifest| manifest.files.keys());
        files.filter(|place| place.root == Root::Docs).map(|place| place.path.to_string()).collect()
    }

    /// The pages that were published before and are no longer made, without their endings.
    pub(super) fn unwanted_pages(&self, pages: &DocsPages) -> Vec<String> {
        let trees = || pages.releases.values().chain([&pages.shared]);
        let owned = self.owned_pages().into_iter().filter(|path| !trees().any(|tree| tree.get(path).is_some()));
        owned.filter_map(|path| page_name(&path)).collect()
    }

    /// The wish for these pages.
    pub(super) fn wish(
        mut self,
        roots: &Roots,
        profile: Profile,
        mut pages: DocsPages,
        navigation: Option<(Place, Vec<u8>)>,
        force: bool,
    ) -> Result<Wish<'_>, Failure> {
        let is_mirrored = roots.mirror.is_some();
        for group in &mut self.groups {
            let tree = match &group.release {
                Some(release) => pages.releases.remove(release).unwrap_or_default(),
                None => std::mem::take(&mut pages.shared),
            };
            check_inside(group.release.as_ref(), &tree)?;
            group.wanted = wanted(&tree, is_mirrored).map_err(|bad| misplaced(&bad))?;
        }
        Ok(Wish { roots, profile, groups: self.groups, navigation, force })
    }
}

/// The files of a tree, and the second copy of every `output.json` where the project wants one.
fn wanted(tree: &Tree, is_mirrored: bool) -> Result<BTreeMap<Place, Vec<u8>>, BadPath> {
    let mut wanted = BTreeMap::new();
    for (path, bytes) in tree.iter() {
        wanted.insert(Place::new(Root::Docs, path.as_str())?, bytes.to_vec());
        if is_mirrored && path.file_name() == SERIES_FILE {
            wanted.insert(Place::new(Root::Mirror, path.as_str())?, bytes.to_vec());
        }
    }
    Ok(wanted)
}

/// A release's files lie in its folder, where its manifest can name them.
fn check_inside(release: Option<&Release>, tree: &Tree) -> Result<(), Failure> {
    let Some(release) = release else { return Ok(()) };
    let outside = tree.iter().find(|(path, _)| path.parts().next() != Some(release.as_str()));
    outside.map_or(Ok(()), |(path, _)| {
        let fault = Diagnostic::error("page", format!("`{path}` is a page of {release} and not in its folder"));
        Err(Faults::from(fault).into())
    })
}
