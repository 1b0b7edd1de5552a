//! Which two snapshots of a view are the ends of a run.
//!
//! Of several, the last one taken at or before the window's start and the first at or after its end; where none lies outside,
//! the first and the last in time. Snapshots of one moment (CSV and JSON) are alternatives: those with more rows are taken.

use chrono::{DateTime, TimeDelta, Utc};

use super::super::{Capture, File, Role, Window};
use super::server;
use super::snapshot::{Snapshot, State};
use super::table::is_json;
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::source::Place;

/// Snapshots of one moment are no further apart; and a window's stamps are whole seconds.
const SLACK: TimeDelta = TimeDelta::seconds(2);

/// A pair longer than the window by more than this factor holds more than the run.
const LONG: f64 = 1.5;

/// One state of a view, and the file it is from.
#[derive(Clone, Copy)]
pub(super) struct Shot<'a> {
    pub(super) file: &'a File,
    pub(super) snapshot: &'a Snapshot,
    pub(super) state: &'a State,
    /// When it was taken, by itself or by a snapshot that was taken with it.
    pub(super) at: Option<DateTime<Utc>>,
    pub(super) role: Option<Role>,
}

impl Shot<'_> {
    /// Where it stands: the file, or in a file of several states the row it begins at. Rows are not shown without need, since
    /// statements may hold what nobody should see.
    pub(super) fn place(&self) -> Place {
        let offset = if self.snapshot.states.len() > 1 { self.state.offset } else { 0 };
        self.file.source.at(offset..offset)
    }

    fn folder(&self) -> &str {
        self.file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Two snapshots in order.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) first: Shot<'a>,
    pub(super) second: Shot<'a>,
}

impl Pair<'_> {
    /// The seconds between them, where both moments are known.
    pub(super) fn seconds(&self) -> Option<f64> {
        Some((self.second.at? - self.first.at?).as_seconds_f64())
    }

    /// The files of both, without a third for two states of one file.
    pub(super) fn files(&self) -> Vec<String> {
        let mut files = vec![self.first.file.path.clone()];
        if self.second.file.path != self.first.file.path {
            files.push(self.second.file.path.clone());
        }
        files
    }

    /// The pair's length in words, `245.6 s`.
    pub(super) fn length(&self) -> String {
        self.seconds().map_or_else(|| "an unknown time".to_owned(), |seconds| format!("{seconds:.1} s"))
    }

    /// Whether the pair holds much more than the window.
    pub(super) fn is_long(&self, window: Option<Window>) -> bool {
        self.seconds().zip(window).is_some_and(|(seconds, window)| seconds > LONG * window.seconds())
    }

    /// What part of the window lies between the snapshots, if it is under 90%.
    pub(super) fn lacking(&self, window: Option<Window>) -> Option<String> {
        let (window, from, to) = (window?, self.first.at?, self.second.at?);
        let covered = (to.min(window.end) - from.max(window.start)).as_seconds_f64();
        let whole = window.seconds();
        (covered < 0.9 * whole).then(|| format!("the snapshots cover {covered:.1} of {whole:.1} s of the window"))
    }
}

/// All states of a view among the files, each with its moment and role.
pub(super) fn shots<'a>(files: &[&'a File], view: View) -> Vec<Shot<'a>> {
    let mut shots: Vec<Shot> = own(files, view).collect();
    if view != View::Database {
        // Taken together, in one folder: a snapshot that says when.
        let timed: Vec<Shot> = own(files, View::Database).filter(|shot| shot.at.is_some()).collect();
        for shot in shots.iter_mut().filter(|shot| shot.at.is_none() && shot.role.is_some()) {
            let mut beside = timed.iter().filter(|other| other.role == shot.role && other.folder() == shot.folder());
            // Of several nobody knows which.
            shot.at = beside.next().filter(|_| beside.next().is_none()).and_then(|other| other.at);
        }
    }
    shots
}

fn own<'a>(files: &[&'a File], view: View) -> impl Iterator<Item = Shot<'a>> {
    let snapshots = files.iter().filter_map(move |file| match &file.capture {
        Capture::Snapshot(snapshot) if snapshot.view == view => Some((*file, snapshot)),
        _ => None,
    });
    snapshots.flat_map(|(file, snapshot)| {
        let role = Role::named(&file.path);
        snapshot.states.iter().map(move |state| Shot { file, snapshot, state, at: state.at, role })
    })
}

/// The pair around a window.
///
/// # Errors
/// Why there is none: `one-snapshot`, `wrong-order`, `different-servers`, `no-overlap`.
pub(super) fn pair<'a>(shots: &[Shot<'a>], window: Option<Window>) -> Result<Pair<'a>, Box<Diagnostic>> {
    let timed: Vec<Shot> = shots.iter().copied().filter(|shot| shot.at.is_some()).collect();
    let pair = if timed.len() > 1 || shots.len() == 1 { by_time(&timed, shots, window)? } else { by_role(shots)? };
    server::same(&pair)?;
    // Of two servers' files the order would tell nothing, so it is looked at second.
    if pair.first.role == Some(Role::After) || pair.second.role == Some(Role::Before) {
        return Err(Box::new(wrong_order(&pair, "the names say another order than the moments in the files")));
    }
    overlapping(&pair, window)?;
    Ok(pair)
}

fn by_time<'a>(timed: &[Shot<'a>], all: &[Shot<'a>], window: Option<Window>) -> Result<Pair<'a>, Box<Diagnostic>> {
    let moments = moments(timed);
    let (Some(earliest), Some(latest)) = (moments.first(), moments.last()) else { return Err(Box::new(one_snapshot(all))) };
    let whole = (earliest, latest);
    let (first, second) = window.map_or(whole, |window| {
        let before = moments.iter().rev().find(|group| group[0].at.is_some_and(|at| at <= window.start + SLACK));
        let after = moments.iter().find(|group| group[0].at.is_some_and(|at| at >= window.end - SLACK));
        let (before, after) = (before.unwrap_or(earliest), after.unwrap_or(latest));
        // All on one side of the window: told as such.
        if before[0].at < after[0].at { (before, after) } else { whole }
    });
    let pair = fullest(first, second).filter(|pair| pair.seconds().is_some_and(|seconds| seconds > 0.0));
    pair.ok_or_else(|| Box::new(one_snapshot(all)))
}

/// Of the snapshots of two moments the pair with the most rows, both of one format if that can be.
fn fullest<'a>(first: &[Shot<'a>], second: &[Shot<'a>]) -> Option<Pair<'a>> {
    let pairs = first.iter().flat_map(|first| second.iter().map(|second| Pair { first: *first, second: *second }));
    let format = |shot: &Shot| is_json(shot.file.source.text());
    let rank =
        |pair: &Pair| (format(&pair.first) == format(&pair.second), pair.first.state.rows.len() + pair.second.state.rows.len());
    pairs.reduce(|best, pair| if rank(&pair) > rank(&best) { pair } else { best })
}

/// Snapshots by the moment they were taken at, oldest first.
fn moments<'a>(timed: &[Shot<'a>]) -> Vec<Vec<Shot<'a>>> {
    let mut sorted = timed.to_vec();
    sorted.sort_by(|a, b| (a.at, &a.file.path, a.state.offset).cmp(&(b.at, &b.file.path, b.state.offset)));
    let mut groups: Vec<Vec<Shot>> = Vec::new();
    for shot in sorted {
        match groups.last_mut() {
            Some(group) if is_alternative(&group[0], &shot) => group.push(shot),
            _ => groups.push(vec![shot]),
        }
    }
    groups
}

/// Whether two snapshots are of one moment. The states of one file are not, and names may say that they are two.
fn is_alternative(a: &Shot, b: &Shot) -> bool {
    let near = a.at.zip(b.at).is_some_and(|(a, b)| b - a <= SLACK);
    let apart = a.role.is_some() && b.role.is_some() && a.role != b.role;
    near && !apart && a.file.path != b.file.path
}

fn by_role<'a>(shots: &[Shot<'a>]) -> Result<Pair<'a>, Box<Diagnostic>> {
    let of = |role: Role| shots.iter().filter(move |shot| shot.role == Some(role)).copied().collect::<Vec<Shot>>();
    let (before, after) = (of(Role::Before), of(Role::After));
    let ([first], [second]) = (&before[..], &after[..]) else {
        let mut diagnostic = unclear(shots);
        if let Some(other) = shots.get(1) {
            diagnostic.places.push(other.place());
        }
        return Err(Box::new(diagnostic));
    };
    if first.state.rows == second.state.rows {
        return Err(Box::new(one_snapshot(shots)));
    }
    Ok(Pair { first: *first, second: *second })
}

fn unclear(shots: &[Shot]) -> Diagnostic {
    let of = |role: Role| shots.iter().filter(|shot| shot.role == Some(role)).count();
    let (message, help) = if of(Role::Before) > 0 && of(Role::After) > 0 {
        (
            "several snapshots are called `before` or `after`, and nothing says which two are of this run",
            "give each run a folder of its own, or select `now() AS captured_at` with the rows",
        )
    } else {
        (
            "nothing says which of these snapshots was taken first",
            "select `now() AS captured_at` with the rows, or name the files `before` and `after`",
        )
    };
    let diagnostic = shots
        .first()
        .map_or_else(|| Diagnostic::warning("one-snapshot", message), |shot| shot.file.complaint("one-snapshot", message));
    diagnostic.help(help)
}

fn one_snapshot(shots: &[Shot]) -> Diagnostic {
    let message = "one snapshot holds totals since the last reset, not those of the run";
    let diagnostic = shots
        .first()
        .map_or_else(|| Diagnostic::warning("one-snapshot", message), |shot| shot.file.complaint("one-snapshot", message));
    let twice = (shots.len() > 1).then_some("the files hold the state of one moment");
    let diagnostic = twice.into_iter().fold(diagnostic, Diagnostic::note);
    diagnostic.help("take a snapshot before and one after the run")
}

/// A contradiction between the names of two files and what they hold.
pub(super) fn wrong_order(pair: &Pair, why: &str) -> Diagnostic {
    let told = |shot: &Shot| {
        shot.at.map_or_else(|| "no moment".to_owned(), |at| format!("taken {}", at.format("%Y-%m-%d %H:%M:%S UTC")))
    };
    let diagnostic = Diagnostic::error("wrong-order", format!("the snapshots before and after were exchanged: {why}"));
    let diagnostic =
        diagnostic.at(pair.first.place().labelled(told(&pair.first))).at(pair.second.place().labelled(told(&pair.second)));
    diagnostic.help("give each file the name of the moment it was taken at")
}

fn overlapping(pair: &Pair, window: Option<Window>) -> Result<(), Box<Diagnostic>> {
    let (Some(window), Some(from), Some(to)) = (window, pair.first.at, pair.second.at) else { return Ok(()) };
    if from < window.end && window.start < to {
        return Ok(());
    }
    let stamp = |at: DateTime<Utc>| at.format("%Y-%m-%d %H:%M:%S").to_string();
    let message = format!("the snapshots are of {} to {} UTC, outside the run", stamp(from), stamp(to));
    let mut diagnostic = pair.first.file.complaint("no-overlap", message);
    diagnostic.places = vec![pair.first.place(), pair.second.place()];
    Err(Box::new(diagnostic.note(format!("the run took from {} to {} UTC", stamp(window.start), stamp(window.end)))))
}
