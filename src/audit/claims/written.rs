//! How people write numbers beyond their digits: units apart, words for numbers, zones of clocks.

use std::ops::Range;

use chrono::{Datelike, NaiveDate, NaiveTime, Timelike};

use super::number::{Kind, Number};
use super::qualified::take_before;
use super::scan::{Token, What};
use crate::model::units::{self, Written};

/// What a word behind digits makes of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    /// What the number is of.
    pub kind: Kind,
    /// How many of the base unit it is.
    pub scale: f64,
}

/// The unit that a word is.
pub(super) fn unit(word: &str) -> Option<Unit> {
    let (kind, scale) = match word {
        "%" | "percent" => (Kind::Share, 0.01),
        "pp" | "points" => (Kind::Change, 0.01),
        "µs" | "μs" | "us" | "microsecond" | "microseconds" => (Kind::Time, 1e-3),
        "ms" | "millisecond" | "milliseconds" => (Kind::Time, 1.0),
        "s" | "sec" | "secs" | "second" | "seconds" => (Kind::Time, 1e3),
        "min" | "mins" | "minute" | "minutes" => (Kind::Time, 6e4),
        "h" | "hr" | "hrs" | "hour" | "hours" => (Kind::Time, 3.6e6),
        "k" | "K" | "thousand" => (Kind::Count, 1e3),
        "M" | "million" => (Kind::Count, 1e6),
        "bn" | "billion" => (Kind::Count, 1e9),
        "x" | "×" => (Kind::Times, 1.0),
        _ => (Kind::Size, size(word)?),
    };
    Some(Unit { kind, scale })
}

/// Bytes of a unit of size; a letter alone is none: `5 M` are five million.
fn size(word: &str) -> Option<f64> {
    let is_unit = (2..=3).contains(&word.len()) && word.is_ascii();
    let one = is_unit.then(|| Written::read(&format!("1{word}"), units::Unit::Bytes).ok()).flatten();
    one.map(|one| one.value)
}

/// Nouns that people glue to a number: `600VUs`.
pub(super) fn is_noun(word: &str) -> bool {
    ["vu", "vus", "vcpu", "vcpus", "rps", "tps"].contains(&word.to_lowercase().as_str())
}

/// A day.
pub(super) fn date(text: &str, span: Range<usize>) -> Option<Number> {
    let day = text.parse::<NaiveDate>().ok()?;
    Some(Number::exact(f64::from(day.num_days_from_ce()), Kind::Date, span))
}

/// A time of day.
pub(super) fn clock(text: &str, span: Range<usize>) -> Option<Number> {
    let has_seconds = text.len() > 5;
    let time = NaiveTime::parse_from_str(text, if has_seconds { "%H:%M:%S" } else { "%H:%M" }).ok()?;
    Some(Number::exact(f64::from(time.num_seconds_from_midnight()), Kind::Clock(has_seconds), span))
}

/// `30m41s`.
pub(super) fn compound(text: &str, span: Range<usize>) -> Option<Number> {
    let written = Written::read(text.trim_end_matches("in"), units::Unit::Ms).ok()?;
    let step = written.bounds.hi() - written.bounds.lo();
    Some(Number { step, ..Number::exact(written.value, Kind::Time, span) })
}

/// Reads numbers on: words for numbers, units and `per second` behind them, signs, and the words before them.
pub(super) fn read_on(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        spell(tokens, at);
        if matches!(tokens[at].what, What::Number(_)) {
            take_unit(tokens, at);
            take_rate(tokens, at);
            at = take_before(tokens, at);
        }
        at += 1;
    }
    spread_range(tokens);
    spread_zone(tokens);
}

/// A word for a number. `one` is mostly no number.
fn spell(tokens: &mut [Token], at: usize) {
    const WORDS: [(&str, f64); 19] = [
        ("zero", 0.0),
        ("two", 2.0),
        ("three", 3.0),
        ("four", 4.0),
        ("five", 5.0),
        ("six", 6.0),
        ("seven", 7.0),
        ("eight", 8.0),
        ("nine", 9.0),
        ("ten", 10.0),
        ("eleven", 11.0),
        ("twelve", 12.0),
        ("fifteen", 15.0),
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("ninety", 90.0),
    ];
    let What::Word(word) = &tokens[at].what else { return };
    let Some((_, value)) = WORDS.iter().find(|(name, _)| name == word) else { return };
    tokens[at].what = What::Number(Number::exact(*value, Kind::Count, tokens[at].span.clone()));
}

/// The word at a place.
pub(super) fn word(tokens: &[Token], at: usize) -> Option<&str> {
    match &tokens.get(at)?.what {
        What::Word(word) => Some(word),
        _ => None,
    }
}

/// The mark at a place.
pub(super) fn mark(tokens: &[Token], at: usize) -> Option<char> {
    match tokens.get(at)?.what {
        What::Mark(mark) => Some(mark),
        _ => None,
    }
}

/// The number at a place.
pub(super) fn number(tokens: &mut [Token], at: usize) -> Option<&mut Number> {
    match &mut tokens.get_mut(at)?.what {
        What::Number(number) => Some(number),
        _ => None,
    }
}

/// Takes a unit that stands apart, behind a blank or a hyphen: `10 ms`, `55-second`, `30 million`.
fn take_unit(tokens: &mut Vec<Token>, at: usize) {
    let hyphens = usize::from(mark(tokens, at + 1) == Some('_'));
    let next = at + 1 + hyphens;
    let read = match (mark(tokens, next), word(tokens, next), word(tokens, next + 1)) {
        (Some('%'), ..) => unit("%").map(|unit| (unit, next)),
        (_, Some("per"), Some("cent")) => unit("%").map(|unit| (unit, next + 1)),
        (_, Some("percentage"), Some("points")) => unit("pp").map(|unit| (unit, next + 1)),
        (_, Some(word), _) => unit(word).filter(|unit| unit.kind != Kind::Times).map(|unit| (unit, next)),
        _ => None,
    };
    let Some(number) = number(tokens, at).filter(|number| number.kind == Kind::Count) else { return };
    let Some((unit, last)) = read else { return };
    number.kind = unit.kind;
    number.value *= unit.scale;
    number.step = if number.step > 0.0 { number.step } else { 1.0 } * unit.scale;
    let end = tokens[last].span.end;
    extend(tokens, at, last, end);
}

/// Takes `/s`, `per second`, `/min`, `per minute`.
fn take_rate(tokens: &mut Vec<Token>, at: usize) {
    let per = mark(tokens, at + 1) == Some('/') || word(tokens, at + 1) == Some("per");
    let kind = match word(tokens, at + 2) {
        Some("s" | "sec" | "second") if per => Kind::PerSecond,
        Some("min" | "minute") if per => Kind::PerMinute,
        _ => return,
    };
    let Some(number) = number(tokens, at) else { return };
    // Bytes or shares a second are no figure.
    number.kind = if number.kind == Kind::Count { kind } else { Kind::Change };
    number.step = if number.step > 0.0 { number.step } else { 1.0 };
    let end = tokens[at + 2].span.end;
    extend(tokens, at, at + 2, end);
}

/// Lengthens a number over the tokens up to `last`, which go.
fn extend(tokens: &mut Vec<Token>, at: usize, last: usize, end: usize) {
    tokens[at].span.end = end;
    if let Some(number) = number(tokens, at) {
        number.span.end = end;
    }
    tokens.drain(at + 1..=last);
}

/// `125-360 per minute`, `50 to 60%`: what is behind the second number counts for the first, too.
fn spread_range(tokens: &mut [Token]) {
    for at in 0..tokens.len().saturating_sub(2) {
        let joins = mark(tokens, at + 1) == Some('-') || word(tokens, at + 1) == Some("to");
        let Some((kind, value)) = number(tokens, at + 2).map(|number| (number.kind, number.value)) else { continue };
        let Some(first) = number(tokens, at).filter(|first| joins && first.kind == Kind::Count && kind != Kind::Count) else {
            continue;
        };
        let scale = match kind {
            Kind::Share => 0.01,
            Kind::PerSecond | Kind::PerMinute => 1.0,
            // Which unit it was is not known any more, and a guess would be one.
            _ => continue,
        };
        if value > 0.0 {
            first.kind = kind;
            first.value *= scale;
            first.step = scale;
        }
    }
}

/// Zones of a clock that are not UTC, and halves of a day: such a time is none of the record's without a calendar.
const ELSEWHERE: [&str; 16] =
    ["am", "pm", "cet", "cest", "est", "edt", "pst", "pdt", "cst", "cdt", "mst", "mdt", "bst", "ist", "jst", "local"];

/// The zone behind a time of day holds for the other times of its sentence.
fn spread_zone(tokens: &mut [Token]) {
    let is_clock = |token: &Token| matches!(&token.what, What::Number(number) if matches!(number.kind, Kind::Clock(_)));
    let behind = |at: usize| word(tokens, at + 1).filter(|_| is_clock(&tokens[at]));
    let is_utc = (0..tokens.len()).any(|at| matches!(behind(at), Some("utc" | "z" | "gmt")));
    let is_elsewhere = (0..tokens.len()).any(|at| behind(at).is_some_and(|zone| ELSEWHERE.contains(&zone)));
    for token in tokens.iter_mut().filter(|token| is_clock(token)) {
        match &mut token.what {
            _ if is_elsewhere => token.what = What::Opaque,
            What::Number(number) => number.is_utc = is_utc,
            _ => {}
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::number::Qualifier;
    use super::super::scan::sentences;
    use super::*;

    /// The numbers of a text, with symbol, value and qualifier.
    pub(in crate::audit::claims) fn read(text: &str) -> Vec<String> {
        let numbers = sentences(text).into_iter().flatten().filter_map(|token| match token.what {
            What::Number(number) => Some(number),
            _ => None,
        });
        let show = |number: Number| match number.qualifier {
            Qualifier::Plain => format!("{} {}", number.kind.symbol(), number.value),
            qualifier => format!("{} {qualifier:?} {}", number.kind.symbol(), number.value),
        };
        numbers.map(show).collect()
    }

    #[test]
    fn numbers_have_their_units_wherever_those_stand() {
        assert_eq!(read("97% median, 7.3 percent, 8 per cent"), ["PCT 0.97", "PCT 0.073", "PCT 0.08"]);
        assert_eq!(
            read("25.3ms, 10 ms, a 55-second burst, two minutes, 30m41s"),
            ["DUR 25.3", "DUR 10", "DUR 55000", "DUR 120000", "DUR 1841000"]
        );
        assert_eq!(read("1,044-request burst, 600VUs, 4x HTTP 502"), ["NUM 1044", "NUM 600", "TIMES 4", "NUM 502"]);
        assert_eq!(
            read("834/s, 834 per second, 120/min, 1.5M requests, 30 million"),
            ["RATE 834", "RATE 834", "PERMIN 120", "NUM 1500000", "NUM 30000000"]
        );
        assert_eq!(read("6 GiB, 32Gib, 64 GB"), ["SIZE 6442450944", "SIZE 34359738368", "SIZE 64000000000"]);
        assert_eq!(read("from 125–360 per minute"), ["PERMIN 125", "PERMIN 360"]);
    }

    #[test]
    fn what_is_no_number_of_the_sentence_is_none() {
        for text in [
            "v4.17.1 and k6",
            "top-5 query time",
            "top 5 queries",
            "cdde3ab3e",
            "events2",
            "3ab3e5",
            "#8352",
            "$1",
            "1/2",
            "1.2.0",
            "(2) a",
            "61,25%",
            "1000,000",
            "localhost:8080",
            "18:39 CEST",
            "a/9/b",
        ] {
            let claims: Vec<String> = read(text);
            assert!(claims.is_empty(), "{text}: {claims:?}");
        }
        assert_eq!(
            read("error -27, +12%, 3 percentage points, 5 MB/s"),
            ["CHANGE 27", "CHANGE 0.12", "CHANGE 0.03", "CHANGE 5000000"]
        );
    }
}
