//! What failed: counts by cause, shares, and a count beside its share.

use super::{Hit, Row};
use crate::audit::claims::number::{Kind, Number};
use crate::audit::claims::topic::{Cause, Extent, Topic};

pub(super) const ROWS: &[Row] = &[
    // 36 of the 38 failed requests are 60-second timeouts
    Row { pattern: r"(?P<n>NUM) of (?P<of>NUM) FAILED REQ (?:[^ ]+ ){0,4}?(?P<cause>TIMEOUT|RESET|STATUS)", topics: of_failed },
    Row { pattern: r"(?P<n>NUM) of (?P<of>NUM) FAILED REQ", topics: of_failed },
    Row { pattern: r"(?P<n>NUM) of FAILED REQ (?:[^ ]+ ){0,4}?(?P<cause>TIMEOUT|RESET|STATUS)", topics: of_failed },
    Row { pattern: r"(?P<n>NUM) of FAILED REQ", topics: of_failed },
    Row { pattern: r"(?P<n>NUM) of (?P<of>NUM) (?P<what>REQ|CHECK) FAILED(?: \( (?P<share>PCT))?", topics: of_all },
    // 1,044 of 683,256 is 0.15%
    Row { pattern: r"(?P<n>NUM) of (?P<of>NUM) (?:(?:REQ|ITER|CHECK|ACQ) \( |\( |: |= |, )?(?P<share>PCT)", topics: quotient },
    // 8,178 request timeouts (1.20%)
    Row {
        pattern: r"(?P<n>NUM|TIMES) (?:REQ |http |DUR )?(?P<cause>TIMEOUT|RESET|STATUS)(?: (?:[a-z]+ ){0,2}(?:FAILURE|REQ|response|responses|answers))?(?: \( (?P<share>PCT))?",
        topics: by_cause,
    },
    Row { pattern: r"(?P<n>NUM) REQ (?:[^ ]+ ){0,2}(?:http )?(?P<cause>STATUS|TIMEOUT|RESET)(?: burst)?", topics: by_cause },
    Row { pattern: r"(?P<n>NUM) (?:platform|service|request|REQ|http|k6) FAILURE(?: \( (?P<share>PCT))?", topics: by_cause },
    Row { pattern: r"(?P<n>NUM) FAILED REQ(?: \( (?P<share>PCT))?", topics: failed },
    Row { pattern: r"(?P<n>NUM) REQ FAILED(?: \( (?P<share>PCT))?", topics: failed },
    Row { pattern: r"(?P<n>NUM) FAILED CHECK", topics: |hit| vec![("n", Topic::FailedChecks(hit.extent()))] },
    Row { pattern: r"(?P<n>NUM) CHECK FAILED", topics: |hit| vec![("n", Topic::FailedChecks(hit.extent()))] },
    Row { pattern: r"(?P<n>PCT) of (?:http )?REQ FAILED", topics: |hit| of_all_requests(hit, Topic::FailedShare) },
    Row { pattern: r"(?P<n>PCT) of CHECK FAILED", topics: |hit| of_all_requests(hit, Topic::FailedCheckShare) },
    Row { pattern: r"(?P<n>PCT) of (?:http )?REQ succeeded", topics: |hit| of_all_requests(hit, Topic::Success) },
    Row { pattern: r"FAILRATE <to>(?P<n>PCT)", topics: |hit| of_all_requests(hit, Topic::FailedShare) },
    Row { pattern: r"(?P<n>PCT) FAILRATE", topics: |hit| of_all_requests(hit, Topic::FailedShare) },
    Row { pattern: r"OKRATE <to>(?P<n>PCT)", topics: |hit| of_all_requests(hit, Topic::Success) },
    Row { pattern: r"(?P<n>PCT) OKRATE", topics: |hit| of_all_requests(hit, Topic::Success) },
];

fn cause(hit: &Hit<'_>) -> Cause {
    match hit.word("cause") {
        "TIMEOUT" => Cause::Timeout,
        "RESET" => Cause::Reset,
        "STATUS" => hit.number("cause").and_then(|status| status_of(status.value)).map_or(Cause::Any, Cause::Status),
        _ => Cause::Any,
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a status is a whole number of three digits, which was just checked"
)]
fn status_of(value: f64) -> Option<u16> {
    (100.0..600.0).contains(&value).then_some(value as u16)
}

fn of_failed(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let extent = if cause(hit) == Cause::Any { Extent::Part } else { Extent::All };
    vec![("n", Topic::Failed(cause(hit), extent)), ("of", Topic::Failed(Cause::Any, Extent::All))]
}

fn of_all(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let (failed, all) = if hit.word("what") == "REQ" {
        (Topic::Failed(Cause::Any, Extent::All), Topic::Requests(Extent::All))
    } else {
        (Topic::FailedChecks(Extent::All), Topic::Checks(Extent::All))
    };
    let share = hit.number("n").cloned().zip(hit.number("of").cloned()).map(|(n, of)| ("share", Topic::Quotient(n, of)));
    vec![("n", failed), ("of", all)].into_iter().chain(share).collect()
}

/// Two counts and the share that one is of the other.
fn quotient(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let counts: Option<(Number, Number)> = hit.number("n").cloned().zip(hit.number("of").cloned());
    let is_share = hit.next() != "of";
    counts.filter(|(_, of)| of.value > 0.0 && is_share).map(|(n, of)| vec![("share", Topic::Quotient(n, of))]).unwrap_or_default()
}

/// Failures of a cause. A status before the word for it is no count: `503 errors`.
fn by_cause(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let Some(number) = hit.number("n") else { return Vec::new() };
    let looks_like_a_status =
        number.kind == Kind::Count && cause(hit) == Cause::Any && [429.0, 500.0, 502.0, 503.0, 504.0].contains(&number.value);
    if looks_like_a_status {
        return Vec::new();
    }
    let extent = if cause(hit) == Cause::Any { Extent::Part } else { hit.extent() };
    vec![("n", Topic::Failed(cause(hit), extent))].into_iter().chain(share(hit, number)).collect()
}

/// The share in brackets behind a count, if nothing there says of what it is one.
fn share(hit: &Hit<'_>, number: &Number) -> Option<(&'static str, Topic)> {
    matches!(hit.next(), ")" | ",").then(|| ("share", Topic::ShareOf(number.clone())))
}

/// A share of all requests or checks, unless it is of some: of those to an endpoint, with a name before or behind.
fn of_all_requests(hit: &Hit<'_>, topic: Topic) -> Vec<(&'static str, Topic)> {
    let is_named =
        hit.word("all").contains("RATE") && !matches!(hit.last(), "" | "," | "(" | ":" | "and" | "with" | "overall" | "at");
    if is_named || !hit.ends() { Vec::new() } else { vec![("n", topic)] }
}

fn failed(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let share = hit.number("n").and_then(|n| share(hit, n));
    vec![("n", Topic::Failed(Cause::Any, hit.extent()))].into_iter().chain(share).collect()
}
