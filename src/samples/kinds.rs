//! What a metric is. k6's JSON declares it, its CSV does not: there k6's own metrics are known by name, a script's own by
//! their values.

use super::merged::Samples;
use crate::model::builtin;
use crate::model::summary::{MetricKind, MetricUnit, SummaryKind};

/// Metrics whose kind was concluded that are named, of a file that has more.
const NAMED: usize = 100;

/// What a metric is, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) kind: MetricKind,
    pub(super) unit: Option<MetricUnit>,
    /// Whether it is told by the values alone.
    pub(super) by_values: bool,
    /// Whether the source may have cut its digits: k6's own times are whole nanoseconds, which `%f` prints in full, but those
    /// that a browser measured are not.
    pub(super) is_cut: bool,
}

impl Samples {
    /// What a metric is.
    pub(super) fn known(&self, metric: &str) -> Known {
        let is_csv = self.kind == SummaryKind::Csv;
        if let Some((kind, contains)) = builtin::of(metric) {
            let is_cut = is_csv && metric.starts_with("browser_web_vital_");
            return Known { kind, unit: builtin::unit(kind, Some(contains), metric), by_values: false, is_cut };
        }
        if let Some(declared) = self.declared.get(metric) {
            return Known { kind: declared.kind, unit: declared.unit, by_values: false, is_cut: is_csv };
        }
        // Nothing but 0 and 1: a rate has both, a counter adds 1. A trend has more than these, but for one of times that were
        // all below a millisecond: k6's own names of times end so.
        let kind = match self.group(metric, |_| true).only_bits() {
            _ if metric.ends_with("_duration") => MetricKind::Trend,
            (true, true) => MetricKind::Rate,
            (true, false) => MetricKind::Counter,
            _ => MetricKind::Trend,
        };
        Known { kind, unit: builtin::unit_by_name(kind, metric), by_values: true, is_cut: is_csv }
    }

    /// Says what metrics are that the files themselves don't tell: a summary of the same run may.
    pub fn learn<'a>(&mut self, kinds: impl IntoIterator<Item = (&'a str, MetricKind, Option<MetricUnit>)>) {
        for (metric, kind, unit) in kinds {
            if builtin::of(metric).is_none() && !self.declared.contains_key(metric) {
                let declared =
                    super::ndjson::Declared { kind, unit, thresholds: Vec::new(), parts: std::collections::BTreeMap::new() };
                self.declared.insert(metric.to_owned(), declared);
            }
        }
    }

    /// The script's own trends, by name.
    pub(super) fn own_trends(&self) -> Vec<&str> {
        let own = self.metrics().filter(|metric| builtin::of(metric).is_none());
        own.filter(|metric| self.known(metric).kind == MetricKind::Trend).collect()
    }

    /// The metrics that the files have, by name.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.metrics().collect()
    }

    /// What was concluded from values because the source does not tell it; `None` where nothing was.
    #[must_use]
    pub fn guess_note(&self) -> Option<String> {
        let guessed = self.guessed();
        let list: Vec<String> =
            guessed.iter().take(NAMED).map(|name| format!("{name} a {:?}", self.known(name).kind).to_lowercase()).collect();
        let more = guessed.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let told = format!("nothing here tells what a script's own metrics are; by their values: {}{more}", list.join(", "));
        (!guessed.is_empty()).then_some(told)
    }

    /// The script's own metrics whose kind is told by their values alone.
    pub(super) fn guessed(&self) -> Vec<&str> {
        self.metrics().filter(|metric| self.known(metric).by_values).collect()
    }
}
