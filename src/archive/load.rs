//! A tree of the archive's files into an archive, and a run into its files.

use std::collections::BTreeMap;

use super::byhand::{self, ReleaseFile, RunFile};
use super::overlay::Overlay;
use super::{record_json, series_json};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::{Address, BadName, Release, split_run};
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::record::Record;
use crate::model::series::Series;
use crate::source::Source;
use crate::tree::{Tree, TreePath};

/// The files of one folder, by name: of a run's, or those beside the runs of a release.
pub type Folder<'a> = BTreeMap<&'a str, &'a [u8]>;

/// Files that make a folder a run's or a release's.
const OURS: [&str; 3] = ["record.json", "run.toml", "release.toml"];

/// Loads an archive from the tree of its files; `root` is how people call its folder, for faults.
///
/// # Errors
/// The faults of all files: bad names, a record that is none or of a newer schema, a record in another run's folder, a
/// hand-written file with faults, a `run.toml` without a record.
pub fn load(tree: &Tree, root: &str) -> Result<Archive, Faults> {
    let mut faults = Vec::new();
    let mut releases = Vec::new();
    for (name, folders) in by_release(tree) {
        match load_release(root, name, &folders) {
            Ok(release) => releases.extend(release),
            Err(found) => faults.extend(found.into_list()),
        }
    }
    Faults::check(faults).map(|_| Archive::new(releases))
}

/// Which release's and which run's folder a file lies in; a file beside the runs has the empty run. `None` of what is not the archive's:
/// NOTICE and the like at the top, deeper folders.
#[must_use]
pub fn folder_of(path: &TreePath) -> Option<(&str, &str)> {
    let mut parts = path.parts();
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(release), Some(_), None, None) => Some((release, "")),
        (Some(release), Some(run), Some(_), None) => Some((release, run)),
        _ => None,
    }
}

/// Whether a folder with files of these names holds something of ours.
#[must_use]
pub fn is_ours<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|name| OURS.contains(&name))
}

/// Files by release, then by run; files beside the runs have the empty run.
fn by_release(tree: &Tree) -> BTreeMap<&str, BTreeMap<&str, Folder<'_>>> {
    let mut releases: BTreeMap<&str, BTreeMap<&str, Folder<'_>>> = BTreeMap::new();
    for (path, bytes) in tree.iter() {
        let Some((release, run)) = folder_of(path) else { continue };
        releases.entry(release).or_default().entry(run).or_default().insert(path.file_name(), bytes);
    }
    releases
}

fn load_release(root: &str, name: &str, folders: &BTreeMap<&str, Folder<'_>>) -> Result<Option<ReleaseRuns>, Faults> {
    let ours = |folder: &Folder<'_>| is_ours(folder.keys().copied());
    if !folders.values().any(ours) {
        return Ok(None);
    }
    let shared = Shared::read(root, name, folders.get("").unwrap_or(&Folder::new()))?;
    let mut faults = shared.faults.clone();
    let mut runs = BTreeMap::new();
    for (run, files) in folders.iter().filter(|(run, files)| !run.is_empty() && ours(files)) {
        runs.extend(keep(shared.run(run, files), &mut faults));
    }
    Faults::check(faults).map(|_| Some(shared.with(runs)))
}

/// What the runs of a release have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// How people call the release's folder.
    folder: String,
    name: Release,
    by_hand: ReleaseFile,
    /// The faults of release.toml.
    pub faults: Vec<Diagnostic>,
}

impl Shared {
    /// Reads what lies beside the runs of a release. Faults of its release.toml are kept, for its runs have faults of their own.
    ///
    /// # Errors
    /// A folder whose name is none of a release: nothing in it is looked at.
    pub fn read(root: &str, name: &str, files: &Folder<'_>) -> Result<Self, Faults> {
        let release = Release::new(name).map_err(|bad| misnamed(&bad))?;
        let folder = if root.is_empty() { name.to_owned() } else { format!("{root}/{name}") };
        let by_hand = files.get("release.toml").map(|bytes| source(&folder, "release.toml", bytes));
        let mut faults = Vec::new();
        let by_hand = keep(by_hand.map(|text| byhand::read_release(&text)).transpose(), &mut faults);
        Ok(Self { folder, name: release, by_hand: by_hand.flatten().unwrap_or_default(), faults })
    }

    /// Loads a run of the release from the files of its folder.
    ///
    /// # Errors
    /// The faults of all its files.
    pub fn run(&self, run: &str, files: &Folder<'_>) -> Result<(Address, Run), Faults> {
        let folder = format!("{}/{run}", self.folder);
        let file = |name: &str| files.get(name).map(|bytes| source(&folder, name, bytes));
        let mut faults = Vec::new();
        let (target, label) = split_run(run).map_err(|bad| misnamed(&bad))?;
        let address = Address { release: self.name.clone(), target, label };
        let typed = keep(file("run.toml").map(|s| byhand::read_run(&s)).transpose(), &mut faults).flatten().unwrap_or_default();
        let mut series = |name: &str| keep(file(name).map(|s| series_json::read(&s)).transpose(), &mut faults).flatten();
        let series = match (series(SERIES), series(BLOCKS)) {
            (Some(seconds), Some(blocks)) => {
                Some(Series { blocks: blocks.blocks, distributions: blocks.distributions, ..seconds })
            }
            (seconds, blocks) => seconds.or(blocks),
        };
        let record = keep(record_of(&address, file("record.json"), file("run.toml")), &mut faults);
        let k6_text = file("k6.txt").map(|text| text.text().to_owned());
        Faults::check(faults)?;
        // Without a fault there is a record: `record_of` gives one or a fault.
        let record = record.unwrap_or_else(|| Record::new(address.clone()));
        Ok((address, laid_over(record, &typed, &self.by_hand, k6_text, series)))
    }

    /// The release with its runs.
    #[must_use]
    pub fn with(&self, runs: BTreeMap<Address, Run>) -> ReleaseRuns {
        ReleaseRuns { name: self.name.clone(), order: self.by_hand.order, notes: self.by_hand.notes.clone(), runs }
    }
}

fn misnamed(bad: &BadName) -> Diagnostic {
    Diagnostic::error("bad-name", bad.to_string()).help("rename the folder")
}

fn source(folder: &str, file: &str, bytes: &[u8]) -> Source {
    Source::from_bytes(format!("{folder}/{file}"), bytes)
}

fn record_of(address: &Address, record: Option<Source>, run_file: Option<Source>) -> Result<Record, Faults> {
    let Some(source) = record else {
        let fault = Diagnostic::error("no-record", format!("{address} has a run.toml but no record.json"));
        let fault = run_file.map_or(fault.clone(), |file| fault.at(file.at(0..0)));
        return Err(fault.help("ingest the run's k6 output first").into());
    };
    let record = record_json::read(&source)?;
    if record.address() == *address {
        return Ok(record);
    }
    let message = format!("the record of {} lies in the folder of {address}", record.address());
    Err(Diagnostic::error("misplaced-record", message).at(source.at(0..0)).help("move it, or ingest it again").into())
}

fn laid_over(record: Record, typed: &RunFile, release: &ReleaseFile, k6_text: Option<String>, series: Option<Series>) -> Run {
    let Overlay { record, differences } = Overlay::new(record).with_release(release).with_run(typed);
    Run { record, differences, notes: typed.notes.clone(), k6_text, series }
}

/// The value, or its faults put with the others.
fn keep<T>(result: Result<T, Faults>, faults: &mut Vec<Diagnostic>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(found) => {
            faults.extend(found.into_list());
            None
        }
    }
}

/// The file of what happened by the second.
pub const SERIES: &str = "series.json";
/// The file of what comparisons are made of.
pub const BLOCKS: &str = "blocks.json";

/// The machine's files of a run, as a tree from the archive's root.
#[must_use]
pub fn files(record: &Record, k6_text: Option<&str>, series: Option<&Series>) -> Tree {
    let folder = record.address().to_string();
    let mut tree = Tree::new();
    let mut add = |file: &str, text: String| {
        // Releases, targets and labels are checked names, so the path is one.
        let added = tree.insert(format!("{folder}/{file}"), text);
        debug_assert!(added.is_ok());
    };
    add("record.json", record_json::write(record));
    if let Some(text) = k6_text {
        add("k6.txt", text.to_owned());
    }
    for (file, part) in series.iter().flat_map(|series| [(SERIES, series.by_second()), (BLOCKS, series.by_block())]) {
        if !part.is_empty() {
            add(file, series_json::write(&part));
        }
    }
    tree
}
