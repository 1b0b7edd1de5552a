//! A comparison as a report of `JUnit`: what CI servers show as tests.

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCaseStatus, TestSuite};

use super::words::{NOT_COMPARABLE, Told, by_level, decision, key_difference, nothing_compared, told};
use crate::model::comparison::{Change, Comparability, Comparison, Decision, Presence, TargetComparison};
use crate::render::junit::{case, clean, skipped};

/// The comparison as XML: a suite a target, a test case a metric. A regression fails; what could not be compared or told is skipped,
/// with the reason; an improvement and no change pass. A target with no metric, and a comparison with no target, have one skipped case
/// that says so. What the contract found different, and why it is accepted, is the output of its suite. There is no time in it, so the
/// same comparison gives the same bytes.
///
/// # Errors
/// A defect: the report is XML by construction.
pub fn junit(comparison: &Comparison) -> Result<String, SerializeError> {
    let mut report = Report::new(clean(&format!("plimsoll diff {} {}", comparison.a, comparison.b)));
    report.add_test_suites(comparison.targets.iter().map(suite));
    if comparison.targets.is_empty() {
        let why = nothing_compared(comparison).unwrap_or_default();
        let mut suite = TestSuite::new("plimsoll diff");
        suite.add_test_case(case("plimsoll diff", "comparison", skipped(&why)));
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn suite(target: &TargetComparison) -> TestSuite {
    let mut suite = TestSuite::new(clean(&target.target));
    let changes = target.changes.iter().map(|change| case(&target.target, &change.metric, status(target, change)));
    suite.add_test_cases(changes);
    let missing = target.missing.iter().map(|missing| case(&target.target, &missing.metric, skipped(&missing.reason)));
    suite.add_test_cases(missing);
    let contract: Vec<String> = by_level(target).into_iter().map(|one| clean(&key_difference(one))).collect();
    if !contract.is_empty() {
        suite.set_system_out(contract.join("\n"));
    }
    if suite.test_cases.is_empty() {
        suite.add_test_case(case(&target.target, "comparison", standing(target)));
    }
    suite
}

/// What a target is that has no metric to show.
fn standing(target: &TargetComparison) -> TestCaseStatus {
    match (target.presence, target.contract.verdict) {
        (Presence::New, _) => skipped("new: on the later side only"),
        (Presence::Gone, _) => skipped("gone: on the earlier side only"),
        (Presence::Both, _) if target.same_runs => TestCaseStatus::success(),
        (Presence::Both, Comparability::NotComparable) => skipped(&format!("not comparable: {}", differences(target))),
        (Presence::Both, _) => skipped("the sides have no metric in common"),
    }
}

fn differences(target: &TargetComparison) -> String {
    by_level(target).into_iter().filter(|one| one.accepted.is_none()).map(key_difference).collect::<Vec<_>>().join("; ")
}

fn status(target: &TargetComparison, change: &Change) -> TestCaseStatus {
    let words = told(change);
    let message = message(target, change, &words);
    match change.decision {
        Decision::Regression => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(clean(&message)).set_type("regression");
            let details: Vec<String> = words.notes.iter().map(|note| clean(note)).collect();
            if !details.is_empty() {
                status.set_description(details.join("\n"));
            }
            status
        }
        Decision::Inconclusive | Decision::NotComparable | Decision::New | Decision::Gone => skipped(&message),
        Decision::Improvement | Decision::NoChange => TestCaseStatus::success(),
    }
}

/// `regression: 1,234/s against 980/s, -21% (-26 to -15%)`
fn message(target: &TargetComparison, change: &Change, words: &Told) -> String {
    let values = match change.decision {
        Decision::New => format!("{} on the later side only", words.b),
        Decision::Gone => format!("{} on the earlier side only", words.a),
        _ => format!("{} against {}", words.a, words.b),
    };
    let estimate = if words.change.is_empty() { String::new() } else { format!(", {} ({})", words.change, words.interval) };
    let detectable = words.detectable.as_ref().map(|size| format!("; a change of {size} could have been shown"));
    let counts = words.counts.as_ref().map(|counts| format!("; {counts}"));
    let standing = match (change.decision, target.contract.verdict) {
        (Decision::NotComparable, _) => format!("; {NOT_COMPARABLE}"),
        (one, Comparability::Weakened) if one.is_compared() => "; the runs are not quite alike".to_owned(),
        _ => String::new(),
    };
    let (detectable, counts) = (detectable.unwrap_or_default(), counts.unwrap_or_default());
    format!("{}: {values}{estimate}{detectable}{counts}{standing}", decision(change.decision))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quick_xml::Reader;
    use quick_xml::events::{BytesStart, Event};

    use super::*;
    use crate::render::comparison::made_up;

    fn xml(comparison: &Comparison) -> String {
        junit(comparison).unwrap_or_else(|error| unreachable!("{error}"))
    }

    #[test]
    fn every_decision_is_a_case() {
        insta::assert_snapshot!(xml(&made_up::everything()));
    }

    #[test]
    fn no_name_breaks_the_report() {
        insta::assert_snapshot!(xml(&made_up::hostile()));
    }

    #[test]
    fn nothing_to_compare_is_a_case_that_says_so() {
        insta::assert_snapshot!(xml(&made_up::nothing()));
    }

    /// Cases, failures and skipped ones as the attributes of an element have them.
    fn totals(element: &BytesStart<'_>) -> [usize; 3] {
        ["tests", "failures", "skipped"].map(|name| {
            let value = element.try_get_attribute(name).ok().flatten().map(|attribute| attribute.value.into_owned());
            value.and_then(|value| String::from_utf8(value).ok()?.parse().ok()).unwrap_or(usize::MAX)
        })
    }

    /// The totals of the report, those of its suites summed, and what is really in it.
    fn read(text: &str) -> [[usize; 3]; 3] {
        let mut found = [[0; 3]; 3];
        let mut reader = Reader::from_str(text);
        loop {
            match reader.read_event().unwrap_or_else(|error| unreachable!("{error}: {text}")) {
                Event::Start(element) | Event::Empty(element) => match element.name().as_ref() {
                    b"testsuites" => found[0] = totals(&element),
                    b"testsuite" => {
                        let totals = totals(&element);
                        found[1].iter_mut().zip(totals).for_each(|(sum, one)| *sum += one);
                    }
                    b"testcase" => found[2][0] += 1,
                    b"failure" => found[2][1] += 1,
                    b"skipped" => found[2][2] += 1,
                    b"system-out" => {}
                    other => unreachable!("{other:?}"),
                },
                Event::Eof => return found,
                _ => {}
            }
        }
    }

    proptest! {
        #[test]
        fn totals_are_sums(comparison in made_up::any()) {
            let text = xml(&comparison);
            let [whole, suites, counted] = read(&text);
            prop_assert_eq!(whole, suites);
            prop_assert_eq!(whole, counted);
            prop_assert!(whole[0] > 0);
            let regressions = comparison.targets.iter().flat_map(|target| &target.changes);
            prop_assert_eq!(whole[1], regressions.filter(|change| change.decision == Decision::Regression).count());
            prop_assert_eq!(&text, &xml(&comparison));
            prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        }
    }
}
