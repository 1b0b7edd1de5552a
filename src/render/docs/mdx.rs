//! Text made safe for MDX 3, with the little Markdown that a record's texts may hold: links and code.
//!
//! What is escaped reads back as it was, in Markdown and in MDX: punctuation with a backslash, line breaks and tabs as
//! character references. Everything else (HTML, JSX, expressions, emphasis) stands there as text.

use std::fmt::Write as _;

use crate::render::markup::SCHEMES;

/// A text inside a table's cell.
pub(super) fn cell(text: &str) -> String {
    inline(text, "\\|")
}

/// A text as a heading.
pub(super) fn heading(text: &str) -> String {
    let body = inline(text, "|");
    // A `#` at the end would close the heading and vanish.
    match body.strip_suffix('#') {
        Some(head) => format!("{head}\\#"),
        None => body,
    }
}

/// A text as a paragraph of its own, which begins no list, heading, quote, table, import or export.
pub(super) fn paragraph(text: &str) -> String {
    let body = inline(text, "|");
    let word = |word: &str| body.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if word("import") || word("export") {
        let (first, rest) = body.split_at(1);
        return format!("&#{};{rest}", u32::from(first.chars().next().unwrap_or(' ')));
    }
    if body.starts_with(['#', '+', '-', '=', '>', ':']) {
        return format!("\\{body}");
    }
    let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match body.split_at_checked(digits) {
        Some((number, rest)) if digits > 0 && rest.starts_with(['.', ')']) => format!("{number}\\{rest}"),
        _ => body,
    }
}

/// A text without blocks; `bar` is how a `|` inside code is written.
fn inline(text: &str, bar: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.trim();
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let taken = code(rest, bar, &mut out).or_else(|| link(rest, &mut out)).unwrap_or_else(|| {
            let after = rest.chars().nth(1).unwrap_or(' ');
            escape(before, c, after, &mut out);
            c.len_utf8()
        });
        let (head, tail) = rest.split_at(taken);
        before = head.chars().next_back().unwrap_or(c);
        rest = tail;
    }
    out
}

/// A text as a value of YAML front matter: bare where nothing in it can be misread, else in double quotes.
pub(super) fn yaml(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '/' | '(' | ')' | '-' | '+');
    let word = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(&text.to_lowercase().as_str());
    let bare = text.starts_with(char::is_alphabetic) && text.chars().all(plain) && text.trim() == text && !word;
    if bare { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// A fence that no run of backticks in the text can close.
pub(super) fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).max(2) + 1)
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn escape(before: char, c: char, after: char, out: &mut String) {
    match c {
        '\\' | '`' | '*' | '{' | '}' | '[' | ']' | '<' | '|' | '~' | '&' => {
            out.push('\\');
            out.push(c);
        }
        // A `_` between letters opens no emphasis.
        '_' if !(before.is_alphanumeric() && after.is_alphanumeric()) => out.push_str("\\_"),
        '!' if after == '[' => out.push_str("\\!"),
        '\n' | '\r' | '\t' => reference(c, out),
        c if c.is_control() => out.push('\u{fffd}'),
        c => out.push(c),
    }
}

fn reference(c: char, out: &mut String) {
    let _ = write!(out, "&#{};", u32::from(c));
}

/// Code at the start of a text, if it is written in the one way that reads back the same; how many bytes it is.
fn code(text: &str, bar: &str, out: &mut String) -> Option<usize> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks == 0 {
        return None;
    }
    let close = closing(text.get(ticks..)?, ticks)?;
    let inner = text.get(ticks..ticks + close)?;
    let padded = inner.len() > 2 && inner.starts_with(" `") | inner.ends_with("` ");
    let code = if padded { inner.strip_prefix(' ')?.strip_suffix(' ')? } else { inner };
    let needs_pad = code.starts_with('`') || code.ends_with('`');
    let canonical = ticks == longest_run(code) + 1 && needs_pad == padded && !code.is_empty() && code.trim() == code;
    if !canonical || code.contains(|c: char| c.is_control() || c == '\\') {
        return None;
    }
    let fence = text.get(..ticks)?;
    let _ = write!(out, "{fence}{}{fence}", inner.replace('|', bar));
    Some(ticks * 2 + close)
}

/// Where a run of exactly that many backticks begins.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        let start = at + text.get(at..)?.find('`')?;
        let run = text.get(start..)?.len() - text.get(start..)?.trim_start_matches('`').len();
        if run == ticks {
            return Some(start);
        }
        at = start + run;
    }
}

/// A link at the start of a text, if it has an allowed scheme; how many bytes it is.
fn link(text: &str, out: &mut String) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let (label, rest) = inner.split_once("](")?;
    let (url, _) = rest.split_once(')')?;
    let fine = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$'+,;=%&".contains(c);
    let known = (url.starts_with('#') || SCHEMES.iter().any(|scheme| url.starts_with(scheme))) && url.chars().all(fine);
    if !known || label == url || label.trim() != label || label.contains(['[', ']', '`', '\n', '\r', '\\']) || label.is_empty() {
        return None;
    }
    let _ = write!(out, "[{}]({})", inline(label, "|"), url.replace('&', "&amp;"));
    Some(1 + label.len() + 2 + url.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(cell("a {b} <c/> | *d* _e_ f_g & `"), r"a \{b\} \<c/> \| \*d\* \_e\_ f_g \& \`");
        assert_eq!(cell("one\ntwo"), "one&#10;two");
        assert_eq!(cell("<!-- x -->"), r"\<!-- x -->");
    }

    #[test]
    fn links_and_code_stay() {
        assert_eq!(cell("see [the issue](https://a.b/c?d=1&e) now"), "see [the issue](https://a.b/c?d=1&amp;e) now");
        assert_eq!(cell("[x](javascript:alert)"), r"\[x\](javascript:alert)");
        assert_eq!(cell("`a | b` and ``c`d``"), r"`a \| b` and ``c`d``");
        assert_eq!(cell("[output](#k6-output)"), "[output](#k6-output)");
    }

    #[test]
    fn a_paragraph_begins_nothing_else() {
        assert_eq!(paragraph("import x from 'y'"), "&#105;mport x from 'y'");
        assert_eq!(paragraph("1. first"), r"1\. first");
        assert_eq!(paragraph("# no heading"), r"\# no heading");
        assert_eq!(paragraph("important"), "important");
    }

    #[test]
    fn front_matter_is_quoted_where_needed() {
        assert_eq!(yaml("user info benchmark of zitadel v4"), "user info benchmark of zitadel v4");
        assert_eq!(yaml("a: b # c"), r#""a: b # c""#);
        assert_eq!(yaml("true"), r#""true""#);
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("no ticks"), "```");
        assert_eq!(fence("a ```` b"), "`````");
    }
}
