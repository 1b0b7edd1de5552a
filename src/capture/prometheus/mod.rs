//! Prometheus: answers of `/api/v1/query` and `/api/v1/query_range`, with and without their envelope, and the text of
//! `promtool tsdb dump`.
//!
//! The formats are those of <https://prometheus.io/docs/prometheus/latest/querying/api/>. Values are kept as they are, in the unit
//! of the series' name; what is no number is [`Value::Nothing`], never zero.

mod answer;
mod dump;
pub(in crate::capture) mod histogram;
pub mod remote_write;
mod sniffing;
#[cfg(test)]
mod tests;
pub(in crate::capture) mod wire;

pub use self::sniffing::sniff;

use self::sniffing::Form;
use super::Capture;
use super::track::{Track, Value};
use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::{SCRAPE_SERIES, SCRAPE_SERIES_BYTES};
use crate::source::{Place, Source};

/// What was expected, in the words of a fault.
const WHAT: &str = "an answer of Prometheus";

/// Reads an answer. Classic histograms (`X_bucket` with `le`) are folded into one series `X` of buckets; `X_sum` and `X_count` stay
/// besides.
///
/// # Errors
/// `bad-capture` at the place where it is not of the API's shape, and where a series has two values at one moment.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    match sniffing::form(source.text()) {
        Some(Form::Dump) => dump::read(source),
        Some(Form::NotFound) => Ok(refused(not_found(source))),
        Some(Form::Bare) => answer::bare(source),
        Some(Form::Envelope) | None => answer::enveloped(source),
    }
}

/// Whether a text of lines has so many series with so few bytes each that what is kept of them would be many times the text.
pub(in crate::capture) fn has_too_many_series(text: &str, series: usize) -> bool {
    series > SCRAPE_SERIES && text.len() / SCRAPE_SERIES_BYTES < series
}

pub(in crate::capture) fn too_many_series(source: &Source) -> Diagnostic {
    let message = format!(
        "more than {SCRAPE_SERIES} series, with less than {SCRAPE_SERIES_BYTES} bytes for each on the average, are none of a service"
    );
    Diagnostic::error("too-many-series", message).at(source.at(0..0)).help("leave only the metrics that are meant")
}

fn not_found(source: &Source) -> Diagnostic {
    Diagnostic::error("error-answer", "the server knew no such path: it answered `404 page not found`")
        .at(source.at_line(1))
        .help("ask /api/v1/query_range of the Prometheus server itself")
}

fn refused(diagnostic: Diagnostic) -> Capture {
    Capture::Refused(Box::new(diagnostic))
}

/// Series as a capture, or why they hold no measurement.
fn tracks(tracks: Vec<Track>, limits: Vec<super::track::Limit>, place: Place) -> Capture {
    let mut points = tracks.iter().flat_map(|track| &track.points).peekable();
    if points.peek().is_none() {
        let fault = Diagnostic::error("no-data", "the query matched no series").at(place);
        return refused(fault.help("look whether the names and labels of the query, and its time range, are those of the run"));
    }
    if points.all(|point| point.value == Value::Nothing) {
        let fault = Diagnostic::error("not-a-number", "no value is a finite number, so nothing was measured").at(place);
        return refused(fault.note("a quantile of no observations and a share of nothing are NaN"));
    }
    Capture::Tracks(super::track::Tracks { tracks: histogram::fold(tracks), limits })
}
