//! Words in the form in which they are compared.

/// A text without the backslashes that Markdown puts before signs, and with single blanks: `add\_session` is `add_session`.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        if sign != '\\' || !signs.peek().is_some_and(char::is_ascii_punctuation) {
            plain.push(sign);
        } else if let Some(escaped) = signs.next() {
            plain.push(escaped);
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same in lower case: `EU1` is `eu1`.
pub(super) fn name(text: &str) -> String {
    unescaped(text).to_lowercase()
}

/// A word of a platform: `ENTERPRISE_PLUS` is `Enterprise Plus`.
pub(super) fn word(text: &str) -> String {
    name(text).split(['_', '-', ' ']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A setting's value: without quotes, `true` and a bare word are `on`, `10 ms` is `10ms`.
pub(super) fn value(text: &str) -> String {
    let bare = name(text.trim().trim_matches(['"', '\'']));
    match bare.as_str() {
        "" | "true" | "yes" | "on" => "on".to_owned(),
        "false" | "no" | "off" => "off".to_owned(),
        _ => glued(&bare),
    }
}

/// A number and its unit without the blank between them; other texts as they are.
fn glued(text: &str) -> String {
    match text.split_once(' ') {
        Some((number, unit)) if number.parse::<f64>().is_ok() && unit.chars().all(char::is_alphabetic) => {
            format!("{number}{unit}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_however_a_page_writes_it() {
        assert_eq!(name(r"add\_session"), name("add_session"));
        assert_eq!(name(" Add  Session\tstatus ok"), "add session status ok");
        assert_eq!(unescaped(r"EU1 \"), r"EU1 \");
        assert_eq!(word("ENTERPRISE_PLUS"), word("Enterprise Plus"));
        assert_ne!(name("add_session"), name("addsession"));
    }

    #[test]
    fn a_value_is_the_same_with_or_without_quotes() {
        assert_eq!((value("\"on\""), value("true"), value("")), ("on".to_owned(), "on".to_owned(), "on".to_owned()));
        assert_eq!(value("10 ms"), value("10ms"));
        assert_eq!(value("FALSE"), "off");
        assert_ne!(value("1"), value("on"));
        assert_eq!(value("ISO, MDY"), "iso, mdy");
    }
}
