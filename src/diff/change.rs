//! One metric of two sides compared: estimate, interval, decision.

use super::covariates;
use super::decide::{self, Floor};
use super::metric::{Metric, Subject};
use super::noise::{Between, COVARIATE, Repeats, covariate, scaled, share_at};
use super::reading::{self, Cut, Reading, Readings};
use super::resampled::{Resampled, Within};
use super::sides::Members;
use super::statistics::random::Random;
use super::statistics::{autocorrelation, batches, bootstrap};
use crate::model::address::Address;
use crate::model::bounds::Bounds;
use crate::model::comparison::{Basis, Change, Counted, Decision, Difference, Incident, Kind, Noise, NoiseOrigin, Without};
use crate::model::units::show;
use crate::settings::Floors;

/// Resamples of a bootstrap.
pub(super) const RESAMPLES: u32 = 2000;

/// A part of a log ratio below which a covariate is not worth a word.
const EXPLAINED: f64 = 0.01;

/// The beginning of the note of a change that is below the absolute floor.
const BELOW_FLOOR: &str = "whatever changed is less than";

/// Whether a note concludes something, which nobody may where the runs are unlike.
pub(super) fn concludes(note: &str) -> bool {
    note.starts_with(BELOW_FLOOR) || note.starts_with(&COVARIATE.to_string())
}

/// What every comparison of a target shares.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub target: &'a str,
    pub floors: &'a Floors,
    pub repeats: &'a Repeats,
    /// What blocks said when they were resampled.
    pub resampled: &'a Resampled,
    /// Runs that the noise from run to run must not be known from.
    pub left_out: &'a [&'a Address],
    /// Both sides are the same runs.
    pub same_runs: bool,
    /// The incidents of the runs of `a`, and of `b`.
    pub incidents: [&'a [Vec<Incident>]; 2],
}

/// Compares a metric.
///
/// # Errors
/// Why it can't be compared.
pub(super) fn change(metric: &Metric, a: &Members<'_>, b: &Members<'_>, ground: Ground<'_>) -> Result<Change, String> {
    let warm_up_s = ground.floors.warm_up_ms / 1e3;
    let readings = reading::read(metric, a, b, Cut::warm_up(warm_up_s))?;
    let mut change = blank(metric, a, b, ground.floors);
    change.basis = Some(readings.basis);
    change.notes.clone_from(&readings.notes);
    if metric.kind.is_share() {
        shares(&mut change, metric, &readings, ground);
    } else {
        ratios(&mut change, metric, &readings, ground);
        if has_incidents(ground) {
            change.without_incidents = without(metric, a, b, ground);
            if change.without_incidents.is_none() && readings.block_s > 0 {
                change.notes.push("without its incidents there are too few blocks to compare".to_owned());
            }
        }
        explain(&mut change, metric, [a, b], ground);
    }
    Ok(change)
}

/// A change of which nothing but its runs is known.
pub(super) fn blank(metric: &Metric, a: &Members<'_>, b: &Members<'_>, floors: &Floors) -> Change {
    let own = |members: &Members<'_>| {
        members.compared.first().and_then(|member| reading::single(metric, member.record()).ok()).map(|reading| reading.value)
    };
    Change {
        metric: metric.name(),
        kind: metric.kind,
        of: metric.subject.of(),
        unit: metric.unit(),
        a: None,
        b: None,
        run_a: own(a),
        run_b: own(b),
        bounds_a: None,
        bounds_b: None,
        counted_a: None,
        counted_b: None,
        runs_a: count(a.compared.len()),
        runs_b: count(b.compared.len()),
        ratio: None,
        interval: None,
        difference: None,
        floor: Floor::of(metric.kind, floors).relative,
        decision: Decision::Inconclusive,
        detectable: None,
        basis: None,
        noise: None,
        without_incidents: None,
        notes: Vec::new(),
    }
}

pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The mean of a side's runs on the scale on which they are compared, and what rounding allows.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    value: f64,
    lo: f64,
    hi: f64,
}

fn estimate(kind: Kind, runs: &[Reading]) -> Option<Estimate> {
    let mean = |of: fn(&Reading) -> f64| {
        let values: Option<Vec<f64>> = runs.iter().map(|reading| scaled(kind, of(reading))).collect();
        values.filter(|values| !values.is_empty()).map(|values| values.iter().sum::<f64>() / values.len() as f64)
    };
    Some(Estimate { value: mean(|run| run.value)?, lo: mean(|run| run.bounds.lo())?, hi: mean(|run| run.bounds.hi())? })
}

/// Fills in a comparison of ratios.
fn ratios(change: &mut Change, metric: &Metric, readings: &Readings, ground: Ground<'_>) {
    let kind = metric.kind;
    let (Some(a), Some(b)) = (estimate(kind, &readings.a), estimate(kind, &readings.b)) else {
        return zeros(change, readings);
    };
    change.a = Some(a.value.exp());
    change.b = Some(b.value.exp());
    (change.bounds_a, change.bounds_b) = (rounded(a), rounded(b));
    let floor = Floor::of(kind, ground.floors);
    if ground.same_runs {
        return same(change, 1.0);
    }
    change.ratio = Some((b.value - a.value).exp());
    let noise = noise(metric, readings, ground);
    let half_width = half_width(&noise);
    change.noise = Some(noise);
    let Some(interval) = Bounds::new((b.lo - a.hi - half_width).exp(), (b.hi - a.lo + half_width).exp()) else { return };
    let base = a.value.exp();
    let decided = decide::ratio(kind, interval, base, floor);
    change.interval = Some(interval);
    change.decision = decided.decision;
    // The end of the interval that is nearer to no change must lie beyond the floor: of throughput the upper one.
    let log_ratio = b.value - a.value;
    let rounding = if kind.more_is_better() { (b.hi - a.lo) - log_ratio } else { log_ratio - (b.lo - a.hi) };
    change.detectable = Some(decide::detectable(half_width + rounding.max(0.0), base, floor));
    if decided.below_absolute {
        change.notes.push(format!("{BELOW_FLOOR} {}", show(floor.absolute, metric.unit())));
    }
}

/// Holds the covariate beside a change: what its difference explains by the repeats may make the change inconclusive, never one.
fn explain(change: &mut Change, metric: &Metric, sides: [&Members<'_>; 2], ground: Ground<'_>) {
    let [Some(before), Some(after)] = sides.map(covariate_of) else { return };
    let (Some(ratio), Some(interval), Some(a), Some(noise)) = (change.ratio, change.interval, change.a, &change.noise) else {
        return;
    };
    let groups = ground.repeats.by_covariate(metric, ground.left_out);
    let (level, difference) = (ground.floors.level, after - before);
    let explained = covariates::explained(groups.iter().map(Vec::as_slice), level, ratio.ln(), difference);
    let Some(explained) = explained.filter(|explained| explained.part.abs() > EXPLAINED) else { return };
    // What follows the covariate is no longer noise once it is explained.
    let inverse = 1.0 / f64::from(change.runs_a.max(1)) + 1.0 / f64::from(change.runs_b.max(1));
    let between = explained.half_width(level, difference, inverse);
    let narrower = half_width(noise) - noise.within.unwrap_or(0.0).hypot(between);
    let part = explained.part;
    let rest = Bounds::new((interval.lo().ln() - part + narrower).exp(), (interval.hi().ln() - part - narrower).exp());
    let floor = Floor::of(metric.kind, ground.floors);
    let still = rest.is_some_and(|rest| decide::ratio(metric.kind, rest, a, floor).decision == change.decision);
    let share = |value: f64| show(value, COVARIATE.unit());
    let percent = part.exp_m1() * 100.0;
    change.notes.push(format!(
        "{COVARIATE} {} before and {} after explains a change of {percent:+.0}%, as repeats follow it",
        share(before),
        share(after)
    ));
    if change.decision.is_change() && !still {
        change.decision = Decision::Inconclusive;
    }
}

/// The mean of the covariate over a side's runs; `None` where one of them has none.
fn covariate_of(members: &Members<'_>) -> Option<f64> {
    let values: Option<Vec<f64>> = members.records().into_iter().map(covariate).collect();
    values.filter(|values| !values.is_empty()).map(|values| values.iter().sum::<f64>() / values.len() as f64)
}

/// Zero has no logarithm: what can be said without one.
fn zeros(change: &mut Change, readings: &Readings) {
    let mean = |runs: &[Reading]| {
        let sum: f64 = runs.iter().map(|run| run.value).sum();
        (!runs.is_empty()).then(|| sum / runs.len() as f64)
    };
    (change.a, change.b) = (mean(&readings.a), mean(&readings.b));
    let is_zero = |runs: &[Reading]| !runs.is_empty() && runs.iter().all(|run| run.value <= 0.0);
    let (decision, note) = match (is_zero(&readings.a), is_zero(&readings.b)) {
        (true, true) => (Decision::NoChange, "it is zero on both sides"),
        (false, true) if change.kind.more_is_better() => (Decision::Regression, "it fell to zero"),
        (true, false) => (Decision::Inconclusive, "it was zero before: nothing can be divided by it"),
        _ => (Decision::Inconclusive, "a run of it is zero: no ratio can be taken"),
    };
    change.decision = decision;
    change.notes.push(note.to_owned());
}

fn rounded(estimate: Estimate) -> Option<Bounds> {
    Bounds::new(estimate.lo.exp(), estimate.hi.exp()).filter(|bounds| bounds.lo() < bounds.hi())
}

/// Both sides are the same runs: the ratio is one, whatever rounding hides.
fn same(change: &mut Change, ratio: f64) {
    change.ratio = Some(ratio);
    change.interval = Bounds::exact(ratio);
    change.decision = Decision::NoChange;
    change.noise = Some(same_runs());
}

fn same_runs() -> Noise {
    Noise {
        within: None,
        within_by_batches: None,
        between: 0.0,
        origin: NoiseOrigin::SameRuns,
        degrees: None,
        block_s: None,
        effective: None,
    }
}

fn half_width(noise: &Noise) -> f64 {
    noise.within.unwrap_or(0.0).hypot(noise.between)
}

/// The noise within the runs, where they have blocks, and that from run to run.
fn noise(metric: &Metric, readings: &Readings, ground: Ground<'_>) -> Noise {
    let runs = [readings.a.len(), readings.b.len()];
    let Between { half_width, origin, degrees } =
        ground.repeats.between(metric, ground.target, runs, ground.floors.level, ground.left_out);
    let blocks = |runs: &[Reading]| -> Option<Vec<Vec<f64>>> { runs.iter().map(|run| on_scale(metric.kind, run)).collect() };
    let blocks = blocks(&readings.a).zip(blocks(&readings.b));
    let within = blocks.map(|(a, b)| within(metric, [&a, &b], ground)).unwrap_or_default();
    Noise {
        within: within.half_width,
        within_by_batches: within.by_batches,
        between: half_width,
        origin,
        degrees,
        block_s: (readings.block_s > 0).then_some(readings.block_s),
        effective: within.effective,
    }
}

/// The noise within runs that have blocks: of the blocks, the target, the metric and the level, which are all named to who keeps it.
fn within(metric: &Metric, [a, b]: [&[Vec<f64>]; 2], ground: Ground<'_>) -> Within {
    let (name, level) = (metric.name(), ground.floors.level);
    let draw: Draw = if metric.kind == Kind::Throughput { log_means } else { bootstrap::medians };
    let resample = || {
        let worth = |runs: &[Vec<f64>]| runs.iter().map(|run| autocorrelation::effective_size(run)).sum::<f64>();
        let [worth_a, worth_b] = [worth(a), worth(b)];
        let mut random = Random::of(&[ground.target, &name]);
        // Every run has a median of its own, which takes a degree of freedom.
        let size = worth_a + worth_b - (a.len() + b.len()) as f64 + 1.0;
        let drawn = bootstrapped([a, b], level, draw, &mut random);
        Within {
            half_width: drawn.map(|half_width| half_width * bootstrap::widening(level, size)),
            by_batches: batches::half_width(&slices(a), &slices(b), level),
            effective: Some([worth_a, worth_b]),
        }
    };
    let kind = metric.kind.to_string();
    let of = [ground.target.as_bytes(), name.as_bytes(), kind.as_bytes(), &level.to_bits().to_le_bytes()];
    ground.resampled.within(&of, [a, b], resample)
}

/// The blocks of a run as they are resampled: logarithms, of throughput parts of its mean, whose differences are those of logarithms
/// near it. A block without an iteration has a part of its own, none; a median that was rounded to zero counts as the half of a
/// thousandth that it was below. `None` without blocks.
fn on_scale(kind: Kind, run: &Reading) -> Option<Vec<f64>> {
    const BELOW: f64 = 0.0005;
    let part = |value: &f64| if kind == Kind::Throughput { value / run.value } else { value.max(BELOW).ln() };
    (!run.blocks.is_empty() && run.value > 0.0).then(|| run.blocks.iter().map(part).collect())
}

/// The logarithms of means of resampled series; a series of nothing but zeros has the smallest number there is for a mean.
fn log_means(values: &[f64], block: usize, resamples: u32, random: &mut Random) -> Vec<f64> {
    let means = bootstrap::means(values, block, resamples, random);
    means.into_iter().map(|mean| mean.max(f64::MIN_POSITIVE).ln()).collect()
}

fn slices(runs: &[Vec<f64>]) -> Vec<&[f64]> {
    runs.iter().map(Vec::as_slice).collect()
}

/// How the values of resampled series are drawn: their medians, or their means.
type Draw = fn(&[f64], usize, u32, &mut Random) -> Vec<f64>;

/// Half the interval of resampled differences: of each run a median (of throughput, a mean), of each side the mean of its runs.
fn bootstrapped([a, b]: [&[Vec<f64>]; 2], level: f64, draw: Draw, random: &mut Random) -> Option<f64> {
    let mut side = |runs: &[Vec<f64>]| -> Vec<f64> {
        let mut sums = vec![0.0; RESAMPLES as usize];
        for run in runs {
            let drawn = draw(run, bootstrap::block_length(run), RESAMPLES, random);
            sums.iter_mut().zip(drawn).for_each(|(sum, value)| *sum += value);
        }
        sums.into_iter().map(|sum| sum / runs.len().max(1) as f64).collect()
    };
    let (a, b) = (side(a), side(b));
    let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
    bootstrap::half_width(&differences, level)
}

/// Fills in a comparison of shares that are single values, by the noise from run to run.
fn shares(change: &mut Change, metric: &Metric, readings: &Readings, ground: Ground<'_>) {
    let (Some(a), Some(b)) = (estimate(metric.kind, &readings.a), estimate(metric.kind, &readings.b)) else {
        change.notes.push("a share is not between none and all".to_owned());
        return;
    };
    let (share_a, share_b) = (share_at(a.value), share_at(b.value));
    (change.a, change.b) = (Some(share_a), Some(share_b));
    let exact = |one: Estimate| Bounds::new(share_at(one.lo), share_at(one.hi)).filter(|bounds| bounds.lo() < bounds.hi());
    (change.bounds_a, change.bounds_b) = (exact(a), exact(b));
    if ground.same_runs {
        change.difference = Some(Difference { value: 0.0, interval: Bounds::exact(0.0) });
        change.decision = Decision::NoChange;
        change.noise = Some(same_runs());
        return;
    }
    let noise = noise(metric, readings, ground);
    let interval = difference(a, b, half_width(&noise));
    change.noise = Some(noise);
    let Some(interval) = interval else { return };
    change.difference = Some(Difference { value: share_b - share_a, interval: Some(interval) });
    change.decision = decide::share(interval, false, false, change.floor);
    change.detectable = Some((interval.hi() - interval.lo()) / 2.0 + change.floor);
}

/// What the difference of two shares can be, of which a half-width is known on the scale of angles: each side has its part of it, and
/// the sides' distances are squared and added, as Newcombe does.
fn difference(a: Estimate, b: Estimate, half_width: f64) -> Option<Bounds> {
    let part = half_width / std::f64::consts::SQRT_2;
    let ends = |one: Estimate| (share_at(one.lo - part), share_at(one.hi + part));
    let ((from_a, to_a), (from_b, to_b)) = (ends(a), ends(b));
    let (share_a, share_b) = (share_at(a.value), share_at(b.value));
    let value = share_b - share_a;
    Bounds::new(value - (share_b - from_b).hypot(to_a - share_a), value + (to_b - share_b).hypot(share_a - from_a))
}

fn has_incidents(ground: Ground<'_>) -> bool {
    !ground.same_runs && ground.incidents.iter().flat_map(|side| side.iter()).any(|run| !run.is_empty())
}

/// The same without the incidents of the runs, where there are blocks enough to leave some out.
fn without(metric: &Metric, a: &Members<'_>, b: &Members<'_>, ground: Ground<'_>) -> Option<Without> {
    let cut = Cut { warm_up_s: ground.floors.warm_up_ms / 1e3, without: ground.incidents };
    let readings = reading::read(metric, a, b, cut).ok().filter(|readings| readings.basis != Basis::Summary)?;
    if readings.basis == Basis::Figures {
        return None;
    }
    let mut clean = blank(metric, a, b, ground.floors);
    ratios(&mut clean, metric, &readings, ground);
    Some(Without { ratio: clean.ratio, interval: clean.interval?, decision: clean.decision })
}

/// A metric that one side alone has.
pub(super) fn one_sided(metric: &Metric, a: &Members<'_>, b: &Members<'_>, floors: &Floors) -> Option<Change> {
    let decision = if a.is_empty() { Decision::New } else { Decision::Gone };
    let mut change = blank(metric, a, b, floors);
    if metric.subject == Subject::Whole && metric.kind == Kind::Failures {
        let total = |members: &Members<'_>| members.records().first().and_then(|record| reading::failed(record));
        (change.counted_a, change.counted_b) = (total(a), total(b));
    }
    change.decision = decision;
    (change.a, change.b) = (change.run_a, change.run_b);
    (change.a.is_some() || change.b.is_some()).then_some(change)
}

/// The sum of counts.
pub(super) fn total(counts: impl IntoIterator<Item = Counted>) -> Counted {
    counts.into_iter().fold(Counted::default(), |sum, one| Counted {
        count: sum.count.saturating_add(one.count),
        of: sum.of.saturating_add(one.of),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(value: f64, hi: f64) -> Reading {
        Reading { value, bounds: Bounds::new(value, hi).unwrap_or_else(|| unreachable!()), blocks: Vec::new() }
    }

    fn of_blocks(blocks: Vec<f64>) -> Reading {
        let value = blocks.iter().sum::<f64>() / blocks.len() as f64;
        Reading { blocks, ..single(value, value) }
    }

    fn compared(kind: Kind, a: Reading, b: Reading) -> Change {
        let (floors, repeats, resampled) = (Floors::default(), Repeats::default(), Resampled::default());
        let ground = Ground {
            target: "login",
            floors: &floors,
            repeats: &repeats,
            resampled: &resampled,
            left_out: &[],
            same_runs: false,
            incidents: [&[], &[]],
        };
        let metric = Metric::whole(kind);
        let mut change = blank(&metric, &Members::default(), &Members::default(), &floors);
        let block_s = if a.blocks.is_empty() { 0 } else { 30 };
        let readings = Readings { basis: Basis::Samples, block_s, a: vec![a], b: vec![b], notes: Vec::new() };
        ratios(&mut change, &metric, &readings, ground);
        change
    }

    /// Half an hour at 300 a second, some blocks of it without any.
    fn stalled(blocks: std::ops::Range<usize>) -> Reading {
        of_blocks(
            (0..58).map(|nth| if blocks.contains(&nth) { 0.0 } else { 300.0 + f64::from(u8::from(nth % 2 == 0)) }).collect(),
        )
    }

    #[test]
    fn a_stall_makes_the_noise_within_a_run_wide() {
        let within = |change: &Change| change.noise.as_ref().and_then(|noise| noise.within);
        let steady = compared(Kind::Throughput, stalled(0..0), stalled(0..0));
        assert!(within(&steady).is_some_and(|within| within < 0.01), "{steady:?}");
        // Six blocks of 58 are a loss of 10%, which one stall does not show of a build.
        let stall = compared(Kind::Throughput, stalled(0..0), stalled(20..26));
        assert!(within(&stall).is_some_and(|within| within > 0.05), "{stall:?}");
        assert_eq!(stall.decision, Decision::Inconclusive);
    }

    #[test]
    fn what_is_detectable_is_found_whichever_way_rounding_goes() {
        // k6 cuts: 117 is 117 to 118, 52 is 52 to 53.
        let rounded = |kind, ratio: f64| compared(kind, single(117.0, 118.0), single(117.0 * ratio, 117.0 * ratio + 1.0));
        for kind in [Kind::P95, Kind::Throughput] {
            let worse = |size: f64| if kind.more_is_better() { 1.0 / (1.0 + size) } else { 1.0 + size };
            // How much rounding is in it depends on the size of the change: one is looked for that is its own.
            let size = (0..50).fold(0.1, |size, _| rounded(kind, worse(size)).detectable.unwrap_or(f64::NAN));
            assert_eq!(rounded(kind, worse(size * 1.001)).decision, Decision::Regression, "{kind} {size}");
            assert_eq!(rounded(kind, worse(size * 0.999)).decision, Decision::Inconclusive, "{kind} {size}");
        }
    }
}
