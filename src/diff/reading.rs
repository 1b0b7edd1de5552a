//! What one run says of a metric: a value with what rounding allows, and the blocks behind it where there are some.

use super::blocks::{self, Window, samples_for};
use super::metric::{self, Metric, Subject};
use super::sides::{Member, Members};
use super::statistics::quantile::median;
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::comparison::{Basis, Counted, Incident, Kind};
use crate::model::derive;
use crate::model::figure::Figure;
use crate::model::record::Record;
use crate::model::stat::Stat;
use crate::model::summary::Metric as K6Metric;
use crate::model::units::whole;

/// Lengths of blocks, shortest first: those that series keep.
const LENGTHS: [u32; 4] = [30, 60, 120, 300];
/// Blocks a run needs before their median is taken for it.
const FEWEST_BLOCKS: usize = 2;

/// A metric of one run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// The value that is compared.
    pub value: f64,
    /// What rounding allows it to be.
    pub bounds: Bounds,
    /// The blocks whose median (of throughput, mean) it is; empty for a single value.
    pub blocks: Vec<f64>,
}

/// The runs of both sides, read in one way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Readings {
    pub basis: Basis,
    /// Seconds of a block; zero without blocks.
    pub block_s: u32,
    pub a: Vec<Reading>,
    pub b: Vec<Reading>,
    /// What a reader of the numbers should know of this way.
    pub notes: Vec<String>,
}

/// How runs are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut<'a> {
    /// Seconds of warm-up.
    pub warm_up_s: f64,
    /// What is left out of each run of `a`, and of `b`; empty slices leave out nothing.
    pub without: [&'a [Vec<Incident>]; 2],
}

impl Cut<'_> {
    /// The warm-up alone is cut off.
    pub(super) fn warm_up(warm_up_s: f64) -> Self {
        Self { warm_up_s, without: [&[], &[]] }
    }

    fn incidents(&self, side: usize, run: usize) -> &[Incident] {
        self.without.get(side).and_then(|runs| runs.get(run)).map_or(&[], Vec::as_slice)
    }
}

/// Reads a metric of both sides in the best way that all their runs allow: blocks of raw samples, else percentiles of seconds, else
/// k6's summary.
///
/// # Errors
/// Why none of them does.
pub(super) fn read(metric: &Metric, a: &Members<'_>, b: &Members<'_>, cut: Cut<'_>) -> Result<Readings, String> {
    if let Some(readings) = by_samples(metric, a, b, cut) {
        return Ok(readings);
    }
    if let Some(readings) = by_seconds(metric, a, b, cut) {
        return Ok(readings);
    }
    if metric.kind.is_latency() && has_blocks(metric, a, cut) && has_blocks(metric, b, cut) {
        let needed = samples_for(metric.kind);
        return Err(format!("a {} takes {needed} samples a block, and even blocks of 300 s have fewer", metric.kind));
    }
    by_summary(metric, a, b)
}

/// Whether every run of a side has blocks of a metric, however few samples are in them.
fn has_blocks(metric: &Metric, members: &Members<'_>, cut: Cut<'_>) -> bool {
    let enough = |member: &Member<'_>| {
        let blocks = member.run.series.as_ref().and_then(|series| blocks::of_length(series, LENGTHS[0]));
        blocks.is_some_and(|blocks| {
            let window = Window::of(blocks::test_s(blocks), LENGTHS[0], cut.warm_up_s, &[]);
            let is_there = metric.subject.block_trends().iter().any(|trend| blocks.trends.contains_key(trend));
            is_there && window.blocks.len() >= FEWEST_BLOCKS
        })
    };
    !members.is_empty() && members.compared.iter().all(enough)
}

/// The same from k6's summaries and captured figures alone.
///
/// # Errors
/// Why they don't tell.
pub(super) fn by_summary(metric: &Metric, a: &Members<'_>, b: &Members<'_>) -> Result<Readings, String> {
    let side = |members: &Members<'_>| members.compared.iter().map(|member| single(metric, member.record())).collect();
    let (a_runs, b_runs): (Result<Vec<Reading>, String>, Result<Vec<Reading>, String>) = (side(a), side(b));
    let (a_runs, b_runs) = match (a_runs, b_runs) {
        (Ok(a_runs), Ok(b_runs)) => (a_runs, b_runs),
        (Err(a), Err(b)) if a == b => return Err(a),
        (Err(a), Err(b)) => return Err(format!("before: {a}; after: {b}")),
        (Err(a), _) => return Err(format!("before: {a}")),
        (_, Err(b)) => return Err(format!("after: {b}")),
    };
    let mut notes = Vec::new();
    let records = || a.compared.iter().chain(&b.compared).map(Member::record);
    if metric.kind.is_latency() && metric.subject == Subject::Whole {
        let told: Vec<bool> = records().map(metric::tells_successes).collect();
        if told.iter().any(|told| !told) && records().any(|record| failed(record).is_none_or(|failed| failed.count > 0)) {
            notes.push("failed requests are among them: k6's summary does not tell them apart".to_owned());
        }
    }
    let basis = if matches!(metric.kind, Kind::Cpu | Kind::LockWait) { Basis::Figures } else { Basis::Summary };
    Ok(Readings { basis, block_s: 0, a: a_runs, b: b_runs, notes })
}

/// Blocks of raw samples, of the shortest length at which every block of every run has enough of them.
fn by_samples(metric: &Metric, a: &Members<'_>, b: &Members<'_>, cut: Cut<'_>) -> Option<Readings> {
    let names = match metric.kind {
        Kind::Throughput => vec!["iterations".to_owned()],
        kind if kind.is_latency() => metric.subject.block_trends(),
        _ => return None,
    };
    names.iter().find_map(|name| {
        LENGTHS.into_iter().find_map(|seconds| {
            let side = |members: &Members<'_>, side: usize| -> Option<Vec<Reading>> {
                let runs = members.compared.iter().enumerate();
                runs.map(|(nth, member)| of_blocks(metric.kind, name, member, seconds, cut.warm_up_s, cut.incidents(side, nth)))
                    .collect()
            };
            let (a, b) = (side(a, 0)?, side(b, 1)?);
            let mut notes = Vec::new();
            if seconds > LENGTHS[0] {
                notes.push(format!("blocks of {seconds} s: shorter ones have fewer than {} samples", samples_for(metric.kind)));
            }
            if metric.kind.is_latency() && name == metric::ALL {
                notes.push("the samples don't tell successful requests from failed ones".to_owned());
            }
            Some(Readings { basis: Basis::Samples, block_s: seconds, a, b, notes })
        })
    })
}

fn of_blocks(kind: Kind, name: &str, member: &Member<'_>, seconds: u32, warm_up_s: f64, without: &[Incident]) -> Option<Reading> {
    let blocks = blocks::of_length(member.run.series.as_ref()?, seconds)?;
    let window = Window::of(blocks::test_s(blocks), seconds, warm_up_s, without);
    let values = if kind == Kind::Throughput {
        blocks::rates(blocks, name, &window)?
    } else {
        blocks::percentiles(blocks, name, kind, &window)?
    };
    of_values(kind, values)
}

/// What stands for a run's blocks, where there are enough of them: the median, of throughput the mean. A stall of a few blocks is part of
/// a run's throughput, and a median would not see it.
fn of_values(kind: Kind, blocks: Vec<f64>) -> Option<Reading> {
    if blocks.len() < FEWEST_BLOCKS {
        return None;
    }
    let value = if kind == Kind::Throughput { blocks.iter().sum::<f64>() / blocks.len() as f64 } else { median(&blocks)? };
    Some(Reading { value, bounds: Bounds::exact(value)?, blocks })
}

/// Percentiles of seconds, gathered by block: of the script's own trends, which is what published series have.
fn by_seconds(metric: &Metric, a: &Members<'_>, b: &Members<'_>, cut: Cut<'_>) -> Option<Readings> {
    let name = match &metric.subject {
        Subject::Trend(name) if metric.kind.is_latency() => name,
        _ => return None,
    };
    let side = |members: &Members<'_>, side: usize| -> Option<Vec<Reading>> {
        let runs = members.compared.iter().enumerate();
        runs.map(|(nth, member)| of_seconds(metric.kind, name, member, cut.warm_up_s, cut.incidents(side, nth))).collect()
    };
    let (a, b) = (side(a, 0)?, side(b, 1)?);
    let notes = vec![format!("the median of the seconds' {} in blocks of {} s", metric.kind, blocks::SECONDS_PER_BLOCK)];
    Some(Readings { basis: Basis::Series, block_s: blocks::SECONDS_PER_BLOCK, a, b, notes })
}

fn of_seconds(kind: Kind, name: &str, member: &Member<'_>, warm_up_s: f64, without: &[Incident]) -> Option<Reading> {
    let series = member.run.series.as_ref()?;
    let trend = series.trends.get(name).filter(|trend| !trend.points.is_empty())?;
    let span = blocks::seconds_span(series)?;
    // A percentile of a second takes as many samples as one of a block; where seconds don't count them, the load tells.
    let counted: Option<u64> = trend.points.iter().map(|point| point.count).try_fold(0_u64, |sum, count| sum.checked_add(count?));
    let per_second = match counted {
        Some(sum) => sum as f64 / trend.points.len() as f64,
        None => derive::figure(member.record(), FigureId::K6IterationsPerS).measured()?.range().lo(),
    };
    if per_second < samples_for(kind) as f64 {
        return None;
    }
    let window = Window::of(blocks::length_s(&span), blocks::SECONDS_PER_BLOCK, warm_up_s, without);
    of_values(kind, blocks::of_seconds(trend, kind, span.start, &window))
}

/// One value of a run: its own figure.
///
/// # Errors
/// Why there is none.
pub(super) fn single(metric: &Metric, record: &Record) -> Result<Reading, String> {
    match metric.kind {
        Kind::Throughput => figure(record, FigureId::K6TestIterationsPerS),
        Kind::Bytes => figure(record, FigureId::K6BytesPerRequest),
        Kind::LockWait => figure(record, FigureId::DatabaseLockWaitRatio).and_then(of_all),
        Kind::Cpu => cpu(record, &metric.subject),
        Kind::Failures => failed(record).map_or_else(|| Err("requests were not counted".to_owned()), share),
        Kind::P50 | Kind::P95 | Kind::P99 => percentile(metric, record),
    }
}

fn share(counted: Counted) -> Result<Reading, String> {
    if counted.of == 0 {
        return Err("no request was made".to_owned());
    }
    exact(counted.count as f64 / counted.of as f64)
}

/// A share can't be more than all, whatever its rounding allows: `100%` is 99.5% to 100%.
fn of_all(reading: Reading) -> Result<Reading, String> {
    let bounds = Bounds::new(reading.bounds.lo().max(0.0), reading.bounds.hi().min(1.0));
    let bounds = bounds.filter(|_| (0.0..=1.0).contains(&reading.value)).ok_or("a share is not between none and all")?;
    Ok(Reading { bounds, ..reading })
}

fn exact(value: f64) -> Result<Reading, String> {
    let bounds = Bounds::exact(value).ok_or("it is no number")?;
    Ok(Reading { value, bounds, blocks: Vec::new() })
}

fn figure(record: &Record, id: FigureId) -> Result<Reading, String> {
    match derive::figure(record, id) {
        Figure::Measured(measurement) => {
            Ok(Reading { value: measurement.value, bounds: measurement.range(), blocks: Vec::new() })
        }
        Figure::Incomplete(measurement) => {
            Err(format!("{id} is incomplete{}", measurement.lacking.map(|lacking| format!(": {lacking}")).unwrap_or_default()))
        }
        Figure::NotCaptured { reason: Some(reason) } => Err(reason),
        Figure::NotCaptured { reason: None } => Err(format!("{id} was not captured")),
    }
}

/// CPU time per iteration in milliseconds of all CPUs of a container or of the database: utilisation over iterations per second, times
/// the containers where their number is known.
fn cpu(record: &Record, subject: &Subject) -> Result<Reading, String> {
    let id = if *subject == Subject::Database { FigureId::DatabaseCpuMedian } else { FigureId::ContainerCpuP50 };
    let (busy, rate) = (figure(record, id)?, figure(record, FigureId::K6TestIterationsPerS)?);
    let containers = figure(record, FigureId::ContainerInstancesMedian).ok().filter(|_| *subject == Subject::Service);
    let number = containers.map_or(Bounds::exact(1.0), |containers| Some(containers.bounds)).ok_or("it is no number")?;
    let milliseconds = Bounds::exact(1e3).and_then(|ms| busy.bounds.times(number)?.times(ms)?.over(rate.bounds));
    let bounds = milliseconds.ok_or("there was no iteration")?;
    Ok(Reading { value: f64::midpoint(bounds.lo(), bounds.hi()), bounds, blocks: Vec::new() })
}

/// Failed requests of all requests of the test phase, where raw samples tell it, else of the whole run.
pub(super) fn failed(record: &Record) -> Option<Counted> {
    let test = record.phases.as_ref().and_then(|phases| phases.test.as_ref()).map(|test| &test.metrics);
    let summary = record.k6.as_ref().map(|k6| &k6.metrics);
    [test, summary].into_iter().flatten().find_map(|metrics| {
        let rate = metrics.get("http_req_failed")?;
        let (count, fine) = (whole(rate.value(Stat::Passes)?)?, whole(rate.value(Stat::Fails)?)?);
        Some(Counted { count, of: count.checked_add(fine)? })
    })
}

fn percentile(wanted: &Metric, record: &Record) -> Result<Reading, String> {
    let metric = metric::run_metric(record, &wanted.subject);
    let metric = metric.ok_or_else(|| "k6 has no such metric".to_owned())?;
    let percent = match wanted.kind {
        Kind::P99 => 99,
        Kind::P95 => 95,
        _ => 50,
    };
    let stat = metric.percentile(percent).ok_or_else(|| format!("k6's summary has no {}", wanted.kind))?;
    let needed = samples_for(wanted.kind);
    match samples(wanted, metric, record) {
        Some(1) => return Err("there is one sample".to_owned()),
        Some(count) if count < needed => return Err(format!("there are {count} samples; a {} takes {needed}", wanted.kind)),
        None if is_one_value(metric) => return Err("its smallest and its largest sample are alike: there is one".to_owned()),
        _ => {}
    }
    let value = metric.value(stat).unwrap_or_default();
    let bounds = metric.bounds_of(stat).ok_or("it is no number")?;
    Ok(Reading { value, bounds, blocks: Vec::new() })
}

fn is_one_value(metric: &K6Metric) -> bool {
    metric.bounds_of(Stat::Min).is_some_and(|min| metric.bounds_of(Stat::Max) == Some(min))
}

/// How many samples a metric of a run has, where that is told.
pub(super) fn samples(wanted: &Metric, metric: &K6Metric, record: &Record) -> Option<u64> {
    let counted = metric.value(Stat::Count).and_then(whole);
    let of_requests = || {
        let failed = failed(record)?;
        Some(if metric::tells_successes(record) { failed.of - failed.count } else { failed.of })
    };
    counted.or_else(|| if wanted.subject == Subject::Whole { of_requests() } else { None })
}
