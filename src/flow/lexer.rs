//! The words of a `when`: names, numbers with their units, operators; each with its place in the expression.

use super::kind::{Kind, Literal};
use crate::diagnostic::Diagnostic;
use crate::model::units::{Unit, Written};
use crate::source::Span;

/// The most words an expression may have: far more than a person can follow, and few enough to walk without care.
const MOST_WORDS: usize = 400;

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A figure, a fact, `and`, `or`, `not`, `captured`.
    Name(String),
    /// A number with its unit.
    Literal(Literal),
    /// An operator or a parenthesis.
    Sign(&'static str),
}

/// A word and its bytes in the expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// A fault at a place of the expression; the reader of the file knows where the expression stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) span: Span,
    /// Boxed, because every step of the grammar returns one or nothing.
    pub(super) diagnostic: Box<Diagnostic>,
}

impl Fault {
    /// A fault in an expression.
    pub(super) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { span, diagnostic: Box::new(Diagnostic::error(code, message)) }
    }

    /// Says what to do next.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { diagnostic: Box::new(self.diagnostic.help(help)), ..self }
    }
}

/// Longer signs first, so that `<=` is not read as `<`.
const SIGNS: [&str; 12] = ["<=", ">=", "==", "!=", "<", ">", "(", ")", "+", "-", "*", "/"];

/// What people write by habit, and how it is written here.
const HABITS: [(&str, &str); 7] = [("&&", "and"), ("||", "or"), ("≤", "<="), ("≥", ">="), ("≠", "!="), ("!", "not"), ("=", "==")];

/// Splits an expression into words; what is none is a fault, and the reading goes on behind it.
pub(super) fn words(text: &str) -> (Vec<Word>, Vec<Fault>) {
    let (mut words, mut faults) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, read) = word(rest);
        let span = at..at + length;
        at = span.end;
        match read {
            Ok(None) => {}
            Ok(Some(token)) => words.push(Word { token, span }),
            Err(fault) => faults.push(Fault { span, ..fault }),
        }
        if words.len() > MOST_WORDS {
            let message = format!("the expression has more than {MOST_WORDS} words");
            faults.push(Fault::new("expression-too-long", 0..text.len(), message).help("split it into several questions"));
            break;
        }
    }
    (words, faults)
}

/// The first word of a text that is not empty, and how many bytes it takes; never zero.
fn word(rest: &str) -> (usize, Result<Option<Token>, Fault>) {
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_whitespace() {
        return (first.len_utf8(), Ok(None));
    }
    if first.is_ascii_digit() || first == '.' {
        let length = number_length(rest);
        return (length, literal(&rest[..length]).map(|literal| Some(Token::Literal(literal))));
    }
    if first.is_alphabetic() || first == '_' {
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        return (length, Ok(Some(Token::Name(rest[..length].to_owned()))));
    }
    if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        return (sign.len(), Ok(Some(Token::Sign(sign))));
    }
    let (written, meant) = HABITS.into_iter().find(|(written, _)| rest.starts_with(written)).unwrap_or(("", ""));
    let length = if written.is_empty() { first.len_utf8() } else { written.len() };
    let fault = Fault::new("bad-expression", 0..0, format!("`{}` has no meaning here", &rest[..length]));
    (length, Err(if meant.is_empty() { fault } else { fault.help(format!("write `{meant}`")) }))
}

/// How far a number reaches with its unit: `80%`, `2ms`, `1m30s`, `10/min`, `9,391/s`, `6 GiB`.
fn number_length(rest: &str) -> usize {
    let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    let behind = &rest[digits..];
    for rate in ["/min", "/s"] {
        if behind.strip_prefix(rate).is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '.')) {
            return digits + rate.len();
        }
    }
    let blanks = behind.len() - behind.trim_start_matches(' ').len();
    let unit = &behind[blanks..];
    if unit.starts_with('%') {
        return digits + blanks + 1;
    }
    let length = unit.find(|c: char| !c.is_alphanumeric()).unwrap_or(unit.len());
    let known = unit_of(&unit[..length]).is_some();
    // Letters that touch the digits belong to them, known or not; behind a blank only a unit does.
    if blanks == 0 || known { digits + blanks + length } else { digits }
}

/// The unit that a suffix belongs to.
fn unit_of(suffix: &str) -> Option<Unit> {
    let units = [Unit::Ms, Unit::Bytes];
    let starts = suffix.starts_with(char::is_alphabetic);
    units.into_iter().find(|unit| starts && Written::read(&format!("1{suffix}"), *unit).is_ok())
}

fn literal(text: &str) -> Result<Literal, Fault> {
    let wrong = || {
        let examples = "80%, 2ms, 6 GiB, 5/s, 10/min, or a plain number for counts and factors";
        Fault::new("bad-number", 0..0, format!("`{text}` is no number with a known unit"))
            .help(format!("write it like {examples}"))
    };
    let suffix = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',').trim();
    let kind = match suffix {
        "" => Kind::Bare,
        "%" => Kind::Of(Unit::Ratio),
        "/s" => Kind::Of(Unit::PerSecond),
        "/min" => Kind::Of(Unit::PerMinute),
        // A compound such as `1m30s` has digits in its suffix: it is read whole, as a time.
        _ => Kind::Of(unit_of(suffix).or_else(|| Written::read(text, Unit::Ms).is_ok().then_some(Unit::Ms)).ok_or_else(wrong)?),
    };
    let unit = if let Kind::Of(unit) = kind { unit } else { Unit::Count };
    let value = Written::read(text, unit).map_err(|_| wrong())?.value;
    Ok(Literal { value, kind, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let (words, faults) = words(text);
        let show = |word: Word| match word.token {
            Token::Name(name) => name,
            Token::Literal(literal) => format!("{:?}={}", literal.kind, literal.value),
            Token::Sign(sign) => sign.to_owned(),
        };
        let faults = faults.into_iter().map(|fault| format!("!{}", fault.diagnostic.message));
        words.into_iter().map(show).chain(faults).collect()
    }

    #[test]
    fn numbers_wear_their_units() {
        assert_eq!(read("80%"), ["Of(Ratio)=0.8"]);
        assert_eq!(read("2ms"), ["Of(Ms)=2"]);
        assert_eq!(read("1m30s"), ["Of(Ms)=90000"]);
        assert_eq!(read("6 GiB"), ["Of(Bytes)=6442450944"]);
        assert_eq!(read("10/min"), ["Of(PerMinute)=10"]);
        assert_eq!(read("9,391/s"), ["Of(PerSecond)=9391"]);
        assert_eq!(read("1.5 * a.b"), ["Bare=1.5", "*", "a.b"]);
        assert_eq!(read("10 / minimum"), ["Bare=10", "/", "minimum"]);
        assert_eq!(read("3 and"), ["Bare=3", "and"]);
    }

    #[test]
    fn what_is_no_word_is_told_and_passed() {
        assert_eq!(read("a && b"), ["a", "b", "!`&&` has no meaning here"]);
        assert_eq!(read("5parsecs < ü"), ["<", "ü", "!`5parsecs` is no number with a known unit"]);
        assert_eq!(read("1.2.3"), ["!`1.2.3` is no number with a known unit"]);
    }
}
