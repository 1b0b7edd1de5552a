//! What became of every file that `ingest` was given, folder by folder, in lines of 80 columns.

use std::collections::BTreeMap;

use super::{Streams, Tone};
use crate::ingest::sweep::Listed;
use crate::secrets::masked;
use crate::terminal::wrapped;

/// A name longer than this has a line to itself, so that what stands beside the others keeps some room.
const LONG_NAME: usize = 34;

/// More files that were used than this are a line a folder, unless more is asked for.
const MANY_USED: usize = 60;

/// More files that were ignored than this are counted by their reasons, unless more is asked for.
const MANY_IGNORED: usize = 5;

/// Lists what was used, then what was not and why.
pub(super) fn list(files: &[Listed], streams: &mut Streams<'_>) {
    let files: Vec<Listed> = files.iter().map(without_secrets).collect();
    let all = streams.tone == Tone::Verbose;
    let (used, unused): (Vec<&Listed>, Vec<&Listed>) = files.iter().partition(|file| file.used);
    let lines = if all || used.len() <= MANY_USED { in_full(&used) } else { by_folder(&used) };
    let rest = if all || unused.len() <= MANY_IGNORED { in_full(&unused) } else { by_reason(&unused) };
    for line in lines.iter().chain(&rest) {
        streams.say(line);
    }
}

/// The same without what looks like a secret in its words: masked before a line is broken in the middle of it.
fn without_secrets(file: &Listed) -> Listed {
    let masked = |text: &str| masked(text).into_owned();
    Listed { path: masked(&file.path), runs: masked(&file.runs), fate: masked(&file.fate), ..file.clone() }
}

/// The files of each folder, in the order of the folders.
fn folders<'a>(files: &[&'a Listed]) -> BTreeMap<&'a str, Vec<&'a Listed>> {
    let mut folders: BTreeMap<&str, Vec<&Listed>> = BTreeMap::new();
    for &file in files {
        folders.entry(split(&file.path).0).or_default().push(file);
    }
    folders
}

/// A path as its folder, with the stroke at its end, and its name.
fn split(path: &str) -> (&str, &str) {
    path.rfind('/').map_or(("", path), |at| path.split_at(at + 1))
}

/// The runs that all files of a folder were used for, if they are the same ones.
fn shared<'a>(files: &[&'a Listed]) -> Option<&'a str> {
    let first = files.first()?.runs.as_str();
    files.iter().all(|file| file.runs == first).then_some(first)
}

/// A line a file, under a line for its folder that says of which run they are.
fn in_full(files: &[&Listed]) -> Vec<String> {
    let mut lines = Vec::new();
    for (folder, files) in folders(files) {
        let runs = shared(&files);
        let of = runs.filter(|runs| !runs.is_empty()).map(|runs| format!("{runs}:")).unwrap_or_default();
        let heading = [folder, &of].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("  ");
        if !heading.is_empty() {
            lines.push(wrapped(&heading, 4));
        }
        let names = files.iter().map(|file| split(&file.path).1.chars().count());
        let width = names.filter(|width| *width <= LONG_NAME).max().unwrap_or(0);
        lines.extend(files.iter().map(|file| line(file, width, runs.is_none())));
    }
    lines
}

/// A file, its kind, and what it gave or why it gave nothing.
fn line(file: &Listed, width: usize, with_runs: bool) -> String {
    let (_, name) = split(&file.path);
    let fate = match (file.used, file.fate.as_str()) {
        (true, fate) => fate.to_owned(),
        (false, why) => format!("ignored: {why}"),
    };
    let runs = if with_runs { file.runs.as_str() } else { "" };
    let words = [file.kind.unwrap_or_default(), runs, &fate];
    let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(": ");
    if name.chars().count() > width {
        return format!("  {name}\n{}", wrapped(&format!("      {text}"), 6));
    }
    wrapped(&format!("  {name:width$}  {text}"), width + 4)
}

/// A line a folder.
fn by_folder(files: &[&Listed]) -> Vec<String> {
    let mut lines: Vec<String> = folders(files)
        .into_iter()
        .map(|(folder, files)| {
            let of = shared(&files).filter(|runs| !runs.is_empty()).unwrap_or("several runs");
            wrapped(&format!("  {folder}  {of}: {}", counted(files.len())), 4)
        })
        .collect();
    lines.push("  (-v lists the files)".to_owned());
    lines
}

fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// How many files were ignored for which reason, the most frequent first.
fn by_reason(files: &[&Listed]) -> Vec<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        *reasons.entry(bare(&file.fate)).or_default() += 1;
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    let mut lines = vec![format!("  {} ignored (-v lists them):", counted(files.len()))];
    lines.extend(reasons.iter().take(MANY_IGNORED).map(|(reason, count)| wrapped(&format!("  {count:5}  {reason}"), 9)));
    let more: usize = reasons.iter().skip(MANY_IGNORED).map(|(_, count)| count).sum();
    if more > 0 {
        lines.push(format!("  {more:5}  for other reasons"));
    }
    lines
}

/// A reason without the name of what it is about, `nothing in it is kept` of `pg_stat_wal: nothing in it is kept`, and without what
/// would help.
fn bare(reason: &str) -> &str {
    let reason = reason.split_once("; a rule with ").map_or(reason, |(why, _)| why);
    match reason.split_once(": ") {
        Some((name, rest)) if !name.contains(' ') => rest,
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str, runs: &str, fate: &str, used: bool) -> Listed {
        Listed { path: path.to_owned(), kind: Some("postgres"), runs: runs.to_owned(), fate: fate.to_owned(), used }
    }

    #[test]
    fn a_folder_says_once_of_which_run_its_files_are() {
        let what = "database.transactions_per_s, transactions, blocks read, deadlocks";
        let files = [listed("r/k6.log", "v1/a", "", true), listed("r/pg/pg_stat_database.after.csv", "v1/a", what, true)];
        let files: Vec<&Listed> = files.iter().collect();
        assert_eq!(
            in_full(&files),
            [
                "r/  v1/a:",
                "  k6.log  postgres",
                "r/pg/  v1/a:",
                "  pg_stat_database.after.csv  postgres: database.transactions_per_s,\n                              transactions, blocks \
                 read, deadlocks",
            ]
        );
        assert!(in_full(&files).iter().flat_map(|line| line.lines()).all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn a_long_name_has_a_line_to_itself() {
        let name = "request_latencies.p99.ALIGN_DELTA.REDUCE_PERCENTILE_99.json";
        let files = [listed(name, "", "no rule says what it measures", false), listed("a.json", "", "no rule", false)];
        let lines = in_full(&files.iter().collect::<Vec<_>>());
        let told = "postgres: ignored: no rule says what it measures";
        assert_eq!(lines, [format!("  {name}\n      {told}"), "  a.json  postgres: ignored: no rule".to_owned()]);
    }

    #[test]
    fn many_ignored_files_are_counted_by_their_reasons() {
        let mut files: Vec<Listed> =
            (0..6).map(|n| listed(&format!("{n}.json"), "", "no rule says what it measures", false)).collect();
        files[0].fate += "; a rule with metric = \"speed\"";
        files.push(listed("w.csv", "", "pg_stat_wal: nothing in it is kept", false));
        assert_eq!(
            by_reason(&files.iter().collect::<Vec<_>>()),
            ["  7 files ignored (-v lists them):", "      6  no rule says what it measures", "      1  nothing in it is kept",]
        );
    }
}
