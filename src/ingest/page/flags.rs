//! The row of the service's feature flags.

use super::draft::Draft;
use super::grammar::{pattern, walk, whole};
use super::sheet::Cell;
use crate::model::environment::{Flag, FlagCapture, FlagState, Flags};
use crate::model::instant::Moment;
use crate::model::page::PageRow;

pattern! {
    SECTION = r"^(?i:(Enabled|Disabled)):\s*";
    NONE = r"^none\b\.?";
    NAMED = r"^,?\s*([A-Za-z]\w*)(?:\s*\(([^()]*)\))?";
    PATHS = r"^([a-z]\w*)(?:\s*\(([a-z]+)\))?:\s*([A-Z][A-Z0-9_]+(?:,\s*[A-Z][A-Z0-9_]+)*)";
    PAIR = r"^([a-z]\w*):\s*(true|false)\b";
    PAIR_PATHS = r#"^([a-z]\w*):\s*\[\s*(["'\w]+(?:\s*,\s*["'\w]+)*)\s*\]"#;
    CAPTURED = r"^(?i:Captured)\s+from\s+the\s+(\w+)(?:\s+(before|after)\s+the\s+run)?(?:\s*\(([^()]*)\))?\.?";
    SEQUENCE = r"^sequence\s+([0-9]+)$";
    CHANGED = r"^(?:set|last\s+changed|changed)\s+(.+)$";
    EXPLICIT = r"^explicitly\s+false(?:\s+(?:at|on)\s+(\w+))?$";
    LEVEL = r"^[a-z]+$";
}

/// Reads the row. An empty row is unknown; `none` is none.
pub(super) fn read(draft: &mut Draft, cell: &Cell) {
    if cell.is_empty() {
        return;
    }
    let mut flags = Flags::default();
    if cell.joined().eq_ignore_ascii_case("none") {
        draft.record.environment.service.flags = Some(flags);
        return;
    }
    let rest = walk(cell, |text| {
        section(&mut flags, text)
            .or_else(|| paths(&mut flags, text))
            .or_else(|| pair(&mut flags, text))
            .or_else(|| captured(&mut flags, text))
    });
    flags.flags.sort_by_key(|flag| (flag.state != FlagState::On, !flag.paths.is_empty()));
    if !flags.flags.is_empty() || flags.captured.is_some() {
        draft.record.environment.service.flags = Some(flags);
    }
    draft.notes(PageRow::ServiceFlags, rest);
}

/// `Enabled: a (instance), b (system)`, `Disabled: c, d (explicitly false at instance)`.
fn section(flags: &mut Flags, text: &str) -> Option<usize> {
    let head = SECTION.captures(text)?;
    let on = head[1].eq_ignore_ascii_case("enabled");
    let mut at = head[0].len();
    if let Some(none) = text.get(at..).and_then(|tail| NONE.find(tail)) {
        return Some(at + none.end());
    }
    let mut found = Vec::new();
    while let Some(next) = text.get(at..).and_then(|tail| NAMED.captures(tail)) {
        // Between two flags there is a comma.
        if next[0].starts_with(',') == found.is_empty() {
            break;
        }
        found.push(flag(on, &next[1], next.get(2).map(|level| level.as_str()))?);
        at += next[0].len();
    }
    if found.is_empty() {
        return None;
    }
    flags.flags.append(&mut found);
    Some(at)
}

/// A flag with what stands in brackets behind it; `None` if that is of no known kind.
fn flag(on: bool, name: &str, level: Option<&str>) -> Option<Flag> {
    let (state, level) = match level.map(str::trim) {
        None => (if on { FlagState::On } else { FlagState::Off }, None),
        Some(words) => match EXPLICIT.captures(words) {
            Some(found) if !on => (FlagState::ExplicitlyOff, found.get(1).map(|m| m.as_str().to_owned())),
            None if LEVEL.is_match(words) => (if on { FlagState::On } else { FlagState::Off }, Some(words.to_owned())),
            _ => return None,
        },
    };
    Some(Flag { level, ..Flag::new(name, state) })
}

/// `improvedPerformance (instance): IMPROVED_PERFORMANCE_PROJECT, IMPROVED_PERFORMANCE_USER_GRANT`.
fn paths(flags: &mut Flags, text: &str) -> Option<usize> {
    let found = PATHS.captures(text)?;
    let paths = found[3].split(',').map(|path| path.trim().to_owned()).collect();
    let level = found.get(2).map(|level| level.as_str().to_owned());
    flags.flags.push(Flag { level, paths, ..Flag::new(&found[1], FlagState::On) });
    Some(found[0].len())
}

/// `webKey: true`, `improvedPerformance: ["IMPROVED_PERFORMANCE_PROJECT"]`.
fn pair(flags: &mut Flags, text: &str) -> Option<usize> {
    if let Some(found) = PAIR.captures(text) {
        let state = if &found[2] == "true" { FlagState::On } else { FlagState::ExplicitlyOff };
        flags.flags.push(Flag::new(&found[1], state));
        return Some(found[0].len());
    }
    let found = PAIR_PATHS.captures(text)?;
    let bare = |path: &str| path.trim().trim_matches(['"', '\'']).to_owned();
    let paths = found[2].split(',').map(bare).collect();
    flags.flags.push(Flag { paths, ..Flag::new(&found[1], FlagState::On) });
    Some(found[0].len())
}

/// `Captured from the instance after the run (2026-03-01 08:00:00 UTC; sequence 7, last changed ...)`.
fn captured(flags: &mut Flags, text: &str) -> Option<usize> {
    let found = CAPTURED.captures(text)?;
    let mut capture = FlagCapture {
        level: found[1].to_owned(),
        when: found.get(2).map(|when| when.as_str().to_lowercase()),
        at: None,
        sequence: None,
        changed: None,
    };
    let parts = found.get(3).map_or("", |inside| inside.as_str());
    for part in parts.split([';', ',']).map(str::trim).filter(|part| !part.is_empty()) {
        if let Some(sequence) = SEQUENCE.captures(part) {
            capture.sequence = Some(whole(&sequence[1])?);
        } else if let Some(changed) = CHANGED.captures(part) {
            capture.changed = Some(changed[1].parse::<Moment>().ok()?);
        } else {
            capture.at = Some(part.parse::<Moment>().ok()?);
        }
    }
    if flags.captured.is_some() {
        return None;
    }
    flags.captured = Some(capture);
    Some(found[0].len())
}
