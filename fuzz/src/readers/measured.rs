//! What a load generator leaves, and what was published of it.

use plimsoll::ingest::{k6, kinds, page as pages, series_json, status as statuses};
use plimsoll::model::address::{Address, Release, Target};
use plimsoll::model::record::Record;
use plimsoll::model::summary::Summary;
use plimsoll::render::docs::output_json as written;

use super::archive::{kept, kept_series};
use super::{read, source};

/// A record that holds a summary comes back as it was written.
fn in_a_record(summary: &Summary) {
    let (Ok(release), Ok(target)) = (Release::new("v1"), Target::new("a")) else { return };
    let mut record = Record::new(Address { release, target, label: None });
    record.k6 = Some(summary.clone());
    kept(&record);
}

/// k6's text summary, alone or in a log; what is kept of it is read again to the same figures.
pub(super) fn k6_text(bytes: &[u8]) {
    let text = source("k6.txt", bytes);
    let _kind = kinds::detect(&text);
    let Some(run) = read(k6::read_text(&text)) else { return };
    in_a_record(&run.summary);
    let again = read(k6::read_text(&source("k6.txt", run.verbatim.as_bytes())));
    let mut summary = again.map(|again| again.summary);
    if let Some(summary) = &mut summary {
        // Only a verbose log tells the version, and only a whole log what stood behind the summary.
        summary.source.k6_version.clone_from(&run.summary.source.k6_version);
        summary.notes.clone_from(&run.summary.notes);
    }
    assert_eq!(summary, Some(run.summary), "what is kept of a summary reads unlike it");
}

/// k6's summaries in JSON.
pub(super) fn k6_json(bytes: &[u8]) {
    let text = source("summary.json", bytes);
    let _kind = kinds::detect(&text);
    if let Some(summary) = read(k6::read_json(&text)) {
        in_a_record(&summary);
    }
    let _any = read(k6::read(&text));
}

/// Published pages, Markdown or plain.
pub(super) fn page(bytes: &[u8]) {
    let text = source("index.mdx", bytes);
    let _is = pages::sniff(&text);
    if let Some(page) = read(pages::read(&text)) {
        kept(&page.record);
    }
}

/// The published series.
pub(super) fn output_json(bytes: &[u8]) {
    let text = source("output.json", bytes);
    let _is = series_json::sniff(&text);
    if let Some(series) = read(series_json::read(&text)) {
        kept_series(&series);
        let again = source("output.json", written(&series).as_bytes());
        assert!(read(series_json::read(&again)).is_some(), "what is published of a series can't be read");
    }
}

/// The runner's status table.
pub(super) fn status(bytes: &[u8]) {
    let text = source("log_status.txt", bytes);
    let _is = statuses::sniff(&text);
    let _counts = read(statuses::read(&text));
}
