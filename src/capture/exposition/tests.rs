use super::*;
use crate::capture::findings::Findings;
use crate::capture::track::{Kind, Track, Value};
use crate::capture::{File, Rules, Window};
use crate::model::catalogue::FigureId;
use crate::model::figure::Figure;

fn file(path: &str, text: &str) -> File {
    let source = Source::new(path, text);
    let is_moment = crate::capture::moment::sniff(&source);
    assert!(is_moment || sniff(&source), "{path}");
    let capture = if is_moment { crate::capture::moment::read(&source) } else { read(&source) };
    let capture = capture.unwrap_or_else(|faults| unreachable!("{faults}"));
    File { source, path: path.to_owned(), kind: "exposition", named: false, capture }
}

fn told(files: &[File]) -> Findings {
    findings(&files.iter().collect::<Vec<_>>(), None, &Rules::built_in())
}

fn figure(findings: &Findings, id: FigureId) -> &Figure {
    let found = findings.figures.iter().find(|candidate| candidate.id == id);
    &found.unwrap_or_else(|| unreachable!("no {id}")).figure
}

fn value(findings: &Findings, id: FigureId) -> Option<f64> {
    figure(findings, id).measurement().map(|measurement| (measurement.value * 1e6).round() / 1e6)
}

fn observed(findings: &Findings, name: &str) -> Option<f64> {
    findings.observed.iter().find(|observation| observation.name == name).map(|observation| observation.measurement.value)
}

fn codes(findings: &Findings) -> Vec<&'static str> {
    findings.told.iter().map(|told| told.code).collect()
}

fn tracks(text: &str) -> Vec<Track> {
    match read(&Source::new("a", text)) {
        Ok(Capture::Scrape(scrape)) => scrape.tracks,
        other => unreachable!("{other:?}"),
    }
}

/// A process that started at a moment, with acquires, empty ones and milliseconds of waiting.
fn state(start: f64, [acquires, empty, wait]: [u32; 3]) -> String {
    format!(
        "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds {start}\n\
         # TYPE zitadel_database_pool_acquire_count_total counter\nzitadel_database_pool_acquire_count_total {acquires}\n\
         # TYPE zitadel_database_pool_empty_acquire_count_total counter\nzitadel_database_pool_empty_acquire_count_total {empty}\n\
         # TYPE zitadel_database_pool_acquire_duration_milliseconds_total counter\n\
         zitadel_database_pool_acquire_duration_milliseconds_total {wait}\n\
         # TYPE zitadel_database_pool_max_conns gauge\nzitadel_database_pool_max_conns 8\n"
    )
}

fn times() -> [File; 2] {
    [file("scrape_start_time.txt", "1970-01-01T00:16:40Z\n"), file("scrape_end_time.txt", "1970-01-01T00:17:40Z\n")]
}

#[test]
fn kinds_come_from_types_and_exemplars_are_left_out() {
    let read = tracks(
        "# TYPE a counter\n# UNIT a seconds\na_total{x=\"1\"} 5 # {t=\"1\"} 0.5\na_created{x=\"1\"} 1.7e9\n# TYPE d histogram\n\
         d_bucket{le=\"1.0\"} 2\nd_bucket{le=\"+Inf\"} 3\nd_sum 4.5\nd_count 3\n# TYPE g gauge\ng NaN\nplain 1e-09\n# EOF\n",
    );
    let found: Vec<(&str, Kind)> = read.iter().map(|track| (track.metric.as_str(), track.kind)).collect();
    let expected = [
        ("a_total", Kind::Cumulative),
        ("d", Kind::Cumulative),
        ("d_sum", Kind::Cumulative),
        ("d_count", Kind::Cumulative),
        ("g", Kind::Gauge),
        ("plain", Kind::Unsaid),
    ];
    assert_eq!(found, expected);
    assert_eq!(read[1].points[0].buckets().map(|buckets| (buckets.count(), buckets.sum)), Some((3.0, Some(4.5))));
    assert_eq!(read[4].points[0].value, Value::Nothing);
}

#[test]
fn samples_of_many_moments_are_series() {
    let text = "# TYPE a counter\na_total 1 10\na_total 2 20.5\n# EOF\n";
    let Ok(Capture::Tracks(read)) = read(&Source::new("a", text)) else { unreachable!() };
    let moments: Vec<i64> = read.tracks[0].points.iter().map(|point| point.end.timestamp_millis()).collect();
    assert_eq!(moments, [10_000, 20_500]);
}

#[test]
fn faults_come_out_at_once() {
    let faults = read(&Source::new("a", "# TYPE a counter\na 1\nb?\na 1\n")).err().unwrap_or_else(|| unreachable!());
    assert_eq!(faults.list().iter().map(|fault| fault.places[0].to_string()).collect::<Vec<_>>(), ["a:3:1", "a:4:1"]);
    assert!(matches!(read(&Source::new("a", "# TYPE a counter\n# EOF\n")), Ok(Capture::Refused(why)) if why.code == "no-data"));
}

#[test]
fn what_others_write_is_left_to_them() {
    let others = [
        "",
        "# TYPE of run: load\nkey: value\n",
        "# HELP me\nA=1\n",
        "key: value\n",
        "A_KEY=1\n",
        "a_metric name should not include type 'counter'\n",
        "{__name__=\"up\"} 1 1000\n",
        "200 1234\n",
        "checks 5\n",
    ];
    for text in others {
        assert!(!sniff(&Source::new("a", text)), "{text}");
    }
    assert!(sniff(&Source::new("a", "up{job=\"a\"} 1\n")));
}

#[test]
fn two_scrapes_tell_what_came_between() {
    let [start, end] = times();
    let before = file("a_start.txt", &state(900.0, [100, 10, 50]));
    let after = file("a_end.txt", &state(900.0, [300, 60, 850]));
    let found = told(&[end, after, start, before]);
    let ids = [FigureId::PoolAcquires, FigureId::PoolEmptyRatio, FigureId::PoolMeanWait, FigureId::PoolMaxOpen];
    assert_eq!(ids.map(|id| value(&found, id)), [Some(200.0), Some(0.25), Some(4.0), Some(8.0)]);
    assert!(ids.iter().all(|id| matches!(figure(&found, *id), Figure::Measured(_))));
    assert_eq!(observed(&found, "mean wait of waiting acquires"), Some(16.0));
    assert_eq!(figure(&found, FigureId::PoolAcquires).measurement().map(|m| m.files.len()), Some(2));
    assert!(matches!(figure(&found, FigureId::ServerLatencyP50), Figure::NotCaptured { .. }));
}

#[test]
fn a_restart_is_told_by_the_start_of_the_process_though_no_counter_fell() {
    let [start, end] = times();
    let (before, after) = (file("a_start.txt", &state(900.0, [100, 0, 0])), file("a_end.txt", &state(1030.0, [500, 0, 0])));
    let found = told(&[start, end, before, after]);
    assert_eq!(value(&found, FigureId::PoolAcquires), Some(500.0));
    let Figure::Incomplete(measured) = figure(&found, FigureId::PoolAcquires) else { unreachable!() };
    assert_eq!(measured.coverage.map(|coverage| (coverage.seen, coverage.expected)), Some((30, 60)));
    assert_eq!(measured.lacking.as_deref(), Some("what a counted before it restarted at 1970-01-01T00:17:10Z"));
}

#[test]
fn one_scrape_gives_gauges_only() {
    let found = told(&[file("a_end.txt", &state(900.0, [100, 0, 0]))]);
    assert_eq!(value(&found, FigureId::PoolMaxOpen), Some(8.0));
    assert!(matches!(figure(&found, FigureId::PoolAcquires), Figure::NotCaptured { reason: Some(_) }));
    assert!(found.told.is_empty());
}

#[test]
fn exchanged_scrapes_and_those_of_two_processes_are_refused() {
    let (early, late) = (state(900.0, [100, 1, 1]), state(900.0, [300, 2, 2]));
    let exchanged = told(&[file("a_start.txt", &late), file("a_end.txt", &early)]);
    assert_eq!((codes(&exchanged), value(&exchanged, FigureId::PoolAcquires)), (vec!["wrong-order"], None));
    let two = told(&[file("a_start.txt", &early), file("b_end.txt", &state(899.99, [300, 2, 2]))]);
    assert_eq!((codes(&two), value(&two, FigureId::PoolAcquires)), (vec!["different-servers"], None));
    assert_eq!(two.told[0].places.len(), 2);
}

#[test]
fn scrapes_of_another_time_tell_nothing_of_a_run() {
    let [start, end] = times();
    let files = [start, end, file("a_start.txt", &state(900.0, [1, 0, 0])), file("a_end.txt", &state(900.0, [2, 0, 0]))];
    let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap_or_else(|| unreachable!());
    let window = Window { start: at(5000), end: at(6000) };
    let found = findings(&files.iter().collect::<Vec<_>>(), Some(window), &Rules::built_in());
    assert_eq!((codes(&found), value(&found, FigureId::PoolAcquires)), (vec!["no-overlap"], None));
}

/// Over the reading material, where it is there.
#[cfg(test)]
#[allow(clippy::print_stderr, reason = "a test that is skipped says why")]
mod material {
    use std::path::Path;

    use super::*;

    fn material(name: &str) -> Option<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/capture").join(name);
        let text = std::fs::read_to_string(&path).ok();
        if text.is_none() {
            eprintln!("skipped: {} is not here", path.display());
        }
        text
    }

    fn scrapes(containers: &[u8]) -> Option<Vec<File>> {
        let mut names = vec!["scrape_start_time.txt".to_owned(), "scrape_end_time.txt".to_owned()];
        for container in containers {
            names.extend(["start", "end"].map(|role| format!("debug_metrics_container{container}_{role}.txt")));
        }
        names.iter().map(|name| Some(file(name, &material(&format!("zitadel-metrics/{name}"))?))).collect()
    }

    fn holds(found: &Findings, expected: &[(FigureId, f64, f64)], incomplete: bool) {
        for (id, expected, tolerance) in expected {
            let figure = figure(found, *id);
            let given = figure.measurement().unwrap_or_else(|| unreachable!("{id}: {figure:?}")).value;
            assert!((given - expected).abs() <= *tolerance, "{id}: {given} is not {expected}");
            assert_eq!(matches!(figure, Figure::Incomplete(_)), incomplete && *id != FigureId::PoolMaxOpen, "{id}");
        }
    }

    #[test]
    fn three_containers_of_which_one_restarted() {
        let Some(files) = scrapes(&[1, 2, 3]) else { return };
        let found = told(&files);
        let expected = [
            (FigureId::PoolAcquires, 33_481.0, 0.0),
            (FigureId::PoolEmptyRatio, 0.563_424, 2e-4),
            (FigureId::PoolMeanWait, 7.560_92, 0.005),
            (FigureId::PoolMaxOpen, 6.0, 0.0),
            (FigureId::ServerRequestsPerS, 669.5, 0.05),
            (FigureId::ServerLatencyP50, 8.8961, 0.05),
            (FigureId::ServerLatencyP95, 167.014, 0.2),
            (FigureId::ServerLatencyP99, 235.447, 0.3),
        ];
        holds(&found, &expected, true);
        let coverage = figure(&found, FigureId::PoolAcquires).measurement().and_then(|measured| measured.coverage);
        assert_eq!(coverage.map(|coverage| (coverage.seen, coverage.expected)), Some((124, 150)));
        let names =
            ["empty acquires", "wait", "requests", "requests by code 200", "requests by code 201", "containers", "restarts"];
        let expected = [18_864.0, 253_147.0, 33_475.0, 23_390.0, 10_085.0, 3.0, 1.0];
        assert_eq!(names.map(|name| observed(&found, name)), expected.map(Some));
    }

    #[test]
    fn two_containers_that_went_on() {
        let Some(files) = scrapes(&[1, 2]) else { return };
        let found = told(&files);
        let expected = [
            (FigureId::PoolAcquires, 26_302.0, 0.0),
            (FigureId::PoolEmptyRatio, 0.444_301, 2e-4),
            (FigureId::PoolMeanWait, 2.610_26, 0.005),
            (FigureId::PoolMaxOpen, 6.0, 0.0),
            (FigureId::ServerRequestsPerS, 526.04, 0.05),
            (FigureId::ServerLatencyP50, 5.3122, 0.05),
            (FigureId::ServerLatencyP95, 152.256, 0.2),
            (FigureId::ServerLatencyP99, 232.526, 0.3),
        ];
        holds(&found, &expected, false);
        assert!(found.told.is_empty());
    }

    #[test]
    fn pairs_that_are_none() {
        let text = |name: &str| material(&format!("zitadel-metrics/debug_metrics_{name}.txt"));
        let (Some(start), Some(end), Some(other)) = (text("container1_start"), text("container1_end"), text("container2_end"))
        else {
            return;
        };
        let exchanged = told(&[file("m_container1_start.txt", &end), file("m_container1_end.txt", &start)]);
        assert_eq!((codes(&exchanged), value(&exchanged, FigureId::PoolAcquires)), (vec!["wrong-order"], None));
        let two = told(&[file("m_container1_start.txt", &start), file("m_container2_end.txt", &other)]);
        assert_eq!((codes(&two), value(&two, FigureId::PoolAcquires)), (vec!["different-servers"], None));
    }

    #[test]
    fn one_scrape_in_each_format() {
        for name in ["text_0.0.4.txt", "openmetrics_1.0.txt"] {
            let Some(text) = material(&format!("prometheus/{name}")) else { return };
            let file = file(name, &text);
            let Capture::Scrape(scrape) = &file.capture else { unreachable!() };
            let latency = scrape.tracks.iter().find(|track| track.metric == "http_server_request_duration_seconds");
            let buckets = latency.and_then(|track| track.points[0].buckets()).unwrap_or_else(|| unreachable!());
            assert_eq!((buckets.count(), buckets.sum), (1000.0, Some(80.777_800_860_551_85)));
            let odd = scrape.tracks.iter().find(|track| track.label("k") == "esc\"ape\\d\nnl");
            assert_eq!(odd.and_then(|track| track.points[0].number()), Some(1e-9));
            let found = told(&[file]);
            assert_eq!(value(&found, FigureId::PoolMaxOpen), Some(6.0));
            assert!(matches!(figure(&found, FigureId::PoolAcquires), Figure::NotCaptured { .. }));
        }
    }
}
