//! Findings: what does not fit in a record, or between the record and the method.
//!
//! This is the shape of `plimsoll audit --format json`, a contract, published as JSON Schema.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::units::{self, Unit};

/// The version of the shape that this program writes.
pub const SCHEMA: u32 = 1;

/// What `plimsoll audit --format json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// Version of this shape.
    pub schema: u32,
    /// By release and run, those of a release as a whole before those of its runs; then the gravest first.
    pub findings: Vec<Finding>,
}

/// One thing that does not fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The release; `site`, `docs` or `archive` for what `audit --evidence` finds of none.
    pub release: String,
    /// The run inside its release: the target, or target and label; null where all runs of the release have it together.
    pub run: Option<String>,
    /// The rule that found it, `littles-law`.
    pub code: String,
    /// How grave it is.
    pub level: Level,
    /// What does not fit, in a sentence with its numbers.
    pub message: String,
    /// The numbers by name: figures of the catalogue, and others under names of their own.
    pub figures: BTreeMap<String, Amount>,
    /// What to do about it.
    pub hint: String,
    /// Why the project accepts it (`[audits] accept` of plimsoll.toml); absent where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
}

/// How grave a finding is, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Something is wrong: two statements that can't both be true, or a number that is not this run's.
    Error,
    /// Something is probably wrong, or makes the run a poor measurement.
    Warning,
    /// Something that a reader should know before trusting the numbers.
    Note,
}

impl Level {
    /// All levels, the gravest first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A number of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Amount {
    /// The number, in base units.
    pub value: f64,
    /// What it can be, where its source cuts or rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// What it is in.
    pub unit: Unit,
}

impl Amount {
    /// An exact number.
    #[must_use]
    pub fn exact(value: f64, unit: Unit) -> Self {
        Self { value, bounds: None, unit }
    }

    /// As pages show it.
    #[must_use]
    pub fn text(&self) -> String {
        units::show(self.value, self.unit)
    }
}

impl Finding {
    /// Where it is: `v4/otp_session`, or `v4`.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.run {
            Some(run) => format!("{}/{run}", self.release),
            None => self.release.clone(),
        }
    }
}
