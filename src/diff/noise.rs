//! The noise from run to run: what repeats of a build say, pooled over the archive, else what is usually assumed.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::contract;
use super::covariates::Repeat;
use super::metric::{Metric, Subject};
use super::reading::{self, Cut, Readings};
use super::sides::{self, Member, Members};
use super::statistics::quantile::t_quantile;
use super::statistics::spread::{Pooled, pooled};
use crate::model::address::Address;
use crate::model::catalogue::FigureId;
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::comparison::{Kind, NoiseOrigin};
use crate::model::derive;
use crate::model::record::Record;
use crate::settings::Settings;

/// The figure that is held beside every change.
pub(super) const COVARIATE: FigureId = FigureId::ClientCpuSteal;
/// Degrees of freedom that a pooled spread takes.
const FEWEST_DEGREES: u32 = 6;
/// Degrees of freedom that the spread of one target alone takes, where the pooled one has too few.
const FEWEST_OF_TARGET: u32 = 3;

/// Half-widths at 95% that are assumed between one run and another where nobody measured them; that of lock wait on the scale of
/// [`scaled`], where 0.1 are 10 points at a share of a half and 1 point at none.
fn assumed(kind: Kind) -> f64 {
    match kind {
        Kind::Throughput => 0.04,
        Kind::P50 | Kind::Cpu => 0.05,
        Kind::P95 => 0.08,
        Kind::LockWait => 0.10,
        Kind::P99 => 0.12,
        Kind::Failures => 0.0,
        Kind::Bytes => 0.02,
    }
}

/// Builds and targets with repeats, and what each of their runs says of every kind.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    pub(super) groups: Vec<Repeated>,
    /// The spread of every kind and subject over all groups, which every comparison asks for; made when it is asked for first.
    spreads: OnceLock<BTreeMap<(Kind, Subject), Pooled>>,
}

/// Repeats of one build and target, the run of record first.
#[derive(Clone, Debug)]
pub(super) struct Repeated {
    pub runs: Vec<Address>,
    /// The covariate of each run, where it was captured.
    covariate: Vec<Option<f64>>,
    /// Of each kind and subject, a value a run, on the scale of [`scaled`].
    values: BTreeMap<(Kind, Subject), Vec<f64>>,
}

/// A half-width and where it is known from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    pub half_width: f64,
    pub origin: NoiseOrigin,
    pub degrees: Option<u32>,
}

impl Repeats {
    /// The repeats of an archive: runs of one release and target that are alike in all declared keys.
    pub(super) fn of(archive: &Archive, settings: &Settings) -> Self {
        archive.releases().iter().map(|release| Self::within(release, settings)).collect()
    }

    /// The repeats of one release. All that comparisons are told of an archive's repeats is what its releases say, in their order.
    #[must_use]
    pub fn within(release: &ReleaseRuns, settings: &Settings) -> Self {
        let mut by_target: BTreeMap<&str, Vec<(&Address, &Run)>> = BTreeMap::new();
        for (address, run) in &release.runs {
            by_target.entry(address.target.as_str()).or_default().push((address, run));
        }
        let warm_up_s = settings.floors.warm_up_ms / 1e3;
        let groups = by_target.into_values().flat_map(alike).map(|runs| Repeated::of(&runs, warm_up_s)).collect();
        Self { groups, spreads: OnceLock::new() }
    }

    /// The half-width of a metric between the means of so many runs, `left_out` not among the repeats it is known from.
    pub(super) fn between(&self, metric: &Metric, target: &str, runs: [usize; 2], level: f64, left_out: &[&Address]) -> Between {
        let key = (metric.kind, noisy_subject(metric));
        let spread = |of_target: Option<&str>| {
            let groups = self.groups.iter().filter(|group| of_target.is_none_or(|target| group.is_of(target)));
            let values: Vec<Vec<f64>> = groups.filter_map(|group| group.values_without(&key, left_out)).collect();
            pooled(values.iter().map(Vec::as_slice))
        };
        let usual = if metric.kind.is_share() { assumed(metric.kind) } else { assumed(metric.kind).ln_1p() };
        let inverse: f64 = runs.iter().map(|runs| 1.0 / (*runs).max(1) as f64).sum();
        // What is assumed holds between two single runs, at 95%.
        let scale = (inverse / 2.0).sqrt() * t_quantile(level, f64::INFINITY) / t_quantile(0.95, f64::INFINITY);
        let assumed = Between { half_width: usual * scale, origin: NoiseOrigin::Assumed, degrees: None };
        let measured = |spread: Pooled, origin| Between {
            half_width: t_quantile(level, f64::from(spread.degrees)) * spread.sd * inverse.sqrt(),
            origin,
            degrees: Some(spread.degrees),
        };
        let all = if left_out.is_empty() { self.spread(key.0, &key.1) } else { spread(None) };
        let pooled = all.filter(|spread| spread.degrees >= FEWEST_DEGREES);
        let own = || spread(Some(target)).filter(|spread| spread.degrees >= FEWEST_OF_TARGET);
        let known = pooled.map(|spread| measured(spread, NoiseOrigin::Repeats));
        let known = known.or_else(|| own().map(|spread| measured(spread, NoiseOrigin::RepeatsOfTarget)));
        // Shares near zero hardly vary, so repeats of them say nothing about shares that are not: never less than what is assumed.
        known.filter(|known| !metric.kind.is_share() || known.half_width > assumed.half_width).unwrap_or(assumed)
    }

    /// Repeats of every group by value and covariate: how a metric follows the covariate while nothing else changes.
    pub(super) fn by_covariate(&self, metric: &Metric, left_out: &[&Address]) -> Vec<Vec<Repeat>> {
        let key = (metric.kind, noisy_subject(metric));
        self.groups.iter().map(|group| group.by_covariate(&key, left_out)).collect()
    }

    /// The spread of a kind over all repeats.
    pub(super) fn spread(&self, kind: Kind, subject: &Subject) -> Option<Pooled> {
        self.spreads.get_or_init(|| self.all_spreads()).get(&(kind, subject.clone())).copied()
    }

    fn all_spreads(&self) -> BTreeMap<(Kind, Subject), Pooled> {
        let mut by_key: BTreeMap<&(Kind, Subject), Vec<&[f64]>> = BTreeMap::new();
        for (key, values) in self.groups.iter().flat_map(|group| &group.values) {
            by_key.entry(key).or_default().push(values);
        }
        by_key.into_iter().filter_map(|(key, values)| Some((key.clone(), pooled(values)?))).collect()
    }
}

impl FromIterator<Repeats> for Repeats {
    fn from_iter<I: IntoIterator<Item = Repeats>>(parts: I) -> Self {
        Self { groups: parts.into_iter().flat_map(|part| part.groups).collect(), spreads: OnceLock::new() }
    }
}

/// Whose spread stands for a metric: endpoints have that of all requests, which every run has.
fn noisy_subject(metric: &Metric) -> Subject {
    match metric.subject {
        Subject::Service | Subject::Database => metric.subject.clone(),
        _ => Subject::Whole,
    }
}

/// Runs of one release and target in groups that are alike; groups of one are no repeats.
fn alike<'a>(runs: Vec<(&'a Address, &'a Run)>) -> Vec<Vec<(&'a Address, &'a Run)>> {
    let mut groups: Vec<Vec<(&Address, &Run)>> = Vec::new();
    for (address, run) in runs {
        if run.record.k6.as_ref().is_some_and(|k6| k6.aborted) {
            continue;
        }
        let own = groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|(_, first)| contract::is_repeat(&run.record, &first.record).is_ok()));
        match own {
            // One run that was filed twice differs from itself by nothing, which is no noise from run to run.
            Some(group) if group.iter().any(|(_, one)| sides::is_same_data(&one.record, &run.record)) => {}
            Some(group) => group.push((address, run)),
            None => groups.push(vec![(address, run)]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Every kind and subject whose noise from run to run is known from repeats.
pub(super) fn noisy() -> [Metric; 8] {
    let whole = |kind| Metric { kind, subject: Subject::Whole };
    [
        whole(Kind::Throughput),
        whole(Kind::P50),
        whole(Kind::P95),
        whole(Kind::P99),
        Metric { kind: Kind::Cpu, subject: Subject::Service },
        Metric { kind: Kind::Cpu, subject: Subject::Database },
        Metric { kind: Kind::LockWait, subject: Subject::Database },
        whole(Kind::Bytes),
    ]
}

impl Repeated {
    fn of(runs: &[(&Address, &Run)], warm_up_s: f64) -> Self {
        let members =
            Members { compared: runs.iter().map(|(address, run)| Member { address, run }).collect(), ..Members::default() };
        let values = noisy().into_iter().filter_map(|metric| {
            let Readings { a, .. } = reading::read(&metric, &members, &Members::default(), Cut::warm_up(warm_up_s)).ok()?;
            let values: Option<Vec<f64>> = a.iter().map(|reading| scaled(metric.kind, reading.value)).collect();
            Some(((metric.kind, metric.subject), values?))
        });
        let covariate = runs.iter().map(|(_, run)| covariate(&run.record)).collect();
        Self { values: values.collect(), covariate, runs: runs.iter().map(|(address, _)| (*address).clone()).collect() }
    }

    fn is_of(&self, target: &str) -> bool {
        self.runs.first().is_some_and(|address| address.target.as_str() == target)
    }

    fn by_covariate(&self, key: &(Kind, Subject), left_out: &[&Address]) -> Vec<Repeat> {
        let values = self.values.get(key).map_or(&[][..], Vec::as_slice);
        let runs = self.runs.iter().zip(values).zip(&self.covariate);
        let told = runs.filter(|((address, _), _)| !left_out.contains(address));
        told.filter_map(|((_, log_value), covariate)| Some(Repeat { log_value: *log_value, covariate: (*covariate)? })).collect()
    }

    fn values_without(&self, key: &(Kind, Subject), left_out: &[&Address]) -> Option<Vec<f64>> {
        let values = self.values.get(key)?;
        Some(self.runs.iter().zip(values).filter(|(address, _)| !left_out.contains(address)).map(|(_, value)| *value).collect())
    }
}

/// What the values of a run may follow although its build is the same: the share of CPU time that the host took.
pub(super) fn covariate(record: &Record) -> Option<f64> {
    derive::figure(record, COVARIATE).measured().map(|measurement| measurement.value)
}

/// The value on the scale on which it is compared: the logarithm, or of a share the angle whose squared sine it is, on which shares vary
/// alike wherever they lie (Fisher's angular transformation). `None` for what has no logarithm, and for a share that is none.
pub(super) fn scaled(kind: Kind, value: f64) -> Option<f64> {
    if kind.is_share() {
        return (0.0..=1.0).contains(&value).then(|| value.sqrt().asin());
    }
    (value > 0.0).then(|| value.ln())
}

/// The value of a share at an angle; angles beyond the ends are none and all.
pub(super) fn share_at(angle: f64) -> f64 {
    angle.clamp(0.0, std::f64::consts::FRAC_PI_2).sin().powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of targets, as many as each has values.
    fn repeats(groups: &[(&str, &[f64])]) -> Vec<Vec<Address>> {
        let run = |target: &str, nth: usize| -> Address {
            let label = if nth == 0 { String::new() } else { format!("~{}", nth + 1) };
            format!("v1/{target}{label}").parse().unwrap_or_else(|bad| unreachable!("{bad}"))
        };
        groups.iter().map(|(target, values)| (0..values.len()).map(|nth| run(target, nth)).collect()).collect()
    }

    fn between(groups: &[(&str, &[f64])], runs: [usize; 2], left_out: &[&str]) -> Between {
        let runs_of = repeats(groups);
        let key = (Kind::P50, Subject::Whole);
        let groups = runs_of.iter().zip(groups).map(|(runs, (_, values))| Repeated {
            runs: runs.clone(),
            covariate: vec![None; values.len()],
            values: BTreeMap::from([(key.clone(), values.iter().map(|value| value.ln()).collect())]),
        });
        let repeats = Repeats { groups: groups.collect(), spreads: OnceLock::new() };
        let left_out: Vec<Address> = left_out.iter().filter_map(|name| name.parse().ok()).collect();
        repeats.between(&Metric::whole(Kind::P50), "a", runs, 0.95, &left_out.iter().collect::<Vec<_>>())
    }

    #[test]
    fn repeats_of_all_targets_are_pooled() {
        // R: s <- sqrt((3 * var(log(c(5, 5.2, 4.9, 5.1))) + 3 * var(log(c(1, 1.1, 0.9, 1))) ) / 6); qt(0.975, 6) * s * sqrt(1/2 + 1/1)
        let (a, b): (&[f64], &[f64]) = (&[5.0, 5.2, 4.9, 5.1], &[1.0, 1.1, 0.9, 1.0]);
        let known = between(&[("a", a), ("b", b)], [2, 1], &[]);
        assert_eq!((known.origin, known.degrees), (NoiseOrigin::Repeats, Some(6)));
        let sum = |values: &[f64]| {
            let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
            let mean = logs.iter().sum::<f64>() / 4.0;
            logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
        };
        let wanted = 2.446_911_85 * ((sum(a) + sum(b)) / 6.0).sqrt() * 1.5_f64.sqrt();
        assert!((known.half_width - wanted).abs() < 1e-7, "{known:?} {wanted}");
    }

    #[test]
    fn a_pair_that_is_tested_is_left_out() {
        let groups: [(&str, &[f64]); 2] = [("a", &[5.0, 9.0, 5.0]), ("b", &[1.0, 1.1, 0.9, 1.0, 1.0, 1.05, 0.95])];
        let (with, without) = (between(&groups, [1, 1], &[]), between(&groups, [1, 1], &["v1/a", "v1/a~2"]));
        assert_eq!((with.degrees, without.degrees), (Some(8), Some(6)));
        assert!(without.half_width < with.half_width / 2.0);
    }

    #[test]
    fn a_few_repeats_of_the_target_count_before_what_is_assumed() {
        let own = between(&[("a", &[5.0, 5.1, 5.2, 4.9]), ("b", &[1.0, 1.1])], [1, 1], &[]);
        assert_eq!((own.origin, own.degrees), (NoiseOrigin::RepeatsOfTarget, Some(3)));
        let other = between(&[("b", &[5.0, 5.1, 5.2, 4.9])], [1, 1], &[]);
        assert_eq!((other.origin, other.degrees), (NoiseOrigin::Assumed, None));
    }

    #[test]
    fn what_is_assumed_holds_between_single_runs_and_shrinks_with_more() {
        let (one, four) = (between(&[], [1, 1], &[]), between(&[], [4, 4], &[]));
        assert!((one.half_width - 1.05_f64.ln()).abs() < 1e-12);
        assert!((four.half_width - one.half_width / 2.0).abs() < 1e-12);
    }

    #[test]
    fn shares_are_angles() {
        assert_eq!(scaled(Kind::LockWait, 1.5), None);
        for share in [0.0, 0.01, 0.5, 1.0] {
            let angle = scaled(Kind::LockWait, share).unwrap_or_else(|| unreachable!());
            assert!((share_at(angle) - share).abs() < 1e-12);
        }
        assert!(share_at(-0.1) <= 0.0 && share_at(2.0) >= 1.0);
    }
}
