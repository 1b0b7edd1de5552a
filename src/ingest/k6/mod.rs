//! k6's end-of-test summaries, every version and form.

use crate::diagnostic::{Diagnostic, Faults};
use crate::model::instant::Moment;
use crate::model::summary::{Summary, SummaryKind};
use crate::source::Source;

/// What a k6 log or text summary tells.
#[derive(Clone, Debug, PartialEq)]
pub struct TextRun {
    /// The figures.
    pub summary: Summary,
    /// The stamps that ZITADEL's runner writes around a run, where there are some.
    pub stamps: Stamps,
    /// The summary verbatim, without colours and progress bars: what `k6.txt` holds.
    pub verbatim: String,
}

/// `start_utc=... target=... vus=... duration=...` and `end_utc=...`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stamps {
    /// When the runner started k6.
    pub start: Option<Moment>,
    /// When k6 ended.
    pub end: Option<Moment>,
    /// The target.
    pub target: Option<String>,
    /// The release, where a runner stamps it.
    pub release: Option<String>,
    /// Virtual users asked for.
    pub vus: Option<u64>,
    /// Duration asked for, in seconds.
    pub duration_s: Option<f64>,
}

/// Which form of k6 summary a text is, by its content; `None` if it is none.
#[must_use]
pub fn sniff(_source: &Source) -> Option<SummaryKind> {
    None
}

/// Reads a k6 text summary, alone or inside a whole terminal log.
///
/// # Errors
/// All faults: no summary, two summaries, a summary that is cut off.
pub fn read_text(source: &Source) -> Result<TextRun, Faults> {
    Err(Diagnostic::error("no-summary", "no k6 summary").at(source.at(0..0)).into())
}

/// Reads a JSON summary: `--summary-export`, `handleSummary` data, or the machine-readable summary.
///
/// # Errors
/// All faults.
pub fn read_json(source: &Source) -> Result<Summary, Faults> {
    Err(Diagnostic::error("no-summary", "no k6 summary").at(source.at(0..0)).into())
}
