//! A run as rules ask about it.

use super::around::Around;
use crate::model::address::Address;
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::collection::{Archive, Run};
use crate::model::derive;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::Record;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, MetricUnit, Summary};

/// A run with the archive around it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// All runs, and the names that people use.
    pub around: &'a Around<'a>,
    /// The run's address.
    pub address: &'a Address,
    /// The run.
    pub run: &'a Run,
}

impl<'a> Subject<'a> {
    /// All runs.
    pub(super) fn archive(&self) -> &'a Archive {
        self.around.archive
    }

    /// Its record.
    pub(super) fn record(&self) -> &'a Record {
        &self.run.record
    }

    /// k6's summary.
    pub(super) fn k6(&self) -> Option<&'a Summary> {
        self.run.record.k6.as_ref()
    }

    /// A figure, captured or derived, if it has a value.
    pub(super) fn figure(&self, id: FigureId) -> Option<Measurement> {
        figure(self.run, id)
    }

    /// What a figure can be.
    pub(super) fn range(&self, id: FigureId) -> Option<Bounds> {
        self.figure(id).map(|measurement| measurement.range())
    }

    /// A number of k6's summary.
    pub(super) fn value(&self, metric: &str, stat: Stat) -> Option<f64> {
        self.k6()?.value(metric, stat)
    }

    /// The time that the load was given: that of the only scenario with one, else that of the window.
    pub(super) fn duration_s(&self) -> Option<f64> {
        let scenario = self.k6().and_then(|k6| match k6.scenarios.as_slice() {
            [only] => only.duration_s.map(|seconds| seconds as f64),
            _ => None,
        });
        scenario.or(self.run.record.window.duration_s).filter(|seconds| *seconds > 0.0)
    }

    /// What people wrote about it, page and files by hand: notes, and the reasons of their conclusion.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let record = &self.run.record;
        let notes = record.notes.iter().map(|note| note.text.as_str());
        let recorded = record.recorded.iter().map(|recorded| recorded.message.as_str());
        notes.chain(recorded).chain(self.run.notes.iter().map(String::as_str))
    }

    /// Trends of the script's own that measure time, by name.
    pub(super) fn own_trends(&self) -> impl Iterator<Item = (&'a str, &'a Metric)> + use<'a> {
        let metrics = self.k6().map(|k6| k6.metrics.iter()).into_iter().flatten();
        metrics.filter(|(name, metric)| is_own_trend(name, metric)).map(|(name, metric)| (name.as_str(), metric))
    }
}

/// A figure of a run, captured or derived, if it has a value.
pub(super) fn figure(run: &Run, id: FigureId) -> Option<Measurement> {
    derive::figure(&run.record, id).measurement().cloned()
}

/// Whether somebody stated a figure that k6 gives too: the value.
pub(super) fn stated(run: &Run, id: FigureId) -> Option<&Measurement> {
    run.record.stated.get(id).and_then(Figure::measurement)
}

fn is_own_trend(name: &str, metric: &Metric) -> bool {
    let is_time = metric.kind == MetricKind::Trend && metric.unit == Some(MetricUnit::Ms);
    is_time && !BUILT_IN.iter().any(|prefix| name.starts_with(prefix))
}

/// How trends begin that k6 itself makes.
const BUILT_IN: [&str; 6] = ["http_req_", "iteration_duration", "group_duration", "ws_", "grpc_", "browser_"];

/// Whether all samples of a trend are one value: with all its digits that is one sample, since no two requests take the same time to the
/// hundredth of a millisecond at both ends and in between.
pub(super) fn is_single(metric: &Metric) -> bool {
    match metric.value(Stat::Count) {
        Some(count) => count < 1.5,
        None => {
            let (Some(min), Some(max)) = (metric.value(Stat::Min), metric.value(Stat::Max)) else { return false };
            min > 0.0 && min.total_cmp(&max).is_eq()
        }
    }
}
