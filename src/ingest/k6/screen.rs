//! A log as a person sees it: lines without colours, cursor movements and time stamps of a CI system.

use crate::source::{Source, Span};

/// A line, and where it is in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// What is seen, blanks kept.
    pub(super) text: String,
    /// Its bytes in the source, without the line break.
    pub(super) at: Span,
    /// How it ends.
    pub(super) end: End,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A line feed, after any number of carriage returns.
    Feed,
    /// A lone carriage return: a redraw, or part of a name.
    Return,
    /// The end of the text.
    Text,
}

impl End {
    /// The break as it is written again.
    pub(super) fn text(self) -> &'static str {
        if self == Self::Return { "\r" } else { "\n" }
    }
}

impl Line {
    /// How many characters of white space it begins with.
    pub(super) fn indent(&self) -> usize {
        self.text.chars().take_while(|c| *c == ' ').count()
    }

    /// True exactly if nothing is seen.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// The lines of a source. A text that ends in a line break has no empty line behind it.
pub(super) fn lines(source: &Source) -> Vec<Line> {
    let mut found = split(source.text());
    let stamped = found.iter().filter(|line| stamp_length(&line.text).is_some()).count();
    if stamped > 3 && stamped * 10 >= found.len() * 9 {
        for line in &mut found {
            let cut = stamp_length(&line.text).unwrap_or(0);
            line.text.drain(..cut);
        }
    }
    found
}

fn split(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (end, count) = line_end(&rest[length..]);
        found.push(Line { text: seen(&rest[..length]), at: start..start + length, end });
        start += length;
        // Each lone return ends a line: the first this one, the others an empty one.
        let empty = if end == End::Return { start + 1..start + count } else { 0..0 };
        found.extend(empty.map(|at| Line { text: String::new(), at: at..at, end }));
        start += count;
    }
    found
}

/// The kind of the breaks that a text begins with, and their bytes.
fn line_end(rest: &str) -> (End, usize) {
    let returns = rest.bytes().take_while(|&b| b == b'\r').count();
    match rest.as_bytes().get(returns) {
        Some(b'\n') => (End::Feed, returns + 1),
        _ if returns > 0 => (End::Return, returns),
        _ => (End::Text, 0),
    }
}

/// The text without escape sequences (ECMA-48: CSI, OSC, two-character ones).
fn seen(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        rest = after_escape(&rest[at + 1..]);
    }
    out.push_str(rest);
    out
}

/// What follows an escape sequence whose ESC is already taken.
fn after_escape(rest: &str) -> &str {
    let mut chars = rest.char_indices();
    match chars.next() {
        Some((_, '[')) => chars.find(|(_, c)| ('@'..='~').contains(c)).map_or("", |(at, c)| &rest[at + c.len_utf8()..]),
        Some((_, ']')) => rest.find('\u{7}').map_or("", |at| &rest[at + 1..]),
        Some((_, c)) => &rest[c.len_utf8()..],
        None => "",
    }
}

/// The bytes of a time stamp that a CI system puts before every line: `2026-11-30T08:20:25.1234567Z `.
fn stamp_length(text: &str) -> Option<usize> {
    let (stamp, _) = text.split_once(' ').unwrap_or((text, ""));
    let digits = stamp.strip_suffix('Z')?;
    let shape = digits.bytes().enumerate().all(|(at, b)| match at {
        4 | 7 => b == b'-',
        10 => b == b'T',
        13 | 16 => b == b':',
        19 => b == b'.',
        _ => b.is_ascii_digit(),
    });
    (shape && digits.len() > 20).then(|| (stamp.len() + 1).min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(raw: &str) -> Vec<String> {
        lines(&Source::new("log", raw)).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn colours_and_cursor_escapes_are_not_seen() {
        assert_eq!(texts("\u{1b}[32m✓\u{1b}[0m a\u{1b}[0K\r\n\r\u{1b}[J\u{1b}[3Ab\u{1b}[K\r\n"), ["✓ a", "", "b"]);
        assert_eq!(texts("\u{1b}]0;title\u{7}x\u{1b}["), ["x"]);
    }

    #[test]
    fn a_lone_return_ends_a_line_and_is_remembered() {
        let found = lines(&Source::new("log", "a\rb\r\nc"));
        let ends: Vec<End> = found.iter().map(|line| line.end).collect();
        assert_eq!(ends, [End::Return, End::Feed, End::Text]);
        assert_eq!(found[1].at, 2..3);
    }

    #[test]
    fn returns_in_a_row_each_end_a_line_and_cost_no_more_than_letters() {
        let found = lines(&Source::new("log", "a\r\rb"));
        let seen: Vec<(&str, Span)> = found.iter().map(|line| (line.text.as_str(), line.at.clone())).collect();
        assert_eq!(seen, [("a", 0..1), ("", 2..2), ("b", 3..4)]);
        assert_eq!(lines(&Source::new("log", "\r".repeat(300_000))).len(), 300_000);
    }

    #[test]
    fn time_stamps_of_a_ci_system_go_where_all_lines_have_them() {
        let raw = "2026-11-30T08:20:25.1234567Z a\n".repeat(4);
        assert_eq!(texts(&raw), ["a", "a", "a", "a"]);
        assert_eq!(texts("2026-11-30T08:20:25.1234567Z a\nb\n"), ["2026-11-30T08:20:25.1234567Z a", "b"]);
    }
}
