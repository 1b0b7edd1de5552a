//! Classic histograms: series that differ only in the label `le` become one series of buckets.
//!
//! Prometheus counts cumulatively: `le="0.5"` holds all values up to 0.5, `le="+Inf"` all
//! (<https://prometheus.io/docs/concepts/metric_types/#histogram>). Bounds are numbers, whatever their text: `1` and `1.0` are one.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use crate::capture::buckets::{Bucket, Buckets};
use crate::capture::track::{Point, Track, Value};

/// The label that holds a bucket's upper bound.
const BOUND: &str = "le";

/// How far a cumulative count may fall from one bound to the next, as a share of all: what rounding does to results of `rate` and
/// `increase`.
const ROUNDING: f64 = 1e-9;

type Labels = BTreeMap<String, String>;

/// The series of one histogram: bounds in order, each with the places of its series in the list.
#[derive(Default)]
struct Group {
    bounds: Vec<(f64, Vec<usize>)>,
}

/// The same series, histograms folded. A group without the bucket `+Inf` is no histogram and stays as it is.
pub(in crate::capture) fn fold(tracks: Vec<Track>) -> Vec<Track> {
    let mut groups: BTreeMap<(String, Labels), Group> = BTreeMap::new();
    for (at, track) in tracks.iter().enumerate() {
        if let Some((name, labels, bound)) = bucket_of(track) {
            groups.entry((name, labels)).or_default().add(bound, at);
        }
    }
    groups.retain(|_, group| group.bounds.last().is_some_and(|(bound, _)| bound.is_infinite()));
    let mut folded: BTreeMap<usize, Track> = BTreeMap::new();
    let mut members: BTreeSet<usize> = BTreeSet::new();
    let all_sums = sums(&tracks);
    for ((name, labels), group) in groups {
        let all: Vec<usize> = group.bounds.iter().flat_map(|(_, places)| places.iter().copied()).collect();
        let Some(first) = all.iter().copied().min() else { continue };
        let sums = all_sums.get(&(name.as_str(), &labels)).map(|track| by_moment(track)).unwrap_or_default();
        let points = group.points(&tracks, &sums);
        folded.insert(first, Track { metric: name, labels, points, ..tracks[first].clone() });
        members.extend(all);
    }
    let one = |(at, track): (usize, Track)| folded.remove(&at).or_else(|| (!members.contains(&at)).then_some(track));
    tracks.into_iter().enumerate().filter_map(one).collect()
}

/// The histogram a series is a bucket of, its labels, and the bucket's bound.
fn bucket_of(track: &Track) -> Option<(String, Labels, f64)> {
    let bound: f64 = track.labels.get(BOUND)?.parse().ok().filter(|bound: &f64| !bound.is_nan())?;
    let name = track.metric.strip_suffix("_bucket").unwrap_or(&track.metric).to_owned();
    let mut labels = track.labels.clone();
    labels.remove(BOUND);
    Some((name, labels, bound))
}

/// The series of sums, by the histogram they are of: one pass for all, since there may be thousands of both.
fn sums(tracks: &[Track]) -> BTreeMap<(&str, &Labels), &Track> {
    let mut sums = BTreeMap::new();
    for track in tracks {
        // A result without a name has no sum that could be known by its name.
        if let Some(name) = track.metric.strip_suffix("_sum").filter(|name| !name.is_empty()) {
            sums.entry((name, &track.labels)).or_insert(track);
        }
    }
    sums
}

/// The numbers of a series by moment.
fn by_moment(track: &Track) -> BTreeMap<DateTime<Utc>, f64> {
    track.points.iter().filter_map(|point| Some((point.end, point.number()?))).collect()
}

impl Group {
    fn add(&mut self, bound: f64, at: usize) {
        match self.bounds.binary_search_by(|(known, _)| known.total_cmp(&bound)) {
            Ok(found) => self.bounds[found].1.push(at),
            Err(place) => self.bounds.insert(place, (bound, vec![at])),
        }
    }

    /// The points of all moments at which some bucket has a value.
    fn points(&self, tracks: &[Track], sums: &BTreeMap<DateTime<Utc>, f64>) -> Vec<Point> {
        let mut moments: BTreeMap<DateTime<Utc>, Vec<Option<f64>>> = BTreeMap::new();
        for (bound, (_, places)) in self.bounds.iter().enumerate() {
            for point in places.iter().flat_map(|at| &tracks[*at].points) {
                let counts = moments.entry(point.end).or_insert_with(|| vec![None; self.bounds.len()]);
                // Two spellings of one bound at one moment are of two sources that were summed apart.
                counts[bound] = Some(counts[bound].unwrap_or(0.0) + point.number().unwrap_or(f64::NAN));
            }
        }
        let point = |(end, counts): (DateTime<Utc>, Vec<Option<f64>>)| {
            let buckets = self.apart(&counts).map(|buckets| Buckets::new(buckets, sums.get(&end).copied()));
            Point { start: None, end, value: buckets.map_or(Value::Nothing, Value::Buckets) }
        };
        moments.into_iter().map(point).collect()
    }

    /// Counts of each bucket alone; `None` where one is not known, or they fall by more than rounding.
    fn apart(&self, counts: &[Option<f64>]) -> Option<Vec<Bucket>> {
        let all = counts.last().copied().flatten()?;
        let (mut low, mut below, mut buckets) = (f64::NEG_INFINITY, 0.0, Vec::with_capacity(counts.len()));
        for ((high, _), count) in self.bounds.iter().zip(counts) {
            let count = count.filter(|count| count.is_finite() && *count - below >= -ROUNDING * all.abs())?;
            buckets.push(Bucket { low, high: *high, count: (count - below).max(0.0) });
            (low, below) = (*high, count.max(below));
        }
        Some(buckets)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::capture::track::Kind;

    fn track(metric: &str, labels: &[(&str, &str)], points: &[(i64, f64)]) -> Track {
        let point = |&(at, number): &(i64, f64)| Point {
            start: None,
            end: DateTime::from_timestamp(at, 0).unwrap_or_else(|| unreachable!()),
            value: super::super::wire::value(number),
        };
        Track {
            metric: metric.to_owned(),
            labels: labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            kind: Kind::Unsaid,
            unit: None,
            target: None,
            points: points.iter().map(point).collect(),
        }
    }

    fn list(track: &Track, point: usize) -> Option<Vec<(f64, f64, f64)>> {
        let buckets = track.points[point].buckets()?;
        Some(buckets.list().iter().map(|bucket| (bucket.low, bucket.high, bucket.count)).collect())
    }

    const NONE: f64 = f64::NEG_INFINITY;
    const OPEN: f64 = f64::INFINITY;

    #[test]
    fn buckets_are_sorted_by_number_and_taken_apart() {
        let bucket = |le, count| track("d_seconds_bucket", &[("le", le), ("pod", "a")], &[(1, count)]);
        let all = vec![
            bucket("+Inf", 10.0),
            track("d_seconds_sum", &[("pod", "a")], &[(1, 7.5)]),
            bucket("10", 9.0),
            bucket("2.5", 6.0),
            bucket("1.0", 2.0),
            track("d_seconds_count", &[("pod", "a")], &[(1, 10.0)]),
        ];
        let folded = fold(all);
        let names: Vec<&str> = folded.iter().map(|track| track.metric.as_str()).collect();
        assert_eq!(names, ["d_seconds", "d_seconds_sum", "d_seconds_count"]);
        assert_eq!(folded[0].label("pod"), "a");
        assert_eq!(folded[0].labels.len(), 1);
        let expected = vec![(NONE, 1.0, 2.0), (1.0, 2.5, 4.0), (2.5, 10.0, 3.0), (10.0, OPEN, 1.0)];
        assert_eq!(list(&folded[0], 0), Some(expected));
        assert_eq!(folded[0].points[0].buckets().and_then(|buckets| buckets.sum), Some(7.5));
    }

    #[test]
    fn a_result_without_a_name_is_folded_too() {
        let folded = fold(vec![track("", &[("le", "+Inf")], &[(1, 3.0)]), track("", &[("le", "1")], &[(1, 3.0)])]);
        assert_eq!(folded.len(), 1);
        assert!(folded[0].labels.is_empty());
        assert_eq!(list(&folded[0], 0), Some(vec![(NONE, 1.0, 3.0)]));
    }

    #[test]
    fn one_bound_written_in_two_ways_is_one_bound() {
        let bucket = |le, at, count| track("d_bucket", &[("le", le)], &[(at, count)]);
        let folded =
            fold(vec![bucket("1", 1, 2.0), bucket("1.0", 2, 3.0), track("d_bucket", &[("le", "+Inf")], &[(1, 2.0), (2, 4.0)])]);
        assert_eq!(folded.len(), 1);
        assert_eq!(list(&folded[0], 0), Some(vec![(NONE, 1.0, 2.0)]));
        assert_eq!(list(&folded[0], 1), Some(vec![(NONE, 1.0, 3.0), (1.0, OPEN, 1.0)]));
    }

    #[test]
    fn counts_that_fall_or_are_missing_are_no_measurement() {
        let low = track("d_bucket", &[("le", "1")], &[(1, 5.0), (2, f64::NAN), (4, 5.0 + 1e-12)]);
        let all = track("d_bucket", &[("le", "+Inf")], &[(1, 4.0), (2, 4.0), (3, 4.0), (4, 5.0)]);
        let folded = fold(vec![low, all]);
        assert_eq!([0, 1, 2].map(|point| &folded[0].points[point].value), [&Value::Nothing; 3]);
        assert_eq!(list(&folded[0], 3).map(|list| list.len()), Some(1));
    }

    #[test]
    fn a_single_bucket_without_the_open_one_stays_a_series() {
        let single = vec![track("d_bucket", &[("le", "0.5")], &[(1, 5.0)])];
        assert_eq!(fold(single.clone()), single);
    }

    proptest! {
        #[test]
        fn a_histogram_comes_back_as_it_was_counted(counts in prop::collection::vec(0_u32..1_000_000, 1..12), turn in 0_usize..12) {
            let (mut below, mut tracks) = (0_u32, Vec::new());
            for (at, count) in counts.iter().enumerate() {
                below += count;
                let le = if at + 1 == counts.len() { "+Inf".to_owned() } else { format!("{}", (at + 1) * 3) };
                tracks.push(track("d_bucket", &[("le", &le)], &[(1, f64::from(below))]));
            }
            let turn = turn % tracks.len();
            tracks.rotate_left(turn);
            let folded = fold(tracks);
            let bounds = |at: usize| if at == 0 { NONE } else { (at * 3) as f64 };
            let high = |at: usize| if at + 1 == counts.len() { OPEN } else { bounds(at + 1) };
            let expected: Vec<(f64, f64, f64)> = counts.iter().enumerate().filter(|(_, count)| **count > 0)
                .map(|(at, count)| (bounds(at), high(at), f64::from(*count))).collect();
            prop_assert_eq!(folded.len(), 1);
            prop_assert_eq!(list(&folded[0], 0), Some(expected));
        }
    }
}
