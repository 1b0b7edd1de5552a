//! How often `diff` is wrong over an archive's repeats, for a terminal and for programs.

use super::columns::{self, Align};
use super::words::{counted, counted_words, decision, percent, points};
use crate::model::calibration::{Calibration, Pair, Power};
use crate::model::comparison::Decision;
use crate::model::units::{Unit, show, show_count};
use crate::render::markup::on_one_line;
use crate::terminal::wrapped;

/// The calibration as a program reads it: the shape of [`Calibration`], indented, with a line break at the end.
///
/// # Errors
/// A defect: the shape is JSON by construction.
pub fn json(calibration: &Calibration) -> serde_json::Result<String> {
    serde_json::to_string_pretty(calibration).map(|text| text + "\n")
}

/// The calibration as lines of 80 columns, ending in a line break: how many runs, pairs and decisions there are and how many decisions
/// are wrong, the repeats, every wrong decision, the noise from run to run, and how often a change that was put in is found.
#[must_use]
pub fn text(calibration: &Calibration) -> String {
    let mut out = sentence(&headline(calibration));
    if calibration.pairs.is_empty() {
        return out + &sentence("no two runs of the archive are repeats of one another: there is nothing to calibrate with");
    }
    out += &sentence(&format!("Decisions: {}.", made(&calibration.pairs)));
    out += &sentence("Pairs share runs, so they are not independent.");
    out += &section("Repeats", &groups(calibration));
    out += &section("Pairs", &pairs(&calibration.pairs));
    out += &section("Decisions that nothing should have caused", &alarms(&calibration.pairs));
    out += &section("Noise from run to run", &spreads(calibration));
    out + &section("Changes that were put in, and found", &powers(&calibration.power))
}

/// `5 runs in 2 groups, 4 pairs, 28 decisions: 1 of 28 is a change although nothing changed (3.57%)`
fn headline(calibration: &Calibration) -> String {
    let runs = counted(calibration.runs as usize, "run");
    let groups = counted(calibration.groups.len(), "group");
    let pairs = counted(calibration.pairs.len(), "pair");
    let decisions = counted(calibration.decisions as usize, "decision");
    let share = found(calibration.false_alarms, calibration.decisions);
    let wrong = if calibration.decisions == 0 { String::new() } else { format!("; a change although nothing changed: {share}") };
    format!("{runs} with repeats in {groups}, {pairs}, {decisions}{wrong}")
}

/// `1 regression, 130 inconclusive, 7 no change`
fn made(pairs: &[Pair]) -> String {
    let all = || pairs.iter().flat_map(|pair| &pair.decisions);
    let counts = Decision::ALL.map(|wanted| (wanted, all().filter(|one| one.decision == wanted).count()));
    let words = counts.iter().filter(|(_, count)| *count > 0).map(|(one, count)| match one {
        Decision::Regression | Decision::Improvement => counted(*count, one.name()),
        other => format!("{} {}", show_count(*count as u64), decision(*other)),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `1 of 28 (3.57%)`
fn found(count: u32, of: u32) -> String {
    let share = if of == 0 { String::new() } else { format!(" ({})", show(f64::from(count) / f64::from(of), Unit::Ratio)) };
    format!("{}{share}", counted_words(u64::from(count), u64::from(of)))
}

fn sentence(words: &str) -> String {
    wrapped(&on_one_line(words), 0) + "\n"
}

/// A table under its title; nothing where there is none.
fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    lines.iter().fold(format!("\n{title}\n"), |text, line| text + "  " + line + "\n")
}

fn table(head: &[&str], rows: Vec<Vec<String>>, aligned: &[Align]) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let head = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    columns::lines(&rows, aligned)
}

fn groups(calibration: &Calibration) -> Vec<String> {
    let rows = calibration
        .groups
        .iter()
        .map(|group| vec![on_one_line(&group.release), on_one_line(&group.target), group.runs.len().to_string()]);
    table(&["release", "target", "runs"], rows.collect(), &[Align::Left, Align::Left, Align::Right])
}

fn pairs(pairs: &[Pair]) -> Vec<String> {
    let rows = pairs.iter().map(|pair| {
        let changes = pair.decisions.iter().filter(|one| one.decision.is_change()).count();
        vec![on_one_line(&pair.a), on_one_line(&pair.b), pair.decisions.len().to_string(), changes.to_string()]
    });
    table(&["a", "b", "decisions", "changes"], rows.collect(), &[Align::Left, Align::Left, Align::Right, Align::Right])
}

/// Every decision that found a change.
fn alarms(pairs: &[Pair]) -> Vec<String> {
    let wrong =
        pairs.iter().flat_map(|pair| pair.decisions.iter().filter(|one| one.decision.is_change()).map(move |one| (pair, one)));
    wrong
        .map(|(pair, one)| {
            let ratio = one.ratio.map(|ratio| format!(" {}", percent(ratio))).unwrap_or_default();
            let words = format!("{} against {}: {}{ratio}, {}", pair.a, pair.b, one.metric, decision(one.decision));
            on_one_line(&words)
        })
        .collect()
}

/// The standard deviation, of log values as a share of the value.
fn spreads(calibration: &Calibration) -> Vec<String> {
    let rows = calibration.spreads.iter().map(|spread| {
        let sd = show(spread.sd, Unit::Ratio);
        let sd = if spread.kind.is_share() { sd.replace('%', " pp") } else { sd };
        let of = spread.of.as_ref().map(|of| format!(" of {of}")).unwrap_or_default();
        vec![on_one_line(&format!("{}{of}", spread.kind.name())), sd, spread.degrees.to_string()]
    });
    table(&["metric", "sd", "degrees of freedom"], rows.collect(), &[Align::Left, Align::Right, Align::Right])
}

/// A row a metric and number of runs, a column a size: `14/28` are 14 found of 28.
fn powers(powers: &[Power]) -> Vec<String> {
    let size = |power: &Power| if power.kind.is_share() { points(power.change) } else { percent(1.0 + power.change) };
    let mut sizes: Vec<String> = Vec::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for power in powers {
        let size = size(power);
        let at = sizes.iter().position(|known| *known == size).unwrap_or(sizes.len());
        if at == sizes.len() {
            sizes.push(size);
        }
        let name = [power.kind.name().to_owned(), power.runs.to_string()];
        let place = rows.iter().position(|row| row[..2] == name).unwrap_or(rows.len());
        if place == rows.len() {
            rows.push(name.to_vec());
        }
        let row = &mut rows[place];
        row.resize(row.len().max(at + 3), String::new());
        row[at + 2] = format!("{}/{}", power.found, power.of);
    }
    let head: Vec<&str> = ["metric", "runs a side"].into_iter().chain(sizes.iter().map(String::as_str)).collect();
    let mut aligned = vec![Align::Right; head.len()];
    aligned[0] = Align::Left;
    table(&head, rows, &aligned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::calibration::{Group, PairDecision, SCHEMA, Spread};
    use crate::model::comparison::Kind;
    use crate::render::comparison::made_up;

    fn decided(metric: &str, kind: Kind, ratio: Option<f64>, decision: Decision) -> PairDecision {
        PairDecision { metric: metric.to_owned(), kind, ratio, decision }
    }

    fn made_up() -> Calibration {
        let address = |run: &str| format!("v4.17.1/{run}");
        let quiet = decided("throughput", Kind::Throughput, Some(1.02), Decision::NoChange);
        let loud = decided("p50", Kind::P50, Some(1.13), Decision::Regression);
        let pair = |a: &str, b: &str, last: &PairDecision| Pair {
            a: address(a),
            b: address(b),
            decisions: vec![quiet.clone(), last.clone()],
        };
        Calibration {
            schema: SCHEMA,
            method: made_up::nothing().method,
            runs: 3,
            groups: vec![Group {
                release: "v4.17.1".to_owned(),
                target: "add_session".to_owned(),
                runs: ["add_session", "add_session~2", "add_session~3"].map(str::to_owned).to_vec(),
            }],
            pairs: vec![
                pair("add_session", "add_session~2", &loud),
                pair("add_session", "add_session~3", &decided("failures", Kind::Failures, None, Decision::Improvement)),
                pair("add_session~2", "add_session~3", &decided("p50", Kind::P50, Some(0.98), Decision::Inconclusive)),
            ],
            decisions: 6,
            false_alarms: 2,
            spreads: vec![
                Spread { kind: Kind::P50, of: None, sd: 0.0312, degrees: 2 },
                Spread { kind: Kind::Cpu, of: Some("database".to_owned()), sd: 0.07, degrees: 2 },
                Spread { kind: Kind::Failures, of: None, sd: 0.0004, degrees: 2 },
            ],
            power: vec![
                Power { kind: Kind::P50, runs: 3, change: 0.2, found: 49, of: 50 },
                Power { kind: Kind::P95, runs: 1, change: -0.15, found: 0, of: 0 },
                Power { kind: Kind::P95, runs: 1, change: 0.2, found: 3, of: 12 },
            ],
        }
    }

    #[test]
    fn a_calibration_counts_before_it_divides() {
        insta::assert_snapshot!(text(&made_up()));
    }

    #[test]
    fn an_archive_without_repeats_is_told_so() {
        let empty = Calibration { runs: 0, groups: Vec::new(), pairs: Vec::new(), decisions: 0, false_alarms: 0, ..made_up() };
        let text = text(&empty);
        assert!(text.contains("there is nothing to") && !text.contains('%'), "{text}");
    }

    #[test]
    fn a_calibration_reads_back() {
        let text = json(&made_up()).unwrap_or_default();
        assert_eq!(serde_json::from_str::<Calibration>(&text).ok(), Some(made_up()));
    }
}
