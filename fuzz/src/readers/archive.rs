//! What the machine wrote and reads again, whole archives, and files on their way into one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use plimsoll::archive::{self, record_json, series_json};
use plimsoll::capture::Rules;
use plimsoll::fs::unfinished::Note;
use plimsoll::ingest::sweep::{Asked, Body, Given, NAMED, harvest};
use plimsoll::model::address::{Address, Release};
use plimsoll::model::catalogue::CATALOGUE;
use plimsoll::model::collection::Run;
use plimsoll::model::derive;
use plimsoll::model::profile::Profile;
use plimsoll::model::record::Record;
use plimsoll::model::series::Series;
use plimsoll::render::docs::{DocsInput, Layout, pages};
use plimsoll::render::templates::Templates;
use plimsoll::samples::{Unread, is_samples};
use plimsoll::settings::Settings;
use plimsoll::tree::Tree;

use super::{drawn, parts, read, source};

static RULES: LazyLock<Rules> = LazyLock::new(Rules::built_in);
static TEMPLATES: LazyLock<Option<Templates>> = LazyLock::new(|| Templates::embedded().ok());

/// A record is written, and what is read of that is the record.
pub(super) fn kept(record: &Record) {
    let text = record_json::write(record);
    let again = read(record_json::read(&source("record.json", text.as_bytes())));
    assert_eq!(again.as_ref(), Some(record), "what is written of a record reads unlike it");
}

/// A series likewise.
pub(super) fn kept_series(series: &Series) {
    let text = series_json::write(series);
    let again = read(series_json::read(&source("series.json", text.as_bytes())));
    assert_eq!(again.as_ref(), Some(series), "what is written of a series reads unlike it");
}

/// `record.json`, and all figures that a flow may ask for.
pub(super) fn record(bytes: &[u8]) {
    let Some(record) = read(record_json::read(&source("record.json", bytes))) else { return };
    kept(&record);
    for row in CATALOGUE {
        let _figure = derive::figure(&record, row.figure);
    }
    let _known = derive::known(&record, Some(&record), Some(100.0), true);
}

/// `series.json` and `blocks.json`.
pub(super) fn series(bytes: &[u8]) {
    if let Some(series) = read(series_json::read(&source("series.json", bytes))) {
        kept_series(&series);
    }
}

/// The note of what is unfinished in a folder: nothing in it leads out of there.
pub(super) fn unfinished(bytes: &[u8]) {
    let Ok(note) = Note::read(bytes) else { return };
    for path in note.files.iter().chain(&note.removed).chain(&note.folders) {
        assert!(path.parts().all(|part| !part.is_empty() && part != ".."), "{path} leads out of its folder");
    }
    assert_eq!(Note::read(note.write().as_bytes()).ok(), Some(note), "what is written of a note reads unlike it");
}

/// The files of an archive, and the docs pages that are made of it.
pub(super) fn runs(bytes: &[u8]) {
    let mut tree = Tree::new();
    for (name, bytes) in parts(bytes) {
        // A name that leaves the tree is refused, and the others are read.
        let _refused = tree.insert(name, bytes);
    }
    let Some(archive) = read(archive::load(&tree, "data")) else { return };
    let Some(templates) = TEMPLATES.as_ref() else { return };
    let (docs, verdicts) = (Settings::default().docs, BTreeMap::new());
    let chosen: Vec<(&Address, &Run)> = archive.runs().collect();
    for profile in Profile::ALL {
        let layout = Layout::of(&docs, profile);
        let (archive, verdicts, has_page) = (&archive, &verdicts, &|_: &str| false);
        let input = DocsInput { archive, verdicts, comparisons: &[], service_name: "ZITADEL", layout, templates, has_page };
        if let Err(plimsoll::render::docs::DocsError::Refused(faults)) = pages(&input, &chosen) {
            drawn(faults.list());
        }
    }
}

/// Files that are joined to runs.
pub(super) fn sweep(bytes: &[u8]) {
    let given = |(path, bytes): (String, Vec<u8>)| {
        let group = path.rsplit_once('/').map_or(NAMED, |(folder, _)| folder).to_owned();
        // Raw samples are read where they lie, and here they lie nowhere.
        (!is_samples(&bytes)).then(|| Given { shown: path.clone(), path, group, body: Body::Whole(bytes), named: false })
    };
    let given: Vec<Given> = parts(bytes).into_iter().filter_map(given).collect();
    let asked = Asked { release: Release::new("v1").ok(), ..Asked::default() };
    let raw = |_: &[std::path::PathBuf], _: &plimsoll::ingest::sweep::Kinds| {
        Err(Unread::Input(plimsoll::diagnostic::Diagnostic::error("no-samples", "there are none").into()))
    };
    match harvest(given, &asked, &|_| None, &raw, &RULES) {
        Ok(harvest) => {
            drawn(&harvest.remarks);
            for draft in &harvest.drafts {
                kept(&draft.record);
                draft.series.iter().for_each(kept_series);
            }
        }
        Err(Unread::Input(faults)) => drawn(faults.list()),
        Err(Unread::World(_)) => {}
    }
}
