//! How many entries of a log told of what, and how many errors a minute that is.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{Entry, Log};
use crate::capture::findings::{Findings, Standing};
use crate::capture::{Capture, File, Window};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::Observation;
use crate::model::units::Unit;

/// What the logs among the files tell of a window; without one the time from the first entry to the last counts. Of several files
/// each is told by itself, since the same entry may lie in two of them.
#[must_use]
pub fn findings(files: &[&File], window: Option<Window>) -> Findings {
    let mut found = Findings::default();
    for (file, log) in once(files, &mut found) {
        tell(file, log, window, &mut found);
    }
    found
}

/// What an entry has in every form: its moment and severity.
type Mark<'a> = (DateTime<Utc>, &'a str);

/// Each log once: of the same entries in several forms the one that tells most of them by their kind.
fn once<'a>(files: &[&'a File], found: &mut Findings) -> Vec<(&'a File, &'a Log)> {
    let mut by_entries: BTreeMap<Vec<Mark>, (&File, &Log)> = BTreeMap::new();
    for file in files {
        let Capture::Entries(log) = &file.capture else { continue };
        let mut entries: Vec<Mark> = log.entries.iter().map(|entry| (entry.at, entry.severity.as_str())).collect();
        entries.sort_unstable();
        let rank = |(file, log): &(&File, &Log)| {
            let known = log.entries.iter().filter(|entry| entry.about != "without kind").count();
            (std::cmp::Reverse(known), file.path.clone())
        };
        let mut other = (*file, log);
        if let Some(known) = by_entries.get_mut(&entries) {
            if rank(&other) < rank(known) {
                std::mem::swap(known, &mut other);
            }
            found.pass_over(&other.0.path, format!("{} has the same entries", known.0.path));
        } else {
            by_entries.insert(entries, other);
        }
    }
    let mut once: Vec<_> = by_entries.into_values().collect();
    once.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    once
}

fn tell(file: &File, log: &Log, window: Option<Window>, found: &mut Findings) {
    let inside: Vec<&Entry> = log.entries.iter().filter(|entry| window.is_none_or(|window| window.holds(entry.at))).collect();
    let times = (inside.iter().map(|entry| entry.at).min(), inside.iter().map(|entry| entry.at).max());
    let (Some(first), Some(last)) = times else {
        let complaint = file.complaint("no-overlap", "no entry of the log lies in the window of the run");
        found.told.push(complaint.help("ask for the time of the run in the filter of `gcloud logging read`"));
        found.pass_over(&file.path, "no entry in the window");
        return;
    };
    let covered = (last - first).as_seconds_f64();
    let seconds = window.map_or(covered, Window::seconds);
    let errors = inside.iter().filter(|entry| entry.is_error()).count();
    let counts = counted(&inside);
    for (name, count) in counts {
        let measurement = of_file(file, count as f64, Unit::Count, "counted".to_owned());
        found.observed.push(Observation { name: format!("log entries: {name}"), measurement });
    }
    found.use_file(&file.path, format!("{} log entries", inside.len()));
    if seconds <= 0.0 {
        return;
    }
    let span = if window.is_some() { "the minutes of the run" } else { "the minutes from the first entry to the last" };
    let method = format!("{errors} entries of severity ERROR and above, over {span}");
    let mut measurement = of_file(file, errors as f64 * 60.0 / seconds, Unit::PerMinute, method);
    measurement.lacking = lacking(file, log, covered, seconds);
    let is_whole = measurement.lacking.is_none();
    let figure = if is_whole { Figure::Measured(measurement) } else { Figure::Incomplete(measurement) };
    found.add(FigureId::ServerErrorLogsPerMin, figure, Standing::Raw);
}

fn of_file(file: &File, value: f64, unit: Unit, method: String) -> Measurement {
    let measurement = Measurement::exact(value, unit).by(method).from("gcloud logging read");
    Measurement { files: vec![file.path.clone()], ..measurement }
}

/// Counts by what entries are about and their severity, and by severity in all.
fn counted(entries: &[&Entry]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for entry in entries {
        *counts.entry(format!("{} ({})", entry.about, entry.severity)).or_default() += 1;
        *counts.entry(format!("{} in all", entry.severity)).or_default() += 1;
    }
    counts
}

/// Why a log may hold less than there was: its number of entries is the limit in its file's name (`errors.limit_1000.json`) or looks
/// like one, or it is silent for more than a tenth of the run.
fn lacking(file: &File, log: &Log, covered: f64, seconds: f64) -> Option<String> {
    let entries = log.entries.len();
    if limit_named(file.stem()) == Some(entries) {
        return Some(format!("{entries} entries are the limit in the file's name: older ones may be missing"));
    }
    if entries.is_multiple_of(100) {
        return Some(format!("{entries} entries look like the limit of the command, which cuts older ones without saying so"));
    }
    let silent = ((seconds - covered) / 60.0).round();
    (covered < seconds * 0.9).then(|| format!("the log has no entry for {silent} of {} minutes", (seconds / 60.0).round()))
}

/// The limit of the command, where the name of the file tells it.
fn limit_named(stem: &str) -> Option<usize> {
    let (_, rest) = stem.rsplit_once("limit")?;
    let digits = rest.trim_start_matches(['_', '-', '=', '.']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}
