//! Numbers as k6 prints them, with what its cutting and rounding allow.
//!
//! The rules are `humanizeValue` of k6, the same from v0.47 to v2.2: times are cut to two decimals of their unit, or to
//! whole seconds from a minute on; with `--summary-time-unit` they are rounded to two decimals of that unit instead;
//! sizes are rounded, in powers of 1000; shares are cut to hundredths of a percent; all else is rounded to six decimals.

use crate::model::bounds::Bounds;

/// A number, and what the true one can be where it is not exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Printed {
    /// The number in its base unit: milliseconds, bytes, a ratio.
    pub(super) value: f64,
    /// What the true value can be; absent where nothing was lost.
    pub(super) bounds: Option<Bounds>,
    /// What it is a number of.
    pub(super) quantity: Quantity,
}

/// What a printed number is a number of, by its suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// A time, in milliseconds.
    Time,
    /// A size, in bytes.
    Data,
    /// A share.
    Share,
    /// A plain number.
    Plain,
}

/// How the times of one summary were shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// Cut: the default.
    Cut,
    /// Rounded to two decimals of one unit (`--summary-time-unit`).
    Rounded,
    /// Either: what is printed does not tell. Bounds allow both.
    Unsure,
}

/// What stands where a number is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    /// A number.
    Number(Printed),
    /// No number, and why.
    Without(&'static str),
}

impl Cell {
    /// Reads one value of a metric line, without its `/s`; `None` if k6 prints no such value.
    pub(super) fn read(text: &str, times: Times) -> Option<Self> {
        Some(match text {
            "Infinity" | "-Infinity" => Self::Without("infinite"),
            "NaN" | "NaN%" => Self::Without("no samples"),
            "" | "undefined" => Self::Without("not in the source"),
            _ => Self::Number(number(text, times)?),
        })
    }
}

fn number(text: &str, times: Times) -> Option<Printed> {
    if let Some(percent) = text.strip_suffix('%') {
        share(percent)
    } else if let Some((digits, unit)) = text.split_once(' ') {
        data(digits, unit)
    } else if text.ends_with('s') {
        time(text, times)
    } else {
        plain(text)
    }
}

/// `digits · 10^power`, the nearest double to the exact decimal.
fn decimal(digits: i128, power: i32) -> Option<f64> {
    format!("{digits}e{power}").parse().ok().filter(|v: &f64| v.is_finite())
}

fn bounds(lo: i128, hi: i128, power: i32) -> Option<Bounds> {
    Bounds::new(decimal(lo, power)?, decimal(hi, power)?)
}

/// A decimal as a whole number of `10^-places`; `None` with more places, or with anything but digits.
fn scaled(text: &str, places: usize) -> Option<i128> {
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = whole.bytes().chain(fraction.bytes());
    if whole.is_empty() || fraction.len() > places || whole.len() > 30 || !digits.clone().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut value: i128 = 0;
    for digit in digits.chain(std::iter::repeat_n(b'0', places - fraction.len())) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    Some(if negative { -value } else { value })
}

fn share(percent: &str) -> Option<Printed> {
    let hundredths = scaled(percent, 2)?;
    let most = if (0..10_000).contains(&hundredths) { hundredths + 1 } else { hundredths };
    Some(Printed {
        value: decimal(hundredths, -4)?,
        bounds: bounds(hundredths, most, -4).filter(|_| most > hundredths),
        quantity: Quantity::Share,
    })
}

/// A size. Below 10 bytes it is printed as it is. Above, it is rounded to one decimal, and where there are none it was
/// rounded twice (666.46 to 666.5 to `667`), so that it can be 0.55 more than the truth.
fn data(digits: &str, unit: &str) -> Option<Printed> {
    let power = 3 * i32::try_from(["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"].iter().position(|u| *u == unit)?).ok()?;
    let millionths = scaled(digits, 20)?;
    let value = decimal(millionths, power - 20)?;
    let bounds = if power == 0 && value < 10.0 {
        None
    } else if digits.contains('.') {
        let tenths = scaled(digits, 1)?;
        bounds(tenths * 10 - 5, tenths * 10 + 5, power - 2)
    } else {
        let whole = scaled(digits, 0)?;
        bounds(whole * 100 - 55, whole * 100 + 50, power - 2)
    };
    Some(Printed { value, bounds, quantity: Quantity::Data })
}

/// The power of ten of a time unit in milliseconds; both code points of the micro sign.
fn time_power(unit: &str) -> Option<i32> {
    Some(match unit {
        "ns" => -6,
        "us" | "\u{b5}s" | "\u{3bc}s" => -3,
        "ms" => 0,
        "s" => 3,
        _ => return None,
    })
}

fn split_unit(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len()))
}

fn time(text: &str, times: Times) -> Option<Printed> {
    let (digits, unit) = split_unit(text);
    let (value, bounds) = match time_power(unit) {
        None => {
            let seconds = clock(text)?;
            (decimal(seconds, 3)?, bounds(seconds, seconds.checked_add(1)?, 3))
        }
        Some(-6) => {
            let whole = scaled(digits, 0)?;
            let (lo, hi) = (if whole > 0 { whole } else { whole - 1 }, if whole < 0 { whole } else { whole + 1 });
            (decimal(whole, -6)?, bounds(lo, hi, -6))
        }
        Some(3) if digits == "0" => (0.0, None),
        Some(power) => {
            let hundredths = scaled(digits, 2)?;
            let (below, above) = match times {
                Times::Cut => (0, 10),
                Times::Rounded => (5, 5),
                Times::Unsure => (5, 10),
            };
            let ten = hundredths.checked_mul(10)?;
            (decimal(hundredths, power - 2)?, bounds(ten - below, ten + above, power - 3))
        }
    };
    Some(Printed { value, bounds, quantity: Quantity::Time })
}

/// Whole seconds of `12m34s`, `25h1m1s`.
fn clock(text: &str) -> Option<i128> {
    let mut rest = text;
    let mut seconds: i128 = 0;
    for (unit, size) in [("h", 3600), ("m", 60), ("s", 1)] {
        let (digits, tail) = split_unit(rest);
        if let Some(tail) = tail.strip_prefix(unit) {
            seconds = seconds.checked_add(scaled(digits, 0)?.checked_mul(size)?)?;
            rest = tail;
        }
    }
    rest.is_empty().then_some(seconds)
}

/// A plain number, rounded to six decimals; from 1e21 on JavaScript's exponent, exact.
fn plain(text: &str) -> Option<Printed> {
    let quantity = Quantity::Plain;
    if text.contains('e') {
        let value = text.parse().ok().filter(|v: &f64| v.is_finite() && v.abs() >= 1e20)?;
        return Some(Printed { value, bounds: None, quantity });
    }
    let millionths = scaled(text, 6)?;
    let ten = millionths.checked_mul(10)?;
    let bounds = bounds(ten - 5, ten + 5, -7).filter(|b| b.lo() < b.hi());
    Some(Printed { value: decimal(millionths, -6)?, bounds, quantity })
}

/// How the times among some values were shortened.
///
/// Rounding to a fixed unit leaves all times in that unit, always with two decimals; cutting drops zeros at the end and
/// never leaves 1000 ms or 60 s in one unit. So a single odd time tells; times that are all alike leave doubt.
pub(super) fn times<'a>(values: impl IntoIterator<Item = &'a str>) -> Times {
    let mut unit = None;
    let mut rounded = false;
    for (digits, suffix) in values.into_iter().map(split_unit) {
        if suffix.is_empty() || !(suffix == "h" || suffix.ends_with('s')) {
            continue;
        }
        let two = digits.split_once('.').is_some_and(|(_, fraction)| fraction.len() == 2);
        if !two || *unit.get_or_insert(suffix) != suffix {
            return Times::Cut;
        }
        let large = digits.parse().is_ok_and(|v: f64| v >= if suffix == "s" { 60.0 } else { 1000.0 });
        rounded |= digits.ends_with('0') || large;
    }
    match (unit, rounded) {
        (None, _) => Times::Cut,
        (Some(_), true) => Times::Rounded,
        (Some(_), false) => Times::Unsure,
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values read from decimal text are compared as read")]
mod tests {
    use super::*;

    fn read(text: &str, times: Times) -> (f64, f64, f64) {
        match Cell::read(text, times) {
            Some(Cell::Number(printed)) => (
                printed.value,
                printed.bounds.map_or(printed.value, Bounds::lo),
                printed.bounds.map_or(printed.value, Bounds::hi),
            ),
            other => unreachable!("{text}: {other:?}"),
        }
    }

    #[test]
    fn times_are_cut() {
        assert_eq!(read("8.19ms", Times::Cut), (8.19, 8.19, 8.2));
        assert_eq!(read("2.04s", Times::Cut), (2040.0, 2040.0, 2050.0));
        assert_eq!(read("1.7s", Times::Cut), (1700.0, 1700.0, 1710.0));
        assert_eq!(read("685.46µs", Times::Cut), (0.685_46, 0.685_46, 0.685_47));
        assert_eq!(read("685.46\u{3bc}s", Times::Cut), (0.685_46, 0.685_46, 0.685_47));
        assert_eq!(read("1us", Times::Cut), (0.001, 0.001, 0.001_01));
        assert_eq!(read("1m57s", Times::Cut), (117_000.0, 117_000.0, 118_000.0));
        assert_eq!(read("1h2m3s", Times::Cut), (3_723_000.0, 3_723_000.0, 3_724_000.0));
        assert_eq!(read("8766h0m0s", Times::Cut).0, 31_557_600_000.0);
        assert_eq!(read("72ns", Times::Cut), (72e-6, 72e-6, 73e-6));
        assert_eq!(read("0s", Times::Cut), (0.0, 0.0, 0.0));
        assert_eq!(read("0ns", Times::Cut), (0.0, -1e-6, 1e-6));
        assert_eq!(read("-5500000ns", Times::Cut), (-5.5, -5.500_001, -5.5));
    }

    #[test]
    fn times_in_a_fixed_unit_are_rounded() {
        assert_eq!(read("8.20ms", Times::Rounded), (8.2, 8.195, 8.205));
        assert_eq!(read("0.01s", Times::Rounded), (10.0, 5.0, 15.0));
        assert_eq!(read("9.21ms", Times::Unsure), (9.21, 9.205, 9.22));
    }

    #[test]
    fn how_times_were_shortened_shows_in_them() {
        assert_eq!(times(["1.23ms", "4.5ms"]), Times::Cut);
        assert_eq!(times(["1.23ms", "4.51s"]), Times::Cut);
        assert_eq!(times(["1.23ms", "4.50ms"]), Times::Rounded);
        assert_eq!(times(["1.23ms", "1004.51ms"]), Times::Rounded);
        assert_eq!(times(["1.23ms", "4.51ms", "7", "1.9 GB"]), Times::Unsure);
        assert_eq!(times(["1m3s"]), Times::Cut);
        assert_eq!(times(["7"]), Times::Cut);
    }

    #[test]
    fn sizes_are_rounded_once_or_twice() {
        assert_eq!(read("1.9 GB", Times::Cut), (1.9e9, 1.85e9, 1.95e9));
        assert_eq!(read("667 kB", Times::Cut), (667e3, 666_450.0, 667_500.0));
        assert_eq!(read("0.5 B", Times::Cut), (0.5, 0.5, 0.5));
        assert_eq!(read("1000 kB", Times::Cut).0, 1e6);
    }

    #[test]
    fn shares_are_cut_and_plain_numbers_rounded() {
        assert_eq!(read("28.99%", Times::Cut), (0.2899, 0.2899, 0.29));
        assert_eq!(read("0.00%", Times::Cut), (0.0, 0.0, 0.0001));
        assert_eq!(read("100.00%", Times::Cut), (1.0, 1.0, 1.0));
        assert_eq!(read("12.285714", Times::Cut), (12.285_714, 12.285_713_5, 12.285_714_5));
        assert_eq!(
            read("3.7034999999999996e+21", Times::Cut),
            (3.703_499_999_999_999_6e21, 3.703_499_999_999_999_6e21, 3.703_499_999_999_999_6e21)
        );
        assert_eq!(read("370370367037037100000", Times::Cut).0, 370_370_367_037_037_100_000.0);
    }

    #[test]
    fn what_is_no_number_says_why_or_is_refused() {
        assert_eq!(Cell::read("Infinity", Times::Cut), Some(Cell::Without("infinite")));
        assert_eq!(Cell::read("NaN%", Times::Cut), Some(Cell::Without("no samples")));
        for text in
            ["x", "1.2.3", "5 apples", "1m2", "-", "1,5", "12e", "99999999999999999999999999999999999", "1.234ms", "s", "1e5"]
        {
            assert_eq!(Cell::read(text, Times::Cut), None, "{text}");
        }
    }
}
