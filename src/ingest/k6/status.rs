//! k6's progress: the status line and the line of each scenario. The last block tells how the run ended.

use super::screen::Line;
use crate::model::bounds::Bounds;
use crate::model::summary::{Scenario, ScenarioState};

/// `running (DUR), ACTIVE/INITIALIZED VUs, N complete and M interrupted iterations`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Status {
    /// k6's clock in seconds, cut to tenths.
    pub(super) duration_s: f64,
    /// What the cut allows.
    pub(super) duration_bounds: Option<Bounds>,
    /// Virtual users that were made.
    pub(super) vus: u64,
    /// Iterations that ended by themselves.
    pub(super) complete: u64,
    /// Iterations that were cut off.
    pub(super) interrupted: u64,
}

/// The block of progress lines behind a summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Closing {
    /// Its status line.
    pub(super) status: Option<Status>,
    /// What it says instead of a status, `setup()`, where the test itself never ran.
    pub(super) stuck: Option<String>,
    /// A line per scenario.
    pub(super) scenarios: Vec<Scenario>,
    /// Its lines, from the first to one behind the last.
    pub(super) lines: std::ops::Range<usize>,
}

impl Status {
    /// Reads a status line, which may have words glued to its end.
    pub(super) fn read(text: &str) -> Option<Self> {
        let rest = text.trim().strip_prefix("running (").or_else(|| text.trim().strip_prefix("paused ("))?;
        let (clock, rest) = rest.split_once("), ")?;
        let (users, rest) = rest.split_once(" VUs, ")?;
        let (complete, rest) = rest.split_once(" complete and ")?;
        let (interrupted, _) = rest.split_once(" interrupted iterations")?;
        let tenths = tenths(clock)?;
        Some(Self {
            duration_s: tenths as f64 / 10.0,
            duration_bounds: Bounds::new(tenths as f64 / 10.0, tenths.checked_add(1)? as f64 / 10.0),
            vus: users.split_once('/')?.1.parse().ok()?,
            complete: complete.parse().ok()?,
            interrupted: interrupted.parse().ok()?,
        })
    }

    /// True exactly if a line begins like a status line, whole or not.
    pub(super) fn begins(text: &str) -> bool {
        text.starts_with("running (") || text.starts_with("paused (")
    }
}

/// Tenths of a second of `1d00h00m02.9s`, `30m2s`, `1.2s`.
fn tenths(clock: &str) -> Option<u64> {
    let mut rest = clock;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (digits, tail) = rest.split_at(end);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let size = match tail.chars().next()? {
            'd' => 864_000,
            'h' => 36_000,
            'm' if tail.starts_with("ms") => return None,
            'm' => 600,
            's' => 10,
            _ => return None,
        };
        let tenth: u64 = if tail.starts_with('s') { fraction.get(..1)?.parse().ok()? } else { 0 };
        total = total.checked_add(whole.parse::<u64>().ok()?.checked_mul(size)?)?.checked_add(tenth)?;
        rest = &tail[1..];
    }
    (!clock.is_empty()).then_some(total)
}

/// What a progress line says before or instead of a status line: `setup()` of `Run [ 100% ] setup()`.
pub(super) fn stage(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once(' ')?;
    let (_, rest) = bar(rest.trim_start())?;
    let stage = rest.trim();
    match name {
        "Run" => stage.ends_with("()").then_some(stage),
        "Init" => stage.ends_with("initialized").then_some(stage),
        _ => None,
    }
}

/// Reads a scenario's line: `NAME [✓✗↓•] [  45% ] VUS  ELAPSED/TOTAL  EXTRA`.
pub(super) fn scenario(text: &str) -> Option<Scenario> {
    if stage(text).is_some() {
        return None;
    }
    let (name, rest) = text.split_once(' ')?;
    let rest = rest.trim_start();
    let mark = rest.chars().next().filter(|c| "✓✗↓•".contains(*c));
    let (_, rest) = bar(mark.map_or(rest, |mark| rest[mark.len_utf8()..].trim_start()))?;
    let mut words = rest.split_whitespace();
    let vus = words.next().filter(|_| rest.contains(" VUs")).and_then(|users| users.rsplit('/').next()?.parse().ok());
    let clock = words.nth(1).filter(|_| vus.is_some());
    let extra: Vec<&str> = words.collect();
    let by_iterations = extra.iter().any(|word| word.trim_end_matches(',') == "iters");
    let state = match mark {
        Some('✓') => ScenarioState::Done,
        Some('✗') => ScenarioState::Interrupted,
        _ => ScenarioState::Unfinished,
    };
    let duration_s = clock.filter(|_| !by_iterations).and_then(configured);
    let named = !name.is_empty() && !name.contains(|c: char| c.is_control());
    named.then(|| Scenario { name: name.to_owned(), state, vus, duration_s })
}

/// The bar of a progress line, in percent or drawn, and what follows it.
fn bar(text: &str) -> Option<(&str, &str)> {
    let (bar, rest) = text.strip_prefix('[')?.split_once(']')?;
    let percent = bar.trim().strip_suffix('%').is_some_and(|digits| digits.parse::<u8>().is_ok());
    let drawn = bar.len() >= 3 && bar.trim_matches(['=', '-', '>']).is_empty();
    (percent || drawn).then_some((bar, rest))
}

/// Seconds of the duration that a scenario was given, if they are whole: the part behind the slash, or all of it at its
/// end. Letters may be glued to it where a page lost a line break.
fn configured(clock: &str) -> Option<u64> {
    let total = clock.rsplit('/').next()?;
    let mut length = 0;
    let mut rest = total;
    while let Some(end) = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).filter(|end| *end > 0) {
        if !rest[end..].starts_with(['d', 'h', 'm', 's']) {
            break;
        }
        length += end + 1;
        rest = &rest[end + 1..];
    }
    tenths(&total[..length]).filter(|tenths| tenths.is_multiple_of(10)).map(|tenths| tenths / 10)
}

/// True exactly if a line is one of k6's progress display.
pub(super) fn is_progress(text: &str) -> bool {
    Status::begins(text) || stage(text).is_some() || scenario(text).is_some()
}

/// The last block of progress lines from a line on, before anything that begins another run.
pub(super) fn closing(lines: &[Line], from: usize) -> Closing {
    let mut found = Closing { lines: from..from, ..Closing::default() };
    for (at, line) in lines.iter().enumerate().skip(from) {
        let text = line.text.trim();
        if begins_another_run(text) {
            break;
        } else if Status::begins(text) || stage(text).is_some() {
            let stuck = stage(text).map(str::to_owned);
            found = Closing { status: Status::read(text), stuck, scenarios: Vec::new(), lines: at..at + 1 };
        } else if !found.lines.is_empty() && found.lines.end == at {
            let Some(scenario) = scenario(text) else { continue };
            found.scenarios.push(scenario);
            found.lines.end = at + 1;
        }
    }
    found
}

/// True exactly if a line belongs to what is printed before a run.
pub(super) fn begins_another_run(text: &str) -> bool {
    text.starts_with("execution: ") || text.starts_with("start_utc=")
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "tenths are compared as read")]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_is_read_at_every_length_of_its_clock() {
        for (clock, seconds) in [
            ("1.2s", 1.2),
            ("02.2s", 2.2),
            ("1m02.2s", 62.2),
            ("00m02.2s", 2.2),
            ("0h00m02.9s", 2.9),
            ("1h00m05.1s", 3605.1),
            ("1d00h00m02.9s", 86402.9),
        ] {
            let text = format!("running ({clock}), 000/600 VUs, 10 complete and 600 interrupted iterations");
            let status = Status::read(&text).unwrap_or_else(|| unreachable!("{clock}"));
            assert_eq!(status.duration_s, seconds);
            assert_eq!((status.vus, status.complete, status.interrupted), (600, 10, 600));
        }
        assert_eq!(Status::read("running (30m22.3s), 000/600 VUs, 3148"), None);
        assert_eq!(Status::read("running (), 0/1 VUs, 1 complete and 0 interrupted iterations"), None);
    }

    #[test]
    fn a_scenario_line_is_read_with_its_extras() {
        let read = |text: &str| scenario(text).map(|s| (s.name, s.state, s.vus, s.duration_s));
        let named = |name: &str, state, vus, duration| Some((name.to_owned(), state, vus, duration));
        assert_eq!(read("default ✓ [ 100% ] 600 VUs  30m0s"), named("default", ScenarioState::Done, Some(600), Some(1800)));
        assert_eq!(
            read("default ✗ [   0% ] 6 VUs  0h00m02.9s/1h31m0s"),
            named("default", ScenarioState::Interrupted, Some(6), Some(5460))
        );
        assert_eq!(
            read("default ✓ [====] 150 VUs  30m0sWas this page helpful?"),
            named("default", ScenarioState::Done, Some(150), Some(1800))
        );
        assert_eq!(
            read("per_vu   ✓ [ 100% ] 2 VUs    00.3s/10s  6/6 iters, 3 per VU"),
            named("per_vu", ScenarioState::Done, Some(2), None)
        );
        assert_eq!(
            read("arrival_ramp  ↓ [ 100% ] 1/3 VUs  2s   11.29 iters/s"),
            named("arrival_ramp", ScenarioState::Unfinished, Some(3), Some(2))
        );
        assert_eq!(read("short ✓ [ 100% ] 2 VUs  1.5s"), named("short", ScenarioState::Done, Some(2), None));
        assert_eq!(read("default   [   0% ]"), named("default", ScenarioState::Unfinished, None, None));
        assert_eq!(read("Run       [ 100% ] setup()"), None);
        assert_eq!(read("a [link](x) in a text"), None);
    }
}
