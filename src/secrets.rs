//! Secrets: tokens, passwords, keys and the credentials inside addresses. At the door they are masked before anything is kept or shown;
//! what is to be written is looked through again.
//!
//! What looks like a secret by its own shape (`shapes`, `urls`, `blocks`, `letters`) or by the name before it (`pairs`) is one of a kind of
//! the table ([`KINDS`]), however it is escaped (`escapes`). Where a text allows two readings, the one that hides more is taken, but plain
//! words, numbers of measurements and what was masked before stay as they are.

mod blocks;
mod escapes;
mod kinds;
mod letters;
mod names;
mod pairs;
mod shapes;
mod urls;
mod values;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

pub use self::kinds::{KINDS, Kind, of as kind};
pub use self::names::is_secret_name;
pub use self::values::{InName, mask_names, masked_value};

/// What stands where a secret was.
const MASK: &str = "***";
/// How often a text is unfolded: an address in JSON in an attribute of a page.
const FOLDS: usize = 4;
/// How near the end of a secret another one is looked for.
const BEHIND: usize = 64;
/// The kind that only stands in lines of inputs, never in what is written.
const OF_INPUTS: &str = "statement-text";

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where it is.
    span: Range<usize>,
    /// The id of its kind.
    kind: &'static str,
}

/// A secret in a text, with what tells it apart from others without telling it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where it is, in bytes.
    pub span: Range<usize>,
    /// Its kind.
    pub kind: &'static str,
    /// The same of the same secret, however it is escaped.
    pub fingerprint: String,
}

/// The text with everything masked that looks like a secret, wherever it stands: a signed token, a bearer token, a password
/// inside an address, a private key. Texts without one come back as they are, and so does a masked text.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    replaced(text, |_| MASK.to_owned())
}

/// The same, but with a `*` for each character of a secret, and its line breaks kept: so that lines and columns stay where they
/// are.
#[must_use]
pub fn masked_alike(text: &str) -> Cow<'_, str> {
    replaced(text, |secret| secret.chars().map(|c| if matches!(c, '\n' | '\r') { c } else { '*' }).collect())
}

/// The text with something in the place of each secret, until none is found: what was a secret's neighbour may look like one
/// afterwards.
fn replaced(text: &str, replacement: impl Fn(&str) -> String) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    loop {
        let found = everywhere(&text);
        if found.is_empty() {
            return text;
        }
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        for (Found { span, .. }, _) in found {
            out.push_str(&text[from..span.start]);
            out.push_str(&replacement(&text[span.clone()]));
            from = span.end;
        }
        out.push_str(&text[from..]);
        text = Cow::Owned(out);
    }
}

/// The secrets of a text that is to be written, in order, none in another.
#[must_use]
pub fn find(text: &str) -> Vec<Secret> {
    let found = everywhere(text).into_iter().filter(|(found, _)| found.kind != OF_INPUTS);
    found.map(|(Found { span, kind }, value)| Secret { span, kind, fingerprint: fingerprint(&value) }).collect()
}

/// What tells a secret apart: 32 bits of a hash made for this alone. Whoever guesses a weak secret can check the guess with it, and nothing
/// else.
fn fingerprint(value: &str) -> String {
    let hash = blake3::derive_key("plimsoll secrets fingerprint v1", value.as_bytes());
    format!("{:08x}", u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]))
}

/// The secrets of a text as it is and unfolded, in order, none in another, each with its letters as they are read.
fn everywhere(text: &str) -> Vec<(Found, String)> {
    let mut folds: Vec<escapes::Unfolded> = Vec::new();
    while folds.len() < FOLDS
        && let Some(next) = escapes::unfolded(folds.last().map_or(text, |fold| fold.text.as_str()))
    {
        folds.push(next);
    }
    let mut all = Vec::new();
    for depth in (0..=folds.len()).rev() {
        let layer = if depth == 0 { text } else { folds[depth - 1].text.as_str() };
        for Found { span, kind } in plain(layer, true) {
            let value = layer[span.clone()].to_owned();
            let span = folds[..depth].iter().rev().fold(span, |span, fold| fold.origin(&span));
            if !is_masked(&text[span.clone()]) {
                all.push(Read { found: Found { span, kind }, value, depth });
            }
        }
    }
    apart(all).into_iter().map(|read| (read.found, read.value)).collect()
}

/// A secret as it is read once the text is unfolded so often.
struct Read {
    found: Found,
    value: String,
    depth: usize,
}

/// The same secrets, those that overlap made one: what is unfolded most is read best.
fn apart(mut all: Vec<Read>) -> Vec<Read> {
    // A stable order: of those that begin alike, the best read ones stay first.
    all.sort_by_key(|read| read.found.span.start);
    let mut apart: Vec<Read> = Vec::new();
    for read in all {
        match apart.last_mut() {
            Some(last) if read.found.span.start < last.found.span.end => {
                let span = last.found.span.start..last.found.span.end.max(read.found.span.end);
                let is_better = read.depth == last.depth && rank(read.found.kind) < rank(last.found.kind);
                if read.depth > last.depth || is_better {
                    *last = read;
                }
                last.found.span = span;
            }
            _ => apart.push(read),
        }
    }
    apart
}

fn rank(kind: &str) -> usize {
    KINDS.iter().position(|known| known.id == kind).unwrap_or(KINDS.len())
}

/// All beginnings of shapes, then all names.
static BEGINNINGS: LazyLock<Option<(AhoCorasick, Vec<Beginning>)>> = LazyLock::new(|| {
    let shapes = shapes::SHAPES.iter().enumerate();
    let shapes = shapes.flat_map(|(number, shape)| shape.begins.iter().map(move |begin| (*begin, Beginning::Shape(number))));
    let names = pairs::NAMES.iter().map(|name| (*name, Beginning::Name(name)));
    let (texts, what): (Vec<&str>, Vec<Beginning>) = shapes.chain(names).unzip();
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(texts);
    automaton.ok().map(|automaton| (automaton, what))
});

#[derive(Clone, Copy)]
enum Beginning {
    Shape(usize),
    Name(&'static str),
}

/// The secrets of a text as it is, in order, none in another; with `inner`, those inside base64 too.
fn plain(text: &str, inner: bool) -> Vec<Found> {
    let mut found = Vec::new();
    if let Some((automaton, what)) = BEGINNINGS.as_ref() {
        // What begins well inside a secret is part of it, or texts of nothing but beginnings would take for ever. Near its end a name may
        // stand whose value is another one; and a key in PEM goes on where other values end.
        let (mut covered, mut seen) = (0..0, 0);
        for hit in automaton.find_overlapping_iter(text) {
            for Found { span, .. } in &found[seen..] {
                let start = if span.start < covered.end { covered.start } else { span.start };
                covered = start..covered.end.max(span.end);
            }
            seen = found.len();
            if covered.start < hit.start() && hit.end() + BEHIND <= covered.end && !text[hit.start()..].starts_with("-----") {
                continue;
            }
            match what[hit.pattern().as_usize()] {
                Beginning::Shape(number) => shapes::look(text, hit.start(), number, &mut found),
                Beginning::Name(name) => pairs::look(text, hit.start(), name, &mut found),
            }
        }
    }
    letters::look(text, inner, &mut found);
    found.retain(|found| !is_masked(&text[found.span.clone()]));
    found.sort_by_key(|found| (found.span.start, std::cmp::Reverse(found.span.end), rank(found.kind)));
    let mut apart: Vec<Found> = Vec::new();
    for found in found {
        match apart.last_mut() {
            Some(last) if found.span.start < last.span.end => {
                last.span.end = last.span.end.max(found.span.end);
                if rank(found.kind) < rank(last.kind) {
                    last.kind = found.kind;
                }
            }
            _ => apart.push(found),
        }
    }
    apart
}

/// Whether nothing is left of what was there: stars, with what escapes them and what closes the text behind them.
fn is_masked(value: &str) -> bool {
    let is_star = |c: char| matches!(c, '*' | '•' | '\\') || c.is_whitespace();
    if value.chars().all(is_star) {
        return true;
    }
    let unfolded = std::iter::successors(escapes::unfolded(value), |one| escapes::unfolded(&one.text)).take(FOLDS).last();
    let value = unfolded.as_ref().map_or(value, |one| one.text.as_str());
    value.contains(MASK) && !value.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests;
