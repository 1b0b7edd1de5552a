//! What the statements of a window tell together: queries, the database's time, the shares of it.

use super::ranking::{Ranked, queries, ranked};
use super::{Names, Statement, Told};
use crate::capture::findings::{Findings, Standing};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{DatabaseTime, Observation, QueryClass};
use crate::model::units::Unit;

/// What a share of all statements' time is a share of.
const DATABASE_TIME: &str = "database time";

/// Seconds by what they were spent on.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    all: f64,
    lock_wait: f64,
    ignored: f64,
    unknown: f64,
}

/// Names, ranks and adds up statements: queries, the database's time, the figures that follow.
///
/// Statements of one normalised text are one, whatever numbers and users they have. The share of lock wait counts the statements that
/// do nothing but wait, by name rule; where the times are a lower bound it is incomplete. Of fewer than two statements, or of no
/// time at all, there is no share. A statement whose time is negative or no number is left out with a warning, and what is then told
/// is incomplete.
#[must_use]
pub fn tell(statements: Vec<Statement>, told: &Told, names: &Names) -> Findings {
    let mut findings = Findings::default();
    let (good, bad): (Vec<_>, Vec<_>) =
        statements.into_iter().partition(|statement| statement.seconds.is_finite() && statement.seconds >= 0.0);
    let mut told = told.clone();
    if !bad.is_empty() {
        findings.told.push(refused(&bad, &told));
        told.lacking.get_or_insert_with(|| format!("{} whose time can't be", counted(bad.len(), "statement")));
    }
    let ranked = ranked(good, names);
    let sums = sums(&ranked);
    if ranked.is_empty() || !sums.all.is_finite() {
        no_share(&mut findings, &told, "there is no statement with a time");
        return findings;
    }
    for path in &told.files {
        findings.use_file(path, counted(ranked.len(), "statement"));
        findings.use_file(path, DATABASE_TIME);
    }
    findings.queries = queries(&ranked);
    findings.database_time = Some(DatabaseTime {
        total_s: sums.all,
        lock_wait_s: sums.lock_wait,
        ignored_s: sums.ignored,
        statements: ranked.len() as u64,
        window_s: told.window_s,
        source: told.source.clone(),
        method: told.method.clone(),
    });
    figures(&mut findings, &ranked, sums, &told);
    observations(&mut findings, &ranked, sums, &told);
    findings
}

fn refused(bad: &[Statement], told: &Told) -> Diagnostic {
    let from = told.files.join(", ");
    let message = format!("{} of {} left out: a time is no negative number", counted(bad.len(), "statement"), told.source);
    let first = bad.iter().map(|statement| statement.seconds).next().unwrap_or_default();
    Diagnostic::warning("bad-statement-time", message)
        .note(format!("the first of them took {first} s; files: {from}"))
        .help("capture the statements again: their counters began anew, or the two states are in the wrong order")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn sums(ranked: &[Ranked]) -> Sums {
    let mut sums = Sums::default();
    for one in ranked {
        sums.all += one.seconds;
        match one.named.class {
            Some(QueryClass::LockWait) => sums.lock_wait += one.seconds,
            Some(QueryClass::Ignored) => sums.ignored += one.seconds,
            None => sums.unknown += one.seconds,
            Some(QueryClass::Work) => {}
        }
    }
    sums
}

fn figures(findings: &mut Findings, ranked: &[Ranked], sums: Sums, told: &Told) {
    if ranked.len() < 2 {
        return no_share(findings, told, "there is one statement only, which is no share of anything");
    }
    if sums.all <= 0.0 {
        return no_share(findings, told, "the statements took no time at all");
    }
    let method = "lock-wait statements / all statements, by name rule";
    findings.add(FigureId::DatabaseLockWaitRatio, share(sums.lock_wait / sums.all, method, told), Standing::Raw);
    let top = findings.queries.first().and_then(|query| query.seconds);
    let (figure, standing) = match top {
        Some(seconds) => (share(seconds / sums.all, "the most expensive statement / all statements", told), Standing::Raw),
        None => (Figure::not_captured("all statements are transaction control"), Standing::None),
    };
    findings.add(FigureId::DatabaseTopQueryRatio, figure, standing);
}

fn no_share(findings: &mut Findings, told: &Told, why: &str) {
    for id in [FigureId::DatabaseLockWaitRatio, FigureId::DatabaseTopQueryRatio] {
        findings.add(id, Figure::not_captured(format!("{}: {why}", told.source)), Standing::None);
    }
}

fn share(value: f64, method: &str, told: &Told) -> Figure {
    let measurement = measured(value, Unit::Ratio, method, told).of(DATABASE_TIME);
    if measurement.lacking.is_some() { Figure::Incomplete(measurement) } else { Figure::Measured(measurement) }
}

/// A value with what all values of one source have in common.
fn measured(value: f64, unit: Unit, method: &str, told: &Told) -> Measurement {
    let measurement = Measurement::exact(value, unit).by(method).from(told.source.as_str());
    Measurement { files: told.files.clone(), lacking: told.lacking.clone(), ..measurement }
}

fn observations(findings: &mut Findings, ranked: &[Ranked], sums: Sums, told: &Told) {
    let mut observe = |name: &str, measurement| findings.observed.push(Observation { name: name.to_owned(), measurement });
    let time = |seconds: f64, method: &str| measured(seconds * 1e3, Unit::Ms, method, told);
    observe("query time", time(sums.all, &told.method));
    observe("lock-wait time", time(sums.lock_wait, "class lock-wait").of(DATABASE_TIME));
    if ranked.iter().any(|one| one.named.class == Some(QueryClass::Ignored)) {
        observe("transaction control", time(sums.ignored, "class ignore, part of the query time").of(DATABASE_TIME));
    }
    if ranked.iter().any(|one| one.named.class.is_none()) {
        observe(
            "time of statements that no rule knows",
            time(sums.unknown, "no class, part of the query time").of(DATABASE_TIME),
        );
    }
    if let Some(value) = top_share(ranked).filter(|_| ranked.len() > 1) {
        let method = "lock-wait statements / the five most expensive statements, by name rule";
        observe("lock-wait share of the top 5", measured(value, Unit::Ratio, method, told).of("the time of the top 5"));
    }
}

/// The share of lock wait in the five most expensive statements; `None` where they took no time.
fn top_share(ranked: &[Ranked]) -> Option<f64> {
    let top: Vec<&Ranked> = ranked.iter().filter(|one| one.named.class != Some(QueryClass::Ignored)).take(5).collect();
    let all: f64 = top.iter().map(|one| one.seconds).sum();
    let waits = top.iter().filter(|one| one.named.class == Some(QueryClass::LockWait));
    let lock_wait: f64 = waits.map(|one| one.seconds).sum();
    (all > 0.0).then(|| lock_wait / all)
}

#[cfg(test)]
mod tests;
