//! What was counted: requests, transactions, operations of a disk, containers that started.

use std::collections::BTreeMap;

use super::super::findings::Findings;
use super::super::findings::Standing;
use super::super::mapping::Shape;
use super::super::quantity::Quantity;
use super::group::Group;
use super::growth::{Starts, growth, of_series};
use super::pace::pace;
use super::{judged, measured, observed, standing};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Grade, Measurement};
use crate::model::units::Unit;

pub(super) fn tell(group: &Group<'_>, quantity: Quantity, starts: &Starts<'_>, found: &mut Findings) {
    match quantity {
        Quantity::ContainerStartups => startups(group, found),
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

/// A rare event has points only where it occurs, so points seen of points expected are no coverage. No point at all is not zero.
fn startups(group: &Group<'_>, found: &mut Findings) {
    let id = FigureId::ContainerInstancesStartups;
    let (count, method) = if group.has_buckets() {
        let counts = group.series.iter().flat_map(|series| group.inside(series)).filter_map(|point| point.buckets());
        (counts.map(super::super::buckets::Buckets::count).sum::<f64>(), "sum of distribution counts")
    } else {
        (group.summed().into_values().sum(), "sum of periods")
    };
    let seen = group.coverage();
    let coverage = Some(Coverage { expected: seen.seen, ..seen });
    found.add(id, judged(Measurement { coverage, ..measured(group, count, id.unit(), method) }), standing(group));
}

fn per_second(group: &Group<'_>, id: FigureId, what: &str, starts: &Starts<'_>, found: &mut Findings) {
    let Some(rate) = rate(group, starts) else {
        let why = format!("there is one point of {} only, and no time between two", group.metric);
        found.add(id, Figure::not_captured(why), Standing::None);
        return;
    };
    if let Some(total) = rate.total {
        let count = Measurement { grade: rate.grade, ..measured(group, total, Unit::Count, "sum over the window") };
        found.observed.push(observed(what, count));
    }
    let measurement = Measurement { grade: rate.grade, ..measured(group, rate.value, id.unit(), rate.method) };
    found.add(id, judged(measurement), standing(group));
}

struct Rate {
    value: f64,
    total: Option<f64>,
    method: String,
    grade: Option<Grade>,
}

/// Per second: counts over the seconds that their points cover, a mean of rates over equal periods.
fn rate(group: &Group<'_>, starts: &Starts<'_>) -> Option<Rate> {
    let sums = group.summed();
    let moments = sums.len() as f64;
    match group.shape {
        Shape::Delta => {
            let total: f64 = sums.into_values().sum();
            let seconds = moments * group.period_s()?;
            Some(Rate {
                value: total / seconds,
                total: Some(total),
                method: format!("sum over {seconds} s of points"),
                grade: None,
            })
        }
        Shape::Counter => {
            let total = growth(group, starts).amount;
            let pace = pace(group, starts)?;
            let method = format!("differences of raw points, with resets, over {} s {}", pace.seconds, pace.between);
            Some(Rate { value: pace.amount / pace.seconds, total: Some(total), method, grade: None })
        }
        Shape::Increase => {
            let total = growth(group, starts).amount;
            let seconds = group.window()?.seconds();
            let method = "increase() over the window, which extrapolates".to_owned();
            Some(Rate { value: total / seconds, total: Some(total), method, grade: Some(Grade::Approximate) })
        }
        Shape::Rate => {
            let sum: f64 = sums.into_values().sum();
            Some(Rate { value: sum / moments, total: None, method: "mean of equal periods".to_owned(), grade: None })
        }
        // A plain number that is no rate says nothing of a time.
        Shape::Gauge | Shape::Percentile { .. } => None,
    }
}

/// Requests by status, where series tell it.
fn by_code(group: &Group<'_>, starts: &Starts<'_>, found: &mut Findings) {
    let name = ["response_code", "code", "status", "return_code"];
    let code = |labels: &dyn Fn(&str) -> String| name.iter().map(|name| labels(name)).find(|code| !code.is_empty());
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for series in &group.series {
        let Some(code) = code(&|name| series.label(name).to_owned()) else { return };
        let amount = match group.shape {
            Shape::Delta => group.inside(series).filter_map(|point| series.scaled(point)).sum(),
            Shape::Counter | Shape::Increase => of_series(group, series, starts).amount,
            _ => return,
        };
        *counts.entry(code).or_default() += amount;
    }
    for (code, amount) in counts {
        let count = measured(group, amount, Unit::Count, "sum over the window");
        found.observed.push(observed(format!("requests by code {code}"), count));
    }
}
