//! What is concluded of an archive, with what each conclusion was drawn from.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use super::memo::{Memo, Wanted};
use super::print::{self, Print};
use crate::cmd::Project;
use crate::diff::{self, Repeats, Resampled};
use crate::flow::Flow;
use crate::model::address::{Address, Release};
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::comparison::{Compared, Judgement, TargetComparison};
use crate::model::verdict::Verdict;

/// Verdicts, what repeats say of the noise, comparisons.
#[derive(Debug, Default)]
pub(in crate::cmd) struct Conclusions {
    verdicts: Memo<Address, Verdict>,
    repeats: Memo<Release, Repeats>,
    targets: Memo<Name, Option<TargetComparison>>,
    /// What blocks say when they are resampled, whatever noise from run to run it is put together with.
    resampled: Resampled,
    comparisons: Vec<Compared>,
    /// What each of the comparisons is made of.
    compared: Vec<Print>,
}

/// A target of the comparison of a release with an earlier one.
type Name = (Release, String);

/// What conclusions are drawn from.
#[derive(Clone, Copy)]
pub(in crate::cmd) struct Grounds<'a> {
    /// The project, for its settings.
    pub project: &'a Project,
    /// What judges.
    pub flow: &'a Flow,
    /// The runs.
    pub archive: &'a Archive,
    /// The fingerprint of what each run measured: of its record and its series, the only parts of a run that are judged and compared.
    pub print: &'a (dyn Fn(&Address) -> Option<Print> + Sync),
}

/// A release and the latest earlier one that has a target in common, with their places in the archive.
type Pair<'a> = [(usize, &'a ReleaseRuns); 2];

impl Conclusions {
    /// Draws the conclusions of which the grounds have changed.
    pub(in crate::cmd) fn renew(&mut self, grounds: Grounds<'_>) {
        let settings = print::of(&grounds.project.settings);
        self.judge(grounds, print::of(&(settings, grounds.flow)));
        let noise = self.read_repeats(grounds, settings);
        let pairs = pairs(grounds.archive);
        self.compare(grounds, &pairs, print::of(&(settings, noise)));
        self.put_together(grounds, &pairs, settings);
    }

    /// The comparisons of whole releases, of those of their targets and of the settings. One of which no target is other is kept.
    fn put_together(&mut self, grounds: Grounds<'_>, pairs: &[Pair<'_>], settings: Print) {
        let former = self.compared.drain(..).zip(self.comparisons.drain(..));
        let mut former: BTreeMap<Release, (Print, Compared)> =
            former.map(|(print, compared)| (compared.b.clone(), (print, compared))).collect();
        for [(_, a), (_, b)] in pairs {
            let names: Vec<Name> = in_common([*a, *b]).into_iter().map(|target| (b.name.clone(), target.to_owned())).collect();
            let of_targets: Vec<_> = names.iter().map(|name| (&name.1, self.targets.print(name))).collect();
            let made_of = print::of(&(settings, &a.name, &b.name, of_targets));
            let compared = match former.remove(&b.name) {
                Some((print, compared)) if print == made_of => compared,
                _ => {
                    let of_pair = names.iter().filter_map(|name| self.targets.values().get(name)?.clone()).collect();
                    let comparison = diff::of_targets([a.name.as_str(), b.name.as_str()], &grounds.project.settings, of_pair);
                    Compared { a: a.name.clone(), b: b.name.clone(), comparison }
                }
            };
            self.compared.push(made_of);
            self.comparisons.push(compared);
        }
    }

    /// Verdicts: of the run, the previous one, the settings, the flow.
    fn judge(&mut self, grounds: Grounds<'_>, rules: Print) {
        let Grounds { project, flow, archive, print } = grounds;
        let wanted = |(address, run): (&Address, _)| {
            let previous = archive.previous(address).map(|(previous, _)| (previous, print(previous)));
            let made_of = print::of(&(rules, address, print(address), previous));
            Wanted { name: address.clone(), made_of, parts: (address.clone(), run) }
        };
        let wanted: Vec<Wanted<Address, (Address, &Run)>> = archive.runs().map(wanted).collect();
        sure(self.verdicts.renew(&wanted, print::of, |(address, run)| Ok(project.judge(flow, archive, address, run))));
    }

    /// What repeats say of the noise from run to run, release by release; the fingerprint of all of it.
    fn read_repeats(&mut self, grounds: Grounds<'_>, settings: Print) -> Print {
        let mut wanted = Vec::new();
        for release in grounds.archive.releases() {
            let made_of = print::of(&(settings, told(release, grounds)));
            wanted.push(Wanted { name: release.name.clone(), made_of, parts: release });
        }
        sure(self.repeats.renew(&wanted, print::of, |release| Ok(Repeats::within(release, &grounds.project.settings))));
        print::of(&wanted.iter().map(|one| self.repeats.print(&one.name)).collect::<Vec<_>>())
    }

    /// Comparisons: of the target's runs on both sides, with their verdicts, and in all older releases, among which the drift begins;
    /// of what all repeats say of the noise; of the settings.
    fn compare(&mut self, grounds: Grounds<'_>, pairs: &[Pair<'_>], rules: Print) {
        let Grounds { project, archive, .. } = grounds;
        let past = past(grounds);
        let (verdicts, resampled) = (&self.verdicts, &self.resampled);
        let mut wanted = Vec::new();
        for [(_, a), (at, b)] in pairs {
            for target in in_common([*a, *b]) {
                let older = past.get(target).and_then(|past| past.range(..=at).next_back());
                let of_target = |release: &ReleaseRuns| {
                    release
                        .runs
                        .keys()
                        .filter(|one| one.target.as_str() == target)
                        .map(|one| verdicts.print(one))
                        .collect::<Vec<_>>()
                };
                let made_of = print::of(&(rules, &a.name, &b.name, target, older, of_target(a), of_target(b)));
                wanted.push(Wanted { name: (b.name.clone(), target.to_owned()), made_of, parts: (*a, *b, target) });
            }
        }
        let repeats: Repeats =
            archive.releases().iter().filter_map(|release| self.repeats.values().get(&release.name)).cloned().collect();
        let make = |(a, b, target): &(&ReleaseRuns, &ReleaseRuns, &str)| {
            let known = |address: &Address| verdicts.values().get(address).cloned();
            let judge = |address: &Address, run: &Run| {
                Judgement::from(known(address).unwrap_or_else(|| project.judge(grounds.flow, archive, address, run)))
            };
            let input = diff::Input { archive, a: side(a), b: side(b), settings: &project.settings, judge: &judge };
            Ok(diff::compare_target(&input, target, &repeats, resampled))
        };
        sure(self.targets.renew(&wanted, print::of, make));
    }

    /// Verdicts of all runs.
    pub(in crate::cmd) fn verdicts(&self) -> &BTreeMap<Address, Verdict> {
        self.verdicts.values()
    }

    /// Every release held against the latest earlier one that has a target in common.
    pub(in crate::cmd) fn comparisons(&self) -> &[Compared] {
        &self.comparisons
    }

    /// All conclusions, for good.
    pub(in crate::cmd) fn into_parts(self) -> (BTreeMap<Address, Verdict>, Vec<Compared>) {
        (self.verdicts.into_values(), self.comparisons)
    }

    /// The fingerprint of a verdict.
    pub(super) fn verdict_print(&self, address: &Address) -> Option<Print> {
        self.verdicts.print(address)
    }

    /// The fingerprint of what a comparison says of a target.
    pub(super) fn target_print(&self, release: &Release, target: &str) -> Option<Print> {
        self.targets.print(&(release.clone(), target.to_owned()))
    }
}

fn sure(done: Result<(), Infallible>) {
    let Ok(()) = done;
}

/// The fingerprints of a release's runs, in their order.
fn told<'a>(release: &'a ReleaseRuns, grounds: Grounds<'_>) -> Vec<(&'a Address, Option<Print>)> {
    release.runs.keys().map(|address| (address, (grounds.print)(address))).collect()
}

/// Of every target: the fingerprint of its runs in all releases up to a place, at each place that has some.
fn past(grounds: Grounds<'_>) -> BTreeMap<&str, BTreeMap<usize, Print>> {
    let mut past: BTreeMap<&str, BTreeMap<usize, Print>> = BTreeMap::new();
    for (at, release) in grounds.archive.releases().iter().enumerate() {
        let mut of_release: BTreeMap<&str, Vec<(&Address, Option<Print>)>> = BTreeMap::new();
        for (address, print) in told(release, grounds) {
            of_release.entry(address.target.as_str()).or_default().push((address, print));
        }
        for (target, runs) in of_release {
            let past = past.entry(target).or_default();
            let older = past.values().next_back().copied();
            past.insert(at, print::of(&(older, runs)));
        }
    }
    past
}

fn pairs(archive: &Archive) -> Vec<Pair<'_>> {
    let releases = archive.releases();
    let earlier = |at: usize, later| releases[..at].iter().enumerate().rev().find(|(_, earlier)| has_common(earlier, later));
    releases.iter().enumerate().filter_map(|(at, later)| Some([earlier(at, later)?, (at, later)])).collect()
}

fn has_common(earlier: &ReleaseRuns, later: &ReleaseRuns) -> bool {
    later.runs.keys().any(|own| earlier.runs.keys().any(|other| other.target == own.target))
}

/// The targets of two releases, by name.
fn in_common(releases: [&ReleaseRuns; 2]) -> BTreeSet<&str> {
    releases.into_iter().flat_map(|release| release.runs.keys()).map(|address| address.target.as_str()).collect()
}

fn side(release: &ReleaseRuns) -> diff::Side<'_> {
    diff::Side { name: release.name.to_string(), runs: release.runs.iter().collect() }
}
