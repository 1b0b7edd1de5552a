//! Values of samples: whole millionths where they can be, so that sums are exact, else the double itself.

use super::exact::ExactSum;

/// The value of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// A whole number of millionths: everything that `%f` prints, below 9e12 of the unit.
    Millionths(i64),
    /// Another finite number, as the nearest double.
    Double(f64),
    /// `+Inf`, `-Inf` or `NaN`.
    NotFinite,
}

/// Digits before the point of a number that is read directly: with six more behind it, it still fits.
const MOST_DIGITS: usize = 12;

impl Number {
    /// The number as a double: the nearest to what was written.
    pub(super) fn get(self) -> Option<f64> {
        match self {
            Self::Millionths(millionths) => Some(double(millionths)),
            Self::Double(double) => Some(double),
            Self::NotFinite => None,
        }
    }

    /// The nearest whole number of millionths; of no number none.
    pub(super) fn millionths(self) -> i128 {
        match self {
            Self::Millionths(millionths) => i128::from(millionths),
            // So far beyond all counts that no sum of them overflows.
            #[allow(clippy::cast_possible_truncation, reason = "clamped to thirty digits")]
            Self::Double(double) => (double * 1e6).round().clamp(-1e30, 1e30) as i128,
            Self::NotFinite => 0,
        }
    }

    /// Whether k6 takes it for true in a rate: anything but zero.
    pub(super) fn is_true(self) -> bool {
        self.get().is_none_or(|value| value != 0.0)
    }
}

/// Millionths as the nearest double of the unit. Up to 2^53 millionths the quotient alone rounds; above it the number
/// itself would round first, so that bytes counted in whole numbers came out with a fraction.
#[inline]
pub(super) fn double(millionths: i64) -> f64 {
    const EXACT: u64 = 1 << 53;
    if millionths.unsigned_abs() <= EXACT { millionths as f64 / 1e6 } else { nearest(i128::from(millionths)) }
}

/// Any number of millionths as the nearest double of the unit, by way of its digits.
fn nearest(millionths: i128) -> f64 {
    let sign = if millionths < 0 { "-" } else { "" };
    let (whole, fraction) = (millionths.unsigned_abs() / 1_000_000, millionths.unsigned_abs() % 1_000_000);
    format!("{sign}{whole}.{fraction:06}").parse().unwrap_or(f64::NAN)
}

/// The digits of what Go's `%f` prints before a comma, `12.345678,`, not yet a number.
#[derive(Clone, Copy)]
pub(super) struct Digits {
    negative: bool,
    /// Those before the point, at the end of eight bytes of 0 to 9.
    whole: u64,
    /// The six behind it, likewise.
    fraction: u64,
}

/// Finds the digits of a value, and the place behind its comma. `None` for everything else than `%f`, and for values of
/// more than eight digits before the point, seven behind a sign; then [`parse`] may know it.
///
/// Digits are taken eight at a time in one register (D. Lemire, "Quickly parsing eight digits", 2018): how many there are
/// before the point differs from row to row, and a loop over them would guess wrong at every row.
#[inline]
pub(super) fn digits(bytes: &[u8], start: usize) -> Option<(Digits, usize)> {
    // A sign, eight digits, a point, six digits and a comma: most rows have as many bytes left, the last may have fewer.
    let window: &[u8; 17] = bytes.get(start..start + 17)?.first_chunk()?;
    let negative = window[0] == b'-';
    let first = usize::from(negative);
    let head = u64::from_le_bytes(*window[first..].first_chunk()?);
    let point = first_of(head, b'.');
    let tail = u64::from_le_bytes(*window.get(first + point + 1..)?.first_chunk()?);
    // The digits before the point go to the end of the register, the six behind it too; what is before them is zero.
    let whole = (head ^ ZEROS).checked_shl(64 - 8 * u32::try_from(point).ok()?)?;
    let fraction = (tail ^ ZEROS) << 16;
    // Where none of the eight is a point, what follows them may be anything.
    let is_parted = window[first + point] == b'.' && (tail >> 48) & 0xff == u64::from(b',');
    let is_right = is_parted && are_digits(whole, fraction);
    is_right.then_some((Digits { negative, whole, fraction }, start + first + point + 8))
}

impl Digits {
    /// The value in millionths.
    #[inline]
    pub(super) fn millionths(self) -> i64 {
        #[allow(clippy::cast_possible_wrap, reason = "below 10^13")]
        let value = (eight(self.whole) * 1_000_000 + eight(self.fraction)) as i64;
        if self.negative { -value } else { value }
    }
}

const ZEROS: u64 = 0x3030_3030_3030_3030;
const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x8080_8080_8080_8080;

/// The place of the first byte of a value among eight, from 0; 8 where there is none.
fn first_of(word: u64, byte: u8) -> usize {
    let unlike = word ^ (ONES * u64::from(byte));
    let found = unlike.wrapping_sub(ONES) & !unlike & TOPS;
    (found.trailing_zeros() / 8) as usize
}

/// Whether all bytes of two words are 0 to 9.
fn are_digits(a: u64, b: u64) -> bool {
    let above = |word: u64| word.wrapping_add(0x7676_7676_7676_7676) | word;
    (above(a) | above(b)) & TOPS == 0
}

/// The number of eight bytes of 0 to 9, the first the most significant.
fn eight(word: u64) -> u64 {
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
    let (low, high) = (pairs & 0xff_0000_00ff, (pairs >> 16) & 0xff_0000_00ff);
    (low.wrapping_mul(100 + (1_000_000 << 32))).wrapping_add(high.wrapping_mul(1 + (10_000 << 32))) >> 32
}

/// Reads a number as Go writes it in CSV and JSON: `1`, `0.25`, `4e-07`, `9.007e+15`, `+Inf`, `-Inf`, `NaN`.
pub(super) fn parse(text: &str) -> Option<Number> {
    let text = text.trim();
    if matches!(text, "+Inf" | "-Inf" | "Inf" | "NaN") {
        return Some(Number::NotFinite);
    }
    // Rust also takes words for numbers, and Go writes none of those.
    if text.is_empty() || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')) {
        return None;
    }
    if let Some(millionths) = decimal(text).or_else(|| scientific(text)) {
        return Some(Number::Millionths(millionths));
    }
    let value: f64 = text.parse().ok()?;
    Some(if value.is_finite() { Number::Double(value) } else { Number::NotFinite })
}

/// Whether JSON takes a text for a number (RFC 8259, section 6): no zero before other digits, digits on both sides of a point.
pub(super) fn is_json(text: &str) -> bool {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.starts_with('0') {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    match rest.strip_prefix(['e', 'E']) {
        Some(power) => {
            let power = power.strip_prefix(['+', '-']).unwrap_or(power);
            !power.is_empty() && digits(power) == power.len()
        }
        None => rest.is_empty(),
    }
}

/// A plain decimal of up to six digits behind the point.
fn decimal(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > MOST_DIGITS || fraction.len() > 6 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let scale = 10_i64.pow(6 - u32::try_from(fraction.len()).ok()?);
    let fraction: i64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let value = whole.parse::<i64>().ok()? * 1_000_000 + fraction * scale;
    Some(if negative { -value } else { value })
}

/// A whole number of millionths with an exponent: before v2, k6's JSON has one from a million on, `1.234567e+06`.
fn scientific(text: &str) -> Option<i64> {
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let (negative, digits) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = [whole, fraction].concat();
    if whole.is_empty() || digits.len() > MOST_DIGITS + 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Zeros to put behind the digits; where they are too few, the number has parts of a millionth.
    let zeros = exponent.parse::<i32>().ok()?.checked_add(6)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let value = digits.parse::<i64>().ok()?.checked_mul(10_i64.checked_pow(u32::try_from(zeros).ok()?)?)?;
    (value < 10_i64.pow(18)).then_some(if negative { -value } else { value })
}

/// A sum of samples: exact, so that it doesn't depend on their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    millionths: i128,
    doubles: Option<Box<ExactSum>>,
}

impl Sum {
    #[inline]
    pub(super) fn add_millionths(&mut self, millionths: i64) {
        self.millionths += i128::from(millionths);
    }

    pub(super) fn add_double(&mut self, double: f64) {
        self.doubles.get_or_insert_default().add(double);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.millionths += other.millionths;
        if let Some(doubles) = &other.doubles {
            self.doubles.get_or_insert_default().merge(doubles);
        }
    }

    /// The sum as a double.
    pub(super) fn get(&self) -> f64 {
        let millionths = nearest(self.millionths);
        self.doubles.as_ref().map_or(millionths, |doubles| millionths + doubles.get())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_go_prints_is_read_as_the_nearest_double(value in -9e11_f64..9e11) {
            let text = format!("{value:.6}");
            let row = format!("{text},and more of it");
            let nearest: f64 = text.parse().unwrap_or_else(|e| unreachable!("{e}"));
            let Some(Number::Millionths(millionths)) = parse(&text) else { unreachable!() };
            let quick = digits(row.as_bytes(), 0).map(|(digits, end)| (digits.millionths(), end));
            // Eight digits, or seven behind a sign.
            prop_assert_eq!(quick.is_some(), text.trim_start_matches('-').len() <= if value < 0.0 { 14 } else { 15 });
            prop_assert!(quick.is_none_or(|quick| quick == (millionths, text.len() + 1)));
            prop_assert_eq!(double(millionths).to_bits() & !(1 << 63), nearest.to_bits() & !(1 << 63));
        }
    }

    proptest! {
        #[test]
        fn what_is_compared_is_what_would_be_read(
            text in prop_oneof!["-?[0-9]{0,9}[.0-9][0-9]{5,7}", "[-+.0-9x]{1,17}", "-?[0-9]{1,9}\\.[0-9]{6}"],
        ) {
            let row = format!("{text},and more of it");
            if let Some((digits, end)) = digits(row.as_bytes(), 0) {
                prop_assert_eq!((parse(&text), end), (Some(Number::Millionths(digits.millionths())), text.len() + 1));
            }
        }

        #[test]
        fn what_json_takes_for_a_number_is_one(text in "-?[0-9]{0,3}(\\.[0-9]{0,3})?([eE][-+]?[0-9]{0,2})?|[-+0-9.eE]{0,6}") {
            prop_assert_eq!(is_json(&text), serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok(), "{}", text);
        }

        #[test]
        fn an_exponent_is_the_same_number(millionths in -999_999_999_999_999_999_i64..=999_999_999_999_999_999) {
            let value = double(millionths);
            let Some(Number::Millionths(read)) = parse(&format!("{value:e}")) else { return Ok(()) };
            prop_assert_eq!(double(read).to_bits(), value.to_bits());
        }
    }

    #[test]
    fn numbers_of_all_forms() {
        assert_eq!(parse("0"), Some(Number::Millionths(0)));
        assert_eq!(parse("-0.5"), Some(Number::Millionths(-500_000)));
        assert_eq!(parse("4e-07"), Some(Number::Double(4e-7)));
        assert_eq!(parse("9.007e+15"), Some(Number::Double(9.007e15)));
        assert_eq!(parse("1.234567e+06"), Some(Number::Millionths(1_234_567_000_000)));
        assert_eq!(parse("-1.5E-05"), Some(Number::Millionths(-15)));
        assert_eq!(parse("1.2345678901234567e+09"), Some(Number::Double(1_234_567_890.123_456_7)));
        assert_eq!(parse("0.1234567"), Some(Number::Double(0.123_456_7)));
        assert_eq!(parse("1000000000000000000000.000000"), Some(Number::Double(1e21)));
        for text in ["+Inf", "-Inf", "NaN", "1e999"] {
            assert_eq!(parse(text), Some(Number::NotFinite), "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e5e5", "inf", "nan", "infinity", "1,5", "0x1", "1.2.3", "1 2"] {
            assert_eq!(parse(text), None, "{text}");
        }
        for text in [
            "1,",
            "1.5,",
            "1.2345678,",
            "+1.000000,",
            ".500000,",
            "1234567890123.000000,",
            "1x.000000,",
            "1.00000x,",
            "1.000000;",
            "123456789123456,",
            "12345678x123456,",
        ] {
            assert!(digits(format!("{text}and more of it").as_bytes(), 0).is_none(), "{text}");
        }
        let read = |row: &[u8]| digits(row, 0).map(|(digits, end)| (digits.millionths(), end));
        assert_eq!(read(b"0.000001,and more of it"), Some((1, 9)));
        assert_eq!(read(b"-1234567.890123,and more"), Some((-1_234_567_890_123, 16)));
        assert_eq!(read(b"12345678.901234,and more"), Some((12_345_678_901_234, 16)));
    }

    #[test]
    fn a_sum_does_not_depend_on_the_order() {
        let doubles = [1e300, 1.0, -1e300, 1e-300, 0.1, 0.2, -0.3];
        let sum = |values: &mut dyn Iterator<Item = &f64>| {
            let mut sum = Sum::default();
            values.for_each(|value| sum.add_double(*value));
            sum.add_millionths(2_500_000);
            sum.get()
        };
        assert_eq!(sum(&mut doubles.iter()).to_bits(), sum(&mut doubles.iter().rev()).to_bits());
        assert!((sum(&mut doubles.iter()) - 3.5).abs() < 1e-12);
    }
}
