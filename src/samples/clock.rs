//! Times of samples: the six forms that k6's CSV can have, and the one of its JSON.

use chrono::DateTime;

/// How a source writes its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeFormat {
    /// Whole seconds since 1970, cut: k6's default.
    Unix,
    /// Milliseconds.
    Milli,
    /// Microseconds.
    Micro,
    /// Nanoseconds.
    Nano,
    /// RFC 3339, with or without a fraction, with any offset.
    Rfc3339,
}

impl TimeFormat {
    /// How a time is written: digits by their number, since every format of k6 has its own for centuries to come.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        if !text.iter().all(u8::is_ascii_digit) {
            return rfc3339(text).map(|_| Self::Rfc3339);
        }
        match text.len() {
            1..=11 => Some(Self::Unix),
            12..=14 => Some(Self::Milli),
            15..=17 => Some(Self::Micro),
            18 | 19 => Some(Self::Nano),
            _ => None,
        }
    }

    /// Nanoseconds since 1970 of a time in this format.
    pub(super) fn read(self, text: &[u8]) -> Option<i64> {
        let scale = match self {
            Self::Rfc3339 => return rfc3339(text),
            Self::Unix => 1_000_000_000,
            Self::Milli => 1_000_000,
            Self::Micro => 1_000,
            Self::Nano => 1,
        };
        if Self::of(text) != Some(self) {
            return None;
        }
        let mut whole: i64 = 0;
        for digit in text {
            whole = whole.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        }
        whole.checked_mul(scale)
    }

    /// k6's name for it, `K6_CSV_TIME_FORMAT`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unix => "unix",
            Self::Milli => "unix_milli",
            Self::Micro => "unix_micro",
            Self::Nano => "unix_nano",
            Self::Rfc3339 => "rfc3339",
        }
    }

    /// To how many nanoseconds a time can be told; RFC 3339 shows it by its fractions.
    pub(super) fn resolution_ns(self, has_fractions: bool) -> i64 {
        match self {
            Self::Rfc3339 if has_fractions => 1,
            Self::Unix | Self::Rfc3339 => 1_000_000_000,
            Self::Milli => 1_000_000,
            Self::Micro => 1_000,
            Self::Nano => 1,
        }
    }
}

/// Nanoseconds since 1970 of an RFC 3339 time after 1970.
pub(super) fn rfc3339(text: &[u8]) -> Option<i64> {
    let time = DateTime::parse_from_rfc3339(std::str::from_utf8(text).ok()?).ok()?;
    time.timestamp_nanos_opt().filter(|ns| *ns >= 0)
}

#[cfg(test)]
mod tests {
    use super::TimeFormat;

    #[test]
    fn every_form_is_told_and_read() {
        let second = 1_796_027_482_000_000_000;
        for (text, name, ns) in [
            ("1796027482", "unix", second),
            ("1796027482123", "unix_milli", second + 123_000_000),
            ("1796027482123456", "unix_micro", second + 123_456_000),
            ("1796027482123456789", "unix_nano", second + 123_456_789),
            ("2026-11-30T08:31:22Z", "rfc3339", second),
            ("2026-11-30T09:31:22+01:00", "rfc3339", second),
            ("2026-11-30T08:31:22.12Z", "rfc3339", second + 120_000_000),
        ] {
            let format = TimeFormat::of(text.as_bytes()).unwrap_or_else(|| unreachable!("{text}"));
            assert_eq!((format.name(), format.read(text.as_bytes())), (name, Some(ns)), "{text}");
        }
        for text in ["", "-1", "yesterday", "12345678901234567890", "1.5", "1969-12-31T23:59:59Z"] {
            assert_eq!(TimeFormat::of(text.as_bytes()), None, "{text}");
        }
        assert_eq!(TimeFormat::Unix.read(b"1796027482123"), None);
    }
}
