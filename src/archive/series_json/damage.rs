//! The faults of a damaged file, all at once.

use super::columns::text;
use crate::diagnostic::{Diagnostic, Faults};
use crate::source::Source;

/// What was found wrong with a file so far.
pub(super) struct Damage<'a> {
    source: &'a Source,
    found: Vec<Diagnostic>,
}

impl<'a> Damage<'a> {
    /// Nothing yet.
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, found: Vec::new() }
    }

    /// A fault of the part that the keys lead to.
    pub(super) fn tell(&mut self, keys: &[&str], message: String) {
        let fault = Diagnostic::error("bad-series", message).at(self.source.at(self.place(keys)));
        self.found.push(fault.help("restore the file, or ingest the run again: it is written by machine only"));
    }

    /// Where the last key is that can be found, each behind the one before.
    fn place(&self, keys: &[&str]) -> std::ops::Range<usize> {
        let mut place = 0..0;
        for key in keys {
            let (key, from) = (text(key), place.end);
            let Some(at) = self.source.text().get(from..).and_then(|rest| rest.find(&key)) else { break };
            place = from + at..from + at + key.len();
        }
        place
    }

    /// Whether all columns of a part are as long as the first; the lengths are told if not.
    pub(super) fn even(&mut self, keys: &[&str], columns: &[(&str, usize)]) -> bool {
        let even = columns.windows(2).all(|pair| pair[0].1 == pair[1].1);
        if !even {
            let lengths: Vec<String> = columns.iter().map(|(name, length)| format!("{name} {length}")).collect();
            let what = keys.last().copied().unwrap_or_default();
            self.tell(keys, format!("the columns of `{what}` are of unlike length: {}", lengths.join(", ")));
        }
        even
    }

    /// Tells a column whose numbers do not ascend.
    pub(super) fn ascending(&mut self, keys: &[&str], what: &str, column: &[i64]) {
        if let Some(at) = column.windows(2).position(|pair| pair[0] >= pair[1]) {
            let (before, after) = (column[at], column[at + 1]);
            let part = keys.last().copied().unwrap_or_default();
            self.tell(keys, format!("the {what} of `{part}` do not ascend: {after} comes after {before}"));
        }
    }

    /// The column as counts; one below zero is told and read as none.
    pub(super) fn counts(&mut self, keys: &[&str], column: &[i64]) -> Vec<u64> {
        if let Some(at) = column.iter().position(|count| *count < 0) {
            let part = keys.last().copied().unwrap_or_default();
            self.tell(keys, format!("`{part}` counts {} at its place {}, which is below zero", column[at], at + 1));
        }
        column.iter().map(|count| u64::try_from(*count).unwrap_or_default()).collect()
    }

    /// The faults, if there are any.
    pub(super) fn faults(self) -> Result<(), Faults> {
        Faults::check(self.found).map(|_| ())
    }
}
