//! Cells in aligned columns, the first to the left, the others to the right.

use unicode_width::UnicodeWidthStr;

/// The columns of a terminal that a line should fit, less the indent of a section.
const WIDTH: usize = 78;

/// Lines of a grid. A first cell that is too long for the line stands on a line of its own, above its row.
pub(super) fn lines(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (1..count).map(width).collect();
    let rest: usize = widths.iter().map(|width| width + 2).sum();
    let first = width(0).min(WIDTH.saturating_sub(rest).max(8));
    let mut found = Vec::new();
    for row in rows {
        let (name, cells) = row.split_first().map_or(("", &[][..]), |(name, cells)| (name.as_str(), cells));
        let mut line = name.to_owned();
        if name.width() > first && !cells.is_empty() {
            found.push(std::mem::take(&mut line));
        }
        pad(&mut line, first);
        for (cell, width) in cells.iter().zip(&widths) {
            pad_left(&mut line, cell, width + 2);
        }
        found.push(line.trim_end().to_owned());
    }
    found
}

fn pad(line: &mut String, width: usize) {
    line.extend(std::iter::repeat_n(' ', width.saturating_sub(line.width())));
}

fn pad_left(line: &mut String, cell: &str, width: usize) {
    line.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width())));
    line.push_str(cell);
}
