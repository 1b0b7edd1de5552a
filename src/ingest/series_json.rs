//! `<target>-output.json`: the published per-second series.

use crate::diagnostic::{Diagnostic, Faults};
use crate::model::series::Series;
use crate::source::Source;

/// Whether a text is such a file.
#[must_use]
pub fn sniff(_source: &Source) -> bool {
    false
}

/// Reads it.
///
/// # Errors
/// All faults.
pub fn read(source: &Source) -> Result<Series, Faults> {
    Err(Diagnostic::error("bad-series", "no series").at(source.at(0..0)).into())
}
