//! The statistics k6 prints of a metric, under k6's names.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One statistic of a metric: `avg`, `p(95)`, `count`. Ordered as a reader wants the columns: counts, then from the
/// smallest to the largest with `avg` and `med` in their place, percentiles by number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Stat {
    /// Number of samples of a trend, or the sum of a counter.
    Count,
    /// Per second (counter) or share of true samples (rate).
    Rate,
    /// Samples of a rate that were true.
    Passes,
    /// Samples of a rate that were false.
    Fails,
    /// The last value of a gauge.
    Value,
    /// Smallest.
    Min,
    /// Arithmetic mean.
    Avg,
    /// Median, `P(0.5)` by k6's definition.
    Med,
    /// A percentile, `p(95)`: sort, index p(n-1), linear interpolation (type 7).
    Percentile(Percent),
    /// Largest.
    Max,
}

/// A percentage from 0 to 100, comparable and printable as k6 prints it: `95`, `99.9`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(f64);

impl Percent {
    /// A percentage, if it is one.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=100.0).contains(&value).then_some(Self(value))
    }

    /// The number, 0..100.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Percent {}

impl PartialOrd for Percent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Percent {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Eq for Stat {}

impl Stat {
    /// The percentile of a whole number; panics never: numbers above 100 are taken as 100.
    #[must_use]
    pub fn p(percent: u8) -> Self {
        Self::Percentile(Percent(f64::from(percent.min(100))))
    }

    /// True exactly if the statistic counts samples, so that a value of it is a whole number.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self, Self::Count | Self::Passes | Self::Fails)
    }

    fn rank(self) -> (u8, Percent) {
        let zero = Percent(0.0);
        match self {
            Self::Count => (0, zero),
            Self::Rate => (1, zero),
            Self::Passes => (2, zero),
            Self::Fails => (3, zero),
            Self::Value => (4, zero),
            Self::Min => (5, zero),
            Self::Avg => (6, zero),
            Self::Med => (7, zero),
            Self::Percentile(percent) => (8, percent),
            Self::Max => (9, zero),
        }
    }
}

impl PartialOrd for Stat {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stat {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count => "count",
            Self::Rate => "rate",
            Self::Passes => "passes",
            Self::Fails => "fails",
            Self::Value => "value",
            Self::Min => "min",
            Self::Avg => "avg",
            Self::Med => "med",
            Self::Max => "max",
            Self::Percentile(percent) => return write!(f, "p({})", percent.0),
        })
    }
}

/// A text that names no statistic of k6.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no statistic of k6 (min, avg, med, max, count, rate, value, passes, fails, p(N))")]
pub struct UnknownStat(pub String);

impl FromStr for Stat {
    type Err = UnknownStat;

    fn from_str(text: &str) -> Result<Self, UnknownStat> {
        let percent = || {
            let inner = text.strip_prefix("p(")?.strip_suffix(')')?.trim();
            Percent::new(inner.parse().ok()?)
        };
        Ok(match text {
            "count" => Self::Count,
            "rate" => Self::Rate,
            "passes" => Self::Passes,
            "fails" => Self::Fails,
            "value" => Self::Value,
            "min" => Self::Min,
            "avg" => Self::Avg,
            "med" => Self::Med,
            "max" => Self::Max,
            _ => Self::Percentile(percent().ok_or_else(|| UnknownStat(text.to_owned()))?),
        })
    }
}

impl TryFrom<String> for Stat {
    type Error = UnknownStat;

    fn try_from(text: String) -> Result<Self, UnknownStat> {
        text.parse()
    }
}

impl From<Stat> for String {
    fn from(stat: Stat) -> Self {
        stat.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_shown() {
        for name in ["count", "min", "avg", "med", "max", "p(50)", "p(95)", "p(99.9)", "p(0)", "p(100)", "rate", "value"] {
            assert_eq!(name.parse::<Stat>().map(|stat| stat.to_string()), Ok(name.to_owned()));
        }
        assert!("p(101)".parse::<Stat>().is_err());
        assert!("p95".parse::<Stat>().is_err());
    }

    #[test]
    fn columns_run_from_small_to_large() {
        let mut stats: Vec<Stat> =
            ["max", "p(95)", "min", "p(99.9)", "avg", "p(5)"].iter().filter_map(|s| s.parse().ok()).collect();
        stats.sort();
        let names: Vec<String> = stats.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["min", "avg", "p(5)", "p(95)", "p(99.9)", "max"]);
    }
}
