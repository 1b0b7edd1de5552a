//! Query Insights' series with what they gave in a window.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::pieces::{Piece, pieces};
use crate::capture::buckets::Buckets;
use crate::capture::findings::Findings;
use crate::capture::mapping::{Meaning, Means, Shape};
use crate::capture::quantity::Quantity;
use crate::capture::track::{Limit, Track, Value};
use crate::capture::{Capture, File, Window};
use crate::model::figure::Coverage;

/// A series, and its pieces in the window.
pub(super) struct Series<'a> {
    pub(super) track: &'a Track,
    pub(super) quantity: Quantity,
    pub(super) file: &'a File,
    shape: Shape,
    factor: f64,
    pieces: Vec<Piece>,
}

/// The series of statements; those whose values are no sums of periods are told of and left out.
pub(super) fn all<'a>(
    tracks: &[(&'a Track, Meaning, &'a File)],
    window: Option<Window>,
    findings: &mut Findings,
) -> Vec<Series<'a>> {
    let of_statements = tracks.iter().filter_map(|(track, meaning, file)| Some((*track, *meaning, quantity(*meaning)?, *file)));
    let of_statements: Vec<_> = of_statements.collect();
    let window = window.or_else(|| span(of_statements.iter().map(|(track, meaning, _, _)| (*track, meaning.shape))));
    let mut series = Vec::new();
    let mut refused: BTreeMap<&str, &File> = BTreeMap::new();
    for (track, meaning, quantity, file) in of_statements {
        match pieces(track, meaning.shape, window) {
            Some(pieces) => series.push(Series { track, quantity, file, shape: meaning.shape, factor: meaning.factor, pieces }),
            None => _ = refused.insert(file.path.as_str(), file),
        }
    }
    for (path, file) in refused {
        let told = file.complaint("no-sums", format!("{path} holds no sums of periods, from which a time could be added up"));
        findings.told.push(told.help("ask for the series with ALIGN_DELTA over the window, or without an aligner"));
        findings.pass_over(path, "its values are no sums of periods");
    }
    series
}

fn quantity(meaning: Meaning) -> Option<Quantity> {
    let Means::Quantity(quantity) = meaning.means else { return None };
    matches!(quantity, Quantity::QueryTime | Quantity::QueryLockTime | Quantity::QueryIoTime | Quantity::QueryLatency)
        .then_some(quantity)
}

/// The time that the points themselves span: what stands for the window where nobody knows it.
fn span<'a>(tracks: impl Iterator<Item = (&'a Track, Shape)>) -> Option<Window> {
    let (mut start, mut end) = (None::<DateTime<Utc>>, None::<DateTime<Utc>>);
    for (track, shape) in tracks {
        let (Some(first), Some(last)) = (track.points.first(), track.points.last()) else { continue };
        // A counter began long before; its first point is where the counting begins.
        let from = if shape == Shape::Delta { first.start.unwrap_or(first.end) } else { first.end };
        start = Some(start.map_or(from, |start| start.min(from)));
        end = end.max(Some(last.end));
    }
    Some(Window { start: start?, end: end? }).filter(|window| window.start < window.end)
}

impl Series<'_> {
    /// Whether a piece of it overlaps one of another series of the same name and is not that piece itself.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        let overlaps =
            |a: &Piece, b: &Piece| a.start.is_some_and(|start| start < b.end) && b.start.is_some_and(|start| start < a.end);
        let differs = |a: &Piece, b: &Piece| if a.is_of(b) { a.value != b.value } else { overlaps(a, b) };
        self.pieces.iter().any(|piece| other.pieces.iter().any(|known| differs(piece, known)))
    }

    /// Leaves out the pieces that another series has too.
    pub(super) fn leave_out(&mut self, other: &Self) {
        self.pieces.retain(|piece| !other.pieces.iter().any(|known| known.is_of(piece)));
    }

    /// The label of its instance; empty where the query dropped it.
    pub(super) fn instance(&self) -> &str {
        self.track.label("resource_id")
    }

    /// Whether anything of it lies in the window.
    pub(super) fn is_in_window(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Whether anything but zero does.
    pub(super) fn has_values(&self) -> bool {
        self.pieces.iter().any(|piece| match &piece.value {
            Value::Number(number) => *number > 0.0,
            Value::Buckets(buckets) => !buckets.is_empty(),
            Value::Nothing => false,
        })
    }

    /// What it gave in the window, in milliseconds; `None` where nothing of it lies there.
    pub(super) fn milliseconds(&self) -> Option<f64> {
        let numbers =
            self.pieces.iter().filter_map(|piece| if let Value::Number(number) = piece.value { Some(number) } else { None });
        numbers.reduce(|a, b| a + b).map(|sum| sum * self.factor)
    }

    /// Its values in the window by bucket, bounds in milliseconds.
    pub(super) fn buckets(&self) -> Option<Buckets> {
        let buckets =
            self.pieces.iter().filter_map(|piece| if let Value::Buckets(one) = &piece.value { Some(one) } else { None });
        let all: Vec<&Buckets> = buckets.collect();
        (!all.is_empty()).then(|| Buckets::pooled(all).scaled(self.factor))
    }

    /// Text and the source's own number: what makes it of one statement.
    pub(super) fn statement(&self) -> (&str, &str) {
        (self.track.label("querystring"), self.track.label("query_hash"))
    }

    /// Whether it counts from a start.
    pub(super) fn is_counter(&self) -> bool {
        self.shape == Shape::Counter
    }
}

/// The paths of the files that some series came from, in order.
pub(super) fn files(series: &[&Series<'_>]) -> Vec<String> {
    series.iter().map(|one| one.file.path.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The seconds between the first and the last moment that the pieces stand for; `None` where a start is unknown.
pub(super) fn seconds(series: &[&Series<'_>]) -> Option<f64> {
    let pieces = || series.iter().flat_map(|one| &one.pieces);
    let starts: Option<Vec<_>> = pieces().map(|piece| piece.start).collect();
    let (start, end) = (starts?.into_iter().min()?, pieces().map(|piece| piece.end).max()?);
    Some((end - start).as_seconds_f64())
}

/// How much of a window the points of some series cover together; `None` where it can't be told.
pub(super) fn coverage(series: &[&Series<'_>], window: Option<Window>) -> Option<Coverage> {
    let is_counter = series.iter().any(|one| one.is_counter());
    let mut moments = BTreeSet::new();
    for piece in series.iter().flat_map(|one| &one.pieces) {
        moments.insert(piece.end);
        moments.extend(piece.start.filter(|_| is_counter));
    }
    let period = period(series, &moments).filter(|period| *period > 0.0)?;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of points of a window is small and positive"
    )]
    let (expected, period_s) = ((window?.seconds() / period).round().max(1.0) as u64, period.round() as u64);
    let outside = series.iter().flat_map(|one| &one.track.points).filter(|point| !moments.contains(&point.end)).count();
    let expected = expected + u64::from(is_counter);
    Some(Coverage { seen: moments.len() as u64, expected, outside: outside as u64, period_s: Some(period_s) })
}

/// The seconds from one point to the next: the median of the periods, or where a source does not say them of the distances.
fn period(series: &[&Series<'_>], moments: &BTreeSet<DateTime<Utc>>) -> Option<f64> {
    let pieces = series.iter().flat_map(|one| &one.pieces);
    let mut steps: Vec<f64> = pieces.filter_map(|piece| Some((piece.end - piece.start?).as_seconds_f64())).collect();
    if steps.is_empty() {
        let moments: Vec<_> = moments.iter().collect();
        steps = moments.windows(2).map(|pair| (*pair[1] - *pair[0]).as_seconds_f64()).collect();
    }
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len().checked_sub(1)? / 2).copied()
}

/// Why there may be more than the files of series hold. Where one of them is a last page, those before it are taken to be its pages.
pub(super) fn limit(series: &[&Series<'_>]) -> Option<String> {
    let files: BTreeMap<&str, &File> = series.iter().map(|one| (one.file.path.as_str(), one.file)).collect();
    let limits = |file: &File| match &file.capture {
        Capture::Tracks(tracks) => tracks.limits.clone(),
        _ => Vec::new(),
    };
    let partial = files.iter().find_map(|(path, file)| {
        limits(file).into_iter().find_map(|limit| match limit {
            Limit::Partial(words) => Some(format!("{path} is a part of the data: {words}")),
            Limit::MorePages => None,
        })
    });
    let goes_on = |file: &File| limits(file).contains(&Limit::MorePages);
    let first = files.keys().next().filter(|_| files.values().all(|file| goes_on(file)));
    partial.or_else(|| first.map(|path| format!("{path} is not the last page of its answer")))
}
