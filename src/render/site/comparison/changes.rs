//! What changed: a row a metric, its interval as a picture, and how it was decided.

use serde::Serialize;

use super::{Mark, words};
use crate::model::bounds::Bounds;
use crate::model::comparison::{Change, Comparability, Counted, Decision, Noise, NoiseOrigin, TargetComparison};
use crate::model::units::{Unit, show, show_number};
use crate::render::svg::interval::{Interval, end_for, interval};

/// The section about changes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChangesView {
    pub rows: Vec<ChangeRow>,
    pub details: Vec<DetailRow>,
    /// Whether an interval is drawn.
    pub is_drawn: bool,
    /// The ends of the drawn axis: `−33%`, `+50%`.
    pub axis_from: String,
    pub axis_to: String,
    /// Whether a share is drawn, which has an axis of its own.
    pub has_shares: bool,
    /// What is to be said beside every number, in full.
    pub marks: Vec<MarkMeaning>,
    pub unknown: Vec<UnknownRow>,
}

/// What a few words beside a number mean.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MarkMeaning {
    pub word: &'static str,
    pub meaning: &'static str,
}

/// A metric.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChangeRow {
    pub metric: String,
    pub basis: String,
    pub a: SideValue,
    pub b: SideValue,
    /// `+12%`; empty where nothing is estimated.
    pub change: String,
    /// `+9.0 to +15%`; may be empty.
    pub interval: String,
    /// What is to be said beside it: `not quite alike`, `noise assumed`.
    pub remarks: Vec<&'static str>,
    pub plot_svg: String,
    pub decision: Mark,
    /// What could have been seen; may be empty.
    pub detectable: String,
    pub notes: Vec<String>,
}

/// A value of one side.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SideValue {
    pub text: String,
    /// The counts or the rounding behind it; may be empty.
    pub note: String,
    pub state: &'static str,
}

/// How a metric was decided.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DetailRow {
    pub metric: String,
    pub runs: String,
    pub record_a: String,
    pub record_b: String,
    pub floor: String,
    pub within: String,
    pub batches: String,
    pub between: String,
    pub origin: String,
    pub blocks: String,
}

/// What could not be known.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct UnknownRow {
    pub metric: String,
    pub why: String,
}

/// What a weakened target's numbers are marked with.
const WEAKENED: MarkMeaning = MarkMeaning {
    word: "not quite alike",
    meaning: "The contract is weakened: the change may come from what differs between the runs, not from the release.",
};
/// What a change with assumed noise is marked with.
const ASSUMED: MarkMeaning = MarkMeaning {
    word: "noise assumed",
    meaning: "Nobody repeated these runs, so how far runs of one build lie apart is not known: a usual width is assumed.",
};
/// What a rounded value is marked with.
const ROUNDED: MarkMeaning = MarkMeaning {
    word: "rounded",
    meaning: "The source cuts or rounds the value; the interval holds all that the rounding allows.",
};

pub(super) fn view(target: &TargetComparison) -> ChangesView {
    let end = end_for(target.changes.iter().filter(|change| is_drawn(change)).flat_map(logarithms));
    let rows: Vec<ChangeRow> = target.changes.iter().map(|change| row(target, change, end)).collect();
    let drawn = |shares: bool| {
        let plots = target.changes.iter().zip(&rows).filter(|(change, _)| change.kind.is_share() == shares);
        plots.into_iter().any(|(_, row)| !row.plot_svg.is_empty())
    };
    let said = |mark: &MarkMeaning| rows.iter().any(|row| row.remarks.contains(&mark.word));
    ChangesView {
        is_drawn: drawn(false) || drawn(true),
        has_shares: drawn(true),
        axis_from: if drawn(false) { words::percent(1.0 / end) } else { String::new() },
        axis_to: if drawn(false) { words::percent(end) } else { String::new() },
        marks: [WEAKENED, ASSUMED, ROUNDED].into_iter().filter(said).collect(),
        details: target.changes.iter().filter(|change| change.decision.is_compared()).map(detail).collect(),
        unknown: unknown(target),
        rows,
    }
}

/// Whether a ratio is drawn on the axis that all share.
fn is_drawn(change: &Change) -> bool {
    change.decision.is_compared() && !change.kind.is_share()
}

/// The logarithms that the axis has to hold.
fn logarithms(change: &Change) -> Vec<f64> {
    let ends = change.interval.into_iter().flat_map(|interval| [interval.lo().ln(), interval.hi().ln()]);
    ends.chain([2.0 * change.floor.abs().ln_1p()]).collect()
}

fn row(target: &TargetComparison, change: &Change, end: f64) -> ChangeRow {
    let (estimate, interval) = estimate(change);
    ChangeRow {
        metric: change.metric.clone(),
        basis: basis(change),
        a: side(change.a, change.bounds_a, change.counted_a, change.unit),
        b: side(change.b, change.bounds_b, change.counted_b, change.unit),
        change: estimate,
        interval,
        remarks: remarks(target, change),
        plot_svg: plot(change, end),
        decision: Mark::decision(change.decision),
        detectable: detectable(change),
        notes: notes(change),
    }
}

/// The change and what it can be. Of runs that are unlike a bare ratio is told, which concludes nothing.
fn estimate(change: &Change) -> (String, String) {
    match (change.decision.is_compared(), change.difference, change.ratio) {
        (true, Some(difference), _) => (words::points(difference.value), words::points_within(difference.interval)),
        (true, None, Some(ratio)) => (words::percent(ratio), change.interval.map(words::within).unwrap_or_default()),
        (true, None, None) => (String::new(), change.interval.map(words::within).unwrap_or_default()),
        (false, None, Some(ratio)) => (words::times(ratio), String::new()),
        (false, _, _) => (String::new(), String::new()),
    }
}

fn side(value: Option<f64>, bounds: Option<Bounds>, counted: Option<Counted>, unit: Unit) -> SideValue {
    let rounding = bounds.filter(|bounds| bounds.lo() < bounds.hi());
    let rounding = rounding.map(|bounds| format!("{} to {}", show(bounds.lo(), unit), show(bounds.hi(), unit)));
    let note = counted.map(words::counted).or(rounding).unwrap_or_default();
    match value {
        Some(value) => SideValue { text: show(value, unit), note, state: "measured" },
        None => SideValue { text: "not known".to_owned(), note, state: "missing" },
    }
}

fn basis(change: &Change) -> String {
    let runs = match (change.runs_a, change.runs_b) {
        (0 | 1, 0 | 1) => String::new(),
        (a, b) => format!("; {a} runs against {b}"),
    };
    change.basis.map(|basis| format!("{}{runs}", words::basis(basis))).unwrap_or_default()
}

fn remarks(target: &TargetComparison, change: &Change) -> Vec<&'static str> {
    let is_wide = |bounds: Option<Bounds>| bounds.is_some_and(|bounds| bounds.lo() < bounds.hi());
    let weakened = target.contract.verdict == Comparability::Weakened && change.decision.is_compared();
    let assumed = change.noise.as_ref().is_some_and(|noise| noise.origin == NoiseOrigin::Assumed);
    let rounded = is_wide(change.bounds_a) || is_wide(change.bounds_b);
    let said = [(weakened, WEAKENED.word), (assumed, ASSUMED.word), (rounded, ROUNDED.word)];
    said.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
}

fn detectable(change: &Change) -> String {
    let unseen = matches!(change.decision, Decision::Inconclusive | Decision::NoChange);
    let size = change.detectable.filter(|_| unseen).map(|size| words::size(size, change.kind));
    size.map(|size| format!("{size} would have been seen")).unwrap_or_default()
}

fn notes(change: &Change) -> Vec<String> {
    let without = change.without_incidents.as_ref().map(|without| {
        let share = change.kind.is_share();
        let interval = if share { words::points_within(without.interval) } else { words::within(without.interval) };
        let ratio = without.ratio.map(|ratio| words::percent(ratio) + " ").unwrap_or_default();
        format!("Without incidents: {ratio}({interval}), {}.", words::decision(without.decision))
    });
    without.into_iter().chain(change.notes.iter().cloned()).collect()
}

/// The interval against the floor; nothing where nothing is concluded.
fn plot(change: &Change, end: f64) -> String {
    if !change.decision.is_compared() {
        return String::new();
    }
    let class = Mark::decision(change.decision).class;
    if let Some(difference) = change.difference {
        let (lo, hi) = (difference.interval.lo(), difference.interval.hi());
        let reach = [lo.abs(), hi.abs(), 2.0 * change.floor.abs()].into_iter().fold(0.0, f64::max) * 1.15;
        return interval(&Interval { lo, hi, at: Some(difference.value), floor: change.floor, reach, class });
    }
    let Some(bounds) = change.interval else { return String::new() };
    let (lo, hi, at) = (bounds.lo().ln(), bounds.hi().ln(), change.ratio.map(f64::ln));
    interval(&Interval { lo, hi, at, floor: change.floor.abs().ln_1p(), reach: end.ln(), class })
}

fn detail(change: &Change) -> DetailRow {
    let value = |value: Option<f64>| value.map_or_else(|| "not known".to_owned(), |value| show(value, change.unit));
    let noise = change.noise.as_ref();
    let half = |width: Option<f64>| width.map_or_else(|| "not known".to_owned(), |width| half_width(width, change));
    DetailRow {
        metric: change.metric.clone(),
        runs: format!("{} against {}", change.runs_a, change.runs_b),
        record_a: value(change.run_a),
        record_b: value(change.run_b),
        floor: words::size(change.floor, change.kind),
        within: half(noise.and_then(|noise| noise.within)),
        batches: half(noise.and_then(|noise| noise.within_by_batches)),
        between: half(noise.map(|noise| noise.between)),
        origin: noise.map(origin).unwrap_or_default(),
        blocks: noise.map(blocks).unwrap_or_default(),
    }
}

/// A half-width as a change: `±8.0%`.
fn half_width(width: f64, change: &Change) -> String {
    let width = if change.kind.is_share() { width } else { width.exp_m1() };
    format!("±{}", words::size(width, change.kind))
}

fn origin(noise: &Noise) -> String {
    let degrees = noise.degrees.map(|degrees| format!(", {degrees} degrees of freedom")).unwrap_or_default();
    format!("{}{degrees}", words::origin(noise.origin))
}

fn blocks(noise: &Noise) -> String {
    let Some(seconds) = noise.block_s else { return String::new() };
    let worth = noise.effective.map(|[a, b]| format!(", worth {} and {} independent ones", whole(a), whole(b)));
    format!("of {}{}", show(f64::from(seconds) * 1e3, Unit::Ms), worth.unwrap_or_default())
}

/// A number of blocks, to the tenth.
fn whole(blocks: f64) -> String {
    show_number((blocks * 10.0).round() / 10.0)
}

/// What could not be known: comparisons that tell nothing, then metrics that could not be compared.
fn unknown(target: &TargetComparison) -> Vec<UnknownRow> {
    let inconclusive = target.changes.iter().filter(|change| change.decision == Decision::Inconclusive).map(|change| {
        let (estimate, interval) = estimate(change);
        let size = detectable(change);
        let seen = if size.is_empty() { size } else { format!("; a change of {size}") };
        let told = if interval.is_empty() { String::new() } else { format!(": {estimate} ({interval})") };
        UnknownRow { metric: change.metric.clone(), why: format!("inconclusive{told}{seen}") }
    });
    let missing = target.missing.iter().map(|missing| UnknownRow { metric: missing.metric.clone(), why: missing.reason.clone() });
    inconclusive.chain(missing).collect()
}
