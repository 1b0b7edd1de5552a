//! Lines of k6's own log and of the runner around it: the signs of an end before time, k6's version, the stamps.

use super::Stamps;
use super::screen::Line;
use super::status::Closing;
use crate::model::summary::ScenarioState;

/// True exactly if a line is one of k6's log (logrus): as text, on a terminal, or as JSON.
pub(super) fn is_log(text: &str) -> bool {
    let text = text.trim_start();
    (text.starts_with("time=\"") && text.contains(" level="))
        || on_terminal(text).is_some()
        || (text.starts_with('{') && text.contains("\"level\":\"") && text.contains("\"msg\":\""))
}

/// The message of `ERRO[0003] message`.
fn on_terminal(text: &str) -> Option<&str> {
    let (level, rest) = text.split_once('[')?;
    let (seconds, message) = rest.split_once(']')?;
    let known = matches!(level, "TRAC" | "DEBU" | "INFO" | "WARN" | "ERRO" | "FATA" | "PANI");
    (known && !seconds.is_empty() && seconds.bytes().all(|b| b.is_ascii_digit())).then(|| message.trim_start())
}

/// The message of a log line, as far as its first quote; the whole line where it is no log line (`--log-format raw`).
pub(super) fn message(text: &str) -> &str {
    let text = text.trim();
    if let Some(message) = on_terminal(text) {
        return message.trim_end();
    }
    for opening in [" msg=\"", "\"msg\":\""] {
        if let Some((_, message)) = text.split_once(opening).filter(|_| is_log(text)) {
            return message.split(['"', '\\']).next().unwrap_or(message);
        }
    }
    text
}

/// What says that the run was ended before its time, and the line of the log that does, if it is one. A line among those that are kept is
/// asked first, so that what is kept says the same.
pub(super) fn abort(lines: &[Line], kept: &[Line], closing: &Closing) -> Option<(String, Option<usize>)> {
    if let Some(scenario) = closing.scenarios.iter().find(|scenario| scenario.state == ScenarioState::Interrupted) {
        return Some((format!("`✗` on the line of scenario `{}`", scenario.name), None));
    }
    if let Some(stage) = &closing.stuck {
        return Some((format!("the last status line is `Run [ 100% ] {stage}`: the test itself did not begin"), None));
    }
    if let Some(sign) = kept.iter().find_map(|line| abort_message(&line.text)) {
        return Some((sign, None));
    }
    let found = lines.iter().enumerate().find_map(|(at, line)| Some((abort_message(&line.text)?, at)))?;
    Some((found.0, Some(found.1)))
}

fn abort_message(text: &str) -> Option<String> {
    if text.contains("source=console") || text.contains("\"source\":\"console\"") {
        return None;
    }
    let message = message(text);
    let begins = [
        "test run was aborted because k6 received a",
        "Aborting k6 in response to signal",
        "test aborted: ",
        "setup() execution timed out",
    ];
    let stopped = message.contains("at least one has abortOnFail enabled, stopping test prematurely");
    if stopped || begins.iter().any(|phrase| message.starts_with(phrase)) {
        return Some(format!("the log says `{message}`"));
    }
    exit_code(text).map(|code| format!("the log says that k6 ended with exit code {code}"))
}

/// An exit code of k6 that means an early end: not 99 (thresholds) and not 110 (marked as failed by the script).
fn exit_code(text: &str) -> Option<u16> {
    let lower = text.to_ascii_lowercase();
    let made = lower.strip_prefix("make: ***").and_then(|rest| rest.split_once("error "));
    let told =
        ["exit code ", "exit status ", "exited with code ", "exit code: "].iter().find_map(|phrase| lower.split_once(phrase));
    let (_, rest) = made.or(told)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|code| (97..110).contains(code) && *code != 99)
}

/// k6's version where a verbose log tells it: `k6 version: v1.7.1 (commit/...)`.
pub(super) fn version(lines: &[Line]) -> Option<String> {
    let told =
        lines.iter().filter(|line| is_log(&line.text)).find_map(|line| message(&line.text).strip_prefix("k6 version: "))?;
    told.split_whitespace().next().map(str::to_owned)
}

/// Reads the runner's stamps: `start_utc=2026-11-30 09:26:40 UTC target=add_session vus=12 duration=120s` before a run
/// and `end_utc=...` behind it; the time also as `2026-11-30T09:26:40Z`.
pub(super) fn stamps(lines: &[Line]) -> Stamps {
    let mut stamps = Stamps::default();
    for line in lines {
        let text = line.text.trim();
        if text.starts_with("start_utc=") || text.starts_with("end_utc=") {
            for (key, value) in pairs(text) {
                match key {
                    "start_utc" => stamps.start = value.parse().ok().or(stamps.start),
                    "end_utc" => stamps.end = value.parse().ok().or(stamps.end),
                    "target" => stamps.target = Some(value.to_owned()),
                    "release" => stamps.release = Some(value.to_owned()),
                    "vus" => stamps.vus = value.parse().ok(),
                    "duration" => stamps.duration_s = seconds(value),
                    _ => {}
                }
            }
        }
    }
    stamps
}

/// `key=value` pairs; a value goes on to the next blank that has a key behind it.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((key, tail)) = rest.split_once('=') {
        let next = tail.match_indices(' ').find(|(at, _)| begins_pair(&tail[at + 1..])).map_or(tail.len(), |(at, _)| at);
        found.push((key.trim(), tail[..next].trim()));
        rest = tail[next..].trim_start();
    }
    found
}

fn begins_pair(text: &str) -> bool {
    let key = text.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(0);
    key > 0 && text[key..].starts_with('=')
}

/// Seconds of `120s`, `30m`, `1h30m`, or of a bare number.
fn seconds(text: &str) -> Option<f64> {
    let written = if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') { format!("{text}s") } else { text.to_owned() };
    crate::model::units::Written::read(&written, crate::model::units::Unit::Ms).ok().map(|written| written.value / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::super::screen;
    use super::*;
    use crate::source::Source;

    fn read(text: &str) -> Stamps {
        stamps(&screen::lines(&Source::new("log", text)))
    }

    #[test]
    fn stamps_are_read_in_both_spellings() {
        let blank = read(
            "start_utc=2026-11-30 09:26:40 UTC target=add_session vus=12 duration=120s host=http://h\nend_utc=2026-11-30 09:28:41 UTC\n",
        );
        let iso = read(
            "start_utc=2026-11-30T09:26:40Z target=add_session vus=12 duration=2m host=http://h\nend_utc=2026-11-30T09:28:41Z\n",
        );
        assert_eq!(blank, iso);
        assert_eq!(blank.start.map(|at| at.to_string()).as_deref(), Some("2026-11-30T09:26:40Z"));
        assert_eq!(blank.end.map(|at| at.to_string()).as_deref(), Some("2026-11-30T09:28:41Z"));
        assert_eq!((blank.target.as_deref(), blank.vus, blank.duration_s), (Some("add_session"), Some(12), Some(120.0)));
    }

    #[test]
    fn an_abort_has_a_sign_and_a_script_cannot_fake_it() {
        for text in [
            "time=\"2026-11-30T08:31:04Z\" level=error msg=\"test run was aborted because k6 received a 'interrupt' signal\"",
            "ERRO[0002] test aborted: users are gone",
            "make: *** [Makefile:12: otp_session] Error 105",
            "##[error]Process completed with exit code 108.",
        ] {
            assert!(abort_message(text).is_some(), "{text}");
        }
        for text in [
            "time=\"2026-11-30T08:31:04Z\" level=info msg=\"test aborted: no\" source=console",
            "##[error]Process completed with exit code 99.",
            "time=\"2026-11-30T08:31:20Z\" level=error msg=\"test run was marked as failed\"",
            "running (1.0s), 0/3 VUs, 0 complete and 600 interrupted iterations",
        ] {
            assert_eq!(abort_message(text), None, "{text}");
        }
    }
}
