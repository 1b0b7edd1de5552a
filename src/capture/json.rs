//! JSON of an API, read into a shape; a fault points at the line and column.

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

/// The fault of a text that is not what it should be.
pub(super) fn fault(source: &Source, error: &serde_json::Error, what: &str) -> Diagnostic {
    let (line, column) = (error.line().max(1), error.column().max(1));
    let start = source.at_line(line).span.start;
    let text = source.text().get(start..).unwrap_or_default();
    let at = start + text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
    let message = error.to_string();
    // serde_json ends its words with the place, which is drawn.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
    Diagnostic::error("bad-capture", format!("this is not {what}: {message}")).at(source.at(at..at))
}
