//! What both forms of a page have in common: a title, rows, notes, a k6 block, each with its place in the text.

use crate::model::page::PageRow;
use crate::source::{Source, Span};

/// A page taken apart, nothing understood yet.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// The title in words.
    pub(super) title: Option<Text>,
    /// The name in the side bar.
    pub(super) sidebar: Option<String>,
    /// Rows in the order of the page.
    pub(super) rows: Vec<Row>,
    /// Whether there was a table at all.
    pub(super) table: Option<Span>,
    /// Place and text of what stands outside the table.
    pub(super) notes: Vec<(String, String)>,
    /// k6's output.
    pub(super) k6: Option<Span>,
}

/// A text and where it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Text {
    /// Markdown without blocks.
    pub(super) text: String,
    /// Its bytes in the source.
    pub(super) span: Span,
}

/// A row of the table.
#[derive(Debug)]
pub(super) struct Row {
    /// Its name.
    pub(super) name: Text,
    /// Its value.
    pub(super) cell: Cell,
}

/// The value of a row.
#[derive(Debug, Default)]
pub(super) struct Cell {
    /// Its lines.
    pub(super) lines: Vec<Text>,
    /// Its bytes in the source.
    pub(super) span: Span,
    /// The line breaks are lost: what follows another may follow it on the same line.
    pub(super) flat: bool,
}

impl Cell {
    /// The lines joined by blanks.
    pub(super) fn joined(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// Whether a heading, or a line that may be one, opens k6's output.
pub(super) fn opens_k6(heading: &str) -> bool {
    PageRow::named(heading.trim().trim_end_matches(':')) == Some(PageRow::K6Output)
}

/// Whether a heading opens the section with the chart.
pub(super) fn opens_latencies(heading: &str) -> bool {
    heading.to_lowercase().contains("latenc")
}

/// Whether a heading is the one above the table.
pub(super) fn opens_results(heading: &str) -> bool {
    heading.trim().eq_ignore_ascii_case("performance test results")
}

/// The span without white space at its ends.
pub(super) fn trimmed(source: &Source, span: Span) -> Span {
    let text = source.text().get(span.clone()).unwrap_or_default();
    let start = span.start + (text.len() - text.trim_start().len());
    let end = span.end.saturating_sub(text.len() - text.trim_end().len()).max(start);
    start..end
}
