//! Findings as annotations of GitHub.

use super::Report;
use crate::model::finding::{Finding, Level};
use crate::render::annotation::{MOST, annotation};

/// The findings that nobody accepted as at most 10 lines, the gravest first; the last says how many more there are. Where there is none, a notice
/// says so.
#[must_use]
pub fn github(report: &Report<'_>) -> String {
    let mut open: Vec<&Finding> = report.findings.iter().filter(|one| one.accepted.is_none()).collect();
    open.sort_by_key(|one| one.level);
    let all = open.len();
    let shown = if all > MOST { MOST - 1 } else { all };
    let mut lines: Vec<String> = open[..shown].iter().map(|one| line(one, report)).collect();
    if all > shown {
        let message = format!("{} more not shown here; plimsoll audit shows all: {}", all - shown, report.sentence());
        lines.push(annotation("notice", "plimsoll audit", &message));
    }
    if all == 0 {
        lines.push(annotation("notice", "plimsoll audit", &report.sentence()));
    }
    lines.concat()
}

fn line(finding: &Finding, report: &Report<'_>) -> String {
    let level = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let title = format!("{} in {}", finding.code, finding.place());
    annotation(level, &title, &format!("{}: {}. {}", report.title(finding), finding.message, finding.hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::findings::made_up;

    #[test]
    fn the_gravest_come_first_and_no_name_ends_a_line() {
        insta::assert_snapshot!(made_up::with(github));
    }

    #[test]
    fn of_many_the_last_line_counts_the_others() {
        let text = made_up::with_many(40, github);
        assert_eq!(text.lines().count(), MOST);
        assert!(text.contains("31 more not shown here"), "{text}");
    }

    #[test]
    fn nothing_to_say_is_said_in_a_notice() {
        let report = Report { findings: &[], runs: &["v1/a".to_owned()], about: &|_| None };
        assert_eq!(github(&report), "::notice title=plimsoll audit::0 errors, 0 warnings and 0 notes in 1 run\n");
    }
}
