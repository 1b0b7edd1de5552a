//! Secrets that are known by the name before them: `password=x`, `"client_secret": "x"`, `token: x`, in texts, addresses, JSON.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A name that ends in a word for a secret, and what stands between it and the value. What is before that word does not matter.
const NAME: &str = concat!(
    r"(?i)(password|passwd|passphrase|pwd|token|secret|credentials?|masterkey",
    r"|(?:api|private|master|access|secret|encryption|signing|account)[_-]?key)",
    r"(\\*[\x22'`]?\s*(?:=>|:=|[:=]|%3d)\s*)",
);

static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NAME).ok());

/// The fewest characters of a secret.
const LEAST: usize = 4;

/// Values that are no secret, whatever their name.
const WORDS: [&str; 21] = [
    "true",
    "false",
    "null",
    "none",
    "undefined",
    "empty",
    "string",
    "text",
    "required",
    "optional",
    "redacted",
    "masked",
    "hidden",
    "bearer",
    "basic",
    "default",
    "latest",
    "boolean",
    "integer",
    "read",
    "write",
];

/// Where values of secret names are.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let Some(pair) = PAIR.as_ref() else { return Vec::new() };
    let found = pair.captures_iter(text).filter_map(|caught| {
        let (name, between) = (caught.get(1)?, caught.get(2)?);
        // `token::userinfo` is a path of groups, `secret::text` a cast.
        if between.as_str().ends_with(':') && text[between.end()..].starts_with(':') {
            return None;
        }
        let length = value(&text[between.end()..], between.as_str());
        let (skipped, value) = (length.start, &text[between.end()..][length.clone()]);
        let start = between.end() + skipped;
        is_secret(value, name.as_str()).then_some(start..start + value.len())
    });
    found.collect()
}

/// Where the value is at the beginning of a text, without its quotes.
fn value(text: &str, between: &str) -> Range<usize> {
    let slashes = text.len() - text.trim_start_matches('\\').len();
    match text[slashes..].chars().next() {
        Some(quote @ ('"' | '\'' | '`')) => {
            let start = slashes + 1;
            start..start + quoted(&text[start..], quote, slashes > 0)
        }
        _ => 0..bare(text, between),
    }
}

/// The length of a text in quotes; one that was cut goes to the end of its line. Inside another text its quotes have a backslash.
fn quoted(text: &str, quote: char, is_inside: bool) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return at,
            '\\' if is_inside && text[at..].trim_start_matches('\\').starts_with(quote) => return at,
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            _ if c == quote && !escaped => return at,
            _ => {}
        }
        escaped = false;
    }
    text.len()
}

/// The length of a value without quotes: up to a blank or what parts pairs. Behind `: ` a plain word, or a change like `+25`, with other words after it is a
/// sentence and no value.
fn bare(text: &str, between: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, '&' | '"' | '\'' | '`' | '<' | '>' | '|');
    let end = text.find(ends).unwrap_or(text.len());
    let length = parted(&text[..end]);
    let line = text[length..].lines().next().unwrap_or_default().trim_start_matches([',', ';', ')', ']', '}', '.']).trim();
    let next = line.split_whitespace().next().unwrap_or_default();
    let is_sentence = between.contains(": ") && !next.is_empty() && !next.starts_with('#') && !next.contains(['=', ':']);
    let word = text[..length].trim_start_matches(['+', '-']);
    let is_change = word.len() < length && !word.contains(char::is_alphabetic);
    let is_word = is_change || word.chars().all(char::is_alphabetic);
    if is_sentence && is_word { 0 } else { length }
}

/// The length up to a sign that parts pairs, if another pair or nothing follows it: passwords hold such signs as well.
fn parted(value: &str) -> usize {
    let value = value.trim_end_matches('\\');
    let is_end = |at: usize| {
        let rest = value[at..].trim_start_matches([',', ';', ')', ']', '}']);
        let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        rest.is_empty() || name.len() < rest.len() && name.starts_with(['=', ':'])
    };
    value.match_indices([',', ';', ')', ']', '}']).map(|(at, _)| at).find(|at| is_end(*at)).unwrap_or(value.len())
}

fn is_secret(value: &str, name: &str) -> bool {
    let is_long = value.chars().count() >= LEAST;
    let is_known = WORDS.iter().any(|word| value.eq_ignore_ascii_case(word));
    is_long && !is_known && !is_place(value) && !is_column(value, name)
}

/// Whether a value only says where the secret will be: `$PASSWORD`, `${{ secrets.x }}`, `<token>`, `{{ token }}`, `%s`, `...`.
fn is_place(value: &str) -> bool {
    let variable = value.strip_prefix('$').unwrap_or_default().trim_matches(['{', '}', '(', ')']);
    let is_variable = !variable.is_empty() && variable.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_within = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    is_variable
        || is_within("<", ">")
        || is_within("{{", "}}")
        || is_within("${{", "}}")
        || value.chars().all(|c| matches!(c, '.' | '?' | '$' | '*' | '•' | '…' | '-' | '_'))
}

/// Whether a value is a column of the same name: `set password = excluded.password`.
fn is_column(value: &str, name: &str) -> bool {
    let is_named = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    value.rsplit_once('.').is_some_and(|(table, column)| is_named(table) && is_named(column) && ends_alike(column, name))
}

fn ends_alike(column: &str, name: &str) -> bool {
    column.to_lowercase().ends_with(&name.to_lowercase())
}
