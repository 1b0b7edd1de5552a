//! Two releases compared: are the runs alike, what changed beyond noise, what could not be known.
//!
//! The contract comes first ([`contract`]): what must be alike before two runs may be compared. Then every metric is estimated on
//! both sides, its interval is made of the noise within runs, the noise from run to run and what rounding allows, and the interval
//! decides, never a p-value alone. How, and why so, is told in docs/comparison.md.

mod account;
mod blocks;
mod calibration;
mod change;
pub mod contract;
mod covariates;
mod decide;
pub mod differences;
mod drift;
mod failures;
mod headline;
mod metric;
mod noise;
mod reading;
mod sides;
pub mod statistics;
mod target;
mod writing;

#[cfg(test)]
mod tests;

pub use calibration::calibrate;
pub use sides::{Input, Side};

use crate::model::address::Address;
use crate::model::collection::{Archive, Run};
use crate::model::comparison::{Accepted, Comparison, Judgement, Kind, Method, SCHEMA, TargetComparison};
use crate::settings::Settings;

/// Compares two sides, target by target.
#[must_use]
pub fn compare(input: &Input<'_>) -> Comparison {
    with(input, &repeats(input.archive, input.settings))
}

/// Compares several pairs of sides of one archive, in their order. What its repeats say is read once for all of them.
#[must_use]
pub fn compare_all<'a>(
    archive: &'a Archive,
    pairs: impl IntoIterator<Item = [Side<'a>; 2]>,
    settings: &'a Settings,
    judge: &'a dyn Fn(&Address, &Run) -> Judgement,
) -> Vec<Comparison> {
    let repeats = repeats(archive, settings);
    pairs.into_iter().map(|[a, b]| with(&Input { archive, a, b, settings, judge }, &repeats)).collect()
}

fn repeats<'a>(archive: &'a Archive, settings: &Settings) -> noise::Repeats<'a> {
    noise::Repeats::of(archive, settings.floors.warm_up_ms / 1e3)
}

fn with(input: &Input<'_>, repeats: &noise::Repeats<'_>) -> Comparison {
    let targets: Vec<TargetComparison> =
        sides::pairings(input).iter().map(|pairing| target::compare(input, pairing, repeats)).collect();
    Comparison {
        schema: SCHEMA,
        a: input.a.name.clone(),
        b: input.b.name.clone(),
        method: method(input.settings, change::RESAMPLES, &targets),
        headline: headline::of(&targets),
        targets,
    }
}

/// What decides, and which of the accepted keys met a difference.
fn method(settings: &Settings, resamples: u32, targets: &[TargetComparison]) -> Method {
    let floors = &settings.floors;
    let accepted = settings.contract_accept.iter().map(|accepted| Accepted {
        key: accepted.key.clone(),
        reason: accepted.reason.clone(),
        used: targets.iter().any(|target| contract::used(&target.contract, accepted)),
    });
    Method {
        level: floors.level,
        warm_up_s: floors.warm_up_ms / 1e3,
        resamples,
        floors: Kind::ALL.into_iter().map(|kind| (kind, decide::Floor::of(kind, floors).relative)).collect(),
        floor_ms: floors.absolute_ms,
        accepted: accepted.collect(),
    }
}
