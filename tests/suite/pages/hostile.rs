//! Words that try to break out of a page.

use plimsoll::ingest::k6;
use plimsoll::ingest::page::{self, Page};
use plimsoll::model::environment::{Flag, FlagState, Flags, Setting, SettingGroup, SettingLayout};
use plimsoll::model::page::{INTRODUCTION, LATENCIES, LATENCIES_HEADING, PageRow};
use plimsoll::model::profile::Profile;
use plimsoll::model::record::{ErrorKind, Errors, Note, Override, Query, QueryClass, Recorded, StatedShare};
use plimsoll::model::verdict::{Class, Outcome, Verdict};
use plimsoll::render::docs::{self, DocsRun, Layout};
use plimsoll::render::templates::Templates;
use plimsoll::source::Source;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::{LAYOUTS, again, read, run_of, same, write_as};

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
    // What braces and brackets open.
    "p(95)<500",
    "p(95) < 500",
    "{ expected_response:true }",
    "http_req_duration{expected_response:true}",
    "{/* keep:start */}",
    "{\"\"}",
    "{`${x}`}",
    "{...props}",
    "</",
    "<>",
    "</>",
    "<a href='x'>y</a>",
    "<https://example.org/a_b>",
    "<me@example.org>",
    "<?php ?>",
    "<!DOCTYPE html>",
    "<![CDATA[x]]>",
    "<div>",
    "<details><summary>x</summary>",
    "<BenchmarkChart testResults={OutputSource} />",
    "<style>*{display:none}</style>",
    // Addresses, which GFM takes as they are written.
    "http://example.org/{id}?a=<b>&c=d|e",
    "https://example.org/_x_/*y*/~z~",
    "https://example.org/?a=1&amp;b=2",
    "https://example.org/a\\b",
    "https://example.org/(x)",
    "https://example.org/a_",
    "HTTP://EXAMPLE.ORG/{X}",
    "www.example.org",
    "www.example.org/{x}_y_",
    "WWW.example.org/*",
    "ftp://example.org/{a}",
    "a@example.org",
    "_a_@example.org",
    "a+b@example.org_",
    "mailto:a@example.org",
    "xmpp:a@example.org/{x}",
    "(https://example.org/[x])",
    "[https://example.org](https://example.org/a)",
    "[a b](mailto:a@example.org)",
    "[a_b_](#k6-output)",
    "[](https://example.org)",
    "[a](https://example.org \"title\")",
    "[a][b]",
    "[a]: https://example.org",
    "[x]: y",
    "![a](b)",
    "[^note]: words",
    // What begins a block at the start of a line.
    "import",
    "export default 1",
    "import('x')",
    "imports",
    "===",
    "=====",
    "***",
    "___",
    "- - -",
    "+ item",
    "* item",
    "1) first",
    "12. twelfth",
    "1.",
    "- [ ] task",
    "[x] task",
    "###### six",
    "#hash",
    "#",
    "> > quote",
    "| a | b |",
    "|---|---|",
    ":---",
    "````",
    "``````mdx-code-block",
    "~~~~",
    ": definition",
    "term\n: definition",
    "    four spaces",
    "\ttab",
    "two spaces  ",
    "backslash\\",
    "backslash\\\nline",
    "line  \nline",
    "a\n\nb",
    "a\r\nb",
    "a\rb",
    "# a [#b]",
    "a {#b}",
    "a \\{#b\\}",
    "{#b}",
    "[#b]",
    "a #",
    "a ##",
    // Directives, emoji and formulas of some sites.
    ":::note",
    ":::note Title",
    "::::",
    ":note[words]{a=b}",
    "a:b",
    "::leaf",
    "::a::b",
    ":smile:",
    ":+1: :100: 10:30:15",
    "a:smile:b",
    "$x$",
    "$$x$$",
    "$1 and $2",
    "$`x`$",
    "\\(x\\)",
    "==marked==",
    "H~2~O ^x^ ++y++",
    "\"quoted\" -- and... (c)",
    // References.
    "&#65;",
    "&#x41;",
    "&lt;b&gt;",
    "&nbsp;",
    "&copy",
    "&unknown;",
    "&#0;",
    "R&D",
    "a && b",
    // Emphasis in corners.
    "**",
    "***a** b*",
    "a*b*c",
    "_",
    "__init__",
    "a_b_c",
    "_a_b_",
    "é_x_é",
    "e\u{301}_x",
    "~a~",
    "~~a~~ b~",
    "`` ` ``",
    "` `",
    "`a",
    "a``b`",
    "`{x}` and `<b>`",
    "`https://example.org/{x}`",
    "```js\nx\n```",
    "`a\\`",
    // Letters of all kinds.
    "👩\u{200d}👩\u{200d}👧\u{200d}👦",
    "👍🏽 🇨🇭 1\u{fe0f}\u{20e3}",
    "\u{2067}עברית\u{2069} (x)",
    "\u{200f}\u{200e}\u{61c}",
    "\u{feff}x\u{feff}",
    "a\u{2028}b\u{2029}c",
    "a\u{85}b",
    "a\u{0}b\u{1}c\u{1b}[31md\u{7f}e\u{9b}f",
    "a\u{b}b\u{c}c",
    "\u{fffe}\u{ffff}\u{fdd0}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}",
    "z\u{351}\u{36b}\u{343}a\u{32b}lgo",
    "x\u{200b}y\u{ad}z",
    "\u{3000}wide\u{3000}",
    "ﷺ Ǆ ŉ ﬃ",
    // Values that YAML reads as something else.
    "yes",
    "Null",
    "~",
    "1e3",
    "0x1F",
    "0o17",
    "12:30:45",
    "2026-08-27",
    ".inf",
    "- a: b",
    "a: b # c",
    "!!str x",
    "&anchor *alias",
    "%TAG",
    "? key",
    "'single' \"double\"",
    "...",
    "--- x",
    "{a: b}",
    "[a, b]",
    "|",
    ">-",
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

/// The rows that hold a note behind what they say themselves, in the order in which a page has them.
const NOTED: [PageRow; 14] = [
    PageRow::Purpose,
    PageRow::Vus,
    PageRow::ClientLocation,
    PageRow::ServiceContainer,
    PageRow::ServiceVersion,
    PageRow::ServiceSettings,
    PageRow::Database,
    PageRow::DatabaseSpecification,
    PageRow::ServiceMetrics,
    PageRow::Errors,
    PageRow::Queries,
    PageRow::DatabaseMetrics,
    PageRow::IterationsPerS,
    PageRow::K6Output,
];

/// A page that holds a text wherever a page's reader takes any text; where a row has a grammar, the text is cut to what that
/// may hold (no dot in a kind of error, no blank in a setting).
fn page_of(text: &str, bare: &str) -> Page {
    let mut page = basket();
    let record = &mut page.record;
    let note = |place: &str, text: &str| Note { place: place.to_owned(), text: text.to_owned() };
    record.notes = vec![note(INTRODUCTION, text), note(INTRODUCTION, bare)];
    record.notes.extend(NOTED.map(|row| note(row.place(), text)));
    record.notes.extend([note("Weather", text), note(&format!("Odd {}", one_line(text)), text)]);
    record.notes.extend([
        note(LATENCIES_HEADING, &format!("Latencies {}", one_line(text))),
        note(LATENCIES, text),
        note(LATENCIES, bare),
    ]);
    let some = || Some(text.to_owned());
    record.identity.title = some();
    record.identity.sidebar_label = Some(bare.to_owned());
    record.identity.baseline = some();
    record.identity.purpose = some();
    let environment = &mut record.environment;
    (environment.client.location, environment.client.machine, environment.client.k6_version) = (some(), some(), some());
    (environment.service.location, environment.service.version, environment.database.location) = (some(), some(), some());
    // What a page shows decides: a control is one letter of more bytes there.
    let shown = settled(text);
    let is_tier = shown.len() < 100 && !shown.contains(": ") && !shown.contains(". ") && !shown.ends_with('.');
    if is_tier {
        environment.database.tier = some();
    }
    let setting = Setting::new("Key", settled(text).split_whitespace().collect::<String>());
    environment.service.settings =
        vec![SettingGroup { name: "Hostile".to_owned(), layout: SettingLayout::Lines, entries: vec![setting] }];
    let flag = Flag { level: Some("instance".to_owned()), ..Flag::new("plain", FlagState::On) };
    environment.service.flags = Some(Flags { flags: vec![flag], captured: None });
    record.recorded = Some(Recorded { label: one_line(text).replace('.', " ").trim().to_owned(), message: one_line(text) });
    let waiting = Query { class: Some(QueryClass::LockWait), remark: some(), ..Query::named("Push") };
    record.queries = vec![Query { seconds: Some(1.5), ..Query::named(text) }, waiting];
    let kind = |what: String| vec![ErrorKind { count: 1, what }];
    let share = || Some(StatedShare { count: 1, of: 2, printed: Some("50%".to_owned()) });
    (record.errors.requests, record.errors.checks) = (share(), share());
    record.errors.kinds = kind(text.replace(['.', ','], " ").trim().to_owned());
    record.errors.aborted_iterations = kind(text.replace('.', " ").trim().to_owned());
    record.errors.failed_checks = kind(text.trim().to_owned());
    name_a_check(&mut page, text);
    page
}

/// Puts a text into k6's output, as the name of a check.
fn name_a_check(page: &mut Page, text: &str) {
    let k6 = page.k6_text.take().unwrap_or_default();
    let named = k6.replacen("    \u{2713} org removed", &format!("    \u{2713} {}", one_line(&settled(text))), 1);
    let read = k6::read_text(&Source::new("k6.txt", named.as_str()));
    let (summary, verbatim) = read.map_or_else(|_| (page.record.k6.clone(), k6), |run| (Some(run.summary), run.verbatim));
    (page.record.k6, page.k6_text) = (summary, Some(verbatim));
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// A text as a page gives it back: without white space at its ends, controls as the replacement character.
fn settled(text: &str) -> String {
    let unshown = |c: char| (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.trim().chars().map(|c| if unshown(c) { '\u{fffd}' } else { c }).collect()
}

/// What a page that holds a text tells when it is read again. Front matter gives every character back.
fn told(text: &str, bare: &str, profile: Profile) -> Page {
    let mut page = page_of(&settled(text), &settled(bare));
    // A text that is nothing but white space says nothing.
    page.record.notes.retain(|note| !note.text.is_empty());
    page.record.identity.sidebar_label = Some(bare.to_owned()).filter(|label| !label.trim().is_empty());
    if profile.is_mdx() {
        page.record.identity.title = Some(text.trim().to_owned());
    }
    page
}

/// All hostile texts: by hand, long ones, random ones (the same every time), and all by hand at once.
fn texts() -> Vec<(String, String)> {
    // In every field of a page they are together near what a page may have of marks.
    let long = ["word ", "{a} ", "`", "http://", "|<b>", "\u{202e}"].map(|part| part.repeat(600 / part.len()));
    let by_hand = WORDS.iter().map(|word| (*word).to_owned()).chain(long).map(|word| (format!("Say {word}"), word));
    let mut runner = TestRunner::deterministic();
    let mut random = || (text().new_tree(&mut runner).unwrap().current(), bare_text().new_tree(&mut runner).unwrap().current());
    let random: Vec<_> = (0..60).map(|_| random()).collect();
    by_hand.chain(random).chain([(format!("Say {}", WORDS.join(" ")), WORDS.join(" "))]).collect()
}

/// A verdict that says a text wherever it can.
fn verdict(text: &str) -> Verdict {
    let outcome = Outcome { name: text.to_owned(), class: Class::Scale, label: format!("Label {text}"), action: text.to_owned() };
    Verdict {
        release: "v1".to_owned(),
        target: "basket_flow".to_owned(),
        run: "basket_flow".to_owned(),
        flow: text.to_owned(),
        outcome,
        message: format!("Message {text}"),
        path: Vec::new(),
        undetermined: vec![text.to_owned()],
        counterfactuals: Vec::new(),
        recorded: None,
        overridden: None,
    }
}

/// A page with a text where its reader has a grammar, or leaves out what it reads.
fn wild_of(text: &str) -> Page {
    let mut page = basket();
    let record = &mut page.record;
    let some = || Some(text.to_owned());
    record.overridden = Some(Override { outcome: text.to_owned(), reason: text.to_owned(), author: some() });
    let flag = |level| Flag { level, paths: vec![text.to_owned()], ..Flag::new(text, FlagState::On) };
    record.environment.service.flags = Some(Flags { flags: vec![flag(some()), flag(None)], captured: None });
    let group = |layout| SettingGroup { name: text.to_owned(), layout, entries: vec![Setting::new(text, text)] };
    record.environment.service.settings = vec![group(SettingLayout::Lines), group(SettingLayout::List)];
    record.environment.database.settings = vec![group(SettingLayout::List)];
    (record.environment.database.kind, record.environment.database.version) = (some(), some());
    record.errors = Errors { kinds: vec![ErrorKind { count: 1, what: text.to_owned() }], ..Errors::default() };
    record.errors.requests = Some(StatedShare { count: 1, of: 2, printed: some() });
    record.notes = vec![Note { place: format!("Odd {text}"), text: text.to_owned() }];
    page
}

/// A page for the compiler: its name, its text, and what it must show as JSON.
pub(super) type Compiled = (String, String, serde_json::Value);

/// Every hostile text in a page that is read back, and in one that says it where nobody reads it back; and what came back
/// otherwise.
pub(super) fn compiled(layout: Layout<'_>) -> (Vec<Compiled>, Vec<String>) {
    let templates = Templates::embedded().unwrap();
    let series = super::series();
    let (mut pages, mut wrong) = (Vec::new(), Vec::new());
    for (at, (text, bare)) in texts().iter().enumerate() {
        let series = (at % 2 == 0).then_some(&series);
        let (page, verdict) = (page_of(text, bare), verdict(text));
        let run = DocsRun { verdict: Some(&verdict), ..run_of(layout, &page, series) };
        let written = docs::page(&templates, &run).unwrap();
        wrong.extend(difference(text, &written, &told(text, bare, layout.profile)));
        let title = format!("{text} benchmark of zitadel {}", page.record.identity.release);
        let mut shown: Vec<String> = page.record.notes.iter().flat_map(|note| [note.place.clone(), note.text.clone()]).collect();
        shown.retain(|text| {
            PageRow::named(text).is_none() && ![INTRODUCTION, LATENCIES, LATENCIES_HEADING].contains(&text.as_str())
        });
        shown.extend([verdict.message, verdict.outcome.label]);
        let wanted = serde_json::json!({"title": title, "sidebar_label": bare, "texts": shown, "k6": told(text, bare, layout.profile).k6_text});
        pages.push((format!("hostile-{at}"), written, wanted));
        // One in three: what a compiler reads there is written by the same hand.
        if at % 3 > 0 {
            continue;
        }
        let wild = wild_of(text);
        let run = DocsRun { service_name: text, ..run_of(layout, &wild, series) };
        let written = docs::page(&templates, &run).unwrap();
        let address = page::read(&Source::new("written", written.as_str())).map(|page| page.record.address());
        wrong.extend((address.as_ref() != Ok(&wild.record.address())).then(|| format!("wild {text:.80}: {address:?}")));
        pages.push((format!("wild-{at}"), written, serde_json::json!({"texts": [text]})));
    }
    (pages, wrong)
}

/// The first line in which a written page tells another record than the one it was made of.
fn difference(text: &str, written: &str, wanted: &Page) -> Option<String> {
    let json = |page: &Page| {
        serde_json::to_string_pretty(&page.record).unwrap() + page.k6_text.as_deref().unwrap_or_default().trim_end()
    };
    let got = match page::read(&Source::new("written", written)) {
        Ok(page) => json(&page),
        Err(faults) => return Some(format!("{text:.80}: {faults}")),
    };
    let wanted = json(wanted);
    let (left, right) = got.lines().zip(wanted.lines()).find(|(left, right)| left != right)?;
    Some(format!("{text:.80}:\n  got    {left:.200}\n  wanted {right:.200}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_words_come_back_as_they_were(text in text(), bare in bare_text(), layout in proptest::sample::select(&LAYOUTS)) {
        let written = write_as(layout, &page_of(&text, &bare), true);
        same(&written, &again(&written), &told(&text, &bare, layout.profile));
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
