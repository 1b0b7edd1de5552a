//! Prometheus: answers of `/api/v1/query` and `/api/v1/query_range`, with and without their envelope.

pub mod remote_write;

use super::Capture;
use crate::diagnostic::Faults;
use crate::source::Source;

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
    Ok(Capture::Tracks(super::track::Tracks::default()))
}
