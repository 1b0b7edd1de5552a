//! What of a comparison a person reads first: what differs and what changed, and once what all targets share.

use super::words::{by_level, has_moved, run_events, shown};
use crate::model::comparison::{
    Change, Comparability, Comparison, Decision, FigurePair, KeyDifference, Missing, Presence, QueryChange, SettingChange,
    TargetComparison,
};

/// How much of a comparison is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What differs and what changed; what all targets share stands once.
    Brief,
    /// Everything, target by target.
    Whole,
}

/// With more targets than this, captured figures and metrics without a change wait for who asks for them.
const MANY: usize = 3;

/// What is told of a comparison.
pub(in crate::render) struct Choice<'a> {
    detail: Detail,
    /// The targets that have a part of their own.
    pub targets: Vec<&'a TargetComparison>,
    /// Of how many targets `shared` is.
    pub sharing: usize,
    /// What all targets of both sides have alike; empty for fewer than two.
    pub shared: Shared<'a>,
}

/// What is said once of several targets.
#[derive(Default)]
pub(in crate::render) struct Shared<'a> {
    pub differences: Vec<&'a KeyDifference>,
    pub settings: Vec<&'a SettingChange>,
    pub notes: Vec<&'a String>,
    pub missing: Vec<&'a Missing>,
}

impl<'a> Choice<'a> {
    pub(in crate::render) fn of(comparison: &'a Comparison, detail: Detail) -> Self {
        let all: Vec<&TargetComparison> = comparison.targets.iter().collect();
        if detail == Detail::Whole || all.len() < 2 {
            return Self { detail, targets: all, sharing: 0, shared: Shared::default() };
        }
        let both: Vec<&TargetComparison> = all.iter().copied().filter(|target| is_compared(target)).collect();
        let shared = if both.len() > 1 { Shared::by(&both) } else { Shared::default() };
        let sharing = both.len();
        let targets = both.into_iter().filter(|target| !is_quiet(target, &shared)).collect();
        Self { detail, targets, sharing, shared }
    }

    /// Whether all is told.
    pub(in crate::render) fn is_whole(&self) -> bool {
        self.detail == Detail::Whole
    }

    fn is_long(&self) -> bool {
        !self.is_whole() && self.targets.len() > MANY
    }

    /// So many lines at most: fewer where there are many targets, all where all is told.
    pub(in crate::render) fn most(&self, usual: usize) -> usize {
        match (self.is_whole(), self.is_long()) {
            (true, _) => usize::MAX,
            (false, true) => usual / 2,
            (false, false) => usual,
        }
    }

    /// Differences of the contract, blocking ones first.
    pub(in crate::render) fn differences(&self, target: &'a TargetComparison) -> Vec<&'a KeyDifference> {
        by_level(target).into_iter().filter(|one| !self.shared.differences.contains(one)).collect()
    }

    /// Settings that differ. A key of the contract is told there.
    pub(in crate::render) fn settings(&self, target: &'a TargetComparison) -> Vec<&'a SettingChange> {
        let own = |one: &&SettingChange| self.is_whole() || !self.shared.settings.contains(one) && !is_key(one, target);
        target.settings.iter().filter(own).collect()
    }

    pub(in crate::render) fn notes(&self, target: &'a TargetComparison) -> Vec<&'a String> {
        target.notes.iter().filter(|note| !self.shared.notes.contains(note)).collect()
    }

    pub(in crate::render) fn missing(&self, target: &'a TargetComparison) -> Vec<&'a Missing> {
        target.missing.iter().filter(|missing| !self.shared.missing.contains(missing)).collect()
    }

    /// Rows of the table of changes.
    pub(in crate::render) fn changes(&self, target: &'a TargetComparison) -> Vec<&'a Change> {
        let is_told = |change: &&Change| {
            let is_whole = change.of.is_none() || !change.kind.is_latency();
            self.is_whole()
                || change.decision.is_change()
                || (is_whole && !(self.is_long() && change.decision == Decision::NoChange))
        };
        shown(target).into_iter().filter(is_told).collect()
    }

    /// Captured figures; in brief those that differ, and none where there are many targets.
    pub(in crate::render) fn figures(&self, target: &'a TargetComparison) -> Vec<&'a FigurePair> {
        let differs =
            |pair: &&FigurePair| self.is_whole() || (pair.a.is_some() && pair.b.is_some() && pair.shown_a != pair.shown_b);
        target.figures.iter().filter(|_| !self.is_long()).filter(differs).collect()
    }
}

/// Queries whose share or time moved.
pub(in crate::render) fn moved(target: &TargetComparison) -> Vec<&QueryChange> {
    target.queries.iter().filter(|query| has_moved(query)).collect()
}

fn is_compared(target: &TargetComparison) -> bool {
    target.presence == Presence::Both && !target.same_runs
}

/// Whether the table of targets says all: the runs are alike but for what is said of all, nothing changed, since the oldest release
/// neither, and nothing happened within a run.
fn is_quiet(target: &TargetComparison, shared: &Shared<'_>) -> bool {
    target.contract.verdict == Comparability::Comparable
        && target.changes.iter().all(|change| change.decision == Decision::NoChange)
        && target.contract.differences.iter().all(|one| shared.differences.contains(&one))
        && target.drift.iter().all(|drift| !drift.decision.is_change())
        && target.runs.iter().all(|run| run.left_out.is_none() && run_events(run).is_empty())
}

/// Whether a setting is a key of the contract that differs, which is told there.
fn is_key(setting: &SettingChange, target: &TargetComparison) -> bool {
    let ends = |key: &str| key.strip_suffix(setting.key.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    target.contract.differences.iter().any(|one| ends(&one.key) && one.a == setting.a && one.b == setting.b)
}

impl<'a> Shared<'a> {
    fn by(targets: &[&'a TargetComparison]) -> Self {
        let Some((first, rest)) = targets.split_first() else { return Self::default() };
        let all = |has: &dyn Fn(&TargetComparison) -> bool| rest.iter().all(|target| has(target));
        let settings = first.settings.iter().filter(|one| !is_key(one, first));
        Self {
            differences: by_level(first).into_iter().filter(|one| all(&|t| t.contract.differences.contains(one))).collect(),
            settings: settings.filter(|one| all(&|target| target.settings.contains(one))).collect(),
            missing: first.missing.iter().filter(|one| all(&|target| target.missing.contains(one))).collect(),
            notes: first.notes.iter().filter(|note| all(&|target| target.notes.contains(note))).collect(),
        }
    }

    pub(in crate::render) fn is_empty(&self) -> bool {
        self.differences.is_empty() && self.settings.is_empty() && self.notes.is_empty() && self.missing.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::comparison::made_up;

    fn names(choice: &Choice<'_>) -> Vec<String> {
        choice.targets.iter().map(|target| target.target.clone()).collect()
    }

    #[test]
    fn in_brief_what_differs_has_a_part() {
        let comparison = made_up::everything();
        assert_eq!(names(&Choice::of(&comparison, Detail::Brief)), ["add_session", "manipulate_user"]);
        assert_eq!(Choice::of(&comparison, Detail::Whole).targets.len(), comparison.targets.len());
        let unchanged = made_up::unchanged();
        assert_eq!(names(&Choice::of(&unchanged, Detail::Brief)).len(), usize::from(unchanged.targets.len() == 1));
    }

    #[test]
    fn a_target_without_a_change_has_a_part_where_something_happened_all_the_same() {
        let mut comparison = made_up::everything();
        let runs = comparison.targets[0].runs.clone();
        let drift = comparison.targets[0].drift.clone();
        let told = |comparison: &Comparison| names(&Choice::of(comparison, Detail::Brief)).contains(&"introspect".to_owned());
        assert!(!told(&comparison));
        let at = comparison.targets.iter().position(|target| target.target == "introspect").unwrap_or_default();
        comparison.targets[at].runs = runs;
        assert!(told(&comparison));
        comparison.targets[at].runs.clear();
        comparison.targets[at].drift = drift;
        assert!(told(&comparison));
    }

    #[test]
    fn one_target_is_told_whatever_became_of_it() {
        for target in made_up::everything().targets {
            let alone = made_up::comparison("a", "b", "", vec![target]);
            assert_eq!(Choice::of(&alone, Detail::Brief).targets.len(), 1);
        }
    }

    #[test]
    fn what_all_targets_share_is_said_once() {
        let mut comparison = made_up::everything();
        let first = comparison.targets[0].clone();
        comparison.targets = vec![first.clone(), TargetComparison { target: "other".to_owned(), ..first.clone() }];
        comparison.targets[1].notes.push("of one alone".to_owned());
        let choice = Choice::of(&comparison, Detail::Brief);
        assert_eq!((choice.sharing, choice.shared.differences.len()), (2, first.contract.differences.len()));
        assert_eq!(choice.differences(&comparison.targets[0]), Vec::<&KeyDifference>::new());
        assert_eq!(choice.notes(&comparison.targets[1]), ["of one alone"]);
        let whole = Choice::of(&comparison, Detail::Whole);
        assert!(whole.shared.is_empty() && whole.differences(&comparison.targets[0]).len() == first.contract.differences.len());
    }

    #[test]
    fn a_setting_that_is_a_key_of_the_contract_is_told_there() {
        let comparison = made_up::everything();
        let target = &comparison.targets[0];
        let told =
            |detail| Choice::of(&comparison, detail).settings(target).iter().map(|one| one.key.clone()).collect::<Vec<_>>();
        assert!(told(Detail::Whole).contains(&"tokenExchange".to_owned()));
        assert!(!told(Detail::Brief).contains(&"tokenExchange".to_owned()));
    }
}
