//! The navigation file of a docs site: `_meta.json`, where each published page has an entry.
//!
//! A release is a group inside the group titled "Benchmarks"; a page is `benchmarks/<release>/<run>/index` inside it. What
//! is missing is added, in the order of releases, and what is gone is taken out; everything else keeps its bytes.

mod json;
mod layout;
mod order;
mod removal;

use self::json::Node;
use self::layout::{Edit, Entry, Layout};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::Release;
use crate::source::Source;

/// The title of the group that holds the releases.
pub const GROUP: &str = "Benchmarks";

/// What shall have an entry and what shall have none. Pages are paths from the docs folder without an ending:
/// `v4/otp_session/index`, `results`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Pages of no release. They come first in the group.
    pub shared: Vec<String>,
    /// Pages by release: its own (`v4/index`) comes first, its comparison (`v4/diff/index`) last, its runs between them by name.
    pub releases: Vec<(Release, Vec<String>)>,
    /// Pages that are there no more. A page that is also above stays.
    pub removed: Vec<String>,
}

/// The navigation with entries for these pages and without those that are gone. `folder` is where the docs folder is, seen from
/// the navigation file; empty if it is the same. A page that any group lists already gets no second entry, and only what stands
/// in the group titled "Benchmarks" is taken out: a release's group that lost its last page with it. The same done twice
/// changes nothing.
///
/// # Errors
/// All faults: no JSON, no group titled "Benchmarks", a group without a list of pages.
pub fn with_pages(navigation: &Source, folder: &str, entries: &Entries) -> Result<String, Faults> {
    let text = navigation.text();
    let shorter = without(navigation, folder, entries)?;
    let source = Source::new(navigation.name(), shorter.as_deref().unwrap_or(text));
    with(&source, folder, entries)
}

/// The text without the entries of pages that are gone; `None` where there are none.
fn without(navigation: &Source, folder: &str, entries: &Entries) -> Result<Option<String>, Faults> {
    let stays = |page: &String| entries.shared.contains(page) || entries.releases.iter().any(|(_, pages)| pages.contains(page));
    let gone: Vec<String> = entries.removed.iter().filter(|page| !stays(page)).map(|page| under(folder, page)).collect();
    let root = json::parse(navigation)?;
    let group = find_group(&root).ok_or_else(|| no_group(navigation))?;
    let edits = removal::edits(navigation.text(), list_of(navigation, group)?, &gone);
    Ok((!edits.is_empty()).then(|| layout::apply(navigation.text(), edits)))
}

/// The text with entries for all pages.
fn with(navigation: &Source, folder: &str, entries: &Entries) -> Result<String, Faults> {
    let root = json::parse(navigation)?;
    let group = find_group(&root).ok_or_else(|| no_group(navigation))?;
    let layout = Layout::of(navigation.text());
    let list = list_of(navigation, group)?;
    let lacks = |pages: &[String]| -> Vec<String> {
        let mut pages: Vec<String> = pages.iter().map(|page| under(folder, page)).collect();
        pages.retain(|page| !lists(&root, page));
        pages
    };
    let mut own: Vec<(usize, Entry)> =
        order::unique(lacks(&entries.shared)).into_iter().map(|page| (0, Entry::Page(page))).collect();
    let mut edits: Vec<Edit> = Vec::new();
    let mut groups = Vec::new();
    for (release, pages) in order::together(&entries.releases) {
        let (prefix, pages) = (under(folder, &format!("{release}/")), lacks(&pages));
        if pages.is_empty() {
            continue;
        }
        match find_release(list, release) {
            Some(group) => {
                let list = list_of(navigation, group)?;
                edits.extend(layout.insert(list, &order::placed(list, &prefix, pages)));
            }
            None => groups.push((release, order::sorted(&prefix, pages))),
        }
    }
    own.extend(order::placed_groups(list, groups));
    edits.extend(layout.insert(list, &own));
    Ok(layout::apply(navigation.text(), edits))
}

/// A page's path as the navigation writes it.
fn under(folder: &str, page: &str) -> String {
    if folder.is_empty() { page.to_owned() } else { format!("{}/{page}", folder.trim_end_matches('/')) }
}

/// The group, wherever it is among the pages of other groups.
fn find_group(node: &Node) -> Option<&Node> {
    if title(node).is_some_and(|title| title.eq_ignore_ascii_case(GROUP)) {
        return Some(node);
    }
    pages_of(node).iter().find_map(find_group)
}

/// The group of a release, wherever it is among the pages of other groups.
fn find_release<'n>(list: &'n Node, release: &Release) -> Option<&'n Node> {
    let items = list.items().unwrap_or_default();
    let own = items.iter().find(|item| title(item) == Some(release.as_str()));
    own.or_else(|| items.iter().filter_map(|item| item.get("pages")).find_map(|pages| find_release(pages, release)))
}

/// Whether a page has an entry anywhere, or somebody wrote `!` before it so that it has none.
fn lists(node: &Node, page: &str) -> bool {
    let is_it = |text: &str| bare(text.strip_prefix('!').unwrap_or(text)) == bare(page);
    node.text().is_some_and(is_it) || pages_of(node).iter().any(|item| lists(item, page))
}

/// The pages of a group, or of a list of them.
fn pages_of(node: &Node) -> &[Node] {
    node.get("pages").unwrap_or(node).items().unwrap_or_default()
}

fn title(node: &Node) -> Option<&str> {
    node.get("title").and_then(Node::text)
}

/// A page as it is named with and without its file: `v4/index` is `v4`.
fn bare(page: &str) -> &str {
    page.strip_suffix("/index").unwrap_or(page)
}

fn no_group(navigation: &Source) -> Faults {
    Diagnostic::error("no-navigation-group", format!("the navigation has no group titled \"{GROUP}\""))
        .at(navigation.at_line(1))
        .help(format!("add {{ \"title\": \"{GROUP}\", \"pages\": [] }} where the pages shall appear"))
        .into()
}

fn list_of<'n>(navigation: &Source, group: &'n Node) -> Result<&'n Node, Faults> {
    group.get("pages").filter(|pages| pages.items().is_some()).ok_or_else(|| {
        Diagnostic::error("no-page-list", "the group has no list of pages")
            .at(navigation.at(group.span.clone()))
            .help("give it `\"pages\": []`")
            .into()
    })
}

#[cfg(test)]
mod tests;
