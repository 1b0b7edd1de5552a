//! A tree of the archive's files into an archive, and a run into its files.

use std::collections::BTreeMap;

use super::byhand::{self, ReleaseFile, RunFile};
use super::overlay::Overlay;
use super::{record_json, series_json};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::{Address, Release, split_run};
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::record::Record;
use crate::model::series::Series;
use crate::source::Source;
use crate::tree::{Tree, TreePath};

/// The files of one run's folder, by name.
type Folder<'a> = BTreeMap<&'a str, &'a [u8]>;

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

/// Files by release, then by run; files beside the runs have the empty run.
fn by_release(tree: &Tree) -> BTreeMap<&str, BTreeMap<&str, Folder<'_>>> {
    let mut releases: BTreeMap<&str, BTreeMap<&str, Folder<'_>>> = BTreeMap::new();
    for (path, bytes) in tree.iter() {
        let parts: Vec<&str> = TreePath::parts(path).collect();
        let (release, run, file) = match parts.as_slice() {
            [release, file] => (*release, "", *file),
            [release, run, file] => (*release, *run, *file),
            // NOTICE and the like at the top; deeper folders are not the archive's.
            _ => continue,
        };
        releases.entry(release).or_default().entry(run).or_default().insert(file, bytes);
    }
    releases
}

fn load_release(root: &str, name: &str, folders: &BTreeMap<&str, Folder<'_>>) -> Result<Option<ReleaseRuns>, Faults> {
    let mut faults = Vec::new();
    let ours = |folder: &Folder<'_>| ["record.json", "run.toml", "release.toml"].iter().any(|file| folder.contains_key(file));
    if !folders.values().any(ours) {
        return Ok(None);
    }
    let source = |run: &str, file: &str, bytes: &[u8]| {
        let path = [root, name, run, file].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("/");
        Source::from_bytes(path, bytes)
    };
    let release_name =
        Release::new(name).map_err(|bad| Diagnostic::error("bad-name", bad.to_string()).help("rename the folder"))?;
    let by_hand = folders
        .get("")
        .and_then(|files| files.get("release.toml"))
        .map(|bytes| byhand::read_release(&source("", "release.toml", bytes)))
        .transpose();
    let by_hand = keep(by_hand, &mut faults).flatten().unwrap_or_default();
    let mut runs = BTreeMap::new();
    for (run, files) in folders.iter().filter(|(run, files)| !run.is_empty() && ours(files)) {
        let loaded = load_run(&release_name, run, files, &by_hand, &|file, bytes| source(run, file, bytes));
        runs.extend(keep(loaded, &mut faults));
    }
    let ReleaseFile { order, notes, .. } = by_hand;
    Faults::check(faults).map(|_| Some(ReleaseRuns { name: release_name, order, notes, runs }))
}

fn load_run(
    release: &Release,
    run: &str,
    files: &Folder<'_>,
    by_hand: &ReleaseFile,
    source: &dyn Fn(&str, &[u8]) -> Source,
) -> Result<(Address, Run), Faults> {
    let mut faults = Vec::new();
    let file = |name: &str| files.get(name).map(|bytes| source(name, bytes));
    let (target, label) =
        split_run(run).map_err(|bad| Diagnostic::error("bad-name", bad.to_string()).help("rename the folder"))?;
    let address = Address { release: release.clone(), target, label };
    let typed = keep(file("run.toml").map(|s| byhand::read_run(&s)).transpose(), &mut faults).flatten().unwrap_or_default();
    let mut series = |name: &str| keep(file(name).map(|s| series_json::read(&s)).transpose(), &mut faults).flatten();
    let series = match (series(SERIES), series(BLOCKS)) {
        (Some(seconds), Some(blocks)) => Some(Series { blocks: blocks.blocks, distributions: blocks.distributions, ..seconds }),
        (seconds, blocks) => seconds.or(blocks),
    };
    let record = keep(record_of(&address, file("record.json"), file("run.toml")), &mut faults);
    let k6_text = file("k6.txt").map(|text| text.text().to_owned());
    Faults::check(faults)?;
    // Without a fault there is a record: `record_of` gives one or a fault.
    let record = record.unwrap_or_else(|| Record::new(address.clone()));
    Ok((address, laid_over(record, &typed, by_hand, k6_text, series)))
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
