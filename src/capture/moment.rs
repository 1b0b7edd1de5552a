//! A file that holds one moment and no more, as a script notes when it began: `2026-11-30T08:19:07Z`.

use super::Capture;
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::instant::Moment;
use crate::source::Source;

/// No moment is longer.
const LONGEST: usize = 48;

/// Whether a text is a moment, day and zone included, and nothing else.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    moment(source).is_some()
}

/// Reads a moment.
///
/// # Errors
/// `bad-capture` if the text is anything else.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    moment(source).map(Capture::Moment).ok_or_else(|| {
        let fault = Diagnostic::error("bad-capture", "this is no moment").at(source.at_line(1));
        fault.help("write one like `2026-11-30T08:19:07Z`").into()
    })
}

fn moment(source: &Source) -> Option<chrono::DateTime<chrono::Utc>> {
    let text = source.text().trim();
    match (text.len() <= LONGEST).then(|| text.parse()) {
        Some(Ok(Moment::Instant(at))) => Some(at),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_day_and_a_time_to_the_second() {
        for text in ["2026-11-30T08:19:07Z\n", "2026-11-30T09:19:07.000+01:00", "2026-11-30 08:19:07+00"] {
            let Ok(Capture::Moment(at)) = read(&Source::new("window_start", text)) else { unreachable!("{text}") };
            assert_eq!(at.timestamp(), 1_796_026_747);
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "08:19Z", "2026-11-30", "2026-11-30T08:19:07Z 2026-11-30T08:19:57Z", "1796026747"] {
            assert!(!sniff(&Source::new("a", text)), "{text}");
        }
        assert!(read(&Source::new("a", "soon")).is_err());
    }
}
