//! Scrapes of a process's metrics in Prometheus's text format and OpenMetrics: two of them tell what came between.
//!
//! Formats: <https://prometheus.io/docs/instrumenting/exposition_formats/> (0.0.4, timestamps in milliseconds) and
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/> (1.0, timestamps in seconds, `# EOF` last, exemplars behind `#`).

mod count;
mod difference;
mod families;
pub(in crate::capture) mod labels;
mod pairs;
mod sample;
mod tell;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::DateTime;

use self::families::Families;
use self::sample::Sample;
pub use self::tell::findings;
use super::track::{Point, Track, Tracks};
use super::{Capture, prometheus};
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::source::Source;

/// One scrape of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scrape {
    /// Its series, each with one point. A scrape does not say when it was made: where the process gives no timestamp, the point's
    /// moment is 1970 and means nothing.
    pub tracks: Vec<Track>,
}

type Labels = BTreeMap<String, String>;

/// The points of each series, each with the place of its line: labels are the most of a scrape, and are kept once.
type Known = BTreeMap<(String, Labels), Vec<(Point, usize)>>;

/// How many lines of the beginning tell the format.
const BEGINNING: usize = 10;

/// Whether a text is in one of these formats: near its beginning stands the type of a metric, or it begins with samples.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let mut lines = source.text().lines().map(str::trim).filter(|line| !line.is_empty()).take(BEGINNING).peekable();
    // Braces first are JSON, or a dump of Prometheus's storage.
    if lines.peek().is_none_or(|line| line.starts_with('{')) {
        return false;
    }
    let (mut has_sample, mut is_plain) = (false, false);
    for line in lines {
        if families::is_type_of_metric(line) {
            return true;
        }
        if line.starts_with('#') {
            continue;
        }
        let Some(sample) = sample::read(line, true) else { return false };
        has_sample = true;
        // A word and a number alone may be anything.
        is_plain |= sample.labels.is_empty() && !sample.name.contains('_');
    }
    has_sample && !is_plain
}

/// Reads a scrape. Classic histograms are folded into series of buckets. Samples of many moments, as `promtool tsdb dump-openmetrics`
/// prints them, are no scrape but time series.
///
/// # Errors
/// `bad-capture` at the lines that are none of the format, and where a series stands twice.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    let text = source.text();
    let is_open = text.trim_end().ends_with("# EOF");
    let (mut families, mut faults, mut start) = (Families::default(), FirstFaults::default(), 0);
    let mut known = Known::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if content.starts_with('#') {
            families.comment(content);
        } else if !content.is_empty() {
            match sample::read(content, is_open) {
                Some(Sample { name, labels, value, at }) => {
                    let end = at.unwrap_or(DateTime::UNIX_EPOCH);
                    let point = Point { start: None, end, value: prometheus::wire::value(value) };
                    known.entry((name, labels)).or_insert_with(|| Vec::with_capacity(1)).push((point, start));
                    if prometheus::has_too_many_series(text, known.len()) {
                        return Err(prometheus::too_many_series(source).into());
                    }
                }
                None => faults.push(|| {
                    Diagnostic::error("bad-capture", "this line is no sample of Prometheus's text format")
                        .at(source.at(start..start + line.trim_end().len()))
                        .help("a sample is written like `name{label=\"value\"} 1.5`")
                }),
            }
        }
        start += line.len();
    }
    let tracks = series(source, known, &families, &mut faults);
    Faults::check(faults.told())?;
    if tracks.is_empty() {
        let fault = Diagnostic::error("no-data", "this scrape holds no sample").at(source.at(0..0));
        return Ok(Capture::Refused(Box::new(fault.help("look whether the process exports metrics under this path"))));
    }
    let is_scrape = tracks.iter().all(|track| track.points.len() == 1);
    let tracks = prometheus::histogram::fold(tracks);
    Ok(if is_scrape { Capture::Scrape(Scrape { tracks }) } else { Capture::Tracks(Tracks { tracks, limits: Vec::new() }) })
}

/// The series, in the order of the text.
fn series(source: &Source, known: Known, families: &Families, faults: &mut FirstFaults) -> Vec<Track> {
    let mut twice: Vec<(usize, String)> = Vec::new();
    let mut tracks: Vec<(usize, Track)> = Vec::new();
    for ((metric, labels), mut points) in known {
        let Some(kind) = families.kind(&metric) else { continue };
        let first = points.first().map_or(0, |(_, start)| *start);
        points.sort_by_key(|(point, start)| (point.end, *start));
        let again = points.windows(2).filter(|pair| pair[0].0.end == pair[1].0.end);
        twice.extend(again.map(|pair| (pair[1].1, metric.clone())));
        let points = points.into_iter().map(|(point, _)| point).collect();
        tracks.push((first, Track { metric, labels, kind, unit: None, target: None, points }));
    }
    twice.sort();
    for (start, metric) in twice {
        faults.push(|| {
            Diagnostic::error("bad-capture", format!("this series of `{metric}` stands twice"))
                .at(source.at(start..start))
                .help("save one scrape a file")
        });
    }
    tracks.sort_by_key(|(first, _)| *first);
    let mut tracks: Vec<Track> = tracks.into_iter().map(|(_, track)| track).collect();
    tracks.iter_mut().for_each(Track::sort);
    tracks
}
