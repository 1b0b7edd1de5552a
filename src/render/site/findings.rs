//! What the audit finds in a run or a release.

use serde::Serialize;

use super::Site;
use super::inline;
use super::method;
use super::view::{Link, plural};
use crate::model::finding::{Finding, Level};

/// A finding in a list.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FindingView {
    pub level: &'static str,
    pub code: String,
    /// Where the rule is explained; empty where nobody knows it.
    pub rule_href: String,
    pub title: &'static str,
    pub message_html: String,
    pub hint: String,
    /// Why the project accepts it; empty where it does not.
    pub accepted: String,
    /// The run, on the page of a release; no link for what all its runs have together, and on its own page.
    pub run: Link,
}

/// A finding on the page of its release, which tells whose it is.
pub(super) fn of_release(site: Site<'_>, finding: &Finding, around: (&str, &[&str])) -> FindingView {
    let link = |run: &String| Link { href: format!("{run}/index.html#findings"), text: run.clone() };
    FindingView { run: finding.run.as_ref().map(link).unwrap_or_default(), ..view(site, finding, around) }
}

/// A finding on the page of its run, which knows the way to the site's root and what can be named on it.
pub(super) fn view(site: Site<'_>, finding: &Finding, (root, anchors): (&str, &[&str])) -> FindingView {
    FindingView {
        level: finding.level.name(),
        title: site.method.rule(&finding.code).map(|rule| rule.title).unwrap_or_default(),
        rule_href: method::rule_href(site.method, &finding.code, root),
        code: finding.code.clone(),
        message_html: inline::html(&finding.message, anchors),
        hint: finding.hint.clone(),
        accepted: finding.accepted.clone().unwrap_or_default(),
        run: Link::default(),
    }
}

/// `2 errors, 1 warning`, of those that nobody accepted; empty where there are none.
pub(super) fn counted<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let mut of_level = [0; Level::ALL.len()];
    for finding in findings.into_iter().filter(|finding| finding.accepted.is_none()) {
        of_level[finding.level as usize] += 1;
    }
    let words = Level::ALL.iter().zip(of_level).filter(|(_, count)| *count > 0);
    let words: Vec<String> = words.map(|(level, count)| plural(count, level.name(), &format!("{level}s"))).collect();
    words.join(", ")
}
