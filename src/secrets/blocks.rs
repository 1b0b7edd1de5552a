//! Secrets that are known by the block they stand in: all values of a Secret, the private parts of a key, what a set-up returned.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// How far what a set-up returned is looked into.
const REACH: usize = 1 << 20;
/// How far a smaller block is.
const NEAR: usize = 1 << 12;

/// What `setup()` returned: all of it, if it is something.
pub(super) fn setup_data(text: &str, at: usize) -> Vec<Range<usize>> {
    let Some(start) = behind(text, at + "setup_data".len()) else { return Vec::new() };
    let end = start + value(&text[start..text.floor_char_boundary(start + REACH)]);
    let is_something =
        text[start..end].contains(|c: char| c.is_alphanumeric()) && !["null", "true", "false"].contains(&&text[start..end]);
    is_something.then_some(start..end).into_iter().collect()
}

/// The place of the script in k6's own configuration.
pub(super) fn config_script(text: &str, at: usize) -> Vec<Range<usize>> {
    let before = &text[text.floor_char_boundary(at.saturating_sub(600))..at];
    let is_inside = before.rfind("\"config\"").is_some_and(|config| !before[config..].contains('}'));
    let start = behind(text, at + "\"script\"".len()).filter(|start| is_inside && text[*start..].starts_with('"'));
    start.map(|start| inside(text, start)).filter(|span| !span.is_empty()).into_iter().collect()
}

/// The values of variables in an object.
pub(super) fn script_env(text: &str, at: usize) -> Vec<Range<usize>> {
    let start = behind(text, at + "\"env\"".len()).filter(|start| text[*start..].starts_with('{') && !again(text, at, "\"env\""));
    start.map(|start| values(text, start)).unwrap_or_default()
}

/// Cookies that were sent: all of the header.
pub(super) fn cookies(text: &str, at: usize) -> Vec<Range<usize>> {
    static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?i:cookies?)\\*[\x22']?\s*[:=]\s*\[?\s*\\*[\x22']?([A-Za-z0-9_.!#$%&*+^`|~-]+=[^\r\n\x22'<>\\]{4,})").ok()
    });
    if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return Vec::new();
    }
    let part = &text[at..text.floor_char_boundary(at + NEAR)];
    let caught = HEADER.as_ref().and_then(|header| header.captures(part)).and_then(|caught| caught.get(1));
    caught.map(|header| at + header.start()..at + header.end()).into_iter().collect()
}

/// The cookies of an answer, as k6 has them.
pub(super) fn cookie_jar(text: &str, at: usize) -> Vec<Range<usize>> {
    let start = behind(text, at + "\"cookies\"".len()).filter(|start| text[*start..].starts_with('{'));
    let jar = |start: usize| {
        let jar = &text[start..start + value(&text[start..text.floor_char_boundary(start + NEAR)])];
        let named = jar.match_indices("\"value\"").map(|(at, word)| start + at + word.len());
        let texts =
            named.filter_map(|end| behind(text, end)).filter(|at| text[*at..].starts_with('"')).map(|at| inside(text, at));
        texts.collect()
    };
    start.map(jar).unwrap_or_default()
}

/// The private parts of a key as JSON.
pub(super) fn jwk(text: &str, at: usize) -> Vec<Range<usize>> {
    const PRIVATE: [&str; 7] = ["\"d\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"k\""];
    if again(text, at, "\"kty\"") {
        return Vec::new();
    }
    let start = text[text.floor_char_boundary(at.saturating_sub(NEAR))..at]
        .rfind('{')
        .map_or(at, |open| text.floor_char_boundary(at.saturating_sub(NEAR)) + open);
    let end = start + value(&text[start..text.floor_char_boundary(start + NEAR)]);
    let parts = PRIVATE.iter().flat_map(|name| {
        let places = text[start..end].match_indices(name).map(|(at, _)| start + at + name.len());
        places.filter_map(|end| behind(text, end)).filter(|at| text[*at..].starts_with('"')).map(|at| inside(text, at))
    });
    parts.filter(|span| span.len() >= 8).collect()
}

/// The values of a Secret of Kubernetes, in YAML or JSON.
pub(super) fn kubernetes(text: &str, at: usize) -> Vec<Range<usize>> {
    static HEAD: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?i:kind)\x22?\s*:\s*\x22?Secret\x22?\s*(?:[,}\r\n]|$)").ok());
    let part = &text[at..text.floor_char_boundary(at + 64)];
    if !HEAD.as_ref().is_some_and(|head| head.is_match(part)) {
        return Vec::new();
    }
    // Another one just before it, in the same document, has seen to all of it.
    let before = &text[text.floor_char_boundary(at.saturating_sub(NEAR / 4))..at];
    let before = before.rsplit("\n---").next().unwrap_or(before);
    if before.contains("kind: Secret") || before.contains("\"kind\":\"Secret\"") {
        return Vec::new();
    }
    let from = text.floor_char_boundary(at.saturating_sub(NEAR * 4));
    let to = text.floor_char_boundary(at + NEAR * 16);
    let first = text[from..at].rfind("\n---").map_or(from, |at| from + at);
    let last = text[at..to].find("\n---").map_or(to, |end| at + end);
    let mut spans = Vec::new();
    for name in ["data", "stringData"] {
        for (place, _) in text[first..last].match_indices(name) {
            let (start, end) = (first + place, first + place + name.len());
            if text[..start].ends_with('"') {
                let object = behind(text, end).filter(|start| text[*start..].starts_with('{'));
                spans.extend(object.map(|start| values(text, start)).unwrap_or_default());
            } else if text[..start].chars().rev().find(|c| *c != ' ').is_none_or(|c| c == '\n') {
                spans.extend(indented(&text[..last], start));
            }
        }
    }
    spans
}

/// The values of the lines below a name in YAML, as far as they are indented deeper.
fn indented(text: &str, name: usize) -> Vec<Range<usize>> {
    let depth = name - text[..name].rfind('\n').map_or(0, |at| at + 1);
    let Some(first) = text[name..].find('\n').map(|end| name + end + 1) else { return Vec::new() };
    if !text[name..first].trim_end().ends_with(':') {
        return Vec::new();
    }
    let (mut spans, mut start) = (Vec::new(), first);
    for line in text[first..].split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if !line.trim().is_empty() && indent <= depth {
            break;
        }
        // A line without a name goes on with the value before it.
        let from = line.find(": ").map_or(if line.trim_end().ends_with(':') { line.len() } else { indent }, |at| at + 2);
        let value = line[from..].trim().trim_matches(['"', '\'']);
        if value.len() >= 2 && !matches!(value, "|-" | ">-") {
            let at = start + from + line[from..].find(value).unwrap_or_default();
            spans.push(at..at + value.len());
        }
        start += line.len();
    }
    spans
}

/// Whether the same word stands just before: no real block is that short, and one that is looked into for each would take for ever.
fn again(text: &str, at: usize, word: &str) -> bool {
    text[text.floor_char_boundary(at.saturating_sub(NEAR / 64))..at].contains(word)
}

/// Where a value begins behind the end of its name, if it is one's name.
fn behind(text: &str, end: usize) -> Option<usize> {
    let rest = text[end..].trim_start_matches('\\').trim_start_matches(['"', '\'']).trim_start();
    let rest = rest.strip_prefix([':', '='])?.trim_start();
    (!rest.is_empty()).then(|| text.len() - rest.len())
}

/// What is inside the quotes of a text that begins at a place.
fn inside(text: &str, start: usize) -> Range<usize> {
    let length = value(&text[start..text.floor_char_boundary(start + NEAR * 4)]);
    let quoted = &text[start..start + length];
    let is_closed = length > 1 && quoted.ends_with('"');
    start + 1..start + length - usize::from(is_closed)
}

/// The texts that are values of an object, at any depth.
fn values(text: &str, start: usize) -> Vec<Range<usize>> {
    let end = start + value(&text[start..text.floor_char_boundary(start + NEAR * 4)]);
    let (mut spans, mut at) = (Vec::new(), start);
    while let Some(quote) = text[at..end].find('"').map(|quote| at + quote) {
        let span = inside(text, quote);
        at = (span.end + 1).min(end);
        let is_name = text[at..end].trim_start().starts_with(':');
        if !is_name && span.len() >= 2 {
            spans.push(span);
        }
    }
    spans
}

/// The length of a JSON value at the beginning of a text; of one that was cut, all that is left.
fn value(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                quoted = !quoted;
                if !quoted && depth == 0 {
                    return at + 1;
                }
            }
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' | b'\n' | b'\r' | b' ' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}
