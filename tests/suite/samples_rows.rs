//! k6-shaped rows as data, and the two ways in which k6 writes them: Go's `encoding/csv`, and an object a line.

use std::fmt::Write;
use std::io::Write as _;

/// 2026-11-30T09:37:34Z, a second of the demo's burst run.
pub(crate) const START: i64 = 1_796_031_454;
const SECOND: i64 = 1_000_000_000;

/// k6's default columns.
pub(crate) const DEFAULT: [&str; 19] = [
    "metric_name",
    "timestamp",
    "metric_value",
    "check",
    "error",
    "error_code",
    "expected_response",
    "group",
    "method",
    "name",
    "proto",
    "scenario",
    "service",
    "status",
    "subproto",
    "tls_version",
    "url",
    "extra_tags",
    "metadata",
];

/// The columns that ZITADEL's runner asks for.
pub(crate) const RUNNER: [&str; 14] = [
    "metric_name",
    "timestamp",
    "metric_value",
    "check",
    "error",
    "error_code",
    "expected_response",
    "group",
    "method",
    "proto",
    "scenario",
    "status",
    "extra_tags",
    "metadata",
];

/// k6's six time formats.
pub(crate) const TIMES: [&str; 6] = ["unix", "unix_milli", "unix_micro", "unix_nano", "rfc3339", "rfc3339_nano"];

/// One sample as k6 holds it before it is written.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) metric: String,
    /// Nanoseconds since [`START`].
    pub(crate) after: i64,
    pub(crate) value: f64,
    pub(crate) tags: Vec<(&'static str, String)>,
}

impl Row {
    pub(crate) fn new(metric: &str, after: i64, value: f64) -> Self {
        Self { metric: metric.to_owned(), after, value, tags: Vec::new() }
    }

    pub(crate) fn tag(mut self, name: &'static str, text: &str) -> Self {
        self.tags.push((name, text.to_owned()));
        self
    }

    fn cell(&self, column: &str, times: &str) -> String {
        match column {
            "metric_name" => self.metric.clone(),
            "timestamp" => time(START * SECOND + self.after, times),
            "metric_value" => percent_f(self.value),
            tag => self.tags.iter().find(|(name, _)| *name == tag).map(|(_, text)| text.clone()).unwrap_or_default(),
        }
    }
}

/// Go's `%f`.
pub(crate) fn percent_f(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".to_owned(),
        value if value.is_infinite() => if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
        value => format!("{value:.6}"),
    }
}

/// A time as `K6_CSV_TIME_FORMAT` has it; all formats but the two of RFC 3339 are whole numbers, cut.
pub(crate) fn time(ns: i64, format: &str) -> String {
    let local = || chrono::DateTime::from_timestamp_nanos(ns).with_timezone(&chrono::FixedOffset::east_opt(3600).unwrap());
    match format {
        "unix" => (ns / SECOND).to_string(),
        "unix_milli" => (ns / 1_000_000).to_string(),
        "unix_micro" => (ns / 1_000).to_string(),
        "unix_nano" => ns.to_string(),
        "rfc3339" => local().format("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        // Go drops the zeros at the end, and the dot with them.
        _ => {
            let fraction = format!("{:09}", ns % SECOND);
            let fraction = fraction.trim_end_matches('0');
            let dot = if fraction.is_empty() { "" } else { "." };
            format!("{}{dot}{fraction}+01:00", local().format("%Y-%m-%dT%H:%M:%S"))
        }
    }
}

/// A cell as Go's `encoding/csv` writes it: quoted where it must be.
pub(crate) fn quoted(cell: &str) -> String {
    let needs = cell.contains([',', '"', '\n', '\r']) || cell.starts_with(char::is_whitespace) || cell == "\\.";
    if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

pub(crate) fn line(cells: impl IntoIterator<Item = String>) -> String {
    cells.into_iter().map(|cell| quoted(&cell)).collect::<Vec<_>>().join(",") + "\n"
}

/// One row as a line of CSV.
pub(crate) fn csv_line(row: &Row, columns: &[&str], times: &str) -> String {
    line(columns.iter().map(|column| row.cell(column, times)))
}

pub(crate) fn header(columns: &[&str]) -> String {
    line(columns.iter().map(|column| (*column).to_owned()))
}

/// A whole file of CSV.
pub(crate) fn csv(rows: &[Row], columns: &[&str], times: &str) -> Vec<u8> {
    let lines = rows.iter().map(|row| csv_line(row, columns, times));
    (header(columns) + &lines.collect::<String>()).into_bytes()
}

/// k6's default CSV.
pub(crate) fn plain(rows: &[Row]) -> Vec<u8> {
    csv(rows, &DEFAULT, "unix")
}

/// A whole file of `--out json`, as v1 (escapes, `+Inf`) or v2 (no escapes, no infinite sample) writes it.
pub(crate) fn json(rows: &[Row], kinds: &[(&str, &str)], version: u8) -> Vec<u8> {
    let mut text = String::new();
    for (metric, kind) in kinds {
        let contains = if metric.ends_with("duration") { "time" } else { "default" };
        writeln!(
            text,
            r#"{{"type":"Metric","data":{{"name":"{metric}","type":"{kind}","contains":"{contains}","thresholds":[],"submetrics":null}},"metric":"{metric}"}}"#
        )
        .unwrap();
    }
    text.extend(rows.iter().filter(|row| row.value.is_finite() || version == 1).map(|row| point(row, version)));
    text.into_bytes()
}

fn point(row: &Row, version: u8) -> String {
    let escaped = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        if version == 1 { text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026") } else { text }
    };
    let tags: Vec<String> = row.tags.iter().map(|(name, text)| format!("\"{name}\":{}", escaped(text))).collect();
    let value = if row.value.is_finite() { serde_json::to_string(&row.value).unwrap() } else { percent_f(row.value) };
    // Go writes whole numbers without a point.
    let value = value.strip_suffix(".0").unwrap_or(&value);
    let at = time(START * SECOND + row.after, "rfc3339_nano");
    let (metric, tags) = (escaped(&row.metric), tags.join(","));
    format!("{{\"metric\":{metric},\"type\":\"Point\",\"data\":{{\"time\":\"{at}\",\"value\":{value},\"tags\":{{{tags}}}}}}}\n")
}

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(4));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Numbers that look random and are the same in every run of a test (Marsaglia's xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A time in milliseconds with six decimals.
    pub(crate) fn duration(&mut self) -> f64 {
        self.below(90_000_000) as f64 / 1e6
    }

    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            let other = usize::try_from(self.below(at as u64 + 1)).unwrap();
            things.swap(at, other);
        }
    }
}

/// Kinds of the metrics of [`run`], as k6 declares them.
pub(crate) const KINDS: [(&str, &str); 14] = [
    ("http_reqs", "counter"),
    ("http_req_duration", "trend"),
    ("http_req_waiting", "trend"),
    ("http_req_failed", "rate"),
    ("checks", "rate"),
    ("user_create_duration", "trend"),
    ("login_duration", "trend"),
    ("token_duration", "trend"),
    ("group_duration", "trend"),
    ("iteration_duration", "trend"),
    ("iterations", "counter"),
    ("data_sent", "counter"),
    ("vus", "gauge"),
    ("vus_max", "gauge"),
];

/// A small run: `setup()`, some seconds of iterations with a group each, some failures of two kinds, `teardown()`.
pub(crate) fn run(seed: u64, seconds: i64, iterations: i64) -> Vec<Row> {
    let mut dice = Dice::new(seed);
    let mut rows = Vec::new();
    for user in 0..5 {
        request(&mut rows, &mut dice, user * 90_000_000, &[("group", "::setup"), ("name", "create_user")], 201);
        rows.push(Row::new("user_create_duration", user * 90_000_000, dice.duration()).tag("group", "::setup"));
    }
    for second in 1..=seconds {
        for iteration in 0..iterations {
            iterate(&mut rows, &mut dice, second * SECOND + iteration * SECOND / iterations + 1_234_567);
        }
        rows.push(Row::new("vus", second * SECOND + 999_000_000, 10.0 + second as f64));
        rows.push(Row::new("vus_max", second * SECOND + 999_000_000, 20.0));
    }
    let end = (seconds + 1) * SECOND;
    request(&mut rows, &mut dice, end, &[("group", "::teardown"), ("name", "remove_users")], 200);
    // A script may time its own teardown by a trend of the test.
    rows.push(Row::new("token_duration", end, 77_777.0).tag("group", "::teardown"));
    rows
}

fn iterate(rows: &mut Vec<Row>, dice: &mut Dice, at: i64) {
    const MAIN: (&str, &str) = ("scenario", "default");
    let status = match dice.below(40) {
        0 => 500,
        1 => 0,
        _ => 200,
    };
    request(rows, dice, at, &[MAIN, ("group", "::login"), ("name", "login")], 200);
    rows.push(Row::new("login_duration", at, dice.duration()).tag("scenario", "default").tag("group", "::login"));
    request(rows, dice, at, &[MAIN, ("name", "token")], status);
    rows.push(Row::new("token_duration", at, dice.duration()).tag("scenario", "default"));
    rows.push(Row::new("group_duration", at, dice.duration()).tag("scenario", "default").tag("group", "::login"));
    rows.push(Row::new("data_sent", at, dice.below(5_000) as f64).tag("scenario", "default"));
    rows.push(Row::new("iteration_duration", at, dice.duration()).tag("scenario", "default"));
    rows.push(Row::new("iterations", at, 1.0).tag("scenario", "default"));
}

fn request(rows: &mut Vec<Row>, dice: &mut Dice, at: i64, tags: &[(&'static str, &str)], status: u16) {
    let failed = status == 0 || status >= 400;
    let tagged = |row: Row| tags.iter().fold(row, |row, (name, text)| row.tag(name, text));
    let answered = |row: Row| {
        let row = row.tag("method", "POST").tag("status", &status.to_string()).tag("proto", "HTTP/1.1");
        let row =
            row.tag("expected_response", if failed { "false" } else { "true" }).tag("url", "https://example.org/a?b=1&c=<d>");
        match status {
            0 => row.tag("error_code", "1212").tag("error", "dial: connection refused"),
            500 => row.tag("error_code", "1500"),
            _ => row,
        }
    };
    rows.push(answered(tagged(Row::new("http_reqs", at, 1.0))));
    rows.push(answered(tagged(Row::new("http_req_duration", at, dice.duration()))));
    rows.push(answered(tagged(Row::new("http_req_waiting", at, dice.duration()))));
    rows.push(answered(tagged(Row::new("http_req_failed", at, f64::from(u8::from(failed))))));
    let check = Row::new("checks", at, f64::from(u8::from(!failed))).tag("check", "status, \"ok\"");
    rows.push(tags.iter().filter(|(name, _)| *name != "name").fold(check, |row, (name, text)| row.tag(name, text)));
}
