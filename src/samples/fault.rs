//! What is wrong with a raw file, and where.

use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// A row that is none, or a file that holds more than one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: &'static str,
    /// The bytes of the row that the words are about, from the row's start.
    pub(super) span: std::ops::Range<usize>,
}

/// Bytes of a row that a fault shows.
const SHOWN: usize = 160;

impl Fault {
    pub(super) fn new(code: &'static str, message: impl Into<String>, help: &'static str) -> Self {
        Self { code, message: message.into(), help, span: 0..usize::MAX }
    }

    /// The same fault at some bytes of its row.
    pub(super) fn at(mut self, span: std::ops::Range<usize>) -> Self {
        self.span = span;
        self
    }

    /// The fault as people read it: the row's text with a caret, the file, the byte and the row.
    pub(super) fn tell(&self, place: &RowPlace<'_>) -> Diagnostic {
        let (text, span) = excerpt(place.text, &self.span);
        let source = Source::excerpt(place.file, text, usize::try_from(place.line).unwrap_or(usize::MAX));
        Diagnostic::error(self.code, self.message.clone())
            .at(source.at(span))
            .note(format!("byte {}, row {} of {}", place.offset, place.row, place.file))
            .help(self.help)
    }
}

/// A row's text.
pub(super) fn text_of(row: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(row).map_err(|bad| {
        let help = "k6 writes UTF-8: the file was damaged or converted";
        let fault = Fault::new("bad-utf8", "these bytes are no text", help);
        fault.at(bad.valid_up_to()..bad.valid_up_to() + bad.error_len().unwrap_or(1))
    })
}

/// Where a row stands.
pub(super) struct RowPlace<'a> {
    pub(super) file: &'a str,
    /// The row's bytes, and what follows.
    pub(super) text: &'a [u8],
    pub(super) offset: u64,
    /// Its number among the rows, from 1; a header is none.
    pub(super) row: u64,
    /// Its line, from 1.
    pub(super) line: u64,
}

/// The beginning of the row's first line as text that can be shown, and the span in it. Where the words stand far behind
/// the beginning, the part around them.
fn excerpt(row: &[u8], span: &std::ops::Range<usize>) -> (String, std::ops::Range<usize>) {
    let line = row.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let start = span.start.min(line.len());
    let from = if start > SHOWN / 2 { start - SHOWN / 4 } else { 0 };
    let to = line.len().min(from + SHOWN);
    let shown = |part: &[u8]| String::from_utf8_lossy(part).replace(|c: char| c.is_control(), "\u{fffd}");
    let (before, here) = (shown(&line[from..start]), shown(&line[start..span.end.clamp(start, to)]));
    let after = shown(&line[span.end.clamp(start, to)..to]);
    let (open, close) = (if from > 0 { "..." } else { "" }, if to < line.len() { "..." } else { "" });
    let begin = open.len() + before.len();
    (format!("{open}{before}{here}{after}{close}"), begin..begin + here.len())
}
