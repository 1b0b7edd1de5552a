//! The reading material beside the project, `../shared`: where a test finds it.

use std::path::{Path, PathBuf};

/// A file or folder of it; `None`, with the reason printed, where it is absent.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
    if !shared.exists() {
        eprintln!("skipped: ../shared/{path} is not here");
        return None;
    }
    shared.canonicalize().ok()
}

/// The folders in a folder, in order.
pub(crate) fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// A path's last name.
pub(crate) fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}
