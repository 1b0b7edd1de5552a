//! k6's outputs as they trip readers up: the traps of the recordings and the complaints of real users, over small files
//! that lie in the project (`tests/fixtures/k6`, recorded from k6, byte for byte).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plimsoll::ingest::k6;
use plimsoll::model::stat::Stat;
use plimsoll::model::summary::{MetricUnit, ScenarioState, Summary, SummaryKind};
use plimsoll::source::Source;
use proptest::prelude::*;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/k6")).join(name)).unwrap()
}

fn source(name: &str) -> Source {
    Source::from_bytes(name, &bytes(name))
}

fn read(name: &str) -> Summary {
    k6::read(&source(name)).unwrap_or_else(|e| panic!("{e}"))
}

fn text(text: &str) -> Summary {
    k6::read(&Source::new("given", text)).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(name: &str, text: &str) -> String {
    k6::read(&Source::new(name, text)).map_or_else(|faults| faults.to_string(), |summary| panic!("{summary:?}"))
}

fn check<'a>(summary: &'a Summary, name: &str) -> &'a plimsoll::model::summary::Check {
    summary.checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("{name}: {:?}", summary.checks))
}

const TEXTS: [&str; 9] = [
    "v0.54.0-mixed.txt",
    "v1.7.1-durations-ms.txt",
    "v1.7.1-jslib-text-color.txt",
    "v1.7.1-log-raw.log",
    "v2.1.0-interrupted.txt",
    "v2.1.0-mixed.txt",
    "v2.1.0-mode-full.txt",
    "v2.1.0-tty-color.log",
    "v2.1.0-weird.txt",
];

const JSONS: [&str; 3] = ["v2.1.0-machine-readable-zero.json", "v2.1.0-mixed.export.json", "v2.1.0-mixed.handle.json"];

#[test]
fn the_shape_of_a_summary_as_json() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&read("v2.1.0-mixed.txt")).unwrap());
}

#[test]
fn the_summary_as_a_table_and_as_markdown() {
    use plimsoll::render::summary::{markdown, table};
    insta::assert_snapshot!("table", table(&read("v2.1.0-mixed.txt")));
    insta::assert_snapshot!("table_of_odd_names", table(&read("v2.1.0-weird.txt")));
    insta::assert_snapshot!("markdown", markdown(&read("v0.54.0-mixed.txt")));
    insta::assert_snapshot!("markdown_of_odd_names", markdown(&read("v2.1.0-weird.txt")));
}

/// A log that stops anywhere gives no figure, or the figures of the whole: never a wrong one, and a part of them only
/// with a note that says so.
#[test]
fn a_cut_log_is_refused_or_whole() {
    for name in TEXTS {
        let whole = read(name);
        let bytes = bytes(name);
        let (mut refused, mut kept, mut noted) = (BTreeMap::<&str, usize>::new(), 0, 0);
        for end in (0..bytes.len()).filter(|end| near_a_line(&bytes, *end) || end % 61 == 0) {
            match k6::read(&Source::from_bytes(name, &bytes[..end])) {
                Err(faults) => *refused.entry(faults.list()[0].code).or_default() += 1,
                Ok(part) => {
                    kept += 1;
                    let tail = String::from_utf8_lossy(&bytes[end.saturating_sub(60)..end]).into_owned();
                    if part.notes.iter().any(|note| note.starts_with("nothing stands behind")) {
                        noted += 1;
                        continue;
                    }
                    assert_eq!(part.metrics, whole.metrics, "{name} cut after {end} bytes: …{tail}");
                    assert_eq!(failures(&part), failures(&whole), "{name} cut after {end} bytes: …{tail}");
                }
            }
        }
        println!("{name}: {} bytes, {kept} cuts read, {noted} of them with a doubt, refused: {refused:?}", bytes.len());
        assert!(kept > 0 && refused["cut-summary"] > 0);
    }
}

/// The first and last bytes of a line, where most is to go wrong.
fn near_a_line(bytes: &[u8], end: usize) -> bool {
    bytes[end.saturating_sub(3)..(end + 1).min(bytes.len())].contains(&b'\n')
}

/// How often each check failed, whatever its group.
fn failures(summary: &Summary) -> BTreeMap<&str, u64> {
    let mut found = BTreeMap::new();
    for check in &summary.checks {
        *found.entry(check.name.as_str()).or_default() += check.fails.unwrap();
    }
    found
}

#[test]
fn cut_json_is_refused_at_its_place() {
    for name in JSONS {
        let text = String::from_utf8(bytes(name)).unwrap();
        let end = text.trim_end().len();
        for cut in (1..end).step_by(7).filter(|cut| text.is_char_boundary(*cut)) {
            let source = Source::new(name, &text[..cut]);
            let faults = k6::read_json(&source).map_or_else(|faults| faults, |summary| panic!("{summary:?}"));
            assert_eq!(faults.list()[0].code, "broken-json");
            assert!(faults.list()[0].places[0].span.start <= cut);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(file in 0..TEXTS.len() + JSONS.len(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let name = TEXTS.iter().chain(&JSONS).nth(file).unwrap();
        let mut bytes = bytes(name);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let source = Source::from_bytes(*name, &bytes);
        let _ = k6::sniff(&source);
        if let Err(faults) = k6::read(&source) {
            prop_assert!(!faults.to_string().is_empty());
        }
        if let Ok(run) = k6::read_text(&source) {
            let again = k6::read_text(&Source::new("again", run.verbatim.clone()));
            prop_assert!(again.is_ok(), "{}", run.verbatim);
        }
    }

    #[test]
    fn no_lines_make_it_panic(lines in prop::collection::vec(prop::sample::select(LINES.to_vec()), 0..40), end in prop::sample::select(vec!["\n", "\r\n", "\r", "", "\u{1b}[0K\r\n"])) {
        let source = Source::new("lines", lines.join(end));
        let _ = k6::sniff(&source);
        if let Err(faults) = k6::read(&source) {
            prop_assert!(!faults.to_string().is_empty());
        }
    }
}

/// Lines of all layouts, whole and odd, to be mixed.
const LINES: [&str; 34] = [
    "",
    "  █ TOTAL RESULTS ",
    "█ TOTAL RESULTS",
    "  █ THRESHOLDS ",
    "  █ GROUP: a ",
    "    ↳ GROUP: b ",
    "  █ SCENARIO: s ",
    "     █ login",
    "    checks_total.......: 60     252.770333/s",
    "    checks_succeeded...: 91.66% 55 out of 60",
    "    ✓ a",
    "     ✗ b",
    "      ↳  83% — ✓ 10 / ✗ 2",
    "✓",
    "    ✓ 'rate<=0.5' rate=16.66%",
    "    ✗ '",
    "    {a:b}",
    "    HTTP",
    "    CUSTOM",
    "    http_reqs...: 39 164.300717/s",
    "      { status:503 }...: 1 4.212839/s",
    "    data_received...: 5.8 kB 24 kB/s",
    "    data_sent...: 5.5 kB 23 kB/s",
    "   ✓ http_req_duration....: avg=1ms",
    "     iterations....: 3 1/s",
    "     vus....: 1 min=1 max=1",
    "running (00m00.2s), 0/2 VUs, 3 complete and 0 interrupted iterations",
    "default ✓ [ 100% ] 2 VUs  00m00.2s/10m0s",
    "running (",
    "Run       [ 100% ] setup()",
    "time=\"x\" level=error msg=\"test aborted: x\"",
    "start_utc=2026-11-30 09:26:40 UTC target=",
    "...: ",
    "↳",
];

// --- the complaints, by number --------------------------------------------------------------------------------------

#[test]
fn case_1_a_threshold_that_is_true_failed_in_the_export_and_held_in_the_data() {
    let export = text(r#"{"metrics":{"d":{"avg":1,"thresholds":{"p(95)<5":true}}}}"#);
    let data =
        text(r#"{"metrics":{"d":{"type":"trend","contains":"time","values":{"avg":1},"thresholds":{"p(95)<5":{"ok":true}}}}}"#);
    assert_eq!((export.source.kind, export.thresholds[0].passed), (SummaryKind::Export, Some(false)));
    assert_eq!((data.source.kind, data.thresholds[0].passed), (SummaryKind::HandleSummary, Some(true)));
}

#[test]
fn case_2_true_samples_are_passes_whatever_they_mean() {
    let export = text(r#"{"metrics":{"http_req_failed":{"passes":0,"fails":400,"value":0}}}"#);
    assert_eq!(export.value("http_req_failed", Stat::Passes), Some(0.0));
    assert_eq!(export.value("http_req_failed", Stat::Fails), Some(400.0));
    let old = text(
        "     checks.........................: 56.68% ✓ 403        ✗ 308\n     data_received..................: 0 B    0 B/s\n     \
         data_sent......................: 0 B    0 B/s\n     http_req_failed................: 56.68% ✓ 403        ✗ 308\n",
    );
    assert_eq!(old.value("http_req_failed", Stat::Passes), Some(403.0));
    assert_eq!(old.value("checks", Stat::Passes), Some(403.0));
    assert_eq!(old.value("http_req_failed", Stat::Rate), Some(403.0 / 711.0));
}

#[test]
fn case_3_percentiles_that_are_not_there_are_not_made_up() {
    let machine = text(
        r#"{"metadata":{"k6_version":"1.7.1"},"results":{"metrics":[{"name":"http_req_duration","type":"trend","contains":"time",
            "values":{"avg":1,"max":3,"med":null,"min":0.5,"p90":null,"p95":2}}],"checks":{}}}"#,
    );
    let trend = &machine.metrics["http_req_duration"];
    assert_eq!(trend.value(Stat::p(95)), Some(2.0));
    assert_eq!(trend.value(Stat::p(99)), None);
    assert!(!trend.values.0.contains_key(&Stat::p(99)));
    assert_eq!(trend.values.0[&Stat::p(90)], None);
    assert!(trend.reasons[&Stat::p(90)].contains("not among"));
}

#[test]
fn case_4_both_spellings_of_the_version_are_read() {
    for key in ["k6Version", "k6_version"] {
        let summary = text(&format!(r#"{{"metadata":{{"{key}":"1.7.1"}},"results":{{"metrics":[],"checks":{{}}}}}}"#));
        assert_eq!(summary.source.k6_version.as_deref(), Some("1.7.1"));
    }
}

#[test]
fn cases_5_to_7_kinds_by_shape_units_by_name_values_by_key() {
    let summary = text(
        r#"{"metrics":{"http_req_duration":{"p(98)":9,"count":3,"max":10,"min":1,"thresholds":{"p(98)<5":false}},"mine":{"avg":3,"p(95)":5,"p(99.9)":6}}}"#,
    );
    let known = &summary.metrics["http_req_duration"];
    assert_eq!(known.unit, Some(MetricUnit::Ms));
    assert_eq!((known.value(Stat::Min), known.value(Stat::Max), known.value(Stat::Med)), (Some(1.0), Some(10.0), None));
    assert_eq!(summary.metrics["mine"].unit, None);
    assert!(summary.notes.iter().any(|note| note.contains("no units") && note.contains("mine")));
    assert_eq!(summary.thresholds[0].passed, Some(true));
}

#[test]
fn case_9_a_rate_without_samples_is_unknown() {
    let nan = text(
        "  █ TOTAL RESULTS \n\n    CUSTOM\n    never...: NaN% 0 out of 0\n\n    NETWORK\n    data_received...: 0 B 0 B/s\n    data_sent.......: 0 B 0 B/s\n",
    );
    let zero = read("v2.1.0-machine-readable-zero.json");
    for metric in [&nan.metrics["never"], &zero.metrics["never_rate"]] {
        assert_eq!(metric.values.0[&Stat::Rate], None);
        assert_eq!(metric.reasons[&Stat::Rate], "no samples");
    }
}

#[test]
fn case_20_checks_of_nested_groups_keep_their_path() {
    for name in ["v0.54.0-mixed.txt", "v2.1.0-mode-full.txt", "v2.1.0-mixed.handle.json", "v2.1.0-mixed.export.json"] {
        let summary = read(name);
        assert_eq!(check(&summary, "userinfo status ok").group, "::login::token::userinfo", "{name}");
        assert_eq!(check(&summary, "flaky15 ok").fails, Some(2), "{name}");
        let failed: u64 = summary.checks.iter().filter_map(|check| check.fails).sum();
        assert_eq!(summary.value("checks", Stat::Fails), Some(failed as f64), "{name}");
    }
}

#[test]
fn case_22_counts_win_over_percentages() {
    let summary = text(&read_to_string("v2.1.0-mixed.txt").replace("5.12%  2 out of 39", "0.00%  38 out of 7270615"));
    assert_eq!(summary.value("http_req_failed", Stat::Rate), Some(38.0 / 7_270_615.0));
}

fn read_to_string(name: &str) -> String {
    String::from_utf8(bytes(name)).unwrap()
}

#[test]
fn case_23_two_summaries_in_one_log_are_refused_with_both_places() {
    let two = read_to_string("v2.1.0-mixed.txt") + &read_to_string("v0.54.0-mixed.txt");
    insta::assert_snapshot!(refused("two.log", &two));
}

#[test]
fn case_24_an_abort_needs_a_sign() {
    let stopped = read("v2.1.0-interrupted.txt");
    assert!(stopped.aborted);
    assert_eq!(stopped.aborted_by.as_deref(), Some("`✗` on the line of scenario `default`"));
    assert_eq!(stopped.scenarios[0].state, ScenarioState::Interrupted);
    let late = text(&read_to_string("v2.1.0-interrupted.txt").replace("default ✗", "default ✓"));
    assert!(!late.aborted && late.iterations.interrupted == Some(6));
    let told = text(
        &(read_to_string("v2.1.0-interrupted.txt").replace("default ✗", "default ✓") + "make: *** [Makefile:3: run] Error 105\n"),
    );
    assert!(told.aborted);
    assert!(read("v2.1.0-interrupted.txt").notes.is_empty());
}

#[test]
fn case_25_secrets_are_left_at_the_door() {
    let text = r#"{"metrics":{"d":{"type":"trend","contains":"time","values":{"avg":1}}},"root_group":{},"setup_data":{"token":"eyJhbGciOiJIUzI1NiJ9"}}"#;
    let summary = k6::read(&Source::new("s", text)).unwrap();
    assert!(!serde_json::to_string(&summary).unwrap().contains("eyJ"));
    let machine = read("v2.1.0-machine-readable-zero.json");
    assert!(!serde_json::to_string(&machine).unwrap().contains("import"));
    for broken in [text.replace("}}}}", "}}}"), text.replace("\"d\"", "d"), text[..text.len() - 3].to_owned()] {
        let faults = k6::read(&Source::new("s", broken.clone())).map_or_else(|faults| faults.to_string(), |_| String::new());
        assert!(!faults.contains("eyJ"), "{faults}");
    }
}

#[test]
fn case_26_the_load_is_the_most_users_not_the_last() {
    let full = text(
        "  █ TOTAL RESULTS \n\n    EXECUTION\n    vus.......: 9   min=0   max=600\n    vus_max...: 600 min=600 max=600\n\n    NETWORK\n    \
         data_received...: 0 B 0 B/s\n    data_sent.......: 0 B 0 B/s\n",
    );
    assert_eq!(full.vus_max, Some(600));
}

// --- the traps --------------------------------------------------------------------------------------------------------

#[test]
fn a_log_without_a_summary_says_what_is_there_instead() {
    insta::assert_snapshot!("switched_off", refused("k6.log", &read_to_string("v2.1.0-mode-disabled.txt")));
    let killed = read_to_string("v1.7.1-log-raw.log");
    let killed = killed.split("running (03.0s)").next().unwrap();
    insta::assert_snapshot!("killed", refused("k6.log", killed));
    insta::assert_snapshot!("empty", refused("k6.log", ""));
    insta::assert_snapshot!(
        "broken_script",
        refused(
            "k6.log",
            "time=\"2026-11-30T08:31:22Z\" level=error msg=\"could not initialize 'a.js': could not load JS test\"\n"
        )
    );
    insta::assert_snapshot!("other_json", refused("a.json", "{\"status\": \"success\"}"));
}

#[test]
fn a_cut_summary_says_where() {
    let whole = read_to_string("v2.1.0-mixed.txt");
    let at = whole.find("    NETWORK").unwrap();
    insta::assert_snapshot!("cut_before_its_end", refused("k6.log", &whole[..at]));
    let at = whole.rfind("complete and").unwrap();
    insta::assert_snapshot!("cut_in_its_status", refused("k6.log", &whole[..at]));
}

#[test]
fn trap_10_names_are_kept_raw() {
    let summary = read("v2.1.0-weird.txt");
    for name in [
        "line one\nline two\ttabbed\rcarriage",
        "✓ looks like a pass",
        "↳  99% — ✓ 99 / ✗ 1",
        "",
        " ",
        "  leading and trailing  ",
    ] {
        check(&summary, name);
    }
    let fake = "line one failing\n     checks.........................: 100.00% ✓ 1 ✗ 0";
    assert_eq!((check(&summary, fake).passes, check(&summary, fake).fails), (Some(0), Some(2)));
    assert_eq!(summary.value("checks", Stat::Passes), Some(51.0));
    assert!(summary.metrics["http_req_duration"].submetrics.contains_key("name:GET /a b \"c\""));
}

#[test]
fn what_is_not_understood_is_kept_and_noted() {
    for (name, metric) in
        [("v0.54.0-mixed.txt", "     vus_of_mine....: 3 of many\n"), ("v2.1.0-mixed.txt", "    vus_of_mine....: 3 of many\n")]
    {
        let whole = read_to_string(name);
        let at = whole.find("http_reqs.").and_then(|at| whole[..at].rfind('\n')).unwrap() + 1;
        for line in [metric, "somebody else's words\n"] {
            let given = whole[..at].to_owned() + line + &whole[at..];
            let run = k6::read_text(&Source::new(name, given)).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(run.summary.metrics, read(name).metrics);
            assert!(run.summary.notes.contains(&format!("not understood: `{}`", line.trim())), "{:?}", run.summary.notes);
            assert!(run.verbatim.contains(line.trim()));
        }
    }
}

#[test]
fn trap_12_zeros_that_may_be_nothing_are_noted() {
    let zero = read("v2.1.0-machine-readable-zero.json");
    assert!(zero.notes.iter().any(|note| note.contains("machine-readable")));
    let judged = text(
        r#"{"metrics":{"d":{"type":"trend","contains":"time","values":{"avg":0,"max":0},"thresholds":{"max<5":{"ok":true}}}}}"#,
    );
    assert!(judged.notes.iter().any(|note| note.contains("`d` is 0 throughout")), "{:?}", judged.notes);
}

#[test]
fn trap_15_a_run_that_never_left_setup_is_aborted() {
    let summary = read("v2.1.0-setup-throws.txt");
    assert!(summary.aborted_by.is_some_and(|sign| sign.contains("setup()")));
    assert_eq!((summary.duration_s, summary.iterations.complete), (None, None));
}

/// Of two signs the one that is kept with the summary counts, so that what is kept is read to the same.
#[test]
fn a_sign_within_the_summary_comes_before_one_outside() {
    let whole = read_to_string("v2.1.0-mixed.txt");
    let line = whole.lines().find(|line| line.contains("http_req_duration")).unwrap();
    let text = format!("setup() execution timed out after 1 second\n{whole}");
    let text = text.replace(line, &format!("{line}\nsetup() execution timed out after 2 seconds"));
    let read = |text: &str| plimsoll::ingest::k6::read_text(&plimsoll::source::Source::new("k6.txt", text)).unwrap();
    let run = read(&text);
    assert_eq!(run.summary.aborted_by, read(&run.verbatim).summary.aborted_by);
    assert!(run.summary.aborted);
}

#[test]
fn lines_behind_a_summary_say_nothing_of_its_times() {
    let whole = read_to_string("v1.7.1-durations-ms.txt");
    let behind = |line: &str| whole.find(line).and_then(|at| Some(at + whole[at..].find('\n')? + 1)).unwrap();
    let (inside, outside) = whole.split_at(behind("    data_sent"));
    let plain = text(&whole);
    let bounds = |summary: &Summary| summary.metrics["iteration_duration"].bounds.clone();
    assert!(!bounds(&plain).is_empty());
    let other = text(&format!("{inside}\nsomebody's own list\nlonger......: avg=1.5s max=2m3s\n{outside}"));
    assert_eq!(bounds(&other), bounds(&plain));
}

#[test]
fn a_container_name_or_a_time_stamp_before_every_line_is_no_hindrance() {
    let whole = read_to_string("v2.1.0-mixed.txt");
    let before = |lead: &str| whole.lines().fold(String::new(), |text, line| text + lead + line + "\n");
    let plain = text(&whole);
    assert_eq!(text(&before("k6-1  | ")), plain);
    assert_eq!(text(&before("2026-11-30T08:20:25.1234567Z ")), plain);
    assert_eq!(text(&whole.replace('\n', "\r\n")), plain);
}

#[test]
fn a_log_behind_a_container_name_is_k6s_log() {
    let whole = read_to_string("v2.1.0-mixed.txt");
    let at = whole.find("    data_sent").unwrap();
    let log = "time=\"2026-11-30T08:31:04Z\" level=info msg=\"lost....: 1 1/s\" source=console\n";
    let abort = "time=\"2026-11-30T08:31:04Z\" level=error msg=\"test aborted: users are gone\"\n";
    let given = [&whole[..at], log, &whole[at..], "\n", abort].concat();
    let behind = given.lines().fold(String::new(), |text, line| text + "k6-1  | " + line + "\n");
    let (plain, behind) = (text(&given), text(&behind));
    assert!(plain.aborted && plain.notes.is_empty(), "{:?}", plain.notes);
    assert_eq!(behind, plain);
}

#[test]
fn sniffing_takes_no_other_text_for_k6() {
    let sniffed = |text: &str| k6::sniff(&Source::new("x", text));
    assert_eq!(sniffed(&read_to_string("v2.1.0-mixed.txt")), Some(SummaryKind::Text));
    assert_eq!(sniffed(&read_to_string("v2.1.0-mixed.export.json")), Some(SummaryKind::Export));
    assert_eq!(sniffed(&read_to_string("v2.1.0-mixed.handle.json")), Some(SummaryKind::HandleSummary));
    assert_eq!(sniffed(&read_to_string("v2.1.0-machine-readable-zero.json")), Some(SummaryKind::MachineReadable));
    for other in [
        "",
        "hello",
        "running (late) with data_received in a sentence",
        "a,b,c\n1,2,3\n",
        "[package]\nname = \"x\"\n",
        "metric_name,timestamp,metric_value,check\nhttp_reqs,1,1.000000,\n",
        "{\"type\":\"Metric\",\"data\":{},\"metric\":\"http_reqs\"}\n{}\n",
    ] {
        assert_eq!(sniffed(other), None, "{other}");
    }
}
