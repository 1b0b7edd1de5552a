//! The fast path: bytes of raw k6 files into what happened, in one pass.
//!
//! ```text
//!  fs::raw ─▶ reading ─▶ rows (csv, ndjson) ─▶ tally ┐ a thread each
//!                                                   ├─▶ merged ─▶ summary, seconds, series, phases, failures
//!  fs::raw ─▶ reading ─▶ rows (csv, ndjson) ─▶ tally ┘
//! ```
//!
//! A 30-minute run leaves 2 to 16 GB of rows. Every row is read once, and what a page, an audit or a comparison will ask
//! for is kept: four bytes a sample of the trends that need exact percentiles, counts and exact sums of all others.
//! Nothing depends on the order of rows, the files they came in, the number of threads or the size of reads.

mod arena;
mod bursts;
mod clock;
mod csv;
mod exact;
mod failures;
mod fault;
mod fingerprint;
mod group;
mod kinds;
mod merged;
mod ndjson;
mod number;
pub mod origins;
mod outcome;
mod parallel;
mod percentile;
mod phases;
pub mod populations;
mod reading;
mod rows;
mod seconds;
mod series;
mod streaming;
mod summary;
mod tags;
mod tails;
mod tally;
mod wanted;

pub use self::merged::{File, Samples};
pub use self::outcome::Outcome;
pub use self::reading::Unread;
pub use self::summary::usual_stats;
pub use self::wanted::Wanted;

use crate::diagnostic::{Diagnostic, Faults};
pub use crate::fs::FsError;
use crate::fs::raw::Raw;
use crate::source::{Source, without_mark};

/// Whether a file begins like k6's raw samples (`--out csv`, `--out json`): those are gigabytes, and nobody should read one
/// to the end to find that out.
#[must_use]
pub fn is_samples(beginning: &[u8]) -> bool {
    let line = without_mark(beginning).split(|&byte| byte == b'\n').next().unwrap_or_default();
    let has = |words: &[u8]| line.windows(words.len()).any(|window| window == words);
    (has(b"metric_name") && has(b"timestamp") && has(b"metric_value"))
        || (line.starts_with(b"{") && has(b"\"type\":\"Metric\""))
        || (line.starts_with(b"{") && has(b"\"type\":\"Point\""))
}

/// Whether raw samples are k6's JSON rather than its CSV.
#[must_use]
pub fn is_ndjson(beginning: &[u8]) -> bool {
    without_mark(beginning).starts_with(b"{")
}

/// Whether two files begin with the same header and rows. Two load generators never write the same rows: this is one file
/// under two names.
#[must_use]
pub fn begin_alike(a: &[u8], b: &[u8]) -> bool {
    let length = a.len().min(b.len());
    a[..length] == b[..length] && memchr::memchr_iter(b'\n', &a[..length]).nth(1).is_some()
}

/// Reads the raw files of one run, each with the name that people know it by.
///
/// # Errors
/// [`Unread`]: the world's failure, files that tell the same samples twice, or the first fault of a file.
pub fn read(mut files: Vec<(String, Raw)>, wanted: &Wanted, threads: usize) -> Result<Samples, Unread> {
    if files.len() > 1 {
        let heads: Result<Vec<Vec<u8>>, FsError> = files.iter_mut().map(|(_, raw)| raw.head(BEGINNING)).collect();
        told_twice(&files, &heads?)?;
    }
    let mut passes = Vec::new();
    for (name, raw) in files {
        let pass = reading::read(&name, raw, wanted, threads)?;
        passes.push((name, pass));
    }
    Ok(Samples::of(passes)?)
}

/// Bytes of a file's beginning that are held against those of others.
const BEGINNING: usize = 4096;

/// Refuses files that tell the same samples twice: one under two names, or the two forms of one run.
fn told_twice(files: &[(String, Raw)], heads: &[Vec<u8>]) -> Result<(), Faults> {
    let pairs = (0..heads.len()).flat_map(|at| (0..at).map(move |earlier| (earlier, at)));
    let fault = |(a, b): (usize, usize)| {
        let (first, second) = (&files[a].0, &files[b].0);
        let message = if begin_alike(&heads[a], &heads[b]) {
            format!("{first} and {second} begin with the same rows: they are one file under two names")
        } else if is_ndjson(&heads[a]) != is_ndjson(&heads[b]) {
            format!("{first} and {second} are k6's CSV and its JSON: of one run they tell the same samples twice")
        } else {
            return None;
        };
        let fault = Diagnostic::error("same-samples", message).at(Source::new(second.as_str(), "").at(0..0));
        Some(fault.help("give each load generator's samples once, all in one form"))
    };
    Faults::check(pairs.filter_map(fault).collect()).map(|_| ())
}
