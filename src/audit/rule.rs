//! What a rule is, and what it finds.

use std::collections::BTreeMap;

use super::around::Around;
use super::subject::Subject;
use crate::model::collection::ReleaseRuns;
use crate::model::figure::Measurement;
use crate::model::finding::{Amount, Level};
use crate::model::units::Unit;

/// A rule of the audit.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name in kebab case, stable: what `[audits] accept` and programs go by.
    pub code: &'static str,
    /// How grave what it finds is.
    pub level: Level,
    /// What does not fit, in a few words.
    pub title: &'static str,
    /// Why that matters and when it fires, with the threshold and where that is from.
    pub reason: &'static str,
    /// What to do about it.
    pub hint: &'static str,
    /// What it looks at.
    pub look: Scope,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub enum Scope {
    /// One run, with the archive around it.
    Run(fn(&Subject<'_>) -> Vec<Found>),
    /// All runs of a release together.
    Release(fn(&Around<'_>, &ReleaseRuns) -> Vec<Found>),
    /// Nothing by itself: [`super::not_captured`] and others find it.
    Elsewhere,
}

/// What a rule found: a sentence and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The sentence.
    pub message: String,
    /// The numbers by name.
    pub figures: BTreeMap<String, Amount>,
}

impl Found {
    /// A sentence without numbers yet.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), figures: BTreeMap::new() }
    }

    /// Adds a number; one that is not finite is none.
    pub(super) fn with(mut self, name: impl Into<String>, value: f64, unit: Unit) -> Self {
        if value.is_finite() {
            self.figures.insert(name.into(), Amount::exact(value, unit));
        }
        self
    }

    /// Adds a measurement with what it can be.
    pub(super) fn measured(self, name: impl Into<String>, measurement: &Measurement) -> Self {
        self.amount(name, Amount { value: measurement.value, bounds: measurement.bounds, unit: measurement.unit })
    }

    /// Adds a number with what it can be.
    pub(super) fn amount(mut self, name: impl Into<String>, amount: Amount) -> Self {
        self.figures.insert(name.into(), amount);
        self
    }
}

/// A measurement with enough digits to tell it from another near it: as printed, else two decimals of a rate.
pub(super) fn precise(measurement: &Measurement) -> String {
    match (&measurement.printed, measurement.unit) {
        (None, Unit::PerSecond) => format!("{:.2}/s", measurement.value),
        _ => measurement.text(),
    }
}

/// What a look gives that finds one thing or nothing.
pub(super) fn one(found: Option<Found>) -> Vec<Found> {
    found.into_iter().collect()
}
