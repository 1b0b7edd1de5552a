use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};

use super::*;
use crate::capture::Capture;
use crate::capture::buckets::{Bucket, Buckets};
use crate::capture::mapping::{Means, Shape};
use crate::capture::track::{Kind, Limit, Point, Tracks, Value};
use crate::diagnostic::Level;
use crate::source::Source;

fn second(at: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::seconds(at)
}

const WINDOW: fn() -> Option<Window> = || Some(Window { start: second(1000), end: second(1240) });

fn point(start: i64, end: i64, value: f64) -> Point {
    Point { start: Some(second(start)), end: second(end), value: Value::Number(value) }
}

/// A series of a statement, its values in microseconds.
fn track(labels: &[(&str, &str)], kind: Kind, points: Vec<Point>) -> Track {
    let labels: BTreeMap<String, String> = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Track { metric: "a".to_owned(), labels, kind, unit: Some("us".to_owned()), target: None, points }
}

fn file(path: &str, limits: Vec<Limit>) -> File {
    let capture = Capture::Tracks(Tracks { tracks: Vec::new(), limits });
    File { source: Source::new(path, "{}\n"), path: path.to_owned(), kind: "monitoring", named: false, capture }
}

fn meaning(quantity: Quantity, track: &Track) -> Meaning {
    let shape = match track.kind {
        Kind::Delta => Shape::Delta,
        Kind::Cumulative => Shape::Counter,
        _ => Shape::Rate,
    };
    Meaning { means: Means::Quantity(quantity), shape, factor: 1e-3, by_name: false }
}

fn told(tracks: &[(Quantity, Track)], window: Option<Window>) -> Findings {
    let file = file("time.json", Vec::new());
    let tracks: Vec<_> = tracks.iter().map(|(quantity, track)| (track, meaning(*quantity, track), &file)).collect();
    insights(&tracks, window, &Names::built_in())
}

const LOCK: (&str, &str) = ("querystring", "SELECT pg_advisory_xact_lock($1)");
const WORK: (&str, &str) = ("querystring", "select a from t where b = 'cut of");

fn delta(labels: &[(&str, &str)], micros: f64) -> Track {
    track(labels, Kind::Delta, vec![point(1000, 1240, micros)])
}

fn observed(findings: &Findings, name: &str) -> Option<f64> {
    findings.observed.iter().find(|observation| observation.name == name).map(|observation| observation.measurement.value)
}

fn total(findings: &Findings) -> f64 {
    findings.database_time.as_ref().map_or(f64::NAN, |time| time.total_s)
}

fn lock_wait(findings: &Findings) -> &Figure {
    let found = findings.figures.iter().find(|candidate| candidate.id == FigureId::DatabaseLockWaitRatio);
    found.map_or_else(|| unreachable!("there is a share of lock wait"), |candidate| &candidate.figure)
}

fn is_near(value: Option<f64>, wanted: f64) -> bool {
    value.is_some_and(|value| (value - wanted).abs() < 1e-9)
}

#[test]
fn series_of_one_statement_are_added_and_shares_told() {
    let findings = told(
        &[
            (Quantity::QueryTime, delta(&[LOCK, ("query_hash", "1"), ("user", "a")], 3e6)),
            (Quantity::QueryTime, delta(&[LOCK, ("query_hash", "1"), ("user", "b")], 5e6)),
            (Quantity::QueryTime, delta(&[WORK, ("query_hash", "2")], 2e6)),
        ],
        WINDOW(),
    );
    assert_eq!(findings.queries.len(), 2);
    assert_eq!((findings.queries[0].seconds, &findings.queries[0].ids[..]), (Some(8.0), &["1".to_owned()][..]));
    assert_eq!(findings.queries[0].calls, None);
    assert_eq!(findings.queries[1].text.as_deref(), Some("select a from t where b = ?"));
    let figure = lock_wait(&findings).measured().unwrap_or_else(|| unreachable!("it is measured"));
    assert!(is_near(Some(figure.value), 0.8));
    assert_eq!((figure.series, figure.source.as_deref()), (Some(3), Some("Query Insights")));
    let coverage = figure.coverage.unwrap_or_else(|| unreachable!("the window is known"));
    assert_eq!((coverage.seen, coverage.expected, coverage.outside, coverage.period_s), (1, 1, 0, Some(240)));
    assert_eq!(findings.database_time.and_then(|time| time.window_s), Some(240.0));
}

#[test]
fn a_point_counts_if_its_period_lies_at_least_half_inside() {
    let points = vec![point(900, 960, 1e6), point(960, 1040, 2e6), point(1040, 1230, 4e6), point(1230, 1260, 8e6)];
    let findings = told(&[(Quantity::QueryTime, track(&[LOCK], Kind::Delta, points))], WINDOW());
    assert!(is_near(Some(total(&findings)), 6.0));
}

#[test]
fn a_counter_is_its_last_value_less_its_first() {
    let counter = |points| [(Quantity::QueryTime, track(&[LOCK], Kind::Cumulative, points))];
    let of = |points| total(&told(&counter(points), WINDOW()));
    let long = |end, value| point(-9000, end, value);
    assert!(is_near(Some(of(vec![long(1000, 7e6), long(1120, 8e6), long(1240, 10e6)])), 3.0));
    // Five seconds after the start: what came before is not known.
    assert!(is_near(Some(of(vec![long(1005, 7e6), long(1240, 10e6)])), 3.0));
    // Long before the window, and after it.
    assert!(is_near(Some(of(vec![long(700, 1e6), long(1000, 7e6), long(1240, 10e6), long(1300, 90e6)])), 3.0));
    // It fell, or has another start: it began anew.
    assert!(is_near(Some(of(vec![long(1000, 7e6), long(1120, 8e6), long(1240, 2e6)])), 3.0));
    assert!(is_near(Some(of(vec![long(1000, 7e6), long(1120, 8e6), point(1130, 1240, 9e6)])), 10.0));
    // It began inside the window.
    assert!(is_near(Some(of(vec![point(1100, 1160, 1e6), point(1100, 1240, 4e6)])), 4.0));
}

#[test]
fn without_a_window_the_points_span_it() {
    let one = |points| told(&[(Quantity::QueryTime, track(&[LOCK], Kind::Cumulative, points))], None);
    assert!(is_near(Some(total(&one(vec![point(-9000, 1000, 7e6), point(-9000, 1240, 9e6)]))), 2.0));
    let findings = told(&[(Quantity::QueryTime, delta(&[LOCK], 2e6))], None);
    assert!(is_near(Some(total(&findings)), 2.0));
}

#[test]
fn several_instances_are_told_and_not_added() {
    let of = |instance, micros| (Quantity::QueryTime, delta(&[LOCK, ("resource_id", instance)], micros));
    let findings = told(&[of("p:a", 1e6), of("p:b", 2e6)], WINDOW());
    assert_eq!(
        findings.told.iter().map(|told| (told.code, told.level)).collect::<Vec<_>>(),
        [("several-instances", Level::Warning)]
    );
    assert!(findings.queries.is_empty() && findings.database_time.is_none());
    assert!(matches!(lock_wait(&findings), Figure::NotCaptured { .. }));
    let findings = told(&[of("p:a", 1e6), of("p:b", 0.0)], WINDOW());
    assert_eq!(findings.told.iter().map(|told| told.level).collect::<Vec<_>>(), [Level::Note]);
    assert!(is_near(Some(total(&findings)), 1.0));
}

#[test]
fn lock_time_alone_is_no_share() {
    let lock = |of_type, user, micros| (Quantity::QueryLockTime, delta(&[LOCK, ("lock_type", of_type), ("user", user)], micros));
    let io = (Quantity::QueryIoTime, delta(&[LOCK, ("io_type", "write")], 5e5));
    let findings = told(&[lock("hw", "a", 2e6), lock("hw", "b", 1e6), lock("lw", "a", 7e6), io], WINDOW());
    assert!(matches!(lock_wait(&findings), Figure::NotCaptured { reason: Some(_) }));
    assert!(is_near(observed(&findings, "lock time (hw)"), 3000.0) && is_near(observed(&findings, "lock time (lw)"), 7000.0));
    assert!(is_near(observed(&findings, "io time (write)"), 500.0));
    assert_eq!(observed(&findings, "lock time / query time"), None);
}

#[test]
fn a_second_estimate_far_from_the_first_is_told() {
    let with = |lock| {
        told(
            &[
                (Quantity::QueryTime, delta(&[LOCK], 8e6)),
                (Quantity::QueryTime, delta(&[WORK], 2e6)),
                (Quantity::QueryLockTime, delta(&[LOCK, ("lock_type", "hw")], lock)),
            ],
            WINDOW(),
        )
    };
    let near = with(7e6);
    assert!(is_near(observed(&near, "lock time / query time"), 0.7) && near.told.is_empty());
    let far = with(3e6);
    assert_eq!(far.told.iter().map(|told| told.code).collect::<Vec<_>>(), ["lock-wait-differs"]);
    assert_eq!(far.told[0].message, "lock wait is 80.0% of the query time by the statements' names, and 30.0% by lock time (hw)");
}

#[test]
fn latencies_give_calls_and_percentiles() {
    let buckets = |count| {
        Buckets::new([Bucket { low: 0.0, high: 1000.0, count }, Bucket { low: 1e6, high: f64::INFINITY, count: 1.0 }], None)
    };
    let distribution = |labels: &[(&str, &str)], count| {
        let mut one = delta(labels, 0.0);
        one.points[0].value = Value::Buckets(buckets(count));
        (Quantity::QueryLatency, one)
    };
    let latency = || [distribution(&[LOCK, ("user", "a")], 60.0), distribution(&[LOCK, ("user", "b")], 38.0)];
    let name = "Advisory lock (`pg_advisory_xact_lock`)";
    let alone = told(&latency(), WINDOW());
    assert_eq!(observed(&alone, &format!("calls of {name}")), Some(100.0));
    assert!(is_near(observed(&alone, &format!("latency p50 of {name}")), 50.0 / 98.0));
    assert!(is_near(observed(&alone, &format!("latency p99 of {name}")), 1000.0));
    assert_eq!(observed(&alone, &format!("mean latency of {name}")), None);
    let mut all = latency().to_vec();
    all.push((Quantity::QueryTime, delta(&[LOCK], 1e6)));
    all.push((Quantity::QueryTime, delta(&[WORK], 1e6)));
    let findings = told(&all, WINDOW());
    assert_eq!(findings.queries.iter().map(|query| query.calls).max(), Some(Some(100)));
    assert!(observed(&findings, &format!("calls of {name}")).is_some());
}

#[test]
fn gaps_outside_points_and_rates_are_told() {
    let missing = vec![point(1000, 1030, 1e6), point(1030, 1060, 1e6), point(1210, 1240, 1e6)];
    let two = |points: Vec<Point>| {
        [
            (Quantity::QueryTime, track(&[LOCK], Kind::Delta, points.clone())),
            (Quantity::QueryTime, track(&[WORK], Kind::Delta, points)),
        ]
    };
    let Figure::Incomplete(figure) = lock_wait(&told(&two(missing), WINDOW())).clone() else {
        unreachable!("points are missing")
    };
    assert_eq!(figure.lacking.as_deref(), Some("3 of 8 points of the window"));
    let findings = told(&two(vec![point(5000, 5060, 1e6)]), WINDOW());
    assert_eq!(findings.told.iter().map(|told| told.code).collect::<Vec<_>>(), ["outside-window"]);
    assert!(matches!(lock_wait(&findings), Figure::NotCaptured { .. }));
    let findings = told(&[(Quantity::QueryTime, track(&[LOCK], Kind::Gauge, vec![point(1000, 1240, 1.0)]))], WINDOW());
    assert_eq!(findings.told.iter().map(|told| told.code).collect::<Vec<_>>(), ["no-sums"]);
}

#[test]
fn an_answer_with_more_pages_is_a_lower_bound() {
    let file = file("time.json", vec![Limit::MorePages]);
    let (lock, work) = (delta(&[LOCK], 1e6), delta(&[WORK], 1e6));
    let of = |track| (track, meaning(Quantity::QueryTime, track), &file);
    let findings = insights(&[of(&lock), of(&work)], WINDOW(), &Names::built_in());
    assert!(matches!(lock_wait(&findings), Figure::Incomplete(_)));
}

#[test]
fn series_of_other_quantities_are_not_looked_at() {
    assert_eq!(told(&[(Quantity::DatabaseCpu, delta(&[], 1.0))], WINDOW()).figures, []);
}

#[test]
fn the_order_of_series_changes_nothing() {
    let mut tracks: Vec<_> = (0..30_u32)
        .map(|at| {
            let (hash, user, micros) = ((at % 4).to_string(), at.to_string(), 0.1 * f64::from(at) + 0.7);
            let text = if at % 3 == 0 { LOCK } else { WORK };
            (Quantity::QueryTime, delta(&[text, ("query_hash", &hash), ("user", &user)], micros))
        })
        .collect();
    let one = told(&tracks, WINDOW());
    tracks.reverse();
    let other = told(&tracks, WINDOW());
    assert_eq!((one.queries, one.figures, one.observed), (other.queries, other.figures, other.observed));
}

#[test]
fn a_time_that_two_files_tell_counts_once() {
    let (a, b) = (file("a.json", Vec::new()), file("b.json", Vec::new()));
    let of = |other: &Track| {
        let one = delta(&[LOCK, ("query_hash", "1"), ("user", "x")], 3e6);
        let tracks = [(&one, meaning(Quantity::QueryTime, &one), &a), (other, meaning(Quantity::QueryTime, other), &b)];
        let found = insights(&tracks, WINDOW(), &Names::built_in());
        let told: Vec<&str> = found.told.iter().map(|told| told.code).collect();
        ((total(&found) * 10.0).round(), told, found.used.keys().cloned().collect::<Vec<_>>())
    };
    let only_a = || vec!["a.json".to_owned()];
    // The same series, the same time by fewer labels, and as a counter.
    assert_eq!(of(&delta(&[LOCK, ("query_hash", "1"), ("user", "x")], 3e6)), (30.0, vec![], only_a()));
    assert_eq!(of(&delta(&[LOCK, ("query_hash", "1")], 3e6)), (30.0, vec!["several-forms"], only_a()));
    let counter = track(&[LOCK, ("query_hash", "1")], Kind::Cumulative, vec![point(0, 1000, 9e6), point(0, 1240, 12e6)]);
    assert_eq!(of(&counter), (30.0, vec!["several-forms"], only_a()));
    // Another user's time is another time, another value of one period a contradiction.
    assert_eq!(of(&delta(&[LOCK, ("query_hash", "1"), ("user", "y")], 2e6)).0.to_bits(), 50.0_f64.to_bits());
    assert_eq!(of(&delta(&[LOCK, ("query_hash", "1"), ("user", "x")], 4e6)).1, ["contradicting-points"]);
}

#[test]
fn pages_lack_nothing_where_the_last_one_is_there() {
    let lacking = |last: Vec<Limit>| {
        let (a, b) = (file("a.json", vec![Limit::MorePages]), file("b.json", last));
        let (one, other) = (delta(&[LOCK, ("query_hash", "1")], 3e6), delta(&[WORK, ("query_hash", "2")], 1e6));
        let tracks = [(&one, meaning(Quantity::QueryTime, &one), &a), (&other, meaning(Quantity::QueryTime, &other), &b)];
        let found = insights(&tracks, WINDOW(), &Names::built_in());
        lock_wait(&found).measurement().and_then(|share| share.lacking.clone())
    };
    assert_eq!(lacking(Vec::new()), None);
    assert!(lacking(vec![Limit::MorePages]).is_some());
}
