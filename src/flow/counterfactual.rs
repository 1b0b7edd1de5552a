//! Counterfactuals: the nearest change of one figure, all others as they are, that leads to another outcome.
//!
//! The outcome can only change where some comparison of the flow changes its answer, so the candidates are the values
//! that put a figure on a threshold, and the first values on either side of it. Each candidate is walked again; only what
//! really leads elsewhere is told.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::chart::Flow;
use super::expr::{Comparison, Operation, Term};
use super::walk::End;
use crate::model::bounds::Bounds;
use crate::model::catalogue::Origin;
use crate::model::evidence::{FigureRef, Known};
use crate::model::figure::{Figure, Measurement};
use crate::model::units::Unit;
use crate::model::verdict::{Counterfactual, Verdict};

impl Flow {
    /// For each figure on the path and each other outcome that this figure alone can lead to: the nearest value that does.
    ///
    /// `to` is taken as exact. It is a threshold itself where the outcome changes at it (`>= 80%` from below: 80%), and
    /// the first value beyond it where it changes behind it (`> 90%` from below: the next number above 90%, or the next
    /// whole one of a count). First the figures that an undetermined verdict wants, then the others by distance relative to
    /// the value, then those that were not captured and not needed. Figures of the previous run and goals are not the run's to change.
    pub(super) fn counterfactuals(&self, known: &Known, verdict: &Verdict) -> Vec<Counterfactual> {
        let mut nearest: Vec<Counterfactual> = Vec::new();
        for figure in self.changeable(verdict) {
            nearest.extend(self.of_figure(figure, known, verdict));
        }
        let key = |change: &Counterfactual| (rank(change, verdict), distance(change));
        nearest.sort_by(|a, b| {
            let (a_key, b_key) = (key(a), key(b));
            a_key.0.cmp(&b_key.0).then(a_key.1.total_cmp(&b_key.1)).then_with(|| order(a, b))
        });
        nearest
    }

    /// The run's own figures that the path asked about.
    fn changeable(&self, verdict: &Verdict) -> Vec<FigureRef> {
        let asked: Vec<&str> = verdict.path.iter().map(|step| step.question.as_str()).collect();
        let questions = self.questions.iter().filter(|question| asked.contains(&question.name.as_str()));
        let mut figures: Vec<FigureRef> =
            questions.flat_map(|question| question.when.comparisons()).flat_map(Comparison::figures).collect();
        figures.retain(|figure| !figure.previous && figure.figure.row().origin != Origin::Project);
        figures.sort_unstable();
        figures.dedup();
        figures
    }

    fn of_figure(&self, figure: FigureRef, known: &Known, verdict: &Verdict) -> Vec<Counterfactual> {
        let from = known.figure(figure).measurement().map(|found| found.value);
        let unit = figure.figure.unit();
        let mut nearest: BTreeMap<usize, f64> = BTreeMap::new();
        for to in self.candidates(figure, known) {
            let End::Outcome(at) = self.walk(&changed(known, figure, to)).end else { continue };
            if self.outcomes[at].name != verdict.outcome.name {
                let best = nearest.entry(at).or_insert(to);
                if from.is_some_and(|from| (to - from).abs() < (*best - from).abs()) {
                    *best = to;
                }
            }
        }
        let row = |(at, to): (usize, f64)| {
            let ending = &self.outcomes[at];
            let (outcome, label) = (ending.name.clone(), ending.label.clone());
            Counterfactual { figure: figure.to_string(), from, to, unit, outcome, label }
        };
        nearest.into_iter().map(row).collect()
    }

    /// Values at and around every threshold the flow holds the figure against: first the thresholds, from small to large,
    /// then the values beside them, then zero. Of a figure that was not captured, the first one is told.
    fn candidates(&self, figure: FigureRef, known: &Known) -> Vec<f64> {
        let comparisons = self.questions.iter().flat_map(|question| question.when.comparisons());
        let mut thresholds: Vec<Bounds> = comparisons.filter_map(|comparison| threshold(comparison, figure, known)).collect();
        thresholds.sort_by(|a, b| a.lo().total_cmp(&b.lo()).then(a.hi().total_cmp(&b.hi())));
        let unit = figure.figure.unit();
        let from = known.figure(figure).measurement().map(|found| found.value);
        let on = thresholds.iter().flat_map(|range| [range.lo(), range.hi()]);
        let beside = thresholds.iter().flat_map(|range| around(*range, unit));
        let mut values: Vec<f64> = on.chain(beside).filter(|value| is_possible(*value, unit, from)).collect();
        values.push(0.0);
        // The value as it is, were it exact and complete: that alone can decide what rounding left open.
        values.extend(from);
        values
    }
}

/// The same run with one figure at an exact value.
pub(super) fn changed(known: &Known, figure: FigureRef, to: f64) -> Known {
    let mut changed = known.clone();
    changed.figures.insert(figure, Figure::Measured(Measurement::exact(to, figure.figure.unit())));
    changed
}

/// The first values beyond the ends of a threshold.
fn around(range: Bounds, unit: Unit) -> Vec<f64> {
    if unit == Unit::Count {
        let whole = |value: f64| [value.floor(), value.ceil(), value.floor() - 1.0, value.ceil() + 1.0];
        return whole(range.lo()).into_iter().chain(whole(range.hi())).collect();
    }
    [range.lo(), range.hi()]
        .into_iter()
        .flat_map(|end| {
            // Arithmetic rounds, so the first value may lie a few steps off the computed threshold.
            let dust = end.abs() * 1e-12;
            [end.next_down(), end.next_up(), end - dust, end + dust]
        })
        .collect()
}

/// Nothing is less than nothing, and a share is a share of one whole, unless its source already counts beyond.
/// What is counted in whole ones stays whole.
fn is_possible(value: f64, unit: Unit, from: Option<f64>) -> bool {
    let whole = |value: f64| value.fract().abs() < f64::EPSILON;
    let fits = match unit {
        Unit::Ratio => value <= from.unwrap_or(1.0).max(1.0),
        Unit::Count => whole(value) || from.is_some_and(|from| !whole(from)),
        Unit::Ms | Unit::Bytes | Unit::PerSecond | Unit::PerMinute => true,
    };
    value.is_finite() && value >= 0.0 && fits
}

/// Where a comparison's answer changes with a figure that stands in it once, the others as they are.
fn threshold(comparison: &Comparison, figure: FigureRef, known: &Known) -> Option<Bounds> {
    let (left, right) = (&comparison.left.term, &comparison.right.term);
    match (left.mentions(figure), right.mentions(figure)) {
        (1, 0) => solve(left, figure, right.range(known)?, known),
        (0, 1) => solve(right, figure, left.range(known)?, known),
        _ => None,
    }
}

/// The value of a figure for which a term comes to a wanted value.
fn solve(term: &Term, figure: FigureRef, wanted: Bounds, known: &Known) -> Option<Bounds> {
    let Term::Operation(operation, left, right) = term else { return Some(wanted) };
    let in_left = left.mentions(figure) == 1;
    let (inner, other) = if in_left { (left, right) } else { (right, left) };
    let other = other.range(known)?;
    let wanted = match (operation, in_left) {
        (Operation::Plus, _) => wanted.minus(other),
        (Operation::Minus, true) => wanted.plus(other),
        (Operation::Minus, false) => other.minus(wanted),
        (Operation::Times, _) => wanted.over(other),
        (Operation::Over, true) => wanted.times(other),
        (Operation::Over, false) => other.over(wanted),
    };
    solve(inner, figure, wanted?, known)
}

/// What comes first: what the verdict stopped for, then what is known, then what was passed over.
fn rank(change: &Counterfactual, verdict: &Verdict) -> u8 {
    let stopped = verdict.path.last().filter(|step| step.taken().is_none());
    if stopped.is_some_and(|step| step.evidence.iter().any(|evidence| evidence.figure == change.figure)) {
        0
    } else if change.from.is_some() {
        1
    } else {
        2
    }
}

/// How far a change goes, relative to the larger of the two values.
fn distance(change: &Counterfactual) -> f64 {
    let Some(from) = change.from else { return 0.0 };
    let larger = from.abs().max(change.to.abs());
    if larger > 0.0 { (change.to - from).abs() / larger } else { 0.0 }
}

fn order(a: &Counterfactual, b: &Counterfactual) -> Ordering {
    a.figure.cmp(&b.figure).then(a.to.total_cmp(&b.to)).then_with(|| a.outcome.cmp(&b.outcome))
}
