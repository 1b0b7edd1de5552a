//! When and how long: times of day and the day, offsets into the run, how long the test ran.

use super::{Hit, Row};
use crate::audit::claims::number::{Kind, Number};
use crate::audit::claims::sentence::Sentence;
use crate::audit::claims::topic::Topic;

pub(super) const ROWS: &[Row] = &[
    Row { pattern: r"(?P<n>DUR) (?:\( (?P<same>DUR) \) )?into RUN", topics: into_run },
    Row { pattern: r"(?P<n>DUR) \( (?P<same>DUR) \)", topics: same_time },
    Row { pattern: r"RUN (?:lasted|ran for|ran|took|duration|of|for) (?:: |of )?(?P<n>DUR)", topics: duration },
    Row { pattern: r"RUN duration (?:: |of )?(?P<n>DUR)", topics: duration },
    Row { pattern: r"(?P<n>DUR) (?:long )?RUN", topics: duration },
    Row { pattern: r"TARGET at (?P<n>CLOCK)", topics: |_| vec![("n", Topic::Clock)] },
    Row { pattern: r"(?:ran|measured|tested) on (?P<n>DATE)", topics: day },
    Row { pattern: r"(?P<n>CLOCK)", topics: clock },
];

/// The day of this run, unless it was run on others, too.
fn day(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    if hit.has(&["also", "again", "another", "too", "once"]) { Vec::new() } else { vec![("n", Topic::Day)] }
}

fn into_run(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let place = hit.place("n").unwrap_or_default();
    let clock = (0..place)
        .find_map(|at| hit.sentence.symbols.get(at)?.number.clone().filter(|number| matches!(number.kind, Kind::Clock(_))));
    let same = hit.number("n").cloned().map(|n| ("same", Topic::SameTime(n)));
    vec![("n", Topic::IntoRun(clock))].into_iter().chain(same).collect()
}

fn same_time(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    hit.number("n").cloned().map(|n: Number| vec![("same", Topic::SameTime(n))]).unwrap_or_default()
}

/// How long the whole test ran, not how long it took to something.
fn duration(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    if matches!(hit.next(), "to" | "until" | "before" | "after" | "into" | "later") {
        Vec::new()
    } else {
        vec![("n", Topic::Duration)]
    }
}

/// What happens in a run: a time of day beside one of these is of the run.
const EVENTS: [&str; 16] = [
    "TIMEOUT",
    "STATUS",
    "FAILURE",
    "FAILED",
    "RESET",
    "burst",
    "STARTED",
    "STARTS",
    "spike",
    "stall",
    "stalled",
    "latency",
    "throughput",
    "REQ",
    "crashed",
    "restarted",
];

/// Words of what is done around a run.
const APART: [&str; 21] = [
    "deployed", "deploy", "capture", "captured", "sweep", "released", "created", "rebooted", "seeded", "restored", "migrated",
    "noticed", "alert", "alerted", "fixed", "opened", "rerun", "repeated", "paged", "ticket", "closed",
];

fn clock(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let has = |words: &[&str]| words.iter().any(|word| hit.sentence.has(word));
    if has(&EVENTS) && !has(&APART) && !is_of_another(hit.sentence) { vec![("n", Topic::Clock)] } else { Vec::new() }
}

/// Whether a time of day may be of before or after the run: `after the run, at 18:40`.
fn is_of_another(sentence: &Sentence) -> bool {
    (0..sentence.symbols.len())
        .any(|at| matches!((sentence.name(at), sentence.name(at + 1)), ("before" | "after" | "since", "RUN" | "it")))
}
