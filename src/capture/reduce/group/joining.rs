//! Which series are a group.
//!
//! Series belong to one group if they have one name, the same label names and one shape; they may lie in several files (pages of one
//! answer). The same series from two files is one, and must not contradict itself.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::{Group, Located, Series, is_inside};
use crate::capture::findings::Findings;
use crate::capture::mapping::{Meaning, Means, Shape};
use crate::capture::reduce::limits::{Limits, limits, limits_of};
use crate::capture::track::{Point, Track};
use crate::capture::{File, Window};
use crate::diagnostic::Diagnostic;

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
    /// The bits of what its values are multiplied with: values of two units are not one series.
    factor: u64,
}

/// The groups of series, in a fixed order; what contradicts itself is told.
pub(in crate::capture::reduce) fn groups<'a>(
    tracks: &[Mapped<'a>],
    window: Option<Window>,
    found: &mut Findings,
) -> Vec<Group<'a>> {
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
    Key {
        means: meaning.means,
        metric,
        labels: track.labels.keys().map(String::as_str).collect(),
        shape,
        has_buckets,
        factor: meaning.factor.to_bits(),
    }
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
    if meaning.shape == Shape::Delta {
        overlapping(&series, window, metric, found);
    }
    let limits = if files.iter().any(|file| is_whole(file, &series, tracks)) { Limits::default() } else { limits(&files) };
    let period_ms = period(&series, meaning.shape);
    let by_name = meaning.by_name;
    let scraped = if meaning.shape == Shape::Counter { scraped(&series) } else { BTreeMap::new() };
    Some(Group {
        means: meaning.means,
        shape: meaning.shape,
        metric,
        series,
        lacking: limits.lacking,
        limited: limits.limited,
        by_name,
        files,
        window,
        period_ms,
        more_pages: limits.more_pages,
        scraped,
        earliest: OnceCell::new(),
    })
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

/// Periods of one series that overlap would be counted twice: two captures with other periods, or begun at another second.
fn overlapping(series: &[Series<'_>], window: Option<Window>, metric: &str, found: &mut Findings) {
    let inside = |point: &Point| is_inside(point, window, Shape::Delta);
    // A source may write the beginning a moment before the end of the period before.
    let overlaps = |before: &Point, after: &Point| {
        after.start.is_some_and(|start| before.end - start > TimeDelta::seconds(1)) && inside(before) && inside(after)
    };
    let mut pairs = series.iter().flat_map(|series| series.points.windows(2));
    let Some([(before, one), (after, other)]) = pairs.find(|pair| overlaps(pair[0].0, pair[1].0)) else { return };
    let message = format!("two periods of {metric} overlap, those that end at {} and at {}", before.end, after.end);
    let fault = Diagnostic::error("overlapping-periods", message).at(one.source.at(0..0));
    let fault = if other.path == one.path { fault } else { fault.at(other.source.at(0..0)) };
    found.told.push(fault.note("what was counted in both would count twice").help("give one capture of the run's time"));
}

/// Whether a file by itself has all points of all series and nothing it lacks: then it makes up for one that broke off.
fn is_whole(file: &File, series: &[Series<'_>], tracks: &[Mapped<'_>]) -> bool {
    let mut points: BTreeMap<&BTreeMap<String, String>, usize> = BTreeMap::new();
    for (track, _, _) in tracks.iter().filter(|(_, _, of)| of.path == file.path) {
        *points.entry(&track.labels).or_default() += track.points.len();
    }
    let has_all_of = |series: &Series<'_>| points.get(series.labels).is_some_and(|own| *own >= series.points.len());
    limits_of(file).is_empty() && series.iter().all(has_all_of)
}

/// When each file has points of each process; of a process that no label tells nothing is known.
fn scraped<'a>(series: &[Series<'a>]) -> BTreeMap<(&'a str, &'a str), BTreeSet<DateTime<Utc>>> {
    let mut scraped: BTreeMap<(&str, &str), BTreeSet<DateTime<Utc>>> = BTreeMap::new();
    for one in series.iter().filter(|one| !Group::owner(one).is_empty()) {
        for (point, file) in &one.points {
            scraped.entry((Group::owner(one), file.path.as_str())).or_default().insert(point.end);
        }
    }
    scraped
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
