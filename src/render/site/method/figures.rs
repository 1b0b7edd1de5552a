//! The catalogue of figures as a list by what they are of.

use serde::Serialize;

use crate::model::catalogue::{CATALOGUE, Origin, Row};

/// Figures of one thing.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FigureGroup {
    /// The first part of their names, which is also the anchor.
    id: &'static str,
    title: String,
    rows: Vec<FigureRow>,
}

/// A figure.
#[derive(Clone, Debug, Serialize)]
struct FigureRow {
    /// Its name, which is also its anchor.
    name: &'static str,
    unit: &'static str,
    origin: &'static str,
    meaning: &'static str,
}

/// All figures, in the order of the catalogue, those of one thing together.
pub(super) fn groups() -> Vec<FigureGroup> {
    let mut groups: Vec<FigureGroup> = Vec::new();
    for row in CATALOGUE {
        let id = row.name.split('.').next().unwrap_or(row.name);
        match groups.iter_mut().find(|group| group.id == id) {
            Some(group) => group.rows.push(figure(row)),
            None => groups.push(FigureGroup { id, title: title(id), rows: vec![figure(row)] }),
        }
    }
    groups
}

fn figure(row: &Row) -> FigureRow {
    let origin = match row.origin {
        Origin::Derived => "computed from k6's summary",
        Origin::Captured => "captured",
        Origin::Provisioned => "provisioned",
        Origin::Project => "set by the project",
    };
    FigureRow { name: row.name, unit: row.unit.name(), origin, meaning: row.meaning }
}

/// `Container` for `container`; k6 is written as its makers write it.
fn title(id: &str) -> String {
    let mut letters = id.chars();
    match letters.next() {
        Some(first) if id != "k6" => first.to_uppercase().chain(letters).collect(),
        _ => id.to_owned(),
    }
}
