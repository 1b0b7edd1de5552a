//! Which runs were compared, how much of each, and what happened within them.

use serde::Serialize;

use super::super::environment::moment_text;
use super::super::view::Link;
use super::words;
use crate::model::comparison::{RunAccount, Side, Steadiness};
use crate::model::units::{Unit, show};

/// A run in the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunRow {
    pub side: &'static str,
    /// The run; a link where its page is at hand.
    pub link: Link,
    pub start: String,
    pub basis: &'static str,
    /// How long it was compared; empty without a series.
    pub compared: String,
    /// Whether it stayed at one level; empty without a series.
    pub level: String,
    pub events: Vec<String>,
    /// Why it is not compared; may be empty.
    pub left_out: String,
}

pub(super) fn rows(runs: &[RunAccount], href: &dyn Fn(&str) -> String) -> Vec<RunRow> {
    runs.iter().map(|run| row(run, href)).collect()
}

fn row(run: &RunAccount, href: &dyn Fn(&str) -> String) -> RunRow {
    let compared = run.compared_s.map(|compared| {
        let warm_up = run.warm_up_s.filter(|seconds| *seconds > 0.0);
        let after = warm_up.map(|seconds| format!(" after the first {}", time(seconds))).unwrap_or_default();
        format!("{}{after}", time(compared))
    });
    let incident = |incident: &crate::model::comparison::Incident| {
        format!("{} to {}: {}", time(incident.from_s), time(incident.to_s), incident.what)
    };
    RunRow {
        side: match run.side {
            Side::A => "a",
            Side::B => "b",
        },
        link: Link { href: href(&run.run), text: run.run.clone() },
        start: run.start.map(moment_text).unwrap_or_default(),
        basis: words::basis(run.basis),
        compared: compared.unwrap_or_default(),
        level: run.steadiness.as_ref().map(level).unwrap_or_default(),
        events: run.incidents.iter().map(incident).collect(),
        left_out: run.left_out.clone().unwrap_or_default(),
    }
}

/// Elapsed time in words.
fn time(seconds: f64) -> String {
    show(seconds * 1e3, Unit::Ms)
}

fn level(steadiness: &Steadiness) -> String {
    let (change, interval) = (words::percent(steadiness.ratio), words::within(steadiness.interval));
    let moved = if steadiness.is_steady { "steady" } else { "not steady" };
    let at: Vec<String> = steadiness.change_points_s.iter().map(|at| time(*at)).collect();
    let at = if at.is_empty() { String::new() } else { format!("; level changed at {}", at.join(", ")) };
    format!("{moved}: last third against first {change} ({interval}){at}")
}
