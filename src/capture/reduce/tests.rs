//! Points in, figures out: what the rules of this room promise, on series made here.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use super::super::buckets::{Bucket, Buckets};
use super::super::findings::Findings;
use super::super::mapping::{Meaning, Means, Shape};
use super::super::quantity::Quantity;
use super::super::track::{Kind, Limit, Point, Track, Tracks, Value};
use super::super::{Capture, File, Window};
use super::findings;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::source::Source;

fn minute(n: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_796_000_000, 0).unwrap_or_default() + TimeDelta::minutes(n)
}

fn window(minutes: i64) -> Window {
    Window { start: minute(0), end: minute(minutes) }
}

/// A series: labels as `k=v,k=v`, values by minute.
fn track(kind: Kind, labels: &str, points: &[(i64, f64)]) -> Track {
    let labels = labels.split(',').filter_map(|pair| pair.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    let start = |n: i64| (kind == Kind::Delta).then(|| minute(n - 1));
    let points = points.iter().map(|&(n, v)| Point { start: start(n), end: minute(n), value: Value::Number(v) }).collect();
    Track { metric: "m".to_owned(), labels, kind, unit: None, target: None, points }
}

fn file(path: &str, limits: Vec<Limit>) -> File {
    let capture = Capture::Tracks(Tracks { tracks: Vec::new(), limits });
    File { source: Source::new(path, ""), path: path.to_owned(), kind: "test", named: false, capture }
}

fn meaning(quantity: Quantity, shape: Shape) -> Meaning {
    Meaning { means: Means::Quantity(quantity), shape, factor: 1.0, by_name: false }
}

fn told(quantity: Quantity, shape: Shape, tracks: &[Track], window: Window) -> Findings {
    let file = file("f.json", Vec::new());
    let tracks: Vec<_> = tracks.iter().map(|track| (track, meaning(quantity, shape), &file)).collect();
    findings(&tracks, Some(window))
}

/// A figure in thousandths, and whether it is measured.
fn value(found: &Findings, id: FigureId) -> Option<(f64, bool)> {
    let figure = &found.figures.iter().find(|candidate| candidate.id == id)?.figure;
    let thousandths = |value: f64| (value * 1e3).round();
    figure.measurement().map(|m| (thousandths(m.value), matches!(figure, Figure::Measured(_))))
}

fn number(found: &Findings, name: &str) -> Option<f64> {
    found.observed.iter().find(|one| one.name == name).map(|one| (one.measurement.value * 1e3).round())
}

#[test]
fn states_are_added_before_a_median_is_taken() {
    let tracks = [
        track(Kind::Gauge, "state=active", &[(1, 2.0), (2, 5.0), (3, 5.0)]),
        track(Kind::Gauge, "state=idle", &[(1, 5.0), (2, 2.0), (3, 2.0)]),
    ];
    let found = told(Quantity::ContainerInstances, Shape::Gauge, &tracks, window(3));
    assert_eq!(value(&found, FigureId::ContainerInstancesMedian), Some((7000.0, true)));
    assert_eq!(value(&found, FigureId::ContainerInstancesMin), Some((7000.0, true)));
}

#[test]
fn a_point_belongs_to_the_window_that_holds_its_end() {
    let one = [track(Kind::Gauge, "", &[(0, 0.9), (1, 0.2), (2, 0.4), (3, 0.8)])];
    let found = told(Quantity::DatabaseCpu, Shape::Gauge, &one, window(2));
    assert_eq!(value(&found, FigureId::DatabaseCpuMedian), Some((300.0, true)));
    assert_eq!(value(&found, FigureId::DatabaseCpuPeak), Some((400.0, true)));
    let outside = found.figures[0].figure.measurement().and_then(|m| m.coverage).map(|coverage| coverage.outside);
    assert_eq!(outside, Some(2));
}

#[test]
fn under_nine_tenths_of_the_window_is_incomplete_and_no_point_is_not_captured() {
    let one = [track(Kind::Gauge, "", &[(1, 0.2), (2, 0.4)])];
    assert_eq!(
        value(&told(Quantity::DatabaseCpu, Shape::Gauge, &one, window(10)), FigureId::DatabaseCpuMedian),
        Some((300.0, false))
    );
    let late = Window { start: minute(60), end: minute(70) };
    assert_eq!(value(&told(Quantity::DatabaseCpu, Shape::Gauge, &one, late), FigureId::DatabaseCpuMedian), None);
}

#[test]
fn two_machines_have_no_common_utilisation() {
    let two = [track(Kind::Gauge, "id=a", &[(1, 0.2)]), track(Kind::Gauge, "id=b", &[(1, 0.8)])];
    let found = told(Quantity::DatabaseCpu, Shape::Gauge, &two, window(1));
    assert_eq!((value(&found, FigureId::DatabaseCpuPeak), found.told[0].code), (None, "several-series"));
}

#[test]
fn steal_is_a_mean_over_the_cpus_of_one_machine() {
    let steal = |shape, tracks: &[Track]| value(&told(Quantity::ClientSteal, shape, tracks, window(3)), FigureId::ClientCpuSteal);
    let shares = [
        track(Kind::Gauge, "cpu=0", &[(1, 0.2), (2, 0.4), (3, 0.0)]),
        track(Kind::Gauge, "cpu=1", &[(1, 0.0), (2, 0.0), (3, 0.0)]),
    ];
    assert_eq!(steal(Shape::Gauge, &shares), Some((100.0, true)));
    // 60 s and 0 s of 180 s.
    let seconds = [
        track(Kind::Unsaid, "cpu=0", &[(0, 5.0), (1, 25.0), (2, 65.0), (3, 65.0)]),
        track(Kind::Unsaid, "cpu=1", &[(0, 7.0), (1, 7.0), (2, 7.0), (3, 7.0)]),
    ];
    assert_eq!(steal(Shape::Counter, &seconds), Some((167.0, true)));
    let machines = [track(Kind::Gauge, "instance=a", &[(1, 0.2)]), track(Kind::Gauge, "instance=b", &[(1, 0.4)])];
    assert_eq!(steal(Shape::Gauge, &machines), None);
    assert_eq!(steal(Shape::Delta, &[track(Kind::Delta, "", &[(1, 3.0)])]), None);
}

#[test]
fn a_rare_code_has_points_only_where_it_occurs() {
    let tracks = [
        track(Kind::Delta, "response_code=200", &[(1, 600.0), (2, 600.0), (3, 600.0)]),
        track(Kind::Delta, "response_code=429", &[(2, 60.0)]),
    ];
    let found = told(Quantity::ServerRequests, Shape::Delta, &tracks, window(3));
    assert_eq!(value(&found, FigureId::ServerRequestsPerS), Some((10_333.0, true)));
    assert_eq!(number(&found, "requests by code 429"), Some(60_000.0));
}

#[test]
fn rollbacks_alone_are_no_transactions() {
    let one = [track(Kind::Delta, "transaction_type=rollback", &[(1, 6.0), (2, 6.0)])];
    assert_eq!(
        value(&told(Quantity::DatabaseTransactions, Shape::Delta, &one, window(2)), FigureId::DatabaseTransactionsPerS),
        None
    );
}

#[test]
fn a_long_period_counts_only_if_half_of_it_lies_inside() {
    let mut coarse = track(Kind::Delta, "", &[(1, 900.0), (31, 1800.0)]);
    for point in &mut coarse.points {
        point.start = Some(point.end - TimeDelta::minutes(30));
    }
    let found = told(Quantity::ServerRequests, Shape::Delta, &[coarse], window(31));
    assert_eq!(value(&found, FigureId::ServerRequestsPerS).map(|(value, _)| value), Some(1000.0));
}

#[test]
fn counters_are_counted_from_the_point_before_the_window_and_begin_anew_where_they_fall() {
    let acquires = track(Kind::Unsaid, "instance=a", &[(0, 100.0), (1, 150.0), (2, 10.0), (3, 40.0)]);
    let found = told(Quantity::PoolAcquires, Shape::Counter, &[acquires], window(3));
    assert_eq!(value(&found, FigureId::PoolAcquires), Some((90_000.0, true)));
    assert_eq!(number(&found, "counters begun anew"), Some(1000.0));
}

#[test]
fn a_restart_that_no_fall_shows_is_told_by_the_start_of_the_process() {
    let file = file("f.json", Vec::new());
    let acquires = track(Kind::Unsaid, "instance=a", &[(0, 10.0), (1, 50.0)]);
    let mut start = track(Kind::Unsaid, "instance=a", &[(0, 1.0), (1, 1.0)]);
    start.metric = "process_start_time_seconds".to_owned();
    let seconds = |at: DateTime<Utc>| Value::Number(at.timestamp() as f64);
    (start.points[0].value, start.points[1].value) = (seconds(minute(-9)), seconds(minute(0) + TimeDelta::seconds(30)));
    let tracks = [
        (&acquires, meaning(Quantity::PoolAcquires, Shape::Counter), &file),
        (&start, meaning(Quantity::ProcessStart, Shape::Gauge), &file),
    ];
    assert_eq!(value(&findings(&tracks, Some(window(1))), FigureId::PoolAcquires), Some((50_000.0, true)));
}

#[test]
fn a_series_that_begins_inside_the_window_counts_from_its_first_point() {
    let late = track(Kind::Unsaid, "instance=a", &[(2, 100.0), (3, 130.0), (4, 160.0)]);
    let found = told(Quantity::PoolAcquires, Shape::Counter, &[late], window(4));
    assert_eq!(value(&found, FigureId::PoolAcquires), Some((60_000.0, false)));
}

#[test]
fn a_counter_that_others_of_its_process_came_before_began_at_zero() {
    let owned = |labels: &str, points: &[(i64, f64)]| track(Kind::Unsaid, &format!("instance=a,{labels}"), points);
    let of =
        |tracks: &[Track]| number(&told(Quantity::ServerRequests, Shape::Counter, tracks, window(4)), "requests by code 500");
    let old = owned("code=200", &[(0, 900.0), (3, 40.0), (4, 90.0)]);
    assert_eq!(of(&[old.clone(), owned("code=500", &[(3, 7.0), (4, 9.0)])]), Some(9000.0));
    assert_eq!(of(&[owned("code=200", &[(3, 40.0), (4, 90.0)]), owned("code=500", &[(3, 7.0), (4, 9.0)])]), Some(2000.0));
    // Not the same process; long before the run.
    let other = track(Kind::Unsaid, "instance=b,code=200", &[(0, 900.0), (3, 940.0)]);
    assert_eq!(of(&[other, owned("code=500", &[(3, 7.0), (4, 9.0)])]), Some(2000.0));
    let long_ago = owned("code=200", &[(-9, 1.0), (3, 40.0), (4, 90.0)]);
    assert_eq!(of(&[long_ago, owned("code=500", &[(3, 7.0), (4, 9.0)])]), Some(2000.0));
}

#[test]
fn a_rate_leaves_out_the_periods_that_are_the_runs_in_part_only() {
    let rate = |points: &[(i64, f64)]| {
        let one = [track(Kind::Unsaid, "instance=a,code=200", points)];
        // The run begins half a period after a point.
        let began = Window { start: minute(0) + TimeDelta::seconds(30), end: minute(30) };
        let found = told(Quantity::ServerRequests, Shape::Counter, &one, began);
        (value(&found, FigureId::ServerRequestsPerS).map(|(rate, _)| rate), number(&found, "requests"))
    };
    let steady = |first: i64| move |n: i64| (n, 60.0 * f64::from(i32::try_from(n - first).unwrap_or_default()));
    let idle: Vec<(i64, f64)> = [(0, 0.0), (1, 30.0)].into_iter().chain((2..=30).map(|n| (n, 30.0 + steady(1)(n).1))).collect();
    assert_eq!(rate(&idle), (Some(1000.0), Some(1_770_000.0)));
    let begun_anew: Vec<(i64, f64)> = [(0, 9e6), (1, 9e6)].into_iter().chain((2..=30).map(steady(1))).collect();
    assert_eq!(rate(&begun_anew), (Some(1000.0), Some(1_740_000.0)));
    // Too little would be left: all that was counted, over all of its time.
    assert_eq!(rate(&[(0, 0.0), (10, 300.0), (20, 900.0), (30, 1500.0)]).0, Some(833.0));
}

#[test]
fn shares_of_the_pool_need_the_acquires() {
    let file = file("f.json", Vec::new());
    let series = |points: &[(i64, f64)]| track(Kind::Unsaid, "instance=a", points);
    let (acquires, empty, wait) =
        (series(&[(0, 0.0), (1, 100.0)]), series(&[(0, 0.0), (1, 25.0)]), series(&[(0, 0.0), (1, 500.0)]));
    let with = |tracks: &[(&Track, Quantity)]| {
        let tracks: Vec<_> = tracks.iter().map(|(track, quantity)| (*track, meaning(*quantity, Shape::Counter), &file)).collect();
        findings(&tracks, Some(window(1)))
    };
    let all = with(&[(&acquires, Quantity::PoolAcquires), (&empty, Quantity::PoolEmptyAcquires), (&wait, Quantity::PoolWait)]);
    assert_eq!(value(&all, FigureId::PoolEmptyRatio), Some((250.0, true)));
    assert_eq!(value(&all, FigureId::PoolMeanWait), Some((5000.0, true)));
    assert_eq!(number(&all, "mean wait of waiting acquires"), Some(20_000.0));
    let alone = with(&[(&empty, Quantity::PoolEmptyAcquires), (&wait, Quantity::PoolWait)]);
    assert!(alone.figures.is_empty());
}

#[test]
fn percentiles_of_periods_are_marked_and_those_of_several_series_refused() {
    let shape = |averaged| Shape::Percentile { percent: 99.0, averaged };
    let one = [track(Kind::Gauge, "", &[(1, 0.5), (2, 0.7)])];
    let found = told(Quantity::ContainerCpu, shape(false), &one, window(2));
    assert_eq!(value(&found, FigureId::ContainerCpuP99), Some((600.0, true)));
    assert!(found.figures[0].figure.measurement().is_some_and(|m| m.grade.is_some()));
    let two = [track(Kind::Gauge, "code=200", &[(1, 0.5)]), track(Kind::Gauge, "code=500", &[(1, 0.9)])];
    assert_eq!(value(&told(Quantity::ServerLatency, shape(true), &two, window(1)), FigureId::ServerLatencyP99), None);
}

#[test]
fn buckets_are_pooled_over_series_and_moments() {
    let buckets = |count| Value::Buckets(Buckets::new([Bucket { low: 0.0, high: 10.0, count }], None));
    let mut tracks = [track(Kind::Delta, "code=200", &[(1, 0.0), (2, 0.0)]), track(Kind::Delta, "code=500", &[(2, 0.0)])];
    tracks[0].points[0].value = buckets(1.0);
    tracks[0].points[1].value = Value::Buckets(Buckets::new([Bucket { low: 10.0, high: 20.0, count: 2.0 }], None));
    tracks[1].points[0].value = buckets(1.0);
    let found = told(Quantity::ServerLatency, Shape::Delta, &tracks, window(2));
    assert_eq!(value(&found, FigureId::ServerLatencyP50), Some((10_000.0, true)));
    assert_eq!(value(&found, FigureId::ServerLatencyP95), Some((19_000.0, true)));
}

#[test]
fn a_missing_page_gives_nothing_and_a_failed_store_a_lower_bound() {
    let of = |limits: Vec<Limit>| {
        let file = file("f.json", limits);
        let one = track(Kind::Gauge, "", &[(1, 5.0)]);
        let found = findings(&[(&one, meaning(Quantity::DatabaseConnections, Shape::Gauge), &file)], Some(window(1)));
        value(&found, FigureId::DatabaseConnections)
    };
    assert_eq!(of(vec![Limit::MorePages]), None);
    assert_eq!(of(vec![Limit::Partial("14".to_owned())]), Some((5000.0, false)));
}

#[test]
fn a_whole_answer_makes_up_for_one_that_broke_off_and_the_one_that_did_is_named() {
    let partial = file("b.json", vec![Limit::Partial("14".to_owned())]);
    let whole = file("a.json", Vec::new());
    let one = track(Kind::Gauge, "db=x", &[(1, 5.0)]);
    let with = |in_whole: &Track| {
        let means = meaning(Quantity::DatabaseConnections, Shape::Gauge);
        let found = findings(&[(in_whole, means, &whole), (&one, means, &partial)], Some(window(1)));
        let places: Vec<String> = found.told.iter().map(|told| told.message.clone()).collect();
        (value(&found, FigureId::DatabaseConnections), places.join(" "))
    };
    assert_eq!(with(&one.clone()), (Some((5000.0, true)), String::new()));
    let (both, told) = with(&track(Kind::Gauge, "db=y", &[(1, 6.0)]));
    assert_eq!((both, told.starts_with("b.json")), (Some((11_000.0, false)), true));
}

#[test]
fn one_series_in_two_files_is_one_and_must_not_contradict_itself() {
    let (a, b) = (file("a.json", Vec::new()), file("b.json", Vec::new()));
    let one = track(Kind::Gauge, "db=x", &[(1, 5.0)]);
    let with = |other: &Track| {
        let means = meaning(Quantity::DatabaseConnections, Shape::Gauge);
        findings(&[(&one, means, &a), (other, means, &b)], Some(window(1)))
    };
    let same = with(&one.clone());
    assert_eq!((value(&same, FigureId::DatabaseConnections), same.told.len()), (Some((5000.0, true)), 0));
    let differs = with(&track(Kind::Gauge, "db=x", &[(1, 6.0)]));
    assert_eq!((differs.told[0].code, differs.told[0].places.len()), ("contradicting-points", 2));
}

#[test]
fn the_order_of_series_does_not_matter() {
    let tracks: Vec<Track> = (0..9)
        .map(|n| track(Kind::Delta, &format!("code={n}"), &[(1, 0.1 * f64::from(n)), (2, 7.7 / f64::from(n + 1))]))
        .collect();
    let mut turned = tracks.clone();
    turned.reverse();
    let of = |tracks: &[Track]| {
        let found = told(Quantity::ServerRequests, Shape::Delta, tracks, window(2));
        (format!("{:?}", found.figures), format!("{:?}", found.observed), BTreeMap::from_iter(found.used))
    };
    assert_eq!(of(&tracks), of(&turned));
}

#[test]
fn startups_of_a_counter_are_what_it_grew_by() {
    let counter = track(Kind::Unsaid, "pod=a", &[(0, 40.0), (1, 41.0), (2, 43.0)]);
    let found = told(Quantity::ContainerStartups, Shape::Counter, std::slice::from_ref(&counter), window(2));
    assert_eq!(value(&found, FigureId::ContainerInstancesStartups), Some((3000.0, true)));
    let mut buckets = counter.clone();
    for point in &mut buckets.points {
        let count = point.number().unwrap_or_default();
        point.value = Value::Buckets(Buckets::new([Bucket { low: 0.0, high: 10.0, count }], None));
    }
    let found = told(Quantity::ContainerStartups, Shape::Counter, &[buckets], window(2));
    assert_eq!(value(&found, FigureId::ContainerInstancesStartups), Some((3000.0, true)));
    let found = told(Quantity::ContainerStartups, Shape::Rate, &[counter], window(2));
    assert_eq!(value(&found, FigureId::ContainerInstancesStartups), None);
}

#[test]
fn acquires_told_by_periods_are_added_and_rates_of_them_are_no_count() {
    let periods = track(Kind::Delta, "", &[(1, 100.0), (2, 300.0), (3, 200.0)]);
    let found = told(Quantity::PoolAcquires, Shape::Delta, std::slice::from_ref(&periods), window(3));
    assert_eq!(value(&found, FigureId::PoolAcquires), Some((600_000.0, true)));
    let found = told(Quantity::PoolAcquires, Shape::Rate, &[periods], window(3));
    let acquires = found.figures.iter().find(|candidate| candidate.id == FigureId::PoolAcquires);
    assert!(acquires.is_some_and(|candidate| candidate.figure.measurement().is_none()));
}

#[test]
fn periods_that_overlap_are_told_and_never_counted_twice_in_silence() {
    let (a, b) = (file("a.json", Vec::new()), file("b.json", Vec::new()));
    let one = track(Kind::Delta, "code=200", &[(1, 60.0), (2, 60.0)]);
    let mut shifted = one.clone();
    for point in &mut shifted.points {
        (point.start, point.end) = (point.start.map(|at| at + TimeDelta::seconds(10)), point.end + TimeDelta::seconds(10));
    }
    let means = meaning(Quantity::ServerRequests, Shape::Delta);
    let codes = |other: &Track, minutes| {
        let found = findings(&[(&one, means, &a), (other, means, &b)], Some(window(minutes)));
        found.told.iter().map(|told| (told.code, told.places.len())).collect::<Vec<_>>()
    };
    assert_eq!(codes(&shifted, 3), [("overlapping-periods", 2)]);
    let next = track(Kind::Delta, "code=200", &[(3, 60.0)]);
    assert_eq!(codes(&next, 3), []);
}

#[test]
fn a_period_that_was_cut_counts_as_long_as_it_is() {
    let mut cut = track(Kind::Delta, "", &[(1, 60.0), (2, 60.0), (3, 60.0)]);
    cut.points.push(Point { start: Some(minute(3)), end: minute(3) + TimeDelta::seconds(10), value: Value::Number(10.0) });
    let window = Window { start: minute(0), end: minute(3) + TimeDelta::seconds(10) };
    let found = told(Quantity::ServerRequests, Shape::Delta, &[cut], window);
    assert_eq!(value(&found, FigureId::ServerRequestsPerS), Some((1000.0, true)));
}

#[test]
fn a_share_of_two_counters_is_no_more_complete_than_the_worse_of_them() {
    let file = file("f.json", Vec::new());
    let all: Vec<(i64, f64)> = (0..=10).map(|n| (n, 10.0 * n as f64)).collect();
    let (acquires, wait) = (track(Kind::Unsaid, "instance=a", &all), track(Kind::Unsaid, "instance=a", &all[..5]));
    let tracks = [(&acquires, Quantity::PoolAcquires), (&wait, Quantity::PoolWait)];
    let tracks: Vec<_> = tracks.iter().map(|(track, quantity)| (*track, meaning(*quantity, Shape::Counter), &file)).collect();
    let found = findings(&tracks, Some(window(10)));
    assert_eq!(value(&found, FigureId::PoolAcquires), Some((100_000.0, true)));
    assert_eq!(value(&found, FigureId::PoolMeanWait), Some((400.0, false)));
}

#[test]
fn a_counter_that_comes_late_makes_the_sum_a_lower_bound() {
    let first = track(Kind::Unsaid, "instance=a", &[(0, 0.0), (1, 10.0), (2, 20.0), (3, 30.0), (4, 40.0)]);
    let late = track(Kind::Unsaid, "instance=b", &[(3, 500.0), (4, 510.0)]);
    let found = told(Quantity::PoolAcquires, Shape::Counter, &[first, late], window(4));
    assert_eq!(value(&found, FigureId::PoolAcquires), Some((50_000.0, false)));
}

#[test]
fn values_of_two_units_are_not_one_series() {
    let (a, b) = (file("a.json", Vec::new()), file("b.json", Vec::new()));
    let one = track(Kind::Gauge, "", &[(1, 0.5)]);
    let other = track(Kind::Gauge, "", &[(2, 50.0)]);
    let means = meaning(Quantity::DatabaseCpu, Shape::Gauge);
    let found = findings(&[(&one, means, &a), (&other, Meaning { factor: 0.01, ..means }, &b)], Some(window(2)));
    let peaks = found.figures.iter().filter(|candidate| candidate.id == FigureId::DatabaseCpuPeak);
    assert!(peaks.filter_map(|peak| peak.figure.measurement()).all(|peak| (peak.value - 0.5).abs() < 1e-9));
}

#[test]
fn a_peak_of_buckets_lies_somewhere_in_the_highest_of_them() {
    let mut one = track(Kind::Delta, "", &[(1, 0.0)]);
    let bucket = |low, high| Bucket { low, high, count: 3.0 };
    one.points[0].value = Value::Buckets(Buckets::new([bucket(0.8, 0.85), bucket(0.85, 0.95)], None));
    let found = told(Quantity::ContainerMemory, Shape::Delta, &[one], window(1));
    let peak = found.figures.iter().find(|candidate| candidate.id == FigureId::ContainerMemoryPeak);
    let range = peak.and_then(|peak| peak.figure.measured()).map(Measurement::range);
    assert_eq!(range, crate::model::bounds::Bounds::new(0.85, 0.95));
}

#[test]
fn series_that_were_looked_at_in_turn_are_not_added() {
    let two = |kind| {
        let a = track(kind, "db=a", &[(1, 5.0), (3, 5.0), (5, 5.0)]);
        [a, track(kind, "db=b", &[(2, 7.0), (4, 7.0), (6, 7.0)])]
    };
    let found = told(Quantity::DatabaseConnections, Shape::Gauge, &two(Kind::Gauge), window(6));
    assert_eq!(value(&found, FigureId::DatabaseConnections), None);
    let found = told(Quantity::ServerRequests, Shape::Rate, &two(Kind::Gauge), window(6));
    assert_eq!(value(&found, FigureId::ServerRequestsPerS), None);
    // One that ended before the other began is another matter.
    let after = [track(Kind::Gauge, "db=a", &[(1, 5.0), (2, 5.0)]), track(Kind::Gauge, "db=b", &[(3, 5.0), (4, 5.0)])];
    let found = told(Quantity::DatabaseConnections, Shape::Gauge, &after, window(4));
    assert_eq!(value(&found, FigureId::DatabaseConnections), Some((5000.0, true)));
}

#[test]
fn the_time_that_many_counters_take_does_not_grow_with_their_square() {
    // None has a point before the window, so of each it is asked whether its process was scraped before. This ends in seconds, not in
    // minutes.
    let one = |n: usize| track(Kind::Cumulative, &format!("instance=i{}", n / 4 * 4), &[(1, 1.0), (2, 3.0)]);
    let alike =
        |n: usize| Track { labels: [("n".to_owned(), n.to_string())].into_iter().chain(one(n).labels).collect(), ..one(n) };
    let tracks: Vec<Track> = (0..20_000).map(alike).collect();
    let found = told(Quantity::PoolAcquires, Shape::Counter, &tracks, window(5));
    assert_eq!(value(&found, FigureId::PoolAcquires).map(|(value, _)| value), Some(40_000_000.0));
}
