//! Markdown without blocks, as notes are written: words, `[links](https://...)`, `` `code` ``. Everything else is text.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::render::markup::{SCHEMES, escape};

/// The text as HTML. Raw HTML is shown as text; a link of another scheme, or to an anchor the page does not have, is
/// shown as it is written.
#[must_use]
pub(super) fn html(text: &str, anchors: &[&str]) -> String {
    let mut writer = Writer { text, anchors, at: 0, out: String::new(), open: Vec::new() };
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        writer.event(&event, range);
    }
    writer.literal(text.len());
    writer.out
}

struct Writer<'a> {
    text: &'a str,
    anchors: &'a [&'a str],
    /// Up to where the source is written.
    at: usize,
    out: String,
    /// Where the links that are open end in the source.
    open: Vec<usize>,
}

impl Writer<'_> {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Code(code) => {
                self.literal(range.start);
                self.out.push_str("<code>");
                self.out.push_str(&escape(code));
                self.out.push_str("</code>");
                self.at = self.at.max(range.end);
            }
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) if self.allows(dest_url) => {
                self.open_link(dest_url, range);
            }
            Event::End(TagEnd::Link) if self.open.last() == Some(&range.end) => self.close_link(range.end),
            _ => {}
        }
    }

    fn allows(&self, href: &str) -> bool {
        let lower = href.to_ascii_lowercase();
        let anchor = href.strip_prefix('#').is_some_and(|id| self.anchors.contains(&id));
        anchor || SCHEMES.iter().any(|scheme| lower.starts_with(scheme))
    }

    fn open_link(&mut self, href: &str, range: Range<usize>) {
        self.literal(range.start);
        let elsewhere = if href.starts_with('#') { "" } else { " rel=\"noopener noreferrer\"" };
        self.out.extend(["<a href=\"", &escape(href), "\"", elsewhere, ">"]);
        // Behind the bracket; the text of the link follows.
        self.at = self.at.max(range.start + 1);
        self.open.push(range.end);
    }

    fn close_link(&mut self, end: usize) {
        self.open.pop();
        let inner = self.text.get(self.at..end).unwrap_or_default();
        let words = inner.rfind("](").map_or(self.at, |at| self.at + at);
        self.literal(words);
        self.out.push_str("</a>");
        self.at = self.at.max(end);
    }

    /// Writes the source up to a place as text.
    fn literal(&mut self, end: usize) {
        if let Some(text) = self.text.get(self.at..end) {
            self.out.push_str(&escape(text));
            self.at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_code_are_markup_and_the_rest_is_text() {
        let html = |text| html(text, &["k6-output"]);
        assert_eq!(
            html("see [the *guide*](https://e.org/a?b=1&c) and `a<b`"),
            "see <a href=\"https://e.org/a?b=1&amp;c\" rel=\"noopener noreferrer\">the *guide*</a> and <code>a&lt;b</code>"
        );
        assert_eq!(html("[output](#k6-output)"), "<a href=\"#k6-output\">output</a>");
        assert_eq!(html("[`x`](mailto:a@b) 1"), "<a href=\"mailto:a@b\" rel=\"noopener noreferrer\"><code>x</code></a> 1");
        assert_eq!(html("# no heading\n* no *list*"), "# no heading\n* no *list*");
    }

    #[test]
    fn what_is_dangerous_stays_text() {
        for text in ["<script>alert(1)</script>", "[x](javascript:alert(1))", "[x](#gone)", "[x](data:text/html,a)", "<b>"] {
            let made = html(text, &[]);
            assert!(!made.contains('<'), "{made}");
        }
        assert_eq!(html("[x](JaVaScRiPt:a)", &[]), "[x](JaVaScRiPt:a)");
        assert!(html("![i](https://e.org/i.png)", &[]).starts_with('!'));
    }

    proptest::proptest! {
        #[test]
        fn every_text_is_well_formed(text in "[\\[\\]()#`<>a: /\n*!]{0,60}|.{0,60}") {
            let made = html(&text, &["a"]);
            let tags = |name: &str| (made.matches(&format!("<{name}")).count(), made.matches(&format!("</{name}>")).count());
            proptest::prop_assert_eq!(tags("a").0, tags("a").1);
            proptest::prop_assert_eq!(tags("code").0, tags("code").1);
            proptest::prop_assert_eq!(made.matches('<').count(), 2 * (tags("a").0 + tags("code").0));
        }
    }
}
