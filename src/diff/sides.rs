//! The two sides of a comparison: which runs stand on which, target by target.

use std::collections::BTreeMap;

use super::contract;
use crate::model::address::Address;
use crate::model::collection::{Archive, Run};
use crate::model::comparison::Judgement;
use crate::model::record::Record;
use crate::settings::Settings;

/// One side: a release with all its runs, or some of them.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// How it was asked for: `v4.17.1`, `v4.17.1/otp_session~2`.
    pub name: String,
    /// Its runs, in the order of the archive: a target's run of record before its further runs.
    pub runs: Vec<(&'a Address, &'a Run)>,
}

/// What a comparison is made of.
pub struct Input<'a> {
    /// All there is: its repeats tell the noise from run to run, its older releases the drift.
    pub archive: &'a Archive,
    /// The baseline.
    pub a: Side<'a>,
    /// What is held against it.
    pub b: Side<'a>,
    /// Floors, level, what the contract accepts.
    pub settings: &'a Settings,
    /// What the flow concludes of a run.
    pub judge: &'a dyn Fn(&Address, &Run) -> Judgement,
}

/// A run of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    pub address: &'a Address,
    pub run: &'a Run,
}

/// A target's runs on one side: repeats of one another, the run of record first, and what is no repeat of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Members<'a> {
    pub compared: Vec<Member<'a>>,
    pub left_out: Vec<(Member<'a>, String)>,
}

/// A target on both sides; one of them may have no run of it.
pub(super) struct Pairing<'a> {
    pub target: String,
    pub a: Members<'a>,
    pub b: Members<'a>,
}

impl Side<'_> {
    /// The side with the runs of one target.
    pub(super) fn only(&self, target: &str) -> Self {
        let runs = self.runs.iter().filter(|(address, _)| address.target.as_str() == target).copied();
        Self { name: self.name.clone(), runs: runs.collect() }
    }

    /// Whether it is one run that was named, not a release.
    fn is_run(&self) -> bool {
        self.name.contains('/')
    }
}

impl<'a> Member<'a> {
    pub(super) fn record(&self) -> &'a Record {
        &self.run.record
    }

    fn is_aborted(&self) -> bool {
        self.run.record.k6.as_ref().is_some_and(|k6| k6.aborted)
    }
}

impl<'a> Members<'a> {
    /// One run alone.
    pub(super) fn one(address: &'a Address, run: &'a Run) -> Self {
        Self { compared: vec![Member { address, run }], left_out: Vec::new() }
    }

    /// Runs that are held against the first of them; a whole run is preferred to an aborted one.
    pub(super) fn of(runs: impl IntoIterator<Item = (&'a Address, &'a Run)>) -> Self {
        let (whole, aborted): (Vec<Member<'_>>, Vec<_>) =
            runs.into_iter().map(|(address, run)| Member { address, run }).partition(|member| !member.is_aborted());
        let mut members = Self::default();
        for member in whole.into_iter().chain(aborted) {
            let reason = members.compared.first().and_then(|first| unlike(&member, first));
            let reason = reason.or_else(|| copied(&member, &members.compared));
            match reason {
                Some(reason) => members.left_out.push((member, reason)),
                None => members.compared.push(member),
            }
        }
        members
    }

    pub(super) fn is_empty(&self) -> bool {
        self.compared.is_empty()
    }

    pub(super) fn records(&self) -> Vec<&'a Record> {
        self.compared.iter().map(Member::record).collect()
    }

    /// Whether every run of it was aborted.
    pub(super) fn is_aborted(&self) -> bool {
        self.compared.first().is_some_and(Member::is_aborted)
    }

    fn addresses(&self) -> Vec<&'a Address> {
        self.compared.iter().map(|member| member.address).collect()
    }
}

/// Why a run is no repeat of another.
fn unlike(member: &Member<'_>, first: &Member<'_>) -> Option<String> {
    if member.is_aborted() {
        return Some("it was aborted".to_owned());
    }
    contract::is_repeat(member.record(), first.record()).err()
}

/// Of which run a run is a copy: one execution that was ingested twice says nothing about how runs differ.
fn copied(member: &Member<'_>, of: &[Member<'_>]) -> Option<String> {
    let original = of.iter().find(|one| is_same_data(one.record(), member.record()))?;
    Some(format!("it is the same execution as {}", original.address))
}

/// All targets of both sides, by name. Two runs that were named are one pair, also where their targets differ.
pub(super) fn pairings<'a>(input: &Input<'a>) -> Vec<Pairing<'a>> {
    if let ([a], [b], true) = (input.a.runs.as_slice(), input.b.runs.as_slice(), input.a.is_run() && input.b.is_run()) {
        let target = match (&a.0.target, &b.0.target) {
            (a, b) if a == b => a.to_string(),
            (a, b) => format!("{a} against {b}"),
        };
        return vec![Pairing { target, a: Members::one(a.0, a.1), b: Members::one(b.0, b.1) }];
    }
    // A run against a release: its target was asked for, the others are not new or gone.
    let wanted = [&input.a, &input.b].into_iter().filter(|side| side.is_run()).find_map(|side| side.runs.first());
    let wanted = wanted.map(|(address, _)| &address.target);
    let mut targets: BTreeMap<&str, [Vec<(&Address, &Run)>; 2]> = BTreeMap::new();
    for (at, side) in [&input.a, &input.b].into_iter().enumerate() {
        for (address, run) in &side.runs {
            if wanted.is_none_or(|target| address.target == *target) {
                targets.entry(address.target.as_str()).or_default()[at].push((address, run));
            }
        }
    }
    targets.into_iter().map(|(target, [a, b])| pairing(target, a, b)).collect()
}

fn pairing<'a>(target: &str, a: Vec<(&'a Address, &'a Run)>, b: Vec<(&'a Address, &'a Run)>) -> Pairing<'a> {
    let (mut a, mut b) = (Members::of(a), Members::of(b));
    if a.addresses() != b.addresses() {
        // A release against one of its own runs: the others are held against it.
        let (larger, smaller) = if a.compared.len() >= b.compared.len() { (&mut a, &b) } else { (&mut b, &a) };
        let taken = smaller.addresses();
        let (both, own): (Vec<Member<'_>>, Vec<_>) =
            larger.compared.drain(..).partition(|member| taken.contains(&member.address));
        larger.compared = own;
        larger.left_out.extend(both.into_iter().map(|member| (member, "it stands on the other side".to_owned())));
    }
    Pairing { target: target.to_owned(), a, b }
}

impl Pairing<'_> {
    /// Whether both sides are the same runs.
    pub(super) fn is_same(&self) -> bool {
        are_same(&self.a, &self.b)
    }
}

/// Whether two sides are the same runs: by address, or by what they left, file for file.
pub(super) fn are_same(a: &Members<'_>, b: &Members<'_>) -> bool {
    let (a, b) = (&a.compared, &b.compared);
    !a.is_empty()
        && a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.address == b.address || is_same_data(a.record(), b.record()))
}

/// Whether two records are of one execution: begun at the same moment, with the same numbers of k6.
pub(super) fn is_same_data(a: &Record, b: &Record) -> bool {
    let metrics = |record: &Record| record.k6.as_ref().is_some_and(|k6| !k6.metrics.is_empty());
    metrics(a)
        && a.window.start.is_some()
        && a.window.start == b.window.start
        && a.k6.as_ref().map(|k6| &k6.metrics) == b.k6.as_ref().map(|k6| &k6.metrics)
        && a.phases == b.phases
}
