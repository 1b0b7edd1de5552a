use super::*;
use crate::capture::buckets::Buckets;
use crate::capture::track::{Limit, Tracks};

fn given(text: &str) -> Capture {
    read(&Source::new("a.json", text)).unwrap_or_else(|faults| unreachable!("{faults}"))
}

fn tracks_of(capture: Capture) -> Tracks {
    match capture {
        Capture::Tracks(tracks) => tracks,
        other => unreachable!("{other:?}"),
    }
}

fn code(capture: &Capture) -> Option<&'static str> {
    if let Capture::Refused(diagnostic) = capture { Some(diagnostic.code) } else { None }
}

fn faults(text: &str) -> Vec<String> {
    let faults = read(&Source::new("a.json", text)).err().unwrap_or_else(|| unreachable!("it was read"));
    faults.list().iter().map(|fault| format!("{} {}", fault.places[0], fault.message)).collect()
}

#[test]
fn a_matrix_is_read_to_the_millisecond_and_in_order() {
    let read = tracks_of(given(
        r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up","job":"z"},
        "values":[[1796026605.319,"NaN"],[1796026600.319,"1.5"],[1796026600.319,"1.5"]]}]}}"#,
    ));
    let track = &read.tracks[0];
    assert_eq!((track.metric.as_str(), track.labels.len(), track.label("job")), ("up", 1, "z"));
    let points: Vec<(i64, &Value)> = track.points.iter().map(|point| (point.end.timestamp_millis(), &point.value)).collect();
    assert_eq!(points, [(1_796_026_600_319, &Value::Number(1.5)), (1_796_026_605_319, &Value::Nothing)]);
}

#[test]
fn every_form_of_a_result_gives_its_points() {
    let scalar = r#"{"data":{"result":[1796026660,"3"],"resultType":"scalar"},"status":"success"}"#;
    let data_alone = r#"{"resultType":"vector","result":[{"metric":{},"value":[1796026660,"3"]}]}"#;
    for text in [scalar, data_alone, r#"[{"metric":{},"value":[1796026660,"3"]}]"#, " [1796026660,\"3\"]\n"] {
        let read = tracks_of(given(text));
        assert_eq!(read.tracks.iter().map(|track| track.points[0].number()).collect::<Vec<_>>(), [Some(3.0)], "{text}");
    }
}

#[test]
fn warnings_say_that_there_may_be_more_and_remarks_on_the_query_do_not() {
    let text = r#"{"status":"success","warnings":["a replica failed"],"infos":["no counter"],"data":{"resultType":"vector",
        "result":[{"metric":{},"value":[1,"3"]}]}}"#;
    assert_eq!(tracks_of(given(text)).limits, [Limit::Partial("a replica failed".to_owned())]);
}

#[test]
fn native_histograms_become_buckets() {
    let text = r#"[{"metric":{"a":"b"},"histograms":[[1,{"count":"3","sum":"4.5","buckets":[[0,"1","2","2"],[0,"2","4","1"]]}],
        [2,{"count":"0","sum":"0"}],[3,{"count":"1","sum":"NaN"}]]}]"#;
    let read = tracks_of(given(text));
    let points = &read.tracks[0].points;
    let first = points[0].buckets().unwrap_or_else(|| unreachable!());
    assert_eq!((first.count(), first.sum, first.highest().map(|bucket| bucket.high)), (3.0, Some(4.5), Some(4.0)));
    assert!(points[1].buckets().is_some_and(Buckets::is_empty));
    assert_eq!(points[2].value, Value::Nothing);
}

#[test]
fn what_holds_no_measurement_is_refused_with_its_reason() {
    let cases = [
        (r#"{"status":"error","errorType":"timeout","error":"query timed out"}"#, "error-answer"),
        ("404 page not found\n", "error-answer"),
        (r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#, "no-data"),
        (r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[]}]}}"#, "no-data"),
        (r#"{"status":"success","data":{"resultType":"string","result":[1,"3"]}}"#, "not-a-number"),
        (r#"[{"metric":{},"value":[1,"NaN"]},{"metric":{"a":"b"},"value":[1,"-Inf"]}]"#, "not-a-number"),
        (r#"{"status":"success","data":{"resultType":"streams","result":[]}}"#, "other-api"),
        (r#"{"status":"success","data":["up"]}"#, "other-api"),
        (r#"{"status":"success","data":[{"__name__":"up"}]}"#, "other-api"),
        (r#"{"status":"success","data":{"activeTargets":[]}}"#, "other-api"),
        (r#"{"status":"success","data":{"up":[{"type":"gauge","help":"h","unit":""}]}}"#, "other-api"),
    ];
    for (text, expected) in cases {
        assert!(sniff(&Source::new("a", text)), "{text}");
        assert_eq!(code(&given(text)), Some(expected), "{text}");
    }
}

#[test]
fn a_refusal_points_at_the_words_of_the_server() {
    let Capture::Refused(fault) = given(r#"{"status":"error","errorType":"timeout","error":"too slow"}"#) else { unreachable!() };
    assert_eq!(fault.places[0].to_string(), "a.json:1:49");
    assert!(fault.message.ends_with("timeout: too slow"), "{}", fault.message);
}

#[test]
fn faults_point_at_their_series_and_come_out_together() {
    let text = "[{\"metric\":{},\"values\":[[1,\"1\"],\n[2,\"high\"]]},\n{\"metric\":{},\"value\":[1,\"1\"]},\n{\"metric\":{},\"values\":[[1,\"1\"],[1,\"2\"]]},\n{\"metric\":{}}]";
    let found = faults(text);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].starts_with("a.json:2:") && found[0].contains("`high` is no number"), "{}", found[0]);
    assert!(found[1].starts_with("a.json:4:1 ") && found[1].contains("two values at one moment"), "{}", found[1]);
    assert!(found[2].starts_with("a.json:5:1 ") && found[2].contains("none of value"), "{}", found[2]);
}

#[test]
fn a_document_that_is_cut_is_a_fault_where_it_ends() {
    let found =
        faults("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\n\"result\":[{\"metric\":{},\"values\":[[1,\"1\"]");
    assert!(found[0].starts_with("a.json:2:"), "{found:?}");
}

#[test]
fn moments_and_numbers_beyond_all_bounds_are_no_panic() {
    for text in ["[1e300,\"1\"]", "[-5,\"1\"]", "[253402300800,\"1\"]"] {
        assert!(read(&Source::new("a", text)).is_err(), "{text}");
    }
    assert_eq!(code(&given("[1,\"1e999\"]")), Some("not-a-number"));
}

/// Over the reading material, where it is there.
#[cfg(test)]
#[allow(clippy::print_stderr, reason = "a test that is skipped says why")]
mod material {
    use std::path::Path;

    use super::*;
    use crate::capture::buckets::Quantile;

    /// Series and points of a file, or the code of its refusal.
    type Expected = Result<(usize, usize), &'static str>;

    /// What the answer key of the reading material says of each file.
    const KEY: &[(&str, Expected)] = &[
        ("prometheus/query_range_pool_counters_raw_matrix.json", Ok((15, 235))),
        ("prometheus/query_vector_acquires.json", Ok((3, 3))),
        ("prometheus/query_pool_empty_share.json", Ok((1, 1))),
        ("prometheus/query_pool_mean_wait_ms.json", Ok((1, 1))),
        ("prometheus/query_hist_buckets_vector.json", Ok((1, 1))),
        ("prometheus/query_range_latency_p0.5.json", Ok((1, 16))),
        ("prometheus/query_range_latency_p0.95.json", Ok((1, 16))),
        ("prometheus/query_range_latency_p0.99.json", Ok((1, 16))),
        ("prometheus/query_range_http_rate.json", Ok((1, 16))),
        ("prometheus/promtool_query_range.json", Ok((1, 4))),
        ("prometheus/promtool_query_instant.json", Ok((1, 1))),
        ("prometheus/promtool_tsdb_dump.txt", Ok((1, 60))),
        ("prometheus/query_instant_range_vector.json", Ok((1, 12))),
        ("prometheus/query_scalar.json", Ok((1, 1))),
        ("prometheus/query_string.json", Err("not-a-number")),
        ("prometheus/query_nan_inf.json", Err("not-a-number")),
        ("prometheus/query_empty_vector.json", Err("no-data")),
        ("prometheus/error_bad_data.json", Err("error-answer")),
        ("prometheus/error_many_to_many.json", Err("error-answer")),
        ("prometheus/error_timeout.json", Err("error-answer")),
        ("prometheus/error_too_many_points.json", Err("error-answer")),
        ("prometheus/error_404.txt", Err("error-answer")),
        ("prometheus/series_meta.json", Err("other-api")),
        ("prometheus/targets.json", Err("other-api")),
        ("k6-remote-write/query_range_trendstats.json", Ok((34, 292))),
        ("k6-remote-write/query_range_native_histogram_raw.json", Ok((1, 3))),
        ("k6-remote-write/query_native_histogram_vector.json", Ok((1, 1))),
        ("k6-remote-write/query_native_quantile.json", Ok((1, 1))),
        ("k6-remote-write/label_names_k6.json", Err("other-api")),
        ("gcp-monitoring/promql_increase_request_latencies_bucket.json", Ok((1, 1))),
        ("gcp-monitoring/promql_query_range_cloudsql_cpu.json", Ok((1, 30))),
    ];

    fn material(path: &str) -> Option<Source> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/capture").join(path);
        let text = std::fs::read_to_string(&path).ok();
        if text.is_none() {
            eprintln!("skipped: {} is not here", path.display());
        }
        Some(Source::new(path.file_name()?.to_string_lossy(), text?))
    }

    #[test]
    fn every_file_of_the_material_is_read_or_refused() {
        for (path, expected) in KEY {
            let Some(source) = material(path) else { return };
            assert!(sniff(&source), "{path}");
            let capture = read(&source).unwrap_or_else(|faults| unreachable!("{path}: {faults}"));
            let found = match &capture {
                Capture::Tracks(read) => Ok((read.tracks.len(), read.tracks.iter().map(|track| track.points.len()).sum())),
                other => Err(code(other).unwrap_or("none")),
            };
            assert_eq!(found, *expected, "{path}");
        }
    }

    #[test]
    fn what_is_none_of_prometheus_is_not_taken() {
        let Some(folder) = material("expected.toml").map(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data")) else {
            return;
        };
        let mut folders = vec![folder];
        let mut taken = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(text) = std::fs::read_to_string(&path)
                    && let source = Source::new(path.to_string_lossy(), text)
                    && sniff(&source)
                {
                    assert!(read(&source).is_ok(), "{}", path.display());
                    taken.push(path.to_string_lossy().into_owned());
                }
            }
        }
        let known = |path: &String| KEY.iter().any(|(known, _)| path.ends_with(known)) || path.contains("/metrics/");
        let strange: Vec<&String> = taken.iter().filter(|path| !known(path)).collect();
        assert!(strange.is_empty(), "{strange:#?}");
        assert!(taken.len() > KEY.len());
    }

    #[test]
    fn buckets_of_the_material_give_the_percentiles_of_the_key() {
        let cases: &[(&str, [f64; 3], f64)] = &[
            ("prometheus/query_hist_buckets_vector.json", [0.019_569, 0.212_784, 0.378_734], 1e-4),
            ("gcp-monitoring/promql_increase_request_latencies_bucket.json", [702.545, 3091.89, 4780.73], 2.0),
            ("k6-remote-write/query_range_native_histogram_raw.json", [0.059_964, 0.093_526, 0.128_464], 1e-4),
            ("k6-remote-write/query_native_histogram_vector.json", [0.059_906, 0.091_822, 0.123_72], 1e-4),
        ];
        for (path, expected, tolerance) in cases {
            let Some(source) = material(path) else { return };
            let read = tracks_of(read(&source).unwrap_or_else(|faults| unreachable!("{faults}")));
            let last = read.tracks[0].points.last().and_then(|point| point.buckets()).unwrap_or_else(|| unreachable!("{path}"));
            for (share, expected) in [0.5, 0.95, 0.99].into_iter().zip(expected) {
                let Some(Quantile::At(found)) = last.quantile(share, 0.0) else { unreachable!("{path}") };
                assert!((found - expected).abs() <= *tolerance, "{path}: {found} is not {expected}");
            }
        }
    }
}
