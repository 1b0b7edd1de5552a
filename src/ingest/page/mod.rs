//! Published benchmark pages: `.mdx`, `.md`, or the plain text of one.

use crate::diagnostic::{Diagnostic, Faults};
use crate::model::record::Record;
use crate::source::Source;

/// What a page tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The record, without provenance.
    pub record: Record,
    /// The k6 block verbatim: what `k6.txt` holds.
    pub k6_text: Option<String>,
}

/// Whether a text is a published page, by its content.
#[must_use]
pub fn sniff(_source: &Source) -> bool {
    false
}

/// Reads a published page.
///
/// # Errors
/// All faults: no table of a run, no release, a cell that contradicts itself.
pub fn read(source: &Source) -> Result<Page, Faults> {
    Err(Diagnostic::error("no-table", "no table of a run").at(source.at(0..0)).into())
}
