//! From two snapshots of `pg_stat_database` to transactions per second.

use super::super::super::Window;
use super::super::super::findings::{Findings, Standing};
use super::super::database::{Database, Difference, difference};
use super::super::pair::{Pair, Shot};
use super::super::snapshot::Rows;
use super::{between, observe, pair_of, refuse, remark_length};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Grade, Measurement};
use crate::model::units::Unit;

const FIGURE: FigureId = FigureId::DatabaseTransactionsPerS;

/// Tells what two snapshots say.
pub(super) fn tell(shots: &[Shot], window: Option<Window>, findings: &mut Findings) {
    let Some(pair) = pair_of(shots, window, &[FIGURE], findings) else { return };
    let difference = match difference(rows_of(&pair.first), rows_of(&pair.second)) {
        Ok(difference) => difference,
        Err(name) => {
            let message = format!("the statistics of {name} were reset between the snapshots of pg_stat_database");
            let diagnostic = Diagnostic::warning("statistics-reset", message).at(pair.first.place()).at(pair.second.place());
            return refuse(shots, diagnostic, &[FIGURE], findings);
        }
    };
    if !difference.gone.is_empty() {
        let message = format!("databases of the first snapshot are not in the second: {}", difference.gone.join(", "));
        findings.told.push(Diagnostic::remark("database-gone", message).at(pair.first.place()).at(pair.second.place()));
    }
    remark_length(&pair, window, findings);
    rate(&difference, &pair, window, findings);
    counts(&difference, &pair, findings);
}

fn rows_of<'a>(shot: &Shot<'a>) -> &'a [Database] {
    if let Rows::Databases(rows) = &shot.state.rows { rows } else { &[] }
}

fn rate(difference: &Difference, pair: &Pair, window: Option<Window>, findings: &mut Findings) {
    let Some(seconds) = pair.seconds().filter(|seconds| *seconds > 0.0) else {
        let reason = "the snapshots of pg_stat_database don't say when they were taken";
        findings.add(FIGURE, Figure::not_captured(reason), Standing::None);
        findings.told.push(
            Diagnostic::warning("no-moment", reason).at(pair.first.place()).help("select `now() AS captured_at` with the rows"),
        );
        return;
    };
    let method = format!("commits + rollbacks of all databases / seconds, {}", between(pair, window));
    let measured =
        Measurement::exact(difference.transactions as f64 / seconds, Unit::PerSecond).by(method).from("pg_stat_database");
    // Over a much longer time than the run's it is only near the run's rate.
    let grade = pair.is_long(window).then_some(Grade::Approximate);
    let measured = Measurement { files: pair.files(), lacking: pair.lacking(window), grade, ..measured };
    let figure = if measured.lacking.is_some() { Figure::Incomplete(measured) } else { Figure::Measured(measured) };
    findings.add(FIGURE, figure, Standing::Raw);
    for (name, count) in &difference.by_name {
        // A hundredth of all: what watches the server is no load.
        if count.saturating_mul(100) > difference.transactions {
            let rate = Measurement::exact(*count as f64 / seconds, Unit::PerSecond)
                .by("commits + rollbacks / seconds between the snapshots");
            observe(&format!("transactions/s of {name}"), rate, pair, findings);
        }
    }
}

fn counts(difference: &Difference, pair: &Pair, findings: &mut Findings) {
    let list = [
        ("transactions", Some(difference.transactions), "commits + rollbacks of all databases"),
        ("blocks read", difference.blocks_read, "blks_read of all databases, second snapshot - first"),
        ("deadlocks", difference.deadlocks, "deadlocks of all databases, second snapshot - first"),
        (
            "connections at the end",
            difference.connections,
            "numbackends of all databases at the second snapshot, one moment only",
        ),
    ];
    for (name, count, method) in list {
        if let Some(count) = count {
            observe(name, Measurement::exact(count as f64, Unit::Count).by(method), pair, findings);
        }
    }
    for path in pair.files() {
        findings.use_file(&path, "transactions, blocks read, deadlocks");
    }
}
