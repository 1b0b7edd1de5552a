//! The words and signs before a number that make it more or less than its digits: about, over, at most, `~`, `>`.

use super::number::{Kind, Qualifier};
use super::scan::{Token, What};
use super::written::{mark, number, word};

/// Words before a number, and what they make of it; the longest first.
const BEFORE: [(&[&str], Qualifier); 30] = [
    (&["no", "more", "than"], Qualifier::AtMost),
    (&["no", "less", "than"], Qualifier::AtLeast),
    (&["no", "fewer", "than"], Qualifier::AtLeast),
    (&["a", "little", "over"], Qualifier::JustOver),
    (&["a", "little", "under"], Qualifier::Nearly),
    (&["just", "over"], Qualifier::JustOver),
    (&["just", "above"], Qualifier::JustOver),
    (&["slightly", "over"], Qualifier::JustOver),
    (&["slightly", "above"], Qualifier::JustOver),
    (&["just", "under"], Qualifier::Nearly),
    (&["just", "below"], Qualifier::Nearly),
    (&["slightly", "under"], Qualifier::Nearly),
    (&["slightly", "below"], Qualifier::Nearly),
    (&["close", "to"], Qualifier::About),
    (&["more", "than"], Qualifier::AtLeast),
    (&["at", "least"], Qualifier::AtLeast),
    (&["less", "than"], Qualifier::AtMost),
    (&["fewer", "than"], Qualifier::AtMost),
    (&["at", "most"], Qualifier::AtMost),
    (&["up", "to"], Qualifier::AtMost),
    (&["about"], Qualifier::About),
    (&["around"], Qualifier::About),
    (&["roughly"], Qualifier::About),
    (&["approximately"], Qualifier::About),
    (&["nearly"], Qualifier::Nearly),
    (&["almost"], Qualifier::Nearly),
    (&["over"], Qualifier::AtLeast),
    (&["above"], Qualifier::AtLeast),
    (&["under"], Qualifier::AtMost),
    (&["below"], Qualifier::AtMost),
];

/// Takes the words and signs before a number; gives where it is now.
pub(super) fn take_before(tokens: &mut Vec<Token>, at: usize) -> usize {
    // `top 5` and `top-5` are one name; `under 600 VUs` is under that load.
    if at > 0 && word(tokens, at - 1) == Some("top") {
        tokens[at].what = What::Opaque;
        return at;
    }
    let is_load = matches!(word(tokens, at + 1), Some("vu" | "vus" | "virtual"))
        || mark(tokens, at + 1) == Some('_') && matches!(word(tokens, at + 2), Some("vu" | "vus"));
    let sign = at.checked_sub(1).and_then(|before| mark(tokens, before));
    let (qualifier, length) = match sign {
        Some('~' | '≈') => (Qualifier::About, 1),
        Some('>' | '≥') => (Qualifier::AtLeast, 1),
        Some('<' | '≤') => (Qualifier::AtMost, 1),
        Some('+') => {
            if let Some(number) = number(tokens, at) {
                number.kind = Kind::Change;
            }
            return at;
        }
        _ => words_before(tokens, at).filter(|(_, length)| !(is_load && *length == 1)).unwrap_or_default(),
    };
    if let Some(number) = number(tokens, at) {
        number.qualifier = qualifier;
    }
    tokens.drain(at - length..at);
    at - length
}

fn words_before(tokens: &[Token], at: usize) -> Option<(Qualifier, usize)> {
    let matches = |words: &[&str]| {
        let first = at.checked_sub(words.len())?;
        words.iter().enumerate().all(|(i, name)| word(tokens, first + i) == Some(name)).then_some(words.len())
    };
    BEFORE.iter().find_map(|(words, qualifier)| matches(words).map(|length| (*qualifier, length)))
}

#[cfg(test)]
mod tests {
    use super::super::written::tests::read;

    #[test]
    fn words_before_a_number_qualify_it() {
        let texts = [
            "about 5%",
            "~28min",
            "more than 90%",
            "> 3 minutes",
            "at most 3 VUs",
            "nearly 50%",
            "just over 9,000",
            "under 600 VUs",
            "under 10 ms",
        ];
        let expected = [
            "PCT About 0.05",
            "DUR About 1680000",
            "PCT AtLeast 0.9",
            "DUR AtLeast 180000",
            "NUM AtMost 3",
            "PCT Nearly 0.5",
            "NUM JustOver 9000",
            "NUM 600",
            "DUR AtMost 10",
        ];
        assert_eq!(texts.map(|text| read(text).join(", ")), expected);
    }
}
