//! Closed intervals: what a printed number allows the true one to be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From `lo` to `hi`, both ends inside. A value printed as `1m57s` by k6, which cuts, is in `[117, 118]` seconds; `35%`
/// written by a person, who rounds, is in `[0.345, 0.355]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "[f64; 2]", into = "[f64; 2]")]
#[schemars(with = "[f64; 2]")]
pub struct Bounds {
    lo: f64,
    hi: f64,
}

impl Bounds {
    /// An interval, if both ends are finite and in order.
    #[must_use]
    pub fn new(lo: f64, hi: f64) -> Option<Self> {
        (lo.is_finite() && hi.is_finite() && lo <= hi).then_some(Self { lo, hi })
    }

    /// The interval that holds one value only; `None` if it is not finite.
    #[must_use]
    pub fn exact(value: f64) -> Option<Self> {
        Self::new(value, value)
    }

    /// The lower end.
    #[must_use]
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// The upper end.
    #[must_use]
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// True exactly if the value lies inside, ends included.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// True exactly if some value lies in both.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }

    /// The part that lies in both.
    #[must_use]
    pub fn intersect(self, other: Self) -> Option<Self> {
        Self::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// What the sum of a value of each can be.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        Self::new(self.lo + other.lo, self.hi + other.hi)
    }

    /// What the difference of a value of each can be.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        Self::new(self.lo - other.hi, self.hi - other.lo)
    }

    /// What the product of a value of each can be.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        Self::spanning([self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi])
    }

    /// What the quotient of a value of each can be; `None` if the divisor can be zero.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        if other.contains(0.0) {
            return None;
        }
        // Quotients, not products with a reciprocal: 49 over 49 is 1, but 49 * (1 / 49) is less.
        Self::spanning([self.lo / other.lo, self.lo / other.hi, self.hi / other.lo, self.hi / other.hi])
    }

    fn spanning(ends: [f64; 4]) -> Option<Self> {
        Self::new(ends.iter().copied().fold(f64::INFINITY, f64::min), ends.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }
}

impl From<Bounds> for [f64; 2] {
    fn from(bounds: Bounds) -> Self {
        [bounds.lo, bounds.hi]
    }
}

impl TryFrom<[f64; 2]> for Bounds {
    type Error = String;

    fn try_from([lo, hi]: [f64; 2]) -> Result<Self, String> {
        Self::new(lo, hi).ok_or_else(|| format!("[{lo}, {hi}] is not an interval: the lower end comes first"))
    }
}
