//! What a series gave in a window, piece by piece.

use chrono::{DateTime, Utc};

use crate::capture::Window;
use crate::capture::mapping::Shape;
use crate::capture::track::{Point, Track, Value};

/// What came in a period.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// The beginning of the period, where known.
    pub(super) start: Option<DateTime<Utc>>,
    /// Its end.
    pub(super) end: DateTime<Utc>,
    /// How much.
    pub(super) value: Value,
}

impl Piece {
    /// Whether it is of the same period as another.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.end == other.end && self.start == other.start
    }
}

/// The pieces of a series that belong to a window: those whose period lies at least half inside, so that one point of the whole window
/// counts, whose ends are rounded. `None` where the values are no sums of periods: rates, percentiles.
pub(super) fn pieces(track: &Track, shape: Shape, window: Option<Window>) -> Option<Vec<Piece>> {
    let all = match shape {
        Shape::Delta => track.points.iter().map(own).collect(),
        Shape::Counter => steps(&track.points),
        _ => return None,
    };
    let is_in = |piece: &Piece| window.is_none_or(|window| lies_in(piece, window));
    Some(all.into_iter().filter(|piece| piece.value != Value::Nothing && is_in(piece)).collect())
}

fn own(point: &Point) -> Piece {
    Piece { start: point.start, end: point.end, value: point.value.clone() }
}

fn lies_in(piece: &Piece, window: Window) -> bool {
    let Some(start) = piece.start.filter(|start| *start < piece.end) else { return window.holds(piece.end) };
    let inside = piece.end.min(window.end) - start.max(window.start);
    inside * 2 >= piece.end - start
}

/// The steps of a counter. The first point is what came since the counter's start; where that is unknown, or long before the window,
/// it is only where the counting begins.
fn steps(points: &[Point]) -> Vec<Piece> {
    let known: Vec<&Point> = points.iter().filter(|point| point.value != Value::Nothing).collect();
    let first = known.first().filter(|point| point.start.is_some()).map(|point| own(point));
    first.into_iter().chain(known.windows(2).map(|pair| step(pair[0], pair[1]))).collect()
}

/// What came between two points. A counter that has another start, or a smaller value, began anew: then it is all of the second.
fn step(before: &Point, after: &Point) -> Piece {
    let has_other_start = before.start.zip(after.start).is_some_and(|(before, after)| before != after);
    let grown = if has_other_start { None } else { difference(&before.value, &after.value) };
    let start = after.start.filter(|start| grown.is_none() && *start > before.end).unwrap_or(before.end);
    Piece { start: Some(start), end: after.end, value: grown.unwrap_or_else(|| after.value.clone()) }
}

/// A value since an earlier one; `None` where it fell.
fn difference(before: &Value, after: &Value) -> Option<Value> {
    match (before, after) {
        (Value::Number(before), Value::Number(after)) => (after >= before).then(|| Value::Number(after - before)),
        (Value::Buckets(before), Value::Buckets(after)) => after.since(before).map(Value::Buckets),
        _ => None,
    }
}
