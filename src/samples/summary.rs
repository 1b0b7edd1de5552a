//! A summary of raw samples, as k6 would print it at the end: set-up and teardown included.

use super::group::Group;
use super::kinds::Known;
use super::merged::{Named, Samples};
use crate::model::bounds::Bounds;
use crate::model::stat::Stat;
use crate::model::summary::{Check, Metric, MetricKind, Summary, Threshold};

/// The statistics of a trend where nobody asks for others: k6's own, the 99th percentile that benchmarks want, and the count.
#[must_use]
pub fn usual_stats() -> Vec<Stat> {
    vec![Stat::Count, Stat::Min, Stat::Avg, Stat::Med, Stat::p(90), Stat::p(95), Stat::p(99), Stat::Max]
}

/// What `%f` may have cut off a value.
const CUT: f64 = 5e-7;

impl Samples {
    /// The summary of all samples, with some statistics of trends.
    #[must_use]
    pub fn summary(&self, stats: &[Stat]) -> Summary {
        let mut summary = Summary::new(self.kind, None);
        for name in self.metrics() {
            let known = self.known(name);
            let mut metric = metric(&self.group(name, |_| true), known, stats);
            if name == "http_req_duration" {
                let expected = self.group(name, |piece| piece.expected == Some(true));
                if !expected.is_empty() {
                    metric.submetrics.insert("expected_response:true".to_owned(), self::metric(&expected, known, stats));
                }
            }
            summary.metrics.insert(name.to_owned(), metric);
        }
        summary.checks = self.checks();
        summary.thresholds = self.thresholds();
        summary.vus_max = summary.value("vus_max", Stat::Max).and_then(crate::model::units::whole);
        summary.iterations.complete = summary.value("iterations", Stat::Count).and_then(crate::model::units::whole);
        summary.notes = self.notes();
        summary
    }

    /// Checks by group and name.
    pub(super) fn checks(&self) -> Vec<Check> {
        let mut checks: std::collections::BTreeMap<(&str, &str), (u64, u64)> = std::collections::BTreeMap::new();
        for (piece, found) in self.by_piece("checks") {
            let Named::Check { group, name } = &piece.part else { continue };
            let sum = checks.entry((group, name)).or_default();
            (sum.0, sum.1) = (sum.0 + found.trues(), sum.1 + found.count() + found.not_finite());
        }
        let check = |((group, name), (passes, all)): ((&str, &str), (u64, u64))| Check {
            name: name.to_owned(),
            group: group.to_owned(),
            passes: Some(passes),
            fails: Some(all - passes),
        };
        checks.into_iter().map(check).collect()
    }

    /// Thresholds as k6's JSON declares them; whether they were kept it does not say.
    fn thresholds(&self) -> Vec<Threshold> {
        let of = |metric: String, sources: &[String]| {
            let threshold = |source: &String| Threshold { metric: metric.clone(), expression: source.clone(), passed: None };
            sources.iter().map(threshold).collect::<Vec<_>>()
        };
        let all = self.declared.iter().flat_map(|(name, declared)| {
            let parts = declared.parts.iter().flat_map(|(tags, sources)| of(format!("{name}{{{tags}}}"), sources));
            of(name.clone(), &declared.thresholds).into_iter().chain(parts).collect::<Vec<_>>()
        });
        all.collect()
    }

    /// What is left out because it is no finite number, by metric.
    #[must_use]
    pub fn lost_notes(&self) -> Vec<String> {
        let lost = |name: &str| match self.group(name, |_| true).not_finite() {
            0 => None,
            1 => Some(format!("a sample of {name} is no finite number and is left out")),
            lost => Some(format!("{lost} samples of {name} are no finite numbers and are left out")),
        };
        self.metrics().filter_map(lost).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_cut() {
            notes.push("the raw samples were cut: what came after is missing, how much nothing tells".to_owned());
        }
        notes.extend(self.guess_note());
        notes.extend(self.lost_notes());
        notes.extend(self.too_many.notes());
        notes.extend(self.phase_note());
        notes
    }

    /// What can't be told of phases, where the source lacks the tags.
    pub(super) fn phase_note(&self) -> Option<String> {
        let words = match (self.told.group, self.told.scenario) {
            (true, _) => return None,
            (false, true) => "there is no column `group`: samples of setup() and teardown() are in no phase",
            (false, false) => {
                "there is neither a column `group` nor `scenario`: setup() and teardown() can't be told from the test"
            }
        };
        Some(words.to_owned())
    }
}

/// A metric of some samples.
pub(super) fn metric(group: &Group<'_>, known: Known, stats: &[Stat]) -> Metric {
    let mut metric = Metric::new(known.kind, known.unit);
    match known.kind {
        MetricKind::Trend => trend(&mut metric, group, known.is_cut, stats),
        MetricKind::Counter => counter(&mut metric, group, known.is_cut),
        MetricKind::Rate => rate(&mut metric, group),
        MetricKind::Gauge => gauge(&mut metric, group, known.is_cut),
    }
    metric
}

fn put(metric: &mut Metric, stat: Stat, value: f64, slack: f64) {
    if !value.is_finite() {
        metric.values.0.insert(stat, None);
        metric.reasons.insert(stat, "it is beyond the numbers that can be kept".to_owned());
        return;
    }
    metric.values.0.insert(stat, Some(value));
    if slack > 0.0
        && let Some(bounds) = Bounds::new(value - slack, value + slack)
    {
        metric.bounds.insert(stat, bounds);
    }
}

fn trend(metric: &mut Metric, group: &Group<'_>, is_cut: bool, stats: &[Stat]) {
    let count = group.count();
    let slack = if is_cut { CUT } else { 0.0 };
    if stats.contains(&Stat::Count) {
        put(metric, Stat::Count, count as f64, 0.0);
    }
    let Some((least, most)) = group.extremes() else { return };
    let percent = |stat: &Stat| match stat {
        Stat::Med => Some(50.0),
        Stat::Percentile(percent) => Some(percent.get()),
        _ => None,
    };
    let percents: Vec<f64> = stats.iter().filter_map(percent).collect();
    let mut percentiles = group.percentiles(&percents).unwrap_or_default().into_iter();
    for stat in stats {
        match stat {
            Stat::Min => put(metric, Stat::Min, least, slack),
            Stat::Max => put(metric, Stat::Max, most, slack),
            Stat::Avg => put(metric, Stat::Avg, group.sum() / count as f64, slack),
            Stat::Med | Stat::Percentile(_) => {
                if let Some(value) = percentiles.next() {
                    put(metric, *stat, value, slack);
                }
            }
            _ => {}
        }
    }
}

fn counter(metric: &mut Metric, group: &Group<'_>, is_cut: bool) {
    let slack = if is_cut { CUT * group.count() as f64 } else { 0.0 };
    put(metric, Stat::Count, group.sum(), slack);
    metric.values.0.insert(Stat::Rate, None);
    metric.reasons.insert(Stat::Rate, "k6's clock is not in its raw samples".to_owned());
}

fn rate(metric: &mut Metric, group: &Group<'_>) {
    let (trues, all) = (group.trues(), group.count() + group.not_finite());
    put(metric, Stat::Passes, trues as f64, 0.0);
    put(metric, Stat::Fails, (all - trues) as f64, 0.0);
    if all > 0 {
        put(metric, Stat::Rate, trues as f64 / all as f64, 0.0);
    }
}

fn gauge(metric: &mut Metric, group: &Group<'_>, is_cut: bool) {
    let slack = if is_cut { CUT } else { 0.0 };
    if let Some((least, most)) = group.extremes() {
        put(metric, Stat::Min, least, slack);
        put(metric, Stat::Max, most, slack);
    }
    if let Some((least, most)) = group.latest() {
        put(metric, Stat::Value, most, slack);
        // Of several samples at the last moment any may be the last one.
        if least < most
            && let Some(bounds) = Bounds::new(least - slack, most + slack)
        {
            metric.bounds.insert(Stat::Value, bounds);
        }
    }
}
