//! Method pages: how the runs were made and judged, every figure, the flow drawn and in words, every rule of the audit, the words that pages
//! use. Each begins with a text, which a project may replace by one of its own; other texts of a project are pages too.

mod figures;
mod markdown;

use std::collections::BTreeMap;

use serde::Serialize;

use self::figures::FigureGroup;
use self::markdown::{Heading, Written};
use super::Site;
use super::inline;
use super::view::{Frame, Link};
use crate::model::finding::Level;

/// The folder of the method pages in the site.
pub(super) const FOLDER: &str = "method";
/// The page that leads to the others.
const START: &str = "index";

/// The texts that pages begin with, in the order in which pages are named: the stem of a project's own file, the title in the list of pages,
/// what it is about, the text.
const BUILT_IN: [(&str, &str, &str, &str); 5] = [
    (START, "Method", "How runs are made, read, judged and compared", include_str!("texts/index.md")),
    ("flow", "Flow", "The questions a run is asked, and where the answers lead", include_str!("texts/flow.md")),
    ("figures", "Figures", "Every figure that a run can have, with its unit", include_str!("texts/figures.md")),
    ("audits", "Audits", "Every rule that records are held against", include_str!("texts/audits.md")),
    ("words", "Words", "What the words on these pages mean", include_str!("texts/words.md")),
];

/// What method pages are made of, beside the catalogue of figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Method {
    /// A project's own texts in Markdown, by the stem of their files. One that is called as a built-in page takes the place of its text.
    pub own: BTreeMap<String, String>,
    /// The flow that judges the runs.
    pub flow: Chart,
    /// The rules of the audit, in the order in which documents list them.
    pub rules: Vec<RuleText>,
}

/// A flow as a page shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chart {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// How its thresholds are to be read; empty where it does not say.
    pub reading: String,
    /// It as SVG: markup that is trusted and put in as it is.
    pub drawing_svg: String,
    /// Its questions, in the order of the file.
    pub questions: Vec<Asked>,
    /// Its outcomes, in the order of the file.
    pub outcomes: Vec<Ending>,
}

/// A question in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The question.
    pub ask: String,
    /// What is to be known of it, each under a word: the condition under `when`, where its answers lead under `yes` and `no`.
    pub lines: Vec<Line>,
}

/// A line of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Line {
    /// What it says.
    pub name: &'static str,
    /// It.
    pub text: String,
}

/// An outcome in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// Its class, the name of its colours.
    pub class: &'static str,
    /// Its label.
    pub label: String,
    /// What to do next.
    pub action: String,
}

/// A rule of the audit in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// Its code, which is also its anchor.
    pub code: &'static str,
    /// How grave what it finds is.
    pub level: Level,
    /// What does not fit.
    pub title: &'static str,
    /// Why it matters and when it fires.
    pub reason: &'static str,
    /// What to do.
    pub hint: &'static str,
}

impl Method {
    /// The rule of a code.
    #[must_use]
    pub fn rule(&self, code: &str) -> Option<&RuleText> {
        self.rules.iter().find(|rule| rule.code == code)
    }

    /// All pages: the built-in ones, then the project's own in the order of their names.
    pub(super) fn pages(&self) -> Vec<OfMethod<'_>> {
        let built_in = BUILT_IN.iter().map(|(name, title, about, text)| {
            let text = self.own.get(*name).map_or(*text, String::as_str);
            OfMethod { name, title: (*title).to_owned(), about: (*about).to_owned(), text, method: self }
        });
        let is_built_in = |name: &str| BUILT_IN.iter().any(|(known, ..)| *known == name);
        let own = self.own.iter().filter(|(name, _)| !is_built_in(name)).map(|(name, text)| OfMethod {
            name,
            title: markdown::title(text).unwrap_or_else(|| name.clone()),
            about: String::new(),
            text,
            method: self,
        });
        built_in.chain(own).collect()
    }
}

/// Where the rule of a code is explained, from the site's root; empty where nobody knows it.
pub(super) fn rule_href(method: &Method, code: &str, root: &str) -> String {
    method.rule(code).map(|rule| format!("{root}{}#{}", path("audits"), rule.code)).unwrap_or_default()
}

/// What a method page is made of.
#[derive(Clone, Debug)]
pub struct OfMethod<'a> {
    /// The stem of its file.
    pub name: &'a str,
    /// Its title in lists.
    pub title: String,
    /// What it is about; empty where nobody says.
    pub about: String,
    /// Its text.
    pub text: &'a str,
    /// All of the method.
    pub method: &'a Method,
}

/// A method page as its template needs it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MethodView<'a> {
    page: Frame,
    heading: String,
    body_html: String,
    /// The headings of its text.
    contents: Vec<Heading>,
    /// All method pages.
    pages: Vec<PageLink>,
    figures: Vec<FigureGroup>,
    flow: Option<&'a Chart>,
    rules: Vec<RuleView>,
}

/// A rule as the page shows it.
#[derive(Clone, Debug, Serialize)]
struct RuleView {
    code: &'static str,
    level: &'static str,
    title: &'static str,
    reason_html: String,
    hint_html: String,
}

/// A way to a method page.
#[derive(Clone, Debug, Serialize)]
struct PageLink {
    href: String,
    text: String,
    about: String,
    is_here: bool,
}

/// Where a method page lies in the site.
pub(super) fn path(name: &str) -> String {
    if name == START { format!("{FOLDER}/index.html") } else { format!("{FOLDER}/{name}/index.html") }
}

impl OfMethod<'_> {
    /// The way from the page to the folder of the method pages.
    fn up(&self) -> &'static str {
        if self.name == START { "" } else { "../" }
    }

    /// Where another method page lies, seen from this one.
    fn href(&self, name: &str) -> String {
        let path = path(name);
        format!("{}{}", self.up(), path.trim_start_matches("method/"))
    }
}

pub(super) fn view<'a>(site: Site<'_>, page: &OfMethod<'a>) -> MethodView<'a> {
    let Written { title, html, headings } = markdown::written(page.text, &|file| page.href(file));
    let heading = title.unwrap_or_else(|| page.title.clone());
    let method = page.method;
    let link =
        |of: OfMethod<'_>| PageLink { href: page.href(of.name), is_here: of.name == page.name, text: of.title, about: of.about };
    MethodView {
        page: frame(site, page, &heading),
        body_html: html,
        contents: headings,
        pages: method.pages().into_iter().map(link).collect(),
        figures: if page.name == "figures" { figures::groups() } else { Vec::new() },
        flow: (page.name == "flow").then_some(&method.flow),
        rules: if page.name == "audits" { method.rules.iter().map(rule).collect() } else { Vec::new() },
        heading,
    }
}

fn rule(rule: &RuleText) -> RuleView {
    let RuleText { code, level, title, reason, hint } = *rule;
    RuleView { code, level: level.name(), title, reason_html: inline::html(reason, &[]), hint_html: inline::html(hint, &[]) }
}

fn frame(site: Site<'_>, page: &OfMethod<'_>, heading: &str) -> Frame {
    let root = if page.name == START { "../" } else { "../../" };
    let mut crumbs = vec![Link { href: format!("{root}index.html"), text: "Overview".to_owned() }];
    if page.name != START {
        crumbs.push(Link { href: page.href(START), text: "Method".to_owned() });
    }
    Frame {
        title: format!("{heading} · {}", site.title),
        description: if page.about.is_empty() {
            format!("{heading}: how {} is measured", site.service_name)
        } else {
            page.about.clone()
        },
        root,
        site_title: site.title.to_owned(),
        canonical: site.canonical(path(page.name).trim_end_matches("index.html")),
        crumbs,
        here: page.title.clone(),
    }
}
