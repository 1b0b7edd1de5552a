//! The published pages as a site, where the shared material is there: every link holds, every page is made. The site stays
//! in the tests' folder to be looked at.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plimsoll::audit::{Around, audit};
use plimsoll::flow::{Flow, Judged, builtin, draw_within};
use plimsoll::ingest::page;
use plimsoll::model::address::Address;
use plimsoll::model::collection::{Archive, ReleaseRuns, Run};
use plimsoll::model::derive;
use plimsoll::model::instant::Moment;
use plimsoll::model::series::{Series, SeriesPoint};
use plimsoll::model::verdict::Verdict;
use plimsoll::render::site::method::{Chart, Method};
use plimsoll::render::site::{SiteInput, links, render};
use plimsoll::render::templates::Templates;
use plimsoll::source::Source;
use plimsoll::tree::Tree;

use crate::material::{folders, shared};

fn run(folder: &Path) -> Run {
    let bytes = fs::read(folder.join("page.mdx")).unwrap();
    let page =
        page::read(&Source::from_bytes("page.mdx", &bytes)).unwrap_or_else(|faults| panic!("{}: {faults}", folder.display()));
    let series = fs::read(folder.join("output.json")).ok().map(|bytes| series(&bytes));
    Run { record: page.record, differences: Vec::new(), notes: Vec::new(), k6_text: page.k6_text, series }
}

fn series(bytes: &[u8]) -> Series {
    let rows: Vec<serde_json::Value> = serde_json::from_slice(bytes).unwrap();
    let mut series = Series::default();
    for row in rows {
        #[allow(clippy::cast_possible_truncation, reason = "published latencies are seconds at most")]
        let micros = |key: &str| (row[key].as_f64().unwrap() * 1e3).round() as i64;
        let at: Moment = format!("{}:00", row["timestamp"].as_str().unwrap().replacen(' ', "T", 1)).parse().unwrap();
        let second = at.instant().unwrap().timestamp();
        let point = SeriesPoint { second, p50: micros("p50"), p95: micros("p95"), p99: micros("p99"), count: None };
        series.trends.entry(row["metric_name"].as_str().unwrap().to_owned()).or_default().points.push(point);
    }
    series
}

fn archive(folder: &Path) -> Archive {
    let releases = folders(folder).into_iter().map(|folder| {
        let runs: BTreeMap<Address, Run> =
            folders(&folder).iter().map(|f| run(f)).map(|run| (run.record.address(), run)).collect();
        let name = runs.keys().next().unwrap().release.clone();
        ReleaseRuns { name, order: None, notes: Vec::new(), runs }
    });
    Archive::new(releases.collect())
}

fn verdicts(archive: &Archive, flow: &Flow) -> BTreeMap<Address, Verdict> {
    let judge = |(address, run): (&Address, &Run)| {
        let previous = archive.previous(address).map(|(_, run)| &run.record);
        let known = derive::known(&run.record, previous, None, false);
        (address.clone(), flow.judge(&known, &Judged::from(&run.record)))
    };
    archive.runs().map(judge).collect()
}

/// Writes a site into the tests' folder.
pub(crate) fn keep(tree: &Tree, name: &str) {
    for (path, bytes) in tree.iter() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join(path.as_str());
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
}

#[test]
fn the_published_pages_make_a_whole_site() {
    let Some(folder) = shared("data/published") else { return };
    let archive = archive(&folder);
    let flow = Flow::read(&builtin("practice").unwrap()).unwrap();
    let (verdicts, templates) = (verdicts(&archive, &flow), Templates::embedded().unwrap());
    let drawings = verdicts.iter().map(|(address, verdict)| (address.clone(), draw_within(&flow, Some(verdict)))).collect();
    let method = Method { flow: Chart { title: flow.title().to_owned(), ..Chart::default() }, ..Method::default() };
    let tree = render(&SiteInput {
        archive: &archive,
        verdicts: &verdicts,
        drawings: &drawings,
        comparisons: &[],
        findings: &audit(&Around::new(&archive, "ZITADEL"), &archive.select(&[])),
        method: &method,
        goals: &BTreeMap::new(),
        title: "ZITADEL benchmarks",
        service_name: "ZITADEL",
        url: "",
        templates: &templates,
    })
    .unwrap();
    assert_eq!(links::check(&tree), []);
    assert_eq!(tree.iter().filter(|(path, _)| path.file_name() == "record.json").count(), archive.runs().count());
    keep(&tree, "site");
}
