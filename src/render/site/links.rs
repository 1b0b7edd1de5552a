//! The links of a site, checked: every page, file and anchor they name is there.
//!
//! Reads what a browser reads of a tag: its name, its attributes, quoted or not; comments, scripts and styles are passed
//! over.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::tree::Tree;

/// A link that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeadLink {
    /// The page it is on.
    pub page: String,
    /// The link as written.
    pub href: String,
    /// What is not there.
    pub missing: Missing,
}

/// What a dead link names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// A file that the site does not have.
    File,
    /// An anchor that the page does not have.
    Anchor,
}

impl fmt::Display for DeadLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.missing {
            Missing::File => "the site has no such file",
            Missing::Anchor => "the page has no such anchor",
        };
        write!(f, "{}: `{}`: {what}", self.page, self.href)
    }
}

/// A tag of a page: its name in lower case and its attributes, entities resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its attributes in order.
    pub attributes: Vec<(String, String)>,
}

impl Element {
    /// An attribute's value.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// What it links to or loads.
    fn references(&self) -> impl Iterator<Item = &str> {
        ["href", "src", "xlink:href", "poster", "action", "data"].into_iter().filter_map(|name| self.attribute(name))
    }
}

/// What a page names, and what can be named of it: all that must be known of it to follow links, its own and those to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLinks {
    ids: BTreeSet<String>,
    references: Vec<Reference>,
}

/// What a path of a site leads to.
#[derive(Clone, Copy, Debug)]
pub enum Named<'a> {
    /// A page.
    Page(&'a PageLinks),
    /// A file that is no page: nothing in it can be named.
    File,
    /// Nothing: the site has no such file.
    Nothing,
}

/// A link that stays inside the site.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reference {
    href: String,
    /// The file it names; empty where it leads out of the site.
    file: String,
    /// The anchor in that file.
    anchor: Option<String>,
}

impl PageLinks {
    /// The links of a page that lies at a path of the site.
    #[must_use]
    pub fn of(page: &str, html: &str) -> Self {
        let elements = elements(html);
        let inside = elements.iter().flat_map(Element::references).filter(|href| !leaves(href));
        Self {
            ids: elements.iter().filter_map(|element| element.attribute("id")).map(str::to_owned).collect(),
            references: inside.map(|href| Reference::of(page, href)).collect(),
        }
    }

    /// Whether everything that can be named of another page can be named of this one.
    #[must_use]
    pub fn has_all_of(&self, other: &Self) -> bool {
        self.ids.is_superset(&other.ids)
    }

    /// The links of the page that lead nowhere, in order. `named` tells what a path of the site leads to.
    #[must_use]
    pub fn dead<'a>(&self, page: &str, named: impl Fn(&str) -> Named<'a>) -> Vec<DeadLink> {
        let dead = |reference: &Reference| {
            let missing = reference.missing(named(&reference.file))?;
            Some(DeadLink { page: page.to_owned(), href: reference.href.clone(), missing })
        };
        let mut dead: Vec<DeadLink> = self.references.iter().filter_map(dead).collect();
        dead.dedup();
        dead
    }
}

impl Reference {
    fn of(page: &str, href: &str) -> Self {
        let (path, anchor) = href.split_once('#').map_or((href, None), |(path, anchor)| (path, Some(anchor)));
        let path = path.split('?').next().unwrap_or(path);
        let file = if path.is_empty() { page.to_owned() } else { resolve(page, path) };
        Self { href: href.to_owned(), file, anchor: anchor.filter(|anchor| !anchor.is_empty()).map(str::to_owned) }
    }

    fn missing(&self, named: Named<'_>) -> Option<Missing> {
        let anchor = self.anchor.as_ref();
        match named {
            Named::Nothing => Some(Missing::File),
            Named::File => anchor.map(|_| Missing::Anchor),
            Named::Page(page) => anchor.filter(|anchor| !page.ids.contains(*anchor)).map(|_| Missing::Anchor),
        }
    }
}

/// Whether a file of the site is a page.
#[must_use]
pub fn is_page(path: &str) -> bool {
    path.rsplit('.').next() == Some("html")
}

/// All dead links of a tree's HTML pages, in order. Links with a scheme are not followed.
#[must_use]
pub fn check(tree: &Tree) -> Vec<DeadLink> {
    let pages = tree.iter().filter(|(path, _)| is_page(path.as_str()));
    let pages: BTreeMap<&str, PageLinks> =
        pages.map(|(path, bytes)| (path.as_str(), PageLinks::of(path.as_str(), &String::from_utf8_lossy(bytes)))).collect();
    let named = |file: &str| match (pages.get(file), tree.get(file)) {
        (Some(page), _) => Named::Page(page),
        (None, Some(_)) => Named::File,
        (None, None) => Named::Nothing,
    };
    pages.iter().flat_map(|(path, page)| page.dead(path, named)).collect()
}

/// References of a page that name a scheme or a host: what would leave the site.
#[must_use]
pub fn leaving(html: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for element in elements(html) {
        for href in element.references().filter(|href| leaves(href)) {
            found.push((element.name.clone(), href.to_owned()));
        }
    }
    found
}

fn leaves(href: &str) -> bool {
    let scheme =
        href.find(':').is_some_and(|at| href[..at].chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    scheme || href.starts_with("//") || href.starts_with('/')
}

/// The file that a relative path names, seen from a page; a path out of the site names a file it does not have.
fn resolve(page: &str, path: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return String::new();
                }
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// All opening tags of a page, in order.
#[must_use]
pub fn elements(html: &str) -> Vec<Element> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let (element, after) = tag(rest);
            rest = behind_raw_text(&element.name, after);
            found.push(element);
        }
    }
    found
}

/// The text behind a script, a style, a title or a text area, whose content holds no tags.
fn behind_raw_text<'a>(name: &str, rest: &'a str) -> &'a str {
    if !matches!(name, "script" | "style" | "textarea") {
        return rest;
    }
    let closes = |at: &usize| {
        rest.as_bytes().get(at + 2..at + 2 + name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
    };
    rest.match_indices("</").map(|(at, _)| at).find(closes).map_or("", |at| &rest[at..])
}

/// The tag at the start of a text, behind its `<`, and what follows it.
fn tag(text: &str) -> (Element, &str) {
    let end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/')).unwrap_or(text.len());
    let name = text[..end].to_ascii_lowercase();
    let mut attributes = Vec::new();
    let mut rest = &text[end..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        match rest.strip_prefix('>') {
            Some(after) => return (Element { name, attributes }, after),
            None if rest.is_empty() => return (Element { name, attributes }, rest),
            None => {
                let (attribute, after) = attribute(rest);
                attributes.push(attribute);
                rest = after;
            }
        }
    }
}

fn attribute(text: &str) -> ((String, String), &str) {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let end =
        text[first..].find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/')).map_or(text.len(), |at| at + first);
    let name = text[..end].to_ascii_lowercase();
    let rest = text[end..].trim_start();
    let Some(value) = rest.strip_prefix('=').map(str::trim_start) else { return ((name, String::new()), &text[end..]) };
    let (value, rest) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
        _ => value.split_at(value.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(value.len())),
    };
    ((name, unescaped(value)), rest)
}

/// The five entities that [`crate::render::markup::escape`] writes, resolved.
fn unescaped(value: &str) -> String {
    if !value.contains('&') {
        return value.to_owned();
    }
    value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new();
        for (path, text) in files {
            tree.insert(*path, *text).unwrap_or_else(|e| unreachable!("{e}"));
        }
        tree
    }

    #[test]
    fn a_whole_site_has_no_dead_link() {
        let site = tree(&[
            ("index.html", "<a href='v1/a/index.html#k6'>x</a><link rel=stylesheet href=a.css><a href=\"https://e.org/\">"),
            ("v1/a/index.html", "<h2 id=k6>k</h2><a href=\"../../index.html\">up</a><a href=#k6>k</a><!-- <a href=no> -->"),
            ("a.css", ""),
        ]);
        assert_eq!(check(&site), []);
    }

    #[test]
    fn dead_links_are_told_apart() {
        let site = tree(&[("a/index.html", "<a href=\"b.html\"></a><a href=\"#no\"></a><img src='../../x.png'>")]);
        let told: Vec<String> = check(&site).iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        a/index.html: `b.html`: the site has no such file
        a/index.html: `#no`: the page has no such anchor
        a/index.html: `../../x.png`: the site has no such file
        ");
    }

    #[test]
    fn what_leaves_the_site_is_found() {
        let html = "<a href='https://e.org/?a=1&amp;b'>x</a><img src=//e.org/i.png><a href='/root'><a href='v1/x.html'>";
        let found: Vec<String> = leaving(html).into_iter().map(|(_, href)| href).collect();
        assert_eq!(found, ["https://e.org/?a=1&b", "//e.org/i.png", "/root"]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_stops_it(text in "[<>a-c='\"/ !#-]{0,60}|.{0,40}") {
            let _ = elements(&text);
            let _ = check(&tree(&[("index.html", &text)]));
        }
    }
}
