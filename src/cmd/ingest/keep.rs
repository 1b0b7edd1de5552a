//! Runs on their way into the archive.

use super::super::project::shown;
use super::super::{Exit, Failure, Project, Streams, Tone};
use super::Ready;
use crate::archive::{self, record_json};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs;
use crate::fs::hold::Alone;
use crate::limits::RECORD_BYTES;
use crate::model::catalogue::{CATALOGUE, FigureId, Origin};
use crate::model::derive;
use crate::model::record::Record;
use crate::model::series::Series;
use crate::terminal::wrapped;
use crate::tree::{Tree, TreePath};

/// Writes all runs at once and says what each became.
pub(super) fn write(runs: &[Ready], archive: &Alone, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let (mut tree, mut stale) = (Tree::new(), Vec::new());
    for run in runs {
        tree.extend(archive::files(&run.record, run.draft.k6_text.as_deref(), run.draft.series.as_ref()));
        stale.extend(stale_files(run, project)?);
    }
    refuse_large(&tree)?;
    let written = archive.write(&tree, &stale)?;
    for path in &stale {
        let path = project.archive_folder.join(path.as_str());
        streams.say(&format!("  removed {}: it belonged to the run that was there before", shown(&path)));
    }
    for run in runs {
        if let Some(fault) = lost(run) {
            streams.tell(&fault);
        }
        let address = run.record.address().to_string();
        let changed = written.changed.iter().any(|path| path.starts_with(&format!("{address}/")));
        let became = match (&run.old, changed) {
            (None, _) => "new",
            (Some(_), true) => "changed",
            (Some(_), false) => "unchanged",
        };
        let line = format!("{address}  {became}  {}", captured(&run.record, streams.tone == Tone::Verbose));
        writeln!(streams.out, "{}", wrapped(&line, 4))?;
    }
    if streams.tone != Tone::Verbose && runs.iter().any(|run| !lacking(&run.record).is_empty()) {
        streams.say("  (-v lists missing figures, --explain FIGURE says what would give one)");
    }
    Ok(Exit::Yes)
}

/// A record that could not be read again is not written.
fn refuse_large(tree: &Tree) -> Result<(), Failure> {
    let records = tree.iter().filter(|(path, _)| path.file_name() == "record.json");
    let faults = records.filter(|(_, bytes)| bytes.len() > RECORD_BYTES).map(|(path, bytes)| {
        let fault = record_json::too_large(format!("the record `{path}` would have {} bytes", bytes.len()));
        fault.help("are names of metrics or checks, or messages of errors, made of ids?")
    });
    Faults::check(faults.collect())?;
    Ok(())
}

/// Figures of the old record that the new one lacks: these files replace it, they don't add to it.
fn lost(run: &Ready) -> Option<Diagnostic> {
    let old = run.old.as_ref()?;
    let has = |record: &Record, id: FigureId| record.figures.get(id).is_some_and(|figure| figure.measurement().is_some());
    let gone = CATALOGUE.iter().map(|row| row.figure).filter(|id| has(old, *id) && !has(&run.record, *id));
    let gone: Vec<&str> = gone.map(FigureId::name).collect();
    let message = format!("{} lost figures that none of these files states: {}", run.record.address(), gone.join(", "));
    let fault = Diagnostic::warning("figures-gone", message);
    (!gone.is_empty()).then(|| fault.help("ingest the captures again, with these files or after them"))
}

/// Files of another run that lie in the folder: a series or a summary belongs to the record it came with.
fn stale_files(run: &Ready, project: &Project) -> Result<Vec<TreePath>, Failure> {
    let Some(old) = run.old.as_ref().filter(|old| !run.draft.is_addition && old.k6 != run.record.k6) else {
        return Ok(Vec::new());
    };
    let has = |part: fn(&Series) -> Series| run.draft.series.as_ref().is_some_and(|series| !part(series).is_empty());
    let given = [
        (archive::SERIES, has(Series::by_second)),
        (archive::BLOCKS, has(Series::by_block)),
        ("k6.txt", run.draft.k6_text.is_some()),
    ];
    let lacking = given.into_iter().filter(|(_, given)| !given).map(|(file, _)| format!("{}/{file}", old.address()));
    let there = lacking.filter(|path| fs::exists(&project.archive_folder.join(path)));
    there.map(|path| TreePath::new(path).map_err(|bad| Failure::Defect(bad.to_string()))).collect()
}

/// How many of the captured figures there are, and which are missing.
fn captured(record: &Record, verbose: bool) -> String {
    let wanted = CATALOGUE.iter().filter(|row| row.origin == Origin::Captured).count();
    let missing = lacking(record);
    let count = format!("{} of {wanted} figures captured", wanted - missing.len());
    if missing.is_empty() || !verbose { count } else { format!("{count}; not captured: {}", missing.join(", ")) }
}

/// The names of the captured figures that have no value.
fn lacking(record: &Record) -> Vec<&'static str> {
    let wanted = CATALOGUE.iter().filter(|row| row.origin == Origin::Captured).map(|row| row.figure);
    wanted.filter(|id| derive::figure(record, *id).measurement().is_none()).map(FigureId::name).collect()
}
