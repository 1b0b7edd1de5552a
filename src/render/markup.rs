//! Text made safe for where it goes without a template: HTML and SVG, Markdown, a line of a terminal.

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

/// Schemes that a link in a note may have.
pub(super) const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Text that Markdown, HTML and MDX leave as it is: markup as entities, punctuation with a backslash, no line breaks.
#[must_use]
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in on_one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '~' | '#' | '$' | '@' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// [`markdown`] that calls nobody. Forges look for `@name` and `#1` in what is shown, escaped or not, so an empty letter stands behind
/// their signs.
#[must_use]
pub fn calling_nobody(text: &str) -> String {
    markdown(text).replace("\\@", "@&#8203;").replace("\\#", "#&#8203;")
}

/// The text on one line: a control character as its escape, so that a name can't move the cursor or turn around what stands behind it.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Whether a character does something to the text around it and shows nothing: controls, breaks of lines and paragraphs, and marks that turn
/// the direction of writing (UAX #9), with which a name can make the words behind it read otherwise.
fn is_unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn entity(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&#39;",
        '\t' | '\n' | '\r' => return None,
        c if is_unseen(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => "\u{fffd}",
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
    fn a_cell_of_markdown_stays_a_cell() {
        assert_eq!(markdown("a|b <script> {x} `y`\nz"), "a\\|b &lt;script&gt; \\{x\\} \\`y\\`\\\\nz");
    }

    #[test]
    fn no_name_moves_the_cursor() {
        assert_eq!(on_one_line("a\u{1b}[2J\r\nµ"), "a\\u{1b}[2J\\r\\nµ");
    }

    #[test]
    fn no_name_turns_what_stands_behind_it() {
        assert_eq!(on_one_line("a\u{202e}b\u{2066}c"), "a\\u{202e}b\\u{2066}c");
        assert_eq!(escape("a\u{202e}b"), "a\u{fffd}b");
        assert_eq!(on_one_line("מהיר é 速い"), "מהיר é 速い");
    }

    #[test]
    fn a_name_breaks_behind_its_parts() {
        assert_eq!(breakable("otp_session"), "otp_<wbr>session");
        assert_eq!(breakable("<a.b>"), "&lt;a.<wbr>b&gt;");
    }
}
