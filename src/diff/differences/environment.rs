//! Machines, versions and locations of two sides.

use std::collections::BTreeMap;

use super::change;
use super::quantity::are_near;
use crate::diff::writing;
use crate::model::comparison::{Area, SettingChange};
use crate::model::environment::{Client, Container, Database, Service, Size};
use crate::model::record::Record;
use crate::model::units::{show_count, show_number};

/// A fact as it is shown, and in the form in which it is compared.
#[derive(Clone, Debug, PartialEq)]
struct Fact {
    shown: String,
    normal: Normal,
}

#[derive(Clone, Debug, PartialEq)]
enum Normal {
    Words(String),
    Number(f64),
}

/// The facts that differ or are known on one side alone, under the keys of the contract.
pub(super) fn changes(a: &Record, b: &Record) -> Vec<SettingChange> {
    let (of_a, of_b) = (facts(a), facts(b));
    let change = |(key, a): (&'static str, Option<Fact>)| {
        let b = of_b.get(key).cloned().flatten();
        let are_alike = a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| a.normal.is_alike(&b.normal));
        let shown = |fact: &Option<Fact>| fact.as_ref().map(|fact| fact.shown.clone());
        change::of_shown(Area::Environment, key, shown(&a).as_deref(), shown(&b).as_deref(), |_, _| are_alike)
    };
    of_a.into_iter().filter_map(change).collect()
}

/// Every field of the environment by its key; settings and flags are told elsewhere. The taking apart names all fields, so that a new
/// one is not forgotten.
fn facts(record: &Record) -> BTreeMap<&'static str, Option<Fact>> {
    let environment = &record.environment;
    client(record, &environment.client)
        .into_iter()
        .chain(service(&environment.service))
        .chain(database(&environment.database))
        .collect()
}

type Facts = Vec<(&'static str, Option<Fact>)>;

fn client(record: &Record, client: &Client) -> Facts {
    let Client { location, machine, k6_version, harness_version } = client;
    let by_k6 = record.k6.as_ref().and_then(|summary| summary.source.k6_version.as_ref());
    vec![
        ("client.location", words(location.as_ref(), writing::name)),
        ("client.machine", words(machine.as_ref(), writing::name)),
        ("client.harness_version", words(harness_version.as_ref(), writing::version)),
        // k6 knows best what it is.
        ("k6.version", words(by_k6.or(k6_version.as_ref()), writing::version)),
    ]
}

fn service(service: &Service) -> Facts {
    let Service { name, revision, location, version, container, settings: _, flags: _ } = service;
    let Container { vcpu, memory, count, min_scale, max_scale, concurrency } = container;
    vec![
        ("service.name", words(name.as_ref(), writing::name)),
        ("service.revision", words(revision.as_ref(), writing::name)),
        ("service.location", words(location.as_ref(), writing::name)),
        ("service.version", words(version.as_ref(), writing::version)),
        ("service.container.vcpu", vcpu.map(number)),
        ("service.container.memory", memory.as_ref().map(size)),
        ("service.container.count", count.map(counted)),
        ("service.container.min_scale", min_scale.map(counted)),
        ("service.container.max_scale", max_scale.map(counted)),
        ("service.container.concurrency", concurrency.map(counted)),
    ]
}

fn database(database: &Database) -> Facts {
    let Database { instance, kind, version, installed_version, edition, availability, location, tier, .. } = database;
    let Database { vcpu, memory, data_cache, disk, query_insights, query_string_length, settings: _, .. } = database;
    vec![
        ("database.instance", words(instance.as_ref(), writing::name)),
        ("database.kind", words(kind.as_ref(), product)),
        ("database.version", words(version.as_ref(), writing::numbers)),
        ("database.installed_version", words(installed_version.as_ref(), writing::numbers)),
        ("database.edition", words(edition.as_ref(), writing::word)),
        ("database.availability", words(availability.as_ref(), writing::word)),
        ("database.location", words(location.as_ref(), writing::name)),
        ("database.tier", words(tier.as_ref(), machine_type)),
        ("database.vcpu", vcpu.map(number)),
        ("database.memory", memory.as_ref().map(size)),
        ("database.data_cache", data_cache.map(truth)),
        ("database.disk", disk.as_ref().map(size)),
        ("database.query_insights", query_insights.map(truth)),
        ("database.query_string_length", query_string_length.map(counted)),
    ]
}

/// `psql` is what pages call PostgreSQL.
fn product(text: &str) -> String {
    let kind = writing::name(text);
    if matches!(kind.as_str(), "psql" | "postgres" | "pg") { "postgresql".to_owned() } else { kind }
}

/// Pages write the product before the machine type, `Cloud SQL Enterprise Plus, db-perf-optimized-N-8`; a platform does not.
fn machine_type(text: &str) -> String {
    writing::name(text.rsplit(',').next().unwrap_or(text))
}

fn words(text: Option<&String>, normal: fn(&str) -> String) -> Option<Fact> {
    let shown = text.map(|text| writing::unescaped(text)).filter(|text| !text.is_empty())?;
    Some(Fact { normal: Normal::Words(normal(&shown)), shown })
}

fn number(value: f64) -> Fact {
    Fact { shown: show_number(value), normal: Normal::Number(value) }
}

fn counted(count: u64) -> Fact {
    let shown = show_count(count);
    Fact { normal: Normal::Words(shown.clone()), shown }
}

fn truth(is_on: bool) -> Fact {
    let shown = if is_on { "on" } else { "off" }.to_owned();
    Fact { normal: Normal::Words(shown.clone()), shown }
}

fn size(size: &Size) -> Fact {
    Fact { shown: size.printed.trim().to_owned(), normal: Normal::Number(size.bytes.get()) }
}

impl Normal {
    fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => are_near(*a, *b),
            (a, b) => a == b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")))
    }

    fn memory(text: &str) -> Option<Size> {
        Size::read(text).ok()
    }

    fn told(a: &Record, b: &Record) -> Vec<String> {
        let value = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        changes(a, b).into_iter().map(|change| format!("{} {} -> {}", change.key, value(change.a), value(change.b))).collect()
    }

    #[test]
    fn another_writing_is_no_difference() {
        let (mut a, mut b) = (record(), record());
        a.environment.service.container.memory = memory("6 Gi");
        b.environment.service.container.memory = memory("6144 MiB");
        a.environment.database.version = Some("v17.4".to_owned());
        b.environment.database.version = Some("PostgreSQL 17.4 (Debian 17.4-1)".to_owned());
        a.environment.database.kind = Some("psql".to_owned());
        b.environment.database.kind = Some("PostgreSQL".to_owned());
        a.environment.database.tier = Some("Cloud SQL Enterprise Plus, db-perf-optimized-N-8".to_owned());
        b.environment.database.tier = Some("db-perf-optimized-N-8".to_owned());
        a.environment.database.edition = Some("ENTERPRISE_PLUS".to_owned());
        b.environment.database.edition = Some("Enterprise Plus".to_owned());
        a.environment.client.location = Some("EU1".to_owned());
        b.environment.client.location = Some("eu1 ".to_owned());
        assert_eq!(told(&a, &b), [""; 0]);
    }

    #[test]
    fn every_fact_that_differs_is_told_as_written() {
        let (mut a, mut b) = (record(), record());
        a.environment.database.memory = memory("32Gib");
        b.environment.database.memory = memory("64 GB");
        a.environment.service.container.min_scale = Some(7);
        b.environment.service.container.min_scale = Some(2);
        a.environment.client.location = Some("US1".to_owned());
        b.environment.client.location = Some("EU1".to_owned());
        b.environment.database.data_cache = Some(true);
        b.environment.service.container.concurrency = Some(1000);
        a.environment.database.vcpu = Some(8.0);
        b.environment.database.vcpu = Some(0.5);
        let wanted = [
            "client.location US1 -> EU1",
            "database.data_cache null -> on",
            "database.memory 32Gib -> 64 GB",
            "database.vcpu 8 -> 0.5",
            "service.container.concurrency null -> 1,000",
            "service.container.min_scale 7 -> 2",
        ];
        assert_eq!(told(&a, &b), wanted);
    }
}
