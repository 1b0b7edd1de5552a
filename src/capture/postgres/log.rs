//! The server's log: who waited for locks (`log_lock_waits`). What lies there is an excerpt, so nothing is counted per minute.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::super::findings::{Findings, Standing};
use super::super::{Capture, File, Window};
use super::moment;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::Observation;
use crate::model::units::Unit;
use crate::source::Source;

/// What the server log tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    waits: Vec<Wait>,
}

/// A line about a wait.
#[derive(Clone, Debug, PartialEq)]
struct Wait {
    /// When, where the log is in UTC.
    at: Option<DateTime<Utc>>,
    /// What the lock is on: `advisory`, `transaction`, `tuple`, `relation`.
    on: String,
    /// Whether the wait ended with the lock.
    acquired: bool,
}

/// The levels of a line, with the two blanks that PostgreSQL writes behind the colon.
const LEVELS: [&str; 6] = [" LOG:  ", " ERROR:  ", " FATAL:  ", " PANIC:  ", " DETAIL:  ", " STATEMENT:  "];

/// Whether a text is such a log: one of its first lines begins with a date and has a level of PostgreSQL.
pub(super) fn sniff(source: &Source) -> bool {
    let is_line = |line: &str| line.get(..10).is_some_and(is_date) && LEVELS.iter().any(|level| line.contains(level));
    source.text().lines().take(50).any(is_line)
}

fn is_date(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

impl Log {
    /// Reads a log; lines about other things are passed over.
    pub(super) fn read(source: &Source) -> Self {
        Self { waits: source.text().lines().filter_map(Wait::read).collect() }
    }
}

impl Wait {
    /// `... LOG:  process 5832 still waiting for ExclusiveLock on advisory lock [...] after 200.097 ms`
    fn read(line: &str) -> Option<Self> {
        let (prefix, words) = line.split_once(" LOG:  process ")?;
        let acquired = words.contains(" acquired ") && words.contains(" after ");
        if !acquired && !words.contains(" still waiting for ") {
            return None;
        }
        let on = words.split_once(" on ")?.1.split_whitespace().next()?.to_owned();
        // `2026-11-30 08:13:44.447 UTC [5832]`: of another zone's letters nobody knows the offset.
        let at = prefix.find(" UTC").and_then(|end| moment::read(&prefix[..end + " UTC".len()]));
        Some(Self { at, on, acquired })
    }
}

/// What the logs among the files tell.
pub(super) fn tell(files: &[&File], window: Option<Window>, findings: &mut Findings) {
    for file in files {
        let Capture::Log(log) = &file.capture else { continue };
        let inside = |at: DateTime<Utc>| window.is_none_or(|window| window.holds(at));
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for wait in log.waits.iter().filter(|wait| wait.at.is_none_or(inside)) {
            let on = if wait.on == "advisory" { "an advisory lock".to_owned() } else { format!("a lock on a {}", wait.on) };
            let name = if wait.acquired { "acquired after a wait".to_owned() } else { format!("still waiting for {on}") };
            *counts.entry(name).or_default() += 1;
        }
        let reason = "an excerpt of the server's log: nothing to count per minute";
        findings.add(FigureId::DatabaseErrorLogsPerMin, Figure::not_captured(reason), Standing::None);
        if counts.is_empty() {
            findings.pass_over(&file.path, "no line of the run about a wait for a lock");
            continue;
        }
        findings.use_file(&file.path, "waits for locks");
        for (name, count) in counts {
            let measurement =
                Measurement::exact(count as f64, Unit::Count).by("log_lock_waits lines of an excerpt").from("server log");
            findings
                .observed
                .push(Observation { name, measurement: Measurement { files: vec![file.path.clone()], ..measurement } });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
2026-01-02 03:04:05.678 UTC [7]: [1-1] db=a,user=b LOG:  process 7 still waiting for ExclusiveLock on advisory lock [1,2,3,2] after 200.1 ms
2026-01-02 03:04:05.700 UTC [7]: [2-1] db=a,user=b LOG:  process 7 acquired ExclusiveLock on advisory lock [1,2,3,2] after 222.1 ms
2026-01-02 03:04:06.000 CET [8] LOG:  process 8 still waiting for ShareLock on transaction 812 after 1000.1 ms
2026-01-02 03:04:06.001 UTC [8] LOG:  process 8 is something else
";

    #[test]
    fn waits_are_read_and_other_lines_passed_over() {
        let source = Source::new("log", LINES);
        assert!(sniff(&source));
        let waits = Log::read(&source).waits;
        let told: Vec<(&str, bool, bool)> =
            waits.iter().map(|wait| (wait.on.as_str(), wait.acquired, wait.at.is_some())).collect();
        assert_eq!(told, [("advisory", false, true), ("advisory", true, true), ("transaction", false, false)]);
    }

    #[test]
    fn other_logs_are_no_log_of_the_server() {
        assert!(!sniff(&Source::new("log", "2026-01-02 03:04:05 ERROR: one blank\n")));
        assert!(!sniff(&Source::new("log", "tps = 153.2 LOG:  x\n")));
    }
}
