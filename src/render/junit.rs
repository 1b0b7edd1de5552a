//! Parts of a report of `JUnit` that every report has.

use quick_junit::{TestCase, TestCaseStatus};

use crate::render::markup::on_one_line;

/// A case that was not decided, with the reason.
pub(super) fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(clean(why));
    status
}

/// A case of a class.
pub(super) fn case(class: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(clean(name), status);
    case.set_classname(clean(class));
    case
}

/// The text on one line, without letters that XML forbids.
pub(super) fn clean(text: &str) -> String {
    on_one_line(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
