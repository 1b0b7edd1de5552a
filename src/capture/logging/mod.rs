//! Cloud Logging: what `gcloud logging read` prints, as JSON, as `csv(...)` and as `value(...)`.
//!
//! An entry's kind of error is in `jsonPayload.err.kind` (errors of the client, warnings) or in `jsonPayload.error.kind` (errors of the
//! server). Entries are in no order that can be relied on. Nothing in such a file says whether the command's `--limit` cut it: a
//! round number of entries is taken for a sign that it did.

mod rates;
mod table;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};

pub use self::rates::findings;
use super::monitoring::node::{Node, Object};
use super::monitoring::reader::Reader;
use super::{Capture, json};
use crate::diagnostic::{Diagnostic, Faults};
use crate::source::Source;

/// The entries of a file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The entries.
    pub entries: Vec<Entry>,
}

/// What is kept of an entry: no text of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it was written.
    pub at: DateTime<Utc>,
    /// How grave it is, as the source has it: `ERROR`; `DEFAULT` where it says nothing.
    pub severity: String,
    /// What it is about: `err.kind NotFound`, `httpRequest.status 429`, `request served`.
    pub about: String,
}

impl Entry {
    /// Whether it tells of an error of the server.
    #[must_use]
    pub fn is_error(&self) -> bool {
        ["ERROR", "CRITICAL", "ALERT", "EMERGENCY"].contains(&self.severity.as_str())
    }
}

/// Whether a text is such a print: a list whose first object has a moment and the name of a log, or a table of the two forms.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let text = source.text().trim_start();
    if let Some(inner) = text.strip_prefix('[') {
        let mut first = serde_json::Deserializer::from_str(inner).into_iter::<serde_json::Map<String, serde_json::Value>>();
        return first.next().is_some_and(|first| first.is_ok_and(|entry| entry.contains_key("logName")));
    }
    table::is_csv(text) || table::is_values(text)
}

/// Reads a print.
///
/// # Errors
/// `bad-capture` at the entry or row without a moment; of a text that is no JSON the place where it breaks.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    let text = source.text().trim_start();
    let entries = if text.starts_with('[') {
        of_json(source)?
    } else if table::is_csv(text) {
        table::of_csv(source)?
    } else {
        table::of_values(source)
    };
    if entries.is_empty() {
        let refusal = Diagnostic::error("no-data", "the log holds no entry").at(source.at(0..0));
        let refusal = refusal.note("without a moment in its filter `gcloud logging read` asks for the last day only");
        return Ok(Capture::Refused(Box::new(refusal.help("ask with `timestamp>=` and `timestamp<=` of the run in the filter"))));
    }
    Ok(Capture::Entries(Log { entries }))
}

fn of_json(source: &Source) -> Result<Vec<Entry>, Faults> {
    let (documents, broken) = Node::documents(source);
    if let Some(error) = broken {
        return Err(json::fault(source, &error, "a list of log entries").into());
    }
    let mut reader = Reader::new(source);
    let mut entries = Vec::new();
    for document in documents {
        for node in reader.list(document, "the log") {
            entries.extend(entry(&mut reader, node));
        }
    }
    reader.finish(entries)
}

fn entry<'a>(reader: &mut Reader<'a>, node: Node<'a>) -> Option<Entry> {
    let object = reader.object(node, "an entry");
    let name = if object.get("timestamp").is_some() { "timestamp" } else { "receiveTimestamp" };
    if object.get(name).is_none() {
        reader.fault(node, "an entry without `timestamp`");
        return None;
    }
    let at = reader.moment_of(&object, name)?;
    let severity = reader.text_of(&object, "severity").unwrap_or_else(|| "DEFAULT".to_owned());
    Some(Entry { at, severity, about: about(&object) })
}

fn field<'a>(object: &Object<'a>, name: &str) -> Option<Object<'a>> {
    object.get(name).and_then(Node::object)
}

/// What an entry is about, by the fields it has.
fn about(entry: &Object<'_>) -> String {
    let payload = field(entry, "jsonPayload").unwrap_or_default();
    for name in ["err", "error"] {
        if let Some(kind) = field(&payload, name).and_then(|error| error.get("kind")?.text()) {
            return format!("{name}.kind {kind}");
        }
    }
    if let Some(status) = field(entry, "httpRequest").and_then(|request| request.get("status")?.digits()) {
        return format!("httpRequest.status {status}");
    }
    let message = payload.get("message").and_then(Node::text).unwrap_or_default();
    match entry.get("textPayload").and_then(Node::text) {
        Some(text) if text.starts_with("Starting new instance") => "instance started".to_owned(),
        Some(_) => "text line without kind".to_owned(),
        None if message == "request served" => message,
        None => "without kind".to_owned(),
    }
}
