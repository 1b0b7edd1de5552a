//! Runs with captures beside them: the runner's log, copies of captured files, what `ingest` makes of them.

use std::path::Path;

use serde_json::Value;

use super::command::{Answer, Folder};

/// The release that captured runs are ingested as.
pub(crate) const RELEASE: &str = "v9";

/// k6's text summary of a small run.
pub(crate) const K6: &[u8] = include_bytes!("../fixtures/k6/add_session/stdout.txt");

/// A log as the runner leaves it: k6's text between two stamps.
pub(crate) fn log(target: &str, start: &str, end: &str) -> Vec<u8> {
    let head = format!("start_utc={start} target={target} vus=2 duration=2s host=http://127.0.0.1\n");
    [head.as_bytes(), K6, format!("\nend_utc={end}\n").as_bytes()].concat()
}

/// A file's name without its folders.
pub(crate) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file's name without folders and ending, as mapping rules know it.
pub(crate) fn stem(path: &str) -> &str {
    let name = base(path);
    [".json", ".csv", ".txt", ".yaml"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Ingests what lies in a folder, saying all there is to say.
pub(crate) fn ingest(folder: &Folder, paths: &[&str], target: &str) -> Answer {
    folder.plimsoll(&[&["-v", "ingest"], paths, &["--release", RELEASE, "--target", target, "--archive", "data"]].concat())
}

/// The record of a target; null where there is none.
pub(crate) fn record(folder: &Folder, release: &str, run: &str) -> Value {
    let path = format!("data/{release}/{run}/record.json");
    if Path::exists(&folder.path(&path)) { serde_json::from_str(&folder.read(&path)).unwrap() } else { Value::Null }
}

/// A figure by its name: k6's own are stated, all others captured.
pub(crate) fn figure<'a>(record: &'a Value, name: &str) -> &'a Value {
    &record[if name.starts_with("k6.") { "stated" } else { "figures" }][name]
}

/// The names of the captured figures that have a value.
pub(crate) fn captured(record: &Value) -> Vec<&str> {
    let figures = record["figures"].as_object().into_iter().flatten();
    figures.filter(|(_, figure)| figure["value"].is_number()).map(|(name, _)| name.as_str()).collect()
}

/// The entries of the listing that are about a file, each with the lines that go on below its first one.
pub(crate) fn listed(talk: &str, name: &str) -> Vec<String> {
    let is_about = |line: &str| line.split_whitespace().next().is_some_and(|path| base(path) == name);
    let goes_on = |line: &str| line.starts_with("      ");
    let lines: Vec<&str> = talk.lines().collect();
    let begins = (0..lines.len()).filter(|at| lines[*at].starts_with("  ") && !goes_on(lines[*at]) && is_about(lines[*at]));
    let entry = |at: usize| {
        let rest = lines[at + 1..].iter().take_while(|line| goes_on(line)).map(|line| line.trim());
        std::iter::once(lines[at].trim_end()).chain(rest).collect::<Vec<_>>().join(" ")
    };
    begins.map(entry).collect()
}

/// Whether a file is listed as ignored, with a reason.
pub(crate) fn ignored(talk: &str, name: &str) -> bool {
    listed(talk, name).iter().any(|line| line.split_once("ignored:").is_some_and(|(_, why)| !why.trim().is_empty()))
}

/// Whether two numbers are the same within a tolerance, and a hair for sums in another order.
pub(crate) fn near(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found - wanted).abs() <= tolerance + wanted.abs() * 1e-9
}

/// The lines of a talk that say something of a case: no excerpts, no list of all kinds, each line short.
pub(crate) fn told(talk: &str) -> String {
    let is_drawn = |line: &str| {
        line.trim_start().split(' ').next().is_some_and(|word| word == "|" || word == ":::" || word.parse::<u32>().is_ok())
    };
    let says = |line: &&str| !line.trim().is_empty() && !is_drawn(line) && !line.contains("note: read are:");
    let lines = talk.lines().filter(says).take(12).map(|line| line.chars().take(200).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}
