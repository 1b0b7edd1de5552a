//! Text with a name, and places in it.
//!
//! Every reader takes a [`Source`], so that a fault can point at the line, the column and the words it is about.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A range of bytes in a source, from the first byte to one behind the last.
pub type Span = Range<usize>;

/// A text somebody gave us, and the name they know it by.
///
/// Cloning is cheap: the text is shared.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    inner: Arc<Inner>,
}

#[derive(PartialEq, Eq)]
struct Inner {
    name: String,
    text: String,
    repaired: bool,
    /// The number of the text's first line: another than 1 for an excerpt.
    first_line: usize,
}

/// Whether bytes begin with the mark of UTF-16: then their zeros are no sign of a binary file.
#[must_use]
pub fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Bytes without the mark of UTF-8 that some programs write before a text.
#[must_use]
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn utf8(bytes: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(bytes);
    let repaired = matches!(text, std::borrow::Cow::Owned(_));
    (text.into_owned(), repaired)
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> (String, bool) {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut repaired = !rest.is_empty();
    let decoded = char::decode_utf16(units.iter().map(|unit| read(*unit)));
    let text = decoded.map(|c| c.unwrap_or_else(|_| replaced(&mut repaired))).collect();
    (text, repaired)
}

fn replaced(repaired: &mut bool) -> char {
    *repaired = true;
    char::REPLACEMENT_CHARACTER
}

impl Source {
    /// A source of text that is known to be text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::excerpt(name, text, 1)
    }

    /// Some lines of a text too large to keep, the first of them by its number in the whole, from 1.
    pub fn excerpt(name: impl Into<String>, text: impl Into<String>, first_line: usize) -> Self {
        Self { inner: Arc::new(Inner { name: name.into(), text: text.into(), repaired: false, first_line }) }
    }

    /// The number of the first line: 1, but for an excerpt.
    #[must_use]
    pub fn first_line(&self) -> usize {
        self.inner.first_line
    }

    /// A source of bytes from outside: UTF-8, or UTF-16 with its byte order mark, as a redirection on Windows writes it. The
    /// mark is dropped; bytes that are no text become U+FFFD and [`Source::was_repaired`] says so, because a log with one
    /// bad byte is still a log.
    #[must_use]
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        let (text, repaired) = match bytes {
            [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
            [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
            _ => utf8(without_mark(bytes)),
        };
        Self { inner: Arc::new(Inner { name: name.into(), text, repaired, first_line: 1 }) }
    }

    /// The name shown to people: a path relative to what was given, or `-` for standard input.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// Whether some bytes were no text and were replaced.
    #[must_use]
    pub fn was_repaired(&self) -> bool {
        self.inner.repaired
    }

    /// The 1-based line and column (in characters) of a byte offset; an offset behind the end is the end.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let text = self.text();
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line = before.bytes().filter(|&b| b == b'\n').count() + self.inner.first_line;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The place of a span in this source.
    #[must_use]
    pub fn at(&self, span: Span) -> Place {
        Place { source: self.clone(), span, label: None }
    }

    /// The place of a 1-based line, without its line break; a line behind the end is the end.
    #[must_use]
    pub fn at_line(&self, line: usize) -> Place {
        let text = self.text();
        let mut start = 0;
        for _ in self.inner.first_line..line {
            match text[start..].find('\n') {
                Some(at) => start += at + 1,
                None => break,
            }
        }
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        self.at(start..end)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({}, {} bytes)", self.name(), self.text().len())
    }
}

/// A span in a source, with an optional word about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where to look.
    pub source: Source,
    /// What to underline.
    pub span: Span,
    /// What to say under the caret.
    pub label: Option<String>,
}

impl Place {
    /// The same place with a word under the caret.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.source.line_column(self.span.start);
        write!(f, "{}:{line}:{column}", self.source.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let source = Source::new("a.txt", "ab\ncéd\n");
        assert_eq!(source.line_column(0), (1, 1));
        assert_eq!(source.line_column(3), (2, 1));
        assert_eq!(source.line_column(6), (2, 3));
        assert_eq!(source.line_column(99), (3, 1));
    }

    #[test]
    fn a_bad_byte_is_replaced_and_admitted() {
        let source = Source::from_bytes("a", b"\xef\xbb\xbfok \xff");
        assert_eq!(source.text(), "ok \u{fffd}");
        assert!(source.was_repaired());
        assert!(!Source::from_bytes("a", b"ok").was_repaired());
    }

    #[test]
    fn utf16_is_told_by_its_mark() {
        let little = Source::from_bytes("a", b"\xff\xfeo\0k\0\x13\x27");
        let big = Source::from_bytes("a", b"\xfe\xff\0o\0k\x27\x13");
        assert_eq!((little.text(), big.text()), ("ok\u{2713}", "ok\u{2713}"));
        assert!(!little.was_repaired() && !big.was_repaired());
        assert!(Source::from_bytes("a", b"\xff\xfeo\0k").was_repaired());
        assert!(Source::from_bytes("a", b"\xff\xfe\0\xd8").was_repaired());
    }
}
