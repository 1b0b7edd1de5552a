//! The project a command works in: its settings, its archive, its flows, its templates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Failure;
use crate::archive;
use crate::cli::Common;
use crate::diagnostic::Diagnostic;
use crate::fs;
use crate::model::address::Address;
use crate::model::address::Pattern;
use crate::model::collection::{Archive, Run};
use crate::settings::Settings;
use crate::source::Source;

/// A folder with its `plimsoll.toml`, if it has one.
#[derive(Debug)]
pub struct Project {
    /// The folder.
    pub root: PathBuf,
    /// Its settings.
    pub settings: Settings,
    /// The folder of its records.
    pub archive_folder: PathBuf,
}

impl Project {
    /// Opens the project: `--project`, else the nearest folder upward with a `plimsoll.toml`, else here.
    ///
    /// # Errors
    /// A folder that is not there, a `plimsoll.toml` with faults.
    pub fn open(common: &Common) -> Result<Self, Failure> {
        let root = match &common.project {
            Some(folder) if !fs::is_folder(folder) => {
                return Err(Failure::misuse("no-project", format!("there is no folder `{}`", folder.display())));
            }
            Some(folder) => folder.clone(),
            None => nearest(Path::new(".")),
        };
        let file = root.join(FILE);
        let settings = match fs::read(&file) {
            Ok(bytes) => Settings::read(&Source::from_bytes(shown(&file), &bytes))?,
            Err(error) if fs::is_missing(&error) => Settings::default(),
            Err(error) => return Err(error.into()),
        };
        let archive_folder = common.archive.clone().unwrap_or_else(|| root.join("data"));
        Ok(Self { root, settings, archive_folder })
    }

    /// Loads the archive.
    ///
    /// # Errors
    /// The faults of its files.
    pub fn archive(&self) -> Result<Archive, Failure> {
        let tree = fs::read_tree(&self.archive_folder)?;
        Ok(archive::load(&tree, &shown(&self.archive_folder))?)
    }

    /// The files of a folder of the project as texts by path; none where there is no such folder.
    ///
    /// # Errors
    /// What the disk refuses.
    pub fn texts(&self, folder: &str) -> Result<BTreeMap<String, String>, Failure> {
        let tree = fs::read_tree(&self.root.join(folder))?;
        Ok(tree.iter().map(|(path, bytes)| (path.to_string(), String::from_utf8_lossy(bytes).into_owned())).collect())
    }
}

/// The settings' file.
const FILE: &str = "plimsoll.toml";

fn nearest(start: &Path) -> PathBuf {
    let here = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    match here.ancestors().find(|folder| fs::exists(&folder.join(FILE))) {
        // Paths that people see stay short where the project is right here.
        Some(folder) if folder != here => folder.to_owned(),
        _ => PathBuf::new(),
    }
}

/// A path as people see it, with `/`.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// The runs that patterns choose.
///
/// # Errors
/// Misuse: a pattern that is none, or that matches nothing (near names offered).
pub(super) fn select<'a>(archive: &'a Archive, patterns: &[String]) -> Result<Vec<(&'a Address, &'a Run)>, Failure> {
    let mut compiled = Vec::new();
    for pattern in patterns {
        let pattern = Pattern::new(pattern).map_err(|bad| Failure::misuse("bad-pattern", bad.to_string()))?;
        if archive.select(std::slice::from_ref(&pattern)).is_empty() {
            return Err(Failure::Misuse(unmatched(archive, pattern.as_str())));
        }
        compiled.push(pattern);
    }
    let runs = archive.select(&compiled);
    if runs.is_empty() {
        let fault = Diagnostic::error("empty-archive", "the archive holds no run");
        return Err(Failure::Misuse(fault.help("make records first: plimsoll ingest PATH...")));
    }
    Ok(runs)
}

fn unmatched(archive: &Archive, pattern: &str) -> Diagnostic {
    let releases: Vec<String> = archive.releases().iter().map(|release| release.name.to_string()).collect();
    let runs: Vec<String> = archive.runs().map(|(address, _)| address.to_string()).collect();
    let known = if pattern.contains('/') { &runs } else { &releases };
    Diagnostic::error("no-match", format!("no run matches `{pattern}`"))
        .note(format!("releases: {}", releases.join(", ")))
        .suggest(pattern, known.iter().map(String::as_str))
}
