//! Pages for a docs site: `index.mdx` with the published rows in the published order, and the series beside it.
//!
//! Every value is made safe for MDX 3 before it comes to the template, which only puts it in its place.

mod captured;
mod cells;
mod comparison;
mod environment;
mod failures;
mod folder;
mod layout;
mod mdx;
mod outcome;
mod output_json;
mod release;
mod results;
mod writing;

use serde::Serialize;

pub use self::folder::{DocsError, DocsInput, DocsPages, SERIES_FILE, page_path, pages};
pub use self::layout::Layout;
pub use self::output_json::{exact_output_json, output_json};
use super::templates::{TemplateError, Templates};
use crate::model::page::{INTRODUCTION, LATENCIES, LATENCIES_HEADING, LATENCIES_TITLE, NO_SERIES, PageRow};
use crate::model::record::Record;
use crate::model::verdict::Verdict;

/// The template of a page.
pub const PAGE_TEMPLATE: &str = "docs/page.mdx";

/// Everything a page is made of.
#[derive(Clone, Copy, Debug)]
pub struct DocsRun<'a> {
    /// The record.
    pub record: &'a Record,
    /// The computed verdict, where there is one.
    pub verdict: Option<&'a Verdict>,
    /// What the tested service is called, `ZITADEL`.
    pub service_name: &'a str,
    /// Whether an `output.json` lies beside the page.
    pub has_series: bool,
    /// k6's end-of-test summary.
    pub k6_text: Option<&'a str>,
}

/// What the template gets: finished text, safe for MDX.
#[derive(Clone, Debug, Serialize)]
struct PageView {
    title: String,
    sidebar_label: String,
    has_series: bool,
    no_series: &'static str,
    introduction: Vec<String>,
    rows: Vec<RowView>,
    latencies_heading: String,
    latencies: Vec<String>,
    k6_fence: String,
    k6_text: Option<String>,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
struct RowView {
    name: String,
    value: String,
}

/// The page of a run.
///
/// # Errors
/// [`TemplateError`] if the project's own template asks for what the page does not have.
pub fn page(templates: &Templates, run: &DocsRun<'_>) -> Result<String, TemplateError> {
    templates.fill(PAGE_TEMPLATE, &view(run))
}

fn view(run: &DocsRun<'_>) -> PageView {
    let record = run.record;
    let words = record.target_words();
    let service = run.service_name.to_lowercase();
    let title = format!("{words} benchmark of {service} {}", record.identity.release);
    let heading = texts(record, LATENCIES_HEADING).next().unwrap_or(LATENCIES_TITLE);
    PageView {
        title: mdx::yaml(&title),
        sidebar_label: mdx::yaml(record.identity.sidebar_label.as_deref().unwrap_or(&words)),
        has_series: run.has_series,
        no_series: NO_SERIES,
        introduction: texts(record, INTRODUCTION).map(mdx::paragraph).collect(),
        rows: rows(run),
        latencies_heading: mdx::heading(heading),
        latencies: texts(record, LATENCIES).map(mdx::paragraph).collect(),
        k6_fence: mdx::fence(run.k6_text.unwrap_or_default()),
        k6_text: run.k6_text.map(|text| text.trim_end_matches(['\n', '\r']).to_owned()),
    }
}

fn texts<'a>(record: &'a Record, place: &'static str) -> impl Iterator<Item = &'a str> {
    record.notes.iter().filter(move |note| note.place == place).map(|note| note.text.as_str())
}

/// The published rows, then those that only this run's notes name.
fn rows(run: &DocsRun<'_>) -> Vec<RowView> {
    let queries = cells::most_expensive(run.record).len();
    let published = PageRow::ALL.into_iter().filter_map(|row| {
        let lines = cells::lines(run, row);
        let wanted = row != PageRow::ClientMachine || !lines.is_empty();
        wanted.then(|| row_view(&row.name(run.service_name, queries), &lines))
    });
    published.chain(more_rows(run.record)).collect()
}

/// Notes of places that pages have no row for, a row each, in their order.
fn more_rows(record: &Record) -> Vec<RowView> {
    let elsewhere =
        |place: &str| [INTRODUCTION, LATENCIES, LATENCIES_HEADING].contains(&place) || PageRow::named(place).is_some();
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for note in record.notes.iter().filter(|note| !elsewhere(&note.place)) {
        match rows.iter_mut().find(|(place, _)| *place == note.place) {
            Some((_, lines)) => lines.push(note.text.clone()),
            None => rows.push((&note.place, vec![note.text.clone()])),
        }
    }
    rows.into_iter().map(|(place, lines)| row_view(place, &lines)).collect()
}

fn row_view(name: &str, lines: &[String]) -> RowView {
    let lines: Vec<String> = lines.iter().map(|line| mdx::cell(line)).filter(|line| !line.is_empty()).collect();
    RowView { name: format!("{:<37}", mdx::cell(name)), value: lines.join("<br/>") }
}

#[cfg(test)]
mod tests;
