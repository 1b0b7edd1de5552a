//! The rules, by what they look at.

mod captures;
mod failures;
mod flags;
mod instances;
mod k6;
mod likeness;
mod load;
mod series;
mod server;
mod stated;
mod trends;
mod window;
mod words;

use super::evidence::rules as evidence;
use super::rule::Rule;

/// All rules, in the order in which the method pages have them.
pub const RULES: &[&Rule] = &[
    &stated::STATED_DIFFERS,
    &super::claims::CLAIM_DIFFERS,
    &super::claims::RELEASE_DIFFERS,
    &k6::FOREIGN_OUTPUT,
    &k6::VERSION_LAYOUT,
    &load::LITTLES_LAW,
    &load::ABORTED,
    &load::INTERRUPTED,
    &load::CLOCK_BEYOND_DURATION,
    &load::RATE_OVER_CLOCK,
    &load::CLIENT_TIME,
    &trends::UNEXPLAINED_ITERATION,
    &trends::SINGLE_SAMPLE,
    &trends::FAST_PASSWORD,
    &trends::PERCENTILE_ORDER,
    &failures::UNTOLD,
    &failures::UNCOUNTED,
    &failures::NONE_BUT_FAILED,
    &failures::COUNTS_DISAGREE,
    &failures::KINDS_SUM,
    &failures::HIDDEN,
    &window::LENGTH,
    &window::OVERLAPPING,
    &series::SHORT,
    &series::OFF_START,
    &series::OTHER_DAY,
    &series::UNLIKE_K6,
    &instances::BEYOND_SCALE,
    &instances::VARIED,
    &instances::STARTUPS_WITHOUT_GROWTH,
    &instances::GROWTH_WITHOUT_STARTUPS,
    &instances::CARRIED,
    &instances::CONNECTIONS,
    &server::RATE,
    &server::SLOWER_THAN_CLIENT,
    &server::FASTER_THAN_CLIENT,
    &captures::ORDER,
    &captures::INCOMPLETE,
    &super::complete::NOT_CAPTURED,
    &flags::CAPTURED_LATE,
    &flags::CHANGED_DURING_RUN,
    &flags::UNLIKE_PREVIOUS,
    &flags::WITHIN_RELEASE,
    &likeness::VUS,
    &likeness::BYTES_PER_REQUEST,
    &words::SATURATED_NOT_BOUND,
    &words::PLACEHOLDER,
    &evidence::RECORD,
    &evidence::INPUT,
    &evidence::CANONICAL,
    &evidence::K6_TEXT,
    &evidence::PAGE,
    &evidence::AGAINST,
];

/// A rule by its code.
#[must_use]
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code == code)
}
