//! An archive with what is concluded of it: what every kind of page needs.

use std::collections::BTreeMap;

use super::Project;
use crate::diff;
use crate::flow::Flow;
use crate::model::address::Address;
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::comparison::{Compared, Judgement};
use crate::model::verdict::Verdict;

/// What a flow concludes of every run, and what changed from release to release.
#[derive(Debug)]
pub(super) struct Judged {
    /// Verdicts of all runs.
    pub(super) verdicts: BTreeMap<Address, Verdict>,
    /// Every release held against the latest earlier one that has a target in common.
    pub(super) comparisons: Vec<Compared>,
}

impl Judged {
    /// Judges and compares everything.
    pub(super) fn new(project: &Project, flow: &Flow, archive: &Archive) -> Self {
        let verdicts: BTreeMap<Address, Verdict> =
            archive.runs().map(|(address, run)| (address.clone(), project.judge(flow, archive, address, run))).collect();
        let comparisons = compare_all(project, flow, archive, &verdicts);
        Self { verdicts, comparisons }
    }
}

fn compare_all(project: &Project, flow: &Flow, archive: &Archive, verdicts: &BTreeMap<Address, Verdict>) -> Vec<Compared> {
    let judge = |address: &Address, run: &Run| {
        Judgement::from(verdicts.get(address).cloned().unwrap_or_else(|| project.judge(flow, archive, address, run)))
    };
    let releases = archive.releases();
    let earlier = |at: usize, later| releases[..at].iter().rev().find(|earlier| has_common(earlier, later));
    let pairs: Vec<[&ReleaseRuns; 2]> =
        releases.iter().enumerate().filter_map(|(at, later)| Some([earlier(at, later)?, later])).collect();
    let comparisons = diff::compare_all(archive, pairs.iter().map(|pair| pair.map(side)), &project.settings, &judge);
    let compared = |([a, b], comparison): (&[&ReleaseRuns; 2], _)| Compared { a: a.name.clone(), b: b.name.clone(), comparison };
    pairs.iter().zip(comparisons).map(compared).collect()
}

fn has_common(earlier: &ReleaseRuns, later: &ReleaseRuns) -> bool {
    later.runs.keys().any(|own| earlier.runs.keys().any(|other| other.target == own.target))
}

fn side(release: &ReleaseRuns) -> diff::Side<'_> {
    diff::Side { name: release.name.to_string(), runs: release.runs.iter().collect() }
}
