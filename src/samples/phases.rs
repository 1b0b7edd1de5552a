//! Set-up, test and teardown apart.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::merged::{Named, Samples};
use super::summary::metric;
use crate::model::failures::Phase;
use crate::model::instant::Moment;
use crate::model::phases::{PhaseFigures, Phases};
use crate::model::stat::Stat;
use crate::model::summary::Metric;

/// A moment of nanoseconds since 1970.
pub(super) fn moment(ns: i64) -> Moment {
    Moment::Instant(DateTime::from_timestamp_nanos(ns))
}

/// The moment of a whole second since 1970.
pub(super) fn moment_at(second: i64) -> Moment {
    moment(second.saturating_mul(1_000_000_000))
}

impl Samples {
    /// The parts of the run, with some statistics of trends.
    #[must_use]
    pub fn phases(&self, stats: &[Stat]) -> Phases {
        let lost = |name: &str| (name.to_owned(), self.group(name, |_| true).not_finite());
        Phases {
            resolution_s: self.resolution_ns as f64 / 1e9,
            setup: self.phase(Phase::Setup, stats),
            test: self.phase(Phase::Test, stats),
            teardown: self.phase(Phase::Teardown, stats),
            is_cut: self.is_cut(),
            not_finite: self.metrics().map(lost).filter(|(_, lost)| *lost > 0).collect(),
        }
    }

    /// First and last sample of a part, in nanoseconds since 1970.
    pub(super) fn span(&self, phase: Phase) -> Option<(i64, i64)> {
        let of = |name: &str| self.group(name, |piece| piece.phase == Some(phase)).span();
        self.metrics().filter_map(of).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
    }

    fn phase(&self, phase: Phase, stats: &[Stat]) -> Option<PhaseFigures> {
        let (first, last) = self.span(phase)?;
        let metrics: BTreeMap<String, Metric> =
            self.metrics().filter_map(|name| Some((name.to_owned(), self.part(name, phase, stats)?))).collect();
        Some(PhaseFigures { first: moment(first), last: moment(last), metrics })
    }

    /// A metric in a part of the run; requests of the test also by success and by name.
    fn part(&self, name: &str, phase: Phase, stats: &[Stat]) -> Option<Metric> {
        let known = self.known(name);
        let of = |expected: Option<bool>, request: Option<&str>| {
            let is_named = |part: &Named| request.is_none_or(|request| *part == Named::Name(request.to_owned()));
            let group = self.group(name, |piece| {
                piece.phase == Some(phase) && (expected.is_none() || piece.expected == expected) && is_named(&piece.part)
            });
            (!group.is_empty()).then(|| {
                let mut metric = metric(&group, known, stats);
                // A part of a run has no clock at all.
                metric.values.0.retain(|_, value| value.is_some());
                metric.reasons.clear();
                metric
            })
        };
        let mut whole = of(None, None)?;
        if name == "http_req_duration" && phase == Phase::Test {
            let names = self.request_names(phase);
            let mut add = |tags: String, metric: Option<Metric>| {
                whole.submetrics.extend(metric.map(|metric| (tags, metric)));
            };
            add("expected_response:true".to_owned(), of(Some(true), None));
            for request in names {
                add(format!("name:{request}"), of(None, Some(&request)));
                add(format!("expected_response:true,name:{request}"), of(Some(true), Some(&request)));
            }
        }
        Some(whole)
    }
}
