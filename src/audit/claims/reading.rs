//! What the record has of what a number is said of: the figure that is meant, then others that the words may mean.

use super::number::Digits;
use super::topic::{Extent, Quantity, Resource, Topic};
use super::{failed, moments};
use crate::audit::subject::figure;
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::collection::Run;
use crate::model::figure::Measurement;
use crate::model::finding::Amount;
use crate::model::stat::Stat;
use crate::model::units::{Unit, show, show_number};

/// What the record has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// The figure's name, or what it is in words.
    pub name: String,
    /// What it can be.
    pub bounds: Bounds,
    /// As a person reads it.
    pub shown: String,
    /// The number itself, where it is one.
    pub amount: Option<Amount>,
    /// How people come by its digits.
    pub digits: Digits,
    /// Whether the number told may be of a part of it.
    pub extent: Extent,
}

impl Reading {
    /// A measurement under a name.
    pub(super) fn of(name: impl Into<String>, measured: &Measurement) -> Self {
        let name = name.into();
        // k6 cuts what it prints; people copy it, or round what k6 left whole.
        let digits = if name.starts_with("k6.") { Digits::Cut } else { Digits::Rounded };
        let amount = Some(Amount { value: measured.value, bounds: measured.bounds, unit: measured.unit });
        Self { name, bounds: measured.range(), shown: measured.text(), amount, digits, extent: Extent::All }
    }

    /// An exact number under a name.
    pub(super) fn exact(name: impl Into<String>, value: f64, unit: Unit) -> Option<Self> {
        Bounds::exact(value).map(|bounds| Self::within(name, value, bounds, unit))
    }

    /// A number with its bounds under a name.
    pub(super) fn within(name: impl Into<String>, value: f64, bounds: Bounds, unit: Unit) -> Self {
        Self::of(name, &Measurement::exact(value, unit).within(bounds))
    }

    /// The same, of which a part may be told.
    pub(super) fn extent(self, extent: Extent) -> Self {
        Self { extent, ..self }
    }

    /// The same, a number that somebody chose.
    fn chosen(self) -> Self {
        Self { digits: Digits::All, ..self }
    }
}

/// What a run has of a topic, what is meant first. Where that is unknown, nothing.
pub(super) fn of(topic: &Topic, run: &Run) -> Vec<Reading> {
    let figures = |ids: &[FigureId]| figures(run, ids);
    let one = |reading: Option<Reading>| reading.into_iter().collect::<Vec<_>>();
    match topic {
        Topic::Level(resource, what, stat) => figures(levels(*resource, *what, *stat)),
        Topic::Steal => figures(&[FigureId::ClientCpuSteal]),
        Topic::LockWait(of) => one(lock_wait(run, of.as_deref())),
        Topic::PoolEmpty => figures(&[FigureId::PoolEmptyRatio]),
        Topic::PoolWait => figures(&[FigureId::PoolMeanWait]),
        Topic::PoolSize => one(pool_size(run)),
        Topic::Acquires(extent) => parts(figures(&[FigureId::PoolAcquires]), *extent),
        Topic::Vus => figures(&[FigureId::K6Vus]).into_iter().map(Reading::chosen).collect(),
        Topic::Containers => one(containers(run)),
        Topic::Pinned => one(pinned(run)),
        Topic::MaxScale => figures(&[FigureId::ContainerMaxScale]).into_iter().map(Reading::chosen).collect(),
        Topic::MinScale => one(run.record.environment.service.container.min_scale.and_then(|count| scale("min_scale", count))),
        Topic::Startups(extent) => parts(figures(&[FigureId::ContainerInstancesStartups]), *extent),
        Topic::Vcpu(resource) => vcpus(run, *resource),
        Topic::Memory(resource) => memory(run, *resource),
        Topic::Connections => figures(&[FigureId::DatabaseConnections]),
        Topic::Iterations(extent) => parts(figures(&[FigureId::K6Iterations]), *extent),
        Topic::Interrupted => one(interrupted(run)),
        Topic::Requests(extent) => parts(figures(&[FigureId::K6Requests]), *extent),
        Topic::Checks(extent) => parts(figures(&[FigureId::K6Checks]), *extent),
        Topic::IterationsPerS => figures(&[FigureId::K6IterationsPerS, FigureId::K6TestIterationsPerS]),
        Topic::RequestsPerS(server) => requests_per_s(run, *server),
        Topic::TransactionsPerS => figures(&[FigureId::DatabaseTransactionsPerS]),
        Topic::ReadsPerS => figures(&[FigureId::DatabaseIopsRead]),
        Topic::WritesPerS => figures(&[FigureId::DatabaseIopsWrite]),
        Topic::Latency(Some(metric), stat) => one(trend(run, metric, *stat)),
        Topic::Latency(None, stat) => server_latency(*stat).map(|id| figures(&[id])).unwrap_or_default(),
        Topic::Aborted
        | Topic::FailedChecks(_)
        | Topic::Failed(..)
        | Topic::FailedShare
        | Topic::Success
        | Topic::FailedCheckShare => failed::of(topic, run),
        Topic::ShareOf(_) | Topic::Quotient(..) => failed::shares(topic, run),
        Topic::SameTime(_) | Topic::Duration | Topic::IntoRun(_) | Topic::Clock | Topic::Day => moments::of(topic, run),
    }
}

/// The figures that are known, if the first is.
fn figures(run: &Run, ids: &[FigureId]) -> Vec<Reading> {
    if ids.first().is_none_or(|first| figure(run, *first).is_none()) {
        return Vec::new();
    }
    ids.iter().filter_map(|id| Some(Reading::of(id.name(), &figure(run, *id)?))).collect()
}

fn parts(readings: Vec<Reading>, extent: Extent) -> Vec<Reading> {
    readings.into_iter().map(|reading| reading.extent(extent)).collect()
}

fn levels(resource: Resource, what: Quantity, stat: Option<Stat>) -> &'static [FigureId] {
    use FigureId as F;
    let is = |wanted: Stat| stat == Some(wanted);
    match (resource, what) {
        (Resource::Service, Quantity::Cpu) if stat.is_none() => &[F::ContainerCpuP50, F::ContainerCpuPeak, F::ContainerCpuP99],
        (Resource::Service, Quantity::Cpu) if is(Stat::Med) => &[F::ContainerCpuP50],
        (Resource::Service, Quantity::Cpu) if is(Stat::p(99)) => &[F::ContainerCpuP99],
        (Resource::Service, Quantity::Cpu) if is(Stat::Max) => &[F::ContainerCpuPeak],
        (Resource::Service, Quantity::Memory) if stat.is_none() => &[F::ContainerMemoryP50, F::ContainerMemoryPeak],
        (Resource::Service, Quantity::Memory) if is(Stat::Med) => &[F::ContainerMemoryP50],
        (Resource::Service, Quantity::Memory) if is(Stat::Max) => &[F::ContainerMemoryPeak],
        (Resource::Service, Quantity::Either) if stat.is_none() || is(Stat::Med) => {
            &[F::ContainerCpuP50, F::ContainerCpuPeak, F::ContainerCpuP99, F::ContainerMemoryP50, F::ContainerMemoryPeak]
        }
        (Resource::Database, Quantity::Cpu) if stat.is_none() => &[F::DatabaseCpuMedian, F::DatabaseCpuPeak],
        (Resource::Database, Quantity::Cpu) if is(Stat::Med) => &[F::DatabaseCpuMedian],
        (Resource::Database, Quantity::Cpu) if is(Stat::Max) => &[F::DatabaseCpuPeak],
        (Resource::Database, Quantity::Memory) if stat.is_none() => &[F::DatabaseMemory],
        (Resource::Database, Quantity::Either) if stat.is_none() || is(Stat::Med) => {
            &[F::DatabaseCpuMedian, F::DatabaseCpuPeak, F::DatabaseMemory]
        }
        (Resource::Client, Quantity::Cpu) if is(Stat::Max) => &[F::ClientCpuPeak],
        _ => &[],
    }
}

/// The share of lock wait, if it is of what the text says. Two shares of two things are both right.
fn lock_wait(run: &Run, of: Option<&str>) -> Option<Reading> {
    let share = figure(run, FigureId::DatabaseLockWaitRatio)?;
    let is_same = match (of, &share.of) {
        (Some(told), Some(known)) => told.eq_ignore_ascii_case(known),
        (Some(_), None) => false,
        (None, _) => true,
    };
    is_same.then(|| Reading::of(FigureId::DatabaseLockWaitRatio.name(), &share))
}

/// A container's pool, captured or set.
fn pool_size(run: &Run) -> Option<Reading> {
    if let Some(open) = figure(run, FigureId::PoolMaxOpen) {
        return Some(Reading::of(FigureId::PoolMaxOpen.name(), &open).chosen());
    }
    let settings = run.record.environment.service.settings.iter().flat_map(|group| &group.entries);
    let set = settings.filter(|entry| entry.key == "MaxOpenConns").find_map(|entry| entry.value.parse::<f64>().ok());
    set.and_then(|set| Reading::exact("the setting MaxOpenConns", set, Unit::Count)).map(Reading::chosen)
}

/// How many containers ran, at any time.
fn containers(run: &Run) -> Option<Reading> {
    let median = figure(run, FigureId::ContainerInstancesMedian);
    let range = figure(run, FigureId::ContainerInstancesMin).zip(figure(run, FigureId::ContainerInstancesMax));
    let name = FigureId::ContainerInstancesMedian.name();
    let (reading, bounds) = match (median, range) {
        (median, Some((min, max))) => {
            let bounds = Bounds::new(min.range().lo(), max.range().hi())?;
            let shown = if min.value < max.value { format!("{} to {}", min.text(), max.text()) } else { max.text() };
            let known = median
                .map_or_else(|| Reading::of(FigureId::ContainerInstancesMax.name(), &max), |median| Reading::of(name, &median));
            let shown = if known.name == name && min.value < max.value { format!("{} ({shown})", known.shown) } else { shown };
            (Reading { shown, ..known }, bounds)
        }
        (Some(median), None) => (Reading::of(name, &median), median.range()),
        (None, None) => return run.record.environment.service.container.count.and_then(|count| scale("count", count)),
    };
    Some(Reading { bounds, ..reading }.chosen())
}

fn scale(name: &str, count: u64) -> Option<Reading> {
    #[allow(clippy::cast_precision_loss, reason = "no service has 2^53 containers")]
    let count = count as f64;
    Reading::exact(format!("environment.service.container.{name}"), count, Unit::Count).map(Reading::chosen)
}

/// The number that the containers were held at: the fixed one, or the most there may be where it is the fewest, too.
fn pinned(run: &Run) -> Option<Reading> {
    let container = &run.record.environment.service.container;
    let held = container.count.or_else(|| container.max_scale.filter(|most| container.min_scale == Some(*most)));
    held.and_then(|held| scale(if container.count.is_some() { "count" } else { "max_scale" }, held)).or_else(|| containers(run))
}

fn vcpus(run: &Run, resource: Resource) -> Vec<Reading> {
    match resource {
        Resource::Database => figures(run, &[FigureId::DatabaseVcpu]),
        Resource::Client => Vec::new(),
        Resource::Service => {
            let mut readings = figures(run, &[FigureId::ContainerVcpu]);
            let all = figure(run, FigureId::ContainerMaxScale).zip(figure(run, FigureId::ContainerVcpu));
            let all =
                all.and_then(|(most, each)| Reading::exact("vCPUs of all containers", most.value * each.value, Unit::Count));
            if !readings.is_empty() {
                readings.extend(all);
            }
            readings
        }
    }
}

/// Memory as it was bought. People write `32 GB` for 32 GiB, so both are right.
fn memory(run: &Run, resource: Resource) -> Vec<Reading> {
    let id = match resource {
        Resource::Database => FigureId::DatabaseMemorySize,
        Resource::Service => FigureId::ContainerMemorySize,
        Resource::Client => return Vec::new(),
    };
    let Some(size) = figure(run, id) else { return Vec::new() };
    let ratio = (1024.0_f64 / 1000.0).powi(3);
    let loose = [size.value / ratio, size.value * ratio];
    let loose = loose.into_iter().filter_map(|value| Reading::exact(id.name(), value, Unit::Bytes));
    std::iter::once(Reading::of(id.name(), &size)).chain(loose).collect()
}

fn interrupted(run: &Run) -> Option<Reading> {
    let count = run.record.k6.as_ref()?.iterations.interrupted?;
    #[allow(clippy::cast_precision_loss, reason = "no run has 2^53 iterations")]
    Reading::exact("k6's interrupted iterations", count as f64, Unit::Count)
}

/// Requests per second: at the platform, or as k6 counts them; both where the words don't say whose.
fn requests_per_s(run: &Run, server: bool) -> Vec<Reading> {
    let platform = figure(run, FigureId::ServerRequestsPerS).map(|rate| Reading::of(FigureId::ServerRequestsPerS.name(), &rate));
    let k6 = run.record.k6.as_ref().and_then(|k6| {
        let value = k6.value("http_reqs", Stat::Rate)?;
        Some(Reading::within("k6.http_reqs.rate", value, k6.bounds("http_reqs", Stat::Rate)?, Unit::PerSecond))
    });
    if server { platform.into_iter().collect() } else { platform.into_iter().chain(k6).collect() }
}

fn server_latency(stat: Stat) -> Option<FigureId> {
    let of = [
        (Stat::Med, FigureId::ServerLatencyP50),
        (Stat::p(95), FigureId::ServerLatencyP95),
        (Stat::p(99), FigureId::ServerLatencyP99),
    ];
    of.into_iter().find(|(known, _)| *known == stat).map(|(_, id)| id)
}

/// A statistic of a trend that the text names, with or without the `_duration` at its end.
fn trend(run: &Run, metric: &str, stat: Stat) -> Option<Reading> {
    let k6 = run.record.k6.as_ref()?;
    let stats = if stat == Stat::Med { [Stat::Med, Stat::p(50)] } else { [stat, stat] };
    let names = [metric.to_owned(), format!("{metric}_duration")];
    let known = names.iter().find(|name| k6.metrics.contains_key(*name))?;
    stats.into_iter().find_map(|stat| {
        let value = k6.value(known, stat)?;
        let name = format!("k6.{known}.{stat}");
        Some(Reading { shown: show(value, Unit::Ms), ..Reading::within(name, value, k6.bounds(known, stat)?, Unit::Ms) })
    })
}

/// A count as people read it.
pub(super) fn count(value: f64) -> String {
    show_number(value)
}
