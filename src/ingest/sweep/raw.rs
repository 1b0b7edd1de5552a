//! Raw samples of the runs: which files are of one run, and what they add to it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::addressing::named_target;
use super::gathering::Gathered;
use super::{NAMED, Sweep, stem};
use crate::diagnostic::Diagnostic;
use crate::ingest::kinds::Kind;
use crate::ingest::merge::Form;
use crate::model::provenance::Input;
use crate::model::summary::{MetricKind, MetricUnit};
use crate::samples::{Outcome, Unread, begin_alike};
use crate::source::Source;

/// What a summary of the same run tells of metrics, which raw CSV does not.
pub type Kinds = Vec<(String, MetricKind, Option<MetricUnit>)>;

/// Reads the raw files of one run, in one pass each.
pub type ReadRaw<'a> = dyn Fn(&[PathBuf], &Kinds) -> Result<Outcome, Unread> + 'a;

/// A raw file that waits to be read.
pub(super) struct RawPiece {
    pub(super) shown: String,
    pub(super) path: String,
    pub(super) place: PathBuf,
    pub(super) group: String,
    pub(super) named: bool,
    pub(super) kind: &'static Kind,
    pub(super) head: Vec<u8>,
}

/// Raw files of one run in one form.
#[derive(Default)]
pub(super) struct RawRun {
    pub(super) pieces: Vec<RawPiece>,
}

impl RawRun {
    pub(super) fn group(&self) -> &str {
        self.pieces.first().map_or(NAMED, |piece| &piece.group)
    }

    pub(super) fn name(&self) -> &str {
        self.pieces.first().map_or("", |piece| &piece.shown)
    }

    pub(super) fn stem(&self) -> &str {
        stem(self.name())
    }
}

impl Sweep<'_> {
    /// Files of one folder, form and target are of one run: one for each load generator.
    pub(super) fn raw_runs(&mut self, pieces: Vec<RawPiece>) -> Vec<RawRun> {
        let mut runs: BTreeMap<(String, String, &'static str), RawRun> = BTreeMap::new();
        for piece in pieces {
            let target = match &self.asked.target {
                Some(_) if piece.group == NAMED => None,
                _ => named_target(stem(&piece.shown)),
            };
            let run = runs.entry((piece.group.clone(), target.unwrap_or_default().to_owned(), piece.kind.name)).or_default();
            // Two load generators never write the same rows: this is one file under two names.
            match run.pieces.iter().find(|known| begin_alike(&known.head, &piece.head)) {
                Some(known) => {
                    let fate = format!("it begins like {}: a copy", known.shown);
                    self.pass_over(&piece.shown, Some(piece.kind.name), &fate);
                }
                None => run.pieces.push(piece),
            }
        }
        runs.into_values().collect()
    }

    /// Gives raw samples to the run they are of: that of their folder, of their name or of their target; else they make one.
    pub(super) fn join_raw(gathered: &mut Vec<Gathered>, runs: Vec<RawRun>) {
        for run in runs {
            let target = named_target(run.stem());
            let near: Vec<usize> = (0..gathered.len()).filter(|at| gathered[*at].group == run.group()).collect();
            let by_stem = near.iter().copied().find(|at| run.stem().starts_with(&gathered[*at].stem));
            let by_target = || {
                let of_target = |at: &usize| target.is_some() && named_target(&gathered[*at].stem) == target;
                let found: Vec<usize> = (0..gathered.len()).filter(of_target).collect();
                if let [one] = found.as_slice() { Some(*one) } else { None }
            };
            // The only run of a folder takes what no name gives to another target.
            let may_be =
                |at: &usize| target.is_none() || named_target(&gathered[*at].stem).is_none_or(|name| Some(name) == target);
            let only = if let [one] = near.as_slice() { Some(*one).filter(may_be) } else { None };
            match by_stem.or_else(by_target).or(only) {
                Some(at) => gathered[at].raw.push(run),
                None => gathered.push(Gathered::of_raw(run)),
            }
        }
    }

    /// Reads the raw files of a run, the finer form first, and adds their summaries to the forms.
    pub(super) fn read_raw(&mut self, gathered: &mut Gathered, forms: &mut Vec<Form>) -> Option<Outcome> {
        let metrics = forms.iter().flat_map(|form| &form.summary.metrics);
        let kinds: Kinds = metrics.map(|(name, metric)| (name.clone(), metric.kind, metric.unit)).collect();
        let mut kept: Option<Outcome> = None;
        let mut runs = std::mem::take(&mut gathered.raw);
        runs.sort_by_key(|run| run.pieces.first().map(|piece| std::cmp::Reverse(piece.kind.name)));
        for run in runs {
            let places: Vec<PathBuf> = run.pieces.iter().map(|piece| piece.place.clone()).collect();
            let outcome = match (self.raw)(&places, &kinds) {
                Ok(outcome) => outcome,
                Err(unread) => {
                    self.unread(&run, unread);
                    continue;
                }
            };
            for (piece, file) in run.pieces.iter().zip(&outcome.files) {
                gathered.files.push((piece.shown.clone(), piece.kind.name));
                let (path, kind) = (piece.path.clone(), piece.kind.name.to_owned());
                gathered.inputs.push(Input { path, kind, bytes: file.bytes, blake3: file.blake3.clone().unwrap_or_default() });
            }
            self.harvest.remarks.extend(outcome.remarks.iter().cloned().chain(generators_note(&outcome)));
            // What is cut is not all there was: it must not be held against a summary of everything.
            if !outcome.is_cut || (forms.is_empty() && kept.is_none()) {
                forms.push(Form { source: Source::new(run.name(), ""), summary: outcome.summary.clone() });
            }
            kept = kept.or(Some(outcome));
        }
        kept
    }

    /// Raw files that can't be read. One without a sample that was found, not named, is no fault.
    fn unread(&mut self, run: &RawRun, unread: Unread) {
        let faults = match unread {
            Unread::World(error) => {
                self.world = self.world.take().or(Some(error));
                return;
            }
            Unread::Input(faults) => faults.into_list(),
        };
        let is_empty = faults.iter().all(|fault| fault.code == "no-samples");
        if is_empty && run.pieces.iter().all(|piece| !piece.named) {
            for piece in &run.pieces {
                self.pass_over(&piece.shown, Some(piece.kind.name), "there is no sample in it");
            }
        } else {
            self.faults.extend(faults);
        }
    }
}

/// A note where several files were added up: what a gauge of all load generators is, nothing tells.
fn generators_note(outcome: &Outcome) -> Option<Diagnostic> {
    let several = outcome.files.len() > 1 && outcome.summary.metrics.contains_key("vus");
    several.then(|| {
        let message =
            format!("{} files were read as one run: its `vus` are those of a file at a time, not their sum", outcome.files.len());
        Diagnostic::remark("several-generators", message)
    })
}
