//! Published pages: read, written, read again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plimsoll::ingest::page::{self, Page};
use plimsoll::model::profile::Profile;
use plimsoll::model::series::{Series, SeriesPoint, TrendSeries};
use plimsoll::render::docs::{self, DocsRun, Layout};
use plimsoll::render::templates::Templates;
use plimsoll::source::Source;

use super::material::{folders, name, shared};

/// Typed values of published pages, by hand from the pages.
mod facts;
/// Records that nobody published: what the writer can say, the reader understands.
mod generated;
/// Words that try to break out of a page.
mod hostile;
/// The real MDX compiler over every page that is written.
mod mdx;
/// Every published page and every seed, there and back.
mod published;
/// The published per-second series.
mod series;

/// The folders of all published runs by `RELEASE/TARGET`.
fn runs() -> BTreeMap<String, PathBuf> {
    let releases = shared("data/published").map(|path| folders(&path)).unwrap_or_default();
    releases
        .iter()
        .flat_map(|release| folders(release).into_iter().map(|run| (format!("{}/{}", name(release), name(&run)), run)))
        .collect()
}

/// The four documents this project began with, by file name.
fn seeds() -> BTreeMap<String, Source> {
    let files = shared("data/seeds").map(|path| std::fs::read_dir(path).unwrap()).into_iter().flatten();
    files.map(|file| file.unwrap().path()).map(|path| (name(&path).to_owned(), source(&path))).collect()
}

/// Every published page and every seed.
fn pages() -> BTreeMap<String, Source> {
    let published = runs().into_iter().map(|(name, run)| (name, source(&run.join("page.mdx"))));
    published.chain(seeds()).collect()
}

fn source(path: &Path) -> Source {
    Source::from_bytes(name(path), &std::fs::read(path).unwrap())
}

fn read(source: &Source) -> Page {
    page::read(source).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Every way to write a page: the profiles, and those of MDX with pictures instead of a component.
const LAYOUTS: [Layout<'static>; 5] = [
    Layout { profile: Profile::Fumadocs, url: "", chart: "@/components/benchmark_chart" },
    Layout { profile: Profile::Docusaurus, url: "", chart: "@site/src/components/benchmark_chart" },
    Layout { profile: Profile::Markdown, url: "", chart: "" },
    Layout { profile: Profile::Fumadocs, url: "", chart: "" },
    Layout { profile: Profile::Docusaurus, url: "", chart: "" },
];

/// Two trends of a minute.
fn series() -> Series {
    let point = |second| SeriesPoint { second, p50: 1_000 + second * 7, p95: 2_000, p99: 3_000, count: None };
    let trend = |_| TrendSeries { points: (0..60).map(point).collect(), successes: None };
    let names = ["http_req_duration", "{a} <b> [c](d) _e_ *f*"];
    Series { trends: names.map(|name| (name.to_owned(), trend(name))).into(), ..Series::default() }
}

/// A page in the layout of ZITADEL's docs.
fn write(page: &Page, has_series: bool) -> String {
    write_as(LAYOUTS[0], page, has_series)
}

fn write_as(layout: Layout<'_>, page: &Page, has_series: bool) -> String {
    let series = has_series.then(series);
    docs::page(&Templates::embedded().unwrap(), &run_of(layout, page, series.as_ref())).unwrap()
}

/// What is written of a page.
fn run_of<'a>(layout: Layout<'a>, page: &'a Page, series: Option<&'a Series>) -> DocsRun<'a> {
    let k6_text = page.k6_text.as_deref();
    DocsRun { record: &page.record, verdict: None, service_name: "ZITADEL", series, k6_text, layout, position: Some(3) }
}

/// Reads a text as a page.
fn again(text: &str) -> Page {
    read(&Source::new("written.mdx", text))
}

/// Two pages tell the same, shown as JSON where they don't.
fn same(name: &str, a: &Page, b: &Page) {
    let text = |page: &Page| serde_json::to_string_pretty(&page.record).unwrap();
    let (left, right) = (text(a), text(b));
    for (left, right) in left.lines().zip(right.lines()) {
        assert_eq!(left, right, "{name}");
    }
    assert_eq!(a.record, b.record, "{name}");
    assert_eq!(a.k6_text.as_deref().map(str::trim_end), b.k6_text.as_deref().map(str::trim_end), "{name}");
}

/// The cells of a page's table by row name, split at line breaks, escapes undone.
fn cells(text: &str) -> BTreeMap<String, Vec<String>> {
    let rows = text.lines().filter_map(|line| line.strip_prefix('|')).map(|line| line.trim_end().trim_end_matches('|'));
    rows.filter_map(|row| row.split_once('|')).map(|(name, value)| (words(name), lines(value))).collect()
}

fn lines(cell: &str) -> Vec<String> {
    let cell = cell.replace("<br />", "<br/>");
    cell.split("<br/>").map(words).filter(|line| !line.is_empty()).collect()
}

/// A text without escapes and links, its white space single.
fn words(text: &str) -> String {
    let text = text.replace('\\', "").replace("[output](#k6-output)", "output");
    let link = text.find("](http").and_then(|at| Some((at, text[..at].rfind('[')?, at + text[at..].find(')')?)));
    let text = match link {
        Some((at, open, close)) => format!("{}{}{}", &text[..open], &text[open + 1..at], &text[close + 1..]),
        None => text,
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
