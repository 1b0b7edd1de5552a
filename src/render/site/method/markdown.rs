//! A text in Markdown as part of a page. Nothing of it acts: raw HTML is shown as text, an image as what it says it shows, and a link leads to
//! the web, to another text or to a heading, or it is words.

use std::collections::BTreeMap;

use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use serde::Serialize;

use crate::render::markup::{SCHEMES, escape};

/// A text that was written as HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// Its first heading of the first level, which is not in the HTML.
    pub title: Option<String>,
    /// The rest.
    pub html: String,
    /// Headings of the second level.
    pub headings: Vec<Heading>,
}

/// A heading and its anchor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Heading {
    pub id: String,
    pub text: String,
}

/// The title of a text: its first heading of the first level.
pub(super) fn title(text: &str) -> Option<String> {
    written(text, &str::to_owned).title
}

/// The text as HTML; `href` tells where another text lies, by the stem of its file.
pub(super) fn written(text: &str, href: &dyn Fn(&str) -> String) -> Written {
    let mut writer = Writer {
        href,
        out: Vec::new(),
        headings: Vec::new(),
        title: None,
        ids: BTreeMap::new(),
        links: Vec::new(),
        table: Table::default(),
    };
    let mut events = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let inner: Vec<Event<'_>> =
                    events.by_ref().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_)))).collect();
                writer.heading(level, inner);
            }
            event => writer.event(event),
        }
    }
    let mut html = String::new();
    html::push_html(&mut html, writer.out.into_iter());
    Written { title: writer.title, html, headings: writer.headings }
}

struct Writer<'a> {
    href: &'a dyn Fn(&str) -> String,
    out: Vec<Event<'a>>,
    headings: Vec<Heading>,
    title: Option<String>,
    /// How many headings have an anchor.
    ids: BTreeMap<String, usize>,
    /// Whether each open link leads anywhere.
    links: Vec<bool>,
    table: Table,
}

/// Where one is in a table.
#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    is_head: bool,
    column: usize,
}

impl Table {
    fn cell(&self) -> &'static str {
        if self.is_head { "th" } else { "td" }
    }
}

impl<'a> Writer<'a> {
    /// The first heading of the first level is the page's; all others are below it.
    fn heading(&mut self, level: HeadingLevel, inner: Vec<Event<'a>>) {
        let text: String = inner.iter().filter_map(words).collect();
        if level == HeadingLevel::H1 && self.title.is_none() {
            self.title = Some(text);
            return;
        }
        let id = self.id(&text);
        let name = if level <= HeadingLevel::H2 { "h2" } else { "h3" };
        self.tag(format!("<{name} id=\"{}\">", escape(&id)));
        for event in inner {
            self.event(event);
        }
        self.tag(format!("</{name}>\n"));
        if name == "h2" {
            self.headings.push(Heading { id, text });
        }
    }

    fn event(&mut self, event: Event<'a>) {
        match event {
            Event::Html(text) | Event::InlineHtml(text) => self.out.push(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) => self.out.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => self.out.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::Link { dest_url, .. }) => self.open_link(&dest_url),
            Event::End(TagEnd::Link) => {
                if self.links.pop() == Some(true) {
                    self.tag("</a>".to_owned());
                }
            }
            Event::Start(Tag::Table(alignments)) => {
                self.table = Table { alignments, ..Table::default() };
                self.tag("<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">".to_owned());
                self.out.push(Event::Start(Tag::Table(Vec::new())));
            }
            Event::End(TagEnd::Table) => {
                self.out.push(Event::End(TagEnd::Table));
                self.tag("</div>\n".to_owned());
            }
            Event::Start(Tag::TableCell) => self.open_cell(),
            Event::End(TagEnd::TableCell) => self.tag(format!("</{}>", self.table.cell())),
            event => {
                match event {
                    Event::Start(Tag::TableHead) => (self.table.is_head, self.table.column) = (true, 0),
                    Event::Start(Tag::TableRow) => (self.table.is_head, self.table.column) = (false, 0),
                    _ => {}
                }
                self.out.push(event);
            }
        }
    }

    /// A cell by hand: the library would align it by a style of its own, which the site's policy forbids.
    fn open_cell(&mut self) {
        let is_number = self.table.alignments.get(self.table.column) == Some(&Alignment::Right);
        self.table.column += 1;
        let scope = if self.table.is_head { " scope=\"col\"" } else { "" };
        self.tag(format!("<{}{scope}{}>", self.table.cell(), if is_number { " class=\"num\"" } else { "" }));
    }

    fn open_link(&mut self, to: &str) {
        let lower = to.to_ascii_lowercase();
        let is_outside = SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
        let inside = self.inside(to);
        self.links.push(is_outside || inside.is_some());
        if is_outside {
            self.tag(format!("<a href=\"{}\" rel=\"noopener noreferrer\">", escape(to)));
        } else if let Some(href) = inside {
            self.tag(format!("<a href=\"{}\">", escape(&href)));
        }
    }

    /// Where a link to another text or to a heading leads: `flow.md#outcomes`, `#words`.
    fn inside(&self, to: &str) -> Option<String> {
        let (file, anchor) = to.split_once('#').map_or((to, ""), |(file, anchor)| (file, anchor));
        let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
        let page = if file.is_empty() { String::new() } else { (self.href)(file.strip_suffix(".md")?) };
        (!page.is_empty() || !anchor.is_empty()).then(|| page + &anchor)
    }

    fn tag(&mut self, text: String) {
        self.out.push(Event::InlineHtml(CowStr::from(text)));
    }

    /// The anchor of a heading, as forges make it: `lock-wait`; a second one of the same words has a number behind it.
    fn id(&mut self, text: &str) -> String {
        let kept = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect::<String>();
        let id = kept.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        let id = if id.is_empty() { "section".to_owned() } else { id };
        let count = self.ids.entry(id.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { id } else { format!("{id}-{count}") }
    }
}

fn words<'a>(event: &'a Event<'_>) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => Some(text),
        Event::SoftBreak | Event::HardBreak => Some(" "),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        written(text, &|file| format!("../{file}/index.html")).html
    }

    #[test]
    fn nothing_acts() {
        assert_eq!(html("a <b onclick=x>c</b>"), "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n");
        assert_eq!(html("<script>alert(1)</script>"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
        assert_eq!(html("[go](javascript:alert(1)) ![a graph](https://x.example/a.png)"), "<p>go a graph</p>\n");
        assert_eq!(html("`<i>` & \"q\""), "<p><code>&lt;i&gt;</code> &amp; \"q\"</p>\n");
        assert!(!html("# \"><img src=x>\n\n## \"><img src=x>").contains("<img"));
    }

    #[test]
    fn links_lead_to_texts_headings_and_the_web() {
        assert_eq!(html("[f](flow.md#a)"), "<p><a href=\"../flow/index.html#a\">f</a></p>\n");
        assert_eq!(html("[a](#b)"), "<p><a href=\"#b\">a</a></p>\n");
        assert_eq!(html("[k](https://k6.io)"), "<p><a href=\"https://k6.io\" rel=\"noopener noreferrer\">k</a></p>\n");
        assert_eq!(html("[a](/etc/passwd) [b](x.html) [c]()"), "<p>a b c</p>\n");
    }

    #[test]
    fn headings_are_below_the_pages_and_have_anchors_of_their_own() {
        let Written { title, html, headings } = written("# T `x`\n\n## A, b!\n\n## A b\n\n# ?\n\n#### Deep", &str::to_owned);
        assert_eq!(title.as_deref(), Some("T x"));
        assert_eq!(
            html,
            "<h2 id=\"a-b\">A, b!</h2>\n<h2 id=\"a-b-2\">A b</h2>\n<h2 id=\"section\">?</h2>\n<h3 id=\"deep\">Deep</h3>\n"
        );
        assert_eq!(headings.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a-b", "a-b-2", "section"]);
    }

    #[test]
    fn tables_can_be_scrolled() {
        let html = html("| a | b |\n| --- | ---: |\n| 1 | 2 |");
        assert!(html.starts_with("<div class=\"scroll\"") && html.ends_with("</table>\n</div>\n"), "{html}");
        assert!(
            html.contains("<th scope=\"col\" class=\"num\">b</th>") && html.contains("<td>1</td><td class=\"num\">2</td>"),
            "{html}"
        );
        assert!(!html.contains("style"));
    }
}
