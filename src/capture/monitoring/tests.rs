//! Small invented answers.

use chrono::{DateTime, Utc};

use super::{read, sniff};
use crate::capture::Capture;
use crate::capture::buckets::Buckets;
use crate::capture::track::{Kind, Limit, Point, Tracks, Value};
use crate::diagnostic::Diagnostic;
use crate::source::Source;

fn capture(text: &str) -> Capture {
    let source = Source::new("a.json", text);
    assert!(sniff(&source), "not known: {text}");
    read(&source).unwrap_or_else(|faults| unreachable!("{faults}"))
}

fn tracks(text: &str) -> Tracks {
    match capture(text) {
        Capture::Tracks(tracks) => tracks,
        other => unreachable!("{other:?}"),
    }
}

fn refusal(text: &str) -> Diagnostic {
    match capture(text) {
        Capture::Refused(refusal) => *refusal,
        other => unreachable!("{other:?}"),
    }
}

/// The messages of all faults with their places.
fn faults(text: &str) -> Vec<String> {
    let source = Source::new("a.json", text);
    assert!(sniff(&source), "not known: {text}");
    let faults = read(&source).err().unwrap_or_else(|| unreachable!("no fault in {text}"));
    let told = |fault: &Diagnostic| {
        let places: Vec<String> = fault.places.iter().map(|place| place.to_string().replace("a.json:", "")).collect();
        format!("{} {}", places.join(" "), fault.message)
    };
    faults.list().iter().map(told).collect()
}

fn moment(text: &str) -> DateTime<Utc> {
    text.parse().unwrap_or_else(|e| unreachable!("{text}: {e}"))
}

/// A point of a minute of an hour on a day, with its value.
fn point(minute: u32, value: &str) -> String {
    let start = minute - 1;
    format!(
        "{{\"interval\":{{\"startTime\":\"2026-01-01T10:{start:02}:00Z\",\"endTime\":\"2026-01-01T10:{minute:02}:00Z\"}},\
         \"value\":{{{value}}}}}"
    )
}

fn series(code: &str, kind: &str, value_type: &str, points: &[String]) -> String {
    format!(
        "{{\"metric\":{{\"type\":\"example.com/requests\",\"labels\":{{\"code\":\"{code}\",\"place\":\"metric\"}}}},\
         \"resource\":{{\"type\":\"service\",\"labels\":{{\"name\":\"shop\",\"place\":\"resource\"}}}},\
         \"metricKind\":\"{kind}\",\"valueType\":\"{value_type}\",\"points\":[{}]}}",
        points.join(",")
    )
}

fn answer(series: &[String], more: &str) -> String {
    format!("{{\"timeSeries\":[{}],\"unit\":\"1\"{more}}}", series.join(","))
}

fn counts(code: &str, minutes: std::ops::RangeInclusive<u32>) -> String {
    let points: Vec<String> = minutes.rev().map(|minute| point(minute, &format!("\"int64Value\":\"{minute}\""))).collect();
    series(code, "DELTA", "INT64", &points)
}

#[test]
fn points_come_out_oldest_first_with_all_labels() {
    let tracks = tracks(&answer(&[counts("200", 1..=3)], ""));
    let track = &tracks.tracks[0];
    assert_eq!(track.metric, "example.com/requests");
    assert_eq!((track.label("code"), track.label("name"), track.label("place")), ("200", "shop", "metric"));
    assert_eq!((track.kind, track.unit.as_deref(), tracks.limits.len()), (Kind::Delta, Some("1"), 0));
    assert_eq!(track.points.iter().filter_map(Point::number).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
    assert_eq!(track.points[0].start, Some(moment("2026-01-01T10:00:00Z")));
    assert_eq!(track.points[0].end, moment("2026-01-01T10:01:00Z"));
}

#[test]
fn every_type_of_value_is_read() {
    let cases = [
        ("BOOL", "\"boolValue\":true", Value::Number(1.0)),
        ("INT64", "\"int64Value\":\"-7\"", Value::Number(-7.0)),
        ("INT64", "\"int64Value\":7", Value::Number(7.0)),
        ("INT64", "\"int64Value\":7.0", Value::Number(7.0)),
        ("DOUBLE", "\"doubleValue\":0.25", Value::Number(0.25)),
        ("DOUBLE", "\"doubleValue\":\"NaN\"", Value::Nothing),
        ("DOUBLE", "\"doubleValue\":\"-Infinity\"", Value::Nothing),
        ("STRING", "\"stringValue\":\"up\"", Value::Nothing),
        ("DISTRIBUTION", "\"distributionValue\":{}", Value::Buckets(Buckets::new([], Some(0.0)))),
        ("INT64", "", Value::Nothing),
    ];
    for (value_type, written, value) in cases {
        let tracks = tracks(&answer(&[series("1", "GAUGE", value_type, &[point(1, written)])], ""));
        assert_eq!(tracks.tracks[0].points[0].value, value, "{written}");
    }
}

#[test]
fn a_gauge_is_of_one_moment_and_a_counter_has_a_start() {
    let at = "\"2026-01-01T10:00:00.123456789Z\"";
    let point = format!("{{\"interval\":{{\"startTime\":{at},\"endTime\":{at}}},\"value\":{{\"doubleValue\":1}}}}");
    let gauge = tracks(&answer(&[series("1", "GAUGE", "DOUBLE", std::slice::from_ref(&point))], ""));
    assert_eq!(gauge.tracks[0].points[0].start, None);
    assert_eq!(gauge.tracks[0].points[0].end, moment("2026-01-01T10:00:00.123456789Z"));
    let counter = tracks(&answer(&[series("1", "CUMULATIVE", "DOUBLE", std::slice::from_ref(&point))], ""));
    assert_eq!(counter.tracks[0].points[0].start, Some(counter.tracks[0].points[0].end));
    let delta = faults(&answer(&[series("1", "DELTA", "DOUBLE", &[point])], ""));
    assert_eq!(delta.len(), 1);
    assert!(delta[0].ends_with("a DELTA of a period without length"), "{delta:?}");
}

#[test]
fn the_spelling_of_the_python_client_is_read() {
    let text = "{\"metric\":{\"type\":\"a/b\",\"labels\":{\"metric_kind\":\"x\"}},\"resource\":{\"type\":\"r\",\"labels\":{}},\
                \"metadata\":null,\"metric_kind\":3,\"value_type\":2,\"points\":[{\"interval\":{\
                \"start_time\":\"2026-01-01T10:00:00Z\",\"end_time\":\"2026-01-01T11:00:00+01:00\"},\
                \"value\":{\"int64_value\":\"5\"}},{\"interval\":{\"start_time\":\"2026-01-01T09:00:00Z\",\
                \"end_time\":\"2026-01-01T09:59:00Z\"},\"value\":{\"int64_value\":\"4\"}}],\"unit\":\"\",\"description\":\"\"}";
    // An answer, a series alone, and a list of them.
    let whole = format!("{{\"time_series\":[{text}],\"next_page_token\":\"\",\"execution_errors\":[],\"unit\":\"s\"}}");
    for (text, unit) in [(whole, Some("s")), (text.to_owned(), None), (format!("[{text}]"), None)] {
        let tracks = tracks(&text);
        let track = &tracks.tracks[0];
        assert_eq!((track.kind, track.unit.as_deref(), track.label("metric_kind")), (Kind::Cumulative, unit, "x"));
        assert_eq!(track.points.iter().filter_map(Point::number).collect::<Vec<_>>(), [4.0, 5.0]);
        assert_eq!(tracks.limits, []);
    }
}

#[test]
fn several_answers_are_read_together() {
    let (one, two) = (answer(&[counts("200", 1..=2)], ""), answer(&[counts("500", 1..=2)], ""));
    for text in [format!("[{one},{two}]"), format!("{one}\n{two}\n"), format!("[{{}},{one},[{two}]]")] {
        let codes: Vec<String> = tracks(&text).tracks.iter().map(|track| track.label("code").to_owned()).collect();
        assert_eq!(codes, ["200", "500"], "{text}");
    }
}

#[test]
fn a_page_that_follows_is_a_limit_unless_it_is_there() {
    let token = ",\"nextPageToken\":\"abc\"";
    let first = answer(&[counts("200", 4..=6)], token);
    assert_eq!(tracks(&first).limits, [Limit::MorePages]);
    // Other series of the same time, and the older points of the same series.
    let others = tracks(&format!("{first}{}", answer(&[counts("500", 4..=6)], "")));
    assert_eq!((others.tracks.len(), others.limits), (2, vec![]));
    let older = answer(&[counts("200", 1..=3), counts("500", 1..=6)], token);
    let last = answer(&[counts("429", 1..=6)], "");
    let rest = tracks(&format!("[{first},{older},{last}]"));
    assert_eq!(rest.limits, []);
    assert_eq!(rest.tracks.iter().map(|track| track.points.len()).collect::<Vec<_>>(), [6, 6, 6]);
    // The same series at another time is an answer to another question.
    let other = tracks(&format!("{first}{}", answer(&[counts("200", 20..=22)], "")));
    assert_eq!((other.tracks.len(), other.limits), (2, vec![Limit::MorePages]));
    let empty = tracks(&format!("{first}{}", "{}"));
    assert_eq!((empty.tracks.len(), empty.limits), (1, vec![Limit::MorePages]));
}

#[test]
fn what_could_not_be_read_is_a_limit() {
    let text = answer(&[counts("200", 1..=1)], ",\"executionErrors\":[{\"code\":14,\"message\":\"a store is away\"}]");
    assert_eq!(tracks(&text).limits, [Limit::Partial("code 14: a store is away".to_owned())]);
    let beside = format!("[{},{}]", answer(&[counts("200", 1..=1)], ""), error(429, "RESOURCE_EXHAUSTED", ""));
    assert_eq!(tracks(&beside).limits, [Limit::Partial("HTTP 429 RESOURCE_EXHAUSTED".to_owned())]);
}

fn error(code: u16, status: &str, details: &str) -> String {
    format!("{{\"error\":{{\"code\":{code},\"message\":\"words of the API\",\"status\":\"{status}\"{details}}}}}")
}

#[test]
fn an_error_that_was_saved_as_data_is_refused() {
    let scope = ",\"details\":[{\"@type\":\"t\",\"reason\":\"ACCESS_TOKEN_SCOPE_INSUFFICIENT\"}]";
    let refused = refusal(&error(403, "PERMISSION_DENIED", scope));
    assert_eq!(refused.code, "error-answer");
    assert_eq!(
        refused.message,
        "an error of the API was saved as data: HTTP 403 PERMISSION_DENIED, ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    );
    assert_eq!(refused.places[0].to_string(), "a.json:1:18");
    assert_eq!(refused.notes, ["the API says: words of the API"]);
    assert!(refused.help.is_some_and(|help| help.contains("monitoring.read")));
    for (code, word) in [(400, "filter"), (401, "token"), (403, "role"), (404, "name"), (429, "minute"), (503, "later")] {
        let refused = refusal(&format!("[{}]", error(code, "STATUS", "")));
        assert!(refused.help.as_ref().is_some_and(|help| help.contains(word)), "{code}: {refused}");
    }
}

#[test]
fn an_answer_without_data_is_refused_and_is_not_zero() {
    let failed = "{\"executionErrors\":[{\"message\":\"away\"}]}";
    for text in ["{}", " { }\n", "{\"unit\":\"ms\"}", "[{}, {\"unit\":\"ms\"}]", "{\"timeSeries\":[]}", failed] {
        assert_eq!(refusal(text).code, "no-data", "{text}");
    }
    assert!(refusal(failed).notes.iter().any(|note| note == "the answer is not whole: away"));
    let headers = answer(&[series("200", "DELTA", "INT64", &[])], "");
    assert!(refusal(&headers).message.contains("no point"));
}

#[test]
fn another_method_of_the_api_is_refused() {
    let refused = refusal("{\"metricDescriptors\":[{\"name\":\"a\"},{\"name\":\"b\"}]}");
    assert_eq!(refused.code, "other-api");
    assert!(refused.message.contains("(2)"));
}

#[test]
fn all_faults_come_out_with_their_places() {
    let text = "{\"timeSeries\":[{\"metric\":{\"type\":\"a\",\"labels\":{\"x\":1}},\"metricKind\":\"GROWING\",\"points\":[\n\
                {\"interval\":{\"startTime\":\"2026-01-01T10:00:00Z\"},\"value\":{\"int64Value\":\"1\"}},\n\
                {\"interval\":{\"startTime\":\"2026-01-01T10:02:00Z\",\"endTime\":\"2026-01-01T10:01:00Z\"},\"value\":{\"int64Value\":\"x\"}},\n\
                {\"interval\":{\"endTime\":\"yesterday\"},\"value\":{\"moneyValue\":{}}},\n\
                {\"interval\":[],\"value\":{\"doubleValue\":true}},\n\
                {\"value\":{\"doubleValue\":1}},\n\
                7\n]},8],\"unit\":[]}";
    assert_eq!(
        faults(text),
        [
            "1:52 the label `x` is a number, not a text",
            "1:69 `metricKind` is no word that is known: GROWING",
            "2:13 an interval without `endTime`",
            "3:13 an interval that ends before it starts",
            "3:105 `int64Value` is no whole number of 64 bits",
            "4:24 `endTime` is no moment",
            "4:45 `moneyValue` is no value that is known",
            "5:13 the interval is a list, not an object",
            "5:39 `doubleValue` is no number",
            "6:1 a point needs `interval` and `value`",
            "7:1 a point needs `interval` and `value`",
            "8:4 a series is a number, not an object",
            "8:14 `unit` is a list, not a text",
        ]
    );
}

#[test]
fn two_unequal_points_of_a_moment_are_a_fault_that_names_both() {
    let points = ["1", "2", "1"].map(|count| point(1, &format!("\"int64Value\":\"{count}\"")));
    let twice = answer(&[series("1", "DELTA", "INT64", &[points[0].clone(), points[2].clone()])], "");
    assert_eq!(tracks(&twice).tracks[0].points.len(), 1);
    let differ = faults(&answer(&[series("1", "DELTA", "INT64", &points[..2])], ""));
    assert_eq!(differ, ["1:222 1:332 example.com/requests has two points at 2026-01-01T10:01:00Z that differ"]);
}

#[test]
fn a_value_of_another_type_than_is_said_is_a_fault() {
    let differ = faults(&answer(&[series("1", "GAUGE", "INT64", &[point(1, "\"doubleValue\":1")])], ""));
    assert!(differ[0].ends_with("the value is a `doubleValue`, but `valueType` says otherwise"), "{differ:?}");
}

#[test]
fn a_text_that_breaks_off_is_a_fault_where_it_breaks() {
    let cut = faults("{\"timeSeries\":[\n{\"metric\":");
    assert_eq!(cut.len(), 1);
    assert!(cut[0].starts_with("2:10 this is not an answer of Cloud Monitoring: EOF"), "{cut:?}");
    let strange = faults(&format!("[{},7,{{\"a\":1}}]", answer(&[], "")));
    assert_eq!(strange.len(), 2);
    let deep = format!("[{{}},{}{{\"timeSeries\":[]}}{}]", "[".repeat(5000), "]".repeat(5000));
    assert!(faults(&deep)[0].contains("a list is no answer"));
}

#[test]
fn a_query_answers_with_rows_and_columns() {
    let text = "{\"timeSeriesDescriptor\":{\"labelDescriptors\":[{\"key\":\"resource.service_name\"},{\"key\":\"metric.state\"}],\
                \"pointDescriptors\":[{\"key\":\"value.a\",\"valueType\":\"DOUBLE\",\"metricKind\":\"GAUGE\",\"unit\":\"10^2.%\"},\
                {\"key\":\"value.b\",\"valueType\":\"INT64\",\"metricKind\":\"DELTA\"}]},\"timeSeriesData\":[{\"labelValues\":[\
                {\"stringValue\":\"shop\"},{}],\"pointData\":[\
                {\"values\":[{\"doubleValue\":0.5},{\"int64Value\":\"2\"}],\"timeInterval\":{\"startTime\":\"2026-01-01T10:01:00Z\",\"endTime\":\"2026-01-01T10:02:00Z\"}},\
                {\"values\":[{\"doubleValue\":0.4},{\"int64Value\":\"1\"}],\"timeInterval\":{\"startTime\":\"2026-01-01T10:00:00Z\",\"endTime\":\"2026-01-01T10:01:00Z\"}}\
                ]}],\"partialErrors\":[{\"code\":4,\"message\":\"slow\"}]}";
    let read = tracks(text);
    let [a, b] = &read.tracks[..] else { unreachable!("{read:?}") };
    assert_eq!((a.metric.as_str(), a.label("service_name"), a.label("state"), a.label("column")), ("", "shop", "", "value.a"));
    assert_eq!((a.kind, a.unit.as_deref(), b.kind, b.unit.as_deref()), (Kind::Gauge, Some("10^2.%"), Kind::Delta, None));
    assert_eq!(b.points.iter().filter_map(Point::number).collect::<Vec<_>>(), [1.0, 2.0]);
    assert_eq!(read.limits, [Limit::Partial("code 4: slow".to_owned())]);
    let short = faults(&text.replacen("{\"doubleValue\":0.5},", "", 1).replacen(",{}],\"pointData\"", "],\"pointData\"", 1));
    assert_eq!(short.len(), 2, "{short:?}");
}

#[test]
fn other_documents_are_not_taken() {
    let others = [
        "",
        "[]",
        "null",
        "7",
        "{\"metrics\":{\"http_reqs\":{}}}",
        "{\"metric\":\"http_reqs\",\"type\":\"Point\",\"data\":{}}",
        "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}",
        "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"words\"}",
        "{\"error\":\"invalid_grant\",\"error_description\":\"words\"}",
        "{\"code\":16,\"message\":\"auth header missing\"}",
        "{\"details\":{\"resourceOwner\":\"1\"},\"loginDefaultOrg\":{}}",
        "{\"apiVersion\":\"serving.knative.dev/v1\",\"kind\":\"Service\",\"metadata\":{}}",
        "[{\"insertId\":\"a\",\"labels\":{},\"resource\":{\"type\":\"t\"}}]",
        "[{\"metric\":{\"__name__\":\"up\"},\"values\":[[1,\"2\"]]}]",
        "[{\"metric\":{\"__name__\":\"up\"},\"value\":[1,\"2\"]}]",
        "[{\"metric_name\":\"a\",\"timestamp\":\"2026-01-01 10:00:00+00\",\"p50\":1}]",
        "{\"50\":{\"median\":1}}",
        "{\"unit\":\"ms\",\"rows\":[]}",
        "{\"unit\":\"ms\"",
        "{\"a\":{\"timeSeries\":[]}}",
        "schema = 1",
        "{} =>\n402.48 @[1796026480]",
    ];
    for text in others {
        assert!(!sniff(&Source::new("a.json", text)), "{text}");
    }
}

#[test]
fn what_tells_may_come_after_other_fields() {
    assert!(sniff(&Source::new("a.json", "{\"executionErrors\":[],\"nextPageToken\":\"{}\",\"timeSeries\":[")));
    assert!(sniff(&Source::new("a.json", "\n[ {\"unit\":\"1\"}, {\"unit\":\"1\",\"timeSeries\":[")));
}
