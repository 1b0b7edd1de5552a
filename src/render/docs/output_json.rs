//! The published `output.json`: what the chart of a docs page shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::DateTime;

use crate::model::series::{ExactPoint, Series};

/// A series in the published shape: a JSON array, one tab-indented object a line, ordered by second, then name; times as
/// `2026-08-27 16:03:44+00`, milliseconds with up to three decimals. A second outside the calendar is left out.
#[must_use]
pub fn output_json(series: &Series) -> String {
    let points = series.trends.iter().flat_map(|(name, trend)| trend.points.iter().map(move |point| (name.as_str(), point)));
    array(points.map(|(name, point)| (point.second, name, [point.p50, point.p95, point.p99].map(millis))).collect())
}

/// The same shape of exact points, with every digit that tells a value from its neighbours, and whole ones as `3.0`.
#[must_use]
pub fn exact_output_json(trends: &BTreeMap<String, Vec<ExactPoint>>) -> String {
    let points = trends.iter().flat_map(|(name, points)| points.iter().map(move |point| (name.as_str(), point)));
    array(points.map(|(name, point)| (point.second, name, point.percentiles.map(|value| format!("{value:?}")))).collect())
}

fn array(mut points: Vec<(i64, &str, [String; 3])>) -> String {
    points.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    let lines: Vec<String> = points.iter().filter_map(|(second, name, values)| line(*second, name, values)).collect();
    if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) }
}

fn line(second: i64, name: &str, values: &[String; 3]) -> Option<String> {
    let at = DateTime::from_timestamp(second, 0)?.format("%Y-%m-%d %H:%M:%S+00");
    let name = serde_json::Value::from(name);
    let mut line = format!("\t{{\"metric_name\":{name},\"timestamp\":\"{at}\"");
    for (key, value) in ["p50", "p95", "p99"].into_iter().zip(values) {
        let _ = write!(line, ",\"{key}\":{value}");
    }
    line.push('}');
    Some(line)
}

/// Whole microseconds as milliseconds, without trailing zeros.
fn millis(micros: i64) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let (whole, rest) = (micros.unsigned_abs() / 1000, micros.unsigned_abs() % 1000);
    let decimals = format!("{rest:03}");
    match decimals.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        decimals => format!("{sign}{whole}.{decimals}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::series::SeriesPoint;
    use crate::model::series::TrendSeries;

    #[test]
    fn seconds_come_first_then_names() {
        let point = |second, p50| SeriesPoint { second, p50, p95: 1_500, p99: 20_000, count: None };
        let trend = |points| TrendSeries { points, successes: None };
        let trends =
            [("b".to_owned(), trend(vec![point(0, 1)])), ("a".to_owned(), trend(vec![point(0, 1_000), point(1, 2_340)]))];
        insta::assert_snapshot!(output_json(&Series { trends: trends.into_iter().collect(), ..Series::default() }));
    }
}
