//! The row of observed errors: sentences that a generator wrote, prose around them.

use super::draft::Draft;
use super::grammar::{pattern, whole};
use super::sheet::{Cell, Text};
use crate::model::page::{COUNTED_BY_K6, PageRow};
use crate::model::record::{ErrorKind, Errors, StatedShare};

pattern! {
    SHARE = r"([0-9][0-9,]*) of ([0-9][0-9,]*) (requests|checks) failed(?: \((~R)\))?";
    ABORTED = r"([0-9][0-9,]*) iterations? (?:was |were )?aborted on ([^.]+)";
    KIND = r"^(?:, |: ?)([0-9][0-9,]*)x ((?:[^,.]|\.\S)+(?:, [^0-9,.][^,.]*)*)";
    NOT_LOGGED = r"^: ?none of the ([0-9][0-9,]*) individually logged";
    CHECK = r"(?s)^(?:, |: ?)(.+?) \(([0-9][0-9,]*)(?: failed)?\)";
    SEE = r"^\s*\(see k6 output\)";
}

/// What the generated row says of failures that nobody logged one by one.
pub(super) const NOT_LOGGED_KIND: &str = "not individually logged";

/// Reads the row.
pub(super) fn read(draft: &mut Draft, cell: &Cell) {
    let said = cell.joined();
    if said.trim_end_matches('.').eq_ignore_ascii_case("none") {
        draft.record.errors.none = true;
        return;
    }
    let is_none = |line: &Text| line.text.trim_end_matches('.').eq_ignore_ascii_case("none");
    draft.record.errors.none = cell.lines.first().is_some_and(is_none);
    for line in cell.lines.iter().skip(usize::from(draft.record.errors.none)) {
        let text = line.text.split(COUNTED_BY_K6).next().unwrap_or_default();
        for rest in sentences(&mut draft.record.errors, text) {
            draft.note(PageRow::Errors, rest);
        }
    }
}

/// Reads the sentences that have a grammar; what stands between them comes back.
fn sentences(errors: &mut Errors, text: &str) -> Vec<String> {
    let mut rest = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some((begin, end)) = text.get(at..).and_then(|tail| next_sentence(errors, tail)) {
        keep(text.get(start..at + begin), &mut rest);
        at += end;
        start = at;
    }
    keep(text.get(start..), &mut rest);
    rest
}

/// Where the next sentence with a grammar begins and ends; it is read on the way.
fn next_sentence(errors: &mut Errors, text: &str) -> Option<(usize, usize)> {
    let share = at_beginning(&SHARE, text);
    let aborted = at_beginning(&ABORTED, text);
    let first = |found: &Option<regex::Captures<'_>>| found.as_ref().and_then(|c| c.get(0)).map_or(usize::MAX, |m| m.start());
    if first(&share) <= first(&aborted) { read_share(errors, text, &share?) } else { read_aborted(errors, &aborted?) }
}

/// The first match that begins a sentence.
fn at_beginning<'t>(pattern: &regex::Regex, text: &'t str) -> Option<regex::Captures<'t>> {
    pattern.captures_iter(text).find(|found| begins_sentence(text, found.get(0).map_or(0, |all| all.start())))
}

/// Whether a sentence can begin here: at the start, or behind the end of another.
fn begins_sentence(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    before.is_empty() || before.ends_with(['.', ';', ')', ':', '!'])
}

fn read_share(errors: &mut Errors, text: &str, found: &regex::Captures<'_>) -> Option<(usize, usize)> {
    let all = found.get(0)?;
    let share = StatedShare {
        count: whole(&found[1])?,
        of: whole(&found[2])?,
        printed: found.get(4).map(|printed| printed.as_str().to_owned()),
    };
    let is_requests = &found[3] == "requests";
    let place = if is_requests { &mut errors.requests } else { &mut errors.checks };
    if place.as_ref().is_some_and(|known| *known != share) {
        return None;
    }
    *place = Some(share);
    let tail = text.get(all.end()..)?;
    let taken = if is_requests { kinds(&mut errors.kinds, tail) } else { checks(&mut errors.failed_checks, tail) };
    Some((all.start(), all.end() + taken))
}

fn read_aborted(errors: &mut Errors, found: &regex::Captures<'_>) -> Option<(usize, usize)> {
    let all = found.get(0)?;
    let kind = ErrorKind { count: whole(&found[1])?, what: found[2].trim().to_owned() };
    errors.aborted_iterations.push(kind);
    Some((all.start(), all.end()))
}

/// `: 3x request timeout, 20x not individually logged (see k6 output)`.
fn kinds(kinds: &mut Vec<ErrorKind>, text: &str) -> usize {
    if let Some(found) = NOT_LOGGED.captures(text) {
        let Some(count) = whole(&found[1]) else { return 0 };
        kinds.push(ErrorKind { count, what: NOT_LOGGED_KIND.to_owned() });
        return found[0].len() + see(text, found[0].len());
    }
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|tail| KIND.captures(tail)) {
        let Some(count) = whole(&found[1]) else { break };
        let what = found[2].trim_end();
        let what = what.strip_suffix("(see k6 output)").unwrap_or(what).trim_end();
        kinds.push(ErrorKind { count, what: what.to_owned() });
        at += found[0].len();
    }
    at
}

fn see(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|tail| SEE.find(tail)).map_or(0, |found| found.end())
}

/// `: basket status ok (3 failed), order status ok (1 failed)`.
fn checks(checks: &mut Vec<ErrorKind>, text: &str) -> usize {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|tail| CHECK.captures(tail)) {
        let Some(count) = whole(&found[2]) else { break };
        checks.push(ErrorKind { count, what: found[1].to_owned() });
        at += found[0].len();
    }
    at
}

/// Keeps a text without the punctuation that ended the sentence before it.
fn keep(text: Option<&str>, rest: &mut Vec<String>) {
    let text = text.unwrap_or_default().trim();
    let text = text.strip_prefix(['.', ';']).unwrap_or(text).trim();
    if !text.is_empty() {
        rest.push(text.to_owned());
    }
}
