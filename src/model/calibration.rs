//! How often `diff` is wrong at the current settings: pairs of runs between which nothing changed, and the same pairs with a
//! change put in.
//!
//! This is the shape of `plimsoll diff --calibrate --format json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::comparison::{Decision, Kind, Method};

/// The version of the shape that this program writes.
pub const SCHEMA: u32 = 1;

/// What the archive's repeats say about `diff`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// Version of this shape.
    pub schema: u32,
    /// How it was decided.
    pub method: Method,
    /// Runs that have a repeat.
    pub runs: u32,
    /// Builds and targets with repeats, and how many runs each has.
    pub groups: Vec<Group>,
    /// Pairs of unchanged runs; pairs share runs, so they are not independent.
    pub pairs: Vec<Pair>,
    /// Decisions over all pairs.
    pub decisions: u32,
    /// Decisions that are a regression or an improvement although nothing changed.
    pub false_alarms: u32,
    /// The noise from run to run by kind, all repeats together.
    pub spreads: Vec<Spread>,
    /// The share of pairs in which a change that was put in is found.
    pub power: Vec<Power>,
}

/// Runs of one build and target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The release.
    pub release: String,
    /// The target.
    pub target: String,
    /// Its repeats, by run.
    pub runs: Vec<String>,
}

/// Two runs of one build and target compared, the pair itself left out of the noise from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// The earlier run.
    pub a: String,
    /// The later run.
    pub b: String,
    /// The decisions by metric.
    pub decisions: Vec<PairDecision>,
}

/// A decision about a pair of unchanged runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairDecision {
    /// The metric.
    pub metric: String,
    /// Its kind.
    pub kind: Kind,
    /// `b` over `a`; null for shares.
    pub ratio: Option<f64>,
    /// The decision.
    pub decision: Decision,
}

/// The noise from run to run of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// The kind.
    pub kind: Kind,
    /// Whose CPU, or lock wait; null where it is the whole target's.
    pub of: Option<String>,
    /// The standard deviation between repeats: of log values, or for shares of the shares.
    pub sd: f64,
    /// Degrees of freedom behind it.
    pub degrees: u32,
}

/// How often a change of a size is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Power {
    /// The kind.
    pub kind: Kind,
    /// Runs on each side.
    pub runs: u32,
    /// The change that was put in, a ratio minus 1.
    pub change: f64,
    /// Comparisons in which it was found.
    pub found: u32,
    /// Comparisons made.
    pub of: u32,
}
