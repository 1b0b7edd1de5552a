//! Whether captured figures fit each other.

use crate::audit::rule::{Found, Rule, Scope};
use crate::audit::subject::Subject;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::finding::Level;
use crate::model::units::show_count;

/// Figures that cannot be in this order.
pub(super) const ORDER: Rule = Rule {
    code: "figure-order",
    level: Level::Error,
    title: "Figures are out of order",
    reason: "A median lies at or below a 99th percentile, both at or below the peak, and the smallest number at or below the largest. Where they do not, \
             figures were swapped, or come from different windows.",
    hint: "take all of them from one capture over one window",
    look: Scope::Run(order),
};

/// Figures that ascend, whatever was measured.
const ASCENDING: [&[FigureId]; 5] = [
    &[FigureId::ContainerCpuP50, FigureId::ContainerCpuP99, FigureId::ContainerCpuPeak],
    &[FigureId::ContainerMemoryP50, FigureId::ContainerMemoryPeak],
    &[FigureId::ContainerInstancesMin, FigureId::ContainerInstancesMedian, FigureId::ContainerInstancesMax],
    &[FigureId::ServerLatencyP50, FigureId::ServerLatencyP95, FigureId::ServerLatencyP99],
    &[FigureId::DatabaseCpuMedian, FigureId::DatabaseCpuPeak],
];

fn order(subject: &Subject<'_>) -> Vec<Found> {
    let found = ASCENDING.iter().filter_map(|ids| {
        let known: Vec<(FigureId, Measurement)> = ids.iter().filter_map(|id| Some((*id, subject.figure(*id)?))).collect();
        let (low, high) =
            known.windows(2).map(|pair| (&pair[0], &pair[1])).find(|(low, high)| low.1.range().lo() > high.1.range().hi())?;
        let message = format!("{} is {}, above {}, {}", low.0, low.1.text(), high.0, high.1.text());
        Some(Found::new(message).measured(low.0.name(), &low.1).measured(high.0.name(), &high.1))
    });
    found.collect()
}

/// A figure that covers too little.
pub(super) const INCOMPLETE: Rule = Rule {
    code: "figure-incomplete",
    level: Level::Warning,
    title: "A figure covers a part of the test only",
    reason: "Its source has fewer than 90% of the points that the window should have, or hit a limit. A median over the half that was captured may be anything over the whole; \
             a flow does not decide on it.",
    hint: "fetch the capture again for the whole window",
    look: Scope::Run(incomplete),
};

fn incomplete(subject: &Subject<'_>) -> Vec<Found> {
    let figures = subject.record().figures.iter().filter_map(|(id, figure)| match figure {
        Figure::Incomplete(measurement) => Some((id, measurement)),
        Figure::Measured(_) | Figure::NotCaptured { .. } => None,
    });
    let found = figures.map(|(id, measurement)| {
        let points =
            measurement.coverage.map(|seen| format!("{} of {} points", show_count(seen.seen), show_count(seen.expected)));
        let lacking =
            measurement.lacking.clone().or(points).unwrap_or_else(|| "its source does not say what is missing".to_owned());
        Found::new(format!("{id}, {}: {lacking}", measurement.text())).measured(id.name(), measurement)
    });
    found.collect()
}
