//! What somebody declared of a run: load, places, machines.

use std::collections::BTreeSet;

use super::held::{Fact, Held, Normal, Sides};
use super::version::Version;
use crate::diff::writing;
use crate::model::catalogue::FigureId;
use crate::model::derive;
use crate::model::environment::Size;
use crate::model::figure::Figure;
use crate::model::record::Record;
use crate::model::summary::Scenario;
use crate::model::units::{Unit, show, show_count, show_number};

/// The target, which every run has; two of them are held where somebody compares runs of two targets.
pub(super) fn target(sides: &Sides<'_>) -> Held {
    sides.declared(|run| Some(Fact::text(run.identity.target.as_str())))
}

/// By k6, else by its scenarios, else as stated.
pub(super) fn vus(run: &Record) -> Option<Fact> {
    let id = FigureId::K6Vus;
    let by_figure = |figure: &Figure| figure.measurement().map(|measurement| measurement.value);
    let by_scenarios = || {
        let vus: Option<Vec<u64>> = scenarios(run).iter().map(|scenario| scenario.vus).collect();
        vus.filter(|vus| !vus.is_empty()).map(|vus| vus.iter().map(|vus| *vus as f64).sum())
    };
    let stated = || run.stated.get(id).and_then(by_figure);
    let vus = by_figure(&derive::figure(run, id)).or_else(by_scenarios).or_else(stated)?;
    Some(Fact::number(vus, show_number(vus)))
}

fn scenarios(run: &Record) -> &[Scenario] {
    run.k6.as_ref().map(|summary| summary.scenarios.as_slice()).unwrap_or_default()
}

/// How many scenarios ran for a time. k6 prints no executor: one that ends by its iterations has no duration, and neither has one
/// whose duration is no whole number of seconds, so those are unknown.
pub(super) fn executor(run: &Record) -> Option<Fact> {
    let scenarios = scenarios(run);
    let are_timed = !scenarios.is_empty() && scenarios.iter().all(|scenario| scenario.duration_s.is_some());
    let shown = match scenarios.len() {
        1 => "one scenario for a time".to_owned(),
        count => format!("{count} scenarios for a time"),
    };
    are_timed.then(|| Fact::text(&shown))
}

/// The durations of the scenarios, else what the test was given as somebody stated it.
pub(super) fn duration(run: &Record) -> Option<Fact> {
    let by_scenario: Option<Vec<f64>> = scenarios(run).iter().map(|scenario| scenario.duration_s.map(|s| s as f64)).collect();
    let mut seconds = by_scenario.filter(|seconds| !seconds.is_empty()).or_else(|| Some(vec![run.window.duration_s?]))?;
    seconds.sort_by(f64::total_cmp);
    match seconds.as_slice() {
        [one] => Some(Fact::number(*one, show(one * 1e3, Unit::Ms))),
        several => {
            let shown: Vec<String> = several.iter().map(|seconds| show(seconds * 1e3, Unit::Ms)).collect();
            Some(Fact::text(&shown.join(", ")))
        }
    }
}

pub(super) fn client_location(run: &Record) -> Option<Fact> {
    text(run.environment.client.location.as_ref())
}

pub(super) fn service_location(run: &Record) -> Option<Fact> {
    text(run.environment.service.location.as_ref())
}

pub(super) fn database_location(run: &Record) -> Option<Fact> {
    text(run.environment.database.location.as_ref())
}

pub(super) fn container_vcpu(run: &Record) -> Option<Fact> {
    run.environment.service.container.vcpu.map(number)
}

pub(super) fn container_memory(run: &Record) -> Option<Fact> {
    run.environment.service.container.memory.as_ref().map(size)
}

pub(super) fn concurrency(run: &Record) -> Option<Fact> {
    run.environment.service.container.concurrency.map(|count| Fact::number(count as f64, show_count(count)))
}

pub(super) fn database_vcpu(run: &Record) -> Option<Fact> {
    run.environment.database.vcpu.map(number)
}

pub(super) fn database_memory(run: &Record) -> Option<Fact> {
    run.environment.database.memory.as_ref().map(size)
}

/// `psql` is what pages call PostgreSQL.
pub(super) fn database_kind(run: &Record) -> Option<Fact> {
    let fact = text(run.environment.database.kind.as_ref())?;
    let is_postgres = matches!(&fact.normal, Normal::Text(kind) if matches!(kind.as_str(), "psql" | "postgres" | "pg"));
    Some(if is_postgres { Fact { normal: Normal::Text("postgresql".to_owned()), ..fact } } else { fact })
}

/// The version that runs where the platform tells it, else the one that was asked for.
pub(super) fn database_version(run: &Record) -> Option<Fact> {
    let database = &run.environment.database;
    let written = known(database.installed_version.as_ref()).or_else(|| known(database.version.as_ref()))?;
    Some(Fact { normal: Normal::Version(Version::minor(written)), shown: writing::unescaped(written) })
}

/// The machine type. Pages write the product before it, `Cloud SQL Enterprise Plus, db-perf-optimized-N-8`, a platform does not.
pub(super) fn database_tier(run: &Record) -> Option<Fact> {
    let fact = text(run.environment.database.tier.as_ref())?;
    let machine = fact.shown.rsplit(',').next().map(writing::name)?;
    Some(Fact { normal: Normal::Text(machine), ..fact })
}

pub(super) fn database_edition(run: &Record) -> Option<Fact> {
    word(run.environment.database.edition.as_ref())
}

pub(super) fn database_availability(run: &Record) -> Option<Fact> {
    word(run.environment.database.availability.as_ref())
}

pub(super) fn data_cache(run: &Record) -> Option<Fact> {
    run.environment.database.data_cache.map(Fact::truth)
}

pub(super) fn query_insights(run: &Record) -> Option<Fact> {
    run.environment.database.query_insights.map(Fact::truth)
}

/// By k6's own word, else as stated.
pub(super) fn k6_version(run: &Record) -> Option<Fact> {
    let by_k6 = run.k6.as_ref().and_then(|summary| known(summary.source.k6_version.as_ref()));
    by_k6.or_else(|| known(run.environment.client.k6_version.as_ref())).map(build)
}

/// The version of the load test's scripts.
pub(super) fn harness_version(run: &Record) -> Option<Fact> {
    known(run.environment.client.harness_version.as_ref()).map(build)
}

/// The service's build.
pub(super) fn service_version(run: &Record) -> Option<Fact> {
    known(run.environment.service.version.as_ref()).map(build)
}

fn build(written: &str) -> Fact {
    Fact { normal: Normal::Text(writing::version(written)), ..Fact::text(written) }
}

/// A text that says something.
fn known(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn text(written: Option<&String>) -> Option<Fact> {
    known(written).map(Fact::text)
}

fn word(written: Option<&String>) -> Option<Fact> {
    known(written).map(|written| Fact { normal: Normal::Text(writing::word(written)), ..Fact::text(written) })
}

fn number(value: f64) -> Fact {
    Fact::number(value, show_number(value))
}

fn size(size: &Size) -> Fact {
    Fact::number(size.bytes.get(), size.printed.trim().to_owned())
}

/// Things without an order, and how they are shown.
pub(super) fn set(parts: impl IntoIterator<Item = String>, shown: String) -> Fact {
    Fact { normal: Normal::Set(parts.into_iter().collect::<BTreeSet<String>>()), shown }
}
