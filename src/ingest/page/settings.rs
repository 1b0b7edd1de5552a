//! The row of the service's settings.

use super::draft::Draft;
use super::grammar::{pattern, walk};
use super::sheet::Cell;
use crate::model::environment::{Setting, SettingGroup, SettingLayout};
use crate::model::page::PageRow;

pattern! {
    LIST = r"^([A-Z](?:[^:.]*[^:.\s])?(?:\s*\([^)]*\))?):\s*([A-Z]\w*[a-z]\w* \S*[0-9]\w*(?:,\s*[A-Z]\w*[a-z]\w* \S*[0-9]\w*)*)(?:\s|$)";
    GROUP = r"^([A-Z](?:[^:.]*[^:.\s])?(?:\s*\([^)]*\))?):\s*([A-Za-z][\w.-]*):\s+(\S+)(?:\s|$)";
    LINE = r"^([A-Za-z][\w.-]*):\s+(\S+)(?:\s|$)";
}

/// Reads the row.
pub(super) fn read(draft: &mut Draft, cell: &Cell) {
    let settings = &mut draft.record.environment.service.settings;
    let flat = cell.flat;
    let rest = walk(cell, |text| {
        let whole = |len: usize| flat || len >= text.trim_end().len();
        if let Some(found) = LIST.captures(text).filter(|found| whole(found[0].len())) {
            settings.push(list(&found[1], &found[2]));
            return Some(found[0].len());
        }
        if let Some(found) = GROUP.captures(text).filter(|found| whole(found[0].len())) {
            let entries = vec![entry(&found[2], &found[3])];
            settings.push(SettingGroup { name: found[1].to_owned(), layout: SettingLayout::Lines, entries });
            return Some(found[0].len());
        }
        let found = LINE.captures(text).filter(|found| whole(found[0].len()) && is_value(&found[2], flat))?;
        add_line(settings, entry(&found[1], &found[2]));
        Some(found[0].len())
    });
    draft.notes(PageRow::ServiceSettings, rest);
}

/// Where the breaks are lost, a sentence may follow a colon; a value has a digit, or is a switch.
fn is_value(text: &str, flat: bool) -> bool {
    !flat
        || text.contains(|c: char| c.is_ascii_digit())
        || matches!(text, "true" | "false" | "on" | "off" | "enabled" | "disabled")
}

fn entry(key: &str, value: &str) -> Setting {
    Setting::new(key, value)
}

fn list(name: &str, entries: &str) -> SettingGroup {
    let entries =
        entries.split(", ").filter_map(|text| text.trim().split_once(' ')).map(|(key, value)| entry(key, value)).collect();
    SettingGroup { name: name.to_owned(), layout: SettingLayout::List, entries }
}

/// A line belongs to the group of lines above it; to a group without a name if there is none.
fn add_line(settings: &mut Vec<SettingGroup>, line: Setting) {
    match settings.last_mut().filter(|group| group.layout == SettingLayout::Lines) {
        Some(group) => group.entries.push(line),
        None => {
            settings.push(SettingGroup { name: String::new(), layout: SettingLayout::Lines, entries: vec![line] });
        }
    }
}
