//! The section of a target: its changes, what they rest on, and what stands beside them.

use super::{columns, row};
use crate::model::comparison::{Comparison, RunAccount, TargetComparison};
use crate::render::comparison::choice::Choice;
use crate::render::comparison::parts::{RUNS, figures_of, lists_of, remarks};
use crate::render::comparison::words::{fate, run_words, shown, standing};
use crate::render::docs::mdx;
use crate::render::docs::release::capital;
use crate::render::docs::writing::{Writing, finished_list, list, numbers, parts, table, words};

/// The section, without its heading.
pub(super) fn section<'a>(
    comparison: &'a Comparison,
    choice: &Choice<'a>,
    target: &'a TargetComparison,
    writing: &Writing<'_>,
) -> String {
    let rows: Vec<Vec<String>> = shown(target).into_iter().map(|change| row(target, change)).collect();
    let mut all = vec![
        mdx::paragraph(&capital(&format!("{}: {}.", standing(target), fate(target)))),
        table(&columns(comparison, false), &rows),
        list(remarks(target)),
    ];
    for (name, items) in lists_of(choice, target) {
        let items = if name == RUNS { runs(target, writing) } else { list(items) };
        all.push(format!("**{name}**\n\n{items}"));
    }
    all.push(figures(comparison, target));
    parts(all)
}

/// The runs, linked where they have pages.
fn runs(target: &TargetComparison, writing: &Writing<'_>) -> String {
    let item = |run: &RunAccount| {
        let text = mdx::paragraph(&run_words(run));
        let Ok(address) = run.run.parse() else { return text };
        text.replacen(&mdx::cell(&run.run), &writing.run(&address, &run.run), 1)
    };
    finished_list(target.runs.iter().map(item))
}

fn figures(comparison: &Comparison, target: &TargetComparison) -> String {
    let rows: Vec<Vec<String>> = figures_of(target).iter().map(|row| row.iter().map(|cell| mdx::cell(cell)).collect()).collect();
    table(&[words("Captured"), numbers(&format!("{} (a)", comparison.a)), numbers(&format!("{} (b)", comparison.b))], &rows)
}
