//! A number of a text beside what the record has.

use std::ops::Range;

use super::context::{self, Of};
use super::moments;
use super::number::{Kind, Number, Qualifier};
use super::prose;
use super::reading::{self, Reading};
use super::sentence::{Sentence, sentences};
use super::subjects::{self, Said};
use super::texts::Text;
use super::topic::{Extent, Topic};
use crate::audit::around::Around;
use crate::audit::rule::Found;
use crate::model::address::Address;
use crate::model::collection::Run;
use crate::model::finding::Amount;
use crate::model::units::Unit;

/// A number in a text that a figure of a record should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim<'a> {
    /// The text and where it stands.
    pub text: Text<'a>,
    /// Where the number with its unit is in the text.
    pub number: Range<usize>,
    /// The words around it, shortened.
    pub quote: String,
    /// The figure, or what it is in words.
    pub figure: String,
    /// The run that the number is of.
    pub of: Address,
    /// Whether the two agree, for some rounding of both.
    pub holds: bool,
    /// What it is said of.
    pub(super) topic: Topic,
    /// The number as told.
    pub(super) told: Number,
    reading: Reading,
    is_other: bool,
}

impl Claim<'_> {
    /// What a reader is told where the two differ.
    pub(super) fn found(&self) -> Option<Found> {
        let whose = if self.is_other { format!(" of {}", self.of) } else { String::new() };
        (!self.holds).then(|| self.against(&format!("{}{whose} {}", self.figure, is(&self.reading))))
    }

    /// The quotation, what is said against it, and the numbers.
    fn against(&self, what: &str) -> Found {
        let found = Found::new(format!("\"{}\": {what}", self.quote));
        let Some(amount) = &self.reading.amount else { return found };
        let name = if self.figure.contains(' ') { "figure" } else { self.figure.as_str() };
        found.amount(format!("claimed.{name}"), self.claimed(amount.unit)).amount(name, amount.clone())
    }

    /// The number as told, with what its digits allow.
    fn claimed(&self, unit: Unit) -> Amount {
        let is_plain = self.told.qualifier == Qualifier::Plain && self.told.step > 0.0;
        let bounds = self.told.range(self.reading.digits).filter(|_| is_plain);
        Amount { value: self.told.value, bounds, unit }
    }
}

/// `is 78%`; `is 38, and a part can't be more`.
pub(super) fn is(reading: &Reading) -> String {
    let part = if reading.extent == Extent::Part { ", and a part can't be more" } else { "" };
    format!("is {}{part}", reading.shown)
}

/// A number of a sentence with what it is said of, and of which run.
pub(super) struct Candidate {
    /// The sentence.
    pub said: Said,
    /// The number.
    pub number: Number,
    /// Of which run it is.
    pub of: Of,
    /// Whether the sentence is of a part of the run.
    pub is_partial: bool,
    /// Whether the words right beside the number say of which run it is.
    pub is_tied: bool,
    /// The words around it.
    pub quote: String,
}

/// The numbers of a text that are said of something, a list a sentence.
pub(super) fn candidates(around: &Around<'_>, own: (&str, &str), text: &str) -> Vec<Vec<Candidate>> {
    let prose = prose::of(text);
    let sentences = sentences(&prose, &around.names);
    sentences.iter().map(|sentence| of_sentence(sentence, text, own)).collect()
}

fn of_sentence(sentence: &Sentence, text: &str, own: (&str, &str)) -> Vec<Candidate> {
    let is_partial = context::is_partial(sentence);
    let candidate = |said: Said| {
        let number = sentence.symbols.get(said.number)?.number.clone()?;
        let tied = context::target_of_clock(sentence, text, said.number);
        let of = match tied {
            Some(target) => Of::Named { release: None, target: Some(target.to_owned()) },
            None => context::of(sentence, text, own, said.number),
        };
        let quote = quote(sentence, text, &said);
        // `fell from A to B` tells of the whole run, whenever it changed.
        let has_moved = said.words.clone().any(|at| sentence.name(at) == "MOVED");
        Some(Candidate { is_partial: is_partial && !has_moved, is_tied: tied.is_some(), said, number, of, quote })
    };
    subjects::of(sentence, text).into_iter().filter_map(candidate).collect()
}

/// The words that a claim is made of; at least two beside the number.
fn quote(sentence: &Sentence, text: &str, said: &Said) -> String {
    let is_joint =
        |at: &usize| matches!(sentence.name(*at), "," | ":" | "(" | ")" | "-" | "/" | "to" | "and" | "with" | "against");
    let (mut start, mut end) = (said.words.start.min(said.number), said.words.end.max(said.number + 1));
    if end - start < 3 {
        (start, end) = (start.saturating_sub(2), (end + 1).min(sentence.symbols.len()));
    }
    start = (start..said.number).find(|at| !is_joint(at)).unwrap_or(said.number);
    end = (said.number + 1..end).rev().find(|at| !is_joint(at)).map_or(said.number + 1, |at| at + 1);
    let span = |at: usize| sentence.symbols.get(at).map(|symbol| symbol.span.clone()).unwrap_or_default();
    let whole = span(start).start..span(end - 1).end;
    // A bracket that was opened is closed.
    let is_open = text.get(whole.clone()).is_some_and(|quoted| quoted.contains('(') && !quoted.contains(')'));
    let closes = is_open && text.get(whole.end..).is_some_and(|rest| rest.starts_with(')'));
    prose::quote(text, whole.start..whole.end + usize::from(closes), span(said.number))
}

/// The run that is named from one's own: its release or another, its target or another, the run of record.
pub(super) fn run_named<'a>(
    around: &Around<'a>,
    own: &Address,
    release: Option<&str>,
    target: Option<&str>,
) -> Option<(&'a Address, &'a Run)> {
    let release = around.archive.releases().iter().find(|one| one.name.as_str() == release.unwrap_or(own.release.as_str()))?;
    let target = target.unwrap_or(own.target.as_str());
    release.runs.iter().find(|(address, _)| address.target.as_str() == target && address.label.is_none())
}

/// The numbers of a text of a run of which the record knows what they should be.
pub(super) fn of_text<'a>(around: &Around<'_>, address: &Address, run: &Run, text: &Text<'a>) -> Vec<Claim<'a>> {
    let own = (address.release.as_str(), address.target.as_str());
    let mut claims = Vec::new();
    for sentence in candidates(around, own, text.text) {
        let judged: Vec<Claim<'a>> =
            sentence.into_iter().filter_map(|candidate| judge(around, (address, run), candidate, text)).collect();
        // A sentence that has the record's number and another beside it contrasts them.
        let is_contrast = |topic: &Topic| topic.is_single() && judged.iter().any(|claim| claim.topic == *topic && claim.holds);
        claims.extend(judged.iter().filter(|claim| claim.holds || !is_contrast(&claim.topic)).cloned());
    }
    claims
}

fn judge<'a>(around: &Around<'_>, own: (&Address, &Run), candidate: Candidate, text: &Text<'a>) -> Option<Claim<'a>> {
    let (address, run) = match &candidate.of {
        Of::Nobody => return None,
        Of::This => own,
        Of::Named { release, target } => run_named(around, own.0, release.as_deref(), target.as_deref())?,
    };
    let is_other = address != own.0;
    let (reading, holds) = compare(&candidate, run)?;
    // Where another run is named, a number may be of this one all the same.
    if is_other && !holds && !candidate.is_tied && compare(&candidate, own.1).is_some_and(|(_, holds)| holds) {
        return None;
    }
    Some(Claim {
        text: text.clone(),
        number: candidate.number.span.clone(),
        quote: candidate.quote,
        figure: reading.name.clone(),
        of: address.clone(),
        holds,
        topic: candidate.said.topic,
        told: candidate.number,
        reading,
        is_other,
    })
}

/// What a run has for a number, and whether they agree: with what is meant first, or with another that the words may mean.
pub(super) fn compare(candidate: &Candidate, run: &Run) -> Option<(Reading, bool)> {
    let topic = &candidate.said.topic;
    if candidate.is_partial && !is_of_all(topic) {
        return None;
    }
    let is_part = candidate.is_partial && is_count(topic);
    let readings = reading::of(topic, run).into_iter().map(|one| if is_part { one.extent(Extent::Part) } else { one });
    let readings: Vec<Reading> = readings.collect();
    let held = readings.iter().find(|reading| agree(&candidate.number, reading)).cloned();
    match held {
        Some(reading) => Some((reading, true)),
        None => readings.into_iter().next().map(|reading| (reading, false)),
    }
}

/// Whether a number tells of all of a run, even in a sentence about a part of it.
fn is_of_all(topic: &Topic) -> bool {
    is_count(topic)
        || matches!(
            topic,
            Topic::Vus
                | Topic::PoolSize
                | Topic::MaxScale
                | Topic::MinScale
                | Topic::Vcpu(_)
                | Topic::Memory(_)
                | Topic::Pinned
                | Topic::Clock
        )
        || matches!(topic, Topic::Day | Topic::IntoRun(_) | Topic::SameTime(_) | Topic::Quotient(..) | Topic::ShareOf(_))
}

/// Whether a number of a part can be less than the figure.
fn is_count(topic: &Topic) -> bool {
    matches!(
        topic,
        Topic::Startups(_)
            | Topic::Acquires(_)
            | Topic::Iterations(_)
            | Topic::Interrupted
            | Topic::Aborted
            | Topic::Requests(_)
            | Topic::Checks(_)
    ) || matches!(topic, Topic::FailedChecks(_) | Topic::Failed(..))
}

fn agree(number: &Number, reading: &Reading) -> bool {
    if let Kind::Clock(has_seconds) = number.kind {
        return moments::is_within(number, has_seconds, reading.bounds);
    }
    // A whole number for a figure with a fraction was rounded.
    let has_fraction = [reading.bounds.lo(), reading.bounds.hi()].iter().any(|end| end.fract() != 0.0);
    let told = if has_fraction && number.step == 0.0 { Number { step: 1.0, ..number.clone() } } else { number.clone() };
    let Some(range) = told.range(reading.digits) else { return true };
    match reading.extent {
        Extent::Part => range.lo() <= reading.bounds.hi(),
        Extent::All => range.overlaps(reading.bounds),
    }
}
