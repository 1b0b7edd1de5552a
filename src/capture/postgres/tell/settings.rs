//! From `pg_settings` to what a record keeps of the database's settings.

use super::super::super::findings::{Fact, Findings};
use super::super::pair::Shot;
use super::super::settings::{Row, group, number, version};
use super::super::snapshot::Rows;
use crate::diagnostic::Diagnostic;
use crate::model::figure::Measurement;
use crate::model::record::Observation;
use crate::model::units::Unit;

/// Tells the settings; of several files that agree the first, by path.
pub(super) fn tell(shots: &[Shot], findings: &mut Findings) {
    let mut shots = shots.to_vec();
    shots.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    let Some(first) = shots.first() else { return };
    for other in &shots[1..] {
        match contradiction(first, other) {
            Some(diagnostic) => findings.told.push(diagnostic),
            None => findings.pass_over(&other.file.path, "another file has the same settings"),
        }
    }
    let rows = rows_of(first);
    if let Some((row, version)) = version(rows) {
        let place = first.file.source.at(row.offset..row.offset);
        findings.facts.push(Fact { key: "database.version".to_owned(), value: version.into(), place });
    }
    // The shape is that of the record's own type: it can't fail to become JSON.
    if let Ok(value) = serde_json::to_value([group(rows)]) {
        findings.facts.push(Fact { key: "database.settings".to_owned(), value, place: first.place() });
    }
    let observed = [
        ("database.max_connections", "max_connections", Unit::Count),
        ("database.shared_buffers", "shared_buffers", Unit::Bytes),
    ];
    for (name, setting, unit) in observed {
        if let Some(value) = number(rows, setting) {
            let measurement = Measurement::exact(value, unit).from("pg_settings");
            let measurement = Measurement { files: vec![first.file.path.clone()], ..measurement };
            findings.observed.push(Observation { name: name.to_owned(), measurement });
        }
    }
    findings.use_file(&first.file.path, "settings of the database");
}

fn rows_of<'a>(shot: &Shot<'a>) -> &'a [Row] {
    if let Rows::Settings(rows) = &shot.state.rows { rows } else { &[] }
}

fn contradiction(first: &Shot, other: &Shot) -> Option<Diagnostic> {
    let (a, b) = rows_of(first).iter().find_map(|row| {
        let same = rows_of(other).iter().find(|own| own.name == row.name)?;
        (row.is_of_server() && !row.agrees(same)).then_some((row, same))
    })?;
    let message = format!("two files have other values of `{}`", a.name);
    let place = |shot: &Shot, row: &Row| shot.file.source.at(row.offset..row.offset);
    Some(
        Diagnostic::error("contradiction", message)
            .at(place(first, a))
            .at(place(other, b))
            .help("leave the file of the server that was tested"),
    )
}
