//! Whether a docs folder is as a publication would leave it now: for `plimsoll audit --evidence`.

use std::io;
use std::path::Path;

use super::super::judged::Judged;
use super::super::project::shown;
use super::super::{Failure, Project, Streams, Tone};
use super::folders::Folders;
use super::scope::Scope;
use super::{Thought, present, thought};
use crate::cli;
use crate::diagnostic::Diagnostic;
use crate::fs;
use crate::model::address::Address;
use crate::model::collection::Archive;
use crate::publish::manifest::{self, Manifest};
use crate::publish::place::{Place, Root, Roots};
use crate::publish::plan::Step;
use crate::render::docs::{Layout, page_path};
use crate::source::Source;

/// A file of a docs folder as a publication sees it.
pub(in crate::cmd) struct Published {
    /// Its path from the docs folder.
    pub path: String,
    /// What happens to it.
    pub step: Step,
}

/// What publishing again what is published there would do to each file. Nothing is written or said.
///
/// # Errors
/// A folder that nothing was published into, and what `publish` refuses.
pub(in crate::cmd) fn published(
    docs: &Path,
    project: &Project,
    judged: &Judged,
    archive: &Archive,
) -> Result<Vec<Published>, Failure> {
    let (mut out, mut talk) = (io::sink(), io::sink());
    let streams = &mut Streams { out: &mut out, talk: &mut talk, colour: false, tone: Tone::Quiet, watched: false };
    let Some(first) = manifest_of(docs, archive)? else {
        let message = format!("nothing of this archive is published in `{}`", shown(docs));
        return Err(Failure::Misuse(
            Diagnostic::error("nothing-published", message).help("publish first: plimsoll publish --to DIR"),
        ));
    };
    let profile = first.profile;
    let args = cli::Publish {
        to: docs.to_owned(),
        profile: Some(profile.name().to_owned()),
        release: None,
        dry_run: true,
        force: false,
        branch: None,
        commit: false,
        pull_request: None,
    };
    let folders = Folders::of(&args, project, profile)?;
    let layout = Layout::of(&project.settings.docs, profile);
    let has_page = |address: &Address| fs::exists(&docs.join(page_path(layout, address)));
    let scope = Scope::published(archive, docs, &has_page);
    let present = present(&args, &folders, streams)?;
    let Thought { plan, .. } = thought(&args, project, (judged, archive, &scope), (&folders, &present), streams)?;
    let path = |place: &Place| from_docs(&folders.roots, place);
    // The manifest counts regions, which its author may write at any time; it is no page.
    let pages = plan.steps.into_iter().filter(|step| step.place.path.file_name() != manifest::FILE);
    Ok(pages.map(|step| Published { path: path(&step.place), step }).collect())
}

/// The manifest of the first release of the archive that is published there.
fn manifest_of(docs: &Path, archive: &Archive) -> Result<Option<Manifest>, Failure> {
    for release in archive.releases() {
        let path = docs.join(manifest::path_of(Some(&release.name)));
        if fs::exists(&path) {
            let source = Source::from_bytes(shown(&path), &fs::read(&path)?);
            return Ok(Some(Manifest::read(&source, Some(&release.name))?));
        }
    }
    Ok(None)
}

/// The path of a file from the docs folder, through the words of the settings where it lies elsewhere.
fn from_docs(roots: &Roots, place: &Place) -> String {
    match roots.words(place.root) {
        Some(words) if place.root != Root::Docs => format!("{words}/{}", place.path),
        _ => place.path.to_string(),
    }
}
