//! Secrets that are known by their own shape, whatever stands before them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// How a kind of secret is found: the last group of the pattern is the secret, if the test says so.
struct Shape {
    pattern: Regex,
    is_secret: Test,
}

/// Whether what a pattern caught is a secret.
type Test = fn(&str) -> bool;

/// Patterns and tests. The prefixes are those that the services document for their own secret scanners.
const PATTERNS: [(&str, Test); 10] = [
    // A signed or encrypted token; one that was cut behind its second part as well.
    (r"(eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3})", always),
    (r"(?i)authorization\\*[\x22']?\s*[:=]\s*\\*[\x22']?(?:bearer|basic|digest|token)\s+([A-Za-z0-9._~+/=-]{4,})", always),
    (r"(?i)\b(?:bearer|basic)(?:\s+|%20|\+)([A-Za-z0-9._~+/=-]{4,})", is_no_word),
    (r"://[^\s/?#:@\x22'<>]*:([^\s\x22'<>]+)@", is_no_port),
    // An address that was cut behind its password: what is no port.
    (r"://[^\s/?#:@\[\x22'<>{}$]*:([^\s\x22'<>@/?#{}$\[\](),;\x00-\x1f]{4,})", is_no_number),
    // The text of a statement or a setting in JSON: anything may stand in a comment.
    (r"\x22(?:querystring|query|setting|boot_val|reset_val)\x22\s*:\s*\x22((?:[^\x22\\]|\\.)+)", always),
    (r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(.*?)(?:-----END|\z)", always),
    (r"\b((?:AIza[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{10,}|gh[pousr]_[A-Za-z0-9]{10,}|github_pat_[A-Za-z0-9_]{10,}))", always),
    (r"\b((?:glpat-[A-Za-z0-9_-]{8,}|xox[a-z]-[A-Za-z0-9-]{8,}|(?:AKIA|ASIA)[A-Z0-9]{12,}))", always),
    (r"\b(sk-[A-Za-z0-9_-]{16,})", has_digit),
];

static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    // A test reads them.
    let shape = |(pattern, is_secret): &(&str, Test)| Some(Shape { pattern: Regex::new(pattern).ok()?, is_secret: *is_secret });
    PATTERNS.iter().filter_map(shape).collect()
});

/// Where secrets of a known shape are.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let of_shape = |shape: &'static Shape| {
        let secrets = shape.pattern.captures_iter(text).filter_map(|caught| caught.get(1));
        secrets.filter(|secret| (shape.is_secret)(secret.as_str())).map(|secret| secret.range()).collect::<Vec<_>>()
    };
    SHAPES.iter().flat_map(of_shape).collect()
}

fn always(_: &str) -> bool {
    true
}

fn has_digit(secret: &str) -> bool {
    secret.contains(|c: char| c.is_ascii_digit())
}

/// Whether what follows `Bearer` is more than a word of a sentence: "bearer token", "Basic authentication/login".
fn is_no_word(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '/', '=', '-']);
    let is_word = |word: &str| {
        let rest = word.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(word);
        rest.chars().all(|c| c.is_ascii_lowercase()) || word.chars().all(|c| c.is_ascii_uppercase())
    };
    value.len() >= 4 && (value.len() > 24 || !value.split(['.', '/', '-', '_', '=']).all(is_word))
}

/// Whether what follows the first `:` of an address is no port with a path that holds an `@`.
fn is_no_number(value: &str) -> bool {
    value.contains(|c: char| !c.is_ascii_digit())
}

fn is_no_port(value: &str) -> bool {
    let digits = value.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() == value.len() || !digits.starts_with(['/', '?', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_are_read() {
        assert_eq!(SHAPES.len(), PATTERNS.len());
    }
}
