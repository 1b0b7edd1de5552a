//! What the site has beside the pages that people come for: the same as data, a feed, a map, badges, and pages that lead on.

mod badge;
mod data;
mod feed;
mod found;
mod leading;
mod map;

pub use self::badge::Badge;
pub use self::feed::{Entry, Feed};
pub use self::found::NotFound;
pub use self::leading::Leading;
pub use self::map::{Location, Map};

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::comparison as pairs;
use super::page::{self, OfHistory, OfRelease, Page};
use super::view::Link;
use super::{RenderError, Site, SiteInput, target};
use crate::model::address::Address;
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::comparison::Compared;
use crate::model::instant::Moment;
use crate::model::verdict::Verdict;
use crate::render::{comparison, verdict};

/// Names in the site's root that these files have, so that no release may.
pub(super) const ROOT_NAMES: [&str; 7] = [NOT_FOUND, BADGES, FEED, DATA, LATEST, MANIFEST, MAP];
/// The file that names all files of a written site, which `build` writes beside them.
pub const MANIFEST: &str = "plimsoll-site.json";
/// What a page says, as data, beside the page.
pub(super) const DATA: &str = "index.json";
/// What the flow concludes of a run, beside its page.
const VERDICT: &str = "verdict.json";
const FEED: &str = "feed.xml";
const MAP: &str = "sitemap.xml";
const NOT_FOUND: &str = "404.html";
const BADGES: &str = "badges";
const LATEST: &str = "latest";

/// A file of the site as a whole, with what it is made of.
#[derive(Clone, Debug)]
pub enum Whole<'a> {
    /// All releases as data.
    Index(&'a SiteInput<'a>),
    /// A release as data.
    Release(OfRelease<'a>),
    /// A target over all releases as data.
    History(OfHistory<'a>),
    /// What the flow concludes of a run, as `plimsoll classify` prints it.
    Verdict(&'a Address, &'a Verdict),
    /// Two releases compared, as `plimsoll diff` prints it.
    Comparison(&'a Compared),
    /// A badge of a target.
    Badge(Badge),
    /// The releases as a feed.
    Feed(Feed),
    /// The addresses of all pages.
    Map(Map),
    /// A page that leads on to the newest release.
    Leading(Leading),
    /// What a server shows where there is no page.
    NotFound(NotFound),
}

/// All of them. The pages that people come for are known: the map tells of them.
pub(super) fn all<'a>(input: &'a SiteInput<'a>, pages: &[Page<'a>]) -> Vec<Page<'a>> {
    let mut all = vec![Whole::Index(input)];
    for page in pages {
        all.extend(match page {
            Page::Release(page) => Some(Whole::Release(page.clone())),
            Page::History(page) => Some(Whole::History(page.clone())),
            Page::Run(page) => page.verdict.map(|verdict| Whole::Verdict(page.address, verdict)),
            Page::Pair(compared) => Some(Whole::Comparison(compared)),
            _ => None,
        });
    }
    all.extend(badge::all(input).into_iter().map(Whole::Badge));
    all.extend(feed::of(input).map(Whole::Feed));
    all.extend(map::of(input.site(), pages).map(Whole::Map));
    all.extend(leading::all(input).into_iter().map(Whole::Leading));
    all.push(Whole::NotFound(found::of(input)));
    all.into_iter().map(Page::Whole).collect()
}

impl Whole<'_> {
    /// Where the file lies in the site.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::Index(_) => DATA.to_owned(),
            Self::Release(page) => format!("{}/{DATA}", page.release.name),
            Self::History(page) => format!("{}/{}/{DATA}", target::FOLDER, page.target),
            Self::Verdict(address, _) => format!("{address}/{VERDICT}"),
            Self::Comparison(compared) => format!("{}/{}/{DATA}", compared.b, pairs::FOLDER),
            Self::Badge(badge) => format!("{BADGES}/{}.json", badge.target),
            Self::Feed(_) => FEED.to_owned(),
            Self::Map(_) => MAP.to_owned(),
            Self::Leading(page) => page.path(),
            Self::NotFound(_) => NOT_FOUND.to_owned(),
        }
    }

    /// The file's text.
    pub(super) fn make(&self, site: Site<'_>) -> Result<String, RenderError> {
        match self {
            Self::Index(input) => json(&self.path(), &data::index(input)),
            Self::Release(page) => json(&self.path(), &data::release(page)),
            Self::History(page) => json(&self.path(), &data::history(page)),
            Self::Verdict(_, one) => Ok(verdict::json(std::slice::from_ref(*one))),
            Self::Comparison(compared) => comparison::json(&compared.comparison).map_err(|error| unwritten(&self.path(), &error)),
            Self::Badge(badge) => json(&self.path(), &badge.view()),
            Self::Feed(feed) => Ok(site.templates.fill("site/feed.xml", &feed.view(site))?),
            Self::Map(map) => Ok(site.templates.fill("site/sitemap.xml", map)?),
            Self::Leading(page) => page::filled(bare(site), site, "site/latest.html", &page.view(site)),
            Self::NotFound(page) => page::filled(bare(site), site, "site/404.html", &page.view(site)),
        }
    }

    /// The template of one that is filled, with its view as data.
    #[cfg(test)]
    pub(super) fn view(&self, site: Site<'_>) -> Option<(&'static str, serde_json::Value)> {
        let value = |template, value: serde_json::Result<serde_json::Value>| Some((template, value.ok()?));
        match self {
            Self::Feed(feed) => value("site/feed.xml", serde_json::to_value(feed.view(site))),
            Self::Map(map) => value("site/sitemap.xml", serde_json::to_value(map)),
            Self::Leading(page) => value("site/latest.html", serde_json::to_value(page::framed(bare(site), &page.view(site)))),
            Self::NotFound(page) => value("site/404.html", serde_json::to_value(page::framed(bare(site), &page.view(site)))),
            _ => None,
        }
    }
}

/// What every page is told of the whole site.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Around {
    /// Whether the site has a feed.
    has_feed: bool,
    /// Which of the ways in the header leads to where one is; empty for none.
    at: &'static str,
    /// What the page says, as data: files beside it.
    data: Vec<Link>,
}

/// What a page is told of the whole site.
pub(super) fn around(site: Site<'_>, page: &Page<'_>) -> Around {
    let data: &[&str] = match page {
        Page::Run(page) if page.verdict.is_some() => &[VERDICT, "record.json"],
        Page::Run(_) => &["record.json"],
        Page::Target(_) => &["../index.json"],
        Page::Whole(_) | Page::Method(_) => &[],
        _ => &[DATA],
    };
    let link = |file: &&str| Link { href: (*file).to_owned(), text: file.trim_start_matches("../").to_owned() };
    let at = match page {
        Page::Method(_) => "method",
        _ => "",
    };
    Around { at, data: data.iter().map(link).collect(), ..bare(site) }
}

/// What a page is told that is none of the header's, and has nothing beside it.
fn bare(site: Site<'_>) -> Around {
    Around { has_feed: site.has_feed, at: "", data: Vec::new() }
}

/// Whether a site has a feed: where it says at which address it lives, and of some run the day is known.
pub(super) fn has_feed(input: &SiteInput<'_>) -> bool {
    !input.url.is_empty() && input.archive.releases().iter().any(|release| ended(release).is_some())
}

/// When the last run of a release ended, or started where no end is known.
fn ended(release: &ReleaseRuns) -> Option<DateTime<Utc>> {
    release.runs.values().filter_map(ended_of).max()
}

fn ended_of(run: &Run) -> Option<DateTime<Utc>> {
    let window = &run.record.window;
    window.end.and_then(Moment::instant).or_else(|| window.start.and_then(Moment::instant))
}

/// A moment as RFC 3339 wants it.
fn stamp(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The run of record of a target on the newest release that has one.
fn newest<'a>(input: &SiteInput<'a>, is_it: impl Fn(&Address) -> bool) -> Option<(&'a Address, &'a Run)> {
    let of = |release: &'a ReleaseRuns| release.runs.iter().find(|(address, _)| address.label.is_none() && is_it(address));
    input.archive.releases().iter().rev().find_map(of)
}

fn json<T: Serialize>(path: &str, value: &T) -> Result<String, RenderError> {
    Ok(serde_json::to_string_pretty(value).map_err(|error| unwritten(path, &error))? + "\n")
}

fn unwritten(path: &str, error: &serde_json::Error) -> RenderError {
    RenderError::Data { path: path.to_owned(), message: error.to_string() }
}
