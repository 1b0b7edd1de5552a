//! Units, and numbers as people write them.
//!
//! Everything is kept in base units: milliseconds, bytes, ratios 0..1, counts, events per second or minute. A written
//! number (`35%`, `1.8s`, `9,391 req/s`, `32Gib`) is read together with the interval its rounding allows: half a unit
//! of its last digit each way. Whole counts are exact.

mod change;
mod shown;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::change::{show_change, show_change_within, show_points, show_points_within};
pub use self::shown::{show, show_count, show_counted, show_number, show_traffic};
use self::shown::{show_ratio, show_size, show_time};
use super::bounds::Bounds;

/// What a number of the record is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A share, 0..1; may exceed 1 where a source lets it.
    Ratio,
    /// Milliseconds.
    Ms,
    /// Bytes.
    Bytes,
    /// Things counted.
    Count,
    /// Events per second.
    PerSecond,
    /// Events per minute.
    PerMinute,
}

impl Unit {
    /// How the unit is called in the catalogue.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Ms => "ms",
            Self::Bytes => "bytes",
            Self::Count => "count",
            Self::PerSecond => "per-second",
            Self::PerMinute => "per-minute",
        }
    }

    /// What a value of it is, in words.
    #[must_use]
    pub fn wanted(self) -> &'static str {
        match self {
            Self::Ratio => "a share",
            Self::Ms => "a time",
            Self::Bytes => "a size",
            Self::Count => "a count",
            Self::PerSecond => "a number per second",
            Self::PerMinute => "a number per minute",
        }
    }

    /// How people may write a value of it.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::Ratio => "97%",
            Self::Ms => "1.8s",
            Self::Bytes => "6 GiB",
            Self::Count => "46",
            Self::PerSecond => "9,391/s",
            Self::PerMinute => "10/min",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A number as somebody wrote it: the value in base units, what its rounding allows, and the digits themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The value, in the unit it was read for.
    pub value: f64,
    /// What the true value can be; the value itself where it is exact.
    pub bounds: Bounds,
    /// The text as written, trimmed.
    pub printed: String,
}

/// A text that is no number of the wanted unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` can't be read as {} (written like `{}`)", unit.wanted(), unit.example())]
pub struct NotANumber {
    /// What was written.
    pub text: String,
    /// What was wanted.
    pub unit: Unit,
}

impl Written {
    /// Reads a text as a number of a unit.
    ///
    /// Digits may be grouped with commas. A ratio wants `%` or is a bare fraction; times take `ns us µs ms s m min h`
    /// and compounds (`1m57s`); sizes take powers of 1000 (`kB MB GB`) and of 1024 (`Ki KiB Kib Mi Gi GiB Gib`, as
    /// people write them); rates take `/s`, `/min` and words before the slash (`req/s`). A bare number is in the base
    /// unit.
    ///
    /// # Errors
    /// [`NotANumber`] if the text is anything else, or not finite.
    pub fn read(text: &str, unit: Unit) -> Result<Self, NotANumber> {
        let printed = text.trim();
        let wrong = || NotANumber { text: printed.to_owned(), unit };
        let (value, bounds) = if unit == Unit::Ms {
            read_time(printed).ok_or_else(wrong)?
        } else {
            let (digits, suffix) = split_number(printed).ok_or_else(wrong)?;
            scaled(digits, scale(suffix, digits, unit).ok_or_else(wrong)?, unit).ok_or_else(wrong)?
        };
        Ok(Self { value, bounds, printed: printed.to_owned() })
    }
}

/// The leading number and what follows it, trimmed. The number has digits, group commas, one point, a sign.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let end = unsigned.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(unsigned.len());
    let digits = &text[..sign + end];
    digits.contains(|c: char| c.is_ascii_digit()).then(|| (digits, text[sign + end..].trim()))
}

/// How many base units one of the written unit is.
fn scale(suffix: &str, digits: &str, unit: Unit) -> Option<f64> {
    match unit {
        Unit::Ratio => match suffix {
            "%" => Some(0.01),
            "" => digits.parse::<f64>().ok().filter(|v| (0.0..=1.0).contains(v)).map(|_| 1.0),
            _ => None,
        },
        Unit::Bytes => size_scale(suffix),
        Unit::Count => suffix.is_empty().then_some(1.0),
        Unit::PerSecond => per_second(suffix, 1.0),
        Unit::PerMinute => per_second(suffix, 60.0),
        Unit::Ms => None,
    }
}

/// A rate's scale: the words before the slash times what stands behind it. A bare number is in the base unit.
fn per_second(suffix: &str, seconds: f64) -> Option<f64> {
    let Some((words, time)) = suffix.rsplit_once('/') else { return suffix.is_empty().then_some(1.0) };
    let time = match time {
        "s" | "sec" | "second" => seconds,
        "min" | "m" | "minute" => seconds / 60.0,
        _ => return None,
    };
    Some(multiple(words.trim())? * time)
}

/// `47k/s` is 47,000; `req`, `tx` and other words count single things. Bytes are no count, and `m` may be anything.
fn multiple(words: &str) -> Option<f64> {
    match words.split_whitespace().next().unwrap_or_default() {
        "k" | "K" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        word if word.len() == 1 || word.starts_with(['k', 'K', 'M', 'G']) => None,
        _ => Some(1.0),
    }
}

/// Bytes in a size unit: `k M G T` are powers of 1000, with an `i` of 1024; letter case and a final `B`/`b` don't matter.
fn size_scale(suffix: &str) -> Option<f64> {
    let lower = suffix.to_ascii_lowercase();
    let stem = lower.strip_suffix('b').unwrap_or(&lower);
    let (stem, base) = stem.strip_suffix('i').map_or((stem, 1000.0_f64), |stem| (stem, 1024.0));
    let power = match stem {
        "" if base < 1001.0 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    Some(base.powi(power))
}

/// The digits of a number without the commas that group its thousands. `None` where a comma does anything else: `61,2`
/// may be 61.2 or a slip, and is never 612.
#[must_use]
pub fn ungrouped(digits: &str) -> Option<String> {
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let mut groups = whole.trim_start_matches(['-', '+']).split(',');
    let first = groups.next().unwrap_or_default();
    let grouped = groups.clone().next().is_some();
    let is_grouping = !grouped || ((1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3));
    (is_grouping && !decimals.contains(',')).then(|| digits.replace(',', ""))
}

/// A number as the whole number it is; `None` if it is none, below zero, or so large that a whole number of its size may
/// have been rounded.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 2^53 was just checked")]
pub fn whole(value: f64) -> Option<u64> {
    (value.fract() == 0.0 && (0.0..9.0e15).contains(&value)).then_some(value as u64)
}

/// A number without its fraction; one below zero is cut to 0, one beyond what is exact to the largest that is.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what an integer holds")]
pub fn cut(number: f64) -> u64 {
    number.clamp(0.0, 9e15) as u64
}

/// Value and rounding interval of plain digits times a scale.
fn scaled(digits: &str, scale: f64, unit: Unit) -> Option<(f64, Bounds)> {
    let plain = ungrouped(digits)?;
    let value = plain.parse::<f64>().ok().filter(|v| v.is_finite())?;
    let decimals = plain.split_once('.').map_or(0, |(_, after)| after.len());
    if unit == Unit::Count && decimals == 0 {
        let counted = value * scale;
        // Beyond 2^53 neighbours become one number.
        let bounds =
            whole(counted.abs()).map_or_else(|| Bounds::new(counted.next_down(), counted.next_up()), |_| Bounds::exact(counted));
        return Some((counted, bounds?));
    }
    let half = 0.5 * 10f64.powi(-i32::try_from(decimals).ok()?);
    let low = value - half;
    // A share or a count of people's making is never below zero, however it was rounded.
    let low = if value >= 0.0 { low.max(0.0) } else { low };
    Some((tidy(value * scale), Bounds::new(tidy(low * scale), tidy((value + half) * scale))?))
}

/// Removes the dust of a decimal scale: `97 * 0.01` is 0.97, not 0.9700000000000001.
fn tidy(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

/// Milliseconds of a time as Go and people write it, compounds included; the last part carries the rounding.
fn read_time(text: &str) -> Option<(f64, Bounds)> {
    let mut rest = text;
    let mut whole = 0.0;
    loop {
        let (digits, after) = split_number(rest)?;
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let suffix = after[..end].trim();
        // Behind a part with a unit a bare number is half a time: `1m57`.
        let scale = time_scale(suffix).filter(|_| !suffix.is_empty() || rest.len() == text.len())?;
        let next = &after[end..];
        if next.is_empty() {
            let (value, bounds) = scaled(digits, scale, Unit::Ms)?;
            return Some((whole + value, Bounds::new(whole + bounds.lo(), whole + bounds.hi())?));
        }
        whole += scaled(digits, scale, Unit::Count)?.0;
        rest = next;
    }
}

/// Milliseconds in a time unit; both code points of the micro sign.
fn time_scale(suffix: &str) -> Option<f64> {
    Some(match suffix {
        "ns" => 1e-6,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1e-3,
        "" | "ms" => 1.0,
        "s" | "sec" => 1e3,
        "m" | "min" => 6e4,
        "h" => 3.6e6,
        "d" => 8.64e7,
        _ => return None,
    })
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $unit:expr, $show:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "f64", into = "f64")]
        #[schemars(with = "f64")]
        pub struct $name(f64);

        impl $name {
            /// The unit it is kept in.
            pub const UNIT: Unit = $unit;

            /// A quantity in its base unit; `None` if not finite.
            #[must_use]
            pub fn new(value: f64) -> Option<Self> {
                value.is_finite().then_some(Self(value))
            }

            /// The number, in the base unit.
            #[must_use]
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = NotANumber;

            fn try_from(value: f64) -> Result<Self, NotANumber> {
                Self::new(value).ok_or_else(|| NotANumber { text: value.to_string(), unit: $unit })
            }
        }

        impl From<$name> for f64 {
            fn from(quantity: $name) -> Self {
                quantity.0
            }
        }

        impl FromStr for $name {
            type Err = NotANumber;

            fn from_str(text: &str) -> Result<Self, NotANumber> {
                Written::read(text, $unit).map(|written| Self(written.value))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let show: fn(f64) -> String = $show;
                f.write_str(&show(self.0))
            }
        }
    };
}

quantity!(
    /// A share.
    Ratio, Unit::Ratio, show_ratio
);
quantity!(
    /// A length of time, in milliseconds.
    Millis, Unit::Ms, show_time
);
quantity!(
    /// A size, in bytes.
    Bytes, Unit::Bytes, show_size
);
quantity!(
    /// A frequency, per second.
    PerSecond, Unit::PerSecond, |v| format!("{}/s", show_number(v))
);

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values read from decimal text are compared as read")]
mod tests {
    use super::*;

    fn read(text: &str, unit: Unit) -> (f64, f64, f64) {
        let written = Written::read(text, unit).unwrap_or_else(|e| unreachable!("{e}"));
        (written.value, written.bounds.lo(), written.bounds.hi())
    }

    #[test]
    fn a_written_number_is_an_interval() {
        assert_eq!(read("35%", Unit::Ratio), (0.35, 0.345, 0.355));
        assert_eq!(read("81.1%", Unit::Ratio), (0.811, 0.8105, 0.8115));
        assert_eq!(read("0%", Unit::Ratio), (0.0, 0.0, 0.005));
        assert_eq!(read("0.97", Unit::Ratio), (0.97, 0.965, 0.975));
        assert_eq!(read("1.8s", Unit::Ms), (1800.0, 1750.0, 1850.0));
        assert_eq!(read("1m57s", Unit::Ms), (117_000.0, 116_500.0, 117_500.0));
        assert_eq!(read("80,085,120", Unit::Count), (80_085_120.0, 80_085_120.0, 80_085_120.0));
        assert_eq!(read("9,391 req/s", Unit::PerSecond), (9391.0, 9390.5, 9391.5));
        assert_eq!(read("47k/s", Unit::PerSecond), (47_000.0, 46_500.0, 47_500.0));
        assert_eq!(read("9.4k req/s", Unit::PerSecond).0, 9_400.0);
        assert_eq!(read("120 req/min", Unit::PerSecond).0, 2.0);
        assert_eq!(read("2/s", Unit::PerMinute).0, 120.0);
        assert_eq!(read("32Gib", Unit::Bytes).0, 32.0 * 1024f64.powi(3));
        assert_eq!(read("64 GB", Unit::Bytes).0, 64e9);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for (text, unit) in [
            ("97", Unit::Ratio),
            ("fast", Unit::Ms),
            ("3 apples", Unit::Count),
            ("", Unit::Bytes),
            ("6 Gx", Unit::Bytes),
            ("61,2%", Unit::Ratio),
            ("1,0000", Unit::Count),
            ("1.000,5", Unit::Count),
            (",5", Unit::Count),
            ("47 kB/s", Unit::PerSecond),
            ("5m/s", Unit::PerSecond),
        ] {
            assert!(Written::read(text, unit).is_err(), "{text}");
        }
        // Nobody can tell what these were meant to be.
        for (text, unit) in [
            ("47,5%", Unit::Ratio),
            ("1,5s", Unit::Ms),
            ("1,00", Unit::Count),
            ("1000,000", Unit::Count),
            (",100", Unit::Count),
            ("1.234,567", Unit::Count),
            ("1m57", Unit::Ms),
        ] {
            assert!(Written::read(text, unit).is_err(), "{text}");
        }
    }

    #[test]
    fn a_count_keeps_all_its_digits() {
        assert_eq!(read("80,085,120,123,457", Unit::Count).0, 80_085_120_123_457.0);
        let (value, lo, hi) = read("9007199254740993", Unit::Count);
        assert!(lo < value && value < hi);
        assert_eq!((whole(7.0), whole(7.5), whole(-1.0), whole(f64::NAN), whole(1e16)), (Some(7), None, None, None, None));
    }
}
