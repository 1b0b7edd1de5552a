//! How the points of a window become figures: once for all sources.
//!
//! Series that measure one thing are put into groups (`group`): the answer to one question, whole by itself. Two answers to the same
//! question, raw buckets and percentiles made of them, are two groups and never added; each gives candidates for figures, and the
//! better one is taken when all are there.

mod count;
mod distribution;
mod figure;
mod gauge;
mod group;
mod growth;
mod limits;
mod pace;
mod percentile;
mod pool;
mod spread;
mod steal;
#[cfg(test)]
mod tests;

pub(super) use self::count::CODES;
use self::group::{Group, groups};
use self::growth::Starts;
use super::findings::{Findings, Standing};
use super::mapping::{Meaning, Means, Shape};
use super::quantity::Quantity;
use super::track::Track;
use super::{File, Window};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Measurement};
use crate::model::record::Observation;
use crate::model::units::Unit;

/// What series tell of a window: figures by what the series measure. Without a window all points count.
#[must_use]
pub fn findings(tracks: &[(&Track, Meaning, &File)], window: Option<Window>) -> Findings {
    let mut found = Findings::default();
    let groups = groups(tracks, window, &mut found);
    let starts = Starts::of(&groups);
    for group in &groups {
        tell(group, &starts, &mut found);
    }
    pool::tell(&groups, &starts, &mut found);
    found
}

/// What one group tells.
fn tell(group: &Group<'_>, starts: &Starts<'_>, found: &mut Findings) {
    if let (Some(lacking), Some(file)) = (&group.lacking, group.limited) {
        let place = file.source.at(0..0);
        found.told.push(Diagnostic::warning("truncated", format!("{}: {lacking}", file.path)).at(place));
    }
    if let Some(why) = group.refusal() {
        if let Some(file) = group.file().filter(|_| group.more_pages) {
            let help = "fetch the next page (pageToken) and give both";
            found.pass_over(&file.path, why.clone());
            found.told.push(file.complaint("truncated", format!("{}: {why}", file.path)).help(help));
        }
        for id in figures_of(group) {
            found.add(id, Figure::not_captured(why.clone()), Standing::None);
        }
        return;
    }
    match (group.means, group.shape) {
        (Means::Figure(id), _) => figure::tell(group, id, found),
        (Means::Quantity(quantity), Shape::Percentile { percent, averaged }) => {
            percentile::tell(group, quantity, percent, averaged, found);
        }
        (Means::Quantity(quantity), _) => quantity_of(group, quantity, starts, found),
    }
}

fn quantity_of(group: &Group<'_>, quantity: Quantity, starts: &Starts<'_>, found: &mut Findings) {
    match quantity {
        Quantity::ContainerCpu | Quantity::ContainerMemory | Quantity::ServerLatency => {
            if group.has_buckets() {
                distribution::tell(group, quantity, starts, found);
            } else {
                spread::tell(group, quantity, found);
            }
        }
        Quantity::ClientCpu => spread::tell(group, quantity, found),
        Quantity::ClientSteal => steal::tell(group, starts, found),
        Quantity::ContainerInstances
        | Quantity::DatabaseCpu
        | Quantity::DatabaseMemory
        | Quantity::DatabaseConnections
        | Quantity::DatabaseWaits => gauge::tell(group, quantity, found),
        Quantity::ContainerStartups
        | Quantity::ServerRequests
        | Quantity::DatabaseTransactions
        | Quantity::DatabaseReads
        | Quantity::DatabaseWrites => count::tell(group, quantity, starts, found),
        // Of several series together, or not of this room.
        Quantity::PoolAcquires
        | Quantity::PoolEmptyAcquires
        | Quantity::PoolWait
        | Quantity::PoolMaxOpen
        | Quantity::ProcessStart
        | Quantity::QueryTime
        | Quantity::QueryLockTime
        | Quantity::QueryIoTime
        | Quantity::QueryLatency
        | Quantity::Ignored => {}
    }
}

/// The figures that a group would give.
fn figures_of(group: &Group<'_>) -> Vec<FigureId> {
    match (group.means, group.shape) {
        (Means::Figure(id), _) => vec![id],
        (Means::Quantity(quantity), Shape::Percentile { percent, .. }) => {
            percentile::figure_of(quantity, percent).into_iter().collect()
        }
        (Means::Quantity(quantity), _) => figures(quantity).to_vec(),
    }
}

/// The figures that follow from a quantity.
#[must_use]
pub fn figures(quantity: Quantity) -> &'static [FigureId] {
    use FigureId as F;
    match quantity {
        Quantity::ContainerCpu => &[F::ContainerCpuP50, F::ContainerCpuP99, F::ContainerCpuPeak],
        Quantity::ContainerMemory => &[F::ContainerMemoryP50, F::ContainerMemoryPeak],
        Quantity::ContainerInstances => &[F::ContainerInstancesMedian, F::ContainerInstancesMin, F::ContainerInstancesMax],
        Quantity::ContainerStartups => &[F::ContainerInstancesStartups],
        Quantity::ServerRequests => &[F::ServerRequestsPerS],
        Quantity::ServerLatency => &[F::ServerLatencyP50, F::ServerLatencyP95, F::ServerLatencyP99],
        Quantity::PoolAcquires => &[F::PoolAcquires, F::PoolEmptyRatio, F::PoolMeanWait],
        Quantity::PoolEmptyAcquires => &[F::PoolEmptyRatio],
        Quantity::PoolWait => &[F::PoolMeanWait],
        Quantity::PoolMaxOpen => &[F::PoolMaxOpen],
        Quantity::DatabaseCpu => &[F::DatabaseCpuMedian, F::DatabaseCpuPeak],
        Quantity::DatabaseMemory => &[F::DatabaseMemory],
        Quantity::DatabaseConnections => &[F::DatabaseConnections],
        Quantity::DatabaseTransactions => &[F::DatabaseTransactionsPerS],
        Quantity::DatabaseReads => &[F::DatabaseIopsRead],
        Quantity::DatabaseWrites => &[F::DatabaseIopsWrite],
        Quantity::ClientCpu => &[F::ClientCpuPeak],
        Quantity::ClientSteal => &[F::ClientCpuSteal],
        Quantity::QueryTime => &[F::DatabaseLockWaitRatio, F::DatabaseTopQueryRatio],
        _ => &[],
    }
}

/// A value of a group with everything the record keeps about it.
fn measured(group: &Group<'_>, value: f64, unit: Unit, method: impl Into<String>) -> Measurement {
    Measurement {
        coverage: Some(group.coverage()),
        lacking: group.lacking.clone(),
        files: group.files(),
        series: Some(group.series.len() as u64),
        ..Measurement::exact(value, unit).by(method).from(group.metric)
    }
}

/// A measurement as a figure: incomplete where its source lacks something.
fn judged(measurement: Measurement) -> Figure {
    if !measurement.value.is_finite() {
        return Figure::not_captured("its points add up to more than a number can hold");
    }
    let is_whole = measurement.lacking.is_none() && measurement.coverage.is_none_or(Coverage::is_complete);
    if is_whole { Figure::Measured(measurement) } else { Figure::Incomplete(measurement) }
}

/// How good a group is as a source.
fn standing(group: &Group<'_>) -> Standing {
    match (group.means, group.shape) {
        (Means::Figure(_), _) | (_, Shape::Increase) => Standing::Computed,
        (_, Shape::Percentile { averaged: true, .. }) => Standing::Averaged,
        (_, Shape::Percentile { .. } | Shape::Rate) => Standing::Reduced,
        (_, Shape::Gauge | Shape::Delta | Shape::Counter) => Standing::Raw,
    }
}

fn observed(name: impl Into<String>, measurement: Measurement) -> Observation {
    Observation { name: name.into(), measurement }
}

/// The middle value; the mean of the two middle ones of an even number. The values in order.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let at = |index: usize| sorted.get(index).copied();
    Some(f64::midpoint(at(sorted.len().checked_sub(1)? / 2)?, at(sorted.len() / 2)?))
}

/// Values, the lowest first.
pub(super) fn in_order(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}
