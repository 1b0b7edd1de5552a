//! What raw samples say, computed the slow and obvious way: every sample in memory, the `csv` crate, `serde_json`, plain
//! vectors of doubles, k6's percentile as its README gives it. The program is held against this.

#![allow(clippy::float_cmp, reason = "the same doubles are wanted, to the last bit")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use chrono::{DateTime, Utc};
use serde_json::Value;

/// One raw sample.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) metric: String,
    /// Nanoseconds since 1970.
    pub(crate) time: i64,
    pub(crate) value: f64,
    /// Its tags that have a column, or are tags of the object; an empty one is none.
    tags: BTreeMap<String, String>,
}

/// All samples of a file in the order of their arrival, and what else it tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raw {
    pub(crate) samples: Vec<Sample>,
    /// Kinds by metric where the file tells them.
    kinds: BTreeMap<String, Kind>,
}

/// k6's kinds of metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Trend,
    Counter,
    Rate,
    Gauge,
}

/// p50, p95 and p99 by second and name.
pub(crate) type Series = BTreeMap<(i64, String), [f64; 3]>;

/// How many failed, the first and the last second of it, and how many in each minute.
type Failed = (u64, i64, i64, BTreeMap<i64, u64>);

/// A part of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Setup,
    Test,
    Teardown,
}

/// The percentiles that a second of a series has.
pub(crate) const SERIES: [&str; 3] = ["p(50)", "p(95)", "p(99)"];

impl Kind {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "trend" => Self::Trend,
            "counter" => Self::Counter,
            "rate" => Self::Rate,
            "gauge" => Self::Gauge,
            other => panic!("{other} is no kind of k6"),
        }
    }

    /// The kind of k6's own metrics; `None` for a script's.
    pub(crate) fn built_in(metric: &str) -> Option<Self> {
        Some(match metric {
            "http_reqs" | "iterations" | "dropped_iterations" | "data_sent" | "data_received" | "ws_sessions"
            | "ws_msgs_sent" | "ws_msgs_received" => Self::Counter,
            "checks" | "http_req_failed" => Self::Rate,
            "vus" | "vus_max" => Self::Gauge,
            "http_req_duration"
            | "http_req_blocked"
            | "http_req_connecting"
            | "http_req_tls_handshaking"
            | "http_req_sending"
            | "http_req_waiting"
            | "http_req_receiving"
            | "iteration_duration"
            | "group_duration"
            | "ws_connecting"
            | "ws_session_duration"
            | "ws_ping" => Self::Trend,
            _ => return None,
        })
    }

    /// What a metric of unknown kind is taken for, by its values; a name of a time is one of a trend.
    fn guessed(name: &str, values: &[f64]) -> Self {
        let flags =
            !name.ends_with("_duration") && !values.is_empty() && values.iter().all(|value| *value == 0.0 || *value == 1.0);
        match flags {
            true if values.contains(&0.0) => Self::Rate,
            true => Self::Counter,
            false => Self::Trend,
        }
    }
}

impl Sample {
    pub(crate) fn tag(&self, name: &str) -> &str {
        self.tags.get(name).map_or("", String::as_str)
    }

    /// `setup()` and `teardown()` are groups without a scenario.
    pub(crate) fn phase(&self) -> Phase {
        let within = |group: &str| self.tag("group") == group || self.tag("group").starts_with(&format!("{group}::"));
        match self.tag("scenario").is_empty() {
            true if within("::setup") => Phase::Setup,
            true if within("::teardown") => Phase::Teardown,
            _ => Phase::Test,
        }
    }

    pub(crate) fn second(&self) -> i64 {
        self.time.div_euclid(1_000_000_000)
    }
}

/// A file of either kind, packed or not.
pub(crate) fn read(bytes: &[u8]) -> Raw {
    let bytes = unpacked(bytes);
    if bytes.first() == Some(&b'{') { ndjson(&bytes) } else { csv(&bytes) }
}

pub(crate) fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut out).unwrap();
    } else if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        out = zstd::decode_all(bytes).unwrap();
    } else {
        out.extend_from_slice(bytes);
    }
    out
}

fn csv(bytes: &[u8]) -> Raw {
    let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (name, time, value) = (at("metric_name"), at("timestamp"), at("metric_value"));
    let samples = reader.records().map(|record| {
        let record = record.unwrap();
        let tags = header
            .iter()
            .zip(&record)
            .enumerate()
            .filter(|(at, (_, text))| ![name, time, value].contains(at) && !text.is_empty());
        Sample {
            metric: record[name].to_owned(),
            time: moment(&record[time]),
            value: number(&record[value]),
            tags: tags.map(|(_, (column, text))| (column.to_owned(), text.to_owned())).collect(),
        }
    });
    Raw { samples: samples.collect(), kinds: BTreeMap::new() }
}

fn ndjson(bytes: &[u8]) -> Raw {
    let mut raw = Raw::default();
    for line in std::str::from_utf8(bytes).unwrap().lines() {
        // What k6 v0 and v1 write of an infinite sample is no JSON.
        let line = line.replace("\"value\":+Inf", "\"value\":\"+Inf\"").replace("\"value\":-Inf", "\"value\":\"-Inf\"");
        let line: Value = serde_json::from_str(&line.replace("\"value\":NaN", "\"value\":\"NaN\"")).unwrap();
        let (metric, data) = (line["metric"].as_str().unwrap().to_owned(), &line["data"]);
        if line["type"] == "Metric" {
            raw.kinds.insert(metric, Kind::named(data["type"].as_str().unwrap()));
            continue;
        }
        let tags =
            data["tags"].as_object().into_iter().flatten().map(|(tag, text)| (tag.clone(), text.as_str().unwrap().to_owned()));
        raw.samples.push(Sample {
            metric,
            time: moment(data["time"].as_str().unwrap()),
            value: data["value"].as_f64().unwrap_or_else(|| number(data["value"].as_str().unwrap())),
            tags: tags.filter(|(_, text)| !text.is_empty()).collect(),
        });
    }
    raw
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// Nanoseconds of a time in one of k6's six formats: whole numbers told apart by their digits, RFC 3339 by its `T`.
fn moment(text: &str) -> i64 {
    if text.contains('T') {
        return DateTime::parse_from_rfc3339(text).unwrap().timestamp_nanos_opt().unwrap();
    }
    let scale = match text.len() {
        10 => 1_000_000_000,
        13 => 1_000_000,
        16 => 1_000,
        19 => 1,
        _ => panic!("{text}"),
    };
    text.parse::<i64>().unwrap() * scale
}

/// k6's `P(pct)` over sorted values.
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    if sorted.len() == 1 {
        return sorted[0];
    }
    let at = share * (sorted.len() as f64 - 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * (at - at.floor())
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// One statistic of some samples by k6's name for it; the sum is taken in the order given.
pub(crate) fn stat(kind: Kind, values: &[f64], stat: &str) -> f64 {
    let sum: f64 = values.iter().sum();
    let held = values.iter().filter(|value| **value != 0.0).count() as f64;
    let sorted = sorted(values);
    match (kind, stat) {
        (Kind::Counter, "count") => sum,
        (Kind::Trend, "count") => values.len() as f64,
        (Kind::Rate, "passes") => held,
        (Kind::Rate, "fails") => values.len() as f64 - held,
        (Kind::Rate, "rate") => held / values.len() as f64,
        (Kind::Gauge, "value") => *values.last().unwrap(),
        (Kind::Trend | Kind::Gauge, "min") => sorted[0],
        (Kind::Trend | Kind::Gauge, "max") => sorted[sorted.len() - 1],
        (Kind::Trend, "avg") => sum / values.len() as f64,
        (Kind::Trend, "med") => percentile(&sorted, 0.5),
        (Kind::Trend, other) => percentile(&sorted, share(other)),
        other => panic!("{other:?}"),
    }
}

fn share(stat: &str) -> f64 {
    stat.strip_prefix("p(").and_then(|rest| rest.strip_suffix(')')).unwrap().parse::<f64>().unwrap() / 100.0
}

impl Raw {
    /// The metrics with at least one sample that is a number.
    pub(crate) fn metrics(&self) -> BTreeSet<&str> {
        self.samples.iter().filter(|sample| sample.value.is_finite()).map(|sample| sample.metric.as_str()).collect()
    }

    /// The numbers of a metric, as far as a question wants them, in the order of their times, then of arrival.
    pub(crate) fn values(&self, metric: &str, wanted: impl Fn(&Sample) -> bool) -> Vec<f64> {
        let of = |sample: &&Sample| sample.metric == metric && sample.value.is_finite() && wanted(sample);
        let mut found: Vec<&Sample> = self.samples.iter().filter(of).collect();
        found.sort_by_key(|sample| sample.time);
        found.into_iter().map(|sample| sample.value).collect()
    }

    pub(crate) fn kind(&self, metric: &str) -> Kind {
        let known = self.kinds.get(metric).copied().or_else(|| Kind::built_in(metric));
        let all = || self.samples.iter().filter(|sample| sample.metric == metric).map(|sample| sample.value).collect::<Vec<_>>();
        known.unwrap_or_else(|| Kind::guessed(metric, &all()))
    }

    /// Samples without a number by metric.
    pub(crate) fn not_finite(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| !sample.value.is_finite()) {
            *counts.entry(sample.metric.clone()).or_default() += 1;
        }
        counts
    }

    /// p50, p95 and p99 of the script's own trends by second and name, of the test phase.
    pub(crate) fn series(&self) -> Series {
        let own: BTreeSet<&str> =
            self.metrics().into_iter().filter(|name| Kind::built_in(name).is_none() && self.kind(name) == Kind::Trend).collect();
        self.series_of(|metric| own.contains(metric))
    }

    /// The same of chosen metrics.
    pub(crate) fn series_of(&self, chosen: impl Fn(&str) -> bool) -> Series {
        let mut seconds: BTreeMap<(i64, String), Vec<f64>> = BTreeMap::new();
        let wanted = |s: &&Sample| s.value.is_finite() && s.phase() == Phase::Test && chosen(&s.metric);
        for sample in self.samples.iter().filter(wanted) {
            seconds.entry((sample.second(), sample.metric.clone())).or_default().push(sample.value);
        }
        seconds.into_iter().map(|(key, values)| (key, SERIES.map(|p| stat(Kind::Trend, &values, p)))).collect()
    }

    /// The first and the last sample's time of each phase, `vus` and `vus_max` aside: they have no group whatever the phase.
    pub(crate) fn phases(&self) -> BTreeMap<Phase, (i64, i64)> {
        let mut phases: BTreeMap<Phase, (i64, i64)> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| !sample.metric.starts_with("vus")) {
            let span = phases.entry(sample.phase()).or_insert((sample.time, sample.time));
            *span = (span.0.min(sample.time), span.1.max(sample.time));
        }
        phases
    }

    /// Failed requests by phase, status and k6's error code, each by second.
    pub(crate) fn failures(&self) -> BTreeMap<(Phase, String, String), BTreeMap<i64, u64>> {
        let mut failures: BTreeMap<(Phase, String, String), BTreeMap<i64, u64>> = BTreeMap::new();
        for sample in self.samples.iter().filter(|s| s.metric == "http_req_failed" && s.value != 0.0) {
            let status = sample.tag("status").trim_start_matches('0');
            let key = (sample.phase(), status.to_owned(), sample.tag("error_code").to_owned());
            *failures.entry(key).or_default().entry(sample.second()).or_default() += 1;
        }
        failures
    }

    /// Passes and fails of each check by group and name.
    pub(crate) fn checks(&self) -> BTreeMap<(String, String), (u64, u64)> {
        let mut checks: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| sample.metric == "checks") {
            let counts = checks.entry((sample.tag("group").to_owned(), sample.tag("check").to_owned())).or_default();
            if sample.value == 0.0 { counts.1 += 1 } else { counts.0 += 1 }
        }
        checks
    }
}

/// What is wrong with a series as the program wrote it, against the reference's.
pub(crate) fn series_faults(text: &str, wanted: &Series) -> Vec<String> {
    let (mut faults, mut found) = (Vec::new(), Vec::new());
    let points: Vec<Value> = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    for point in &points {
        let time =
            DateTime::parse_from_str(&format!("{}00", point["timestamp"].as_str().unwrap()), "%Y-%m-%d %H:%M:%S%z").unwrap();
        let key = (time.timestamp(), point["metric_name"].as_str().unwrap().to_owned());
        let values = ["p50", "p95", "p99"].map(|p| point[p].as_f64().unwrap());
        match wanted.get(&key) {
            Some(exact) if *exact == values => {}
            other => faults.push(format!("{key:?}: {values:?}, not {other:?}")),
        }
        found.push(key);
    }
    if !found.is_sorted() {
        faults.push("the points are not ordered by second, then name".to_owned());
    }
    if found.len() != wanted.len() {
        faults.push(format!("{} points, not {}", found.len(), wanted.len()));
    }
    faults
}

/// The statistics that `summary` gives of a kind when nothing else is asked for.
pub(crate) fn stats_of(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Trend => &["count", "min", "avg", "med", "p(90)", "p(95)", "p(99)", "max"],
        Kind::Counter => &["count"],
        Kind::Rate => &["rate", "passes", "fails"],
        Kind::Gauge => &["value", "min", "max"],
    }
}

/// What is wrong with a summary as the program wrote it, against the samples: kinds, every value, the submetric of expected
/// responses, checks, and that nothing is there beside them.
pub(crate) fn summary_faults(summary: &Value, raw: &Raw) -> Vec<String> {
    let mut faults = Vec::new();
    let told: BTreeSet<&str> = summary["metrics"].as_object().unwrap().keys().map(String::as_str).collect();
    for name in told.symmetric_difference(&raw.metrics()).filter(|name| !raw.not_finite().contains_key(**name)) {
        faults.push(format!("{name} is in one of both only"));
    }
    for name in raw.metrics().intersection(&told) {
        let (metric, kind) = (&summary["metrics"][*name], raw.kind(name));
        if Kind::named(metric["kind"].as_str().unwrap()) != kind {
            faults.push(format!("{name} is a {}, not a {kind:?}", metric["kind"]));
            continue;
        }
        faults.extend(value_faults(name, &metric["values"], kind, &raw.values(name, |_| true)));
        let expected = raw.values(name, |sample| sample.tag("expected_response") == "true");
        let part = &metric["submetrics"]["expected_response:true"]["values"];
        if *name == "http_req_duration" && part.is_object() == expected.is_empty() {
            faults.push(format!("{name}: {} expected responses, but {part}", expected.len()));
        }
        if part.is_object() && !expected.is_empty() {
            faults.extend(value_faults(&format!("{name}{{expected_response:true}}"), part, kind, &expected));
        }
    }
    let checks = summary["checks"].as_array().unwrap().iter().map(|check| {
        let text = |key: &str| check[key].as_str().unwrap().to_owned();
        ((text("group"), text("name")), (check["passes"].as_u64().unwrap(), check["fails"].as_u64().unwrap()))
    });
    let checks: BTreeMap<_, _> = checks.collect();
    if checks != raw.checks() {
        faults.push(format!("checks {checks:?}, not {:?}", raw.checks()));
    }
    faults
}

fn value_faults(place: &str, told: &Value, kind: Kind, values: &[f64]) -> Vec<String> {
    let wrong = |name: &&&str| {
        let (found, wanted) = (told[**name].as_f64(), stat(kind, values, name));
        let summed = matches!(**name, "avg") || kind == Kind::Counter;
        // A sum in order of arrival strays from the true one by a unit of its last place or so a sample.
        let size =
            values.iter().map(|value| value.abs()).sum::<f64>() / if kind == Kind::Counter { 1.0 } else { values.len() as f64 };
        let stray = if summed { size * 1e-12 } else { 0.0 };
        !found.is_some_and(|found| (found - wanted).abs() <= stray)
    };
    let tell = |name: &&str| format!("{place} {name}: {}, not {}", told[*name], stat(kind, values, name));
    stats_of(kind).iter().filter(wrong).map(tell).collect()
}

/// What is wrong with failures as the program wrote them, against the samples: how many of each kind when, and checks.
pub(crate) fn failure_faults(told: &Value, raw: &Raw) -> Vec<String> {
    let mut faults = Vec::new();
    let mut found: BTreeMap<(Phase, String, String), Failed> = BTreeMap::new();
    for population in told["populations"].as_array().unwrap() {
        let text = |key: &str| population[key].as_u64().map(|n| n.to_string()).unwrap_or_default();
        let phase = match population["phase"].as_str().unwrap() {
            "setup" => Phase::Setup,
            "test" => Phase::Test,
            _ => Phase::Teardown,
        };
        let (first, last) = (second(&population["first"]), second(&population["last"]));
        let entry = found.entry((phase, text("status"), text("error_code"))).or_insert((0, first, last, BTreeMap::new()));
        *entry = (
            entry.0 + population["count"].as_u64().unwrap(),
            entry.1.min(first),
            entry.2.max(last),
            std::mem::take(&mut entry.3),
        );
        let mut most = 0;
        for minute in population["per_minute"].as_array().into_iter().flatten() {
            let count = minute["count"].as_u64().unwrap();
            most = most.max(count);
            *entry.3.entry(second(&minute["minute"])).or_default() += count;
        }
        if population["peak_per_minute"].as_u64() != Some(most) {
            faults.push(format!("peak {}, but {most} in a minute: {population}", population["peak_per_minute"]));
        }
    }
    let wanted: BTreeMap<_, _> = raw.failures().into_iter().map(|(key, seconds)| (key, by_minute(&seconds))).collect();
    if found != wanted {
        faults.push(format!("failures {found:?}, not {wanted:?}"));
    }
    let number = |metric: &str, failed: bool| {
        let values = raw.values(metric, |_| true);
        let counted = values.iter().filter(|value| !failed || **value != 0.0).count();
        (!values.is_empty()).then_some(counted as u64)
    };
    for (key, wanted) in [("requests", number("http_reqs", false)), ("failed", number("http_req_failed", true))] {
        if told[key].as_u64() != wanted {
            faults.push(format!("{key} {}, not {wanted:?}", told[key]));
        }
    }
    faults
}

fn by_minute(seconds: &BTreeMap<i64, u64>) -> Failed {
    let mut minutes = BTreeMap::new();
    for (second, count) in seconds {
        *minutes.entry(second - second.rem_euclid(60)).or_default() += count;
    }
    (seconds.values().sum(), *seconds.keys().next().unwrap(), *seconds.keys().last().unwrap(), minutes)
}

/// The second of a moment as the program writes it.
pub(crate) fn second(told: &Value) -> i64 {
    let text = told.as_str().unwrap_or_else(|| panic!("{told} is no moment"));
    // A minute alone has no seconds: `2026-11-30T09:13Z`.
    let whole = if text.len() == 17 { text.replace('Z', ":00Z") } else { text.to_owned() };
    let time: DateTime<Utc> = DateTime::parse_from_rfc3339(&whole).unwrap_or_else(|error| panic!("{text}: {error}")).to_utc();
    time.timestamp()
}
