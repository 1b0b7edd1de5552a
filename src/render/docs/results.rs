//! The page of all results: every release and target, the latest first.

mod history;

use serde::Serialize;

use super::folder::{DocsError, DocsInput};
use super::writing::{Writing, parts, table, words};
use super::{comparison, release};
use crate::model::collection::ReleaseRuns;
use crate::model::units::show_counted;
use crate::render::facts::release::{tally, when};
use crate::tree::Tree;

/// The template of the page.
pub(super) const TEMPLATE: &str = "docs/results.mdx";

/// The page without its ending.
pub(super) const NAME: &str = "results";

/// Before all releases in a sidebar.
const POSITION: i64 = -1000;

/// What the template gets: finished text, safe for MDX.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ResultsView {
    /// Front matter, or the title.
    pub(super) head: String,
    /// How much there is.
    pub(super) summary: String,
    /// The heading above the releases.
    pub(super) releases_heading: String,
    /// A row a release.
    pub(super) releases: String,
    /// The heading above the outcomes.
    pub(super) outcomes_heading: String,
    /// What the table of outcomes shows.
    pub(super) outcomes_remark: String,
    /// Targets by releases: how each ended.
    pub(super) outcomes: String,
    /// The heading above the targets.
    pub(super) targets_heading: String,
    /// What the numbers are of.
    pub(super) remark: String,
    /// A section a target, its heading above it: release by release.
    pub(super) targets: Vec<String>,
}

/// The page, its path from the docs folder.
pub(super) fn path(input: &DocsInput<'_>) -> String {
    input.layout.profile.page_file(NAME)
}

/// Its files, by their paths from the docs folder.
pub(super) fn tree(input: &DocsInput<'_>) -> Result<Tree, DocsError> {
    let mut writing = Writing::new(input, path(input));
    let view = view(input, &mut writing);
    let mut tree = Tree::new();
    let (path, text) = writing.fill(TEMPLATE, &view)?;
    tree.insert(path, text)?;
    Ok(tree)
}

pub(super) fn view(input: &DocsInput<'_>, writing: &mut Writing<'_>) -> ResultsView {
    let releases_heading = writing.heading(2, "Releases").line;
    let outcomes_heading = writing.heading(2, "Outcomes").line;
    let targets_heading = writing.heading(2, "Target by target").line;
    let histories = history::histories(input);
    let sections: Vec<_> = histories.iter().map(|one| writing.heading(3, one.target.as_str())).collect();
    let section = |(one, heading): (&history::History<'_>, &super::writing::Heading)| {
        parts([heading.line.clone(), one.table(input, writing)])
    };
    ResultsView {
        head: writing.head(&format!("{} benchmark results", input.service_name), "All results", POSITION),
        summary: summary(input, histories.len()),
        releases_heading,
        releases: releases(input, writing),
        outcomes_heading,
        outcomes_remark: history::outcomes_remark(input),
        outcomes: history::outcomes(input, &histories, &sections, writing),
        targets_heading,
        remark: history::remark(input),
        targets: histories.iter().zip(&sections).map(section).collect(),
    }
}

fn summary(input: &DocsInput<'_>, targets: usize) -> String {
    let counts = [
        show_counted(input.archive.releases().len() as u64, "release"),
        show_counted(targets as u64, "target"),
        show_counted(input.archive.runs().count() as u64, "run"),
    ];
    input.layout.paragraph(&format!("Load tests of {}, the newest release first: {}.", input.service_name, counts.join(", ")))
}

/// The releases, and what changed with each.
fn releases(input: &DocsInput<'_>, writing: &Writing<'_>) -> String {
    let row = |one: &ReleaseRuns| {
        let tally = tally(one.runs.keys().map(|address| input.verdicts.get(address)));
        let tally = tally.iter().map(|one| format!("{} {}", one.count, one.word)).collect::<Vec<_>>().join(", ");
        vec![
            writing.link(&release::path(input, &one.name), one.name.as_str()),
            input.layout.cell(&Some(when(one)).filter(|when| !when.is_empty()).unwrap_or_else(|| "not captured".to_owned())),
            one.runs.len().to_string(),
            input.layout.cell(&tally),
            changed(input, one, writing),
        ]
    };
    let rows: Vec<Vec<String>> = input.archive.releases().iter().rev().map(row).collect();
    let columns = [words("Release"), words("Tested"), words("Runs"), words("Computed outcomes"), words("Changes")];
    table(input.layout, &columns, &rows)
}

/// The comparison with an earlier release, and its headline.
fn changed(input: &DocsInput<'_>, one: &ReleaseRuns, writing: &Writing<'_>) -> String {
    let Some(compared) = input.comparisons.iter().find(|compared| compared.b == one.name) else { return String::new() };
    let link = writing.link(&comparison::path(input, compared), &format!("Compared with {}", compared.a));
    format!("{link}: {}", input.layout.cell(compared.comparison.headline.sentence.trim()))
}
