//! `--out json`: an object a line, `Metric` before the first `Point` of each metric.
//!
//! Every version of k6 writes the keys of a point in one order, so a row begins
//! `{"metric":"NAME","type":"Point","data":{"time":"TIME","value":VALUE,` and ends in its tags. What does not begin so is read
//! as JSON. k6 v0 and v1 write `+Inf` for an infinite value, which is none.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use super::clock;
use super::fault::{Fault, text_of};
use super::number::{self, Number};
use super::rows::{Layout, Row, Whole};
use super::tags::{Tags, Told};
use super::tally::Time;
use crate::limits::RAW_THRESHOLDS;
use crate::model::builtin;
use crate::model::summary::{MetricKind, MetricUnit};

const OPENING: &[u8] = b"{\"metric\":\"";
const BETWEEN: &[u8] = b"\",\"type\":\"Point\",\"data\":{\"time\":\"";
const TO_VALUE: &[u8] = b"\",\"value\":";
const HELP: &str =
    "a line is an object as k6 writes it: remove what was put between them, or write the file with --out json=FILE again";

/// What a `Metric` line says of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) kind: MetricKind,
    pub(super) unit: Option<MetricUnit>,
    /// The sources of its thresholds.
    pub(super) thresholds: Vec<String>,
    /// The same of its parts, by their tags.
    pub(super) parts: BTreeMap<String, Vec<String>>,
}

impl Declared {
    /// Its thresholds and parts, and the thresholds of these.
    fn size(&self) -> usize {
        self.thresholds.len() + self.parts.values().map(|thresholds| thresholds.len() + 1).sum::<usize>()
    }

    /// Takes what another line says of the same metric: nothing depends on which comes first, since threads and load
    /// generators have no order.
    fn join(&mut self, other: Self) {
        self.unit = self.unit.max(other.unit);
        join(&mut self.thresholds, other.thresholds);
        for (tags, thresholds) in other.parts {
            join(self.parts.entry(tags).or_insert_with(|| thresholds.clone()), thresholds);
        }
    }
}

/// Notes what a line says of a metric, whichever line comes first; gives back the kind it was declared as before, if that is
/// another.
pub(super) fn declare(known: &mut BTreeMap<String, Declared>, metric: &str, declared: Declared) -> Result<(), MetricKind> {
    match known.get_mut(metric) {
        Some(known) if known.kind != declared.kind => return Err(known.kind),
        Some(known) => known.join(declared),
        None => _ = known.insert(metric.to_owned(), declared),
    }
    Ok(())
}

/// The same list stays as it is; of unlike ones all members, sorted.
fn join(known: &mut Vec<String>, more: Vec<String>) {
    if *known != more {
        known.extend(more);
        known.sort_unstable();
        known.dedup();
    }
}

/// A thread's view of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Ndjson {
    /// Bytes before the first line: a byte order mark.
    skip: usize,
    /// What `Metric` lines said.
    pub(super) declared: BTreeMap<String, Declared>,
    /// Whether a time had a fraction of a second.
    pub(super) has_fractions: bool,
    /// A time's text up to its seconds, with the nanoseconds of that minute, and the offset at its end.
    minute: Vec<u8>,
    minute_ns: i64,
    zone: Vec<u8>,
}

#[derive(Deserialize)]
struct WireLine<'a> {
    #[serde(borrow, default)]
    metric: Cow<'a, str>,
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    data: &'a serde_json::value::RawValue,
}

#[derive(Deserialize)]
struct WirePoint<'a> {
    #[serde(borrow)]
    time: Cow<'a, str>,
    #[serde(borrow)]
    value: &'a serde_json::value::RawValue,
    #[serde(default)]
    tags: Option<Tags<'static>>,
}

#[derive(Deserialize)]
struct WireTail {
    #[serde(default)]
    tags: Option<Tags<'static>>,
}

#[derive(Deserialize)]
struct WireMetric {
    #[serde(rename = "type")]
    kind: MetricKind,
    #[serde(default)]
    contains: Option<String>,
    #[serde(default)]
    thresholds: Option<Vec<String>>,
    #[serde(default)]
    submetrics: Option<Vec<WirePart>>,
}

#[derive(Deserialize)]
struct WirePart {
    suffix: String,
    #[serde(default)]
    thresholds: Option<Vec<String>>,
}

impl Ndjson {
    pub(super) fn new(skip: usize) -> Self {
        Self { skip, ..Self::default() }
    }

    /// The time of a text; one of the minute of the last is added up instead of parsed.
    fn time_of(&mut self, text: &[u8]) -> Option<Time> {
        if let Some(ns) = self.in_minute(text) {
            return Some(Time::new(ns));
        }
        let ns = clock::rfc3339(text)?;
        self.has_fractions |= text.get(19) == Some(&b'.');
        let zone = text.get(19..)?.iter().position(|byte| !matches!(byte, b'.' | b'0'..=b'9')).map(|at| at + 19)?;
        // A leap second is no second of its minute here.
        if clock::rfc3339(&[text.get(..17)?, b"00", &text[zone..]].concat()) == Some(ns - ns.rem_euclid(60_000_000_000)) {
            self.minute = text[..17].to_vec();
            self.zone = text[zone..].to_vec();
            self.minute_ns = ns - ns.rem_euclid(60_000_000_000);
        }
        Some(Time::new(ns))
    }

    fn in_minute(&self, text: &[u8]) -> Option<i64> {
        if self.minute.is_empty() {
            return None;
        }
        let rest = text.strip_prefix(self.minute.as_slice())?.strip_suffix(self.zone.as_slice())?;
        let digit = |at: usize| rest.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10);
        let second = i64::from(digit(0)? * 10 + digit(1)?);
        let mut ns = second * 1_000_000_000;
        if rest.len() > 2 {
            // A fraction was seen before, or this text goes the long way.
            let digits =
                rest.get(3..).filter(|digits| rest[2] == b'.' && self.has_fractions && (1..=9).contains(&digits.len()))?;
            let mut scale = 100_000_000;
            for byte in digits {
                let digit = byte.wrapping_sub(b'0');
                if digit > 9 {
                    return None;
                }
                ns += i64::from(digit) * scale;
                scale /= 10;
            }
        }
        (second < 60).then_some(self.minute_ns + ns)
    }

    fn point<'a>(&mut self, line: &'a str, wire: &WireLine<'a>) -> Result<Row<'a>, Fault> {
        let bad = |message: String, help: &'static str, part: &str| {
            let at = part.as_ptr() as usize - line.as_ptr() as usize;
            Fault::new("bad-row", message, help).at(at..at + part.len())
        };
        let data = wire.data.get();
        let point: WirePoint<'a> =
            serde_json::from_str(data).map_err(|error| bad(format!("this is no point: {error}"), HELP, data))?;
        let text = point.value.get();
        // Before v2, k6's `+Inf` was put between quotes for the sake of the JSON reader.
        let value = number::parse(text.trim_matches('"')).ok_or_else(|| bad(format!("`{text}` is no number"), HELP, text))?;
        let Some(time) = self.time_of(point.time.as_bytes()) else {
            let message = format!("`{}` is no time that k6 writes", point.time);
            return Err(Fault::new("bad-time", message, "times are RFC 3339, after 1970"));
        };
        if wire.metric.is_empty() {
            return Err(Fault::new("bad-row", "this point names no metric", HELP));
        }
        let tags = point.tags.unwrap_or_default();
        Ok(Row { metric: wire.metric.clone(), time, value, tags, end: 0 })
    }

    fn declare(&mut self, name: &str, data: &str) -> Result<(), Fault> {
        let wire: WireMetric = serde_json::from_str(data)
            .map_err(|error| Fault::new("bad-row", format!("this declares no metric: {error}"), HELP))?;
        let unit = builtin::unit(wire.kind, wire.contains.as_deref(), name);
        let parts = wire.submetrics.unwrap_or_default();
        let parts = parts.into_iter().map(|part| (part.suffix, part.thresholds.unwrap_or_default())).collect();
        let declared = Declared { kind: wire.kind, unit, thresholds: wire.thresholds.unwrap_or_default(), parts };
        let kind = declared.kind;
        declare(&mut self.declared, name, declared).map_err(|known| {
            let message = format!("`{name}` is a {kind:?} here and a {known:?} before").to_lowercase();
            Fault::new("second-header", message, "these are two runs put together: split them, and give them one by one")
        })?;
        if self.declared.get(name).is_some_and(|declared| declared.size() > RAW_THRESHOLDS) {
            let message = format!("`{name}` has more than {RAW_THRESHOLDS} thresholds and parts");
            return Err(Fault::new("too-many-thresholds", message, "a script of k6 declares a few: what stands there are none"));
        }
        Ok(())
    }
}

/// What k6 writes where a number is none, and JSON does not take.
const NO_NUMBERS: [&str; 3] = ["+Inf", "-Inf", "NaN"];

fn is_repaired(text: &str) -> bool {
    NO_NUMBERS.contains(&text)
}

/// The line with k6's invalid numbers between quotes, where it has some.
fn repaired(line: &str) -> Option<String> {
    NO_NUMBERS.iter().find_map(|word| {
        let wrong = format!("\"value\":{word},");
        line.contains(&wrong).then(|| line.replacen(&wrong, &format!("\"value\":\"{word}\","), 1))
    })
}

impl Layout for Ndjson {
    const QUOTES: bool = false;

    fn header(&self) -> usize {
        self.skip
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn opening(&self, metric: &str) -> Vec<u8> {
        // A name that JSON has to escape is read as JSON.
        if metric.bytes().any(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&')) {
            return Vec::new();
        }
        [OPENING, metric.as_bytes(), BETWEEN].concat()
    }

    #[inline]
    fn name<'a>(&self, bytes: &'a [u8], start: usize) -> Option<(&'a [u8], usize)> {
        let rest = bytes.get(start..)?.strip_prefix(OPENING)?;
        let end = memchr::memchr2(b'"', b'\\', rest.get(..256).unwrap_or(rest))?;
        rest[end..].starts_with(BETWEEN).then(|| (&rest[..end], start + OPENING.len() + end + BETWEEN.len()))
    }

    #[inline]
    fn time(&mut self, bytes: &[u8], start: usize) -> Option<(Time, usize)> {
        let rest = bytes.get(start..bytes.len().min(start + 48))?;
        let end = memchr::memchr(b'"', rest)?;
        let time = self.time_of(&rest[..end])?;
        rest[end..].starts_with(TO_VALUE).then_some((time, start + end + TO_VALUE.len()))
    }

    #[inline]
    fn value(&self, bytes: &[u8], start: usize) -> Option<(Number, usize)> {
        let rest = bytes.get(start..bytes.len().min(start + 32))?;
        let end = memchr::memchr(b',', rest)?;
        // `1` is the value of every counted request.
        if &rest[..end] == b"1" {
            return Some((Number::Millionths(1_000_000), start + 2));
        }
        // What JSON does not take is no value here either, or it were one only behind rows like it.
        let text = std::str::from_utf8(&rest[..end]).ok()?;
        let number = if number::is_json(text) || is_repaired(text) { number::parse(text)? } else { return None };
        Some((number, start + end + 1))
    }

    #[inline]
    fn end(&self, bytes: &[u8], tail: usize) -> Option<usize> {
        memchr::memchr(b'\n', bytes.get(tail..)?).map(|end| tail + end + 1)
    }

    fn tags<'a>(&self, tail: &'a [u8]) -> Option<Tags<'a>> {
        let text = std::str::from_utf8(tail).ok()?.trim_end();
        // `"tags":{...},"metadata":{...}}}`: the end of the data and of the line.
        let inner = text.strip_suffix("}}")?;
        let whole = format!("{{{inner}}}");
        let wire: WireTail = serde_json::from_str(&whole).ok()?;
        Some(wire.tags.unwrap_or_default())
    }

    fn whole<'a>(&mut self, bytes: &'a [u8], start: usize) -> Whole<'a> {
        let Some(end) = self.end(bytes, start) else { return Whole::Incomplete };
        let row = &bytes[start..end];
        let text = match text_of(row) {
            Ok(text) => text,
            Err(fault) => return Whole::Fault(fault),
        };
        match self.line(text) {
            Ok(Some(point)) => Whole::Row(Box::new(Row { end, ..point })),
            Ok(None) => Whole::Aside(end),
            Err(fault) => Whole::Fault(fault),
        }
    }

    fn cut(&self, rest: &[u8]) -> Option<Fault> {
        // A line of k6 begins with a brace. One that was cut is no whole object, or one of k6's without its line end.
        let whole = || serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok();
        let of_k6 = || std::str::from_utf8(rest).is_ok_and(|text| self.clone().line(text).is_ok());
        (!rest.starts_with(b"{") || (whole() && !of_k6())).then(|| Fault::new("bad-row", "this is no line that k6 writes", HELP))
    }

    fn told(&self) -> Told {
        Told { group: true, scenario: true }
    }
}

impl Ndjson {
    /// Reads a line: a point, or something aside.
    fn line<'a>(&mut self, text: &'a str) -> Result<Option<Row<'a>>, Fault> {
        let no_line = |error: &serde_json::Error| {
            let what = if text.trim().is_empty() {
                "here is an empty line".to_owned()
            } else {
                format!("this is no line that k6 writes: {error}")
            };
            Fault::new("bad-row", what, HELP)
        };
        match serde_json::from_str::<WireLine<'a>>(text) {
            Ok(wire) => self.wire(text, &wire),
            Err(error) => {
                let repaired = repaired(text).ok_or_else(|| no_line(&error))?;
                let wire: WireLine<'_> = serde_json::from_str(&repaired).map_err(|_| no_line(&error))?;
                Ok(self.wire(&repaired, &wire)?.map(Row::into_owned))
            }
        }
    }

    fn wire<'a>(&mut self, text: &'a str, wire: &WireLine<'a>) -> Result<Option<Row<'a>>, Fault> {
        match wire.kind.as_ref() {
            "Point" => self.point(text, wire).map(Some),
            "Metric" => self.declare(&wire.metric, wire.data.get()).map(|()| None),
            other => Err(Fault::new("bad-row", format!("`{other}` is neither Metric nor Point"), HELP)),
        }
    }
}
