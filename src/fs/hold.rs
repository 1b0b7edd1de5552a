//! A folder of this program's own held, by one who writes or by any number who read: nobody reads half of what another writes.
//!
//! The folder itself is locked (`flock` on Unix): no file is made for that, so a folder that can only be read can be held too, and a process that
//! dies holds nothing. Where the system can't lock a folder, nobody is held up.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::lock::is_still_at;
use super::switch::{make_folder, remove_if_empty};
use super::{FsError, failed, is_folder, is_missing};

/// A folder held by one who reads, until it is dropped.
#[derive(Debug)]
pub struct Shared {
    /// Its lock, where the system has one.
    _lock: Option<File>,
}

/// A folder held by the only one who writes, until it is dropped; one that was made for that and stayed empty goes then.
#[derive(Debug)]
pub struct Alone {
    pub(super) folder: PathBuf,
    made: Vec<PathBuf>,
    lock: Option<File>,
}

/// Holds a folder for reading, waiting for whoever writes there; where there is no such folder there is nothing to hold.
///
/// # Errors
/// [`FsError`] if the folder can't be opened.
pub fn shared(folder: &Path) -> Result<Shared, FsError> {
    let lock = if is_folder(folder) { opened(folder)? } else { None };
    if let Some(folder) = &lock {
        wait(|| folder.lock_shared());
    }
    Ok(Shared { _lock: lock })
}

/// Holds a folder for writing, and makes it where there is none, waiting for others who hold it.
///
/// # Errors
/// [`FsError`] if the folder can't be made or opened.
pub fn alone(folder: &Path) -> Result<Alone, FsError> {
    let mut made = Vec::new();
    loop {
        if let Some(held) = tried(folder, &mut made)? {
            return Ok(held);
        }
        // Free then; whoever else has waited may be quicker, or have removed it.
        if let Some(lock) = opened(folder).ok().flatten() {
            wait(|| lock.lock());
        }
    }
}

/// Like [`alone`], and `None` where others hold the folder.
///
/// # Errors
/// [`FsError`] if the folder can't be made or opened.
pub fn alone_now(folder: &Path) -> Result<Option<Alone>, FsError> {
    tried(folder, &mut Vec::new())
}

/// Tries to hold a folder; `None` where others hold it. What is made for that is added to `made`, and given to who holds it: two may have
/// made it, each for itself, and only who holds it may remove it.
fn tried(folder: &Path, made: &mut Vec<PathBuf>) -> Result<Option<Alone>, FsError> {
    loop {
        made.extend(make_folder(folder)?);
        let lock = match opened(folder) {
            // Whoever made it found no use for it and removed it in between.
            Err(error) if is_missing(&error) => continue,
            lock => lock?,
        };
        match &lock {
            Some(lock) if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) => return Ok(None),
            Some(lock) if !is_still_at(lock, folder) => {}
            _ => return Ok(Some(Alone { folder: folder.to_owned(), made: std::mem::take(made), lock })),
        }
    }
}

/// The folder as something to lock; `None` where it can't be opened as a file: it may be writable and not readable, and not every system opens one.
fn opened(folder: &Path) -> Result<Option<File>, FsError> {
    match File::open(folder) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(failed("open", folder)(error)),
    }
}

/// Waits for a lock. A system that refuses it has no such lock: then nobody is held up.
fn wait(lock: impl Fn() -> io::Result<()>) {
    while lock().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {}
}

impl Drop for Alone {
    fn drop(&mut self) {
        // Removed while it is held, so that whoever waits for it sees that it is another one.
        self.made.iter().rev().for_each(|folder| remove_if_empty(folder));
        self.lock.take();
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_writes_or_many_read() {
        let folder = tempfile::tempdir().unwrap();
        let readers = [shared(folder.path()).unwrap(), shared(folder.path()).unwrap()];
        assert!(alone_now(folder.path()).unwrap().is_none());
        drop(readers);
        let writer = alone_now(folder.path()).unwrap().unwrap();
        assert!(alone_now(folder.path()).unwrap().is_none());
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _read = shared(folder.path()).unwrap();
                sender.send(()).unwrap();
            });
            assert_eq!(receiver.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
            drop(writer);
            receiver.recv().unwrap();
        });
        assert!(super::super::find(folder.path()).unwrap().is_empty());
    }

    #[test]
    fn a_folder_that_was_made_for_nothing_goes() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        drop(alone_now(&deep).unwrap().unwrap());
        assert!(!folder.path().join("a").exists());
        let held = alone_now(&deep).unwrap().unwrap();
        std::fs::write(deep.join("file"), "").unwrap();
        drop(held);
        assert!(deep.join("file").exists());
    }

    /// Who waits for a folder that is removed meanwhile holds the one that is made in its place.
    #[test]
    fn who_waits_holds_the_folder_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a");
        for _ in 0..200 {
            std::thread::scope(|scope| {
                let work = || {
                    let held = alone(&deep).unwrap();
                    assert!(deep.is_dir());
                    assert!(alone_now(&deep).unwrap().is_none());
                    drop(held);
                };
                let look = || {
                    if let Some(held) = alone_now(&deep).unwrap() {
                        assert!(deep.is_dir());
                        drop(held);
                    }
                };
                scope.spawn(work);
                scope.spawn(work);
                scope.spawn(look);
                scope.spawn(look);
            });
        }
    }
}
