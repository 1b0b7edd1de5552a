//! The table of a release's runs.

use crate::model::catalogue::FigureId;
use crate::model::collection::ReleaseRuns;
use crate::model::comparison::Missing;
use crate::model::derive;
use crate::model::record::Record;
use crate::render::comparison::together::{gaps, names};
use crate::render::docs::folder::DocsInput;
use crate::render::docs::writing::{self, Writing, numbers, value, words};
use crate::render::docs::{environment, outcome};
use crate::render::facts::cell::Cell;
use crate::render::facts::headline;

/// How many names of runs stand in a sentence.
const NAMED: usize = 12;

/// A row a run.
pub(super) fn table(input: &DocsInput<'_>, runs: &ReleaseRuns, writing: &Writing<'_>) -> String {
    let columns = [
        words("Target"),
        words("Outcome"),
        numbers("Iterations per second"),
        numbers("p50"),
        numbers("p95"),
        numbers("p99"),
        numbers("Failed requests"),
        numbers("Virtual users"),
        numbers("Duration"),
    ];
    let load_differs = load(runs).is_none();
    let rows: Vec<Vec<String>> = runs
        .runs
        .iter()
        .map(|(address, run)| {
            let mut row =
                vec![writing.run(address, &address.run()), writing::lines(outcome::lines(run, input.verdicts.get(address)))];
            row.extend(figures(&run.record).iter().map(|(_, cell)| value(cell)));
            if load_differs {
                row.push(value(&vus(&run.record)));
                row.push(environment::duration(&run.record).unwrap_or_default());
            }
            row
        })
        .collect();
    writing::table(&columns, &rows)
}

/// The figures of a row, each with the name that it has in a sentence.
fn figures(record: &Record) -> [(&'static str, Cell); 5] {
    [
        ("throughput", headline::throughput(record)),
        ("p50", headline::latency(record, 50)),
        ("p95", headline::latency(record, 95)),
        ("p99", headline::latency(record, 99)),
        ("failures", headline::failures(record)),
    ]
}

fn vus(record: &Record) -> Cell {
    Cell::figure(&derive::figure(record, FigureId::K6Vus))
}

/// The load that all runs were given: `600 virtual users, 30min`; nothing where it differs.
pub(super) fn load(runs: &ReleaseRuns) -> Option<String> {
    let words = |record: &Record| {
        let vus = Some(vus(record)).filter(|cell| cell.state != "missing").map(|cell| format!("{} virtual users", cell.text));
        [vus, environment::duration(record)].into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let mut all = runs.runs.values().map(|run| words(&run.record));
    let first = all.next().filter(|words| !words.is_empty())?;
    all.all(|words| words == first).then_some(first)
}

/// What the latencies are of, and why a figure is not there.
pub(super) fn remarks(runs: &ReleaseRuns) -> String {
    let mut items = basis(runs);
    let mut missing = Vec::new();
    for (address, run) in &runs.runs {
        for (name, cell) in figures(&run.record).into_iter().filter(|(_, cell)| cell.state == "missing") {
            missing.push(Missing { metric: format!("{name} of {}", address.run()), reason: cell.note });
        }
    }
    items.extend(gaps(&missing).iter().map(|gap| {
        let reason = if gap.reason.is_empty() { "not captured" } else { gap.reason };
        format!("{}: {reason}.", names(&gap.metrics, NAMED))
    }));
    writing::list(items)
}

/// Of which requests the latencies are: a sentence where all runs are alike, else one for each kind.
fn basis(runs: &ReleaseRuns) -> Vec<String> {
    let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
    for (address, run) in &runs.runs {
        let basis = headline::latency_basis(&run.record);
        match kinds.iter_mut().find(|(known, _)| *known == basis) {
            Some((_, names)) => names.push(address.run()),
            None => kinds.push((basis, vec![address.run()])),
        }
    }
    kinds.retain(|(basis, _)| !basis.is_empty());
    let of =
        |basis: &str| if basis == "all requests" { "all requests, failed ones included" } else { "successful requests only" };
    match kinds.as_slice() {
        [(only, _)] => vec![format!("p50, p95 and p99 are percentiles of `http_req_duration`, of {}.", of(only))],
        several => several
            .iter()
            .map(|(basis, runs)| format!("p50, p95 and p99 of `http_req_duration` are of {}: {}.", of(basis), names(runs, NAMED)))
            .collect(),
    }
}
