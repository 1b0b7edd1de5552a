//! What was counted: requests, transactions, operations of a disk, containers that started.

use std::collections::BTreeMap;

use super::super::findings::Findings;
use super::super::findings::Standing;
use super::super::mapping::Shape;
use super::super::quantity::Quantity;
use super::distribution::pooled;
use super::gauge::APART;
use super::group::Group;
use super::growth::{Starts, growth, is_counted, of_series};
use super::pace::pace;
use super::{judged, measured, observed, standing};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Grade, Measurement};
use crate::model::units::Unit;

/// The labels that hold a request's status code.
pub(in crate::capture) const CODES: [&str; 5] = ["response_code", "return_code", "code", "status", "http_response_status_code"];

pub(super) fn tell(group: &Group<'_>, quantity: Quantity, starts: &Starts<'_>, found: &mut Findings) {
    match quantity {
        Quantity::ContainerStartups => startups(group, starts, found),
        Quantity::ServerRequests => {
            per_second(group, FigureId::ServerRequestsPerS, "requests", starts, found);
            by_code(group, starts, found);
        }
        Quantity::DatabaseTransactions if !has_commits(group) => {
            let why = "there are no commits among the series, so it is not all transactions";
            if let Some(file) = group.file() {
                found.pass_over(&file.path, why);
                let help = "give the pages or series with `transaction_type=commit` too";
                found.told.push(file.complaint("truncated", format!("{}: {why}", file.path)).help(help));
            }
            found.add(FigureId::DatabaseTransactionsPerS, Figure::not_captured(why), Standing::None);
        }
        Quantity::DatabaseTransactions => per_second(group, FigureId::DatabaseTransactionsPerS, "transactions", starts, found),
        Quantity::DatabaseReads => per_second(group, FigureId::DatabaseIopsRead, "read operations", starts, found),
        Quantity::DatabaseWrites => per_second(group, FigureId::DatabaseIopsWrite, "write operations", starts, found),
        _ => {}
    }
}

/// Whether the series that tell commits from rollbacks have both.
fn has_commits(group: &Group<'_>) -> bool {
    let types: Vec<&str> = group.series.iter().map(|series| series.label("transaction_type")).collect();
    types.iter().all(|word| word.is_empty()) || types.contains(&"commit")
}

/// A rare event has points only where it occurs, so points seen of points expected are no coverage, unless a counter tells it. No
/// point at all is not zero.
fn startups(group: &Group<'_>, starts: &Starts<'_>, found: &mut Findings) {
    let id = FigureId::ContainerInstancesStartups;
    if !is_counted(group.shape) {
        let why = format!("the values of {} are no counts, but rates or states", group.metric);
        return found.add(id, Figure::not_captured(why), Standing::None);
    }
    let count = if group.has_buckets() { pooled(group, starts, |_| true).count() } else { growth(group, starts).amount };
    let method = match (group.shape, group.has_buckets()) {
        (Shape::Counter, _) => "differences of raw points, with resets",
        (Shape::Increase, _) => "increase() over the window, which extrapolates",
        (_, true) => "sum of distribution counts",
        (_, false) => "sum of periods",
    };
    let grade = (group.shape == Shape::Increase).then_some(Grade::Approximate);
    let lacking = growth(group, starts).lacking(group);
    let seen = group.coverage();
    let expected = if group.shape == Shape::Counter { seen.expected } else { seen.seen };
    let coverage = Some(Coverage { expected, ..seen });
    found.add(id, judged(Measurement { grade, coverage, lacking, ..measured(group, count, id.unit(), method) }), standing(group));
}

fn per_second(group: &Group<'_>, id: FigureId, what: &str, starts: &Starts<'_>, found: &mut Findings) {
    if group.shape == Shape::Rate && group.is_apart() {
        return found.add(id, Figure::not_captured(APART), Standing::None);
    }
    let Some(rate) = rate(group, starts) else {
        let why = format!("there is one point of {} only, and no time between two", group.metric);
        found.add(id, Figure::not_captured(why), Standing::None);
        return;
    };
    if let Some(total) = rate.total {
        let count = measured(group, total, Unit::Count, counted_by(group));
        let count = Measurement { grade: rate.grade, lacking: rate.lacking.clone(), ..count };
        found.observed.push(observed(what, count));
    }
    let measurement = measured(group, rate.value, id.unit(), rate.method);
    let measurement = Measurement { grade: rate.grade, lacking: rate.lacking, ..measurement };
    found.add(id, judged(measurement), standing(group));
}

/// How a count over the window came about: counters tell no more than their last point.
fn counted_by(group: &Group<'_>) -> &'static str {
    if group.shape == Shape::Counter {
        "differences of raw points, up to the last one in the window"
    } else {
        "sum over the window"
    }
}

struct Rate {
    value: f64,
    total: Option<f64>,
    method: String,
    grade: Option<Grade>,
    lacking: Option<String>,
}

/// Per second: counts over the seconds that their points cover, a mean of rates over equal periods.
fn rate(group: &Group<'_>, starts: &Starts<'_>) -> Option<Rate> {
    let growth = growth(group, starts);
    let (total, lacking) = (growth.amount, growth.lacking(group));
    let (seconds, method, grade) = match group.shape {
        Shape::Delta => {
            let seconds = group.seconds_of_periods()?;
            (seconds, format!("sum over {seconds} s of points"), None)
        }
        Shape::Counter => {
            let pace = pace(group, starts)?;
            let method = format!("differences of raw points, with resets, over {} s {}", pace.seconds, pace.between);
            return Some(Rate { value: pace.amount / pace.seconds, total: Some(total), method, grade: None, lacking });
        }
        Shape::Increase => {
            let method = "increase() over the window, which extrapolates".to_owned();
            (group.window()?.seconds(), method, Some(Grade::Approximate))
        }
        Shape::Rate => {
            let sums = group.summed();
            let value = sums.values().sum::<f64>() / sums.len() as f64;
            return Some(Rate { value, total: None, method: "mean of equal periods".to_owned(), grade: None, lacking });
        }
        // A plain number that is no rate says nothing of a time.
        Shape::Gauge | Shape::Percentile { .. } => return None,
    };
    Some(Rate { value: total / seconds, total: Some(total), method, grade, lacking })
}

/// Requests by status, where series tell it.
fn by_code(group: &Group<'_>, starts: &Starts<'_>, found: &mut Findings) {
    if !is_counted(group.shape) {
        return;
    }
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for series in &group.series {
        let Some(code) = CODES.iter().map(|name| series.label(name)).find(|code| !code.is_empty()) else { return };
        *counts.entry(code).or_default() += of_series(group, series, starts).amount;
    }
    let grade = (group.shape == Shape::Increase).then_some(Grade::Approximate);
    for (code, amount) in counts {
        let count = Measurement { grade, ..measured(group, amount, Unit::Count, counted_by(group)) };
        found.observed.push(observed(format!("requests by code {code}"), count));
    }
}
