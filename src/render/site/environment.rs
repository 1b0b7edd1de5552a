//! What a run was made on, as its page shows it: the rows, and under them what its sources say in words.

pub(super) use crate::render::facts::environment::{FactGroup, environment, moment_text, shared, test};

use super::inline;
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
