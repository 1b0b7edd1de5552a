//! Text made safe for HTML and SVG that is written without a template.

use std::borrow::Cow;

/// The text with `& < > " '` as entities, and without the control characters that neither HTML nor XML may hold (they
/// become U+FFFD): fit for element content and for attributes in quotes.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| entity(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match entity(c) {
            Some(entity) => out.push_str(entity),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A name as HTML that may be broken behind its `_` and `.`, so that a long one fits a narrow column.
#[must_use]
pub fn breakable(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 16);
    for part in name.split_inclusive(['_', '.']) {
        out.push_str(&escape(part));
        if part.ends_with(['_', '.']) {
            out.push_str("<wbr>");
        }
    }
    out
}

fn entity(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&#39;",
        '\t' | '\n' | '\r' => return None,
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => "\u{fffd}",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escape("<b a='1' c=\"2\">&"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
        assert_eq!(escape("p(95) µs"), "p(95) µs");
        assert_eq!(escape("a\u{0}b\nc"), "a\u{fffd}b\nc");
    }

    #[test]
    fn a_name_breaks_behind_its_parts() {
        assert_eq!(breakable("otp_session"), "otp_<wbr>session");
        assert_eq!(breakable("<a.b>"), "&lt;a.<wbr>b&gt;");
    }
}
