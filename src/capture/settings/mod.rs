//! Settings of the service: the runtime configuration in YAML, `ZITADEL_*` variables of an environment file.

use super::Capture;
use super::infra::Facts;
use crate::diagnostic::Faults;
use crate::source::Source;

/// Whether a text is such a configuration.
#[must_use]
pub fn sniff(_source: &Source) -> bool {
    false
}

/// Reads a configuration.
///
/// # Errors
/// `bad-capture` at the place where it is no YAML or no list of variables.
pub fn read(_source: &Source) -> Result<Capture, Faults> {
    Ok(Capture::Facts(Facts::default()))
}
