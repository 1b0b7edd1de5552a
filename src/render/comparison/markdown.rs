//! A comparison as a comment on a pull request.

use super::choice::{Choice, Detail};
use super::parts::{cells, figures_of, heads, lists_of, remark, remarks};
use super::words::{accepted, counted, fate, method, nothing_compared, ranked, shown, standing};
use crate::model::comparison::{Comparability, Comparison, Decision, Presence, TargetComparison};
use crate::render::markup;

/// The first line: by it a later comment finds the earlier one, to be written in its place.
pub const MARKER: &str = "<!-- plimsoll-diff -->";

/// GitHub refuses a comment with more characters. Bytes are counted, which are never fewer.
pub const LIMIT: usize = 65_536;

/// How many changes that were found stand above the details.
const FOUND: usize = 30;

/// How long a text of people's making may be before it is cut, in letters.
const LONG: usize = 2_000;

/// The comparison as GitHub-flavoured Markdown of at most [`LIMIT`] bytes: the marker, the headline, the changes that were found, what
/// could not be compared, and folded details of each target. What does not fit is left out in whole sections, the last first, and a line
/// says how many. One line behind the marker where nothing changed and everything could be told.
#[must_use]
pub fn markdown(comparison: &Comparison) -> String {
    let head = format!("{MARKER}\n{}\n", headline(comparison));
    if has_nothing_to_say(comparison) {
        return head;
    }
    let sections =
        std::iter::once(overview(comparison)).chain(comparison.targets.iter().map(|target| details(comparison, target)));
    let sections: Vec<String> = sections.chain([closing(comparison)]).filter(|section| !section.is_empty()).collect();
    fitted(&head, &sections, comparison)
}

/// As many sections as there is room for, and how many were left out.
fn fitted(head: &str, sections: &[String], comparison: &Comparison) -> String {
    let whole = head.len() + sections.iter().map(|section| section.len() + 1).sum::<usize>();
    if whole <= LIMIT {
        return sections.iter().fold(head.to_owned(), |text, section| text + "\n" + section);
    }
    let left_out = |count: usize| {
        let (a, b) = (escaped(&comparison.a), escaped(&comparison.b));
        format!(
            "\n{} left out here: a comment holds no more. `plimsoll diff` of {a} and {b} shows all.\n",
            counted(count, "section")
        )
    };
    let room = LIMIT.saturating_sub(head.len() + left_out(sections.len()).len());
    let mut used = 0;
    let fits = |section: &&String| {
        used += section.len() + 1;
        used <= room
    };
    let shown: Vec<&String> = sections.iter().take_while(fits).collect();
    let rest = left_out(sections.len() - shown.len());
    shown.into_iter().fold(head.to_owned(), |text, section| text + "\n" + section) + &rest
}

/// Whether every target is comparable, on both sides, and without a change.
fn has_nothing_to_say(comparison: &Comparison) -> bool {
    let is_quiet = |target: &TargetComparison| {
        target.presence == Presence::Both
            && target.contract.verdict == Comparability::Comparable
            && target.changes.iter().all(|change| change.decision == Decision::NoChange)
    };
    nothing_compared(comparison).is_none() && comparison.targets.iter().all(is_quiet)
}

/// `**v4.17.1 against v4.19.2: 2 regressions in 24 comparisons of 3 targets.**`
fn headline(comparison: &Comparison) -> String {
    let nothing = nothing_compared(comparison).filter(|_| comparison.headline.comparable > 0);
    let nothing = nothing.map(|why| format!(" {}.", escaped(&why))).unwrap_or_default();
    let (a, b) = (escaped(&comparison.a), escaped(&comparison.b));
    format!("**{a} against {b}: {}**{nothing}", escaped(comparison.headline.sentence.trim()))
}

/// What was found, what could not be told, what could not be compared.
fn overview(comparison: &Comparison) -> String {
    let ranked = ranked(comparison);
    let found: Vec<_> = ranked.iter().filter(|(_, change)| change.decision.is_change()).collect();
    let several = comparison.targets.len() > 1;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (target, change) in found.iter().take(FOUND) {
        let name = several.then(|| target.target.clone());
        rows.push(name.into_iter().chain(cells(target, change)).collect());
    }
    let mut out = table(&heads(comparison, several), usize::from(several) + 1, &rows);
    if found.len() > FOUND {
        out.extend(["\n", &counted(found.len() - FOUND, "more change"), " below.\n"]);
    }
    let items: Vec<String> = comparison.targets.iter().filter_map(remark).collect();
    if !items.is_empty() && !out.is_empty() {
        out.push('\n');
    }
    out + &list(&items)
}

/// A target, folded.
fn details(comparison: &Comparison, target: &TargetComparison) -> String {
    let summary = format!("{}: {}", standing(target), fate(target));
    let rows: Vec<Vec<String>> = shown(target).into_iter().map(|change| cells(target, change).to_vec()).collect();
    let mut parts = vec![table(&heads(comparison, false), 1, &rows)];
    parts.push(list(&remarks(target)));
    parts.extend(lists(comparison, target));
    let body = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    let title = format!("{} ({})", html(&target.target), html(&summary));
    format!("<details><summary>{title}</summary>\n\n{body}\n</details>\n")
}

/// The other parts of a target, each under its name.
fn lists(comparison: &Comparison, target: &TargetComparison) -> Vec<String> {
    let named = |(name, items): (&str, Vec<String>)| format!("**{name}**\n\n{}", list(&items));
    let mut texts: Vec<String> = lists_of(&Choice::of(comparison, Detail::Whole), target).into_iter().map(named).collect();
    texts.extend(figures(target));
    texts
}

fn figures(target: &TargetComparison) -> Option<String> {
    let rows = figures_of(target);
    (!rows.is_empty()).then(|| table(&["captured", "a", "b"].map(str::to_owned), 1, &rows))
}

/// Accepted keys, and how it was decided.
fn closing(comparison: &Comparison) -> String {
    let keys: Vec<String> = comparison.method.accepted.iter().map(accepted).collect();
    let keys =
        if keys.is_empty() { String::new() } else { format!("Accepted differences of the contract:\n\n{}\n", list(&keys)) };
    format!("{keys}{}.\n", escaped(&method(comparison)))
}

/// A table whose first columns are to the left, and the last; the others, numbers, to the right. Nothing without rows.
fn table(head: &[String], names: usize, rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| format!("| {} |\n", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "));
    let has_decision = head.last().is_some_and(|name| name == "decision");
    let is_left = |at: usize| at < names || (has_decision && at + 1 == head.len());
    let rule: Vec<&str> = (0..head.len()).map(|at| if is_left(at) { ":--" } else { "--:" }).collect();
    rows.iter().fold(format!("{}| {} |\n", line(head), rule.join(" | ")), |text, row| text + &line(row))
}

fn list(items: &[String]) -> String {
    items.iter().fold(String::new(), |text, item| text + "- " + &escaped(item) + "\n")
}

/// Text of people's making that stays text, and not longer than anybody reads: a name of a query must not call anybody.
fn escaped(text: &str) -> String {
    markup::calling_nobody(&cut(text))
}

/// The same inside of HTML.
fn html(text: &str) -> String {
    markup::escape(&markup::on_one_line(&cut(text))).replace('@', "@&#8203;")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::render::comparison::made_up;

    #[test]
    fn the_headline_comes_first_and_the_rest_is_folded() {
        insta::assert_snapshot!(markdown(&made_up::everything()));
    }

    #[test]
    fn names_stay_names() {
        insta::assert_snapshot!(markdown(&made_up::hostile()));
    }

    #[test]
    fn where_nothing_changed_one_line_says_so() {
        let text = markdown(&made_up::unchanged());
        assert_eq!(text.lines().count(), 2);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn nothing_to_compare_is_said() {
        insta::assert_snapshot!(markdown(&made_up::nothing()));
    }

    #[test]
    fn what_does_not_fit_is_left_out_in_whole_sections() {
        let text = markdown(&made_up::many(200));
        assert!(text.len() <= LIMIT && text.len() > LIMIT * 9 / 10, "{}", text.len());
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        let last = text.lines().next_back().unwrap_or_default();
        let left = 202 - 1 - text.matches("<details>").count();
        assert_eq!(
            last,
            format!("{left} sections left out here: a comment holds no more. `plimsoll diff` of v4.17.1 and v4.19.2 shows all.")
        );
    }

    #[test]
    fn a_name_calls_nobody() {
        assert_eq!(escaped("by @root in #12"), "by @&#8203;root in #&#8203;12");
        assert_eq!(html("@root & #12"), "@&#8203;root &amp; #12");
    }

    proptest! {
        #[test]
        fn a_comment_is_never_too_long_and_every_fold_is_closed(comparison in made_up::any()) {
            let text = markdown(&comparison);
            prop_assert!(text.starts_with(MARKER));
            prop_assert!(text.len() <= LIMIT, "{}", text.len());
            prop_assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
            prop_assert_eq!(text.matches("<!--").count(), 1);
            prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        }
    }
}
