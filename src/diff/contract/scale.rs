//! How many containers there may be: a fixed count of n is a scale from n to n.

use super::held::{Fact, Held, Sides};
use crate::model::environment::Container;
use crate::model::record::Record;
use crate::model::units::show_count;

/// The fewest. Nothing where both sides are of a fixed count: then that is held.
pub(super) fn min(sides: &Sides<'_>) -> Vec<Held> {
    ranged(sides, |container| container.min_scale.or(container.count))
}

/// The most.
pub(super) fn max(sides: &Sides<'_>) -> Vec<Held> {
    ranged(sides, |container| container.max_scale.or(container.count))
}

/// The fixed count, where both sides have one.
pub(super) fn count(sides: &Sides<'_>) -> Vec<Held> {
    if are_fixed(sides) { vec![sides.declared(|run| fact(run, |container| container.count))] } else { Vec::new() }
}

fn ranged(sides: &Sides<'_>, read: fn(&Container) -> Option<u64>) -> Vec<Held> {
    if are_fixed(sides) { Vec::new() } else { vec![sides.declared(|run| fact(run, read))] }
}

fn fact(run: &Record, read: impl Fn(&Container) -> Option<u64>) -> Option<Fact> {
    read(&run.environment.service.container).map(|count| Fact::number(count as f64, show_count(count)))
}

fn are_fixed(sides: &Sides<'_>) -> bool {
    let is_fixed = |runs: &[&Record]| {
        let known = |container: &&Container| container.count.or(container.min_scale).or(container.max_scale).is_some();
        let first = runs.iter().map(|run| &run.environment.service.container).find(known);
        first.is_some_and(|container| container.min_scale.or(container.max_scale).is_none())
    };
    is_fixed(sides.a) && is_fixed(sides.b)
}
