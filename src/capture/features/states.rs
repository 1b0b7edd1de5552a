//! From the answers of a run to its flags: one state, or two of which the load may have seen both.

use std::cmp::Reverse;

use super::Answer;
use crate::capture::findings::Findings;
use crate::capture::{Capture, File, Role, Window};
use crate::diagnostic::Diagnostic;
use crate::model::environment::{Flag, FlagCapture, FlagState, Flags};
use crate::model::instant::Moment;

/// A flag that an instance does not take over from the system: ZITADEL's query of instance features reads it from the instance's own
/// events alone.
const NOT_INHERITED: &str = "permissionCheckV2";

/// An answer and the file it is in.
#[derive(Clone, Copy)]
struct Asked<'a> {
    file: &'a File,
    answer: &'a Answer,
}

/// The flags of a run from all answers among its files.
#[must_use]
pub fn findings(files: &[&File], window: Option<Window>) -> Findings {
    let mut found = Findings::default();
    let instance = state(&answers(files, "instance"), window, &mut found);
    let system = state(&answers(files, "system"), window, &mut found);
    found.flags = match (instance, system) {
        (Some(instance), Some(system)) => Some(inherited(instance, system.answer, window)),
        (Some(one), None) | (None, Some(one)) => {
            Some(Flags { flags: one.answer.flags.clone(), captured: Some(one.capture(window)) })
        }
        (None, None) => None,
    };
    found
}

/// The answers of a level, the earlier state first, whatever order the files came in.
fn answers<'a>(files: &[&'a File], level: &str) -> Vec<Asked<'a>> {
    let answer = |file: &&'a File| match &file.capture {
        Capture::Flags(answer) if answer.level == level => Some(Asked { file, answer }),
        _ => None,
    };
    let mut answers: Vec<Asked<'a>> = files.iter().filter_map(answer).collect();
    // Before, then those that don't say, then after.
    answers.sort_by_key(|asked| (asked.role() != Some(Role::Before), asked.role() == Some(Role::After), &asked.file.path));
    answers
}

/// The state that the run began in, of answers of one level.
fn state<'a>(answers: &[Asked<'a>], window: Option<Window>, found: &mut Findings) -> Option<Asked<'a>> {
    let (first, others) = answers.split_first()?;
    let mut told_of_change = false;
    for other in others {
        if same(first.answer, other.answer) {
            continue;
        }
        let later = first.role() == Some(Role::Before) && other.role() == Some(Role::After);
        if later && first.answer.owner == other.answer.owner && other.answer.sequence >= first.answer.sequence {
            told_of_change = true;
            found.told.push(changed(first, other));
        } else {
            found.told.push(contradiction(first, other));
        }
    }
    for asked in answers {
        found.use_file(&asked.file.path, "flags");
    }
    if !told_of_change && let Some(latest) = answers.iter().max_by_key(|asked| (asked.answer.changed, Reverse(&asked.file.path)))
    {
        found.told.extend(untimely(latest, window));
    }
    Some(*first)
}

/// Whether two answers say the same of every flag of one owner.
fn same(a: &Answer, b: &Answer) -> bool {
    a.owner == b.owner && differing(a, b).is_empty()
}

/// The names of the flags that differ, in order.
fn differing<'a>(a: &'a Answer, b: &'a Answer) -> Vec<&'a str> {
    let of = |answer: &'a Answer, name: &str| answer.flags.iter().find(|flag| flag.name == name);
    let names = a.flags.iter().chain(&b.flags).map(|flag| flag.name.as_str());
    let mut names: Vec<&str> = names.filter(|name| of(a, name) != of(b, name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Asked<'_> {
    fn role(&self) -> Option<Role> {
        Role::named(&self.file.path)
    }

    /// When it was asked: as its name says; an answer that knows of a change behind the run's end was asked after it.
    fn when(&self, window: Option<Window>) -> Option<&'static str> {
        match self.role() {
            Some(Role::Before) => Some("before"),
            Some(Role::After) => Some("after"),
            None => {
                let changed = self.answer.changed?.instant()?;
                (changed > window?.end).then_some("after")
            }
        }
    }

    fn capture(&self, window: Option<Window>) -> FlagCapture {
        FlagCapture {
            level: self.answer.level.clone(),
            when: self.when(window).map(str::to_owned),
            at: None,
            sequence: self.answer.sequence,
            changed: self.answer.changed,
        }
    }

    /// `a.json: of 77, sequence 5, changed 2026-05-01T10:00:00Z`.
    fn words(&self) -> String {
        let owner = self.answer.owner.as_deref().map(|owner| format!("of {owner}"));
        let sequence = self.answer.sequence.map_or("never set".to_owned(), |sequence| format!("sequence {sequence}"));
        let changed = self.answer.changed.map(|at| format!("changed {at}"));
        let words: Vec<String> = owner.into_iter().chain([sequence]).chain(changed).collect();
        format!("{}: {}", self.file.path, words.join(", "))
    }
}

fn contradiction(a: &Asked<'_>, b: &Asked<'_>) -> Diagnostic {
    let message = if a.answer.owner == b.answer.owner {
        format!("two answers of one {} on its feature flags differ: {}", a.answer.level, list(a, b))
    } else {
        "answers on feature flags are of two instances".to_owned()
    };
    let told = Diagnostic::error("contradicting-flags", message).at(place(a.file)).at(place(b.file));
    told.note(a.words()).note(b.words()).help("leave the one out that is not of this run, or name them `before` and `after`")
}

fn changed(before: &Asked<'_>, after: &Asked<'_>) -> Diagnostic {
    let message = format!("feature flags changed while the load ran: {}", list(before, after));
    let told = Diagnostic::warning("flags-changed", message).at(place(before.file)).at(place(after.file));
    told.note(before.words()).note(after.words()).note("the record keeps those from before")
}

/// The flags that differ, of each what either answer says.
fn list(a: &Asked<'_>, b: &Asked<'_>) -> String {
    let of = |asked: &Asked<'_>, name: &str| asked.answer.flags.iter().find(|flag| flag.name == name).map_or("absent", word);
    let one = |name: &&str| format!("{name} ({}, {})", of(a, name), of(b, name));
    differing(a.answer, b.answer).iter().map(one).collect::<Vec<_>>().join(", ")
}

fn word(flag: &Flag) -> &'static str {
    match flag.state {
        FlagState::On => "on",
        FlagState::Off => "off",
        FlagState::ExplicitlyOff => "explicitly off",
    }
}

/// The beginning of a file, nothing of its text drawn: an answer is one long line.
fn place(file: &File) -> crate::source::Place {
    crate::source::Source::new(file.source.name(), "").at(0..0)
}

/// What a date of change inside or behind the run means.
fn untimely(asked: &Asked<'_>, window: Option<Window>) -> Option<Diagnostic> {
    let (window, changed) = (window?, asked.answer.changed?.instant()?);
    let (code, message) = if changed > window.end {
        (
            "flags-after",
            "feature flags were changed after the run, before they were asked for: what was on while it ran is not known",
        )
    } else if changed >= window.start {
        ("flags-changed", "feature flags changed while the load ran: a part of it ran with other flags")
    } else {
        return None;
    };
    let ends = format!("the run took from {} to {}", Moment::Instant(window.start), Moment::Instant(window.end));
    Some(Diagnostic::warning(code, message).at(place(asked.file)).note(asked.words()).note(ends))
}

/// The instance's flags; what it leaves unset and the system has on, it has from there.
fn inherited(instance: Asked<'_>, system: &Answer, window: Option<Window>) -> Flags {
    let inherit = |flag: &Flag| {
        let unset = flag.state == FlagState::Off && flag.level.is_none() && flag.name != NOT_INHERITED;
        let above = system.flags.iter().find(|above| unset && above.name == flag.name && above.state == FlagState::On);
        above.map_or_else(|| flag.clone(), |above| Flag { level: Some("system".to_owned()), ..above.clone() })
    };
    Flags { flags: instance.answer.flags.iter().map(inherit).collect(), captured: Some(instance.capture(window)) }
}

#[cfg(test)]
mod tests;
