//! What the method asks for and nobody captured: `plimsoll audit --complete`.

use super::around::Around;
use super::rule::{Found, Rule, Scope};
use super::subject::Subject;
use crate::model::address::Address;
use crate::model::catalogue::{FigureId, Origin};
use crate::model::collection::Run;
use crate::model::derive;
use crate::model::figure::Figure;
use crate::model::finding::{Finding, Level};
use crate::model::units::Unit;

/// Figures that are wanted and missing.
pub(super) const NOT_CAPTURED: Rule = Rule {
    code: "not-captured",
    level: Level::Error,
    title: "The method asks for figures that nobody captured",
    reason: "The project's flow asks about these figures, or every page has a row for them. Without them the flow stops or passes a question over, and the page has empty cells. \
             Only `audit --complete` looks for them.",
    hint: "capture them in the test's window; `plimsoll ingest PATH --explain FIGURE` says what gives one",
    look: Scope::Elsewhere,
};

/// Rows of every page: what the method captures of service and database beside what a flow asks.
const ROWS: [FigureId; 15] = [
    FigureId::ContainerCpuP50,
    FigureId::ContainerCpuP99,
    FigureId::ContainerMemoryP50,
    FigureId::ContainerInstancesMedian,
    FigureId::ContainerInstancesStartups,
    FigureId::ServerRequestsPerS,
    FigureId::ServerLatencyP50,
    FigureId::ServerLatencyP95,
    FigureId::ServerLatencyP99,
    FigureId::DatabaseCpuMedian,
    FigureId::DatabaseMemory,
    FigureId::DatabaseConnections,
    FigureId::DatabaseTransactionsPerS,
    FigureId::DatabaseIopsRead,
    FigureId::DatabaseIopsWrite,
];

/// A finding for each run that lacks a figure: one of `asked`, those that the flow asks about, or one that every page has a row for.
#[must_use]
pub fn not_captured(around: &Around<'_>, chosen: &[(&Address, &Run)], asked: &[FigureId]) -> Vec<Finding> {
    let mut wanted: Vec<FigureId> = asked.iter().copied().filter(|id| is_captured(*id)).chain(ROWS).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let missing = chosen.iter().filter_map(|(address, run)| {
        let found = lacking(&Subject { around, address, run }, &wanted)?;
        Some(super::finding(&NOT_CAPTURED, address.release.as_str(), Some(address.run()), found))
    });
    missing.collect()
}

/// Whether a figure is one that somebody captures: goals and sizes are not.
fn is_captured(id: FigureId) -> bool {
    matches!(id.row().origin, Origin::Captured | Origin::Derived)
}

fn lacking(subject: &Subject<'_>, wanted: &[FigureId]) -> Option<Found> {
    let missing: Vec<String> = wanted
        .iter()
        .filter_map(|id| match derive::figure(subject.record(), *id) {
            Figure::NotCaptured { reason } => Some(reason.map_or_else(|| id.to_string(), |reason| format!("{id} ({reason})"))),
            Figure::Measured(_) | Figure::Incomplete(_) => None,
        })
        .collect();
    let count = missing.len();
    (count > 0).then(|| {
        let message = format!("{count} of {} figures were not captured: {}", wanted.len(), missing.join(", "));
        let found = Found::new(message).with("missing_figures", count as f64, Unit::Count);
        found.with("wanted_figures", wanted.len() as f64, Unit::Count)
    })
}
