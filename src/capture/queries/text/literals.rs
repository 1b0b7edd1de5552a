//! What in a text is a comment and what a literal, by the first signs of the rest of a text. The lexical rules are PostgreSQL's
//! (documentation, "Lexical Structure"); where they allow two readings, the one that hides more is taken.

/// A literal at the beginning of a text.
pub(super) enum Literal<'a> {
    /// It ends; what is left.
    Ends(&'a str),
    /// Where it ends can't be told: the text was cut in it, or something was left out of it.
    Unknown,
}

/// Letters of an identifier or keyword behind its first one. `$` may be one too, but a text that was cut may hold anything.
pub(super) fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() && !c.is_whitespace() && c != '…'
}

/// What is left behind a comment at the beginning of a text: `--` to the end of the line, `/* */` with others inside. One that
/// does not end goes to the end of the text.
pub(super) fn comment(rest: &str) -> Option<&str> {
    if rest.starts_with("--") {
        return Some(rest.find(['\n', '\r']).map_or("", |at| &rest[at..]));
    }
    let mut left = rest.strip_prefix("/*")?;
    let mut depth = 1;
    while depth > 0 {
        let Some(at) = left.find(['/', '*']) else { return Some("") };
        left = &left[at..];
        if let Some(inner) = left.strip_prefix("/*") {
            (left, depth) = (inner, depth + 1);
        } else if let Some(outer) = left.strip_prefix("*/") {
            (left, depth) = (outer, depth - 1);
        } else {
            left = &left[1..];
        }
    }
    Some(left)
}

/// The literal at the beginning of a text, if there is one.
pub(super) fn literal(rest: &str) -> Option<Literal<'_>> {
    let first = rest.chars().next()?;
    match first {
        '\'' => Some(string(&rest[1..], false)),
        'e' | 'E' | 'b' | 'B' | 'x' | 'X' | 'n' | 'N' if rest[1..].starts_with('\'') => {
            Some(string(&rest[2..], matches!(first, 'e' | 'E')))
        }
        'u' | 'U' if rest[1..].starts_with("&'") => Some(string(&rest[3..], false)),
        '$' => Some(dollar(rest)),
        '0'..='9' => Some(number(rest)),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => Some(number(rest)),
        _ => None,
    }
}

/// A string behind its first quote.
fn string(body: &str, escapes: bool) -> Literal<'_> {
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if escapes => _ = chars.next(),
            // Servers of old settings read this as a quote inside the string, others as its end.
            '\\' if body[at + 1..].starts_with('\'') => return Literal::Unknown,
            '\'' if body[at + 1..].starts_with('\'') => _ = chars.next(),
            '\'' => return Literal::Ends(&body[at + 1..]),
            '…' => return Literal::Unknown,
            ' ' if body[at..].starts_with(" ...") => return Literal::Unknown,
            _ => {}
        }
    }
    Literal::Unknown
}

/// The tag at the beginning of a text, `$body$` or `$$`.
pub(super) fn dollar_tag(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix('$')?;
    let end = inner.find(|c| !in_word(c)).filter(|at| inner[*at..].starts_with('$'))?;
    let named = !inner.starts_with(|c: char| c.is_ascii_digit());
    named.then_some(&rest[..end + 2])
}

/// A string between two tags, or a parameter.
fn dollar(rest: &str) -> Literal<'_> {
    let Some(tag) = dollar_tag(rest) else {
        let body = &rest[1..];
        return Literal::Ends(body.trim_start_matches(in_word));
    };
    let body = &rest[tag.len()..];
    match body.find(tag) {
        // What was left out may have held the end of this string and the beginning of another.
        Some(end) if !body[..end].contains(" ...") && !body[..end].contains('…') => Literal::Ends(&body[end + tag.len()..]),
        _ => Literal::Unknown,
    }
}

/// A number and all letters that hang on it: `1.5e-10`, `0x1f`, `1_000`, `.5`.
fn number(rest: &str) -> Literal<'_> {
    let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
    let mut left = rest;
    loop {
        left = left.trim_start_matches(|c| in_word(c) || c == '.');
        let exponent = !is_hex && rest[..rest.len() - left.len()].ends_with(['e', 'E']);
        match left.strip_prefix(['+', '-']) {
            Some(digits) if exponent && digits.starts_with(|c: char| c.is_ascii_digit()) => left = digits,
            _ => return Literal::Ends(left),
        }
    }
}
