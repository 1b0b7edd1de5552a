//! Regions into a new page.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Item, Page};

/// The new page with the regions of the old one, in their order.
///
/// A region comes behind the line that the line above it became; else before the one that the line below it became; else
/// behind the nearest earlier line that is still there. It never lands in a fence, a table, the front matter or between
/// imports, and where the lines around it changed, in no paragraph either. Where nothing changed, nothing moves.
#[must_use]
pub fn carry(old: &Page<'_>, new: &Page<'_>) -> String {
    let blocks = placed(old, new);
    if blocks.is_empty() {
        return new.text.to_owned();
    }
    let end = if new.text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(old.text.len().max(new.text.len()) + 256);
    for at in 0..new.gaps.len() {
        let here: Vec<&Block<'_>> = blocks.iter().filter(|block| block.at == at).collect();
        match here.as_slice() {
            [] => out.push_str(&new.text[new.gaps[at].span.clone()]),
            [block] if block.stays => {
                end_line(&mut out, end);
                out.push_str(block.text);
            }
            moved => add_moved(&mut out, moved, end, at, new.items.len()),
        }
        if at < new.items.len() {
            end_line(&mut out, end);
            let from = new.gaps[at].span.end;
            out.push_str(&new.text[from..new.gaps[at + 1].span.start]);
        }
    }
    out
}

/// What is in a gap of the old page, and the gap of the new one that it comes into.
struct Block<'t> {
    text: &'t str,
    at: usize,
    /// Whether the lines around it are the same, so that the blank lines stay as well.
    stays: bool,
}

fn placed<'o>(old: &Page<'o>, new: &Page<'_>) -> Vec<Block<'o>> {
    let mut blocks: Vec<Block<'o>> = Vec::new();
    if old.regions() == 0 {
        return blocks;
    }
    let fates = Fates::of(old, new);
    let mut least = 0;
    for (gap, lines) in old.gaps.iter().enumerate().filter(|(_, lines)| lines.regions > 0) {
        let wanted = fates.gap(gap);
        let stays = wanted >= least && fates.stays(gap, wanted) && new.has_room(wanted);
        let at = if stays { wanted } else { new.room_from(wanted.max(least)) };
        least = at;
        blocks.push(Block { text: &old.text[lines.span.clone()], at, stays });
    }
    blocks
}

fn add_moved(out: &mut String, blocks: &[&Block<'_>], end: &str, at: usize, last: usize) {
    for (number, block) in blocks.iter().enumerate() {
        end_line(out, end);
        if at > 0 || number > 0 {
            out.push_str(end);
        }
        out.push_str(without_blank_lines_around(block.text));
    }
    end_line(out, end);
    if at < last {
        out.push_str(end);
    }
}

fn end_line(out: &mut String, end: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(end);
    }
}

/// Without the blank lines above and below; the lines themselves keep their bytes.
fn without_blank_lines_around(text: &str) -> &str {
    let blank = |line: &&str| line.trim().is_empty();
    let above: usize = text.split_inclusive('\n').take_while(blank).map(str::len).sum();
    let text = &text[above..];
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let below: usize = lines.iter().rev().take_while(|line| blank(line)).map(|line| line.len()).sum();
    &text[..text.len() - below]
}

/// What became of every item of an old page.
struct Fates {
    /// The item that is the same.
    same: Vec<Option<usize>>,
    /// The item that stands in its place, if that can be told.
    instead: Vec<Option<usize>>,
    new_items: usize,
}

impl Fates {
    fn of(old: &Page<'_>, new: &Page<'_>) -> Self {
        let texts = |items: &[Item<'_>]| items.iter().map(|item| item.text.to_owned()).collect::<Vec<_>>();
        let mut fates =
            Self { same: vec![None; old.items.len()], instead: vec![None; old.items.len()], new_items: new.items.len() };
        for op in capture_diff_slices(Algorithm::Patience, &texts(&old.items), &texts(&new.items)) {
            match op {
                DiffOp::Equal { old_index, new_index, len } => {
                    (0..len).for_each(|at| fates.same[old_index + at] = Some(new_index + at));
                }
                DiffOp::Replace { old_index, old_len, new_index, new_len } if old_len == new_len => {
                    (0..old_len).for_each(|at| fates.instead[old_index + at] = Some(new_index + at));
                }
                _ => {}
            }
        }
        fates
    }

    /// The gap of the new page that is nearest to one of the old.
    fn gap(&self, gap: usize) -> usize {
        let above = gap.checked_sub(1);
        let below = self.same.get(gap).copied().flatten();
        let after = |fates: &[Option<usize>]| above.and_then(|above| fates[above]).map(|at| at + 1);
        let earlier = || self.same[..gap].iter().rev().flatten().next().map(|at| at + 1);
        after(&self.same).or(below).or_else(|| after(&self.instead)).or_else(earlier).unwrap_or(0)
    }

    /// Whether the lines on both sides are the same.
    fn stays(&self, old: usize, new: usize) -> bool {
        let above = match old.checked_sub(1) {
            Some(above) => self.same[above].is_some_and(|at| at + 1 == new),
            None => new == 0,
        };
        let below = match self.same.get(old) {
            Some(below) => *below == Some(new),
            None => new == self.new_items,
        };
        above && below
    }
}

impl Page<'_> {
    /// Whether a region can stand in a gap.
    fn has_room(&self, gap: usize) -> bool {
        let Some(below) = self.items.get(gap) else { return !self.open };
        let above = gap.checked_sub(1).and_then(|above| self.items.get(above));
        let both = |is: fn(&str) -> bool| is(below.text) && above.is_some_and(|above| is(above.text));
        !below.inside && !both(is_row) && !both(is_import)
    }

    /// The first gap from one on where a region can stand and parts no paragraph; the last possible one if there is none.
    fn room_from(&self, gap: usize) -> usize {
        let parts = |gap: usize| gap > 0 && gap < self.items.len() && self.gaps[gap].span.is_empty();
        let later = (gap..self.gaps.len()).find(|gap| self.has_room(*gap) && !parts(*gap));
        later.or_else(|| (0..self.gaps.len()).rev().find(|gap| self.has_room(*gap))).unwrap_or(self.items.len())
    }
}

fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

fn is_import(line: &str) -> bool {
    line.starts_with("import ") || line.starts_with("export ")
}
