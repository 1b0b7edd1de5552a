//! Which scrapes are the two states of one process, and what became of the process between them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::super::mapping::{Meaning, Means};
use super::super::prometheus::wire::moment;
use super::super::quantity::Quantity;
use super::super::track::{Kind, Track, Value};
use super::super::{Capture, File, Role, Rules, Window};

/// A scrape and its file.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub(super) file: &'a File,
    pub(super) tracks: &'a [Track],
    /// When the process started, in seconds since 1970, where it says so.
    start: Option<f64>,
}

impl<'a> State<'a> {
    /// The scrape in a file, if it is one.
    pub(super) fn of(file: &'a File, rules: &Rules) -> Option<Self> {
        let Capture::Scrape(scrape) = &file.capture else { return None };
        let is_start = |track: &&Track| {
            let meaning = rules.mapping.meaning(track, file.stem());
            matches!(meaning, Ok(Meaning { means: Means::Quantity(Quantity::ProcessStart), .. }))
        };
        let start = scrape.tracks.iter().find(is_start).and_then(|track| track.points.first()?.number());
        Some(Self { file, tracks: &scrape.tracks, start })
    }
}

/// Two states of one process.
pub(super) struct Pair<'a> {
    pub(super) before: State<'a>,
    pub(super) after: State<'a>,
    /// Whether the names of the files say that they belong together.
    same_name: bool,
}

/// What became of a process between two scrapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Course {
    /// It went on: differences tell.
    Same,
    /// It began anew at a moment: what it counted before is lost.
    Restarted(DateTime<Utc>),
    /// The states are exchanged.
    WrongOrder,
    /// The states are of two processes.
    OtherServer,
}

/// Scrapes in pairs, and those that are left over.
pub(super) fn pairs<'a>(states: &[State<'a>]) -> (Vec<Pair<'a>>, Vec<State<'a>>) {
    let mut by_name: BTreeMap<String, [Option<State<'a>>; 2]> = BTreeMap::new();
    let mut single = Vec::new();
    for state in states {
        let role = Role::named(&state.file.path);
        let slot = role.map(|role| &mut by_name.entry(process(&state.file.path)).or_default()[usize::from(role == Role::After)]);
        match slot {
            Some(slot @ None) => *slot = Some(*state),
            _ => single.push(*state),
        }
    }
    let (mut pairs, mut befores, mut afters) = (Vec::new(), Vec::new(), Vec::new());
    for (_, found) in by_name {
        match found {
            [Some(before), Some(after)] => pairs.push(Pair { before, after, same_name: true }),
            [Some(before), None] => befores.push(before),
            [None, after] => afters.extend(after),
        }
    }
    // Two that are left are looked at as a pair, so that two servers are found out.
    if let ([before], [after]) = (befores.as_slice(), afters.as_slice()) {
        pairs.push(Pair { before: *before, after: *after, same_name: false });
    } else {
        single.extend(befores.into_iter().chain(afters));
    }
    (pairs, single)
}

/// What is left of a file's name without the word of its role: the same for both states of a process.
pub(super) fn process(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_other = |word: &&str| Role::of(&word.to_lowercase()).is_none();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(is_other).collect();
    format!("{folder}/{}", words.join("_"))
}

/// Whether a series never falls while its process lives. A sum may, where negative values were observed.
fn is_counter(track: &Track) -> bool {
    let counts = || ["_total", "_count", "_bucket"].iter().any(|end| track.metric.ends_with(end));
    let has_buckets = || track.points.iter().any(|point| point.buckets().is_some());
    match track.kind {
        Kind::Cumulative => !track.metric.ends_with("_sum"),
        Kind::Unsaid => counts() || has_buckets(),
        Kind::Gauge | Kind::Delta => false,
    }
}

impl Pair<'_> {
    /// What became of the process; the span between the scrapes, where it is known, must hold a restart.
    pub(super) fn course(&self, span: Option<Window>) -> Course {
        let (fell, rose) = self.moved();
        let order = if rose { Course::OtherServer } else { Course::WrongOrder };
        match (self.before.start, self.after.start) {
            // Prometheus's clients round the start of a process to 10 ms, the same in each scrape.
            (Some(before), Some(after)) if (after - before).abs() < 1e-3 => {
                if fell {
                    order
                } else {
                    Course::Same
                }
            }
            (Some(before), Some(after)) => {
                let restart = moment(after).filter(|at| after > before && span.is_none_or(|span| span.holds(*at)));
                let exchanged = moment(before).is_some_and(|at| after < before && span.is_some_and(|span| span.holds(at)));
                match restart {
                    Some(at) if self.same_name => Course::Restarted(at),
                    None if self.same_name && exchanged => Course::WrongOrder,
                    _ => Course::OtherServer,
                }
            }
            _ if fell => order,
            _ if self.same_name => Course::Same,
            _ => Course::OtherServer,
        }
    }

    /// Whether some counter fell, and whether some rose.
    fn moved(&self) -> (bool, bool) {
        let before: BTreeMap<_, _> = self.before.tracks.iter().map(|track| ((&track.metric, &track.labels), track)).collect();
        let (mut fell, mut rose) = (false, false);
        for after in self.after.tracks.iter().filter(|track| is_counter(track)) {
            let Some(before) = before.get(&(&after.metric, &after.labels)) else { continue };
            let (is_less, is_more) = match (before.points.first().map(|p| &p.value), after.points.first().map(|p| &p.value)) {
                (Some(Value::Number(then)), Some(Value::Number(now))) => (now < then, now > then),
                (Some(Value::Buckets(then)), Some(Value::Buckets(now))) => {
                    (now.since(then).is_none(), now.count() > then.count())
                }
                _ => (false, false),
            };
            (fell, rose) = (fell || is_less, rose || is_more);
        }
        (fell, rose)
    }
}
