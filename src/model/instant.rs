//! Moments as precisely as they were written.
//!
//! Old pages give a time of day without a date, or a date to the minute; neither may be taken for more than it is.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A moment in UTC, to the precision its source gives.
///
/// As text, in JSON: `2026-08-27T16:03:44Z`, `2024-10-22T16:20Z` (the minute), `15:39Z` (some day, 15:39).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Moment {
    /// To the second or better.
    Instant(DateTime<Utc>),
    /// To the minute.
    Minute(DateTime<Utc>),
    /// A time of day; the day is not known.
    TimeOfDay(NaiveTime),
}

impl Moment {
    /// The instant, where the day is known; a minute counts as its beginning.
    #[must_use]
    pub fn instant(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Instant(at) | Self::Minute(at) => Some(at),
            Self::TimeOfDay(_) => None,
        }
    }

    /// As benchmark pages write it: `2026-08-27 16:03:44 UTC`, `22-10-2024 16:20 UTC`, `15:39 UTC`.
    #[must_use]
    pub fn page_text(self) -> String {
        match self {
            Self::Instant(at) => at.format("%Y-%m-%d %H:%M:%S%.f UTC").to_string(),
            Self::Minute(at) => at.format("%d-%m-%Y %H:%M UTC").to_string(),
            Self::TimeOfDay(time) => time.format("%H:%M UTC").to_string(),
        }
    }
}

/// A text that is no moment in UTC.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no moment (written like `2026-08-27 16:03:44 UTC`, `2026-08-27T16:03:44Z`, `22-10-2024 16:20 UTC` or `15:39 UTC`)"
)]
pub struct NotAMoment(pub String);

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        let text = text.trim();
        if let Ok(at) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self::Instant(at.with_timezone(&Utc)));
        }
        let bare = ["UTC", "Z", "+00:00", "+00"].iter().find_map(|zone| text.strip_suffix(zone)).map(str::trim_end);
        let bare = bare.ok_or_else(|| NotAMoment(text.to_owned()))?.replace('T', " ");
        for format in ["%Y-%m-%d %H:%M:%S%.f", "%d-%m-%Y %H:%M:%S%.f"] {
            if let Ok(at) = NaiveDateTime::parse_from_str(&bare, format) {
                return Ok(Self::Instant(at.and_utc()));
            }
        }
        for format in ["%Y-%m-%d %H:%M", "%d-%m-%Y %H:%M"] {
            if let Ok(at) = NaiveDateTime::parse_from_str(&bare, format) {
                return Ok(Self::Minute(at.and_utc()));
            }
        }
        NaiveTime::parse_from_str(&bare, "%H:%M").map(Self::TimeOfDay).map_err(|_| NotAMoment(text.to_owned()))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instant(at) => write!(f, "{}", at.format("%Y-%m-%dT%H:%M:%S%.fZ")),
            Self::Minute(at) => write!(f, "{}", at.format("%Y-%m-%dT%H:%MZ")),
            Self::TimeOfDay(time) => write!(f, "{}", time.format("%H:%MZ")),
        }
    }
}

impl TryFrom<String> for Moment {
    type Error = NotAMoment;

    fn try_from(text: String) -> Result<Self, NotAMoment> {
        text.parse()
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.to_string()
    }
}

/// The first instant of a date, for tests and made-up runs.
#[must_use]
pub fn day(year: i32, month: u32, day: u32) -> Option<DateTime<Utc>> {
    Some(NaiveDate::from_ymd_opt(year, month, day)?.and_time(NaiveTime::MIN).and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_keeps_its_precision() {
        for (page, json) in [
            ("2026-08-27 16:03:44 UTC", "2026-08-27T16:03:44Z"),
            ("22-10-2024 16:20 UTC", "2024-10-22T16:20Z"),
            ("15:39 UTC", "15:39Z"),
        ] {
            let moment: Moment = page.parse().unwrap_or_else(|e| unreachable!("{e}"));
            assert_eq!(moment.to_string(), json);
            assert_eq!(moment.page_text(), page);
            assert_eq!(json.parse(), Ok(moment));
        }
    }

    #[test]
    fn a_zone_is_wanted() {
        assert!("2026-08-27 16:03:44".parse::<Moment>().is_err());
        assert_eq!("2026-08-27T18:03:44+02:00".parse::<Moment>().map(|m| m.to_string()), Ok("2026-08-27T16:03:44Z".to_owned()));
    }
}
