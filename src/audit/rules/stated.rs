//! What a page states beside what k6 counted.

use crate::audit::rule::{Found, Rule, Scope, precise};
use crate::audit::subject::{Subject, figure, stated};
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::collection::Run;
use crate::model::finding::Level;

/// A stated figure that the run's own numbers do not give.
pub(super) const STATED_DIFFERS: Rule = Rule {
    code: "stated-differs",
    level: Level::Error,
    title: "A stated figure is not the run's",
    reason: "A cell of the page states a figure that k6's output gives too, and no rounding of one gives the other: one of them belongs to \
             another run, or was typed wrong. Both count with all that their digits allow.",
    hint: "correct the cell, or take k6's output of the right run",
    look: Scope::Run(differs),
};

fn differs(subject: &Subject<'_>) -> Vec<Found> {
    let stated = subject.record().stated.iter().filter_map(|(id, figure)| Some((id, figure.measurement()?)));
    let found = stated.filter_map(|(id, stated)| {
        let own = subject.figure(id)?;
        if stated.range().overlaps(own.range()) {
            return None;
        }
        let source = stated.source.as_ref().map_or_else(|| "it is stated as".to_owned(), |source| format!("\"{source}\" states"));
        let message =
            format!("{source} {}, but {id} is {}{}", stated.text(), precise(&own), reading(subject, id, stated.range()));
        Some(Found::new(message).measured(format!("stated.{id}"), stated).measured(id.name(), &own))
    });
    found.collect()
}

/// What the stated number may be instead.
fn reading(subject: &Subject<'_>, id: FigureId, stated: Bounds) -> String {
    let test = FigureId::K6TestIterationsPerS;
    let is_test = id == FigureId::K6IterationsPerS && subject.range(test).is_some_and(|range| range.overlaps(stated));
    if is_test { format!(" (the stated one is {test}: the rate over the test phase alone)") } else { String::new() }
}

/// Whether a run states its throughput, and k6's output has another: then that output may be another run's.
pub(super) fn is_throughput_foreign(run: &Run) -> bool {
    let id = FigureId::K6IterationsPerS;
    stated(run, id).zip(figure(run, id)).is_some_and(|(stated, own)| !stated.range().overlaps(own.range()))
}
