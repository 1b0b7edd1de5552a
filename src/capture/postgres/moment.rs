//! Moments as PostgreSQL writes them, and moments that belong together.

use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::instant::Moment;

/// Names under which people keep the moment of a row; of several the first is taken.
pub(super) const COLUMNS: [&str; 13] = [
    "captured_at",
    "sampled_at",
    "snapshot_at",
    "taken_at",
    "ts",
    "now",
    "sample_time",
    "snapshot_time",
    "timestamp",
    "clock_timestamp",
    "current_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
];

/// Rows further apart than this are of two rounds.
const APART: TimeDelta = TimeDelta::milliseconds(500);

/// What is lost of a moment that was cut to milliseconds, and a little more.
pub(super) const CUT: TimeDelta = TimeDelta::milliseconds(5);

/// Reads `timestamptz` as `psql` prints it with `DateStyle` ISO (`2026-11-30 08:17:44.45978+00`, `...+05:30`) or as JSON has it
/// (RFC 3339). `None` of anything else: a time without a zone is no moment.
pub(super) fn read(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(Moment::Instant(at)) = text.parse() {
        return Some(at);
    }
    // An offset of whole hours has no minutes in PostgreSQL's form.
    let (_, sign) = text.char_indices().rev().map(|(at, c)| (c, at)).find(|(c, _)| matches!(c, '+' | '-'))?;
    let offset = text.get(sign + 1..)?;
    let minutes = if offset.len() == 2 { ":00" } else { "" };
    let full = format!("{}{minutes}", text.replacen(' ', "T", 1));
    full.parse::<Moment>().ok().and_then(Moment::instant)
}

/// Whether two moments of one kind are the same; some tools cut them to milliseconds.
pub(super) fn same(a: Option<DateTime<Utc>>, b: Option<DateTime<Utc>>) -> bool {
    a == b || a.zip(b).is_some_and(|(a, b)| (a - b).abs() < CUT)
}

/// Which of moments in order belong together: ranges of rows less than half a second apart.
pub(super) fn rounds(moments: &[DateTime<Utc>]) -> Vec<Range<usize>> {
    let mut rounds: Vec<Range<usize>> = Vec::new();
    for (at, moment) in moments.iter().enumerate() {
        match rounds.last_mut() {
            Some(round) if *moment - moments[at - 1] < APART => round.end = at + 1,
            _ => rounds.push(at..at + 1),
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_with_any_offset_and_not_without() {
        let utc = read("2026-11-30T08:17:44.459780Z");
        assert!(utc.is_some());
        for text in [
            "2026-11-30 08:17:44.45978+00",
            "2026-11-30 10:17:44.45978+02",
            "2026-11-30 13:47:44.45978+05:30",
            "2026-11-30T04:47:44.45978-03:30",
            "2026-11-30 03:17:44.45978-05",
        ] {
            assert_eq!(read(text), utc, "{text}");
        }
        for text in ["2026-11-30 08:17:44", "2026-11-30", "infinity", "", "08:17+00"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn rows_of_one_round_differ_by_milliseconds() {
        let at = |ms: i64| DateTime::from_timestamp_millis(ms).unwrap_or_default();
        assert_eq!(rounds(&[at(0), at(12), at(499), at(4000), at(4010)]), [0..3, 3..5]);
        assert!(rounds(&[]).is_empty());
    }
}
