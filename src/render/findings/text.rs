//! Findings for a terminal.

use super::Report;
use crate::model::finding::{Finding, Level};
use crate::render::markup::on_one_line;
use crate::terminal::wrapped;

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What is an error; the rest is counted.
    Grave,
    /// What does not fit.
    Brief,
    /// Also why that matters, what to do, and what is accepted.
    Whole,
}

/// Where the words of a finding begin.
const INDENT: usize = 11;

/// The findings by run, the gravest first, and how many there are.
#[must_use]
pub fn text(report: &Report<'_>, detail: Detail) -> String {
    let mut out = String::new();
    let mut place = String::new();
    let shown = report.findings.iter().filter(|one| match detail {
        Detail::Whole => true,
        Detail::Brief => one.accepted.is_none(),
        Detail::Grave => one.accepted.is_none() && one.level == Level::Error,
    });
    for finding in shown {
        if finding.place() != place {
            if !place.is_empty() {
                out.push('\n');
            }
            place = finding.place();
            out.push_str(&line(&place, 0));
        }
        out.push_str(&one(finding, report, detail));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out + &line(&report.sentence(), 0)
}

fn one(finding: &Finding, report: &Report<'_>, detail: Detail) -> String {
    let level = finding.level.name();
    let mut out = line(&format!("  {level:<9}{}", finding.message), INDENT);
    let code = format!("{:INDENT$}{}: {}", "", finding.code, report.title(finding));
    out.push_str(&line(&code, INDENT));
    let beside = |text: &str| line(&format!("{:INDENT$}{text}", ""), INDENT);
    if let Some(reason) = &finding.accepted {
        out.push_str(&beside(&format!("accepted: {reason}")));
    }
    if detail == Detail::Whole {
        let reason = (report.about)(&finding.code).map(|about| about.reason).unwrap_or_default();
        out.push_str(&beside(reason));
        out.push_str(&beside(&format!("what to do: {}", finding.hint)));
    }
    out
}

fn line(text: &str, hanging: usize) -> String {
    wrapped(&on_one_line(text), hanging) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::findings::made_up;

    #[test]
    fn findings_are_told_by_run_and_counted() {
        insta::assert_snapshot!(made_up::with(|report| text(report, Detail::Brief)));
        insta::assert_snapshot!(made_up::with(|report| text(report, Detail::Whole)));
    }

    #[test]
    fn nothing_found_is_said() {
        let report = Report { findings: &[], runs: &["v1/a".to_owned()], about: &|_| None };
        assert_eq!(text(&report, Detail::Brief), "0 errors, 0 warnings and 0 notes in 1 run\n");
    }
}
