//! The site: whole pages, hostile words, links, order.

mod comparison;
mod published;
pub(crate) mod sample;

use std::collections::BTreeMap;

use plimsoll::model::collection::Archive;
use plimsoll::render::site::method::Method;
use plimsoll::render::site::{RenderError, SiteInput, links, render};
use plimsoll::render::templates::Templates;
use plimsoll::tree::Tree;
use sample::{Sample, everything};

fn input<'a>(sample: &'a Sample, templates: &'a Templates) -> SiteInput<'a> {
    SiteInput {
        archive: &sample.archive,
        verdicts: &sample.verdicts,
        drawings: &sample.drawings,
        comparisons: &sample.comparisons,
        findings: &sample.findings,
        method: &sample.method,
        goals: &sample.goals,
        title: &sample.words,
        service_name: &sample.words,
        url: "",
        templates,
    }
}

fn rendered(sample: &Sample, templates: &Templates) -> Tree {
    render(&input(sample, templates)).unwrap()
}

fn site(text: &str) -> Tree {
    rendered(&everything(text), &Templates::embedded().unwrap())
}

fn page(tree: &Tree, path: &str) -> String {
    String::from_utf8(tree.get(path).unwrap_or_else(|| panic!("no {path}")).to_vec()).unwrap()
}

fn pages(tree: &Tree) -> Vec<(String, String)> {
    let html = tree.iter().filter(|(path, _)| path.file_name() == "index.html");
    html.map(|(path, bytes)| (path.to_string(), String::from_utf8(bytes.to_vec()).unwrap())).collect()
}

#[test]
fn the_overview_reads_as_written() {
    insta::assert_snapshot!(page(&site("words"), "index.html"));
}

#[test]
fn a_release_reads_as_written() {
    insta::assert_snapshot!(page(&site("words"), "v2.1.0/index.html"));
}

#[test]
fn a_run_of_which_everything_is_known_reads_as_written() {
    insta::assert_snapshot!(page(&site("words"), "v2.1.0/checkout/index.html"));
}

#[test]
fn a_run_without_a_series_shows_ranges() {
    let html = page(&site("words"), "v2.1.0/checkout~2/index.html");
    assert!(html.contains("class=\"chart ranges\"") && html.contains("No per-second series was captured"));
}

#[test]
fn a_run_of_which_nothing_is_known_says_so() {
    let html = page(&site("words"), "v2.0.0/checkout/index.html");
    insta::assert_snapshot!(html);
    assert!(html.matches("ot captured").count() > 25, "every row says that it was not captured");
}

#[test]
fn every_row_of_a_published_page_has_its_place() {
    use plimsoll::model::page::PageRow;
    let html = page(&site("words"), "v2.1.0/checkout/index.html");
    let elsewhere = |row| match row {
        PageRow::ServiceMetrics => Some("Service and database during the test"),
        PageRow::DatabaseMetrics => Some("id=\"captured-database\""),
        PageRow::Queries => Some("Most expensive database queries"),
        PageRow::IterationsPerS => Some("Iterations per second"),
        PageRow::Outcome => Some("id=\"outcome\""),
        _ => None,
    };
    for row in PageRow::ALL {
        let name = elsewhere(row).map_or_else(|| row.name("words words", 3), str::to_owned);
        assert!(html.contains(&name), "{row:?}: {name}");
    }
}

#[test]
fn hostile_words_are_text_on_every_page() {
    let long = "w".repeat(10_240);
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "'><svg onload=alert(1)>",
        "</pre></title></style><b>",
        "{{ 7 * 7 }}{% raw %}",
        "&lt;i&gt;\u{202e}desrever\u{202c} שלום",
        "<!-- --><![CDATA[",
        long.as_str(),
    ];
    let shape = |html: &str| -> Vec<(String, Vec<String>)> {
        let names = |e: links::Element| (e.name, e.attributes.into_iter().map(|(name, _)| name).collect());
        links::elements(html).into_iter().map(names).collect()
    };
    let calm = pages(&site("words"));
    for text in hostile {
        for ((path, calm), (_, html)) in calm.iter().zip(pages(&site(text))) {
            assert_eq!(shape(calm), shape(&html), "{path} with {text:.60}");
            let escaped = plimsoll::render::markup::escape(text);
            assert!(path.ends_with("v2.0.0/checkout/index.html") || html.contains(&*escaped), "{path} lost {text:.60}");
        }
    }
}

/// These sites stay in the tests' folder, for the browser.
#[test]
fn a_calm_and_a_hostile_site_are_whole() {
    let text = format!("\"><img src=x onerror=alert(1)><script>alert(2)</script>\u{202e}{}", "w".repeat(10_240));
    let tree = site(&text);
    assert_eq!(links::check(&tree), []);
    published::keep(&tree, "hostile");
    published::keep(&site("words"), "sample");
}

#[test]
fn the_same_runs_make_the_same_bytes() {
    assert_eq!(site("words"), site("words"));
}

#[test]
fn every_link_leads_somewhere_and_none_leaves_but_those_of_notes() {
    let tree = site("words");
    assert_eq!(links::check(&tree), []);
    for (path, html) in pages(&tree) {
        for (element, href) in links::leaving(&html) {
            assert!(element == "a" && href.contains("example.org"), "{path}: {element} {href}");
        }
        assert!(!html.contains(" style=") && !html.contains("<style"), "{path}");
        // Scripts are files of the site, each an element with nothing in it.
        assert_eq!(html.matches("<script").count(), html.matches(" defer></script>").count(), "{path}");
    }
}

#[test]
fn an_address_of_the_site_gives_canonical_links_only() {
    let (sample, templates) = (everything("words"), Templates::embedded().unwrap());
    let input = SiteInput { url: "https://bench.example/site/", ..input(&sample, &templates) };
    let html = page(&render(&input).unwrap(), "v2.1.0/checkout~2/index.html");
    assert!(html.contains("<link rel=\"canonical\" href=\"https://bench.example/site/v2.1.0/checkout~2/\">"));
}

/// A file of a site that knows its address.
fn beside(path: &str) -> String {
    let (sample, templates) = (everything("words & <more>"), Templates::embedded().unwrap());
    let input = SiteInput { url: "https://bench.example/site/", ..input(&sample, &templates) };
    page(&render(&input).unwrap(), path)
}

/// The elements of a document, each with its texts; whatever is no XML is a panic.
fn elements(xml: &str) -> Vec<(String, String)> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut found, mut open): (Vec<(String, String)>, Vec<usize>) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(start) => {
                open.push(found.len());
                found.push((String::from_utf8_lossy(start.name().as_ref()).into_owned(), String::new()));
            }
            quick_xml::events::Event::End(_) => _ = open.pop(),
            quick_xml::events::Event::Text(text) => {
                if let Some(at) = open.last() {
                    found[*at].1 += &String::from_utf8_lossy(&text);
                }
            }
            quick_xml::events::Event::Eof => return found,
            _ => {}
        }
    }
}

#[test]
fn a_feed_tells_of_releases_and_a_map_of_pages() {
    let feed = elements(&beside("feed.xml"));
    let of = |name: &str| feed.iter().filter(|(element, _)| element == name).map(|(_, text)| text.as_str()).collect::<Vec<_>>();
    assert_eq!(of("entry").len(), 2);
    assert!(of("id").contains(&"https://bench.example/site/v2.1.0/"), "{:?}", of("id"));
    // The newest of the entries, and no clock.
    assert_eq!(of("updated").iter().max(), of("updated").first());
    let map = elements(&beside("sitemap.xml"));
    let pages: Vec<&str> = map.iter().filter(|(name, _)| name == "loc").map(|(_, text)| text.as_str()).collect();
    assert!(pages.contains(&"https://bench.example/site/") && pages.contains(&"https://bench.example/site/v2.1.0/checkout~2/"));
    assert!(pages.iter().all(|page| page.ends_with('/')), "{pages:?}");
    // Nowhere is no address.
    let tree = site("words");
    assert!(tree.get("feed.xml").is_none() && tree.get("sitemap.xml").is_none());
    assert!(!page(&tree, "index.html").contains("feed.xml"));
}

#[test]
fn pages_are_data_too() {
    let json = |path: &str| -> serde_json::Value { serde_json::from_str(&beside(path)).unwrap() };
    insta::assert_snapshot!(serde_json::to_string_pretty(&json("v2.1.0/index.json")["runs"][1]).unwrap());
    let index = json("index.json");
    assert_eq!((index["latest"].as_str(), index["releases"].as_array().map(Vec::len)), (Some("v2.1.0"), Some(2)));
    assert_eq!(json("targets/checkout/index.json")["goal"], 500.0);
    assert_eq!(json("v2.1.0/checkout/verdict.json")["verdicts"][0]["release"], "v2.1.0");
    assert!(json("v2.1.0/diff/index.json")["targets"].is_array());
    insta::assert_snapshot!("a_badge", serde_json::to_string_pretty(&json("badges/checkout.json")).unwrap());
}

#[test]
fn the_latest_release_has_a_lasting_address() {
    let latest = beside("latest/checkout/index.html");
    assert!(latest.contains("<meta http-equiv=\"refresh\" content=\"0; url=../../v2.1.0/checkout/index.html\">"));
    assert!(
        latest.contains("noindex")
            && latest.contains("<link rel=\"canonical\" href=\"https://bench.example/site/v2.1.0/checkout/\">")
    );
    // What a server shows at any address names everything from the root.
    let lost = beside("404.html");
    assert!(lost.contains("href=\"https://bench.example/site/index.html\"") && !lost.contains("href=\"index.html\""));
}

#[test]
fn the_record_lies_beside_its_page() {
    let json = page(&site("words"), "v2.1.0/checkout/record.json");
    let record: plimsoll::model::record::Record = serde_json::from_str(&json).unwrap();
    assert_eq!(record.identity.target.as_str(), "checkout");
    assert!(json.ends_with("}\n"));
}

#[test]
fn an_empty_archive_has_an_overview_that_says_so() {
    let sample = Sample {
        archive: Archive::default(),
        verdicts: BTreeMap::new(),
        drawings: BTreeMap::new(),
        comparisons: Vec::new(),
        findings: Vec::new(),
        goals: BTreeMap::new(),
        method: Method::default(),
        words: "w".to_owned(),
    };
    let tree = rendered(&sample, &Templates::embedded().unwrap());
    assert!(page(&tree, "index.html").contains("holds no run yet"));
    assert_eq!(links::check(&tree), []);
}

#[test]
fn a_release_cannot_take_a_file_of_the_site() {
    let mut sample = everything("words");
    let mut releases = sample.archive.releases().to_vec();
    releases[0].name = "Assets".to_owned().try_into().unwrap();
    sample.archive = Archive::new(releases);
    let templates = Templates::embedded().unwrap();
    assert_eq!(render(&input(&sample, &templates)), Err(RenderError::Taken("Assets".to_owned())));
}

#[test]
fn an_override_takes_the_place_of_a_page() {
    let own = BTreeMap::from([("site/index.html".to_owned(), "<h1>{{ heading }}</h1>".to_owned())]);
    let tree = rendered(&everything("a<b"), &Templates::with_overrides(&own).unwrap());
    assert_eq!(page(&tree, "index.html"), "<h1>words a&lt;b</h1>");
}
