//! Answers in JSON: what a query gave, or why it gave nothing.

use serde_json::value::RawValue;

use super::super::track::{Kind, Limit, Track};
use super::super::{Capture, json};
use super::wire::{Data, Envelope, Sample, Series};
use super::{WHAT, refused, tracks};
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::secrets::masked;
use crate::source::Source;

/// The label that holds a series' name.
const NAME: &str = "__name__";

/// Reads an answer with its envelope, or the content of `data` alone.
pub(super) fn enveloped(source: &Source) -> Result<Capture, Faults> {
    let envelope: Envelope<'_> = serde_json::from_str(source.text()).map_err(|error| json::fault(source, &error, WHAT))?;
    if envelope.error.is_some() || envelope.error_type.is_some() {
        return Ok(refused(error_answer(source, &envelope)));
    }
    // `infos` are about the query (a name that is none of a counter), not about data that is missing.
    let limits = envelope.warnings.iter().flatten().map(|words| Limit::Partial(masked(words).into_owned())).collect();
    let data = match envelope.data {
        Some(data) if data.get().starts_with('{') => {
            serde_json::from_str(data.get()).map_err(|error| json::fault_in(source, data.get(), &error, WHAT))?
        }
        Some(data) => return Ok(refused(other_api(source, data.get()))),
        None => Data { result_type: envelope.result_type, result: envelope.result },
    };
    match data.result {
        Some(result) => result_of(source, data.result_type.as_deref(), result.get(), limits),
        None => Ok(refused(other_api(source, envelope.data.map_or(source.text(), RawValue::get)))),
    }
}

/// Reads a result without an envelope.
pub(super) fn bare(source: &Source) -> Result<Capture, Faults> {
    result_of(source, None, source.text().trim(), Vec::new())
}

fn error_answer(source: &Source, envelope: &Envelope<'_>) -> Diagnostic {
    let kind = envelope.error_type.as_deref().unwrap_or("error");
    let words: Option<String> = envelope.error.and_then(|error| serde_json::from_str(error.get()).ok());
    let words = words.unwrap_or_else(|| "it says no more".to_owned());
    let place = envelope.error.map_or_else(|| source.at(0..0), |error| source.at(json::span(source, error.get())));
    Diagnostic::error("error-answer", format!("Prometheus answered an error, not data: {kind}: {}", masked(&words)))
        .at(place)
        .help("correct the query or its range, ask again, and save the new answer")
}

/// An answer of the API that holds names and states, not values.
fn other_api(source: &Source, data: &str) -> Diagnostic {
    let what = if data.starts_with("[\"") || data.starts_with("[]") {
        "names or values of labels (/api/v1/labels, /api/v1/label/.../values)"
    } else if data.starts_with('[') {
        "series without values (/api/v1/series)"
    } else if data.contains("\"activeTargets\"") || data.contains("\"droppedTargets\"") {
        "scrape targets (/api/v1/targets)"
    } else if data.contains("\"help\"") {
        "descriptions of metrics (/api/v1/metadata)"
    } else {
        "no result of a query"
    };
    let start = json::span(source, data).start;
    Diagnostic::error("other-api", format!("this answer of Prometheus holds no measurement, but {what}"))
        .at(source.at(start..start))
        .help("save what /api/v1/query_range answers")
}

/// What a query gave, by its type; without one by its look.
fn result_of(source: &Source, kind: Option<&str>, result: &str, limits: Vec<Limit>) -> Result<Capture, Faults> {
    let place = json::span(source, result);
    let found = match kind {
        Some("matrix" | "vector") => series(source, result)?,
        Some("scalar") => vec![scalar(source, result)?],
        Some("string") => {
            let fault = Diagnostic::error("not-a-number", "the result of this query is a text, not a number");
            return Ok(refused(fault.at(source.at(place)).help("query a series or a number")));
        }
        Some(other) => {
            let fault = Diagnostic::error("other-api", format!("`{}` is no type of result that Prometheus has", masked(other)));
            return Ok(refused(fault.at(source.at(place.start..place.start)).help("save what /api/v1/query_range answers")));
        }
        None if result.trim_start_matches(['[', ' ', '\n', '\r', '\t']).starts_with(['{', ']']) => series(source, result)?,
        None => vec![scalar(source, result)?],
    };
    Ok(tracks(found, limits, source.at(place.start..place.start)))
}

/// A number without labels.
fn scalar(source: &Source, result: &str) -> Result<Track, Faults> {
    let sample: Sample = json::read_part(source, result, WHAT)?;
    Ok(Track {
        metric: String::new(),
        labels: std::collections::BTreeMap::new(),
        kind: Kind::Unsaid,
        unit: None,
        target: None,
        points: vec![sample.point()],
    })
}

/// The series of a vector or a matrix; the first fault of every series that has one.
fn series(source: &Source, result: &str) -> Result<Vec<Track>, Faults> {
    let list: Vec<&RawValue> = serde_json::from_str(result).map_err(|error| json::fault_in(source, result, &error, WHAT))?;
    let (mut tracks, mut faults) = (Vec::with_capacity(list.len()), FirstFaults::default());
    for one in list {
        match track(source, one.get()) {
            Ok(track) => tracks.push(track),
            Err(fault) => faults.push(|| *fault),
        }
    }
    Faults::check(faults.told())?;
    Ok(tracks)
}

fn track(source: &Source, text: &str) -> Result<Track, Box<Diagnostic>> {
    let mut series: Series = serde_json::from_str(text).map_err(|error| json::fault_in(source, text, &error, WHAT))?;
    let start = json::span(source, text).start;
    let metric = series.metric.remove(NAME).unwrap_or_default();
    let labels = std::mem::take(&mut series.metric);
    let Some(points) = series.points() else {
        let fault = Diagnostic::error("bad-capture", "this series has none of value, values, histogram, histograms");
        return Err(Box::new(fault.at(source.at(start..start)).help("save the answer again as a whole")));
    };
    let mut track = Track { metric, labels, kind: Kind::Unsaid, unit: None, target: None, points };
    track.sort();
    let twice = track.points.windows(2).find(|pair| pair[0].end == pair[1].end);
    if let Some(pair) = twice {
        let at = pair[0].end.timestamp_millis() as f64 / 1e3;
        let fault = Diagnostic::error("bad-capture", format!("this series has two values at one moment, {at}"));
        return Err(Box::new(fault.at(source.at(start..start)).help("save one answer a file; don't join answers by hand")));
    }
    Ok(track)
}
