//! k6's summaries as JSON: which of the three shapes it is, and faults with their place.

mod export;
mod handle;
mod machine;
mod wire;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::{NAME_BYTES, SUMMARY_OBJECTS, SUMMARY_VALUES};
use crate::model::summary::{Summary, SummaryKind};
use crate::source::{Place, Source};

/// The keys at the top of the three shapes.
#[derive(Deserialize)]
struct Top {
    metrics: Option<serde_json::Map<String, Value>>,
    root_group: Option<IgnoredAny>,
    state: Option<IgnoredAny>,
    results: Option<Results>,
    metadata: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Results {
    metrics: Option<IgnoredAny>,
}

/// Which shape a JSON text has; a broken one is told by its words.
pub(super) fn sniff(text: &str) -> Option<SummaryKind> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    if sizes(text).is_some_and(is_too_large) {
        return by_words(text);
    }
    match serde_json::from_str::<Top>(text) {
        Ok(top) => shape(&top),
        Err(error) if error.is_data() => None,
        Err(_) => by_words(text),
    }
}

fn shape(top: &Top) -> Option<SummaryKind> {
    if top.results.as_ref().is_some_and(|results| results.metrics.is_some() && top.metadata.is_some()) {
        return Some(SummaryKind::MachineReadable);
    }
    let metrics = top.metrics.as_ref()?;
    if top.state.is_some() || metrics.values().any(|metric| metric.get("values").is_some_and(Value::is_object)) {
        return Some(SummaryKind::HandleSummary);
    }
    let known = metrics.values().any(|metric| metric.as_object().is_some_and(|metric| export::kind(metric).is_some()));
    (top.root_group.is_some() || known).then_some(SummaryKind::Export)
}

/// Raw samples and lists begin differently; a summary cut off still has the words of its shape.
fn by_words(text: &str) -> Option<SummaryKind> {
    let first = text.lines().next().unwrap_or_default();
    if first.contains("\"type\":\"Metric\"") || first.contains("\"type\":\"Point\"") {
        return None;
    }
    let has = |word: &str| text.contains(word);
    if has("\"k6_version\"") || has("\"k6Version\"") {
        Some(SummaryKind::MachineReadable)
    } else if !has("\"metrics\"") {
        // `handleSummary` data begins with the checks, so a file that is cut short may have only those.
        (has("\"root_group\"") && has("\"checks\"")).then_some(SummaryKind::HandleSummary)
    } else if has("\"contains\"") || has("\"testRunDurationMs\"") {
        Some(SummaryKind::HandleSummary)
    } else {
        (has("\"root_group\"") || has("\"avg\"") || has("\"count\"")).then_some(SummaryKind::Export)
    }
}

/// What is read of a summary. What `setup()` returned stands beside it, and may be much more.
#[derive(Deserialize)]
struct Kept<'t> {
    #[serde(borrow)]
    metrics: Option<&'t RawValue>,
    #[serde(borrow)]
    root_group: Option<&'t RawValue>,
    #[serde(borrow)]
    state: Option<&'t RawValue>,
    #[serde(borrow)]
    results: Option<&'t RawValue>,
    #[serde(borrow)]
    metadata: Option<&'t RawValue>,
    #[serde(borrow)]
    config: Option<&'t RawValue>,
}

impl<'t> Kept<'t> {
    fn parts(&self) -> impl Iterator<Item = (&'static str, &'t str)> {
        let parts = [
            ("metrics", self.metrics),
            ("root_group", self.root_group),
            ("state", self.state),
            ("results", self.results),
            ("metadata", self.metadata),
            ("config", self.config),
        ];
        parts.into_iter().filter_map(|(name, part)| Some((name, part?.get())))
    }
}

/// Objects and values of a summary, before they are made: an object costs some hundred bytes. Braces and commas within names count too,
/// and there are few of them.
fn sizes(text: &str) -> Option<(usize, usize)> {
    let kept = serde_json::from_str::<Kept<'_>>(text).ok()?;
    let count = |(objects, values): (usize, usize), (_, part): (&str, &str)| {
        let bytes = part.as_bytes();
        let (braces, commas) = (memchr::memchr_iter(b'{', bytes), memchr::memchr2_iter(b',', b'[', bytes));
        (objects + braces.count(), values + commas.count())
    };
    Some(kept.parts().fold((0, 0), count))
}

fn is_too_large((objects, values): (usize, usize)) -> bool {
    objects > SUMMARY_OBJECTS || values > SUMMARY_VALUES
}

fn too_large(source: &Source, (objects, values): (usize, usize)) -> Diagnostic {
    let message = format!("a summary of {objects} objects and {values} values is none of a load test");
    let most = format!("at most {SUMMARY_OBJECTS} objects and {SUMMARY_VALUES} values are read");
    let fault = Diagnostic::error("large-summary", message).at(source.at(0..0));
    fault.note(most).help("are names of metrics or checks made of ids? a script has a few of them")
}

/// Bytes of the longest name of a metric, or path of a group: each threshold has the one, each check the other.
fn longest_name(summary: &Value) -> usize {
    let metrics = summary.get("metrics").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.len());
    let results =
        ["/results/metrics", "/results/checks/metrics"].into_iter().filter_map(|path| summary.pointer(path)?.as_array());
    let results = results.flatten().filter_map(|metric| metric.get("name")?.as_str()).map(str::len);
    metrics.chain(results).max().unwrap_or(0).max(summary.get("root_group").map_or(0, wire::longest_path))
}

fn long_name(source: &Source) -> Diagnostic {
    let message = format!("a metric's name or a group's path has more than {NAME_BYTES} bytes");
    Diagnostic::error("large-summary", message).at(masked_place(source, 0)).help("are names made of what was sent or received?")
}

/// What is kept of a summary, as JSON.
fn kept(source: &Source) -> Result<Value, Faults> {
    let made = |kept: Kept<'_>| {
        let member = |(name, part): (&str, &str)| Some((name.to_owned(), serde_json::from_str::<Value>(part).ok()?));
        kept.parts().map(member).collect::<Option<_>>().map(Value::Object)
    };
    match serde_json::from_str::<Kept<'_>>(source.text()).ok().and_then(made) {
        Some(value) => Ok(value),
        None => serde_json::from_str(source.text()).map_err(|error| syntax(source, &error).into()),
    }
}

/// Reads a JSON summary.
pub(super) fn read(source: &Source) -> Result<Summary, Faults> {
    if let Some(sizes) = sizes(source.text()).filter(|sizes| is_too_large(*sizes)) {
        return Err(too_large(source, sizes).into());
    }
    let kind = sniff(source.text());
    let value = kept(source)?;
    if longest_name(&value) > NAME_BYTES {
        return Err(long_name(source).into());
    }
    match kind {
        Some(SummaryKind::HandleSummary) => Ok(handle::read(&value)),
        Some(SummaryKind::MachineReadable) => Ok(machine::read(&value)),
        Some(SummaryKind::Export) => Ok(export::read(&value)),
        _ => Err(unknown(source).into()),
    }
}

/// The fault of JSON that is no summary of k6.
pub(super) fn unknown(source: &Source) -> Diagnostic {
    Diagnostic::error("unknown-json", "JSON, but no summary of k6")
        .at(masked_place(source, 0)
            .labelled("a summary has `metrics` with `root_group`, or `results` with `metadata`, at its top"))
        .help("give the file of --summary-export, the data of handleSummary(), or k6's text; raw samples (--out json) are no summary")
}

fn syntax(source: &Source, error: &serde_json::Error) -> Diagnostic {
    let cut = error.is_eof();
    let message = if cut { "the JSON is cut off".to_owned() } else { format!("broken JSON: {}", reason(error)) };
    let offset = offset(source.text(), error.line(), error.column());
    let help = if cut {
        "k6 writes this file at its very end: was it copied before, or k6 killed?"
    } else {
        "is this the file as k6 wrote it?"
    };
    Diagnostic::error("broken-json", message).at(masked_place(source, offset)).help(help)
}

/// The error without its own ` at line 1 column 2`.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// The byte offset of a 1-based line and column in bytes, moved onto a character.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut offset = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// A place in the text with the strings masked that may be secrets: what `setup()` returned, the script. A fault shows
/// its line, and a summary may be one line.
fn masked_place(source: &Source, offset: usize) -> Place {
    let text = source.text();
    let from = ["\"setup_data\"", "\"script\""].iter().filter_map(|key| text.find(key).map(|at| at + key.len())).min();
    let masked = match from {
        Some(from) => text[..from].to_owned() + &masked(&text[from..]),
        None => text.to_owned(),
    };
    let end = masked[offset..].chars().next().map_or(offset, |c| offset + c.len_utf8());
    Source::new(source.name(), masked).at(offset..end)
}

/// Every letter and digit as `*`, so that offsets stay: where a string is broken, what is inside and what outside of one can't be told.
fn masked(text: &str) -> String {
    let star = |c: char| if c.is_alphanumeric() { "*".repeat(c.len_utf8()) } else { c.to_string() };
    text.chars().map(star).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_summary_shows_its_place_and_no_secret() {
        let text = r#"{"metrics":{"d":{"avg":1}},"root_group":{},"setup_data":{"token":"eyJhbGciOiJI"}, "state" 5}"#;
        let source = Source::new("s.json", text);
        let faults = match read(&source) {
            Err(faults) => faults.to_string(),
            Ok(_) => unreachable!(),
        };
        assert!(!faults.contains("eyJ"), "{faults}");
        insta::assert_snapshot!(faults);
    }

    #[test]
    fn a_summary_of_more_than_any_run_has_is_refused_before_it_is_made() {
        let check = |at: usize| format!(r#""c{at}":{{"name":"c{at}","passes":1,"fails":0}}"#);
        let of = |checks: usize| {
            let checks: Vec<String> = (0..checks).map(check).collect();
            let group = format!(r#"{{"name":"","groups":{{}},"checks":{{{}}}}}"#, checks.join(","));
            let text = format!(r#"{{"metrics":{{"iterations":{{"count":20,"rate":1}}}},"root_group":{group}}}"#);
            Source::new("s.json", text)
        };
        assert_eq!(read(&of(9_000)).map(|summary| summary.checks.len()), Ok(9_000));
        let large = of(SUMMARY_OBJECTS);
        assert_eq!(sniff(large.text()), Some(SummaryKind::Export));
        let code = read(&large).err().map(|faults| faults.list()[0].code);
        assert_eq!(code, Some("large-summary"));
    }

    #[test]
    fn what_setup_returned_may_be_large() {
        let users = r#"{"id":1},"#.repeat(SUMMARY_OBJECTS);
        let setup = format!(r#""setup_data":[{users}0]"#);
        let text = format!(r#"{{"metrics":{{"iterations":{{"count":20,"rate":1}}}},"root_group":{{}},{setup}}}"#);
        assert!(read(&Source::new("s.json", text)).is_ok());
    }

    #[test]
    fn other_json_is_no_summary() {
        for text in [
            "{}",
            "[]",
            "{\"metrics\":5}",
            "{\"metrics\":{}}",
            "{\"type\":\"Metric\",\"data\":{}}\n{}",
            "{\"status\":\"success\",\"data\":{}}",
        ] {
            assert_eq!(sniff(text), None, "{text}");
        }
    }
}
