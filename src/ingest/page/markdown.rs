//! The Markdown form of a page: front matter, a table, a fenced k6 block.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd};
use serde::Deserialize;

use super::super::k6;
use super::grammar::pattern;
use super::inline::Inline;
use super::sheet::{Cell, Row, Sheet, Text, opens_k6, opens_latencies, opens_results, trimmed};
use crate::diagnostic::Diagnostic;
use crate::limits::YAML_DEPTH;
use crate::model::page::{INTRODUCTION, LATENCIES, LATENCIES_HEADING, LATENCIES_TITLE, NO_SERIES, PageRow, sidebar_label};
use crate::model::summary::SummaryKind;
use crate::source::{Source, Span};

pattern! {
    /// The id of a heading behind its words, as docs sites write it.
    HEADING_ID = r"\s(?:\[#[^\]\\\s]+\]|\{#[^{}\\\s]+\}|\\\{#[^{}\\\s]+\\\})\s*#*\s*$";
}

/// Front matter, as far as a page's is used.
#[derive(Deserialize, Default)]
struct FrontMatter {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    sidebar_label: Option<String>,
}

/// Takes a Markdown page apart.
pub(super) fn read(source: &Source, faults: &mut Vec<Diagnostic>) -> Sheet {
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader { source, sheet: Sheet::default(), section: INTRODUCTION.to_owned(), is_mdx: false, faults };
    let events: Vec<_> = Parser::new_ext(source.text(), options).into_offset_iter().collect();
    let mut at = 0;
    while at < events.len() {
        let end = block_end(&events, at);
        reader.block(&events[at..end]);
        at = end;
    }
    reader.sheet
}

type Events<'e, 'a> = &'e [(Event<'a>, Range<usize>)];

/// The end of the block that begins at an event.
fn block_end(events: Events<'_, '_>, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, (event, _)) in events.iter().enumerate().skip(start) {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    events.len()
}

struct Reader<'s> {
    source: &'s Source,
    sheet: Sheet,
    section: String,
    /// Whether the page is MDX, as far as its text tells: docs sites want front matter, plain Markdown has none.
    is_mdx: bool,
    faults: &'s mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn block(&mut self, events: Events<'_, '_>) {
        let Some((first, range)) = events.first() else { return };
        match first {
            Event::Start(Tag::MetadataBlock(MetadataBlockKind::YamlStyle)) => self.front_matter(events),
            Event::Start(Tag::Heading { level, .. }) => self.heading(*level, events),
            Event::Start(Tag::Table(_)) if self.is_results(events) => self.table(events),
            Event::Start(Tag::CodeBlock(_)) if self.sheet.k6.is_none() && self.is_k6(events) => {
                self.sheet.k6 = content(events);
            }
            Event::Start(Tag::Paragraph) => self.paragraph(events, range.clone()),
            Event::Rule => {}
            _ => self.verbatim(range.clone()),
        }
    }

    /// Whether a code block is k6's output: it stands under its heading, or it reads like one.
    fn is_k6(&self, events: Events<'_, '_>) -> bool {
        let text = content(events).and_then(|span| self.source.text().get(span)).unwrap_or_default();
        opens_k6(&self.section) || k6::sniff(&Source::new("", text)) == Some(SummaryKind::Text)
    }

    fn front_matter(&mut self, events: Events<'_, '_>) {
        self.is_mdx = true;
        let Some(span) = content(events) else { return };
        let text = self.source.text().get(span.clone()).unwrap_or_default();
        let budget = serde_saphyr::budget! { max_depth: YAML_DEPTH };
        match serde_saphyr::from_str_with_options::<FrontMatter>(text, serde_saphyr::options! { budget: budget }) {
            Ok(front) => {
                let span = line_of(text, "title:").map_or(span.clone(), |line| span.start + line.start..span.start + line.end);
                self.sheet.title = front.title.map(|text| Text { text, span });
                self.sheet.sidebar = front.sidebar_label;
            }
            Err(error) => self.faults.push(
                Diagnostic::error("bad-front-matter", format!("the front matter is no YAML: {}", error.without_snippet()))
                    .at(self.source.at(trimmed(self.source, span)))
                    .help("write `title: ...` and `sidebar_label: ...`, a line each, in quotes where they hold `: ` or `#`"),
            ),
        }
    }

    fn heading(&mut self, level: HeadingLevel, events: Events<'_, '_>) {
        let words = self.words(events);
        let text = words.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ");
        let text = self.without_id(text, events);
        if level == HeadingLevel::H1 && self.sheet.title.is_none() {
            self.sheet.title = Some(Text { text, span: words.first().map(|line| line.span.clone()).unwrap_or_default() });
            return;
        }
        self.section = if opens_latencies(&text) {
            if !text.eq_ignore_ascii_case(LATENCIES_TITLE) {
                self.note(LATENCIES_HEADING, text);
            }
            LATENCIES.to_owned()
        } else {
            text
        };
    }

    /// The words of a heading without its id, where the page gives it one: an id has no backslash before its bracket, or
    /// one before both braces; what a person wrote has other escapes.
    fn without_id(&self, text: String, events: Events<'_, '_>) -> String {
        let raw = events.first().and_then(|(_, range)| self.source.text().get(range.clone())).unwrap_or_default();
        let id = if HEADING_ID.is_match(raw.trim_end()) { text.rfind("[#").max(text.rfind("{#")) } else { None };
        id.and_then(|at| text.get(..at)).map(|words| words.trim_end().to_owned()).unwrap_or(text)
    }

    fn paragraph(&mut self, events: Events<'_, '_>, range: Range<usize>) {
        let raw = self.source.text().get(range).unwrap_or_default().trim();
        let is_code = self.is_mdx && (raw.starts_with("import ") || raw.starts_with("export "));
        if is_code || raw.starts_with("<BenchmarkChart") || is_comment(raw) || shows_pictures(events) {
            return;
        }
        for line in self.words(events) {
            self.prose(line.text);
        }
    }

    /// A block of another kind, kept as it is written.
    fn verbatim(&mut self, range: Range<usize>) {
        let raw = self.source.text().get(range).unwrap_or_default().trim().to_owned();
        if let Some(label) = sidebar_label(&raw) {
            self.sheet.sidebar = Some(label);
        } else if !raw.is_empty() && !raw.starts_with("<BenchmarkChart") && !is_comment(&raw) {
            self.prose(raw);
        }
    }

    fn prose(&mut self, text: String) {
        if text != NO_SERIES {
            let place = if opens_k6(&self.section) {
                PageRow::K6Output.place().to_owned()
            } else if opens_results(&self.section) {
                INTRODUCTION.to_owned()
            } else {
                self.section.clone()
            };
            self.note(&place, text);
        }
    }

    /// The inline content of a block, line by line.
    fn words(&self, events: Events<'_, '_>) -> Vec<Text> {
        let mut inline = Inline::of(self.is_mdx);
        for (event, range) in events {
            inline.take(event, range);
        }
        inline.finish()
    }

    fn note(&mut self, place: &str, text: String) {
        self.sheet.notes.push((place.to_owned(), text));
    }

    /// Whether a table is the one of the run: it has a row that pages have.
    fn is_results(&self, events: Events<'_, '_>) -> bool {
        let executed = |row: &Row| PageRow::named(&row.name.text) == Some(PageRow::ExecutedTest);
        let rows = self.rows(events);
        self.sheet.table.is_none()
            && (rows.iter().any(executed) || rows.iter().filter(|row| PageRow::named(&row.name.text).is_some()).count() > 2)
    }

    fn table(&mut self, events: Events<'_, '_>) {
        self.sheet.rows = self.rows(events);
        self.sheet.table = events.first().map(|(_, range)| trimmed(self.source, range.clone()));
    }

    fn rows(&self, events: Events<'_, '_>) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut cells: Vec<(Vec<Text>, Span)> = Vec::new();
        let mut inline = Inline::of(self.is_mdx);
        for (event, range) in events {
            match event {
                Event::Start(Tag::TableRow) => cells.clear(),
                Event::Start(Tag::TableCell) => inline = Inline::of(self.is_mdx),
                Event::End(TagEnd::TableCell) => cells.push((std::mem::take(&mut inline).finish(), range.clone())),
                Event::End(TagEnd::TableRow) => rows.extend(self.row(&mut cells, range)),
                event => inline.take(event, range),
            }
        }
        rows
    }

    fn row(&self, cells: &mut Vec<(Vec<Text>, Span)>, row: &Range<usize>) -> Option<Row> {
        let mut cells = std::mem::take(cells).into_iter();
        let (name, name_span) = cells.next()?;
        let (mut lines, span) = cells.next().unwrap_or((Vec::new(), name_span.clone()));
        let mut end = span.end;
        for (more, span) in cells {
            end = end.max(span.end);
            lines.extend(more);
        }
        lines.extend(self.behind(end, row.end));
        let name = name.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ");
        let name = Text { text: name, span: trimmed(self.source, name_span) };
        Some(Row { name, cell: Cell { lines, span: trimmed(self.source, span), flat: false } })
    }

    /// What a row has behind its last cell: a `|` that nobody escaped cuts a cell short.
    fn behind(&self, cell_end: usize, row_end: usize) -> Option<Text> {
        let text = self.source.text().get(cell_end..row_end)?;
        let text = text.trim().trim_matches('|').trim();
        (!text.is_empty()).then(|| Text { text: text.to_owned(), span: trimmed(self.source, cell_end..row_end) })
    }
}

/// The bytes of a block's content, without its fence.
fn content(events: Events<'_, '_>) -> Option<Span> {
    let mut texts = events.iter().filter(|(event, _)| matches!(event, Event::Text(_))).map(|(_, range)| range);
    let first = texts.next()?;
    Some(first.start..texts.next_back().unwrap_or(first).end)
}

/// Whether a block says nothing to readers of the page.
fn is_comment(raw: &str) -> bool {
    let html = raw.starts_with("<!--") && raw.ends_with("-->");
    html || (raw.starts_with("{/*") && raw.ends_with("*/}"))
}

/// Whether a paragraph is nothing but pictures that lie beside the page: its chart, where no component draws it.
fn shows_pictures(events: Events<'_, '_>) -> bool {
    let mut inside = false;
    let mut pictures = 0_usize;
    let inner = events.get(1..events.len().saturating_sub(1)).unwrap_or_default();
    let only = inner.iter().all(|(event, _)| match event {
        Event::Start(Tag::Image { dest_url, .. }) => {
            pictures += 1;
            inside = true;
            dest_url.starts_with("./")
        }
        Event::End(TagEnd::Image) => {
            inside = false;
            true
        }
        Event::SoftBreak => true,
        _ => inside,
    });
    only && pictures > 0
}

/// The line of a text that begins with a word.
fn line_of(text: &str, word: &str) -> Option<Span> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(word) {
            return Some(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    None
}
