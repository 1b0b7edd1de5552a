//! The connection pools: how many connections were acquired, how many acquires found the pool empty, how long they took.
//!
//! Waits are summed over all acquires; how long the waiting ones alone waited is not counted by anybody, so the wait over them is an
//! upper estimate and named as such.

use std::collections::BTreeSet;

use super::super::findings::{Findings, Standing};
use super::super::mapping::{Means, Shape};
use super::super::quantity::Quantity;
use super::group::Group;
use super::growth::{Growth, Starts, growth, is_counted, of_series};
use super::{figures, judged, measured, observed, standing};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Grade, Measurement};
use crate::model::units::Unit;

/// A counter of the pools with what it grew by.
struct Counted<'g, 'a> {
    group: &'g Group<'a>,
    growth: Growth,
}

pub(super) fn tell(groups: &[Group<'_>], starts: &Starts<'_>, found: &mut Findings) {
    let counted = |quantity| best(groups, quantity).map(|group| Counted { group, growth: growth(group, starts) });
    if let Some(acquires) = counted(Quantity::PoolAcquires) {
        acquired(&acquires, starts, found);
        let (empty, wait) = (counted(Quantity::PoolEmptyAcquires), counted(Quantity::PoolWait));
        if let Some(empty) = &empty {
            share(&acquires, empty, found);
        }
        if let Some(wait) = &wait {
            waited(&acquires, wait, empty.as_ref(), found);
        }
    }
    uncounted(groups, found);
    if let Some(most) = best(groups, Quantity::PoolMaxOpen) {
        largest(most, found);
    }
}

/// The best group of a quantity from which something may be taken; why there is none is told by [`super::tell`].
fn best<'g, 'a>(groups: &'g [Group<'a>], quantity: Quantity) -> Option<&'g Group<'a>> {
    let of = groups.iter().filter(|group| group.means == Means::Quantity(quantity) && group.refusal().is_none());
    of.filter(|group| quantity == Quantity::PoolMaxOpen || is_counted(group.shape)).min_by_key(|group| standing(group))
}

/// The grade and words of what was counted by differences, or extrapolated.
fn told(counted: &Counted<'_, '_>) -> (Option<Grade>, String) {
    let containers = match counted.group.series.len() {
        1 => "1 container".to_owned(),
        n => format!("{n} containers"),
    };
    match counted.group.shape {
        Shape::Increase => {
            return (Some(Grade::Approximate), "sum over containers of increase(), which extrapolates".to_owned());
        }
        Shape::Delta => return (None, format!("sum of periods, summed over {containers}")),
        _ => {}
    }
    let resets = match counted.growth.resets {
        0 => "no reset".to_owned(),
        1 => "1 reset".to_owned(),
        n => format!("{n} resets"),
    };
    (None, format!("differences of raw points, {resets}, summed over {containers}"))
}

fn acquired(acquires: &Counted<'_, '_>, starts: &Starts<'_>, found: &mut Findings) {
    let (id, group) = (FigureId::PoolAcquires, acquires.group);
    let (grade, method) = told(acquires);
    let amount = acquires.growth.amount;
    let lacking = acquires.growth.lacking(group);
    let measurement = Measurement { grade, lacking, ..measured(group, amount, id.unit(), method) };
    found.add(id, judged(measurement), standing(group));
    let number = |value: f64, method: &str| measured(group, value, Unit::Count, method);
    found.observed.push(observed("containers with a pool", number(group.series.len() as f64, "series")));
    let loaded = group.series.iter().filter(|series| {
        let own = of_series(group, series, starts).amount;
        own * 10.0 * group.series.len() as f64 >= amount && own > 0.0
    });
    let method = "containers with at least a tenth of an equal share of the acquires";
    found.observed.push(observed("containers carrying load", number(loaded.count() as f64, method)));
    // Only a counter shows that it began anew.
    if group.shape == Shape::Counter {
        let resets = number(acquires.growth.resets as f64, "resets of the counter of acquires");
        found.observed.push(observed("counters begun anew", resets));
    }
}

fn share(acquires: &Counted<'_, '_>, empty: &Counted<'_, '_>, found: &mut Findings) {
    if per_acquire(acquires, empty, FigureId::PoolEmptyRatio, "empty / all acquires", found) {
        let count = measured(empty.group, empty.growth.amount, Unit::Count, told(empty).1);
        found.observed.push(observed("empty acquires", count));
    }
}

fn waited(acquires: &Counted<'_, '_>, wait: &Counted<'_, '_>, empty: Option<&Counted<'_, '_>>, found: &mut Findings) {
    if !per_acquire(acquires, wait, FigureId::PoolMeanWait, "wait / all acquires", found) {
        return;
    }
    found.observed.push(observed("wait for connections", measured(wait.group, wait.growth.amount, Unit::Ms, told(wait).1)));
    if let Some(empty) = empty.filter(|empty| empty.growth.amount > 0.0) {
        let mean = wait.growth.amount / empty.growth.amount;
        let method = "wait / empty acquires: an upper estimate, since the others took time too";
        found.observed.push(observed("mean wait of waiting acquires", both(wait, empty, mean, Unit::Ms, method)));
    }
}

/// Adds a figure of an amount by the acquires; false where nothing was acquired, and so none of it follows.
fn per_acquire(acquires: &Counted<'_, '_>, part: &Counted<'_, '_>, id: FigureId, method: &str, found: &mut Findings) -> bool {
    let any = acquires.growth.amount > 0.0;
    if any {
        let value = part.growth.amount / acquires.growth.amount;
        found.add(id, judged(both(acquires, part, value, id.unit(), method)), standing(acquires.group));
    } else {
        found.add(id, Figure::not_captured("nothing was acquired in the window"), Standing::None);
    }
    any
}

/// A value of two counters: from the files of both, as good as the worse of them.
fn both(a: &Counted<'_, '_>, b: &Counted<'_, '_>, value: f64, unit: Unit, method: &str) -> Measurement {
    let (grade, _) = told(a);
    let mut measurement = Measurement { grade: grade.or(told(b).0), ..measured(a.group, value, unit, method) };
    measurement.lacking = a.growth.lacking(a.group).or_else(|| b.growth.lacking(b.group));
    measurement.coverage = Some(worse(a.group.coverage(), b.group.coverage()));
    let files: BTreeSet<String> = measurement.files.into_iter().chain(b.group.files()).collect();
    measurement.files = files.into_iter().collect();
    measurement
}

/// The coverage of which less is there.
fn worse(a: Coverage, b: Coverage) -> Coverage {
    let is_less = b.seen.saturating_mul(a.expected) < a.seen.saturating_mul(b.expected);
    if is_less { b } else { a }
}

/// Where a counter of the pools gives no number: its values are rates or states.
fn uncounted(groups: &[Group<'_>], found: &mut Findings) {
    for quantity in [Quantity::PoolAcquires, Quantity::PoolEmptyAcquires, Quantity::PoolWait] {
        let is_of = |group: &&Group<'_>| group.means == Means::Quantity(quantity) && group.refusal().is_none();
        for group in groups.iter().filter(is_of).filter(|group| !is_counted(group.shape)) {
            let why = format!("the values of {} are no counts, but rates or states", group.metric);
            for path in group.files() {
                found.pass_over(&path, why.clone());
            }
            for id in figures(quantity) {
                found.add(*id, Figure::not_captured(why.clone()), Standing::None);
            }
        }
    }
}

/// The size of one container's pool; all have the same, else the largest is told.
fn largest(group: &Group<'_>, found: &mut Findings) {
    let id = FigureId::PoolMaxOpen;
    let numbers = group.numbers();
    let (Some(most), Some(least)) = (numbers.iter().copied().reduce(f64::max), numbers.iter().copied().reduce(f64::min)) else {
        return;
    };
    let method = if most > least { "the largest of several sizes, of one container" } else { "of one container" };
    found.add(id, judged(measured(group, most, id.unit(), method)), standing(group));
}
