//! What is compared of a target: throughput, latency of all requests and of each endpoint, failures, CPU, lock wait, bytes.

use std::collections::{BTreeMap, BTreeSet};

use super::sides::Members;
use crate::model::builtin;
use crate::model::comparison::Kind;
use crate::model::record::Record;
use crate::model::stat::Stat;
use crate::model::summary::{Metric as K6Metric, MetricKind, MetricUnit, SUCCESSES};
use crate::model::units::Unit;

/// The trend of all requests.
pub(super) const ALL: &str = "http_req_duration";

/// One comparison to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Metric {
    pub kind: Kind,
    pub subject: Subject,
}

/// What a metric is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// The whole target: its iterations, its requests, the successful ones where they are known.
    Whole,
    /// Successful requests of one name.
    Requests(String),
    /// A trend of the script's own, which takes what the script gives it.
    Trend(String),
    /// The service's containers.
    Service,
    /// The database.
    Database,
}

impl Subject {
    /// How a report names it; `None` for the whole.
    pub(super) fn of(&self) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Requests(name) => Some(format!("{ALL}{{name:{name}}}")),
            Self::Trend(trend) => Some(trend.clone()),
            Self::Service => Some("service".to_owned()),
            Self::Database => Some("database".to_owned()),
        }
    }

    /// Its name among the trends of blocks, by preference.
    pub(super) fn block_trends(&self) -> Vec<String> {
        match self {
            Self::Whole => vec![format!("{ALL}{{{SUCCESSES}}}"), ALL.to_owned()],
            Self::Requests(name) => vec![format!("{ALL}{{{SUCCESSES},name:{name}}}")],
            Self::Trend(trend) => vec![trend.clone()],
            Self::Service | Self::Database => Vec::new(),
        }
    }
}

impl Metric {
    /// A metric of the whole target.
    pub(super) fn whole(kind: Kind) -> Self {
        Self { kind, subject: Subject::Whole }
    }

    /// Its name, once in a target.
    pub(super) fn name(&self) -> String {
        match self.subject.of() {
            None => self.kind.name().to_owned(),
            Some(of) => format!("{} of {of}", self.kind),
        }
    }

    /// What its values are in.
    pub(super) fn unit(&self) -> Unit {
        match self.kind {
            Kind::Throughput => Unit::PerSecond,
            Kind::P50 | Kind::P95 | Kind::P99 | Kind::Cpu => Unit::Ms,
            Kind::Failures | Kind::LockWait => Unit::Ratio,
            Kind::Bytes => Unit::Bytes,
        }
    }
}

/// The percentiles of a latency.
pub(super) const LATENCIES: [Kind; 3] = [Kind::P50, Kind::P95, Kind::P99];

/// Everything that one of the sides has to be compared, in the order of a report.
pub(super) fn of_target(a: &Members<'_>, b: &Members<'_>) -> Vec<Metric> {
    let mut metrics = vec![Metric::whole(Kind::Throughput)];
    metrics.extend(LATENCIES.map(Metric::whole));
    for subject in told_apart([a, b]) {
        metrics.extend(LATENCIES.map(|kind| Metric { kind, subject: subject.clone() }));
    }
    metrics.push(Metric::whole(Kind::Failures));
    metrics.push(Metric { kind: Kind::Cpu, subject: Subject::Service });
    metrics.push(Metric { kind: Kind::Cpu, subject: Subject::Database });
    metrics.push(Metric { kind: Kind::LockWait, subject: Subject::Database });
    metrics.push(Metric::whole(Kind::Bytes));
    metrics
}

/// Names of requests and trends of a side's runs.
fn endpoints(side: &Members<'_>) -> BTreeSet<Subject> {
    let mut subjects = BTreeSet::new();
    for member in &side.compared {
        let blocks = member.run.series.iter().flat_map(|series| &series.blocks).flat_map(|blocks| blocks.trends.keys());
        subjects.extend(blocks.filter_map(|trend| request_name(trend)).map(Subject::Requests));
        subjects.extend(own_trends(member.record()).into_iter().map(Subject::Trend));
    }
    subjects
}

/// The name in `http_req_duration{expected_response:true,name:login}`.
fn request_name(trend: &str) -> Option<String> {
    let inner = trend.strip_prefix(ALL)?.strip_prefix('{')?.strip_suffix('}')?;
    Some(inner.strip_prefix(SUCCESSES)?.strip_prefix(",name:")?.to_owned())
}

/// The script's own trends of time: those of the test phase where raw samples tell it, else all of the summary.
pub(super) fn own_trends(record: &Record) -> BTreeSet<String> {
    let own = listed(record).into_iter().flatten().filter(|(name, metric)| is_own_trend(name, metric));
    own.map(|(name, _)| name.clone()).collect()
}

/// Whether a trend is one of them.
pub(super) fn has_own_trend(record: &Record, trend: &str) -> bool {
    listed(record).and_then(|metrics| metrics.get(trend)).is_some_and(|metric| is_own_trend(trend, metric))
}

fn listed(record: &Record) -> Option<&BTreeMap<String, K6Metric>> {
    let test = record.phases.as_ref().and_then(|phases| phases.test.as_ref()).map(|test| &test.metrics);
    test.or_else(|| record.k6.as_ref().map(|k6| &k6.metrics))
}

fn is_own_trend(name: &str, metric: &K6Metric) -> bool {
    metric.kind == MetricKind::Trend && metric.unit == Some(MetricUnit::Ms) && builtin::of(name).is_none()
}

/// The endpoints of both sides, but for those whose samples another one has too: to compare them twice would count one change twice.
fn told_apart(sides: [&Members<'_>; 2]) -> Vec<Subject> {
    let endpoints: BTreeSet<Subject> = sides.into_iter().flat_map(endpoints).collect();
    let mut known: BTreeSet<Vec<Values>> = values_of(&Subject::Whole, sides).into_iter().collect();
    let is_new = |subject: &Subject| values_of(subject, sides).is_none_or(|values| known.insert(values));
    endpoints.into_iter().filter(is_new).collect()
}

/// The values of a run's metric, as bits: to be held against the others of all other metrics at once.
type Values = Vec<(Stat, Option<u64>)>;

/// All values of a subject in every run, by which one is known that has the same samples; `None` where they are counted in none or not
/// in all.
fn values_of(subject: &Subject, sides: [&Members<'_>; 2]) -> Option<Vec<Values>> {
    // Zero is one number, and two by its bits.
    let bits = |value: Option<f64>| value.map(|value| (value + 0.0).to_bits());
    let counted = |record| run_metric(record, subject).filter(|metric| metric.value(Stat::Count).is_some());
    let values = |metric: &K6Metric| metric.values.0.iter().map(|(stat, value)| (*stat, bits(*value))).collect();
    sides.into_iter().flat_map(Members::records).map(|record| counted(record).map(values)).collect()
}

/// The metric of a run's own figures: of the test phase where raw samples tell it, else of k6's summary; of successful requests where
/// they are told.
pub(super) fn run_metric<'a>(record: &'a Record, subject: &Subject) -> Option<&'a K6Metric> {
    let test = record.phases.as_ref().and_then(|phases| phases.test.as_ref()).map(|test| &test.metrics);
    let summary = record.k6.as_ref().map(|k6| &k6.metrics);
    let find = |name: &str, part: Option<&str>| {
        [test, summary].into_iter().flatten().find_map(|metrics| {
            let metric = metrics.get(name)?;
            let metric = part.map_or(Some(metric), |part| metric.submetrics.get(part))?;
            (!metric.values.0.is_empty()).then_some(metric)
        })
    };
    match subject {
        Subject::Whole => find(ALL, Some(SUCCESSES)).or_else(|| find(ALL, None)),
        Subject::Requests(name) => find(ALL, Some(&format!("{SUCCESSES},name:{name}"))),
        Subject::Trend(trend) => find(trend, None),
        Subject::Service | Subject::Database => None,
    }
}

/// Whether the latency of the whole target is that of successful requests alone in a run.
pub(super) fn tells_successes(record: &Record) -> bool {
    let all = run_metric(record, &Subject::Trend(ALL.to_owned()));
    let whole = run_metric(record, &Subject::Whole);
    !matches!((all, whole), (Some(all), Some(whole)) if std::ptr::eq(all, whole))
}
