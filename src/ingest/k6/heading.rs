//! The headings of k6's text summaries.

use super::screen::Line;

/// A heading, and how far it is indented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    /// Characters of white space before it.
    pub(super) indent: usize,
    /// Of what.
    pub(super) of: Part<'a>,
}

/// The parts of a summary that have a heading of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// `█ THRESHOLDS`.
    Thresholds,
    /// `█ TOTAL RESULTS`: the figures of the whole run.
    Total,
    /// `█ GROUP: name`.
    Group(&'a str),
    /// `↳ GROUP: name`: inside the scenario or group above.
    Nested(&'a str),
    /// `█ SCENARIO: name`.
    Scenario,
}

/// The heading of a line of the new text, if it is one. A legacy group (`█ name`, five blanks before it) is none.
pub(super) fn heading(line: &Line) -> Option<Heading<'_>> {
    let indent = line.indent();
    let text = line.text.trim_start();
    let text = text.strip_suffix(' ').unwrap_or(text);
    if let Some(name) = text.strip_prefix("↳ GROUP: ") {
        return Some(Heading { indent, of: Part::Nested(name) });
    }
    let title = text.strip_prefix("█ ").filter(|_| indent < 4)?;
    let of = match title {
        "THRESHOLDS" => Part::Thresholds,
        "TOTAL RESULTS" => Part::Total,
        _ if title.starts_with("SCENARIO: ") => Part::Scenario,
        _ => Part::Group(title.strip_prefix("GROUP: ")?),
    };
    Some(Heading { indent, of })
}

/// True exactly if a line is the title of a section of metrics.
pub(super) fn is_section(text: &str) -> bool {
    matches!(text, "CUSTOM" | "HTTP" | "EXECUTION" | "NETWORK" | "BROWSER" | "WEB_VITALS" | "GRPC" | "WEBSOCKET")
}
