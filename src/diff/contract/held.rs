//! What a key of the contract comes to when two sides are held against each other.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::version::Version;
use crate::diff::writing;
use crate::model::bounds::Bounds;
use crate::model::record::Record;

/// Two sides, each of one run or more, the run of record first.
pub(super) struct Sides<'r> {
    pub(super) a: &'r [&'r Record],
    pub(super) b: &'r [&'r Record],
    /// Whether both sides are the same runs. What rounding leaves open between two runs is settled within one.
    pub(super) are_same: bool,
}

/// What was found of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Known on both sides and alike.
    Alike,
    /// Known on neither.
    Unknown,
    /// Known on both and unlike.
    Unlike { a: String, b: String },
    /// Known on one side alone, or not well enough to tell.
    Untold { a: Option<String>, b: Option<String> },
}

/// What was found of a key below another, by the name behind that; of the other itself without one.
pub(super) type Below = (Option<String>, Held);

/// A value as somebody declared it, in the form in which it is compared, and as people write it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fact {
    pub(super) normal: Normal,
    pub(super) shown: String,
}

/// A value in the form in which it is compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Normal {
    /// Words.
    Text(String),
    /// A finite number.
    Number(f64),
    /// A version, of which only the beginning may be known.
    Version(Version),
    /// Things without an order.
    Set(BTreeSet<String>),
}

/// What two values are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// Alike.
    Alike,
    /// They may be alike or not.
    Untold,
    /// Unlike.
    Unlike,
}

impl<'r> Sides<'r> {
    pub(super) fn new(a: &'r [&'r Record], b: &'r [&'r Record]) -> Self {
        Self { a, b, are_same: a == b }
    }

    /// Holds what the first run of each side that knows it declares.
    pub(super) fn declared(&self, read: impl Fn(&Record) -> Option<Fact>) -> Held {
        let first = |runs: &[&Record]| runs.iter().find_map(|run| read(run));
        facts(first(self.a), first(self.b))
    }
}

/// Two facts against each other.
pub(super) fn facts(a: Option<Fact>, b: Option<Fact>) -> Held {
    match (a, b) {
        (None, None) => Held::Unknown,
        (Some(a), Some(b)) => a.normal.agreement(&b.normal).of(a.shown, b.shown),
        (a, b) => Held::Untold { a: a.map(|fact| fact.shown), b: b.map(|fact| fact.shown) },
    }
}

impl Agreement {
    /// What it is of two values that are shown so.
    pub(super) fn of(self, a: String, b: String) -> Held {
        match self {
            Self::Alike => Held::Alike,
            Self::Untold => Held::Untold { a: Some(a), b: Some(b) },
            Self::Unlike => Held::Unlike { a, b },
        }
    }
}

impl Fact {
    /// A text that is shown as it is written and compared without regard to letter case.
    pub(super) fn text(written: &str) -> Self {
        Self { normal: Normal::Text(writing::name(written)), shown: writing::unescaped(written) }
    }

    /// A number and how it is shown.
    pub(super) fn number(value: f64, shown: String) -> Self {
        Self { normal: Normal::Number(value), shown }
    }

    /// Whether something is on.
    pub(super) fn truth(is_on: bool) -> Self {
        Self::text(if is_on { "on" } else { "off" })
    }
}

impl Normal {
    fn agreement(&self, other: &Self) -> Agreement {
        let is_same = match (self, other) {
            (Self::Version(a), Self::Version(b)) => return a.agreement(b),
            (Self::Number(a), Self::Number(b)) => is_same_number(*a, *b),
            (a, b) => a == b,
        };
        if is_same { Agreement::Alike } else { Agreement::Unlike }
    }
}

/// Equal but for the dust of computing: sizes are powers of 1000 or 1024 times what was written.
fn is_same_number(a: f64, b: f64) -> bool {
    a.total_cmp(&b) == Ordering::Equal || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Whether two values that are not below zero differ by more than a share of the smaller, for every value the bounds allow. The
/// smaller is the base, so that `a` against `b` is what `b` against `a` is.
pub(super) fn by_ratio(a: Bounds, b: Bounds, tolerance: f64) -> Agreement {
    let over = |above: f64, below: f64| if above <= below { 1.0 } else { above / below.max(0.0) };
    let most = over(a.hi(), b.lo()).max(over(b.hi(), a.lo()));
    let least = over(a.lo(), b.hi()).max(over(b.lo(), a.hi()));
    between(least - 1.0, most - 1.0, tolerance)
}

/// Whether two values differ by more than that, for every value the bounds allow.
pub(super) fn by_difference(a: Bounds, b: Bounds, tolerance: f64) -> Agreement {
    let most = (a.hi() - b.lo()).max(b.hi() - a.lo());
    let least = (a.lo() - b.hi()).max(b.lo() - a.hi()).max(0.0);
    between(least, most, tolerance)
}

fn between(least: f64, most: f64, tolerance: f64) -> Agreement {
    // The dust of computing decides nothing: 1.02 over 1 is not above 2%.
    let tolerance = tolerance + 1e-9;
    if most <= tolerance {
        Agreement::Alike
    } else if least > tolerance {
        Agreement::Unlike
    } else {
        Agreement::Untold
    }
}
