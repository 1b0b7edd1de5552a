//! The archive as it was last read, folder by folder, and what of it must be read again.

use std::collections::BTreeMap;
use std::path::Path;

use super::print::{self, Print};
use crate::archive::{self, BLOCKS, Folder, SERIES, Shared};
use crate::cmd::parallel;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::stamps::{Stamp, Stamped, stamped};
use crate::fs::{self, FsError};
use crate::model::address::Address;
use crate::model::collection::{Archive, Run};
use crate::tree::TreePath;

/// Every folder of an archive with what was read of it. A folder always holds what its own stamps say, faults too, so that a fault
/// of one is found again without reading, and hides no change of another.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    releases: BTreeMap<String, ReleaseFolder>,
}

#[derive(Debug)]
struct ReleaseFolder {
    /// The stamp of release.toml.
    stamp: Option<Stamp>,
    print: Print,
    shared: Result<Shared, Faults>,
    runs: BTreeMap<String, RunFolder>,
}

#[derive(Debug)]
struct RunFolder {
    stamps: Vec<(String, Stamp)>,
    /// Of its files, and of what it shares with the runs of its release.
    print: Print,
    /// Of each of its files.
    files: Vec<(String, Print)>,
    /// Of the last state of it, by `print`, that measured something else than the one before.
    measured: Print,
    /// The run; `None` while it is lent out.
    loaded: Result<Option<(Address, Run)>, Faults>,
}

/// What lies on the disk, by release and by run.
type Found<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a Stamped>>>;

/// Files of a run that are read.
const READ: [&str; 5] = ["record.json", "run.toml", "k6.txt", SERIES, BLOCKS];

impl Shelf {
    /// Looks at the archive's folder, `root` as people call it, and reads what may have changed since it was looked at last.
    ///
    /// # Errors
    /// What the disk refuses; what was read until then is known, the rest is looked at again.
    pub(super) fn look(&mut self, folder: &Path, root: &str) -> Result<(), FsError> {
        let _held = fs::reading(folder)?;
        let files = stamped(folder)?;
        let mut paths = Vec::with_capacity(files.len());
        for file in &files {
            let path = TreePath::new(file.found.relative.as_str());
            paths.push(path.map_err(|cause| FsError::BadName { path: folder.to_owned(), cause })?);
        }
        let found = by_folder(&paths, &files);
        self.releases.retain(|name, _| found.contains_key(name.as_str()));
        for (name, folders) in &found {
            self.look_beside(root, name, folders.get("").map_or(&[][..], Vec::as_slice))?;
        }
        self.read_runs(&found)
    }

    /// Reads release.toml again, if it may have changed. What the runs share is part of all of them.
    fn look_beside(&mut self, root: &str, name: &str, files: &[&Stamped]) -> Result<(), FsError> {
        let toml = files.iter().find(|file| file_name(file) == "release.toml");
        let stamp = toml.map(|file| file.stamp.clone());
        let known = self.releases.get_mut(name);
        let holds = |known: &ReleaseFolder| match (&known.stamp, &stamp) {
            (Some(known), Some(stamp)) => known.holds(stamp),
            (None, None) => true,
            _ => false,
        };
        if known.as_ref().is_some_and(|known| holds(known)) {
            return Ok(());
        }
        let bytes = toml.map(|file| file.read()).transpose()?;
        let print = print::of(&(root, bytes.as_deref().map(print::of_bytes)));
        if let Some(known) = known.filter(|known| known.print == print) {
            known.stamp = stamp;
            return Ok(());
        }
        let files: Folder<'_> = bytes.iter().map(|bytes| ("release.toml", bytes.as_slice())).collect();
        let shared = Shared::read(root, name, &files);
        self.releases.insert(name.to_owned(), ReleaseFolder { stamp, print, shared, runs: BTreeMap::new() });
        Ok(())
    }

    fn read_runs(&mut self, found: &Found<'_>) -> Result<(), FsError> {
        let mut asked = Vec::new();
        for (release, folders) in self.releases.values_mut().zip(found.values()) {
            release.runs.retain(|run, _| folders.contains_key(run.as_str()));
        }
        for ((name, folders), release) in found.iter().zip(self.releases.values()) {
            let Ok(shared) = &release.shared else { continue };
            for (run, files) in folders.iter().filter(|(run, _)| !run.is_empty()) {
                let known = release.runs.get(*run);
                if !known.is_some_and(|known| known.holds(files)) {
                    asked.push((*name, *run, Asked { files, shared, beside: release.print, known }));
                }
            }
        }
        let read = parallel::each(&asked, |(_, run, asked)| asked.read(run));
        let read: Vec<_> = asked.iter().zip(read).map(|((name, run, asked), read)| (*name, *run, asked.stamps(), read)).collect();
        let mut failed = None;
        for (name, run, stamps, read) in read {
            let Some(release) = self.releases.get_mut(name) else { continue };
            match read {
                Ok(Read::Same) => {
                    if let Some(known) = release.runs.get_mut(run) {
                        known.stamps = stamps;
                    }
                }
                Ok(Read::Other(other)) => {
                    release.runs.insert(run.to_owned(), RunFolder { stamps, ..*other });
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// The archive, and the fingerprints of each of its runs. It is to be [given back](Self::take_back).
    ///
    /// # Errors
    /// The faults of all folders, in their order.
    pub(super) fn lend(&mut self) -> Result<(Archive, BTreeMap<Address, Known>), Faults> {
        Faults::check(self.faults())?;
        let (mut releases, mut prints) = (Vec::new(), BTreeMap::new());
        for folder in self.releases.values_mut() {
            let Ok(shared) = &folder.shared else { continue };
            let mut runs = BTreeMap::new();
            for run in folder.runs.values_mut() {
                if let Some((address, loaded)) = run.loaded.as_mut().ok().and_then(Option::take) {
                    prints.insert(address.clone(), Known { all: run.print, measured: run.measured });
                    runs.insert(address, loaded);
                }
            }
            releases.push(shared.with(runs));
        }
        Ok((Archive::new(releases), prints))
    }

    /// Takes back what was lent.
    pub(super) fn take_back(&mut self, archive: Archive) {
        for release in archive.into_releases() {
            let Some(folder) = self.releases.get_mut(release.name.as_str()) else { continue };
            for (address, run) in release.runs {
                if let Some(RunFolder { loaded: Ok(place), .. }) = folder.runs.get_mut(&address.run()) {
                    *place = Some((address, run));
                }
            }
        }
    }

    fn faults(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for folder in self.releases.values() {
            match &folder.shared {
                Err(misnamed) => faults.extend_from_slice(misnamed.list()),
                Ok(shared) => faults.extend_from_slice(&shared.faults),
            }
            let of_runs = folder.runs.values().filter_map(|run| run.loaded.as_ref().err());
            faults.extend(of_runs.flat_map(|faults| faults.list().iter().cloned()));
        }
        faults
    }
}

/// Releases with something of ours in them, the runs that have something of ours, and what lies beside the runs.
fn by_folder<'a>(paths: &'a [TreePath], files: &'a [Stamped]) -> Found<'a> {
    let mut found: Found<'_> = BTreeMap::new();
    for (path, file) in paths.iter().zip(files) {
        let Some((release, run)) = archive::folder_of(path) else { continue };
        found.entry(release).or_default().entry(run).or_default().push(file);
    }
    let is_ours = |files: &[&Stamped]| archive::is_ours(files.iter().map(|file| file_name(file)));
    found.retain(|_, folders| folders.values().any(|files| is_ours(files)));
    for folders in found.values_mut() {
        folders.retain(|run, files| run.is_empty() || is_ours(files));
    }
    found
}

fn file_name(file: &Stamped) -> &str {
    file.found.relative.rsplit('/').next().unwrap_or_default()
}

/// The fingerprints of a run.
#[derive(Clone, Copy, Debug)]
pub(in crate::cmd) struct Known {
    /// Of all that it is made of.
    pub all: Print,
    /// Of all that its record and its series are made of, which is what is judged and compared. Runs that have the same say the same;
    /// one whose notes change keeps it.
    pub measured: Print,
}

impl RunFolder {
    /// Whether another state of it has the same record and the same series. Records are told apart as values are, to the last bit of
    /// each number; series, which nobody writes over by hand, by their files.
    fn measures_what(&self, other: &Self) -> bool {
        let series = |folder: &Self| {
            folder.files.iter().filter(|(name, _)| [SERIES, BLOCKS].contains(&name.as_str())).cloned().collect::<Vec<_>>()
        };
        let record = |folder: &Self| match &folder.loaded {
            Ok(Some((_, run))) => Some(print::of(&run.record)),
            _ => None,
        };
        series(self) == series(other) && record(self).zip(record(other)).is_some_and(|(one, other)| one == other)
    }

    /// Whether nothing of it can have changed.
    fn holds(&self, files: &[&Stamped]) -> bool {
        let files: Vec<&&Stamped> = files.iter().filter(|file| READ.contains(&file_name(file))).collect();
        let holds = |((name, known), file): (&(String, Stamp), &&&Stamped)| name == file_name(file) && known.holds(&file.stamp);
        self.stamps.len() == files.len() && self.stamps.iter().zip(&files).all(holds)
    }
}

/// A run's folder that may have changed.
struct Asked<'a> {
    files: &'a [&'a Stamped],
    shared: &'a Shared,
    /// The fingerprint of what it shares.
    beside: Print,
    /// What is known of it.
    known: Option<&'a RunFolder>,
}

/// What a folder holds now.
enum Read {
    /// What it held.
    Same,
    /// Something else; its stamps are not in it.
    Other(Box<RunFolder>),
}

impl Asked<'_> {
    fn stamps(&self) -> Vec<(String, Stamp)> {
        self.wanted().map(|file| (file_name(file).to_owned(), file.stamp.clone())).collect()
    }

    fn wanted(&self) -> impl Iterator<Item = &Stamped> {
        self.files.iter().copied().filter(|file| READ.contains(&file_name(file)))
    }

    fn read(&self, run: &str) -> Result<Read, FsError> {
        let files: Vec<(&str, Vec<u8>)> =
            self.wanted().map(|file| Ok((file_name(file), file.read()?))).collect::<Result<_, FsError>>()?;
        let told: Vec<(String, Print)> = files.iter().map(|(name, bytes)| ((*name).to_owned(), print::of_bytes(bytes))).collect();
        let print = print::of(&(self.beside, run, &told));
        if self.known.is_some_and(|known| known.print == print) {
            return Ok(Read::Same);
        }
        let files: Folder<'_> = files.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
        let loaded = self.shared.run(run, &files).map(Some);
        let mut read = RunFolder { stamps: Vec::new(), print, files: told, measured: print, loaded };
        if let Some(known) = self.known.filter(|known| known.measures_what(&read)) {
            read.measured = known.measured;
        }
        Ok(Read::Other(Box::new(read)))
    }
}
