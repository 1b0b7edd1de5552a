//! Verdicts: what a flow concludes of a record, by which path, on what evidence.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::record::{Override, Recorded};
use super::units::{Unit, show};

/// Classes of outcomes, from best to worst; undetermined is none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The goal is reached.
    Done,
    /// Scale a resource up.
    Scale,
    /// Add containers.
    ScaleOut,
    /// Change a setting and run again.
    Adjust,
    /// Log an issue; testing goes on.
    PotentialIssue,
    /// Halt until it is resolved.
    Terminate,
    /// It can't be known.
    Undetermined,
}

impl Class {
    /// All classes, best first.
    pub const ALL: [Self; 7] =
        [Self::Done, Self::Scale, Self::ScaleOut, Self::Adjust, Self::PotentialIssue, Self::Terminate, Self::Undetermined];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Scale => "scale",
            Self::ScaleOut => "scale-out",
            Self::Adjust => "adjust",
            Self::PotentialIssue => "potential-issue",
            Self::Terminate => "terminate",
            Self::Undetermined => "undetermined",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Class {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|class| class.name() == text)
            .ok_or_else(|| format!("`{text}` is no class; there are {}", known()))
    }
}

/// What a question was answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It holds, for every value the figures can have.
    Yes,
    /// It does not, for every value the figures can have.
    No,
    /// A figure is missing, or its bounds hold the threshold.
    Undetermined,
}

/// What `classify --format json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdicts {
    /// Version of this shape: 1.
    pub schema: u32,
    /// One verdict a run.
    pub verdicts: Vec<Verdict>,
}

/// A flow applied to a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The release.
    pub release: String,
    /// The target.
    pub target: String,
    /// The run inside its release: the target, or target and label.
    pub run: String,
    /// The flow's name.
    pub flow: String,
    /// Where the path ends.
    pub outcome: Outcome,
    /// The outcome's message, with the figures put in.
    pub message: String,
    /// The questions asked, in order.
    pub path: Vec<Step>,
    /// The figures (or facts) for want of which it is undetermined, or a question was passed over.
    pub undetermined: Vec<String>,
    /// The nearest change of one figure that gives another outcome, a row an outcome.
    pub counterfactuals: Vec<Counterfactual>,
    /// What a person concluded.
    pub recorded: Option<Recorded>,
    /// A verdict set by hand; the outcome above is still the computed one.
    #[serde(rename = "override")]
    pub overridden: Option<Override>,
}

/// Where a path ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Its name in the flow; `undetermined` or `aborted` where the path does not end in one.
    pub name: String,
    /// Its class.
    pub class: Class,
    /// Its label.
    pub label: String,
    /// What to do next.
    pub action: String,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The question's name in the flow.
    pub question: String,
    /// The question in words.
    pub ask: String,
    /// The answer.
    pub answer: Answer,
    /// Where the walk went on although the answer is not known, and why the flow allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Assumed>,
    /// The comparisons made.
    pub evidence: Vec<Evidence>,
}

/// An answer that was assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assumed {
    /// What was assumed.
    pub answer: Answer,
    /// Why that is right.
    pub because: String,
}

/// One comparison and what it was made on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The figure or fact; arithmetic as the flow writes it.
    pub figure: String,
    /// Its value; null where it was not captured.
    pub value: Option<f64>,
    /// What its rounding allows; null where it is exact or missing.
    pub bounds: Option<Bounds>,
    /// Its unit; null for a fact.
    pub unit: Option<Unit>,
    /// The value as printed or shown.
    pub printed: Option<String>,
    /// How it was compared: `>=`, `<`, `captured`, `is`.
    pub comparison: String,
    /// With what, in the same unit.
    pub threshold: Option<f64>,
    /// The answer of this comparison alone.
    pub answer: Answer,
    /// What else to know: which of two ratios it is, why it is missing, that it is too close to call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The smallest change of one figure that leads elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counterfactual {
    /// The figure.
    pub figure: String,
    /// Its value now.
    pub from: Option<f64>,
    /// The value from which on the outcome is another: a threshold, or the first value beyond it.
    pub to: f64,
    /// The unit of both.
    pub unit: Unit,
    /// The other outcome's name.
    pub outcome: String,
    /// Its label.
    pub label: String,
}

impl Answer {
    /// The answer in one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Undetermined => "undetermined",
        }
    }
}

impl Step {
    /// The answer the walk went on with; nothing where it stopped.
    #[must_use]
    pub fn taken(&self) -> Option<Answer> {
        let answer = self.assumed.as_ref().map_or(self.answer, |assumed| assumed.answer);
        (answer != Answer::Undetermined).then_some(answer)
    }
}

impl Evidence {
    /// The comparison with the values put in: `96% >= 80%`, `not captured`, `is false`.
    #[must_use]
    pub fn compared(&self) -> String {
        let printed = self.printed.as_deref();
        match (self.comparison.as_str(), self.threshold.zip(self.unit)) {
            ("captured", _) => match self.answer {
                Answer::Yes => "captured".to_owned(),
                Answer::No => "not captured".to_owned(),
                Answer::Undetermined => "incomplete".to_owned(),
            },
            ("is", _) => printed.map_or_else(|| "not said".to_owned(), |is| format!("is {is}")),
            (sign, Some((threshold, unit))) => format!("{} {sign} {}", printed.unwrap_or("?"), show(threshold, unit)),
            (sign, None) => format!("{} {sign} ?", printed.unwrap_or("?")),
        }
    }
}

impl Counterfactual {
    /// The value in words: `80%`, or `just above 90%` where the threshold itself is not enough.
    #[must_use]
    pub fn reached(&self) -> String {
        for (near, word) in [(self.to.next_down(), "just above"), (self.to.next_up(), "just below")] {
            if digits(near) + 6 <= digits(self.to) {
                return format!("{word} {}", show(near, self.unit));
            }
        }
        show(self.to, self.unit)
    }
}

/// How many characters the shortest text has that gives the number back.
fn digits(value: f64) -> usize {
    value.to_string().len()
}
