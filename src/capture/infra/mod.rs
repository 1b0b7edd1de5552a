//! Machines as the platform describes them: `gcloud run services describe`, `gcloud sql instances describe`, JSON and YAML.

use super::Capture;
use super::findings::{Fact, Findings, KnownSetting};
use crate::diagnostic::Faults;
use crate::source::Source;

/// What a platform or a configuration file says of machines and settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Facts by the key they have in a record's environment.
    pub facts: Vec<Fact>,
    /// Settings of the service.
    pub settings: Vec<KnownSetting>,
}

/// Whether a text is such a description.
#[must_use]
pub fn sniff(_source: &Source) -> bool {
    false
}

/// Reads a description.
///
/// # Errors
/// `bad-capture` at the place where it is not of the platform's shape.
pub fn read(_source: &Source) -> Result<Capture, Faults> {
    Ok(Capture::Facts(Facts::default()))
}

/// The facts and settings of all files; two that contradict each other are an error that names both places.
#[must_use]
pub fn findings(_files: &[&super::File]) -> Findings {
    Findings::default()
}
