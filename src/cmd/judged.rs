//! An archive with what is concluded of it: what every kind of page needs.

use std::collections::BTreeMap;

use super::Project;
use super::live::conclusions::{Conclusions, Grounds};
use crate::flow::Flow;
use crate::model::address::Address;
use crate::model::collection::Archive;
use crate::model::comparison::Compared;
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
    /// Judges and compares everything, once.
    pub(super) fn new(project: &Project, flow: &Flow, archive: &Archive) -> Self {
        let mut conclusions = Conclusions::default();
        conclusions.renew(Grounds { project, flow, archive, print: &|_| None });
        let (verdicts, comparisons) = conclusions.into_parts();
        Self { verdicts, comparisons }
    }
}
