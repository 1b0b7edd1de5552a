//! Words in the form in which they are compared: what differs in writing alone is no difference.

/// A text without the backslashes that Markdown puts before signs, and with single blanks: `add\_session` is `add_session`.
pub(in crate::diff) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        let escapes = sign == '\\' && signs.peek().is_some_and(char::is_ascii_punctuation);
        plain.extend(if escapes { signs.next() } else { Some(sign) });
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same in lower case: `EU1` is `eu1`.
pub(in crate::diff) fn name(text: &str) -> String {
    unescaped(text).to_lowercase()
}

/// A word of a platform: `ENTERPRISE_PLUS` is `Enterprise Plus`.
pub(in crate::diff) fn word(text: &str) -> String {
    name(text).split(['_', '-', ' ']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A version without the `v` before it: `v17.4` is `17.4`.
pub(in crate::diff) fn version(text: &str) -> String {
    let name = name(text);
    let bare = name.strip_prefix("k6 ").unwrap_or(&name);
    let rest = bare.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    rest.unwrap_or(bare).to_owned()
}

/// A database's version by its numbers, without the words around them: `PostgreSQL 15.18 (Debian 15.18-1)` is `15.18`,
/// `POSTGRES_9_6` is `9.6`.
pub(in crate::diff) fn numbers(text: &str) -> String {
    let Some(first) = text.find(|c: char| c.is_ascii_digit()) else { return name(text) };
    let end = text[first..].find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).map_or(text.len(), |end| first + end);
    text[first..end].replace('_', ".").trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        assert_eq!(name(r"add\_session"), name("add_session"));
        assert_eq!(name(" Add  Session\tok"), "add session ok");
        assert_eq!((unescaped(r"EU1 \"), unescaped(r"C:\temp")), (r"EU1 \".to_owned(), r"C:\temp".to_owned()));
        assert_eq!(word("ENTERPRISE_PLUS"), word("Enterprise Plus"));
        assert_ne!(name("add_session"), name("addsession"));
    }

    #[test]
    fn a_version_is_the_same_with_a_v_and_words_around_it() {
        assert_eq!(version("v17.4"), version("17.4"));
        assert_ne!(version("v4.0.0-rc2"), version("v4.0.0"));
        assert_eq!((version("vnext"), version("k6 v2.1.0")), ("vnext".to_owned(), "2.1.0".to_owned()));
        assert_eq!(numbers("PostgreSQL 15.18 (Debian 15.18-1)"), numbers("v15.18"));
        assert_eq!((numbers("POSTGRES_9_6"), numbers("latest")), ("9.6".to_owned(), "latest".to_owned()));
        assert_ne!(numbers("17 (Cloud SQL POSTGRES_17)"), numbers("v17.4"));
    }
}
