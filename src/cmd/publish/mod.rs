//! `plimsoll publish`: pages into a docs folder.

mod commit;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::judged::Judged;
use super::project::{select, shown};
use super::{Exit, Failure, Project, Streams, Tone};
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::flow::Flow;
use crate::fs;
use crate::model::address::Address;
use crate::model::collection::{Archive, Run};
use crate::model::profile::Profile;
use crate::publish::{Change, Plan, navigation, plan};
use crate::render::docs::{self, DocsInput, DocsPages, Layout, SERIES_FILE, page_path};
use crate::source::Source;
use crate::tree::{BadPath, Tree};

/// Makes the pages in memory, plans what changes, says it, does it unless the run is dry.
pub(super) fn run(args: &cli::Publish, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let flow = project.flow(None)?;
    let archive = project.archive()?;
    let chosen = chosen(args, &archive, streams)?;
    project.check_overrides(&flow, &chosen)?;
    let made = pages(args, project, &flow, &archive, &chosen)?;
    let listed = navigation::Entries { shared: made.shared_pages(), releases: made.release_pages(), removed: Vec::new() };
    let mut pages = made.shared;
    made.releases.into_values().for_each(|tree| pages.extend(tree));
    let mirrored = mirror(project, &pages)?;
    let navigation = Navigation::open(args, project)?;
    if navigation.is_none() {
        streams.say(&format!(
            "there is no navigation file `{}`: no entry was added",
            shown(&args.to.join(&project.settings.docs.nav))
        ));
    }
    let entries = navigation.as_ref().map(|navigation| navigation.entries(&listed)).transpose()?;
    let plans = [
        Some((args.to.clone(), pages)),
        mirrored.map(|tree| (args.to.join(&project.settings.docs.mirror), tree)),
        navigation.zip(entries).map(|(navigation, tree)| (navigation.folder, tree)),
    ];
    let mut counts = Counts::default();
    for (folder, tree) in plans.into_iter().flatten() {
        let plan = plan(&tree, |path| fs::read(&folder.join(path.as_str())).ok());
        report(&plan, &folder, streams)?;
        counts.add(&plan);
        if !args.dry_run {
            fs::write_tree(&folder, &plan.write)?;
        }
    }
    streams.say(&counts.said(args.dry_run));
    Ok(Exit::Yes)
}

/// The profile of the command line, else of the settings.
fn profile(args: &cli::Publish, project: &Project) -> Result<Profile, Failure> {
    let Some(name) = args.profile.as_deref() else { return Ok(project.settings.docs.profile) };
    Profile::named(name).ok_or_else(|| {
        let fault = Diagnostic::error("unknown-profile", format!("unknown profile `{name}`"));
        Failure::Misuse(fault.note(format!("there are {}", Profile::NAMES.join(", "))).suggest(name, Profile::NAMES))
    })
}

/// The runs to publish: those of `--release`, or all; an aborted run is no result and is left out unless forced.
fn chosen<'a>(
    args: &cli::Publish,
    archive: &'a Archive,
    streams: &mut Streams<'_>,
) -> Result<Vec<(&'a Address, &'a Run)>, Failure> {
    let patterns: Vec<String> = args.release.iter().cloned().collect();
    let (aborted, fine): (Vec<_>, Vec<_>) =
        select(archive, &patterns)?.into_iter().partition(|(_, run)| !args.force && is_aborted(run));
    for (address, run) in aborted {
        let by = run.record.k6.as_ref().and_then(|summary| summary.aborted_by.clone()).unwrap_or_default();
        let fault = Diagnostic::warning("aborted-run", format!("{address} was aborted and is left out ({by})"));
        streams.tell(&fault.help("--force publishes it all the same"));
    }
    Ok(fine)
}

fn is_aborted(run: &Run) -> bool {
    run.record.k6.as_ref().is_some_and(|summary| summary.aborted)
}

/// The pages of the chosen runs, their paths from the docs folder.
fn pages(
    args: &cli::Publish,
    project: &Project,
    flow: &Flow,
    archive: &Archive,
    runs: &[(&Address, &Run)],
) -> Result<DocsPages, Failure> {
    let layout = Layout::of(&project.settings.docs, profile(args, project)?);
    let templates = project.templates()?;
    let Judged { verdicts, comparisons } = Judged::new(project, flow, archive);
    let written: BTreeSet<String> = runs.iter().map(|(address, _)| page_path(layout, address)).collect();
    let input = DocsInput {
        archive,
        verdicts: &verdicts,
        comparisons: &comparisons,
        service_name: &project.settings.service_name,
        layout,
        templates: &templates,
        has_page: &|path| written.contains(path) || fs::exists(&args.to.join(path)),
    };
    docs::pages(&input, runs).map_err(|error| {
        let fault = Diagnostic::error("page", error.to_string());
        Faults::from(fault.help("look at the project's templates/, and at the names of its releases and runs")).into()
    })
}

/// Names of releases and runs are checked when they are read, so this can't happen to an archive that was loaded.
fn misplaced(bad: &BadPath) -> Failure {
    Failure::Defect(bad.to_string())
}

/// The second copy of every `output.json`, where the project wants one.
fn mirror(project: &Project, pages: &Tree) -> Result<Option<Tree>, Failure> {
    if project.settings.docs.mirror.is_empty() {
        return Ok(None);
    }
    let mut tree = Tree::new();
    for (path, bytes) in pages.iter().filter(|(path, _)| path.file_name() == SERIES_FILE) {
        tree.insert(path.as_str(), bytes).map_err(|bad| misplaced(&bad))?;
    }
    Ok(Some(tree))
}

/// The navigation file beside or above the docs folder.
struct Navigation {
    folder: PathBuf,
    file: String,
    source: Source,
    pages_folder: String,
}

impl Navigation {
    /// The navigation file of the settings; `None` where there is none.
    fn open(args: &cli::Publish, project: &Project) -> Result<Option<Self>, Failure> {
        let to = normal(&args.to)?;
        let path = normal(&args.to.join(&project.settings.docs.nav))?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if fs::is_missing(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let inside = to.strip_prefix(&folder).map(shown).unwrap_or_default();
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let named = args.to.join(&project.settings.docs.nav);
        let source = Source::from_bytes(shown(&named), &bytes);
        let folder = shortened(named.parent().unwrap_or(Path::new("")));
        Ok(Some(Self { folder, file, source, pages_folder: inside }))
    }

    /// The file with an entry for every page, as a tree of one file.
    fn entries(&self, pages: &navigation::Entries) -> Result<Tree, Failure> {
        let text = navigation::with_pages(&self.source, &self.pages_folder, pages)?;
        let mut tree = Tree::new();
        tree.insert(self.file.clone(), text).map_err(|bad| misplaced(&bad))?;
        Ok(tree)
    }
}

/// An absolute path without `.` and `..`, by its words alone.
fn normal(path: &Path) -> Result<PathBuf, Failure> {
    let absolute = std::path::absolute(path).map_err(|error| Failure::misuse("bad-path", error.to_string()))?;
    let mut normal = PathBuf::new();
    for part in absolute.components() {
        if part == std::path::Component::ParentDir {
            normal.pop();
        } else {
            normal.push(part);
        }
    }
    Ok(normal)
}

/// A path as typed without `name/..` in it, where that changes nothing: not behind a link.
fn shortened(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        let is_name = matches!(short.components().next_back(), Some(std::path::Component::Normal(_)));
        if part == std::path::Component::ParentDir && is_name {
            short.pop();
        } else {
            short.push(part);
        }
    }
    if fs::real(&short) == fs::real(path) { short } else { path.to_owned() }
}

fn report(plan: &Plan, folder: &Path, streams: &mut Streams<'_>) -> Result<(), Failure> {
    for (path, change) in &plan.changes {
        if *change != Change::Keep || streams.tone == Tone::Verbose {
            writeln!(streams.out, "{change:7}  {}", shown(&folder.join(path.as_str())))?;
        }
    }
    for note in &plan.notes {
        streams.say(note);
    }
    Ok(())
}

/// What a publication does, counted.
#[derive(Default)]
struct Counts {
    create: usize,
    replace: usize,
    keep: usize,
}

impl Counts {
    fn add(&mut self, plan: &Plan) {
        self.create += plan.count(Change::Create);
        self.replace += plan.count(Change::Replace);
        self.keep += plan.count(Change::Keep);
    }

    fn said(&self, dry: bool) -> String {
        let Self { create, replace, keep } = self;
        let end = if dry { "; nothing was written" } else { "" };
        format!("{create} files created, {replace} replaced, {keep} kept{end}")
    }
}
