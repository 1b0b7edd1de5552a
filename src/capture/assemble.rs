//! From the captures of a run to what its record keeps.

use super::findings::Findings;
use super::mapping::Mapping;
use super::queries::Names;
use super::{File, Window};

/// What a project says of captures: its own rules before the built-in ones.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What series measure.
    pub mapping: Mapping,
    /// How statements are called.
    pub names: Names,
}

impl Rules {
    /// The built-in rules alone.
    #[must_use]
    pub fn built_in() -> Self {
        Self { mapping: Mapping::built_in(), names: Names::built_in() }
    }
}

/// What the files of one run tell of its window.
#[must_use]
pub fn assemble(_files: &[&File], _target: &str, _window: Option<Window>, _rules: &Rules) -> Findings {
    Findings::default()
}
