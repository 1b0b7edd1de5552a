//! The one door to the disk: the verbs of `std::fs` with the path in every error, whole trees read in sorted order, and
//! writes that leave the old file or the new one, never half of one.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::limits::FILE_BYTES as MOST_BYTES;
use crate::tree::{BadPath, Tree};

pub mod lock;
pub mod raw;
pub mod stamps;
pub mod switch;
pub mod watch;

/// A failure of the world, with the path it happened at.
#[derive(Debug, thiserror::Error)]
pub enum FsError {
    /// The system refused.
    #[error("can't {verb} `{}`: {cause}", path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file is an archive that can't be unfolded: cut off, or damaged.
    #[error("`{}` is a broken archive: {cause}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What the unfolding came upon.
        cause: io::Error,
    },
    /// The file unfolds to more than anyone means to read.
    #[error("`{}` holds more than {} bytes", path.display(), MOST_BYTES)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Another process works there.
    #[error("`{}` is held by another process{}", path.display(), holder.map(|id| format!(", {id}")).unwrap_or_default())]
    Held {
        /// The lock.
        path: PathBuf,
        /// The process, if it said so.
        holder: Option<u32>,
    },
    /// A name on the disk can't be a name of a tree.
    #[error("`{}` can't be read as a tree: {cause}", path.display())]
    BadName {
        /// The folder.
        path: PathBuf,
        /// The name.
        cause: BadPath,
    },
}

fn failed(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FsError {
    let path = path.to_owned();
    move |cause| FsError::Io { verb, path, cause }
}

/// Whether the failure is that there is no such file.
#[must_use]
pub fn is_missing(error: &FsError) -> bool {
    matches!(error, FsError::Io { cause, .. } if cause.kind() == io::ErrorKind::NotFound)
}

/// A file's bytes; gzip and zstd are unfolded, told by their first bytes.
///
/// # Errors
/// [`FsError`] if it can't be read, is a broken archive or unfolds beyond measure.
pub fn read(path: &Path) -> Result<Vec<u8>, FsError> {
    let file = fs::File::open(path).map_err(failed("open", path))?;
    read_from(file, path)
}

fn read_from(mut reader: impl Read, path: &Path) -> Result<Vec<u8>, FsError> {
    let raw = read_limited(&mut reader, path)?;
    match raw.as_slice() {
        [0x1f, 0x8b, ..] => unfold(&mut flate2::read::MultiGzDecoder::new(raw.as_slice()), path),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let mut decoder = zstd::stream::read::Decoder::new(raw.as_slice()).map_err(failed("unfold", path))?;
            unfold(&mut decoder, path)
        }
        _ => Ok(raw),
    }
}

/// Reads an unfolding archive: the bytes are in memory already, so a failure is the archive's, not the disk's.
fn unfold(reader: &mut dyn Read, path: &Path) -> Result<Vec<u8>, FsError> {
    read_limited(reader, path).map_err(broken)
}

/// The failure of an archive, which the reading of it came upon.
fn broken(error: FsError) -> FsError {
    match error {
        FsError::Io { path, cause, .. } => FsError::Broken { path, cause },
        other => other,
    }
}

fn read_limited(reader: &mut dyn Read, path: &Path) -> Result<Vec<u8>, FsError> {
    let mut bytes = Vec::new();
    reader.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    if bytes.len() as u64 > MOST_BYTES { Err(FsError::TooLarge { path: path.to_owned() }) } else { Ok(bytes) }
}

/// The first bytes of a file, unfolded like the whole: enough to tell what it is.
///
/// # Errors
/// [`FsError`] if it can't be opened. A broken archive gives the bytes that could be unfolded.
pub fn head(path: &Path, most: usize) -> Result<Vec<u8>, FsError> {
    raw::open(path, &raw::Progress::default())?.head(most)
}

/// A file found in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Its path relative to the folder that was searched, with `/`.
    pub relative: String,
    /// Where to read it.
    pub path: PathBuf,
}

/// All files below a folder in path order, hidden ones left out. A link to a file is that file; a link to a folder is not
/// followed, since it may lead anywhere, back to here too. What is no text in a name shows as U+FFFD in the relative path.
///
/// # Errors
/// [`FsError`] if a folder can't be listed.
pub fn find(folder: &Path) -> Result<Vec<Found>, FsError> {
    let visible = |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(visible) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            FsError::Io { verb: "list", path, cause: error.into() }
        })?;
        if entry.file_type().is_file() || (entry.path_is_symlink() && entry.path().is_file()) {
            let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let relative = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
            found.push(Found { relative, path: entry.path().to_owned() });
        }
    }
    Ok(found)
}

/// All files below a folder as a tree; an empty tree where there is no such folder.
///
/// # Errors
/// [`FsError`] if something can't be read or a name can't be a tree's.
pub fn read_tree(folder: &Path) -> Result<Tree, FsError> {
    let mut tree = Tree::new();
    if !exists(folder) {
        return Ok(tree);
    }
    for found in find(folder)? {
        let bytes = fs::read(&found.path).map_err(failed("read", &found.path))?;
        tree.insert(found.relative, bytes).map_err(|cause| FsError::BadName { path: folder.to_owned(), cause })?;
    }
    Ok(tree)
}

/// Whether there is something at a path.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The path by which the system knows a file: absolute, links followed; as it is where there is no such file.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The bytes of a file on the disk, packed as they may be; `None` of what is no file or can't be asked.
#[must_use]
pub fn length(path: &Path) -> Option<u64> {
    path.metadata().ok().filter(fs::Metadata::is_file).map(|about| about.len())
}

/// Whether there is a folder at a path.
#[must_use]
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// What writing a tree did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that are new or other than before.
    pub changed: Vec<String>,
    /// Files that already had these bytes.
    pub unchanged: usize,
}

/// Writes the files of a tree into a folder and leaves everything else there alone.
///
/// All files are written beside their places first and moved into them only when every one is on the disk, so that a
/// full disk or a missing right leaves the old files. A file that already has its bytes is not touched.
///
/// # Errors
/// [`FsError`] of the first failure; what was staged is removed, with the folders that were made for it.
pub fn write_tree(folder: &Path, tree: &Tree) -> Result<Written, FsError> {
    let mut done = Written::default();
    let mut staged: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut made: Vec<PathBuf> = Vec::new();
    for (path, bytes) in tree.iter() {
        let place = folder.join(path.as_str());
        if has_bytes(&place, bytes) {
            done.unchanged += 1;
            continue;
        }
        let beside = place.with_file_name(format!(".{}.plimsoll-new", path.file_name()));
        staged.push((beside.clone(), place.clone()));
        if let Err(error) = stage(&beside, &place, bytes, &mut made) {
            remove(&staged, &made);
            return Err(error);
        }
        done.changed.push(path.to_string());
    }
    for (beside, place) in &staged {
        if let Err(error) = fs::rename(beside, place).map_err(failed("write", place)) {
            remove(&staged, &made);
            return Err(error);
        }
    }
    Ok(done)
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
    let no_file = || failed("write", path)(io::ErrorKind::InvalidFilename.into());
    let name = place.file_name().and_then(|name| name.to_str()).ok_or_else(no_file)?;
    let mut tree = Tree::new();
    tree.insert(name, bytes).map_err(|_| no_file())?;
    write_tree(place.parent().unwrap_or(Path::new("")), &tree).map(|_| ())
}

/// Removes a file; one that is not there is removed already.
///
/// # Errors
/// [`FsError`] if the system refuses.
pub fn remove_file(path: &Path) -> Result<(), FsError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Whether a regular file already has some bytes. Others are not read: a device may have no end.
fn has_bytes(place: &Path, bytes: &[u8]) -> bool {
    let may = place.metadata().is_ok_and(|about| about.is_file() && about.len() == bytes.len() as u64);
    may && fs::read(place).is_ok_and(|old| old == bytes)
}

fn stage(beside: &Path, place: &Path, bytes: &[u8], made: &mut Vec<PathBuf>) -> Result<(), FsError> {
    // A folder in a file's place would be found when other files are in theirs already.
    if is_folder(place) {
        return Err(failed("write", place)(io::ErrorKind::IsADirectory.into()));
    }
    if let Some(parent) = beside.parent() {
        let missing = parent.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !exists(folder));
        made.extend(missing.map(Path::to_owned));
        fs::create_dir_all(parent).map_err(failed("make", parent))?;
    }
    let mut file = fs::File::create(beside).map_err(failed("write", beside))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed("write", beside))
}

fn remove(staged: &[(PathBuf, PathBuf)], made: &[PathBuf]) {
    for (beside, _) in staged {
        // What is not there any more needs no removing; a failure here must not hide the first one.
        let _gone = fs::remove_file(beside);
    }
    let mut made: Vec<&PathBuf> = made.iter().collect();
    made.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in made {
        // Only an empty folder goes; one that holds a file by now is somebody's.
        let _gone = fs::remove_dir(folder);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn archives_are_read_through() {
        let folder = tempfile::tempdir().unwrap();
        let gz = folder.path().join("a.gz");
        let mut encoder = flate2::write::GzEncoder::new(fs::File::create(&gz).unwrap(), flate2::Compression::fast());
        encoder.write_all(b"hello").unwrap();
        encoder.finish().unwrap();
        let zst = folder.path().join("a.zst");
        fs::write(&zst, zstd::encode_all(&b"hello"[..], 1).unwrap()).unwrap();
        for path in [gz, zst] {
            assert_eq!(read(&path).unwrap(), b"hello");
            assert_eq!(head(&path, 3).unwrap(), b"hel");
        }
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

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_is_that_file() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("a"), "a").unwrap();
        std::os::unix::fs::symlink(other.path().join("a"), folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("dangling")).unwrap();
        let found: Vec<String> = find(folder.path()).unwrap().into_iter().map(|found| found.relative).collect();
        assert_eq!(found, ["link"]);
    }
}
