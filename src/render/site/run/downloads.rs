//! What can be taken along from a run's page: its record, its series, k6's own text.

use std::fmt::Write;

use super::super::view::Link;
use crate::model::collection::Run;
use crate::model::series::{Series, SeriesPoint};

/// k6's text.
pub(in crate::render::site) const K6_TEXT: &str = "k6.txt";
/// The series as a table.
pub(in crate::render::site) const CSV: &str = "series.csv";
/// The series as columns.
pub(in crate::render::site) const JSON: &str = "series.json";

/// The files beside a run's page, with their names in words.
pub(super) fn links(run: &Run) -> Vec<Link> {
    let link = |href: &str, text: &str| Link { href: href.to_owned(), text: text.to_owned() };
    let series = has_series(run);
    [
        Some(link("record.json", "Record (JSON)")),
        series.then(|| link(CSV, "Series by second (CSV)")),
        series.then(|| link(JSON, "Series by second (JSON)")),
        run.k6_text.as_ref().map(|_| link(K6_TEXT, "k6's summary (text)")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether there is a second to be told of.
pub(in crate::render::site) fn has_series(run: &Run) -> bool {
    run.series.as_ref().is_some_and(|series| !table(series).is_empty())
}

/// A percentile: its name, and where a point has it.
type Percentile = (&'static str, fn(&SeriesPoint) -> i64);

const PERCENTILES: [Percentile; 3] = [("p50", |point| point.p50), ("p95", |point| point.p95), ("p99", |point| point.p99)];

/// A column: its name, and its numbers by second, ascending.
struct Column {
    name: String,
    cells: Vec<(i64, Number)>,
}

/// A number that is exact as text, in CSV as in JSON.
#[derive(Clone, Copy)]
enum Number {
    Thousandths(i64),
    Count(u64),
}

impl Number {
    fn write(self, text: &mut String) {
        match self {
            Self::Count(count) => text.push_str(itoa::Buffer::new().format(count)),
            Self::Thousandths(value) => {
                let (whole, part) = (value.unsigned_abs() / 1000, value.unsigned_abs() % 1000);
                if value < 0 {
                    text.push('-');
                }
                text.push_str(itoa::Buffer::new().format(whole));
                if part > 0 {
                    // A thousand before the part keeps its zeros.
                    let mut digits = itoa::Buffer::new();
                    let digits = digits.format(1000 + part).get(1..).unwrap_or_default();
                    text.push('.');
                    text.push_str(digits.trim_end_matches('0'));
                }
            }
        }
    }
}

/// The columns in the order of their names.
fn table(series: &Series) -> Vec<Column> {
    let mut columns = Vec::new();
    for (trend, of_trend) in &series.trends {
        let points = &of_trend.points;
        let counts = points.iter().filter_map(|point| Some((point.second, Number::Count(point.count?))));
        columns.push(Column { name: format!("{trend}.count"), cells: counts.collect() });
        for (name, value) in PERCENTILES {
            let cells = points.iter().map(|point| (point.second, Number::Thousandths(value(point)))).collect();
            columns.push(Column { name: format!("{trend}.{name}"), cells });
        }
    }
    if let Some(traffic) = &series.traffic {
        for (name, counts) in &traffic.columns {
            let cells = (traffic.start..).zip(counts).map(|(second, count)| (second, Number::Count(*count))).collect();
            columns.push(Column { name: name.clone(), cells });
        }
    }
    columns.retain(|column| !column.cells.is_empty());
    columns.sort_by(|a, b| a.name.cmp(&b.name));
    columns
}

/// A row a second, a column a percentile or a count; empty where there is no sample.
pub(in crate::render::site) fn csv(series: &Series) -> String {
    let columns = table(series);
    let mut text = String::from("timestamp");
    for column in &columns {
        let _ = write!(text, ",{}", quoted(&column.name));
    }
    text.push('\n');
    let mut places = vec![0; columns.len()];
    let mut clock = Clock::default();
    for second in seconds(&columns) {
        clock.write(second, &mut text);
        for (column, place) in columns.iter().zip(&mut places) {
            text.push(',');
            if let Some((_, number)) = column.cells.get(*place).filter(|(at, _)| *at == second) {
                number.write(&mut text);
                *place += 1;
            }
        }
        text.push('\n');
    }
    text
}

/// The same as columns, null where there is no sample.
pub(in crate::render::site) fn json(series: &Series) -> Result<String, serde_json::Error> {
    let columns = table(series);
    let seconds = seconds(&columns);
    let mut text = String::from("{\"schema\":1,\"unit\":\"ms\",\"timestamps\":[");
    let mut clock = Clock::default();
    for (nth, second) in seconds.iter().enumerate() {
        text.push_str(if nth == 0 { "\"" } else { ",\"" });
        clock.write(*second, &mut text);
        text.push('"');
    }
    text.push_str("],\"columns\":{");
    for (nth, column) in columns.iter().enumerate() {
        let _ = write!(text, "{}{}:[", if nth == 0 { "" } else { "," }, serde_json::to_string(&column.name)?);
        let mut cells = column.cells.iter().peekable();
        for (nth, second) in seconds.iter().enumerate() {
            if nth > 0 {
                text.push(',');
            }
            match cells.next_if(|(at, _)| at == second) {
                Some((_, number)) => number.write(&mut text),
                None => text.push_str("null"),
            }
        }
        text.push(']');
    }
    text.push_str("}}\n");
    Ok(text)
}

fn seconds(columns: &[Column]) -> Vec<i64> {
    let mut seconds: Vec<i64> = columns.iter().flat_map(|column| column.cells.iter().map(|(second, _)| *second)).collect();
    seconds.sort_unstable();
    seconds.dedup();
    seconds
}

/// Seconds as RFC 3339 in UTC; one that no calendar has as it is counted. A day is asked of the calendar once.
#[derive(Default)]
struct Clock {
    day: Option<(i64, String)>,
}

impl Clock {
    fn write(&mut self, second: i64, text: &mut String) {
        let day = second.div_euclid(86_400);
        if self.day.as_ref().is_none_or(|(known, _)| *known != day) {
            let at = chrono::DateTime::from_timestamp(second, 0);
            self.day = at.map(|at| (day, at.format("%Y-%m-%dT").to_string()));
        }
        let Some((_, date)) = &self.day else { return text.push_str(&second.to_string()) };
        let rest = second.rem_euclid(86_400);
        text.push_str(date);
        for (part, behind) in [(rest / 3600, ':'), (rest / 60 % 60, ':'), (rest % 60, 'Z')] {
            // A hundred before it keeps its zero.
            text.push_str(itoa::Buffer::new().format(100 + part).get(1..).unwrap_or_default());
            text.push(behind);
        }
    }
}

/// A cell of RFC 4180. What a spreadsheet would take for a formula is a text there.
fn quoted(name: &str) -> String {
    let name = if name.starts_with(['=', '+', '-', '@', '\t']) { format!("'{name}") } else { name.to_owned() };
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::series::{Traffic, TrendSeries};

    fn series() -> Series {
        let point = |second, p95| SeriesPoint { second, p50: 1000, p95, p99: 20_500, count: (second > 0).then_some(7) };
        Series {
            trends: [("a,\"b".to_owned(), TrendSeries { points: vec![point(0, 1_234), point(2, -5)], successes: None })].into(),
            traffic: Some(Traffic { start: 1, columns: [("http_req_failed".to_owned(), vec![0, 3])].into(), vus: Vec::new() }),
            ..Series::default()
        }
    }

    #[test]
    fn a_table_has_a_row_a_second_and_no_zero_for_what_is_not_known() {
        insta::assert_snapshot!(csv(&series()), @r#"
        timestamp,"a,""b.count","a,""b.p50","a,""b.p95","a,""b.p99",http_req_failed
        1970-01-01T00:00:00Z,,1,1.234,20.5,
        1970-01-01T00:00:01Z,,,,,0
        1970-01-01T00:00:02Z,7,1,-0.005,20.5,3
        "#);
    }

    #[test]
    fn json_says_the_same() {
        let told: Value = super::json(&series()).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        assert_eq!(told["columns"]["http_req_failed"], json!([null, 0, 3]));
        assert_eq!(told["columns"]["a,\"b.p95"], json!([1.234, null, -0.005]));
    }

    #[test]
    fn a_clock_says_what_the_calendar_says() {
        let mut clock = Clock::default();
        for second in [0, 59, 60, 3_599, 3_600, 86_399, 86_400, 1_772_323_200, -1, -86_400, -86_401, 253_402_300_799, 5] {
            let mut text = String::new();
            clock.write(second, &mut text);
            let at = chrono::DateTime::from_timestamp(second, 0).map(|at| at.format("%Y-%m-%dT%H:%M:%SZ").to_string());
            assert_eq!(Some(text), at);
        }
    }

    #[test]
    fn extreme_seconds_and_names_are_written() {
        let point = SeriesPoint { second: i64::MIN, p50: i64::MIN, p95: 0, p99: i64::MAX, count: None };
        let trends = [("=cmd()".to_owned(), TrendSeries { points: vec![point], successes: None })].into();
        let text = csv(&Series { trends, ..Series::default() });
        assert_eq!(
            text,
            "timestamp,'=cmd().p50,'=cmd().p95,'=cmd().p99\n-9223372036854775808,-9223372036854775.808,0,9223372036854775.807\n"
        );
    }
}
