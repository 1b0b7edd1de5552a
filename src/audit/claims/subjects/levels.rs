//! Shares of time: CPU and memory of database, service and load generator, lock wait, an empty pool.

use std::ops::Range;

use super::{Hit, Row, Said, stat};
use crate::audit::claims::sentence::Sentence;
use crate::audit::claims::topic::{Quantity, Topic};
use crate::model::stat::Stat;

pub(super) const ROWS: &[Row] = &[
    Row {
        pattern: r"(?P<n>PCT) of (?:time )?(?P<of>(?:top-\d+ |top \* )?(?:TOPBASE|BASE)) <to>(?:(?:spent|went|goes|work|not) |<to>){0,3}LOCK",
        topics: locks,
    },
    Row {
        pattern: r"LOCK (?:(?:took|takes|made|makes|up|accounts|accounted|for|about) |<to>){0,3}(?P<n>PCT) of (?P<of>(?:top-\d+ |top \* )?(?:TOPBASE|BASE))",
        topics: locks,
    },
    Row { pattern: r"LOCK (?:of (?P<of>(?:top-\d+ |top \* )?(?:TOPBASE|BASE)) )?MOVED from PCT to (?P<n>PCT)", topics: locks },
    Row { pattern: r"LOCK <to>(?P<n>PCT)", topics: locks_alone },
    Row {
        pattern: r"(?P<n>PCT) of (?:POOL )?ACQ (?:[^ ]+ ){0,12}(?:EMPTY|wait|waited)",
        topics: |_| vec![("n", Topic::PoolEmpty)],
    },
    Row { pattern: r"POOL (?:EMPTY )?<to>(?P<n>PCT)(?: EMPTY| of ACQ)", topics: |_| vec![("n", Topic::PoolEmpty)] },
    Row { pattern: r"POOL EMPTY <to>(?P<n>PCT)", topics: |_| vec![("n", Topic::PoolEmpty)] },
    Row { pattern: r"STEAL <to>(?P<n>PCT)", topics: |_| vec![("n", Topic::Steal)] },
    Row { pattern: r"(?P<n>PCT) STEAL", topics: |_| vec![("n", Topic::Steal)] },
    Row { pattern: r"<res> (?P<what>CPU|MEM) (?:<after> )?MOVED from PCT to (?P<n>PCT)", topics: level },
    Row { pattern: r"<stat> <res> (?P<what>CPU|MEM) <to>(?P<n>PCT)", topics: level },
    Row { pattern: r"<res> (?P<what>CPU|MEM) <to>(?P<n>PCT) <stat>", topics: level },
    Row { pattern: r"<res> (?P<what>CPU|MEM) <to>(?:<stat> )?<to>(?P<n>PCT)", topics: level },
    Row { pattern: r"<stat> (?P<what>CPU|MEM) (?:of|on|in) <res> <to>(?P<n>PCT)", topics: level },
    Row { pattern: r"(?P<what>CPU|MEM) (?:of|on|in) <res> <to>(?P<n>PCT) <stat>", topics: level },
    Row { pattern: r"(?P<what>CPU|MEM) (?:of|on|in) <res> <to>(?:<stat> )?<to>(?P<n>PCT)", topics: level },
    Row { pattern: r"(?P<n>PCT) (?:<stat> )?(?:of )?<res> (?P<what>CPU|MEM)", topics: level },
    Row { pattern: r"(?P<n>PCT) (?:<stat> )?(?:of )?(?P<what>CPU|MEM) (?:of|on|in) <res>", topics: level },
    Row { pattern: r"(?:\(|,|and|with|against) <res> (?:at )?(?P<n>PCT)(?: <stat>)?", topics: either },
    Row { pattern: r"<res> at (?P<n>PCT)(?: <stat>)?", topics: either },
    Row { pattern: r"<res> (?P<n>PCT)", topics: either },
];

/// Words of a change within the run: then neither number is all of it.
const MEANWHILE: [&str; 11] =
    ["over", "during", "throughout", "end", "across", "steadily", "gradually", "slowly", "time", "minutes", "meanwhile"];

fn is_meanwhile(hit: &Hit<'_>) -> bool {
    hit.word("all").contains("MOVED") && hit.has(&MEANWHILE)
}

fn locks(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    if is_meanwhile(hit) {
        return Vec::new();
    }
    vec![("n", Topic::LockWait(hit.text("of").map(base)))]
}

/// `top 5 query time` as the record has it.
fn base(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase().replacen("top ", "top-", 1)
}

/// A share of lock wait of which the words don't say of what; what stands behind it may.
fn locks_alone(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    if hit.next() == "of" { Vec::new() } else { vec![("n", Topic::LockWait(None))] }
}

fn level(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    // "98% of the time" is a share of something else.
    let is_share = hit.next() == "of" && hit.word("what") == "CPU" || is_one(hit) || is_meanwhile(hit);
    let what = if hit.word("what") == "MEM" { Quantity::Memory } else { Quantity::Cpu };
    let topic =
        hit.resource("res").filter(|_| !is_share).map(|resource| Topic::Level(resource, what, hit.stat(&["stat", "after"])));
    topic.map(|topic| vec![("n", topic)]).unwrap_or_default()
}

/// Whether it is one container of several: what it used is not what the service used.
fn is_one(hit: &Hit<'_>) -> bool {
    const ONES: [&str; 11] = ["one", "some", "another", "single", "each", "every", "busiest", "idlest", "NUM", "per", "of"];
    let before = hit.place("res").and_then(|at| at.checked_sub(1)).map_or("", |at| hit.sentence.name(at));
    hit.word("res") == "BOX" && ONES.contains(&before)
}

/// A share of a resource without a word of which: of its CPU where the sentence spoke of CPU, else of either.
fn either(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let Some(place) = hit.place("n").filter(|_| hit.next() != "of" && !is_one(hit)) else { return Vec::new() };
    let spoke = |word: &str| (0..place).rev().find(|at| hit.sentence.name(*at) == word);
    let what = match (spoke("CPU"), spoke("MEM")) {
        (Some(cpu), memory) if memory.is_none_or(|memory| memory < cpu) => Quantity::Cpu,
        (_, Some(_)) => Quantity::Memory,
        _ => Quantity::Either,
    };
    let topic = hit.resource("res").map(|resource| Topic::Level(resource, what, hit.stat(&["stat"])));
    topic.map(|topic| vec![("n", topic)]).unwrap_or_default()
}

/// `CPU: p50 26%, p99 36% (peak 44%)`: a share beside a statistic is of what the share before it was of.
pub(super) fn inherit(sentence: &Sentence, said: &mut Vec<Said>) {
    let shares: Vec<usize> = (0..sentence.symbols.len()).filter(|at| sentence.name(*at) == "PCT").collect();
    for (before, at) in shares.iter().zip(shares.iter().skip(1)) {
        if said.iter().any(|one| one.number == *at) {
            continue;
        }
        let level = said.iter().find(|one| one.number == *before).map(|one| (one.topic.clone(), one.words.clone()));
        let Some((Topic::Level(resource, what, _), words)) = level else { continue };
        if let Some(found) = beside(sentence, *before, *at) {
            said.push(Said { number: *at, topic: Topic::Level(resource, what, Some(found)), words: words.start..at + 2 });
        }
    }
}

/// The statistic beside a share, if nothing but marks lies between it and the share before.
fn beside(sentence: &Sentence, before: usize, at: usize) -> Option<Stat> {
    let is_joint = |between: Range<usize>| {
        between.into_iter().all(|at| {
            matches!(sentence.name(at), "," | "and" | "(" | ")" | "/" | "with" | "at") || stat(sentence.name(at)).is_some()
        })
    };
    let next = stat(sentence.name(at + 1));
    let last = at.checked_sub(1).filter(|last| *last > before).and_then(|last| stat(sentence.name(last)));
    last.or(next).filter(|_| is_joint(before + 1..at))
}
