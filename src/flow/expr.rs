//! `when` expressions: conditions over figures, with units checked, that can't be built wrong.

use std::collections::BTreeSet;

use super::grammar::{self, Node, Shape, is_comparison};
use super::kind::Kind;
use super::lexer::{self, Fault};
use crate::diagnostic::near;
use crate::model::catalogue::FigureId;
use crate::model::evidence::{Fact, FigureRef};
use crate::model::units::Unit;
use crate::source::Span;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// At least one holds.
    Any(Vec<Test>),
    /// All hold.
    All(Vec<Test>),
    /// It does not hold.
    Not(Box<Test>),
    /// The figure was captured, whatever its value.
    Captured(FigureRef),
    /// The fact is true.
    Fact(Fact),
    /// Two amounts are in order.
    Compare(Comparison),
}

/// Two amounts and what should hold between them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comparison {
    pub(super) left: Amount,
    pub(super) sign: Sign,
    pub(super) right: Amount,
    /// What both are shown in.
    pub(super) unit: Unit,
}

/// How two amounts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    Unequal,
}

/// Something that has a value: a figure, a number, or what is computed of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Amount {
    /// As written, blanks made even.
    pub(super) text: String,
    pub(super) term: Term,
}

/// What an amount is computed of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Figure(FigureRef),
    Literal(f64),
    Operation(Operation, Box<Term>, Box<Term>),
}

/// What is done with two amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Plus,
    Minus,
    Times,
    Over,
}

/// Reads an expression.
///
/// All faults that can be told apart, each with its place in the text.
pub(super) fn read(text: &str) -> Result<Test, Vec<Fault>> {
    let (words, mut faults) = lexer::words(text);
    if !faults.is_empty() {
        return Err(faults);
    }
    let node = grammar::parse(&words, text.len()).map_err(|fault| vec![fault])?;
    let condition = Checker { text, faults: &mut faults }.test(&node);
    match condition {
        Some(condition) if faults.is_empty() => Ok(condition),
        _ => Err(faults),
    }
}

struct Checker<'a> {
    text: &'a str,
    faults: &'a mut Vec<Fault>,
}

impl Checker<'_> {
    fn fault<T>(&mut self, fault: Fault) -> Option<T> {
        self.faults.push(fault);
        None
    }

    fn test(&mut self, node: &Node) -> Option<Test> {
        match &node.shape {
            Shape::Any(parts) => self.tests(parts).map(Test::Any),
            Shape::All(parts) => self.tests(parts).map(Test::All),
            Shape::Not(inner) => self.test(inner).map(|inner| Test::Not(Box::new(inner))),
            Shape::Captured(name) => self.figure_name(name).map(Test::Captured),
            Shape::Pair(sign, left, right) if is_comparison(sign) => self.comparison(sign, left, right, &node.span),
            Shape::Name(name) if fact(name).is_some() => fact(name).map(Test::Fact),
            Shape::Name(_) | Shape::Literal(_) | Shape::Pair(..) => {
                self.amount(node)?;
                let fault = Fault::new("not-a-condition", node.span.clone(), "this is an amount, where a condition is wanted");
                self.fault(fault.help("compare it with something, or write `captured(x)`"))
            }
        }
    }

    /// All parts, so that the faults of each come out.
    fn tests(&mut self, parts: &[Node]) -> Option<Vec<Test>> {
        let tests: Vec<Option<Test>> = parts.iter().map(|part| self.test(part)).collect();
        tests.into_iter().collect()
    }

    fn comparison(&mut self, sign: &str, left: &Node, right: &Node, span: &Span) -> Option<Test> {
        let (a, b) = (self.amount(left), self.amount(right));
        let ((a, a_kind), (b, b_kind)) = (a?, b?);
        if a_kind.meet(b_kind).is_none() {
            let message = format!("{a_kind} can't be compared with {b_kind}");
            return self.fault(with_unit_help(Fault::new("wrong-unit", span.clone(), message), a_kind, b_kind));
        }
        let unit = a_kind.unit_beside(b_kind);
        let (left, right) = (self.written(left, a), self.written(right, b));
        Some(Test::Compare(Comparison { left, sign: Sign::read(sign)?, right, unit }))
    }

    fn written(&self, node: &Node, term: Term) -> Amount {
        let text = self.text.get(node.span.clone()).unwrap_or_default();
        Amount { text: text.split_whitespace().collect::<Vec<_>>().join(" "), term }
    }

    fn amount(&mut self, node: &Node) -> Option<(Term, Kind)> {
        match &node.shape {
            Shape::Literal(literal) => Some((Term::Literal(literal.value), literal.kind)),
            Shape::Name(_) => {
                let figure = self.figure_name(node)?;
                Some((Term::Figure(figure), Kind::Of(figure.figure.unit())))
            }
            Shape::Pair(sign, left, right) if !is_comparison(sign) => self.operation(sign, left, right, &node.span),
            Shape::Any(_) | Shape::All(_) | Shape::Not(_) | Shape::Captured(_) | Shape::Pair(..) => {
                self.test(node)?;
                self.fault(Fault::new("not-an-amount", node.span.clone(), "this is a condition, where an amount is wanted"))
            }
        }
    }

    fn operation(&mut self, sign: &str, left: &Node, right: &Node, span: &Span) -> Option<(Term, Kind)> {
        let (a, b) = (self.amount(left), self.amount(right));
        let ((a, a_kind), (b, b_kind)) = (a?, b?);
        let (operation, kind, words) = match sign {
            "+" => (Operation::Plus, a_kind.meet(b_kind), "added to"),
            "-" => (Operation::Minus, a_kind.meet(b_kind), "less"),
            "*" => (Operation::Times, a_kind.times(b_kind), "times"),
            _ => (Operation::Over, a_kind.over(b_kind), "divided by"),
        };
        match kind {
            Some(kind) => Some((Term::Operation(operation, Box::new(a), Box::new(b)), kind)),
            None => {
                let message = format!("{a_kind} {words} {b_kind} means nothing");
                self.fault(with_unit_help(Fault::new("wrong-unit", span.clone(), message), a_kind, b_kind))
            }
        }
    }

    fn figure_name(&mut self, node: &Node) -> Option<FigureRef> {
        let Shape::Name(name) = &node.shape else {
            return self.fault(Fault::new("not-a-figure", node.span.clone(), "a figure is wanted here"));
        };
        if let Some(fact) = fact(name) {
            let message = format!("`{}` is a fact, true or false, where a figure is wanted", fact.name());
            return self.fault(Fault::new("not-a-figure", node.span.clone(), message));
        }
        match name.parse() {
            Ok(figure) => Some(figure),
            Err(_) => self.fault(unknown_figure(name, node.span.clone())),
        }
    }
}

fn fact(name: &str) -> Option<Fact> {
    Fact::ALL.into_iter().find(|fact| fact.name() == name)
}

/// The fault of a name that is neither figure nor fact, with the near name.
fn unknown_figure(name: &str, span: Span) -> Fault {
    let fault = Fault::new("unknown-figure", span, format!("unknown figure `{name}`"));
    match near_figure(name) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help("`plimsoll schema figures` lists all figures"),
    }
}

/// The known figure or fact nearest to a mistyped name.
pub(super) fn near_figure(name: &str) -> Option<String> {
    let known: Vec<String> = FigureId::names()
        .map(str::to_owned)
        .chain(FigureId::names().map(|name| format!("previous.{name}")))
        .chain(Fact::ALL.map(|fact| fact.name().to_owned()))
        .collect();
    near(name, known.iter().map(String::as_str)).map(str::to_owned)
}

fn with_unit_help(fault: Fault, a: Kind, b: Kind) -> Fault {
    match (a, b) {
        (Kind::Of(unit), Kind::Bare) | (Kind::Bare, Kind::Of(unit)) => {
            fault.help(format!("write the number with its unit, like `{}`", unit.example()))
        }
        _ => fault,
    }
}

impl Sign {
    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::More,
            ">=" => Self::AtLeast,
            "==" => Self::Equal,
            "!=" => Self::Unequal,
            _ => return None,
        })
    }

    /// As written.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Equal => "==",
            Self::Unequal => "!=",
        }
    }

    /// The sign that says the same with the sides exchanged.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Less => Self::More,
            Self::AtMost => Self::AtLeast,
            Self::More => Self::Less,
            Self::AtLeast => Self::AtMost,
            same @ (Self::Equal | Self::Unequal) => same,
        }
    }
}

impl Test {
    /// All comparisons in it, in the order of the text.
    pub(super) fn comparisons(&self) -> Vec<&Comparison> {
        match self {
            Self::Any(parts) | Self::All(parts) => parts.iter().flat_map(Self::comparisons).collect(),
            Self::Not(inner) => inner.comparisons(),
            Self::Compare(comparison) => vec![comparison],
            Self::Captured(_) | Self::Fact(_) => Vec::new(),
        }
    }
}

impl Comparison {
    /// The figures on both sides.
    pub(super) fn figures(&self) -> BTreeSet<FigureRef> {
        let mut figures = BTreeSet::new();
        self.left.term.collect(&mut figures);
        self.right.term.collect(&mut figures);
        figures
    }
}

impl Term {
    /// Adds the figures it is computed of.
    pub(super) fn collect(&self, figures: &mut BTreeSet<FigureRef>) {
        match self {
            Self::Figure(figure) => {
                figures.insert(*figure);
            }
            Self::Literal(_) => {}
            Self::Operation(_, left, right) => {
                left.collect(figures);
                right.collect(figures);
            }
        }
    }

    /// How often a figure stands in it.
    pub(super) fn mentions(&self, figure: FigureRef) -> usize {
        match self {
            Self::Figure(found) => usize::from(*found == figure),
            Self::Literal(_) => 0,
            Self::Operation(_, left, right) => left.mentions(figure) + right.mentions(figure),
        }
    }
}
