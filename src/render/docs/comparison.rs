//! The page of a comparison: what changed since an earlier release.

mod contract;
mod target;

use serde::Serialize;

use super::folder::{DocsError, DocsInput};
use super::layout::Layout;
use super::outcome;
use super::release::{self, capital};
use super::writing::{Column, Heading, Writing, lines, list, numbers, parts, table, words};
use crate::model::comparison::{Change, Compared, Comparison, Decision, TargetComparison};
use crate::render::comparison::choice::{Choice, Detail};
use crate::render::comparison::nothing_compared;
use crate::render::comparison::parts::{cells, heads};
use crate::render::comparison::words::{accepted, fate, method, ranked, setting, standing};
use crate::tree::Tree;

/// The template of the page.
pub(super) const TEMPLATE: &str = "docs/comparison.mdx";

/// The folder of the page inside its release.
pub(super) const FOLDER: &str = "diff";

/// Behind the runs of a release in a sidebar.
const POSITION: i64 = 1000;

/// What the template gets: finished text, safe for MDX.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ComparisonView {
    /// Front matter, or the title.
    pub(super) head: String,
    /// Which releases are compared.
    pub(super) sides: String,
    /// What is to be said first.
    pub(super) headline: String,
    /// A row a target.
    pub(super) overview: String,
    /// The heading above the contract.
    pub(super) contract_heading: String,
    /// In what the runs are not alike.
    pub(super) contract: String,
    /// The heading above the changes.
    pub(super) changed_heading: String,
    /// The changes that were found, the largest first.
    pub(super) changed: String,
    /// The heading above what is not known.
    pub(super) missing_heading: String,
    /// What could not be compared, and why.
    pub(super) missing: String,
    /// The heading above what all targets share.
    pub(super) shared_heading: String,
    /// Settings and notes that all targets share; empty where there are none.
    pub(super) shared: String,
    /// The heading above the targets.
    pub(super) targets_heading: String,
    /// A section a target, its heading above it.
    pub(super) targets: Vec<String>,
    /// The heading above the method.
    pub(super) method_heading: String,
    /// How it was decided.
    pub(super) method: String,
}

/// The page of a comparison, its path from the docs folder.
pub(super) fn path(input: &DocsInput<'_>, compared: &Compared) -> String {
    input.layout.page_of(&format!("{}/{FOLDER}", compared.b))
}

/// Its files, by their paths from the docs folder.
pub(super) fn tree(input: &DocsInput<'_>, compared: &Compared) -> Result<Tree, DocsError> {
    let mut writing = Writing::new(input, path(input, compared));
    let view = view(input, compared, &mut writing);
    let mut tree = Tree::new();
    let (path, text) = writing.fill(TEMPLATE, &view)?;
    tree.insert(path, text)?;
    Ok(tree)
}

pub(super) fn view(input: &DocsInput<'_>, compared: &Compared, writing: &mut Writing<'_>) -> ComparisonView {
    let (comparison, layout) = (&compared.comparison, input.layout);
    // In the order of the page: it decides the ids.
    let contract_heading = writing.heading(2, "Are the runs alike").line;
    let changed_heading = writing.heading(2, "What changed").line;
    let missing_heading = writing.heading(2, "What could not be compared").line;
    let choice = Choice::of(comparison, Detail::Brief);
    let shared = shared(layout, &choice);
    let shared_heading = if shared.is_empty() { String::new() } else { writing.heading(2, "What all targets share").line };
    let targets_heading = writing.heading(2, "Target by target").line;
    let sections: Vec<Heading> = comparison.targets.iter().map(|target| writing.heading(3, &target.target)).collect();
    let method_heading = writing.heading(2, "How it was decided").line;
    let section = |(target, heading): (&TargetComparison, &Heading)| {
        parts([heading.line.clone(), target::section(layout, comparison, &choice, target, writing)])
    };
    ComparisonView {
        head: writing.head(
            &format!("{} {} compared with {}", input.service_name, comparison.b, comparison.a),
            &format!("Compared with {}", comparison.a),
            POSITION,
        ),
        sides: sides(input, compared, writing),
        headline: headline(layout, comparison),
        overview: overview(layout, comparison, &sections),
        contract_heading,
        contract: contract::section(layout, comparison, &choice),
        changed_heading,
        changed: changed(layout, comparison, &sections),
        missing_heading,
        missing: contract::missing(layout, comparison),
        shared_heading,
        shared,
        targets_heading,
        targets: comparison.targets.iter().zip(&sections).map(section).collect(),
        method_heading,
        method: closing(layout, comparison),
    }
}

/// `v4.19.2 (b) against v4.17.1 (a).`
fn sides(input: &DocsInput<'_>, compared: &Compared, writing: &Writing<'_>) -> String {
    let b = writing.link(&release::path(input, &compared.b), &compared.comparison.b);
    let a = writing.link(&release::path(input, &compared.a), &compared.comparison.a);
    format!("The later side (b) is {b}, the earlier one (a) is {a}.")
}

fn headline(layout: Layout<'_>, comparison: &Comparison) -> String {
    let sentence = layout.cell(comparison.headline.sentence.trim());
    let sentence = if sentence.is_empty() { sentence } else { format!("**{sentence}**") };
    let nothing = nothing_compared(comparison).filter(|_| comparison.headline.comparable > 0);
    parts([sentence, nothing.map(|why| layout.paragraph(&capital(&format!("{why}.")))).unwrap_or_default()])
}

/// A row a target: whether it could be compared, what became of it, how it ended.
fn overview(layout: Layout<'_>, comparison: &Comparison, sections: &[Heading]) -> String {
    let row = |(target, heading): (&TargetComparison, &Heading)| {
        vec![
            heading.link(layout, &target.target),
            layout.cell(standing(target)),
            layout.cell(&fate(target)),
            lines(layout, outcome::judged(target.outcome.a.as_ref())),
            lines(layout, outcome::judged(target.outcome.b.as_ref())),
        ]
    };
    let rows: Vec<Vec<String>> = comparison.targets.iter().zip(sections).map(row).collect();
    let [a, b] = [&comparison.a, &comparison.b].map(|side| words(&format!("Outcome {side}")));
    table(layout, &[words("Target"), words("Runs are"), words("Metrics"), a, b], &rows)
}

/// The changes that were found, the largest first.
fn changed(layout: Layout<'_>, comparison: &Comparison, sections: &[Heading]) -> String {
    let name = |target: &TargetComparison| {
        let at = comparison.targets.iter().position(|one| std::ptr::eq(one, target));
        at.and_then(|at| sections.get(at))
            .map_or_else(|| layout.cell(&target.target), |heading| heading.link(layout, &target.target))
    };
    let ranked = ranked(comparison);
    let rows: Vec<Vec<String>> = ranked
        .iter()
        .filter(|(_, change)| change.decision.is_change())
        .map(|(target, change)| std::iter::once(name(target)).chain(row(layout, target, change)).collect())
        .collect();
    if rows.is_empty() && !ranked.iter().any(|(_, change)| change.decision.is_compared()) {
        return "Nothing was compared: whether anything changed is not known.".to_owned();
    }
    if rows.is_empty() {
        let open = ranked.iter().filter(|(_, change)| change.decision == Decision::Inconclusive).count();
        let open = if open > 0 { " Where a decision is inconclusive, there may be one that these runs can't show." } else { "" };
        return format!("No change was found.{open}");
    }
    table(layout, &columns(comparison, true), &rows)
}

/// Settings and notes that stand here once and not with every target.
fn shared(layout: Layout<'_>, choice: &Choice<'_>) -> String {
    let settings = list(layout, choice.shared.settings.iter().map(|one| setting(one)));
    let settings = if settings.is_empty() { settings } else { format!("**Settings**\n\n{settings}") };
    let notes = list(layout, choice.shared.notes.iter().map(|note| note.as_str()));
    let notes = if notes.is_empty() { notes } else { format!("**Notes**\n\n{notes}") };
    parts([settings, notes])
}

/// The columns of a table of changes.
fn columns(comparison: &Comparison, with_target: bool) -> Vec<Column> {
    let heads = heads(comparison, with_target);
    let (names, last) = (usize::from(with_target) + 1, heads.len() - 1);
    let column = |(at, head): (usize, &String)| {
        let head = if at == names {
            format!("{head} (a)")
        } else if at == names + 1 {
            format!("{head} (b)")
        } else {
            capital(head)
        };
        if at < names || at == last { words(&head) } else { numbers(&head) }
    };
    heads.iter().enumerate().map(column).collect()
}

/// A change in a row.
fn row(layout: Layout<'_>, target: &TargetComparison, change: &Change) -> Vec<String> {
    cells(target, change).iter().map(|cell| layout.cell(cell)).collect()
}

/// Accepted keys, and how it was decided.
fn closing(layout: Layout<'_>, comparison: &Comparison) -> String {
    let keys = list(layout, comparison.method.accepted.iter().map(accepted));
    let keys = if keys.is_empty() { keys } else { format!("Accepted differences of the contract:\n\n{keys}") };
    parts([layout.paragraph(&format!("{}.", method(comparison))), keys])
}
