//! The first page: what was tested, and how it ended.

use serde::Serialize;

use super::SiteInput;
use super::comparison;
use super::findings;
use super::outcome;
use super::target;
use super::view::{Cell, Chip, Frame, Link, plural};
use crate::model::address::{Address, Label, Target};
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::units::{self, Unit};
use crate::render::facts::headline;
use crate::render::facts::release::{Tally, tally, when};
use crate::render::markup::breakable;
use crate::render::svg::bar::bar;
use crate::render::svg::history::sparkline;

/// The page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct OverviewView {
    pub page: Frame,
    pub heading: String,
    pub service: String,
    /// `5 releases`, `11 targets`, `32 runs`.
    pub counts: Vec<String>,
    pub flow_title: String,
    /// The newest release at a glance; nothing where there is none.
    pub latest: Option<Latest>,
    /// Targets that are to reach something, in their order.
    pub goals: Vec<GoalView>,
    /// The releases, newest first.
    pub releases: Vec<ReleaseHead>,
    /// A row a target.
    pub rows: Vec<TargetRow>,
    pub is_empty: bool,
}

/// The newest release at a glance.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Latest {
    pub link: Link,
    pub when: String,
    pub count: String,
    pub classes: Vec<Tally>,
    pub compared: Link,
    /// What the comparison says first.
    pub changed: String,
    /// `2 errors, 1 warning`; empty where nothing was found that nobody accepted.
    pub found: String,
}

/// A target with a goal, and how far its newest run is.
#[derive(Clone, Debug, Serialize)]
pub(super) struct GoalView {
    pub target: Link,
    pub target_html: String,
    pub goal: String,
    pub reached: Cell,
    /// `108%`; empty where what was reached is not known.
    pub share: String,
    pub bar_svg: String,
    pub is_reached: bool,
    pub run: Link,
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
    /// Its page over all releases.
    pub href: String,
    pub label: String,
    /// Throughput from the oldest to the newest release.
    pub trend_svg: String,
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
        flow_title: input.method.flow.title.clone(),
        latest: newest_first.first().map(|release| latest(input, release)),
        goals: input.goals.iter().filter_map(|(target, goal)| goal_view(input, target, *goal)).collect(),
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

fn latest(input: &SiteInput<'_>, release: &ReleaseRuns) -> Latest {
    let ReleaseHead { link, when, count, classes, compared } = head(input, release);
    let found = input.findings.iter().filter(|finding| finding.release == release.name.as_str());
    let changed = input.comparison_of(&release.name).map(|compared| compared.comparison.headline.sentence.clone());
    Latest { link, when, count, classes, compared, changed: changed.unwrap_or_default(), found: findings::counted(found) }
}

/// A goal of a target that was ever run; the newest run of record is what it is held against.
fn goal_view<'a>(input: &SiteInput<'a>, target: &Target, goal: f64) -> Option<GoalView> {
    let is_it = |address: &Address| address.target == *target && address.label.is_none();
    let of_target = |release: &'a ReleaseRuns| release.runs.iter().find(|(address, _)| is_it(address));
    let (address, run) = input.archive.releases().iter().rev().find_map(of_target)?;
    let value = headline::throughput_value(&run.record);
    Some(GoalView {
        target: Link { href: target::path(target), text: target.to_string() },
        target_html: breakable(target.as_str()),
        goal: units::show(goal, Unit::PerSecond),
        reached: headline::throughput(&run.record),
        share: value.map(|value| share(value / goal)).unwrap_or_default(),
        bar_svg: value.map(|value| bar((value / goal).min(1.0), "work")).unwrap_or_default(),
        is_reached: value.is_some_and(|value| value >= goal),
        run: Link { href: format!("{address}/index.html"), text: address.release.to_string() },
    })
}

/// A share of a goal: beyond it whole percents are enough, cut, so that what is short of it never shows as reached.
fn share(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{}%", units::show((ratio * 100.0).floor(), Unit::Count)) } else { units::show(ratio, Unit::Ratio) }
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
        href: target::path(target),
        label: label.map(ToString::to_string).unwrap_or_default(),
        trend_svg: trend(target, label, releases),
        cells: releases.iter().map(cell).collect(),
    }
}

/// Throughput from the oldest release to the newest.
fn trend(target: &Target, label: Option<&Label>, newest_first: &[&ReleaseRuns]) -> String {
    let value = |release: &&ReleaseRuns| {
        let is_it = |address: &&Address| address.target == *target && address.label.as_ref() == label;
        let run = release.runs.iter().find(|(address, _)| is_it(address)).map(|(_, run)| run)?;
        headline::throughput_value(&run.record)
    };
    sparkline(&newest_first.iter().rev().map(value).collect::<Vec<_>>())
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
