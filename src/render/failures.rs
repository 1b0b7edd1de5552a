//! What failed, for a terminal and for programs.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::model::failures::{CheckResult, Failures, Origin, Phase, Population, Shape};
use crate::model::instant::Moment;
use crate::model::units::{Unit, show, show_count, show_counted};
use crate::render::markup::on_one_line;
use crate::terminal::wrapped;

/// The columns of a terminal that a line should fit.
const COLUMNS: usize = 80;

/// How many lines of a message are shown.
const MESSAGE_LINES: usize = 3;

/// How many methods, and how many names, are shown; the JSON has all.
const NAMED: usize = 5;

/// The failures as a program reads them: the shape of [`Failures`], indented, with a line break at the end.
///
/// # Errors
/// A defect: the shape is JSON by construction.
pub fn json(failures: &Failures) -> serde_json::Result<String> {
    serde_json::to_string_pretty(failures).map(|text| text + "\n")
}

/// The failures as lines of 80 columns without colour, ending in a line break: how many requests failed, then the
/// populations, then the checks that failed. Phases have headings where a request failed outside of the test.
#[must_use]
pub fn text(failures: &Failures) -> String {
    let mut parts = vec![headline(failures)];
    let phases: Vec<(Phase, Vec<&Population>)> = [Phase::Setup, Phase::Test, Phase::Teardown]
        .into_iter()
        .map(|phase| (phase, failures.populations.iter().filter(|one| one.phase == phase).collect::<Vec<_>>()))
        .filter(|(_, populations)| !populations.is_empty())
        .collect();
    let only_the_test = phases.iter().all(|(phase, _)| *phase == Phase::Test);
    let width = widest(failures.populations.iter().map(|one| show_count(one.count)));
    for (phase, populations) in &phases {
        if !only_the_test {
            parts.push(heading(*phase, populations));
        }
        parts.extend(populations.iter().map(|one| population(one, width)));
    }
    parts.extend(checks(&failures.checks));
    parts.join("\n")
}

/// `2,095 of 23,434 requests failed (8.94%)`.
fn headline(failures: &Failures) -> String {
    let line = match (failures.failed, failures.requests) {
        (None, None) => "not told whether requests failed: there are no samples of http_reqs and http_req_failed".to_owned(),
        (None | Some(0), Some(0)) => "no requests".to_owned(),
        (None, Some(all)) => format!("{}; not told how many failed: no samples of http_req_failed", show_counted(all, "request")),
        (Some(0), None) => "no request failed".to_owned(),
        (Some(failed), None) => format!("{} failed", show_counted(failed, "request")),
        (Some(0), Some(all)) => format!("no request failed of {}", show_count(all)),
        (Some(failed), Some(all)) => {
            format!("{} of {} failed{}", show_count(failed), show_counted(all, "request"), share(failed, all))
        }
    };
    wrapped(&line, 0) + "\n"
}

/// ` (8.94%)`; nothing where the part is more than the whole, as in samples that were cut.
fn share(part: u64, whole: u64) -> String {
    if part > whole || whole == 0 { String::new() } else { format!(" ({})", show(part as f64 / whole as f64, Unit::Ratio)) }
}

fn heading(phase: Phase, populations: &[&Population]) -> String {
    let name = match phase {
        Phase::Setup => "setup()",
        Phase::Test => "the test",
        Phase::Teardown => "teardown()",
    };
    let failed = populations.iter().fold(0_u64, |sum, one| sum.saturating_add(one.count));
    format!("In {name}, {} failed:\n", show_counted(failed, "request"))
}

/// Count and shape, and beside them what is known.
fn population(one: &Population, width: usize) -> String {
    let shape = match one.shape {
        Shape::Burst => "burst",
        Shape::Steady => "steady",
        Shape::Single => "single",
    };
    let lead = format!("  {:>width$}  {shape:<6}  ", show_count(one.count));
    let room = COLUMNS - indent(&lead);
    let mut lines = vec![kind(one, room), when(one.first, one.last, one.count)];
    if one.count > 1 {
        lines.push(format!("at most {} in a minute of the clock", show_count(one.peak_per_minute)));
    }
    lines.push(origin(one));
    lines.extend(named(one, room));
    beside(&lead, &lines)
}

/// Where the lines beside a lead begin; a lead that takes half a line has them below.
fn indent(lead: &str) -> usize {
    if lead.width() > COLUMNS / 2 { 6 } else { lead.width() }
}

/// Lines beside a lead; what is too long for a line goes on below.
fn beside(lead: &str, lines: &[String]) -> String {
    let indent = indent(lead);
    let mut out = if indent < lead.width() { lead.trim_end().to_owned() + "\n" } else { String::new() };
    for line in lines {
        let before = if out.is_empty() { lead.to_owned() } else { " ".repeat(indent) };
        out.push_str(&wrapped(&(before + line), indent));
        out.push('\n');
    }
    out
}

/// `status 503, error 1503`, `no response, error 1050: request timeout`.
fn kind(one: &Population, room: usize) -> String {
    let status = one.status.map_or_else(|| "no response".to_owned(), |status| format!("status {status}"));
    let code = one.error_code.map(|code| format!(", error {code}")).unwrap_or_default();
    let known = status + &code;
    match one.message.as_deref().map(on_one_line).filter(|message| !message.trim().is_empty()) {
        Some(message) => fitted(&format!("{known}: {message}"), room),
        None => known,
    }
}

/// The text with long words cut, as are all those behind the lines that are shown.
fn fitted(text: &str, room: usize) -> String {
    let words: Vec<String> = text.split_whitespace().map(|word| cut(word, room)).collect();
    cut(&words.join(" "), room * MESSAGE_LINES)
}

/// The text, or its beginning and an ellipsis, in so many columns.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// `2026-11-30 09:38:29 to 09:38:39 UTC, 11 s`. Seconds are whole and both ends count.
fn when(first: Moment, last: Moment, count: u64) -> String {
    let (Moment::Instant(from), Moment::Instant(to)) = (first, last) else {
        return if first == last { first.page_text() } else { format!("{} to {}", first.page_text(), last.page_text()) };
    };
    if count < 2 {
        return first.page_text();
    }
    let seconds = (to - from).num_seconds().saturating_add(1);
    let lasts = show(seconds as f64 * 1000.0, Unit::Ms);
    if from == to { format!("{}, in one second", first.page_text()) } else { format!("{}, {lasts}", span(from, to)) }
}

fn span(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    let end = if from.date_naive() == to.date_naive() { "%H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S UTC" };
    format!("{} to {}", from.format("%Y-%m-%d %H:%M:%S"), to.format(end))
}

/// `platform: why the rule says so`.
fn origin(one: &Population) -> String {
    let side = match one.origin {
        Origin::Service => "service",
        Origin::Platform => "platform",
        Origin::Client => "client",
        Origin::Unknown => "unknown",
    };
    match &one.reason {
        Some(reason) => format!("{side}: {}", on_one_line(reason)),
        None => format!("{side}: no rule knows this failure"),
    }
}

/// Methods and names, side by side where they fit.
fn named(one: &Population, room: usize) -> Vec<String> {
    let (methods, names) = (most(&one.methods, one.count, room), most(&one.names, one.count, room));
    match (methods.as_slice(), names.as_slice()) {
        ([methods], [names]) if methods.width() + names.width() + 3 <= room => vec![format!("{methods} · {names}")],
        _ => [methods, names].concat(),
    }
}

/// The only one there is by its name; else the most frequent ones, counts first so that none is cut, and of the others the
/// number. In lines that fit; no count is parted from its name.
fn most(counts: &BTreeMap<String, u64>, all: u64, room: usize) -> Vec<String> {
    let mut rows: Vec<(&String, u64)> = counts.iter().map(|(name, count)| (name, *count)).collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if let [(name, count)] = rows.as_slice()
        && *count == all
    {
        return vec![shown(name, room)];
    }
    let counted = |(name, count): &(&String, u64)| {
        let count = show_count(*count) + " ";
        let name = shown(name, room.saturating_sub(count.width() + 1));
        count + &name
    };
    let mut parts: Vec<String> = rows.iter().take(NAMED).map(counted).collect();
    let more = rows.iter().skip(NAMED).fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    if let Some(others) = rows.len().checked_sub(NAMED).filter(|others| *others > 0) {
        parts.push(format!("{} in {} others", show_count(more), show_count(others as u64)));
    }
    packed(parts, room)
}

/// The parts in lines of so many columns, commas between them.
fn packed(parts: Vec<String>, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            // Behind the part there may be another comma.
            Some(line) if line.width() + part.width() + 3 <= room => *line = format!("{line}, {part}"),
            Some(line) => {
                line.push(',');
                lines.push(part);
            }
            None => lines.push(part),
        }
    }
    lines
}

/// A name in so many columns.
fn shown(name: &str, columns: usize) -> String {
    if name.trim().is_empty() { "(empty)".to_owned() } else { cut(&on_one_line(name), columns) }
}

/// The checks that failed, or a word that none did; nothing where there are none.
fn checks(checks: &[CheckResult]) -> Vec<String> {
    let failed: Vec<&CheckResult> = checks.iter().filter(|check| check.fails > 0).collect();
    let all = show_counted(checks.len() as u64, "check");
    if checks.is_empty() {
        return Vec::new();
    }
    if failed.is_empty() {
        let times = checks.iter().fold(0_u64, |sum, check| sum.saturating_add(check.passes));
        return vec![format!("no check failed: {all} held {}\n", show_counted(times, "time"))];
    }
    let width = widest(failed.iter().map(|check| outcome(check)));
    let title = format!("{} of {all} failed:\n", show_count(failed.len() as u64));
    std::iter::once(title).chain(failed.iter().map(|check| failed_check(check, width))).collect()
}

/// `12 of 340 (3.53%)`.
fn outcome(check: &CheckResult) -> String {
    let all = check.passes.saturating_add(check.fails);
    format!("{} of {}{}", show_count(check.fails), show_count(all), share(check.fails, all))
}

fn failed_check(check: &CheckResult, width: usize) -> String {
    let lead = format!("  {:>width$}  ", outcome(check));
    let room = COLUMNS - indent(&lead);
    let path = check.group.split("::").filter(|name| !name.is_empty());
    let name = path.chain(std::iter::once(check.name.as_str())).collect::<Vec<_>>().join(" › ");
    let mut lines = vec![fitted(&on_one_line(&name), room)];
    if let (Some(first), Some(last)) = (check.first_failure, check.last_failure) {
        lines.push(when(first, last, check.fails));
    }
    beside(&lead, &lines)
}

fn widest(cells: impl Iterator<Item = String>) -> usize {
    cells.map(|cell| cell.width()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::failures::{MinuteCount, SCHEMA};

    fn moment(text: &str) -> Moment {
        text.parse().unwrap_or_else(|error| unreachable!("{error}"))
    }

    fn counts(of: &[(&str, u64)]) -> BTreeMap<String, u64> {
        of.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    fn of_gateway() -> Population {
        Population {
            status: Some(503),
            error_code: Some(1503),
            message: None,
            origin: Origin::Platform,
            reason: Some("what stands in front of the service answers so when it has no instance that does".to_owned()),
            phase: Phase::Test,
            count: 2032,
            first: moment("2026-11-30T09:38:29Z"),
            last: moment("2026-11-30T09:38:39Z"),
            peak_per_minute: 2032,
            shape: Shape::Burst,
            methods: counts(&[("POST", 2032)]),
            names: counts(&[("token", 2032)]),
            per_minute: vec![MinuteCount { minute: moment("2026-11-30T09:38:00Z"), count: 2032 }],
        }
    }

    fn of_service() -> Population {
        Population {
            status: Some(500),
            error_code: Some(1500),
            origin: Origin::Service,
            reason: Some("the service answered that it failed".to_owned()),
            count: 63,
            first: moment("2026-11-30T09:37:36Z"),
            last: moment("2026-11-30T09:39:33Z"),
            peak_per_minute: 34,
            shape: Shape::Steady,
            methods: counts(&[("POST", 60), ("GET", 3)]),
            names: counts(&[("token", 63)]),
            ..of_gateway()
        }
    }

    fn check(name: &str, fails: u64) -> CheckResult {
        let failure = (fails > 0).then(|| moment("2026-11-30T09:38:29Z"));
        CheckResult {
            name: name.to_owned(),
            group: "::login::token".to_owned(),
            passes: 340,
            fails,
            first_failure: failure,
            last_failure: failure,
        }
    }

    fn failures(failed: Option<u64>, populations: Vec<Population>, checks: Vec<CheckResult>) -> Failures {
        Failures { schema: SCHEMA, requests: Some(23_434), failed, populations, checks }
    }

    #[test]
    fn a_run_with_a_burst() {
        let checks = vec![check("status is 200", 12), check("has a token", 0)];
        insta::assert_snapshot!(text(&failures(Some(2095), vec![of_service(), of_gateway()], checks)));
    }

    #[test]
    fn phases_are_told_apart() {
        let timeout = Population {
            status: None,
            error_code: Some(1050),
            message: Some("request timeout".to_owned()),
            origin: Origin::Unknown,
            reason: None,
            phase: Phase::Setup,
            count: 1,
            last: moment("2026-11-30T09:38:29Z"),
            peak_per_minute: 1,
            shape: Shape::Single,
            methods: BTreeMap::new(),
            names: BTreeMap::new(),
            ..of_gateway()
        };
        let teardown = Population { phase: Phase::Teardown, count: 2, peak_per_minute: 1, last: timeout.last, ..of_service() };
        let long = Population { last: moment("2026-12-02T11:00:00Z"), ..of_gateway() };
        insta::assert_snapshot!(text(&failures(Some(2035), vec![timeout, long, teardown], Vec::new())));
    }

    #[test]
    fn words_of_strangers_neither_move_the_cursor_nor_break_the_page() {
        let word = "x".repeat(300);
        let hostile = Population {
            status: Some(200),
            message: Some(format!("\u{1b}[2J{word} \r\n  {}", "some more words ".repeat(40))),
            count: 12_345_678_901,
            methods: counts(&[("PO\u{7}ST", 9), ("", 1)]),
            names: (0..40).map(|at| (format!("https://a.example/{at:02}/{word}\n"), 100 + at)).collect(),
            ..of_gateway()
        };
        let shown = text(&failures(Some(12_345_678_901), vec![hostile], vec![check(&format!("\u{9b}31m{word}"), u64::MAX)]));
        assert!(shown.lines().all(|line| line.width() <= COLUMNS), "{shown}");
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn a_run_without_failures_says_so() {
        let fine = failures(Some(0), Vec::new(), vec![check("a", 0), check("b", 0)]);
        assert_eq!(text(&fine), "no request failed of 23,434\n\nno check failed: 2 checks held 680 times\n");
        assert_eq!(text(&failures(Some(0), Vec::new(), Vec::new())), "no request failed of 23,434\n");
    }

    #[test]
    fn what_is_not_known_is_not_zero() {
        for (failed, requests, line) in [
            (None, None, "not told whether requests failed: there are no samples of http_reqs and\nhttp_req_failed\n"),
            (None, Some(7), "7 requests; not told how many failed: no samples of http_req_failed\n"),
            (None, Some(0), "no requests\n"),
            (Some(0), None, "no request failed\n"),
            (Some(1), None, "1 request failed\n"),
            (Some(1), Some(1), "1 of 1 request failed (100%)\n"),
            (Some(1), Some(1_000_000), "1 of 1,000,000 requests failed (< 0.01%)\n"),
            (Some(999_999), Some(1_000_000), "999,999 of 1,000,000 requests failed (> 99.99%)\n"),
            (Some(2095), Some(23_434), "2,095 of 23,434 requests failed (8.94%)\n"),
            (Some(3), Some(2), "3 of 2 requests failed\n"),
        ] {
            assert_eq!(text(&Failures { requests, failed, ..failures(None, Vec::new(), Vec::new()) }), line);
        }
    }

    #[test]
    fn the_json_is_the_model() {
        let given = failures(Some(2095), vec![of_service(), of_gateway()], vec![check("a", 1)]);
        let text = json(&given).unwrap_or_else(|error| unreachable!("{error}"));
        assert!(text.ends_with("}\n"));
        assert_eq!(serde_json::from_str::<Failures>(&text).ok(), Some(given));
    }
}
