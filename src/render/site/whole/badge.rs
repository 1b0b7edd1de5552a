//! Badges: a small JSON file a target that shields.io draws (<https://shields.io/badges/endpoint-badge>).

use serde::Serialize;

use super::newest;
use crate::model::address::Target;
use crate::model::verdict::Class;
use crate::render::facts::{headline, outcome};
use crate::render::site::SiteInput;

/// What a badge says: how the newest run of record of a target ended, and how fast it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    /// The target.
    pub target: Target,
    /// The outcome and the throughput, in words.
    pub message: String,
    /// The name of the class that colours it; empty where there is none.
    pub class: &'static str,
}

/// The badge as shields.io reads it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BadgeView {
    schema_version: u32,
    label: String,
    message: String,
    color: &'static str,
}

/// A badge of each target that was ever run without a label.
pub(super) fn all(input: &SiteInput<'_>) -> Vec<Badge> {
    let mut targets: Vec<&Target> = input.archive.runs().map(|(address, _)| &address.target).collect();
    targets.sort();
    targets.dedup();
    targets.into_iter().filter_map(|target| of(input, target)).collect()
}

fn of(input: &SiteInput<'_>, target: &Target) -> Option<Badge> {
    let (address, run) = newest(input, |address| address.target == *target)?;
    let verdict = input.verdicts.get(address);
    let (chip, rate) = (outcome::chip(&run.record, verdict), headline::throughput(&run.record));
    let class = verdict.map(|verdict| verdict.outcome.class).filter(|class| class.name() == chip.class);
    let rate = if rate.state == "missing" { "throughput unknown".to_owned() } else { rate.text };
    Some(Badge {
        target: target.clone(),
        message: format!("{}, {rate} on {}", chip.label, address.release),
        class: class.map_or("", Class::name),
    })
}

impl Badge {
    pub(super) fn view(&self) -> BadgeView {
        BadgeView { schema_version: 1, label: self.target.to_string(), message: self.message.clone(), color: colour(self.class) }
    }
}

/// Colours that shields.io has names for. What a person set or recorded, and what is not known, has none of its own.
fn colour(class: &str) -> &'static str {
    let class = Class::ALL.into_iter().find(|known| known.name() == class);
    match class {
        Some(Class::Done) => "brightgreen",
        Some(Class::Scale | Class::ScaleOut) => "yellow",
        Some(Class::Adjust | Class::PotentialIssue) => "orange",
        Some(Class::Terminate) => "red",
        Some(Class::Undetermined) => "lightgrey",
        None => "blue",
    }
}
