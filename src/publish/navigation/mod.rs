//! The navigation file of a docs site: `_meta.json`, where each published page has an entry.
//!
//! A release is a group inside the group titled "Benchmarks"; a page is `benchmarks/<release>/<run>/index` inside it. What
//! is missing is added, in the order of releases; everything else keeps its bytes.

mod json;

use std::cmp::Ordering;

use self::json::Node;
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::{Release, compare_versions};
use crate::source::Source;

/// The title of the group that holds the releases.
pub const GROUP: &str = "Benchmarks";

/// The navigation with entries for these pages: runs (`otp_session`, `otp_session~2`) by release, under `folder`, as pages
/// are addressed there. The same pages added twice change nothing.
///
/// # Errors
/// All faults: no JSON, no group titled "Benchmarks", a group without a list of pages.
pub fn with_pages(navigation: &Source, folder: &str, releases: &[(Release, Vec<String>)]) -> Result<String, Faults> {
    let root = json::parse(navigation)?;
    let group = find_group(&root).ok_or_else(|| no_group(navigation))?;
    let style = Style::of(navigation.text());
    let list = list_of(navigation, group)?;
    let mut edits = Vec::new();
    let mut new_groups = Vec::new();
    for (release, runs) in releases {
        let pages: Vec<String> = runs.iter().map(|run| format!("{folder}/{release}/{run}/index")).collect();
        match list.items().unwrap_or_default().iter().find(|item| title(item) == Some(release.as_str())) {
            Some(group) => {
                let list = list_of(navigation, group)?;
                edits.extend(style.insert(list, &missing(list, pages)));
            }
            None => new_groups.push((place_of(list, release), Entry::Group { title: release.to_string(), pages })),
        }
    }
    sort_groups(&mut new_groups, descending(list));
    edits.extend(style.insert(list, &new_groups));
    Ok(apply(navigation.text(), edits))
}

/// The group, wherever it is among the pages of other groups.
fn find_group(node: &Node) -> Option<&Node> {
    if title(node).is_some_and(|title| title.eq_ignore_ascii_case(GROUP)) {
        return Some(node);
    }
    let pages = node.get("pages").unwrap_or(node);
    pages.items()?.iter().find_map(find_group)
}

fn title(node: &Node) -> Option<&str> {
    node.get("title").and_then(Node::text)
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

/// Something to be added to a list.
#[derive(Clone, Debug)]
enum Entry {
    Page(String),
    Group { title: String, pages: Vec<String> },
}

/// The pages that a list lacks, each before the first one that comes after it by name.
fn missing(list: &Node, mut pages: Vec<String>) -> Vec<(usize, Entry)> {
    let items = list.items().unwrap_or_default();
    pages.sort();
    pages.dedup();
    pages.retain(|page| !items.iter().any(|item| item.text().is_some_and(|known| bare(known) == bare(page))));
    let place = |page: &str| items.iter().position(|item| item.text().is_some_and(|known| known > page)).unwrap_or(items.len());
    let mut entries: Vec<_> = pages.into_iter().map(|page| (place(&page), Entry::Page(page))).collect();
    entries.sort_by_key(|(at, _)| *at);
    entries
}

fn bare(page: &str) -> &str {
    page.strip_suffix("/index").unwrap_or(page)
}

/// Whether a list has its newest release first.
fn descending(list: &Node) -> bool {
    let titles: Vec<&str> = list.items().unwrap_or_default().iter().filter_map(title).collect();
    titles.len() > 1 && titles.windows(2).all(|pair| matches!(pair, [a, b] if compare_versions(a, b) == Ordering::Greater))
}

/// Where a release belongs among those that are there.
fn place_of(list: &Node, release: &Release) -> usize {
    let items = list.items().unwrap_or_default();
    let behind = if descending(list) { Ordering::Less } else { Ordering::Greater };
    let comes_after = |item: &Node| title(item).is_some_and(|title| compare_versions(title, release.as_str()) == behind);
    items.iter().position(comes_after).unwrap_or(items.len())
}

fn sort_groups(groups: &mut [(usize, Entry)], descending: bool) {
    groups.sort_by(|(at, a), (bt, b)| {
        let (Entry::Group { title: a, .. }, Entry::Group { title: b, .. }) = (a, b) else { return at.cmp(bt) };
        let order = compare_versions(a, b);
        at.cmp(bt).then(if descending { order.reverse() } else { order })
    });
}

/// How a file is laid out.
struct Style<'t> {
    text: &'t str,
    unit: String,
    newline: &'static str,
}

impl<'t> Style<'t> {
    fn of(text: &'t str) -> Self {
        let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]).to_owned();
        Self { text, unit, newline: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    /// The indentation of the line that an offset is on, and whether nothing but that is before it.
    fn indent(&self, at: usize) -> (&'t str, bool) {
        let line = self.text.get(..at).map_or(0, |head| head.rfind('\n').map_or(0, |newline| newline + 1));
        let head = self.text.get(line..at).unwrap_or_default();
        let blank = head.len() - head.trim_start().len();
        (head.get(..blank).unwrap_or_default(), blank == head.len())
    }

    /// Insertions that put entries into a list, each before the item of its index.
    fn insert(&self, list: &Node, entries: &[(usize, Entry)]) -> Vec<(usize, String)> {
        let items = list.items().unwrap_or_default();
        let (Some(first), Some(end)) = (items.first(), items.last().map(|item| item.span.end)) else {
            return self.fill(list, entries);
        };
        let (indent, own_line) = self.indent(first.span.start);
        let gap = if own_line { format!("{}{indent}", self.newline) } else { " ".to_owned() };
        let edit = |(at, entry): &(usize, Entry)| {
            let text = self.show(entry, indent);
            match items.get(*at) {
                Some(item) => (item.span.start, format!("{text},{gap}")),
                None => (end, format!(",{gap}{text}")),
            }
        };
        entries.iter().map(edit).collect()
    }

    /// The content of a list that had none.
    fn fill(&self, list: &Node, entries: &[(usize, Entry)]) -> Vec<(usize, String)> {
        if entries.is_empty() {
            return Vec::new();
        }
        let (outer, _) = self.indent(list.span.start);
        let indent = format!("{outer}{}", self.unit);
        let shown: Vec<String> =
            entries.iter().map(|(_, entry)| format!("{}{indent}{}", self.newline, self.show(entry, &indent))).collect();
        vec![(list.span.start + 1, format!("{}{}{outer}", shown.join(","), self.newline))]
    }

    fn show(&self, entry: &Entry, indent: &str) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match entry {
            Entry::Page(page) => quoted(page),
            Entry::Group { title, pages } => {
                let (nl, unit) = (self.newline, &self.unit);
                let mut pages = pages.clone();
                pages.sort();
                pages.dedup();
                let pages: Vec<String> = pages.iter().map(|page| format!("{nl}{indent}{unit}{unit}{}", quoted(page))).collect();
                let list = if pages.is_empty() { "[]".to_owned() } else { format!("[{}{nl}{indent}{unit}]", pages.join(",")) };
                format!("{{{nl}{indent}{unit}\"title\": {},{nl}{indent}{unit}\"pages\": {list}{nl}{indent}}}", quoted(title))
            }
        }
    }
}

/// The text with the insertions made; those at one place in their order.
fn apply(text: &str, mut edits: Vec<(usize, String)>) -> String {
    edits.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(text.len() + 256);
    let mut from = 0;
    for (at, insertion) in edits {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str(&insertion);
        from = at;
    }
    out + text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(name: &str, runs: &[&str]) -> (Release, Vec<String>) {
        let release = Release::new(name).unwrap_or_else(|error| unreachable!("{error}"));
        (release, runs.iter().map(|&run| run.to_owned()).collect())
    }

    fn added(text: &str, releases: &[(Release, Vec<String>)]) -> String {
        with_pages(&Source::new("_meta.json", text), "benchmarks", releases).unwrap_or_else(|faults| unreachable!("{faults}"))
    }

    const NAVIGATION: &str = "{\n  \"pages\": [\n    \"intro\",\n    {\n      \"title\": \"Benchmarks\",\n      \"pages\": [\n        {\n          \"title\": \"v2.66.0\",\n          \"pages\": [\n            \"benchmarks/v2.66.0/b/index\"\n          ]\n        },\n        {\n          \"title\": \"v4\",\n          \"pages\": [ \"benchmarks/v4/a/index\" ]\n        }\n      ]\n    }\n  ]\n}\n";

    #[test]
    fn what_is_missing_is_added_in_the_order_of_releases() {
        let releases = [
            release("v4.17.1", &["otp", "add"]),
            release("v2.66.0", &["c", "a", "b"]),
            release("v4", &["b"]),
            release("v3", &["x~2"]),
        ];
        let text = added(NAVIGATION, &releases);
        insta::assert_snapshot!(text);
        assert_eq!(added(&text, &releases), text, "twice changes nothing");
    }

    #[test]
    fn an_empty_group_is_filled_and_line_ends_stay() {
        let text = "{\r\n\t\"title\": \"benchmarks\",\r\n\t\"pages\": []\r\n}";
        let filled = added(text, &[release("v1", &["a"])]);
        assert!(filled.contains("\"benchmarks/v1/a/index\"") && !filled.replace("\r\n", "").contains('\n'));
        assert_eq!(added(&filled, &[release("v1", &["a"])]), filled);
        assert_eq!(added(text, &[]), text);
    }

    #[test]
    fn the_newest_first_stays_first() {
        let text =
            "{\"title\": \"Benchmarks\", \"pages\": [{\"title\": \"v4\", \"pages\": []}, {\"title\": \"v2\", \"pages\": []}]}";
        let text = added(text, &[release("v3", &["a"]), release("v5", &["a"]), release("v1", &["a"])]);
        let at = |name: &str| text.find(&format!("\"title\": \"{name}\"")).unwrap_or(0);
        assert!(at("v5") < at("v4") && at("v4") < at("v3") && at("v3") < at("v2") && at("v2") < at("v1"), "{text}");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }

    #[test]
    fn what_can_not_hold_entries_is_a_fault() {
        for (text, code) in [
            ("{\"pages\": [", "bad-json"),
            ("{\"pages\": []}", "no-navigation-group"),
            ("{\"title\": \"Benchmarks\"}", "no-page-list"),
        ] {
            let faults = with_pages(&Source::new("_meta.json", text), "benchmarks", &[]).err().unwrap_or_else(|| unreachable!());
            assert_eq!(faults.list().first().map(|fault| fault.code), Some(code));
        }
    }
}
