//! From two snapshots of `pg_stat_statements` to the statements of a run.

use chrono::{DateTime, Utc};

use super::super::super::findings::Findings;
use super::super::super::queries::{self, Told};
use super::super::super::{Rules, Window};
use super::super::moment;
use super::super::pair::{Pair, Shot, wrong_order};
use super::super::snapshot::Rows;
use super::super::statements::{Difference, Entry, Info, difference};
use super::{between, observe, pair_of, refuse, remark_length};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::Measurement;
use crate::model::units::Unit;

const FIGURES: [FigureId; 2] = [FigureId::DatabaseLockWaitRatio, FigureId::DatabaseTopQueryRatio];

/// Tells what two snapshots of the statements say; the snapshots of `pg_stat_statements_info` say whether they were reset.
pub(super) fn tell(shots: &[Shot], infos: &[Shot], window: Option<Window>, rules: &Rules, findings: &mut Findings) {
    let Some(pair) = pair_of(shots, window, &FIGURES, findings) else {
        for info in infos {
            findings.pass_over(&info.file.path, "no pair of snapshots of pg_stat_statements belongs to it");
        }
        return;
    };
    let resets = Resets::of(infos, &pair, findings);
    let difference = difference(rows_of(&pair.first), rows_of(&pair.second), pair.first.at, resets.all);
    if is_exchanged(&difference, &pair, resets) {
        refuse(shots, wrong_order(&pair, "every count that changed is lower in the second"), &FIGURES, findings);
        return;
    }
    remark_length(&pair, window, findings);
    remark(&difference, &pair, findings);
    let lacking = lacking(&difference, resets, &pair, window, findings);
    let told = Told {
        source: "pg_stat_statements".to_owned(),
        method: format!("sum of the differences of total_exec_time {}", between(&pair, window)),
        files: pair.files(),
        window_s: pair.seconds(),
        lacking: lacking.clone(),
    };
    let new = difference.new;
    findings.extend(queries::tell(difference.statements, &told, &rules.names));
    let counted = Measurement::exact(new as f64, Unit::Count).by("rows that the first snapshot has not");
    observe("new statements", counted, &pair, findings);
    lock_wait(&pair, lacking, findings);
}

fn rows_of<'a>(shot: &Shot<'a>) -> &'a [Entry] {
    if let Rows::Statements(rows) = &shot.state.rows { rows } else { &[] }
}

/// How many sessions waited for a lock at a time, from the time of the statements that do nothing else.
fn lock_wait(pair: &Pair, lacking: Option<String>, findings: &mut Findings) {
    let waited = findings.database_time.as_ref().map(|time| time.lock_wait_s);
    let Some((waited, seconds)) = waited.zip(pair.seconds()) else { return };
    let sessions = Measurement::exact(waited / seconds, Unit::Count).by("lock-wait time / seconds between the snapshots");
    observe("mean sessions in lock wait", Measurement { lacking, ..sessions }, pair, findings);
}

/// Whether statistics began anew between the snapshots, as far as `pg_stat_statements_info` tells.
#[derive(Clone, Copy, Debug, Default)]
struct Resets {
    /// All statistics were reset.
    all: bool,
    /// Statements were dropped because there were too many.
    dropped: bool,
}

impl Resets {
    fn of(infos: &[Shot], pair: &Pair, findings: &mut Findings) -> Self {
        let (before, after) = (beside(infos, &pair.first), beside(infos, &pair.second));
        for info in infos {
            let used = [before, after].iter().flatten().any(|(path, _)| *path == info.file.path);
            if used {
                findings.use_file(&info.file.path, "whether statistics were reset");
            } else {
                findings.pass_over(&info.file.path, "it belongs to no snapshot of pg_stat_statements that is used");
            }
        }
        let Some((_, after)) = after else { return Self::default() };
        let later = |at: DateTime<Utc>| after.reset.is_some_and(|reset| reset > at);
        let changed = before.is_some_and(|(_, before)| !moment::same(before.reset, after.reset));
        let dropped = before.is_some_and(|(_, before)| before.dealloc != after.dealloc);
        Self { all: changed || pair.first.at.is_some_and(later), dropped }
    }
}

/// The state of `pg_stat_statements_info` that was taken with a snapshot: the nearest one within a minute, or where one of the
/// two has no moment the only one that is named alike.
fn beside<'a>(infos: &[Shot<'a>], shot: &Shot) -> Option<(&'a str, &'a Info)> {
    let row = |info: &Shot<'a>| match &info.state.rows {
        Rows::Info(rows) => rows.first().map(|row| (info.file.path.as_str(), row)),
        _ => None,
    };
    let distance = |info: &&Shot| Some((info.at? - shot.at?).abs().num_milliseconds());
    let near = infos.iter().filter(|info| distance(info).is_some_and(|ms| ms <= 60_000));
    if let Some(nearest) = near.min_by_key(|info| (distance(info), &info.file.path)) {
        return row(nearest);
    }
    let mut alike = infos.iter().filter(|info| distance(info).is_none() && info.role.is_some() && info.role == shot.role);
    alike.next().filter(|_| alike.next().is_none()).and_then(row)
}

/// Whether nothing rose and something fell, where only the names of the files say what came first.
fn is_exchanged(difference: &Difference, pair: &Pair, resets: Resets) -> bool {
    let by_name = pair.first.state.at.is_none() && pair.second.state.at.is_none();
    by_name && !resets.all && difference.risen == 0 && difference.fallen > 0
}

/// Why the times are a lower bound, where they are; what began anew is told.
fn lacking(
    difference: &Difference,
    resets: Resets,
    pair: &Pair,
    window: Option<Window>,
    findings: &mut Findings,
) -> Option<String> {
    let began = if resets.all {
        Some("the statistics of all statements were reset between the snapshots".to_owned())
    } else if difference.restarted > 0 {
        Some(format!("statements whose statistics began anew between the snapshots: {}", difference.restarted))
    } else {
        resets.dropped.then(|| "statements were dropped between the snapshots: pg_stat_statements.max was reached".to_owned())
    };
    if let Some(began) = &began {
        let diagnostic = Diagnostic::warning("statistics-reset", format!("{began}; times are a lower bound"));
        findings.told.push(diagnostic.at(pair.first.place()).at(pair.second.place()));
    }
    let reasons: Vec<String> = began.into_iter().chain(pair.lacking(window)).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// What people should know of snapshots that don't hold everything.
fn remark(difference: &Difference, pair: &Pair, findings: &mut Findings) {
    if difference.gone > 0 {
        let message = format!(
            "statements of the first snapshot that are not in the second: {}; they were cut off or dropped",
            difference.gone
        );
        findings.told.push(Diagnostic::remark("statements-missing", message).at(pair.second.place()));
    }
    // Had the first snapshot been cut, each new statement could have had the least time in it before.
    let perhaps = difference.least_first_s * difference.new as f64;
    if perhaps > 0.01 * difference.seconds() {
        let message = format!("the first snapshot looks cut off: up to {perhaps:.1} s of new statements may be from before it");
        let diagnostic = Diagnostic::remark("snapshot-cut", message).at(pair.first.place());
        findings.told.push(diagnostic.help("take all rows before the run, not the most expensive ones"));
    }
    if difference.hidden > 0 {
        let message =
            format!("rows that hide their statement: {}; the role that asked may not see others' queries", difference.hidden);
        let diagnostic = Diagnostic::remark("statements-hidden", message).at(pair.second.place());
        findings.told.push(diagnostic.help("grant it the role `pg_read_all_stats`"));
    }
}
