//! What is about to be written into a folder, noted there before anything is, and the steps of it: whoever comes next undoes or finishes what was
//! cut off after any of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::switch::{self, beside, remove_if_empty};
use super::{FsError, exists, remove_file};
use crate::tree::TreePath;

/// The note in the folder.
pub const FILE: &str = ".plimsoll-unfinished.json";

/// How far the writing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// New files are written beside their places: cut off here, it is undone.
    Staging,
    /// All new files are on the disk and move into their places: cut off here, it is finished.
    Moving,
}

/// What is written into a folder, and what is removed from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// How far it is.
    pub state: State,
    /// Files that are written.
    pub files: Vec<TreePath>,
    /// Files that are removed.
    pub removed: Vec<TreePath>,
    /// Folders that are made, the uppermost first.
    pub folders: Vec<TreePath>,
}

/// A step of a writing. Between any two of them it may be cut off.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// Notes how far it is.
    Note(State),
    /// Writes a file beside its place, in folders that are made for it.
    Stage(&'a TreePath, &'a [u8]),
    /// Moves a file into its place.
    Move(&'a TreePath),
    /// Removes a file.
    Remove(&'a TreePath),
    /// Waits until the disk knows all names.
    Settle,
    /// Removes the note: it is finished.
    Forget,
}

impl Note {
    /// The note as JSON with a final line break.
    #[must_use]
    pub fn write(&self) -> String {
        // It holds texts only, which JSON can always say.
        let json = serde_json::to_string_pretty(self).unwrap_or_else(|error| unreachable!("a note is JSON: {error}"));
        json + "\n"
    }

    /// Reads a note. It is a file like any other from outside: nothing in it leads out of its folder.
    ///
    /// # Errors
    /// Another shape, or a path that leaves the folder.
    pub fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// The steps up to the moment from which there is no way back.
    pub(super) fn beginning<'a>(&'a self, bytes: impl Fn(&TreePath) -> &'a [u8]) -> Vec<Step<'a>> {
        let staged = self.files.iter().map(|file| Step::Stage(file, bytes(file)));
        [Step::Note(State::Staging)].into_iter().chain(staged).chain([Step::Settle, Step::Note(State::Moving)]).collect()
    }

    /// The steps from there on; each can be done again.
    pub(super) fn end(&self) -> Vec<Step<'_>> {
        let moved = self.files.iter().map(Step::Move);
        moved.chain(self.removed.iter().map(Step::Remove)).chain([Step::Settle, Step::Forget]).collect()
    }

    /// Does one step in a folder.
    pub(super) fn step(&self, folder: &Path, step: Step<'_>) -> Result<(), FsError> {
        let at = |path: &TreePath| folder.join(path.as_str());
        match step {
            Step::Note(state) => {
                let note = Self { state, ..self.clone() };
                switch::stage(&place(folder), note.write().as_bytes())?;
                switch::unstage(&place(folder))?;
                switch::settle(folder);
            }
            Step::Stage(path, bytes) => {
                let file = at(path);
                switch::make_folder(file.parent().unwrap_or(folder))?;
                switch::stage(&file, bytes)?;
            }
            // One that is not there was moved before it was cut off.
            Step::Move(path) if exists(&beside(&at(path))) => switch::unstage(&at(path))?,
            Step::Move(_) => {}
            Step::Remove(path) => remove_file(&at(path))?,
            Step::Settle => self.holders(folder).iter().for_each(|folder| switch::settle(folder)),
            Step::Forget => remove_file(&place(folder))?,
        }
        Ok(())
    }

    /// Removes what lies beside its place, with the folders that were made for it. What can't be removed hinders nothing else; the note
    /// stays then.
    pub(super) fn undo(&self, folder: &Path) -> Result<(), FsError> {
        let removed = self.files.iter().map(|path| remove_file(&beside(&folder.join(path.as_str()))));
        removed.fold(Ok(()), Result::and)?;
        for made in self.folders.iter().rev() {
            remove_if_empty(&folder.join(made.as_str()));
        }
        self.step(folder, Step::Forget)
    }

    /// The folders in which something is written or removed.
    fn holders(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let files = self.files.iter().chain(&self.removed).map(|path| folder.join(path.as_str()));
        files.filter_map(|file| file.parent().map(Path::to_owned)).collect()
    }

    /// A link on the way to something that is noted, if there is one: it may lead anywhere.
    fn link_above(&self, folder: &Path) -> Result<Option<PathBuf>, FsError> {
        for path in self.files.iter().chain(&self.removed).chain(&self.folders) {
            let parent = path.as_str().rsplit_once('/').and_then(|(parent, _)| TreePath::new(parent).ok());
            if let Some(parent) = parent
                && let switch::Found::Link(link) = switch::look(folder, &parent)?
            {
                return Ok(Some(link));
            }
        }
        Ok(None)
    }
}

fn place(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Whether something in a folder is unfinished. Of one who holds the folder nobody else is at work on it.
pub(super) fn is_there(folder: &Path) -> bool {
    exists(&place(folder))
}

/// Undoes or finishes what was cut off in a folder. The caller holds it alone.
///
/// # Errors
/// [`FsError::Unfinished`] if the note can't be followed, or the system refuses; then the note stays.
pub(super) fn mend(folder: &Path) -> Result<(), FsError> {
    let place = place(folder);
    let told = |why: String| FsError::Unfinished { path: place.clone(), why };
    if place.is_symlink() {
        return Err(told("it is a link".to_owned()));
    }
    let refused = |error: FsError| told(error.to_string());
    if is_there(folder) {
        let note = Note::read(&switch::read_raw(&place).map_err(refused)?).map_err(|error| told(error.to_string()))?;
        if let Some(link) = note.link_above(folder).map_err(refused)? {
            return Err(told(format!("`{}` is a link", link.display())));
        }
        match note.state {
            State::Staging => note.undo(folder).map_err(refused)?,
            State::Moving => note.end().into_iter().try_for_each(|step| note.step(folder, step)).map_err(refused)?,
        }
    }
    // A note that was cut off while it was written, the first or the second, says nothing that isn't known.
    if exists(&beside(&place)) { remove_file(&beside(&place)).map_err(refused) } else { Ok(()) }
}
