//! Values that a query computed: the figure itself, as a mapping rule says.

use super::super::findings::Findings;
use super::group::Group;
use super::{in_order, judged, measured, median, standing};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Grade, Measurement};
use crate::model::units::Unit;

pub(super) fn tell(group: &Group<'_>, id: FigureId, found: &mut Findings) {
    let sorted = in_order(group.summed().into_values());
    let n = sorted.len();
    let (value, method) = match id.name().rsplit('.').next() {
        _ if n == 1 => (sorted.first().copied(), "the value of the query".to_owned()),
        Some("peak" | "max") => (sorted.last().copied(), format!("highest of {n} values of the query")),
        Some("min") => (sorted.first().copied(), format!("lowest of {n} values of the query")),
        _ if matches!(id.unit(), Unit::PerSecond | Unit::PerMinute) => {
            (Some(sorted.iter().sum::<f64>() / n as f64), format!("mean of {n} values of the query"))
        }
        _ => (median(&sorted), format!("median of {n} values of the query")),
    };
    let Some(value) = value else { return };
    let measurement = Measurement { grade: Some(Grade::Approximate), ..measured(group, value, id.unit(), method) };
    found.add(id, judged(measurement), standing(group));
}
