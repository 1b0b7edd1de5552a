//! Query Insights of Cloud SQL: execution, lock and I/O time by statement, and its latencies.
//!
//! <https://cloud.google.com/sql/docs/postgres/using-query-insights>: times are microseconds of wall time, summed over sessions; texts are
//! cut at a length that the instance sets. Whether lock time holds waits for advisory locks is not documented: the share of lock
//! wait is told by the statements' names, and lock time is a second estimate beside it.

mod forms;
mod latency;
mod pieces;
mod series;

use std::collections::BTreeMap;

use self::series::{Series, coverage, files, limit, seconds};
use super::{Names, Statement, Told, tell};
use crate::capture::findings::{Findings, Standing};
use crate::capture::mapping::Meaning;
use crate::capture::quantity::Quantity;
use crate::capture::track::Track;
use crate::capture::{File, Window};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Measurement};
use crate::model::record::{LOCK_WAIT_ESTIMATES, Observation, lock_waits_differ};
use crate::model::units::Unit;

/// The source's name in a record.
const SOURCE: &str = "Query Insights";

/// What Query Insights' series among the files tell: those whose meaning is a quantity `query.*`.
///
/// A point counts if its period lies at least half inside the window; counters are subtracted, and one that began inside the
/// window counts from zero. The series of one statement are added over users, clients and databases, never over instances: where
/// several instances have time in the window nothing is told but a warning. Without a window all points count.
#[must_use]
pub fn insights(tracks: &[(&Track, Meaning, &File)], window: Option<Window>, names: &Names) -> Findings {
    let mut findings = Findings::default();
    let series = forms::once(series::all(tracks, window, &mut findings), &mut findings);
    if series.is_empty() {
        return findings;
    }
    let Some(series) = of_one_instance(series, &mut findings) else { return findings };
    let series = in_window(series, &mut findings);
    let of = |quantity| series.iter().filter(|one| one.quantity == quantity).collect::<Vec<_>>();
    let (time, latency) = (of(Quantity::QueryTime), of(Quantity::QueryLatency));
    if time.is_empty() {
        no_figures(&mut findings, "there is no execution time of the window, of which lock wait could be a share");
    } else {
        told_by_time(&mut findings, &time, &latency, window, names);
    }
    let locks = of_types(&mut findings, &of(Quantity::QueryLockTime), ("lock time", "lock_type"), window);
    of_types(&mut findings, &of(Quantity::QueryIoTime), ("io time", "io_type"), window);
    second_estimate(&mut findings, &locks, &of(Quantity::QueryLockTime));
    latency::observed(&mut findings, &latency, names);
    findings
}

/// The series of the one instance that is meant: that of all of them, or the only one with time in the window.
fn of_one_instance<'a>(series: Vec<Series<'a>>, findings: &mut Findings) -> Option<Vec<Series<'a>>> {
    let mut instances: BTreeMap<String, (bool, &File)> = BTreeMap::new();
    for one in series.iter().filter(|one| !one.instance().is_empty()) {
        instances.entry(one.instance().to_owned()).or_insert((false, one.file)).0 |= one.has_values();
    }
    if instances.len() < 2 {
        return Some(series);
    }
    let busy: Vec<&String> = instances.iter().filter(|(_, (has_values, _))| *has_values).map(|(name, _)| name).collect();
    let all = instances.keys().cloned().collect::<Vec<_>>().join(", ");
    if let [only] = busy[..] {
        let message = format!("of several instances only `{only}` has time in the window, and is taken");
        findings.told.push(Diagnostic::remark("several-instances", message).note(format!("there are {all}")));
        return Some(series.into_iter().filter(|one| one.instance().is_empty() || one.instance() == only).collect());
    }
    let mut places: Vec<&File> = instances.values().map(|(_, file)| *file).collect();
    places.dedup_by_key(|file| file.path.as_str());
    let first = places.first()?;
    let told = first.complaint("several-instances", format!("{SOURCE} of several instances: {all}"));
    let told = places.iter().skip(1).fold(told, |told, file| told.at(file.source.at(0..0)));
    findings.told.push(told.help("ask for one with `resource.labels.resource_id = \"project:instance\"`"));
    for one in &series {
        findings.pass_over(&one.file.path, "it holds several instances");
    }
    no_figures(findings, "its series are of several instances");
    None
}

/// The series that have points in the window; a file of which none has is told of.
fn in_window<'a>(series: Vec<Series<'a>>, findings: &mut Findings) -> Vec<Series<'a>> {
    let mut files: BTreeMap<&str, (bool, &File)> = BTreeMap::new();
    for one in &series {
        files.entry(one.file.path.as_str()).or_insert((false, one.file)).0 |= one.is_in_window();
    }
    for (path, (_, file)) in files.into_iter().filter(|(_, (is_in_window, _))| !is_in_window) {
        let told = file.complaint("outside-window", format!("no point of {path} lies at least half in the run's window"));
        findings.told.push(told.help("capture the time of this run, or ask for shorter periods"));
        findings.pass_over(path, "no point lies in the window");
    }
    series.into_iter().filter(Series::is_in_window).collect()
}

fn no_figures(findings: &mut Findings, why: &str) {
    for id in [FigureId::DatabaseLockWaitRatio, FigureId::DatabaseTopQueryRatio] {
        findings.add(id, Figure::not_captured(format!("{SOURCE}: {why}")), Standing::None);
    }
}

fn told_by_time(findings: &mut Findings, time: &[&Series<'_>], latency: &[&Series<'_>], window: Option<Window>, names: &Names) {
    let mut by_statement: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for one in time {
        by_statement.entry(one.statement()).or_default().extend(one.milliseconds());
    }
    let calls = latency::calls(latency);
    let statements = by_statement.into_iter().map(|((text, id), times)| Statement {
        text: text.to_owned(),
        seconds: sum(times) / 1e3,
        calls: calls.get(&(text, id)).copied(),
        id: (!id.is_empty()).then(|| id.to_owned()),
    });
    let coverage = coverage(time, window);
    let told = Told {
        source: SOURCE.to_owned(),
        method: method(time),
        files: files(time),
        window_s: seconds(time),
        lacking: limit(time).or_else(|| uncovered(coverage)),
    };
    let mut found = tell(statements.collect(), &told, names);
    for candidate in &mut found.figures {
        if let Figure::Measured(measurement) | Figure::Incomplete(measurement) = &mut candidate.figure {
            (measurement.series, measurement.coverage) = (Some(time.len() as u64), coverage);
        }
    }
    for observation in &mut found.observed {
        (observation.measurement.series, observation.measurement.coverage) = (Some(time.len() as u64), coverage);
    }
    findings.extend(found);
}

/// A sum that does not depend on the order of files and series.
fn sum(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.iter().sum()
}

fn method(series: &[&Series<'_>]) -> String {
    let how = if series.iter().any(|one| one.is_counter()) { "last - first" } else { "sum" };
    match series.len() {
        1 => format!("{how} of 1 series"),
        many => format!("{how} of {many} series"),
    }
}

fn uncovered(coverage: Option<Coverage>) -> Option<String> {
    let coverage = coverage.filter(|coverage| !coverage.is_complete())?;
    Some(format!("{} of {} points of the window", coverage.seen, coverage.expected))
}

/// Observations of a time by its types, `lock time (hw)`; the milliseconds by type, under an empty one where none is named.
fn of_types(
    findings: &mut Findings,
    series: &[&Series<'_>],
    (name, label): (&str, &str),
    window: Option<Window>,
) -> BTreeMap<String, f64> {
    let mut by_type: BTreeMap<&str, Vec<&Series<'_>>> = BTreeMap::new();
    for one in series {
        by_type.entry(one.track.label(label)).or_default().push(one);
    }
    let mut sums = BTreeMap::new();
    for (of_type, series) in by_type {
        let name = if of_type.is_empty() { name.to_owned() } else { format!("{name} ({of_type})") };
        let value = sum(series.iter().filter_map(|one| one.milliseconds()).collect());
        sums.insert(of_type.to_owned(), value);
        let measurement = Measurement {
            files: files(&series),
            series: Some(series.len() as u64),
            coverage: coverage(&series, window),
            lacking: limit(&series),
            ..Measurement::exact(value, Unit::Ms).by(method(&series)).from(SOURCE)
        };
        for path in &measurement.files {
            findings.use_file(path, name.as_str());
        }
        findings.observed.push(Observation { name, measurement });
    }
    sums
}

/// The share of lock wait by lock time: an observation, and a warning where it is far from the share by name rule.
fn second_estimate(findings: &mut Findings, locks: &BTreeMap<String, f64>, series: &[&Series<'_>]) {
    // Heavyweight locks are those that statements take; the others are PostgreSQL's own.
    let found =
        [("hw", "lock time (hw)"), ("", "lock time")].into_iter().find_map(|(of_type, name)| Some((name, *locks.get(of_type)?)));
    let (Some((name, lock_ms)), Some(time)) = (found, &findings.database_time) else { return };
    if time.total_s <= 0.0 {
        return;
    }
    let second = lock_ms / 1e3 / time.total_s;
    let first = findings.figures.iter().find(|candidate| candidate.id == FigureId::DatabaseLockWaitRatio);
    let first = first.and_then(|candidate| candidate.figure.measurement()).cloned();
    let mut used = files(series);
    used.extend(first.iter().flat_map(|first| first.files.clone()));
    used.sort();
    used.dedup();
    let measurement = Measurement::exact(second, Unit::Ratio).by(format!("second estimate: {name} / execution time"));
    let measurement = Measurement { files: used, ..measurement.of("database time").from(SOURCE) };
    findings.observed.push(Observation { name: LOCK_WAIT_ESTIMATES[1].to_owned(), measurement });
    if let Some(first) = first.filter(|first| lock_waits_differ(first.value, second)) {
        let message = format!(
            "lock wait is {:.1}% of the query time by the statements' names, and {:.1}% by {name}",
            first.value * 100.0,
            second * 100.0
        );
        let told = series
            .first()
            .map(|one| one.file.source.at(0..0))
            .into_iter()
            .fold(Diagnostic::warning("lock-wait-differs", message), Diagnostic::at);
        findings.told.push(told.note("a statement that works may wait as well, and a rule may miss a statement that only waits"));
    }
}

#[cfg(test)]
mod tests;
