//! The releases as an Atom feed (RFC 4287).

use std::fmt::Write;

use serde::Serialize;

use super::{ended, has_feed, stamp};
use crate::model::collection::ReleaseRuns;
use crate::render::facts::cell::plural;
use crate::render::facts::release::tally;
use crate::render::site::{Site, SiteInput};

/// The feed: an entry a release of which some day is known. A feed tells when a thing changed, and of the others nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// When the last run ended.
    pub updated: String,
    /// The entries, newest release first.
    pub entries: Vec<Entry>,
}

/// A release in the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub release: String,
    /// When its last run ended.
    pub updated: String,
    /// How its runs ended, and what its comparison says first.
    pub summary: String,
}

/// The feed as its template needs it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FeedView {
    title: String,
    service: String,
    home: String,
    own: String,
    updated: String,
    entries: Vec<EntryView>,
}

#[derive(Clone, Debug, Serialize)]
struct EntryView {
    title: String,
    /// Its page, which is its id too: as long as the site lives where it does, both stay.
    address: String,
    updated: String,
    summary: String,
}

/// The feed of a site that has one.
pub(super) fn of(input: &SiteInput<'_>) -> Option<Feed> {
    let entries: Vec<Entry> = input.archive.releases().iter().rev().filter_map(|release| entry(input, release)).collect();
    let updated = entries.iter().map(|entry| entry.updated.clone()).max()?;
    has_feed(input).then_some(Feed { updated, entries })
}

fn entry(input: &SiteInput<'_>, release: &ReleaseRuns) -> Option<Entry> {
    let updated = stamp(ended(release)?);
    let ends = tally(release.runs.keys().map(|address| input.verdicts.get(address)));
    let ends: Vec<String> = ends.iter().map(|one| format!("{} {}", one.count, one.word)).collect();
    let runs = plural(release.runs.len(), "run", "runs");
    let mut summary = format!("{runs}: {}.", ends.join(", "));
    if let Some(compared) = input.comparison_of(&release.name) {
        let _ = write!(summary, " Since {}: {}", compared.a, compared.comparison.headline.sentence);
    }
    Some(Entry { release: release.name.to_string(), updated, summary })
}

impl Feed {
    pub(super) fn view(&self, site: Site<'_>) -> FeedView {
        let entry = |entry: &Entry| EntryView {
            title: format!("{} {}", site.service_name, entry.release),
            address: site.address(&format!("{}/", entry.release)),
            updated: entry.updated.clone(),
            summary: entry.summary.clone(),
        };
        FeedView {
            title: site.title.to_owned(),
            service: site.service_name.to_owned(),
            home: site.address(""),
            own: site.address(super::FEED),
            updated: self.updated.clone(),
            entries: self.entries.iter().map(entry).collect(),
        }
    }
}
