//! What a script checks and measures: sets of names.

use std::collections::{BTreeMap, BTreeSet};

use super::held::{Agreement, Held, Sides};
use crate::diff::writing;
use crate::model::builtin;
use crate::model::record::Record;
use crate::model::summary::MetricKind;

/// How many names are listed before the rest is counted.
const LISTED: usize = 5;

/// Names as they are written, by the form in which they are compared.
type Names = BTreeMap<String, String>;

/// The checks, whatever group they are in: k6's older text does not tell groups.
pub(super) fn checks(sides: &Sides<'_>) -> Held {
    hold(sides, checks_of, "check")
}

/// The trends that the script makes itself.
pub(super) fn trends(sides: &Sides<'_>) -> Held {
    hold(sides, trends_of, "trend")
}

fn hold(sides: &Sides<'_>, read: fn(&Record) -> Option<Names>, what: &str) -> Held {
    match (all(sides.a, read), all(sides.b, read)) {
        (None, None) => Held::Unknown,
        (Some(a), Some(b)) => {
            let agreement = if a.keys().eq(b.keys()) { Agreement::Alike } else { Agreement::Unlike };
            agreement.of(beside(&a, &b, what), beside(&b, &a, what))
        }
        (a, b) => Held::Untold { a: a.map(|names| counted(&names, what)), b: b.map(|names| counted(&names, what)) },
    }
}

/// The names of all runs that know them.
fn all(runs: &[&Record], read: fn(&Record) -> Option<Names>) -> Option<Names> {
    let known: Vec<Names> = runs.iter().filter_map(|run| read(run)).collect();
    (!known.is_empty()).then(|| known.into_iter().flatten().collect())
}

/// A summary that counts checks but names none leaves them unknown; one without any has none.
fn checks_of(run: &Record) -> Option<Names> {
    let by_summary = run.k6.as_ref().map(|summary| {
        let names: Vec<&str> = summary.checks.iter().map(|check| check.name.as_str()).collect();
        (names, summary.metrics.contains_key("checks"))
    });
    let by_samples = run.failures.as_ref().map(|failures| failures.checks.iter().map(|check| check.name.as_str()).collect());
    let known = match (by_summary, by_samples) {
        (Some((names, _)), _) if !names.is_empty() => names,
        (_, Some(names)) | (Some((names, false)), None) => names,
        _ => return None,
    };
    Some(known.into_iter().map(|name| (writing::name(name), writing::unescaped(name))).collect())
}

fn trends_of(run: &Record) -> Option<Names> {
    let by_summary = run.k6.as_ref().map(|summary| &summary.metrics);
    let metrics = by_summary.or_else(|| Some(&run.phases.as_ref()?.test.as_ref()?.metrics))?;
    let own = metrics.iter().filter(|(name, metric)| metric.kind == MetricKind::Trend && builtin::of(name).is_none());
    Some(own.map(|(name, _)| (writing::name(name), writing::unescaped(name))).collect())
}

fn counted(names: &Names, what: &str) -> String {
    match names.len() {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// How many there are, and which of them the other side does not have.
fn beside(names: &Names, other: &Names, what: &str) -> String {
    let own: BTreeSet<&str> =
        names.iter().filter(|(name, _)| !other.contains_key(*name)).map(|(_, name)| name.as_str()).collect();
    let listed: Vec<&str> = own.iter().copied().take(LISTED).collect();
    let more = own.len() - listed.len();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    match own.len() {
        0 => counted(names, what),
        _ => format!("{}, here alone: {}{rest}", counted(names, what), listed.join(", ")),
    }
}
