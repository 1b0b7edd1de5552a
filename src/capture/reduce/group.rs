//! Groups of series: the answer to one question, whole by itself.
//!
//! Series belong to one group if they have one name, the same label names and one shape; they may lie in several files (pages of one
//! answer). The same series from two files is one, and must not contradict itself.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::super::buckets::Buckets;
use super::super::findings::Findings;
use super::super::mapping::{Meaning, Means, Shape};
use super::super::track::{Limit, Point, Track, Value};
use super::super::{Capture, File, Window};
use crate::diagnostic::Diagnostic;
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
    /// Whether which percentile it is was taken from the file's name.
    pub(super) by_name: bool,
    files: Vec<&'a File>,
    window: Option<Window>,
    /// The commonest distance of two points, in milliseconds.
    period_ms: Option<i64>,
    pub(super) more_pages: bool,
    /// How many series of each process have a point at a moment: asked for once a series, so not looked for through all of them.
    scraped: BTreeMap<&'a str, BTreeMap<DateTime<Utc>, usize>>,
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

/// A series with what it measures and its file.
type Mapped<'a> = (&'a Track, Meaning, &'a File);

/// What tells groups apart.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    means: Means,
    metric: &'a str,
    labels: Vec<&'a str>,
    shape: (u8, u64, bool),
    has_buckets: bool,
}

/// The groups of series, in a fixed order; what contradicts itself is told.
pub(super) fn groups<'a>(tracks: &[Mapped<'a>], window: Option<Window>, found: &mut Findings) -> Vec<Group<'a>> {
    let mut by_key: BTreeMap<Key<'a>, Vec<Mapped<'a>>> = BTreeMap::new();
    for (track, meaning, file) in tracks {
        by_key.entry(key(track, *meaning, file)).or_default().push((track, *meaning, file));
    }
    by_key.into_values().filter_map(|tracks| group(&tracks, window, found)).collect()
}

fn key<'a>(track: &'a Track, meaning: Meaning, file: &'a File) -> Key<'a> {
    let shape = match meaning.shape {
        Shape::Gauge => (0, 0, false),
        Shape::Delta => (1, 0, false),
        Shape::Counter => (2, 0, false),
        Shape::Rate => (3, 0, false),
        Shape::Increase => (4, 0, false),
        Shape::Percentile { percent, averaged } => (5, percent.to_bits(), averaged),
    };
    let metric = if track.metric.is_empty() { file.stem() } else { &track.metric };
    let has_buckets = track.points.iter().any(|point| point.buckets().is_some());
    Key { means: meaning.means, metric, labels: track.labels.keys().map(String::as_str).collect(), shape, has_buckets }
}

fn group<'a>(tracks: &[Mapped<'a>], window: Option<Window>, found: &mut Findings) -> Option<Group<'a>> {
    let (first, meaning, file) = tracks.first().copied()?;
    let mut files: Vec<&File> = tracks.iter().map(|(_, _, file)| *file).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    let mut by_labels: BTreeMap<&BTreeMap<String, String>, (f64, Vec<Located<'_>>)> = BTreeMap::new();
    for (track, meaning, file) in tracks {
        let (_, points) = by_labels.entry(&track.labels).or_insert((meaning.factor, Vec::new()));
        points.extend(track.points.iter().map(|point| (point, *file)));
    }
    let metric = if first.metric.is_empty() { file.stem() } else { &first.metric };
    let series: Vec<Series<'a>> = by_labels
        .into_iter()
        .map(|(labels, (factor, points))| Series { labels, points: one_a_moment(points, metric, found), factor })
        .collect();
    let (lacking, more_pages) = limits(&files);
    let period_ms = period(&series, meaning.shape);
    let by_name = meaning.by_name;
    let scraped = if meaning.shape == Shape::Counter { scraped(&series) } else { BTreeMap::new() };
    Some(Group {
        means: meaning.means,
        shape: meaning.shape,
        metric,
        series,
        lacking,
        by_name,
        files,
        window,
        period_ms,
        more_pages,
        scraped,
    })
}

/// How many series of each process have a point at a moment; of a process that no label tells nothing is known.
fn scraped<'a>(series: &[Series<'a>]) -> BTreeMap<&'a str, BTreeMap<DateTime<Utc>, usize>> {
    let mut scraped: BTreeMap<&str, BTreeMap<DateTime<Utc>, usize>> = BTreeMap::new();
    for one in series {
        let owner = Group::owner(one);
        if !owner.is_empty() {
            let moments = scraped.entry(owner).or_default();
            for (point, _) in &one.points {
                *moments.entry(point.end).or_default() += 1;
            }
        }
    }
    scraped
}

/// Points in order, one a moment; two files that differ about one moment contradict each other.
fn one_a_moment<'a>(mut points: Vec<Located<'a>>, metric: &str, found: &mut Findings) -> Vec<Located<'a>> {
    points.sort_by(|(a, x), (b, y)| (a.end, &x.path).cmp(&(b.end, &y.path)));
    let mut told = false;
    points.dedup_by(|(later, in_later), (first, in_first)| {
        if later.end != first.end {
            return false;
        }
        if later.value != first.value && !told {
            told = true;
            let message = format!("{} and {} differ about {metric} at {}", in_first.path, in_later.path, first.end);
            let fault = Diagnostic::error("contradicting-points", message);
            found.told.push(fault.at(in_first.source.at(0..0)).at(in_later.source.at(0..0)).help("give one of them"));
        }
        true
    });
    points
}

/// Why the files hold less than there is, and whether pages of the answer are missing.
fn limits(files: &[&File]) -> (Option<String>, bool) {
    let limits = |file: &File| match &file.capture {
        Capture::Tracks(tracks) => tracks.limits.clone(),
        _ => Vec::new(),
    };
    let partial = files.iter().flat_map(|file| limits(file)).find_map(|limit| match limit {
        Limit::Partial(words) => Some(format!("a part of the data was missing: {words}")),
        Limit::MorePages => None,
    });
    let is_last = |file: &&&File| !limits(file).contains(&Limit::MorePages);
    (partial, files.iter().find(is_last).is_none())
}

/// The commonest length of a period of points that tell it, else the commonest distance of two moments; the shorter one of two that are
/// as common.
fn period(series: &[Series<'_>], shape: Shape) -> Option<i64> {
    let mut lengths: BTreeMap<i64, u64> = BTreeMap::new();
    if shape == Shape::Delta {
        for (point, _) in series.iter().flat_map(|series| &series.points) {
            if let Some(start) = point.start {
                *lengths.entry((point.end - start).num_milliseconds()).or_default() += 1;
            }
        }
    }
    if lengths.is_empty() {
        let ends: BTreeSet<DateTime<Utc>> = series.iter().flat_map(|series| &series.points).map(|(point, _)| point.end).collect();
        let ends: Vec<DateTime<Utc>> = ends.into_iter().collect();
        for pair in ends.windows(2) {
            // Scrapes tremble by some milliseconds.
            let distance = (pair[1] - pair[0]).num_milliseconds();
            let rounded = if distance >= 1000 { (distance + 500) / 1000 * 1000 } else { distance };
            *lengths.entry(rounded).or_default() += 1;
        }
    }
    lengths.remove(&0);
    lengths.into_iter().max_by_key(|(length, count)| (*count, -length)).map(|(length, _)| length)
}

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
        let age = (window.start - base.end).num_milliseconds();
        self.period_ms.is_none_or(|period| age * 2 <= period * 3).then_some(base)
    }

    /// Seconds between two points, where known.
    pub(super) fn period_s(&self) -> Option<f64> {
        self.period_ms.map(|period| period as f64 / 1e3)
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

    /// Whether another series of the same process has a point at most one period and a half before a moment: then this one, which
    /// has none, was not there yet.
    pub(super) fn was_scraped_before(&self, series: &Series<'a>, at: DateTime<Utc>) -> bool {
        let Some((period, moments)) = self.period_ms.zip(self.scraped.get(Group::owner(series))) else { return false };
        let just_before = |end: DateTime<Utc>| (at - end).num_milliseconds() * 2 <= period * 3;
        let has_own = |end| series.points.binary_search_by_key(&end, |(point, _)| point.end).is_ok();
        moments
            .range(..at)
            .rev()
            .take_while(|(end, _)| just_before(**end))
            .any(|(end, count)| *count > usize::from(has_own(*end)))
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
