//! What pairs of snapshots tell: figures, queries, observations.

mod database;
mod io;
mod settings;
mod statements;

use super::super::findings::{Findings, Standing};
use super::super::{Capture, File, Rules, Window};
use super::pair::{self, Pair, Shot};
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::Observation;

/// What the snapshots among the files tell.
pub(super) fn tell(files: &[&File], window: Option<Window>, rules: &Rules, findings: &mut Findings) {
    let shots = |view: View| pair::shots(files, view);
    statements::tell(&shots(View::Statements), &shots(View::StatementsInfo), window, rules, findings);
    database::tell(&shots(View::Database), window, findings);
    io::tell(&shots(View::Io), window, findings);
    settings::tell(&shots(View::Settings), findings);
    for file in files {
        if let Capture::Snapshot(snapshot) = &file.capture
            && let View::Idle(name) = snapshot.view
        {
            findings.pass_over(&file.path, format!("{name}: nothing in it is kept"));
        }
    }
}

/// The pair of a view, if there is one; else the figures that it would give are not captured, and it is told why.
fn pair_of<'a>(shots: &[Shot<'a>], window: Option<Window>, figures: &[FigureId], findings: &mut Findings) -> Option<Pair<'a>> {
    if shots.is_empty() {
        return None;
    }
    match pair::pair(shots, window) {
        Ok(pair) => {
            for shot in shots.iter().filter(|shot| !pair.files().contains(&shot.file.path)) {
                findings.pass_over(&shot.file.path, "other snapshots are nearer to the run's ends");
            }
            Some(pair)
        }
        Err(diagnostic) => {
            refuse(shots, *diagnostic, figures, findings);
            None
        }
    }
}

fn refuse(shots: &[Shot], diagnostic: Diagnostic, figures: &[FigureId], findings: &mut Findings) {
    for id in figures {
        findings.add(*id, Figure::not_captured(diagnostic.message.clone()), Standing::None);
    }
    for shot in shots {
        findings.pass_over(&shot.file.path, diagnostic.message.clone());
    }
    findings.told.push(diagnostic);
}

/// A pair that holds much more than the run is used, and it is said.
fn remark_length(pair: &Pair, window: Option<Window>, findings: &mut Findings) {
    let Some(window) = window.filter(|_| pair.is_long(window)) else { return };
    let view = pair.first.snapshot.view.name();
    let message = format!(
        "the snapshots of {view} are {} apart, the run took {:.1} s: what they give is of the longer time",
        pair.length(),
        window.seconds()
    );
    findings.told.push(Diagnostic::remark("long-pair", message).at(pair.first.place()).at(pair.second.place()));
}

/// What is said of the length in a method: `between two snapshots 245.6 s apart`.
fn between(pair: &Pair, window: Option<Window>) -> String {
    let long = if pair.is_long(window) { ", much longer than the run" } else { "" };
    format!("between two snapshots {} apart{long}", pair.length())
}

/// A number without a name in the catalogue, from a pair of snapshots.
fn observe(name: &str, measurement: Measurement, pair: &Pair, findings: &mut Findings) {
    let source = measurement.source.clone().or_else(|| Some(pair.first.snapshot.view.name().to_owned()));
    let measurement = Measurement { files: pair.files(), source, ..measurement };
    findings.observed.push(Observation { name: name.to_owned(), measurement });
}
