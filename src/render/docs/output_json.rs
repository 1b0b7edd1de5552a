//! The published `output.json`: what the chart of a docs page shows.

use std::fmt::Write as _;

use chrono::DateTime;

use crate::model::series::{Series, SeriesPoint};

/// A series in the published shape: a JSON array, one tab-indented object a line, ordered by second, then name; times as
/// `2026-08-27 16:03:44+00`, milliseconds with up to three decimals. A second outside the calendar is left out.
#[must_use]
pub fn output_json(series: &Series) -> String {
    let mut points: Vec<(i64, &str, &SeriesPoint)> = series
        .trends
        .iter()
        .flat_map(|(name, trend)| trend.points.iter().map(move |point| (point.second, name.as_str(), point)))
        .collect();
    points.sort_by_key(|(second, name, _)| (*second, *name));
    let lines: Vec<String> = points.iter().filter_map(|(_, name, point)| line(name, point)).collect();
    if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) }
}

fn line(name: &str, point: &SeriesPoint) -> Option<String> {
    let at = DateTime::from_timestamp(point.second, 0)?.format("%Y-%m-%d %H:%M:%S+00");
    let name = serde_json::Value::from(name);
    let mut line = format!("\t{{\"metric_name\":{name},\"timestamp\":\"{at}\"");
    for (key, value) in [("p50", point.p50), ("p95", point.p95), ("p99", point.p99)] {
        let _ = write!(line, ",\"{key}\":{}", millis(value));
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
