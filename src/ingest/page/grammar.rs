//! Reading what is known from the start of a text, and keeping the rest.

use std::sync::LazyLock;

use regex::Regex;

use super::sheet::Cell;
use crate::model::units::ungrouped;

/// A regular expression that is compiled once.
macro_rules! pattern {
    ($($(#[$doc:meta])* $name:ident = $re:expr;)+) => {
        $($(#[$doc])* pub(super) static $name: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            $crate::ingest::page::grammar::compiled($re)
        });)+
    };
}
pub(super) use pattern;

/// Compiles a pattern of this program; a test compiles them all.
pub(super) fn compiled(pattern: &str) -> Regex {
    // `~N`, `~R`, `~T` stand for a number, a share and a time, as people write them.
    let pattern = pattern
        .replace("~N", r"[0-9](?:[0-9,]*[0-9])?(?:\.[0-9]+)?")
        .replace("~R", r"[0-9](?:[0-9,]*[0-9])?(?:\.[0-9]+)?\s?%")
        .replace("~T", r"(?:[0-9](?:[0-9,]*[0-9])?(?:\.[0-9]+)?\s?(?:ns|us|µs|μs|ms|min|s|m|h))+\b");
    Regex::new(&pattern).unwrap_or_else(|error| unreachable!("a pattern of this program: {error}"))
}

pattern! {
    /// The end of a scenario's line below k6's summary, where a page's own words may follow without a break.
    SCENARIO_END = r"(?m)^.*\[[^\]\n]*\]\s+[0-9/]+ VUs\s+(?:[0-9]+h)?(?:[0-9]+m)?[0-9]+(?:\.[0-9]+)?s(?:/(?:[0-9]+h)?(?:[0-9]+m)?[0-9]+(?:\.[0-9]+)?s)?(?:[ \t]+[0-9.]+/[0-9]+ (?:shared )?iters(?:, [0-9]+ per VU)?|[ \t]+[0-9.]+ iters/s)?";
    LABELLED = r"^[\s,;/(]*(p50|p90|p95|p99|median|peak|min|max|avg|mean|read|write)[\s:]+(~T|~R|~N(?:\s?[a-z]*/s\b)?)";
    LABELLED_AFTER = r"^[\s,;/(]*(~T|~R|~N(?:\s?[a-z]*/s\b)?)\s+(p50|p90|p95|p99|median|peak|min|max|avg|mean|read|write)\b";
}

/// Walks over a cell. `take` reads something it knows from the start of a text and says how many bytes that was; what
/// it does not know comes back, in order, as texts of their own.
pub(super) fn walk(cell: &Cell, mut take: impl FnMut(&str) -> Option<usize>) -> Vec<String> {
    let mut rest = Vec::new();
    for line in &cell.lines {
        if cell.flat {
            walk_flat(&line.text, &mut take, &mut rest);
        } else {
            let unknown = skip(&line.text, &mut take);
            keep(unknown, &mut rest);
        }
    }
    rest
}

/// The text behind everything that `take` knows at its start.
fn skip<'t>(text: &'t str, take: &mut impl FnMut(&str) -> Option<usize>) -> &'t str {
    let mut text = text.trim();
    while let Some(taken) = take(text).filter(|taken| *taken > 0) {
        text = behind(text, taken);
    }
    text
}

/// What follows something that was read, without the punctuation that joined them.
fn behind(text: &str, taken: usize) -> &str {
    let rest = text.get(taken..).unwrap_or_default().trim_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.strip_prefix(". ").unwrap_or(rest).trim();
    if rest == "." { "" } else { rest }
}

fn walk_flat(text: &str, take: &mut impl FnMut(&str) -> Option<usize>, rest: &mut Vec<String>) {
    let mut text = skip(text, take);
    while let Some((unknown, next)) = next_known(text, take) {
        keep(unknown, rest);
        text = skip(next, take);
    }
    keep(text, rest);
}

/// Splits a text before the next thing that is known, and reads that; or where a break was lost between two sentences.
fn next_known<'t>(text: &'t str, take: &mut impl FnMut(&str) -> Option<usize>) -> Option<(&'t str, &'t str)> {
    let mut before = [' ', ' '];
    for (at, c) in text.char_indices() {
        let (head, tail) = text.split_at(at);
        if at > 0 && is_glued(before, c) {
            return Some((head, tail));
        }
        if at > 0
            && before[1].is_whitespace()
            && c.is_alphanumeric()
            && let Some(taken) = take(tail).filter(|taken| *taken > 0)
        {
            return Some((head, behind(tail, taken)));
        }
        before = [before[1], c];
    }
    None
}

/// `configuration.This`, `(3,810 s)3:`: the end of one line and the beginning of the next.
fn is_glued(before: [char; 2], c: char) -> bool {
    match before {
        [a, '.'] => (a.is_lowercase() || a == ')') && c.is_uppercase(),
        [_, ')'] => c.is_uppercase() || c.is_ascii_digit(),
        _ => false,
    }
}

fn keep(text: &str, rest: &mut Vec<String>) {
    let text = text.trim();
    if !text.is_empty() {
        rest.push(text.to_owned());
    }
}

/// Values with a label before or behind them, `p50 20%, p99 30% (peak 40%)` or `50% median, 60% peak`: label and value
/// in order, and how many bytes they take.
pub(super) fn labelled(text: &str) -> (Vec<(String, String)>, usize) {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(tail) = text.get(at..) {
        let (label, value, len) = if let Some(c) = LABELLED.captures(tail) {
            (c[1].to_owned(), c[2].to_owned(), c[0].len())
        } else if let Some(c) = LABELLED_AFTER.captures(tail) {
            (c[2].to_owned(), c[1].to_owned(), c[0].len())
        } else {
            break;
        };
        // A number with letters right behind it is one of another kind: `5mins`, `3rd`.
        if goes_on(text, at + len) || text.get(at + len..).is_some_and(|tail| tail.starts_with(char::is_alphanumeric)) {
            break;
        }
        found.push((label, value.trim().to_owned()));
        at += len;
        if text.get(at..).is_some_and(|tail| tail.starts_with(')')) {
            at += 1;
        }
    }
    (found, at)
}

/// Whether a number that ends here goes on, and so is not the figure: as a range, `46–50`, or by a letter that scales it,
/// `1.2k`, `2000m`.
pub(super) fn goes_on(text: &str, end: usize) -> bool {
    let tail = text.get(end..).unwrap_or_default();
    if let Some(rest) = tail.strip_prefix(['k', 'K', 'm', 'M', 'G']) {
        return !rest.starts_with(char::is_alphanumeric);
    }
    let tail = tail.trim_start();
    let upper = tail.strip_prefix(['–', '—', '-', '→', '/']).or_else(|| tail.strip_prefix("to "));
    upper.is_some_and(|upper| upper.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| compiled(r"^~N$"));

/// A whole number as people write it, thousands grouped or not.
pub(super) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    ungrouped(text).filter(|_| NUMBER.is_match(text))?.parse().ok()
}
