//! JSON of an API, read into a shape; a fault points at the line and column.

use std::ops::Range;

use serde::de::DeserializeOwned;

use crate::diagnostic::{Diagnostic, Faults};
use crate::source::Source;

/// Reads a whole text as one JSON value of a shape.
///
/// # Errors
/// `bad-capture` at the place where the text is no JSON, or not of the shape; `what` names what was expected.
pub(super) fn read<T: DeserializeOwned>(source: &Source, what: &str) -> Result<T, Faults> {
    serde_json::from_str(source.text()).map_err(|error| fault(source, &error, what).into())
}

/// Reads a part of a text, kept raw so far, as one JSON value of a shape.
///
/// # Errors
/// As [`read`], at the place in the whole text.
pub(super) fn read_part<T: DeserializeOwned>(source: &Source, part: &str, what: &str) -> Result<T, Faults> {
    serde_json::from_str(part).map_err(|error| fault_in(source, part, &error, what).into())
}

/// Where a part of a text lies in it, as bytes; the beginning if it is none.
pub(super) fn span(source: &Source, part: &str) -> Range<usize> {
    let whole = source.text().as_bytes().as_ptr_range();
    let piece = part.as_bytes().as_ptr_range();
    let is_part = whole.start <= piece.start && piece.end <= whole.end;
    let start = if is_part { piece.start.addr() - whole.start.addr() } else { 0 };
    if is_part { start..start + part.len() } else { 0..0 }
}

/// The fault of a text that is not what it should be.
pub(super) fn fault(source: &Source, error: &serde_json::Error, what: &str) -> Diagnostic {
    fault_in(source, source.text(), error, what)
}

/// The fault of a part of a text, at the place in the whole.
pub(super) fn fault_in(source: &Source, part: &str, error: &serde_json::Error, what: &str) -> Diagnostic {
    let (line, column) = (error.line().max(1), error.column().max(1));
    let start: usize = part.split_inclusive('\n').take(line - 1).map(str::len).sum();
    // serde_json counts the bytes of a line.
    let mut at = (span(source, part).start + start + column - 1).min(source.text().len());
    while !source.text().is_char_boundary(at) {
        at -= 1;
    }
    let message = error.to_string();
    // serde_json ends its words with the place, which is drawn.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
    let fault = Diagnostic::error("bad-capture", format!("this is not {what}: {message}")).at(source.at(at..at));
    if error.is_eof() { fault.help("it ends too early: save the whole answer again") } else { fault }
}
