//! Populations of failures as marks on the time axis of a run's charts, and in the table that explains them.

use serde::Serialize;

use super::super::view::number;
use crate::model::failures::{Origin, Phase, Population, Shape};
use crate::model::instant::Moment;
use crate::model::record::Record;
use crate::render::populations;
use crate::render::svg::bands::Band;

/// At most so many populations have a row; the others are counted.
const ROWS: usize = 20;

/// A population in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PopulationView {
    /// Its mark in the charts; empty where it has none.
    pub mark: String,
    pub count: String,
    pub what: String,
    pub side: &'static str,
    pub reason: String,
    pub shape: &'static str,
    pub when: String,
    pub peak: String,
    /// What was asked for: methods and names of requests.
    pub asked: String,
}

/// The populations of a run in the order in which they began, the largest where there are too many, and how many have no row.
pub(crate) fn rows(record: &Record) -> (Vec<PopulationView>, usize) {
    let kept = kept(record);
    let start = test_start(record);
    let rows = kept.iter().enumerate().map(|(nth, population)| row(nth, population, start)).collect();
    let all = record.failures.as_ref().map_or(0, |failures| failures.populations.len());
    (rows, all - kept.len())
}

/// Where they stand on an axis that begins at a second. Those of the whole test would mark all of it, and say nothing.
pub(crate) fn bands(record: &Record, start: i64) -> Vec<Band> {
    let second = |moment: Moment| moment.instant().map(|at| at.timestamp());
    let band = |(nth, population): (usize, &&Population)| {
        let (from, to) = (second(population.first)?, second(population.last)?);
        is_marked(population).then(|| Band { from: from.saturating_sub(start), to: to.saturating_sub(start), mark: mark(nth) })
    };
    kept(record).iter().enumerate().filter_map(band).collect()
}

fn kept(record: &Record) -> Vec<&Population> {
    let Some(failures) = &record.failures else { return Vec::new() };
    let mut by_size: Vec<usize> = (0..failures.populations.len()).collect();
    by_size.sort_by_key(|at| std::cmp::Reverse(failures.populations[*at].count));
    by_size.truncate(ROWS);
    by_size.sort_unstable();
    by_size.into_iter().map(|at| &failures.populations[at]).collect()
}

fn is_marked(population: &Population) -> bool {
    population.shape != Shape::Steady && population.phase == Phase::Test
}

fn mark(nth: usize) -> String {
    (nth + 1).to_string()
}

fn test_start(record: &Record) -> Option<Moment> {
    record.phases.as_ref()?.test.as_ref().map(|test| test.first)
}

fn row(nth: usize, population: &Population, start: Option<Moment>) -> PopulationView {
    let asked: Vec<String> = population.methods.keys().chain(population.names.keys()).cloned().collect();
    PopulationView {
        mark: if is_marked(population) { mark(nth) } else { String::new() },
        count: number(population.count),
        what: populations::what(population),
        side: match population.origin {
            Origin::Service => "service",
            Origin::Platform => "platform",
            Origin::Client => "load generator",
            Origin::Unknown => "not known",
        },
        reason: population.reason.clone().unwrap_or_default(),
        shape: match population.shape {
            Shape::Burst => "burst",
            Shape::Steady => "steady",
            Shape::Single => "single",
        },
        when: populations::when(population, start),
        peak: number(population.peak_per_minute),
        asked: asked.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_marked_and_what_is_steady_is_not() {
        let record = populations::example();
        let (rows, left) = rows(&record);
        let start = test_start(&record).and_then(Moment::instant).map_or(0, |at| at.timestamp());
        let marks: Vec<&str> = rows.iter().map(|row| row.mark.as_str()).filter(|mark| !mark.is_empty()).collect();
        let bands = bands(&record, start);
        assert_eq!(marks, bands.iter().map(|band| band.mark.as_str()).collect::<Vec<_>>());
        assert!(!marks.is_empty() && left == 0);
        for row in rows.iter().filter(|row| row.shape == "steady") {
            assert_eq!(row.mark, "");
        }
        assert!(bands.iter().all(|band| band.from >= 0 && band.to >= band.from));
    }
}
