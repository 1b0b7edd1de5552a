//! A plan carried out: all of it, or nothing.
//!
//! New files are written beside their places and moved into them only when every one is on the disk. A journal says what is
//! going on; the next publication reads it and undoes what was cut off before the moving began, or finishes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::journal::{self, Journal, Operation, State};
use super::manifest::fingerprint;
use super::place::{Place, Root, Roots};
use super::plan::{Plan, Step};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::switch::{self, Found};
use crate::fs::{self, FsError};
use crate::source::Source;

/// Why a plan was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Files are other than the plan saw them, or a journal can't be followed. Nothing was changed.
    #[error("{0}")]
    Faults(#[from] Faults),
    /// The disk refused before anything was changed. What was staged is removed.
    #[error("{0}")]
    World(#[from] FsError),
    /// The disk refused while files moved into their places.
    #[error("{0}; some files are in their places already: the next publish finishes this one")]
    Unfinished(FsError),
    /// Somebody asked to stop; everything lies as it lay then.
    #[error("stopped")]
    Stopped,
}

/// Asked before every single step on the disk, with the number of the step: whether to go on. This is where a test cuts a
/// publication off.
pub type Go<'a> = &'a mut dyn FnMut() -> bool;

/// Carries a plan out. The caller holds the lock.
///
/// # Errors
/// [`Trouble`], which says what it leaves behind.
pub fn apply(roots: &Roots, plan: &Plan, go: Go<'_>) -> Result<(), Trouble> {
    let changes: Vec<&Step> = plan.changes().collect();
    if changes.is_empty() {
        return Ok(());
    }
    let mut journal = journal_of(roots, &changes);
    if let Err(trouble) = stage(roots, &changes, &mut journal, go) {
        if !matches!(trouble, Trouble::Stopped) {
            // What could not be undone is undone by the next publication; the first failure is the one to tell.
            let _undone = undo(roots, &journal, &mut || true);
        }
        return Err(trouble);
    }
    finish(roots, &journal, go)
}

fn journal_of(roots: &Roots, changes: &[&Step]) -> Journal {
    let hash = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(fingerprint);
    let operations =
        changes.iter().map(|step| Operation { place: step.place.clone(), old: hash(&step.old), new: hash(&step.new) });
    let new = changes.iter().filter(|step| step.old.is_none());
    let above = new.clone().flat_map(|step| folders_above(&step.place)).collect::<BTreeSet<Place>>();
    let folders = above.into_iter().filter(|folder| !fs::exists(&roots.path(folder))).collect();
    let mirrored = new.clone().any(|step| step.place.root == Root::Mirror);
    let mirror = roots.folder(Root::Mirror).filter(|_| mirrored);
    let missing =
        |folder: &Path| folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !fs::exists(above)).count();
    Journal { state: State::Staging, operations: operations.collect(), folders, mirror_folders: mirror.map_or(0, missing) }
}

/// The folders that a file lies in, below its root, the uppermost first.
fn folders_above(place: &Place) -> Vec<Place> {
    let path = place.path.as_str();
    let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
    ends.filter_map(|folder| Place::new(place.root, folder).ok()).collect()
}

fn journal_path(roots: &Roots) -> PathBuf {
    roots.docs.join(journal::FILE)
}

/// A single step, unless somebody says stop.
fn step<T>(go: &mut dyn FnMut() -> bool, done: impl FnOnce() -> Result<T, FsError>) -> Result<T, Trouble> {
    if go() { Ok(done()?) } else { Err(Trouble::Stopped) }
}

/// A folder that may be empty by now goes, unless somebody says stop.
fn clear(go: &mut dyn FnMut() -> bool, folder: &Path) -> Result<(), Trouble> {
    step(go, || {
        switch::remove_if_empty(folder);
        Ok(())
    })
}

fn write_journal(roots: &Roots, journal: &Journal, go: Go<'_>) -> Result<(), Trouble> {
    let path = journal_path(roots);
    step(go, || switch::stage(&path, journal.write(roots).as_bytes()))?;
    step(go, || switch::unstage(&path))?;
    switch::settle(&roots.docs);
    Ok(())
}

/// Everything up to the moment from which there is no way back.
fn stage(roots: &Roots, changes: &[&Step], journal: &mut Journal, go: Go<'_>) -> Result<(), Trouble> {
    write_journal(roots, journal, go)?;
    for change in changes {
        let place = roots.path(&change.place);
        if let Some(folder) = place.parent() {
            step(go, || switch::make_folder(folder))?;
        }
        // Beside a file to be removed an empty one shows that its folder may be changed.
        step(go, || switch::stage(&place, change.new.as_deref().unwrap_or_default()))?;
    }
    check_again(roots, journal)?;
    settle(roots, journal);
    journal.state = State::Switching;
    write_journal(roots, journal, go)
}

/// Refuses if a file is other than the plan saw it.
fn check_again(roots: &Roots, journal: &Journal) -> Result<(), Trouble> {
    let mut faults = Vec::new();
    for operation in &journal.operations {
        let found = look(roots, &operation.place)?;
        if !is(&found, operation.old.as_deref()) {
            let message = format!("`{}` was changed while it was published", roots.shown(&operation.place));
            faults.push(Diagnostic::error("changed-meanwhile", message).help("nothing was written: publish again"));
        }
    }
    Faults::check(faults)?;
    Ok(())
}

fn look(roots: &Roots, place: &Place) -> Result<Found, FsError> {
    roots.folder(place.root).map_or(Ok(Found::Nothing), |folder| switch::look(folder, &place.path))
}

/// Whether what lies there has a fingerprint; `None` is nothing.
fn is(found: &Found, wanted: Option<&str>) -> bool {
    match (found, wanted) {
        (Found::Nothing, None) => true,
        (Found::File(bytes), Some(wanted)) => fingerprint(bytes) == wanted,
        _ => false,
    }
}

fn settle(roots: &Roots, journal: &Journal) {
    let paths = journal.operations.iter().map(|operation| roots.path(&operation.place));
    let folders: BTreeSet<PathBuf> = paths.filter_map(|path| path.parent().map(Path::to_owned)).collect();
    for folder in &folders {
        switch::settle(folder);
    }
}

/// Moves what is staged into its place and removes what is to go; what is done already is passed over.
fn finish(roots: &Roots, journal: &Journal, go: Go<'_>) -> Result<(), Trouble> {
    let unfinished = |trouble| match trouble {
        Trouble::World(error) => Trouble::Unfinished(error),
        other => other,
    };
    for operation in &journal.operations {
        let place = roots.path(&operation.place);
        let beside = switch::beside(&place);
        if !fs::exists(&beside) {
            continue;
        }
        match &operation.new {
            Some(_) => step(go, || switch::unstage(&place)).map_err(unfinished)?,
            None => {
                step(go, || fs::remove_file(&place)).map_err(unfinished)?;
                step(go, || fs::remove_file(&beside)).map_err(unfinished)?;
            }
        }
    }
    for operation in journal.operations.iter().filter(|operation| operation.new.is_none()) {
        for folder in folders_above(&operation.place).iter().rev() {
            clear(go, &roots.path(folder))?;
        }
    }
    settle(roots, journal);
    step(go, || fs::remove_file(&journal_path(roots))).map_err(unfinished)
}

/// Removes what is staged, with the folders that were made for it. What can't be removed hinders nothing else; the journal
/// stays then.
fn undo(roots: &Roots, journal: &Journal, go: Go<'_>) -> Result<(), Trouble> {
    let staged = journal.operations.iter().map(|operation| switch::beside(&roots.path(&operation.place)));
    let mut refused = None;
    for path in staged.chain([switch::beside(&journal_path(roots))]).filter(|path| fs::exists(path)) {
        match step(go, || fs::remove_file(&path)) {
            Err(Trouble::World(error)) => refused = refused.or(Some(error)),
            done => done?,
        }
    }
    let mirror = roots.folder(Root::Mirror).into_iter().flat_map(Path::ancestors).take(journal.mirror_folders);
    let folders = journal.folders.iter().rev().map(|folder| roots.path(folder));
    for folder in folders.chain(mirror.map(Path::to_owned)) {
        clear(go, &folder)?;
    }
    match refused {
        Some(error) => Err(error.into()),
        None => step(go, || fs::remove_file(&journal_path(roots))),
    }
}

/// What became of a publication that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// There was none.
    Nothing,
    /// It was undone.
    Undone,
    /// It was finished.
    Finished,
}

/// Undoes or finishes a publication that was cut off. The caller holds the lock.
///
/// # Errors
/// [`Trouble`] if its journal can't be followed, or somebody changed a file since (unless that is forced).
pub fn recover(roots: &Roots, force: bool, go: Go<'_>) -> Result<Recovered, Trouble> {
    let Some(journal) = interrupted(roots)? else {
        // One that was cut off while it wrote its first words.
        let beside = switch::beside(&journal_path(roots));
        if fs::exists(&beside) {
            fs::remove_file(&beside)?;
        }
        return Ok(Recovered::Nothing);
    };
    check_ground(roots, &journal)?;
    match journal.state {
        State::Staging => undo(roots, &journal, go).map(|()| Recovered::Undone),
        State::Switching => {
            if !force {
                check_unchanged(roots, &journal)?;
            }
            fs::remove_file(&switch::beside(&journal_path(roots)))?;
            finish(roots, &journal, go).map(|()| Recovered::Finished)
        }
    }
}

/// The journal of a publication that was cut off, if there is one.
///
/// # Errors
/// [`Trouble`] if it can't be read.
pub fn interrupted(roots: &Roots) -> Result<Option<Journal>, Trouble> {
    let path = journal_path(roots);
    let place =
        Place::new(Root::Docs, journal::FILE).map_err(|bad| Faults::from(Diagnostic::error("bad-journal", bad.to_string())))?;
    match look(roots, &place)? {
        Found::File(bytes) => {
            let source = Source::from_bytes(path.display().to_string().replace('\\', "/"), &bytes);
            Ok(Some(Journal::read(&source, roots)?))
        }
        Found::Nothing => Ok(None),
        _ => {
            let message = format!("`{}` is no regular file", path.display());
            Err(Faults::from(Diagnostic::error("bad-journal", message).help("remove it")).into())
        }
    }
}

/// Refuses a journal whose files lie behind links.
fn check_ground(roots: &Roots, journal: &Journal) -> Result<(), Trouble> {
    let mut faults = Vec::new();
    for operation in &journal.operations {
        if let Found::Link(link) = look(roots, &operation.place)? {
            let fault = Diagnostic::error("link", format!("`{}` is a link", link.display()));
            faults.push(fault.help("put a folder or file there instead of the link"));
        }
    }
    Faults::check(faults)?;
    Ok(())
}

/// Refuses if somebody changed a file whose new bytes still wait beside it, or those bytes.
fn check_unchanged(roots: &Roots, journal: &Journal) -> Result<(), Trouble> {
    let mut faults = Vec::new();
    for operation in &journal.operations {
        let place = roots.path(&operation.place);
        let Some(staged) = staged(&place)? else { continue };
        let gone = operation.new.is_none() && !fs::exists(&place);
        let shown = roots.shown(&operation.place);
        if !gone && !is(&look(roots, &operation.place)?, operation.old.as_deref()) {
            let message = format!("`{shown}` was changed after a publication was cut off");
            faults.push(Diagnostic::error("changed-meanwhile", message).help("undo the change; --force drops it"));
        } else if operation.new.as_ref().is_some_and(|new| fingerprint(&staged) != *new) {
            let beside = switch::beside(&place);
            let message = format!("`{}` is not what a publication that was cut off wrote there", beside.display());
            faults.push(Diagnostic::error("changed-meanwhile", message).help("remove it, and publish again"));
        }
    }
    Faults::check(faults)?;
    Ok(())
}

fn staged(place: &Path) -> Result<Option<Vec<u8>>, FsError> {
    let beside = switch::beside(place);
    match switch::read_raw(&beside) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if fs::is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What lies in the folders once a publication that was cut off is undone or finished: the files that are other than now.
///
/// # Errors
/// [`Trouble`] if its journal can't be followed.
pub fn thought_through(roots: &Roots) -> Result<(Recovered, BTreeMap<Place, Found>), Trouble> {
    let Some(journal) = interrupted(roots)? else { return Ok((Recovered::Nothing, BTreeMap::new())) };
    if journal.state == State::Staging {
        return Ok((Recovered::Undone, BTreeMap::new()));
    }
    check_ground(roots, &journal)?;
    let mut files = BTreeMap::new();
    for operation in journal.operations {
        match (staged(&roots.path(&operation.place))?, operation.new) {
            (Some(bytes), Some(_)) => drop(files.insert(operation.place, Found::File(bytes))),
            (Some(_), None) => drop(files.insert(operation.place, Found::Nothing)),
            (None, _) => {}
        }
    }
    Ok((Recovered::Finished, files))
}
