//! What a run was made on, as its page shows it: the rows, and under them what its sources say in words.

pub(super) use crate::render::facts::environment::{Fact, FactGroup, environment, moment_text, shared, test};

use std::collections::{BTreeMap, BTreeSet};

use super::inline;
use crate::model::collection::ReleaseRuns;
use crate::model::page::PageRow;
use crate::model::record::Note;

/// Puts notes under the rows they name; returns the ones that name none.
pub(super) fn place_notes(groups: &mut [FactGroup], notes: &[Note], anchors: &[&str]) -> Vec<Note> {
    let mut rest = Vec::new();
    for note in notes {
        let row = groups.iter_mut().flat_map(|g| g.rows.iter_mut()).find(|row| PageRow::named(&note.place) == Some(row.row));
        match row {
            Some(row) => row.notes_html.push(inline::html(&note.text, anchors)),
            None => rest.push(note.clone()),
        }
    }
    rest
}

/// The lines of the environment that all runs of a release have alike, by the label of their row; `None` of a release with one run, where nothing
/// can differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Common(Option<BTreeMap<String, BTreeSet<(String, String)>>>);

impl Common {
    /// What the environments of some runs have in common.
    pub(super) fn of(environments: &[Vec<FactGroup>]) -> Self {
        if environments.len() < 2 {
            return Self::default();
        }
        let mut all = environments.iter().map(|groups| lines(groups));
        let first = all.next().unwrap_or_default();
        Self(Some(all.fold(first, |common, next| {
            let alike = |(label, lines): (String, BTreeSet<_>)| {
                let both = next.get(&label).map(|own| lines.intersection(own).cloned().collect()).unwrap_or_default();
                (label, both)
            };
            common.into_iter().map(alike).collect()
        })))
    }

    /// Marks the lines that not all runs of the release have.
    pub(super) fn mark(&self, groups: &mut [FactGroup]) {
        let Some(common) = &self.0 else { return };
        for row in groups.iter_mut().flat_map(|group| &mut group.rows) {
            let shared = common.get(&row.label);
            for line in &mut row.lines {
                let said = (line.key.clone(), line.value.clone());
                line.is_own = !shared.is_some_and(|shared| shared.contains(&said));
            }
        }
    }
}

/// What the runs of a release have in common.
pub(super) fn common(release: &ReleaseRuns, service_name: &str) -> Common {
    let environments: Vec<_> = release.runs.values().map(|run| environment(&run.record, service_name)).collect();
    Common::of(&environments)
}

fn lines(groups: &[FactGroup]) -> BTreeMap<String, BTreeSet<(String, String)>> {
    let said = |row: &Fact| row.lines.iter().map(|line| (line.key.clone(), line.value.clone())).collect();
    groups.iter().flat_map(|group| &group.rows).map(|row| (row.label.clone(), said(row))).collect()
}
