//! A plan as people read it.

use super::{Change, Plan, Step};
use crate::publish::manifest;
use crate::publish::unified;

/// The most lines of a file of data that are shown one by one.
const SHOWN_LINES: usize = 300;

impl Plan {
    /// What changes, as unified diffs: of conflicts alone, or of everything. `path` says how a file is called.
    #[must_use]
    pub fn diff(&self, conflicts_alone: bool, path: impl Fn(&Step) -> String) -> String {
        let steps = self.changes().filter(|step| !conflicts_alone || step.change == Change::Conflict);
        steps.map(|step| step.diff(&path(step))).collect()
    }
}

impl Step {
    fn diff(&self, path: &str) -> String {
        let (old, new) = (self.old.as_deref(), self.new.as_deref());
        match (old.map(std::str::from_utf8).transpose().ok(), new.map(std::str::from_utf8).transpose().ok()) {
            (Some(before), Some(after)) if !self.is_summed_up() => unified::unified(path, before, after),
            _ => unified::counted(path, old, new),
        }
    }

    /// Whether nobody reads its lines: those of a manifest, of many figures.
    fn is_summed_up(&self) -> bool {
        let name = self.place.path.file_name();
        let is_page = [".mdx", ".md"].iter().any(|ending| name.ends_with(ending));
        let lines = |bytes: &Option<Vec<u8>>| bytes.iter().flatten().filter(|byte| **byte == b'\n').count();
        name == manifest::FILE || (!is_page && lines(&self.old).max(lines(&self.new)) > SHOWN_LINES)
    }
}

/// What a plan does, counted, in the words of what was done or of what would be.
#[must_use]
pub fn counted(plan: &Plan, is_done: bool) -> String {
    let count = |change| plan.count(change);
    let (create, replace, keep) = (count(Change::Create), count(Change::Replace), count(Change::Keep));
    let words =
        if is_done { ["created", "replaced", "kept", "removed"] } else { ["to create", "to replace", "to keep", "to remove"] };
    let [created, replaced, kept, removed] = words;
    let files = if create == 1 { "file" } else { "files" };
    let more = [(Change::Remove, removed), (Change::Conflict, "in conflict")];
    let more = more.map(|(change, word)| match count(change) {
        0 => String::new(),
        number => format!(", {number} {word}"),
    });
    format!("{create} {files} {created}, {replace} {replaced}, {keep} {kept}{}", more.concat())
}
