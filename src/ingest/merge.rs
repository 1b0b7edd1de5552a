//! Several forms of one run's summary: text, export, handleSummary data.
//!
//! The exact forms win over the printed one, what only one of them has is kept, and what they say of one thing must
//! agree within the printed one's rounding.

use crate::diagnostic::Diagnostic;
use crate::model::bounds::Bounds;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, Summary, SummaryKind};
use crate::model::units::whole;
use crate::source::Source;

/// A summary and the file it was read from.
#[derive(Clone, Debug)]
pub struct Form {
    /// The file.
    pub source: Source,
    /// What it says.
    pub summary: Summary,
}

/// Exact and full first; the text last.
fn rank(kind: SummaryKind) -> u8 {
    match kind {
        SummaryKind::HandleSummary => 0,
        SummaryKind::Export => 1,
        SummaryKind::MachineReadable => 2,
        SummaryKind::Ndjson => 3,
        SummaryKind::Csv => 4,
        SummaryKind::Text => 5,
    }
}

/// One summary of all forms; `None` of none.
///
/// # Errors
/// `contradicting-summaries` with both places where two forms can't be of one run.
pub fn merge(mut forms: Vec<Form>) -> Result<Option<Summary>, Vec<Diagnostic>> {
    forms.sort_by(|a, b| {
        let key = |form: &Form| (rank(form.summary.source.kind), form.source.name().to_owned());
        key(a).cmp(&key(b))
    });
    let mut forms = forms.into_iter();
    let Some(first) = forms.next() else { return Ok(None) };
    let (source, mut whole) = (first.source, first.summary);
    let mut faults = Vec::new();
    for form in forms {
        match contradiction(&whole, &form.summary) {
            Some(what) => faults.push(fault(&source, &form.source, &what)),
            None => add(&mut whole, form.summary),
        }
    }
    if faults.is_empty() { Ok(Some(whole)) } else { Err(faults) }
}

fn fault(a: &Source, b: &Source, what: &str) -> Diagnostic {
    Diagnostic::error("contradicting-summaries", format!("{} and {} can't be of one run: {what}", a.name(), b.name()))
        .at(a.at(0..0))
        .at(b.at(0..0))
        .help("ingest the files of one run at a time, or give each run a folder of its own")
}

/// The first figure that two summaries can't both be right about. Rates are left out: k6 computes the clock of an aborted
/// run twice, microseconds apart.
fn contradiction(a: &Summary, b: &Summary) -> Option<String> {
    a.metrics.iter().find_map(|(name, metric)| {
        let other = b.metrics.get(name)?;
        let may_differ = |stat: &Stat| *stat == Stat::Rate || (*stat == Stat::Max && is_max_of_old_k6(metric, other));
        let stat = metric.values.0.keys().copied().filter(|stat| !may_differ(stat)).find(|stat| differ(metric, other, *stat))?;
        let shown = |metric: &Metric| metric.value(stat).map_or_else(String::new, |value| value.to_string());
        Some(format!("{name} {stat} is {} and {}", shown(metric), shown(other)))
    })
}

/// Whether one of two summaries has the largest value of a gauge as k6 before v2.2 tells it of one that was always negative:
/// as 0.
fn is_max_of_old_k6(a: &Metric, b: &Metric) -> bool {
    let max = |metric: &Metric| if metric.kind == MetricKind::Gauge { metric.value(Stat::Max) } else { None };
    match (max(a), max(b)) {
        (Some(a), Some(b)) => a.max(b).total_cmp(&0.0).is_eq() && a.min(b) < 0.0,
        _ => false,
    }
}

/// Whether no value is allowed by both.
fn differ(a: &Metric, b: &Metric, stat: Stat) -> bool {
    match (a.bounds_of(stat), b.bounds_of(stat)) {
        (Some(x), Some(y)) => {
            let slack = relative_slack(stat, x, y) * x.hi().abs().max(y.hi().abs());
            x.lo() > y.hi() + slack || y.lo() > x.hi() + slack
        }
        _ => false,
    }
}

/// What is no difference, as a part of the value. k6 cuts after a multiplication in binary, so 15.549999999999999 prints as
/// 15.55. It adds sample to sample and rounds each time, up to 2^-53 of the sum: over tens of millions of samples, a mean and
/// a sum of anything but whole numbers are off by as many times that, where raw samples are summed exactly.
fn relative_slack(stat: Stat, a: Bounds, b: Bounds) -> f64 {
    let is_whole = [a.lo(), a.hi(), b.lo(), b.hi()].into_iter().all(|value| whole(value).is_some());
    if stat == Stat::Avg || (stat == Stat::Count && !is_whole) { 1e-8 } else { 1e-12 }
}

/// Adds what the first summary lacks.
fn add(whole: &mut Summary, other: Summary) {
    for (name, metric) in other.metrics {
        match whole.metrics.get_mut(&name) {
            Some(known) => add_metric(known, metric),
            None => {
                whole.metrics.insert(name, metric);
            }
        }
    }
    if whole.checks.is_empty() {
        whole.checks = other.checks;
    }
    if whole.thresholds.is_empty() {
        whole.thresholds = other.thresholds;
    }
    if whole.duration_s.is_none() {
        (whole.duration_s, whole.duration_bounds) = (other.duration_s, other.duration_bounds);
    }
    if whole.scenarios.is_empty() {
        whole.scenarios = other.scenarios;
    }
    whole.source.k6_version = whole.source.k6_version.take().or(other.source.k6_version);
    whole.vus_max = whole.vus_max.or(other.vus_max);
    whole.iterations.complete = whole.iterations.complete.or(other.iterations.complete);
    whole.iterations.interrupted = whole.iterations.interrupted.or(other.iterations.interrupted);
    whole.aborted |= other.aborted;
    whole.aborted_by = whole.aborted_by.take().or(other.aborted_by);
    for note in other.notes {
        if !whole.notes.contains(&note) {
            whole.notes.push(note);
        }
    }
}

fn add_metric(known: &mut Metric, other: Metric) {
    if is_max_of_old_k6(known, &other) {
        let least = known.value(Stat::Max).into_iter().chain(other.value(Stat::Max)).reduce(f64::min);
        known.values.0.insert(Stat::Max, least);
    }
    for (stat, value) in other.values.0 {
        if known.value(stat).is_some() || value.is_none() {
            continue;
        }
        known.values.0.insert(stat, value);
        known.reasons.remove(&stat);
        if let Some(bounds) = other.bounds.get(&stat) {
            known.bounds.insert(stat, *bounds);
        }
    }
    known.unit = known.unit.or(other.unit);
    for (tag, submetric) in other.submetrics {
        match known.submetrics.get_mut(&tag) {
            Some(known) => add_metric(known, submetric),
            None => {
                known.submetrics.insert(tag, submetric);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::summary::MetricKind;

    fn differs(stat: Stat, a: f64, b: f64) -> bool {
        let metric = |value| {
            let mut metric = Metric::new(MetricKind::Trend, None);
            metric.values.0.insert(stat, Some(value));
            metric
        };
        differ(&metric(a), &metric(b), stat)
    }

    #[test]
    fn what_k6_loses_by_adding_is_no_contradiction() {
        let added = (0..1_000_000).fold(0.0, |sum: f64, _| sum + 0.1);
        assert!(added > 100_000.000_001);
        assert!(!differs(Stat::Count, 100_000.0, added) && !differs(Stat::Avg, 0.1, added / 1e6));
        assert!(differs(Stat::Avg, 0.1, 0.100_001) && differs(Stat::Max, 100_000.0, added));
        assert!(differs(Stat::Count, 120_000_000.0, 120_000_001.0));
    }
}
