//! The tag sets of k6's metrics, cut to a window.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::super::super::track::{Point, Track, Value};
use super::super::super::{File, Window};
use super::Result;
use crate::diagnostic::Diagnostic;
use crate::model::figure::Measurement;
use crate::model::units::Unit;

type Labels = BTreeMap<String, String>;
type Points<'a> = BTreeMap<DateTime<Utc>, (&'a Point, &'a File)>;

/// A tag set of a metric: its points in the window, oldest first.
pub(super) struct Series<'a> {
    pub(super) labels: &'a Labels,
    points: Points<'a>,
}

impl Series<'_> {
    /// The values that are numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        self.points.values().filter_map(|(point, _)| point.number())
    }

    /// The moments that have a number.
    pub(super) fn moments(&self) -> impl Iterator<Item = DateTime<Utc>> {
        self.points.iter().filter(|(_, (point, _))| point.number().is_some()).map(|(at, _)| *at)
    }

    /// The last number, and its moment.
    pub(super) fn last(&self) -> Option<(DateTime<Utc>, f64)> {
        self.points.iter().rev().find_map(|(at, (point, _))| Some((*at, point.number()?)))
    }

    /// The last point that is a measurement.
    pub(super) fn last_point(&self) -> Option<&Point> {
        self.points.values().rev().map(|(point, _)| *point).find(|point| point.value != Value::Nothing)
    }

    /// The number of a moment.
    pub(super) fn at(&self, at: DateTime<Utc>) -> Option<f64> {
        self.points.get(&at)?.0.number()
    }

    fn files(&self) -> impl Iterator<Item = &str> {
        self.points.values().map(|(_, file)| file.path.as_str())
    }
}

/// The series of k6 by metric; the tag sets of a metric in the order of their labels.
pub(super) struct Told<'a> {
    metrics: BTreeMap<&'a str, Vec<Series<'a>>>,
}

impl<'a> Told<'a> {
    /// The points of a window. Files that contradict each other are told.
    ///
    /// # Errors
    /// The reason why nothing can be told: no point lies in the window, or they are of several tests.
    pub(super) fn new(tracks: &[(&'a Track, &'a File)], window: Option<Window>, told: &mut Vec<Diagnostic>) -> Result<Self> {
        let mut all: BTreeMap<(&str, &Labels), Points<'a>> = BTreeMap::new();
        let mut ordered = tracks.to_vec();
        ordered.sort_by(|a, b| a.1.path.cmp(&b.1.path));
        for (track, file) in ordered {
            let inside = track.points.iter().filter(|point| window.is_none_or(|window| window.holds(point.end)));
            let own = all.entry((&track.metric, &track.labels)).or_default();
            let mut contradicts = None;
            for point in inside {
                let (known, other) = *own.entry(point.end).or_insert((point, file));
                if known.value != point.value && other.path != file.path {
                    contradicts.get_or_insert((other, point.end));
                }
            }
            if let Some((other, at)) = contradicts {
                told.push(contradiction(&track.metric, at, other, file));
            }
        }
        all.retain(|_, points| !points.is_empty());
        if all.is_empty() {
            return Err("no point of k6's series lies in the window".to_owned());
        }
        let tests: BTreeSet<&String> = all.keys().filter_map(|(_, labels)| labels.get("testid")).collect();
        if tests.len() > 1 {
            return Err(format!("the window holds series of {} tests, told apart by `testid`", tests.len()));
        }
        let mut metrics: BTreeMap<&str, Vec<Series<'_>>> = BTreeMap::new();
        for ((metric, labels), points) in all {
            metrics.entry(metric).or_default().push(Series { labels, points });
        }
        Ok(Self { metrics })
    }

    /// The tag sets of a metric.
    pub(super) fn of(&self, metric: &str) -> &[Series<'a>] {
        self.metrics.get(metric).map_or(&[], Vec::as_slice)
    }

    /// The names of all metrics.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.metrics.keys().copied()
    }

    /// What a counter counted: the last value of each tag set, summed.
    pub(super) fn count(&self, metric: &str, unit: Unit) -> Result<Measurement> {
        let all = self.of(metric);
        let counts: Vec<f64> = all.iter().filter_map(Series::last).map(|(_, count)| count).collect();
        if counts.is_empty() {
            return Err(format!("there is no series {metric}"));
        }
        let method = "sum over tag sets of the last value in the window";
        let mut measured = measured(counts.iter().sum(), unit, metric, all).by(method);
        if self.began_anew(metric) {
            measured.lacking = Some("what was counted before the counter began anew in the window".to_owned());
        }
        Ok(measured)
    }

    /// Whether a counter fell: then there were several runs of k6 in the window.
    pub(super) fn began_anew(&self, metric: &str) -> bool {
        self.of(metric).iter().any(|series| series.numbers().collect::<Vec<_>>().windows(2).any(|pair| pair[1] < pair[0]))
    }
}

/// A value with the series and files it is made of.
pub(super) fn measured<'s, 'a: 's>(
    value: f64,
    unit: Unit,
    metric: &str,
    all: impl IntoIterator<Item = &'s Series<'a>>,
) -> Measurement {
    let all: Vec<&Series<'_>> = all.into_iter().collect();
    let files: BTreeSet<&str> = all.iter().flat_map(|series| series.files()).collect();
    let mut measured = Measurement::exact(value, unit).from(metric);
    measured.files = files.into_iter().map(str::to_owned).collect();
    measured.series = Some(all.len() as u64);
    measured
}

fn contradiction(metric: &str, at: DateTime<Utc>, one: &File, other: &File) -> Diagnostic {
    Diagnostic::error("contradiction", format!("two files have different values of one series of `{metric}` at {at}"))
        .at(one.source.at(0..0))
        .at(other.source.at(0..0))
        .help("keep the file that is of this run")
}
