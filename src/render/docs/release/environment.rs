//! What the runs of a release were made on: once what they share, then what differs.

use crate::model::collection::ReleaseRuns;
use crate::render::docs::folder::DocsInput;
use crate::render::docs::layout::Layout;
use crate::render::docs::writing::{self, parts, words};
use crate::render::facts::environment::{self, Fact, FactGroup, Line};

/// The tables.
pub(super) fn section(input: &DocsInput<'_>, runs: &ReleaseRuns) -> String {
    let layout = input.layout;
    let all: Vec<(String, Vec<FactGroup>)> = runs
        .runs
        .iter()
        .map(|(address, run)| (address.run(), environment::environment(&run.record, input.service_name)))
        .collect();
    let groups: Vec<Vec<FactGroup>> = all.iter().map(|(_, groups)| groups.clone()).collect();
    let (shared, differing) = environment::shared(&groups);
    let several = all.len() > 1;
    let rows: Vec<Vec<String>> = shared
        .iter()
        .flat_map(|group| &group.rows)
        .filter(|row| !row.lines.is_empty())
        .map(|row| vec![writing::lines(layout, [&row.label]), writing::lines(layout, row.lines.iter().map(line))])
        .collect();
    let shared = writing::table(layout, &[words(if several { "All runs share" } else { "The run had" }), words("Value")], &rows);
    let rows: Vec<Vec<String>> = differing.iter().flat_map(|label| variants(layout, label, &all)).collect();
    let differing = writing::table(layout, &[words("What differs"), words("Value"), words("Runs")], &rows);
    let nothing = if shared.is_empty() && differing.is_empty() { "Nothing was captured of it." } else { "" };
    parts([shared, differing, nothing.to_owned()])
}

/// The values of a row that differs, each with its runs. Lines that all of them have are left out.
fn variants(layout: Layout<'_>, label: &str, all: &[(String, Vec<FactGroup>)]) -> Vec<Vec<String>> {
    let mut variants: Vec<(&Fact, Vec<&str>)> = Vec::new();
    for (name, groups) in all {
        let Some(row) = groups.iter().flat_map(|group| &group.rows).find(|row| row.label == label) else { continue };
        match variants.iter_mut().find(|(known, _)| known.lines == row.lines) {
            Some((_, names)) => names.push(name),
            None => variants.push((row, vec![name])),
        }
    }
    let is_shared = |line: &Line| variants.iter().all(|(row, _)| row.lines.contains(line));
    let has_shared = variants.first().is_some_and(|(row, _)| row.lines.iter().any(is_shared));
    let told = |row: &Fact| {
        let own: Vec<String> = row.lines.iter().filter(|line| !is_shared(line)).map(line).collect();
        match (own.is_empty(), has_shared) {
            (true, true) => "nothing beside what the others have".to_owned(),
            (true, false) => "not captured".to_owned(),
            (false, _) => writing::lines(layout, own),
        }
    };
    let name = |at: usize| if at == 0 { writing::lines(layout, [label]) } else { String::new() };
    variants
        .iter()
        .enumerate()
        .map(|(at, (row, runs))| vec![name(at), told(row), writing::lines(layout, [runs.join(", ")])])
        .collect()
}

fn line(line: &Line) -> String {
    if line.key.is_empty() { line.value.clone() } else { format!("{}: {}", line.key, line.value) }
}
