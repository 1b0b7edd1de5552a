//! What the tags of a row say, and the cache that knows the tags of most rows by their bytes.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::tally::{Facet, Part, Text};
use crate::model::failures::Phase;

/// The tags of a row that anything is told by. An empty tag is an absent one.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags<'a> {
    pub(super) check: Cow<'a, str>,
    pub(super) error: Cow<'a, str>,
    pub(super) error_code: Cow<'a, str>,
    pub(super) expected_response: Cow<'a, str>,
    pub(super) group: Cow<'a, str>,
    pub(super) method: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) scenario: Cow<'a, str>,
    pub(super) status: Cow<'a, str>,
}

/// Which of the tags that tell phases a source has at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) group: bool,
    pub(super) scenario: bool,
}

impl Tags<'_> {
    /// The same tags with texts of their own.
    pub(super) fn into_owned(self) -> Tags<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Tags {
            check: own(self.check),
            error: own(self.error),
            error_code: own(self.error_code),
            expected_response: own(self.expected_response),
            group: own(self.group),
            method: own(self.method),
            name: own(self.name),
            scenario: own(self.scenario),
            status: own(self.status),
        }
    }

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
    /// k6's gauges, which belong to no phase.
    Users,
    /// Everything else: by nothing.
    Other,
}

impl Role {
    pub(super) fn of(metric: &str) -> Self {
        match metric {
            "http_req_duration" => Self::Duration,
            "http_req_failed" => Self::Failed,
            "checks" => Self::Check,
            "vus" | "vus_max" => Self::Users,
            _ => Self::Other,
        }
    }
}

/// Distinct parts above which a metric is no longer taken apart: names made of ids would have a part a request.
pub(super) const MOST_PARTS: usize = 200;
/// The same for failures: their messages can be of any number.
pub(super) const MOST_FAILURES: usize = 2_000;

/// Makes facets of tags, and stops telling parts apart where there are too many.
#[derive(Debug, Default)]
pub(super) struct Facets {
    pub(super) texts: Texts,
    names: HashMap<Text, (), FixedState>,
    failures: HashMap<Part, (), FixedState>,
    /// Whether requests had more than [`MOST_PARTS`] names.
    pub(super) too_many_names: bool,
    /// Whether failures were of more than [`MOST_FAILURES`] kinds.
    pub(super) too_many_failures: bool,
}

impl Facets {
    /// The facet of a sample; `failed` is whether it is a failed request of `http_req_failed`.
    pub(super) fn of(&mut self, role: Role, failed: bool, tags: &Tags<'_>, told: Told) -> Facet {
        let part = match role {
            Role::Users => return Facet { phase: None, expected: None, part: Part::Whole },
            Role::Duration if !tags.name.is_empty() => self.name(&tags.name),
            Role::Failed if failed => self.failure(tags),
            Role::Check => Part::Check { group: self.texts.number(&tags.group), name: self.texts.number(&tags.check) },
            _ => Part::Whole,
        };
        Facet { phase: tags.phase(told), expected: tags.expected(), part }
    }

    fn name(&mut self, name: &str) -> Part {
        if self.too_many_names {
            return Part::Whole;
        }
        let name = self.texts.number(name);
        self.names.insert(name, ());
        self.too_many_names = self.names.len() > MOST_PARTS;
        if self.too_many_names { Part::Whole } else { Part::Name(name) }
    }

    fn failure(&mut self, tags: &Tags<'_>) -> Part {
        let known = !self.too_many_failures;
        let told = |text: &mut Texts, tag: &str| if known { text.number(tag) } else { 0 };
        let part = Part::Failure {
            status: self.texts.number(&tags.status),
            error_code: self.texts.number(&tags.error_code),
            method: self.texts.number(&tags.method),
            error: told(&mut self.texts, &tags.error),
            name: told(&mut self.texts, &tags.name),
        };
        self.failures.insert(part, ());
        self.too_many_failures |= self.failures.len() > MOST_FAILURES;
        part
    }
}

/// No stream yet.
pub(super) const NO_STREAM: u32 = u32::MAX;
/// Tags that are remembered at a time.
const REMEMBERED: usize = 8_192;
/// So often the memory may fill up before remembering is given up.
const TRIES: u32 = 4;

/// The end of a row behind its value, line break included, with the streams that its tags lead to.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) bytes: Box<[u8]>,
    /// The stream of every metric, twice: for failed requests the odd ones.
    pub(super) streams: Vec<u32>,
}

/// The tails that were seen lately. Nine rows of ten end like one before them, so their tags need no reading; equal bytes
/// from the same state of the parser to a line break are an equal end of a row.
#[derive(Debug, Default)]
pub(super) struct Tails {
    tails: Vec<Tail>,
    index: HashMap<u64, u32, FixedState>,
    hasher: FixedState,
    tries: u32,
}

impl Tails {
    #[inline]
    pub(super) fn get(&self, tail: usize) -> Option<&Tail> {
        self.tails.get(tail)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, tail: usize) -> Option<&mut Tail> {
        self.tails.get_mut(tail)
    }

    pub(super) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let found = *self.index.get(&self.hash(bytes))? as usize;
        (*self.tails.get(found)?.bytes == *bytes).then_some(found)
    }

    /// Remembers a tail that is not known yet; `None` where tails are too many to be worth it.
    pub(super) fn remember(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.tails.len() >= REMEMBERED {
            if self.tries == TRIES {
                return None;
            }
            self.tries += 1;
            self.tails.clear();
            self.index.clear();
        }
        let at = self.tails.len();
        self.index.insert(self.hash(bytes), u32::try_from(at).unwrap_or(0));
        self.tails.push(Tail { bytes: bytes.into(), streams: Vec::new() });
        Some(at)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        use std::hash::{BuildHasher, Hasher};
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}
