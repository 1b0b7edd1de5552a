//! ZITADEL's feature flags, as `GET /v2/features/instance` and `/v2/features/system` answer.

use super::findings::Findings;
use super::{Capture, File, Window};
use crate::diagnostic::Faults;
use crate::source::Source;

/// An answer on feature flags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {}

/// Whether a text is such an answer, or an error of the same API saved as data.
#[must_use]
pub fn sniff(_source: &Source) -> bool {
    false
}

/// Reads an answer.
///
/// # Errors
/// `bad-capture` at the place where it is not of the API's shape.
pub fn read(_source: &Source) -> Result<Capture, Faults> {
    Ok(Capture::Flags(Answer::default()))
}

/// The flags of a run from all answers among its files.
#[must_use]
pub fn findings(_files: &[&File], _window: Option<Window>) -> Findings {
    Findings::default()
}
