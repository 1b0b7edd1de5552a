//! Settings that change the work a request makes, and the size of the pool. Other settings are no part of the contract.

use std::collections::{BTreeMap, BTreeSet};

use super::declared::set;
use super::held::{Below, Fact, Sides, facts};
use super::normal;
use crate::diff::writing;
use crate::model::catalogue::FigureId;
use crate::model::derive;
use crate::model::environment::{Setting, SettingGroup};
use crate::model::record::Record;
use crate::model::units::show_number;

const AUTO_EXPLAIN: &str = "auto_explain";

/// What `auto_explain` has where nobody sets it (PostgreSQL's documentation, F.4): a page names what was set alone, a capture
/// everything.
const AUTO_EXPLAIN_DEFAULTS: [(&str, &str); 13] = [
    ("log_analyze", "off"),
    ("log_buffers", "off"),
    ("log_format", "text"),
    ("log_level", "log"),
    ("log_nested_statements", "off"),
    ("log_parameter_max_length", "-1"),
    ("log_settings", "off"),
    ("log_timing", "on"),
    ("log_triggers", "off"),
    ("log_verbose", "off"),
    ("log_wal", "off"),
    ("sample_rate", "1"),
    ("log_min_duration", "-1"),
];

/// Settings of PostgreSQL that make every statement cost more or less: what is written for safety, what is compiled, what is timed,
/// counted and logged.
const WORK: [&str; 8] = [
    "fsync",
    "full_page_writes",
    "jit",
    "log_min_duration_statement",
    "log_statement",
    "pg_stat_statements.track",
    "synchronous_commit",
    "track_io_timing",
];

/// A setting with the name in which it is compared, the words around it before its own: `database pool maxopenconns`.
struct Placed<'s> {
    around: String,
    name: String,
    setting: &'s Setting,
}

/// The settings of groups, their dotted keys taken apart.
fn placed(groups: &[SettingGroup]) -> impl Iterator<Item = Placed<'_>> {
    groups.iter().flat_map(|group| {
        group.entries.iter().map(|setting| {
            let key = writing::name(&setting.key);
            let (before, name) = key.rsplit_once('.').map_or((String::new(), key.clone()), |(a, b)| (a.to_owned(), b.to_owned()));
            Placed { around: format!("{} {before}", writing::name(&group.name)).trim().to_owned(), name, setting }
        })
    })
}

/// `auto_explain`: what it logs. It is off where it is not among the libraries that the database loads, or where it logs no statement.
pub(super) fn auto_explain(run: &Record) -> Option<Fact> {
    let groups = &run.environment.database.settings;
    let own: Vec<Placed<'_>> =
        placed(groups).filter(|one| one.around.split([' ', '.']).any(|word| word == AUTO_EXPLAIN)).collect();
    if !own.is_empty() {
        return Some(logged(&own));
    }
    // Where it is loaded and nobody says with what settings, what it does is unknown.
    let libraries = placed(groups).find(|one| one.name == "shared_preload_libraries")?;
    (!libraries.setting.value.contains(AUTO_EXPLAIN)).then(|| Fact::text("off"))
}

fn logged(own: &[Placed<'_>]) -> Fact {
    let value = |one: &Placed<'_>| normal::value(&one.setting.value);
    if own.iter().any(|one| one.name == "log_min_duration" && value(one) == "-1") {
        return Fact::text("off");
    }
    let is_set = |one: &&Placed<'_>| !AUTO_EXPLAIN_DEFAULTS.contains(&(one.name.as_str(), value(one).as_str()));
    let normal = own.iter().filter(is_set).map(|one| format!("{} {}", one.name, value(one)));
    let shown: Vec<String> = own.iter().map(|one| format!("{} {}", one.name, one.setting.value).trim().to_owned()).collect();
    set(normal, shown.join(", "))
}

/// One finding a setting; one for all of them, without a name, where one side knows none or all are alike.
pub(super) fn work(sides: &Sides<'_>) -> Vec<Below> {
    let first = |runs: &[&Record]| runs.iter().map(|run| work_of(run)).find(|known| !known.is_empty()).unwrap_or_default();
    let (a, b) = (first(sides.a), first(sides.b));
    if a.is_empty() || b.is_empty() {
        return vec![(None, facts(together(&a), together(&b)))];
    }
    let names: BTreeSet<&str> = a.keys().chain(b.keys()).copied().collect();
    let one = |name: &str| (Some(name.to_owned()), facts(a.get(name).cloned(), b.get(name).cloned()));
    names.into_iter().map(one).collect()
}

fn work_of(run: &Record) -> BTreeMap<&'static str, Fact> {
    let known = &run.environment.database.settings;
    let of = |wanted: &'static str| {
        let entries = known.iter().flat_map(|group| &group.entries);
        let found = entries.into_iter().find(|setting| writing::name(&setting.key) == wanted)?;
        let shown = if found.value.is_empty() { "on".to_owned() } else { found.value.trim().to_owned() };
        Some((wanted, set([normal::value(&found.value)], shown)))
    };
    WORK.into_iter().filter_map(of).collect()
}

fn together(known: &BTreeMap<&'static str, Fact>) -> Option<Fact> {
    let parts: Vec<String> = known.iter().map(|(name, fact)| format!("{name} {}", fact.shown)).collect();
    (!parts.is_empty()).then(|| Fact::text(&parts.join(", ")))
}

/// The most connections that a pool may open: by the service's settings, else as captured.
pub(super) fn pool(run: &Record) -> Option<Fact> {
    let groups = &run.environment.service.settings;
    let sizes: BTreeSet<String> = placed(groups).filter(is_pool_size).map(|one| normal::value(&one.setting.value)).collect();
    let by_figure = || derive::figure(run, FigureId::PoolMaxOpen).measurement().map(|measurement| measurement.value);
    let of = |text: &str| text.parse::<f64>().ok().filter(|size| size.is_finite());
    let size = match sizes.len() {
        0 => by_figure(),
        1 => sizes.first().and_then(|size| of(size)),
        _ => None,
    };
    match size {
        Some(size) => Some(Fact::number(size, show_number(size))),
        None if sizes.is_empty() => None,
        None => Some(Fact::text(&sizes.into_iter().collect::<Vec<_>>().join(", "))),
    }
}

/// `MaxOpenConns` anywhere, `maxConns`, `max_size` and the like of a pool.
fn is_pool_size(one: &Placed<'_>) -> bool {
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let name = letters(&one.name);
    let of_pool = ["maxconns", "maxconnections", "maxsize", "max", "size", "poolsize", "maxopen"];
    matches!(name.as_str(), "maxopenconns" | "maxopenconnections" | "maxpoolsize")
        || (letters(&one.around).contains("pool") && of_pool.contains(&name.as_str()))
}
