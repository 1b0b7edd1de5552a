//! The row of the most expensive queries, with the share of lock wait.

use super::draft::{Draft, written};
use super::grammar::{pattern, walk};
use super::sheet::{Cell, Text};
use crate::model::catalogue::FigureId;
use crate::model::page::PageRow;
use crate::model::record::{Query, QueryClass};
use crate::model::units::{Unit, Written};

pattern! {
    RANK = r"(?:^|\s|[)])([0-9]+)[:.)]\s";
    TIMED = r"(?s)^([0-9]+)[:.)]\s+(.+?)\s+\((~N)\s?s\)";
    TIMED_LINE = r"(?s)^([0-9]+)[:.)]\s+(.+)\s+\((~N)\s?s\)(\s+(?:—|–|--?)\s+lock wait(?:,.*)?)?$";
    UNTIMED = r"(?s)^([0-9]+)[:.)]\s+(.+)$";
    WAITS = r"(?s)\s+(?:—|–|--?)\s+lock wait(?:,\s*(.+))?$";
    SHARE = r"^(?i:(?:advisory[- ])?lock[- ]wait):?\s+(~R)\s+of\s+(?:all\s+)?(?:the\s+)?(database time|top-?\s?[0-9]+ query time)(?:\s+in\s+this\s+window)?\.?";
    TOP = r"^(?i:most expensive query):\s+(~R)\s+of\s+(?:the\s+)?database time\.?";
    OPENED = r"\(\s+";
}

/// Reads the row.
pub(super) fn read(draft: &mut Draft, cell: &Cell) {
    let split =
        Cell { lines: cell.lines.iter().flat_map(|line| ranked(line, cell.flat)).collect(), flat: false, ..Cell::default() };
    let rest = walk(&split, |text| query(draft, text, cell.flat).or_else(|| share(draft, text)).or_else(|| top(draft, text)));
    draft.notes(PageRow::Queries, rest);
}

/// Where breaks are lost: a line for each rank, 1, 2, 3 in this order.
fn ranked(line: &Text, flat: bool) -> Vec<Text> {
    if !flat {
        return vec![line.clone()];
    }
    let mut cuts = vec![0];
    let mut wanted = 1_usize;
    for found in RANK.captures_iter(&line.text) {
        let Some(rank) = found.get(1).filter(|rank| rank.as_str() == wanted.to_string()) else { continue };
        wanted += 1;
        if rank.start() > 0 {
            cuts.push(rank.start());
        }
    }
    cuts.push(line.text.len());
    cuts.windows(2)
        .filter_map(|ends| line.text.get(*ends.first()?..*ends.last()?))
        .map(|text| Text { text: text.trim().to_owned(), span: line.span.clone() })
        .filter(|text| !text.text.is_empty())
        .collect()
}

fn query(draft: &mut Draft, text: &str, flat: bool) -> Option<usize> {
    let timed = if flat { TIMED.captures(text) } else { TIMED_LINE.captures(text) };
    let found = timed.or_else(|| UNTIMED.captures(text))?;
    let next = draft.record.queries.len() + 1;
    if found[1].parse() != Ok(next) {
        return None;
    }
    let seconds = found.get(3).map(|seconds| Written::read(seconds.as_str(), Unit::Count)).transpose().ok()?;
    let name = found[2].trim();
    let name = if flat { OPENED.replace_all(name, "(") } else { name.into() };
    // The mark of a wait stands before the seconds, or behind them.
    let waits = WAITS.captures(&name).or_else(|| found.get(4).and_then(|tail| WAITS.captures(tail.as_str())));
    let bare = WAITS.find(&name).map_or(name.as_ref(), |mark| name.get(..mark.start()).unwrap_or_default());
    draft.record.queries.push(Query {
        seconds: seconds.map(|seconds| seconds.value),
        class: waits.as_ref().map(|_| QueryClass::LockWait),
        remark: waits.and_then(|found| found.get(1).map(|words| words.as_str().to_owned())),
        ..Query::named(bare)
    });
    Some(found[0].len())
}

/// `Lock wait: 4% of the database time.`
fn share(draft: &mut Draft, text: &str) -> Option<usize> {
    let found = SHARE.captures(text)?;
    let value = written(FigureId::DatabaseLockWaitRatio, &found[1], PageRow::Queries)?;
    draft.measured(FigureId::DatabaseLockWaitRatio, value.of(&found[2])).then_some(found[0].len())
}

fn top(draft: &mut Draft, text: &str) -> Option<usize> {
    let found = TOP.captures(text)?;
    draft.figure(PageRow::Queries, FigureId::DatabaseTopQueryRatio, &found[1]).then_some(found[0].len())
}
