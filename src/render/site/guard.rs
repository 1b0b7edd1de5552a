//! Templates held against their views. An undefined name in a bare `if` is silently false in Tera, so that a renamed field
//! would silently empty a page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::comparison::AloneInput;
use super::method::{self, Asked, Chart, Ending, Line, Method, RuleText};
use super::page::{self, OfRun, Page, framed};
use super::view::{Cell, Chip, Labelled, Link};
use super::{Site, SiteInput, comparison, overview, release, run, target};
use crate::model::address::Address;
use crate::model::collection::{Archive, Difference, ReleaseRuns, Run};
use crate::model::comparison::{Compared, Comparison, KeyDifference, Level as Weight};
use crate::model::distribution::Distribution;
use crate::model::finding::{Finding, Level};
use crate::model::record::{Record, WindowBasis};
use crate::model::series::{Series, SeriesPoint, Traffic, TrendSeries};
use crate::model::verdict::Verdict;
use crate::render::templates::{Templates, names};

/// Names that a template may use without a view: loop variables and the arguments of its parts.
const LOCAL: [&str; 4] = ["loop", "value", "groups", "list"];

fn fields(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                into.insert(key.clone());
                fields(inner, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, into)),
        _ => {}
    }
}

fn json<V: Serialize>(view: &V) -> Value {
    serde_json::to_value(view).unwrap_or_else(|e| unreachable!("{e}"))
}

fn top(value: &Value) -> BTreeSet<String> {
    value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

/// Names that a template asks of something: `cell.text` asks for `text`.
fn asked(text: &str) -> BTreeSet<String> {
    let pattern = |pattern: &str| regex::Regex::new(pattern).unwrap_or_else(|e| unreachable!("{e}"));
    let (tags, member) = (pattern(r"(?s)\{[\{%](.*?)[%\}]\}"), pattern(r"\.([a-z_0-9]+)"));
    let mut asked = BTreeSet::new();
    for tag in tags.captures_iter(text) {
        let code: String = tag[1].split('"').step_by(2).collect();
        asked.extend(member.captures_iter(&code).map(|name| name[1].to_owned()));
    }
    asked
}

/// Templates that are filled, rather than copied.
fn pages() -> impl Iterator<Item = &'static str> {
    let is_filled = |name: &&str| Path::new(name).extension().is_some_and(|ending| ending == "html" || ending == "xml");
    names().filter(|name| name.starts_with("site/")).filter(is_filled)
}

/// A view of every page, with something in every list.
fn views() -> Vec<(&'static str, Value)> {
    let mut record: Record = read(include_str!("../../../tests/fixtures/site/record.json"));
    record.failures = crate::render::populations::example().failures;
    let verdict: Verdict = read(include_str!("../../../tests/fixtures/site/verdict.json"));
    let (address, templates) = (record.address(), Templates::embedded().unwrap_or_else(|e| unreachable!("{e}")));
    let bare = Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None };
    let texts = || ["what", "hand", "machine", "file"].map(str::to_owned);
    let [what, by_hand, by_machine, file] = texts();
    let full = Run {
        differences: vec![Difference { what, by_hand, by_machine, file }],
        notes: texts().to_vec(),
        k6_text: Some("k6".to_owned()),
        series: Some(series()),
        ..bare.clone()
    };
    let mut comparison: Comparison = read(include_str!("../../../tests/fixtures/site/comparison.json"));
    for target in &mut comparison.targets {
        let [key, a, b] = ["database.vcpu", "4", "8"].map(str::to_owned);
        let (a, b, level) = (Some(a), Some(b), Weight::Blocking);
        target.contract.differences.push(KeyDifference { key, level, a, b, behavioural: false, accepted: None });
    }
    let earlier: Address = "v2.0.0/checkout~2".parse().unwrap_or_else(|_| unreachable!());
    let release = |address: &Address, run: &Run| {
        let runs = [(address.clone(), run.clone())].into();
        ReleaseRuns { name: address.release.clone(), order: None, notes: texts().to_vec(), runs }
    };
    let archive = Archive::new(vec![release(&earlier, &full), release(&address, &full)]);
    let comparisons = [Compared { a: earlier.release, b: address.release.clone(), comparison }];
    let (verdicts, drawings) = ([(address.clone(), verdict)].into(), [(address.clone(), "<svg/>".to_owned())].into());
    let goals = [(address.target.clone(), 10.0)].into();
    let findings = [finding(Some(address.run())), finding(None)];
    let method = explained();
    let input = SiteInput {
        archive: &archive,
        verdicts: &verdicts,
        findings: &findings,
        method: &method,
        goals: &goals,
        drawings: &drawings,
        comparisons: &comparisons,
        title: "t",
        service_name: "s",
        url: "https://bench.example",
        templates: &templates,
    };
    let bare = Page::Run(OfRun {
        address: &address,
        run: &bare,
        verdict: None,
        drawing: None,
        since: None,
        findings: Vec::new(),
        common: Arc::default(),
    });
    let pages = page::all(&input).unwrap_or_else(|e| unreachable!("{e}"));
    let mut views: Vec<_> = pages.iter().chain([&bare]).filter_map(|page| view(input.site(), page)).collect();
    let alone =
        AloneInput { comparison: &comparisons[0].comparison, archive: &archive, service_name: "s", templates: &templates };
    views.push(("site/comparison/alone.html", json(&comparison::alone(&alone))));
    views
}

/// A method with something in every list.
fn explained() -> Method {
    let words = || "w".to_owned();
    Method {
        own: [("own".to_owned(), "# A\n\n## B\n\n## C".to_owned())].into(),
        flow: Chart {
            title: words(),
            reading: words(),
            questions: vec![Asked { ask: words(), lines: vec![Line { name: "when", text: words() }] }],
            outcomes: vec![Ending { class: "done", label: words(), action: words() }],
            ..Chart::default()
        },
        rules: vec![RuleText { code: "code", level: Level::Note, title: "t", reason: "r", hint: "h" }],
    }
}

fn finding(run: Option<String>) -> Finding {
    let texts = ["code", "message", "hint"].map(str::to_owned);
    let [code, message, hint] = texts;
    let release = "v2.1.0".to_owned();
    Finding { release, run, code, level: Level::Note, message, figures: BTreeMap::new(), hint, accepted: Some("why".to_owned()) }
}

fn view(site: Site<'_>, page: &Page<'_>) -> Option<(&'static str, Value)> {
    let whole = page.around(site);
    Some(match page {
        Page::Copy(..)
        | Page::Index(..)
        | Page::Record(..)
        | Page::Csv(..)
        | Page::Series(..)
        | Page::K6Text(..)
        | Page::Data(..) => return None,
        Page::History(page) => ("site/target.html", json(&framed(whole, &target::view(site, page)))),
        Page::Overview(input) => ("site/index.html", json(&framed(whole, &overview::view(input)))),
        Page::Release(page) => ("site/release.html", json(&framed(whole, &release::view(site, page)))),
        Page::Run(page) => ("site/run.html", json(&framed(whole, &run::view(site, page)))),
        Page::Method(page) => ("site/method.html", json(&framed(whole, &method::view(site, page)))),
        Page::Pair(compared) => ("site/comparison.html", json(&framed(whole, &comparison::pair(site, compared)))),
        Page::Target(page) => ("site/comparison/target.html", json(&framed(whole, &comparison::target(site, page)))),
        Page::Whole(file) => return file.view(site),
    })
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|e| unreachable!("{e}"))
}

fn series() -> Series {
    let point = |second| SeriesPoint { second, p50: 1, p95: 2, p99: 3, count: Some(1) };
    let trend = |seconds: std::ops::Range<i64>| TrendSeries { points: seconds.map(point).collect(), successes: None };
    let mut distribution = Distribution::default();
    distribution.add(1_000_000, 9);
    Series {
        trends: [("a".to_owned(), trend(0..90)), ("b".to_owned(), trend(0..1))].into(),
        traffic: Some(Traffic { start: 0, columns: [("http_reqs".to_owned(), vec![1; 90])].into(), vus: Vec::new() }),
        distributions: [("http_req_duration".to_owned(), distribution)].into(),
        ..Series::default()
    }
}

#[test]
fn every_name_a_template_asks_for_is_a_field_of_its_view() {
    let templates = Templates::embedded().unwrap_or_else(|e| unreachable!("{e}"));
    for (name, view) in &views() {
        let known = top(view);
        for variable in templates.variables(name) {
            assert!(known.contains(&variable) || LOCAL.contains(&variable.as_str()), "{name} asks for `{variable}`");
        }
    }
}

#[test]
fn every_field_a_template_asks_for_is_in_some_view() {
    let templates = Templates::embedded().unwrap_or_else(|e| unreachable!("{e}"));
    let mut known: BTreeSet<String> = ["first", "last", "index"].map(str::to_owned).into();
    for (_, view) in views() {
        fields(&view, &mut known);
    }
    let parts = (
        Chip::default(),
        Cell::default(),
        Link::default(),
        Labelled { label: String::new(), meaning: String::new(), cell: Cell::default() },
    );
    fields(&json(&parts), &mut known);
    for name in pages() {
        for field in asked(templates.text(name).unwrap_or_default()) {
            assert!(known.contains(&field), "{name} asks something for `{field}`");
        }
    }
}

#[test]
fn only_fields_named_as_markup_go_through_unescaped() {
    let templates = Templates::embedded().unwrap_or_else(|e| unreachable!("{e}"));
    for name in pages() {
        let text = templates.text(name).unwrap_or_default();
        for (at, _) in text.match_indices("| safe") {
            let field = text[..at].trim_end().rsplit(['{', ' ', '.']).next().unwrap_or_default();
            assert!(field.ends_with("_html") || field.ends_with("_svg"), "{name}: `{field}` is no markup");
        }
    }
}

#[test]
fn a_run_of_raw_samples_tells_its_failures_and_its_successes() {
    let templates = Templates::embedded().unwrap_or_else(|e| unreachable!("{e}"));
    let mut record = crate::render::populations::example();
    record.window.start = record.phases.as_ref().and_then(|phases| phases.test.as_ref()).map(|test| test.first);
    record.window.basis = Some(WindowBasis::Samples);
    let address = record.address();
    let run = Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None };
    let runs = [(address.clone(), run)].into();
    let archive = Archive::new(vec![ReleaseRuns { name: address.release.clone(), order: None, notes: Vec::new(), runs }]);
    let method = Method::default();
    let input = SiteInput {
        archive: &archive,
        findings: &[],
        method: &method,
        goals: &std::collections::BTreeMap::new(),
        verdicts: &std::collections::BTreeMap::new(),
        drawings: &std::collections::BTreeMap::new(),
        comparisons: &[],
        title: "t",
        service_name: "s",
        url: "",
        templates: &templates,
    };
    let tree = super::render(&input).unwrap_or_else(|e| unreachable!("{e}"));
    let page = tree.get(&format!("{address}/index.html")).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let page = page.unwrap_or_default();
    let told = |line: &&str| {
        ["Successful requests of", "requests failed", "checks failed", "Failed requests", "first to last"]
            .iter()
            .any(|word| line.contains(word))
    };
    insta::assert_snapshot!(page.lines().filter(told).collect::<Vec<_>>().join("\n"));
}
