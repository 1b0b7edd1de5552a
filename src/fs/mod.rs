//! The one door to the disk: the verbs of `std::fs` with the path in every error, whole trees read in sorted order, and
//! writes that leave the old files or the new ones, never half of them.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::limits::FILE_BYTES as MOST_BYTES;
use crate::tree::{BadPath, Tree};

pub mod hold;
pub mod lock;
pub mod raw;
pub mod stamps;
pub mod switch;
pub mod unfinished;
pub mod watch;
mod write;

pub use write::{Staging, Standing, Written, reading, write_file, writing, writing_now};

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
    /// Somebody wrote the file while it was read.
    #[error("`{}` was written while it was read", path.display())]
    Growing {
        /// The file.
        path: PathBuf,
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
    /// A writing that was cut off can be neither undone nor finished.
    #[error("`{}` tells of a writing that was cut off, and it can't be finished: {why}", path.display())]
    Unfinished {
        /// The note that tells of it.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The system refused while files moved into their places.
    #[error("{cause}; some files in `{}` are in their places already: whatever works there next finishes this", path.display())]
    Halfway {
        /// The folder.
        path: PathBuf,
        /// What was refused.
        cause: Box<FsError>,
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
    let state = || file.metadata().map(|about| about.is_file().then(|| (about.len(), about.modified().ok())));
    let before = state().map_err(failed("look at", path))?;
    let bytes = read_from(&file, path);
    // Half of what somebody writes may look like the whole of something else.
    if state().map_err(failed("look at", path))? != before {
        return Err(FsError::Growing { path: path.to_owned() });
    }
    bytes
}

fn read_from(mut reader: impl Read, path: &Path) -> Result<Vec<u8>, FsError> {
    let raw = read_limited(&mut reader, path)?;
    match raw.as_slice() {
        [0x1f, 0x8b, ..] => unfold(&|| Ok(Box::new(flate2::bufread::MultiGzDecoder::new(raw.as_slice()))), path),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => unfold(&|| Ok(Box::new(zstd::stream::read::Decoder::with_buffer(raw.as_slice())?)), path),
        _ => Ok(raw),
    }
}

/// Reads an unfolding archive: the bytes are in memory already, so a failure is the archive's, not the disk's.
///
/// It is unfolded twice. The first time the bytes are counted alone: a few thousand may unfold to more than there is memory.
fn unfold<'a>(open: &dyn Fn() -> io::Result<Box<dyn Read + 'a>>, path: &Path) -> Result<Vec<u8>, FsError> {
    let fresh = || open().map_err(failed("unfold", path));
    let length = io::copy(&mut fresh()?.take(MOST_BYTES + 1), &mut io::sink()).map_err(failed("unfold", path)).map_err(broken)?;
    if length > MOST_BYTES {
        return Err(FsError::TooLarge { path: path.to_owned() });
    }
    read_limited(fresh()?.as_mut(), path).map_err(broken)
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

/// Removes a file; one that is not there is removed already.
///
/// # Errors
/// [`FsError`] if the system refuses.
pub fn remove_file(path: &Path) -> Result<(), FsError> {
    match fs::remove_file(path) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(failed("remove", path)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use std::io::Write;

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
