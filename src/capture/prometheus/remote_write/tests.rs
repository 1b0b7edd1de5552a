use super::*;
use crate::capture::Capture;
use crate::capture::track::Tracks;
use crate::diagnostic::Level;
use crate::source::Source;

fn file(path: &str, text: &str) -> File {
    let source = Source::new(path, text);
    let capture = crate::capture::prometheus::read(&source).unwrap_or_else(|faults| unreachable!("{faults}"));
    File { source, path: path.to_owned(), kind: "prometheus", named: false, capture }
}

fn told(files: &[File], window: Option<Window>) -> Findings {
    let tracks_of = |file: &File| match &file.capture {
        Capture::Tracks(Tracks { tracks, .. }) => tracks.clone(),
        other => unreachable!("{other:?}"),
    };
    let all: Vec<(Track, &File)> =
        files.iter().flat_map(|file| tracks_of(file).into_iter().map(move |track| (track, file))).collect();
    findings(&all.iter().map(|(track, file)| (track, *file)).collect::<Vec<_>>(), window)
}

/// Series written shortly: `name label=value ...: moment value, moment value`.
fn series(lines: &[&str]) -> String {
    let one = |line: &&str| {
        let (name, points) = line.split_once(": ").unwrap_or_else(|| unreachable!());
        let mut words = name.split(' ');
        let metric = words.next().unwrap_or_default();
        let labels = words.filter_map(|word| word.split_once('=')).map(|(label, value)| format!(",\"{label}\":\"{value}\""));
        let points =
            points.split(", ").filter_map(|point| point.split_once(' ')).map(|(at, value)| format!("[{at},\"{value}\"]"));
        let (labels, points): (String, Vec<String>) = (labels.collect(), points.collect());
        format!("{{\"metric\":{{\"__name__\":\"{metric}\"{labels}}},\"values\":[{}]}}", points.join(","))
    };
    format!("[{}]", lines.iter().map(one).collect::<Vec<_>>().join(","))
}

fn value(findings: &Findings, id: FigureId) -> Option<f64> {
    let found = findings.figures.iter().find(|candidate| candidate.id == id)?;
    found.figure.measurement().map(|measurement| (measurement.value * 1e8).round() / 1e8)
}

fn observed(findings: &Findings, name: &str) -> Option<f64> {
    let found = findings.observed.iter().find(|observation| observation.name == name)?;
    Some((found.measurement.value * 1e5).round() / 1e5)
}

fn window(start: i64, end: i64) -> Window {
    let at = |seconds| chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_else(|| unreachable!());
    Window { start: at(start), end: at(end) }
}

const RUN: &[&str] = &[
    "k6_http_reqs_total status=200 expected_response=true: 10 5, 20 90, 30 90",
    "k6_http_reqs_total status=500: 10 1, 20 10, 30 10",
    "k6_http_req_failed_rate status=200 expected_response=true: 10 0, 20 0, 30 0",
    "k6_http_req_failed_rate status=500: 10 1, 20 1, 30 1",
    "k6_iterations_total scenario=a: 10 3, 20 50, 30 50",
    "k6_vus: 10 4, 20 2",
    "k6_http_req_duration_p95 status=200 expected_response=true: 10 0.1, 20 0.2, 30 0.2",
];

#[test]
fn counts_are_the_last_of_each_tag_set() {
    let found = told(&[file("k6.json", &series(RUN))], None);
    let ids =
        [FigureId::K6Requests, FigureId::K6FailedRequests, FigureId::K6Iterations, FigureId::K6SuccessRatio, FigureId::K6Vus];
    assert_eq!(ids.map(|id| value(&found, id)), [Some(100.0), Some(10.0), Some(50.0), Some(0.9), Some(4.0)]);
    assert_eq!(observed(&found, "requests by status 500"), Some(10.0));
    assert_eq!(observed(&found, "p95 of successes"), Some(200.0));
    assert_eq!(observed(&found, "iterations/s between 1970-01-01T00:00:10Z and 1970-01-01T00:00:20Z"), Some(4.7));
    assert_eq!(found.used.get("k6.json").map(|what| what.contains("k6.requests")), Some(true));
}

#[test]
fn points_outside_the_window_are_not_seen() {
    let files = [file("k6.json", &series(RUN))];
    assert_eq!(value(&told(&files, Some(window(0, 10))), FigureId::K6Requests), Some(6.0));
    let none = told(&files, Some(window(100, 200)));
    assert_eq!(value(&none, FigureId::K6Requests), None);
    assert!(none.unused.contains_key("k6.json"));
}

#[test]
fn a_share_that_is_no_whole_number_gives_no_count() {
    let found = told(&[file("k6.json", &series(&["k6_http_reqs_total: 1 10", "k6_http_req_failed_rate: 1 0.25"]))], None);
    assert_eq!(value(&found, FigureId::K6FailedRequests), None);
    assert_eq!(value(&found, FigureId::K6SuccessRatio), None);
    assert_eq!(value(&found, FigureId::K6Requests), Some(10.0));
}

#[test]
fn rates_of_several_checks_are_joined_only_where_they_agree_or_do_not_matter() {
    let with = |rates: &[&str]| {
        let checks =
            rates.iter().enumerate().map(|(at, rate)| format!("k6_checks_rate check={at}: 1 {rate}")).collect::<Vec<_>>();
        let mut lines = vec!["k6_http_reqs_total: 1 10", "k6_http_req_failed_rate: 1 0.2"];
        lines.extend(checks.iter().map(String::as_str));
        value(&told(&[file("k6.json", &series(&lines))], None), FigureId::K6SuccessRatio)
    };
    assert_eq!(with(&[]), Some(0.8));
    assert_eq!(with(&["0.8", "1"]), Some(0.8));
    assert_eq!(with(&["0.5"]), Some(0.5));
    assert_eq!(with(&["0.5", "1"]), None);
}

#[test]
fn percentiles_of_tag_sets_are_told_apart() {
    let found = told(
        &[file(
            "k6.json",
            &series(&[
                "k6_http_req_duration_p95 name=/a expected_response=true: 1 0.1",
                "k6_http_req_duration_p95 name=/b expected_response=true: 1 0.3",
            ]),
        )],
        None,
    );
    assert_eq!(observed(&found, "p95 of successes"), None);
    assert_eq!(observed(&found, "p95 of successes (name /b)"), Some(300.0));
}

#[test]
fn two_tests_and_a_counter_that_began_anew_are_no_whole_run() {
    let two = series(&["k6_http_reqs_total testid=a: 1 10", "k6_http_reqs_total testid=b: 1 10"]);
    assert_eq!(value(&told(&[file("k6.json", &two)], None), FigureId::K6Requests), None);
    let anew = told(&[file("k6.json", &series(&["k6_http_reqs_total: 1 10, 2 4"]))], None);
    assert!(matches!(anew.figures[0].figure, Figure::Incomplete(_)));
}

#[test]
fn files_that_contradict_each_other_are_told_with_both_places() {
    let (one, other) = (file("a.json", &series(&["k6_vus: 1 10"])), file("b.json", &series(&["k6_vus: 1 11"])));
    let found = told(&[other, one], None);
    assert_eq!(found.told.iter().map(|told| (told.level, told.places.len())).collect::<Vec<_>>(), [(Level::Error, 2)]);
}

/// Over the reading material, where it is there.
#[cfg(test)]
#[allow(clippy::print_stderr, reason = "a test that is skipped says why")]
mod material {
    use std::path::Path;

    use super::*;

    fn material(name: &str) -> Option<File> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/capture/k6-remote-write").join(name);
        let text = std::fs::read_to_string(&path).ok();
        if text.is_none() {
            eprintln!("skipped: {} is not here", path.display());
        }
        Some(file(name, &text?))
    }

    #[test]
    fn a_run_with_trend_stats() {
        let Some(file) = material("query_range_trendstats.json") else { return };
        let found = told(&[file], Some(window(1_796_026_835, 1_796_026_915)));
        let ids = [FigureId::K6Requests, FigureId::K6FailedRequests, FigureId::K6Iterations, FigureId::K6Vus];
        assert_eq!(ids.map(|id| value(&found, id)), [Some(2898.0), Some(107.0), Some(2898.0), Some(6.0)]);
        assert_eq!(value(&found, FigureId::K6SuccessRatio), Some(0.963_077_98));
        for id in [FigureId::K6IterationsPerS, FigureId::K6Checks, FigureId::K6FailedChecks] {
            assert_eq!(value(&found, id), None);
        }
        let expected = [
            ("p50 of successes", 58.98872),
            ("p95 of successes", 94.38895),
            ("p99 of successes", 122.84019),
            ("mean of successes", 63.12042),
            ("requests by status 0", 59.0),
            ("requests by status 429", 48.0),
            ("requests by status 200", 2791.0),
            ("iterations/s between 2026-11-30T08:20:45Z and 2026-11-30T08:21:15Z", 71.7),
        ];
        for (name, value) in expected {
            assert_eq!(observed(&found, name), Some(value), "{name}");
        }
    }

    #[test]
    fn a_run_with_native_histograms() {
        let Some(file) = material("query_range_native_histogram_raw.json") else { return };
        let found = told(&[file], Some(window(1_796_026_885, 1_796_026_915)));
        assert_eq!(value(&found, FigureId::K6Requests), None);
        assert_eq!(observed(&found, "successful requests"), Some(2102.0));
        assert_eq!(observed(&found, "mean of successes"), Some(63.35016));
        let p99 = observed(&found, "p99 of successes").unwrap_or_default();
        assert!((p99 - 128.464).abs() < 0.1, "{p99}");
    }
}
