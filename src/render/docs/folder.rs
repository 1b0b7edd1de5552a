//! The pages of a whole docs folder: a page per run, per release, per comparison, and one of all results.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Layout;
use super::{DocsRun, names, output_json, page, release, results};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::{Address, Release};
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::comparison::Compared;
use crate::model::page::INTRODUCTION;
use crate::model::record::{Note, Record};
use crate::model::units::{Unit, show};
use crate::model::verdict::Verdict;
use crate::render::docs::comparison;
use crate::render::templates::{TemplateError, Templates};
use crate::tree::{BadPath, Tree};

/// The series beside a page.
pub const SERIES_FILE: &str = "output.json";

/// Everything the pages of a docs folder are made of.
#[derive(Clone, Copy)]
pub struct DocsInput<'a> {
    /// All runs that are known, those that get no page too.
    pub archive: &'a Archive,
    /// What a flow concludes of them.
    pub verdicts: &'a BTreeMap<Address, Verdict>,
    /// What changed between releases.
    pub comparisons: &'a [Compared],
    /// What the tested service is called, `ZITADEL`.
    pub service_name: &'a str,
    /// How pages are written.
    pub layout: Layout<'a>,
    /// The templates.
    pub templates: &'a Templates,
    /// Whether a page is in the docs folder or will be, by its path from there: only to such pages a link leads.
    pub has_page: &'a dyn Fn(&str) -> bool,
}

/// The pages, their paths from the docs folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocsPages {
    /// By release: the release's own page, its runs', its comparison.
    pub releases: BTreeMap<Release, Tree>,
    /// What belongs to no release.
    pub shared: Tree,
}

/// Why pages could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocsError {
    /// A template could not be filled.
    #[error("the page {page} can't be made: {cause}")]
    Template {
        /// The page.
        page: String,
        /// What is wrong with the template.
        cause: TemplateError,
    },
    /// A name leaves the docs folder.
    #[error(transparent)]
    Path(#[from] BadPath),
    /// Names of releases or runs that the docs site can't have, texts that no page can hold.
    #[error(transparent)]
    Refused(#[from] Faults),
}

/// The most bytes of k6's output that a page holds. A summary of a thousand checks has a hundredth of it: what is longer is no summary.
const MOST_K6: usize = 4 << 20;

/// Refuses texts that would make a page nobody can open.
fn check_texts(chosen: &[(&Address, &Run)]) -> Result<(), Faults> {
    let too_long = |(address, run): &(&Address, &Run)| {
        let length = run.k6_text.as_ref().map(String::len).filter(|length| *length > MOST_K6)?;
        let message =
            format!("k6.txt of {address} has {}, and a page holds at most 4 MiB of it", show(length as f64, Unit::Bytes));
        Some(Diagnostic::error("long-k6-output", message).help("keep k6's end-of-test summary in it, or ingest the run again"))
    };
    Faults::check(chosen.iter().filter_map(too_long).collect()).map(|_| ())
}

/// How a run ended, in the words of the tables: what a person concluded first, the computed verdict beside it where it differs.
#[must_use]
pub fn outcome(run: &Run, verdict: Option<&Verdict>) -> String {
    super::outcome::lines(run, verdict).join("; ")
}

/// The page of a run, the path from the docs folder.
#[must_use]
pub fn page_path(layout: Layout<'_>, address: &Address) -> String {
    layout.page_of(&address.to_string())
}

/// All pages of the chosen runs and of their releases. The same input gives the same bytes.
///
/// Whether a run has a page the input says, and those that are chosen have one. Of the other pages those that are made here
/// are there, and of releases that are not chosen those that the input knows.
///
/// # Errors
/// [`DocsError`] if a template can't be filled, or releases or runs have names that the docs site can't have: all of them at once.
pub fn pages(input: &DocsInput<'_>, chosen: &[(&Address, &Run)]) -> Result<DocsPages, DocsError> {
    let made = Made::new(input, chosen);
    let there = |path: &str| made.has(path).unwrap_or_else(|| (input.has_page)(path));
    let input = &DocsInput { has_page: &there, ..*input };
    names::check(input, chosen)?;
    check_texts(chosen)?;
    let mut pages = DocsPages::default();
    for (address, run) in chosen {
        let tree = pages.releases.entry(address.release.clone()).or_default();
        add_run(tree, input, address, run)?;
    }
    for (name, tree) in &mut pages.releases {
        let Some(runs) = input.archive.release(name) else { continue };
        add_release(tree, input, runs)?;
    }
    pages.shared.extend(results::tree(input)?);
    Ok(pages)
}

/// Which pages there are beside those that lie in the docs folder.
struct Made {
    /// Pages that are made.
    made: BTreeSet<String>,
    /// Pages that would be made if there were something to put on them.
    absent: BTreeSet<String>,
}

impl Made {
    fn new(input: &DocsInput<'_>, chosen: &[(&Address, &Run)]) -> Self {
        let mut made: BTreeSet<String> = chosen.iter().map(|(address, _)| page_path(input.layout, address)).collect();
        let mut absent = BTreeSet::new();
        made.insert(results::path(input));
        for (address, _) in chosen {
            made.insert(release::path(input, &address.release));
            let comparison = input.layout.page_of(&format!("{}/{}", address.release, comparison::FOLDER));
            let is_compared = input.comparisons.iter().any(|compared| compared.b == address.release);
            if is_compared {
                made.insert(comparison)
            } else {
                absent.insert(comparison)
            };
        }
        Self { made, absent }
    }

    /// Whether a page will be there; `None` of pages that have nothing to do with what is made.
    fn has(&self, path: &str) -> Option<bool> {
        if self.made.contains(path) { Some(true) } else { self.absent.contains(path).then_some(false) }
    }
}

fn add_run(tree: &mut Tree, input: &DocsInput<'_>, address: &Address, run: &Run) -> Result<(), DocsError> {
    let path = page_path(input.layout, address);
    let record = with_notes(run);
    let docs = DocsRun {
        record: &record,
        verdict: input.verdicts.get(address),
        service_name: input.service_name,
        series: run.series.as_ref(),
        k6_text: run.k6_text.as_deref(),
        layout: input.layout,
        position: position(input.archive, address),
    };
    let text = page(input.templates, &docs).map_err(|cause| DocsError::Template { page: path.clone(), cause })?;
    tree.insert(path, text)?;
    if let Some(series) = &run.series {
        tree.insert(format!("{address}/{SERIES_FILE}"), output_json(series))?;
    }
    for (file, picture) in docs.pictures() {
        tree.insert(format!("{address}/{file}"), picture)?;
    }
    Ok(())
}

/// The place of a run among all of its release, from 1.
fn position(archive: &Archive, address: &Address) -> Option<i64> {
    let at = archive.release(&address.release)?.runs.keys().position(|run| run == address)?;
    i64::try_from(at + 1).ok()
}

fn add_release(tree: &mut Tree, input: &DocsInput<'_>, runs: &ReleaseRuns) -> Result<(), DocsError> {
    tree.extend(release::tree(input, runs)?);
    if let Some(compared) = input.comparisons.iter().find(|compared| compared.b == runs.name) {
        tree.extend(comparison::tree(input, compared)?);
    }
    Ok(())
}

/// The record with what people wrote about the run at its head.
fn with_notes(run: &Run) -> Record {
    let mut record = run.record.clone();
    record.notes.extend(run.notes.iter().map(|text| Note { place: INTRODUCTION.to_owned(), text: text.clone() }));
    record
}

#[cfg(test)]
mod tests;
