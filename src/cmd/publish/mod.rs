//! `plimsoll publish`: pages into a docs folder.

mod commit;
mod folders;
mod hold;
mod report;
mod scope;
mod secrets;
mod told;
pub(super) mod unchanged;
mod wish;

use std::collections::BTreeSet;

use self::commit::{Commit, Publication};
use self::folders::Folders;
use self::hold::Hold;
use self::scope::Scope;
use super::judged::Judged;
use super::{Exit, Failure, Project, Streams};
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::switch::Found;
use crate::model::collection::Archive;
use crate::model::profile::Profile;
use crate::publish::apply::{self, Recovered, Trouble};
use crate::publish::navigation::Entries;
use crate::publish::place::{Place, Root};
use crate::publish::plan::Wish;
use crate::publish::present::Present;
use crate::publish::{Plan, plan};
use crate::render::docs::{self, DocsError, DocsInput, DocsPages, Layout, page_path};
use crate::tree::BadPath;

/// Makes the pages in memory, plans what changes, says it, does it unless the run is dry.
pub(super) fn run(args: &cli::Publish, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let flow = project.flow(None)?;
    let archive = project.archive()?;
    let profile = profile(args, project)?;
    let scope = Scope::of(args, &archive, streams)?;
    project.check_overrides(&flow, &scope.runs)?;
    let folders = Folders::of(args, project, profile)?;
    let commit = Commit::prepare(args, &folders.written())?;
    let hold = Hold::take(args, &folders)?;
    let present = present(args, &folders, streams)?;
    let judged = Judged::new(project, &flow, &archive);
    let Thought { plan, entries } = thought(args, project, (&judged, &archive, &scope), (&folders, &present), streams)?;
    for warning in secrets::check(&plan, project)? {
        streams.tell(&warning);
    }
    let notes = scope.lost(&archive, &folders)?;
    report::list(&plan, &notes, &folders, streams)?;
    report::diff(&plan, !args.dry_run, &folders, streams)?;
    if let Err(faults) = plan.check(&folders.roots) {
        streams.say(&report::counted(&plan, true));
        return Err(faults.into());
    }
    let commit =
        commit.map(|commit| commit.of(&Publication { plan: &plan, folders: &folders, entries, scope: &scope })).transpose()?;
    let message = told::message(&project.settings.service_name, &scope, &judged, &plan);
    secrets::check_message(&message, project)?;
    if !args.dry_run {
        apply::apply(&folders.roots, &plan, &mut || true)?;
    }
    streams.say(&report::counted(&plan, args.dry_run));
    if let Some(commit) = commit.filter(|_| !args.dry_run) {
        commit.make(&message, streams)?;
    }
    // Another publication would change what is being committed.
    drop(hold);
    told::tell(args, &plan, &message, streams)
}

/// What a publication would do, and what it would have the navigation list.
struct Thought {
    plan: Plan,
    entries: Entries,
}

/// Makes the pages in memory and plans what changes. Nothing is written.
fn thought(
    args: &cli::Publish,
    project: &Project,
    (judged, archive, scope): (&Judged, &Archive, &Scope<'_>),
    (folders, present): (&Folders, &Present<'_>),
    streams: &mut Streams<'_>,
) -> Result<Thought, Failure> {
    let known = wish::known(scope, present)?;
    let pages = pages(args, project, judged, archive, scope, &(present, &known.owned_pages()))?;
    let entries = folders::entries(&pages, known.unwanted_pages(&pages));
    let navigation = folders.navigation(present, &entries, streams)?;
    let wish = known.wish(&folders.roots, profile(args, project)?, pages, navigation, args.force)?;
    Ok(Thought { plan: planned(&wish, present)?, entries })
}

/// The profile of the command line, else of the settings.
fn profile(args: &cli::Publish, project: &Project) -> Result<Profile, Failure> {
    let Some(name) = args.profile.as_deref() else { return Ok(project.settings.docs.profile) };
    Profile::named(name).ok_or_else(|| {
        let fault = Diagnostic::error("unknown-profile", format!("unknown profile `{name}`"));
        Failure::Misuse(fault.note(format!("there are {}", Profile::NAMES.join(", "))).suggest(name, Profile::NAMES))
    })
}

/// What lies in the folders, once a publication that was cut off is undone or finished. A dry run only thinks so.
fn present<'f>(args: &cli::Publish, folders: &'f Folders, streams: &mut Streams<'_>) -> Result<Present<'f>, Failure> {
    let roots = &folders.roots;
    let (recovered, finished) = if args.dry_run {
        apply::thought_through(roots)?
    } else {
        (apply::recover(roots, args.force, &mut || true)?, std::collections::BTreeMap::new())
    };
    let done = if args.dry_run { "is to be" } else { "was" };
    match recovered {
        Recovered::Nothing => {}
        Recovered::Undone => streams.say(&format!("an earlier publish was cut off before it changed a page: it {done} undone")),
        Recovered::Finished => streams.say(&format!("an earlier publish was cut off halfway: it {done} finished")),
    }
    Ok(Present::new(roots, finished))
}

/// The pages of the chosen runs, their paths from the docs folder. Links lead to pages that lie in the docs folder, unless
/// they are ours and may go now.
fn pages(
    args: &cli::Publish,
    project: &Project,
    judged: &Judged,
    archive: &Archive,
    scope: &Scope<'_>,
    (present, owned): &(&Present<'_>, &BTreeSet<String>),
) -> Result<DocsPages, Failure> {
    let layout = Layout::of(&project.settings.docs, profile(args, project)?);
    let templates = project.templates()?;
    let written: BTreeSet<String> = scope.runs.iter().map(|(address, _)| page_path(layout, address)).collect();
    let lies_there = |path: &str| {
        let found = Place::new(Root::Docs, path).ok().and_then(|place| present.look(&place).ok());
        matches!(found, Some(Found::File(_))) && !owned.contains(path)
    };
    let input = DocsInput {
        archive,
        verdicts: &judged.verdicts,
        comparisons: &judged.comparisons,
        service_name: &project.settings.service_name,
        layout,
        templates: &templates,
        has_page: &|path| written.contains(path) || lies_there(path),
    };
    docs::pages(&input, &scope.runs).map_err(|error| match error {
        DocsError::Refused(faults) => faults.into(),
        DocsError::Template { .. } | DocsError::Path(_) => {
            let fault = Diagnostic::error("page", error.to_string());
            Faults::from(fault.help("look at the project's templates/")).into()
        }
    })
}

fn planned(wish: &Wish<'_>, present: &Present<'_>) -> Result<Plan, Failure> {
    let places = wish.places().map_err(|bad| misplaced(&bad))?;
    Ok(plan(wish, &present.look_at(&places)?)?)
}

/// Names of releases and runs are checked when they are read, so this can't happen to an archive that was loaded.
fn misplaced(bad: &BadPath) -> Failure {
    Failure::Defect(bad.to_string())
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Faults(faults) => faults.into(),
            Trouble::World(error) => error.into(),
            Trouble::Unfinished(error) => {
                let fault = Diagnostic::error("disk", error.to_string()).note("some files are in their new state already");
                Self::outside(fault.help("remove the cause, then run the same again: it finishes what was begun"))
            }
            Trouble::Stopped => Self::Defect("a publication stopped that nobody stopped".to_owned()),
        }
    }
}
