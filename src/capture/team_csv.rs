//! The team's metrics CSV: `target,metric,timestamp,value`, a whole sweep in one file, 16 metric names.
//!
//! A point stands for the period that ends at its timestamp. What the names measure is told by the mapping rules; percentile metrics
//! are percentiles of one period each, and latencies were averaged over response codes before that (the script asks for
//! `REDUCE_MEAN`).

use std::collections::BTreeMap;

use super::Capture;
use super::track::{Kind, Point, Track, Tracks, Value};
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::model::instant::Moment;
use crate::source::Source;

/// The columns, in any order.
const COLUMNS: [&str; 4] = ["target", "metric", "timestamp", "value"];

/// Whether a text is such a file: its header names the four columns.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let header = source.text().lines().next().unwrap_or_default();
    let names: Vec<&str> = header.split(',').map(|name| name.trim().trim_matches('"')).collect();
    COLUMNS.iter().all(|column| names.contains(column))
}

/// Reads a file: a series for every target and metric.
///
/// # Errors
/// `bad-metric-row` for the first rows without a target, a moment and a finite number, with the number of the others;
/// `two-values` for a metric with two values at one moment.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(source.text().as_bytes());
    let headers = reader.headers().cloned().unwrap_or_default();
    let column = |name: &str| headers.iter().position(|header| header.trim() == name);
    let [Some(target), Some(metric), Some(at), Some(value)] = COLUMNS.map(column) else {
        let fault = Diagnostic::error("no-metrics", "the header lacks one of target, metric, timestamp, value");
        return Err(fault.at(source.at_line(1)).into());
    };
    let (mut series, mut faults) = (BTreeMap::<(String, String), Vec<(Point, usize)>>::new(), FirstFaults::default());
    for record in reader.records() {
        let line = record.as_ref().ok().and_then(csv::StringRecord::position).map(csv::Position::line);
        let line = line.and_then(|line| usize::try_from(line).ok()).unwrap_or(usize::MAX);
        let row = record.as_ref().ok().and_then(|row| {
            let end = row.get(at)?.parse::<Moment>().ok()?.instant()?;
            let point = Point { start: None, end, value: Value::Number(finite(row.get(value)?)?) };
            Some((row.get(target).filter(|name| !name.is_empty())?, row.get(metric)?, point))
        });
        match row {
            Some((target, metric, point)) => {
                series.entry((target.to_owned(), metric.to_owned())).or_default().push((point, line));
            }
            None => faults.push(|| bad_row(source, line)),
        }
    }
    let mut tracks = Tracks::default();
    for ((target, metric), mut points) in series {
        points.sort_by_key(|(point, line)| (point.end, *line));
        points.dedup_by(|(a, _), (b, _)| a == b);
        for pair in points.windows(2).filter(|pair| pair[0].0.end == pair[1].0.end) {
            faults.push(|| two_values(source, &metric, pair[0].1, pair[1].1));
        }
        let points = points.into_iter().map(|(point, _)| point).collect();
        tracks.tracks.push(Track {
            metric,
            labels: BTreeMap::new(),
            kind: Kind::Gauge,
            unit: None,
            target: Some(target),
            points,
        });
    }
    Faults::check(faults.told())?;
    Ok(Capture::Tracks(tracks))
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

fn bad_row(source: &Source, line: usize) -> Diagnostic {
    Diagnostic::error("bad-metric-row", "a row has no target, no moment in UTC or no number")
        .at(source.at_line(line))
        .help("rows are `target,metric,2026-09-28T22:12:33Z,0.625`")
}

fn two_values(source: &Source, metric: &str, first: usize, second: usize) -> Diagnostic {
    Diagnostic::error("two-values", format!("{metric} has two values at one moment"))
        .at(source.at_line(second))
        .at(source.at_line(first).labelled("the other one"))
        .help("keep the one that was measured")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: &[&str]) -> Source {
        Source::new("m.csv", format!("target,metric,timestamp,value\n{}\n", rows.join("\n")))
    }

    fn tracks(source: &Source) -> Vec<Track> {
        match read(source) {
            Ok(Capture::Tracks(tracks)) => tracks.tracks,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn rows_become_series_by_target_and_metric_oldest_first() {
        let source =
            csv(&["b,db_cpu,2026-09-28T10:02:00Z,0.4", "a,db_cpu,2026-09-28T10:02:00Z,0.4", "a,db_cpu,2026-09-28T10:01:00Z,0.2"]);
        let found = tracks(&source);
        let told: Vec<(Option<&str>, Vec<Option<f64>>)> =
            found.iter().map(|track| (track.target.as_deref(), track.points.iter().map(Point::number).collect())).collect();
        assert_eq!(told, [(Some("a"), vec![Some(0.2), Some(0.4)]), (Some("b"), vec![Some(0.4)])]);
    }

    #[test]
    fn bad_rows_are_pointed_at() {
        let source = csv(&["a,db_cpu,2026-09-28T10:01:00Z,high", "a,db_cpu,yesterday,0.2"]);
        let faults = read(&source).err().unwrap_or_else(|| unreachable!());
        assert_eq!(faults.list().iter().map(|f| f.places[0].to_string()).collect::<Vec<_>>(), ["m.csv:2:1", "m.csv:3:1"]);
    }

    #[test]
    fn a_row_that_stands_twice_counts_once_and_two_values_at_one_moment_are_a_fault() {
        let row = "a,db_cpu,2026-09-28T10:01:00Z,0.2";
        assert_eq!(tracks(&csv(&[row, row]))[0].points.len(), 1);
        let faults = read(&csv(&[row, "a,db_cpu,2026-09-28T10:01:00Z,0.3"])).err().unwrap_or_else(|| unreachable!());
        assert_eq!((faults.list()[0].code, faults.list()[0].places.len()), ("two-values", 2));
    }
}
