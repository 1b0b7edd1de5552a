//! A number of a sentence: what it is of, and what it may stand for as it is written.

use std::ops::Range;

use crate::model::bounds::Bounds;
use crate::model::units::ungrouped;

/// What a number in a sentence is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `97%`.
    Share,
    /// `600`, `1,044`, `30 million`, `two`.
    Count,
    /// `4x`.
    Times,
    /// `25.3ms`, `two minutes`.
    Time,
    /// `32Gib`.
    Size,
    /// `834/s`.
    PerSecond,
    /// `120/min`.
    PerMinute,
    /// `19:37`, seconds since midnight; whether the seconds are written.
    Clock(bool),
    /// `2026-09-28`, days since the first of January of the year 1.
    Date,
    /// `+12%`, `3 points`: no figure, the way from one to another.
    Change,
}

impl Kind {
    /// Its word in a skeleton.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Share => "PCT",
            Self::Count => "NUM",
            Self::Times => "TIMES",
            Self::Time => "DUR",
            Self::Size => "SIZE",
            Self::PerSecond => "RATE",
            Self::PerMinute => "PERMIN",
            Self::Clock(_) => "CLOCK",
            Self::Date => "DATE",
            Self::Change => "CHANGE",
        }
    }
}

/// What the words before a number make of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Qualifier {
    /// Nothing.
    #[default]
    Plain,
    /// `about`, `~`: a tenth to either side.
    About,
    /// `over`, `at least`.
    AtLeast,
    /// `under`, `up to`.
    AtMost,
    /// `nearly`: a tenth below.
    Nearly,
    /// `just over`: a tenth above.
    JustOver,
}

/// How the digits of a number came to be what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    /// They are all there are: a number that somebody chose.
    All,
    /// Rounded, by a person.
    Rounded,
    /// Rounded, or cut as k6 prints.
    Cut,
}

/// A number of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// What it is of.
    pub kind: Kind,
    /// Its value in the unit of its kind.
    pub value: f64,
    /// One of its last written digit.
    pub step: f64,
    /// What the words before it make of it.
    pub qualifier: Qualifier,
    /// Whether it is said to be in UTC.
    pub is_utc: bool,
    /// Where digits and unit are.
    pub span: Range<usize>,
}

/// How far `about` reaches: a tenth.
const ABOUT: f64 = 0.1;

impl Number {
    /// Digits times a scale; `None` where a comma does anything but group thousands.
    pub(super) fn read(digits: &str, kind: Kind, scale: f64, span: Range<usize>) -> Option<Self> {
        let plain = ungrouped(digits)?;
        let decimals = plain.split_once('.').map_or(0, |(_, after)| after.len());
        let unscaled: f64 = plain.parse().ok()?;
        let step = 10_f64.powi(-i32::try_from(decimals).ok()?) * scale;
        let is_whole = matches!(kind, Kind::Count | Kind::Times) && decimals == 0 && scale < 1.5;
        let step = if is_whole { zeros(unscaled) } else { step };
        Some(Self { kind, value: tidy(unscaled * scale), step, qualifier: Qualifier::Plain, is_utc: false, span })
    }

    /// A number that is exact as it is.
    pub(super) fn exact(value: f64, kind: Kind, span: Range<usize>) -> Self {
        Self { kind, value, step: 0.0, qualifier: Qualifier::Plain, is_utc: false, span }
    }

    /// What it may stand for.
    pub(super) fn range(&self, digits: Digits) -> Option<Bounds> {
        // The dust of decimal fractions is no difference.
        let dust = self.value.abs() * 1e-9;
        let half = if digits == Digits::All && matches!(self.kind, Kind::Count | Kind::Times) { 0.0 } else { self.step / 2.0 };
        let above = if digits == Digits::Cut { self.step } else { half };
        let (lo, hi) = (self.value - half - dust, self.value + above + dust);
        let (lo, hi) = match self.qualifier {
            Qualifier::Plain => (lo, hi),
            Qualifier::About => (lo - self.value.abs() * ABOUT, hi + self.value.abs() * ABOUT),
            Qualifier::AtLeast => (lo, f64::MAX),
            Qualifier::AtMost => (f64::MIN, hi),
            Qualifier::Nearly => (lo - self.value.abs() * ABOUT, hi),
            Qualifier::JustOver => (lo, hi + self.value.abs() * ABOUT),
        };
        Bounds::new(lo, hi)
    }
}

/// One of the last digit that counts of a whole number: zeros at the end of a large number are mostly rounded, but for its first two digits.
fn zeros(value: f64) -> f64 {
    let mut step = 1.0;
    while value >= 1000.0 && value / step >= 100.0 && (value / (step * 10.0)).fract() == 0.0 {
        step *= 10.0;
    }
    if step > 1.0 { step } else { 0.0 }
}

/// Without the dust of a decimal scale.
fn tidy(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(digits: &str, kind: Kind, scale: f64, qualifier: Qualifier, as_: Digits) -> Option<(f64, f64)> {
        let number = Number { qualifier, ..Number::read(digits, kind, scale, 0..0)? };
        number.range(as_).map(|range| ((range.lo() * 1e6).round() / 1e6, (range.hi() * 1e6).round() / 1e6))
    }

    #[test]
    fn what_is_written_is_an_interval() {
        let plain = Qualifier::Plain;
        assert_eq!(range("86", Kind::Share, 0.01, plain, Digits::Rounded), Some((0.855, 0.865)));
        assert_eq!(range("7.3", Kind::Share, 0.01, plain, Digits::Cut), Some((0.0725, 0.074)));
        assert_eq!(
            range("1,044", Kind::Count, 1.0, plain, Digits::Rounded).map(|(lo, hi)| (lo.round(), hi.round())),
            Some((1044.0, 1044.0))
        );
        assert_eq!(
            range("683,000", Kind::Count, 1.0, plain, Digits::Rounded).map(|(lo, hi)| (lo.round(), hi.round())),
            Some((682_500.0, 683_500.0))
        );
        assert_eq!(
            range("4,000", Kind::Count, 1.0, plain, Digits::Rounded).map(|(lo, hi)| (lo.round(), hi.round())),
            Some((3950.0, 4050.0))
        );
        assert_eq!(
            range("4,000", Kind::Count, 1.0, plain, Digits::All).map(|(lo, hi)| (lo.round(), hi.round())),
            Some((4000.0, 4000.0))
        );
        assert_eq!(range("600", Kind::Count, 1.0, plain, Digits::Rounded), Some((599.999_999, 600.000_001)));
        assert_eq!(range("61,2", Kind::Share, 0.01, plain, Digits::Rounded), None);
    }

    #[test]
    fn the_words_before_it_widen_it() {
        let of = |qualifier| range("50", Kind::Share, 0.01, qualifier, Digits::Rounded);
        assert_eq!(of(Qualifier::About), Some((0.445, 0.555)));
        assert_eq!(of(Qualifier::Nearly), Some((0.445, 0.505)));
        assert_eq!(of(Qualifier::JustOver), Some((0.495, 0.555)));
        assert!(of(Qualifier::AtLeast).is_some_and(|(lo, hi)| lo > 0.49 && hi > 1e9));
        assert!(of(Qualifier::AtMost).is_some_and(|(lo, hi)| lo < -1e9 && hi < 0.51));
    }
}
