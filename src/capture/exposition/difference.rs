//! What the processes counted between their two scrapes, summed.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Rules;
use super::super::buckets::Buckets;
use super::super::mapping::{Meaning, Means, Shape};
use super::super::quantity::Quantity;
use super::super::reduce::CODES;
use super::super::track::{Track, Value};
use super::pairs::Pair;

/// Sums over processes, in the base unit of what they measure.
#[derive(Default)]
pub(super) struct Sums {
    /// Numbers by what they measure.
    pub(super) numbers: BTreeMap<Quantity, f64>,
    /// Histograms by what they measure.
    pub(super) buckets: BTreeMap<Quantity, Vec<Buckets>>,
    /// Requests by status code.
    pub(super) codes: BTreeMap<String, f64>,
    /// The files.
    pub(super) files: BTreeSet<String>,
    /// How many series of each quantity there were.
    pub(super) series: BTreeMap<Quantity, u64>,
}

impl Sums {
    /// Adds what a process counted: its last state alone where it began anew, else the difference.
    pub(super) fn add(&mut self, pair: &Pair<'_>, began_anew: bool, rules: &Rules) {
        let before: BTreeMap<_, _> = pair.before.tracks.iter().map(|track| ((&track.metric, &track.labels), track)).collect();
        for track in pair.after.tracks {
            let meaning = rules.mapping.meaning(track, pair.after.file.stem());
            let Ok(Meaning { means: Means::Quantity(quantity), shape: Shape::Counter, factor, .. }) = meaning else { continue };
            // A series that was not there yet began at zero.
            let then = before.get(&(&track.metric, &track.labels)).filter(|_| !began_anew).and_then(|track| track.points.first());
            let Some(now) = track.points.first() else { continue };
            match (&now.value, then.map(|point| &point.value)) {
                (Value::Number(now), then) => {
                    let then = if let Some(Value::Number(then)) = then { *then } else { 0.0 };
                    self.number(quantity, track, (now - then) * factor);
                }
                (Value::Buckets(now), Some(Value::Buckets(then))) => self.histogram(quantity, now.since(then), factor),
                (Value::Buckets(now), _) => self.histogram(quantity, Some(now.clone()), factor),
                (Value::Nothing, _) => {}
            }
        }
        if !began_anew {
            self.files.insert(pair.before.file.path.clone());
        }
        self.files.insert(pair.after.file.path.clone());
    }

    fn number(&mut self, quantity: Quantity, track: &Track, number: f64) {
        *self.numbers.entry(quantity).or_default() += number;
        *self.series.entry(quantity).or_default() += 1;
        let code = CODES.iter().find_map(|label| track.labels.get(*label));
        if let (Quantity::ServerRequests, Some(code)) = (quantity, code) {
            *self.codes.entry(code.clone()).or_default() += number;
        }
    }

    fn histogram(&mut self, quantity: Quantity, buckets: Option<Buckets>, factor: f64) {
        if let Some(buckets) = buckets {
            self.buckets.entry(quantity).or_default().push(buckets.scaled(factor));
            *self.series.entry(quantity).or_default() += 1;
        }
    }

    /// A number, if some process counted it.
    pub(super) fn of(&self, quantity: Quantity) -> Option<f64> {
        self.numbers.get(&quantity).copied()
    }

    /// All values of a histogram, if some process has it.
    pub(super) fn pooled(&self, quantity: Quantity) -> Option<Buckets> {
        self.buckets.get(&quantity).map(Buckets::pooled)
    }
}
