//! Pages of one answer that lie in one file: put together they lack nothing.

use chrono::{DateTime, Utc};

use super::answer::Answer;
use crate::capture::track::{Limit, Point, Track, Tracks};

/// Puts answers together in the order of the file. That an answer has more is forgotten only where the next one is beyond doubt
/// its next page, since a file may hold answers to several questions.
pub(super) fn together(answers: Vec<Answer>) -> Tracks {
    let mut whole = Tracks::default();
    let mut answers = answers.into_iter().peekable();
    // Where the tracks of the page before begin.
    let mut before = 0;
    let mut goes_on = false;
    while let Some(mut answer) = answers.next() {
        let begin = if goes_on { before } else { whole.tracks.len() };
        if goes_on && splits(&whole.tracks, &answer.tracks) {
            let rest = answer.tracks.remove(0);
            if let Some(last) = whole.tracks.last_mut() {
                last.points.extend(rest.points);
                last.sort();
            }
        }
        whole.tracks.append(&mut answer.tracks);
        whole.limits.extend(answer.partial.into_iter().map(Limit::Partial));
        goes_on = answer.has_more && answers.peek().is_some_and(|next| is_next(&whole.tracks[begin..], &next.tracks));
        if answer.has_more && !goes_on {
            whole.limits.push(Limit::MorePages);
        }
        before = begin;
    }
    whole
}

/// Whether series are the next page of others: of the metric and unit where those ended, and either the rest of the last series or
/// other series of the same time.
fn is_next(page: &[Track], next: &[Track]) -> bool {
    let (Some(last), Some(first)) = (page.last(), next.first()) else { return false };
    if last.metric != first.metric || last.unit != first.unit {
        return false;
    }
    if splits(page, next) {
        return true;
    }
    let is_other = |track: &Track| page.iter().all(|seen| !is_same(seen, track));
    let overlaps = match (range(page), range(next)) {
        (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
        _ => false,
    };
    next.iter().all(is_other) && overlaps
}

/// Whether a page ended in the middle of a series: the first of the next one is the same and its points, which are older, go on
/// where the others stopped.
fn splits(page: &[Track], next: &[Track]) -> bool {
    let (Some(last), Some(first)) = (page.last(), next.first()) else { return false };
    let (Some(oldest), Some(newest)) = (last.points.first(), first.points.last()) else { return false };
    let step = |points: &[Point]| points.windows(2).map(|pair| pair[1].end - pair[0].end).min();
    let is_near = step(&last.points).or_else(|| step(&first.points)).is_some_and(|step| oldest.end - newest.end <= step);
    is_same(last, first) && newest.end < oldest.end && (is_near || oldest.start == Some(newest.end))
}

fn is_same(a: &Track, b: &Track) -> bool {
    a.metric == b.metric && a.labels == b.labels && a.kind == b.kind
}

/// The first and the last moment of series.
fn range(tracks: &[Track]) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let first = tracks.iter().filter_map(|track| track.points.first()).map(|point| point.end).min()?;
    let last = tracks.iter().filter_map(|track| track.points.last()).map(|point| point.end).max()?;
    Some((first, last))
}
