//! The single steps of a switch from old files to new ones: looking, staging, moving, removing. Which steps in which order
//! is the business of whoever publishes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{FsError, exists, failed, read_limited};
use crate::tree::TreePath;

/// What lies at a path inside a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A regular file with its bytes, packed as they may be.
    File(Vec<u8>),
    /// A folder.
    Folder,
    /// A link, at the path or above it.
    Link(PathBuf),
    /// A file that should be a folder, above the path.
    FileAbove(PathBuf),
    /// A pipe, a device.
    Other,
}

/// Looks at a path inside a folder, following no link below that folder.
///
/// # Errors
/// [`FsError`] if the system refuses.
pub fn look(folder: &Path, path: &TreePath) -> Result<Found, FsError> {
    let mut place = folder.to_owned();
    let last = path.parts().count() - 1;
    for (at, part) in path.parts().enumerate() {
        place.push(part);
        let about = match place.symlink_metadata() {
            Ok(about) => about,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Found::Nothing);
            }
            Err(error) => return Err(failed("look at", &place)(error)),
        };
        match about.file_type() {
            kind if kind.is_symlink() => return Ok(Found::Link(place)),
            kind if at < last && !kind.is_dir() => return Ok(Found::FileAbove(place)),
            kind if at < last && kind.is_dir() => {}
            kind if kind.is_dir() => return Ok(Found::Folder),
            kind if kind.is_file() => return read_raw(&place).map(Found::File),
            _ => return Ok(Found::Other),
        }
    }
    Ok(Found::Nothing)
}

/// A file's bytes as they lie on the disk.
///
/// # Errors
/// [`FsError`] if it can't be read or is too large.
pub fn read_raw(path: &Path) -> Result<Vec<u8>, FsError> {
    let mut file = fs::File::open(path).map_err(failed("open", path))?;
    read_limited(&mut file, path)
}

/// The folders in a folder by name, hidden ones and links left out; none where there is no such folder.
///
/// # Errors
/// [`FsError`] if it can't be listed.
pub fn folders(folder: &Path) -> Result<Vec<String>, FsError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed("list", folder))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed("list", folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Where a file is staged: beside its place.
#[must_use]
pub fn beside(place: &Path) -> PathBuf {
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    place.with_file_name(format!(".{name}.plimsoll-new"))
}

/// Makes a folder and those above it, and says which are new, the uppermost first.
///
/// # Errors
/// [`FsError`] if the system refuses; what was made is removed.
pub fn make_folder(folder: &Path) -> Result<Vec<PathBuf>, FsError> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !exists(folder));
    let mut made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    made.reverse();
    fs::create_dir_all(folder).map_err(|error| {
        made.iter().rev().for_each(|folder| remove_if_empty(folder));
        failed("make", folder)(error)
    })?;
    Ok(made)
}

/// Writes a file beside its place, with the rights of the old one, and waits until the disk has it.
///
/// # Errors
/// [`FsError`] if the system refuses; nothing stays beside then.
pub fn stage(place: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let beside = beside(place);
    super::remove_file(&beside)?;
    // Only a new file: nobody's link is followed.
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&beside).map_err(failed("write", &beside))?;
    let written = file.write_all(bytes).and_then(|()| match place.symlink_metadata() {
        Ok(old) if old.is_file() => file.set_permissions(old.permissions()),
        _ => Ok(()),
    });
    written.and_then(|()| file.sync_all()).map_err(|error| {
        // The first failure is the one to tell.
        let _gone = fs::remove_file(&beside);
        failed("write", &beside)(error)
    })
}

/// Moves a staged file into its place.
///
/// # Errors
/// [`FsError`] if the system refuses.
pub fn unstage(place: &Path) -> Result<(), FsError> {
    fs::rename(beside(place), place).map_err(failed("write", place))
}

/// Removes a folder if nothing is in it.
pub fn remove_if_empty(folder: &Path) {
    // One that holds a file is somebody's; one that is gone is gone.
    let _gone = fs::remove_dir(folder);
}

/// Waits until the disk knows the names in a folder, where the system can do that.
pub fn settle(folder: &Path) {
    // Not every system opens a folder; what it then promises is all that can be had.
    let _settled = fs::File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn path(text: &str) -> TreePath {
        TreePath::new(text).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_looked_at_without_following_links() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/packed"), [0x1f, 0x8b, 0]).unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        let look = |text| look(folder.path(), &path(text)).unwrap();
        assert_eq!(look("a/packed"), Found::File(vec![0x1f, 0x8b, 0]));
        assert_eq!((look("a"), look("b/c"), look("a/d")), (Found::Folder, Found::Nothing, Found::Nothing));
        assert_eq!(look("a/packed/x"), Found::FileAbove(folder.path().join("a/packed")));
        assert_eq!(
            (look("link"), look("link/packed")),
            (Found::Link(folder.path().join("link")), Found::Link(folder.path().join("link")))
        );
        assert_eq!(folders(folder.path()).unwrap(), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn staging_follows_no_link_and_keeps_rights() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (place, other) = (folder.path().join("a"), folder.path().join("other"));
        fs::write(&place, "old").unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&other, "other").unwrap();
        std::os::unix::fs::symlink(&other, beside(&place)).unwrap();
        stage(&place, b"new").unwrap();
        unstage(&place).unwrap();
        assert_eq!((fs::read(&place).unwrap(), fs::read(&other).unwrap()), (b"new".to_vec(), b"other".to_vec()));
        assert_eq!(place.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn new_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        assert_eq!(make_folder(&deep).unwrap(), [folder.path().join("a"), deep.clone()]);
        assert_eq!(make_folder(&deep).unwrap(), Vec::<PathBuf>::new());
        remove_if_empty(folder.path());
        assert!(exists(&deep));
    }
}
