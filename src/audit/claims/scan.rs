//! A text into words, numbers and marks.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::number::{Kind, Number};
use super::written::{self, Unit};

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// What it is.
    pub what: What,
    /// Where it is.
    pub span: Range<usize>,
}

/// What a piece of a text is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// A word in small letters, without the `'s` of a genitive.
    Word(String),
    /// A version, `v4.17.1`.
    Version(String),
    /// A number.
    Number(Number),
    /// A comma, a colon, a bracket, a dash that stands apart (as a comma), the hyphen of a range.
    Mark(char),
    /// Digits that are no number of the sentence: part of a name, of a path, of an odd number.
    Opaque,
    /// The end of a sentence.
    End,
}

static PIECES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?P<end>[.;!?](?:\s|$)|\n)
        |(?P<percentile>p\(\d+(?:\.\d+)?\))
        |(?P<enumerator>\(\d{1,2}\))
        |(?P<date>\d{4}-\d{2}-\d{2})
        |(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)
        |(?P<compound>(?:\d+h)?\d+m\d+(?:\.\d+)?s|\d+h\d+m(?:in)?)
        |(?P<version>v\d+(?:[.+-]\w+)*|\d+\.\d+\.\d+(?:[.+-]\w+)*)
        |(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)(?P<glued>%|[\p{L}µ×][\p{L}\p{N}_]*)?
        |(?P<word>[\p{L}_][\p{L}\p{N}_]*(?:['’]\p{L}+)?(?:-\d+)?)
        |(?P<mark>\S)",
    )
    .ok()
});

/// The most pieces of a sentence. What is longer is a table or a dump, whose words tie nothing.
const LONGEST: usize = 1000;

/// The pieces of a text, a list a sentence.
pub(super) fn sentences(prose: &str) -> Vec<Vec<Token>> {
    let tokens = tokens(prose);
    let parts = tokens.split(|token| token.what == What::End);
    let mut sentences: Vec<Vec<Token>> =
        parts.filter(|part| (1..=LONGEST).contains(&part.len())).map(<[Token]>::to_vec).collect();
    sentences.iter_mut().for_each(written::read_on);
    sentences
}

fn tokens(prose: &str) -> Vec<Token> {
    let Some(pattern) = PIECES.as_ref() else { return Vec::new() };
    let mut tokens = Vec::new();
    for caught in pattern.captures_iter(prose) {
        let Some(whole) = caught.get(0) else { continue };
        let group = |name: &str| caught.name(name).map(|found| found.as_str());
        let what = match (group("word"), group("number")) {
            (Some(word), _) => What::Word(plain(word)),
            (_, Some(digits)) => {
                number(prose, whole.start(), digits, group("glued"), &mut tokens);
                continue;
            }
            _ => other(prose, &whole, &group),
        };
        tokens.push(Token { what, span: whole.range() });
    }
    tokens
}

fn other<'a>(prose: &str, whole: &regex::Match<'_>, group: &impl Fn(&str) -> Option<&'a str>) -> What {
    let (text, span) = (whole.as_str(), whole.range());
    if group("end").is_some() {
        return What::End;
    }
    if group("percentile").is_some() {
        return What::Word(text.replace(['(', ')'], ""));
    }
    if group("version").is_some() {
        return What::Version(text.to_owned());
    }
    let number = match (group("date"), group("clock"), group("compound")) {
        (Some(date), ..) => written::date(date, span.clone()),
        (_, Some(clock), _) => written::clock(clock, span.clone()),
        (.., Some(compound)) => written::compound(compound, span.clone()),
        _ if group("enumerator").is_some() => None,
        _ => return mark(prose, &span, text),
    };
    number.filter(|_| !is_inside(prose, &span)).map_or(What::Opaque, What::Number)
}

/// A mark: a dash between blanks parts as a comma does, a hyphen between digits is a range's, one inside a word is nothing.
fn mark(prose: &str, span: &Range<usize>, text: &str) -> What {
    let sign = text.chars().next().unwrap_or(' ');
    let before = prose[..span.start].chars().next_back().unwrap_or(' ');
    let after = prose[span.end..].chars().next().unwrap_or(' ');
    match sign {
        '-' | '–' | '−' if before.is_whitespace() && after.is_whitespace() => What::Mark(','),
        '-' | '–' if (before.is_ascii_digit() || before == '%') && after.is_ascii_digit() => What::Mark('-'),
        '+' | '-' | '−' | '–' if after.is_ascii_digit() && !before.is_alphanumeric() => What::Mark('+'),
        '-' | '–' => What::Mark('_'),
        '—' => What::Mark(','),
        '[' => What::Mark('('),
        ']' => What::Mark(')'),
        other => What::Mark(other),
    }
}

/// A word in small letters, without the `'s` of a genitive.
fn plain(word: &str) -> String {
    let lower = word.to_lowercase();
    let stem = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
    stem.to_owned()
}

/// Whether digits stand inside of something else: a path, an odd number, a variable.
fn is_inside(prose: &str, span: &Range<usize>) -> bool {
    let mut before = prose[..span.start].chars().rev();
    let mut after = prose[span.end..].chars();
    let (last, last_but_one) = (before.next().unwrap_or(' '), before.next().unwrap_or(' '));
    let (next, next_but_one) = (after.next().unwrap_or(' '), after.next().unwrap_or(' '));
    matches!(last, '/' | '#' | '$' | '_' | '@' | '\\' | '.')
        || last.is_alphanumeric()
        || last == ',' && last_but_one.is_ascii_digit()
        || matches!(next, '.' | ',') && next_but_one.is_ascii_digit()
        || matches!(next, '_' | '\\' | '@')
        || next == '/' && next_but_one.is_ascii_digit()
}

fn number(prose: &str, start: usize, digits: &str, glued: Option<&str>, tokens: &mut Vec<Token>) {
    let end = start + digits.len();
    let whole = start..end + glued.map_or(0, str::len);
    let is_port = prose[..start].ends_with(':') && glued.is_none();
    if is_inside(prose, &whole) || is_port {
        tokens.push(Token { what: What::Opaque, span: whole });
        return;
    }
    let read = |kind, scale, span: Range<usize>| Number::read(digits, kind, scale, span).map_or(What::Opaque, What::Number);
    let token = match glued.map(|glued| (glued, written::unit(glued))) {
        None => Token { what: read(Kind::Count, 1.0, start..end), span: start..end },
        Some((_, Some(Unit { kind, scale }))) => Token { what: read(kind, scale, whole.clone()), span: whole },
        Some((glued, None)) if written::is_noun(glued) => {
            tokens.push(Token { what: read(Kind::Count, 1.0, start..end), span: start..end });
            Token { what: What::Word(glued.to_lowercase()), span: end..whole.end }
        }
        Some((_, None)) => Token { what: What::Opaque, span: whole },
    };
    tokens.push(token);
}
