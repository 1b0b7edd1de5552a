//! `plimsoll ingest`: everything into records.

mod adding;
mod explain;
mod gather;
mod keep;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use self::adding::added;
use self::explain::explain;
use self::gather::{Gathered, gather};
pub(super) use self::gather::{contents, read_raw};
use self::keep::write;
use super::project::shown;
use super::{Exit, Failure, Project, Streams, hold, listing};
use crate::archive::overlay::Overlay;
use crate::archive::{byhand, record_json};
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs;
use crate::ingest::sweep::{Asked, Draft, Harvest, Kinds, harvest};
use crate::model::address::{Address, BadName, Label, Release, Target};
use crate::model::catalogue::FigureId;
use crate::model::page::INTRODUCTION;
use crate::model::record::{Note, Record, Window};
use crate::source::Source;

/// Reads what lies there, makes records, writes them: all or none.
pub(super) fn run(args: &cli::Ingest, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let asked = asked(args)?;
    let explained = args.explain.as_deref().map(figure).transpose()?;
    let Gathered { given, pipes } = gather(&args.paths, project)?;
    let (pipes, origins, watched) = (RefCell::new(pipes), project.origins()?, streams.watched);
    let raw = |places: &[PathBuf], kinds: &Kinds| read_raw(places, kinds, &pipes, &origins, watched);
    let windows = RefCell::new(BTreeMap::new());
    let window = |address: &Address| {
        let _held = fs::reading(&project.archive_folder).ok()?;
        // A record that can't be read is told when it is laid over, not here.
        let old = existing(address, project).ok().flatten().map(|old| old.window);
        windows.borrow_mut().insert(address.clone(), old.clone());
        old
    };
    let rules = project.capture_rules()?;
    let Harvest { drafts, files, remarks } = harvest(given, &asked, &window, &raw, &rules)?;
    listing::list(&files, streams);
    for remark in &remarks {
        streams.tell(remark);
    }
    let windows = windows.into_inner();
    if let Some(figure) = explained {
        let _held = fs::reading(&project.archive_folder)?;
        return explain(figure, &complete(drafts, &windows, project, args.figures_only, streams)?, streams);
    }
    // What is added to a record must not be added to one that another process replaces at the same time.
    let held = hold(&project.archive_folder, streams)?;
    let runs = complete(drafts, &windows, project, args.figures_only, streams)?;
    write(&runs, &held, project, streams)
}

/// The windows of records by which captures were cut.
type Windows = BTreeMap<Address, Option<Window>>;

/// A run as it will be written, and the one that is there.
struct Ready {
    draft: Draft,
    record: Record,
    old: Option<Record>,
}

fn asked(args: &cli::Ingest) -> Result<Asked, Failure> {
    let bad = |bad: BadName| Failure::misuse("bad-name", bad.to_string());
    Ok(Asked {
        release: args.release.as_deref().map(Release::new).transpose().map_err(bad)?,
        target: args.target.as_deref().map(Target::new).transpose().map_err(bad)?,
        label: args.label.as_deref().map(Label::new).transpose().map_err(bad)?,
    })
}

fn figure(name: &str) -> Result<FigureId, Failure> {
    name.parse().map_err(|_| {
        let fault = Diagnostic::error("unknown-figure", format!("unknown figure `{name}`"));
        Failure::Misuse(fault.note("`plimsoll schema figures` lists them all").suggest(name, FigureId::names()))
    })
}

/// Lays over every draft what people wrote with it, and additions over the record they add to.
fn complete(
    drafts: Vec<Draft>,
    windows: &Windows,
    project: &Project,
    figures_only: bool,
    streams: &mut Streams<'_>,
) -> Result<Vec<Ready>, Failure> {
    let (mut runs, mut faults) = (Vec::new(), Vec::new());
    for draft in drafts {
        let address = draft.record.address();
        let old = existing(&address, project)?;
        if windows.get(&address).is_some_and(|window| old.as_ref().map(|old| &old.window) != window.as_ref()) {
            let message = format!("{address} was ingested by another process while its captures were read");
            faults.push(Diagnostic::error("changed-meanwhile", message).help("nothing was written: do it again"));
            continue;
        }
        match finished(&draft, old.as_ref()) {
            Ok((record, remarks)) => {
                for remark in &remarks {
                    streams.tell(remark);
                }
                let record = if figures_only { record.figures_only() } else { record };
                runs.push(Ready { draft, record, old });
            }
            Err(found) => faults.extend(found.into_list()),
        }
    }
    Faults::check(faults)?;
    Ok(runs)
}

/// The record that lies in the archive.
fn existing(address: &Address, project: &Project) -> Result<Option<Record>, Failure> {
    let path = project.archive_folder.join(address.to_string()).join("record.json");
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(record_json::read(&Source::from_bytes(shown(&path), &bytes))?)),
        Err(error) if fs::is_missing(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The record with what people wrote laid over it, added to the one that is there where its files make none, and what of their words has no place
/// in it.
pub(super) fn finished(draft: &Draft, old: Option<&Record>) -> Result<(Record, Vec<Diagnostic>), Faults> {
    let (mut notes, mut remarks) = (Vec::new(), Vec::new());
    let base = match (draft.is_addition, old) {
        (false, _) => draft.record.clone(),
        (true, Some(old)) => added(old.clone(), &draft.record, &mut remarks),
        (true, None) => {
            let message = format!("{} has no record yet, and these files alone make none", draft.record.address());
            return Err(Diagnostic::error("no-record", message).help("ingest its k6 summary or its page too").into());
        }
    };
    let mut overlay = Overlay::new(base);
    for source in &draft.by_hand_of_release {
        let typed = byhand::read_release(source)?;
        if typed.order.is_some() {
            let remark = Diagnostic::warning("order-elsewhere", "`order` counts only in the archive's own release.toml");
            remarks.push(remark.at(source.at(0..0)));
        }
        overlay = overlay.with_release(&typed);
        notes.extend(typed.notes);
    }
    for source in &draft.by_hand {
        let typed = byhand::read_run(source)?;
        overlay = overlay.with_run(&typed);
        notes.extend(typed.notes);
    }
    let mut record = overlay.record;
    for text in notes {
        record.notes.push(Note { place: INTRODUCTION.to_owned(), text });
    }
    Ok((record, remarks))
}
