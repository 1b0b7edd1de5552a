//! Published benchmark pages: `.mdx`, `.md`, or the plain text of one.
//!
//! A page is taken apart into a sheet by one of two readers, Markdown or plain; then each row is read by the grammar
//! of its cell. What has no grammar is kept as a note that names the row. `render::docs` writes the same rows.

mod draft;
mod errors;
mod facts;
mod flags;
pub(crate) mod grammar;
mod inline;
mod machine;
mod markdown;
mod metrics;
mod outcome;
mod plain;
mod queries;
mod settings;
mod sheet;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use self::draft::Draft;
use self::sheet::{Cell, Row, Sheet, opens_k6};
use super::k6;
use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::PAGE_MARKS;
use crate::model::page::{INTRODUCTION, LATENCIES, LATENCIES_HEADING, PageRow};
use crate::model::record::{Note, Record};
use crate::source::{Source, Span};

/// What a page tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The record, without provenance.
    pub record: Record,
    /// The k6 block verbatim: what `k6.txt` holds.
    pub k6_text: Option<String>,
}

static EXECUTED_TEST: LazyLock<Regex> = LazyLock::new(|| grammar::compiled(r"(?im)^[ \t]*\|?[ \t]*executed test[ \t]*[|\t]"));
static TITLE: LazyLock<Regex> =
    LazyLock::new(|| grammar::compiled(r"\A\s*(?:---[ \t]*\r?\n(?:[a-z_]+:[^\n]*\n)*?title:|#\s)?[^\n|]*\bbenchmark of \S"));
static MARKDOWN: LazyLock<Regex> = LazyLock::new(|| grammar::compiled(r"(?m)\A---[ \t]*\r?$|^#{1,6} |^```|^~~~|<br ?/?>"));

/// Whether a text is a published page, by its content: it has a row `Executed test`, or the title of a benchmark.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    EXECUTED_TEST.is_match(source.text()) || TITLE.is_match(source.text())
}

/// Reads a published page.
///
/// # Errors
/// All faults: no table of a run, no release, a row that contradicts another, a k6 block that is cut.
pub fn read(source: &Source) -> Result<Page, Faults> {
    let marks = marks(source.text());
    if marks > PAGE_MARKS {
        return Err(too_large(source, marks).into());
    }
    let (mut draft, span) = read_table(source)?;
    let k6 = span.and_then(|span| read_k6(source, span, &mut draft.faults));
    Faults::check(draft.faults)?;
    let mut record = draft.record;
    let k6_text = k6.map(|run| {
        record.k6 = Some(run.summary);
        run.verbatim
    });
    Ok(Page { record, k6_text })
}

/// Bytes that may begin something in Markdown, or end it: each may cost its reader some hundred bytes, the text between them nothing.
fn marks(text: &str) -> usize {
    let is_mark = |byte: u8, next: Option<&u8>| match byte {
        b'\n' | b'[' | b']' | b'*' | b'_' | b'`' | b'<' | b'>' | b'|' | b'-' | b'+' | b'&' | b'\\' | b'~' => true,
        // The number of a list ends so.
        b'.' | b')' => next.is_none_or(u8::is_ascii_whitespace),
        _ => false,
    };
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter(|(at, byte)| is_mark(**byte, bytes.get(at + 1))).count()
}

fn too_large(source: &Source, marks: usize) -> Diagnostic {
    let message = format!("a page of {marks} lines, brackets, stars and the like is no benchmark page");
    let fault = Diagnostic::error("large-page", message).at(source.at(0..0));
    fault
        .note(format!("at most {PAGE_MARKS} are read"))
        .help("give the page of one run, without what was put on it beside the run")
}

/// Everything but k6's output, and where that is.
fn read_table(source: &Source) -> Result<(Draft, Option<Span>), Faults> {
    let mut faults = Vec::new();
    let sheet = if MARKDOWN.is_match(source.text()) { markdown::read(source, &mut faults) } else { plain::read(source) };
    let address = if sheet.table.is_some() {
        contradictions(source, &sheet, &mut faults);
        facts::address(source, &sheet, &mut faults)
    } else {
        faults.push(no_table(source));
        None
    };
    let Some(address) = address else { return Err(Faults::check(faults).err().unwrap_or_else(|| no_table(source).into())) };
    let mut draft = Draft { record: Record::new(address), faults };
    facts::titles(&mut draft, &sheet);
    // What an outcome states counts where no other row states it, wherever on the page that row is.
    let (outcome, facts): (Vec<&Row>, Vec<&Row>) =
        sheet.rows.iter().partition(|row| PageRow::named(&row.name.text) == Some(PageRow::Outcome));
    let mut told = BTreeSet::new();
    for row in facts.into_iter().chain(outcome) {
        // A row that says the same twice is read once.
        match PageRow::named(&row.name.text) {
            Some(known) if told.insert(known.place()) => read_row(&mut draft, known, &row.cell),
            Some(_) => {}
            None => unknown(&mut draft, row),
        }
    }
    draft.record.notes.extend(sheet.notes.iter().map(|(place, text)| Note { place: place.clone(), text: text.clone() }));
    draft.record.notes.sort_by_key(|note| rank(&note.place));
    Ok((draft, sheet.k6))
}

/// Reads a row by the grammar of its cell.
fn read_row(draft: &mut Draft, known: PageRow, cell: &Cell) {
    match known {
        PageRow::ServiceContainer => machine::container(draft, cell),
        PageRow::ServiceSettings => settings::read(draft, cell),
        PageRow::ServiceFlags => flags::read(draft, cell),
        PageRow::ServiceMetrics => metrics::service(draft, cell),
        PageRow::Database => machine::kind(draft, cell),
        PageRow::DatabaseSpecification => machine::database(draft, cell),
        PageRow::DatabaseMetrics => metrics::database(draft, cell),
        PageRow::ClientMachine => machine::client(draft, cell),
        PageRow::Errors => errors::read(draft, cell),
        PageRow::Queries => queries::read(draft, cell),
        PageRow::Outcome => outcome::read(draft, cell),
        _ => facts::read(draft, known, cell),
    }
}

/// A row of no known name is kept under its name.
fn unknown(draft: &mut Draft, row: &Row) {
    for line in &row.cell.lines {
        draft.record.notes.push(Note { place: row.name.text.clone(), text: line.text.clone() });
    }
}

/// Notes in the order in which a page shows them, whatever the order of the page they come from.
fn rank(place: &str) -> usize {
    match place {
        INTRODUCTION => 0,
        LATENCIES_HEADING => 100,
        LATENCIES => 101,
        place => PageRow::ALL.iter().position(|row| row.place() == place).map_or(50, |at| at + 1),
    }
}

fn read_k6(source: &Source, span: Span, faults: &mut Vec<Diagnostic>) -> Option<k6::TextRun> {
    match k6::read_text(&alone(source, span)) {
        Ok(run) => Some(run),
        Err(found) => {
            faults.extend(found.into_list());
            None
        }
    }
}

/// A part of a source as a source of its own, on the same lines: what is before it becomes empty lines.
fn alone(source: &Source, span: Span) -> Source {
    let text = source.text();
    let lines = text.get(..span.start).unwrap_or_default().matches('\n').count();
    Source::new(source.name(), "\n".repeat(lines) + text.get(span).unwrap_or_default())
}

fn no_table(source: &Source) -> Diagnostic {
    let heading = source.text().lines().position(|line| opens_k6(line.trim_start_matches('#')));
    let line = heading.map_or(1, |at| at + 1);
    Diagnostic::error("no-table", "the page has no table of a run")
        .at(source.at_line(line).labelled("the table is wanted above"))
        .help("a page has a table `| Metric | Value |` with rows such as `| Executed test | add_session |`")
}

/// Rows that are there twice and say different things.
fn contradictions(source: &Source, sheet: &Sheet, faults: &mut Vec<Diagnostic>) {
    let mut first: BTreeMap<&str, (&Row, String)> = BTreeMap::new();
    for row in &sheet.rows {
        let Some(known) = PageRow::named(&row.name.text) else { continue };
        let (earlier, said) = first.entry(known.place()).or_insert_with(|| (row, row.cell.joined()));
        if *said != row.cell.joined() {
            let message = format!("the row `{}` is there twice and says different things", row.name.text);
            faults.push(
                Diagnostic::error("contradicting-rows", message)
                    .at(source.at(row.cell.span.clone()).labelled("here"))
                    .at(source.at(earlier.cell.span.clone()).labelled("and here"))
                    .help("keep the one that is true"),
            );
        }
    }
}

#[cfg(test)]
mod tests;
