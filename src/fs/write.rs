//! Writing that leaves the old files or the new ones, whatever happens to it: a full disk, a missing right, a signal, another process.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::hold::{self, Alone, Shared};
use super::switch;
use super::unfinished::{Note, State, Step, is_there, mend};
use super::{FsError, exists, failed, is_folder, real};
use crate::tree::{Tree, TreePath};

/// What writing a tree did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that are new or other than before.
    pub changed: Vec<String>,
    /// Files that already had these bytes.
    pub unchanged: usize,
}

/// Holds a folder for reading. What was cut off in it is undone or finished before.
///
/// # Errors
/// [`FsError`] if that can't be done, or the folder can't be opened.
pub fn reading(folder: &Path) -> Result<Shared, FsError> {
    loop {
        let held = hold::shared(folder)?;
        if !is_there(folder) {
            return Ok(held);
        }
        drop(held);
        drop(writing(folder)?);
    }
}

/// Holds a folder for writing, waiting for others. What was cut off in it is undone or finished before.
///
/// # Errors
/// [`FsError`] if that can't be done, or the folder can't be made or opened.
pub fn writing(folder: &Path) -> Result<Alone, FsError> {
    let held = hold::alone(folder)?;
    mend(folder)?;
    Ok(held)
}

/// Like [`writing`], and `None` where others hold the folder.
///
/// # Errors
/// As of [`writing`].
pub fn writing_now(folder: &Path) -> Result<Option<Alone>, FsError> {
    let held = hold::alone_now(folder)?;
    if held.is_some() {
        mend(folder)?;
    }
    Ok(held)
}

/// How a file lies where another is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is none.
    Nothing,
    /// It has the very bytes.
    Same,
    /// It has others.
    Other,
}

/// A writing file by file, from many threads: nothing of it is in its place before [`Staging::finish`], and where that never comes it is undone.
#[derive(Debug)]
pub struct Staging<'a> {
    folder: &'a Alone,
    note: Note,
    staged: Mutex<BTreeSet<TreePath>>,
    /// Whether the note of it lies in the folder.
    is_noted: Mutex<bool>,
}

impl Alone {
    /// Begins to write files one by one; `files` are all that may come. The disk is not touched before the first.
    #[must_use]
    pub fn staging(&self, files: Vec<TreePath>) -> Staging<'_> {
        let folders = self.missing_above(&files);
        let note = Note { state: State::Staging, files, removed: Vec::new(), folders };
        Staging { folder: self, note, staged: Mutex::default(), is_noted: Mutex::default() }
    }

    /// Folders that are to be made for some files, the uppermost first.
    fn missing_above(&self, files: &[TreePath]) -> Vec<TreePath> {
        let above = |path: &TreePath| {
            let ends: Vec<usize> = path.as_str().match_indices('/').map(|(end, _)| end).collect();
            ends.into_iter().filter_map(|end| TreePath::new(&path.as_str()[..end]).ok()).collect::<Vec<_>>()
        };
        let folders: BTreeSet<TreePath> = files.iter().flat_map(above).collect();
        folders.into_iter().filter(|folder| !exists(&self.folder.join(folder.as_str()))).collect()
    }

    /// Writes the files of a tree into the folder, removes others with the folders that are empty then, and leaves everything else there alone.
    ///
    /// All files are written beside their places first and moved into them only when every one is on the disk. A file that already has its bytes
    /// is not touched.
    ///
    /// # Errors
    /// [`FsError`] of the first failure: nothing has changed then. But [`FsError::Halfway`]: files were moving into their places, and the rest is
    /// done by whoever holds the folder next.
    pub fn write(&self, tree: &Tree, removed: &[TreePath]) -> Result<Written, FsError> {
        let (note, written) = self.planned(tree, removed)?;
        if note.files.is_empty() && note.removed.is_empty() {
            return Ok(written);
        }
        let step = |step| note.step(&self.folder, step);
        let begun = note.beginning(|path| tree.get(path.as_str()).unwrap_or_default()).into_iter().try_for_each(step);
        if let Err(error) = begun {
            // What can't be undone now is undone by whoever comes next; the first failure is the one to tell.
            let _undone = note.undo(&self.folder);
            return Err(error);
        }
        let ended = note.end().into_iter().try_for_each(step);
        ended.map_err(|cause| FsError::Halfway { path: self.folder.clone(), cause: Box::new(cause) })?;
        self.remove_emptied(removed);
        Ok(written)
    }

    /// Removes the folders that nothing is left in since files were removed.
    fn remove_emptied(&self, removed: &[TreePath]) {
        let above = |path: &TreePath| {
            let ends: Vec<usize> = path.as_str().match_indices('/').map(|(end, _)| end).collect();
            ends.into_iter().rev().map(|end| path.as_str()[..end].to_owned()).collect::<Vec<_>>()
        };
        removed.iter().flat_map(above).for_each(|folder| switch::remove_if_empty(&self.folder.join(folder)));
    }

    /// What there is to do.
    fn planned(&self, tree: &Tree, removed: &[TreePath]) -> Result<(Note, Written), FsError> {
        let at = |path: &TreePath| self.folder.join(path.as_str());
        let removed = removed.iter().filter(|path| exists(&at(path))).cloned().collect();
        let mut note = Note { state: State::Staging, files: Vec::new(), removed, folders: Vec::new() };
        let mut written = Written::default();
        for (path, bytes) in tree.iter() {
            if has_bytes(&at(path), bytes) {
                written.unchanged += 1;
                continue;
            }
            // A folder in a file's place would be found when other files are in theirs already.
            if is_folder(&at(path)) {
                return Err(failed("write", &at(path))(io::ErrorKind::IsADirectory.into()));
            }
            note.files.push(path.clone());
            written.changed.push(path.to_string());
        }
        note.folders = self.missing_above(&note.files);
        Ok((note, written))
    }
}

impl Staging<'_> {
    /// How the file lies in whose place some bytes are to come.
    ///
    /// # Errors
    /// [`FsError`] if a folder is in its place.
    pub fn standing(&self, path: &TreePath, bytes: &[u8]) -> Result<Standing, FsError> {
        let place = self.folder.folder.join(path.as_str());
        match place.symlink_metadata() {
            Err(_) => Ok(Standing::Nothing),
            Ok(_) if is_folder(&place) => Err(failed("write", &place)(io::ErrorKind::IsADirectory.into())),
            Ok(_) if has_bytes(&place, bytes) => Ok(Standing::Same),
            Ok(_) => Ok(Standing::Other),
        }
    }

    /// Writes a file beside its place.
    ///
    /// # Errors
    /// [`FsError`] if the system refuses.
    pub fn put(&self, path: &TreePath, bytes: &[u8]) -> Result<(), FsError> {
        self.begin()?;
        self.note.step(&self.folder.folder, Step::Stage(path, bytes))?;
        self.staged.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        Ok(())
    }

    /// Notes what is begun, once.
    fn begin(&self) -> Result<(), FsError> {
        let mut is_noted = self.is_noted.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_noted {
            // A note that is half written is undone, too.
            *is_noted = true;
            self.note.step(&self.folder.folder, Step::Note(State::Staging))?;
        }
        Ok(())
    }

    /// Moves all files that were put into their places, and removes others with the folders that are empty then. Says which files are new or
    /// other than before.
    ///
    /// # Errors
    /// [`FsError`] of the first failure: nothing has changed then. But [`FsError::Halfway`]: files were moving into their places, and the rest is
    /// done by whoever holds the folder next.
    pub fn finish(self, removed: &[TreePath]) -> Result<Vec<TreePath>, FsError> {
        let folder = &self.folder.folder;
        let staged: Vec<TreePath> =
            std::mem::take(&mut *self.staged.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect();
        let removed: Vec<TreePath> = removed.iter().filter(|path| exists(&folder.join(path.as_str()))).cloned().collect();
        if staged.is_empty() && removed.is_empty() {
            return Ok(staged);
        }
        let note = Note { files: staged.clone(), removed: removed.clone(), ..self.note.clone() };
        for step in [Step::Settle, Step::Note(State::Moving)] {
            note.step(folder, step)?;
        }
        *self.is_noted.lock().unwrap_or_else(PoisonError::into_inner) = false;
        let ended = note.end().into_iter().try_for_each(|step| note.step(folder, step));
        ended.map_err(|cause| FsError::Halfway { path: folder.clone(), cause: Box::new(cause) })?;
        self.folder.remove_emptied(&removed);
        Ok(staged)
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if *self.is_noted.lock().unwrap_or_else(PoisonError::into_inner) {
            // What can't be undone now is undone by whoever comes next.
            let _undone = self.note.undo(&self.folder.folder);
        }
    }
}

/// Writes a file: staged beside its place and renamed, so that the old one or the new one is there. A link is followed, and
/// what is no regular file (a pipe, a device) is written into, since it has no bytes to keep.
///
/// # Errors
/// [`FsError`] if the path names no file, or the system refuses.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let place = real(path);
    if place.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        let mut file = fs::OpenOptions::new().write(true).open(&place).map_err(failed("write", path))?;
        return file.write_all(bytes).map_err(failed("write", path));
    }
    if place.file_name().is_none() || is_folder(&place) {
        return Err(failed("write", path)(io::ErrorKind::IsADirectory.into()));
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Two who write one file at once would write into one file beside it.
    let _held = hold::alone(folder)?;
    if has_bytes(&place, bytes) {
        return Ok(());
    }
    switch::stage(&place, bytes)?;
    switch::unstage(&place).inspect_err(|_| {
        // The first failure is the one to tell.
        let _gone = fs::remove_file(switch::beside(&place));
    })
}

/// Whether a regular file already has some bytes. Others are not read: a device may have no end.
fn has_bytes(place: &Path, bytes: &[u8]) -> bool {
    let may = place.metadata().is_ok_and(|about| about.is_file() && about.len() == bytes.len() as u64);
    may && fs::read(place).is_ok_and(|old| old == bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::super::{find, read_tree};
    use super::*;

    fn write_tree(folder: &Path, tree: &Tree) -> Result<Written, FsError> {
        writing(folder)?.write(tree, &[])
    }

    #[test]
    fn a_tree_is_written_once_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut tree = Tree::new();
        tree.insert("v1/a/record.json", "{}").unwrap();
        tree.insert("v1/b/record.json", "{}").unwrap();
        assert_eq!(write_tree(folder.path(), &tree).unwrap().changed.len(), 2);
        assert_eq!(write_tree(folder.path(), &tree).unwrap(), Written { changed: vec![], unchanged: 2 });
        assert_eq!(read_tree(folder.path()).unwrap(), tree);
    }

    #[test]
    fn a_failure_leaves_the_old_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old").unwrap();
        fs::write(folder.path().join("z"), "a file where a folder is wanted").unwrap();
        let mut tree = Tree::new();
        tree.insert("a", "new").unwrap();
        tree.insert("n/e/w", "new").unwrap();
        tree.insert("z/b", "new").unwrap();
        let error = write_tree(folder.path(), &tree).unwrap_err();
        assert!(error.to_string().contains('z'), "{error}");
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"old");
        assert_eq!(find(folder.path()).unwrap().len(), 2);
        assert!(!exists(&folder.path().join("n")));
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_leaves_the_old_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old").unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        let mut tree = Tree::new();
        tree.insert("a", "new").unwrap();
        tree.insert("b", "new").unwrap();
        assert!(write_tree(folder.path(), &tree).unwrap_err().to_string().contains("is a directory"));
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn a_result_goes_through_a_link_and_into_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_file(&link, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(link.is_symlink());
        write_file(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!Path::new("/dev/null").is_file());
        assert!(write_file(Path::new("/dev/full"), b"no room").is_err());
    }

    #[test]
    fn what_is_put_is_in_its_place_at_the_end_or_never() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old"), "old").unwrap();
        fs::create_dir(folder.path().join("gone")).unwrap();
        fs::write(folder.path().join("gone/file"), "old").unwrap();
        let path = |text: &str| TreePath::new(text).unwrap();
        let files = || vec![path("old"), path("n/e/w"), path("same"), path("folder")];
        let before = everything(folder.path());
        let held = writing(folder.path()).unwrap();
        let put = |staging: &Staging<'_>| {
            staging.put(&path("old"), b"new").unwrap();
            staging.put(&path("n/e/w"), b"new").unwrap();
        };
        // Given up.
        let staging = held.staging(files());
        put(&staging);
        assert_eq!(staging.standing(&path("old"), b"new").unwrap(), Standing::Other);
        assert_eq!(staging.standing(&path("old"), b"old").unwrap(), Standing::Same);
        assert_eq!(staging.standing(&path("same"), b"old").unwrap(), Standing::Nothing);
        assert!(staging.standing(&path("gone"), b"").is_err());
        drop(staging);
        assert_eq!(everything(folder.path()), before);
        // Killed.
        let staging = held.staging(files());
        put(&staging);
        std::mem::forget(staging);
        drop(held);
        let held = writing(folder.path()).unwrap();
        assert_eq!(everything(folder.path()), before);
        // Done.
        let staging = held.staging(files());
        put(&staging);
        assert_eq!(staging.finish(&[path("gone/file"), path("never")]).unwrap(), [path("n/e/w"), path("old")]);
        let told = read_tree(folder.path()).unwrap();
        assert_eq!(told, tree(&[("old", "new"), ("n/e/w", "new")]));
        assert!(!exists(&folder.path().join("gone")));
    }

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new();
        for (path, text) in files {
            tree.insert(*path, *text).unwrap();
        }
        tree
    }

    /// All there is, hidden files and folders too, with the text of files.
    fn everything(folder: &Path) -> Vec<(String, Option<String>)> {
        let all = walkdir::WalkDir::new(folder).min_depth(1).sort_by_file_name().into_iter().map(Result::unwrap);
        let told = |entry: walkdir::DirEntry| {
            let path = entry.path().strip_prefix(folder).unwrap().display().to_string();
            (path, entry.path().is_file().then(|| fs::read_to_string(entry.path()).unwrap()))
        };
        all.map(told).collect()
    }

    const OLD: &[(&str, &str)] = &[("v1/a/k6.txt", "old"), ("v1/a/record.json", "old"), ("v1/b/record.json", "kept")];
    const NEW: &[(&str, &str)] = &[("v1/a/record.json", "new"), ("v1/n/e/w.json", "new"), ("v2", "new")];

    fn gone() -> [TreePath; 2] {
        ["v1/a/k6.txt", "v1/never/there"].map(|path| TreePath::new(path).unwrap())
    }

    /// Writes, and is cut off after some steps; `false` where there were no more.
    fn cut_off_after(steps: usize, folder: &Path) -> bool {
        let (tree, held) = (tree(NEW), hold::alone(folder).unwrap());
        let (note, _) = held.planned(&tree, &gone()).unwrap();
        let mut all = note.beginning(|path| tree.get(path.as_str()).unwrap());
        all.extend(note.end());
        all.iter().take(steps).for_each(|step| note.step(folder, *step).unwrap());
        steps < all.len()
    }

    #[test]
    fn cut_off_after_any_step_who_comes_next_finds_the_old_files_or_the_new_ones() {
        let old = tempfile::tempdir().unwrap();
        write_tree(old.path(), &tree(OLD)).unwrap();
        let new = tempfile::tempdir().unwrap();
        write_tree(new.path(), &tree(OLD)).unwrap();
        writing(new.path()).unwrap().write(&tree(NEW), &gone()).unwrap();
        let (old, new) = (everything(old.path()), everything(new.path()));
        let (mut undone, mut finished) = (0, 0);
        for steps in 0.. {
            let folder = tempfile::tempdir().unwrap();
            write_tree(folder.path(), &tree(OLD)).unwrap();
            let is_cut = cut_off_after(steps, folder.path());
            drop(reading(folder.path()).unwrap());
            let state = everything(folder.path());
            assert!(state == old || state == new, "after {steps}: {state:?}");
            finished += usize::from(state == new);
            undone += usize::from(state == old);
            writing(folder.path()).unwrap().write(&tree(NEW), &gone()).unwrap();
            assert_eq!(everything(folder.path()), new, "after {steps}");
            if !is_cut {
                break;
            }
        }
        assert_eq!((undone, finished), (6, 7));
    }

    #[test]
    fn a_note_leads_out_of_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(folder.path().join("precious"), "precious").unwrap();
        let refused = |removed: &str| {
            let note = format!(r#"{{"state":"moving","files":[],"removed":["{removed}"],"folders":[]}}"#);
            fs::write(data.join(super::super::unfinished::FILE), note).unwrap();
            let error = reading(&data).unwrap_err();
            assert!(matches!(error, FsError::Unfinished { .. }), "{error}");
            assert!(writing_now(&data).is_err() && writing(&data).is_err());
            error.to_string()
        };
        assert!(refused("../precious").contains("`../precious` is not a path inside a folder"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), data.join("link")).unwrap();
            assert!(refused("link/precious").ends_with("link` is a link"));
        }
        assert!(folder.path().join("precious").exists());
    }

    /// What waits beside a file is one file's bytes, whoever else writes that file.
    #[test]
    fn files_that_many_write_at_once_are_one_of_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("out");
        let texts: Vec<String> = ('a'..='h').map(|letter| letter.to_string().repeat(300_000)).collect();
        for _ in 0..5 {
            std::thread::scope(|scope| {
                for text in &texts {
                    scope.spawn(|| write_file(&place, text.as_bytes()).unwrap());
                }
            });
            let written = fs::read_to_string(&place).unwrap();
            assert!(texts.contains(&written));
        }
        assert_eq!(everything(folder.path()).len(), 1);
    }

    #[test]
    fn trees_that_many_write_at_once_are_one_of_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a/record.json", "a/series.json", "b"];
        let trees: Vec<Tree> = ["1", "2", "3", "4"].map(|text| tree(&names.map(|name| (name, text)))).into();
        for _ in 0..20 {
            std::thread::scope(|scope| {
                for tree in &trees {
                    scope.spawn(|| write_tree(folder.path(), tree).unwrap());
                    scope.spawn(|| {
                        let _held = reading(folder.path()).unwrap();
                        let read = read_tree(folder.path()).unwrap();
                        assert!(read.is_empty() || trees.contains(&read), "{read:?}");
                    });
                }
            });
        }
    }
}
