//! `series.json`: per-second series, compact.
//!
//! ```text
//! {"schema": 1,
//!  "unit": "us",
//!  "trends": {"add_session_duration": {
//!     "second": [1753871546, 1, 1, ...],     the first second since 1970 in UTC, then steps
//!     "p50": [749111, 163798, -10372, ...],  the first value in microseconds, then differences
//!     "p95": [...], "p99": [...],
//!     "count": [...] }}}                     samples, as differences too; absent where the source has none
//! ```
//!
//! Differences of whole microseconds are short numbers, so 1,800 seconds of three trends stay small in git. Values are
//! exact to the microsecond; a source with more digits was rounded at the door.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record_json::{bad_json, check_schema};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::series::{Series, SeriesPoint, TrendSeries};
use crate::source::Source;

/// The version of this shape.
const SCHEMA: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Wire {
    schema: u32,
    unit: String,
    trends: BTreeMap<String, WireTrend>,
}

#[derive(Serialize, Deserialize)]
struct WireTrend {
    second: Vec<i64>,
    p50: Vec<i64>,
    p95: Vec<i64>,
    p99: Vec<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<Vec<i64>>,
}

/// A series as `series.json`: one line a column, a final line break; equal series give equal bytes.
#[must_use]
pub fn write(series: &Series) -> String {
    let trends: Vec<String> = series.trends.iter().map(|(name, trend)| trend_text(name, trend)).collect();
    format!("{{\"schema\":{SCHEMA},\n\"unit\":\"us\",\n\"trends\":{{\n{}}}}}\n", trends.join(",\n"))
}

fn trend_text(name: &str, trend: &TrendSeries) -> String {
    let wire = encode(trend);
    let columns = [("second", Some(&wire.second)), ("p50", Some(&wire.p50)), ("p95", Some(&wire.p95)), ("p99", Some(&wire.p99))];
    let columns = columns.into_iter().chain([("count", wire.count.as_ref())]);
    let lines = columns.filter_map(|(key, column)| Some(format!("\"{key}\":{}", numbers(column?))));
    format!("{}:{{\n{}}}", text(name), lines.collect::<Vec<_>>().join(",\n"))
}

fn text(value: &str) -> String {
    serde_json::Value::String(value.to_owned()).to_string()
}

fn numbers(column: &[i64]) -> String {
    let words: Vec<String> = column.iter().map(i64::to_string).collect();
    format!("[{}]", words.join(","))
}

fn encode(trend: &TrendSeries) -> WireTrend {
    let points = &trend.points;
    let column = |value: fn(&SeriesPoint) -> i64| differences(points.iter().map(value));
    let counts: Option<Vec<i64>> = points.iter().map(|p| p.count.and_then(|n| i64::try_from(n).ok())).collect();
    WireTrend {
        second: column(|p| p.second),
        p50: column(|p| p.p50),
        p95: column(|p| p.p95),
        p99: column(|p| p.p99),
        count: counts.filter(|counts| !counts.is_empty()).map(|counts| differences(counts.into_iter())),
    }
}

/// The first value, then each value's step from the one before. Wrapping both ways keeps it total and invertible.
fn differences(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut last = 0_i64;
    values.map(|value| value.wrapping_sub(std::mem::replace(&mut last, value))).collect()
}

fn sums(steps: &[i64]) -> Vec<i64> {
    let mut sum = 0_i64;
    steps
        .iter()
        .map(|step| {
            sum = sum.wrapping_add(*step);
            sum
        })
        .collect()
}

/// Reads `series.json`.
///
/// # Errors
/// `newer-schema`, or `bad-series`: not the shape, columns of unlike length, seconds that do not ascend.
pub fn read(source: &Source) -> Result<Series, Faults> {
    check_schema(source, SCHEMA)?;
    let wire: Wire = serde_json::from_str(source.text()).map_err(|error| bad_json(source, &error, "bad-series"))?;
    let mut series = Series::default();
    for (name, trend) in &wire.trends {
        let points = decode(trend).ok_or_else(|| {
            let message = format!("the columns of `{name}` don't belong together: unlike lengths, or seconds that don't ascend");
            Diagnostic::error("bad-series", message).at(source.at(0..0)).help("ingest the series again")
        })?;
        series.trends.insert(name.clone(), TrendSeries { points, successes: None });
    }
    Ok(series)
}

fn decode(trend: &WireTrend) -> Option<Vec<SeriesPoint>> {
    let length = trend.second.len();
    let even = [&trend.p50, &trend.p95, &trend.p99].iter().all(|column| column.len() == length);
    let counts = trend.count.as_ref().map(|count| sums(count));
    if !even || counts.as_ref().is_some_and(|counts| counts.len() != length) {
        return None;
    }
    let (second, p50, p95, p99) = (sums(&trend.second), sums(&trend.p50), sums(&trend.p95), sums(&trend.p99));
    if second.windows(2).any(|pair| pair[0] >= pair[1]) {
        return None;
    }
    let count = |at: usize| counts.as_ref().map(|counts| u64::try_from(counts[at]).ok());
    (0..length)
        .map(|at| {
            let count = match count(at) {
                None => None,
                Some(count) => Some(count?),
            };
            Some(SeriesPoint { second: second[at], p50: p50[at], p95: p95[at], p99: p99[at], count })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trends() -> impl Strategy<Value = Series> {
        let point = (1_i64..4, any::<[i32; 3]>(), any::<u32>());
        let trend = (any::<bool>(), prop::collection::vec(point, 0..40)).prop_map(|(counted, steps)| {
            let mut second = 1_700_000_000;
            let points = steps.into_iter().map(|(step, [a, b, c], n)| {
                second += step;
                let count = counted.then_some(u64::from(n));
                SeriesPoint { second, p50: a.into(), p95: b.into(), p99: c.into(), count }
            });
            TrendSeries { points: points.collect(), successes: None }
        });
        prop::collection::btree_map(".{0,12}", trend, 0..4).prop_map(|trends| Series { trends, ..Series::default() })
    }

    proptest! {
        #[test]
        fn a_series_is_read_as_it_was_written(series in trends()) {
            let text = write(&series);
            prop_assert_eq!(read(&Source::new("series.json", text)), Ok(series));
        }
    }

    #[test]
    fn columns_must_belong_together() {
        let bad = r#"{"schema":1,"unit":"us","trends":{"a":{"second":[1,1],"p50":[1],"p95":[1,2],"p99":[1,2]}}}"#;
        assert!(read(&Source::new("series.json", bad)).is_err());
        let newer = r#"{"schema":2,"unit":"us","trends":{}}"#;
        let fault = read(&Source::new("series.json", newer)).err();
        assert_eq!(fault.map(|f| f.list()[0].code), Some("newer-schema"));
    }
}
