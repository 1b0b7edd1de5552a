//! `plimsoll publish` from the command line: what is written, kept, removed, refused.

use std::process::Command;

use super::command::Folder;
use super::material::shared;
use super::publish_support::{BY_HAND, NAVIGATION, TO, copy, docs_and_archives, everything, publish};

const PAGE: &str = "site/content/apis/benchmarks/v1/add_session/index.mdx";
const MINE: &str = "{/* keep:start */}\nMine: `{x}` <b>.\n\n```\n{/* keep:end */}\n```\n{/* keep:end */}\n";

/// The files that a plan lists, the docs site's folder left out of their paths.
fn listed(out: &str) -> Vec<String> {
    let lines = out.lines().take_while(|line| !line.is_empty());
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ").replace("site/", "")).collect()
}

#[test]
fn what_is_published_twice_is_published_once() {
    let folder = docs_and_archives();
    let answer = publish(&folder, "a", &[]).exits(0);
    assert_eq!(
        listed(&answer.out),
        [
            "create content/apis/benchmarks/.plimsoll.json",
            "create content/apis/benchmarks/results.mdx",
            "create content/apis/benchmarks/v1/.plimsoll.json",
            "create content/apis/benchmarks/v1/add_session/index.mdx",
            "create content/apis/benchmarks/v1/add_session/output.json",
            "create content/apis/benchmarks/v1/index.mdx",
            "create content/apis/benchmarks/v1/old/index.mdx",
            "create content/apis/benchmarks/v1/old/output.json",
            "create src/data/benchmarks/v1/add_session/output.json",
            "create src/data/benchmarks/v1/old/output.json",
            "replace content/apis/_meta.json",
        ]
    );
    let there = everything(&folder.path("site"));
    assert_eq!(there.keys().filter(|name| name.contains("plimsoll")).count(), 2, "nothing stays but the manifests");
    let again = publish(&folder, "a", &[]).exits(0).says("0 files created, 0 replaced, 11 kept");
    assert_eq!((again.out.as_str(), everything(&folder.path("site"))), ("", there));
    assert_eq!(publish(&folder, "a", &["--dry-run"]).exits(0).out, "");
}

#[test]
fn a_run_that_is_gone_goes_and_everything_else_stays() {
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    let answer = publish(&folder, "b", &[]).exits(0);
    let removed: Vec<String> = listed(&answer.out).into_iter().filter(|line| line.starts_with("remove")).collect();
    assert_eq!(
        removed,
        [
            "remove content/apis/benchmarks/v1/old/index.mdx",
            "remove content/apis/benchmarks/v1/old/output.json",
            "remove src/data/benchmarks/v1/old/output.json",
        ]
    );
    let there = everything(&folder.path("site"));
    assert!(!there.keys().any(|name| name.contains("old")), "{:?}", there.keys());
    let navigation = folder.read("site/content/apis/_meta.json");
    assert!(navigation.contains("v1/add_session/index") && navigation.contains("v2/add_session/index"));
    assert!(!navigation.contains("v1/old") && navigation.contains("[ \"benchmarks/v0/kept/index\" ]"));
    assert_eq!(folder.read(&format!("{TO}/index.mdx")), BY_HAND);
    publish(&folder, "a", &[]).exits(0).says("v2 is published and not in the archive: its pages are left alone");
    assert!(folder.path(&format!("{TO}/v2/add_session/index.mdx")).exists());
}

#[test]
fn a_release_alone_leaves_the_others_alone() {
    let folder = docs_and_archives();
    publish(&folder, "b", &[]).exits(0);
    let answer = publish(&folder, "b", &["--release", "v1", "-v"]).exits(0);
    assert!(!answer.out.contains("/v2/"), "{}", answer.out);
    assert!(folder.path(&format!("{TO}/v2/add_session/index.mdx")).exists());
    publish(&folder, "b", &["--release", "v1/add_session"]).exits(2).says("--release wants a release");
}

#[test]
fn what_was_changed_by_hand_is_refused_and_written_over_only_by_force() {
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    let changed = folder.read(PAGE).replacen("## ", "## My ", 1);
    std::fs::write(folder.path(PAGE), &changed).unwrap();
    std::fs::write(folder.path(&format!("{TO}/v1/old/output.json")), "[]").unwrap();
    let before = everything(&folder.path("site"));
    for dry in [&["--dry-run"][..], &[]] {
        let answer = publish(&folder, "b", dry).exits(3).prints("conflict  ").prints("\n-## My ").says("--force");
        assert!(answer.talk.contains(&format!("`{PAGE}` was changed by hand")), "{}", answer.talk);
        assert!(answer.talk.contains("v1/old/output.json` was changed by hand"), "{}", answer.talk);
        assert_eq!(everything(&folder.path("site")), before);
    }
    publish(&folder, "b", &["--force"]).exits(0);
    assert!(!folder.read(PAGE).contains("## My "));
    assert!(!folder.path(&format!("{TO}/v1/old")).exists());
}

#[test]
fn a_file_that_is_not_ours_is_taken_over_only_by_force() {
    let folder = docs_and_archives().file(PAGE, "By hand.\n").file(&format!("{TO}/v1/index.mdx"), BY_HAND);
    publish(&folder, "a", &[]).exits(3).says("is there and was not published");
    publish(&folder, "a", &["--force"]).exits(0);
    assert_ne!(folder.read(PAGE), "By hand.\n");
    assert_eq!(folder.read(&format!("{TO}/v1/index.mdx")), BY_HAND);
    std::fs::remove_file(folder.path(&format!("{TO}/v1/.plimsoll.json"))).unwrap();
    publish(&folder, "a", &[]).exits(0).says("1 file created, 0 replaced");
    std::fs::remove_file(folder.path(PAGE)).unwrap();
    publish(&folder, "a", &[]).exits(0).says(&format!("`{PAGE}` was removed by hand and is written again"));
}

#[test]
fn regions_of_an_author_are_carried_over() {
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    let page = folder.read(PAGE);
    let at = page.find("\n## ").unwrap() + 1;
    std::fs::write(folder.path(PAGE), format!("{}{MINE}\n{}", &page[..at], &page[at..])).unwrap();
    publish(&folder, "b", &[]).exits(0);
    let merged = folder.read(PAGE);
    assert!(merged.contains(&format!("{MINE}\n## ")), "{merged}");
    publish(&folder, "b", &[]).exits(0).says("0 files created, 0 replaced");
    std::fs::write(folder.path(PAGE), merged.replace("Mine:", "Still mine:")).unwrap();
    publish(&folder, "b", &["--dry-run"]).exits(0).says("0 files to create, 0 to replace");
    publish(&folder, "b", &["--force"]).exits(0);
    assert!(folder.read(PAGE).contains("Still mine:"));
    std::fs::write(folder.path(PAGE), merged.replace(&format!("{MINE}\n"), "")).unwrap();
    publish(&folder, "b", &[]).exits(0);
    publish(&folder, "b", &[]).exits(0).says("0 files created, 0 replaced");
}

#[test]
fn a_region_is_lost_with_its_page_only_by_force_and_must_end() {
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    let old = format!("{TO}/v1/old/index.mdx");
    let page = folder.read(&old);
    std::fs::write(folder.path(&old), format!("{page}\n{MINE}")).unwrap();
    publish(&folder, "b", &[]).exits(3).says("is no longer published, and holds text of its author");
    std::fs::write(folder.path(&old), format!("{page}\n{{/* keep:start */}}\nmine\n")).unwrap();
    let before = everything(&folder.path("site"));
    publish(&folder, "a", &["--force"]).exits(3).says("a region begins and does not end").says("index.mdx:");
    assert_eq!(everything(&folder.path("site")), before);
    publish(&folder, "b", &["--force"]).exits(0);
    assert!(!folder.path(&old).exists());
}

#[test]
fn a_dry_run_writes_nothing_and_its_diff_can_be_applied() {
    let folder = docs_and_archives();
    let empty = everything(&folder.path("site"));
    folder.plimsoll(&["publish", "--to", "nowhere/at/all", "--archive", "a", "--dry-run"]).exits(0);
    assert!(!folder.path("nowhere").exists());
    publish(&folder, "a", &["--dry-run"]).exits(0).says("; nothing was written");
    assert_eq!(everything(&folder.path("site")), empty);
    publish(&folder, "a", &[]).exits(0);
    copy(&folder.path("site"), &folder.path("patched/site"));
    let diff = publish(&folder, "b", &["--dry-run"]).exits(0).out;
    std::fs::write(folder.path("b.diff"), &diff).unwrap();
    publish(&folder, "b", &[]).exits(0);
    let patched = Command::new("git").args(["apply", "../b.diff"]).current_dir(folder.path("patched")).output().unwrap();
    assert!(patched.status.success(), "{}\n{diff}", String::from_utf8_lossy(&patched.stderr));
    let pages = |below: &str| {
        let mut all = everything(&folder.path(below));
        all.retain(|name, _| !name.ends_with(".plimsoll.json") && !name.ends_with("output.json") && !name.ends_with('/'));
        all
    };
    assert_eq!(pages("patched/site"), pages("site"));
}

#[test]
fn another_profile_takes_the_old_pages_away() {
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    publish(&folder, "a", &["--profile", "markdown"]).exits(0);
    let there = everything(&folder.path(&format!("{TO}/v1")));
    assert!(there.keys().all(|name| !name.ends_with("index.mdx")), "{:?}", there.keys());
}

#[test]
fn bad_manifests_are_refused_with_their_place() {
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    let manifest = format!("{TO}/v1/.plimsoll.json");
    let good = folder.read(&manifest);
    for (bad, says) in [
        (good.replacen("\"schema\": 1", "\"schema\": 2", 1), "is newer than this program knows"),
        (good.replacen("\"add_session/index.mdx\"", "\"../../../x\"", 1), "is not a path inside a folder"),
        (good[..40].to_owned(), "bad-manifest"),
    ] {
        std::fs::write(folder.path(&manifest), bad).unwrap();
        publish(&folder, "b", &[]).exits(3).says(says).says(".plimsoll.json:");
    }
}

#[test]
fn without_a_navigation_file_there_is_a_note() {
    let folder = docs_and_archives();
    std::fs::remove_file(folder.path("site/content/apis/_meta.json")).unwrap();
    publish(&folder, "a", &[]).exits(0).says("there is no navigation file");
    assert!(!folder.path("site/content/apis/_meta.json").exists());
}

#[cfg(unix)]
#[test]
fn links_are_followed_nowhere_but_at_the_root() {
    use std::os::unix::fs::symlink;
    let folder = docs_and_archives().file("outside/add_session/index.mdx", "mine\n");
    symlink(folder.path("outside"), folder.path(&format!("{TO}/v1"))).unwrap();
    publish(&folder, "a", &["--force"]).exits(3).says("/benchmarks/v1` is a link").says("outside`");
    assert_eq!(folder.files("outside"), [("add_session/index.mdx".to_owned(), b"mine\n".to_vec())]);
    std::fs::remove_file(folder.path(&format!("{TO}/v1"))).unwrap();
    std::fs::create_dir_all(folder.path(&format!("{TO}/v1/add_session"))).unwrap();
    symlink(folder.path("outside/add_session/index.mdx"), folder.path(PAGE)).unwrap();
    publish(&folder, "a", &["--force"]).exits(3).says("add_session/index.mdx` is a link");
    assert_eq!(folder.read("outside/add_session/index.mdx"), "mine\n");
    std::fs::remove_file(folder.path(PAGE)).unwrap();
    symlink("nowhere", folder.path(PAGE)).unwrap();
    publish(&folder, "a", &["--force"]).exits(3).says("add_session/index.mdx` is a link").says("it leads to nothing;");
    std::fs::remove_file(folder.path(PAGE)).unwrap();
    symlink("benchmarks", folder.path("site/content/apis/linked")).unwrap();
    folder.plimsoll(&["publish", "--to", "site/content/apis/linked", "--archive", "a"]).exits(0);
    assert!(folder.path(PAGE).exists());
}

#[test]
fn what_is_in_the_way_is_told_before_anything_is_written() {
    let folder = docs_and_archives().file(&format!("{TO}/v2"), "a file").file(&format!("{PAGE}/a"), "in a folder");
    let before = everything(&folder.path("site"));
    publish(&folder, "b", &[]).exits(3).says("v2` is a file, and a folder is wanted").says("index.mdx` is a folder, and a file");
    assert_eq!(everything(&folder.path("site")), before);
    folder.plimsoll(&["publish", "--to", "plimsoll.toml", "--archive", "b"]).exits(3).says("is a file, and a folder is wanted");
}

#[test]
fn names_that_differ_by_case_alone_are_refused() {
    let folder = docs_and_archives();
    folder.plimsoll(&["-q", "ingest", "in", "--release", "V1", "--target", "x", "--archive", "a"]).exits(0);
    publish(&folder, "a", &[]).exits(3).says("differ by upper and lower case alone");
    assert!(!folder.path(&format!("{TO}/v1")).exists());
}

#[test]
fn the_docs_folder_of_the_team_keeps_what_is_its_own() {
    let (Some(docs), Some(published)) = (shared("data/docs"), shared("data/published/v4")) else { return };
    let folder = Folder::new().file("plimsoll.toml", "schema = 1\n[docs]\nmirror = \"../../../src/data/benchmarks\"\n");
    copy(&docs, &folder.path("docs"));
    let old = folder.read("docs/content/apis/_meta.json");
    folder.plimsoll(&["-q", "ingest", published.to_str().unwrap(), "--release", "v4"]).exits(0);
    let args = ["publish", "--to", "docs/content/apis/benchmarks"];
    folder.plimsoll(&args).exits(0);
    let index = "docs/content/apis/benchmarks/index.mdx";
    assert_eq!(folder.read(index), std::fs::read_to_string(docs.join("content/apis/benchmarks/index.mdx")).unwrap());
    let new = folder.read("docs/content/apis/_meta.json");
    let lines: Vec<&str> = new.lines().collect();
    let mut rest = lines.iter();
    for line in old.lines() {
        let bare = line.trim_end_matches(',');
        assert!(rest.any(|new| new.trim_end_matches(',') == bare), "{line} is gone from\n{new}");
    }
    assert!(lines.len() > old.lines().count());
    folder.plimsoll(&args).exits(0).says("0 files created, 0 replaced");
}

#[test]
fn what_has_no_navigation_file_leaves_it_alone_and_does_not_speak_of_it() {
    let folder = docs_and_archives();
    for profile in ["docusaurus", "markdown"] {
        let to = format!("site/content/apis/{profile}");
        let answer = folder.plimsoll(&["publish", "--to", &to, "--archive", "a", "--profile", profile]).exits(0);
        assert!(!answer.talk.contains("navigation"), "{}", answer.talk);
    }
    assert_eq!(folder.read("site/content/apis/_meta.json"), NAVIGATION);
}
