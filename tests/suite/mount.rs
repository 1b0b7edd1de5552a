//! Small disks and disks that can only be read, for the tests of what the world does.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system that is taken off when the test ends.
pub(crate) struct Mount(PathBuf);

impl Mount {
    /// Mounts one at a place; `None`, with the reason printed, where mounting is not allowed.
    pub(crate) fn new(args: &[&str], place: &Path) -> Option<Self> {
        std::fs::create_dir_all(place).unwrap();
        let mounted = Command::new("mount").args(args).arg(place).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(place.to_owned())),
            Ok(output) => {
                eprintln!("skipped: nothing can be mounted here: {}", String::from_utf8_lossy(&output.stderr).trim());
                None
            }
            Err(error) => {
                eprintln!("skipped: nothing can be mounted here: {error}");
                None
            }
        }
    }

    /// A disk with room for so many kilobytes.
    pub(crate) fn small(kilobytes: u64, place: &Path) -> Option<Self> {
        Self::new(&["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"], place)
    }

    /// A folder that nobody can write in, whatever their rights.
    pub(crate) fn read_only(place: &Path) -> Option<Self> {
        let bound = Self::new(&["--bind", place.to_str().unwrap()], place)?;
        let made = Command::new("mount").args(["-o", "remount,ro,bind"]).arg(place).output().unwrap();
        assert!(made.status.success());
        Some(bound)
    }

    /// Fills the disk up to so many pages of it, and says with what.
    pub(crate) fn filled_but(&self, pages: u64) -> PathBuf {
        let filler = self.0.join("filler");
        let mut size = 1 << 20;
        while std::fs::write(&filler, vec![b'x'; size]).is_ok() {
            size *= 2;
        }
        let most = filler.metadata().unwrap().len();
        std::fs::File::options().write(true).open(&filler).unwrap().set_len(most.saturating_sub(pages << 12)).unwrap();
        filler
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _off = Command::new("umount").arg(&self.0).output();
    }
}
