//! What changed: a row a metric, its interval as a picture, and how it was decided.

use serde::Serialize;

use super::super::view::{Cell, is_wide, plural};
use super::{Mark, words};
use crate::model::bounds::Bounds;
use crate::model::comparison::{Change, Comparability, Counted, Decision, Noise, NoiseOrigin, TargetComparison};
use crate::model::units::{Unit, show, show_number};
use crate::render::comparison::together::{SharedNote, gaps, names, shared_notes};
use crate::render::markup::breakable;
use crate::render::svg::interval::{Interval, end_for, interval};

/// The section about changes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChangesView {
    pub tables: Vec<ChangeTable>,
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
    /// What most numbers rest on; a row says what else it rests on.
    pub basis: String,
    /// What several rows have to be read with, said once.
    pub shared: Vec<String>,
    pub unknown: Vec<UnknownRow>,
}

/// Some metrics.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChangeTable {
    /// What is in it, where it is folded; empty for what is to be looked at first.
    pub folded: String,
    pub groups: Vec<ChangeGroup>,
}

/// The percentiles of one trend or endpoint, or metrics of the whole.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChangeGroup {
    /// The trend or endpoint; empty for the whole.
    pub of_html: String,
    pub rows: Vec<ChangeRow>,
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
    pub metric_html: String,
    /// What it rests on where most others rest on something else; may be empty.
    pub basis: String,
    pub a: Cell,
    pub b: Cell,
    /// `+12%`; empty where nothing is estimated.
    pub change: String,
    /// `+9.0 to +15%`; may be empty.
    pub interval: String,
    /// What is to be said beside it: `not quite alike, noise assumed`; may be empty.
    pub remarks: String,
    pub plot_svg: String,
    pub decision: Mark,
    /// What could have been seen; may be empty.
    pub detectable: String,
    pub notes: Vec<String>,
}

/// How a metric was decided.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DetailRow {
    pub metric_html: String,
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
    pub metric_html: String,
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
    meaning: "Too few repeats tell how far runs of one build lie apart in this: a usual width is assumed.",
};
/// What a rounded value is marked with.
const ROUNDED: MarkMeaning = MarkMeaning {
    word: "rounded",
    meaning: "The source cuts or rounds the value; the interval holds all that the rounding allows.",
};

pub(super) fn view(target: &TargetComparison) -> ChangesView {
    let end = end_for(target.changes.iter().filter(|change| is_drawn(change)).flat_map(logarithms));
    let is_drawn_at_all = |shares: bool| {
        let drawn = |change: &Change| change.kind.is_share() == shares && !plot(change, end).is_empty();
        target.changes.iter().any(drawn)
    };
    let said = |mark: &MarkMeaning| target.changes.iter().any(|change| remarks(target, change).contains(&mark.word));
    let (ratios, shares) = (is_drawn_at_all(false), is_drawn_at_all(true));
    let changes: Vec<&Change> = target.changes.iter().collect();
    let beside = Beside { end, basis: most_common(&changes), shared: shared_notes(&changes) };
    ChangesView {
        is_drawn: ratios || shares,
        has_shares: shares,
        axis_from: if ratios { words::percent(1.0 / end) } else { String::new() },
        axis_to: if ratios { words::percent(end) } else { String::new() },
        marks: [WEAKENED, ASSUMED, ROUNDED].into_iter().filter(said).collect(),
        details: target.changes.iter().filter(|change| change.decision.is_compared()).map(detail).collect(),
        unknown: unknown(target),
        tables: tables(target, &beside),
        shared: beside.shared.iter().map(|note| note.sentence(NAMED) + ".").collect(),
        basis: beside.basis,
    }
}

/// How many names of trends a note has.
const NAMED: usize = 6;

/// What the rows of a target share.
struct Beside<'a> {
    /// The end of the drawn axis, a ratio.
    end: f64,
    basis: String,
    shared: Vec<SharedNote<'a>>,
}

/// What most of the changes rest on; of several the first.
fn most_common(changes: &[&Change]) -> String {
    let all: Vec<String> = changes.iter().map(|change| basis(change)).filter(|basis| !basis.is_empty()).collect();
    let count = |basis: &String| all.iter().filter(|other| *other == basis).count();
    let mut most = String::new();
    for basis in &all {
        if most.is_empty() || count(basis) > count(&most) {
            most.clone_from(basis);
        }
    }
    most
}

/// Whether a row may be folded: a percentile of one trend or endpoint that no change was found in.
fn is_minor(change: &Change) -> bool {
    change.kind.is_latency() && change.of.is_some() && !change.decision.is_change()
}

/// What is to be looked at first, then the rest where it is long.
fn tables(target: &TargetComparison, beside: &Beside<'_>) -> Vec<ChangeTable> {
    const FEW: usize = 6;
    let minor = target.changes.iter().filter(|change| is_minor(change)).count();
    let folds = minor > FEW && minor < target.changes.len();
    let of = |folded: bool| groups(target, beside, &|change: &Change| (folds && is_minor(change)) == folded);
    let told = if target.changes.iter().any(|change| change.decision.is_compared()) {
        ", none of them changed as far as can be told"
    } else {
        ""
    };
    let words = format!("{minor} percentiles of single trends and endpoints{told}");
    let tables = [(String::new(), of(false)), (words, of(true))];
    let tables = tables.into_iter().filter(|(_, groups)| !groups.is_empty());
    tables.map(|(folded, groups)| ChangeTable { folded, groups }).collect()
}

/// The chosen metrics: those of the whole, then the percentiles of each trend and endpoint.
fn groups(target: &TargetComparison, beside: &Beside<'_>, is_chosen: &dyn Fn(&Change) -> bool) -> Vec<ChangeGroup> {
    let mut groups: Vec<(&str, ChangeGroup)> = Vec::new();
    let trend = |change: &Change| change.kind.is_latency() && change.of.is_some();
    let chosen = || target.changes.iter().filter(|change| is_chosen(change));
    for change in chosen().filter(|change| !trend(change)).chain(chosen().filter(|change| trend(change))) {
        let of = change.of.as_deref().filter(|_| change.kind.is_latency()).unwrap_or_default();
        let row = row(target, change, beside);
        match groups.iter_mut().find(|(known, _)| *known == of) {
            Some((_, group)) => group.rows.push(row),
            None => groups.push((of, ChangeGroup { of_html: breakable(of), rows: vec![row] })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
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

fn row(target: &TargetComparison, change: &Change, beside: &Beside<'_>) -> ChangeRow {
    let (estimate, interval) = estimate(change);
    let of_trend = change.kind.is_latency() && change.of.is_some();
    ChangeRow {
        metric_html: if of_trend { change.kind.name().to_owned() } else { breakable(&change.metric) },
        basis: own_basis(change, &beside.basis),
        a: side(change.a, change.bounds_a, change.counted_a, change.unit),
        b: side(change.b, change.bounds_b, change.counted_b, change.unit),
        change: estimate,
        interval,
        remarks: remarks(target, change).join(", "),
        plot_svg: plot(change, beside.end),
        decision: Mark::decision(change.decision),
        detectable: detectable(change),
        notes: notes(change, &beside.shared),
    }
}

/// The change and what it can be. Of runs that are unlike a bare ratio is told, which concludes nothing.
fn estimate(change: &Change) -> (String, String) {
    match (change.decision.is_compared(), change.difference, change.ratio) {
        (true, Some(difference), _) => {
            (words::points(difference.value), difference.interval.map(words::points_within).unwrap_or_default())
        }
        (true, None, Some(ratio)) => (words::percent(ratio), change.interval.map(words::within).unwrap_or_default()),
        (true, None, None) => (String::new(), change.interval.map(words::within).unwrap_or_default()),
        (false, None, Some(ratio)) => (words::times(ratio), String::new()),
        (false, _, _) => (String::new(), String::new()),
    }
}

fn side(value: Option<f64>, bounds: Option<Bounds>, counted: Option<Counted>, unit: Unit) -> Cell {
    let Some(known) = value else { return Cell { text: "not known".to_owned(), state: "missing", ..Cell::default() } };
    let cell = Cell::value(value, bounds, unit, "");
    let wide = bounds.filter(|bounds| is_wide(*bounds, known)).map(|_| cell.title.clone());
    cell.noting(counted.map(words::counted).or(wide).unwrap_or_default())
}

fn basis(change: &Change) -> String {
    let runs = match (change.runs_a, change.runs_b) {
        (0 | 1, 0 | 1) => String::new(),
        (a, b) => format!("; {a} runs against {b}"),
    };
    change.basis.map(|basis| format!("{}{runs}", words::basis(basis))).unwrap_or_default()
}

/// What a row rests on where most rest on something else; the number of runs only where that differs too.
fn own_basis(change: &Change, most: &str) -> String {
    let own = basis(change);
    let parts = |basis: &str| basis.split_once("; ").map(|(basis, runs)| (basis.to_owned(), runs.to_owned()));
    match (parts(&own), parts(most)) {
        _ if own == most => String::new(),
        (Some((basis, runs)), Some((_, others))) if runs == others => basis,
        _ => own,
    }
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

fn notes(change: &Change, shared: &[SharedNote<'_>]) -> Vec<String> {
    let own = |note: &&String| !shared.iter().any(|shared| shared.holds(note));
    let without = change.without_incidents.as_ref().map(|without| {
        let share = change.kind.is_share();
        let interval = if share { words::points_within(without.interval) } else { words::within(without.interval) };
        let ratio = without.ratio.map(|ratio| words::percent(ratio) + " ").unwrap_or_default();
        format!("Without incidents: {ratio}({interval}), {}.", words::decision(without.decision))
    });
    without.into_iter().chain(change.notes.iter().filter(own).cloned()).collect()
}

/// The interval against the floor; nothing where nothing is concluded.
fn plot(change: &Change, end: f64) -> String {
    if !change.decision.is_compared() {
        return String::new();
    }
    let class = Mark::decision(change.decision).class;
    if let Some(difference) = change.difference {
        let Some((lo, hi)) = difference.interval.map(|bounds| (bounds.lo(), bounds.hi())) else { return String::new() };
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
        metric_html: breakable(&change.metric),
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

/// What could not be known: comparisons that tell nothing, then metrics that could not be compared, by the reason.
fn unknown(target: &TargetComparison) -> Vec<UnknownRow> {
    let inconclusive = || target.changes.iter().filter(|change| change.decision == Decision::Inconclusive);
    let told = inconclusive().filter(|change| !is_minor(change)).map(|change| {
        let (estimate, interval) = estimate(change);
        let size = detectable(change);
        let seen = if size.is_empty() { size } else { format!("; a change of {size}") };
        let told = if interval.is_empty() { String::new() } else { format!(": {estimate} ({interval})") };
        UnknownRow { metric_html: breakable(&change.metric), why: format!("inconclusive{told}{seen}") }
    });
    let minor = inconclusive().filter(|change| is_minor(change)).count();
    let minor = (minor > 0).then(|| UnknownRow {
        metric_html: plural(minor, "percentile", "percentiles"),
        why: "of single trends and endpoints: inconclusive, each with what would have been seen in the table above".to_owned(),
    });
    let missing = gaps(&target.missing)
        .into_iter()
        .map(|gap| UnknownRow { metric_html: breakable(&names(&gap.metrics, usize::MAX)), why: gap.reason.to_owned() });
    told.chain(minor).chain(missing).collect()
}
