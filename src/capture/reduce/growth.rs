//! How much counters grew in the window: differences of raw points, never an extrapolation.
//!
//! A counter that fell began anew, and what it shows then came since; so did one whose process started, or whose series says that it
//! began, between two points, even where its value is higher than before. What it counted between its last point and the restart is
//! lost, so the sum is a slight undercount.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::super::mapping::{Means, Shape};
use super::super::prometheus::wire::moment;
use super::super::quantity::Quantity;
use super::super::track::Point;
use super::group::{Group, Series};

/// When processes started, by the label that tells them apart.
#[derive(Default)]
pub(super) struct Starts<'a> {
    by_owner: BTreeMap<&'a str, Vec<DateTime<Utc>>>,
}

/// What counters grew by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Growth {
    /// The growth of all series together.
    pub(super) amount: f64,
    /// How often a counter began anew.
    pub(super) resets: u64,
    /// Counters that were there before their first point, which came later than that of others: what they had counted is not known.
    pub(super) late: u64,
}

impl Growth {
    /// What it lacks: what its source says, else what late counters had counted before.
    pub(super) fn lacking(self, group: &Group<'_>) -> Option<String> {
        let late = match self.late {
            0 => None,
            1 => Some("what 1 counter counted before its first point, which came late".to_owned()),
            many => Some(format!("what {many} counters counted before their first points, which came late")),
        };
        group.lacking.clone().or(late)
    }
}

/// What one counter grew by between two of its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// The earlier moment: nothing was counted before it.
    pub(super) from: DateTime<Utc>,
    /// The later moment.
    pub(super) until: DateTime<Utc>,
    pub(super) amount: f64,
    /// How it grew.
    pub(super) way: Way,
}

/// How a counter grew between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the earlier value to the later one.
    On,
    /// From zero, at a moment between the two.
    Anew,
    /// From zero, as it was not there before.
    First,
}

impl<'a> Starts<'a> {
    pub(super) fn of(groups: &[Group<'a>]) -> Self {
        let mut starts = Self::default();
        for group in groups.iter().filter(|group| group.means == Means::Quantity(Quantity::ProcessStart)) {
            for series in &group.series {
                let own = starts.by_owner.entry(Group::owner(series)).or_default();
                own.extend(series.values().filter_map(moment));
                own.sort();
                own.dedup();
            }
        }
        starts
    }

    /// Whether a counter began anew between two of its points, whatever its values are: its source says that it began later, or its
    /// process started there.
    pub(super) fn restarted(&self, series: &Series<'_>, before: &Point, after: &Point) -> bool {
        let began_later = before.start.zip(after.start).is_some_and(|(before, after)| before < after);
        began_later || self.between(series, before.end, after.end).is_some()
    }

    /// When the process of a series started, if it did so after one moment, up to another.
    fn between(&self, series: &Series<'_>, after: DateTime<Utc>, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let own = self.by_owner.get(Group::owner(series)).map(Vec::as_slice).unwrap_or_default();
        own.iter().copied().find(|start| after < *start && *start <= until)
    }
}

/// Whether the values of a shape tell a number: rates and states don't.
pub(super) fn is_counted(shape: Shape) -> bool {
    matches!(shape, Shape::Counter | Shape::Delta | Shape::Increase)
}

/// What the counters of a group grew by in its window; of values that `increase()` made, their last ones; of periods, their sum.
pub(super) fn growth(group: &Group<'_>, starts: &Starts<'_>) -> Growth {
    let mut all = Growth::default();
    for series in &group.series {
        let one = of_series(group, series, starts);
        all = Growth { amount: all.amount + one.amount, resets: all.resets + one.resets, late: all.late + one.late };
    }
    all
}

/// What one counter grew by.
pub(super) fn of_series(group: &Group<'_>, series: &Series<'_>, starts: &Starts<'_>) -> Growth {
    let inside = group.inside(series).filter_map(|point| series.scaled(point));
    match group.shape {
        Shape::Counter => {}
        Shape::Increase => return Growth { amount: inside.last().unwrap_or(0.0), ..Growth::default() },
        Shape::Delta => return Growth { amount: inside.sum(), ..Growth::default() },
        Shape::Gauge | Shape::Rate | Shape::Percentile { .. } => return Growth::default(),
    }
    let steps = steps(group, series, starts);
    let resets = steps.iter().filter(|step| step.way == Way::Anew).count() as u64;
    let amount = steps.iter().map(|step| step.amount).fold(0.0, |sum, amount| sum + amount);
    Growth { amount, resets, late: u64::from(is_late(group, series, starts)) }
}

/// Whether a counter comes later than others and nothing says that it began there: what it had counted before is not known.
fn is_late(group: &Group<'_>, series: &Series<'_>, starts: &Starts<'_>) -> bool {
    if group.base(series).is_some() {
        return false;
    }
    let Some(first) = group.inside(series).find(|point| point.number().is_some()) else { return false };
    let is_behind = group.earliest().is_some_and(|earliest| group.is_late(first.end, earliest));
    is_behind && began_inside(group, series, first, starts).is_none()
}

/// What one counter grew by from point to point.
pub(super) fn steps(group: &Group<'_>, series: &Series<'_>, starts: &Starts<'_>) -> Vec<Step> {
    let mut inside = group.inside(series).filter_map(|point| Some((point, series.scaled(point)?)));
    let mut known = group.base(series).and_then(|base| Some((base, series.scaled(base)?)));
    let mut steps = Vec::new();
    if known.is_none() {
        let Some((first, value)) = inside.next() else { return steps };
        if let Some(from) = began_inside(group, series, first, starts) {
            steps.push(Step { from, until: first.end, amount: value, way: Way::First });
        }
        known = Some((first, value));
    }
    for (point, value) in inside {
        let (before, last) = known.unwrap_or((point, value));
        let restarted = value < last || starts.restarted(series, before, point);
        let (amount, way) = if restarted { (value, Way::Anew) } else { (value - last, Way::On) };
        steps.push(Step { from: before.end, until: point.end, amount, way });
        known = Some((point, value));
    }
    steps
}

/// Since when a counter counted from zero inside the window, so that its first value was all counted there: its source says so, its
/// process started there, or another counter of the same process was scraped before, when this one was not there yet.
pub(super) fn began_inside(group: &Group<'_>, series: &Series<'_>, first: &Point, starts: &Starts<'_>) -> Option<DateTime<Utc>> {
    let window = group.window()?;
    let said = first.start.filter(|start| *start >= window.start);
    said.or_else(|| starts.between(series, window.start, first.end)).or_else(|| group.scraped_before(series, first.end))
}
