//! What tells that files may have changed, without reading them.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{Found, FsError, exists, failed, find};

/// Changes that follow one another more closely may leave one time: the system's clock for files ticks.
const GRAIN: Duration = Duration::from_millis(50);

/// What the system knows of a file beside its bytes. Two stamps can be equal or not, and that is all: a moment of the disk means
/// nothing to a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    place: Place,
    /// Whether the file was as good as the newest when it was stamped, so that a further change might leave the same stamp.
    fresh: bool,
}

impl Stamp {
    /// Whether a file that had this stamp and now has the other has surely not been written in between.
    #[must_use]
    pub fn holds(&self, now: &Self) -> bool {
        let untold = self.fresh || self.modified.is_none();
        !untold && (self.length, self.modified, &self.place) == (now.length, now.modified, &now.place)
    }
}

/// A file with its stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// The file.
    pub found: Found,
    /// Its stamp.
    pub stamp: Stamp,
}

impl Stamped {
    /// The file's bytes as they lie on the disk.
    ///
    /// # Errors
    /// [`FsError`] if it can't be read.
    pub fn read(&self) -> Result<Vec<u8>, FsError> {
        fs::read(&self.found.path).map_err(failed("read", &self.found.path))
    }
}

/// All files below a folder with their stamps, in path order as [`find`] has them; none where there is no such folder.
///
/// # Errors
/// [`FsError`] if a folder can't be listed or a file is gone before it was looked at.
pub fn stamped(folder: &Path) -> Result<Vec<Stamped>, FsError> {
    if !exists(folder) {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for found in find(folder)? {
        let about = found.path.metadata().map_err(failed("look at", &found.path))?;
        let stamp = Stamp { length: about.len(), modified: about.modified().ok(), place: place(&about), fresh: false };
        files.push(Stamped { found, stamp });
    }
    let newest = files.iter().filter_map(|file| file.stamp.modified).max();
    for file in &mut files {
        // Nobody asks what time it is: the newest file tells how far the clock of the disk has come.
        file.stamp.fresh =
            file.stamp.modified.zip(newest).is_some_and(|(own, newest)| newest.duration_since(own).is_ok_and(|age| age < GRAIN));
    }
    Ok(files)
}

/// Which file it is, and when anything about it last changed, where the system tells.
#[cfg(unix)]
type Place = (u64, u64, i64, i64);
#[cfg(not(unix))]
type Place = ();

#[cfg(unix)]
fn place(about: &Metadata) -> Place {
    use std::os::unix::fs::MetadataExt;
    (about.dev(), about.ino(), about.ctime(), about.ctime_nsec())
}

#[cfg(not(unix))]
fn place(_: &Metadata) -> Place {}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn stamp(folder: &Path, name: &str) -> Stamp {
        stamped(folder).unwrap().into_iter().find(|file| file.found.relative == name).unwrap().stamp
    }

    #[test]
    fn a_file_that_is_left_alone_holds_and_one_that_is_written_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "a").unwrap();
        fs::File::options().write(true).open(&old).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        fs::write(&new, "b").unwrap();
        let before = stamp(folder.path(), "old");
        assert!(before.holds(&stamp(folder.path(), "old")));
        fs::write(&old, "c").unwrap();
        assert!(!before.holds(&stamp(folder.path(), "old")));
    }

    #[test]
    fn the_newest_file_never_holds() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "a").unwrap();
        let stamp = || stamp(folder.path(), "a");
        assert!(!stamp().holds(&stamp()));
    }

    #[test]
    fn where_there_is_no_folder_there_are_no_files() {
        assert_eq!(stamped(Path::new("nowhere/at/all")).unwrap(), []);
    }
}
