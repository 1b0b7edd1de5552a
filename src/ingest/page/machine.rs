//! What it ran on: containers, database, load generator.

use super::draft::Draft;
use super::grammar::{goes_on, pattern, walk, whole};
use super::sheet::Cell;
use crate::model::environment::{Setting, SettingGroup, SettingLayout, Size};
use crate::model::page::PageRow;
use crate::model::units::{Unit, Written};

pattern! {
    VCPU = r"^(?i:v?CPUs?):\s*(~N)";
    MEMORY = r"^(?i:memory):\s*(~N\s?[A-Za-z]*)";
    COUNT = r"^(?i:(Container count|Containers|Container min scale|Container max scale|Min scale|Max scale|Concurrency)):\s*([0-9][0-9,]*)(?:\s+requests?\s+per\s+container)?";
    CACHE = r"^(?i:Data cache):\s*(?i:(enabled|disabled|on|off))\b";
    KIND = r"^(?i:type):\s*(\S+)";
    VERSION = r"^(?i:version):\s*(v?[0-9][\w.+-]*(?:\s*\([^)]*\))?)";
    BARE = r"^([A-Za-z][A-Za-z ]*?)\s+(v?[0-9][\w.+-]*(?:\s*\([^)]*\))?)$";
    EXTENSION = r"^([a-z][a-z0-9_.]*)\s+on:\s*(\w+(?: [0-9]\S*(?: (?:ns|us|µs|ms|s|min|kB|MB|GB)\b)?)?(?:,\s*\w+(?: [0-9][\w.]*(?: (?:ns|us|µs|ms|s|min|kB|MB|GB)\b)?)?)*)";
}

/// Reads the row of the containers.
pub(super) fn container(draft: &mut Draft, cell: &Cell) {
    let rest = walk(cell, |text| {
        let container = &mut draft.record.environment.service.container;
        vcpu(text, &mut container.vcpu).or_else(|| memory(text, &mut container.memory)).or_else(|| {
            let found = COUNT.captures(text)?;
            let place = match found[1].to_lowercase().as_str() {
                "container count" | "containers" => &mut container.count,
                "container min scale" | "min scale" => &mut container.min_scale,
                "container max scale" | "max scale" => &mut container.max_scale,
                _ => &mut container.concurrency,
            };
            put(place, whole(&found[2])?).then_some(found[0].len())
        })
    });
    draft.notes(PageRow::ServiceContainer, rest);
}

/// Reads the row of the database's machine. What stands before everything else is the product and its tier.
pub(super) fn database(draft: &mut Draft, cell: &Cell) {
    let database = &mut draft.record.environment.database;
    let mut rest = walk(cell, |text| {
        vcpu(text, &mut database.vcpu)
            .or_else(|| memory(text, &mut database.memory))
            .or_else(|| cache(text, &mut database.data_cache))
    });
    let first = cell.lines.first().map(|line| line.text.as_str()).unwrap_or_default();
    if rest.first().is_some_and(|tier| first.starts_with(tier.as_str()) && is_tier(tier)) {
        database.tier = Some(rest.remove(0));
    }
    draft.notes(PageRow::DatabaseSpecification, rest);
}

/// A product and machine type is no sentence.
fn is_tier(text: &str) -> bool {
    !text.contains(": ") && !text.ends_with('.') && !text.contains(". ") && text.len() < 100
}

/// Reads the row of the database's kind and version.
pub(super) fn kind(draft: &mut Draft, cell: &Cell) {
    let database = &mut draft.record.environment.database;
    if let [only] = cell.lines.as_slice()
        && let Some(found) = BARE.captures(&only.text)
    {
        database.kind = Some(found[1].to_owned());
        database.version = Some(found[2].to_owned());
        return;
    }
    let rest = walk(cell, |text| {
        if let Some(found) = KIND.captures(text) {
            return put(&mut database.kind, found[1].to_owned()).then_some(found[0].len());
        }
        if let Some(found) = VERSION.captures(text) {
            return put(&mut database.version, found[1].to_owned()).then_some(found[0].len());
        }
        let found = EXTENSION.captures(text)?;
        database.settings.push(extension(&found[1], &found[2]));
        Some(found[0].len())
    });
    draft.notes(PageRow::Database, rest);
}

/// `auto_explain on: log_analyze, log_min_duration 10 ms`.
fn extension(name: &str, list: &str) -> SettingGroup {
    let entry = |text: &str| {
        let (key, value) = text.split_once(' ').unwrap_or((text, ""));
        Setting::new(key, value)
    };
    let entries = list.split(',').map(|text| entry(text.trim())).collect();
    SettingGroup { name: name.to_owned(), layout: SettingLayout::List, entries }
}

/// Reads the row of the load generator's machine.
pub(super) fn client(draft: &mut Draft, cell: &Cell) {
    let mut rest = walk(cell, |text| super::metrics::client(draft, text));
    if !rest.is_empty() {
        draft.record.environment.client.machine = Some(rest.remove(0));
    }
    draft.notes(PageRow::ClientMachine, rest);
}

fn vcpu(text: &str, place: &mut Option<f64>) -> Option<usize> {
    let found = VCPU.captures(text).filter(|found| !goes_on(text, found[0].len()))?;
    let value = Written::read(&found[1], Unit::Count).ok()?.value;
    put(place, value).then_some(found[0].len())
}

fn memory(text: &str, place: &mut Option<Size>) -> Option<usize> {
    let found = MEMORY.captures(text)?;
    // Where breaks are lost, the next word stands where a unit would: `Memory: 6 Container count: 2`.
    let size = Size::read(&found[1]).ok()?;
    put(place, size).then_some(found[0].len())
}

fn cache(text: &str, place: &mut Option<bool>) -> Option<usize> {
    let found = CACHE.captures(text)?;
    let on = matches!(found[1].to_lowercase().as_str(), "enabled" | "on");
    put(place, on).then_some(found[0].len())
}

/// Fills a field that is empty or says the same.
fn put<T: PartialEq>(place: &mut Option<T>, value: T) -> bool {
    match place {
        Some(known) => *known == value,
        None => {
            *place = Some(value);
            true
        }
    }
}
