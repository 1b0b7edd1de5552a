//! The page of a target: one test over all releases.

use serde::Serialize;

use super::Site;
use super::comparison;
use super::outcome;
use super::page::{OfHistory, OfStep};
use super::view::{Cell, Chip, Frame, Link, plural};
use crate::model::address::{Address, Target};
use crate::model::comparison::{Compared, KeyDifference, Level, Presence, TargetComparison};
use crate::model::record::Record;
use crate::model::units::{self, Unit};
use crate::render::facts::headline;
use crate::render::svg::history::{History, history};

/// The folder of all targets.
pub(super) const FOLDER: &str = "targets";
/// At most so many keys of a change are told one by one.
const KEYS: usize = 12;

/// The page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TargetView {
    pub page: Frame,
    pub heading: String,
    pub target: String,
    pub service: String,
    /// `12 runs on 3 of 6 releases`.
    pub count: String,
    /// What is to be reached, and how far the newest run is; empty without a goal.
    pub goal: String,
    pub charts: Vec<HistoryChart>,
    /// The runs, newest release first.
    pub rows: Vec<HistoryRow>,
    /// Where the configuration changed, oldest first.
    pub changes: Vec<ConfigurationChange>,
}

/// A figure over all releases.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HistoryChart {
    pub title: &'static str,
    pub chart_svg: String,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HistoryRow {
    pub release: Link,
    pub run: Link,
    pub when: String,
    pub chip: Chip,
    pub cells: Vec<Cell>,
    /// The number of the change before it; empty where there is none.
    pub mark: String,
    pub compared: Link,
}

/// A difference between the runs of two releases that makes their numbers unlike.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ConfigurationChange {
    pub mark: String,
    pub from: String,
    pub to: Link,
    pub keys: Vec<KeyChange>,
    /// How many more keys differ.
    pub more: usize,
}

/// A key that differs.
#[derive(Clone, Debug, Serialize)]
pub(super) struct KeyChange {
    pub key: String,
    pub a: String,
    pub b: String,
    pub weight: &'static str,
}

/// Where a target's page lies.
pub(super) fn path(target: &Target) -> String {
    format!("{FOLDER}/{target}/index.html")
}

pub(super) fn view(site: Site<'_>, page: &OfHistory<'_>) -> TargetView {
    let runs: usize = page.releases.iter().map(|(_, runs)| runs.len()).sum();
    let with = page.releases.iter().filter(|(_, runs)| !runs.is_empty()).count();
    let newest = page.releases.iter().rev().find_map(|(_, runs)| of_record(runs));
    let words = newest.map_or_else(|| page.target.to_string(), |step| step.run.record.target_words());
    let changes = changes(page);
    TargetView {
        page: frame(site, page.target, &words),
        heading: words,
        target: page.target.to_string(),
        service: site.service_name.to_owned(),
        count: format!("{} on {with} of {}", plural(runs, "run", "runs"), plural(page.releases.len(), "release", "releases")),
        goal: page.goal.map(|goal| goal_text(goal, newest)).unwrap_or_default(),
        charts: charts(page, &changes),
        rows: page.releases.iter().rev().flat_map(|(_, runs)| runs).map(|step| row(step, page, &changes)).collect(),
        changes,
    }
}

fn frame(site: Site<'_>, target: &Target, words: &str) -> Frame {
    Frame {
        title: format!("{words} · {}", site.title),
        description: format!("Load test {target} of {} over all releases", site.service_name),
        root: "../../",
        site_title: site.title.to_owned(),
        canonical: site.canonical(&format!("{FOLDER}/{target}/")),
        crumbs: vec![Link { href: "../../index.html".to_owned(), text: "Overview".to_owned() }],
        here: target.to_string(),
    }
}

/// The run of record, else the first.
fn of_record<'a, 'b>(runs: &'b [OfStep<'a>]) -> Option<&'b OfStep<'a>> {
    runs.iter().find(|step| step.address.label.is_none()).or_else(|| runs.first())
}

fn goal_text(goal: f64, newest: Option<&OfStep<'_>>) -> String {
    let goal_shown = units::show(goal, Unit::PerSecond);
    let reached = newest.and_then(|step| Some((step, headline::throughput_value(&step.run.record)?)));
    match reached {
        Some((step, value)) => {
            let share = units::show(value / goal, Unit::Ratio);
            format!(
                "Goal: {goal_shown}. {} reached {}, {share} of it.",
                step.address.release,
                units::show(value, Unit::PerSecond)
            )
        }
        None => format!("Goal: {goal_shown}. How much was reached is not known."),
    }
}

/// What a chart shows of a run.
type Value = fn(&Record) -> Option<f64>;

fn charts(page: &OfHistory<'_>, changes: &[ConfigurationChange]) -> Vec<HistoryChart> {
    let steps: Vec<String> = page.releases.iter().map(|(release, _)| release.to_string()).collect();
    let place = |change: &ConfigurationChange| {
        Some((page.releases.iter().position(|(release, _)| release.as_str() == change.to.text)?, change.mark.clone()))
    };
    let marks: Vec<(usize, String)> = changes.iter().filter_map(place).collect();
    let shown: [(&str, &'static str, Unit, Value); 3] = [
        ("throughput", "Iterations per second", Unit::PerSecond, headline::throughput_value),
        ("p95", "p95 latency of a request", Unit::Ms, |record| headline::latency_value(record, 95)),
        ("failures", "Failed requests of all requests", Unit::Ratio, headline::failure_share),
    ];
    let goal = page.goal.map(|goal| (format!("goal {}", units::show(goal, Unit::PerSecond)), goal));
    let chart = |(id, title, unit, value): (&str, &'static str, Unit, Value)| {
        let values: Vec<Option<f64>> =
            page.releases.iter().map(|(_, runs)| of_record(runs).and_then(|step| value(&step.run.record))).collect();
        let goal = goal.as_ref().filter(|_| unit == Unit::PerSecond).map(|(name, goal)| (name.as_str(), *goal));
        HistoryChart {
            title,
            chart_svg: history(&History { id, title, steps: &steps, values: &values, unit, changes: &marks, goal }),
        }
    };
    shown.into_iter().map(chart).collect()
}

fn row(step: &OfStep<'_>, page: &OfHistory<'_>, changes: &[ConfigurationChange]) -> HistoryRow {
    let (address, record) = (step.address, &step.run.record);
    let release = address.release.to_string();
    let compared = page.changes.iter().find(|(compared, _)| compared.b == address.release).map(|(compared, _)| *compared);
    HistoryRow {
        run: Link { href: format!("../../{address}/index.html"), text: run_name(address) },
        release: Link { href: format!("../../{release}/index.html"), text: release.clone() },
        when: record.window.start.map(super::environment::moment_text).unwrap_or_default(),
        chip: outcome::chip(record, step.verdict),
        cells: vec![
            headline::throughput(record),
            headline::latency(record, 50),
            headline::latency(record, 95),
            headline::latency(record, 99),
            headline::failures(record),
        ],
        mark: changes.iter().find(|change| change.to.text == release).map(|change| change.mark.clone()).unwrap_or_default(),
        compared: compared.map(|compared| to_comparison(compared, page.target)).unwrap_or_default(),
    }
}

/// `run of record`, or the label of a further run.
fn run_name(address: &Address) -> String {
    address.label.as_ref().map_or_else(|| "run of record".to_owned(), |label| format!("~{label}"))
}

fn to_comparison(compared: &Compared, target: &Target) -> Link {
    Link {
        href: format!("../../{}/{}/{target}/index.html", compared.b, comparison::FOLDER),
        text: format!("Since {}", compared.a),
    }
}

/// The comparisons whose runs are unlike in what nobody accepts.
fn changes(page: &OfHistory<'_>) -> Vec<ConfigurationChange> {
    let unlike = page.changes.iter().filter(|(_, target)| target.presence == Presence::Both && weighty(target).next().is_some());
    let change = |(nth, (compared, target)): (usize, &(&Compared, &TargetComparison))| {
        let keys: Vec<KeyChange> = weighty(target).map(key).collect();
        ConfigurationChange {
            mark: (nth + 1).to_string(),
            from: compared.a.to_string(),
            to: Link { text: compared.b.to_string(), ..to_comparison(compared, page.target) },
            more: keys.len().saturating_sub(KEYS),
            keys: keys.into_iter().take(KEYS).collect(),
        }
    };
    unlike.enumerate().map(change).collect()
}

/// What was declared otherwise and weighs: not what the runs did, and not what is only told.
fn weighty(target: &TargetComparison) -> impl Iterator<Item = &KeyDifference> {
    let weighs = |one: &&KeyDifference| one.level != Level::Informational && one.accepted.is_none() && !one.behavioural;
    target.contract.differences.iter().filter(weighs).filter(|one| one.a.is_some() && one.b.is_some())
}

fn key(one: &KeyDifference) -> KeyChange {
    KeyChange {
        key: one.key.clone(),
        a: one.a.clone().unwrap_or_default(),
        b: one.b.clone().unwrap_or_default(),
        weight: if one.level == Level::Blocking { "not comparable" } else { "weakens" },
    }
}
