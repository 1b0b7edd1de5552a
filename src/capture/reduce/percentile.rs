//! Percentiles that the source made of each period: of them a median is near the window's percentile, and no more.

use super::super::findings::{Findings, Standing};
use super::super::quantity::Quantity;
use super::group::Group;
use super::{in_order, judged, measured, median, standing};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Grade, Measurement};

pub(super) fn tell(group: &Group<'_>, quantity: Quantity, percent: f64, averaged: bool, found: &mut Findings) {
    let Some(id) = figure_of(quantity, percent) else {
        if let Some(file) = group.file() {
            found.pass_over(&file.path, format!("no figure is the {percent}th percentile of {}", quantity.name()));
        }
        return;
    };
    if group.series.len() > 1 {
        let why = format!("{} series of percentiles: they can't be pooled", group.series.len());
        if let Some(file) = group.file() {
            found.told.push(file.complaint("several-series", why.clone()).help("ask the source for the distribution itself"));
        }
        found.add(id, Figure::not_captured(why), Standing::None);
        return;
    }
    let sorted = in_order(group.summed().into_values());
    let highest = id == FigureId::ContainerMemoryPeak;
    let value = if highest { sorted.last().copied() } else { median(&sorted) };
    let Some(value) = value else { return };
    let measurement = measured(group, value, id.unit(), method(percent, averaged, highest, group.by_name));
    let grade = Some(if averaged { Grade::AveragedPercentiles } else { Grade::Approximate });
    found.add(id, judged(Measurement { grade, ..measurement }), standing(group));
}

fn method(percent: f64, averaged: bool, highest: bool, by_name: bool) -> String {
    let of = if averaged { ", each averaged over series by the source: no percentile of any set of requests" } else { "" };
    let name = if by_name { "; which percentile was taken from the file's name" } else { "" };
    if highest {
        return format!("highest one-period {percent}th percentile{of}; a container may have been above it{name}");
    }
    format!("median of one-period {percent}th percentiles{of}{name}")
}

/// The figure that a percentile of a quantity is.
pub(super) fn figure_of(quantity: Quantity, percent: f64) -> Option<FigureId> {
    use FigureId as F;
    let is = |wanted: f64| (percent - wanted).abs() < 1e-9;
    let of: &[(f64, FigureId)] = match quantity {
        Quantity::ContainerCpu => &[(50.0, F::ContainerCpuP50), (99.0, F::ContainerCpuP99)],
        Quantity::ContainerMemory => &[(50.0, F::ContainerMemoryP50), (99.0, F::ContainerMemoryPeak)],
        Quantity::ServerLatency => &[(50.0, F::ServerLatencyP50), (95.0, F::ServerLatencyP95), (99.0, F::ServerLatencyP99)],
        _ => &[],
    };
    of.iter().find(|(wanted, _)| is(*wanted)).map(|(_, id)| *id)
}
