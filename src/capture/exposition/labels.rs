//! Labels as Prometheus's text formats write them: `{code="200", path="a\"b"}`.

use std::collections::BTreeMap;

/// Reads labels in braces from the start of a text; gives them and what follows. A name that stands alone in quotes, as Prometheus 3
/// writes names beyond ASCII, is the label `__name__`. `None` where a text begins with no labels.
pub(in crate::capture) fn read(text: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut rest = text.strip_prefix('{')?.trim_start();
    let mut labels = BTreeMap::new();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (name, after) = if rest.starts_with('"') { quoted(rest)? } else { bare(rest)? };
        let after = after.trim_start();
        rest = match after.strip_prefix('=') {
            Some(value) => {
                let (value, after) = quoted(value.trim_start())?;
                labels.insert(name, value);
                after
            }
            None if rest.starts_with('"') => {
                labels.insert("__name__".to_owned(), name);
                after
            }
            None => return None,
        };
        rest = rest.trim_start();
        // A comma may follow the last label.
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.starts_with('}') => {}
            None => return None,
        }
    }
}

/// A name: letters, digits, `_`, `:`, no digit first.
pub(super) fn bare(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let name = &text[..end];
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then(|| (name.to_owned(), &text[end..]))
}

/// A text in quotes, in which `\"`, `\\` and `\n` stand for what they stand for; any other backslash is itself.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut value = String::new();
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &inside[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                escaped @ ('"' | '\\') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            _ => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Option<(Vec<(String, String)>, String)> {
        read(text).map(|(labels, rest)| (labels.into_iter().collect(), rest.to_owned()))
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn escapes_and_braces_inside_quotes_are_read() {
        let expected = vec![pair("a", "x\"y\\d\nz}"), pair("b", "")];
        assert_eq!(list(r#"{a="x\"y\\d\nz}", b="",} 1"#), Some((expected, " 1".to_owned())));
        assert_eq!(list("{}"), Some((vec![], String::new())));
        assert_eq!(list(r#"{"my.name", "a.b"="c"}"#), Some((vec![pair("__name__", "my.name"), pair("a.b", "c")], String::new())));
    }

    #[test]
    fn what_is_broken_is_none() {
        for text in ["", "a", "{a}", "{a=b}", "{a=\"b}", "{a=\"b\" c=\"d\"}", "{1a=\"b\"}", "{a=\"b\""] {
            assert_eq!(list(text), None, "{text}");
        }
    }
}
