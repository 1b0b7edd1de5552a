//! How a target went over the releases.

use crate::model::address::{Address, Target};
use crate::model::collection::Run;
use crate::render::docs::folder::DocsInput;
use crate::render::docs::outcome;
use crate::render::docs::writing::{self, Heading, Writing, numbers, value, words};
use crate::render::facts::headline;

/// With more releases than this the oldest have no column of their own.
const COLUMNS: usize = 8;

/// The runs of a target, the newest release first, there the run of record before its repeats.
pub(super) struct History<'a> {
    pub(super) target: Target,
    runs: Vec<(&'a Address, &'a Run)>,
}

/// All targets by name.
pub(super) fn histories<'a>(input: &DocsInput<'a>) -> Vec<History<'a>> {
    let mut targets: Vec<Target> = input.archive.runs().map(|(address, _)| address.target.clone()).collect();
    targets.sort();
    targets.dedup();
    let runs = |target: &Target| {
        let releases = input.archive.releases().iter().rev();
        releases.flat_map(|release| &release.runs).filter(|(address, _)| address.target == *target).collect()
    };
    targets.into_iter().map(|target| History { runs: runs(&target), target }).collect()
}

/// Targets by releases: how the run of record ended.
pub(super) fn outcomes(input: &DocsInput<'_>, histories: &[History<'_>], sections: &[Heading], writing: &Writing<'_>) -> String {
    let releases: Vec<_> = input.archive.releases().iter().rev().take(COLUMNS).collect();
    let columns: Vec<_> =
        std::iter::once(words("Target")).chain(releases.iter().map(|release| words(release.name.as_str()))).collect();
    let row = |(one, heading): (&History<'_>, &Heading)| {
        let cell = |release: &&crate::model::collection::ReleaseRuns| {
            let run = one.runs.iter().find(|(address, _)| address.release == release.name);
            run.map_or_else(|| "·".to_owned(), |(address, run)| short(input, address, run, writing))
        };
        std::iter::once(heading.link(input.layout, one.target.as_str())).chain(releases.iter().map(cell)).collect()
    };
    let rows: Vec<Vec<String>> = histories.iter().zip(sections).map(row).collect();
    writing::table(input.layout, &columns, &rows)
}

/// The outcome that counts, linked to the run; what stands beside it is told in the section of the target.
fn short(input: &DocsInput<'_>, address: &Address, run: &Run, writing: &Writing<'_>) -> String {
    let lines = outcome::lines(run, input.verdicts.get(address));
    let label = lines.first().map(String::as_str).unwrap_or_default();
    let label = label.split_once(": ").map_or(label, |(label, _)| label);
    writing.run(address, label)
}

/// What the table of outcomes shows, and that it does not show the oldest where there are many.
pub(super) fn outcomes_remark(input: &DocsInput<'_>) -> String {
    let all = input.archive.releases().len();
    let older = if all > COLUMNS { format!(" The {} oldest releases are below.", all - COLUMNS) } else { String::new() };
    format!("The outcome that counts, of each target's run of record; a dot where the release has none.{older}")
}

/// What the numbers are of.
pub(super) fn remark(input: &DocsInput<'_>) -> String {
    let every = |basis: &str| input.archive.runs().all(|(_, run)| [basis, ""].contains(&headline::latency_basis(&run.record)));
    let of = if every("successful requests") {
        "successful requests only"
    } else if every("all requests") {
        "all requests, failed ones included"
    } else {
        "successful requests only where k6 tells them apart, else of all (marked)"
    };
    input.layout.paragraph(&format!("Throughput is iterations per second; p95 is of `http_req_duration`, of {of}."))
}

impl History<'_> {
    /// A row a run.
    pub(super) fn table(&self, input: &DocsInput<'_>, writing: &Writing<'_>) -> String {
        let columns = [words("Release"), words("Outcome"), numbers("Iterations"), numbers("p95"), numbers("Failed requests")];
        let bases: Vec<&str> = input.archive.runs().map(|(_, run)| headline::latency_basis(&run.record)).collect();
        let is_mixed = ["successful requests", "all requests"].iter().all(|basis| bases.contains(basis));
        let row = |(address, run): &(&Address, &Run)| {
            let label = address.label.as_ref().map(|label| format!(" ~{label}")).unwrap_or_default();
            let p95 = headline::latency(&run.record, 95);
            let is_marked = is_mixed && p95.state != "missing" && headline::latency_basis(&run.record) == "all requests";
            vec![
                writing.run(address, &format!("{}{label}", address.release)),
                writing::lines(input.layout, outcome::lines(run, input.verdicts.get(address))),
                value(input.layout, &headline::throughput(&run.record)),
                value(input.layout, &if is_marked { p95.noting("all requests") } else { p95 }),
                value(input.layout, &headline::failures(&run.record)),
            ]
        };
        writing::table(input.layout, &columns, &self.runs.iter().map(row).collect::<Vec<_>>())
    }
}
