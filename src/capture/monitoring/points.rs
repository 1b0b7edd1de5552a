//! Points: a value and the period it stands for, and what a series may not hold.

use super::node::Node;
use super::reader::Reader;
use crate::capture::track::{Kind, Point, Value};

/// Puts a value to its period; `None`, with a fault, where the period has no end or can't be. A gauge is of one moment, which the
/// API writes as a period without length: such a point has no beginning here.
pub(super) fn point<'a>(reader: &mut Reader<'a>, interval: Node<'a>, kind: Kind, value: Option<Value>) -> Option<Point> {
    let Some(object) = interval.object() else {
        reader.fault(interval, format!("the interval is {}, not an object", interval.what()));
        return None;
    };
    if object.get("endTime").is_none() {
        reader.fault(interval, "an interval without `endTime`");
        return None;
    }
    let (start, end) = (reader.moment_of(&object, "startTime"), reader.moment_of(&object, "endTime")?);
    let wrong = match start {
        Some(start) if start > end => Some("an interval that ends before it starts"),
        Some(start) if start == end && kind == Kind::Delta => Some("a DELTA of a period without length"),
        _ => None,
    };
    if let Some(wrong) = wrong {
        reader.fault(interval, wrong);
        return None;
    }
    let start = start.filter(|start| *start < end || kind == Kind::Cumulative);
    Some(Point { start, end, value: value? })
}

/// The points of a series, oldest first, of equal ones at one moment only one. Two that differ are a fault.
pub(super) fn ordered<'a>(reader: &mut Reader<'a>, name: &str, mut points: Vec<(Node<'a>, Point)>) -> Vec<Point> {
    points.sort_by_key(|(_, point)| point.end);
    for pair in points.windows(2) {
        let [(one, a), (other, b)] = pair else { continue };
        if a.end == b.end && a != b {
            let name = if name.is_empty() { "a series" } else { name };
            let message = format!("{name} has two points at {} that differ", a.end.format("%Y-%m-%dT%H:%M:%S%.fZ"));
            reader.contradiction(*one, *other, message, "keep the one that is true, or ask the API again");
        }
    }
    let mut points: Vec<Point> = points.into_iter().map(|(_, point)| point).collect();
    points.dedup();
    points
}
