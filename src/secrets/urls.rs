//! Secrets inside addresses, and in lines that name a place with a password.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// The longest authority of an address that is looked at.
const LONGEST: usize = 1024;

/// The password of an address of http.
pub(super) fn of_http(text: &str, at: usize) -> Vec<Range<usize>> {
    if is_http(text, at) { password(text, at) } else { Vec::new() }
}

/// The password of an address of another scheme.
pub(super) fn of_other_schemes(text: &str, at: usize) -> Vec<Range<usize>> {
    if is_http(text, at) { Vec::new() } else { password(text, at) }
}

fn is_http(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    let ends = |scheme: &[u8]| before.len() >= scheme.len() && before[before.len() - scheme.len()..].eq_ignore_ascii_case(scheme);
    ends(b"http") || ends(b"https")
}

/// The password between the first `:` and the last `@` of an address whose `://` is at a place; of one that was cut behind its password,
/// what is no port.
fn password(text: &str, at: usize) -> Vec<Range<usize>> {
    let start = at + 3;
    let part = &text[start..text.floor_char_boundary(start + LONGEST)];
    let run = &part[..part.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>')).unwrap_or(part.len())];
    let Some(colon) = run.find(['/', '?', '#', '@', ':']).filter(|at| run[*at..].starts_with(':') && !run.starts_with('['))
    else {
        return Vec::new();
    };
    let behind = &run[colon + 1..];
    let length = match behind.rfind('@').filter(|end| *end > 0 && is_no_port(&behind[..=*end])) {
        Some(end) => end,
        None => cut(&run[..colon], behind),
    };
    let from = start + colon + 1;
    (length > 0).then_some(from..from + length).into_iter().collect()
}

/// The length of a password that was cut, or whose `@` was: what is no port.
fn cut(user: &str, behind: &str) -> usize {
    let is_end = |c: char| {
        matches!(c, '@' | '/' | '?' | '#' | '{' | '}' | '$' | '(' | ')' | '[' | ']' | ',' | ';' | '\\') || c.is_control()
    };
    let password = &behind[..behind.find(is_end).unwrap_or(behind.len())];
    let is_place = user.contains(['{', '}', '$', '[', '(']);
    let is_port = password.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ':'));
    if is_place || is_port || password.chars().count() < 4 { 0 } else { password.len() }
}

/// Whether what follows the first `:` of an address is no port with a path that holds an `@`.
fn is_no_port(value: &str) -> bool {
    let digits = value.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() == value.len() || !digits.starts_with(['/', '?', '#'])
}

/// The signature of Azure, which has a version, an end or a resource beside it.
pub(super) fn shared_access(text: &str, at: usize) -> Vec<Range<usize>> {
    let is_parameter = text[..at].is_empty() || text[..at].ends_with(['?', '&', ';', '"', '\'', ' ']);
    let around = &text[text.floor_char_boundary(at.saturating_sub(512))..text.floor_char_boundary(at + 512)];
    let has_others = ["sv=", "se=", "sr=", "skoid="].iter().any(|name| around.contains(name));
    let value = letters(text, at + 4, |c| c.is_ascii_alphanumeric() || matches!(c, '%' | '+' | '/' | '=' | '-' | '_'));
    if is_parameter && has_others && value.len() >= 8 { vec![value] } else { Vec::new() }
}

/// The code that is exchanged for a token: long, and of letters and digits.
pub(super) fn code(text: &str, at: usize) -> Vec<Range<usize>> {
    let at = if text[at..].starts_with(['?', '&']) { at + 1 } else { at };
    let rest = &text[at..];
    let name =
        ["code=", "code\":"].iter().find(|name| rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)));
    let before = text[..at].chars().next_back();
    let is_name = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-')
        || ["device_", "auth_", "authorization_"].iter().any(|word| text[..at].ends_with(word));
    let Some(name) = name.filter(|_| is_name) else { return Vec::new() };
    let value = letters(text, at + name.len(), |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '-' | '%'));
    let secret = &text[value.clone()];
    let is_mixed = secret.contains(|c: char| c.is_ascii_digit()) && secret.contains(|c: char| c.is_ascii_alphabetic());
    if secret.len() >= 16 && is_mixed { vec![value] } else { Vec::new() }
}

/// The password of a line `host:5432:database:user:password`.
pub(super) fn pgpass(text: &str, at: usize) -> Vec<Range<usize>> {
    let from = text.floor_char_boundary(at.saturating_sub(256));
    let Some(start) = text[from..at].rfind('\n').map(|at| from + at + 1).or((from == 0).then_some(0)) else { return Vec::new() };
    let part = &text[at..text.floor_char_boundary(at + LONGEST)];
    let end = at + part.find(['\n', '"', '\'', '<', '|']).unwrap_or(part.len());
    let line = text[start..end].trim_end();
    let host = &text[start..at];
    let is_host = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '*'));
    if line.len() > LONGEST || !is_host || line.contains(char::is_whitespace) {
        return Vec::new();
    }
    let mut colons = line.match_indices(':').map(|(at, _)| at).skip(3);
    let Some(last) = colons.next() else { return Vec::new() };
    (line.len() > last + 4).then_some(start + last + 1..start + line.len()).into_iter().collect()
}

fn letters(text: &str, start: usize, is_one: impl Fn(char) -> bool) -> Range<usize> {
    let rest = &text[start..text.floor_char_boundary(start + LONGEST)];
    start..start + rest.find(|c| !is_one(c)).unwrap_or(rest.len())
}

/// A signed or encrypted token; one that was cut behind its second part as well.
pub(super) fn signed(text: &str, at: usize) -> Vec<Range<usize>> {
    static TOKEN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}").ok());
    // Inside a run that began with the same letters nothing else is found than from its beginning on.
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let before = &text[text.floor_char_boundary(at.saturating_sub(64))..at];
    if before.rsplit(|c| !is_letter(c)).next().is_some_and(|run| run.contains("eyJ")) {
        return Vec::new();
    }
    let part = &text[at..text.floor_char_boundary(at + (1 << 14))];
    let token = TOKEN.as_ref().filter(|_| part.starts_with("eyJ")).and_then(|token| token.find(part));
    token.map(|token| at..at + token.end()).into_iter().collect()
}
