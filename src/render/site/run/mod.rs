//! The page of a run.

mod bands;
mod captured;
pub(super) mod data;
mod distribution;
pub(super) mod downloads;
mod latency;
mod results;
mod traffic;

use serde::Serialize;

use super::Site;
use super::comparison;
use super::environment::{self, FactGroup};
use super::findings::{self, FindingView};
use super::inline;
use super::outcome::{self, OutcomeView};
use super::page::OfRun;
use super::target;
use super::view::{Frame, Labelled, Link, number};
use crate::model::address::Release;
use crate::model::collection::Difference;
use crate::model::page::{INTRODUCTION, LATENCIES, LATENCIES_HEADING, PageRow};
use crate::model::provenance::Input;
use crate::model::record::Note;
use crate::render::facts::headline;
use bands::PopulationView;
use captured::{CapturedView, QueryView};
use distribution::DistributionView;
use latency::LatencyView;
pub(super) use latency::step_of;
use results::ResultsView;
use traffic::TrafficView;

/// The page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunView {
    pub page: Frame,
    /// The target in words.
    pub heading: String,
    /// The run's folder name, `otp_session~2`.
    pub run: String,
    /// Its address, by which its data are found.
    pub address: String,
    /// The page of its target over all releases.
    pub history: String,
    pub release: Link,
    /// When it ran; empty if unknown.
    pub when: String,
    /// The comparison of its target with an earlier release; no link where there is none.
    pub since: Link,
    pub introduction_html: Vec<String>,
    pub contents: Vec<Link>,
    pub strip: Vec<Labelled>,
    pub outcome: OutcomeView,
    pub outcome_notes_html: Vec<String>,
    pub latency: LatencyView,
    pub latency_notes_html: Vec<String>,
    pub traffic: TrafficView,
    pub distribution: DistributionView,
    pub populations: Vec<PopulationView>,
    /// How many smaller populations have no row.
    pub smaller: usize,
    pub findings: Vec<FindingView>,
    /// The script with the run's seconds; empty where there is none.
    pub data: &'static str,
    pub downloads: Vec<Link>,
    pub results: ResultsView,
    pub error_notes_html: Vec<String>,
    pub captured: Vec<CapturedView>,
    pub observed: Vec<Labelled>,
    pub database_time: String,
    /// The most expensive queries, and the others.
    pub queries: Vec<QueryView>,
    pub other_queries: Vec<QueryView>,
    pub query_notes_html: Vec<String>,
    pub facts: Vec<FactGroup>,
    pub notes: Vec<NoteView>,
    pub differences: Vec<DifferenceView>,
    pub has_k6: bool,
    pub k6_text: String,
    pub provenance: Vec<InputView>,
}

/// A text that belongs to no row of the page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct NoteView {
    pub place: String,
    pub text_html: String,
}

/// A value that a person and the machine give differently.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DifferenceView {
    pub what: String,
    pub by_hand: String,
    pub by_machine: String,
    pub file: String,
}

/// A file of the provenance.
#[derive(Clone, Debug, Serialize)]
pub(super) struct InputView {
    pub path: String,
    pub kind: String,
    pub bytes: String,
    pub blake3: String,
}

/// What can be linked to on the page, whatever it holds.
const ANCHORS: [&str; 9] =
    ["outcome", "latency", "results", "captured", "queries", "environment", "findings", "k6-output", "provenance"];

/// So many queries are shown at once.
const TOP_QUERIES: usize = 10;

pub(super) fn view(site: Site<'_>, page: &OfRun<'_>) -> RunView {
    let (record, run) = (&page.run.record, page.run);
    let mut notes = Notes::new(&record.notes, &run.notes);
    let mut facts = vec![environment::test(record)];
    let mut around = environment::environment(record, site.service_name);
    page.common.mark(&mut around);
    facts.extend(around);
    notes.place_in(&mut facts);
    let mut captured = captured::groups(record);
    place_captured_notes(&mut captured, &mut notes);
    let axis = run.series.as_ref().and_then(latency::axis);
    let marked = axis.map(|(start, _)| bands::bands(record, start)).unwrap_or_default();
    let mut queries = captured::queries(record);
    let other_queries = queries.split_off(queries.len().min(TOP_QUERIES));
    let (populations, smaller) = bands::rows(record);
    let mut view = RunView {
        page: frame(site, page),
        heading: record.target_words(),
        run: page.address.run(),
        address: page.address.to_string(),
        history: format!("../../{}", target::path(&page.address.target)),
        release: Link { href: "../index.html".to_owned(), text: page.address.release.to_string() },
        when: record.window.start.map(environment::moment_text).unwrap_or_default(),
        since: since(page),
        introduction_html: notes.take(|place| place == INTRODUCTION),
        contents: Vec::new(),
        strip: headline::strip(record),
        outcome: outcome::view(record, page.verdict, &site.method.flow.title, page.drawing, &ANCHORS),
        outcome_notes_html: notes.of(PageRow::Outcome),
        latency: latency::view(record.k6.as_ref(), run.series.as_ref(), record.phases.as_ref(), &marked),
        traffic: run.series.as_ref().zip(axis).map(|(series, axis)| traffic::view(series, axis, &marked)).unwrap_or_default(),
        distribution: distribution::view(run.series.as_ref()),
        populations,
        smaller,
        findings: page.findings.iter().map(|finding| findings::view(site, finding, ("../../", &ANCHORS))).collect(),
        data: if data::has(page.run) { data::FILE } else { "" },
        downloads: downloads::links(page.run),
        latency_notes_html: notes.take(|place| place == LATENCIES || place == LATENCIES_HEADING),
        results: results::view(record),
        error_notes_html: notes.of(PageRow::Errors),
        query_notes_html: notes.of(PageRow::Queries),
        observed: captured::observed(record),
        database_time: captured::database_time(record),
        queries,
        other_queries,
        captured,
        facts,
        notes: notes.rest(),
        differences: run.differences.iter().map(difference).collect(),
        has_k6: record.k6.is_some(),
        k6_text: run.k6_text.clone().unwrap_or_default(),
        provenance: record.provenance.iter().map(input_view).collect(),
    };
    view.contents = contents(&view);
    view
}

fn since(page: &OfRun<'_>) -> Link {
    let link = |since: &Release| Link {
        href: format!("../{}/{}/index.html", comparison::FOLDER, page.address.target),
        text: format!("What changed since {since}"),
    };
    page.since.map(link).unwrap_or_default()
}

fn frame(site: Site<'_>, page: &OfRun<'_>) -> Frame {
    let (words, address) = (page.run.record.target_words(), page.address);
    let label = address.label.as_ref().map(|label| format!(" ~{label}")).unwrap_or_default();
    Frame {
        title: format!("{words}{label} · {} · {}", address.release, site.title),
        description: format!("Load test {} of {} {}", address.run(), site.service_name, address.release),
        root: "../../",
        site_title: site.title.to_owned(),
        canonical: site.canonical(&format!("{address}/")),
        crumbs: vec![
            Link { href: "../../index.html".to_owned(), text: "Overview".to_owned() },
            Link { href: "../index.html".to_owned(), text: address.release.to_string() },
        ],
        here: address.run(),
    }
}

fn contents(view: &RunView) -> Vec<Link> {
    let some = |text: &str, id: &str, there: bool| there.then(|| Link { href: format!("#{id}"), text: text.to_owned() });
    [
        some("Outcome", "outcome", true),
        some("Time", "time", true),
        some("Latency", "latency", true),
        some("Decision", "decision", !view.outcome.steps.is_empty() || !view.outcome.drawing_svg.is_empty()),
        some("Errors", "results", true),
        some("Service", "captured", true),
        some("Queries", "queries", true),
        some("Environment", "environment", true),
        some("Findings", "findings", true),
        some("Notes", "notes", !view.notes.is_empty()),
        some("By hand", "differences", !view.differences.is_empty()),
        some("k6 output", "k6-output", true),
        some("Downloads", "provenance", true),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn place_captured_notes(groups: &mut [CapturedView], notes: &mut Notes) {
    for (id, row) in [("captured-server", PageRow::ServiceMetrics), ("captured-database", PageRow::DatabaseMetrics)] {
        if let Some(group) = groups.iter_mut().find(|group| group.id == id) {
            group.notes_html.extend(notes.of(row));
        }
    }
}

/// Notes that have not found their place yet.
struct Notes {
    left: Vec<Note>,
}

impl Notes {
    fn new(record: &[Note], by_hand: &[String]) -> Self {
        let hand = by_hand.iter().map(|text| Note { place: "run.toml".to_owned(), text: text.clone() });
        Self { left: record.iter().cloned().chain(hand).collect() }
    }

    fn place_in(&mut self, groups: &mut [FactGroup]) {
        self.left = environment::place_notes(groups, &self.left, &ANCHORS);
    }

    /// The notes of a row of a published page.
    fn of(&mut self, row: PageRow) -> Vec<String> {
        self.take(|place| PageRow::named(place) == Some(row))
    }

    /// The notes of a place.
    fn take(&mut self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let (taken, left) = std::mem::take(&mut self.left).into_iter().partition(|note: &Note| fits(&note.place));
        self.left = left;
        taken.iter().map(|note| inline::html(&note.text, &ANCHORS)).collect()
    }

    fn rest(self) -> Vec<NoteView> {
        self.left.into_iter().map(|note| NoteView { text_html: inline::html(&note.text, &ANCHORS), place: note.place }).collect()
    }
}

fn difference(difference: &Difference) -> DifferenceView {
    DifferenceView {
        what: difference.what.clone(),
        by_hand: difference.by_hand.clone(),
        by_machine: difference.by_machine.clone(),
        file: difference.file.clone(),
    }
}

fn input_view(input: &Input) -> InputView {
    InputView {
        path: input.path.clone(),
        kind: input.kind.clone(),
        bytes: format!("{} B", number(input.bytes)),
        blake3: input.blake3.clone(),
    }
}
