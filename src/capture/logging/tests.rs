//! Small invented logs.

use super::{Entry, Log, findings, read, sniff};
use crate::capture::{Capture, File, Window};
use crate::model::figure::Figure;
use crate::source::Source;

fn file(text: &str) -> File {
    let source = Source::new("log", text);
    assert!(sniff(&source), "not known: {text}");
    let capture = read(&source).unwrap_or_else(|faults| unreachable!("{faults}"));
    File { source, path: "log".to_owned(), kind: "gcloud-logging", named: true, capture }
}

fn entries(text: &str) -> Vec<Entry> {
    match file(text).capture {
        Capture::Entries(Log { entries }) => entries,
        other => unreachable!("{other:?}"),
    }
}

fn told(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| format!("{} {}", entry.severity, entry.about)).collect()
}

fn json(minute: u32, severity: &str, more: &str) -> String {
    format!("{{\"logName\":\"l\",\"severity\":\"{severity}\",\"timestamp\":\"2026-01-01T10:{minute:02}:00.5Z\"{more}}}")
}

#[test]
fn entries_tell_what_they_are_about() {
    let more = [
        ("WARNING", ",\"jsonPayload\":{\"err\":{\"kind\":\"NotFound\"}}"),
        ("ERROR", ",\"jsonPayload\":{\"error\":{\"kind\":\"Internal\"}}"),
        ("WARNING", ",\"httpRequest\":{\"status\":429}"),
        ("INFO", ",\"jsonPayload\":{\"message\":\"request served\"}"),
        ("INFO", ",\"textPayload\":\"Starting new instance. Reason: x\""),
        ("ERROR", ",\"textPayload\":\"words\""),
        ("ERROR", ",\"jsonPayload\":{}"),
    ];
    let list: Vec<String> = more.iter().map(|(severity, more)| json(1, severity, more)).collect();
    assert_eq!(
        told(&entries(&format!("[{}]", list.join(",")))),
        [
            "WARNING err.kind NotFound",
            "ERROR error.kind Internal",
            "WARNING httpRequest.status 429",
            "INFO request served",
            "INFO instance started",
            "ERROR text line without kind",
            "ERROR without kind",
        ]
    );
}

#[test]
fn tables_are_read_too() {
    let csv = "timestamp,severity,kind,error_kind,id,status\n2026-01-01T10:00:00Z,WARNING,NotFound,,,\n\
               2026-01-01T10:00:01Z,ERROR,,Internal,\"a,b\",\n2026-01-01T10:00:02Z,WARNING,,,,429\n2026-01-01T10:00:03Z,,,,,\n";
    let about =
        ["WARNING err.kind NotFound", "ERROR error.kind Internal", "WARNING httpRequest.status 429", "DEFAULT without kind"];
    assert_eq!(told(&entries(csv)), about);
    let values = "2026-01-01T10:00:00Z\tERROR\t\tid=A-1;kind=Internal;message=x\t\n2026-01-01T10:00:01Z\tINFO\twords\t\t\n";
    assert_eq!(told(&entries(values)), ["ERROR error.kind Internal", "INFO without kind"]);
}

#[test]
fn a_row_or_entry_without_a_moment_is_a_fault_in_its_line() {
    let csv = Source::new("log", "timestamp,severity\n2026-01-01T10:00:00Z,ERROR\nnow,ERROR\n");
    let faults = read(&csv).err().unwrap_or_else(|| unreachable!());
    assert_eq!(faults.list()[0].places[0].to_string(), "log:3:1");
    let list = Source::new("log", "[{\"logName\":\"l\"},\n{\"logName\":\"l\",\"timestamp\":5}]");
    let faults = read(&list).err().unwrap_or_else(|| unreachable!());
    let places: Vec<String> = faults.list().iter().map(|fault| fault.places[0].to_string()).collect();
    assert_eq!(places, ["log:1:2", "log:2:28"]);
}

#[test]
fn errors_a_minute_are_incomplete_where_the_log_is_silent_or_cut() {
    let list = |minutes: &[u32]| {
        let list: Vec<String> = minutes.iter().map(|minute| json(*minute, "ERROR", "")).collect();
        format!("[{}]", list.join(","))
    };
    let figure = |text: &str, window: Option<Window>| {
        let file = file(text);
        findings(&[&file], window).figures[0].figure.clone()
    };
    let ten = list(&[10, 4, 0, 7, 2]);
    match figure(&ten, None) {
        Figure::Measured(measured) => assert!((measured.value - 0.5).abs() < 1e-9, "{measured:?}"),
        other => unreachable!("{other:?}"),
    }
    let moment = |text: &str| text.parse().unwrap_or_else(|e| unreachable!("{text}: {e}"));
    let run = Window { start: moment("2026-01-01T10:00:00Z"), end: moment("2026-01-01T10:20:00Z") };
    match figure(&ten, Some(run)) {
        Figure::Incomplete(part) => assert_eq!(part.lacking.as_deref(), Some("the log has no entry for 10 of 20 minutes")),
        other => unreachable!("{other:?}"),
    }
    let hundred: Vec<u32> = (0..100).map(|n| n % 60).collect();
    assert!(matches!(figure(&list(&hundred), None), Figure::Incomplete(_)));
    let other = Window { start: moment("2026-01-02T10:00:00Z"), end: moment("2026-01-02T10:20:00Z") };
    let (file, window) = (file(&ten), Some(other));
    let found = findings(&[&file], window);
    assert_eq!((found.figures.len(), found.told[0].code), (0, "no-overlap"));
}

#[test]
fn other_lists_and_tables_are_not_taken() {
    let others = [
        "[]",
        "[{\"timeSeries\":[]}]",
        "{\"logName\":\"l\"}",
        "timestamp,value\n",
        "a\tb\n",
        "",
        "target,metric,timestamp,value",
    ];
    for text in others {
        assert!(!sniff(&Source::new("log", text)), "{text}");
    }
}

#[test]
fn as_many_entries_as_the_limit_in_the_name_may_be_cut() {
    let ten = format!("[{}]", (0..10).map(|minute| json(minute, "ERROR", "")).collect::<Vec<_>>().join(","));
    let lacking = |path: &str| {
        let named = File { path: path.to_owned(), ..file(&ten) };
        let found = findings(&[&named], None);
        found.figures.first().and_then(|first| first.figure.measurement()).is_some_and(|one| one.lacking.is_some())
    };
    assert!(lacking("e.limit_10.json") && lacking("a/e-limit=10.json.gz"));
    assert!(!lacking("e.json") && !lacking("e.limit_20.json"));
}

#[test]
fn one_log_in_two_forms_counts_once() {
    let list =
        File { path: "a.csv".to_owned(), ..file("timestamp,severity\n2026-01-01T10:00:00Z,ERROR\n2026-01-01T10:01:00Z,ERROR\n") };
    let known = "timestamp,severity,kind\n2026-01-01T10:00:00Z,ERROR,Internal\n2026-01-01T10:01:00Z,ERROR,Internal\n";
    let kinds = File { path: "b.csv".to_owned(), ..file(known) };
    let found = findings(&[&list, &kinds], None);
    let names = |keys: Vec<&String>| keys.into_iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!((found.figures.len(), names(found.used.keys().collect())), (1, "b.csv".to_owned()));
    assert_eq!(names(found.unused.keys().collect()), "a.csv");
}
