//! What people write: `run.toml` and `release.toml`.
//!
//! Both may state facts of the environment; a run's file may also hold figures, an override and what was concluded. All
//! faults come out at once.

use std::borrow::Cow;

use crate::diagnostic::{Diagnostic, Faults};
use crate::handwritten::{Document, Entry, Form, Written, check_schema};
use crate::model::catalogue::{FigureId, Origin};
use crate::model::environment::{Client, Environment};
use crate::model::environment::{
    Container, Database, Flag, FlagState, Flags, Service, Setting, SettingGroup, SettingLayout, Size,
};
use crate::model::figure::{Figure, Figures, Measurement};
use crate::model::instant::Moment;
use crate::model::record::{Override, Recorded, Window, WindowBasis};
use crate::model::units;
use crate::secrets::masked_alike;
use crate::source::Source;

/// `run.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFile {
    /// Why the run was made.
    pub purpose: Option<String>,
    /// What it is measured against.
    pub baseline: Option<String>,
    /// Whether its errors may wait.
    pub deferrable: Option<bool>,
    /// Start, end, duration.
    pub window: Window,
    /// Facts of the environment that are this run's own.
    pub environment: Environment,
    /// Figures typed by hand.
    pub figures: Figures,
    /// What a person concluded.
    pub recorded: Option<Recorded>,
    /// A verdict set by hand.
    pub overridden: Option<Override>,
    /// Notes, Markdown without blocks.
    pub notes: Vec<String>,
}

/// `release.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReleaseFile {
    /// The release's place among the others, where its version does not tell.
    pub order: Option<f64>,
    /// Facts of the environment that hold for all its runs.
    pub environment: Environment,
    /// Notes, Markdown without blocks.
    pub notes: Vec<String>,
}

/// Reads `run.toml`.
///
/// # Errors
/// All its faults.
pub fn read_run(source: &Source) -> Result<RunFile, Faults> {
    let source = &without_secrets(source);
    let document = Document::parse(source);
    let run = run_file(&document.form());
    document.finish().map(|_| run)
}

/// Reads `release.toml`.
///
/// # Errors
/// All its faults.
pub fn read_release(source: &Source) -> Result<ReleaseFile, Faults> {
    let source = &without_secrets(source);
    let document = Document::parse(source);
    let form = document.form();
    check_schema(&form, 1);
    let release = ReleaseFile {
        order: form.number("order").map(|order| order.value),
        environment: environment(&form),
        notes: notes(&form),
    };
    form.close();
    document.finish().map(|_| release)
}

/// The same text, places kept, with stars for what a person pasted and nobody may read.
fn without_secrets(source: &Source) -> Source {
    match masked_alike(source.text()) {
        Cow::Borrowed(_) => source.clone(),
        Cow::Owned(safe) => Source::excerpt(source.name(), safe, source.first_line()),
    }
}

fn run_file(form: &Form<'_>) -> RunFile {
    check_schema(form, 1);
    let run = RunFile {
        purpose: words(form, "purpose"),
        baseline: words(form, "baseline"),
        deferrable: form.truth("deferrable").map(|truth| truth.value),
        window: window(form),
        environment: environment(form),
        figures: form.table("figures").map(|table| figures(&table)).unwrap_or_default(),
        recorded: form.table("recorded").and_then(|table| recorded(&table)),
        overridden: form.table("override").and_then(|table| overridden(&table)),
        notes: notes(form),
    };
    form.close();
    run
}

fn words(form: &Form<'_>, key: &str) -> Option<String> {
    form.text(key).map(|text| text.value)
}

fn notes(form: &Form<'_>) -> Vec<String> {
    form.texts("notes").into_iter().map(|note| note.value).collect()
}

fn window(form: &Form<'_>) -> Window {
    let (start, end) = (moment(form, "start"), moment(form, "end"));
    let duration = form.entry("duration").and_then(|entry| read(&entry, |text| units::Written::read(text, units::Unit::Ms)));
    let given = start.is_some() || end.is_some();
    Window { start, end, duration_s: duration.map(|time| time.value / 1e3), basis: given.then_some(WindowBasis::ByHand) }
}

fn moment(form: &Form<'_>, key: &str) -> Option<Moment> {
    read(&form.entry(key)?, str::parse)
}

/// A value of an entry, read from its words; a fault with the reader's own message where it can't be.
fn read<T, E: std::fmt::Display>(entry: &Entry<'_>, reader: impl Fn(&str) -> Result<T, E>) -> Option<T> {
    let Written { value, place } = entry.scalar()?;
    match reader(&value) {
        Ok(value) => Some(value),
        Err(error) => {
            entry.fault(Diagnostic::error("bad-value", error.to_string()).at(place));
            None
        }
    }
}

/// `"database.cpu.median" = "97%"`, with or without the quotes.
fn figures(form: &Form<'_>) -> Figures {
    let mut figures = Figures::default();
    collect(form, "", &mut figures);
    figures
}

/// Adds a table's figures; a name without quotes is a path of tables in TOML, walked down to the figure.
fn collect(form: &Form<'_>, prefix: &str, figures: &mut Figures) {
    for entry in form.entries() {
        let name = format!("{prefix}{}", entry.key.value);
        let inside = format!("{name}.");
        if let Some(table) = entry.as_table()
            && FigureId::names().any(|known| known.starts_with(&inside))
            && !FigureId::names().any(|known| known == name)
        {
            collect(&table, &inside, figures);
            continue;
        }
        let Some(id) = figure_id(&entry, &name) else { continue };
        let Some(figure) = figure(&entry, id) else { continue };
        if let Err(bad) = figures.set(id, figure) {
            entry.fault(Diagnostic::error("bad-figure", bad.to_string()).at(entry.place()));
        }
    }
}

fn figure_id(entry: &Entry<'_>, name: &str) -> Option<FigureId> {
    let Ok(id) = name.parse::<FigureId>() else {
        let fault = Diagnostic::error("unknown-figure", format!("unknown figure `{name}`")).at(entry.key.place.clone());
        entry.fault(fault.note("`plimsoll schema figures` lists them all").suggest(name, FigureId::names()));
        return None;
    };
    if matches!(id.row().origin, Origin::Derived | Origin::Project) {
        let fault = Diagnostic::error("derived-figure", format!("`{id}` follows from k6's own summary or from plimsoll.toml"));
        entry.fault(fault.at(entry.key.place.clone()).help("leave it out"));
        return None;
    }
    Some(id)
}

/// A figure as a text or number, or as a table with `value` and `of`, `reason`, `method`.
fn figure(entry: &Entry<'_>, id: FigureId) -> Option<Figure> {
    if let Some(form) = entry.as_table() {
        let figure = match form.text("not_captured") {
            Some(reason) => Some(Figure::not_captured(reason.value)),
            None => form.entry("value").and_then(|value| measured(&value, id)).map(|mut measurement| {
                measurement.of = words(&form, "of");
                measurement.method = words(&form, "method");
                Figure::Measured(measurement)
            }),
        };
        form.close();
        return figure;
    }
    measured(entry, id).map(Figure::Measured)
}

fn measured(entry: &Entry<'_>, id: FigureId) -> Option<Measurement> {
    let written = read(entry, |text| units::Written::read(text, id.unit()))?;
    let mut measurement = Measurement::written(written, id.unit()).from("typed by hand");
    if id.row().origin == Origin::Provisioned {
        // Nobody buys a rounded size: `6 GiB` is just that.
        measurement.bounds = None;
    }
    Some(measurement)
}

fn recorded(form: &Form<'_>) -> Option<Recorded> {
    let label = form.wanted_text("label");
    let message = words(form, "message").unwrap_or_default();
    form.close();
    Some(Recorded { label: label?.value, message })
}

fn overridden(form: &Form<'_>) -> Option<Override> {
    let (outcome, reason) = (form.wanted_text("outcome"), form.wanted_text("reason"));
    let author = words(form, "author");
    form.close();
    Some(Override { outcome: outcome?.value, reason: reason?.value, author })
}

fn environment(form: &Form<'_>) -> Environment {
    Environment {
        client: form.table("client").map(|table| client(&table)).unwrap_or_default(),
        service: form.table("service").map(|table| service(&table)).unwrap_or_default(),
        database: form.table("database").map(|table| database(&table)).unwrap_or_default(),
    }
}

fn client(form: &Form<'_>) -> Client {
    let client = Client {
        location: words(form, "location"),
        machine: words(form, "machine"),
        k6_version: words(form, "k6_version"),
        harness_version: words(form, "harness_version"),
    };
    form.close();
    client
}

fn service(form: &Form<'_>) -> Service {
    let count = |key: &str| form.entry(key).and_then(|entry| whole(&entry));
    let service = Service {
        name: words(form, "name"),
        revision: words(form, "revision"),
        location: words(form, "location"),
        version: words(form, "version"),
        container: Container {
            vcpu: form.number("vcpu").map(|number| number.value),
            memory: size(form, "memory"),
            count: count("count"),
            min_scale: count("min_scale"),
            max_scale: count("max_scale"),
            concurrency: count("concurrency"),
        },
        settings: settings(form),
        flags: form.table("flags").map(|table| flags(&table)),
    };
    form.close();
    service
}

fn database(form: &Form<'_>) -> Database {
    let database = Database {
        instance: words(form, "instance"),
        kind: words(form, "kind"),
        version: words(form, "version"),
        installed_version: words(form, "installed_version"),
        edition: words(form, "edition"),
        availability: words(form, "availability"),
        location: words(form, "location"),
        tier: words(form, "tier"),
        vcpu: form.number("vcpu").map(|number| number.value),
        memory: size(form, "memory"),
        data_cache: form.truth("data_cache").map(|truth| truth.value),
        disk: size(form, "disk"),
        query_insights: form.truth("query_insights").map(|truth| truth.value),
        query_string_length: form.entry("query_string_length").and_then(|entry| whole(&entry)),
        settings: settings(form),
    };
    form.close();
    database
}

fn size(form: &Form<'_>, key: &str) -> Option<Size> {
    read(&form.entry(key)?, Size::read)
}

fn whole(entry: &Entry<'_>) -> Option<u64> {
    let number = entry.integer()?;
    let whole = u64::try_from(number.value).ok();
    if whole.is_none() {
        entry.fault(Diagnostic::error("bad-value", "a count is not below zero").at(number.place));
    }
    whole
}

/// `[service.settings."Database pool"]` with `MaxOpenConns = 6`.
fn settings(form: &Form<'_>) -> Vec<SettingGroup> {
    let Some(groups) = form.table("settings") else { return Vec::new() };
    groups
        .entries()
        .iter()
        .filter_map(|group| {
            let entries = group.table()?.entries();
            let entries = entries.iter().filter_map(|entry| Some(Setting::new(entry.key.value.clone(), entry.scalar()?.value)));
            Some(SettingGroup { name: group.key.value.clone(), layout: SettingLayout::List, entries: entries.collect() })
        })
        .collect()
}

/// `[service.flags]` with `loginV2 = false` or `improvedPerformance = ["IMPROVED_PERFORMANCE_PROJECT"]`.
fn flags(form: &Form<'_>) -> Flags {
    let flags = form.entries().into_iter().filter_map(|entry| {
        let name = entry.key.value.clone();
        if entry.is_list() {
            let paths = entry.texts().into_iter().map(|path| path.value).collect();
            return Some(Flag { paths, ..Flag::new(name, FlagState::On) });
        }
        let state = if entry.truth()?.value { FlagState::On } else { FlagState::ExplicitlyOff };
        Some(Flag::new(name, state))
    });
    Flags { flags: flags.collect(), captured: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_file_is_read() {
        let text = r#"
purpose = "Test current performance"
deferrable = true
start = 2026-08-27T16:03:44Z
duration = "30min"
notes = ["Cold start."]
[figures]
"database.cpu.median" = "97%"
"pool.acquires" = 80085120
"database.lock_wait_ratio" = { value = "6%", of = "top-5 query time" }
"client.cpu.peak" = { not_captured = "the machine was gone" }
[service]
vcpu = 6
memory = "6 Gi"
[service.settings."Database pool"]
MaxOpenConns = 6
[service.flags]
loginV2 = false
[override]
outcome = "scale-database"
reason = "the lock is known"
"#;
        let run = read_run(&Source::new("run.toml", text)).unwrap_or_else(|faults| unreachable!("{faults}"));
        insta::assert_debug_snapshot!(run);
    }

    #[test]
    fn all_faults_of_a_run_file_come_out_at_once() {
        let text = r#"
purpos = "x"
start = "yesterday"
[figures]
"database.cpu.medain" = "97%"
database.memory = "3%"
database.cpu.p51 = "3%"
"database.cpu.peak" = "much"
"k6.iterations" = 3
[service]
memory = "6 apples"
count = -1
[override]
outcome = "x"
"#;
        let faults = read_run(&Source::new("run.toml", text)).err().unwrap_or_else(|| unreachable!());
        insta::assert_snapshot!(faults.to_string());
    }
}
