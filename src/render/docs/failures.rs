//! The row of observed errors: what somebody stated, else what the raw samples tell, else what k6's summary counts.

use crate::model::page::COUNTED_BY_K6;
use crate::model::record::{ErrorKind, Record, StatedShare, StatusCount};
use crate::model::stat::Stat;
use crate::model::summary::Summary;
use crate::model::units::{Unit, show, show_count, whole};
use crate::render::populations;

/// The row's lines, without the notes.
pub(super) fn lines(record: &Record) -> Vec<String> {
    let errors = &record.errors;
    if errors.none {
        return vec!["none".to_owned()];
    }
    let aborted = errors.aborted_iterations.iter().map(|kind| {
        let plural = if kind.count == 1 { "" } else { "s" };
        format!("{} iteration{plural} aborted on {}", show_count(kind.count), kind.what)
    });
    let sentences: Vec<String> = errors
        .requests
        .iter()
        .map(|share| sentence(share, "requests", &kinds(&errors.kinds)))
        .chain(aborted)
        .chain(errors.checks.iter().map(|share| sentence(share, "checks", &failed(&errors.failed_checks))))
        .collect();
    let stated = (!sentences.is_empty()).then(|| sentences.join(". "));
    let summed = || record.k6.as_ref().and_then(|k6| counted(k6, &errors.by_status));
    let sampled = populations::sentences(record).join(". ");
    let counted = match &stated {
        Some(_) => None,
        None if sampled.is_empty() => summed(),
        None => Some(sampled),
    };
    stated.into_iter().chain(counted.map(|text| format!("{COUNTED_BY_K6}{text}"))).collect()
}

fn sentence(share: &StatedShare, what: &str, parts: &[String]) -> String {
    let printed = share.printed.as_ref().map(|printed| format!(" ({printed})")).unwrap_or_default();
    let head = format!("{} of {} {what} failed{printed}", show_count(share.count), show_count(share.of));
    if parts.is_empty() { head } else { format!("{head}: {}", parts.join(", ")) }
}

fn kinds(kinds: &[ErrorKind]) -> Vec<String> {
    kinds.iter().map(|kind| format!("{}x {}", show_count(kind.count), kind.what)).collect()
}

fn failed(checks: &[ErrorKind]) -> Vec<String> {
    checks.iter().map(|check| format!("{} ({} failed)", check.what, show_count(check.count))).collect()
}

/// What k6's summary counts, requests and checks.
fn counted(summary: &Summary, by_status: &[StatusCount]) -> Option<String> {
    let requests = share(summary, "http_req_failed", Stat::Passes, Stat::Fails);
    let checks = share(summary, "checks", Stat::Fails, Stat::Passes);
    let failures = |check: &crate::model::summary::Check| {
        let count = check.fails.filter(|count| *count > 0)?;
        Some(ErrorKind { count, what: check.name.clone() })
    };
    let names: Vec<ErrorKind> = summary.checks.iter().filter_map(failures).collect();
    let sentences: Vec<String> = requests
        .map(|share| sentence(&share, "requests", &kinds(&failed_statuses(by_status))))
        .into_iter()
        .chain(checks.map(|share| sentence(&share, "checks", &failed(&names))))
        .collect();
    (!sentences.is_empty()).then(|| sentences.join(". "))
}

fn share(summary: &Summary, metric: &str, bad: Stat, good: Stat) -> Option<StatedShare> {
    let (bad, good) = (summary.value(metric, bad)?, summary.value(metric, good)?);
    let of = bad + good;
    let printed = (of > 0.0).then(|| show(bad / of, Unit::Ratio));
    Some(StatedShare { count: whole(bad)?, of: whole(of)?, printed })
}

/// Statuses that are failures, by what k6 calls them.
fn failed_statuses(by_status: &[StatusCount]) -> Vec<ErrorKind> {
    let failed = |status: &&StatusCount| status.error.is_some() || status.status.is_none_or(|code| code >= 400);
    let what = |status: &StatusCount| match (&status.error, status.status) {
        (Some(error), _) if !error.is_empty() => error.clone(),
        (_, Some(code)) => format!("HTTP {code}"),
        _ => "no response".to_owned(),
    };
    by_status.iter().filter(failed).map(|status| ErrorKind { count: status.requests, what: what(status) }).collect()
}
