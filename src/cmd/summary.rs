//! `plimsoll summary`: any k6 output, of any version and form, in one shape.

use std::path::PathBuf;

use super::project::shown;
use super::raw::{self, Piped, Pipes};
use super::{Exit, Failure, Streams};
use crate::cli::{self, Format};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs;
use crate::ingest::k6;
use crate::model::stat::Stat;
use crate::model::summary::Summary;
use crate::render::summary::{markdown, table};
use crate::samples::{Samples, Wanted, usual_stats};
use crate::secrets::{masked, masked_value};
use crate::source::Source;

/// Reads all files, tells every fault, and prints the summaries if there was none.
pub(super) fn run(args: &cli::Summary, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut faults: Vec<Diagnostic> = Vec::new();
    let mut summaries: Vec<(String, Summary)> = Vec::new();
    for file in &args.files {
        match summary(file, args, streams) {
            Ok(summary) => summaries.push((masked(&shown(file)).into_owned(), masked_value(summary)?)),
            Err(Failure::Input(found)) => faults.extend(found.into_list()),
            Err(other) => return Err(other),
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

/// The summary of a file: as k6 wrote it, or of raw samples.
fn summary(file: &PathBuf, args: &cli::Summary, streams: &mut Streams<'_>) -> Result<Summary, Failure> {
    if raw::is_pipe(file) {
        let mut pipes = Pipes::default();
        return match pipes.look(file)? {
            Piped::Whole(bytes) => Ok(k6::read(&Source::from_bytes(shown(file), &bytes))?),
            Piped::Raw(_) => {
                let samples = raw::read_with(std::slice::from_ref(file), &mut pipes, &Wanted::Summary, streams.watched)?;
                Ok(told(&samples, args, streams))
            }
        };
    }
    if raw::beginning(file)?.is_some() {
        let samples = raw::read_quietly(std::slice::from_ref(file), &Wanted::Summary, streams.watched)?;
        return Ok(told(&samples, args, streams));
    }
    Ok(k6::read(&Source::from_bytes(shown(file), &fs::read(file)?))?)
}

fn told(samples: &Samples, args: &cli::Summary, streams: &mut Streams<'_>) -> Summary {
    for remark in &samples.remarks {
        streams.tell(remark);
    }
    samples.summary(&stats(args))
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
