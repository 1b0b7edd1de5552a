//! What raw files look like in the wild: any order, split, packed, six kinds of time, any columns, names that look like rows.
//! Whatever the form, the answers are those of the reference, and the same bytes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;

use super::command::Folder;
use super::samples_reference::{self as reference, Raw};
use super::samples_rows::{self as rows, DEFAULT, Dice, KINDS, RUNNER, Row, START, TIMES};

/// Answers of the three commands that read raw files.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers {
    series: String,
    errors: String,
    summary: String,
}

/// The answers over some files of one run in a folder. A summary is of one file.
fn answers(files: &[(&str, Vec<u8>)], threads: Option<&str>) -> Answers {
    let folder = files.iter().fold(Folder::new(), |folder, (name, bytes)| folder.file(name, bytes));
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let say = |verb: &[&str], names: &[&str]| {
        let args = [verb, names].concat();
        let answer = threads.map_or_else(|| folder.plimsoll(&args), |threads| folder.plimsoll_on_threads(threads, &args));
        answer.exits(0).out
    };
    Answers {
        series: say(&["series"], &names),
        errors: say(&["errors", "--format", "json"], &names),
        summary: say(&["summary", "--format", "json"], &names[..1]),
    }
}

fn of(bytes: &[u8]) -> Answers {
    answers(&[("metrics", bytes.to_vec())], None)
}

impl Answers {
    fn told(&self) -> Value {
        serde_json::from_str(&self.summary).unwrap()
    }

    /// Everything that is wrong with the answers, against the reference.
    fn faults(&self, raw: &Raw) -> Vec<String> {
        let errors: Value = serde_json::from_str(&self.errors).unwrap();
        let series = reference::series_faults(&self.series, &raw.series());
        let summary = reference::summary_faults(&self.told(), raw);
        series.into_iter().chain(summary).chain(reference::failure_faults(&errors, raw)).collect()
    }

    #[track_caller]
    fn are_true(&self, bytes: &[u8]) {
        let faults = self.faults(&reference::read(bytes));
        assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
    }

    #[track_caller]
    fn equal(&self, other: &Self, what: &str) {
        assert!(self.series == other.series, "{what}: series differ\n{}\n{}", self.series, other.series);
        assert!(self.errors == other.errors, "{what}: errors differ\n{}\n{}", self.errors, other.errors);
        assert!(self.summary == other.summary, "{what}: summaries differ\n{}\n{}", self.summary, other.summary);
    }
}

/// About 3,000 rows of seven seconds.
static RUN: LazyLock<Vec<Row>> = LazyLock::new(|| rows::run(1, 7, 24));

/// A recorded file that lies in the project.
fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn the_form_of_a_series() {
    let rows = [
        Row::new("b_duration", 999_999_999, 2.0),
        Row::new("a_duration", 1_000_000_000, 1.5),
        Row::new("a_duration", 0, 3.0),
        Row::new("b_duration", 0, 1.0),
        Row::new("b_duration", 0, 4.25),
        Row::new("http_req_duration", 0, 9.0),
        Row::new("setup_duration", 0, 9.0).tag("group", "::setup"),
    ];
    let folder = Folder::new().file("metrics.csv", rows::plain(&rows));
    let wanted = "[\n\
        \t{\"metric_name\":\"a_duration\",\"timestamp\":\"2026-11-30 09:37:34+00\",\"p50\":3.0,\"p95\":3.0,\"p99\":3.0},\n\
        \t{\"metric_name\":\"b_duration\",\"timestamp\":\"2026-11-30 09:37:34+00\",\"p50\":2.0,\"p95\":4.025,\"p99\":4.205},\n\
        \t{\"metric_name\":\"a_duration\",\"timestamp\":\"2026-11-30 09:37:35+00\",\"p50\":1.5,\"p95\":1.5,\"p99\":1.5}\n\
        ]\n";
    assert_eq!(folder.plimsoll(&["series", "metrics.csv"]).exits(0).out, wanted);
    folder.plimsoll(&["series", "metrics.csv", "--out", "series.json"]).exits(0);
    assert_eq!(folder.read("series.json"), wanted);
    let chosen = folder.plimsoll(&["series", "metrics.csv", "--metrics", "http_req_duration,b_duration"]).exits(0).out;
    let raw = reference::read(&rows::plain(&rows));
    let faults =
        reference::series_faults(&chosen, &raw.series_of(|metric| ["http_req_duration", "b_duration"].contains(&metric)));
    assert!(faults.is_empty(), "{faults:?}\n{chosen}");
}

#[test]
fn a_run_reads_as_the_reference_reads_it() {
    let bytes = rows::plain(&RUN);
    of(&bytes).are_true(&bytes);
    let raw = reference::read(&bytes);
    // What the answers are held against is no empty thing.
    assert!(raw.series().len() == 14 && raw.failures().len() == 2 && raw.checks().len() == 4, "{:?}", raw.checks());
}

#[test]
fn rows_in_any_order_give_the_same_bytes() {
    let sorted = of(&rows::plain(&RUN));
    for seed in 0..3 {
        let mut shuffled = RUN.clone();
        Dice::new(seed).shuffle(&mut shuffled);
        of(&rows::plain(&shuffled)).equal(&sorted, &format!("shuffled with seed {seed}"));
    }
    let json = of(&rows::json(&RUN, &KINDS, 2));
    let mut shuffled = RUN.clone();
    Dice::new(9).shuffle(&mut shuffled);
    of(&rows::json(&shuffled, &KINDS, 2)).equal(&json, "shuffled JSON");
    assert_eq!(json.series, sorted.series);
}

#[test]
fn one_thread_and_two_give_the_same_bytes() {
    // Several blocks that are read at once.
    let big = rows::run(2, 20, 60);
    for (name, bytes) in [("metrics.csv", rows::plain(&big)), ("metrics.json", rows::json(&big, &KINDS, 1))] {
        assert!(bytes.len() > 3 << 19, "{}", bytes.len());
        let one = answers(&[(name, bytes.clone())], Some("1"));
        one.are_true(&bytes);
        for threads in ["2", "3"] {
            answers(&[(name, bytes.clone())], Some(threads)).equal(&one, &format!("{name} on {threads} threads"));
        }
    }
}

#[test]
fn packed_plain_and_standard_input_give_the_same_bytes() {
    for bytes in [rows::plain(&RUN), rows::json(&RUN, &KINDS, 2)] {
        let plain = of(&bytes);
        of(&rows::gz(&bytes)).equal(&plain, ".gz");
        of(&rows::zst(&bytes)).equal(&plain, ".zst");
        let (first, rest) = bytes.split_at(bytes.len() / 3);
        of(&[rows::gz(first), rows::gz(rest)].concat()).equal(&plain, "an archive of two members");
        for input in [bytes.clone(), rows::gz(&bytes), rows::zst(&bytes)] {
            let say = |args: &[&str]| Folder::new().plimsoll_with_input(args, &input).exits(0).out;
            let piped = Answers {
                series: say(&["series", "-"]),
                errors: say(&["errors", "-", "--format", "json"]),
                summary: say(&["summary", "-", "--format", "json"]),
            };
            piped.equal(&plain, "standard input");
        }
    }
}

/// A pipe of the shell, `<(zcat metrics.csv.gz)`, has a name and can be read only once.
#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_read_from_its_beginning() {
    let folder = Folder::new();
    let text = b"     data_received..................: 0 B    0 B/s\n     data_sent......................: 0 B    0 B/s\n     http_reqs......................: 40     79.8/s\n     iterations.....................: 40     79.8/s\n";
    for bytes in [rows::plain(&RUN), rows::gz(&rows::plain(&RUN)), text.to_vec()] {
        let say = |path| folder.plimsoll_with_input(&["summary", "--format", "json", path], &bytes).exits(0).out;
        assert_eq!(say("/dev/stdin"), say("-"));
    }
}

/// As several load generators leave it: rows of one run in several files, with a header each.
#[test]
fn the_files_of_one_run_give_the_bytes_of_the_whole() {
    let whole = of(&rows::plain(&RUN));
    for parts in [2_usize, 3] {
        for seed in 0..2 {
            let mut dice = Dice::new(seed);
            let mut split = vec![Vec::new(); parts];
            for row in RUN.iter() {
                split[usize::try_from(dice.below(parts as u64)).unwrap()].push(row.clone());
            }
            let named = |(at, rows): (usize, &Vec<Row>)| -> (&str, Vec<u8>) {
                match at {
                    0 => ("c.csv", rows::plain(rows)),
                    1 => ("a.csv.gz", rows::gz(&rows::plain(rows))),
                    _ => ("b.csv.zst", rows::zst(&rows::csv(rows, &RUNNER, "unix"))),
                }
            };
            // The runner's columns have no name of a request, which errors would miss.
            let columns_differ = parts == 3;
            let files: Vec<(&str, Vec<u8>)> = split.iter().enumerate().map(named).collect();
            let mut reversed = files.clone();
            reversed.reverse();
            let (one, other) = (answers(&files, None), answers(&reversed, None));
            assert_eq!((&one.series, &one.errors), (&other.series, &other.errors), "the order of files counts");
            assert_eq!(one.series, whole.series, "{parts} files");
            assert!(columns_differ || one.errors == whole.errors, "{parts} files\n{}\n{}", one.errors, whole.errors);
        }
    }
}

#[test]
fn all_six_time_formats_give_the_same_answers() {
    let cut_to_second = |row: &Row| Row { after: row.after - row.after % 1_000_000_000, ..row.clone() };
    let whole_seconds: Vec<Row> = RUN.iter().map(cut_to_second).collect();
    let (cut, whole) = (of(&rows::plain(&RUN)), of(&rows::plain(&whole_seconds)));
    for format in TIMES {
        let bytes = rows::csv(&RUN, &DEFAULT, format);
        let answers = of(&bytes);
        answers.are_true(&bytes);
        assert_eq!(answers.series, cut.series, "{format}");
        assert_eq!(answers.told()["metrics"], cut.told()["metrics"], "{format}");
        assert_eq!(answers.told()["checks"], cut.told()["checks"], "{format}");
        let even = of(&rows::csv(&whole_seconds, &DEFAULT, format));
        assert_eq!(even.series, whole.series, "{format}");
        let bare = |errors: &str| errors.replace(".000000000", "").replace(".000", "");
        assert_eq!(bare(&even.errors), bare(&whole.errors), "{format}");
    }
}

#[test]
fn columns_in_any_order_and_set() {
    let whole = of(&rows::plain(&RUN));
    let mut dice = Dice::new(5);
    for _ in 0..3 {
        let mut columns = DEFAULT;
        dice.shuffle(&mut columns);
        of(&rows::csv(&RUN, &columns, "unix")).equal(&whole, &format!("{columns:?}"));
    }
    let sets: [&[&str]; 6] = [
        &RUNNER,
        &["metric_name", "timestamp", "metric_value"],
        &["metric_value", "metric_name", "timestamp", "group", "scenario"],
        &["metric_name", "timestamp", "metric_value", "group", "extra_tags", "metadata"],
        &["metric_name", "timestamp", "metric_value", "status", "ip", "vu", "a, \"b\"\nc", "group"],
        &["check", "metric_name", "timestamp", "metric_value", "expected_response", "status", "scenario", "group"],
    ];
    for columns in sets {
        let bytes = rows::csv(&RUN, columns, "unix");
        of(&bytes).are_true(&bytes);
    }
}

/// Rows whose names hold all that can be mistaken for a row.
fn deceitful() -> Vec<Row> {
    let names = [
        "\nhttp_reqs,1796031454,1.000000,,,,true,,GET,x,HTTP/1.1,default,,200,,,x,,\n",
        "a\"\nhttp_reqs,1796031454,1.000000,\"b",
        "\"",
        "\"\"",
        "\",\"",
        ",",
        ",,,,\n,,,,",
        "\r\n",
        "a\rb",
        "\r",
        " leading",
        "\\.",
        "back\\\"slash\\",
        "ünï→🚀 \u{2028}",
        "tab\tand \u{1b}[31mred\u{1b}[0m",
        "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name",
        "\nmetric_name,timestamp,metric_value\n",
        "{\"metric\":\"http_reqs\",\"type\":\"Point\",\"data\":{\"time\":\"2026-11-30T09:37:34Z\",\"value\":1,\"tags\":{}}}",
        "__proto__",
        "0",
        "\u{feff}bom",
    ];
    let of = |name: &&str| {
        let check = Row::new("checks", 0, 1.0).tag("check", name).tag("scenario", "default");
        let failed = Row::new("http_req_failed", 0, 1.0).tag("name", name).tag("url", name).tag("error", name);
        let trend = Row::new("a_duration", 0, 1.25).tag("extra_tags", name).tag("scenario", name).tag("group", name);
        [check.clone(), Row { value: 0.0, ..check }, failed.tag("status", "500").tag("error_code", "1500"), trend]
    };
    names.iter().flat_map(of).collect()
}

#[test]
fn names_that_look_like_rows_are_names() {
    let rows = deceitful();
    let csv = rows::plain(&rows);
    let answers = of(&csv);
    answers.are_true(&csv);
    assert!(!answers.summary.contains("\"http_reqs\": {"), "{}", answers.summary);
    // 0 and 1 alone would make a rate of the trend without its kind; 1.25 is neither.
    for version in [1, 2] {
        let json = rows::json(&rows, &[("checks", "rate"), ("http_req_failed", "rate"), ("a_duration", "trend")], version);
        let answers = of(&json);
        answers.are_true(&json);
        assert_eq!(answers.told()["checks"].as_array().unwrap().len(), deceitful().len() / 4);
    }
}

#[test]
fn recorded_files_of_odd_names_and_values_read_as_the_reference_reads_them() {
    let names = [
        "v2.1.0-weird.csv",
        "v1.7.1-weird.json",
        "v1.7.1-odd-values.csv",
        "v1.7.1-odd-values.json",
        "v1.7.1-durations.csv",
        "v2.1.0-exceptions.csv",
        "v2.1.0-slow-setup.csv",
        "v2.1.0-mixed.csv",
    ];
    for name in names {
        let bytes = fixture(name);
        let faults = of(&bytes).faults(&reference::read(&bytes));
        assert!(faults.is_empty(), "{name}: {} differences:\n{}", faults.len(), faults.join("\n"));
    }
}

#[test]
fn line_ends_of_another_system_and_a_byte_order_mark_change_nothing() {
    let bytes = rows::plain(&RUN);
    let plain = of(&bytes);
    let crlf: Vec<u8> = String::from_utf8(bytes.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    of(&crlf).equal(&plain, "CRLF");
    let bom = [b"\xef\xbb\xbf".as_slice(), &bytes].concat();
    of(&bom).equal(&plain, "BOM");
    let json = rows::json(&RUN, &KINDS, 2);
    let crlf: Vec<u8> = String::from_utf8(json.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    of(&crlf).equal(&of(&json), "CRLF in JSON");
}

#[test]
fn samples_without_a_number_are_counted_and_left_out() {
    let mut rows = RUN.clone();
    for (at, value) in [(40, f64::INFINITY), (700, f64::NEG_INFINITY), (701, f64::NAN), (1500, f64::INFINITY)] {
        rows.insert(at, Row::new("token_duration", 2_000_000_000, value).tag("scenario", "default"));
    }
    rows.push(Row::new("only_infinite", 2_000_000_000, f64::INFINITY));
    let (plain, bytes) = (of(&rows::plain(&RUN)), rows::plain(&rows));
    let odd = of(&bytes);
    odd.are_true(&bytes);
    assert_eq!(odd.series, plain.series);
    assert_eq!(odd.told()["metrics"]["token_duration"], plain.told()["metrics"]["token_duration"]);
    let notes = odd.told()["notes"].to_string();
    assert!(notes.contains("token_duration") && notes.contains('4') && notes.contains("only_infinite"), "{notes}");
    // k6 v1 writes them into its JSON, which is none then.
    let json = rows::json(&rows, &KINDS, 1);
    let faults = reference::series_faults(&of(&json).series, &reference::read(&json).series());
    assert!(faults.is_empty(), "{faults:?}");
    let folder = Folder::new().file("metrics.csv", &bytes);
    folder.plimsoll(&["ingest", "metrics.csv", "--release", "v1", "--target", "token"]).exits(0);
    let record: Value = serde_json::from_str(&folder.read("data/v1/token/record.json")).unwrap();
    let counts: BTreeMap<String, u64> = serde_json::from_value(record["phases"]["not_finite"].clone()).unwrap();
    assert_eq!(counts, reference::read(&bytes).not_finite());
}

#[test]
fn negative_and_huge_values_are_exact() {
    let values =
        [-70_000.0, -0.0005, -0.0, 0.000_001, 9_007_199_254_740_993.0, 1e15 + 0.25, 1.5e21, 4e-7, 123_456_789.987_654_33];
    let rows = values.iter().enumerate().flat_map(|(at, value)| {
        let second = i64::try_from(at).unwrap() * 1_000_000_000;
        let one = Row::new(&format!("single_{at}_duration"), second, *value);
        let all = Row::new("all_duration", 0, *value);
        [one, all, Row::new("below_duration", second, -value.abs()), Row::new("data_sent", 0, value.abs().trunc())]
    });
    let rows: Vec<Row> = rows.collect();
    let csv = rows::plain(&rows);
    of(&csv).are_true(&csv);
    let json = rows::json(&rows, &[("data_sent", "counter")], 2);
    of(&json).are_true(&json);
}

/// Whole numbers stay whole, however many bytes there were.
#[test]
fn counts_are_whole_numbers_to_the_last_byte() {
    let rows: Vec<Row> = (0..9_i64).map(|at| Row::new("data_received", at * 300_000_000, 107_374_182_401.0)).collect();
    for bytes in [rows::plain(&rows), rows::json(&rows, &[("data_received", "counter")], 2)] {
        assert_eq!(of(&bytes).told()["metrics"]["data_received"]["values"]["count"].as_u64(), Some(966_367_641_609));
    }
    let rows: Vec<Row> = (0..200_i64)
        .map(|at| {
            Row::new(&format!("a_{at}_duration"), 0, 9e9 + f64::from(u32::try_from(at * 17_000_001).unwrap()) * 290.123_457)
        })
        .collect();
    let bytes = rows::plain(&rows);
    of(&bytes).are_true(&bytes);
}

/// Before v2, k6's JSON writes a number of a million and more with an exponent.
#[test]
fn the_bytes_of_a_second_are_all_there_whatever_the_exponent() {
    let point = |second: i64, value: &str| {
        let at = rows::time(START * 1_000_000_000 + second * 1_000_000_000, "rfc3339_nano");
        format!(
            "{{\"metric\":\"data_received\",\"type\":\"Point\",\"data\":{{\"time\":\"{at}\",\"value\":{value},\"tags\":{{\"scenario\":\"default\"}}}}}}\n"
        )
    };
    let head = String::from_utf8(rows::json(&[], &[("data_received", "counter")], 1)).unwrap();
    for value in ["1.234567e+06", "1234567"] {
        let text = head.clone() + &point(0, value) + &point(0, "5") + &point(40, "7.000000");
        let folder = Folder::new().file("metrics.json", text);
        folder.plimsoll(&["ingest", "metrics.json", "--release", "v1", "--target", "a"]).exits(0);
        let series: Value = serde_json::from_str(&folder.read("data/v1/a/blocks.json")).unwrap();
        // The first block, and the step to the second.
        assert_eq!(series["blocks"][0]["counts"]["data_received"], serde_json::json!([1_234_572, 7 - 1_234_572]), "{value}");
    }
}

/// The error and the name of a check can have an id in them: memory has a bound, and what is lost by it is said.
#[test]
fn checks_of_any_number_are_counted_and_no_longer_told_apart() {
    let check = |at: u32| {
        let row = Row::new("checks", i64::from(at) * 1_000_000, f64::from(at.min(1)));
        row.tag("check", &format!("user {at}")).tag("scenario", "default")
    };
    let told = |count: u32| {
        let rows: Vec<Row> = (0..count).map(check).collect();
        // Neither of the files has too many.
        let parts: Vec<(&str, Vec<u8>)> = ["a.csv", "b.csv"]
            .into_iter()
            .zip(rows.chunks(count.div_ceil(2) as usize))
            .map(|(n, r)| (n, rows::plain(r)))
            .collect();
        let folder = parts.iter().fold(Folder::new(), |folder, (name, bytes)| folder.file(name, bytes));
        let answer = folder.plimsoll(&["errors", "--format", "json", "a.csv", "b.csv"]).exits(0);
        let errors: Value = serde_json::from_str(&answer.out).unwrap();
        (errors["checks"].as_array().unwrap().len(), answer.talk.contains("more than 1000 checks"))
    };
    assert_eq!((told(1000), told(1001)), ((1000, false), (0, true)));
    let bytes = rows::plain(&(0..1500).map(check).collect::<Vec<_>>());
    let summary = of(&bytes).told();
    assert_eq!(summary["metrics"]["checks"]["values"]["passes"], 1499.0);
    assert!(summary["notes"].to_string().contains("more than 1000 checks"));
}

/// The window that failures are seen against is that of the test, whichever metric bounds it.
#[test]
fn errors_and_a_record_have_the_same_populations() {
    let tagged = |row: Row| row.tag("scenario", "default").tag("status", "500");
    let mut rows = vec![
        tagged(Row::new("http_reqs", 0, 1.0)),
        tagged(Row::new("http_req_failed", 0, 1.0)),
        tagged(Row::new("http_req_failed", 60_000_000_000, 1.0)),
        tagged(Row::new("http_reqs", 60_000_000_000, 1.0)),
    ];
    for metric in ["a_duration", "iterations", "dropped_iterations", "group_duration", "iteration_duration", "x_flag"] {
        rows.push(tagged(Row::new(metric, 700_000_000_000, 1.0)));
        let bytes = rows::plain(&rows);
        let folder = Folder::new().file("metrics.csv", &bytes);
        folder.plimsoll(&["ingest", "metrics.csv", "--release", "v1", "--target", "a"]).exits(0);
        let record: Value = serde_json::from_str(&folder.read("data/v1/a/record.json")).unwrap();
        assert_eq!(record["failures"], serde_json::from_str::<Value>(&of(&bytes).errors).unwrap(), "{metric}");
        assert_eq!(record["failures"]["populations"][0]["shape"], "burst", "{metric}");
    }
}

/// A browser measures in parts of a nanosecond, which CSV cuts.
#[test]
fn times_of_a_browser_are_cut() {
    let bytes = rows::plain(&[
        Row::new("browser_web_vital_cls", 0, 0.012_345_678_9).tag("scenario", "default"),
        Row::new("http_req_duration", 0, 0.012_345).tag("scenario", "default"),
    ]);
    let bounds = |metric: &str| of(&bytes).told()["metrics"][metric]["bounds"]["max"].clone();
    let cut = bounds("browser_web_vital_cls");
    assert!(cut[0].as_f64() < Some(0.012_345_678_9) && cut[1].as_f64() > Some(0.012_345_678_9), "{cut}");
    assert_eq!(bounds("http_req_duration"), Value::Null);
}

/// k6's JSON tells kinds, writes as many digits as there are, and exponents its own way.
#[test]
fn json_tells_kinds_and_all_digits() {
    let kinds =
        [("a_flag", "trend"), ("a_gauge", "gauge"), ("a_counter", "counter"), ("a_rate", "rate"), ("tiny_duration", "trend")];
    let rows: Vec<Row> = (0..40_i64)
        .flat_map(|at| {
            let after = at * 100_000_000;
            let value = f64::from(u32::try_from(at).unwrap());
            [
                Row::new("a_flag", after, f64::from(u8::from(at % 2 == 0))),
                Row::new("a_gauge", after, 40.0 - value),
                Row::new("a_counter", after, 0.1),
                Row::new("a_rate", after, value % 3.0),
                Row::new("tiny_duration", after, 4e-7 / (value + 1.0)),
            ]
        })
        .collect();
    let json = rows::json(&rows, &kinds, 2);
    let answers = of(&json);
    answers.are_true(&json);
    assert_eq!(answers.told()["metrics"]["a_gauge"]["values"]["value"], 1.0);
    let text = String::from_utf8(json.clone()).unwrap();
    assert!(text.contains("e-7"));
    for (from, to) in [("e-7", "e-07"), ("e-7", "E-7"), (",\"tags\":{}", ""), ("\"value\":40,", "\"value\":4e+01,")] {
        assert_eq!(of(text.replace(from, to).as_bytes()).series, answers.series, "{to}");
    }
}

/// `::setup` is also what a script may call a group of its own, and `setup()` may have groups inside.
#[test]
fn setup_is_a_group_without_a_scenario() {
    let rows = [
        Row::new("a_duration", 0, 1.5).tag("group", "::setup"),
        Row::new("a_duration", 0, 2.5).tag("group", "::setup::inner"),
        Row::new("a_duration", 1_000_000_000, 3.5).tag("group", "::setup").tag("scenario", "default"),
        Row::new("a_duration", 1_000_000_000, 4.5).tag("group", "::login").tag("scenario", "default"),
        Row::new("a_duration", 1_000_000_000, 5.5).tag("group", "::teardown").tag("scenario", "default"),
        Row::new("a_duration", 1_000_000_000, 6.5).tag("group", "::setup_of_cart").tag("scenario", "default"),
        Row::new("a_duration", 2_000_000_000, 7.5).tag("group", "::teardown"),
    ];
    for bytes in [rows::plain(&rows), rows::json(&rows, &[("a_duration", "trend")], 2)] {
        of(&bytes).are_true(&bytes);
        let folder = Folder::new().file("metrics", &bytes);
        folder.plimsoll(&["ingest", "metrics", "--release", "v1", "--target", "a"]).exits(0);
        let record: Value = serde_json::from_str(&folder.read("data/v1/a/record.json")).unwrap();
        let count = |phase: &str| record["phases"][phase]["metrics"]["a_duration"]["values"]["count"].as_u64();
        assert_eq!([count("setup"), count("test"), count("teardown")], [Some(2), Some(4), Some(1)]);
        for (phase, (first, last)) in reference::read(&bytes).phases() {
            let told = &record["phases"][format!("{phase:?}").to_lowercase()];
            let span = (reference::second(&told["first"]), reference::second(&told["last"]));
            assert_eq!(span, (first.div_euclid(1_000_000_000), last.div_euclid(1_000_000_000)), "{phase:?}");
        }
    }
    // Without a column of scenarios the group alone tells.
    let bare = rows::csv(&rows[..2], &["metric_name", "timestamp", "metric_value", "group"], "unix");
    assert_eq!(of(&bare).series.trim().replace(char::is_whitespace, ""), "[]");
}

#[test]
fn a_record_holds_what_the_commands_say_and_the_hash_of_the_file() {
    let bytes = rows::plain(&RUN);
    let ingest = |names: &[&str], files: &[(&str, Vec<u8>)]| {
        let folder = files.iter().fold(Folder::new(), |folder, (name, bytes)| folder.file(name, bytes));
        let args = [&["ingest"], names, &["--release", "v1", "--target", "token"]].concat();
        folder.plimsoll(&args).exits(0);
        (folder.read("data/v1/token/record.json"), folder.read("data/v1/token/series.json"))
    };
    let (record, series) = ingest(&["metrics.csv"], &[("metrics.csv", bytes.clone())]);
    assert!(record.contains(blake3::hash(&bytes).to_hex().as_str()), "no hash of the file");
    // An archive is hashed as it lies there: it is what can be compared later.
    for (name, packed) in [("metrics.csv.gz", rows::gz(&bytes)), ("metrics.csv.zst", rows::zst(&bytes))] {
        let (by_archive, same) = ingest(&[name], &[(name, packed.clone())]);
        assert!(by_archive.contains(blake3::hash(&packed).to_hex().as_str()), "no hash of {name}");
        assert_eq!(same, series, "{name}");
    }
    let told: Value = serde_json::from_str(&record).unwrap();
    let answers = of(&bytes);
    // A record leaves out the percentiles of what nobody looks at by itself: what it has is the same.
    let summary = answers.told();
    for (name, metric) in summary["metrics"].as_object().unwrap() {
        let kept = told["k6"]["metrics"][name]["values"].as_object().unwrap();
        assert!(kept.iter().all(|(stat, value)| metric["values"][stat] == *value), "{name}: {kept:?}, not {}", metric["values"]);
        let whole = name != "group_duration" && name != "http_req_waiting";
        assert!(!whole || kept.len() == metric["values"].as_object().unwrap().len(), "{name}: {kept:?}");
    }
    assert_eq!(told["failures"], serde_json::from_str::<Value>(&answers.errors).unwrap());

    let mut shuffled = RUN.clone();
    Dice::new(3).shuffle(&mut shuffled);
    assert_eq!(
        series,
        ingest(&["metrics.csv"], &[("metrics.csv", rows::plain(&shuffled))]).1,
        "series.json depends on the order"
    );
    let (left, right) = RUN.split_at(RUN.len() / 2);
    let parts = [("a.csv", rows::plain(left)), ("b.csv", rows::plain(right))];
    let (one, other) = (ingest(&["a.csv", "b.csv"], &parts), ingest(&["b.csv", "a.csv"], &parts));
    assert_eq!(one, other, "the order of files counts");
    assert_eq!(series, one.1, "series.json of the parts is not that of the whole");
}

/// k6 writes numbers there; a file that another program went over may hold anything.
#[test]
fn cells_that_hold_anything_are_no_defect() {
    let odd = [
        "",
        "0",
        "-1",
        "200.0",
        "2e2",
        "99999999999999999999",
        "NaN",
        "true",
        "TRUE",
        "ünï→🚀",
        "a,\"b\"\nc",
        " ",
        "::",
        "::setup",
    ];
    let columns = ["status", "error_code", "expected_response", "group", "scenario", "method", "error", "check"];
    let mut rows = vec![Row::new("a_duration", 0, 1.5)];
    for column in columns {
        for text in odd {
            let row = |metric: &str, value| Row::new(metric, 0, value).tag(column, text);
            rows.extend([row("http_req_failed", 1.0), row("checks", 0.0), row("http_req_duration", 2.5), row("a_duration", 3.5)]);
        }
    }
    let failed = rows.iter().filter(|row| row.metric == "http_req_failed").count() as u64;
    for bytes in [rows::plain(&rows), rows::json(&rows, &KINDS, 1), rows::json(&rows, &KINDS, 2)] {
        let answers = of(&bytes);
        let errors: Value = serde_json::from_str(&answers.errors).unwrap();
        let counts = errors["populations"].as_array().unwrap().iter().map(|population| population["count"].as_u64().unwrap());
        assert_eq!((errors["failed"].as_u64(), counts.sum::<u64>()), (Some(failed), failed));
    }
}

/// A gauge that was set twice in a second, as far as its time tells: neither value may be taken for the later one by
/// where it stands in the file.
#[test]
fn two_values_of_a_gauge_at_one_moment_have_no_order() {
    let rows = [Row::new("vus", 0, 5.0), Row::new("vus", 1_000_000_000, 8.0), Row::new("vus", 1_900_000_000, 7.0)];
    let turned = [rows[2].clone(), rows[1].clone(), rows[0].clone()];
    of(&rows::plain(&rows)).equal(&of(&rows::plain(&turned)), "turned");
    let json = of(&rows::json(&rows, &KINDS, 2));
    json.equal(&of(&rows::json(&turned, &KINDS, 2)), "turned JSON");
    assert_eq!(json.told()["metrics"]["vus"]["values"]["value"], 7.0);
    let told = of(&rows::plain(&rows)).told()["metrics"]["vus"].clone();
    let bounds: Option<(f64, f64)> = serde_json::from_value(told["bounds"]["value"].clone()).unwrap();
    assert!(told["values"]["value"].is_null() || bounds.is_some_and(|(low, high)| low <= 7.0 && high >= 8.0), "{told}");
}

/// One wrong time among right ones must not cost the memory of years, second by second.
#[test]
fn samples_far_apart_cost_no_second_between() {
    for days in [3, 40, 80_000] {
        let failed = |after: i64| Row::new("http_req_failed", after, 1.0).tag("status", "500").tag("error_code", "1500");
        let last = days * 86_400 * 1_000_000_000;
        let rows = [Row::new("a_duration", 0, 1.5), Row::new("a_duration", last, 2.5), failed(0), failed(last)];
        let bytes = rows::plain(&rows);
        of(&bytes).are_true(&bytes);
        let folder = Folder::new().file("metrics.csv", &bytes);
        folder.plimsoll(&["ingest", "metrics.csv", "--release", "v1", "--target", "a"]).exits(0);
        let written: usize = folder.files("data").iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(written < 2_000_000, "{written} bytes for four samples");
    }
}

/// A trend more is a row more in every block of the days between; what is not kept is told.
#[test]
fn trends_far_apart_cost_no_block_between() {
    for (trends, is_told) in [(3, false), (40, true)] {
        let last = 3 * 86_400 * 1_000_000_000;
        let row = |at: i64| (0..trends).map(move |trend| Row::new(&format!("t{trend}_duration"), at, 1.5));
        let rows: Vec<Row> = row(0).chain(row(last)).collect();
        let folder = Folder::new().file("metrics.csv", rows::plain(&rows));
        let answer = folder.plimsoll(&["ingest", "metrics.csv", "--release", "v1", "--target", "a"]).exits(0);
        assert_eq!(answer.talk.contains("too far apart for a test"), is_told, "{}", answer.talk);
        let written: usize = folder.files("data").iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(written < 2_000_000, "{written} bytes for {} samples", rows.len());
    }
}

#[test]
fn percentiles_are_those_that_were_asked_for() {
    let bytes = rows::plain(&RUN);
    let folder = Folder::new().file("metrics.csv", &bytes);
    let ask = |stats: &str| folder.plimsoll(&["summary", "metrics.csv", "--format", "json", "--summary-trend-stats", stats]);
    let names = ["p(0)", "p(12.5)", "p(50)", "p(99.9)", "p(99.99)", "p(100)", "avg", "count"];
    let told: Value = serde_json::from_str(&ask(&names.join(",")).exits(0).out).unwrap();
    let values = told["metrics"]["token_duration"]["values"].as_object().unwrap();
    let raw = reference::read(&bytes).values("token_duration", |_| true);
    assert_eq!(values.len(), names.len());
    for name in names.into_iter().filter(|name| *name != "avg") {
        let wanted = reference::stat(reference::Kind::Trend, &raw, name);
        assert_eq!(values[name].as_f64().map(f64::to_bits), Some(wanted.to_bits()), "{name}");
    }
    for wrong in ["p(101)", "p95", "", "min,,avg", "median"] {
        ask(wrong).exits(2);
    }
    folder.plimsoll(&["series", "metrics.csv", "--metrics", "token_duratoin"]).exits(2).says("token_duration");
}

/// Cells that a script can choose, in all the ways that trip CSV up.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{0,12}",
        2 => "[a-z,\"\n\r;:{}\\\\ ünï→🚀]{0,16}",
        1 => Just("\nhttp_reqs,1796031454,1.000000,,\n".to_owned()),
        1 => Just("\"\"\"".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (0_u64..200_000_000).prop_map(|n| n as f64 / 1e6),
        2 => (-1_000_000_i64..1_000_000).prop_map(|n| n as f64 / 1e3),
        1 => (9_000_000_000_u64..999_999_999_999, 0_u32..1_000_000).prop_map(|(n, part)| n as f64 + f64::from(part) / 1e6),
        1 => prop::sample::select(vec![0.0, 1.0, -0.0, 1e15, 9_007_199_254_740_992.0, 1.5e18, 1e21, 0.000_001]),
        1 => prop::sample::select(vec![f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
    ]
}

fn trend() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a_duration", "b", "http_req_duration", "x_flag", "Ünï metric", "iteration_duration", "vus_idle"])
        .prop_map(str::to_owned)
}

fn any_row() -> impl Strategy<Value = Row> {
    let place = (0..5_i64, 0..1_000_000_000_i64, prop::bool::weighted(0.2), cell(), cell());
    let trend = (trend(), value(), cell()).prop_map(|(metric, value, tags)| Row::new(&metric, 0, value).tag("extra_tags", &tags));
    let check =
        (cell(), prop::bool::ANY).prop_map(|(name, held)| Row::new("checks", 0, f64::from(u8::from(held))).tag("check", &name));
    let status = prop::sample::select(vec![("200", ""), ("500", "1500"), ("503", "1503"), ("0", "1212"), ("0", "")]);
    let request = (status, prop::bool::ANY, cell(), cell()).prop_map(|((status, code), failed, error, method)| {
        let row = Row::new("http_req_failed", 0, f64::from(u8::from(failed))).tag("status", status).tag("error_code", code);
        row.tag("error", &error).tag("method", &method).tag("expected_response", if failed { "false" } else { "true" })
    });
    let flag = prop::bool::ANY.prop_map(|one| Row::new("x_rate", 0, f64::from(u8::from(one))));
    let sent = (0_u32..9_000_000).prop_map(|bytes| Row::new("data_sent", 0, f64::from(bytes)));
    let rows = prop_oneof![6 => trend, 2 => check, 2 => request, 1 => flag, 1 => sent];
    (place, rows).prop_map(|((second, part, grouped, group, name), row)| {
        // setup() comes first and teardown() last.
        let (group, scenario) = match second {
            0 => ("::setup".to_owned(), ""),
            4 => ("::teardown".to_owned(), ""),
            _ if grouped => (format!("::{group}"), "default"),
            _ => (String::new(), "default"),
        };
        let after = second * 1_000_000_000 + part;
        Row { after, ..row }.tag("group", &group).tag("scenario", scenario).tag("name", &name)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_rows_give_what_the_reference_gives(
        rows in prop::collection::vec(any_row(), 1..160),
        format in prop::sample::select(TIMES.to_vec()),
        seed in any::<u64>(),
    ) {
        prop_assume!(rows.iter().any(|row| row.value.is_finite()));
        let mut columns = DEFAULT;
        Dice::new(seed).shuffle(&mut columns);
        let bytes = rows::csv(&rows, &columns, format);
        let one = answers(&[("metrics.csv", bytes.clone())], Some("1"));
        let faults = one.faults(&reference::read(&bytes));
        prop_assert!(faults.is_empty(), "{}\n{}", faults.join("\n"), String::from_utf8_lossy(&bytes));
        prop_assert_eq!(&one, &answers(&[("metrics.csv", bytes)], Some("2")));
        let mut shuffled = rows.clone();
        Dice::new(!seed).shuffle(&mut shuffled);
        let again = answers(&[("metrics.csv", rows::csv(&shuffled, &columns, format))], None);
        prop_assert_eq!((&one.series, &one.errors, &one.summary), (&again.series, &again.errors, &again.summary));
    }

    #[test]
    fn any_points_give_what_the_reference_gives(rows in prop::collection::vec(any_row(), 1..160), version in 1_u8..3) {
        prop_assume!(rows.iter().any(|row| row.value.is_finite()));
        let kinds = [("a_duration", "trend"), ("b", "gauge"), ("x_flag", "counter"), ("x_rate", "rate"), ("data_sent", "counter"),
            ("checks", "rate"), ("http_req_failed", "rate"), ("http_req_duration", "trend"), ("Ünï metric", "trend"),
            ("iteration_duration", "trend"), ("vus_idle", "trend")];
        let bytes = rows::json(&rows, &kinds, version);
        let one = answers(&[("metrics.json", bytes.clone())], Some("1"));
        let faults = one.faults(&reference::read(&bytes));
        prop_assert!(faults.is_empty(), "{}\n{}", faults.join("\n"), String::from_utf8_lossy(&bytes));
        prop_assert_eq!(&one, &answers(&[("metrics.json", bytes)], Some("2")));
    }
}
