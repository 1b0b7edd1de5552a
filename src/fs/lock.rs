//! A lock on a folder: a file in it that one process holds. A process that dies holds nothing.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::{FsError, failed};

/// How often a lock file that was removed under us is made anew.
const TRIES: usize = 100;

/// A lock that is held until it is dropped; then its file is removed.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

/// Takes a lock.
///
/// # Errors
/// [`FsError::Held`] if another process has it, [`FsError::Io`] if the system refuses.
pub fn take(path: &Path) -> Result<Lock, FsError> {
    for _ in 0..TRIES {
        if path.is_symlink() {
            return Err(failed("lock", path)(std::io::Error::other("it is a link")));
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(failed("lock", path))?;
        match file.try_lock() {
            Ok(()) if is_still_at(&file, path) => {
                // Who reads it learns whom to wait for; the lock holds without it.
                let _told = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
                return Ok(Lock { file, path: path.to_owned() });
            }
            // Whoever held it has removed it in between: the file at the path is another one.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FsError::Held { path: path.to_owned(), holder: holder(&mut file) }),
            Err(TryLockError::Error(error)) => return Err(failed("lock", path)(error)),
        }
    }
    Err(failed("lock", path)(std::io::Error::other("it is removed again and again")))
}

/// Whether an open file is the one that lies at a path now.
pub(super) fn is_still_at(file: &File, path: &Path) -> bool {
    let ours = file.try_clone().and_then(same_file::Handle::from_file);
    matches!((ours, same_file::Handle::from_path(path)), (Ok(ours), Ok(there)) if ours == there)
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.take(32).read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is held, so that whoever waits for it sees that it is another one.
        if is_still_at(&self.file, &self.path) {
            let _gone = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let lock = take(&path).unwrap();
        assert!(matches!(take(&path), Err(FsError::Held { holder: Some(id), .. }) if id == std::process::id()));
        drop(lock);
        assert!(!path.exists());
        std::fs::write(&path, "left by a process that is dead").unwrap();
        drop(take(&path).unwrap());
        assert!(!path.exists());
    }
}
