//! The first page: what was tested, and how it ended.

use serde::Serialize;

use super::SiteInput;
use super::comparison;
use super::outcome;
use super::view::{Cell, Chip, Frame, Link, plural};
use crate::model::address::{Address, Label, Target};
use crate::model::collection::{ReleaseRuns, Run};
use crate::render::facts::headline;
use crate::render::facts::release::{Tally, tally, when};
use crate::render::markup::breakable;

/// The page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct OverviewView {
    pub page: Frame,
    pub heading: String,
    pub service: String,
    /// `5 releases`, `11 targets`, `32 runs`.
    pub counts: Vec<String>,
    pub flow_title: String,
    /// The releases, newest first.
    pub releases: Vec<ReleaseHead>,
    /// A row a target.
    pub rows: Vec<TargetRow>,
    pub is_empty: bool,
}

/// A column of the matrix.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ReleaseHead {
    pub link: Link,
    pub when: String,
    pub count: String,
    pub classes: Vec<Tally>,
    /// The comparison with an earlier release; no link where there is none.
    pub compared: Link,
}

/// A row of the matrix.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TargetRow {
    pub target_html: String,
    pub label: String,
    pub cells: Vec<MatrixCell>,
}

/// A run in the matrix; no link where the release has no such run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MatrixCell {
    pub link: Link,
    /// The release, for readers who don't see the column.
    pub release: String,
    pub chip: Chip,
    pub throughput: Cell,
    pub p95: Cell,
    pub failures: Cell,
}

pub(super) fn view(input: &SiteInput<'_>) -> OverviewView {
    let newest_first: Vec<&ReleaseRuns> = input.archive.releases().iter().rev().collect();
    let rows = rows(input);
    let targets = rows.iter().filter(|(_, label)| label.is_none()).count();
    OverviewView {
        page: frame(input),
        heading: input.title.to_owned(),
        service: input.service_name.to_owned(),
        counts: vec![
            plural(newest_first.len(), "release", "releases"),
            plural(targets, "target", "targets"),
            plural(input.archive.runs().count(), "run", "runs"),
        ],
        flow_title: input.flow_title.to_owned(),
        releases: newest_first.iter().map(|release| head(input, release)).collect(),
        is_empty: rows.is_empty(),
        rows: rows.iter().map(|(target, label)| row(input, target, label.as_ref(), &newest_first)).collect(),
    }
}

fn frame(input: &SiteInput<'_>) -> Frame {
    Frame {
        title: input.title.to_owned(),
        description: format!("Load tests of {}, release by release", input.service_name),
        root: "",
        site_title: input.title.to_owned(),
        canonical: input.site().canonical(""),
        crumbs: Vec::new(),
        here: "Overview".to_owned(),
    }
}

/// All targets and labels, each target's run of record first.
fn rows(input: &SiteInput<'_>) -> Vec<(Target, Option<Label>)> {
    let mut rows: Vec<_> = input.archive.runs().map(|(address, _)| (address.target.clone(), address.label.clone())).collect();
    rows.sort();
    rows.dedup();
    rows
}

fn head(input: &SiteInput<'_>, release: &ReleaseRuns) -> ReleaseHead {
    let since = input.comparison_of(&release.name).map(|compared| &compared.a);
    ReleaseHead {
        link: Link { href: format!("{}/index.html", release.name), text: release.name.to_string() },
        when: when(release),
        count: plural(release.runs.len(), "run", "runs"),
        classes: tally(release.runs.keys().map(|address| input.verdicts.get(address))),
        compared: comparison::link(since, &format!("{}/", release.name)),
    }
}

fn row(input: &SiteInput<'_>, target: &Target, label: Option<&Label>, releases: &[&ReleaseRuns]) -> TargetRow {
    let cell = |release: &&ReleaseRuns| {
        let address = Address { release: release.name.clone(), target: target.clone(), label: label.cloned() };
        let name = release.name.to_string();
        match release.runs.get(&address) {
            Some(run) => measured(input, &address, run),
            None => MatrixCell { release: name, ..MatrixCell::empty() },
        }
    };
    TargetRow {
        target_html: breakable(target.as_str()),
        label: label.map(ToString::to_string).unwrap_or_default(),
        cells: releases.iter().map(cell).collect(),
    }
}

impl MatrixCell {
    fn empty() -> Self {
        let cell = Cell::default;
        Self {
            link: Link::default(),
            release: String::new(),
            chip: Chip::default(),
            throughput: cell(),
            p95: cell(),
            failures: cell(),
        }
    }
}

fn measured(input: &SiteInput<'_>, address: &Address, run: &Run) -> MatrixCell {
    MatrixCell {
        link: Link { href: format!("{address}/index.html"), text: address.run() },
        release: address.release.to_string(),
        chip: outcome::chip(&run.record, input.verdicts.get(address)),
        throughput: headline::throughput(&run.record),
        p95: headline::latency(&run.record, 95),
        failures: headline::failures(&run.record),
    }
}
