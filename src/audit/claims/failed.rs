//! What the record has of failures: counts by cause, and shares.

use super::number::Number;
use super::reading::{Reading, count};
use super::topic::{Cause, Extent, Topic};
use crate::audit::subject::figure;
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::collection::Run;
use crate::model::figure::Measurement;
use crate::model::units::Unit;

/// What a run has of failures.
pub(super) fn of(topic: &Topic, run: &Run) -> Vec<Reading> {
    let reading = match topic {
        Topic::Failed(Cause::Any, extent) => requests(run).map(|reading| reading.extent(*extent)),
        Topic::Failed(cause, extent) => by_cause(run, *cause).map(|reading| reading.extent(*extent)).or_else(|| {
            // Which failed of that cause nobody knows; more than all they can't be.
            requests(run).map(|reading| reading.extent(Extent::Part))
        }),
        Topic::FailedChecks(extent) => checks(run).map(|reading| reading.extent(*extent)),
        Topic::Aborted => aborted(run),
        Topic::FailedShare => share(run, "the share of failed requests", requests(run), FigureId::K6Requests, false),
        Topic::Success => share(run, "the share of requests that did not fail", requests(run), FigureId::K6Requests, true),
        Topic::FailedCheckShare => share(run, "the share of failed checks", checks(run), FigureId::K6Checks, false),
        _ => None,
    };
    reading.into_iter().collect()
}

#[allow(clippy::cast_precision_loss, reason = "no run has 2^53 requests")]
fn whole(name: impl Into<String>, value: u64) -> Option<Reading> {
    Reading::exact(name, value as f64, Unit::Count)
}

/// Requests that failed.
fn requests(run: &Run) -> Option<Reading> {
    let id = FigureId::K6FailedRequests;
    let by_k6 = figure(run, id).map(|failed| Reading::of(id.name(), &failed));
    by_k6.or_else(|| whole("errors.requests.count", run.record.errors.requests.as_ref()?.count))
}

/// Checks that did not hold.
fn checks(run: &Run) -> Option<Reading> {
    let id = FigureId::K6FailedChecks;
    let by_k6 = figure(run, id).map(|failed| Reading::of(id.name(), &failed));
    by_k6.or_else(|| whole("errors.checks.count", run.record.errors.checks.as_ref()?.count))
}

/// Iterations that an exception ended, where somebody counted them.
fn aborted(run: &Run) -> Option<Reading> {
    let aborted = &run.record.errors.aborted_iterations;
    if aborted.is_empty() { None } else { whole("errors.aborted_iterations", aborted.iter().map(|kind| kind.count).sum()) }
}

/// Failures of a cause, by the samples, else by the runner's breakdown, else as somebody told them apart.
fn by_cause(run: &Run, cause: Cause) -> Option<Reading> {
    let record = &run.record;
    if let Some(failures) = record.failures.as_ref().filter(|failures| failures.failed.is_some()) {
        let of = failures.populations.iter().filter(|one| is_of(cause, one.status, one.message.as_deref().unwrap_or_default()));
        return whole("failures of the samples", of.map(|one| one.count).sum());
    }
    if !record.errors.by_status.is_empty() {
        let of = record.errors.by_status.iter().filter(|one| is_of(cause, one.status, one.error.as_deref().unwrap_or_default()));
        return whole("errors.by_status", of.map(|one| one.requests).sum());
    }
    let told: Vec<u64> =
        record.errors.kinds.iter().filter(|kind| is_of(cause, None, &kind.what)).map(|kind| kind.count).collect();
    if told.is_empty() { None } else { whole("errors.kinds", told.iter().sum()) }
}

/// Whether a failure is of a cause.
fn is_of(cause: Cause, status: Option<u16>, message: &str) -> bool {
    let message = message.to_lowercase();
    match cause {
        Cause::Timeout => {
            status.is_none() && ["timeout", "timed out", "deadline exceeded"].iter().any(|word| message.contains(word))
        }
        Cause::Reset => status.is_none() && message.contains("reset"),
        Cause::Status(code) => status == Some(code) || status.is_none() && message.contains(&format!("http {code}")),
        Cause::Any => true,
    }
}

/// A count of all of a figure, as a share.
fn share(run: &Run, name: &str, failed: Option<Reading>, of: FigureId, rest: bool) -> Option<Reading> {
    let (failed, all) = (failed?, figure(run, of)?);
    let part = failed.bounds.over(all.range())?;
    let part = if rest { Bounds::exact(1.0)?.minus(part)? } else { part };
    let middle = f64::midpoint(part.lo(), part.hi());
    let reading = Reading::within(name, middle, part, Unit::Ratio);
    let shown = format!("{} ({} of {})", reading.shown, failed.shown, all.text());
    Some(Reading { shown, digits: super::number::Digits::Cut, ..reading })
}

/// What share a count is of another, or of what there is to be a share of: of all requests first.
pub(super) fn shares(topic: &Topic, run: &Run) -> Vec<Reading> {
    match topic {
        Topic::Quotient(part, all) => {
            quotient(&format!("{} of {}", count(part.value), count(all.value)), part, all.value, None).into_iter().collect()
        }
        Topic::ShareOf(part) => share_of(part, run),
        _ => Vec::new(),
    }
}

fn share_of(part: &Number, run: &Run) -> Vec<Reading> {
    let of = [FigureId::K6Requests, FigureId::K6FailedRequests, FigureId::K6Iterations, FigureId::K6Checks];
    if figure(run, of[0]).is_none() {
        return Vec::new();
    }
    let shares = of.into_iter().filter_map(|id| {
        let all = figure(run, id)?;
        quotient(&format!("{} of {id}", count(part.value)), part, all.value, Some(&all))
    });
    shares.collect()
}

fn quotient(name: &str, part: &Number, all: f64, measured: Option<&Measurement>) -> Option<Reading> {
    let of = measured.map_or_else(|| Bounds::exact(all), |measured| Some(measured.range()))?;
    let share = part.range(super::number::Digits::All)?.over(of)?;
    let name = measured.map_or_else(|| name.to_owned(), |measured| format!("{name} ({})", measured.text()));
    Some(Reading { digits: super::number::Digits::Cut, ..Reading::within(name, part.value / all, share, Unit::Ratio) })
}
