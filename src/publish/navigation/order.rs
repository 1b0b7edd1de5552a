//! Where entries belong: a release's own page first, its runs by name, its comparison last; releases by version.

use std::cmp::Ordering;

use super::json::Node;
use super::layout::Entry;
use super::title;
use crate::model::address::{Release, compare_versions};

/// The page of the release itself.
const OWN: &str = "index";

/// The page of its comparison.
const COMPARISON: &str = "diff/index";

/// What orders the pages of a release.
fn rank<'p>(prefix: &str, page: &'p str) -> Option<(u8, &'p str)> {
    let name = page.strip_prefix(prefix)?;
    Some(match name {
        OWN => (0, name),
        COMPARISON => (2, name),
        name => (1, name),
    })
}

/// Pages without those that are named twice, the first of them stays.
pub(super) fn unique(mut pages: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    pages.retain(|page| seen.insert(page.clone()));
    pages
}

/// The releases, each once with all its pages.
pub(super) fn together(releases: &[(Release, Vec<String>)]) -> Vec<(&Release, Vec<String>)> {
    let mut all: Vec<(&Release, Vec<String>)> = Vec::new();
    for (release, pages) in releases {
        match all.iter_mut().find(|(known, _)| *known == release) {
            Some((_, known)) => known.extend(pages.iter().cloned()),
            None => all.push((release, pages.clone())),
        }
    }
    all
}

/// The pages of a release in their order.
pub(super) fn sorted(prefix: &str, mut pages: Vec<String>) -> Vec<String> {
    pages.sort_by(|a, b| rank(prefix, a).cmp(&rank(prefix, b)));
    unique(pages)
}

/// The places of pages in a list that lacks them: each before the first one that comes after it, else behind the last one that
/// comes before it. What somebody put between them stays where it is.
pub(super) fn placed(list: &Node, prefix: &str, pages: Vec<String>) -> Vec<(usize, Entry)> {
    let items = list.items().unwrap_or_default();
    let ranks: Vec<_> = items.iter().map(|item| item.text().and_then(|text| rank(prefix, text))).collect();
    let place = |page: &str| {
        let own = rank(prefix, page);
        if own.is_some_and(|(class, _)| class == 0) {
            return 0;
        }
        let later = ranks.iter().position(|known| known.is_some() && *known > own);
        let earlier = ranks.iter().rposition(|known| known.is_some() && *known < own);
        later.or(earlier.map(|at| at + 1)).unwrap_or(items.len())
    };
    let mut entries: Vec<_> = sorted(prefix, pages).into_iter().map(|page| (place(&page), Entry::Page(page))).collect();
    entries.sort_by_key(|(at, _)| *at);
    entries
}

/// The places of new releases among those that are there.
pub(super) fn placed_groups(list: &Node, mut groups: Vec<(&Release, Vec<String>)>) -> Vec<(usize, Entry)> {
    let items = list.items().unwrap_or_default();
    let is_descending = is_descending(list);
    groups.sort_by(|(a, _), (b, _)| {
        let order = compare_versions(a.as_str(), b.as_str());
        if is_descending { order.reverse() } else { order }
    });
    let behind = if is_descending { Ordering::Less } else { Ordering::Greater };
    let place = |release: &Release| {
        let comes_after = |item: &Node| title(item).is_some_and(|title| compare_versions(title, release.as_str()) == behind);
        items.iter().position(comes_after).unwrap_or(items.len())
    };
    let entry = |(release, pages): (&Release, Vec<String>)| (place(release), Entry::Group { title: release.to_string(), pages });
    let mut entries: Vec<_> = groups.into_iter().map(entry).collect();
    entries.sort_by_key(|(at, _)| *at);
    entries
}

/// Whether a list has its newest release first.
fn is_descending(list: &Node) -> bool {
    let titles: Vec<&str> = list.items().unwrap_or_default().iter().filter_map(title).collect();
    titles.len() > 1 && titles.windows(2).all(|pair| matches!(pair, [a, b] if compare_versions(a, b) == Ordering::Greater))
}
