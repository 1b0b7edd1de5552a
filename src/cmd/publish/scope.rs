//! Which releases and runs are published.

use std::path::Path;

use super::super::project::select;
use super::super::{Failure, Streams};
use super::folders::Folders;
use crate::cli;
use crate::diagnostic::Diagnostic;
use crate::fs;
use crate::model::address::{Address, Release};
use crate::model::collection::{Archive, Run};
use crate::publish::manifest;

/// What is published.
pub(super) struct Scope<'a> {
    /// The releases: what was published of them and is no longer in `runs` goes.
    pub(super) releases: Vec<Release>,
    /// The runs that get a page.
    pub(super) runs: Vec<(&'a Address, &'a Run)>,
    /// Runs without a page, and why.
    pub(super) left_out: Vec<(String, String)>,
    whole: bool,
}

impl<'a> Scope<'a> {
    /// The release of `--release`, or all; an aborted run is no result and is left out unless forced.
    pub(super) fn of(args: &cli::Publish, archive: &'a Archive, streams: &mut Streams<'_>) -> Result<Self, Failure> {
        if let Some(run) = args.release.as_deref().filter(|name| name.contains('/')) {
            let fault = Diagnostic::error("no-release", format!("`{run}` names a run, and --release wants a release"));
            return Err(Failure::Misuse(fault.help("the pages of a release are published together")));
        }
        let patterns: Vec<String> = args.release.iter().cloned().collect();
        let all = select(archive, &patterns)?;
        let is_chosen = |name: &Release| patterns.is_empty() || all.iter().any(|(address, _)| address.release == *name);
        let releases = archive.releases().iter().map(|release| release.name.clone()).filter(is_chosen).collect();
        let (aborted, runs): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, run)| !args.force && is_aborted(run));
        let mut left_out = Vec::new();
        for (address, run) in aborted {
            let by = run.record.k6.as_ref().and_then(|summary| summary.aborted_by.clone()).unwrap_or_default();
            let fault = Diagnostic::warning("aborted-run", format!("{address} was aborted and is left out ({by})"));
            streams.tell(&fault.help("--force publishes it all the same"));
            left_out.push((address.to_string(), format!("aborted ({by})")));
        }
        Ok(Self { releases, runs, left_out, whole: patterns.is_empty() })
    }

    /// The releases that are published in a docs folder, and of their runs those that are not aborted or have a page there.
    pub(super) fn published(archive: &'a Archive, docs: &Path, has_page: &dyn Fn(&Address) -> bool) -> Self {
        let is_published = |name: &Release| fs::exists(&docs.join(name.as_str()).join(manifest::FILE));
        let all = || archive.releases().iter().filter(|release| is_published(&release.name));
        let runs = all().flat_map(|release| &release.runs).filter(|(address, run)| !is_aborted(run) || has_page(address));
        let releases = all().map(|release| release.name.clone()).collect();
        Self { releases, runs: runs.collect(), left_out: Vec::new(), whole: false }
    }

    /// Releases that were published and are not in the archive: somebody else's archive may have them.
    pub(super) fn lost(&self, archive: &Archive, folders: &Folders) -> Result<Vec<String>, Failure> {
        if !self.whole {
            return Ok(Vec::new());
        }
        let docs = &folders.roots.docs;
        let is_published = |name: &String| fs::exists(&docs.join(name).join(manifest::FILE));
        let is_lost = |name: &String| Release::new(name).is_ok_and(|name| archive.release(&name).is_none());
        let lost = fs::switch::folders(docs)?.into_iter().filter(|name| is_lost(name) && is_published(name));
        Ok(lost.map(|name| format!("{name} is published and not in the archive: its pages are left alone")).collect())
    }
}

fn is_aborted(run: &Run) -> bool {
    run.record.k6.as_ref().is_some_and(|summary| summary.aborted)
}
