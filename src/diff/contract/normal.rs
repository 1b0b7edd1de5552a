//! Values of settings in the form in which they are compared.

use crate::diff::writing;

/// A setting's value: without quotes, `true` and a bare word are `on`, `10 ms` is `10ms`.
pub(super) fn value(text: &str) -> String {
    let bare = writing::name(text.trim().trim_matches(['"', '\'']));
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
    fn a_value_is_the_same_with_or_without_quotes() {
        assert_eq!((value("\"on\""), value("true"), value("")), ("on".to_owned(), "on".to_owned(), "on".to_owned()));
        assert_eq!(value("10 ms"), value("10ms"));
        assert_eq!(value("FALSE"), "off");
        assert_ne!(value("1"), value("on"));
        assert_eq!(value("ISO, MDY"), "iso, mdy");
    }
}
