//! Cells of a table as numbers and moments; what is none is a fault with its place.

use std::str::FromStr;

use chrono::{DateTime, Utc};

use super::moment;
use super::table::{Row, Table};
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};

/// A table that is being read, and what is wrong with its cells.
pub(super) struct Cells<'a> {
    /// The table.
    pub(super) table: &'a Table,
    faults: FirstFaults,
}

impl<'a> Cells<'a> {
    /// Begins to read a table.
    pub(super) fn of(table: &'a Table) -> Self {
        Self { table, faults: FirstFaults::default() }
    }

    /// A number; `None` of an empty cell, and of one that is no such number, which is a fault.
    pub(super) fn number<T: FromStr>(&mut self, row: &Row, column: &str, what: &str) -> Option<T> {
        let text = self.table.text(row, column)?;
        let number = text.trim().parse().ok();
        if number.is_none() {
            self.fault(row, column, &format!("`{column}` is {what}, not `{text}`"));
        }
        number
    }

    /// A time or size with a fraction, not below zero.
    pub(super) fn amount(&mut self, row: &Row, column: &str) -> Option<f64> {
        let amount: f64 = self.number(row, column, "a number")?;
        if amount.is_finite() && amount >= 0.0 {
            return Some(amount);
        }
        self.fault(row, column, &format!("`{column}` can't be {amount}"));
        None
    }

    /// A count.
    pub(super) fn count(&mut self, row: &Row, column: &str) -> Option<u64> {
        self.number(row, column, "a count")
    }

    /// A moment in a column.
    pub(super) fn moment_in(&mut self, row: &Row, column: &str) -> Option<DateTime<Utc>> {
        let text = self.table.text(row, column)?;
        let at = moment::read(text);
        if at.is_none() {
            self.fault(row, column, &format!("`{column}` is a moment with its zone, not `{text}`"));
        }
        at
    }

    /// The moment of a row: in its own column, or around all rows.
    pub(super) fn moment(&mut self, row: &Row) -> Option<DateTime<Utc>> {
        if let Some(column) = moment::COLUMNS.iter().find(|column| self.table.has(column)) {
            return self.moment_in(row, column);
        }
        moment::COLUMNS.iter().find_map(|column| moment::read(self.table.around.get(*column)?))
    }

    /// A cell that must not be empty.
    pub(super) fn wanted<T>(&mut self, row: &Row, column: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && self.table.text(row, column).is_none() {
            self.fault(row, column, &format!("`{column}` is empty"));
        }
        value
    }

    fn fault(&mut self, row: &Row, column: &str, message: &str) {
        let table = self.table;
        self.faults.push(|| Diagnostic::error("bad-capture", message).at(table.place(row, column)));
    }

    /// What was read, unless a cell was wrong.
    ///
    /// # Errors
    /// The first faults.
    pub(super) fn checked<T>(self, value: T) -> Result<T, Faults> {
        Faults::check(self.faults.told()).map(|_| value)
    }
}
