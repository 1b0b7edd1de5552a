//! Findings as a report of `JUnit`.

use quick_junit::{NonSuccessKind, Report as Xml, SerializeError, TestCaseStatus, TestSuite};

use super::Report;
use crate::model::finding::{Finding, Level};
use crate::render::junit::{case, clean, skipped};

/// The findings as XML: a suite a run, a test case a finding. An error fails; a warning, a note and what is accepted are skipped, with the message; a
/// run without a finding has one case that passes. There is no time in it, so the same findings give the same bytes.
///
/// # Errors
/// A defect: the report is XML by construction.
pub fn junit(report: &Report<'_>) -> Result<String, SerializeError> {
    let mut xml = Xml::new("plimsoll audit");
    xml.add_test_suites(places(report).iter().map(|place| suite(place, report)));
    xml.to_string()
}

/// Releases with findings of their own, and all runs, in order.
fn places(report: &Report<'_>) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for run in report.runs {
        let release = run.split('/').next().unwrap_or_default();
        let has_own = report.findings.iter().any(|one| one.run.is_none() && one.release == release);
        if has_own && !places.iter().any(|place| place == release) {
            places.push(release.to_owned());
        }
        places.push(run.clone());
    }
    // What belongs to no run that was looked at: pages of no release.
    for place in report.findings.iter().map(Finding::place) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn suite(place: &str, report: &Report<'_>) -> TestSuite {
    let mut suite = TestSuite::new(clean(place));
    let findings = report.findings.iter().filter(|one| one.place() == place);
    suite.add_test_cases(findings.map(|one| case(place, &one.code, status(one, report))));
    if suite.test_cases.is_empty() {
        suite.add_test_case(case(place, "audit", TestCaseStatus::success()));
    }
    suite
}

fn status(finding: &Finding, report: &Report<'_>) -> TestCaseStatus {
    let message = format!("{}: {}", report.title(finding), finding.message);
    if let Some(reason) = &finding.accepted {
        return skipped(&format!("accepted ({reason}): {message}"));
    }
    if finding.level != Level::Error {
        return skipped(&format!("{}: {message}", finding.level));
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(clean(&message)).set_type(finding.level.name()).set_description(clean(&finding.hint));
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::findings::made_up;

    #[test]
    fn every_finding_is_a_case_and_a_clean_run_passes() {
        insta::assert_snapshot!(made_up::with(|report| junit(report).unwrap_or_else(|error| unreachable!("{error}"))));
    }
}
