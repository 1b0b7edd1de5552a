//! What was counted over the test: iterations, requests, checks, connections, acquires.

use super::{Hit, Row};
use crate::audit::claims::topic::{Extent, Topic};

pub(super) const ROWS: &[Row] = &[
    Row { pattern: r"(?P<n>NUM) (?:complete |completed )ITER", topics: |_| vec![("n", Topic::Iterations(Extent::All))] },
    Row {
        pattern: r"(?P<n>NUM) ITER (?:complete|completed|in total|altogether)",
        topics: |_| vec![("n", Topic::Iterations(Extent::All))],
    },
    Row { pattern: r"(?P<n>NUM) interrupted ITER", topics: |hit| whole(hit, Topic::Interrupted) },
    Row { pattern: r"(?P<n>NUM) ITER interrupted", topics: |hit| whole(hit, Topic::Interrupted) },
    Row { pattern: r"(?P<n>NUM) aborted ITER", topics: |hit| whole(hit, Topic::Aborted) },
    Row { pattern: r"(?P<n>NUM) ITER aborted", topics: |hit| whole(hit, Topic::Aborted) },
    Row { pattern: r"ITER : (?P<n>NUM)", topics: |_| vec![("n", Topic::Iterations(Extent::All))] },
    Row { pattern: r"(?:total of|in total|altogether) (?P<n>NUM) ITER", topics: |_| vec![("n", Topic::Iterations(Extent::All))] },
    Row { pattern: r"(?P<n>NUM) ITER", topics: |_| vec![("n", Topic::Iterations(Extent::Part))] },
    Row { pattern: r"(?:total of|in total|altogether|sent|made|issued) (?P<n>NUM) REQ", topics: all_requests },
    Row { pattern: r"(?P<n>NUM) REQ (?:in total|altogether|overall)", topics: all_requests },
    Row { pattern: r"REQ : (?P<n>NUM)", topics: |_| vec![("n", Topic::Requests(Extent::All))] },
    Row { pattern: r"(?P<n>NUM) REQ", topics: requests },
    Row { pattern: r"(?P<n>NUM) CHECK", topics: |_| vec![("n", Topic::Checks(Extent::Part))] },
    Row { pattern: r"(?P<n>NUM) (?:POOL )?ACQ", topics: |_| vec![("n", Topic::Acquires(Extent::Part))] },
    Row { pattern: r"(?P<n>NUM) DB CONN", topics: |hit| if hit.ends() { vec![("n", Topic::Connections)] } else { Vec::new() } },
    Row {
        pattern: r"DB (?:with |: |at |of ){0,2}(?P<n>NUM) CONN",
        topics: |hit| if hit.ends() { vec![("n", Topic::Connections)] } else { Vec::new() },
    },
    Row {
        pattern: r"(?P<n>NUM) CONN (?:to|on|at|in) DB",
        topics: |hit| if hit.ends() { vec![("n", Topic::Connections)] } else { Vec::new() },
    },
    Row {
        pattern: r"DB CONN <to>(?P<n>NUM)",
        topics: |hit| if hit.ends() { vec![("n", Topic::Connections)] } else { Vec::new() },
    },
];

/// All requests, unless it is only some of them that are spoken of.
fn all_requests(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let is_some = hit.has(&["each", "per", "every"]) || !hit.ends();
    vec![("n", Topic::Requests(if is_some { Extent::Part } else { Extent::All }))]
}

/// What the words tell of all of them.
fn whole(hit: &Hit<'_>, topic: Topic) -> Vec<(&'static str, Topic)> {
    if hit.is_whole() { vec![("n", topic)] } else { Vec::new() }
}

/// Requests, of which only that they can't be more than all is known; `8 requests per iteration` are another figure.
fn requests(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    if matches!(hit.next(), "per" | "each" | "a") { Vec::new() } else { vec![("n", Topic::Requests(Extent::Part))] }
}
