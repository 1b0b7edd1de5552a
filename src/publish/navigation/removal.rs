//! Entries taken out, with the comma and the blank that came with them.

use super::bare;
use super::json::{Node, Value};
use super::layout::{Edit, Layout};

/// Deletions that take pages out of a list and of the groups in it. A group that has lost its last page goes too, unless
/// somebody gave it more than a title and pages.
pub(super) fn edits(text: &str, list: &Node, gone: &[String]) -> Vec<Edit> {
    Removal { layout: Layout::of(text), gone }.of_list(list)
}

struct Removal<'t> {
    layout: Layout<'t>,
    gone: &'t [String],
}

impl Removal<'_> {
    fn of_list(&self, list: &Node) -> Vec<Edit> {
        let items = list.items().unwrap_or_default();
        let goes: Vec<bool> = items.iter().map(|item| self.goes(item)).collect();
        let mut edits: Vec<Edit> = items
            .iter()
            .zip(&goes)
            .filter(|(_, goes)| !**goes)
            .filter_map(|(item, _)| item.get("pages"))
            .flat_map(|list| self.of_list(list))
            .collect();
        let mut at = 0;
        while let Some(first) = goes.iter().skip(at).position(|goes| *goes).map(|found| found + at) {
            let behind = goes.iter().skip(first).position(|goes| !*goes).map_or(goes.len(), |found| found + first);
            edits.extend(self.cut(list, first, behind));
            at = behind;
        }
        edits
    }

    /// What is cut out to lose some neighbours: as they were put in, with the comma behind them, at the end the one before them.
    fn cut(&self, list: &Node, first: usize, behind: usize) -> Option<Edit> {
        let items = list.items()?;
        let (start, end) = (items.get(first)?.span.start, items.get(behind.checked_sub(1)?)?.span.end);
        let before = first.checked_sub(1).and_then(|at| items.get(at));
        let piece = match (before, items.get(behind)) {
            (_, Some(next)) => start..next.span.start,
            (Some(before), None) => before.span.end..end,
            (None, None) => list.span.start + 1..end + self.layout.blank_of_fill(list, end),
        };
        Some((piece, String::new()))
    }

    fn goes(&self, item: &Node) -> bool {
        if let Some(text) = item.text() {
            return self.gone.iter().any(|gone| bare(gone) == bare(text));
        }
        let Value::Object(members) = &item.value else { return false };
        let is_plain = members.iter().all(|(name, _)| name == "title" || name == "pages");
        let pages = item.get("pages").and_then(Node::items).unwrap_or_default();
        is_plain && !pages.is_empty() && pages.iter().all(|page| self.goes(page))
    }
}
