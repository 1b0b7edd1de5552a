//! `<target>-output.json`, published as `output.json`: percentiles of each second, an object a second and metric.
//!
//! Ordered by second then name, or by name then second; times with any UTC offset; milliseconds, of which whole
//! microseconds are kept.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::limits::SERIES_TRENDS;
use crate::model::series::{Series, SeriesPoint, TrendSeries};
use crate::source::{Source, Span};

/// Whether a text is such a file: an array whose first object has the keys of a point.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let text = source.text().trim_start();
    let Some(inner) = text.strip_prefix('[').map(str::trim_start).filter(|inner| inner.starts_with('{')) else { return false };
    let first = inner.split_once('}').map_or(inner, |(first, _)| first);
    ["\"metric_name\"", "\"timestamp\"", "\"p50\""].iter().all(|key| first.contains(key))
}

/// Reads it.
///
/// # Errors
/// All faults, of the points the first ones with the number of the others: no JSON array, a point without a name, a time without an offset, a value that is no number of
/// milliseconds, two points of one second and metric that differ.
pub fn read(source: &Source) -> Result<Series, Faults> {
    // Kept as text, and made a value one by one: a value is six times its text.
    let rows: Vec<&RawValue> = serde_json::from_str(source.text()).map_err(|error| not_json(source, &error))?;
    let mut faults = FirstFaults::default();
    let mut points: BTreeMap<String, BTreeMap<i64, (usize, SeriesPoint)>> = BTreeMap::new();
    for (at, row) in rows.into_iter().enumerate() {
        let row = serde_json::from_str::<Value>(row.get());
        let (name, point) = match row.as_ref().map_err(unreadable).and_then(read_point) {
            Ok(read) => read,
            Err(wrong) => {
                faults.push(|| Diagnostic::error("bad-point", wrong.message).at(place(source, at)).help(wrong.help));
                continue;
            }
        };
        if points.len() == SERIES_TRENDS && !points.contains_key(name) {
            return Err(too_many(source, at).into());
        }
        let seconds = points.entry(name.to_owned()).or_default();
        let earlier = seconds.entry(point.second).or_insert((at, point));
        if earlier.1 != point {
            faults.push(|| contradiction(source, name, earlier.0, at));
        }
    }
    Faults::check(faults.told())?;
    let trend = |seconds: BTreeMap<i64, (usize, SeriesPoint)>| TrendSeries {
        points: seconds.into_values().map(|(_, p)| p).collect(),
        successes: None,
    };
    Ok(Series { trends: points.into_iter().map(|(name, seconds)| (name, trend(seconds))).collect(), ..Series::default() })
}

/// What is wrong with a point, and what to do.
struct Wrong {
    message: String,
    help: &'static str,
}

/// A point that is JSON and can't be made all the same: nested without end, or with halves of letters.
fn unreadable(error: &serde_json::Error) -> Wrong {
    let words = error.to_string();
    let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
    Wrong { message: format!("a point can't be read: {words}"), help: "write the series again" }
}

fn read_point(row: &Value) -> Result<(&str, SeriesPoint), Wrong> {
    let help = "a point is {\"metric_name\":\"a\",\"timestamp\":\"2026-08-27 16:03:44+00\",\"p50\":1.5,\"p95\":2,\"p99\":3}";
    let wrong = |message: &str| Wrong { message: message.to_owned(), help };
    let row = row.as_object().ok_or_else(|| wrong("a point is no object"))?;
    let name = row.get("metric_name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| wrong("a point has no `metric_name`"))?;
    let time = row.get("timestamp").and_then(Value::as_str).ok_or_else(|| wrong("a point has no `timestamp`"))?;
    let second = second(time).ok_or_else(|| Wrong {
        message: format!("`{time}` is no whole second with an offset from UTC"),
        help: "write it like `2026-08-27 16:03:44+00`, `+02:00` or `Z`",
    })?;
    let (p50, p95, p99) = (micros(row, "p50")?, micros(row, "p95")?, micros(row, "p99")?);
    Ok((name, SeriesPoint { second, p50, p95, p99, count: row.get("count").and_then(Value::as_u64) }))
}

/// Seconds since 1970 of a time of day with its offset.
fn second(text: &str) -> Option<i64> {
    let text = text.trim().replacen('T', " ", 1);
    let text = text.strip_suffix('Z').map_or_else(|| text.clone(), |bare| format!("{}+00", bare.trim_end()));
    let sign = text.rfind(['+', '-']).filter(|at| *at > 10)?;
    let (time, offset) = text.split_at(sign);
    let offset = if offset.len() == 3 { format!("{offset}00") } else { offset.to_owned() };
    let whole = format!("{}{offset}", time.trim_end());
    let at: DateTime<FixedOffset> = DateTime::parse_from_str(&whole, "%Y-%m-%d %H:%M:%S%.f%z").ok()?;
    (at.timestamp_subsec_nanos() == 0).then(|| at.timestamp())
}

/// A value in milliseconds as whole microseconds.
fn micros(row: &Map<String, Value>, key: &str) -> Result<i64, Wrong> {
    let help = "percentiles are numbers of milliseconds";
    let value = row.get(key).ok_or_else(|| Wrong { message: format!("a point has no `{key}`"), help })?;
    let number = value.as_f64().map(|ms| (ms * 1000.0).round()).filter(|us| (0.0..9.0e15).contains(us));
    #[allow(clippy::cast_possible_truncation, reason = "checked: from 0 to 9e15")]
    number.map(|us| us as i64).ok_or_else(|| Wrong { message: format!("`{key}` is {value}, no length of time"), help })
}

fn not_json(source: &Source, error: &serde_json::Error) -> Faults {
    let line = source.at_line(error.line().max(1));
    Diagnostic::error("bad-json", format!("no JSON array of points: {error}"))
        .at(line)
        .help("write the series again; a file that ends early was cut")
        .into()
}

fn too_many(source: &Source, at: usize) -> Diagnostic {
    Diagnostic::error("too-many-trends", format!("there are more than {SERIES_TRENDS} metrics"))
        .at(place(source, at).labelled("one more"))
        .help("a script has a few trends: what stands there are no names of metrics")
}

fn contradiction(source: &Source, name: &str, earlier: usize, later: usize) -> Diagnostic {
    Diagnostic::error("contradicting-points", format!("`{name}` has two points in one second that differ"))
        .at(place(source, later).labelled("here"))
        .at(place(source, earlier).labelled("and here"))
        .help("keep the one that is true")
}

/// Where the point of an index stands; looked for only when something is wrong with it.
fn place(source: &Source, index: usize) -> crate::source::Place {
    source.at(span_of(source.text(), index).unwrap_or(0..0))
}

fn span_of(text: &str, index: usize) -> Option<Span> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let (mut seen, mut start) = (0_usize, None);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let between = depth == 1 && !quoted && matches!(c, ',' | '[') || depth == 0;
        match start {
            None if depth >= 1 && !between && !c.is_whitespace() => start = Some(at),
            Some(begin) if between => {
                if seen == index {
                    let value = text.get(begin..at)?.trim_end();
                    return Some(begin..begin + value.len());
                }
                seen += 1;
                start = None;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Source {
        Source::new("a-output.json", text)
    }

    fn point(name: &str, time: &str, p50: &str) -> String {
        format!("\t{{\"metric_name\":\"{name}\",\"timestamp\":\"{time}\",\"p50\":{p50},\"p95\":2,\"p99\":3}}")
    }

    fn array(points: &[String]) -> Source {
        file(&format!("[\n{}\n]\n", points.join(",\n")))
    }

    #[test]
    fn any_offset_is_the_same_second() {
        let times = [
            "2026-08-27 16:03:44+00",
            "2026-08-27 18:03:44+02",
            "2026-08-27T16:03:44Z",
            "2026-08-27 18:03:44+02:00",
            "2026-08-27 14:33:44.000-0130",
        ];
        for time in times {
            assert_eq!(second(time), Some(1_787_846_624), "{time}");
        }
        assert_eq!(second("2026-08-27 16:03:44"), None);
        assert_eq!(second("2026-08-27 16:03:44.5+00"), None);
    }

    #[test]
    fn either_order_gives_the_same_series() {
        let (a0, a1) = (point("a", "2026-08-27 16:03:44+00", "1.0004"), point("a", "2026-08-27 16:03:45+00", "1.5"));
        let b0 = point("b", "2026-08-27 16:03:44+00", "7");
        let by_second = array(&[a0.clone(), b0.clone(), a1.clone()]);
        assert!(sniff(&by_second));
        let series = read(&by_second);
        assert_eq!(series, read(&array(&[a1, a0, b0])));
        let series = series.unwrap_or_else(|faults| unreachable!("{faults}"));
        assert_eq!(series.trends["a"].points.iter().map(|p| p.p50).collect::<Vec<_>>(), [1_000, 1_500]);
    }

    #[test]
    fn all_faults_come_out_with_their_lines() {
        let points = [
            point("a", "2026-08-27 16:03:44+00", "1"),
            point("a", "2026-08-27 16:03:44+00", "2"),
            point("a", "yesterday", "1"),
            point("a", "2026-08-27 16:03:46+00", "null"),
            "\t7".to_owned(),
        ];
        let faults = read(&array(&points)).err().unwrap_or_else(|| unreachable!());
        insta::assert_snapshot!(faults.to_string());
    }

    #[test]
    fn a_file_that_was_cut_is_a_fault() {
        let text = array(&[point("a", "2026-08-27 16:03:44+00", "1")]);
        let cut = file(&text.text()[..40]);
        assert!(read(&cut).is_err());
        assert!(!sniff(&file("[]")) && !sniff(&file("{\"metrics\":{}}")));
    }
}
