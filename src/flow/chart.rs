//! A flow: a directed acyclic graph of questions that ends in outcomes.

use std::collections::BTreeSet;

use super::expr::{Comparison, Test};
use super::message::Message;
use crate::diagnostic::near;
use crate::model::catalogue::FigureId;
use crate::model::evidence::Known;
use crate::model::verdict::{Answer, Class};
use crate::source::Place;

/// A decision chart, checked whole: total, acyclic, all of it reachable, known figures and units only.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) reading: Option<String>,
    pub(super) start: Next,
    pub(super) questions: Vec<Question>,
    pub(super) outcomes: Vec<Ending>,
    pub(super) cases: Vec<Case>,
}

/// Where an edge leads: an index into the flow's questions or outcomes, made by the checker only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Next {
    Question(usize),
    Outcome(usize),
}

/// A question with its two edges.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    pub(super) name: String,
    pub(super) ask: String,
    pub(super) when: Test,
    /// The condition as written, on one line.
    pub(super) when_text: String,
    pub(super) yes: Next,
    pub(super) no: Next,
    pub(super) unknown: Unknown,
    pub(super) between: Option<Between>,
}

/// What happens where a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// The verdict is undetermined.
    Stop,
    /// The walk goes on as if it were this answer, and the verdict lists what was missing.
    GoOn { answer: Answer, because: String },
}

/// The known cases nearest to a threshold, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Between {
    pub(super) below: String,
    pub(super) above: String,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ending {
    pub(super) name: String,
    pub(super) class: Class,
    pub(super) label: String,
    pub(super) action: String,
    pub(super) message: Message,
}

/// A run made up to show where the flow leads it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) known: Known,
    pub(super) outcome: String,
    /// The questions it should pass, where the case says so.
    pub(super) path: Option<Vec<String>>,
    /// The figures it should want, where the case says so.
    pub(super) undetermined: Option<Vec<String>>,
    /// Where the outcome was written.
    pub(super) place: Place,
}

/// An outcome of a flow, as others may ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeRef<'a> {
    /// Its name in the flow.
    pub name: &'a str,
    /// Its class.
    pub class: Class,
    /// Its label.
    pub label: &'a str,
    /// What to do next.
    pub action: &'a str,
}

impl Flow {
    /// The flow's name, equal to the stem of its file: `practice`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its title in words.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How its thresholds are to be read; a paragraph, where the flow has one.
    #[must_use]
    pub fn reading(&self) -> Option<&str> {
        self.reading.as_deref()
    }

    /// An outcome by its name: for checking an override.
    #[must_use]
    pub fn outcome(&self, name: &str) -> Option<OutcomeRef<'_>> {
        self.outcomes().find(|outcome| outcome.name == name)
    }

    /// All outcomes, in the order of the file.
    pub fn outcomes(&self) -> impl Iterator<Item = OutcomeRef<'_>> {
        self.outcomes.iter().map(Ending::as_ref)
    }

    /// Figures of the run without which a question stops the walk: what the method asks to be captured.
    #[must_use]
    pub fn required(&self) -> BTreeSet<FigureId> {
        let stops = self.questions.iter().filter(|question| question.unknown == Unknown::Stop);
        let asked = stops.flat_map(|question| question.when.comparisons()).flat_map(Comparison::figures);
        asked.filter(|figure| !figure.previous).map(|figure| figure.figure).collect()
    }

    /// The outcome's name nearest to a mistyped one.
    #[must_use]
    pub fn near_outcome(&self, name: &str) -> Option<&str> {
        near(name, self.outcomes.iter().map(|outcome| outcome.name.as_str()))
    }

    /// The name of the question or outcome an edge leads to.
    pub(super) fn name_of(&self, next: Next) -> &str {
        match next {
            Next::Question(at) => &self.questions[at].name,
            Next::Outcome(at) => &self.outcomes[at].name,
        }
    }
}

impl Ending {
    fn as_ref(&self) -> OutcomeRef<'_> {
        OutcomeRef { name: &self.name, class: self.class, label: &self.label, action: &self.action }
    }
}

impl Question {
    /// Both edges, yes first.
    pub(super) fn edges(&self) -> [(Answer, Next); 2] {
        [(Answer::Yes, self.yes), (Answer::No, self.no)]
    }
}
