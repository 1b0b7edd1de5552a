//! Moments as precisely as they were written.
//!
//! Old pages give a time of day without a date, or a date to the minute; neither may be taken for more than it is.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDateTime, NaiveTime, Utc};
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
        // Four digits of a year: what is written reads back, and hours can be added to it.
        let in_range = |moment: &Self| moment.instant().is_none_or(|at| (0..=9999).contains(&at.year()));
        read(text.trim()).filter(in_range).ok_or_else(|| NotAMoment(text.trim().to_owned()))
    }
}

fn read(text: &str) -> Option<Moment> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(Moment::Instant(at.with_timezone(&Utc)));
    }
    let bare = ["UTC", "Z", "+00:00", "+00"].iter().find_map(|zone| text.strip_suffix(zone))?.trim_end().replace('T', " ");
    let one_of = |formats: [&str; 2]| formats.iter().find_map(|format| NaiveDateTime::parse_from_str(&bare, format).ok());
    if let Some(at) = one_of(["%Y-%m-%d %H:%M:%S%.f", "%d-%m-%Y %H:%M:%S%.f"]) {
        return Some(Moment::Instant(at.and_utc()));
    }
    if let Some(at) = one_of(["%Y-%m-%d %H:%M", "%d-%m-%Y %H:%M"]) {
        return Some(Moment::Minute(at.and_utc()));
    }
    NaiveTime::parse_from_str(&bare, "%H:%M").ok().map(Moment::TimeOfDay)
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
    fn a_year_has_four_digits() {
        for text in
            ["+262142-12-31 23:59:59 UTC", "-262143-01-01 00:00 UTC", "-0001-01-01 00:00:00Z", "9999-12-31T23:59:59-02:00"]
        {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
        assert_eq!("9999-12-31 23:59:59 UTC".parse::<Moment>().map(|m| m.to_string()), Ok("9999-12-31T23:59:59Z".to_owned()));
    }

    #[test]
    fn a_zone_is_wanted() {
        assert!("2026-08-27 16:03:44".parse::<Moment>().is_err());
        assert_eq!("2026-08-27T18:03:44+02:00".parse::<Moment>().map(|m| m.to_string()), Ok("2026-08-27T16:03:44Z".to_owned()));
    }
}
