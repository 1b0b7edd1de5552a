//! The plain text of a page: no headings, no fences, line breaks inside cells lost.

use super::sheet::{Cell, Row, Sheet, Text, opens_k6, opens_latencies, opens_results, trimmed};
use crate::model::page::{INTRODUCTION, LATENCIES, LATENCIES_HEADING, LATENCIES_TITLE, NO_SERIES, PageRow};
use crate::source::{Source, Span};

/// Takes a plain page apart.
pub(super) fn read(source: &Source) -> Sheet {
    let lines = lines(source);
    let k6 = lines.iter().rposition(|line| opens_k6(&line.text));
    let mut reader = Reader { sheet: Sheet::default(), part: Part::Title };
    for line in lines.iter().take(k6.unwrap_or(lines.len())) {
        reader.line(line);
    }
    let mut sheet = reader.sheet;
    let start = k6.and_then(|at| lines.get(at)).map(|line| line.span.end);
    let k6 = start.map(|start| without_furniture(source, start..source.text().len()));
    sheet.k6 = k6.filter(|span| !span.is_empty());
    sheet
}

/// Lines that say something, with their places.
fn lines(source: &Source) -> Vec<Text> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in source.text().split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        if !text.trim().is_empty() {
            lines.push(Text { text: text.to_owned(), span: at..at + text.len() });
        }
        at += line.len();
    }
    lines
}

/// Where in the page a line is.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Title,
    Introduction,
    Table,
    Latencies,
}

struct Reader {
    sheet: Sheet,
    part: Part,
}

impl Reader {
    fn line(&mut self, line: &Text) {
        let words = line.text.trim();
        let cells = cells(line);
        match self.part {
            Part::Title if cells.is_none() => {
                self.sheet.title = Some(Text { text: words.to_owned(), span: line.span.clone() });
                self.part = Part::Introduction;
            }
            Part::Title | Part::Introduction => match cells {
                Some(cells) => self.row(line, cells),
                None if opens_results(words) => {}
                None => self.note(INTRODUCTION, words),
            },
            Part::Table => match cells {
                Some(cells) => self.row(line, cells),
                None if PageRow::named(words).is_some() => self.row(line, vec![text_of(line, 0..line.text.len())]),
                None if opens_latencies(words) => self.latencies(words),
                None => self.more(line),
            },
            Part::Latencies => match words {
                NO_SERIES => {}
                words => self.note(LATENCIES, words),
            },
        }
    }

    fn row(&mut self, line: &Text, cells: Vec<Text>) {
        self.part = Part::Table;
        let table = self.sheet.table.get_or_insert(line.span.clone());
        table.end = line.span.end;
        let mut cells = cells.into_iter();
        let Some(name) = cells.next() else { return };
        let is_header = self.sheet.rows.is_empty() && name.text.eq_ignore_ascii_case("metric");
        let is_rule = !name.text.is_empty() && name.text.chars().all(|c| matches!(c, '-' | ':'));
        if is_header || is_rule {
            return;
        }
        let lines: Vec<Text> = cells.filter(|cell| !cell.text.is_empty()).collect();
        let span = match (lines.first(), lines.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => name.span.clone(),
        };
        self.sheet.rows.push(Row { name, cell: Cell { lines, span, flat: true } });
    }

    /// A line without a name belongs to the row above.
    fn more(&mut self, line: &Text) {
        let text = text_of(line, 0..line.text.len());
        if let Some(row) = self.sheet.rows.last_mut() {
            row.cell.lines.push(text);
        }
    }

    fn latencies(&mut self, words: &str) {
        self.part = Part::Latencies;
        if !words.eq_ignore_ascii_case(LATENCIES_TITLE) {
            self.note(LATENCIES_HEADING, words);
        }
    }

    fn note(&mut self, place: &str, text: &str) {
        self.sheet.notes.push((place.to_owned(), text.to_owned()));
    }
}

/// The cells of a line, if it is a row of a table: between `|`, or before and after a tab.
fn cells(line: &Text) -> Option<Vec<Text>> {
    let text = line.text.as_str();
    let begin = text.len() - text.trim_start().len();
    if text[begin..].starts_with('|') {
        return Some(piped(line, begin + 1));
    }
    let tab = text.find('\t')?;
    let name = text_of(line, 0..tab);
    (!name.text.is_empty()).then(|| vec![name, text_of(line, tab + 1..text.len())])
}

fn piped(line: &Text, begin: usize) -> Vec<Text> {
    let text = line.text.trim_end();
    let end = if text.ends_with('|') && !text.ends_with("\\|") { text.len() - 1 } else { text.len() };
    let mut cells = Vec::new();
    let mut start = begin;
    let mut escaped = false;
    for (at, c) in text.char_indices().filter(|(at, _)| (begin..end).contains(at)) {
        if c == '|' && !escaped {
            cells.push(text_of(line, start..at));
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    cells.push(text_of(line, start..end.max(start)));
    for cell in &mut cells {
        cell.text = cell.text.replace("\\|", "|");
    }
    cells
}

fn text_of(line: &Text, range: Span) -> Text {
    let raw = line.text.get(range.clone()).unwrap_or_default();
    let start = line.span.start + range.start + (raw.len() - raw.trim_start().len());
    let text = raw.trim();
    Text { text: text.to_owned(), span: start..start + text.len() }
}

/// k6's output without what a page has below it: after the line of the last scenario nothing is k6's.
fn without_furniture(source: &Source, span: Span) -> Span {
    let span = trimmed_lines(source, span);
    let text = source.text().get(span.clone()).unwrap_or_default();
    let last = super::grammar::SCENARIO_END.find_iter(text).last();
    last.map_or(span.clone(), |last| span.start..span.start + last.end())
}

/// The span from the beginning of its first line that says something.
fn trimmed_lines(source: &Source, span: Span) -> Span {
    let text = source.text().get(span.clone()).unwrap_or_default();
    let blank = text.len() - text.trim_start().len();
    let line = text.get(..blank).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    span.start + line..trimmed(source, span.clone()).end.max(span.start + line)
}
