//! The row of the outcome: a label, the reasons, sometimes the share of lock wait that is stated nowhere else.

use super::draft::{Draft, written};
use super::grammar::pattern;
use super::sheet::Cell;
use crate::model::catalogue::FigureId;
use crate::model::page::{COMPUTED_OUTCOME, LOCK_WAIT, PageRow, SET_BY_HAND};
use crate::model::record::Recorded;

pattern! {
    SHARE = r"(~R)\s+of\s+(?:all\s+)?(?:the\s+)?((?:top-?\s?[0-9]+\s+)?query\s+time|database\s+time)";
    INSIDE = r"(?:[0-9]%?\s?(?:–|—|-|to)\s?|[~<>≈]\s?)$";
    OURS = r"^(~R)\s+of\s+(?:the\s+)?(top-?\s?[0-9]+\s+query\s+time|database\s+time)\.?$";
}

/// Reads the row. What this program computed is left out; it is computed again whenever it is asked for.
pub(super) fn read(draft: &mut Draft, cell: &Cell) {
    let said: Vec<&str> = cell.lines.iter().filter_map(|line| recorded_part(&line.text)).collect();
    for line in &said {
        share(draft, line);
    }
    let lines: Vec<&str> = said.into_iter().map(without_share).filter(|line| !line.is_empty()).collect();
    let text = lines.join("\n");
    if text.is_empty() {
        return;
    }
    let (label, message) = split_label(&text);
    draft.record.recorded = Some(Recorded { label: label.to_owned(), message: message.to_owned() });
}

/// The part of a line that a person wrote on the page.
fn recorded_part(line: &str) -> Option<&str> {
    let ours = [COMPUTED_OUTCOME, SET_BY_HAND].into_iter().filter_map(|mark| line.find(mark));
    let end = ours.min().unwrap_or(line.len());
    line.get(..end).map(str::trim).filter(|part| !part.is_empty())
}

/// The line without the sentence in which this program states the share.
fn without_share(line: &str) -> &str {
    match line.rfind(LOCK_WAIT) {
        Some(at) if line.get(at + LOCK_WAIT.len()..).is_some_and(|tail| OURS.is_match(tail.trim())) => {
            line.get(..at).unwrap_or_default().trim()
        }
        _ => line,
    }
}

/// The label is the first sentence, or its line.
fn split_label(text: &str) -> (&str, &str) {
    let sentence = text.find(". ").map(|at| (at, at + 2));
    let line = text.find('\n').map(|at| (at, at + 1));
    let cut = [sentence, line].into_iter().flatten().min();
    let (label, message) = match cut {
        Some((end, next)) => (text.get(..end).unwrap_or(text), text.get(next..).unwrap_or_default()),
        None => (text, ""),
    };
    let label = label.trim();
    (label.strip_suffix('.').unwrap_or(label), message.trim())
}

/// The share of lock wait, where the row of the queries did not state it. A share of database time counts only in a
/// sentence about locks: other things take database time too.
fn share(draft: &mut Draft, line: &str) {
    let mut best = None;
    for found in SHARE.captures_iter(line).filter(|found| is_one_value(line, found)) {
        let of = found[2].split_whitespace().collect::<Vec<_>>().join(" ");
        let about_locks = found.get(0).is_some_and(|all| sentence(line, all.start(), all.end()).to_lowercase().contains("lock"));
        let only_one = SHARE.find_iter(line).count() == 1;
        if about_locks || (of.starts_with("top") && only_one) {
            best = best.or(written(FigureId::DatabaseLockWaitRatio, &found[1], PageRow::Outcome).map(|value| value.of(of)));
        }
    }
    if let Some(value) = best
        && draft.record.figures.get(FigureId::DatabaseLockWaitRatio).is_none()
    {
        draft.measured(FigureId::DatabaseLockWaitRatio, value);
    }
}

/// The upper end of a range, and what is said to be about or below something, is no value.
fn is_one_value(line: &str, found: &regex::Captures<'_>) -> bool {
    let before = found.get(0).and_then(|all| line.get(..all.start())).unwrap_or_default();
    !INSIDE.is_match(before)
}

/// The sentence around a part of a text.
fn sentence(text: &str, start: usize, end: usize) -> &str {
    let begin = text.get(..start).and_then(|head| head.rfind(". ")).map_or(0, |at| at + 2);
    let stop = text.get(end..).and_then(|tail| tail.find(". ")).map_or(text.len(), |at| end + at);
    text.get(begin..stop).unwrap_or(text)
}
