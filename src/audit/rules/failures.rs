//! Whether failures are told, and whether what is told adds up.

use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::finding::Level;
use crate::model::page::{self, PageRow};
use crate::model::record::{ErrorKind, Errors, StatedShare};
use crate::model::stat::Stat;
use crate::model::summary::SummaryKind;
use crate::model::units::{self, Unit, show, show_count};

/// Failures that the page says nothing of.
pub(super) const UNTOLD: Rule = Rule {
    code: "failures-untold",
    level: Level::Error,
    title: "The page does not tell of failures",
    reason: "At least 1% of the requests or checks failed, and the page's row of errors counts none: a reader takes the run for a good one. Latencies and \
             throughput of such a run are those of failures too.",
    hint: "count the failures in the row of errors, by kind, and say what they are",
    look: Scope::Run(|subject| one(untold(subject, |share| share >= WORTH_AN_ERROR))),
};

/// A few failures that the page does not count.
pub(super) const UNCOUNTED: Rule = Rule {
    code: "failures-uncounted",
    level: Level::Note,
    title: "The page does not count its few failures",
    reason: "Requests or checks failed, less than 1% of them, and the page's row of errors counts none. Few is not none: a burst at the start, a time-out a \
             minute and a defect look alike until they are counted.",
    hint: "count the failures in the row of errors, by kind",
    look: Scope::Run(|subject| one(untold(subject, |share| share < WORTH_AN_ERROR))),
};

/// The share of failures from which to keep silent about them is an error.
const WORTH_AN_ERROR: f64 = 0.01;

/// So many of so many, of what.
#[derive(Clone, Copy)]
struct Share {
    what: &'static str,
    failed: f64,
    all: f64,
}

impl Share {
    fn ratio(self) -> f64 {
        self.failed / self.all
    }

    /// `85,379 of 199,261 checks (42.8%)`.
    fn text(self) -> String {
        let counts = format!("{} of {} {}", units::show_number(self.failed), units::show_number(self.all), self.what);
        format!("{counts} ({})", show(self.ratio(), Unit::Ratio))
    }

    fn on(self, found: Found) -> Found {
        let failed = found.with(format!("failed_{}", self.what), self.failed, Unit::Count);
        failed.with(self.what, self.all, Unit::Count)
    }
}

/// Failed requests and failed checks by k6, where there are some.
fn failures(subject: &Subject<'_>) -> Vec<Share> {
    let rate = |metric: &str| Some((subject.value(metric, Stat::Passes)?, subject.value(metric, Stat::Fails)?));
    // A sample of http_req_failed is true when the request failed; one of checks when the check held.
    let requests = rate("http_req_failed").map(|(failed, fine)| Share { what: "requests", failed, all: failed + fine });
    let checks = rate("checks").map(|(held, failed)| Share { what: "checks", failed, all: held + failed });
    [requests, checks].into_iter().flatten().filter(|share| share.failed > 0.0 && share.all.is_finite()).collect()
}

fn untold(subject: &Subject<'_>, is_meant: fn(f64) -> bool) -> Option<Found> {
    let failures = failures(subject);
    let worst = failures.iter().map(|share| share.ratio()).fold(0.0, f64::max);
    let is_page = subject.record().provenance.iter().any(|input| input.kind == page::KIND);
    if failures.is_empty()
        || !is_page
        || subject.record().failures.is_some()
        || counts_any(&subject.record().errors)
        || !is_meant(worst)
    {
        return None;
    }
    let told = failures.iter().map(|share| share.text()).collect::<Vec<_>>().join(" and ");
    let row = if has_words(subject) { "the row of errors has no number of them" } else { "the row of errors is empty" };
    Some(failures.iter().fold(Found::new(format!("{told} failed, and {row}")), |found, share| share.on(found)))
}

/// Whether the row of errors has words.
fn has_words(subject: &Subject<'_>) -> bool {
    subject.record().notes.iter().any(|note| note.place == PageRow::Errors.place())
}

fn counts_any(errors: &Errors) -> bool {
    errors.requests.is_some()
        || errors.checks.is_some()
        || !errors.kinds.is_empty()
        || !errors.failed_checks.is_empty()
        || errors.none
}

/// No errors are claimed, and there are some.
pub(super) const NONE_BUT_FAILED: Rule = Rule {
    code: "none-but-failed",
    level: Level::Error,
    title: "The page says that nothing failed, and something did",
    reason: "The row of errors says none, and k6 counts failed requests or checks.",
    hint: "count the failures in the row of errors, by kind",
    look: Scope::Run(none_but_failed),
};

fn none_but_failed(subject: &Subject<'_>) -> Vec<Found> {
    let failures = failures(subject);
    one((subject.record().errors.none && !failures.is_empty()).then(|| {
        let told = failures.iter().map(|share| share.text()).collect::<Vec<_>>().join(" and ");
        failures
            .iter()
            .fold(Found::new(format!("the page says that nothing failed, and {told} did")), |found, share| share.on(found))
    }))
}

/// Counts of one thing that differ.
pub(super) const COUNTS_DISAGREE: Rule = Rule {
    code: "counts-disagree",
    level: Level::Error,
    title: "Two counts of the same thing differ",
    reason: "Counts are exact. Every request is counted once in http_reqs and once in http_req_failed; every failed check once in checks and once under its \
             name; and what a page states of k6's counts is a copy. A difference means that numbers of two runs, or of two states of one, stand together.",
    hint: "take all counts from one output of k6",
    look: Scope::Run(counts_disagree),
};

fn counts_disagree(subject: &Subject<'_>) -> Vec<Found> {
    let errors = &subject.record().errors;
    let by_k6 = failures_and_totals(subject);
    let stated = |what: &str, share: Option<&StatedShare>| {
        let known = by_k6.iter().find(|known| known.what == what)?;
        let share = share.filter(|share| differs(share.count, known.failed) || differs(share.of, known.all))?;
        let given = format!("{} of {} {what}", show_count(share.count), show_count(share.of));
        let found = Found::new(format!("the page has {given} failed, k6 {}", known.text()));
        Some(known.on(found).with(format!("stated.failed_{what}"), share.count as f64, Unit::Count))
    };
    let pages = [stated("requests", errors.requests.as_ref()), stated("checks", errors.checks.as_ref())];
    pages.into_iter().chain([requests_twice(subject), checks_by_name(subject)]).flatten().collect()
}

/// Failed and all requests and checks by k6, also where none failed.
fn failures_and_totals(subject: &Subject<'_>) -> Vec<Share> {
    let rate = |metric: &str| Some((subject.value(metric, Stat::Passes)?, subject.value(metric, Stat::Fails)?));
    let requests = rate("http_req_failed").map(|(failed, fine)| Share { what: "requests", failed, all: failed + fine });
    let checks = rate("checks").map(|(held, failed)| Share { what: "checks", failed, all: held + failed });
    [requests, checks].into_iter().flatten().collect()
}

fn differs(stated: u64, counted: f64) -> bool {
    units::whole(counted).is_some_and(|counted| counted != stated)
}

fn requests_twice(subject: &Subject<'_>) -> Option<Found> {
    let counted = subject.value("http_reqs", Stat::Count)?;
    let known = failures_and_totals(subject).into_iter().find(|known| known.what == "requests")?;
    (units::whole(counted)? != units::whole(known.all)?).then(|| {
        let message = format!(
            "http_reqs counts {} requests, http_req_failed {}",
            units::show_number(counted),
            units::show_number(known.all)
        );
        Found::new(message).with("http_reqs", counted, Unit::Count).with("http_req_failed", known.all, Unit::Count)
    })
}

fn checks_by_name(subject: &Subject<'_>) -> Option<Found> {
    let k6 = subject.k6()?;
    let known = failures_and_totals(subject).into_iter().find(|known| known.what == "checks")?;
    let named: u64 = k6.checks.iter().map(|check| check.fails).sum::<Option<u64>>()?;
    (!k6.checks.is_empty() && differs(named, known.failed)).then(|| {
        let message =
            format!("{} failed by their names, {} in all", units::show_counted(named, "check"), units::show_number(known.failed));
        Found::new(message).with("failed_checks_by_name", named as f64, Unit::Count).with(
            "failed_checks",
            known.failed,
            Unit::Count,
        )
    })
}

/// Kinds of failures that do not add up.
pub(super) const KINDS_SUM: Rule = Rule {
    code: "error-kinds-sum",
    level: Level::Error,
    title: "The kinds of failures do not add up",
    reason: "The row of errors tells failures by kind. Together they are more, or fewer, than what failed: some are counted twice, or missing.",
    hint: "count what is left over as a kind of its own",
    look: Scope::Run(kinds_sum),
};

fn kinds_sum(subject: &Subject<'_>) -> Vec<Found> {
    let errors = &subject.record().errors;
    let sum = |what: &str, all: Option<&StatedShare>, kinds: &[ErrorKind]| {
        let counted = kinds.iter().map(|kind| kind.count).fold(0_u64, u64::saturating_add);
        let all = all.filter(|all| !kinds.is_empty() && all.count != counted)?;
        let message = format!("{} {what} failed, and {} by kind", show_count(all.count), show_count(counted));
        let found = Found::new(message).with(format!("failed_{what}"), all.count as f64, Unit::Count);
        Some(found.with(format!("failed_{what}_by_kind"), counted as f64, Unit::Count))
    };
    let requests = sum("requests", errors.requests.as_ref(), &errors.kinds);
    let checks = sum("checks", errors.checks.as_ref(), &errors.failed_checks);
    [requests, checks].into_iter().flatten().collect()
}

/// Failures behind a 0.00%.
pub(super) const HIDDEN: Rule = Rule {
    code: "hidden-failures",
    level: Level::Note,
    title: "0.00% hides failures",
    reason: "k6 cuts percentages to two digits: a share of failures below 0.01% is printed as 0.00%, however many they are. A reader takes that for none.",
    hint: "print the count beside the percentage, or `< 0.01%`",
    look: Scope::Run(hidden),
};

fn hidden(subject: &Subject<'_>) -> Vec<Found> {
    let is_printed = subject.k6().is_some_and(|k6| k6.source.kind == SummaryKind::Text);
    // k6 cuts v x 100 to two digits, so everything below 0.01%.
    let small: Vec<Share> = failures(subject).into_iter().filter(|share| is_printed && share.ratio() < 1e-4).collect();
    one((!small.is_empty()).then(|| {
        let told = small.iter().map(|share| {
            let counts = format!("{} of {} {}", units::show_number(share.failed), units::show_number(share.all), share.what);
            format!("{counts} ({})", rarity(share.ratio()))
        });
        let message = format!("0.00% is printed for failures of {}", told.collect::<Vec<_>>().join(" and "));
        small.iter().fold(Found::new(message), |found, share| share.on(found))
    }))
}

/// A small share as one in how many.
fn rarity(ratio: f64) -> String {
    format!("1 in {}", units::show_count(units::cut((1.0 / ratio).round())))
}
