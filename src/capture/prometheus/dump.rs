//! `promtool tsdb dump`: a sample a line, `{__name__="up", job="zitadel"} 1 1796026425319`, milliseconds last. A stale marker,
//! which ends a series, is printed as `NaN`.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::super::exposition::labels;
use super::super::track::{Kind, Limit, Point, Track};
use super::super::{Capture, prometheus};
use super::wire::value;
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::source::Source;

/// The series of a dump, in the order in which they begin.
#[derive(Default)]
struct Dump<'a> {
    tracks: Vec<Track>,
    /// Series by their labels as printed, since most lines are of the series of the line before.
    by_text: BTreeMap<&'a str, usize>,
    /// Lines with native histograms, whose values are no numbers.
    histograms: u64,
}

/// Reads a dump.
pub(super) fn read(source: &Source) -> Result<Capture, Faults> {
    let (mut dump, mut faults, mut start) = (Dump::default(), FirstFaults::default(), 0);
    for line in source.text().split_inclusive('\n') {
        let text = line.trim();
        if !text.is_empty() && dump.line(text).is_none() {
            faults.push(|| {
                Diagnostic::error("bad-capture", "this is no line of `promtool tsdb dump`")
                    .at(source.at(start..start + line.trim_end().len()))
                    .help("a line is written like `{__name__=\"up\", job=\"a\"} 1 1796026425319`")
            });
        }
        start += line.len();
        if prometheus::has_too_many_series(source.text(), dump.tracks.len()) {
            return Err(prometheus::too_many_series(source).into());
        }
    }
    let Dump { mut tracks, histograms, .. } = dump;
    for track in &mut tracks {
        track.sort();
        if track.points.windows(2).any(|pair| pair[0].end == pair[1].end) {
            let name = track.metric.clone();
            faults.push(|| {
                Diagnostic::error("bad-capture", format!("a series of `{name}` has two values at one moment")).at(source.at(0..0))
            });
        }
    }
    Faults::check(faults.told())?;
    let limits =
        (histograms > 0).then(|| Limit::Partial(format!("{histograms} samples of native histograms are not read from a dump")));
    Ok(prometheus::tracks(tracks, limits.into_iter().collect(), source.at(0..0)))
}

impl<'a> Dump<'a> {
    /// Adds a line; `None` if it is none of a dump.
    fn line(&mut self, text: &'a str) -> Option<()> {
        let (rest, at) = text.rsplit_once(' ')?;
        let end = DateTime::from_timestamp_millis(at.parse().ok()?)?;
        // A native histogram is printed in braces too, with spaces in it.
        if let Some((_, histogram)) = rest.split_once("} {")
            && histogram.ends_with('}')
        {
            self.histograms += 1;
            return Some(());
        }
        let (labels, number) = rest.rsplit_once(' ')?;
        let point = Point { start: None, end, value: value(number.parse().ok()?) };
        let at = self.series(labels.trim_end())?;
        self.tracks[at].points.push(point);
        Some(())
    }

    fn series(&mut self, text: &'a str) -> Option<usize> {
        if let Some(at) = self.by_text.get(text) {
            return Some(*at);
        }
        let (mut labels, rest) = labels::read(text)?;
        if !rest.is_empty() {
            return None;
        }
        let metric = labels.remove("__name__").unwrap_or_default();
        self.tracks.push(Track { metric, labels, kind: Kind::Unsaid, unit: None, target: None, points: Vec::new() });
        self.by_text.insert(text, self.tracks.len() - 1);
        Some(self.tracks.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::track::Value;

    #[test]
    fn lines_become_series_and_stale_markers_nothing() {
        let source = Source::new(
            "dump.txt",
            "{__name__=\"a_total\", path=\"/a\\\"b} c\"} 5 1000\n{__name__=\"a_total\", path=\"/a\\\"b} c\"} NaN 2500\n{__name__=\"b\"} 1 1000\n",
        );
        let Ok(Capture::Tracks(read)) = read(&source) else { unreachable!() };
        assert_eq!(read.tracks.len(), 2);
        assert_eq!((read.tracks[0].metric.as_str(), read.tracks[0].label("path")), ("a_total", "/a\"b} c"));
        let points: Vec<(i64, &Value)> = read.tracks[0].points.iter().map(|p| (p.end.timestamp_millis(), &p.value)).collect();
        assert_eq!(points, [(1000, &Value::Number(5.0)), (2500, &Value::Nothing)]);
    }

    #[test]
    fn all_bad_lines_are_told_with_their_place() {
        let source = Source::new("dump.txt", "{__name__=\"a\"} 5 1000\n{__name__=\"a\"} five 2000\n\n{__name__=\"a} 5 3000\n");
        let faults = read(&source).err().unwrap_or_else(|| unreachable!());
        let places: Vec<String> = faults.list().iter().map(|fault| fault.places[0].to_string()).collect();
        assert_eq!(places, ["dump.txt:2:1", "dump.txt:4:1"]);
    }

    #[test]
    fn two_values_at_one_moment_are_a_fault() {
        let source = Source::new("dump.txt", "{__name__=\"a\"} 5 1000\n{__name__=\"a\"} 6 1000\n");
        assert!(read(&source).is_err());
    }
}
