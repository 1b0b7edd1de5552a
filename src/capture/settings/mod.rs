//! Settings of the service: the runtime configuration in YAML, `ZITADEL_*` variables of an environment file.
//!
//! Values are kept as the text they were written in, secrets as stars. A service of another kind has its settings read in the same
//! way; what is known of a setting is told by its exact spelling, so nothing of ZITADEL's is said of another service's `log.level`.

mod known;
mod setting;
mod tree;
mod variables;

pub(super) use self::setting::setting;
use super::Capture;
use crate::diagnostic::Faults;
use crate::source::Source;

/// Whether a text is such a configuration.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    variables::sniff(source) || tree::sniff(source)
}

/// Reads a configuration.
///
/// # Errors
/// `bad-capture` at the place where it is no YAML or no list of variables.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    let facts = if variables::sniff(source) { variables::read(source)? } else { tree::read(source)? };
    Ok(Capture::Facts(facts))
}
