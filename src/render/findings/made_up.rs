//! Findings for tests.

use std::collections::BTreeMap;

use super::{About, Report};
use crate::model::finding::{Amount, Finding, Level};
use crate::model::units::Unit;

fn finding(run: Option<&str>, code: &str, level: Level, message: &str, accepted: Option<&str>) -> Finding {
    Finding {
        release: "v1".to_owned(),
        run: run.map(str::to_owned),
        code: code.to_owned(),
        level,
        message: message.to_owned(),
        figures: BTreeMap::from([("k6.vus".to_owned(), Amount::exact(600.0, Unit::Count))]),
        hint: "look again".to_owned(),
        accepted: accepted.map(str::to_owned),
    }
}

fn about(code: &str) -> Option<About> {
    let reason = "A fixed number of users spends its whole time in iterations, so that what is missing was spent elsewhere or was never there.";
    (code != "unknown").then_some(About { title: "The numbers do not fit", reason })
}

/// Something for a report of one of each kind.
pub(super) fn with(make: impl Fn(&Report<'_>) -> String) -> String {
    let long = "265,104 iterations of 2.88 s in the mean are 0.707 of the time of 600 virtual users over 30m";
    let findings = [
        finding(None, "flags-unlike-previous", Level::Warning, "webKey is off, in v0 on", None),
        finding(Some("a"), "littles-law", Level::Error, long, None),
        finding(Some("a"), "rate-over-clock", Level::Note, "1,388/s over k6's whole clock", Some("known, and on the page")),
        finding(Some("b"), "unknown", Level::Warning, "100%: a <name>,\nwith ::error:: \u{1}in it", None),
    ];
    let runs = ["v1/a", "v1/b", "v1/c"].map(str::to_owned);
    make(&Report { findings: &findings, runs: &runs, about: &about })
}

/// A report of so many errors.
pub(super) fn with_many(count: usize, make: impl Fn(&Report<'_>) -> String) -> String {
    let findings: Vec<Finding> = (0..count).map(|_| finding(Some("a"), "littles-law", Level::Error, "too few", None)).collect();
    make(&Report { findings: &findings, runs: &["v1/a".to_owned()], about: &about })
}
