//! The docs folder held, so that no two publications work in it at once.

use std::path::PathBuf;

use super::super::Failure;
use super::folders::Folders;
use crate::cli;
use crate::fs::{lock, switch};

/// The lock in the docs folder.
const FILE: &str = ".plimsoll.lock";

/// The docs folder, held until this is dropped; a folder that was made for it and stayed empty goes then.
pub(super) struct Hold {
    lock: Option<lock::Lock>,
    made: Vec<PathBuf>,
}

impl Hold {
    /// Holds the docs folder; a dry run holds nothing, since it writes nothing.
    pub(super) fn take(args: &cli::Publish, folders: &Folders) -> Result<Self, Failure> {
        let mut hold = Self { lock: None, made: Vec::new() };
        if !args.dry_run {
            hold.made = switch::make_folder(&folders.roots.docs)?;
            hold.lock = Some(lock::take(&folders.roots.docs.join(FILE))?);
        }
        Ok(hold)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.lock.take();
        self.made.iter().rev().for_each(|folder| switch::remove_if_empty(folder));
    }
}
