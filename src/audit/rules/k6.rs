//! Whether k6's output is the run's, and of the version that is named.

use std::sync::LazyLock;

use regex::Regex;

use super::stated::is_throughput_foreign;
use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::address::{Address, compare_versions};
use crate::model::collection::{Archive, Run};
use crate::model::finding::Level;
use crate::model::stat::Stat;
use crate::model::summary::Summary;
use crate::model::units::Unit;

/// k6's output of another run.
pub(super) const FOREIGN_OUTPUT: Rule = Rule {
    code: "foreign-k6-output",
    level: Level::Error,
    title: "k6's output is another run's",
    reason: "Two runs of the archive have the same k6 output, to the last count. Two runs do not end alike: one page was made with the output of \
             the other. Where a trend is named after one of the targets, or the throughput that a page states is another, the rule says whose \
             it is; else it tells of both.",
    hint: "put the output of this run in its place, and ingest it again",
    look: Scope::Run(foreign_output),
};

fn foreign_output(subject: &Subject<'_>) -> Vec<Found> {
    one(foreign(subject.archive(), subject.address, subject.run))
}

/// What is found where a run has another's output.
fn foreign(archive: &Archive, address: &Address, run: &Run) -> Option<Found> {
    let own = run.record.k6.as_ref().filter(|k6| has_counts(k6))?;
    let twin = archive.runs().find(|(other, run)| *other != address && is_same(own, run.record.k6.as_ref()))?;
    if !is_suspect(address, run, twin) {
        return None;
    }
    let trend = format!("{}_duration", twin.0.target);
    let named = if own.metrics.contains_key(&trend) { format!(", whose trend {trend} it has") } else { String::new() };
    let message = format!("k6's output is that of {}{named}", twin.0);
    let iterations = own.value("iterations", Stat::Count).unwrap_or(f64::NAN);
    Some(Found::new(message).with("k6.iterations", iterations, Unit::Count))
}

/// Whether k6's output of a run is known to be another's: what follows from it says nothing of the run.
pub(super) fn is_foreign(archive: &Archive, address: &Address, run: &Run) -> bool {
    foreign(archive, address, run).is_some()
}

/// Whether a summary counts anything: two empty ones are alike for no reason.
fn has_counts(k6: &Summary) -> bool {
    k6.value("iterations", Stat::Count).is_some_and(|count| count > 1.0) && k6.metrics.len() > 3
}

fn is_same(a: &Summary, b: Option<&Summary>) -> bool {
    b.is_some_and(|b| a.metrics == b.metrics && a.checks == b.checks)
}

/// Whether the output may be the other's: not if it names this run's target, nor if the other states a throughput that is not in it and
/// this one does not.
fn is_suspect(address: &Address, run: &Run, (other, twin): (&Address, &Run)) -> bool {
    if address.target == other.target {
        return true;
    }
    let names = |address: &Address| {
        let trend = format!("{}_duration", address.target);
        run.record.k6.as_ref().is_some_and(|k6| k6.metrics.contains_key(&trend))
    };
    match (names(address), names(other)) {
        (true, false) => false,
        (false, true) => true,
        _ => is_throughput_foreign(run) || !is_throughput_foreign(twin),
    }
}

/// A k6 version that does not print this output.
pub(super) const VERSION_LAYOUT: Rule = Rule {
    code: "k6-version-layout",
    level: Level::Warning,
    title: "k6 of the stated version does not print this output",
    reason: "k6 changed how it prints: rates are `✓ N ✗ M` up to v0.53 and `N out of M` from v0.54 on, the section `█ TOTAL RESULTS` came with \
             v1.0.0-rc1. An output in another version's layout was made by another k6 than the page says, or by the script itself (an older \
             copy of jslib's textSummary).",
    hint: "state the version of the k6 that ran (`k6 version` prints it), or say that the script prints its own summary",
    look: Scope::Run(version_layout),
};

/// A layout of k6's text: what it is told by, and the versions that print it.
struct Layout {
    mark: &'static str,
    what: &'static str,
    from: Option<&'static str>,
    before: Option<&'static str>,
}

const LAYOUTS: [Layout; 3] = [
    Layout {
        mark: r"(?m)^\s*[✓✗]?\s*(?:checks|http_req_failed)\.{3,}: +\d[\d.]*% +✓ \d+ +✗ \d+",
        what: "rates as `✓ N ✗ M`",
        from: None,
        before: Some("v0.54.0"),
    },
    Layout {
        mark: r"(?m)^\s*[✓✗]?\s*(?:checks|http_req_failed)\.{3,}: +\d[\d.]*% +\d+ out of \d+",
        what: "rates as `N out of M`",
        from: Some("v0.54.0"),
        before: None,
    },
    Layout { mark: r"(?m)^\s*█ TOTAL RESULTS\s*$", what: "the section TOTAL RESULTS", from: Some("v0.58.0"), before: None },
];

static MARKS: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| LAYOUTS.iter().map(|layout| Regex::new(layout.mark).ok()).collect());

fn version_layout(subject: &Subject<'_>) -> Vec<Found> {
    let text = subject.run.k6_text.as_deref();
    let stated = subject.record().environment.client.k6_version.as_deref();
    let (Some(text), Some(stated)) = (text, stated) else { return Vec::new() };
    let printed = LAYOUTS.iter().zip(MARKS.iter()).filter(|(_, mark)| mark.as_ref().is_some_and(|mark| mark.is_match(text)));
    let foreign = printed.filter_map(|(layout, _)| Some((layout, misfit(layout, stated)?)));
    foreign
        .map(|(layout, who)| {
            Found::new(format!("k6 {stated} is stated, but the output has {}, which k6 {who} prints", layout.what))
        })
        .collect()
}

/// Which k6 prints a layout, if the stated one does not.
fn misfit(layout: &Layout, stated: &str) -> Option<String> {
    let is_version = compare_versions(stated, "v999999").is_lt();
    let too_old = layout.from.filter(|from| is_version && compare_versions(stated, from).is_lt());
    let too_new = layout.before.filter(|before| is_version && compare_versions(stated, before).is_ge());
    too_old.map(|from| format!("from {from} on")).or_else(|| too_new.map(|before| format!("before {before}")))
}
