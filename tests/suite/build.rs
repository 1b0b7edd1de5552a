//! A folder that `build` writes into: what is its own comes and goes, what is somebody else's stays.

use std::fs;
use std::path::Path;

use crate::command::{Folder, files_below};

const RELEASES: [&str; 2] = ["v4.17.1", "v4.19.2"];

/// A project with a run of each of two releases.
fn project() -> Folder {
    RELEASES.iter().fold(Folder::new(), |folder, release| {
        let run = format!("data/{release}/otp_session");
        let files = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(&run));
        files.into_iter().fold(folder, |folder, (name, bytes)| folder.file(&format!("{run}/{name}"), bytes))
    })
}

fn names(folder: &Folder) -> Vec<String> {
    folder.files("site").into_iter().map(|(name, _)| name).collect()
}

#[test]
fn the_manifest_names_every_file_with_its_hash() {
    let folder = project();
    folder.plimsoll(&["build"]).exits(0);
    let manifest: serde_json::Value = serde_json::from_str(&folder.read("site/plimsoll-site.json")).unwrap();
    let files = manifest["files"].as_object().unwrap();
    let there = folder.files("site");
    assert_eq!(there.len(), files.len() + 1);
    for (name, bytes) in there.iter().filter(|(name, _)| name != "plimsoll-site.json") {
        assert_eq!(files[name].as_str(), Some(blake3::hash(bytes).to_hex().as_str()), "{name}");
    }
    folder.plimsoll(&["build"]).exits(0).says("0 of them new or changed");
}

#[test]
fn pages_of_a_run_that_is_gone_go_with_it() {
    let folder = project();
    folder.plimsoll(&["-q", "build"]).exits(0);
    folder.file_again("site/v4.19.2/otp_session/k6.txt", "kept by hand\n");
    let folder = folder.file("site/CNAME", "bench.example\n").file("site/v4.19.2/notes.txt", "mine\n");
    fs::remove_dir_all(folder.path("data/v4.19.2")).unwrap();
    let answer = folder.plimsoll(&["build"]).exits(0).says(" removed").says("warning[changed-file]").says("k6.txt");
    assert_eq!(answer.talk.matches("changed-file").count(), 1);
    let left: Vec<String> = names(&folder).into_iter().filter(|name| name.starts_with("v4.19.2/")).collect();
    assert_eq!(left, ["v4.19.2/notes.txt", "v4.19.2/otp_session/k6.txt"]);
    assert_eq!(folder.read("site/CNAME"), "bench.example\n");
    assert!(folder.path("site/v4.17.1/otp_session/index.html").exists());
}

#[test]
fn a_folder_that_nothing_is_left_in_goes_too() {
    let folder = project();
    folder.plimsoll(&["-q", "build"]).exits(0);
    fs::remove_dir_all(folder.path("data/v4.19.2")).unwrap();
    folder.plimsoll(&["-q", "build"]).exits(0);
    assert!(!folder.path("site/v4.19.2").exists());
    assert!(folder.path("site/v4.17.1").exists());
}

#[test]
fn files_of_somebody_else_are_not_written_over() {
    let folder =
        project().file("site/index.html", "<p>my own</p>").file("site/assets/site.js", "mine").file("site/robots.txt", "all");
    let answer = folder.plimsoll(&["build"]).exits(3);
    let answer = answer.says("error[foreign-file]").says("2 files").says("there: assets/site.js, index.html").says("--out");
    assert_eq!(answer.talk.matches("error[").count(), 1);
    assert_eq!(names(&folder), ["assets/site.js", "index.html", "robots.txt"]);
    folder.plimsoll(&["-q", "build", "--out", "other"]).exits(0);
    fs::remove_file(folder.path("site/index.html")).unwrap();
    fs::remove_file(folder.path("site/assets/site.js")).unwrap();
    folder.plimsoll(&["-q", "build"]).exits(0);
    assert_eq!(folder.read("site/robots.txt"), "all");
}

#[test]
fn what_was_changed_by_hand_in_the_site_is_made_again() {
    let folder = project();
    folder.plimsoll(&["-q", "build"]).exits(0);
    let made = folder.read("site/index.html");
    folder.file_again("site/index.html", "by hand");
    folder.plimsoll(&["build"]).exits(0).says("1 of them new or changed");
    assert_eq!(folder.read("site/index.html"), made);
}

#[test]
fn a_broken_manifest_is_told_and_nothing_is_written() {
    let folder = project().file("site/plimsoll-site.json", "{\"schema\": 1, \"files\": [\n");
    folder.plimsoll(&["build"]).exits(3).says("error[bad-manifest]").says("plimsoll-site.json:");
    assert_eq!(names(&folder), ["plimsoll-site.json"]);
}

#[test]
fn texts_of_the_method_folder_are_pages() {
    let folder = project()
        .file("method/nights.md", "# Nights\n\n## Why\n\n<script>alert(1)</script>\n\nSee [the flow](flow.md#questions)\n");
    let folder = folder.file("method/index.md", "# How we measure\n\nBy night.\n");
    folder.plimsoll(&["-q", "build"]).exits(0);
    let page = folder.read("site/method/nights/index.html");
    assert!(
        page.contains("<h1>Nights</h1>")
            && page.contains("&lt;script&gt;")
            && page.contains("href=\"../flow/index.html#questions\"")
    );
    let start = folder.read("site/method/index.html");
    assert!(
        start.contains("<h1>How we measure</h1>")
            && start.contains("href=\"nights/index.html\"")
            && !start.contains("What a figure is")
    );
    let folder = folder.file("method/Big Words.md", "x").file("method/graph.png", "x");
    let answer = folder.plimsoll(&["build"]).exits(3);
    assert_eq!(answer.talk.matches("error[method-file]").count(), 2, "{}", answer.talk);
    fs::remove_file(folder.path("method/Big Words.md")).unwrap();
    fs::remove_file(folder.path("method/graph.png")).unwrap();
    folder.file_again("method/nights.md", "[nowhere](other.md) [nor](#here)");
    let answer = folder.plimsoll(&["build"]).exits(3);
    assert_eq!(answer.talk.matches("error[dead-link]").count(), 2, "{}", answer.talk);
}
