//! Rows of `--out csv` and lines of `--out json`: one metric, one moment, one value, the tags.

use std::io::{self, Write};

use chrono::DateTime;
use clap::ValueEnum;

/// The output of k6 that is made.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// `--out csv`: one row a sample, time in whole seconds
    Csv,
    /// `--out json`: one object a line, every metric declared before its first sample
    Json,
}

/// Which tags are written, in the order of their columns: by name, whatever order `--system-tags` had.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Columns {
    /// All default tags
    All,
    /// `proto,status,method,group,check,error,error_code,scenario,expected_response`
    Runner,
}

impl Columns {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &[
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
            ],
            Self::Runner => {
                &["check", "error", "error_code", "expected_response", "group", "method", "proto", "scenario", "status"]
            }
        }
    }
}

/// The metrics of the made run.
#[derive(Clone, Copy)]
pub(crate) enum Metric {
    Requests,
    Duration,
    Blocked,
    Connecting,
    TlsHandshaking,
    Sending,
    Waiting,
    Receiving,
    Failed,
    Checks,
    DataSent,
    DataReceived,
    GroupDuration,
    IterationDuration,
    Iterations,
    Vus,
    VusMax,
    CreateUser,
    AddSession,
    SetSession,
    Token,
}

impl Metric {
    /// Name, type, and what it contains, as k6 declares them.
    fn declared(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Requests => ("http_reqs", "counter", "default"),
            Self::Duration => ("http_req_duration", "trend", "time"),
            Self::Blocked => ("http_req_blocked", "trend", "time"),
            Self::Connecting => ("http_req_connecting", "trend", "time"),
            Self::TlsHandshaking => ("http_req_tls_handshaking", "trend", "time"),
            Self::Sending => ("http_req_sending", "trend", "time"),
            Self::Waiting => ("http_req_waiting", "trend", "time"),
            Self::Receiving => ("http_req_receiving", "trend", "time"),
            Self::Failed => ("http_req_failed", "rate", "default"),
            Self::Checks => ("checks", "rate", "default"),
            Self::DataSent => ("data_sent", "counter", "data"),
            Self::DataReceived => ("data_received", "counter", "data"),
            Self::GroupDuration => ("group_duration", "trend", "time"),
            Self::IterationDuration => ("iteration_duration", "trend", "time"),
            Self::Iterations => ("iterations", "counter", "default"),
            Self::Vus => ("vus", "gauge", "default"),
            Self::VusMax => ("vus_max", "gauge", "default"),
            Self::CreateUser => ("user_create_user_duration", "trend", "time"),
            Self::AddSession => ("session_add_session_duration", "trend", "time"),
            Self::SetSession => ("session_set_session_duration", "trend", "time"),
            Self::Token => ("oidc_token_duration", "trend", "time"),
        }
    }

    /// Whether a series of the run asks for it.
    fn has_series(self) -> bool {
        matches!(
            self,
            Self::Duration | Self::IterationDuration | Self::CreateUser | Self::AddSession | Self::SetSession | Self::Token
        )
    }
}

/// The tags of a sample; an empty one is absent. `group` is empty at the root, and absent from samples that nobody's code made.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tags<'a> {
    pub(crate) check: &'a str,
    pub(crate) error: &'a str,
    pub(crate) error_code: &'a str,
    pub(crate) expected_response: &'a str,
    pub(crate) group: Option<&'a str>,
    pub(crate) method: &'a str,
    pub(crate) proto: &'a str,
    pub(crate) scenario: &'a str,
    pub(crate) status: &'a str,
    pub(crate) tls_version: &'a str,
    pub(crate) url: &'a str,
}

impl<'a> Tags<'a> {
    fn get(&self, tag: &str) -> Option<&'a str> {
        let value = match tag {
            "check" => self.check,
            "error" => self.error,
            "error_code" => self.error_code,
            "expected_response" => self.expected_response,
            "group" => return self.group,
            "method" => self.method,
            "proto" => self.proto,
            "scenario" => self.scenario,
            "status" => self.status,
            "tls_version" => self.tls_version,
            "name" | "url" => self.url,
            _ => "",
        };
        (!value.is_empty()).then_some(value)
    }
}

/// Rows on their way to the file, a page at a time.
pub(crate) struct Rows<W> {
    form: Form,
    columns: Columns,
    only_series: bool,
    out: W,
    page: Vec<u8>,
    /// What follows the value: made once for all samples of one request.
    tail: Vec<u8>,
    declared: u32,
    second: (u64, String),
    pub(crate) written: u64,
    pub(crate) bytes: u64,
}

/// Bytes that are gathered before they are written.
const PAGE: usize = 1 << 20;

impl<W: Write> Rows<W> {
    /// Rows into `out`, with the header where there is one; `only_series` leaves out what no series asks for.
    pub(crate) fn new(form: Form, columns: Columns, only_series: bool, out: W) -> io::Result<Self> {
        let mut page = Vec::with_capacity(2 * PAGE);
        if form == Form::Csv {
            let names = columns.names().join(",");
            writeln!(page, "metric_name,timestamp,metric_value,{names},extra_tags,metadata")?;
        }
        let second = (u64::MAX, String::new());
        Ok(Self { form, columns, only_series, out, page, tail: Vec::new(), declared: 0, second, written: 0, bytes: 0 })
    }

    /// The tags of all rows from here on.
    pub(crate) fn tag(&mut self, tags: &Tags<'_>) {
        self.tail.clear();
        match self.form {
            Form::Csv => csv_tail(&mut self.tail, self.columns, tags),
            Form::Json => json_tail(&mut self.tail, self.columns, tags),
        }
    }

    /// One sample: `at` in nanoseconds since 1970, `millionths` the value times a million, which for a time are its nanoseconds.
    pub(crate) fn row(&mut self, metric: Metric, at: u64, millionths: u64) -> io::Result<()> {
        if self.only_series && !metric.has_series() {
            return Ok(());
        }
        match self.form {
            Form::Csv => self.csv_row(metric, at, millionths),
            Form::Json => self.json_line(metric, at, millionths)?,
        }
        self.written += 1;
        if self.page.len() >= PAGE { self.turn() } else { Ok(()) }
    }

    fn csv_row(&mut self, metric: Metric, at: u64, millionths: u64) {
        let page = &mut self.page;
        page.extend_from_slice(metric.declared().0.as_bytes());
        page.push(b',');
        digits(page, at / 1_000_000_000, 1);
        page.push(b',');
        digits(page, millionths / 1_000_000, 1);
        page.push(b'.');
        digits(page, millionths % 1_000_000, 6);
        page.extend_from_slice(&self.tail);
    }

    fn json_line(&mut self, metric: Metric, at: u64, millionths: u64) -> io::Result<()> {
        let name = metric.declared().0;
        self.declare(metric)?;
        self.look_at_the_clock(at / 1_000_000_000);
        let page = &mut self.page;
        page.extend_from_slice(br#"{"metric":""#);
        page.extend_from_slice(name.as_bytes());
        page.extend_from_slice(br#"","type":"Point","data":{"time":""#);
        page.extend_from_slice(self.second.1.as_bytes());
        fraction(page, at % 1_000_000_000, 9);
        page.extend_from_slice(br#"Z","value":"#);
        digits(page, millionths / 1_000_000, 1);
        fraction(page, millionths % 1_000_000, 6);
        page.extend_from_slice(&self.tail);
        Ok(())
    }

    fn declare(&mut self, metric: Metric) -> io::Result<()> {
        let bit = 1 << metric as u32;
        if self.declared & bit != 0 {
            return Ok(());
        }
        self.declared |= bit;
        let (name, kind, contains) = metric.declared();
        let submetrics = match metric {
            Metric::Duration => {
                r#"[{"name":"http_req_duration{expected_response:true}","suffix":"expected_response:true","tags":{"expected_response":"true"}}]"#
            }
            _ => "null",
        };
        self.written += 1;
        writeln!(
            self.page,
            r#"{{"type":"Metric","data":{{"name":"{name}","type":"{kind}","contains":"{contains}","thresholds":[],"submetrics":{submetrics}}},"metric":"{name}"}}"#
        )
    }

    fn look_at_the_clock(&mut self, second: u64) {
        if self.second.0 != second {
            let moment = i64::try_from(second).ok().and_then(|second| DateTime::from_timestamp(second, 0)).unwrap_or_default();
            self.second = (second, moment.format("%Y-%m-%dT%H:%M:%S").to_string());
        }
    }

    fn turn(&mut self) -> io::Result<()> {
        self.bytes += self.page.len() as u64;
        self.out.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }

    /// Everything that was gathered is in the file.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.turn()?;
        self.out.flush()
    }
}

fn csv_tail(tail: &mut Vec<u8>, columns: Columns, tags: &Tags<'_>) {
    for name in columns.names() {
        tail.push(b',');
        let value = tags.get(name).unwrap_or_default();
        if value.contains(',') {
            tail.push(b'"');
            tail.extend_from_slice(value.as_bytes());
            tail.push(b'"');
        } else {
            tail.extend_from_slice(value.as_bytes());
        }
    }
    tail.extend_from_slice(b",,\n");
}

fn json_tail(tail: &mut Vec<u8>, columns: Columns, tags: &Tags<'_>) {
    tail.extend_from_slice(br#","tags":{"#);
    let given = columns.names().iter().filter_map(|name| Some((name, tags.get(name)?)));
    for (index, (name, value)) in given.enumerate() {
        tail.extend_from_slice(if index == 0 { b"\"" } else { b",\"" });
        tail.extend_from_slice(name.as_bytes());
        tail.extend_from_slice(br#"":""#);
        tail.extend_from_slice(value.as_bytes());
        tail.push(b'"');
    }
    tail.extend_from_slice(b"}}}\n");
}

/// A whole number with zeros in front up to `width` digits.
fn digits(page: &mut Vec<u8>, number: u64, width: usize) {
    let mut shown = [b'0'; 20];
    let (mut rest, mut start) = (number, shown.len());
    while rest > 0 {
        start -= 1;
        shown[start] = b"0123456789"[(rest % 10) as usize];
        rest /= 10;
    }
    page.extend_from_slice(&shown[start.min(shown.len() - width)..]);
}

/// What is behind the point, without zeros at the end, and no point where nothing is: `number` of 10 to the power of `width`.
fn fraction(page: &mut Vec<u8>, number: u64, width: usize) {
    if number > 0 {
        page.push(b'.');
        digits(page, number, width);
        while page.ends_with(b"0") {
            page.pop();
        }
    }
}
