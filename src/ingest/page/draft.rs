//! A record that is being read from a page.

use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Figures, Measurement};
use crate::model::page::PageRow;
use crate::model::record::{Note, Record};
use crate::model::units::{Unit, Written};

/// The record so far, and what is wrong with the page.
pub(super) struct Draft {
    /// The record.
    pub(super) record: Record,
    /// Faults so far.
    pub(super) faults: Vec<Diagnostic>,
}

impl Draft {
    /// Keeps a text that has no field.
    pub(super) fn note(&mut self, row: PageRow, text: impl Into<String>) {
        self.record.notes.push(Note { place: row.place().to_owned(), text: text.into() });
    }

    /// Keeps texts that have no field.
    pub(super) fn notes(&mut self, row: PageRow, texts: impl IntoIterator<Item = String>) {
        for text in texts {
            self.note(row, text);
        }
    }

    /// Adds a captured figure as printed; false if the text is no value of it, or it has another already.
    pub(super) fn figure(&mut self, row: PageRow, id: FigureId, text: &str) -> bool {
        written(id, text, row).is_some_and(|value| self.measured(id, value))
    }

    /// Adds a captured figure.
    pub(super) fn measured(&mut self, id: FigureId, value: Measurement) -> bool {
        set(&mut self.record.figures, id, value)
    }

    /// Adds a figure that k6's own output gives too.
    pub(super) fn stated(&mut self, row: PageRow, id: FigureId, text: &str) -> bool {
        written(id, text, row).is_some_and(|value| set(&mut self.record.stated, id, value))
    }
}

fn set(figures: &mut Figures, id: FigureId, value: Measurement) -> bool {
    let figure = Figure::Measured(value);
    match figures.get(id) {
        Some(known) => *known == figure,
        None => figures.set(id, figure).is_ok(),
    }
}

/// A figure's value as a row prints it. Shares and times are printed with their unit; a bare number is none of them.
pub(super) fn written(id: FigureId, text: &str, row: PageRow) -> Option<Measurement> {
    let bare = text.ends_with(|c: char| c.is_ascii_digit());
    let written = Written::read(text, id.unit()).ok().filter(|_| !(bare && matches!(id.unit(), Unit::Ratio | Unit::Ms)))?;
    Some(Measurement::written(written, id.unit()).from(row.place()))
}
