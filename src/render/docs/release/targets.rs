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
        numbers("Iterations"),
        numbers("p50"),
        numbers("p95"),
        numbers("p99"),
        numbers("Failed requests"),
        numbers("Virtual users"),
        numbers("Duration"),
    ];
    let [vus_differ, duration_differs] = [vus, duration].map(|of| shared(runs, of).is_none());
    let rows: Vec<Vec<String>> = runs
        .runs
        .iter()
        .map(|(address, run)| {
            let mut row = vec![
                writing.run(address, &address.run()),
                writing::lines(input.layout, outcome::lines(run, input.verdicts.get(address))),
            ];
            row.extend(figures(&run.record).iter().map(|(_, cell)| value(input.layout, cell)));
            let part = |of: fn(&Record) -> String, differs: bool| {
                let known = Some(of(&run.record)).filter(|words| !words.is_empty());
                writing::lines(input.layout, differs.then(|| known.unwrap_or_else(|| "not captured".to_owned())))
            };
            row.extend([part(vus, vus_differ), part(duration, duration_differs)]);
            row
        })
        .collect();
    writing::table(input.layout, &columns, &rows)
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

fn vus(record: &Record) -> String {
    let cell = Cell::figure(&derive::figure(record, FigureId::K6Vus));
    if cell.state == "missing" { String::new() } else { cell.text }
}

fn duration(record: &Record) -> String {
    environment::duration(record).unwrap_or_default()
}

/// What all runs have alike; empty where none has it.
fn shared(runs: &ReleaseRuns, of: fn(&Record) -> String) -> Option<String> {
    let mut all = runs.runs.values().map(|run| of(&run.record));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// The load that all runs were given: `600 virtual users, 30min`; nothing where it differs or is not known.
pub(super) fn load(runs: &ReleaseRuns) -> Option<String> {
    let known = |of: fn(&Record) -> String| shared(runs, of).filter(|words| !words.is_empty());
    let parts: Vec<String> = known(vus).map(|vus| format!("{vus} virtual users")).into_iter().chain(known(duration)).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What the latencies are of, and why a figure is not there.
pub(super) fn remarks(input: &DocsInput<'_>, runs: &ReleaseRuns) -> String {
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
    writing::list(input.layout, items)
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
