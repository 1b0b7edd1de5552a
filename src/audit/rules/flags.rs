//! Whether the feature flags that are told of were those of the run, and of the others.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::audit::around::Around;
use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::environment::{Flag, FlagState, Flags};
use crate::model::finding::Level;
use crate::model::instant::Moment;

/// Flags that were read too late.
pub(super) const CAPTURED_LATE: Rule = Rule {
    code: "flags-captured-late",
    level: Level::Warning,
    title: "The flags were read after the run",
    reason: "Flags that were read after the run may have been changed since it began: they are the next run's.",
    hint: "read the flags right before the run",
    look: Scope::Run(captured_late),
};

fn flags(run: &Run) -> Option<&Flags> {
    run.record.environment.service.flags.as_ref()
}

fn instant(moment: Option<Moment>) -> Option<DateTime<Utc>> {
    moment.and_then(Moment::instant)
}

fn captured_late(subject: &Subject<'_>) -> Vec<Found> {
    one(flags(subject.run).and_then(|flags| flags.captured.as_ref()).and_then(|capture| {
        let end = instant(subject.record().window.end);
        let at = instant(capture.at);
        let is_late = at.zip(end).map_or(capture.when.as_deref() == Some("after"), |(at, end)| at > end);
        is_late.then(|| match (at, end) {
            (Some(at), Some(end)) => {
                let (at, end) = (Moment::Instant(at).page_text(), Moment::Instant(end).page_text());
                Found::new(format!("the flags were read at {at}, and the run ended at {end}"))
            }
            _ => Found::new("the flags were read after the run"),
        })
    }))
}

/// Flags that changed under the run.
pub(super) const CHANGED_DURING_RUN: Rule = Rule {
    code: "flags-changed-during-run",
    level: Level::Error,
    title: "The flags were changed during the run",
    reason: "The last change of the flags lies inside the run's window: a part of the test ran with other flags than the page lists.",
    hint: "run the test again, and leave the flags alone",
    look: Scope::Run(changed_during_run),
};

fn changed_during_run(subject: &Subject<'_>) -> Vec<Found> {
    let window = &subject.record().window;
    let changed = flags(subject.run).and_then(|flags| instant(flags.captured.as_ref()?.changed));
    let span = instant(window.start).zip(instant(window.end));
    one(changed.zip(span).filter(|(changed, (start, end))| start < changed && changed < end).map(|(changed, (start, end))| {
        let [changed, start, end] = [changed, start, end].map(|at| Moment::Instant(at).page_text());
        Found::new(format!("the flags were last changed at {changed}, and the run went from {start} to {end}"))
    }))
}

/// Flags unlike the previous release's.
pub(super) const UNLIKE_PREVIOUS: Rule = Rule {
    code: "flags-unlike-previous",
    level: Level::Warning,
    title: "The list of flags is unlike the previous release's",
    reason: "Feature flags change what the service does. Two releases with different flags differ by more than the release; a flag that one list has and the other does not is \
             unknown there, which is no better.",
    hint: "run both releases with the same flags, and list all of them, also those that are off",
    look: Scope::Release(unlike_previous),
};

/// What is known of a flag: whether it is on, and for what.
type Told<'a> = (bool, Vec<&'a str>);

/// Flags by name.
type Known<'a> = BTreeMap<&'a str, Told<'a>>;

fn known(flags: &Flags) -> Known<'_> {
    flags.flags.iter().map(|flag| (flag.name.as_str(), told(flag))).collect()
}

fn told(flag: &Flag) -> Told<'_> {
    let mut paths: Vec<&str> = flag.paths.iter().map(String::as_str).collect();
    paths.sort_unstable();
    (flag.state == FlagState::On, paths)
}

/// The flags that all runs of a release have which tell any; `None` where none does, or they differ.
fn common(release: &ReleaseRuns) -> Option<Known<'_>> {
    let mut lists = release.runs.values().filter_map(flags).map(known);
    let first = lists.next()?;
    lists.all(|other| other == first).then_some(first)
}

fn unlike_previous(around: &Around<'_>, release: &ReleaseRuns) -> Vec<Found> {
    let archive = around.archive;
    let at = archive.releases().iter().position(|one| one.name == release.name);
    let earlier = at.and_then(|at| archive.releases()[..at].iter().rev().find_map(|one| Some((one, common(one)?))));
    one(earlier.zip(common(release)).and_then(|((previous, before), now)| {
        let differences = differences(&before, &now, previous.name.as_str());
        (!differences.is_empty()).then(|| Found::new(differences.join("; ")))
    }))
}

/// What two lists have different, by name.
fn differences(before: &Known<'_>, now: &Known<'_>, previous: &str) -> Vec<String> {
    let listed = |list: &Known<'_>, other: &Known<'_>| {
        let only: Vec<String> = list
            .iter()
            .filter(|(name, _)| !other.contains_key(*name))
            .map(|(name, flag)| format!("{name} ({})", state(flag)))
            .collect();
        only.join(", ")
    };
    let mut told: Vec<String> = Vec::new();
    for (name, flag) in now {
        let Some(earlier) = before.get(name).filter(|earlier| *earlier != flag) else { continue };
        told.push(changed(name, earlier, flag, previous));
    }
    for (list, other, place) in
        [(now, before, format!("not listed in {previous}")), (before, now, format!("listed in {previous} alone"))]
    {
        let only = listed(list, other);
        if !only.is_empty() {
            told.push(format!("{place}: {only}"));
        }
    }
    told
}

/// `on`, `on with 4 options`, `off`.
fn state((is_on, paths): &Told<'_>) -> String {
    match (is_on, paths.len()) {
        (false, _) => "off".to_owned(),
        (true, 0) => "on".to_owned(),
        (true, count) => format!("on with {count} options"),
    }
}

/// `improvedPerformance is on with 4 options, in v4 on with 5 options (without A, with B)`.
fn changed(name: &str, before: &Told<'_>, now: &Told<'_>, previous: &str) -> String {
    let less: Vec<&str> = before.1.iter().filter(|path| !now.1.contains(path)).copied().collect();
    let more: Vec<&str> = now.1.iter().filter(|path| !before.1.contains(path)).copied().collect();
    let parts = [("without", less), ("with", more)].into_iter().filter(|(_, paths)| !paths.is_empty());
    let parts: Vec<String> = parts.map(|(word, paths)| format!("{word} {}", paths.join(", "))).collect();
    let options = if before.0 && now.0 && !parts.is_empty() { format!(" ({})", parts.join("; ")) } else { String::new() };
    format!("{name} is {}, in {previous} {}{options}", state(now), state(before))
}

/// Flags that differ inside a release.
pub(super) const WITHIN_RELEASE: Rule = Rule {
    code: "flags-within-release",
    level: Level::Warning,
    title: "Runs of one release had different flags",
    reason: "The targets of a release are measured on one system. Where their lists of flags differ, the targets are not of one system, or a list is wrong.",
    hint: "read the flags before each run, and keep them through the sweep",
    look: Scope::Release(within_release),
};

fn within_release(_: &Around<'_>, release: &ReleaseRuns) -> Vec<Found> {
    let lists: Vec<(String, Known<'_>)> =
        release.runs.iter().filter_map(|(address, run)| Some((address.run(), known(flags(run)?)))).collect();
    let Some((first, usual)) = lists.first() else { return Vec::new() };
    let others = lists.iter().filter(|(_, flags)| flags != usual);
    others.map(|(run, flags)| Found::new(format!("{run}: {}", differences(usual, flags, first).join("; ")))).collect()
}
