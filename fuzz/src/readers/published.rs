//! What a publication wrote and finds again in a docs folder.

use std::path::PathBuf;

use plimsoll::model::address::Release;
use plimsoll::publish::journal::Journal;
use plimsoll::publish::keep::{Page, Syntax, carry};
use plimsoll::publish::manifest::Manifest;
use plimsoll::publish::navigation::{Entries, with_pages};
use plimsoll::publish::place::{Folder, Roots};
use plimsoll::source::Source;

use super::{parts, read, source};

/// The manifest of a release, and that of no release.
pub(super) fn manifest(bytes: &[u8]) {
    let release = Release::new("v4").ok();
    for release in [None, release.as_ref()] {
        let Some(manifest) = read(Manifest::read(&source(".plimsoll.json", bytes), release)) else { continue };
        let text = manifest.write(release);
        let again = read(Manifest::read(&source(".plimsoll.json", text.as_bytes()), release));
        assert_eq!(again.as_ref().map(|again| &again.files), Some(&manifest.files));
    }
}

/// The journal of a publication that was cut off.
pub(super) fn journal(bytes: &[u8]) {
    let folder = |words: &str| Some(Folder { path: PathBuf::from(words), words: words.to_owned() });
    let roots = Roots { docs: PathBuf::from("docs"), mirror: folder("../data"), navigation: folder("..") };
    let Some(journal) = read(Journal::read(&source("journal.json", bytes), &roots)) else { return };
    let text = journal.write(&roots);
    assert_eq!(read(Journal::read(&source("journal.json", text.as_bytes()), &roots)), Some(journal));
}

/// The navigation of a docs site: what is done twice is done once.
pub(super) fn navigation(bytes: &[u8]) {
    let pages = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let release = |name: &str, names: &[&str]| Release::new(name).ok().map(|release| (release, pages(names)));
    let entries = Entries {
        shared: pages(&["results"]),
        releases: [release("v4", &["v4/index", "v4/a/index"]), release("v5", &["v5/index"])].into_iter().flatten().collect(),
        removed: pages(&["v3/index", "v4/b/index"]),
    };
    for folder in ["", "benchmarks"] {
        let Some(once) = read(with_pages(&source("_meta.json", bytes), folder, &entries)) else { continue };
        let twice = read(with_pages(&Source::new("_meta.json", once.as_str()), folder, &entries));
        assert_eq!(twice, Some(once), "the navigation changes once more");
    }
}

/// Regions of an author on a page: none is lost on the way to the next page.
pub(super) fn regions(bytes: &[u8]) {
    let parts = parts(bytes);
    let [old, .., new] = parts.as_slice() else { return regions_of(bytes, bytes) };
    regions_of(&old.1, &new.1);
}

fn regions_of(old: &[u8], new: &[u8]) {
    for (syntax, name) in [(Syntax::Mdx, "index.mdx"), (Syntax::Markdown, "index.md")] {
        let (old, new) = (source(name, old), source(name, new));
        if is_half(&new, syntax) {
            continue;
        }
        let (Some(old), Some(new)) = (read(Page::read(&old, syntax)), read(Page::read(&new, syntax))) else { continue };
        let carried = Source::new(name, carry(&old, &new));
        let Some(page) = read(Page::read(&carried, syntax)) else {
            unreachable!("a page with its author's regions can't be read: {}", carried.text())
        };
        if new.regions() == 0 {
            assert_eq!(page.regions(), old.regions(), "{}", carried.text());
        }
    }
}

/// Whether a page swallows what comes behind it: its front matter, which a rule among an author's words would end, a fence or a comment has no
/// end. The pages that are made have one.
fn is_half(page: &Source, syntax: Syntax) -> bool {
    let mut rules = page.text().lines().map(|line| line.trim_end() == "---");
    if rules.next() == Some(true) && !rules.any(|is_rule| is_rule) {
        return true;
    }
    let marks = match syntax {
        Syntax::Mdx => ["{/* keep:start */}", "{/* keep:end */}"],
        Syntax::Markdown => ["<!-- keep:start -->", "<!-- keep:end -->"],
    };
    let more = format!("{}\n\n{}\nmine\n{}\n", page.text(), marks[0], marks[1]);
    let regions = |page: &Source| Page::read(page, syntax).ok().map(|page| page.regions());
    regions(&Source::new("more", more)) != regions(page).map(|regions| regions + 1)
}
