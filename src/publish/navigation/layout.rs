//! How a navigation file is laid out, and text put into it and taken out of it in that layout.

use std::ops::Range;

use super::json::Node;

/// Something to be added to a list.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Page(String),
    Group { title: String, pages: Vec<String> },
}

/// A piece of the text and what stands there instead.
pub(super) type Edit = (Range<usize>, String);

/// How a file is laid out.
pub(super) struct Layout<'t> {
    text: &'t str,
    unit: String,
    newline: &'static str,
}

impl<'t> Layout<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]).to_owned();
        Self { text, unit, newline: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    /// The indentation of the line that an offset is on, and whether nothing but that is before it.
    fn indent(&self, at: usize) -> (&'t str, bool) {
        let line = self.text.get(..at).map_or(0, |head| head.rfind('\n').map_or(0, |newline| newline + 1));
        let head = self.text.get(line..at).unwrap_or_default();
        let blank = head.len() - head.trim_start().len();
        (head.get(..blank).unwrap_or_default(), blank == head.len())
    }

    /// Insertions that put entries into a list, each before the item of its index.
    pub(super) fn insert(&self, list: &Node, entries: &[(usize, Entry)]) -> Vec<Edit> {
        let items = list.items().unwrap_or_default();
        let (Some(first), Some(end)) = (items.first(), items.last().map(|item| item.span.end)) else {
            return self.fill(list, entries);
        };
        let (indent, own_line) = self.indent(first.span.start);
        let gap = if own_line { format!("{}{indent}", self.newline) } else { " ".to_owned() };
        let edit = |(at, entry): &(usize, Entry)| {
            let text = self.show(entry, indent);
            match items.get(*at) {
                Some(item) => (item.span.start..item.span.start, format!("{text},{gap}")),
                None => (end..end, format!(",{gap}{text}")),
            }
        };
        entries.iter().map(edit).collect()
    }

    /// The content of a list that had none. What blank there was stays behind it: [`Self::blank_of_fill`] finds its end.
    fn fill(&self, list: &Node, entries: &[(usize, Entry)]) -> Vec<Edit> {
        if entries.is_empty() {
            return Vec::new();
        }
        let (outer, _) = self.indent(list.span.start);
        let indent = format!("{outer}{}", self.unit);
        let shown: Vec<String> =
            entries.iter().map(|(_, entry)| format!("{}{indent}{}", self.newline, self.show(entry, &indent))).collect();
        let at = list.span.start + 1;
        vec![(at..at, format!("{}{}{outer}", shown.join(","), self.newline))]
    }

    /// How many bytes behind the last item of a list belong to what [`Self::fill`] wrote.
    pub(super) fn blank_of_fill(&self, list: &Node, end: usize) -> usize {
        let (outer, _) = self.indent(list.span.start);
        let blank = format!("{}{outer}", self.newline);
        let rest = self.text.get(end..list.span.end).unwrap_or_default();
        if rest.starts_with(&blank) { blank.len() } else { rest.len() - rest.trim_start().len() }
    }

    fn show(&self, entry: &Entry, indent: &str) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match entry {
            Entry::Page(page) => quoted(page),
            Entry::Group { title, pages } => {
                let (nl, unit) = (self.newline, &self.unit);
                let pages: Vec<String> = pages.iter().map(|page| format!("{nl}{indent}{unit}{unit}{}", quoted(page))).collect();
                let list = if pages.is_empty() { "[]".to_owned() } else { format!("[{}{nl}{indent}{unit}]", pages.join(",")) };
                format!("{{{nl}{indent}{unit}\"title\": {},{nl}{indent}{unit}\"pages\": {list}{nl}{indent}}}", quoted(title))
            }
        }
    }
}

/// The text with the edits made; those at one place in their order.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(piece, _)| piece.start);
    let mut out = String::with_capacity(text.len() + 256);
    let mut from = 0;
    for (piece, instead) in edits {
        out.push_str(text.get(from..piece.start).unwrap_or_default());
        out.push_str(&instead);
        from = piece.end;
    }
    out + text.get(from..).unwrap_or_default()
}
