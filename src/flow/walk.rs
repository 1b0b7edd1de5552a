//! A flow applied to a run: from question to question until an outcome, or until an answer is missing.

use std::collections::BTreeMap;

use super::chart::{Ending, Flow, Next, Question, Unknown};
use super::check::{ABORTED, UNDETERMINED};
use super::weigh::{Wanting, Why, weigh};
use crate::model::evidence::Known;
use crate::model::record::{Override, Record, Recorded};
use crate::model::verdict::{Answer, Assumed, Class, Outcome, Step, Verdict};

/// Whose verdict it is, and what people said of it before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// The release.
    pub release: String,
    /// The target.
    pub target: String,
    /// The run inside its release.
    pub run: String,
    /// What a person concluded.
    pub recorded: Option<Recorded>,
    /// A verdict set by hand; the caller checks its outcome with [`Flow::outcome`].
    pub overridden: Option<Override>,
}

impl From<&Record> for Judged {
    fn from(record: &Record) -> Self {
        Self {
            release: record.identity.release.to_string(),
            target: record.identity.target.to_string(),
            run: record.address().run(),
            recorded: record.recorded.clone(),
            overridden: record.overridden.clone(),
        }
    }
}

/// A walk through the questions.
pub(super) struct Walk {
    pub(super) steps: Vec<Step>,
    /// The outcome's index, or the reasons why there is none.
    pub(super) end: End,
    /// What was missing where the walk went on.
    pub(super) passed_over: Vec<Wanting>,
}

/// Where a walk ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Outcome(usize),
    Wanting(Vec<Wanting>),
}

impl Flow {
    /// The verdict of a run: the outcome, the path with its evidence, what was missing, and the nearest change of each
    /// figure that would lead elsewhere.
    ///
    /// A run that was aborted has the outcome `aborted` of class undetermined, whatever its figures. Where a question has
    /// no answer and the flow does not go on, the outcome is `undetermined`, and its label says for want of what.
    #[must_use]
    pub fn judge(&self, known: &Known, judged: &Judged) -> Verdict {
        if let Some(by) = &known.aborted {
            return self.verdict(judged, aborted(by), String::new(), Vec::new());
        }
        let walk = self.walk(known);
        let (outcome, message, missing) = match &walk.end {
            End::Outcome(at) => self.ending(*at, known),
            End::Wanting(wanting) => undetermined(wanting),
        };
        let mut verdict = self.verdict(judged, outcome, message, walk.steps);
        verdict.undetermined = in_order(walk.passed_over.iter().map(|w| w.name.clone()).chain(missing));
        verdict.counterfactuals = self.counterfactuals(known, &verdict);
        verdict
    }

    fn ending(&self, at: usize, known: &Known) -> (Outcome, String, Vec<String>) {
        let ending = &self.outcomes[at];
        (ending.outcome(), ending.message.fill(known), Vec::new())
    }

    fn verdict(&self, judged: &Judged, outcome: Outcome, message: String, path: Vec<Step>) -> Verdict {
        Verdict {
            release: judged.release.clone(),
            target: judged.target.clone(),
            run: judged.run.clone(),
            flow: self.name.clone(),
            outcome,
            message,
            path,
            undetermined: Vec::new(),
            counterfactuals: Vec::new(),
            recorded: judged.recorded.clone(),
            overridden: judged.overridden.clone(),
        }
    }

    /// Walks from the first question to the end. It ends, because the flow has no circle.
    pub(super) fn walk(&self, known: &Known) -> Walk {
        let mut walk = Walk { steps: Vec::new(), end: End::Wanting(Vec::new()), passed_over: Vec::new() };
        let mut next = self.start;
        loop {
            match next {
                Next::Outcome(at) => return Walk { end: End::Outcome(at), ..walk },
                Next::Question(at) => {
                    let question = &self.questions[at];
                    match walk.ask(question, known) {
                        Ok(answer) => next = question.edge(answer),
                        Err(wanting) => return Walk { end: End::Wanting(wanting), ..walk },
                    }
                }
            }
        }
    }
}

impl Walk {
    /// Asks one question; the answer is yes or no, or what is wanting.
    fn ask(&mut self, question: &Question, known: &Known) -> Result<Answer, Vec<Wanting>> {
        let weighed = weigh(&question.when, known);
        let mut step = Step {
            question: question.name.clone(),
            ask: question.ask.clone(),
            answer: weighed.answer,
            assumed: None,
            evidence: weighed.evidence,
        };
        let answer = match (weighed.answer, &question.unknown) {
            (Answer::Undetermined, Unknown::Stop) => Err(weighed.wanting),
            (Answer::Undetermined, Unknown::GoOn { answer, because }) => {
                step.assumed = Some(Assumed { answer: *answer, because: because.clone() });
                self.passed_over.extend(weighed.wanting);
                Ok(*answer)
            }
            (answer, _) => Ok(answer),
        };
        self.steps.push(step);
        answer
    }
}

impl Question {
    /// Where an answer leads.
    pub(super) fn edge(&self, answer: Answer) -> Next {
        if answer == Answer::Yes { self.yes } else { self.no }
    }
}

impl Ending {
    fn outcome(&self) -> Outcome {
        Outcome { name: self.name.clone(), class: self.class, label: self.label.clone(), action: self.action.clone() }
    }
}

fn aborted(by: &str) -> Outcome {
    let label = if by.is_empty() { "Aborted".to_owned() } else { format!("Aborted ({by})") };
    Outcome {
        name: ABORTED.to_owned(),
        class: Class::Undetermined,
        label,
        action: "Find out what ended the run, and run it again: an aborted run says nothing about the release.".to_owned(),
    }
}

/// The outcome of a walk that stopped: what is missing, and what to do about it.
fn undetermined(wanting: &[Wanting]) -> (Outcome, String, Vec<String>) {
    let names = in_order(wanting.iter().map(|w| w.name.clone()));
    let reasons = in_order(wanting.iter().map(|w| format!("{} {}", w.name, w.why.short())));
    let actions = in_order(wanting.iter().map(|w| w.why.action(&w.name)));
    let outcome = Outcome {
        name: UNDETERMINED.to_owned(),
        class: Class::Undetermined,
        label: format!("Undetermined: {}", reasons.join(", ")),
        action: actions.join(" "),
    };
    let message = in_order(wanting.iter().map(|w| format!("{} {}", w.name, w.why.words()))).join("; ");
    (outcome, message, names)
}

impl Why {
    /// Without the reason.
    fn short(&self) -> String {
        match self {
            Self::NotCaptured(_) => Self::NotCaptured(None).words(),
            other => other.words(),
        }
    }

    fn action(&self, name: &str) -> String {
        match self {
            Self::NotCaptured(_) | Self::Incomplete => {
                format!("Capture {name} for the whole window, or type it into run.toml under [figures], and judge again.")
            }
            Self::Averaged => format!("Capture the distribution that {name} is a percentile of, and judge again."),
            Self::TooClose => format!("Give {name} with more digits, or measure again."),
            Self::NotSaid => format!("Say in run.toml whether {name} is true."),
            Self::NoQuotient => format!("Look at {name}: nothing can be divided by it."),
        }
    }
}

/// Each text once, in the order of its first appearance.
pub(super) fn in_order(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeMap::new();
    for (at, text) in texts.into_iter().enumerate() {
        seen.entry(text).or_insert(at);
    }
    let mut texts: Vec<(usize, String)> = seen.into_iter().map(|(text, at)| (at, text)).collect();
    texts.sort_unstable();
    texts.into_iter().map(|(_, text)| text).collect()
}
