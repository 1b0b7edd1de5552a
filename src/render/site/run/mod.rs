//! The page of a run.

mod captured;
mod latency;
mod results;

use serde::Serialize;

use super::Site;
use super::comparison;
use super::environment::{self, FactGroup};
use super::inline;
use super::outcome::{self, OutcomeView};
use super::page::OfRun;
use super::view::{Frame, Labelled, Link, number};
use crate::model::address::Release;
use crate::model::collection::Difference;
use crate::model::page::{INTRODUCTION, LATENCIES, LATENCIES_HEADING, PageRow};
use crate::model::provenance::Input;
use crate::model::record::Note;
use crate::render::facts::headline;
use captured::{CapturedView, QueryView};
use latency::LatencyView;
pub(super) use latency::step_of;
use results::ResultsView;

/// The page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunView {
    pub page: Frame,
    /// The target in words.
    pub heading: String,
    /// The run's folder name, `otp_session~2`.
    pub run: String,
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
    pub results: ResultsView,
    pub error_notes_html: Vec<String>,
    pub captured: Vec<CapturedView>,
    pub observed: Vec<Labelled>,
    pub database_time: String,
    pub queries: Vec<QueryView>,
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
    ["outcome", "latency", "results", "captured", "queries", "environment", "notes", "k6-output", "provenance"];

pub(super) fn view(site: Site<'_>, page: &OfRun<'_>) -> RunView {
    let (record, run) = (&page.run.record, page.run);
    let mut notes = Notes::new(&record.notes, &run.notes);
    let mut facts = vec![environment::test(record)];
    facts.extend(environment::environment(record, site.service_name));
    notes.place_in(&mut facts);
    let mut captured = captured::groups(record);
    place_captured_notes(&mut captured, &mut notes);
    let mut view = RunView {
        page: frame(site, page),
        heading: record.target_words(),
        run: page.address.run(),
        release: Link { href: "../index.html".to_owned(), text: page.address.release.to_string() },
        when: record.window.start.map(environment::moment_text).unwrap_or_default(),
        since: since(page),
        introduction_html: notes.take(|place| place == INTRODUCTION),
        contents: Vec::new(),
        strip: headline::strip(record),
        outcome: outcome::view(record, page.verdict, site.flow_title, page.drawing, &ANCHORS),
        outcome_notes_html: notes.of(PageRow::Outcome),
        latency: latency::view(record.k6.as_ref(), run.series.as_ref(), record.phases.as_ref()),
        latency_notes_html: notes.take(|place| place == LATENCIES || place == LATENCIES_HEADING),
        results: results::view(record),
        error_notes_html: notes.of(PageRow::Errors),
        query_notes_html: notes.of(PageRow::Queries),
        observed: captured::observed(record),
        database_time: captured::database_time(record),
        queries: captured::queries(record),
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
        some("Latency", "latency", true),
        some("How it was decided", "decision", !view.outcome.steps.is_empty() || !view.outcome.drawing_svg.is_empty()),
        some("Results and errors", "results", true),
        some("Service and database", "captured", true),
        some("Top queries", "queries", true),
        some("Environment", "environment", true),
        some("Notes", "notes", !view.notes.is_empty()),
        some("By hand and by machine", "differences", !view.differences.is_empty()),
        some("k6 output", "k6-output", true),
        some("Provenance", "provenance", true),
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
