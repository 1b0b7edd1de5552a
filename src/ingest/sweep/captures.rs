//! Captures, joined to the runs that they lie with and reduced to each run's window.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::run::Run;
use super::scope::scope;
use super::{Draft, NAMED, Piece, Sweep};
use crate::capture::findings::{Candidate, Findings};
use crate::capture::{Capture, File, Window, assemble};
use crate::diagnostic::{Diagnostic, Level};
use crate::ingest::kinds::Content;
use crate::model::address::Target;
use crate::model::catalogue::{FigureId, Origin};
use crate::model::figure::Figure;
use crate::model::instant::Moment;
use crate::model::record::Record;
use crate::source::Source;

/// A captured file and the runs it may be of.
struct Placed {
    piece: Piece,
    file: File,
    runs: Vec<usize>,
}

/// What became of a file over all runs.
#[derive(Default)]
struct Fate {
    runs: BTreeSet<String>,
    what: BTreeSet<String>,
    unused: Option<String>,
    outside: u64,
}

impl Sweep<'_> {
    /// Joins captures to runs, reduces them to each run's window and adds what follows to its record.
    pub(super) fn capture(&mut self, runs: &mut Vec<Run>, pieces: Vec<Piece>) {
        if runs.iter().all(|run| run.draft.is_addition) {
            self.add_captured_runs(runs, &pieces);
        }
        let placed: Vec<Placed> = pieces.into_iter().filter_map(|piece| self.placed(runs, piece)).collect();
        let mut fates: BTreeMap<String, Fate> = BTreeMap::new();
        let mut told = Vec::new();
        for (at, run) in runs.iter_mut().enumerate() {
            let own: Vec<&Placed> = placed.iter().filter(|placed| placed.runs.contains(&at)).collect();
            if !own.is_empty() {
                let files: Vec<&File> = own.iter().map(|placed| &placed.file).collect();
                let found = self.assembled(&run.draft, &files);
                note(&found, &run.draft.record, &own, &mut fates);
                told.extend(found.told.iter().cloned());
                self.apply(&mut run.draft, found, &own);
            }
        }
        self.tell(told, &fates);
        self.tell_idle_rules(&placed);
        for placed in &placed {
            let fate = fates.remove(placed.file.source.name()).unwrap_or_default();
            self.list_capture(placed, &fate);
        }
    }

    /// Says which of the project's own rules know no series where there are series that no rule knows: one may be mistyped.
    fn tell_idle_rules(&mut self, placed: &[Placed]) {
        let tracks = placed.iter().flat_map(|placed| {
            let Placed { file, .. } = placed;
            let tracks = if let Capture::Tracks(tracks) = &file.capture { tracks.tracks.as_slice() } else { &[] };
            tracks.iter().map(|track| (track, file.stem()))
        });
        for (name, place) in self.rules.mapping.idle(&tracks) {
            let message = format!("the rule `{name}` knows no series of these files, and some series are known to no rule");
            let remark = Diagnostic::remark("idle-rule", message).at(place.clone());
            self.harvest.remarks.push(remark.help("is its name mistyped? -v tells what those series are called"));
        }
    }

    /// Runs that the archive has: of the targets that the files name, else of the one on the command line.
    fn add_captured_runs(&self, runs: &mut Vec<Run>, pieces: &[Piece]) {
        for piece in pieces {
            let Content::Capture(capture) = &piece.content else { continue };
            let Capture::Tracks(tracks) = &**capture else { continue };
            for target in tracks.tracks.iter().filter_map(|track| track.target.as_ref()) {
                self.add_run(runs, Target::new(target).ok(), piece);
            }
        }
        if let (true, Some(piece)) = (runs.is_empty(), pieces.first()) {
            self.add_run(runs, self.asked.target.clone(), piece);
        }
    }

    fn placed(&mut self, runs: &[Run], mut piece: Piece) -> Option<Placed> {
        // The reader's result moves into the file; the piece keeps its text and its place in provenance.
        let Content::Capture(capture) = std::mem::replace(&mut piece.content, Content::ByHand) else { return None };
        let named = piece.group == NAMED;
        let (source, path, kind) = (piece.source.clone(), piece.input.path.clone(), piece.kind.name);
        let file = File { source, path, kind, named, capture: *capture };
        let runs = if runs.is_empty() { Vec::new() } else { self.by_name(runs, scope(runs, &piece.group), &piece) };
        if runs.is_empty() {
            match &file.capture {
                Capture::Refused(fault) if named => self.faults.push((**fault).clone()),
                _ => self.unused(&piece, "there is no run it could belong to"),
            }
            return None;
        }
        Some(Placed { piece, file, runs })
    }

    fn assembled(&mut self, draft: &Draft, files: &[&File]) -> Findings {
        let record = &draft.record;
        let window = window(record);
        let has_times = files.iter().any(|file| matches!(file.capture, Capture::Tracks(_) | Capture::Activity(_)));
        if window.is_none() && has_times {
            let message = format!("nothing tells when {} was run: all points of its files count", record.address());
            let help = "give the runner's log with its stamps, or the run's raw samples";
            self.harvest.remarks.push(Diagnostic::warning("no-window", message).help(help));
        }
        assemble(files, record.identity.target.as_str(), window, self.rules)
    }

    /// Tells once what several runs told alike. That points of a file lie outside one window, or its series are of other targets, is no
    /// news where another run uses it.
    fn tell(&mut self, told: Vec<Diagnostic>, fates: &BTreeMap<String, Fate>) {
        for diagnostic in told {
            let place = diagnostic.places.first().map(|place| place.source.name().to_owned());
            let users = place.as_ref().and_then(|name| fates.get(name)).map_or(0, |fate| fate.runs.len());
            if matches!(diagnostic.code, "no-overlap" | "other-target") && users > 0 {
                continue;
            }
            let list = if diagnostic.level == Level::Error { &mut self.faults } else { &mut self.harvest.remarks };
            if !list.contains(&diagnostic) {
                list.push(diagnostic);
            }
        }
    }

    fn list_capture(&mut self, placed: &Placed, fate: &Fate) {
        let (name, kind) = (placed.file.source.name(), placed.piece.kind.name);
        if fate.runs.is_empty() {
            self.pass_over(name, Some(kind), fate.unused.as_deref().unwrap_or("nothing in it is kept"));
            return;
        }
        let runs: Vec<&str> = fate.runs.iter().map(String::as_str).collect();
        let runs = if runs.len() > 3 { format!("{} runs", runs.len()) } else { runs.join(", ") };
        let what: Vec<&str> = fate.what.iter().map(String::as_str).collect();
        let more = if what.len() > 4 { format!(" and {} more", what.len() - 3) } else { String::new() };
        let shown = if what.len() > 4 { &what[..3] } else { &what };
        // Of a file of several runs the points of one lie outside the others'.
        let outside = match fate.outside {
            0 => String::new(),
            _ if fate.runs.len() > 1 => String::new(),
            1 => "; 1 point outside the run".to_owned(),
            points => format!("; {points} points outside the run"),
        };
        self.list(name, kind, &runs, format!("{}{more}{outside}", shown.join(", ")));
    }

    /// Adds to a run what follows from its captures.
    fn apply(&mut self, draft: &mut Draft, found: Findings, own: &[&Placed]) {
        for placed in own.iter().filter(|placed| found.used.contains_key(&placed.file.path)) {
            draft.record.provenance.push(placed.piece.input.clone());
        }
        let place = own.iter().map(|placed| (placed.file.path.clone(), placed.file.source.clone())).collect();
        for Candidate { id, figure, .. } in found.figures {
            self.add_figure(draft, id, figure, &place);
        }
        let record = &mut draft.record;
        record.observed = found.observed;
        record.order_observations();
        if !found.queries.is_empty() {
            record.queries = found.queries;
        }
        record.database_time = found.database_time.or(record.database_time.take());
        if found.flags.is_some() {
            record.environment.service.flags = found.flags;
        }
        let facts = found.facts.into_iter().map(|fact| (fact.key, fact.value));
        lay_facts(record, facts);
        record.environment.service.lay_settings(found.settings.into_iter().map(|known| known.setting));
    }

    fn add_figure(&mut self, draft: &mut Draft, id: FigureId, figure: Figure, places: &BTreeMap<String, Source>) {
        // What k6 counts itself is stated where somebody else tells it: its own summary wins.
        if id.row().origin == Origin::Derived {
            if figure.measurement().is_some() && draft.record.stated.get(id).is_none() {
                let set = draft.record.stated.set(id, figure);
                debug_assert!(set.is_ok());
            }
            return;
        }
        let file =
            figure.measurement().and_then(|measurement| measurement.files.first()).and_then(|file| places.get(file)).cloned();
        // The rules give every figure its catalogue unit, and what is not finite was not captured.
        let Ok(Some(stated)) = draft.record.capture(id, figure.clone()) else { return };
        if let (Some(a), Some(b)) = (stated.measurement(), figure.measurement())
            && !a.range().overlaps(b.range())
        {
            let message = format!("{id} is {} here, but {} on the page", b.text(), a.text());
            let remark = Diagnostic::warning("stated-differs", message);
            self.harvest.remarks.push(file.iter().fold(remark, |remark, source| remark.at(source.at(0..0))));
        }
    }
}

/// The time a run took, where it is known.
fn window(record: &Record) -> Option<Window> {
    let start = record.window.start.and_then(Moment::instant)?;
    let end = record.window.end.and_then(Moment::instant)?;
    (start < end).then_some(Window { start, end })
}

/// Notes what each file gave to a run.
fn note(found: &Findings, record: &Record, own: &[&Placed], fates: &mut BTreeMap<String, Fate>) {
    for placed in own {
        let fate = fates.entry(placed.file.source.name().to_owned()).or_default();
        if let Some(what) = found.used.get(&placed.file.path) {
            fate.runs.insert(record.address().to_string());
            fate.what.extend(what.iter().cloned());
            fate.outside += found.outside.get(&placed.file.path).copied().unwrap_or(0);
        } else if let Some(why) = found.unused.get(&placed.file.path) {
            fate.unused.get_or_insert_with(|| why.clone());
        }
    }
}

/// Lays facts over the environment, each at its dotted key.
fn lay_facts(record: &mut Record, facts: impl Iterator<Item = (String, Value)>) {
    let Ok(mut environment) = serde_json::to_value(&record.environment) else { return };
    for (key, value) in facts {
        let mut place = &mut environment;
        for part in key.split('.') {
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            let Some(fields) = place.as_object_mut() else { return };
            place = fields.entry(part.to_owned()).or_insert(Value::Null);
        }
        *place = value;
    }
    // A reader's facts are in the environment's own shape; a test of theirs holds that.
    if let Ok(laid) = serde_json::from_value(environment) {
        record.environment = laid;
    }
}
