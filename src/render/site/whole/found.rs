//! What a server shows where there is no page.

use serde::Serialize;

use crate::render::site::view::{Frame, Link};
use crate::render::site::{Site, SiteInput};

/// How many releases are named.
const NAMED: usize = 8;

/// The page. A server shows it at any address, so that its links hold only where the site knows its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// The newest releases, newest first.
    pub releases: Vec<String>,
}

/// The page as its template needs it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct NotFoundView {
    pub page: Frame<String>,
    pub releases: Vec<Link>,
    /// Whether links hold wherever the page is shown.
    pub is_sure: bool,
}

pub(super) fn of(input: &SiteInput<'_>) -> NotFound {
    NotFound { releases: input.archive.releases().iter().rev().take(NAMED).map(|release| release.name.to_string()).collect() }
}

impl NotFound {
    pub(super) fn view(&self, site: Site<'_>) -> NotFoundView {
        let is_sure = !site.url.is_empty();
        let root = if is_sure { site.address("") } else { String::new() };
        let link = |name: &String| Link { href: format!("{root}{name}/index.html"), text: name.clone() };
        NotFoundView {
            releases: self.releases.iter().map(link).collect(),
            page: Frame {
                title: format!("No such page · {}", site.title),
                description: "There is no such page on this site".to_owned(),
                site_title: site.title.to_owned(),
                canonical: String::new(),
                crumbs: vec![Link { href: format!("{root}index.html"), text: "Overview".to_owned() }],
                here: "No such page".to_owned(),
                root,
            },
            is_sure,
        }
    }
}
