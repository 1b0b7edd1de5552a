//! What differs between two runs of record, to be read beside the changes: figures, queries, flags, settings, machines.

use crate::model::comparison::{FigurePair, QueryChange, SettingChange};
use crate::model::record::Record;

/// Captured and provisioned figures that one of the runs has, in the catalogue's order.
#[must_use]
pub fn figures(a: &Record, b: &Record) -> Vec<FigurePair> {
    let _ = (a, b);
    Vec::new()
}

/// The most expensive queries of both runs, matched by normalised text, else by name: the largest share of time on either side first.
#[must_use]
pub fn queries(a: &Record, b: &Record) -> Vec<QueryChange> {
    let _ = (a, b);
    Vec::new()
}

/// Flags, settings and facts of machines that differ or are known on one side alone: by area, then key.
#[must_use]
pub fn settings(a: &Record, b: &Record) -> Vec<SettingChange> {
    let _ = (a, b);
    Vec::new()
}
