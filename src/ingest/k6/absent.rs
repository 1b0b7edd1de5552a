//! Why there is no summary in a log: what is there instead, and what to do.

use super::journal;
use super::screen::Line;
use super::status::{self, Status};
use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// The fault of a log without a summary.
pub(super) fn explain(source: &Source, lines: &[Line]) -> Diagnostic {
    let last = lines.iter().rev().find(|line| !line.is_blank());
    let end = source.text().len();
    let place = source.at(last.map_or(end..end, |line| line.at.clone()));
    if let Some(check) = last.filter(|line| is_check(line)) {
        return Diagnostic::error("cut-summary", "the k6 summary is cut off within its checks")
            .at(source.at(check.at.clone()).labelled("the text ends here"))
            .help("read the whole log, as k6 wrote it");
    }
    let fault = Diagnostic::error("no-summary", "no k6 summary in this text").at(place.labelled("the text ends here"));
    let (note, help) = instead(source, lines);
    let fault = fault.help(help);
    if note.is_empty() { fault } else { fault.note(note) }
}

fn is_check(line: &Line) -> bool {
    let text = line.text.trim_start();
    line.indent() > 0 && (text.starts_with("✓ ") || text.starts_with("✗ ") || text.starts_with("↳ "))
}

fn instead(source: &Source, lines: &[Line]) -> (String, &'static str) {
    let progress = lines.iter().rev().find_map(|line| Status::read(&line.text));
    let ended = lines.iter().rev().find_map(|line| status::scenario(line.text.trim())).map(|scenario| scenario.state);
    let stopped = source.text().contains("Aborting k6 in response to signal");
    match (progress, ended) {
        _ if source.text().trim().is_empty() => ("the text is empty".to_owned(), "read what k6 writes to its standard output"),
        _ if stopped => (
            "k6 was stopped hard, by a second signal".to_owned(),
            "such a run has no summary; what it measured is in its raw samples alone (--out csv, --out json)",
        ),
        (_, Some(crate::model::summary::ScenarioState::Done)) => (
            "k6 came to its end and printed no summary".to_owned(),
            "run without --no-summary and --summary-mode=disabled, and let handleSummary() return k6's own text; or read the file of --summary-export",
        ),
        (Some(status), _) => (
            format!("the last status line is of second {}: the log stops in the middle of a run", status.duration_s),
            "read the log to its end; if k6 was killed, what it measured is in its raw samples alone (--out csv, --out json)",
        ),
        (None, _) => match error(source) {
            Some(message) => (format!("k6 said: {message}"), "k6 did not get as far as a summary: mend that and run again"),
            None => (
                String::new(),
                "k6 prints its summary on standard output at the end of a run; give that text, or the file of --summary-export",
            ),
        },
    }
}

/// The last message of level error in k6's log.
fn error(source: &Source) -> Option<String> {
    let is_error = |text: &str| text.contains("level=error") || text.contains("level=fatal") || text.starts_with("ERRO[");
    let lines = super::screen::lines(source);
    let line = lines.iter().rev().find(|line| journal::is_log(&line.text) && is_error(&line.text))?;
    let message: String = journal::message(&line.text).chars().take(200).collect();
    Some(message)
}
