//! What the tags of a row say, as far as anything is told by it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use serde::Deserialize;

use super::populations::without_port;
use super::tally::{Facet, Part, Text};
use super::wanted::Keep;
use crate::model::failures::Phase;

/// One thing for each tag that anything is told by, under k6's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Tagged<T: Default> {
    pub(super) check: T,
    pub(super) error: T,
    pub(super) error_code: T,
    pub(super) expected_response: T,
    pub(super) group: T,
    pub(super) method: T,
    pub(super) name: T,
    pub(super) scenario: T,
    pub(super) status: T,
}

/// The tags of a row. An empty tag is an absent one.
pub(super) type Tags<'a> = Tagged<Cow<'a, str>>;

/// The tags' own names.
pub(super) const NAMES: Tagged<&str> = Tagged {
    check: "check",
    error: "error",
    error_code: "error_code",
    expected_response: "expected_response",
    group: "group",
    method: "method",
    name: "name",
    scenario: "scenario",
    status: "status",
};

impl<T: Default> Tagged<T> {
    /// Another thing for each tag.
    pub(super) fn map<U: Default>(self, mut to: impl FnMut(T) -> U) -> Tagged<U> {
        Tagged {
            check: to(self.check),
            error: to(self.error),
            error_code: to(self.error_code),
            expected_response: to(self.expected_response),
            group: to(self.group),
            method: to(self.method),
            name: to(self.name),
            scenario: to(self.scenario),
            status: to(self.status),
        }
    }
}

/// Which of the tags that tell phases a source has at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) group: bool,
    pub(super) scenario: bool,
}

impl Tags<'_> {
    /// The part of the test. k6 gives the samples of `setup()` and `teardown()` groups of these names and no scenario; a
    /// script's own group of such a name is in a scenario.
    pub(super) fn phase(&self, told: Told) -> Option<Phase> {
        let outside = self.scenario.is_empty();
        match self.group.strip_prefix("::").map(|path| path.split("::").next().unwrap_or(path)) {
            Some("setup") if outside => Some(Phase::Setup),
            Some("teardown") if outside => Some(Phase::Teardown),
            // Without groups, what has no scenario is of setup() or teardown(): of which, nothing tells.
            _ if !told.group && told.scenario && outside => None,
            _ => Some(Phase::Test),
        }
    }

    /// Whether the request went as the script expects.
    pub(super) fn expected(&self) -> Option<bool> {
        match self.expected_response.as_ref() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }
}

/// Texts by number. Number 0 is the empty text.
#[derive(Debug)]
pub(super) struct Texts {
    texts: Vec<String>,
    numbers: HashMap<String, Text, FixedState>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { texts: vec![String::new()], numbers: HashMap::default() }
    }
}

impl Texts {
    pub(super) fn number(&mut self, text: &str) -> Text {
        if text.is_empty() {
            return 0;
        }
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = Text::try_from(self.texts.len()).unwrap_or(Text::MAX);
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    pub(super) fn get(&self, number: Text) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }
}

/// What a metric's samples are told apart by, besides phase and success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// `http_req_duration`: by the request's name.
    Duration,
    /// `http_req_failed`: the failures by how they failed.
    Failed,
    /// `checks`: by group and name.
    Check,
    /// Everything else: by nothing.
    Other,
}

impl Role {
    /// The role of a metric; one of which nothing is kept needs not be taken apart.
    pub(super) fn of(metric: &str, keep: Keep) -> Self {
        match metric {
            _ if keep == Keep::Nothing => Self::Other,
            "http_req_duration" => Self::Duration,
            "http_req_failed" => Self::Failed,
            "checks" => Self::Check,
            _ => Self::Other,
        }
    }
}

/// Phase and success of a sample, by number: few combinations, so that a table finds the stream of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class(u8);

impl Class {
    /// How many there are.
    pub(super) const ALL: usize = 12;

    pub(super) fn of(tags: &Tags<'_>, told: Told) -> Self {
        let phase = match tags.phase(told) {
            None => 0,
            Some(Phase::Setup) => 1,
            Some(Phase::Test) => 2,
            Some(Phase::Teardown) => 3,
        };
        let expected = match tags.expected() {
            None => 0,
            Some(true) => 1,
            Some(false) => 2,
        };
        Self(phase * 3 + expected)
    }

    /// Of samples that belong to no phase: k6's own gauges.
    pub(super) fn of_no_phase() -> Self {
        Self(0)
    }

    /// Its place in a table of all.
    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0) % Self::ALL
    }

    /// The facet of a sample of this class that nothing else tells from others, or some part does.
    pub(super) fn facet(self, part: Part) -> Facet {
        let phase = match self.0 / 3 {
            0 => None,
            1 => Some(Phase::Setup),
            2 => Some(Phase::Test),
            _ => Some(Phase::Teardown),
        };
        let expected = match self.0 % 3 {
            0 => None,
            1 => Some(true),
            _ => Some(false),
        };
        Facet { phase, expected, part }
    }
}

// Above these they are no longer told apart: names made of ids would be a part a request, and messages can be of any number.
pub(super) use crate::limits::{RAW_CHECKS as MOST_CHECKS, RAW_FAILURES as MOST_FAILURES, RAW_NAMES as MOST_NAMES};

/// What has so many values that it is no longer told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TooMany {
    /// Names of requests, more than [`MOST_NAMES`].
    pub(super) names: bool,
    /// Kinds of failures, more than [`MOST_FAILURES`].
    pub(super) failures: bool,
    /// Checks, more than [`MOST_CHECKS`].
    pub(super) checks: bool,
}

impl TooMany {
    /// What is too much for one or the other.
    pub(super) fn or(self, other: Self) -> Self {
        Self { names: self.names || other.names, failures: self.failures || other.failures, checks: self.checks || other.checks }
    }

    /// What is lost by it, in words.
    pub(super) fn notes(self) -> impl Iterator<Item = String> {
        let notes = [
            (self.names, format!("requests have more than {MOST_NAMES} names and are not told apart by them")),
            (
                self.failures,
                format!(
                    "failures are of more than {MOST_FAILURES} kinds and are not told apart by their message and their request's name"
                ),
            ),
            (self.checks, format!("there are more than {MOST_CHECKS} checks, which are not told apart")),
        ];
        notes.into_iter().filter_map(|(is_so, note)| is_so.then_some(note))
    }
}

/// Makes parts of tags, and stops telling them apart where there are too many.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) texts: Texts,
    names: HashSet<Text, FixedState>,
    failures: HashSet<Part, FixedState>,
    /// Failures by status, code and method alone, from where they are no longer told apart by more.
    coarse: HashSet<Part, FixedState>,
    checks: HashSet<Part, FixedState>,
    pub(super) too_many: TooMany,
}

impl Parts {
    /// The part of a sample; `failed` is whether it is a failed request of `http_req_failed`.
    pub(super) fn of(&mut self, role: Role, failed: bool, tags: &Tags<'_>) -> Part {
        match role {
            Role::Duration if !tags.name.is_empty() => self.name(&tags.name),
            Role::Failed if failed => self.failure(tags),
            Role::Check => self.check(tags),
            _ => Part::Whole,
        }
    }

    fn name(&mut self, name: &str) -> Part {
        if self.too_many.names {
            return Part::Whole;
        }
        let name = self.texts.number(name);
        self.names.insert(name);
        self.too_many.names = self.names.len() > MOST_NAMES;
        if self.too_many.names { Part::Whole } else { Part::Name(name) }
    }

    fn failure(&mut self, tags: &Tags<'_>) -> Part {
        let known = !self.too_many.failures;
        let told = |texts: &mut Texts, tag: &str| if known { texts.number(tag) } else { 0 };
        let part = Part::Failure {
            status: self.texts.number(&tags.status),
            error_code: self.texts.number(&tags.error_code),
            method: self.texts.number(&tags.method),
            error: told(&mut self.texts, &without_port(&tags.error)),
            name: told(&mut self.texts, &tags.name),
        };
        if known {
            self.failures.insert(part);
            self.too_many.failures = self.failures.len() > MOST_FAILURES;
        } else {
            self.coarse.insert(part);
        }
        part
    }

    /// Whether even statuses, codes and methods are more than any load test has.
    pub(super) fn is_beyond(&self) -> bool {
        self.coarse.len() > MOST_FAILURES
    }

    fn check(&mut self, tags: &Tags<'_>) -> Part {
        if self.too_many.checks {
            return Part::Whole;
        }
        let part = Part::Check { group: self.texts.number(&tags.group), name: self.texts.number(&tags.check) };
        self.checks.insert(part);
        self.too_many.checks = self.checks.len() > MOST_CHECKS;
        if self.too_many.checks { Part::Whole } else { part }
    }
}
