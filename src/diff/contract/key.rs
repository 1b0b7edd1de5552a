//! The table of the contract's keys.

use super::held::{Below, Fact, Held, Sides};
use super::{behaviour, declared, errors, flags, names, scale, settings};
use crate::model::comparison::Level;
use crate::model::record::Record;

/// A row of the table.
#[derive(Clone, Copy)]
pub(super) struct Key {
    /// Its only spelling.
    pub(super) name: &'static str,
    /// What it is called in a sentence: `VUs 200, not 600`.
    pub(super) words: &'static str,
    /// What a difference weighs.
    pub(super) level: Level,
    /// What it weighs that the value is unknown on one side, or not known well enough to tell.
    pub(super) untold: Level,
    /// Whether it is what the runs did, not what somebody declared.
    pub(super) is_behavioural: bool,
    /// Whether there are keys below it.
    pub(super) is_family: bool,
    how: How,
}

/// How a key is held.
#[derive(Clone, Copy)]
enum How {
    /// By a value of the first run of each side that knows it.
    Declared(fn(&Record) -> Option<Fact>),
    /// By all runs of both sides.
    Held(fn(&Sides<'_>) -> Held),
    /// The same, where the key may not apply.
    Maybe(fn(&Sides<'_>) -> Vec<Held>),
    /// By keys below it, named behind its own name.
    Family(fn(&Sides<'_>) -> Vec<Below>),
}

/// All keys, in the order of a report: what the load was, where and on what it ran, what it did. Blocking ones come first.
pub(super) const KEYS: &[Key] = &[
    blocking("target", "target", How::Held(declared::target)),
    blocking("k6.vus", "VUs", How::Declared(declared::vus)).even_untold(),
    blocking("k6.executor", "executor", How::Declared(declared::executor)),
    blocking("k6.duration", "duration", How::Declared(declared::duration)),
    blocking("client.location", "client location", How::Declared(declared::client_location)),
    blocking("service.location", "service location", How::Declared(declared::service_location)),
    blocking("database.location", "database location", How::Declared(declared::database_location)),
    blocking("service.container.vcpu", "vCPUs of a container", How::Declared(declared::container_vcpu)),
    blocking("service.container.memory", "memory of a container", How::Declared(declared::container_memory)),
    blocking("service.container.min_scale", "fewest containers", How::Maybe(scale::min)),
    blocking("service.container.max_scale", "most containers", How::Maybe(scale::max)),
    blocking("service.container.count", "containers", How::Maybe(scale::count)),
    blocking("service.flags", "flags", How::Family(flags::hold)).even_untold(),
    blocking("database.vcpu", "vCPUs of the database", How::Declared(declared::database_vcpu)),
    blocking("database.memory", "memory of the database", How::Declared(declared::database_memory)),
    blocking("k6.bytes_per_request", "bytes per request", How::Held(behaviour::bytes_per_request)).behavioural(),
    blocking("k6.requests_per_iteration", "requests per iteration", How::Held(behaviour::requests_per_iteration)).behavioural(),
    weakening("database.kind", "database", How::Declared(declared::database_kind)),
    weakening("database.version", "database version", How::Declared(declared::database_version)),
    weakening("database.tier", "database tier", How::Declared(declared::database_tier)),
    weakening("database.edition", "database edition", How::Declared(declared::database_edition)),
    weakening("database.availability", "database availability", How::Declared(declared::database_availability)),
    weakening("database.data_cache", "data cache", How::Declared(declared::data_cache)),
    weakening("database.query_insights", "query insights", How::Declared(declared::query_insights)),
    weakening("database.settings.auto_explain", "auto_explain", How::Declared(settings::auto_explain)),
    weakening("database.settings", "database settings", How::Family(settings::work)),
    weakening("service.container.concurrency", "requests a container takes at a time", How::Declared(declared::concurrency)),
    weakening("service.pool.max_open", "connections of a pool", How::Declared(settings::pool)),
    weakening("client.harness_version", "the load test's scripts", How::Declared(declared::harness_version)),
    weakening("k6.checks", "checks", How::Held(names::checks)).behavioural(),
    weakening("k6.trends", "trends", How::Held(names::trends)).behavioural(),
    weakening("k6.errors", "failed requests", How::Held(errors::mix)).behavioural(),
    informational("k6.version", "k6", How::Declared(declared::k6_version)),
    informational("k6.test_length", "length of the test", How::Held(behaviour::test_length)).behavioural(),
    informational("k6.client_time_ratio", "client time", How::Held(behaviour::client_time)).behavioural(),
];

const fn key(name: &'static str, words: &'static str, level: Level, untold: Level, how: How) -> Key {
    let is_family = matches!(how, How::Family(_));
    Key { name, words, level, untold, is_behavioural: false, is_family, how }
}

const fn blocking(name: &'static str, words: &'static str, how: How) -> Key {
    key(name, words, Level::Blocking, Level::Weakening, how)
}

const fn weakening(name: &'static str, words: &'static str, how: How) -> Key {
    key(name, words, Level::Weakening, Level::Weakening, how)
}

const fn informational(name: &'static str, words: &'static str, how: How) -> Key {
    key(name, words, Level::Informational, Level::Informational, how)
}

impl Key {
    /// A key that weighs the same where one side does not know it.
    const fn even_untold(self) -> Self {
        Self { untold: self.level, ..self }
    }

    const fn behavioural(self) -> Self {
        Self { is_behavioural: true, ..self }
    }

    /// What it comes to, by the full name of the key or of those below it; nothing where it does not apply.
    pub(super) fn hold(&self, sides: &Sides<'_>) -> Vec<(String, Held)> {
        let own = |held: Held| (self.name.to_owned(), held);
        match self.how {
            How::Declared(read) => vec![own(sides.declared(read))],
            How::Held(hold) => vec![own(hold(sides))],
            How::Maybe(hold) => hold(sides).into_iter().map(own).collect(),
            How::Family(hold) => hold(sides).into_iter().map(|(below, held)| (self.below(below), held)).collect(),
        }
    }

    fn below(&self, name: Option<String>) -> String {
        name.map_or_else(|| self.name.to_owned(), |name| format!("{}.{name}", self.name))
    }
}
