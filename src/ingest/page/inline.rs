//! Inline Markdown as the record keeps it: words, `[links](url)`, `` `code` ``.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::sheet::Text;

/// Collects inline events into lines; a line break (`<br/>`, a hard break) ends one.
#[derive(Debug, Default)]
pub(super) struct Inline {
    lines: Vec<Text>,
    text: String,
    span: Option<Range<usize>>,
    links: Vec<(usize, String)>,
    is_mdx: bool,
}

/// Renders as nothing in MDX: the writer puts it between characters that a docs site would read together.
const JOINT: &str = "{\"\"}";

impl Inline {
    /// Of a page that is MDX, or plain Markdown.
    pub(super) fn of(is_mdx: bool) -> Self {
        Self { is_mdx, ..Self::default() }
    }

    /// Takes an event; what is no inline content is ignored.
    pub(super) fn take(&mut self, event: &Event<'_>, range: &Range<usize>) {
        match event {
            Event::Text(text) if self.is_mdx => self.push(&text.replace(JOINT, ""), range),
            Event::Text(text) => self.push(text, range),
            Event::Code(code) => self.push(&code_span(code), range),
            Event::InlineHtml(html) if is_break(html) => self.end_line(),
            // Says nothing, and keeps what is in it from being read with what is around it.
            Event::InlineHtml(html) if matches!(&**html, "<span>" | "</span>") => {}
            Event::InlineHtml(html) | Event::Html(html) => self.push(html, range),
            Event::SoftBreak => self.push(" ", range),
            Event::HardBreak => self.end_line(),
            Event::FootnoteReference(name) => self.push(&format!("[^{name}]"), range),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                self.links.push((self.text.len(), dest_url.to_string()));
                self.grow(range);
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.end_link(),
            _ => {}
        }
    }

    /// The lines that say something, trimmed.
    pub(super) fn finish(mut self) -> Vec<Text> {
        self.end_line();
        self.lines
    }

    fn push(&mut self, text: &str, range: &Range<usize>) {
        self.text.push_str(text);
        self.grow(range);
    }

    fn grow(&mut self, range: &Range<usize>) {
        self.span = Some(match self.span.take() {
            None => range.clone(),
            Some(span) => span.start.min(range.start)..span.end.max(range.end),
        });
    }

    fn end_link(&mut self) {
        let Some((start, url)) = self.links.pop() else { return };
        let words = self.text.get(start..).unwrap_or_default().to_owned();
        if words != url {
            self.text.truncate(start);
            self.text += &["[", &words, "](", &url, ")"].concat();
        }
    }

    fn end_line(&mut self) {
        self.links.clear();
        let text = std::mem::take(&mut self.text).trim().to_owned();
        let span = self.span.take().unwrap_or_default();
        if !text.is_empty() {
            self.lines.push(Text { text, span });
        }
    }
}

/// Code with as many backticks around it as it needs.
fn code_span(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{code}{pad}{fence}")
}

fn is_break(html: &str) -> bool {
    let name = html.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/').trim();
    name.eq_ignore_ascii_case("br")
}
