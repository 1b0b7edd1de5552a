//! The page of a release.

use serde::Serialize;

use super::SiteInput;
use super::comparison;
use super::environment::{self, FactGroup};
use super::inline;
use super::outcome;
use super::view::{Cell, Chip, Frame, Link, plural};
use crate::model::address::Address;
use crate::model::collection::{ReleaseRuns, Run};
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
    pub cells: Vec<Cell>,
}

pub(super) fn view(input: &SiteInput<'_>, release: &ReleaseRuns) -> ReleaseView {
    let environments: Vec<_> =
        release.runs.values().map(|run| environment::environment(&run.record, input.service_name)).collect();
    let (facts, differing) = environment::shared(&environments);
    ReleaseView {
        page: frame(input, release),
        heading: release.name.to_string(),
        service: input.service_name.to_owned(),
        when: when(release),
        count: plural(release.runs.len(), "run", "runs"),
        classes: tally(input.verdicts, release),
        compared: comparison::link(input, &release.name, ""),
        changed: input.comparison_of(&release.name).map(|c| c.comparison.headline.sentence.clone()).unwrap_or_default(),
        notes_html: release.notes.iter().map(|note| inline::html(note, &["runs", "environment"])).collect(),
        runs: release.runs.iter().map(|(address, run)| row(input, address, run)).collect(),
        facts,
        differing,
        several: release.runs.len() > 1,
    }
}

fn frame(input: &SiteInput<'_>, release: &ReleaseRuns) -> Frame {
    Frame {
        title: format!("{} · {}", release.name, input.title),
        description: format!("Load tests of {} {}", input.service_name, release.name),
        root: "../",
        site_title: input.title.to_owned(),
        canonical: input.canonical(&format!("{}/", release.name)),
        crumbs: vec![Link { href: "../index.html".to_owned(), text: "Overview".to_owned() }],
        here: release.name.to_string(),
    }
}

fn row(input: &SiteInput<'_>, address: &Address, run: &Run) -> RunRow {
    let record = &run.record;
    RunRow {
        href: format!("{}/index.html", address.run()),
        target_html: breakable(address.target.as_str()),
        label: address.label.as_ref().map(ToString::to_string).unwrap_or_default(),
        chip: outcome::chip(record, input.verdicts.get(address)),
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
