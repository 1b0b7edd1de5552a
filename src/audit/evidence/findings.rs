//! What does not fit, as findings.

use std::collections::BTreeMap;

use super::rules::{CANONICAL, INPUT, K6_TEXT, PAGE, RECORD};
use crate::audit::finding;
use crate::audit::rule::{Found, Rule};
use crate::model::finding::{Finding, Level};
use crate::model::proof::{Check, FileProof, InputProof, InputState, PageProof, PageState, PagesProof, Proof, RunProof, State};
use crate::model::units::{Unit, show_counted};

/// The file of k6's text.
const K6_FILE: &str = "k6.txt";
/// Whether they lie beside pages, the release, the run.
type Group = (bool, String, Option<String>);

/// How many pages are named in a finding.
const MOST_PAGES: usize = 5;

/// All that does not fit, in the order of the runs, then of the pages.
#[must_use]
pub fn findings(proof: &Proof) -> Vec<Finding> {
    let mut findings = Vec::new();
    for run in &proof.runs {
        let mut of_run: Vec<Finding> = of_files(run).chain(of_inputs(run)).collect();
        of_run.sort_by(|a, b| (a.level, &a.code).cmp(&(b.level, &b.code)));
        findings.extend(of_run);
    }
    findings.extend(proof.pages.iter().flat_map(of_pages));
    findings
}

fn of_files(run: &RunProof) -> impl Iterator<Item = Finding> {
    let found = |rule: &Rule, words: String| finding(rule, &run.release, Some(run.run.clone()), Found::new(words));
    run.files.iter().flat_map(move |file| {
        // That the bytes alone are other is told once.
        let is_told = file.from_archive.is_other() && file.from_inputs.state == State::OtherBytes;
        let inputs = (file.from_inputs.is_other() && !is_told).then(|| found(&RECORD, from_inputs(run, file)));
        let (rule, words) = if file.name == K6_FILE {
            (&K6_TEXT, "read again, k6.txt gives other figures than the record has")
        } else {
            (&CANONICAL, "read and written again, it has other bytes")
        };
        let words = if file.name == K6_FILE { words.to_owned() } else { format!("{}: {words}", file.name) };
        let archive = file.from_archive.is_other().then(|| found(rule, words + &details(&file.from_archive)));
        [inputs, archive].into_iter().flatten()
    })
}

fn from_inputs(run: &RunProof, file: &FileProof) -> String {
    let inputs = show_counted(run.inputs.len() as u64, "input");
    let words = match file.blake3 {
        Some(_) => format!("{} is not what its {inputs} give", file.name),
        None => format!("{} is missing: the {inputs} of the record give one", file.name),
    };
    words + &details(&file.from_inputs)
}

/// `: /k6/x is 1 and comes out as 2; 3 more differences`.
fn details(check: &Check) -> String {
    let alike = (check.state == State::OtherBytes).then(|| "the values are the same, the bytes are not".to_owned());
    let first = check.differences.iter().take(3).map(ToString::to_string);
    let mut words: Vec<String> = alike.into_iter().chain(check.why.iter().cloned()).chain(first).collect();
    let more = check.differences.len().saturating_sub(3) + check.more;
    if more > 0 {
        words.push(show_counted(more as u64, "more difference"));
    }
    if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) }
}

/// An error for each changed input, and a note for those that are gone.
fn of_inputs(run: &RunProof) -> impl Iterator<Item = Finding> {
    let changed = run.inputs.iter().filter(|input| input.state == InputState::Changed);
    let changed = changed.map(|input| finding(&INPUT, &run.release, Some(run.run.clone()), Found::new(other(input))));
    changed.chain(gone(run))
}

fn other(input: &InputProof) -> String {
    let now = input.now.as_deref().unwrap_or("unknown");
    format!("{} has BLAKE3 {now}; the record was made of {}", input.path, input.blake3)
}

fn gone(run: &RunProof) -> Option<Finding> {
    let gone: Vec<&str> =
        run.inputs.iter().filter(|input| input.state == InputState::Gone).map(|input| input.path.as_str()).collect();
    let of = show_counted(run.inputs.len() as u64, "input");
    let verb = if gone.len() == 1 { "is" } else { "are" };
    let words = format!("{} of {of} {verb} not here, so the record can't be made again: {}", gone.len(), gone.join(", "));
    let found = Found::new(words).with("gone_inputs", gone.len() as f64, Unit::Count);
    let note = || Finding {
        level: Level::Note,
        hint: "say where the raw files lie: --inputs DIR".to_owned(),
        ..finding(&INPUT, &run.release, Some(run.run.clone()), found)
    };
    (!gone.is_empty()).then(note)
}

/// A finding for the pages of each run or release that don't fit, and a note for what lies beside them.
fn of_pages(pages: &PagesProof) -> Vec<Finding> {
    let mut groups: BTreeMap<Group, Vec<&PageProof>> = BTreeMap::new();
    for page in &pages.others {
        let release = page.release.clone().unwrap_or_else(|| pages.of.name().to_owned());
        groups.entry((page.state == PageState::Beside, release, page.run.clone())).or_default().push(page);
    }
    let one = |((is_beside, release, run), group): (Group, Vec<&PageProof>)| {
        let found = Found::new(told(pages, &group)).with("files", group.len() as f64, Unit::Count);
        let found = finding(&PAGE, &release, run, found);
        if is_beside {
            Finding { level: Level::Note, hint: "nothing, if it is meant to lie there".to_owned(), ..found }
        } else {
            found
        }
    };
    groups.into_iter().map(one).collect()
}

fn told(pages: &PagesProof, group: &[&PageProof]) -> String {
    let mut words: Vec<String> = group.iter().take(MOST_PAGES).map(|page| one_page(page)).collect();
    if group.len() > MOST_PAGES {
        words.push(format!("{} more", group.len() - MOST_PAGES));
    }
    let name = pages.of.name();
    format!("{} of the {name}: {}", show_counted(group.len() as u64, "file"), words.join("; "))
}

fn one_page(page: &PageProof) -> String {
    let short = |hash: &Option<String>| hash.as_ref().and_then(|hash| hash.get(..12)).unwrap_or_default().to_owned();
    let words = format!("{} {}", page.path, page.state.words());
    match page.state {
        PageState::Differs => format!("{words} ({} there, {} made now)", short(&page.kept), short(&page.made)),
        _ => words,
    }
}
