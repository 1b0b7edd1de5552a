//! Pages with a lasting address that lead on to the newest release.

use serde::Serialize;

use super::LATEST;
use crate::model::address::{Address, Release};
use crate::render::site::view::{Frame, Link};
use crate::render::site::{Site, SiteInput};

/// A page that leads on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leading {
    /// The newest release.
    pub release: Release,
    /// A run of it; `None` leads to the release itself.
    pub run: Option<String>,
}

/// The page as its template needs it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LeadingView {
    pub page: Frame,
    pub heading: String,
    pub to: Link,
}

/// Pages that lead to the newest release by the archive's order, and to each of its runs.
pub(super) fn all(input: &SiteInput<'_>) -> Vec<Leading> {
    let Some(newest) = input.archive.releases().last() else { return Vec::new() };
    let page = |run: Option<&Address>| Leading { release: newest.name.clone(), run: run.map(Address::run) };
    std::iter::once(None).chain(newest.runs.keys().map(Some)).map(page).collect()
}

impl Leading {
    /// Where it lies.
    pub(super) fn path(&self) -> String {
        let below = self.run.as_ref().map(|run| format!("{run}/")).unwrap_or_default();
        format!("{LATEST}/{below}index.html")
    }

    pub(super) fn view(&self, site: Site<'_>) -> LeadingView {
        let (root, to) = match &self.run {
            Some(run) => ("../../", format!("{}/{run}", self.release)),
            None => ("../", self.release.to_string()),
        };
        LeadingView {
            page: Frame {
                title: format!("Latest: {to} · {}", site.title),
                description: format!("Leads on to {to}"),
                root,
                site_title: site.title.to_owned(),
                canonical: site.canonical(&format!("{to}/")),
                crumbs: vec![Link { href: format!("{root}index.html"), text: "Overview".to_owned() }],
                here: "Latest".to_owned(),
            },
            heading: self
                .run
                .as_ref()
                .map_or_else(|| "The latest release".to_owned(), |run| format!("{run} on the latest release")),
            to: Link { href: format!("{root}{to}/index.html"), text: to },
        }
    }
}
