//! A docs folder and two states of an archive, for the tests of `publish`.

use std::collections::BTreeMap;
use std::path::Path;

use super::command::{Answer, Folder};

const LOG: &[u8] = include_bytes!("../fixtures/k6/add_session/stdout.txt");

/// Series of a run, a second after the other: more than a diff shows line by line.
fn series(slower: f64) -> String {
    let rows = (0..400_u32).map(|second| {
        let (minute, p50) = (second / 60, f64::from(second % 7) + slower);
        format!(
            "\t{{\"metric_name\":\"add_session_duration\",\"timestamp\":\"2026-11-30 10:{:02}:{:02}+00\",\"p50\":{p50},\"p95\":{},\"p99\":{}}}",
            30 + minute % 30,
            second % 60,
            p50 + 1.0,
            p50 + 2.0
        )
    });
    format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"))
}

/// A navigation file as a docs site has it, not laid out as a machine would.
pub(crate) const NAVIGATION: &str = "{\n  \"root\": true,\n  \"pages\": [\"introduction\",\n    {\n      \"title\": \"Benchmarks\",\n      \"pages\": [\n        {\n          \"title\": \"v0\",\n          \"pages\": [ \"benchmarks/v0/kept/index\" ]\n        }\n      ]\n    }\n  ]\n}\n";

/// The page that somebody wrote.
pub(crate) const BY_HAND: &str = "---\ntitle: Benchmarks\n---\n\nBy hand.\n";

/// Where pages go.
pub(crate) const TO: &str = "site/content/apis/benchmarks";

/// A folder with a docs site and the archives `a` (v1 with two runs) and `b` (v1 with one of them changed and the other one
/// gone, and v2).
pub(crate) fn docs_and_archives() -> Folder {
    let folder = Folder::new()
        .file("plimsoll.toml", "schema = 1\n[docs]\nmirror = \"../../../src/data/benchmarks\"\n")
        .file("site/content/apis/_meta.json", NAVIGATION)
        .file(&format!("{TO}/index.mdx"), BY_HAND)
        .file("in/stdout.txt", LOG)
        .file("in/output.json", series(100.5))
        .file("more/stdout.txt", LOG)
        .file("more/output.json", series(200.5))
        .file("more/run.toml", "purpose = \"Once more\"\n[figures]\n\"database.cpu.peak\" = \"98%\"\n");
    for (archive, from, release, target) in [
        ("a", "in", "v1", "add_session"),
        ("a", "in", "v1", "old"),
        ("b", "more", "v1", "add_session"),
        ("b", "in", "v2", "add_session"),
    ] {
        folder.plimsoll(&["-q", "ingest", from, "--release", release, "--target", target, "--archive", archive]).exits(0);
    }
    folder
}

/// Publishes an archive.
pub(crate) fn publish(folder: &Folder, archive: &str, more: &[&str]) -> Answer {
    folder.plimsoll(&[&["publish", "--to", TO, "--archive", archive], more].concat())
}

/// Everything below a path, hidden files and folders too, a folder with a `/` behind it.
pub(crate) fn everything(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let entries = std::fs::read_dir(root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            found.extend(everything(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
            found.insert(format!("{name}/"), Vec::new());
        } else {
            found.insert(name, std::fs::read(&path).unwrap_or_default());
        }
    }
    found
}

/// What is different between two states, in words; empty if nothing is.
pub(crate) fn differences(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names.into_iter().filter(|name| a.get(*name) != b.get(*name)).cloned().collect()
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for (name, bytes) in everything(from) {
        match name.strip_suffix('/') {
            Some(folder) => std::fs::create_dir_all(to.join(folder)).unwrap(),
            None => {
                std::fs::create_dir_all(to.join(&name).parent().unwrap()).unwrap();
                std::fs::write(to.join(&name), bytes).unwrap();
            }
        }
    }
}
