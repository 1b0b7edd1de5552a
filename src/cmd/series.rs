//! `plimsoll series`: percentiles of every second, from raw samples.

use super::{Exit, Failure, Streams, deliver, raw};
use crate::cli;
use crate::diagnostic::Diagnostic;
use crate::render::docs::exact_output_json;
use crate::samples::{Samples, Wanted};
use crate::secrets::mask_names;

/// Reads the files of one run and writes the published shape.
pub(super) fn run(args: &cli::Series, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let chosen = (!args.metrics.is_empty()).then(|| args.metrics.iter().cloned().collect());
    let samples = raw::read(&args.files, &Wanted::Series(chosen), streams)?;
    let metrics = (!args.metrics.is_empty()).then_some(args.metrics.as_slice());
    let mut seconds = samples.seconds(metrics);
    if let Some(missing) = args.metrics.iter().find(|metric| !seconds.contains_key(*metric)) {
        return Err(Failure::Misuse(no_such_trend(missing, &samples)));
    }
    mask_names(&mut seconds);
    if metrics.is_none()
        && let Some(note) = samples.guess_note()
    {
        streams.tell(&Diagnostic::remark("kind-by-values", note));
    }
    for note in samples.lost_notes() {
        streams.tell(&Diagnostic::warning("not-finite", note));
    }
    deliver(&exact_output_json(&seconds), args.out.as_deref(), streams)
}

fn no_such_trend(asked: &str, samples: &Samples) -> Diagnostic {
    let known: Vec<&str> = samples.names();
    Diagnostic::error("no-such-metric", format!("`{asked}` has no sample in the test phase"))
        .note(format!("metrics of these files: {}", known.join(", ")))
        .suggest(asked, known.iter().copied())
}
