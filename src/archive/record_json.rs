//! `record.json`: a record as text, and back.

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::RECORD_BYTES;
use crate::model::record::{Record, SCHEMA};
use crate::source::Source;

/// A record as `record.json`: indented JSON with a final line break; equal records give equal bytes.
#[must_use]
pub fn write(record: &Record) -> String {
    // A record holds maps with text keys and finite numbers only, which JSON can always say.
    let json = serde_json::to_string_pretty(record).unwrap_or_else(|error| unreachable!("a record is JSON: {error}"));
    json + "\n"
}

/// Reads `record.json`.
///
/// # Errors
/// `large-record` for one of more than [`RECORD_BYTES`], `newer-schema` for one of a newer plimsoll, `bad-record` with line and column for
/// everything else.
pub fn read(source: &Source) -> Result<Record, Faults> {
    if source.text().len() > RECORD_BYTES {
        let fault = too_large(format!("a record of {} bytes is none that was written", source.text().len()));
        return Err(fault.at(source.at(0..0)).help("restore the file, or remove it and ingest the run again").into());
    }
    check_schema(source, SCHEMA)?;
    serde_json::from_str(source.text()).map_err(|error| {
        let fault = bad_json(source, &error, "bad-record");
        fault.help("restore the file, or remove it and ingest the run again: records are written by machine only").into()
    })
}

/// The fault of a record of more than [`RECORD_BYTES`], read or about to be written.
#[must_use]
pub fn too_large(message: String) -> Diagnostic {
    Diagnostic::error("large-record", message).note(format!("at most {RECORD_BYTES} are written and read"))
}

/// Refuses a file of a newer schema before anything else of it is read.
///
/// # Errors
/// `newer-schema` at the number.
pub fn check_schema(source: &Source, known: u32) -> Result<(), Faults> {
    #[derive(Deserialize)]
    struct Versioned {
        schema: Option<u64>,
    }
    let Ok(Versioned { schema: Some(schema) }) = serde_json::from_str::<Versioned>(source.text()) else { return Ok(()) };
    if schema <= u64::from(known) {
        return Ok(());
    }
    let text = source.text();
    let key = text.find("\"schema\"").unwrap_or(0);
    let end = text[key..].find([',', '}', '\n']).map_or(text.len(), |at| key + at);
    let message = format!("schema {schema} is newer than this program knows ({known})");
    Err(Diagnostic::error("newer-schema", message).at(source.at(key..end)).help("use a newer plimsoll").into())
}

/// A fault of `serde_json` with its place in the text.
#[must_use]
pub fn bad_json(source: &Source, error: &serde_json::Error, code: &'static str) -> Diagnostic {
    let line = source.at_line(error.line());
    let start = line.span.start;
    let column = source.text().get(start..).unwrap_or_default();
    let at = column.char_indices().nth(error.column().saturating_sub(1)).map_or(line.span.end, |(at, _)| start + at);
    let words = error.to_string();
    let message = words.rsplit_once(" at line ").map_or(words.as_str(), |(message, _)| message);
    Diagnostic::error(code, message).at(source.at(at..at + 1))
}
