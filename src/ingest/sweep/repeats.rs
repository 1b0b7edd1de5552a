//! Repeats of one target, a folder each: the first is the run of record, the others get a label from their folder, and it is said.

use std::collections::{BTreeMap, BTreeSet};

use super::run::Run;
use super::{NAMED, Sweep};
use crate::diagnostic::Diagnostic;
use crate::model::address::{Address, Label};
use crate::model::instant::Moment;

impl Sweep<'_> {
    /// Gives a label to every run but the first of those that would have one address, where their folders tell them apart.
    pub(super) fn label_repeats(&mut self, runs: &mut [Run]) {
        if self.asked.label.is_some() {
            return;
        }
        let mut by_address: BTreeMap<Address, Vec<usize>> = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            by_address.entry(run.draft.record.address()).or_default().push(at);
        }
        for (address, mut repeats) in by_address.into_iter().filter(|(_, repeats)| repeats.len() > 1) {
            let Some(labels) = labels(runs, &repeats) else { continue };
            repeats.sort_by_key(|at| order(&runs[*at]));
            for &at in &repeats[1..] {
                runs[at].draft.record.identity.label = labels.get(&at).cloned();
            }
            let words: Vec<String> =
                repeats[1..].iter().filter_map(|at| labels.get(at)).map(|label| format!("~{label}")).collect();
            let first = folder(&runs[repeats[0]]);
            let message = format!(
                "{address} was run {} times: the run in `{first}` is the run of record, the others are {} by their folders",
                repeats.len(),
                words.join(", ")
            );
            self.harvest.remarks.push(Diagnostic::remark("label-from-folder", message));
        }
    }
}

/// The labels that folders give; `None` where they don't tell the runs apart.
fn labels(runs: &[Run], repeats: &[usize]) -> Option<BTreeMap<usize, Label>> {
    let labels: BTreeMap<usize, Label> =
        repeats.iter().map(|&at| Some((at, Label::new(folder(&runs[at])).ok()?))).collect::<Option<_>>()?;
    let apart: BTreeSet<&str> = labels.values().map(Label::as_str).collect();
    let in_folders = repeats.iter().all(|&at| runs[at].group != NAMED);
    (in_folders && apart.len() == repeats.len()).then_some(labels)
}

/// The name of the folder a run lies in.
fn folder(run: &Run) -> &str {
    let path = run.group.split_once(':').map_or("", |(_, path)| path);
    path.rsplit('/').next().unwrap_or(path)
}

/// By the number that a folder is, else by when the run began, else by the folder's name.
fn order(run: &Run) -> (u64, Option<Moment>, String) {
    let name = folder(run);
    (name.parse().unwrap_or(u64::MAX), run.draft.record.window.start, name.to_owned())
}
