//! A run of the files that were gathered: one summary of all its forms, its address, its window.

use super::gathering::Gathered;
use super::{Draft, Sweep};
use crate::ingest::k6::Stamps;
use crate::ingest::merge;
use crate::model::record::{Record, WindowBasis};
use crate::model::summary::Summary;
use crate::samples::Outcome;
use crate::source::Source;

/// A run with its address.
pub(super) struct Run {
    pub(super) group: String,
    pub(super) stem: String,
    pub(super) place: Source,
    pub(super) draft: Draft,
    /// Its own files and their kinds.
    pub(super) files: Vec<(String, &'static str)>,
}

impl Sweep<'_> {
    /// A run of gathered files, if all of them agree and its address is known.
    pub(super) fn found(&mut self, mut gathered: Gathered) -> Option<Run> {
        let place = gathered.place()?;
        let address = self.address(&gathered, &place)?;
        let mut forms = gathered.forms();
        let outcome = self.read_raw(&mut gathered, &mut forms);
        if forms.is_empty() && gathered.page.is_none() {
            return None;
        }
        let summary = match merge::merge(forms) {
            Ok(summary) => summary,
            Err(faults) => {
                self.faults.extend(faults);
                return None;
            }
        };
        let stamps = gathered.texts.iter().map(|(_, text)| text.stamps.clone()).find(|stamps| *stamps != Stamps::default());
        let k6_text = gathered.texts.first().map(|(_, text)| text.verbatim.clone());
        let (mut record, page_text) = match gathered.page {
            Some((_, page)) => (page.record, page.k6_text),
            None => (Record::new(address.clone()), None),
        };
        record.identity.release = address.release;
        record.identity.target = address.target;
        record.identity.label = address.label;
        record.provenance = gathered.inputs;
        set_window(&mut record, stamps.as_ref(), summary.as_ref());
        record.k6 = summary;
        let mut draft = Draft { k6_text: k6_text.or(page_text), ..Draft::new(record) };
        if let Some(outcome) = outcome {
            add_raw(&mut draft, outcome);
        }
        Some(Run { group: gathered.group, stem: gathered.stem, place, draft, files: gathered.files })
    }

    /// Notes the files that make the runs, by the addresses that the runs have at last.
    pub(super) fn list_runs(&mut self, runs: &[Run]) {
        for run in runs {
            let address = run.draft.record.address().to_string();
            for (shown, kind) in &run.files {
                self.list(shown, kind, &address, String::new());
            }
        }
    }
}

/// What raw samples add: their parts, their failures, their series, and the first and last of the test phase for a window.
fn add_raw(draft: &mut Draft, outcome: Outcome) {
    let record = &mut draft.record;
    if let Some(test) = &outcome.phases.test {
        (record.window.start, record.window.end) = (Some(test.first), Some(test.last));
        record.window.basis = Some(WindowBasis::Samples);
    }
    record.phases = Some(outcome.phases);
    record.failures = Some(outcome.failures);
    draft.series = Some(outcome.series).filter(|series| !series.is_empty());
    draft.has_raw = true;
}

/// Start and end from the stamps where there are some; the length from the stamps, else from the only scenario.
fn set_window(record: &mut Record, stamps: Option<&Stamps>, summary: Option<&Summary>) {
    let window = &mut record.window;
    if let Some(stamps) = stamps
        && stamps.start.is_some()
    {
        (window.start, window.end) = (stamps.start, stamps.end);
        window.basis = Some(WindowBasis::Stamps);
    }
    let scenario = summary.and_then(|summary| match summary.scenarios.as_slice() {
        [only] => only.duration_s.map(|seconds| seconds as f64),
        _ => None,
    });
    window.duration_s = window.duration_s.or(stamps.and_then(|stamps| stamps.duration_s)).or(scenario);
}
