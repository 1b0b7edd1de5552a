//! The resource guard: what is beyond a limit is refused in words, and nothing that can be given makes a reader panic, overflow the stack,
//! hang or take more memory than ten times the input and 64 MB.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::command::Folder;
use super::fuzzed::readers;

/// What a program built without optimisation may take for a megabyte; built for use it takes a second.
const SECONDS_A_MEGABYTE: f64 = 25.0;
const MEGABYTE: usize = 1 << 20;
/// The most that a file may have which is read whole.
const MOST: usize = 1 << 30;

/// What came of a run of the program.
struct Outcome {
    status: Option<i32>,
    talk: String,
    seconds: f64,
    /// Bytes that it held at most, its own code with them; `None` where the system doesn't tell.
    peak: Option<usize>,
}

/// Runs the program in a folder, and looks at its memory while it runs.
fn watched(folder: &Path, args: &[&str]) -> Outcome {
    let talk = std::fs::File::create(folder.join(".talk")).unwrap();
    let started = Instant::now();
    let program = assert_cmd::cargo::cargo_bin!("plimsoll");
    let mut child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(talk)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    let exit = loop {
        // The most so far: what is seen last lacks no more than the last milliseconds.
        peak = std::fs::read_to_string(&status).ok().and_then(|text| high_water(&text)).max(peak);
        if let Some(exit) = child.try_wait().unwrap() {
            break exit;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let talk = String::from_utf8_lossy(&std::fs::read(folder.join(".talk")).unwrap()).into_owned();
    Outcome { status: exit.code(), talk, seconds: started.elapsed().as_secs_f64(), peak }
}

/// `VmHWM` of a process in bytes.
fn high_water(status: &str) -> Option<usize> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? * 1024)
}

/// What the program takes for next to nothing: its code, which is large without optimisation.
fn bare() -> usize {
    let folder = Folder::new().file("moment", "2026-09-28T21:42:33Z\n");
    watched(&folder.path(""), &["ingest", "--release", "v1", "--target", "a", "moment"]).peak.unwrap_or_default()
}

/// Holds a run to the promise, and to how it ends: with 0, or refused by 3 and a fault of this code.
#[track_caller]
fn held(name: &str, outcome: &Outcome, bytes: usize, bare: usize, code: &str) {
    let talk: String = outcome.talk.chars().take(1_500).collect();
    let status = if code.is_empty() { 0 } else { 3 };
    assert_eq!(outcome.status, Some(status), "{name}: {talk}");
    assert!(code.is_empty() || talk.contains(&format!("error[{code}]")), "{name} is not refused as `{code}`: {talk}");
    assert!(outcome.talk.len() < 50_000, "{name}: {} bytes of talk", outcome.talk.len());
    let megabytes = bytes as f64 / MEGABYTE as f64;
    assert!(outcome.seconds < 10.0 + SECONDS_A_MEGABYTE * megabytes, "{name}: {:.1} s for {megabytes:.1} MB", outcome.seconds);
    let Some(peak) = outcome.peak else { return eprintln!("{name}: memory is not looked at: this system has no /proc") };
    let most = bare + 64 * MEGABYTE + 10 * bytes;
    assert!(peak < most, "{name}: {} MB of memory for {megabytes:.1} MB, of {} MB", peak / MEGABYTE, most / MEGABYTE);
}

// The readers themselves, in this process.

/// Texts that are nothing but one thing, again and again; each is tried on every reader, and some readers take it for their own.
fn monotonous() -> Vec<(&'static str, String)> {
    let many = 3_000;
    let nested = |open: &str, close: &str| open.repeat(many) + "1" + &close.repeat(many);
    let lines = |line: fn(usize) -> String| (0..many / 4).map(line).collect::<String>();
    let mut steps = String::new();
    (0..200).for_each(|depth| _ = writeln!(steps, "{}a:", " ".repeat(depth)));
    vec![
        ("arrays", nested("[", "]")),
        ("objects", nested("{\"a\":", "}")),
        ("arrays of objects", nested("[{\"a\":", "}]")),
        ("arrays never closed", "[".repeat(many)),
        ("objects never closed", "{\"a\":".repeat(many)),
        ("flow of YAML", format!("a: {}\n", nested("[", "]"))),
        ("flow of mappings", format!("a: {}\n", nested("{a: ", "}"))),
        ("blocks of YAML", steps),
        ("lists in a line", format!("a:\n  {}x\n", "- ".repeat(many))),
        ("keys of keys", format!("a{} = 1\n", ".a".repeat(many))),
        ("headers of keys", format!("[a{}]\n", ".a".repeat(many))),
        ("quotes", "> ".repeat(many) + "x\n"),
        ("lists", "- ".repeat(many) + "x\n"),
        ("links", "[a](".repeat(many)),
        ("groups", (0..150).fold(String::new(), |all, depth| all + &" ".repeat(2 * depth) + "  █ g\n\n")),
        ("a number", "9".repeat(4 * many)),
        ("a large number", "[1e999999999]".to_owned()),
        ("zeros", "\0".repeat(4 * many)),
        ("line ends", "\n".repeat(many)),
        ("returns", "\r".repeat(many)),
        ("blanks", " ".repeat(4 * many)),
        ("commas", ",".repeat(many)),
        ("quotation marks", "\"".repeat(many)),
        ("escapes", format!("\"{}\"", "\\u0041".repeat(many))),
        ("colours", "\u{1b}[31m".repeat(many)),
        ("a line", "a".repeat(8 * many)),
        ("keys", lines(|at| format!("k{at}: v\n"))),
        ("members", format!("{{{}\"z\":1}}", lines(|at| format!("\"k{at}\":1,")))),
        ("tables", lines(|at| format!("[t{at}]\n"))),
        ("samples", lines(|at| format!("a{{i=\"{at}\"}} 1\n"))),
    ]
}

/// No reader falls over a text of one thing, or takes longer than it may.
fn every_reader_over(texts: &[(&'static str, String)]) {
    for (reader, target) in readers::ALL {
        for (name, text) in texts {
            let started = Instant::now();
            target(text.as_bytes());
            let (seconds, megabytes) = (started.elapsed().as_secs_f64(), text.len() as f64 / MEGABYTE as f64);
            assert!(seconds < 4.0 + 4.0 * SECONDS_A_MEGABYTE * megabytes, "{reader} takes {seconds:.1} s for {name}");
        }
    }
}

#[test]
fn no_reader_falls_over_what_is_nested() {
    every_reader_over(&monotonous()[..15]);
}

#[test]
fn no_reader_falls_over_what_is_long() {
    every_reader_over(&monotonous()[15..]);
}

// The program, in one of its own.

const CSV: &str =
    "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,scenario,status\n";
const TAIL: &str = "\n    HTTP\n    http_reqs..........: 20      1.0/s\n\n    EXECUTION\n    iterations.........: 20      1.0/s\n    \
                    vus................: 10      min=10 max=10\n    vus_max............: 10      min=10 max=10\n\n    NETWORK\n    \
                    data_received......: 4.5 kB 3.9 kB/s\n    data_sent..........: 5.5 kB 4.8 kB/s\n\n";
const TOTALS: &str = "\n  █ TOTAL RESULTS \n\n";
const CHECKS: &str = "    checks_total.......: 20      1.0/s\n    checks_succeeded...: 100.00% 20 out of 20\n    \
                      checks_failed......: 0.00%   0 out of 20\n\n";
const EXPORT: &str =
    r#""iterations":{"count":20,"rate":1}},"root_group":{"name":"","path":"","id":"d","groups":{},"checks":{}}}"#;
const PAGE: &str = "---\ntitle: a benchmark of v1\n---\n\n| Metric | Value |\n| --- | --- |\n| Executed test | a |\n\n";
const STATEMENTS: &str = "queryid,query,calls,total_exec_time\n";
const SERVICE: &str = "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{image: a}]}}}\n";
const SETTINGS: &str = "Port: 8080\nDatabase:\n  postgres:\n    Host: a\nEventstore: {a: 1}\n";

/// A beginning, a piece for each number until there are so many bytes, an end.
fn filled(bytes: usize, before: &str, piece: impl Fn(usize) -> String, after: &str) -> String {
    let (mut text, mut at) = (before.to_owned(), 0);
    while text.len() < bytes {
        text += &piece(at);
        at += 1;
    }
    text + after
}

/// A piece for each number below another.
fn pieces(many: usize, piece: impl Fn(usize) -> String) -> String {
    (0..many).map(piece).collect::<Vec<_>>().concat()
}

struct Case {
    name: &'static str,
    file: &'static str,
    text: String,
    /// The fault that it gets; none if it is read.
    code: &'static str,
}

fn case(name: &'static str, file: &'static str, text: String, code: &'static str) -> Case {
    Case { name, file, text, code }
}

/// More of one thing than a load test has.
#[allow(clippy::too_many_lines, reason = "it is a table")]
fn too_much() -> Vec<Case> {
    let trend = |at| format!("    m{at:07}.........: avg=12.5ms min=1ms med=12ms max=30ms p(90)=20ms p(95)=25ms\n");
    let metric = |at| format!(r#""m{at}":{{"avg":1.5,"min":1,"med":1.2,"max":3,"p(90)":2,"p(95)":2.5}},"#);
    let row = |cells: String| format!("{cells}\n");
    let size = MEGABYTE;
    vec![
        case("metrics in text", "k6.txt", filled(size, &format!("{TOTALS}    CUSTOM\n"), trend, TAIL), "long-summary"),
        case(
            "checks in text",
            "k6.txt",
            filled(size, &format!("{TOTALS}{CHECKS}"), |at| format!("    ✓ c{at}\n"), TAIL),
            "long-summary",
        ),
        case(
            "thresholds in text",
            "k6.txt",
            filled(
                size,
                "\n  █ THRESHOLDS \n\n",
                |at| format!("    m{at}\n    ✓ 'p(95)<200' p(95)=25ms\n\n"),
                &format!("{TOTALS}{TAIL}"),
            ),
            "long-summary",
        ),
        case("summaries", "k6.txt", filled(size, "", |_| format!("{TOTALS}{TAIL}"), ""), "two-summaries"),
        case("short lines", "k6.txt", filled(size, "", |_| "a\n".to_owned(), &format!("{TOTALS}{TAIL}")), "too-many-lines"),
        case("metrics in JSON", "summary.json", filled(size, "{\"metrics\":{", metric, EXPORT), "large-summary"),
        case(
            "thresholds in JSON",
            "summary.json",
            filled(
                2 * size,
                "{\"metrics\":{\"m\":{\"thresholds\":{",
                |at| format!("\"p(95)<{at}\":false,"),
                &format!("\"a\":false}},\"avg\":1}},{EXPORT}"),
            ),
            "large-summary",
        ),
        case(
            "metrics in samples",
            "metrics.csv",
            filled(size, CSV, |at| row(format!("m{at},1796026865,1.5,,,,,,,,default,")), ""),
            "too-many-metrics",
        ),
        case(
            "statuses",
            "metrics.csv",
            filled(size, CSV, |at| row(format!("http_req_failed,1796026865,1.0,,,{at},false,,GET,a,default,{at}")), ""),
            "too-many-failures",
        ),
        case(
            "minutes",
            "metrics.csv",
            filled(size, CSV, |at| row(format!("m{},{},1.5,,,,,,,,,", at % 1000, 1_796_026_800 + at / 1000 * 60)), ""),
            "too-sparse",
        ),
        case(
            "columns",
            "metrics.csv",
            filled(size / 2, CSV.trim_end(), |at| format!(",c{at}"), "\nvus,1796026865,1.0\n"),
            "bad-row",
        ),
        case(
            "trends of a series",
            "a-output.json",
            filled(
                size,
                r#"[{"metric_name":"m","timestamp":"2026-09-28 21:42:33+00","p50":1,"p95":2,"p99":3}"#,
                |at| format!(r#",{{"metric_name":"m{at}","timestamp":"2026-09-28 21:42:33+00","p50":1,"p95":2,"p99":3}}"#),
                "]",
            ),
            "too-many-trends",
        ),
        case(
            "rows of a status table",
            "log_status.txt",
            filled(size, "| status | error_code | error | requests |\n", |at| format!("| 500 | 1000 | e{at} | 20 |\n"), ""),
            "large-table",
        ),
        case("marks of a page", "index.mdx", filled(size, PAGE, |_| "- ".to_owned(), "x\n"), "large-page"),
        case(
            "front matter",
            "index.mdx",
            format!("---\ntitle: a benchmark of v1\nk: {}\n{}", "[".repeat(60_000), &PAGE[4..]),
            "bad-front-matter",
        ),
        case(
            "samples of a scrape",
            "a.prom",
            filled(size, "# TYPE a counter\n", |at| format!("a{{i=\"{at}\"}} 1\n"), ""),
            "too-many-series",
        ),
        case(
            "rows of a view",
            "pg_stat_statements.before.csv",
            filled(2 * size, STATEMENTS, |at| format!("{at},a,1,1\n"), ""),
            "large-table",
        ),
        case(
            "names of rows",
            "pg_stat_statements.before.json",
            filled(
                size / 4,
                "[{\"queryid\":1,\"query\":\"a\",\"calls\":1,\"total_exec_time\":1}",
                |at| format!(",{{\"a{at}\":1}}"),
                "]",
            ),
            "large-table",
        ),
        case(
            "settings of a server",
            "pg_settings.csv",
            filled(size, "name,setting,unit,source\n", |at| format!("s{at},1,,default\n"), ""),
            "large-table",
        ),
        case("values of YAML", "config.yaml", filled(MEGABYTE - 99, SETTINGS, |at| format!("k{at}: v\n"), ""), "bad-capture"),
        case(
            "aliases of YAML",
            "service.yaml",
            (1..12).fold(format!("{SERVICE}a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"), |all, level| {
                all + &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(","))
            }),
            "bad-capture",
        ),
        case(
            "keys of YAML",
            "config.yaml",
            format!("{SETTINGS}{}: {{{}}}\n", vec!["k".repeat(900); 3].join(":\n").replace('\n', "\n "), "a: 1"),
            "bad-capture",
        ),
    ]
}

/// Names that would be kept with everything that has them: a few bytes more, many times the text.
fn multiplied() -> Vec<Case> {
    let long = "g".repeat(MEGABYTE / 2);
    let checks = pieces(5_000, |at| format!("    ✓ c{at}\n"));
    let thresholds = "    ✓ 'p(95)<200' p(95)=25ms\n".repeat(5_000);
    let of_json = pieces(5_000, |at| format!("\"c{at}\":{{\"name\":\"c{at}\",\"passes\":1,\"fails\":0}},"));
    vec![
        case(
            "a group of text",
            "k6.txt",
            format!("{TOTALS}{CHECKS}{checks}{TAIL}  █ GROUP: {long}\n\n{checks}\n"),
            "long-summary",
        ),
        case(
            "a metric of thresholds",
            "k6.txt",
            format!("\n  █ THRESHOLDS \n\n    {long}\n{thresholds}\n{TOTALS}{TAIL}"),
            "long-summary",
        ),
        case(
            "a group of JSON",
            "summary.json",
            format!(
                "{{\"metrics\":{{\"iterations\":{{\"count\":20,\"rate\":1}}}},\"root_group\":{{\"groups\":{{\"g\":{{\"name\":\"{long}\",\"checks\":\
                 {{{of_json}\"z\":{{\"name\":\"z\"}}}}}}}}}}}}"
            ),
            "large-summary",
        ),
        case(
            "a number that is none",
            "metrics.json",
            format!(
                "{{\"metric\":\"m\",\"type\":\"Point\",\"data\":{{\"time\":\"2026-09-28T21:42:33Z\",\"value\":{}}}}}\n",
                "[".repeat(900_000)
            ),
            "bad-row",
        ),
    ]
}

/// What comes near a limit is read, and takes no more than it may.
fn near_the_limits() -> Vec<Case> {
    let trend = |at: usize| format!("    m{at:07}.........: avg=12.5ms min=1ms med=12ms max=30ms p(90)=20ms p(95)=25ms\n");
    let trends = pieces(9_900, trend);
    let values = pieces(59_000, |at| format!("\"p(95)<{at}\":false,"));
    let rows = |at: usize| format!("m{}_duration,{},{at}.5,,,,,,,,,\n", at % 1_990, 1_796_026_800 + at / 5_000);
    vec![
        case("metrics near the limit", "k6.txt", format!("{TOTALS}    CUSTOM\n{trends}{TAIL}"), ""),
        case(
            "values near the limit",
            "summary.json",
            format!("{{\"metrics\":{{\"m\":{{\"thresholds\":{{{values}\"a\":false}},\"avg\":1}},{EXPORT}"),
            "",
        ),
        case("lines near the limit", "k6.txt", format!("{}{TOTALS}{TAIL}", "a\n".repeat(262_000)), ""),
        case("marks near the limit", "index.mdx", format!("{PAGE}{}x\n", "- ".repeat(65_000)), ""),
        case("metrics of samples near the limit", "metrics.csv", filled(MEGABYTE, CSV, rows, ""), ""),
    ]
}

/// Ingests each case in a folder of its own. Of one that is refused nothing is kept.
fn all_hold(cases: Vec<Case>) {
    let bare = bare();
    for Case { name, file, text, code } in cases {
        let folder = Folder::new().file(file, &text);
        let outcome = watched(&folder.path(""), &["ingest", "--release", "v1", "--target", "a", file]);
        held(name, &outcome, text.len(), bare, code);
        assert_eq!(folder.files("data").is_empty(), !code.is_empty(), "{name}");
    }
}

#[test]
fn too_much_of_one_thing_is_refused_in_words() {
    all_hold(too_much());
}

#[test]
fn a_name_is_not_multiplied() {
    all_hold(multiplied());
}

#[test]
fn what_comes_near_a_limit_is_read_in_bounded_memory() {
    all_hold(near_the_limits());
}

/// What people write is refused by its length before it is read: one more byte may cost five hundred.
#[test]
fn what_people_write_has_a_length() {
    let bare = bare();
    let record = |text: String| {
        let folder = Folder::new().file("plimsoll.toml", "schema = 1\n").file("data/v1/a/run.toml", &text);
        let outcome = watched(&folder.path(""), &["classify"]);
        held("run.toml", &outcome, text.len(), bare, "large-file");
    };
    record("=".repeat(MEGABYTE));
    record(format!("a{} = 1\n", ".a".repeat(MEGABYTE / 2)));
    for text in ["=".repeat(MEGABYTE), filled(MEGABYTE, "[metrics]\n", |at| format!("k{at} = 1\n"), "")] {
        let folder = Folder::new().file("plimsoll.toml", &text);
        held("plimsoll.toml", &watched(&folder.path(""), &["classify"]), text.len(), bare, "large-file");
        let folder = Folder::new().file("a.toml", &text);
        held("a flow", &watched(&folder.path(""), &["flow", "show", "a.toml"]), text.len(), bare, "large-file");
    }
}

// Archives.

/// An archive of one text that is written again and again: gzip and zstd read what is put together as one.
fn archive(packed: &[Vec<u8>], times: usize) -> Vec<u8> {
    let (first, rest) = packed.split_first().unwrap();
    let mut all = first.clone();
    (0..times).for_each(|_| rest.iter().for_each(|piece| all.extend_from_slice(piece)));
    all
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Archives of a few megabytes that unfold to more than is read, whatever is in them.
#[test]
fn an_archive_that_unfolds_to_more_than_is_read_is_refused_in_little_memory() {
    let bare = bare();
    let (zeros, text) = (vec![0; 16 * MEGABYTE], format!("{TOTALS}{TAIL}").repeat(16 * MEGABYTE / 250));
    let times = 1 + MOST / (16 * MEGABYTE) * 9 / 8;
    // What begins with zeros is no text, and is not read to its end.
    for (name, packed, code) in [
        ("zeros.txt.gz", archive(&[gz(b""), gz(&zeros)], times), "unknown-kind"),
        ("k6.txt.gz", archive(&[gz(b""), gz(text.as_bytes())], times), "large-file"),
        ("k6.txt.zst", archive(&[zst(b""), zst(text.as_bytes())], times), "large-file"),
    ] {
        let folder = Folder::new().file(name, &packed);
        for given in [name, "."].into_iter().take(if code == "large-file" { 2 } else { 1 }) {
            let outcome = watched(&folder.path(""), &["ingest", "--release", "v1", "--target", "a", given]);
            held(name, &outcome, packed.len(), bare, code);
            assert!(folder.files("data").is_empty());
        }
    }
}

/// Raw samples may be of any length; a row may not.
#[test]
fn raw_samples_from_an_archive_take_little_memory_however_many() {
    let bare = bare();
    let rows = "t_duration,1796026865,1.5,,,,,,,,default,\n".repeat(MEGABYTE / 42);
    let row = vec![b'x'; MEGABYTE];
    let point = "{\"metric\":\"m\",\"type\":\"Point\",\"data\":{\"time\":\"2026-09-28T21:42:33Z\",\"value\":1.5,\"tags\":{}}}\n";
    for (name, packed, code) in [
        ("rows.csv.gz", archive(&[gz(CSV.as_bytes()), gz(rows.as_bytes())], 12), ""),
        ("rows.csv.zst", archive(&[zst(CSV.as_bytes()), zst(rows.as_bytes())], 12), ""),
        ("row.csv.gz", archive(&[gz(CSV.as_bytes()), gz(&row)], 1_000), "long-row"),
        ("row.json.zst", archive(&[zst(format!("{point}{{\"metric\":\"").as_bytes()), zst(&row)], 1_000), "long-row"),
    ] {
        let folder = Folder::new().file(name, &packed);
        held(name, &watched(&folder.path(""), &["series", name]), packed.len(), bare, code);
    }
}

/// An archive inside an archive is no text, and that is said.
#[test]
fn an_archive_inside_an_archive_is_told() {
    let text = format!("{TOTALS}{TAIL}");
    for (name, packed) in
        [("a.gz", gz(&gz(text.as_bytes()))), ("b.zst", zst(&gz(text.as_bytes()))), ("c.gz", gz(&zst(text.as_bytes())))]
    {
        let folder = Folder::new().file(name, packed);
        let answer = folder.plimsoll(&["ingest", "--release", "v1", "--target", "a", name]).exits(3);
        answer.says("an archive inside an archive: unfold it once");
    }
}

// Folders.

/// A folder of thousands of files, of names that are no text, of links that lead round in a circle, of a hundred levels.
#[cfg(unix)]
#[test]
fn a_folder_of_anything_is_gone_through() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new().file("in/k6.txt", format!("{TOTALS}{TAIL}"));
    let inside = folder.path("in");
    for at in 0..2_000 {
        std::fs::write(inside.join(format!("{at}.dat")), "nothing").unwrap();
    }
    let deep = (0..100).fold(inside.clone(), |path, _| path.join("a"));
    std::fs::create_dir_all(&deep).unwrap();
    for name in [&b"a\nb.txt"[..], b"\xff\xfe.txt", &[b'n'; 255]] {
        std::fs::write(inside.join(std::ffi::OsStr::from_bytes(name)), "nothing").unwrap();
    }
    std::os::unix::fs::symlink(&inside, deep.join("round")).unwrap();
    std::os::unix::fs::symlink("self", inside.join("self")).unwrap();
    let outcome = watched(&folder.path(""), &["ingest", "--release", "v1", "--target", "a", "in"]);
    assert_eq!(outcome.status, Some(0), "{}", outcome.talk.chars().take(2_000).collect::<String>());
    assert!(outcome.seconds < 20.0);
    assert_eq!(folder.files("data/v1/a").len(), 2);
}
