//! A comparison with its sides swapped is its mirror image.

use plimsoll::model::comparison::{Change, Comparison, Decision, Kind, Presence, TargetComparison};

use super::command::Folder;
use super::diff_support::{FLAGS_ACCEPTED, WHOLE_DEMO, demo, diff};

/// What a decision is with the sides swapped.
fn mirrored(decision: Decision) -> Decision {
    match decision {
        Decision::Regression => Decision::Improvement,
        Decision::Improvement => Decision::Regression,
        Decision::New => Decision::Gone,
        Decision::Gone => Decision::New,
        other => other,
    }
}

/// How far two widths of intervals may be from one another: each side draws its own resamples.
const DRAWN: f64 = 1.1;

fn change_faults(one: &Change, other: &Change) -> Vec<String> {
    let mut faults = Vec::new();
    if [one.a, one.b, one.run_a, one.run_b] != [other.b, other.a, other.run_b, other.run_a] {
        faults.push(format!("{:?} -> {:?} against {:?} -> {:?}", one.a, one.b, other.a, other.b));
    }
    if (one.counted_a, one.counted_b) != (other.counted_b, other.counted_a)
        || (one.runs_a, one.runs_b) != (other.runs_b, other.runs_a)
    {
        faults.push("other counts".to_owned());
    }
    if let (Some(ratio), Some(back)) = (one.ratio, other.ratio)
        && (ratio * back - 1.0).abs() > 1e-9
    {
        faults.push(format!("ratio {ratio} and back {back}"));
    }
    if let (Some(there), Some(back)) = (one.interval, other.interval) {
        let width = |interval: plimsoll::model::bounds::Bounds| (interval.hi() / interval.lo()).ln();
        let (there, back) = (width(there), width(back));
        if there.max(back) > there.min(back) * DRAWN + 1e-9 {
            faults.push(format!("widths {there} and {back}"));
        }
    }
    // More failures outside of bursts are a regression by themselves; fewer are not an improvement by themselves.
    let is_cautious = one.kind == Kind::Failures
        && [(one, other), (other, one)]
            .iter()
            .any(|(worse, better)| worse.decision == Decision::Regression && better.decision == Decision::Inconclusive);
    if mirrored(one.decision) != other.decision && !is_cautious {
        faults.push(format!("{} and {}, {:?} and {:?}", one.decision, other.decision, one.interval, other.interval));
    }
    faults.into_iter().map(|fault| format!("{}: {fault}", one.metric)).collect()
}

fn target_faults(one: &TargetComparison, other: &TargetComparison) -> Vec<String> {
    let mut faults = Vec::new();
    let presence = match one.presence {
        Presence::New => Presence::Gone,
        Presence::Gone => Presence::New,
        Presence::Both => Presence::Both,
    };
    if presence != other.presence || one.contract.verdict != other.contract.verdict || one.target != other.target {
        faults
            .push(format!("{:?} {:?} and {:?} {:?}", one.presence, one.contract.verdict, other.presence, other.contract.verdict));
    }
    let keys = |target: &TargetComparison, swapped: bool| {
        let differences = target.contract.differences.iter();
        let sides =
            |a: &Option<String>, b: &Option<String>| if swapped { (b.clone(), a.clone()) } else { (a.clone(), b.clone()) };
        differences.map(|one| (one.key.clone(), one.level, sides(&one.a, &one.b))).collect::<Vec<_>>()
    };
    if keys(one, false) != keys(other, true) {
        faults.push(format!("{:?} and {:?}", keys(one, false), keys(other, true)));
    }
    let metrics = |target: &TargetComparison| target.changes.iter().map(|change| change.metric.clone()).collect::<Vec<_>>();
    if metrics(one) != metrics(other) {
        faults.push(format!("{:?} and {:?}", metrics(one), metrics(other)));
    }
    faults.extend(one.changes.iter().zip(&other.changes).flat_map(|(one, other)| change_faults(one, other)));
    faults
}

/// What is not mirrored, and how many changes were looked at.
fn faults(folder: &Folder, a: &str, b: &str) -> (Vec<String>, usize) {
    let (there, back): (Comparison, Comparison) = (diff(folder, a, b), diff(folder, b, a));
    assert_eq!(there.targets.len(), back.targets.len(), "{a} and {b}");
    let pairs = there.targets.iter().zip(&back.targets);
    let faults = pairs.flat_map(|(one, other)| {
        target_faults(one, other).into_iter().map(|fault| format!("{a} {b} {}: {fault}", one.target)).collect::<Vec<_>>()
    });
    (faults.collect(), there.targets.iter().map(|target| target.changes.len()).sum())
}

#[test]
fn swapped_sides_of_the_whole_demo_give_the_mirror_image() {
    for settings in ["", FLAGS_ACCEPTED] {
        let Some(folder) = demo(settings, &WHOLE_DEMO) else { return };
        let (mut found, mut changes) = (Vec::new(), 0);
        for (at, a) in WHOLE_DEMO.iter().enumerate() {
            for b in &WHOLE_DEMO[at + 1..] {
                let (more, looked_at) = faults(&folder, a, b);
                found.extend(more);
                changes += looked_at;
            }
        }
        assert!(changes > 100, "only {changes} changes");
        assert!(found.is_empty(), "{} of {changes} are not mirrored:\n{}", found.len(), found.join("\n"));
    }
}
