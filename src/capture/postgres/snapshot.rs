//! States of a statistics view: rows taken at one moment.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::cells::Cells;
use super::database::Database;
use super::io::Io;
use super::moment;
use super::settings::Row as Setting;
use super::statements::{Entry, Info};
use super::table::{Row, Table};
use super::view::View;
use crate::diagnostic::Faults;

/// The states of a statistics view that a file holds: one, or several where it was written again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub(super) view: View,
    /// The names of its columns, but for the moment's.
    pub(super) columns: BTreeSet<String>,
    /// The states, oldest first.
    pub(super) states: Vec<State>,
}

/// One state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// When it was taken: the moment of its first row; `None` where the file does not say.
    pub(super) at: Option<DateTime<Utc>>,
    /// Where its rows begin in the file.
    pub(super) offset: usize,
    /// Its rows.
    pub(super) rows: Rows,
}

/// What the rows of a view hold of what is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rows {
    Statements(Vec<Entry>),
    Info(Vec<Info>),
    Databases(Vec<Database>),
    Io(Vec<Io>),
    Settings(Vec<Setting>),
    Nothing,
}

impl Rows {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Statements(rows) => rows.len(),
            Self::Info(rows) => rows.len(),
            Self::Databases(rows) => rows.len(),
            Self::Io(rows) => rows.len(),
            Self::Settings(rows) => rows.len(),
            Self::Nothing => 0,
        }
    }
}

impl Snapshot {
    /// Reads the rows of a view.
    ///
    /// # Errors
    /// `bad-capture` at each cell that is not what its column holds.
    pub(super) fn read(table: &Table, view: View) -> Result<Self, Faults> {
        let mut cells = Cells::of(table);
        let states = groups(&mut cells).into_iter().map(|(at, rows)| {
            let offset = rows.iter().map(|row| row.span.start).min().unwrap_or_default();
            State { at, offset, rows: read_rows(&mut cells, view, &rows) }
        });
        let states = states.collect();
        let columns = table.columns().filter(|name| !moment::COLUMNS.contains(name)).map(str::to_owned).collect();
        cells.checked(Self { view, columns, states })
    }
}

/// Rows by the moment they were taken, oldest first. A file without rows is one state without rows: a view may be empty.
fn groups<'a>(cells: &mut Cells<'a>) -> Vec<(Option<DateTime<Utc>>, Vec<&'a Row>)> {
    let table = cells.table;
    let (mut timed, mut untimed) = (Vec::new(), Vec::new());
    for row in &table.rows {
        match cells.moment(row) {
            Some(at) => timed.push((at, row)),
            None => untimed.push(row),
        }
    }
    timed.sort_by_key(|(at, row)| (*at, row.span.start));
    let moments: Vec<DateTime<Utc>> = timed.iter().map(|(at, _)| *at).collect();
    let rounds = moment::rounds(&moments).into_iter();
    let mut groups: Vec<_> =
        rounds.map(|round| (Some(moments[round.start]), timed[round].iter().map(|(_, row)| *row).collect())).collect();
    if !untimed.is_empty() || groups.is_empty() {
        groups.insert(0, (None, untimed));
    }
    groups
}

fn read_rows(cells: &mut Cells, view: View, rows: &[&Row]) -> Rows {
    match view {
        View::Statements => Rows::Statements(rows.iter().filter_map(|row| Entry::read(cells, row)).collect()),
        View::StatementsInfo => Rows::Info(rows.iter().filter_map(|row| Info::read(cells, row)).collect()),
        View::Database => Rows::Databases(rows.iter().filter_map(|row| Database::read(cells, row)).collect()),
        View::Io => Rows::Io(rows.iter().map(|row| Io::read(cells, row)).collect()),
        View::Settings => Rows::Settings(rows.iter().filter_map(|row| Setting::read(cells, row)).collect()),
        View::Activity | View::Idle(_) => Rows::Nothing,
    }
}
