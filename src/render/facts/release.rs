//! What is told of a release as a whole: when it was tested, how its runs ended.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::collection::ReleaseRuns;
use crate::model::instant::Moment;
use crate::model::verdict::{Class, Verdict};

/// How many runs ended in a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::render) struct Tally {
    pub count: String,
    pub class: &'static str,
    pub word: &'static str,
}

/// The days on which its runs started: `2026-09-28`, `2026-09-28 to 2026-09-29`; empty if no day is known.
pub(in crate::render) fn when(release: &ReleaseRuns) -> String {
    let days = || {
        let starts = release.runs.values().filter_map(|run| run.record.window.start.and_then(Moment::instant));
        starts.map(|start| start.format("%Y-%m-%d").to_string())
    };
    match (days().min(), days().max()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(day), _) => day,
        _ => String::new(),
    }
}

/// How the release's runs ended, class by class: those that were not judged, then from best to worst.
pub(in crate::render) fn tally<'a>(verdicts: impl Iterator<Item = Option<&'a Verdict>>) -> Vec<Tally> {
    let mut counts = BTreeMap::new();
    for verdict in verdicts {
        *counts.entry(verdict.map(|verdict| verdict.outcome.class)).or_insert(0_usize) += 1;
    }
    counts
        .into_iter()
        .map(|(class, count)| Tally {
            count: count.to_string(),
            class: class.map_or("undetermined", Class::name),
            word: class.map_or("not judged", Class::name),
        })
        .collect()
}
