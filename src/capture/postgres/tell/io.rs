//! From two snapshots of `pg_stat_io` to counts. They are never operations of the disk: the kernel's cache lies between.

use super::super::super::Window;
use super::super::super::findings::{Findings, Standing};
use super::super::io::{COUNTERS, Io, difference};
use super::super::pair::Shot;
use super::super::snapshot::Rows;
use super::{observe, pair_of, refuse, remark_length};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::units::Unit;

/// Tells what two snapshots say.
pub(super) fn tell(shots: &[Shot], window: Option<Window>, findings: &mut Findings) {
    if shots.is_empty() {
        return;
    }
    let reason = "pg_stat_io counts requests of the server to the kernel, not operations of the disk";
    for id in [FigureId::DatabaseIopsRead, FigureId::DatabaseIopsWrite] {
        findings.add(id, Figure::not_captured(reason), Standing::None);
    }
    let Some(pair) = pair_of(shots, window, &[], findings) else { return };
    let Ok(counts) = difference(rows_of(&pair.first), rows_of(&pair.second)) else {
        let message = "the statistics were reset between the snapshots of pg_stat_io";
        let diagnostic = Diagnostic::warning("statistics-reset", message).at(pair.first.place()).at(pair.second.place());
        return refuse(shots, diagnostic, &[], findings);
    };
    remark_length(&pair, window, findings);
    for (name, count) in COUNTERS.into_iter().zip(counts) {
        if let Some(count) = count {
            let method =
                "requests of the server to the kernel for relations, not operations of the disk; second snapshot - first";
            let measurement =
                Measurement { lacking: pair.lacking(window), ..Measurement::exact(count as f64, Unit::Count).by(method) };
            observe(name, measurement, &pair, findings);
        }
    }
    for path in pair.files() {
        findings.use_file(&path, "requests to the kernel");
    }
}

fn rows_of<'a>(shot: &Shot<'a>) -> &'a [Io] {
    if let Rows::Io(rows) = &shot.state.rows { rows } else { &[] }
}
