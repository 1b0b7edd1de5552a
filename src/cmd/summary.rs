//! `plimsoll summary`: any k6 output, of any version and form, in one shape.

use std::path::Path;

use super::project::shown;
use super::{Exit, Failure, Streams, raw};
use crate::cli::{self, Format};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs;
use crate::ingest::k6;
use crate::model::stat::Stat;
use crate::model::summary::Summary;
use crate::render::summary::{markdown, table};
use crate::samples::{Wanted, usual_stats};
use crate::source::Source;

/// Reads all files, tells every fault, and prints the summaries if there was none.
pub(super) fn run(args: &cli::Summary, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut faults: Vec<Diagnostic> = Vec::new();
    let mut summaries: Vec<(String, Summary)> = Vec::new();
    for file in &args.files {
        if raw::is_raw(file)? {
            let samples = raw::read(std::slice::from_ref(file), &Wanted::Summary, streams)?;
            summaries.push((shown(file), samples.summary(&stats(args))));
            continue;
        }
        let source = open(file)?;
        match k6::read(&source) {
            Ok(summary) => summaries.push((source.name().to_owned(), summary)),
            Err(found) => faults.extend(found.into_list()),
        }
    }
    Faults::check(faults)?;
    let text = match args.format {
        Format::Json => json(&summaries)?,
        Format::Text => named(&summaries, "", table),
        Format::Markdown => named(&summaries, "### ", markdown),
    };
    write!(streams.out, "{text}")?;
    Ok(Exit::Yes)
}

fn open(file: &Path) -> Result<Source, Failure> {
    if file == Path::new("-") {
        return Ok(Source::from_bytes("-", &fs::read_stdin()?));
    }
    Ok(Source::from_bytes(shown(file), &fs::read(file)?))
}

/// What is computed of trends in raw samples.
fn stats(args: &cli::Summary) -> Vec<Stat> {
    if args.summary_trend_stats.is_empty() { usual_stats() } else { args.summary_trend_stats.clone() }
}

/// One file: the object; several: an array, never merged.
fn json(summaries: &[(String, Summary)]) -> Result<String, Failure> {
    let text = match summaries {
        [(_, only)] => serde_json::to_string_pretty(only),
        several => serde_json::to_string_pretty(&several.iter().map(|(_, summary)| summary).collect::<Vec<_>>()),
    };
    text.map(|text| text + "\n").map_err(|error| Failure::Defect(error.to_string()))
}

/// One file: its summary; several: each under its name.
fn named(summaries: &[(String, Summary)], before: &str, show: fn(&Summary) -> String) -> String {
    match summaries {
        [(_, only)] => show(only),
        several => {
            let parts = several.iter().map(|(name, summary)| format!("{before}{name}\n\n{}", show(summary)));
            parts.collect::<Vec<_>>().join("\n")
        }
    }
}
