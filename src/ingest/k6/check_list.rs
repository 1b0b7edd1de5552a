//! The lines of checks: `✓ name`, `✗ name` with `↳  83% — ✓ 10 / ✗ 2` below it.
//!
//! Names are printed raw. One may hold line breaks, marks, whole metric lines; so a list goes on to its blank line, and
//! what is no check in it belongs to the name above.

use std::collections::BTreeMap;

use super::metric_line::marked;
use super::screen::Line;
use crate::model::summary::Check;

/// What a line of a list of checks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry<'a> {
    /// A check and whether it always held.
    Check(bool, &'a str),
    /// How often the check above held, and how often it did not.
    Counts(u64, u64),
    /// Anything else.
    Other,
}

/// Reads a line of a list whose marks stand behind `column` blanks; any number of blanks, if `column` is 0.
pub(super) fn entry(line: &Line, column: usize) -> Entry<'_> {
    let text = line.text.as_str();
    let inside = if column == 0 {
        text.trim_start_matches(' ')
    } else {
        text.get(column..).filter(|_| line.indent() == column).unwrap_or("")
    };
    match marked(inside) {
        Some((held, "")) => Entry::Check(held, ""),
        Some((held, rest)) => rest.strip_prefix(' ').map_or(Entry::Other, |name| Entry::Check(held, name)),
        None => counts(text).map_or(Entry::Other, |(passes, fails)| Entry::Counts(passes, fails)),
    }
}

/// `↳  83% — ✓ 10 / ✗ 2`.
fn counts(text: &str) -> Option<(u64, u64)> {
    let (percent, rest) = text.trim().strip_prefix('↳')?.split_once('%')?;
    percent.trim().parse::<u64>().ok()?;
    let (passes, fails) = rest.split_once('✓')?.1.split_once('/')?;
    Some((passes.trim().parse().ok()?, fails.trim().strip_prefix('✗')?.trim().parse().ok()?))
}

/// Checks in the order of their lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CheckList {
    /// What was read.
    pub(super) checks: Vec<Check>,
}

impl CheckList {
    /// Adds a check.
    pub(super) fn open(&mut self, held: bool, name: &str, group: &str) {
        self.checks.push(Check { name: name.to_owned(), group: group.to_owned(), passes: None, fails: held.then_some(0) });
    }

    /// Adds the counts of the last check, if it is one that failed and has none yet; false otherwise.
    pub(super) fn count(&mut self, passes: u64, fails: u64) -> bool {
        match self.checks.last_mut() {
            Some(check) if check.fails.is_none() => {
                (check.passes, check.fails) = (Some(passes), Some(fails));
                true
            }
            _ => false,
        }
    }

    /// Adds a line to the name of the last check; false if there is none that can go on.
    pub(super) fn go_on(&mut self, before: &Line, line: &Line) -> bool {
        let open = self.checks.last_mut().filter(|check| check.passes.is_none());
        open.is_some_and(|check| {
            check.name.push_str(before.end.text());
            check.name.push_str(&line.text);
            true
        })
    }
}

/// Gives the checks of a whole run the groups that the sections below tell, where they tell all of a check.
///
/// The whole run adds up checks of one name; a section lists those of one group. Where the counts of the sections add
/// up to the whole, or nothing failed, the sections replace the sum.
pub(super) fn with_groups(whole: Vec<Check>, sections: &[Check]) -> Vec<Check> {
    let mut named: BTreeMap<&str, Vec<&Check>> = BTreeMap::new();
    for section in sections {
        named.entry(&section.name).or_default().push(section);
    }
    let of = |check: &Check| parts(check, named.get(check.name.as_str()).map_or(&[], Vec::as_slice));
    whole.into_iter().flat_map(|check| of(&check).unwrap_or_else(|| vec![check])).collect()
}

/// A check by its groups; `sections` are those of its name.
fn parts(check: &Check, sections: &[&Check]) -> Option<Vec<Check>> {
    let mut parts: Vec<Check> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for section in sections {
        if section.group.is_empty() {
            return None;
        }
        let place = *places.entry(&section.group).or_insert(parts.len());
        match parts.get_mut(place) {
            Some(part) => {
                part.passes = part.passes.zip(section.passes).map(|(a, b)| a.saturating_add(b));
                part.fails = part.fails.zip(section.fails).map(|(a, b)| a.saturating_add(b));
            }
            None => parts.push((*section).clone()),
        }
    }
    let sum = |of: fn(&Check) -> Option<u64>| parts.iter().map(of).try_fold(0, |sum: u64, count| sum.checked_add(count?));
    let whole = (check.passes, check.fails);
    let told = whole == (None, Some(0)) || whole == (sum(|part| part.passes), sum(|part| part.fails));
    (!parts.is_empty() && told).then_some(parts)
}
