//! A function a reader. It reads bytes as the program would, and holds what comes out to what is promised of it: a fault can be drawn,
//! what was read can be written and read back, what must not depend on anything does not.

mod archive;
mod captured;
mod handwritten;
mod measured;
mod published;
mod raw;
mod words;

use plimsoll::diagnostic::{Diagnostic, Faults};
use plimsoll::source::Source;

/// What is called with an input.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const ALL: &[(&str, Target)] = &[
    ("k6_text", measured::k6_text),
    ("raw_csv", raw::csv),
    ("raw_ndjson", raw::ndjson),
    ("k6_json", measured::k6_json),
    ("page", measured::page),
    ("output_json", measured::output_json),
    ("status", measured::status),
    ("team_csv", captured::team_csv),
    ("monitoring", captured::monitoring),
    ("insights", captured::insights),
    ("prometheus", captured::prometheus),
    ("exposition", captured::exposition),
    ("postgres", captured::postgres),
    ("features", captured::features),
    ("infra", captured::infra),
    ("logging", captured::logging),
    ("service_settings", captured::service_settings),
    ("moment", captured::moment),
    ("rules", handwritten::rules),
    ("project", handwritten::project),
    ("by_hand", handwritten::by_hand),
    ("flow", handwritten::flow),
    ("record", archive::record),
    ("series", archive::series),
    ("runs", archive::runs),
    ("sweep", archive::sweep),
    ("unfinished", archive::unfinished),
    ("manifest", published::manifest),
    ("journal", published::journal),
    ("navigation", published::navigation),
    ("regions", published::regions),
    ("secrets", words::secrets),
    ("words", words::words),
];

/// The target of a name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}

/// Draws what was found, as the terminal shows it.
fn drawn<'a>(found: impl IntoIterator<Item = &'a Diagnostic>) {
    for one in found.into_iter().take(Faults::DRAWN) {
        let text = one.draw(false);
        assert!(text.contains(one.code), "{text} does not tell {}", one.code);
        for place in &one.places {
            let _shown = place.to_string();
        }
    }
}

/// What was read; of faults, all are drawn.
fn read<T>(read: Result<T, Faults>) -> Option<T> {
    read.inspect_err(|faults| drawn(faults.drawn().0)).ok()
}

fn source(name: &str, bytes: &[u8]) -> Source {
    Source::from_bytes(name, bytes)
}

/// The parts of an input that stands for several files: a line `=== NAME` begins one.
fn parts(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b"=== ") {
            Some(name) => parts.push((String::from_utf8_lossy(name).trim().to_owned(), Vec::new())),
            None => match parts.last_mut() {
                Some((_, part)) => part.extend_from_slice(line),
                None => parts.push(("input".to_owned(), line.to_vec())),
            },
        }
    }
    parts
}
