//! Words that try to break out of a page.

use plimsoll::ingest::page::Page;
use plimsoll::model::environment::{Flag, FlagState, Flags};
use plimsoll::model::page::{INTRODUCTION, LATENCIES};
use plimsoll::model::record::{ErrorKind, Note, Query, Recorded, StatedShare};
use plimsoll::source::Source;
use proptest::prelude::*;

use super::{again, read, same, write};

/// Texts that are code, markup or structure somewhere.
const WORDS: &[&str] = &[
    "{process.env}",
    "{",
    "}",
    "<script>alert(1)</script>",
    "<b>",
    "</td>",
    "<",
    ">",
    "a | b",
    "|",
    "\\|",
    "`",
    "``",
    "`code`",
    "`a|b`",
    "**bold**",
    "*",
    "_under_",
    "a_b",
    "~~gone~~",
    "~",
    "# title",
    "- item",
    "1. first",
    "> quote",
    "import x from 'y'",
    "export const a = 1",
    "<!-- hidden -->",
    "-->",
    "&amp;",
    "&",
    "&#60;",
    "\\",
    "\\n",
    "[x](javascript:alert(1))",
    "[link](https://example.org/a_b?c=1&d=2)",
    "![picture](https://example.org/x.png)",
    "[^1]",
    "[a]: b",
    "https://example.org",
    "\u{202e}right to left\u{202c}",
    "שלום",
    "مرحبا",
    "🦀🧪",
    "e\u{301}",
    "---",
    "```",
    "~~~",
    "<Chart/>",
    "{/* note */}",
    "$x$",
    "a\nb",
    "\t",
    "=",
    "+",
    "!",
    "\"",
    "'",
    ":::",
    "\u{a0}",
    "ß",
    "<br/>",
    "$(x)",
    "%20",
    "@a",
];

fn text() -> impl Strategy<Value = String> {
    let word =
        prop_oneof![3 => proptest::sample::select(WORDS).prop_map(str::to_owned), 1 => "[a-z|<{}`*_\\\\&~\\[\\]()!#🦀é]{1,12}"];
    // A word of our own at the start keeps the text from being a row's own grammar, which is another test's business.
    proptest::collection::vec(word, 1..6).prop_map(|words| format!("Say {}", words.join(" ")).trim().to_owned())
}

/// A text at the very start of a paragraph.
fn bare_text() -> impl Strategy<Value = String> {
    let words = proptest::collection::vec(proptest::sample::select(WORDS), 1..4);
    words
        .prop_map(|words| words.join(" ").trim().to_owned())
        .prop_filter("says something", |text| !text.is_empty() && text != "<br/>")
}

fn basket() -> Page {
    read(&Source::new("basket.mdx", include_str!("../../fixtures/pages/basket.mdx")))
}

/// A page that holds a text wherever a text may be.
fn page_of(text: &str, bare: &str) -> Page {
    let mut page = basket();
    let record = &mut page.record;
    let places = [INTRODUCTION, "Purpose", "Service Settings", "Observed errors", "Weather", LATENCIES];
    record.notes = places.iter().map(|place| Note { place: (*place).to_owned(), text: text.to_owned() }).collect();
    record.notes.insert(1, Note { place: INTRODUCTION.to_owned(), text: bare.to_owned() });
    record.notes.push(Note { place: LATENCIES.to_owned(), text: bare.to_owned() });
    record.identity.purpose = Some(text.to_owned());
    record.environment.client.location = Some(text.to_owned());
    record.recorded = Some(Recorded { label: text.replace(['\n', '.'], " "), message: String::new() });
    record.queries = vec![Query { seconds: Some(1.5), ..Query::named(text) }];
    record.errors.requests = None;
    record.errors.kinds.clear();
    record.errors.aborted_iterations.clear();
    record.errors.checks = Some(StatedShare { count: 1, of: 2, printed: Some("50%".to_owned()) });
    record.errors.failed_checks = vec![ErrorKind { count: 1, what: text.to_owned() }];
    let flag = Flag { level: Some("instance".to_owned()), ..Flag::new("plain", FlagState::On) };
    record.environment.service.flags = Some(Flags { flags: vec![flag], captured: None });
    page
}

/// Pages for the MDX compiler: every hostile word alone, and all of them together.
pub(super) fn pages() -> Vec<Page> {
    let alone = WORDS.iter().map(|word| page_of(&format!("Say {word}"), word));
    alone.chain([page_of(&format!("Say {}", WORDS.join(" ")), &WORDS.join(" "))]).collect()
}

/// What a reader of the rendered page sees of a text.
pub(super) fn shown(text: &str) -> String {
    // Links and code show their words only; the other words are tested alone.
    let plain = !text.contains(['[', '`']) && text.trim() == text;
    let text: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    if plain { text } else { String::new() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_words_come_back_as_they_were(text in text(), bare in bare_text()) {
        let page = page_of(&text, &bare);
        let text = write(&page, true);
        same(&text, &again(&text), &page);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(at in 0usize..6000, bytes in proptest::collection::vec(any::<u8>(), 0..8)) {
        let mut page = include_bytes!("../../fixtures/pages/basket.mdx").to_vec();
        let at = at.min(page.len());
        page.splice(at..(at + bytes.len()).min(page.len()), bytes);
        let _ = plimsoll::ingest::page::read(&Source::from_bytes("page.mdx", &page));
        let mut plain = include_bytes!("../../fixtures/pages/basket.txt").to_vec();
        plain.truncate(at);
        let _ = plimsoll::ingest::page::read(&Source::from_bytes("page.txt", &plain));
    }
}
