//! What an amount in a `when` is an amount of, and which amounts may meet.

use std::fmt;

use crate::model::units::Unit;

/// The kind of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An amount of a unit.
    Of(Unit),
    /// A number that came of dividing like by like, or a factor times such a number.
    Number,
    /// A number as written, without a unit.
    Bare,
}

/// A number as written in a flow: exact, whatever its digits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Literal {
    pub(super) value: f64,
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(Unit::Ratio) => f.write_str("a share"),
            Self::Of(Unit::Ms) => f.write_str("a time"),
            Self::Of(Unit::Bytes) => f.write_str("a size"),
            Self::Of(Unit::Count) => f.write_str("a count"),
            Self::Of(Unit::PerSecond) => f.write_str("a rate per second"),
            Self::Of(Unit::PerMinute) => f.write_str("a rate per minute"),
            Self::Number => f.write_str("a plain number"),
            Self::Bare => f.write_str("a number without a unit"),
        }
    }
}

impl Kind {
    /// Whether amounts of the two kinds may be compared, added and subtracted, and what the sum is.
    ///
    /// Like meets like. A bare number is a count, or meets another number; a quotient of like amounts is a number that
    /// also meets a share, so that `a / b < 105%` can be said. A figure that is a share never meets a bare number:
    /// nobody could tell whether `80` was meant as 80%.
    pub(super) fn meet(self, other: Self) -> Option<Self> {
        let share = Self::Of(Unit::Ratio);
        let count = Self::Of(Unit::Count);
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Self::Bare, Self::Number) | (Self::Number, Self::Bare) => Some(Self::Number),
            (Self::Bare | Self::Number, b) if b == count => Some(count),
            (a, Self::Bare | Self::Number) if a == count => Some(count),
            (Self::Number, b) if b == share => Some(Self::Number),
            (a, Self::Number) if a == share => Some(Self::Number),
            _ => None,
        }
    }

    /// The kind of a product: numbers, shares and counts scale anything.
    pub(super) fn times(self, other: Self) -> Option<Self> {
        match (self.scales(), other.scales()) {
            (true, true) if self == other => Some(self),
            (true, true) if self.rank() < other.rank() => Some(other),
            (_, true) => Some(self),
            (true, false) => Some(other),
            (false, false) => None,
        }
    }

    /// The kind of a quotient: like by like is a number, anything may be divided by what scales.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Bare, Self::Bare) => Some(Self::Bare),
            (a, b) if a == b => Some(Self::Number),
            (a, b) if b.scales() => Some(if a == Self::Bare { Self::Number } else { a }),
            _ => None,
        }
    }

    /// The unit its values are shown in: a number that meets a share is shown as one.
    pub(super) fn unit_beside(self, other: Self) -> Unit {
        match (self, other) {
            (Self::Of(unit), _) | (_, Self::Of(unit)) => unit,
            _ => Unit::Count,
        }
    }

    fn scales(self) -> bool {
        matches!(self, Self::Number | Self::Bare | Self::Of(Unit::Ratio | Unit::Count))
    }

    fn rank(self) -> u8 {
        match self {
            Self::Bare => 0,
            Self::Number => 1,
            Self::Of(Unit::Ratio) => 2,
            Self::Of(_) => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: Kind = Kind::Of(Unit::Ratio);
    const TIME: Kind = Kind::Of(Unit::Ms);
    const COUNT: Kind = Kind::Of(Unit::Count);

    #[test]
    fn like_meets_like() {
        assert_eq!(SHARE.meet(SHARE), Some(SHARE));
        assert_eq!(SHARE.meet(TIME), None);
        assert_eq!(SHARE.meet(Kind::Bare), None);
        assert_eq!(COUNT.meet(Kind::Bare), Some(COUNT));
        assert_eq!(Kind::Number.meet(SHARE), Some(Kind::Number));
    }

    #[test]
    fn quotients_of_like_amounts_are_numbers() {
        assert_eq!(TIME.over(TIME), Some(Kind::Number));
        assert_eq!(TIME.over(Kind::Bare), Some(TIME));
        assert_eq!(Kind::Bare.over(TIME), None);
        assert_eq!(SHARE.times(TIME), Some(TIME));
        assert_eq!(TIME.times(TIME), None);
    }
}
