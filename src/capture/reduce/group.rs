//! Groups of series: the answer to one question, whole by itself.

mod joining;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

pub(super) use self::joining::groups;
use super::super::buckets::Buckets;
use super::super::mapping::{Means, Shape};
use super::super::track::{Point, Value};
use super::super::{File, Window};
use crate::model::figure::Coverage;

/// Series that answer one question.
pub(super) struct Group<'a> {
    pub(super) means: Means,
    pub(super) shape: Shape,
    /// The name of the series in their source; the file's where they have none.
    pub(super) metric: &'a str,
    pub(super) series: Vec<Series<'a>>,
    /// Why the values are a lower bound.
    pub(super) lacking: Option<String>,
    /// The file that says so.
    pub(super) limited: Option<&'a File>,
    /// Whether which percentile it is was taken from the file's name.
    pub(super) by_name: bool,
    files: Vec<&'a File>,
    window: Option<Window>,
    /// The commonest distance of two points, in milliseconds.
    period_ms: Option<i64>,
    pub(super) more_pages: bool,
    /// When a file has points of a process, by process and file: asked for once a series, so not looked for through all of them.
    scraped: BTreeMap<(&'a str, &'a str), BTreeSet<DateTime<Utc>>>,
    /// The earliest moment that its counters are counted from.
    earliest: OnceCell<Option<DateTime<Utc>>>,
}

/// One series of a group.
pub(super) struct Series<'a> {
    pub(super) labels: &'a BTreeMap<String, String>,
    /// Its points, oldest first, those outside the window too.
    points: Vec<Located<'a>>,
    factor: f64,
}

/// A point and the file it lies in.
type Located<'a> = (&'a Point, &'a File);

impl<'a> Group<'a> {
    /// Whether its values are buckets.
    pub(super) fn has_buckets(&self) -> bool {
        self.series.iter().flat_map(|series| &series.points).any(|(point, _)| point.buckets().is_some())
    }

    /// Why nothing may be taken from it; `None` if something may.
    pub(super) fn refusal(&self) -> Option<String> {
        if self.more_pages {
            return Some("the answer goes on on a page that is missing (nextPageToken)".to_owned());
        }
        if self.moments().is_empty() {
            return Some(format!("no point of {} lies in the window", self.metric));
        }
        None
    }

    /// The files it came from, as provenance names them.
    pub(super) fn files(&self) -> Vec<String> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    /// The first file.
    pub(super) fn file(&self) -> Option<&'a File> {
        self.files.first().copied()
    }

    /// The moments of the window at which a series has a value.
    pub(super) fn moments(&self) -> BTreeSet<DateTime<Utc>> {
        let inside = self.series.iter().flat_map(|series| self.inside(series));
        inside.filter(|point| point.value != Value::Nothing).map(|point| point.end).collect()
    }

    /// The points of a series that are the window's.
    pub(super) fn inside(&self, series: &Series<'a>) -> impl Iterator<Item = &'a Point> {
        let (window, shape) = (self.window, self.shape);
        series.points.iter().map(|(point, _)| *point).filter(move |point| is_inside(point, window, shape))
    }

    /// The last point of a series before the window from which a counter may be counted: not older than one period and a half.
    pub(super) fn base(&self, series: &Series<'a>) -> Option<&'a Point> {
        let window = self.window?;
        let base = series
            .points
            .iter()
            .map(|(point, _)| *point)
            .rfind(|point| point.end <= window.start && point.value != Value::Nothing)?;
        self.is_near_the_window(base.end).then_some(base)
    }

    /// The seconds of the window that the periods of its points cover: each as long as its point says, else as the commonest one.
    pub(super) fn seconds_of_periods(&self) -> Option<f64> {
        let numbers = self.series.iter().flat_map(|series| self.inside(series)).filter(|point| point.number().is_some());
        let period = self.period_ms.map(TimeDelta::milliseconds);
        let periods: Option<BTreeSet<_>> =
            numbers.map(|point| Some((point.start.or_else(|| Some(point.end - period?))?, point.end))).collect();
        let (mut covered, mut until) = (TimeDelta::zero(), None);
        for (start, end) in periods? {
            let from = until.map_or(start, |until: DateTime<Utc>| until.max(start));
            covered += (end - from).max(TimeDelta::zero());
            until = until.max(Some(end));
        }
        (covered > TimeDelta::zero()).then(|| covered.as_seconds_f64())
    }

    /// The earliest moment that its counters are counted from.
    pub(super) fn earliest(&self) -> Option<DateTime<Utc>> {
        let first = |series| self.base(series).or_else(|| self.inside(series).find(|point| point.value != Value::Nothing));
        *self.earliest.get_or_init(|| self.series.iter().filter_map(first).map(|point| point.end).min())
    }

    /// Whether a moment is more than one period and a half after another.
    pub(super) fn is_late(&self, at: DateTime<Utc>, after: DateTime<Utc>) -> bool {
        self.period_ms.is_some_and(|period| (at - after).num_milliseconds() * 2 > period * 3)
    }

    /// The window's length in seconds, where there is one.
    pub(super) fn window(&self) -> Option<Window> {
        self.window
    }

    /// The moments that something is counted or measured up to: of a counter, the first point that nothing is counted from is
    /// none.
    fn seen(&self) -> BTreeSet<DateTime<Utc>> {
        let mut seen = BTreeSet::new();
        for series in &self.series {
            let only_begins = self.shape == Shape::Counter && self.base(series).is_none();
            let inside = self.inside(series).filter(|point| point.value != Value::Nothing);
            seen.extend(inside.skip(usize::from(only_begins)).map(|point| point.end));
        }
        seen
    }

    /// Moments seen of moments expected, over all series together: a series of a rare code has points only where it occurs.
    pub(super) fn coverage(&self) -> Coverage {
        let seen = self.seen().len() as u64;
        let expected = self.period_ms.map_or(seen, |period| u64::try_from(self.length_ms() / period).unwrap_or(0).max(seen));
        let all: usize = self.series.iter().map(|series| series.points.len()).sum();
        let inside: usize = self.series.iter().map(|series| self.inside(series).count()).sum();
        let outside = (all - inside) as u64;
        Coverage {
            seen,
            expected,
            outside,
            period_s: self.period_ms.and_then(|period| u64::try_from((period + 500) / 1000).ok()),
        }
    }

    /// The length of the window in milliseconds; without one that of the time its own points cover.
    fn length_ms(&self) -> i64 {
        if let Some(window) = self.window {
            return (window.end - window.start).num_milliseconds();
        }
        let moments = self.moments();
        let covered = moments.first().zip(moments.last()).map_or(0, |(first, last)| (*last - *first).num_milliseconds());
        // The first point stands for a period too, but for that of a counter, from which counting begins; scrapes tremble.
        let periods = if self.shape == Shape::Counter { 0 } else { 2 };
        covered + self.period_ms.unwrap_or(0) * (periods + 1) / 2
    }

    /// Whether its series overlap in time and have no moment in common: a sum at a moment would be the value of one of them.
    pub(super) fn is_apart(&self) -> bool {
        let ends = |series| self.inside(series).filter(|point| point.number().is_some()).map(|point| point.end);
        let mut ranges: Vec<_> =
            self.series.iter().filter_map(|series| Some((ends(series).next()?, ends(series).last()?))).collect();
        ranges.sort_unstable();
        let overlap = ranges.windows(2).any(|pair| pair[1].0 < pair[0].1);
        overlap && self.series.iter().map(|series| ends(series).count()).sum::<usize>() == self.moments().len()
    }

    /// The sum over all series at each moment of the window.
    pub(super) fn summed(&self) -> BTreeMap<DateTime<Utc>, f64> {
        let mut sums = BTreeMap::new();
        for series in &self.series {
            for point in self.inside(series) {
                if let Some(value) = point.number() {
                    *sums.entry(point.end).or_insert(0.0) += value * series.factor;
                }
            }
        }
        sums
    }

    /// All numbers of the window.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.series
            .iter()
            .flat_map(|series| self.inside(series).filter_map(|point| Some(point.number()? * series.factor)))
            .collect()
    }

    /// When another series of the same process was last scraped before the first point of a series: that one was not there yet.
    /// Only what stands in the same file tells, since another answer may begin at another moment; and only a moment from which
    /// a counter may be counted.
    pub(super) fn scraped_before(&self, series: &Series<'a>, first: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let (_, file) = series.points.first().filter(|(point, _)| point.end == first)?;
        let last = self.scraped.get(&(Group::owner(series), file.path.as_str()))?.range(..first).next_back().copied()?;
        self.is_near_the_window(last).then_some(last)
    }

    /// Whether a counter may be counted from a moment: it is not older than one period and a half before the window.
    fn is_near_the_window(&self, moment: DateTime<Utc>) -> bool {
        let Some((window, period)) = self.window.zip(self.period_ms) else { return true };
        (window.start - moment).num_milliseconds() * 2 <= period * 3
    }

    /// Whose series it is, by the labels that tell processes apart; empty where none does.
    pub(super) fn owner(series: &Series<'a>) -> &'a str {
        ["instance", "task_id", "pod", "instance_id"].iter().find_map(|name| series.labels.get(*name)).map_or("", String::as_str)
    }
}

/// A point belongs to the window that holds its end; one of a period longer than a tenth of the window also needs half of that
/// period inside.
fn is_inside(point: &Point, window: Option<Window>, shape: Shape) -> bool {
    let Some(window) = window else { return true };
    if !window.holds(point.end) {
        return false;
    }
    let Some(start) = point.start.filter(|_| shape == Shape::Delta) else { return true };
    let (whole, inside) = (point.end - start, point.end - start.max(window.start));
    whole * 10 <= window.end - window.start || inside * 2 >= whole
}

impl<'a> Series<'a> {
    /// A label; empty where it has none.
    pub(super) fn label(&self, name: &str) -> &'a str {
        self.labels.get(name).map_or("", String::as_str)
    }

    /// All its numbers in the base unit, those outside the window too.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> {
        self.points.iter().filter_map(|(point, _)| self.scaled(point))
    }

    /// A number of this series in the base unit.
    pub(super) fn scaled(&self, point: &Point) -> Option<f64> {
        point.number().map(|number| number * self.factor)
    }

    /// Buckets of this series in the base unit.
    pub(super) fn scaled_buckets(&self, point: &Point) -> Option<Buckets> {
        point.buckets().map(|buckets| buckets.scaled(self.factor))
    }
}
