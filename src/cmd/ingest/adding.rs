//! What is added to a run that the archive has: the record that all files together would have made.

use std::collections::BTreeSet;

use crate::archive::overlay::Overlay;
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::Origin;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{Observation, Record};

/// A record with what an addition captured; of values as good as each other the newer one wins, as the better one does where all are
/// ingested at once. What somebody stated stays beside them.
pub(super) fn added(record: Record, addition: &Record, remarks: &mut Vec<Diagnostic>) -> Record {
    let mut record = with_environment(record, addition);
    let mut passed_over = BTreeSet::new();
    for (id, figure) in addition.figures.iter() {
        if let Some(better) = record.figures.get(id).filter(|known| is_better(known, figure)) {
            let text = |figure: &Figure| figure.measurement().map(Measurement::text).unwrap_or_default();
            let message = format!("{}: {id} stays {}", record.address(), text(better));
            let note = format!("{} is of a poorer source, incomplete, or of fewer points", text(figure));
            remarks.push(Diagnostic::remark("better-known", message).note(note));
            passed_over.extend(files(figure));
            continue;
        }
        passed_over.extend(record.figures.get(id).map(files).unwrap_or_default());
        // It came out of a `Figures`, which holds only figures of the catalogue's units.
        let captured = record.capture(id, figure.clone());
        debug_assert!(captured.is_ok());
    }
    for (id, figure) in addition.stated.iter().filter(|(id, _)| id.row().origin == Origin::Derived) {
        if record.stated.get(id).is_none() {
            let stated = record.stated.set(id, figure.clone());
            debug_assert!(stated.is_ok());
        }
    }
    if !addition.errors.by_status.is_empty() {
        record.errors.by_status.clone_from(&addition.errors.by_status);
    }
    if !addition.queries.is_empty() {
        record.queries.clone_from(&addition.queries);
    }
    record.database_time = addition.database_time.clone().or(record.database_time);
    // What two sources call alike are two numbers.
    let name = |one: &Observation| (one.name.clone(), one.measurement.source.clone());
    record.observed.retain(|old| !addition.observed.iter().any(|new| name(new) == name(old)));
    record.observed.extend(addition.observed.iter().cloned());
    record.order_observations();
    add_provenance(&mut record, addition, &passed_over);
    record
}

/// The files of a figure, as provenance names them.
fn files(figure: &Figure) -> Vec<String> {
    figure.measurement().map(|measurement| measurement.files.clone()).unwrap_or_default()
}

/// Adds the files of an addition. Those from which others took everything they gave are not what the record was made of.
fn add_provenance(record: &mut Record, addition: &Record, passed_over: &BTreeSet<String>) {
    record.provenance.retain(|input| !addition.provenance.iter().any(|new| new.path == input.path));
    record.provenance.extend(addition.provenance.iter().cloned());
    let kept = record.figures.iter().chain(record.stated.iter()).flat_map(|(_, figure)| files(figure));
    let kept: BTreeSet<String> = kept.chain(record.observed.iter().flat_map(|one| one.measurement.files.clone())).collect();
    record.provenance.retain(|input| kept.contains(&input.path) || !passed_over.contains(&input.path));
    record.provenance.sort();
}

/// The record with the environment that an addition captured: settings key by key, flags as a whole.
fn with_environment(record: Record, addition: &Record) -> Record {
    let mut environment = addition.environment.clone();
    let settings = std::mem::take(&mut environment.service.settings);
    let flags = environment.service.flags.take();
    let mut record = Overlay::new(record).with_capture(&environment).record;
    record.environment.service.lay_settings(settings.into_iter().flat_map(|group| group.entries));
    record.environment.service.flags = flags.or(record.environment.service.flags.take());
    record
}

/// Whether a captured value is better than one that would replace it: of a better grade, whole where the other is not, or of more
/// points. What the same files give anew is newer, whatever it is.
fn is_better(known: &Figure, other: &Figure) -> bool {
    let captured = |figure: &Figure| figure.measurement().filter(|measurement| !measurement.files.is_empty()).cloned();
    let Some((old, new)) = captured(known).zip(captured(other)) else { return false };
    let rank = |figure: &Figure, measurement: &Measurement| {
        let seen = measurement.coverage.map_or(0, |coverage| coverage.seen);
        (measurement.grade, figure.measured().is_none(), std::cmp::Reverse(seen))
    };
    old.files != new.files && rank(known, &old) < rank(other, &new)
}
