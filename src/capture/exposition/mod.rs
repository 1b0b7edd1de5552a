//! Scrapes of a process's metrics in Prometheus's text format and OpenMetrics: two of them tell what came between.

pub(in crate::capture) mod labels;

use super::findings::Findings;
use super::{Capture, File, Rules, Window};
use crate::diagnostic::Faults;
use crate::source::Source;

/// One scrape of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scrape {}

/// Whether a text is in one of these formats.
#[must_use]
pub fn sniff(_source: &Source) -> bool {
    false
}

/// Reads a scrape.
///
/// # Errors
/// `bad-capture` at the line that is none of the format.
pub fn read(_source: &Source) -> Result<Capture, Faults> {
    Ok(Capture::Scrape(Scrape::default()))
}

/// What the scrapes among the files tell.
#[must_use]
pub fn findings(_files: &[&File], _window: Option<Window>, _rules: &Rules) -> Findings {
    Findings::default()
}
