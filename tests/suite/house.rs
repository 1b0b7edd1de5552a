//! The plan of the house: a room opens onto lower floors only, and the rooms of the first floor don't know one another, but
//! for two doors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every room with its floor.
const FLOORS: &[(&str, u8)] = &[
    ("source", 0),
    ("diagnostic", 0),
    ("handwritten", 0),
    ("settings", 0),
    ("limits", 0),
    ("terminal", 0),
    ("tree", 0),
    ("fs", 0),
    ("git", 0),
    ("model", 0),
    ("secrets", 0),
    ("samples", 1),
    ("capture", 1),
    ("ingest", 1),
    ("archive", 1),
    ("audit", 1),
    ("flow", 1),
    ("diff", 1),
    ("render", 1),
    ("publish", 2),
    ("serve", 2),
    ("cmd", 3),
    ("cli", 3),
];

/// Doors of the first floor that the plan allows beside the stairs: a raw file is one of the outside shapes that `ingest`
/// knows, as captures are, and only `samples`, whose files are too large to be handed in whole, reads through the door to the disk.
const SPECIAL_DOORS: &[(&str, &str)] = &[("ingest", "samples"), ("ingest", "capture"), ("samples", "fs")];

fn floor(room: &str) -> u8 {
    FLOORS.iter().find(|(name, _)| *name == room).unwrap_or_else(|| panic!("`{room}` has no floor: add it to the plan")).1
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The rooms that a text names after `crate::`, comments aside.
fn rooms_used(text: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    code.match_indices("crate::")
        .map(|(at, word)| {
            let rest = &code[at + word.len()..];
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
        })
        .filter(|room| !room.is_empty())
        .collect()
}

fn doors() -> BTreeMap<(String, String), PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut doors = BTreeMap::new();
    for file in rust_files(&src) {
        let inside = file.strip_prefix(&src).unwrap();
        let room = inside.components().next().unwrap().as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
        if room == "lib" || room == "main" {
            continue;
        }
        for used in rooms_used(&fs::read_to_string(&file).unwrap()) {
            if used != room {
                doors.insert((room.clone(), used), inside.to_owned());
            }
        }
    }
    doors
}

#[test]
fn a_room_opens_onto_lower_floors_only() {
    let doors = doors();
    assert!(doors.len() > 10, "the test sees no doors: {doors:?}");
    for ((room, used), file) in doors {
        let (from, to) = (floor(&room), floor(&used));
        let ground = from == 0 && to == 0;
        let attic = from == 3 && to == 3;
        let special = SPECIAL_DOORS.contains(&(&room, &used));
        let disk = from == 1 && used == "fs";
        let allowed = special || ((to < from || ground || attic) && !disk);
        assert!(allowed, "{}: `{room}` must not open onto `{used}`", file.display());
    }
}

#[test]
fn only_the_door_touches_the_disk_and_nobody_the_clock() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        let text = fs::read_to_string(&file).unwrap();
        let code: String =
            text.split("#[cfg(test)]").next().unwrap().lines().filter(|l| !l.trim_start().starts_with("//")).collect();
        let is_door = file.starts_with(src.join("fs"));
        assert!(is_door || !code.contains("std::fs"), "{} touches the disk", file.display());
        for clock in ["Utc::now", "Local::now", "SystemTime", "Instant::now"] {
            // The stamp of a file holds when it was written, which only the door to the disk ever sees.
            let is_stamp = clock == "SystemTime" && is_door && !code.contains("SystemTime::now");
            assert!(is_stamp || !code.contains(clock), "{} reads the clock", file.display());
        }
        let exits = code.contains("process::exit");
        assert!(!exits, "{} leaves the house by the window", file.display());
    }
}

#[test]
fn only_render_knows_the_template_engine() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        let uses = fs::read_to_string(&file).unwrap().contains("tera::");
        assert!(!uses || file.starts_with(src.join("render")), "{} uses tera", file.display());
    }
}

#[test]
fn only_the_door_to_git_starts_processes() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        let starts = fs::read_to_string(&file).unwrap().contains("process::{Command")
            || fs::read_to_string(&file).unwrap().contains("process::Command");
        assert!(!starts || file.starts_with(src.join("git")), "{} starts processes", file.display());
    }
}

/// The packages that a lock file says this one is built of.
fn locked_dependencies(lock: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(lock)).unwrap();
    let lock: toml::Value = toml::from_str(&text).unwrap();
    let packages = lock["package"].as_array().unwrap();
    let own = packages.iter().find(|package| package["name"].as_str() == Some("plimsoll")).unwrap();
    let name = |dependency: &toml::Value| dependency.as_str().unwrap().split(' ').next().unwrap().to_owned();
    own["dependencies"].as_array().unwrap().iter().map(name).collect()
}

/// The fuzzer is a package of its own with a lock file of its own, which nothing in CI builds: a dependency that is new here is new there.
#[test]
fn the_fuzzers_lock_file_knows_every_dependency() {
    let manifest: toml::Value =
        toml::from_str(&fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap()).unwrap();
    let wanted: BTreeSet<String> = manifest["dependencies"].as_table().unwrap().keys().cloned().collect();
    for lock in ["Cargo.lock", "fuzz/Cargo.lock"] {
        let known = locked_dependencies(lock);
        let lacking: Vec<&String> = wanted.difference(&known).collect();
        assert!(lacking.is_empty(), "{lock} lacks {lacking:?}: cargo update --workspace --manifest-path fuzz/Cargo.toml");
    }
}
