//! `plimsoll ingest`: everything into records.

mod adding;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use self::adding::added;
use super::listing;
use super::project::shown;
use super::raw::{self, Piped};
use super::{Exit, Failure, Project, Streams, Tone};
use crate::archive::byhand;
use crate::archive::overlay::Overlay;
use crate::archive::{self, record_json};
use crate::capture::quantity::Quantity;
use crate::capture::reduce;
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::raw::{Progress, Stream};
use crate::fs::{self, Found, FsError};
use crate::ingest::sweep::{Asked, Body, Draft, Given, Harvest, Kinds, NAMED, harvest};
use crate::model::address::{Address, BadName, Label, Release, Target};
use crate::model::catalogue::{CATALOGUE, FigureId, Origin};
use crate::model::derive;
use crate::model::figure::{Coverage, Figure, Grade};
use crate::model::page::INTRODUCTION;
use crate::model::record::{Note, Record};
use crate::model::series::Series;
use crate::samples::origins::Origins;
use crate::samples::{Outcome, Unread, Wanted, is_samples, usual_stats};
use crate::source::{Source, is_utf16};
use crate::terminal::wrapped;
use crate::tree::Tree;

/// Reads what lies there, makes records, writes them: all or none.
pub(super) fn run(args: &cli::Ingest, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let asked = asked(args)?;
    let explained = args.explain.as_deref().map(figure).transpose()?;
    let Gathered { given, piped } = gather(&args.paths, project)?;
    let (piped, origins, watched) = (RefCell::new(piped), project.origins()?, streams.watched);
    let raw = |places: &[PathBuf], kinds: &Kinds| read_raw(places, kinds, &piped, &origins, watched);
    // A record that can't be read is told when it is laid over, not here.
    let window = |address: &Address| existing(address, project).ok().flatten().map(|old| old.window);
    let rules = project.capture_rules()?;
    let Harvest { drafts, files, remarks } = harvest(given, &asked, &window, &raw, &rules)?;
    listing::list(&files, streams);
    for remark in &remarks {
        streams.tell(remark);
    }
    let runs = complete(drafts, project, args.figures_only, streams)?;
    match explained {
        Some(figure) => explain(figure, &runs, streams),
        None => write(&runs, project, streams),
    }
}

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

/// Everything that was named or found, and standard input where it is raw samples.
#[derive(Default)]
struct Gathered {
    given: Vec<Given>,
    piped: Option<(Stream, Progress)>,
}

/// The bytes of all files; of raw samples and of what is no text the beginning only, which tells what they are.
fn gather(paths: &[PathBuf], project: &Project) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::default();
    let mut known = BTreeSet::new();
    for (at, path) in paths.iter().enumerate() {
        // A file that is named twice is no second run.
        if !known.insert(fs::real(path)) {
            continue;
        }
        if path == Path::new("-") {
            let body = match raw::piped(path)? {
                Piped::Whole(bytes) => Body::Whole(bytes),
                Piped::Raw(mut stream, progress) => {
                    let head = stream.head(4096);
                    gathered.piped = Some((stream, progress));
                    Body::Raw { place: path.clone(), head }
                }
            };
            let (path, shown, group) = ("-".to_owned(), "-".to_owned(), NAMED.to_owned());
            gathered.given.push(Given { path, shown, group, body, named: true });
        } else if fs::is_folder(path) {
            let own = project.own_folders(path);
            let is_own = |found: &Found| own.iter().any(|own| fs::real(&found.path).starts_with(own));
            for found in fs::find(path)?.into_iter().filter(|found| !is_own(found)) {
                let folder = found.relative.rsplit_once('/').map_or("", |(folder, _)| folder);
                let (group, body) = (format!("{at}:{folder}"), found_contents(&found.path)?);
                gathered.given.push(Given { path: found.relative, shown: shown(&found.path), group, body, named: false });
            }
        } else {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let (shown, group, body) = (shown(path), NAMED.to_owned(), contents(path)?);
            gathered.given.push(Given { path: name, shown, group, body, named: true });
        }
    }
    Ok(gathered)
}

/// What is in a file: its bytes, of raw samples and of what is no text the beginning only.
pub(super) fn contents(path: &Path) -> Result<Body, Failure> {
    let head = fs::head(path, 4096)?;
    Ok(if is_samples(&head) {
        Body::Raw { place: path.to_owned(), head }
    } else if head.contains(&0) && !is_utf16(&head) {
        Body::Whole(head)
    } else {
        Body::Whole(fs::read(path)?)
    })
}

/// A found archive that is cut off gives what can be unfolded of it, and is told apart by that; a named one is a fault.
fn found_contents(path: &Path) -> Result<Body, Failure> {
    match contents(path) {
        Err(Failure::World(FsError::Broken { .. })) => Ok(Body::Whole(fs::head(path, 4096)?)),
        other => other,
    }
}

/// Reads the raw files of a run: what a summary of it tells of its metrics is taken for known.
pub(super) fn read_raw(
    places: &[PathBuf],
    kinds: &Kinds,
    piped: &RefCell<Option<(Stream, Progress)>>,
    origins: &Origins,
    watched: bool,
) -> Result<Outcome, Unread> {
    let is_piped = places.iter().any(|place| place == Path::new("-"));
    let piped = if is_piped { piped.borrow_mut().take() } else { None };
    let mut samples = raw::read_with(places, piped, &Wanted::Record, watched)?;
    samples.learn(kinds.iter().map(|(name, kind, unit)| (name.as_str(), *kind, *unit)));
    Ok(samples.outcome(&usual_stats(), origins))
}

/// Lays over every draft what people wrote with it, and additions over the record they add to.
fn complete(drafts: Vec<Draft>, project: &Project, figures_only: bool, streams: &mut Streams<'_>) -> Result<Vec<Ready>, Failure> {
    let (mut runs, mut faults) = (Vec::new(), Vec::new());
    for draft in drafts {
        let old = existing(&draft.record.address(), project)?;
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

fn explain(figure: FigureId, runs: &[Ready], streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut found = false;
    for run in runs {
        let value = derive::figure(&run.record, figure);
        found |= value.measurement().is_some();
        let wanted = if value.measurement().is_none() { wanted(figure) } else { String::new() };
        writeln!(streams.out, "{}  {figure}  {}{wanted}", run.record.address(), explained(&value, figure))?;
    }
    Ok(if found { Exit::Yes } else { Exit::No })
}

/// What would give a figure that is lacking.
fn wanted(figure: FigureId) -> String {
    if figure.row().origin == Origin::Derived {
        return "\n  wanted  k6's summary, from which it is computed".to_owned();
    }
    let given = Quantity::ALL.iter().filter(|(quantity, _, _)| reduce::figures(*quantity).contains(&figure));
    let names: Vec<String> = given.map(|(_, name, _)| format!("`{name}`")).collect();
    let series = match names.as_slice() {
        [] => String::new(),
        names => format!("\n  wanted  series of {}, as rules tell them (docs/captures.md)", names.join(" and ")),
    };
    series + "\n  or      a line under [figures] of run.toml"
}

/// A figure with all that is known of it, a line each.
fn explained(figure: &Figure, id: FigureId) -> String {
    let (state, measurement) = match figure {
        Figure::Measured(measurement) => ("measured", measurement),
        Figure::Incomplete(measurement) => ("incomplete", measurement),
        Figure::NotCaptured { reason } => {
            return reason.as_ref().map_or("not captured".to_owned(), |reason| format!("not captured: {reason}"));
        }
    };
    let value = format!("{} ({state}, {} {})", measurement.text(), significant(measurement.value), id.unit());
    let series = measurement.series.map(|series| format!(", {series} series")).unwrap_or_default();
    let lines = [
        ("bounds", measurement.bounds.map(|bounds| format!("between {} and {}", bounds.lo(), bounds.hi()))),
        ("of", measurement.of.clone()),
        ("method", measurement.method.clone()),
        ("grade", measurement.grade.map(grade)),
        ("lacking", measurement.lacking.clone()),
        ("points", measurement.coverage.map(points)),
        ("from", measurement.source.as_ref().map(|source| format!("{source}{series}"))),
        ("files", (!measurement.files.is_empty()).then(|| measurement.files.join(", "))),
    ];
    let lines =
        lines.into_iter().filter_map(|(word, text)| Some("\n".to_owned() + &wrapped(&format!("  {word:8}{}", text?), 10)));
    value + &lines.collect::<String>()
}

/// A number without the noise behind its twelfth digit: 0.1 + 0.2 is 0.3.
fn significant(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

fn grade(grade: Grade) -> String {
    match grade {
        Grade::Approximate => "an approximation".to_owned(),
        Grade::AveragedPercentiles => "made of averaged percentiles: no percentile of any set of requests".to_owned(),
    }
}

fn points(coverage: Coverage) -> String {
    let period = coverage.period_s.map(|seconds| format!(", {seconds} s apart")).unwrap_or_default();
    let outside = if coverage.outside > 0 { format!("; {} outside the window", coverage.outside) } else { String::new() };
    format!("{} of {}{period}{outside}", coverage.seen, coverage.expected)
}

/// Writes all runs at once and says what each became.
fn write(runs: &[Ready], project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut tree = Tree::new();
    for run in runs {
        tree.extend(archive::files(&run.record, run.draft.k6_text.as_deref(), run.draft.series.as_ref()));
    }
    let written = fs::write_tree(&project.archive_folder, &tree)?;
    for run in runs {
        remove_stale(run, project, streams)?;
        if let Some(fault) = lost(run) {
            streams.tell(&fault);
        }
        let address = run.record.address().to_string();
        let changed = written.changed.iter().any(|path| path.starts_with(&format!("{address}/")));
        let state = match (&run.old, changed) {
            (None, _) => "new",
            (Some(_), true) => "changed",
            (Some(_), false) => "unchanged",
        };
        let line = format!("{address}  {state}  {}", captured(&run.record, streams.tone == Tone::Verbose));
        writeln!(streams.out, "{}", wrapped(&line, 4))?;
    }
    if streams.tone != Tone::Verbose && runs.iter().any(|run| !lacking(&run.record).is_empty()) {
        streams.say("  (-v lists missing figures, --explain FIGURE says what would give one)");
    }
    Ok(Exit::Yes)
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

/// Files of another run that lay in the folder: a series or a summary belongs to the record it came with.
fn remove_stale(run: &Ready, project: &Project, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let Some(old) = run.old.as_ref().filter(|old| !run.draft.is_addition && old.k6 != run.record.k6) else { return Ok(()) };
    let folder = project.archive_folder.join(old.address().to_string());
    let has = |part: fn(&Series) -> Series| run.draft.series.as_ref().is_some_and(|series| !part(series).is_empty());
    let given = [
        (archive::SERIES, has(Series::by_second)),
        (archive::BLOCKS, has(Series::by_block)),
        ("k6.txt", run.draft.k6_text.is_some()),
    ];
    for (file, given) in given {
        let path = folder.join(file);
        if !given && fs::exists(&path) {
            fs::remove_file(&path)?;
            streams.say(&format!("  removed {}: it belonged to the run that was there before", shown(&path)));
        }
    }
    Ok(())
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
