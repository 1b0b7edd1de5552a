//! What every page is made of: its frame and its links.

use serde::Serialize;

pub(super) use crate::render::facts::cell::{Cell, Labelled, is_wide, number, plural};
pub(super) use crate::render::facts::outcome::Chip;

/// What surrounds a page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Frame<R = &'static str> {
    /// The title of the browser's tab.
    pub title: String,
    /// One sentence about the page.
    pub description: String,
    /// The way from the page to the site's root: empty, `../` or `../../`; the root's address where a page has no place of its own.
    pub root: R,
    /// The site's title.
    pub site_title: String,
    /// The page's canonical address; empty without a site address.
    pub canonical: String,
    /// The pages above it.
    pub crumbs: Vec<Link>,
    /// The last crumb: the page itself.
    pub here: String,
}

/// A link inside the site.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Link {
    /// Where to, relative to the page; empty is no link.
    pub href: String,
    /// Its text.
    pub text: String,
}
