//! A text as its words are: what is no prose is blanked, and every byte keeps its place.

use std::sync::LazyLock;

use regex::Regex;

/// Addresses, files and statements: digits in them are no numbers of a sentence. The words of a link are prose, its address is not; code of one
/// word is a name, code with blanks is a statement.
static NO_PROSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\]\([^()\s]*\)|\[|`[^`\s]*\s[^`]*`|`|[a-z]+://\S+|\S*/\S*\.[A-Za-z]{1,5}\b|(?:^|\s)\.{0,2}/[\w./{}-]+").ok()
});

/// The text with blanks for what is no prose; a byte stays where it is.
pub(super) fn of(text: &str) -> String {
    let Some(pattern) = NO_PROSE.as_ref() else { return String::new() };
    let mut prose = String::with_capacity(text.len());
    let mut at = 0;
    for found in pattern.find_iter(text) {
        prose.push_str(&text[at..found.start()]);
        prose.extend(std::iter::repeat_n(' ', found.len()));
        at = found.end();
    }
    prose.push_str(&text[at..]);
    prose
}

/// The most characters of a quotation.
const QUOTED: usize = 72;

/// The words of a text between two places, white space as one blank; what is too long is cut at both sides of `around`.
pub(super) fn quote(text: &str, whole: std::ops::Range<usize>, around: std::ops::Range<usize>) -> String {
    let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let all = one_line(cut(whole.clone()));
    if all.chars().count() <= QUOTED {
        return all;
    }
    let (before, number, after) = (cut(whole.start..around.start), cut(around.clone()), cut(around.end..whole.end));
    let room = QUOTED.saturating_sub(number.chars().count()) / 2;
    let (before, after) = (last_words(&one_line(before), room), first_words(&one_line(after), room));
    let glue = |a: &str, b: &str, text: &str, at: usize| {
        let is_apart = a.is_empty() || b.is_empty() || !text.is_char_boundary(at) || !text[..at].ends_with(char::is_whitespace);
        if is_apart { "" } else { " " }
    };
    let first = glue(&before, number, text, around.start);
    let second = if after.is_empty() || !cut(around.end..whole.end).starts_with(char::is_whitespace) { "" } else { " " };
    format!("{before}{first}{number}{second}{after}")
}

fn last_words(text: &str, room: usize) -> String {
    let count = text.chars().count();
    if count <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(count - room).collect();
    format!("…{}", kept.split_once(' ').map_or("", |(_, rest)| rest))
}

fn first_words(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room).collect();
    format!("{}…", kept.rsplit_once(' ').map_or("", |(rest, _)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_prose_is_blank_and_the_rest_stays_in_place() {
        let text = "see [the 7 pages](https://a.example/7) in reports/2026-08-27-burst.md, `LIMIT 10`, `p95`, events/s, 9 req/s";
        let prose = of(text);
        assert_eq!(prose.len(), text.len());
        let words: Vec<&str> = prose.split_whitespace().collect();
        assert_eq!(words.join(" "), "see the 7 pages in , , p95 , events/s, 9 req/s");
        assert_eq!(prose.find("events/s"), text.find("events/s"));
    }

    #[test]
    fn a_long_quotation_keeps_the_number_and_the_words_beside_it() {
        let text = "one two three four five six seven eight nine ten eleven twelve thirteen 87% fourteen fifteen sixteen seventeen eighteen nineteen";
        let at = text.find("87%").unwrap_or(0);
        let quoted = quote(text, 0..text.len(), at..at + 3);
        assert!(quoted.contains("thirteen 87% fourteen") && quoted.starts_with('…') && quoted.ends_with('…'), "{quoted}");
        assert!(quoted.chars().count() <= QUOTED + 4);
        assert_eq!(quote("a  b\n87% c", 0..9, 5..8), "a b 87%");
    }
}
