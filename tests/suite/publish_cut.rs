//! A publication cut off after each of its steps, and by SIGKILL: the next one leaves the old files or the new ones.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll::model::address::Release;
use plimsoll::model::profile::Profile;
use plimsoll::publish::apply::{self, Recovered, Trouble};
use plimsoll::publish::manifest::Manifest;
use plimsoll::publish::place::{Folder, Place, Root, Roots};
use plimsoll::publish::plan::{Group, Plan, Wish, plan};
use plimsoll::publish::present::Present;
use plimsoll::source::Source;

use super::publish_support::{TO, copy, differences, docs_and_archives, everything, publish};

fn roots(base: &Path) -> Roots {
    let folder = |path: &str, words: &str| Some(Folder { path: base.join(path), words: words.to_owned() });
    Roots { docs: base.join("apis/docs"), mirror: folder("src/data", "../../src/data"), navigation: folder("apis", "..") }
}

/// The plan that makes a release hold these files, with the navigation as it shall be.
fn planned(roots: &Roots, files: &[(&str, &str)], navigation: &str) -> Plan {
    let release = Release::new("v1").unwrap();
    let present = Present::new(roots, BTreeMap::new());
    let mut group = Group { release: Some(release), wanted: BTreeMap::new(), manifest: None };
    let manifest = present.bytes(&group.manifest_place().unwrap()).unwrap();
    group.manifest = manifest.map(|bytes| Manifest::read(&Source::from_bytes("", &bytes), group.release.as_ref()).unwrap());
    for (path, text) in files {
        let all = if path.ends_with("output.json") { &[Root::Docs, Root::Mirror][..] } else { &[Root::Docs] };
        group.wanted.extend(all.iter().map(|root| (Place::new(*root, *path).unwrap(), text.as_bytes().to_vec())));
    }
    let navigation = Some((Place::new(Root::Navigation, "_meta.json").unwrap(), navigation.as_bytes().to_vec()));
    let wish = Wish { roots, profile: Profile::Fumadocs, groups: vec![group], navigation, force: false };
    plan(&wish, &present.look_at(&wish.places().unwrap()).unwrap()).unwrap()
}

const OLD: &[(&str, &str)] = &[("v1/a/index.mdx", "old\n"), ("v1/gone/index.mdx", "old\n"), ("v1/gone/deep/x.mdx", "old\n")];
const NEW: &[(&str, &str)] = &[("v1/a/index.mdx", "new\n"), ("v1/new/index.mdx", "new\n"), ("v1/new/output.json", "[]\n")];

/// A folder with the old files, or without any.
fn before(is_first: bool) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("apis/docs")).unwrap();
    std::fs::write(dir.path().join("apis/_meta.json"), "old").unwrap();
    std::fs::write(dir.path().join("apis/docs/index.mdx"), "by hand").unwrap();
    if !is_first {
        let roots = roots(dir.path());
        apply::apply(&roots, &planned(&roots, OLD, "old"), &mut || true).unwrap();
    }
    dir
}

/// Says yes so many times.
fn times(mut left: usize) -> impl FnMut() -> bool {
    move || {
        let go = left > 0;
        left = left.saturating_sub(1);
        go
    }
}

#[test]
fn cut_off_after_any_step_the_next_publication_leaves_the_old_files_or_the_new_ones() {
    for is_first in [false, true] {
        let (mut undone, mut finished, mut cuts) = (0, 0, 0);
        let new = {
            let dir = before(is_first);
            let roots = roots(dir.path());
            apply::apply(&roots, &planned(&roots, NEW, "new"), &mut || true).unwrap();
            everything(dir.path())
        };
        loop {
            let dir = before(is_first);
            let (old, roots) = (everything(dir.path()), roots(dir.path()));
            let plan = planned(&roots, NEW, "new");
            match apply::apply(&roots, &plan, &mut times(cuts)) {
                Ok(()) => break,
                Err(trouble) => assert!(matches!(trouble, Trouble::Stopped), "{trouble}"),
            }
            let (thought, files) = apply::thought_through(&roots).unwrap();
            // The next one may be cut off too.
            let again = apply::recover(&roots, false, &mut times(cuts * 7 % 13));
            let recovered = apply::recover(&roots, false, &mut || true).unwrap();
            let state = everything(dir.path());
            let is_new = differences(&state, &new).is_empty();
            let wrong = differences(&state, &old);
            assert!(is_new || wrong.is_empty(), "cut after {cuts} ({again:?}, {recovered:?}): {wrong:?}");
            assert_eq!(thought == Recovered::Finished, is_new, "cut after {cuts}: {thought:?}, {recovered:?}");
            assert!(is_new || files.is_empty());
            if is_new {
                finished += 1;
            } else {
                undone += 1;
            }
            apply::apply(&roots, &planned(&roots, NEW, "new"), &mut || true).unwrap();
            assert_eq!(differences(&everything(dir.path()), &new), Vec::<String>::new(), "cut after {cuts}");
            cuts += 1;
        }
        println!("{cuts} cuts: {undone} undone, {finished} finished");
        assert!(undone > 10 && finished > 5);
    }
}

#[test]
fn what_was_changed_after_a_cut_is_not_written_over() {
    for cuts in 0.. {
        let dir = before(false);
        let roots = roots(dir.path());
        let outcome = apply::apply(&roots, &planned(&roots, NEW, "new"), &mut times(cuts));
        let page = dir.path().join("apis/docs/v1/a/index.mdx");
        assert!(outcome.is_err(), "no cut was halfway");
        let is_switching =
            apply::interrupted(&roots).unwrap().is_some_and(|j| j.state == plimsoll::publish::journal::State::Switching);
        if !is_switching {
            continue;
        }
        std::fs::write(&page, "by hand\n").unwrap();
        let refused = apply::recover(&roots, false, &mut || true).unwrap_err();
        assert!(refused.to_string().contains("was changed after a publication was cut off"), "{refused}");
        assert_eq!(std::fs::read_to_string(&page).unwrap(), "by hand\n");
        assert_eq!(apply::recover(&roots, true, &mut || true).unwrap(), Recovered::Finished);
        assert_eq!(std::fs::read_to_string(&page).unwrap(), "new\n");
        return;
    }
}

#[test]
fn a_file_that_changes_under_the_publication_refuses_it() {
    let dir = before(false);
    let roots = roots(dir.path());
    let plan = planned(&roots, NEW, "new");
    std::fs::write(dir.path().join("apis/docs/v1/a/index.mdx"), "by hand\n").unwrap();
    let changed = everything(dir.path());
    let refused = apply::apply(&roots, &plan, &mut || true).unwrap_err();
    assert!(refused.to_string().contains("was changed while it was published"), "{refused}");
    assert_eq!(differences(&everything(dir.path()), &changed), Vec::<String>::new());
}

/// How far a killed process was, by what it left.
fn left(site: &Path) -> &'static str {
    match std::fs::read_to_string(site.join("content/apis/benchmarks/.plimsoll-publish.json")) {
        Ok(journal) if journal.contains("\"switching\"") => "switching",
        Ok(_) => "staging",
        Err(_) => "before or after",
    }
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_the_next_publication_leaves_the_old_files_or_the_new_ones() {
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    copy(&folder.path("site"), &folder.path("old"));
    publish(&folder, "b", &[]).exits(0);
    let new = everything(&folder.path("site"));
    publish(&folder, "a", &[]).exits(0);
    // The page of v2 stays, which archive `a` knows nothing of.
    let back = everything(&folder.path("site"));
    let old = everything(&folder.path("old"));
    let start = |folder: &super::command::Folder| {
        Command::new(assert_cmd::cargo::cargo_bin("plimsoll"))
            .args(["-q", "publish", "--to", TO, "--archive", "b"])
            .current_dir(folder.path("."))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let restore = || {
        std::fs::remove_dir_all(folder.path("site")).unwrap();
        copy(&folder.path("old"), &folder.path("site"));
    };
    let journal = folder.path(&format!("{TO}/.plimsoll-publish.json"));
    // How long the whole takes, and how long its journal is there; so moments are spread over both.
    restore();
    let (begun, mut child) = (Instant::now(), start(&folder));
    let mut seen = None;
    while child.try_wait().unwrap().is_none() {
        if seen.is_none() && journal.exists() {
            seen = Some(begun.elapsed());
        }
    }
    let whole = begun.elapsed();
    let written = whole.saturating_sub(seen.unwrap_or(whole / 2));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for moment in 0..100_u32 {
        restore();
        let (begun, mut child) = (Instant::now(), start(&folder));
        let mut until = |is_there: &dyn Fn() -> bool| {
            while !is_there() && begun.elapsed() < whole * 3 && child.try_wait().unwrap().is_none() {}
        };
        // A quarter anywhere in the whole, a half while there is a journal, a quarter while files move.
        let wait = match moment % 4 {
            0 => whole * moment / 100,
            3 => {
                until(&|| std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"switching\"")));
                Duration::from_micros(15) * moment
            }
            _ => {
                until(&|| journal.exists());
                written * moment / 100
            }
        };
        std::thread::sleep(wait);
        child.kill().unwrap();
        child.wait().unwrap();
        *counts.entry(left(&folder.path("site"))).or_default() += 1;
        if moment % 2 == 0 {
            publish(&folder, "b", &["-q"]).exits(0);
            assert_eq!(differences(&everything(&folder.path("site")), &new), Vec::<String>::new(), "moment {moment}");
        } else {
            publish(&folder, "a", &["-q"]).exits(0);
            let state = everything(&folder.path("site"));
            let both = [differences(&state, &old), differences(&state, &back)];
            assert!(both.iter().any(Vec::is_empty), "moment {moment}: {both:?}");
        }
    }
    println!("killed 100 times over {whole:?}: {counts:?}");
}
