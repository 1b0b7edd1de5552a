//! A statement's text without its literals: the same statement has the same text whatever its values, and no value is kept.
//!
//! Nothing here parses SQL. Sources cut texts (Query Insights after 1024 bytes, people in the middle with ` ... `), so a text
//! may end inside a string, or go on behind a gap in a place that nobody knows. Where it can't be told whether a quote opens or
//! closes, all that follows is one `?`: a shorter text is a loss, a literal that is kept is a leak.

mod literals;

use std::sync::LazyLock;

use regex::Regex;

use self::literals::{Literal, comment, literal};

/// A list of more than one literal.
static LISTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(in ?\(|array ?\[) ?\?(?: ?, ?\?)+ ?([)\]])").ok());

/// A statement's text in lower case, without comments, white space as one blank, without a `;` at its end, every literal (numbers,
/// strings, `$tag$` strings) and parameter (`$1`) as `?`; quoted identifiers as they are written. Normalising it again changes
/// nothing.
///
/// A list of literals, `in (?, ?, ?)` or `array[?, ?]`, becomes a list of one: PostgreSQL 18 keeps such lists as one parameter
/// and a comment, and the older versions one statement for each length; so all have one text. No rule of the names that pages use
/// looks into such a list.
#[must_use]
pub fn normalised(text: &str) -> String {
    let bare = without_literals(text);
    let bare = match LISTS.as_ref() {
        Some(lists) => lists.replace_all(&bare, "${1}?${2}").into_owned(),
        None => bare,
    };
    bare.trim_end_matches([' ', ';']).to_owned()
}

/// The first 16 hex digits of BLAKE3 of a normalised text: the same statement in two releases, where a server's own numbers differ.
#[must_use]
pub fn fingerprint(normalised: &str) -> String {
    blake3::hash(normalised.as_bytes()).to_hex().chars().take(16).collect()
}

fn without_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(left) = comment(rest) {
            blank(&mut out);
            rest = left;
        } else if first.is_whitespace() {
            blank(&mut out);
            rest = rest.trim_start();
        } else if let Some(length) = gap(&out, rest) {
            out.push_str("...");
            rest = &rest[length..];
            if rest.contains(['\'', '"']) || opens_dollar(rest) {
                out.push_str(" ?");
                break;
            }
        } else {
            match literal(rest) {
                Some(Literal::Ends(left)) => {
                    out.push('?');
                    rest = left;
                }
                Some(Literal::Unknown) => {
                    out.push('?');
                    break;
                }
                None => rest = copied(&mut out, rest),
            }
        }
    }
    out
}

/// One blank, never at the beginning and never two.
fn blank(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

/// The length of the mark that something was left out here: three dots between blanks, or one sign.
fn gap(out: &str, rest: &str) -> Option<usize> {
    if rest.starts_with('…') {
        return Some('…'.len_utf8());
    }
    let after = rest.strip_prefix("...")?;
    let apart = (out.is_empty() || out.ends_with(' ')) && after.chars().next().is_none_or(char::is_whitespace);
    apart.then_some(3)
}

/// Whether somewhere a `$tag$` may open or close.
fn opens_dollar(text: &str) -> bool {
    text.match_indices('$').any(|(at, _)| literals::dollar_tag(&text[at..]).is_some())
}

/// Copies an identifier or one sign; what is left.
fn copied<'a>(out: &mut String, rest: &'a str) -> &'a str {
    let length = match rest.chars().next() {
        Some('"') => quoted(rest),
        Some(c) if literals::in_word(c) => rest.find(|c| !literals::in_word(c)).unwrap_or(rest.len()),
        Some(c) => c.len_utf8(),
        None => 0,
    };
    let (token, left) = rest.split_at(length);
    if token.starts_with('"') {
        out.push_str(token);
    } else {
        out.push_str(&token.to_ascii_lowercase());
    }
    left
}

/// The length of a quoted identifier; one that something was left out of ends there, and one that was cut at the end of the text.
fn quoted(rest: &str) -> usize {
    let gap = [" ...", "…"].iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
    let mut from = 1;
    while let Some(at) = rest.get(from..gap).and_then(|text| text.find('"')) {
        from += at + 1;
        if !rest[from..].starts_with('"') {
            return from;
        }
        from += 1;
    }
    gap
}

#[cfg(test)]
mod tests;
