//! PostgreSQL's statistics views as `psql` prints them: two states subtracted, samples, settings, the server log.

use super::findings::Findings;
use super::{Capture, File, Rules, Window};
use crate::diagnostic::Faults;
use crate::source::Source;

/// One state of a statistics view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {}

/// Samples of `pg_stat_activity`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {}

/// What the server log tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {}

/// Whether a text is one of a view of PostgreSQL.
#[must_use]
pub fn sniff(_source: &Source) -> bool {
    false
}

/// Reads a view.
///
/// # Errors
/// `bad-capture` at the row that is not of the view's shape.
pub fn read(_source: &Source) -> Result<Capture, Faults> {
    Ok(Capture::Snapshot(Snapshot::default()))
}

/// What the views among the files tell.
#[must_use]
pub fn findings(_files: &[&File], _window: Option<Window>, _rules: &Rules) -> Findings {
    Findings::default()
}
