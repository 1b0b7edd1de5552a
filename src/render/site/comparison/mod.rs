//! The pages of a comparison: one of two releases, one of each target, and the same in one file.

mod beside;
mod changes;
mod contract;
mod overlay;
mod quantiles;
mod runs;
mod summary;
mod target;
mod words;

use serde::Serialize;

use super::super::templates::Templates;
use super::page::OfTarget;
use super::view::{Frame, Link, number};
use super::{RenderError, Site};
use crate::model::address::{Address, Release};
use crate::model::collection::Archive;
use crate::model::comparison::{Compared, Comparison, Decision, Finding, TargetComparison};
use summary::SummaryView;
use target::{Setting, TargetView};

/// The folder of a release's comparison.
pub(super) const FOLDER: &str = "diff";

/// A word with a class that colours it; never the colour alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Mark {
    pub class: &'static str,
    pub label: String,
}

impl Mark {
    fn decision(decision: Decision) -> Self {
        Self { class: decision.name(), label: words::decision(decision).to_owned() }
    }

    /// `2 regressions`, `1 no change`
    fn counted(decision: Decision, count: usize) -> Self {
        let plural = if decision.is_change() && count != 1 { "s" } else { "" };
        let label = format!("{} {}{plural}", number(count as u64), words::decision(decision));
        Self { class: decision.name(), label }
    }
}

/// The page of two releases.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PairView {
    pub page: Frame,
    pub service: String,
    pub heading: String,
    pub a: Link,
    pub b: Link,
    pub summary: SummaryView,
}

/// The page of a target.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TargetPage {
    pub page: Frame,
    pub heading: String,
    pub pair: Link,
    pub contents: Vec<Link>,
    pub target: TargetView,
}

/// The whole comparison in one file.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Alone {
    title: String,
    service: String,
    heading: String,
    /// The style sheet, which is part of the program or the project.
    style_html: String,
    a: String,
    b: String,
    summary: SummaryView,
    targets: Vec<TargetView>,
}

/// What a comparison in one file is made of.
#[derive(Clone, Copy, Debug)]
pub struct AloneInput<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// The runs, for the charts; those that it does not have are not drawn.
    pub archive: &'a Archive,
    /// What the tested service is called.
    pub service_name: &'a str,
    /// The templates.
    pub templates: &'a Templates,
}

/// What a target's part of a comparison is told of the whole.
#[derive(Clone, Debug)]
pub struct Sides<'a> {
    /// The baseline's name.
    pub a: &'a str,
    /// What is held against it.
    pub b: &'a str,
    /// What the headline has found of the target.
    pub found: Vec<&'a Finding>,
}

/// What the ids of a target's parts begin with on a page that has them all.
fn target_id(at: usize) -> String {
    format!("target-{}", at + 1)
}

fn heading(a: &str, b: &str) -> String {
    format!("{b} compared with {a}")
}

/// A comparison as one HTML file that holds all it needs: styles inside, no link out of it. The same input gives the same bytes.
///
/// # Errors
/// [`RenderError::Template`] if a template can't be filled.
pub fn page(input: &AloneInput<'_>) -> Result<String, RenderError> {
    Ok(input.templates.fill("site/comparison/alone.html", &alone(input))?)
}

pub(super) fn alone(input: &AloneInput<'_>) -> Alone {
    let comparison = input.comparison;
    let href = |_: &str| String::new();
    let view = |(at, one): (usize, &TargetComparison)| {
        let found = comparison.headline.found.iter().filter(|finding| finding.target == one.target);
        let sides = Sides { a: &comparison.a, b: &comparison.b, found: found.collect() };
        let run = |address: &Address| input.archive.run(address);
        target::view(&sides, one, &Setting { level: 3, id: target_id(at), href: &href, run: &run })
    };
    Alone {
        title: format!("{} · {}", heading(&comparison.a, &comparison.b), input.service_name),
        service: input.service_name.to_owned(),
        heading: heading(&comparison.a, &comparison.b),
        // A sheet ends its element with nothing but its end tag.
        style_html: input.templates.text("site/style.css").unwrap_or_default().replace("</", "<\\/"),
        a: comparison.a.clone(),
        b: comparison.b.clone(),
        summary: summary::view(comparison, &|name| summary::anchor(comparison, name)),
        targets: comparison.targets.iter().enumerate().map(view).collect(),
    }
}

/// The way to the comparison of a release with an earlier one from a page, `up` being the way to the release's folder; no link where there is
/// none.
pub(super) fn link(since: Option<&Release>, up: &str) -> Link {
    let link = |since| Link { href: format!("{up}{FOLDER}/index.html"), text: format!("Compared with {since}") };
    since.map(link).unwrap_or_default()
}

pub(super) fn pair(site: Site<'_>, compared: &Compared) -> PairView {
    let comparison = &compared.comparison;
    PairView {
        page: frame(site, [&compared.a, &compared.b], &heading(&comparison.a, &comparison.b), None),
        service: site.service_name.to_owned(),
        heading: heading(&comparison.a, &comparison.b),
        a: Link { href: format!("../../{}/index.html", compared.a), text: comparison.a.clone() },
        b: Link { href: "../index.html".to_owned(), text: comparison.b.clone() },
        summary: summary::view(comparison, &|name| format!("{name}/index.html")),
    }
}

pub(super) fn target(site: Site<'_>, page: &OfTarget<'_>) -> TargetPage {
    let run = |address: &Address| page.runs.get(address).copied();
    let href = |name: &str| {
        let known = name.parse().ok().filter(|address| run(address).is_some());
        known.map_or_else(String::new, |address: Address| format!("../../../{address}/index.html"))
    };
    let target = target::view(&page.sides, page.target, &Setting { level: 2, id: "part".to_owned(), href: &href, run: &run });
    TargetPage {
        page: frame(site, page.releases, &heading(page.sides.a, page.sides.b), Some(&page.target.target)),
        heading: page.target.target.clone(),
        pair: Link { href: "../index.html".to_owned(), text: heading(page.sides.a, page.sides.b) },
        contents: target.contents(),
        target,
    }
}

fn frame(site: Site<'_>, [a, b]: [&Release; 2], title: &str, target: Option<&str>) -> Frame {
    let (root, up) = if target.is_some() { ("../../../", "../../index.html") } else { ("../../", "../index.html") };
    let crumb = |href: &str, text: &str| Link { href: href.to_owned(), text: text.to_owned() };
    let mut crumbs = vec![crumb(&format!("{root}index.html"), "Overview"), crumb(up, b.as_str())];
    let against = format!("against {a}");
    if target.is_some() {
        crumbs.push(crumb("../index.html", &against));
    }
    let folder = target.map(|name| format!("{name}/")).unwrap_or_default();
    let of = target.map(|name| format!("{name} · ")).unwrap_or_default();
    Frame {
        title: format!("{of}{title} · {}", site.title),
        description: format!("What changed in the load tests of {} between {a} and {b}", site.service_name),
        root,
        site_title: site.title.to_owned(),
        canonical: site.canonical(&format!("{b}/{FOLDER}/{folder}")),
        crumbs,
        here: target.map_or(against, str::to_owned),
    }
}
