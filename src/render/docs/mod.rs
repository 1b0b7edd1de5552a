//! Pages for a docs site: `index.mdx` or `README.md` with the published rows in the published order, and the series beside it.
//!
//! Every value is made safe for its page, MDX 3 or Markdown, before it comes to the template, which only puts it in its
//! place.

mod captured;
mod cells;
mod comparison;
mod environment;
mod escape;
mod failures;
mod folder;
mod layout;
mod mdx;
mod names;
mod outcome;
mod output_json;
mod picture;
mod release;
mod results;
mod writing;

use serde::Serialize;

pub use self::folder::{DocsError, DocsInput, DocsPages, SERIES_FILE, outcome, page_path, pages};
use self::layout::Head;
pub use self::layout::Layout;
pub use self::output_json::{exact_output_json, output_json};
use super::templates::{TemplateError, Templates};
use crate::model::page::{
    INTRODUCTION, K6_OUTPUT_ID, LATENCIES, LATENCIES_HEADING, LATENCIES_TITLE, NO_SERIES, PageRow, sidebar_comment, with_label,
};
use crate::model::profile::Profile;
use crate::model::record::Record;
use crate::model::series::Series;
use crate::model::verdict::Verdict;

/// The template of a page in MDX.
pub const PAGE_TEMPLATE: &str = "docs/page.mdx";
/// The template of a page in plain Markdown.
pub const MARKDOWN_TEMPLATE: &str = "docs/page.md";

/// Everything a page is made of.
#[derive(Clone, Copy, Debug)]
pub struct DocsRun<'a> {
    /// The record.
    pub record: &'a Record,
    /// The computed verdict, where there is one.
    pub verdict: Option<&'a Verdict>,
    /// What the tested service is called, `ZITADEL`.
    pub service_name: &'a str,
    /// The series, where there is one: an `output.json` lies beside the page.
    pub series: Option<&'a Series>,
    /// k6's end-of-test summary.
    pub k6_text: Option<&'a str>,
    /// How pages are written.
    pub layout: Layout<'a>,
    /// The run's place among those of its release, from 1.
    pub position: Option<i64>,
}

impl DocsRun<'_> {
    /// Whether the docs site draws the chart.
    fn has_component(&self) -> bool {
        self.series.is_some() && !self.layout.chart.is_empty()
    }

    /// The pictures beside the page: name and content. None where the docs site draws the chart.
    #[must_use]
    pub fn pictures(&self) -> Vec<(String, String)> {
        self.drawn().into_iter().map(|picture| (picture.file, picture.svg)).collect()
    }

    fn drawn(&self) -> Vec<picture::Picture> {
        self.series.filter(|_| !self.has_component()).map(picture::pictures).unwrap_or_default()
    }
}

/// What the template gets: finished text, safe for its page.
#[derive(Clone, Debug, Serialize)]
struct PageView {
    /// Front matter, or the title.
    head: String,
    /// The module of the chart's component, in quotes; empty where the site does not draw the chart.
    chart_module: String,
    introduction: Vec<String>,
    rows: Vec<RowView>,
    latencies_heading: String,
    latencies: Vec<String>,
    /// Pictures of the chart.
    pictures: Vec<String>,
    /// Says that there is no chart; empty where there is one.
    no_series: &'static str,
    k6_heading: String,
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
    let template = if run.layout.profile.is_mdx() { PAGE_TEMPLATE } else { MARKDOWN_TEMPLATE };
    templates.fill(template, &view(run))
}

fn view(run: &DocsRun<'_>) -> PageView {
    let (record, layout) = (run.record, run.layout);
    let heading = texts(record, LATENCIES_HEADING).next().unwrap_or(LATENCIES_TITLE);
    let paragraphs = |place| texts(record, place).map(|text| layout.paragraph(text)).filter(|text| !text.is_empty()).collect();
    let pictures: Vec<String> = run.drawn().iter().map(|one| layout.picture(&one.file, &one.alternative)).collect();
    PageView {
        head: head(run),
        chart_module: if run.has_component() { mdx::module(layout.chart) } else { String::new() },
        introduction: paragraphs(INTRODUCTION),
        rows: rows(run),
        latencies_heading: layout.heading_words(heading),
        latencies: paragraphs(LATENCIES),
        no_series: if run.has_component() || !pictures.is_empty() { "" } else { NO_SERIES },
        pictures,
        k6_heading: layout.heading(2, "k6 output", K6_OUTPUT_ID),
        k6_fence: mdx::fence(run.k6_text.unwrap_or_default()),
        k6_text: run.k6_text.map(mdx::code_block),
    }
}

/// What stands above the page. Plain Markdown has no place for the name in the sidebar but a comment.
fn head(run: &DocsRun<'_>) -> String {
    let identity = &run.record.identity;
    let labelled = |words: &str| with_label(words, identity.label.as_ref());
    let words = labelled(&run.record.target_words());
    let title = format!("{words} benchmark of {} {}", run.service_name.to_lowercase(), identity.release);
    let label = identity.sidebar_label.as_deref().map(labelled);
    let sidebar_label = label.as_deref().unwrap_or(&words);
    let head = run.layout.head(&Head { title: &title, sidebar_label, position: run.position });
    match label.as_deref().filter(|_| run.layout.profile == Profile::Markdown) {
        Some(label) => format!("{head}\n{}\n", sidebar_comment(label)),
        None => head,
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
        wanted.then(|| row_view(run.layout, &row.name(run.service_name, queries), &lines))
    });
    published.chain(more_rows(run.layout, run.record)).collect()
}

/// Notes of places that pages have no row for, a row each, in their order.
fn more_rows(layout: Layout<'_>, record: &Record) -> Vec<RowView> {
    let elsewhere =
        |place: &str| [INTRODUCTION, LATENCIES, LATENCIES_HEADING].contains(&place) || PageRow::named(place).is_some();
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for note in record.notes.iter().filter(|note| !elsewhere(&note.place)) {
        match rows.iter_mut().find(|(place, _)| *place == note.place) {
            Some((_, lines)) => lines.push(note.text.clone()),
            None => rows.push((&note.place, vec![note.text.clone()])),
        }
    }
    rows.into_iter().map(|(place, lines)| row_view(layout, place, &lines)).collect()
}

fn row_view(layout: Layout<'_>, name: &str, lines: &[String]) -> RowView {
    let lines: Vec<String> = lines.iter().map(|line| layout.cell(line)).filter(|line| !line.is_empty()).collect();
    RowView { name: format!("{:<37}", layout.cell(name)), value: lines.join("<br/>") }
}

#[cfg(test)]
mod tests;
