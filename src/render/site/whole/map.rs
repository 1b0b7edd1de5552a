//! The addresses of all pages (<https://www.sitemaps.org/protocol.html>).

use serde::Serialize;

use super::{ended, ended_of, stamp};
use crate::render::site::Site;
use crate::render::site::links::is_page;
use crate::render::site::page::Page;

/// The map of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Map {
    /// Its pages, in the order of the site.
    pub locations: Vec<Location>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Its address.
    pub address: String,
    /// When what it shows was measured; empty where that is not known.
    pub changed: String,
}

/// The map of a site that says at which address it lives.
pub(super) fn of(site: Site<'_>, pages: &[Page<'_>]) -> Option<Map> {
    let shown = pages.iter().filter(|page| is_page(&page.path()));
    let locations = shown.map(|page| location(site, page)).collect();
    (!site.url.is_empty()).then_some(Map { locations })
}

fn location(site: Site<'_>, page: &Page<'_>) -> Location {
    let changed = match page {
        Page::Release(page) => ended(page.release),
        Page::Run(page) => ended_of(page.run),
        _ => None,
    };
    let path = page.path();
    Location { address: site.address(path.trim_end_matches("index.html")), changed: changed.map(stamp).unwrap_or_default() }
}
