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
mod resampled;
mod sides;
pub mod statistics;
mod target;
mod writing;

#[cfg(test)]
mod tests;

pub use calibration::calibrate;
pub use noise::Repeats;
pub use resampled::Resampled;
pub use sides::{Input, Side};

use crate::model::comparison::{Accepted, Comparison, Kind, Method, SCHEMA, TargetComparison};
use crate::settings::Settings;

/// Compares two sides, target by target.
#[must_use]
pub fn compare(input: &Input<'_>) -> Comparison {
    let repeats = Repeats::of(input.archive, input.settings);
    let noise = target::Noise { repeats: &repeats, resampled: &Resampled::default() };
    let targets = sides::pairings(input).iter().map(|pairing| target::compare(input, pairing, noise)).collect();
    of_targets([&input.a.name, &input.b.name], input.settings, targets)
}

/// One target of two sides, held against the noise that the repeats of the whole archive tell: what [`compare`] says of it. What blocks
/// say when they are resampled is taken from `resampled`, or put there.
#[must_use]
pub fn compare_target(input: &Input<'_>, target: &str, repeats: &Repeats, resampled: &Resampled) -> Option<TargetComparison> {
    let alone = Input { a: input.a.only(target), b: input.b.only(target), ..*input };
    sides::pairings(&alone).first().map(|pairing| target::compare(&alone, pairing, target::Noise { repeats, resampled }))
}

/// A comparison of two sides, by name, whose targets were compared one by one.
#[must_use]
pub fn of_targets([a, b]: [&str; 2], settings: &Settings, targets: Vec<TargetComparison>) -> Comparison {
    Comparison {
        schema: SCHEMA,
        a: a.to_owned(),
        b: b.to_owned(),
        method: method(settings, change::RESAMPLES, &targets),
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
