//! Text made safe for the pages of a docs site, with the little Markdown that a record's texts may hold: links and code.
//!
//! What is escaped reads back as it was, in Markdown and in MDX: punctuation with a backslash, line breaks and tabs as
//! character references. Everything else (HTML, JSX, expressions, emphasis) stands there as text. White space at the ends
//! of a text is no part of it, and a control character, which neither HTML nor XML may hold, is shown as U+FFFD.

use std::fmt::Write as _;

use super::escape::Escape;
use crate::model::profile::Profile;

/// Writes texts as a profile's pages want them.
#[derive(Clone, Copy)]
pub(super) struct Writer(pub(super) Profile);

impl Writer {
    /// A text inside a table's cell.
    pub(super) fn cell(self, text: &str) -> String {
        Escape::cell(self.0).inline(text)
    }

    /// A text as a heading.
    pub(super) fn heading(self, text: &str) -> String {
        let body = Escape::heading(self.0, text).inline(text);
        // A `#` at the end would close the heading and vanish.
        match body.strip_suffix('#') {
            Some(head) => format!("{head}\\#"),
            None => body,
        }
    }

    /// A text as a paragraph of its own, which begins no list, heading, quote, table, import or export.
    pub(super) fn paragraph(self, text: &str) -> String {
        let body = Escape::new(self.0).inline(text);
        let word = |word: &str| body.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        if self.0.is_mdx() && (word("import") || word("export")) {
            let (first, rest) = body.split_at(1);
            return format!("&#{};{rest}", u32::from(first.chars().next().unwrap_or(' ')));
        }
        if body.starts_with(['#', '+', '-', '=', '>', ':']) {
            return format!("\\{body}");
        }
        let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match body.split_at_checked(digits) {
            Some((number, rest)) if digits > 0 && rest.starts_with(['.', ')']) => format!("{number}\\{rest}"),
            _ => body,
        }
    }

    /// A text as what a picture shows, for those who can't see it.
    pub(super) fn alternative(self, text: &str) -> String {
        Escape::words(self.0).inline(text)
    }
}

/// The profile whose escapes are right for all MDX.
const STRICTEST: Writer = Writer(Profile::Docusaurus);

/// A text inside a table's cell of any MDX page.
#[allow(dead_code, reason = "a page with a layout takes the layout's own")]
pub(super) fn cell(text: &str) -> String {
    STRICTEST.cell(text)
}

/// A text as a heading of any MDX page.
#[allow(dead_code, reason = "a page with a layout takes the layout's own")]
pub(super) fn heading(text: &str) -> String {
    STRICTEST.heading(text)
}

/// A text as a paragraph of any MDX page.
#[allow(dead_code, reason = "a page with a layout takes the layout's own")]
pub(super) fn paragraph(text: &str) -> String {
    STRICTEST.paragraph(text)
}

/// A text as a value of YAML front matter: bare where nothing in it can be misread, else in double quotes.
pub(super) fn yaml(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '/' | '(' | ')' | '-' | '+');
    let word = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(&text.to_lowercase().as_str());
    let bare = text.starts_with(char::is_alphabetic) && text.chars().all(plain) && text.trim() == text && !word;
    if bare { text.to_owned() } else { quoted(text) }
}

/// A text in double quotes, as YAML, JSON and JavaScript all read it. What YAML forbids even there, and what turns the
/// direction of writing, is written by its number.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || is_unseen(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a character shows nothing and may turn the direction of what stands behind it, or break its line.
pub(super) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// k6's output inside its fence, where nothing can be escaped: without control characters but those that lay out lines.
pub(super) fn code_block(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\r' | '\t') { '\u{fffd}' } else { c }).collect()
}

/// The name of a module as JavaScript has it, in the quotes of published pages where that is possible.
pub(super) fn module(name: &str) -> String {
    if name.contains(['\'', '\\']) || name.contains(char::is_control) { quoted(name) } else { format!("'{name}'") }
}

/// A fence that no run of backticks in the text can close.
pub(super) fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).max(2) + 1)
}

/// The most backticks in a row.
pub(super) fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUMADOCS: Writer = Writer(Profile::Fumadocs);
    const DOCUSAURUS: Writer = Writer(Profile::Docusaurus);
    const MARKDOWN: Writer = Writer(Profile::Markdown);

    #[test]
    fn markup_becomes_text() {
        assert_eq!(FUMADOCS.cell("a {b} <c/> | *d* _e_ f_g & `"), r"a \{b\} \<c/> \| \*d\* \_e\_ f_g \& \`");
        assert_eq!(FUMADOCS.cell("one\ntwo"), "one&#10;two");
        assert_eq!(FUMADOCS.cell("<!-- x -->"), r"\<!-- x -->");
    }

    #[test]
    fn plain_markdown_has_no_escapes_that_only_mdx_needs() {
        let text = "{a} p(95)<500 a & b import x a:b";
        assert_eq!(MARKDOWN.cell(text), text);
        assert_eq!(MARKDOWN.cell("<b> &amp; </b> <!-- -->"), r"\<b> \&amp; \</b> \<!-- -->");
        assert_eq!(MARKDOWN.paragraph("import x from 'y'"), "import x from 'y'");
    }

    #[test]
    fn links_and_code_stay() {
        assert_eq!(FUMADOCS.cell("see [the issue](https://a.b/c?d=1&e) now"), "see [the issue](https://a.b/c?d=1&amp;e) now");
        assert_eq!(FUMADOCS.cell("[x](javascript:alert)"), r"\[x\](javascript:alert)");
        assert_eq!(FUMADOCS.cell("`a | b` and ``c`d``"), r"`a \| b` and ``c`d``");
        assert_eq!(FUMADOCS.cell("[output](#k6-output)"), "[output](#k6-output)");
    }

    #[test]
    fn a_url_that_holds_escapes_is_not_taken_as_it_is_written() {
        assert_eq!(FUMADOCS.cell("https://a.b/c_d"), "https://a.b/c_d");
        assert_eq!(FUMADOCS.cell("https://a.b/{x}?c&d"), r"https\://a.b/\{x\}?c\&d");
        assert_eq!(FUMADOCS.cell("WWW.a.b/*"), r"WWW\.a.b/\*");
    }

    #[test]
    fn docusaurus_reads_no_directive_and_no_emoji() {
        assert_eq!(DOCUSAURUS.cell("a:b at 10:30"), r"a\:b at 10:30");
        assert_eq!(DOCUSAURUS.cell(":smile: 18:49:09"), r#"\:{""}smile: 18:49:09"#);
        assert_eq!(DOCUSAURUS.paragraph(":::note"), r"\:\:\:note");
        assert_eq!(MARKDOWN.cell(":smile: $1 and $2"), "<span>:</span>smile: <span>$</span>1 and <span>$</span>2");
    }

    #[test]
    fn a_heading_ends_in_no_id_of_its_own() {
        assert_eq!(FUMADOCS.heading("a [#b]"), r#"a \[{""}#b\]"#);
        assert_eq!(DOCUSAURUS.heading("a {#b}"), r#"a \{{""}#b\}"#);
        assert_eq!(MARKDOWN.heading("a {#b} #"), r"a {\#b} \#");
    }

    #[test]
    fn a_paragraph_begins_nothing_else() {
        assert_eq!(FUMADOCS.paragraph("import x from 'y'"), "&#105;mport x from 'y'");
        assert_eq!(FUMADOCS.paragraph("1. first"), r"1\. first");
        assert_eq!(FUMADOCS.paragraph("# no heading"), r"\# no heading");
        assert_eq!(FUMADOCS.paragraph("important"), "important");
    }

    #[test]
    fn front_matter_is_quoted_where_needed() {
        assert_eq!(yaml("user info benchmark of zitadel v4"), "user info benchmark of zitadel v4");
        assert_eq!(yaml("a: b # c"), r#""a: b # c""#);
        assert_eq!(yaml("true"), r#""true""#);
        assert_eq!(yaml("\u{7f}\u{202e}\"\n"), r#""\u007F\u202E\"\n""#);
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("no ticks"), "```");
        assert_eq!(fence("a ```` b"), "`````");
    }
}
