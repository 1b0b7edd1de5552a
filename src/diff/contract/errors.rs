//! Which requests failed, as shares of all: the mix of errors.

use std::collections::{BTreeMap, BTreeSet};

use super::held::{Agreement, Held, Sides};
use crate::model::failures::Failures;
use crate::model::record::{Errors, Record, StatusCount};
use crate::model::stat::Stat;
use crate::model::summary::Summary;
use crate::model::units::{show_count, whole};

/// A share that differs by more is another mix.
const TOLERANCE: f64 = 0.01;

/// Failed requests of the runs of a side, counts added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Mix {
    requests: u64,
    failed: u64,
    /// By status, or by the error where there was no response; `None` where nobody told the failures apart.
    kinds: Option<BTreeMap<String, u64>>,
}

/// Whether a share of failed requests differs by more than a point: that of all, and those by status and error where both sides tell
/// them apart. Where they do not, all failures of both sides must be too few to hide such a share.
pub(super) fn mix(sides: &Sides<'_>) -> Held {
    match (side(sides.a), side(sides.b)) {
        (None, None) => Held::Unknown,
        (Some(a), Some(b)) => {
            let agreement = if sides.are_same { Agreement::Alike } else { a.agreement(&b) };
            let note = if agreement == Agreement::Untold { ", not told apart" } else { "" };
            let shown = |mix: &Mix| if mix.kinds.is_none() { format!("{}{note}", mix.shown()) } else { mix.shown() };
            agreement.of(shown(&a), shown(&b))
        }
        (a, b) => Held::Untold { a: a.map(|mix| mix.shown()), b: b.map(|mix| mix.shown()) },
    }
}

fn side(runs: &[&Record]) -> Option<Mix> {
    runs.iter().filter_map(|run| of(run)).reduce(Mix::plus)
}

/// From the raw samples, else from the runner's breakdown, else from k6's counts, else as stated.
fn of(run: &Record) -> Option<Mix> {
    let by_samples = run.failures.as_ref().and_then(from_samples);
    let by_summary = || run.k6.as_ref().and_then(from_summary);
    by_samples.or_else(|| from_breakdown(&run.errors)).or_else(by_summary).or_else(|| from_statement(&run.errors))
}

fn from_samples(failures: &Failures) -> Option<Mix> {
    let kinds = failures.populations.iter().map(|one| (kind(one.status, one.error_code, one.message.as_deref()), one.count));
    Some(Mix { requests: failures.requests?, failed: failures.failed?, kinds: Some(added(kinds)) })
}

fn from_breakdown(errors: &Errors) -> Option<Mix> {
    let is_failed = |one: &&StatusCount| one.error.is_some() || one.status.is_none_or(|status| status >= 400);
    let of = |one: &StatusCount| (kind(one.status, one.error_code, one.error.as_deref()), one.requests);
    let kinds = added(errors.by_status.iter().filter(is_failed).map(of));
    let requests = errors.by_status.iter().map(|one| one.requests).fold(0, u64::saturating_add);
    let failed = kinds.values().copied().fold(0, u64::saturating_add);
    (!errors.by_status.is_empty()).then_some(Mix { requests, failed, kinds: Some(kinds) })
}

/// A sample of `http_req_failed` is true when the request failed, so its passes are the failures.
fn from_summary(summary: &Summary) -> Option<Mix> {
    let count = |stat| summary.value("http_req_failed", stat).and_then(whole);
    let (failed, fine) = (count(Stat::Passes)?, count(Stat::Fails)?);
    Some(Mix::untold(failed, failed.saturating_add(fine)))
}

fn from_statement(errors: &Errors) -> Option<Mix> {
    errors.requests.as_ref().map(|stated| Mix::untold(stated.count, stated.of))
}

fn kind(status: Option<u16>, error_code: Option<u32>, error: Option<&str>) -> String {
    match (status, error.filter(|error| !error.is_empty()), error_code) {
        (Some(status), _, _) => format!("status {status}"),
        (None, Some(error), _) => error.to_owned(),
        (None, None, Some(code)) => format!("error {code}"),
        (None, None, None) => "no response".to_owned(),
    }
}

fn added(kinds: impl Iterator<Item = (String, u64)>) -> BTreeMap<String, u64> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, count) in kinds {
        let sum = sums.entry(kind).or_default();
        *sum = sum.saturating_add(count);
    }
    sums
}

impl Mix {
    /// Failures that nobody told apart; where there are none, there is nothing to tell.
    fn untold(failed: u64, requests: u64) -> Self {
        Self { requests, failed, kinds: (failed == 0).then(BTreeMap::new) }
    }

    fn plus(self, other: Self) -> Self {
        let kinds = self.kinds.zip(other.kinds).map(|(a, b)| added(a.into_iter().chain(b)));
        Self { requests: self.requests.saturating_add(other.requests), failed: self.failed.saturating_add(other.failed), kinds }
    }

    fn agreement(&self, other: &Self) -> Agreement {
        let differs = |a: u64, b: u64| (self.share(a) - other.share(b)).abs() > TOLERANCE;
        let count = |kinds: &BTreeMap<String, u64>, kind: &str| kinds.get(kind).copied().unwrap_or_default();
        if differs(self.failed, other.failed) {
            return Agreement::Unlike;
        }
        match (&self.kinds, &other.kinds) {
            (Some(a), Some(b)) => {
                let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
                let is_other = names.into_iter().any(|kind| differs(count(a, kind), count(b, kind)));
                if is_other { Agreement::Unlike } else { Agreement::Alike }
            }
            _ if self.share(self.failed).max(other.share(other.failed)) <= TOLERANCE => Agreement::Alike,
            _ => Agreement::Untold,
        }
    }

    /// A part of the requests; none of none.
    fn share(&self, count: u64) -> f64 {
        if self.requests == 0 { 0.0 } else { count as f64 / self.requests as f64 }
    }

    fn shown(&self) -> String {
        let kinds: Vec<String> =
            self.kinds.iter().flatten().map(|(kind, count)| format!("{} {kind}", show_count(*count))).collect();
        let told = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
        match self.failed {
            0 => format!("none of {}", show_count(self.requests)),
            failed => format!("{} of {}{told}", show_count(failed), show_count(self.requests)),
        }
    }
}
