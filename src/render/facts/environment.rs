//! What a run was made on, as rows of a table: the rows of the published pages, and what all runs of a release share.

use serde::Serialize;

use super::cell::{Cell, number};
use crate::model::catalogue::FigureId;
use crate::model::derive;
use crate::model::environment::{Client, Container, Database, Flag, FlagState, Flags, Setting, SettingGroup, SettingLayout};
use crate::model::instant::Moment;
use crate::model::page::PageRow;
use crate::model::record::{Record, Window, WindowBasis};
use crate::model::units::{self, Unit};

/// A row: a label and what is known under it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::render) struct Fact {
    /// Which row of a published page it is.
    #[serde(skip)]
    pub row: PageRow,
    /// The row's name.
    pub label: String,
    /// What is known, line by line; empty where nothing was captured.
    pub lines: Vec<Line>,
    /// Why nothing was; may be empty.
    pub reason: String,
    /// What the sources say about it in words, where a page puts it here.
    pub notes_html: Vec<String>,
}

/// `vCPU` and `6`; the key may be empty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::render) struct Line {
    pub key: String,
    pub value: String,
    /// Whether other runs of the release have another line here.
    pub is_own: bool,
}

/// Rows under a heading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::render) struct FactGroup {
    /// The heading's id.
    pub id: &'static str,
    /// The heading.
    pub title: String,
    /// The rows.
    pub rows: Vec<Fact>,
}

fn line(key: &str, value: impl Into<String>) -> Line {
    Line { key: key.to_owned(), value: value.into(), is_own: false }
}

fn fact(row: PageRow, lines: Vec<Line>) -> Fact {
    Fact { row, label: row.place().to_owned(), lines, reason: String::new(), notes_html: Vec::new() }
}

fn text(row: PageRow, text: Option<&String>) -> Fact {
    fact(row, text.map(|text| vec![line("", text.as_str())]).unwrap_or_default())
}

fn group(id: &'static str, title: &str, rows: Vec<Fact>) -> FactGroup {
    FactGroup { id, title: title.to_owned(), rows }
}

/// What was tested and with what load: the rows that belong to one run.
pub(in crate::render) fn test(record: &Record) -> FactGroup {
    let identity = &record.identity;
    let rows = vec![
        text(PageRow::Baseline, identity.baseline.as_ref()),
        text(PageRow::Purpose, identity.purpose.as_ref()),
        moment(PageRow::TestStart, record.window.start),
        moment(PageRow::TestEnd, record.window.end),
        duration(record),
        text(PageRow::ExecutedTest, Some(&identity.target.to_string())),
        from_cell(PageRow::Vus, Cell::figure(&derive::figure(record, FigureId::K6Vus))),
    ];
    group("test", "Test", rows)
}

/// The environment: the rows that the runs of a release usually share.
pub(in crate::render) fn environment(record: &Record, service_name: &str) -> Vec<FactGroup> {
    let (client, service) = (&record.environment.client, &record.environment.service);
    let summary_version = record.k6.as_ref().and_then(|k6| k6.source.k6_version.as_ref());
    let load = vec![
        text(PageRow::K6Version, made_by(client.k6_version.as_ref().or(summary_version), client).as_ref()),
        text(PageRow::ClientLocation, client.location.as_ref()),
        text(PageRow::ClientMachine, client.machine.as_ref()),
    ];
    let tested = vec![
        text(PageRow::ServiceLocation, service.location.as_ref()),
        fact(PageRow::ServiceContainer, container(&service.container)),
        text(PageRow::ServiceVersion, service.version.as_ref()),
        fact(PageRow::ServiceSettings, settings(&service.settings)),
        fact(PageRow::ServiceFlags, service.flags.as_ref().map(flags).unwrap_or_default()),
    ];
    let database = &record.environment.database;
    let stored = vec![
        fact(PageRow::Database, product(database)),
        text(PageRow::DatabaseLocation, database.location.as_ref()),
        fact(PageRow::DatabaseSpecification, specification(database)),
    ];
    let mut groups = vec![
        group("load-generator", "Load generator", load),
        group("service", service_name, tested),
        group("database", "Database", stored),
    ];
    for row in groups.iter_mut().flat_map(|group| &mut group.rows) {
        row.label = row.row.name(service_name, 0);
    }
    groups
}

/// k6's version, and that of the scripts where somebody wrote it down: `v2.1.0, scripts 2026.9`.
fn made_by(k6: Option<&String>, client: &Client) -> Option<String> {
    let scripts = client.harness_version.as_ref().map(|version| format!("scripts {version}"));
    let parts: Vec<String> = [k6.cloned(), scripts].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Splits the environments of some runs into what all share and the labels of the rows that differ.
pub(in crate::render) fn shared(all: &[Vec<FactGroup>]) -> (Vec<FactGroup>, Vec<String>) {
    let Some((first, others)) = all.split_first() else { return (Vec::new(), Vec::new()) };
    let mut differing = Vec::new();
    let mut groups = first.clone();
    for (at, group) in groups.iter_mut().enumerate() {
        group.rows.retain(|row| {
            let alike = others.iter().all(|other| other.get(at).is_some_and(|group| group.rows.contains(row)));
            if !alike {
                differing.push(row.label.clone());
            }
            alike
        });
    }
    groups.retain(|group| !group.rows.is_empty());
    (groups, differing)
}

fn from_cell(row: PageRow, cell: Cell) -> Fact {
    let known = cell.state != "missing";
    let reason = if known { String::new() } else { cell.note };
    Fact { reason, ..fact(row, if known { vec![line("", cell.text)] } else { Vec::new() }) }
}

/// A moment with as much precision as its source has.
pub(in crate::render) fn moment_text(moment: Moment) -> String {
    match moment {
        Moment::Instant(at) => at.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Moment::Minute(at) => at.format("%Y-%m-%d %H:%M UTC").to_string(),
        Moment::TimeOfDay(time) => time.format("%H:%M UTC, day not captured").to_string(),
    }
}

fn moment(row: PageRow, moment: Option<Moment>) -> Fact {
    fact(row, moment.map(|moment| vec![line("", moment_text(moment))]).unwrap_or_default())
}

fn duration(record: &Record) -> Fact {
    let given = record.window.duration_s.map(|s| line("given", units::show(s * 1e3, Unit::Ms)));
    let clock = record.k6.as_ref().and_then(|k6| k6.duration_s).map(|s| line("k6's clock", units::show(s * 1e3, Unit::Ms)));
    let basis = basis(&record.window).map(|basis| line("window", basis));
    // Samples tell by themselves how long the test was.
    let samples = record.window.basis == Some(WindowBasis::Samples);
    let known = given.is_some() || clock.is_some() || samples;
    let lines: Vec<Line> = [given, clock, basis].into_iter().flatten().collect();
    fact(PageRow::TestDuration, if known { lines } else { Vec::new() })
}

fn basis(window: &Window) -> Option<&'static str> {
    Some(match window.basis? {
        WindowBasis::Samples => "first to last sample of the test phase",
        WindowBasis::Stamps => "stamps of the runner",
        WindowBasis::Stated => "as the page states it",
        WindowBasis::K6Clock => "k6's own clock",
        WindowBasis::ByHand => "typed by hand",
    })
}

fn container(container: &Container) -> Vec<Line> {
    let count = |key: &str, count: Option<u64>| count.map(|count| line(key, number(count)));
    [
        container.vcpu.map(|vcpu| line("vCPU", units::show_number(vcpu))),
        container.memory.as_ref().map(|memory| line("Memory", memory.printed.as_str())),
        count("Containers", container.count),
        count("Min scale", container.min_scale),
        count("Max scale", container.max_scale),
        container.concurrency.map(|c| line("Concurrency", format!("{} requests per container", number(c)))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn product(database: &Database) -> Vec<Line> {
    let told = |key: &str, value: &Option<String>| value.as_ref().map(|value| line(key, value.as_str()));
    let known = [
        told("Instance", &database.instance),
        told("Type", &database.kind),
        told("Version", &database.version),
        told("Installed", &database.installed_version),
        told("Edition", &database.edition),
    ];
    known.into_iter().flatten().chain(settings(&database.settings)).collect()
}

fn specification(database: &Database) -> Vec<Line> {
    [
        database.tier.as_ref().map(|tier| line("Tier", tier.as_str())),
        database.vcpu.map(|vcpu| line("vCPU", units::show_number(vcpu))),
        database.memory.as_ref().map(|memory| line("Memory", memory.printed.as_str())),
        database.data_cache.map(|on| line("Data cache", if on { "enabled" } else { "disabled" })),
        database.disk.as_ref().map(|disk| line("Disk", disk.printed.as_str())),
        database.availability.as_ref().map(|availability| line("Availability", availability.as_str())),
        database.query_insights.map(|on| line("Query Insights", if on { "enabled" } else { "disabled" })),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn settings(groups: &[SettingGroup]) -> Vec<Line> {
    groups.iter().flat_map(lines).collect()
}

/// More settings of one group than this are no sentence, but a line each.
const SENTENCE: usize = 8;

/// A group with a name is a line; settings by dotted key are a line each, with the default they deviate from, and those that are as by
/// default are counted: the record has them all. The keys at the top of a
/// configuration have no dot.
fn lines(group: &SettingGroup) -> Vec<Line> {
    let keys = || group.entries.iter().map(|entry| entry.key.as_str());
    let is_dotted = group.name.is_empty() && keys().any(|key| key.contains('.')) && keys().all(|key| !key.is_empty());
    let is_long = group.entries.len() > SENTENCE && keys().all(|key| !key.is_empty());
    if !is_dotted && !is_long {
        return vec![line(&group.name, entries(group))];
    }
    let value = |entry: &Setting| match &entry.default {
        Some(default) if *default != entry.value => format!("{} (default {default})", entry.value),
        _ => entry.value.clone(),
    };
    let told: Vec<&Setting> = group.entries.iter().filter(|entry| entry.deviates() != Some(false)).collect();
    let by_default = group.entries.len() - told.len();
    let words = format!("{} settings, {by_default} of them as by default", group.entries.len());
    let heading = (!group.name.is_empty() || by_default > 0).then(|| line(&group.name, words));
    heading.into_iter().chain(told.into_iter().map(|entry| line(&entry.key, value(entry)))).collect()
}

fn entries(group: &SettingGroup) -> String {
    let between = if group.layout == SettingLayout::Lines { ": " } else { " " };
    let one = |entry: &Setting| match entry.value.as_str() {
        "" => entry.key.clone(),
        value if entry.key.is_empty() => value.to_owned(),
        value => format!("{}{between}{value}", entry.key),
    };
    group.entries.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn flags(flags: &Flags) -> Vec<Line> {
    let of = |state: FlagState| flags.flags.iter().filter(|flag| flag.state == state).map(flag).collect::<Vec<_>>();
    let mut lines = Vec::new();
    for (key, state) in [("On", FlagState::On), ("Off", FlagState::Off), ("Off, set to false", FlagState::ExplicitlyOff)] {
        let names = of(state);
        if !names.is_empty() {
            lines.push(line(key, names.join(", ")));
        }
    }
    if lines.is_empty() {
        lines.push(line("", "none"));
    }
    lines.extend(flags.captured.as_ref().map(|capture| line("Captured", captured(capture))));
    lines
}

fn flag(flag: &Flag) -> String {
    let level = flag.level.as_ref().map(|level| format!(" ({level})")).unwrap_or_default();
    let paths = if flag.paths.is_empty() { String::new() } else { format!(": {}", flag.paths.join(" ")) };
    let address = flag.base_uri.as_ref().map(|uri| format!(" at {uri}")).unwrap_or_default();
    format!("{}{level}{paths}{address}", flag.name)
}

fn captured(capture: &crate::model::environment::FlagCapture) -> String {
    let at = capture.at.map(|at| format!(", {}", moment_text(at))).unwrap_or_default();
    let sequence = capture.sequence.map(|n| format!(", sequence {n}")).unwrap_or_default();
    let changed = capture.changed.map(|at| format!(", last changed {}", moment_text(at))).unwrap_or_default();
    let when = capture.when.as_ref().map(|when| format!(" {when} the run")).unwrap_or_default();
    format!("from the {}{when}{at}{sequence}{changed}", capture.level)
}
