//! Cells in aligned columns.

use unicode_width::UnicodeWidthStr;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// The columns that rows of cells take, two blanks between them.
pub(super) fn width(rows: &[Vec<String>]) -> usize {
    let widths: Vec<usize> = widths(rows).into_iter().filter(|width| *width > 0).collect();
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

/// A line a row, no blanks at its end; columns that are empty in all rows are left out. A column without an alignment is to the left.
pub(super) fn lines(rows: &[Vec<String>], aligned: &[Align]) -> Vec<String> {
    let widths = widths(rows);
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).enumerate().filter(|(_, (_, width))| **width > 0);
            let cells = cells.map(|(at, (cell, width))| padded(cell, *width, aligned.get(at).copied().unwrap_or(Align::Left)));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}

fn padded(cell: &str, width: usize, align: Align) -> String {
    let blanks = " ".repeat(width.saturating_sub(cell.width()));
    match align {
        Align::Left => format!("{cell}{blanks}"),
        Align::Right => format!("{blanks}{cell}"),
    }
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    (0..count).map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_count_twice_and_empty_columns_not_at_all() {
        let rows = [["a", "", "1"], ["表", "", "22"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(lines(&rows, &[Align::Left, Align::Left, Align::Right]), ["a    1", "表  22"]);
        assert_eq!((width(&rows), width(&rows[..1])), (6, 4));
    }
}
