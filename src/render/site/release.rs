//! The page of a release.

use serde::Serialize;

use super::Site;
use super::comparison;
use super::environment::{self, FactGroup};
use super::findings::{self, FindingView};
use super::inline;
use super::outcome;
use super::page::OfRelease;
use super::view::{Cell, Chip, Frame, Link, plural};
use crate::model::address::Address;
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::verdict::Verdict;
use crate::render::facts::headline;
use crate::render::facts::release::{Tally, tally, when};
use crate::render::markup::breakable;

/// The page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ReleaseView {
    pub page: Frame,
    pub heading: String,
    pub service: String,
    /// When its runs started; empty if unknown.
    pub when: String,
    pub count: String,
    pub classes: Vec<Tally>,
    /// The comparison with an earlier release; no link where there is none.
    pub compared: Link,
    /// What it says first.
    pub changed: String,
    pub notes_html: Vec<String>,
    pub findings: Vec<FindingView>,
    /// `2 errors, 1 warning`; empty where nothing was found that nobody accepted.
    pub found: String,
    pub runs: Vec<RunRow>,
    pub facts: Vec<FactGroup>,
    /// Rows of the environment that differ between the runs.
    pub differing: Vec<String>,
    /// Whether there is more than one run, so that "shared" means something.
    pub several: bool,
}

/// A run in the table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunRow {
    pub href: String,
    pub target_html: String,
    pub label: String,
    pub chip: Chip,
    /// Why it ended so.
    pub reason_html: String,
    pub cells: Vec<Cell>,
}

/// What can be linked to on the page, whatever it holds.
const ANCHORS: [&str; 3] = ["runs", "findings", "environment"];

pub(super) fn view(site: Site<'_>, page: &OfRelease<'_>) -> ReleaseView {
    let release = page.release;
    let environments: Vec<_> =
        release.runs.values().map(|run| environment::environment(&run.record, site.service_name)).collect();
    let (facts, differing) = environment::shared(&environments);
    ReleaseView {
        page: frame(site, release),
        heading: release.name.to_string(),
        service: site.service_name.to_owned(),
        when: when(release),
        count: plural(release.runs.len(), "run", "runs"),
        classes: tally(page.verdicts.iter().copied()),
        compared: comparison::link(page.since.map(|since| since.release), ""),
        changed: page.since.map(|since| since.sentence.to_owned()).unwrap_or_default(),
        notes_html: release.notes.iter().map(|note| inline::html(note, &ANCHORS)).collect(),
        findings: page.findings.iter().map(|finding| findings::of_release(site, finding, ("../", &ANCHORS))).collect(),
        found: findings::counted(page.findings.iter().copied()),
        runs: release.runs.iter().zip(&page.verdicts).map(|((address, run), verdict)| row(address, run, *verdict)).collect(),
        facts,
        differing,
        several: release.runs.len() > 1,
    }
}

fn frame(site: Site<'_>, release: &ReleaseRuns) -> Frame {
    Frame {
        title: format!("{} · {}", release.name, site.title),
        description: format!("Load tests of {} {}", site.service_name, release.name),
        root: "../",
        site_title: site.title.to_owned(),
        canonical: site.canonical(&format!("{}/", release.name)),
        crumbs: vec![Link { href: "../index.html".to_owned(), text: "Overview".to_owned() }],
        here: release.name.to_string(),
    }
}

fn row(address: &Address, run: &Run, verdict: Option<&Verdict>) -> RunRow {
    let record = &run.record;
    RunRow {
        href: format!("{}/index.html", address.run()),
        target_html: breakable(address.target.as_str()),
        label: address.label.as_ref().map(ToString::to_string).unwrap_or_default(),
        chip: outcome::chip(record, verdict),
        reason_html: outcome::reason(record, verdict, &ANCHORS),
        cells: vec![
            headline::throughput(record),
            headline::test_throughput(record),
            headline::latency(record, 50),
            headline::latency(record, 95),
            headline::latency(record, 99),
            headline::failures(record),
        ],
    }
}
