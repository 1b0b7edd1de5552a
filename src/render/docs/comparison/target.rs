//! The section of a target: its changes, what they rest on, and what stands beside them.

use super::{columns, row};
use crate::model::comparison::{Change, Comparability, Comparison, RunAccount, TargetComparison};
use crate::model::units::show_counted;
use crate::render::comparison::choice::Choice;
use crate::render::comparison::parts::{OUTCOME, RUNS, figures_of, lists_of, remarks};
use crate::render::comparison::words::{fate, run_words, shown, standing};
use crate::render::docs::layout::Layout;
use crate::render::docs::release::capital;
use crate::render::docs::writing::{Writing, finished_list, list, numbers, parts, table, words};

/// The section, without its heading.
pub(super) fn section<'a>(
    layout: Layout<'_>,
    comparison: &'a Comparison,
    choice: &Choice<'a>,
    target: &'a TargetComparison,
    writing: &Writing<'_>,
) -> String {
    let is_unlike = target.contract.verdict == Comparability::NotComparable;
    let (told, left): (Vec<&Change>, Vec<&Change>) =
        shown(target).into_iter().partition(|change| !is_unlike || change.of.is_none());
    let rows: Vec<Vec<String>> = told.into_iter().map(|change| row(layout, target, change)).collect();
    let mut all = vec![
        layout.paragraph(&capital(&format!("{}: {}.", standing(target), fate(target)))),
        table(layout, &columns(comparison, false), &rows),
        list(layout, remarks(target)),
    ];
    if !left.is_empty() {
        let metrics = show_counted(left.len() as u64, "metric");
        all.push(layout.paragraph(&format!("Without {metrics} of single endpoints: nothing can be concluded of them.")));
    }
    // How it ended stands in the table of all targets.
    for (name, items) in lists_of(choice, target).into_iter().filter(|(name, _)| *name != OUTCOME) {
        let items = if name == RUNS { runs(layout, target, writing) } else { list(layout, items) };
        all.push(format!("**{name}**\n\n{items}"));
    }
    all.push(figures(layout, comparison, target));
    parts(all)
}

/// The runs, linked where they have pages.
fn runs(layout: Layout<'_>, target: &TargetComparison, writing: &Writing<'_>) -> String {
    let item = |run: &RunAccount| {
        let text = layout.paragraph(&run_words(run));
        let Ok(address) = run.run.parse() else { return text };
        text.replacen(&layout.cell(&run.run), &writing.run(&address, &run.run), 1)
    };
    finished_list(target.runs.iter().map(item))
}

fn figures(layout: Layout<'_>, comparison: &Comparison, target: &TargetComparison) -> String {
    let rows: Vec<Vec<String>> =
        figures_of(target).iter().map(|row| row.iter().map(|cell| layout.cell(cell)).collect()).collect();
    table(
        layout,
        &[words("Captured"), numbers(&format!("{} (a)", comparison.a)), numbers(&format!("{} (b)", comparison.b))],
        &rows,
    )
}
