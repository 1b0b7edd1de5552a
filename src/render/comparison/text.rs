//! A comparison for a terminal.

use unicode_width::UnicodeWidthStr;

use super::choice::{Choice, Detail, moved};
use super::columns::{self, Align};
use super::together::{gaps, shared_notes};
use super::words::{
    DETECTABLE, NAMED, NONE, NOT_COMPARABLE, ROUNDED, WEAKENED, accepted, counted, decided, decision, drift, fate, grounds,
    key_difference, method, noise_grounds, nothing_compared, outcome, query_note, query_sides, run_events, run_words,
    runs_together, setting, standing, told,
};
use crate::model::comparison::{
    Change, Comparability, Comparison, Decision, FigurePair, KeyDifference, Presence, QueryChange, TargetComparison,
};
use crate::render::markup::on_one_line;
use crate::terminal::wrapped;

/// The columns of a terminal that a line should fit.
const COLUMNS: usize = 80;

/// Where the words of a line with a label begin.
const LABELLED: usize = 14;

/// How many changes that were found stand at the top, and how many settings are told in brief.
const SHOWN: usize = 12;

/// How many queries are told in brief.
const QUERIES: usize = 6;

/// A longer name of a side stands above its column as `a` or `b`.
const LONG_NAME: usize = 10;

/// Where there is more than a brief report tells.
const MORE: &str = "-v tells all of it: every metric, figure, query and setting. --format html makes a page with charts.";

/// The comparison as lines of 80 columns without colour, ending in a line break: the headline, accepted keys, a table of the
/// targets, then targets with their contract, their changes and what there is beside them. In brief that is what differs and what
/// changed, with what all targets share said once. Only a name that is longer than a line, and a table of very large numbers, make
/// a line longer.
#[must_use]
pub fn text(comparison: &Comparison, detail: Detail) -> String {
    let choice = Choice::of(comparison, detail);
    let mut out = Lines::default();
    head(comparison, &mut out);
    found(comparison, &choice, &mut out);
    if comparison.targets.len() > 1 {
        targets(&comparison.targets, &mut out);
    }
    shared(&choice, &mut out);
    for target in &choice.targets {
        out.gap();
        out.line(0, &format!("{}: {}", target.target, standing(target)));
        one(comparison, target, &choice, &mut out);
    }
    out.gap();
    if !choice.is_whole() {
        for legend in legends(&choice.targets) {
            out.line(0, &legend);
        }
    }
    out.line(0, &method(comparison));
    if !choice.is_whole() && !comparison.targets.is_empty() {
        out.line(0, MORE);
    }
    out.0
}

/// Lines that a name can't break.
#[derive(Default)]
struct Lines(String);

impl Lines {
    /// An empty line between parts; never two.
    fn gap(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    /// A line as it is.
    fn push(&mut self, line: &str) {
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    /// A sentence; what is too long goes on below.
    fn line(&mut self, indent: usize, words: &str) {
        self.push(&wrapped(&format!("{}{}", " ".repeat(indent), on_one_line(words)), indent + 2));
    }

    /// Sentences beside a label, which stands once.
    fn labelled<I: IntoIterator<Item = S>, S: AsRef<str>>(&mut self, label: &str, sentences: I) {
        self.hanging(label, LABELLED, sentences);
    }

    /// The same of so many at most.
    fn several<I: ExactSizeIterator<Item = String>>(&mut self, label: &str, sentences: I, most: usize) {
        let more = more(sentences.len(), most);
        self.labelled(label, sentences.take(most).chain(more));
    }

    /// The same; what is too long goes on in a column of its own.
    fn hanging<I: IntoIterator<Item = S>, S: AsRef<str>>(&mut self, label: &str, column: usize, sentences: I) {
        let mut label = label;
        for words in sentences {
            let line = format!("  {label:<width$}{}", on_one_line(words.as_ref()), width = LABELLED - 2);
            self.push(&wrapped(&line, column));
            label = "";
        }
    }

    /// Lines of a table, as they are.
    fn table(&mut self, indent: usize, lines: &[String]) {
        for line in lines {
            self.push(&format!("{}{line}", " ".repeat(indent)));
        }
    }
}

fn head(comparison: &Comparison, out: &mut Lines) {
    let headline = &comparison.headline;
    out.line(0, &headline.sentence);
    // Where no target is comparable the sentence says so itself.
    if let Some(why) = nothing_compared(comparison).filter(|_| headline.comparable > 0) {
        out.line(0, &why);
    }
    out.gap();
    out.line(0, &format!("a  {}", comparison.a));
    out.line(0, &format!("b  {}", comparison.b));
    if !comparison.method.accepted.is_empty() {
        out.gap();
        out.line(0, "Accepted differences of the contract");
        for key in &comparison.method.accepted {
            out.line(2, &accepted(key));
        }
    }
}

/// The changes that were found, the worst first.
fn found(comparison: &Comparison, choice: &Choice<'_>, out: &mut Lines) {
    let found = &comparison.headline.found;
    if found.is_empty() {
        return;
    }
    out.gap();
    out.line(0, "Found");
    let most = if choice.is_whole() { usize::MAX } else { SHOWN };
    let rows: Vec<Vec<String>> =
        found.iter().take(most).map(|one| vec![decision(one.decision).to_owned(), on_one_line(&one.target)]).collect();
    for (line, one) in columns::lines(&rows, &[]).iter().zip(found) {
        out.line(2, &format!("{line}: {}", one.what));
    }
    if let Some(words) = more(found.len(), most) {
        out.line(2, &words);
    }
}

/// All targets of a comparison in a few words each.
fn targets(targets: &[TargetComparison], out: &mut Lines) {
    let names = targets.iter().map(|target| on_one_line(&target.target)).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> =
        targets.iter().zip(&names).map(|(target, name)| vec![name.clone(), standing(target).to_owned()]).collect();
    let begin = columns::width(&rows) + 4;
    out.gap();
    for (line, target) in columns::lines(&rows, &[]).iter().zip(targets) {
        let words = fate(target);
        let blanks = " ".repeat(begin.saturating_sub(line.width() + 2));
        out.push(&wrapped(&format!("  {line}{blanks}{words}"), begin.min(COLUMNS / 2)));
    }
}

/// What is said once of all targets that both sides have.
fn shared(choice: &Choice<'_>, out: &mut Lines) {
    let shared = &choice.shared;
    if shared.is_empty() {
        return;
    }
    out.gap();
    out.line(0, &format!("In all {} of both sides", counted(choice.sharing, "target")));
    out.hanging("contract", LABELLED + 15, shared.differences.iter().copied().map(difference));
    out.several("settings", shared.settings.iter().copied().map(setting), SHOWN);
    out.labelled("notes", &shared.notes);
    out.labelled("missing", gaps(shared.missing.iter().copied()).iter().map(|gap| gap.words(NAMED)));
}

fn one(comparison: &Comparison, target: &TargetComparison, choice: &Choice<'_>, out: &mut Lines) {
    contract(target, choice, out);
    changes(comparison, target, choice, out);
    figures(&choice.figures(target), out);
    out.labelled("outcome", outcome(&target.outcome));
    out.several("queries", moved(target).into_iter().map(query), choice.most(QUERIES));
    out.several("settings", choice.settings(target).into_iter().map(setting), choice.most(SHOWN));
    out.labelled("drift", target.drift.iter().map(drift));
    let runs = if choice.is_whole() { target.runs.iter().map(run_words).collect() } else { runs_together(&target.runs) };
    out.labelled("runs", runs);
    out.labelled("within runs", target.runs.iter().flat_map(run_events));
    out.labelled("notes", choice.notes(target));
    let most = choice.most(NAMED);
    out.labelled("missing", gaps(choice.missing(target)).iter().map(|gap| gap.words(most)));
}

fn more(all: usize, most: usize) -> Option<String> {
    (all > most).then(|| format!("and {} more", all - most))
}

fn difference(one: &KeyDifference) -> String {
    format!("{:<13}  {}", one.level.name(), key_difference(one))
}

fn contract(target: &TargetComparison, choice: &Choice<'_>, out: &mut Lines) {
    let differences = choice.differences(target);
    let own = !differences.is_empty();
    out.hanging("contract", LABELLED + 15, differences.into_iter().map(difference));
    if target.presence != Presence::Both {
        return;
    }
    let (alike, unknown) = (target.contract.alike.len(), target.contract.unknown.len());
    let mut facts = vec![format!("{} alike", counted(alike, "key"))];
    if unknown > 0 {
        facts.push(format!("{unknown} unknown on both sides"));
    }
    if !choice.shared.differences.is_empty() {
        facts.push(format!("{} unlike as above", choice.shared.differences.len()));
    }
    out.labelled(if own { "" } else { "contract" }, [facts.join(", ")]);
}

/// The table of changes and what its marks mean.
fn changes(comparison: &Comparison, target: &TargetComparison, choice: &Choice<'_>, out: &mut Lines) {
    let shown = choice.changes(target);
    if !shown.is_empty() {
        out.gap();
        table(comparison, target, &shown, choice, out);
    }
    let hidden: Vec<&Change> = target.changes.iter().filter(|change| !shown.contains(change)).collect();
    if !hidden.is_empty() {
        out.line(2, &left_out(target, &hidden));
    }
    let is_noted = choice.is_whole() || target.contract.verdict != Comparability::NotComparable;
    for note in shared_notes(&shown).into_iter().filter(|_| is_noted) {
        out.line(2, &note.sentence(NAMED));
    }
    if choice.is_whole() {
        for legend in legends(&[target]) {
            out.line(2, &legend);
        }
    }
    for sentence in if choice.is_whole() { grounds(target) } else { noise_grounds(target) } {
        out.line(2, &sentence);
    }
    out.gap();
}

/// How many metrics are not in the table, and what became of them.
fn left_out(target: &TargetComparison, hidden: &[&Change]) -> String {
    let count = counted(hidden.len(), "metric");
    if target.presence != Presence::Both {
        return format!("{count} of endpoints (--format json has them)");
    }
    if target.contract.verdict == Comparability::NotComparable {
        return format!("{count} more");
    }
    format!("{count} more: {}", decided(hidden.iter().copied()))
}

/// A line of the table of changes: its cells, and what stands below it.
struct Row {
    above: Option<String>,
    cells: Vec<String>,
    below: Vec<String>,
}

fn table(comparison: &Comparison, target: &TargetComparison, changes: &[&Change], choice: &Choice<'_>, out: &mut Lines) {
    let side = |name: &str, short: &str| if name.width() > LONG_NAME { short.to_owned() } else { on_one_line(name) };
    let percent = format!("{:.0}% interval", comparison.method.level * 100.0);
    let head = vec![
        "metric".to_owned(),
        side(&comparison.a, "a"),
        side(&comparison.b, "b"),
        "change".to_owned(),
        percent,
        String::new(),
    ];
    let mut rows = rows(target, changes, choice);
    let has_estimates = rows.iter().any(|row| !row.cells[3].is_empty());
    let mut cells: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(|row| row.cells.clone())).collect();
    for column in [1, 2] {
        if rows.iter().all(|row| row.cells[column] == NONE) {
            for row in &mut cells {
                row[column].clear();
            }
        }
    }
    if !has_estimates {
        for row in &mut cells {
            row[3..5].fill(String::new());
        }
    } else if columns::width(&cells) + 2 > COLUMNS {
        for (row, cells) in rows.iter_mut().zip(cells.iter_mut().skip(1)) {
            let interval = std::mem::take(&mut cells[4]);
            row.below.splice(0..0, (!interval.is_empty()).then_some(interval));
        }
        cells[0][4] = String::new();
    }
    let right = Align::Right;
    let lines = columns::lines(&cells, &[Align::Left, right, right, right, right, Align::Left]);
    out.table(2, &lines[..1]);
    for (row, line) in rows.iter().zip(&lines[1..]) {
        out.table(2, row.above.as_slice());
        out.table(2, std::slice::from_ref(line));
        for words in &row.below {
            out.line(6, words);
        }
    }
}

/// The rows; those of one endpoint stand below its name.
fn rows(target: &TargetComparison, changes: &[&Change], choice: &Choice<'_>) -> Vec<Row> {
    let is_weakened = target.contract.verdict == Comparability::Weakened;
    let shared = shared_notes(changes);
    // How a number came to be matters where something is concluded from it.
    let is_noted = choice.is_whole() || target.contract.verdict != Comparability::NotComparable;
    let is_own = |note: &String| is_noted && shared.iter().all(|other| !other.holds(note));
    let mut above: Option<&str> = None;
    changes
        .iter()
        .map(|change| {
            let endpoint = change.of.as_deref();
            let is_first = endpoint != above;
            above = endpoint;
            let mut row = row(change, endpoint.filter(|_| is_first), is_weakened);
            row.below.retain(is_own);
            row.below.splice(0..0, told(change).counts);
            row
        })
        .collect()
}

fn row(change: &Change, above: Option<&str>, is_weakened: bool) -> Row {
    let words = told(change);
    let name = if change.of.is_some() { format!("  {}", change.kind.name()) } else { on_one_line(&change.metric) };
    let mark = if is_weakened && change.decision.is_compared() { "*" } else { "" };
    let detectable = words.detectable.map(|size| format!(" ({})", size.trim_end_matches(" pp"))).unwrap_or_default();
    Row {
        above: above.map(on_one_line),
        cells: vec![name, words.a, words.b, words.change, bare(&words.interval), format!("{}{mark}{detectable}", words.decision)],
        below: words.notes,
    }
}

/// An interval without its unit, which stands beside it.
fn bare(interval: &str) -> String {
    interval.trim_end_matches(['%', 'p', ' ']).to_owned()
}

/// What the marks of the tables mean, those that they have.
fn legends(targets: &[&TargetComparison]) -> Vec<String> {
    let is_rounded = |change: &Change| {
        let wide = |bounds: Option<crate::model::bounds::Bounds>| bounds.is_some_and(|bounds| bounds.lo() < bounds.hi());
        wide(change.bounds_a) || wide(change.bounds_b)
    };
    let has = |is: &dyn Fn(&Change) -> bool| targets.iter().any(|target| target.changes.iter().any(is));
    let is_weakened = |target: &&TargetComparison| {
        target.contract.verdict == Comparability::Weakened && target.changes.iter().any(|change| change.decision.is_compared())
    };
    let rows = [
        (targets.iter().any(is_weakened), format!("* {WEAKENED}")),
        (has(&|change| change.decision == Decision::NotComparable), format!("not comparable: {NOT_COMPARABLE}")),
        (has(&|change| told(change).detectable.is_some()), format!("(n) {DETECTABLE}")),
        (has(&is_rounded), format!("~ {ROUNDED}")),
    ];
    rows.into_iter().filter(|(applies, _)| *applies).map(|(_, legend)| legend).collect()
}

fn query(query: &QueryChange) -> String {
    let note = query_note(query);
    let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
    format!("{}{note}{}", query.name, query_sides(query))
}

/// Figures to read beside the changes. What a value is a share of stands below it.
fn figures(pairs: &[&FigurePair], out: &mut Lines) {
    if pairs.is_empty() {
        return;
    }
    let cell = |value: Option<&String>| value.map_or_else(|| (NONE.to_owned(), None), |value| apart(&on_one_line(value)));
    let sides: Vec<[(String, Option<String>); 2]> =
        pairs.iter().map(|pair| [cell(pair.shown_a.as_ref()), cell(pair.shown_b.as_ref())]).collect();
    let head = ["captured", "a", "b"].map(str::to_owned).to_vec();
    let rows = pairs.iter().zip(&sides).map(|(pair, [a, b])| vec![pair.figure.name().to_owned(), a.0.clone(), b.0.clone()]);
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let lines = columns::lines(&rows, &[Align::Left, Align::Right, Align::Right]);
    out.table(2, &lines[..1]);
    for (line, [a, b]) in lines[1..].iter().zip(&sides) {
        out.table(2, std::slice::from_ref(line));
        let said: Vec<String> = [(&a.1, "a"), (&b.1, "b")]
            .into_iter()
            .filter_map(|(words, side)| words.as_ref().map(|words| format!("{words} ({side})")))
            .collect();
        match (&a.1, &b.1) {
            (Some(words), Some(other)) if words == other => out.line(6, words),
            _ if said.is_empty() => {}
            _ => out.line(6, &said.join(", ")),
        }
    }
    out.gap();
}

/// `35% (of database time)`: the value, and what it is of.
fn apart(value: &str) -> (String, Option<String>) {
    let parts = value.strip_suffix(')').and_then(|value| value.split_once(" ("));
    parts.map_or_else(|| (value.to_owned(), None), |(value, words)| (value.to_owned(), Some(words.to_owned())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::render::comparison::made_up;

    #[test]
    fn everything_there_can_be_is_told_in_80_columns() {
        for detail in [Detail::Whole, Detail::Brief] {
            let text = text(&made_up::everything(), detail);
            assert_eq!(text.lines().filter(|line| line.width() > COLUMNS).collect::<Vec<_>>(), Vec::<&str>::new());
            insta::assert_snapshot!(format!("everything_{detail:?}"), text);
        }
    }

    #[test]
    fn a_name_moves_no_cursor() {
        insta::assert_snapshot!(text(&made_up::hostile(), Detail::Whole));
    }

    #[test]
    fn nothing_changed_and_nothing_compared_are_two_answers() {
        insta::assert_snapshot!(text(&made_up::unchanged(), Detail::Brief));
        insta::assert_snapshot!(text(&made_up::nothing(), Detail::Brief));
    }

    #[test]
    fn what_a_share_is_of_stands_apart() {
        assert_eq!(apart("35% (of database time)"), ("35%".to_owned(), Some("of database time".to_owned())));
        assert_eq!(apart("35%"), ("35%".to_owned(), None));
    }

    proptest! {
        #[test]
        fn no_line_holds_a_control_character(comparison in made_up::any()) {
            let text = text(&comparison, Detail::Brief) + &text(&comparison, Detail::Whole);
            prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
            prop_assert!(text.ends_with('\n'));
        }
    }
}
