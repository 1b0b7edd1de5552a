//! The page of a release: its targets and how they ended.

mod environment;
mod targets;

use serde::Serialize;

use super::comparison;
use super::folder::{DocsError, DocsInput};
use super::results;
use super::writing::{Writing, list, parts};
use crate::model::address::Release;
use crate::model::collection::ReleaseRuns;
use crate::model::comparison::Compared;
use crate::model::profile::Profile;
use crate::model::units::show_counted;
use crate::render::comparison::nothing_compared;
use crate::render::facts::release::{tally, when};
use crate::tree::Tree;

/// The template of the page.
pub(super) const TEMPLATE: &str = "docs/release.mdx";

/// What the template gets: finished text, safe for MDX.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ReleaseView {
    /// Front matter, or the title.
    pub(super) head: String,
    /// What was tested, when, and how it ended.
    pub(super) summary: String,
    /// What people wrote about the release.
    pub(super) notes: Vec<String>,
    /// The heading above the findings.
    pub(super) compared_heading: String,
    /// What changed since an earlier release, or why that is not known.
    pub(super) compared: String,
    /// The heading above the table of targets.
    pub(super) targets_heading: String,
    /// The table of targets.
    pub(super) targets: String,
    /// What the table's numbers are of.
    pub(super) remarks: String,
    /// The heading above the environment.
    pub(super) environment_heading: String,
    /// What all runs share, and what differs.
    pub(super) environment: String,
}

/// The page of a release, its path from the docs folder.
pub(super) fn path(input: &DocsInput<'_>, release: &Release) -> String {
    input.layout.page_of(release.as_str())
}

/// Its files, by their paths from the docs folder.
pub(super) fn tree(input: &DocsInput<'_>, runs: &ReleaseRuns) -> Result<Tree, DocsError> {
    let mut writing = Writing::new(input, path(input, &runs.name));
    let view = view(input, runs, &mut writing);
    let mut tree = Tree::new();
    let (path, text) = writing.fill(TEMPLATE, &view)?;
    tree.insert(path, text)?;
    if input.layout.profile == Profile::Docusaurus {
        tree.insert(format!("{}/_category_.json", runs.name), category(input, &runs.name))?;
    }
    Ok(tree)
}

/// The folder in Docusaurus's sidebar. Its page is `index.mdx` by convention.
fn category(input: &DocsInput<'_>, release: &Release) -> String {
    // Newest first, and what was written before stays true when a newer release comes.
    let at = input.archive.releases().iter().position(|one| one.name == *release).unwrap_or_default();
    let position = i64::try_from(at).unwrap_or(i64::MAX - 1) + 1;
    format!("{{\n  \"label\": {},\n  \"position\": -{position}\n}}\n", serde_json::Value::from(release.as_str()))
}

pub(super) fn view(input: &DocsInput<'_>, runs: &ReleaseRuns, writing: &mut Writing<'_>) -> ReleaseView {
    let compared = input.comparisons.iter().find(|compared| compared.b == runs.name);
    let compared_heading = compared.map_or_else(|| "Changes".to_owned(), |compared| format!("Compared with {}", compared.a));
    let targets_heading = writing.heading(2, "Targets").line;
    let compared_heading = writing.heading(2, &compared_heading).line;
    let environment_heading = writing.heading(2, "Environment").line;
    ReleaseView {
        head: writing.head(&format!("{} {} benchmarks", input.service_name, runs.name), "Overview", 0),
        summary: format!("{} {}", input.layout.paragraph(&summary(input, runs)), results(input, writing)).trim_end().to_owned(),
        notes: runs.notes.iter().map(|note| input.layout.paragraph(note)).collect(),
        compared_heading,
        compared: changes(input, runs, compared, writing),
        targets_heading,
        targets: targets::table(input, runs, writing),
        remarks: targets::remarks(input, runs),
        environment_heading,
        environment: environment::section(input, runs),
    }
}

/// `Load tests of ZITADEL v4: 11 runs, 2025-08-01. Computed outcomes: 3 done, 8 scale. Each run: 600 virtual users, 30min.`
fn summary(input: &DocsInput<'_>, runs: &ReleaseRuns) -> String {
    let when = Some(when(runs)).filter(|when| !when.is_empty()).map(|when| format!(", {when}")).unwrap_or_default();
    let count = show_counted(runs.runs.len() as u64, "run");
    let tally = tally(runs.runs.keys().map(|address| input.verdicts.get(address)));
    let tally = tally.iter().map(|one| format!("{} {}", one.count, one.word)).collect::<Vec<_>>().join(", ");
    let load = targets::load(runs).map(|load| format!(" Each run: {load}.")).unwrap_or_default();
    format!("Load tests of {} {}: {count}{when}. Computed outcomes: {tally}.{load}", input.service_name, runs.name)
}

/// The way to the page of all releases.
fn results(input: &DocsInput<'_>, writing: &Writing<'_>) -> String {
    let link = writing.link(&results::path(input), "All releases");
    if link.starts_with('[') { format!("{link}.") } else { String::new() }
}

/// The findings, and the way to all of them.
fn changes(input: &DocsInput<'_>, runs: &ReleaseRuns, compared: Option<&Compared>, writing: &Writing<'_>) -> String {
    let Some(compared) = compared else {
        let is_first = input.archive.releases().first().is_some_and(|first| first.name == runs.name);
        let why = if is_first { "it is the oldest release here" } else { "no earlier release here has a target in common" };
        return format!("There is nothing to compare: {why}.");
    };
    let comparison = &compared.comparison;
    let sentence = input.layout.paragraph(comparison.headline.sentence.trim());
    let nothing = nothing_compared(comparison)
        .filter(|_| comparison.headline.comparable > 0)
        .map(|why| input.layout.paragraph(&capital(&format!("{why}."))));
    let found =
        comparison.headline.found.iter().map(|found| format!("{}: {}, {}", found.target, found.decision.name(), found.what));
    let all = writing.link(&comparison::path(input, compared), "All changes, and how sure they are");
    let all = if all.starts_with('[') { format!("{all}.") } else { String::new() };
    parts([sentence, nothing.unwrap_or_default(), list(input.layout, found), all])
}

/// The text with a capital letter first.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
