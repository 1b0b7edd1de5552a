//! Three-valued answers: a condition weighed against what is known of a run.
//!
//! A comparison holds if it holds for every value the figures can have, and fails if it fails for every one; between
//! that it is undetermined. Conditions join by Kleene's rules, from left to right, and end where the answer is sure.

use std::collections::BTreeSet;

use super::expr::{Comparison, Operation, Sign, Term, Test};
use crate::model::bounds::Bounds;
use crate::model::evidence::{Fact, FigureRef, Known};
use crate::model::figure::{Figure, Grade, Measurement};
use crate::model::units::show;
use crate::model::verdict::{Answer, Evidence};

/// What a condition came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weighed {
    pub(super) answer: Answer,
    /// One piece a comparison made.
    pub(super) evidence: Vec<Evidence>,
    /// The figures and facts for want of which pieces are undetermined, each with the reason.
    pub(super) wanting: Vec<Wanting>,
}

/// A figure or fact that did not give an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanting {
    pub(super) name: String,
    pub(super) why: Why,
}

/// Why a figure or fact gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// Nobody captured it; the reason where known.
    NotCaptured(Option<String>),
    /// Its source does not cover the window.
    Incomplete,
    /// It is made of averaged percentiles, and no percentile of any set of requests.
    Averaged,
    /// Its bounds hold the threshold.
    TooClose,
    /// Nobody said whether it is so.
    NotSaid,
    /// What is divided by may be nothing.
    NoQuotient,
}

impl Why {
    /// In words, behind the name of the figure.
    pub(super) fn words(&self) -> String {
        match self {
            Self::NotCaptured(None) => "not captured".to_owned(),
            Self::NotCaptured(Some(reason)) => format!("not captured: {reason}"),
            Self::Incomplete => "incomplete".to_owned(),
            Self::Averaged => "made of averaged percentiles".to_owned(),
            Self::TooClose => "too close to call".to_owned(),
            Self::NotSaid => "not said".to_owned(),
            Self::NoQuotient => "has no quotient: the divisor may be 0".to_owned(),
        }
    }
}

/// Weighs a condition.
pub(super) fn weigh(test: &Test, known: &Known) -> Weighed {
    match test {
        Test::All(parts) => join(parts, known, Answer::No, Answer::Yes),
        Test::Any(parts) => join(parts, known, Answer::Yes, Answer::No),
        Test::Not(inner) => {
            let inner = weigh(inner, known);
            Weighed { answer: opposite(inner.answer), ..inner }
        }
        Test::Captured(figure) => captured(*figure, known),
        Test::Fact(fact) => said(*fact, known),
        Test::Compare(comparison) => compare(comparison, known),
    }
}

fn opposite(answer: Answer) -> Answer {
    match answer {
        Answer::Yes => Answer::No,
        Answer::No => Answer::Yes,
        Answer::Undetermined => Answer::Undetermined,
    }
}

/// Asks part after part until one decides; all agreed is `otherwise`, anything else is undetermined.
fn join(parts: &[Test], known: &Known, decides: Answer, otherwise: Answer) -> Weighed {
    let mut all = Weighed { answer: otherwise, evidence: Vec::new(), wanting: Vec::new() };
    for part in parts {
        let part = weigh(part, known);
        all.evidence.extend(part.evidence);
        all.wanting.extend(part.wanting);
        if part.answer == decides {
            return Weighed { answer: decides, wanting: Vec::new(), ..all };
        }
        if part.answer == Answer::Undetermined {
            all.answer = Answer::Undetermined;
        }
    }
    all
}

fn captured(figure: FigureRef, known: &Known) -> Weighed {
    let found = known.figure(figure);
    let (answer, why) = match &found {
        Figure::Measured(_) => (Answer::Yes, None),
        Figure::NotCaptured { .. } => (Answer::No, None),
        Figure::Incomplete(_) => (Answer::Undetermined, Some(Why::Incomplete)),
    };
    let note = match &found {
        Figure::NotCaptured { reason } => reason.clone(),
        _ => why.as_ref().map(Why::words),
    };
    let evidence = Evidence { note, ..piece(figure.to_string(), "captured", answer, found.measurement()) };
    let wanting = why.map(|why| Wanting { name: figure.to_string(), why }).into_iter().collect();
    Weighed { answer, evidence: vec![evidence], wanting }
}

fn said(fact: Fact, known: &Known) -> Weighed {
    let answer = match known.fact(fact) {
        Some(true) => Answer::Yes,
        Some(false) => Answer::No,
        None => Answer::Undetermined,
    };
    let wanting = Wanting { name: fact.name().to_owned(), why: Why::NotSaid };
    let printed = known.fact(fact).map(|is| is.to_string());
    let note = (answer == Answer::Undetermined).then(|| wanting.why.words());
    let evidence = Evidence { printed, note, ..piece(fact.name().to_owned(), "is", answer, None) };
    let wanting = if answer == Answer::Undetermined { vec![wanting] } else { Vec::new() };
    Weighed { answer, evidence: vec![evidence], wanting }
}

/// Evidence without a threshold.
fn piece(figure: String, comparison: &str, answer: Answer, measurement: Option<&Measurement>) -> Evidence {
    Evidence {
        figure,
        value: measurement.map(|m| m.value),
        bounds: measurement.and_then(|m| m.bounds),
        unit: measurement.map(|m| m.unit),
        printed: measurement.map(Measurement::text),
        comparison: comparison.to_owned(),
        threshold: None,
        answer,
        note: None,
    }
}

/// An amount as far as it is known.
struct Sized {
    range: Option<Bounds>,
    wanting: Vec<Wanting>,
}

fn size(amount: &Term, known: &Known) -> Sized {
    match amount {
        Term::Literal(value) => Sized { range: Bounds::exact(*value), wanting: Vec::new() },
        Term::Figure(figure) => size_of(*figure, &known.figure(*figure)),
        Term::Operation(operation, left, right) => {
            let (mut left, right) = (size(left, known), size(right, known));
            left.wanting.extend(right.wanting);
            let range = left.range.zip(right.range).and_then(|(a, b)| operation.apply(a, b));
            Sized { range, wanting: left.wanting }
        }
    }
}

fn size_of(figure: FigureRef, found: &Figure) -> Sized {
    let why = match found {
        Figure::Measured(measurement) if measurement.grade == Some(Grade::AveragedPercentiles) => Why::Averaged,
        Figure::Measured(measurement) => return Sized { range: Some(measurement.range()), wanting: Vec::new() },
        Figure::Incomplete(_) => Why::Incomplete,
        Figure::NotCaptured { reason } => Why::NotCaptured(reason.clone()),
    };
    Sized { range: None, wanting: vec![Wanting { name: figure.to_string(), why }] }
}

impl Operation {
    /// What the result can be; `None` where it has none.
    pub(super) fn apply(self, a: Bounds, b: Bounds) -> Option<Bounds> {
        match self {
            Self::Plus => a.plus(b),
            Self::Minus => a.minus(b),
            Self::Times => a.times(b),
            Self::Over => a.over(b),
        }
    }
}

impl Sign {
    /// Whether it holds between every value of the one range and every value of the other.
    #[allow(clippy::float_cmp, reason = "an equality somebody wrote is meant exactly")]
    pub(super) fn holds(self, a: Bounds, b: Bounds) -> Answer {
        let (yes, no) = match self {
            Self::Less => (a.hi() < b.lo(), a.lo() >= b.hi()),
            Self::AtMost => (a.hi() <= b.lo(), a.lo() > b.hi()),
            Self::More => (a.lo() > b.hi(), a.hi() <= b.lo()),
            Self::AtLeast => (a.lo() >= b.hi(), a.hi() < b.lo()),
            Self::Equal => (same_point(a, b), !a.overlaps(b)),
            Self::Unequal => (!a.overlaps(b), same_point(a, b)),
        };
        match (yes, no) {
            (true, _) => Answer::Yes,
            (_, true) => Answer::No,
            _ => Answer::Undetermined,
        }
    }
}

fn same_point(a: Bounds, b: Bounds) -> bool {
    a.lo() >= b.hi() && b.lo() >= a.hi()
}

fn compare(comparison: &Comparison, known: &Known) -> Weighed {
    let (left, right) = (size(&comparison.left.term, known), size(&comparison.right.term, known));
    let mut wanting: Vec<Wanting> = left.wanting.iter().chain(&right.wanting).cloned().collect();
    let answer = match left.range.zip(right.range) {
        Some((a, b)) => comparison.sign.holds(a, b),
        None => Answer::Undetermined,
    };
    if answer == Answer::Undetermined && wanting.is_empty() {
        let why = if left.range.is_some() && right.range.is_some() { Why::TooClose } else { Why::NoQuotient };
        wanting = uncertain(comparison, known, &why);
    }
    let mut evidence = evidence(comparison, known, (&left, &right), answer);
    evidence.note = note(comparison, known, &wanting);
    Weighed { answer, evidence: vec![evidence], wanting }
}

/// The figures of a comparison that leave it open although all are there: those with bounds, or all if none has.
fn uncertain(comparison: &Comparison, known: &Known, why: &Why) -> Vec<Wanting> {
    let figures = comparison.figures();
    let open = |figure: &&FigureRef| known.figure(**figure).measurement().is_some_and(|m| m.bounds.is_some());
    let chosen: Vec<&FigureRef> = figures.iter().filter(open).collect();
    let chosen = if chosen.is_empty() { figures.iter().collect() } else { chosen };
    chosen.into_iter().map(|figure| Wanting { name: figure.to_string(), why: why.clone() }).collect()
}

/// The side with a figure comes first, so that `90% < x` reads as `x > 90%`.
fn evidence(comparison: &Comparison, known: &Known, (left, right): (&Sized, &Sized), answer: Answer) -> Evidence {
    let turned = matches!(comparison.left.term, Term::Literal(_));
    let (amount, size, sign, other) = if turned {
        (&comparison.right, right, comparison.sign.turned(), left)
    } else {
        (&comparison.left, left, comparison.sign, right)
    };
    let threshold = other.range.map(middle);
    let found = if let Term::Figure(figure) = amount.term { known.figure(figure).measurement().cloned() } else { None };
    let mut evidence = piece(amount.text.clone(), sign.text(), answer, found.as_ref());
    if found.is_none() {
        evidence.value = size.range.map(middle);
        evidence.bounds = size.range.filter(|range| range.lo() < range.hi());
        evidence.printed = size.range.map(|range| show(middle(range), comparison.unit));
    }
    Evidence { threshold, unit: Some(comparison.unit), ..evidence }
}

fn middle(range: Bounds) -> f64 {
    f64::midpoint(range.lo(), range.hi())
}

/// What else there is to know: what a share is a share of, the parts of arithmetic, why there is no answer.
fn note(comparison: &Comparison, known: &Known, wanting: &[Wanting]) -> Option<String> {
    let mut notes: Vec<String> = Vec::new();
    let figures = comparison.figures();
    if figures.len() == 1 {
        notes.extend(figures.iter().filter_map(|figure| of(&known.figure(*figure))));
        notes.extend(figures.iter().filter(|figure| is_near(&known.figure(**figure))).map(|_| "an approximation".to_owned()));
    } else {
        notes.extend(figures.iter().filter_map(|figure| part(*figure, known)));
    }
    let reasons: BTreeSet<&Wanting> = wanting.iter().collect();
    let alone = figures.len() == 1;
    let reason = |w: &&Wanting| if alone { w.why.words() } else { format!("{} {}", w.name, w.why.words()) };
    notes.extend(reasons.iter().map(reason));
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn of(figure: &Figure) -> Option<String> {
    let of = figure.measurement()?.of.as_ref()?;
    Some(format!("of {of}"))
}

fn part(figure: FigureRef, known: &Known) -> Option<String> {
    let found = known.figure(figure);
    let near = if is_near(&found) { ", an approximation" } else { "" };
    found.measurement().map(|measurement| format!("{figure} {}{near}", measurement.text()))
}

/// Whether its source gives no more than what is near it.
fn is_near(figure: &Figure) -> bool {
    figure.measurement().is_some_and(|measurement| measurement.grade == Some(Grade::Approximate))
}

impl Term {
    /// What it comes to for a run, as far as that is known.
    pub(super) fn range(&self, known: &Known) -> Option<Bounds> {
        size(self, known).range
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::expr;
    use crate::model::units::{Unit, Written};

    /// Figures as printed; `~` before a value is incomplete.
    fn known(figures: &[(&str, &str)]) -> Known {
        let mut known = Known::default();
        for (name, printed) in figures {
            let figure: FigureRef = name.parse().unwrap_or_else(|_| unreachable!("{name}"));
            let unit: Unit = figure.figure.unit();
            let digits = printed.trim_start_matches('~');
            let written = Written::read(digits, unit).unwrap_or_else(|e| unreachable!("{e}"));
            let measurement = Measurement::written(written, unit);
            let found = if digits == *printed { Figure::Measured(measurement) } else { Figure::Incomplete(measurement) };
            known.figures.insert(figure, found);
        }
        known
    }

    fn weighed(when: &str, figures: &[(&str, &str)]) -> Weighed {
        let test = expr::read(when).unwrap_or_else(|faults| unreachable!("{faults:?}"));
        weigh(&test, &known(figures))
    }

    fn answer(when: &str, figures: &[(&str, &str)]) -> Answer {
        weighed(when, figures).answer
    }

    #[test]
    fn a_figure_printed_on_the_threshold_is_too_close_to_call() {
        let cpu = |printed: &'static str| [("database.cpu.median", printed)];
        assert_eq!(answer("database.cpu.median >= 80%", &cpu("81%")), Answer::Yes);
        assert_eq!(answer("database.cpu.median >= 80%", &cpu("79%")), Answer::No);
        let open = weighed("database.cpu.median >= 80%", &cpu("80%"));
        assert_eq!(open.answer, Answer::Undetermined);
        assert_eq!(open.evidence.first().and_then(|e| e.note.as_deref()), Some("too close to call"));
        assert_eq!(answer("database.cpu.median >= 80%", &cpu("80.0%")), Answer::Undetermined);
    }

    #[test]
    fn what_touches_a_threshold_may_still_be_sure() {
        let cpu = |printed: &'static str| [("database.cpu.median", printed)];
        // 81% is 80.5% to 81.5%, both ends inside.
        assert_eq!(answer("database.cpu.median >= 80.5%", &cpu("81%")), Answer::Yes);
        assert_eq!(answer("database.cpu.median > 80.5%", &cpu("81%")), Answer::Undetermined);
        assert_eq!(answer("database.cpu.median > 81.5%", &cpu("81%")), Answer::No);
        assert_eq!(answer("81.5% >= database.cpu.median", &cpu("81%")), Answer::Yes);
    }

    #[test]
    fn conditions_join_by_kleenes_rules() {
        let vus = [("k6.vus", "600")];
        let (yes, no, open) = ("k6.vus > 1", "k6.vus > 1000", "pool.empty_ratio > 1%");
        for (a, b, and, or) in [
            (yes, no, Answer::No, Answer::Yes),
            (yes, open, Answer::Undetermined, Answer::Yes),
            (open, yes, Answer::Undetermined, Answer::Yes),
            (no, open, Answer::No, Answer::Undetermined),
            (open, no, Answer::No, Answer::Undetermined),
            (open, open, Answer::Undetermined, Answer::Undetermined),
        ] {
            assert_eq!(answer(&format!("{a} and {b}"), &vus), and, "{a} and {b}");
            assert_eq!(answer(&format!("{a} or {b}"), &vus), or, "{a} or {b}");
        }
        assert_eq!(answer(&format!("not {open}"), &vus), Answer::Undetermined);
        assert_eq!(answer(&format!("not ({no})"), &vus), Answer::Yes);
    }

    #[test]
    fn missing_and_incomplete_are_two_things_and_neither_is_zero() {
        let open = weighed("pool.empty_ratio < 40%", &[]);
        assert_eq!(open.answer, Answer::Undetermined);
        assert_eq!(open.wanting.first().map(|w| w.why.words()), Some("not captured".to_owned()));
        let half = weighed("pool.empty_ratio < 40%", &[("pool.empty_ratio", "~8%")]);
        assert_eq!(half.wanting.first().map(|w| w.why.words()), Some("incomplete".to_owned()));
        assert_eq!(answer("captured(pool.empty_ratio)", &[]), Answer::No);
        assert_eq!(answer("captured(pool.empty_ratio)", &[("pool.empty_ratio", "0%")]), Answer::Yes);
        assert_eq!(answer("captured(pool.empty_ratio)", &[("pool.empty_ratio", "~8%")]), Answer::Undetermined);
    }

    #[test]
    fn averaged_percentiles_decide_nothing_and_an_approximation_is_named() {
        let graded = |grade| {
            let mut known = Known::default();
            let id = "server.latency.p99";
            let figure: FigureRef = id.parse().unwrap_or_else(|_| unreachable!());
            let measurement = Measurement { grade: Some(grade), ..Measurement::exact(900.0, Unit::Ms) };
            known.figures.insert(figure, Figure::Measured(measurement));
            let test = expr::read(&format!("{id} > 500ms")).unwrap_or_else(|faults| unreachable!("{faults:?}"));
            let weighed = weigh(&test, &known);
            (weighed.answer, weighed.evidence[0].note.clone().unwrap_or_default())
        };
        assert_eq!(graded(Grade::Approximate), (Answer::Yes, "an approximation".to_owned()));
        assert_eq!(graded(Grade::AveragedPercentiles), (Answer::Undetermined, "made of averaged percentiles".to_owned()));
    }

    #[test]
    fn arithmetic_carries_the_bounds() {
        let rates = [("k6.iterations_per_s", "105/s"), ("previous.k6.iterations_per_s", "100/s")];
        let growth = "k6.iterations_per_s / previous.k6.iterations_per_s";
        assert_eq!(answer(&format!("{growth} < 110%"), &rates), Answer::Yes);
        assert_eq!(answer(&format!("{growth} < 105%"), &rates), Answer::Undetermined);
        let nothing = [("k6.iterations_per_s", "105/s"), ("previous.k6.iterations_per_s", "0/s")];
        let open = weighed(&format!("{growth} < 110%"), &nothing);
        assert_eq!(open.answer, Answer::Undetermined);
        assert!(open.wanting.iter().all(|w| w.why == Why::NoQuotient));
    }
}
