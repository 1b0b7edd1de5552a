//! What a text begins with, told by the first names in it without reading it all.

use serde::de::IgnoredAny;

use super::answer::BESIDE;
use super::node::is_spelling;

/// Fields that tell an answer of the API.
const TELLING: [&str; 4] = ["timeSeries", "timeSeriesDescriptor", "timeSeriesData", "metricDescriptors"];

/// Fields of a single series, as the client library for Python writes one.
const SERIES: [&str; 8] = ["metric", "resource", "metricKind", "valueType", "points", "unit", "metadata", "description"];

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Something of the API.
    Ours,
    /// An answer without data: nothing in it that tells.
    Empty,
    /// Something else.
    Other,
}

/// Whether a text begins as an answer of the API does, or as a list of them.
pub(super) fn is_answer(text: &str) -> bool {
    let mut rest = text.trim_start();
    let in_list = rest.starts_with('[');
    loop {
        rest = inside(rest);
        match object(rest) {
            (Seen::Ours, _) => return true,
            (Seen::Other, _) => return false,
            (Seen::Empty, behind) if in_list => match behind.trim_start().strip_prefix(',') {
                Some(next) => rest = next.trim_start(),
                None => return true,
            },
            // Other programs write `{}` too, and something behind it.
            (Seen::Empty, behind) => return behind.trim_start().starts_with('{') || behind.trim_start().is_empty(),
        }
    }
}

/// A text without the brackets of lists at its beginning: an error of a streamed answer comes in a list, and so may the pages of
/// a script.
fn inside(mut text: &str) -> &str {
    while let Some(inner) = text.strip_prefix('[').map(str::trim_start).filter(|inner| inner.starts_with(['[', '{'])) {
        text = inner;
    }
    text
}

/// What an object at the beginning of a text is, and what follows an empty one.
fn object(text: &str) -> (Seen, &str) {
    let Some(mut rest) = text.strip_prefix('{').map(str::trim_start) else { return (Seen::Other, text) };
    let mut names: Vec<String> = Vec::new();
    // Other fields may stand before the one that tells: `jq -S` puts them in the order of their names.
    while !rest.starts_with('}') {
        let Some((name, value)) = name(rest) else { return (Seen::Other, rest) };
        if let Some(seen) = told(&name, value, &names) {
            return (seen, rest);
        }
        let Some(behind) = skip(value) else { return (Seen::Other, rest) };
        names.push(name);
        rest = behind.strip_prefix(',').unwrap_or(behind).trim_start();
    }
    let is_empty = names.iter().all(|name| is_one_of(name, &BESIDE));
    let is_series = ["points", "metric"].iter().all(|field| names.iter().any(|name| name == field));
    let seen = if is_empty {
        Seen::Empty
    } else if is_series {
        Seen::Ours
    } else {
        Seen::Other
    };
    (seen, rest.get(1..).unwrap_or_default())
}

/// What a field tells of its object; `None` if one must look on.
fn told(name: &str, value: &str, before: &[String]) -> Option<Seen> {
    if is_one_of(name, &TELLING) {
        return Some(Seen::Ours);
    }
    if name == "error" {
        return Some(if is_error(value) { Seen::Ours } else { Seen::Other });
    }
    let has_kind = || before.iter().any(|name| is_one_of(name, &["metricKind", "valueType", "resource"]));
    if name == "points" && has_kind() {
        return Some(Seen::Ours);
    }
    (!is_one_of(name, &BESIDE) && !is_one_of(name, &SERIES)).then_some(Seen::Other)
}

/// Whether an object is the body of an error, which is short.
fn is_error(text: &str) -> bool {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Map<String, serde_json::Value>>();
    let Some(Ok(error)) = stream.next() else { return false };
    error.contains_key("code") && (error.contains_key("message") || error.contains_key("status"))
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|one| is_spelling(name, one))
}

/// The name of a field and what follows its colon.
fn name(text: &str) -> Option<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let name = stream.next()?.ok()?;
    let behind = text.get(stream.byte_offset()..)?.trim_start().strip_prefix(':')?;
    Some((name, behind.trim_start()))
}

/// What follows a value.
fn skip(text: &str) -> Option<&str> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    stream.next()?.ok()?;
    text.get(stream.byte_offset()..).map(str::trim_start)
}
