//! What an archive was held against, for a terminal and for programs.

use super::findings::{self, Detail, Report};
use super::markup::on_one_line;
use crate::model::proof::{FileProof, InputState, PagesProof, Proof, RunProof, State};
use crate::model::units::show_counted;
use crate::terminal::wrapped;

/// The evidence as JSON, indented, with a line break at the end.
///
/// # Errors
/// A defect: it is JSON by construction.
pub fn json(proof: &Proof) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(proof).map(|text| text + "\n")
}

/// A line a run, what does not fit, and the hashes that stand for all of it.
#[must_use]
pub fn text(proof: &Proof, report: &Report<'_>, detail: Detail) -> String {
    let told = findings::text(report, detail);
    format!("{}\n{}\n{told}", table(proof), sums(proof))
}

/// The heads of the columns.
const HEADS: [&str; 6] = ["", "record", "k6.txt", "series", "inputs", "verdict"];

fn table(proof: &Proof) -> String {
    let mut rows: Vec<[String; 6]> = vec![HEADS.map(str::to_owned)];
    rows.extend(proof.runs.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4, 5].map(width);
    let line = |row: &[String; 6]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    let mut out = line(&rows[0]);
    let mut release = "";
    for (run, row) in proof.runs.iter().zip(&rows[1..]) {
        if run.release != release {
            release = &run.release;
            out.push_str(&on_one_line(release));
            out.push('\n');
        }
        out.push_str(&line(row));
    }
    out
}

fn row(run: &RunProof) -> [String; 6] {
    let word = |names: &[&str]| word(names.iter().filter_map(|name| run.file(name)));
    let states = InputState::ALL.map(|state| (run.count(state), state.name()));
    let inputs: Vec<String> =
        states.into_iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let verdict = run.verdict.blake3.get(..12).unwrap_or_default().to_owned();
    [
        format!("  {}", on_one_line(&run.run)),
        word(&["record.json"]),
        word(&["k6.txt"]),
        word(&["series.json", "blocks.json"]),
        inputs.join(", "),
        verdict,
    ]
}

/// Of files the worst: another one, not made again, the same; nothing where there is none. k6's text counts as made again where it gives the
/// record's figures.
fn word<'a>(files: impl Iterator<Item = &'a FileProof>) -> String {
    let mut word = "";
    for file in files {
        if file.from_inputs.is_other() || file.from_archive.is_other() {
            return "differs".to_owned();
        }
        let is_held = file.from_inputs.state == State::Same || (file.name == "k6.txt" && file.from_archive.state == State::Same);
        word = if is_held && word != "kept" { "same" } else { "kept" };
    }
    word.to_owned()
}

/// What stands for all of it: counts and hashes.
fn sums(proof: &Proof) -> String {
    let state = |run: &&RunProof, state| run.file("record.json").is_some_and(|file| file.from_inputs.state == state);
    let same = proof.runs.iter().filter(|run| state(run, State::Same)).count() as u64;
    let other = proof.runs.iter().filter(|run| state(run, State::Differs) || state(run, State::OtherBytes)).count() as u64;
    let (made, all) = (same + other, proof.runs.len() as u64);
    let how = match (made, other) {
        (0, _) => String::new(),
        (_, 0) => ", all the same".to_owned(),
        _ => format!(", {same} the same and {other} otherwise"),
    };
    let why = if made < all { "; --inputs DIR says where inputs lie, -v which are not there" } else { "" };
    let records = format!("{made} of {all} made again from their inputs{how}{why}");
    let mut out = line("records", &records) + &line("", &proof.records);
    out += &line("verdicts", &format!("of the flow {}", proof.flow.name));
    out += &line("", &proof.verdicts);
    for pages in &proof.pages {
        out += &line(pages.of.name(), &files(pages));
        out += &line("", &pages.blake3);
    }
    out
}

fn files(pages: &PagesProof) -> String {
    let same = show_counted(pages.same as u64, "file");
    if pages.others.is_empty() { format!("{same}, all the same") } else { format!("{same} the same, {} not", pages.others.len()) }
}

fn line(head: &str, words: &str) -> String {
    wrapped(&format!("{head:<10}{words}"), 10) + "\n"
}
