//! What is told of each run that was compared: what there is of it, whether it stayed at one level, what happened to it.

use super::blocks::{self, Window};
use super::metric::Subject;
use super::sides::Member;
use super::statistics::levels;
use super::statistics::quantile::median;
use crate::model::bounds::Bounds;
use crate::model::comparison::{Basis, Incident, Kind, RunAccount, Side, Steadiness};
use crate::model::failures::{Origin, Phase, Population, Shape};
use crate::model::series::{Blocks, Series};
use crate::model::units::show_count;
use crate::settings::Floors;

/// How far a block's latency must be from the rest to be an incident: a half more, on the log scale.
const UNLIKE: f64 = 0.405_465;
/// Blocks on both sides of a change of level.
const SHORTEST_LEVEL: usize = 4;

/// The account of a run on a side.
pub(super) fn of(member: &Member<'_>, side: Side, floors: &Floors, left_out: Option<String>) -> RunAccount {
    let levels = member.run.series.as_ref().and_then(|series| latency(series, floors.warm_up_ms / 1e3));
    let incidents = if left_out.is_none() { incidents(member, levels.as_ref()) } else { Vec::new() };
    RunAccount {
        side,
        run: member.address.to_string(),
        start: member.record().window.start,
        basis: levels.as_ref().map_or(Basis::Summary, |levels| levels.basis),
        left_out,
        warm_up_s: levels.as_ref().map(|levels| levels.window.warm_up_s),
        compared_s: levels.as_ref().map(|levels| levels.window.compared_s()),
        steadiness: levels.as_ref().and_then(|levels| steadiness(levels, floors)),
        incidents,
    }
}

/// The median latency of a run by block.
struct Levels {
    basis: Basis,
    window: Window,
    /// Logarithms, a block each.
    logs: Vec<f64>,
}

fn latency(series: &Series, warm_up_s: f64) -> Option<Levels> {
    of_blocks(series, warm_up_s).or_else(|| of_seconds(series, warm_up_s))
}

fn of_blocks(series: &Series, warm_up_s: f64) -> Option<Levels> {
    let blocks: &Blocks = series.blocks.first()?;
    let window = Window::of(blocks::test_s(blocks), blocks.seconds, warm_up_s, &[]);
    let values = Subject::Whole.block_trends().iter().find_map(|trend| blocks::percentiles(blocks, trend, Kind::P50, &window))?;
    Some(Levels { basis: Basis::Samples, window, logs: logs(&values)? })
}

/// The trend with the most seconds stands for the run.
fn of_seconds(series: &Series, warm_up_s: f64) -> Option<Levels> {
    let span = blocks::seconds_span(series)?;
    let window = Window::of(blocks::length_s(&span), blocks::SECONDS_PER_BLOCK, warm_up_s, &[]);
    let (_, trend) = series.trends.iter().max_by_key(|(name, trend)| (trend.points.len(), std::cmp::Reverse(*name)))?;
    let values = blocks::of_seconds(trend, Kind::P50, span.start, &window);
    // A block that is missing would move all that come behind it.
    let whole = values.len() == window.blocks.len();
    Some(Levels { basis: Basis::Series, window, logs: logs(&values).filter(|_| whole)? })
}

fn logs(values: &[f64]) -> Option<Vec<f64>> {
    values.iter().map(|value| (*value > 0.0).then(|| value.ln())).collect()
}

fn steadiness(levels: &Levels, floors: &Floors) -> Option<Steadiness> {
    let (difference, half_width) = levels::thirds(&levels.logs, floors.level)?;
    let floor = floors.p50.ln_1p();
    let points = levels::change_points(&levels.logs, SHORTEST_LEVEL, floor);
    let begin = |block: usize| levels.window.blocks.get(block).map(|nth| *nth as f64 * f64::from(levels.window.seconds));
    Some(Steadiness {
        ratio: difference.exp(),
        interval: Bounds::new((difference - half_width).exp(), (difference + half_width).exp())?,
        is_steady: difference.abs() - half_width <= floor,
        change_points_s: points.into_iter().filter_map(begin).collect(),
    })
}

/// Bursts of failures, and blocks whose latency is unlike the rest, in the order in which they began.
fn incidents(member: &Member<'_>, levels: Option<&Levels>) -> Vec<Incident> {
    let mut incidents = bursts(member);
    incidents.extend(levels.map(slow_stretches).unwrap_or_default());
    incidents.sort_by(|a, b| a.from_s.total_cmp(&b.from_s).then_with(|| a.what.cmp(&b.what)));
    incidents
}

fn bursts(member: &Member<'_>) -> Vec<Incident> {
    let record = member.record();
    let test = record.phases.as_ref().and_then(|phases| phases.test.as_ref());
    let Some(start) = test.and_then(|test| test.first.instant()) else { return Vec::new() };
    let populations = record.failures.iter().flat_map(|failures| &failures.populations);
    populations
        .filter(|population| population.shape == Shape::Burst && population.phase == Phase::Test)
        .filter_map(|population| {
            let (first, last) = (population.first.instant()?, population.last.instant()?);
            let since = |at: chrono::DateTime<chrono::Utc>| (at - start).num_seconds().max(0) as f64;
            // Moments are cut to seconds, so the last one ends a second later.
            Some(Incident { from_s: since(first), to_s: since(last) + 1.0, what: failed(population) })
        })
        .collect()
}

/// `2,032 requests failed with 503 (platform)`.
fn failed(population: &Population) -> String {
    let cause = match (&population.message, population.status, population.error_code) {
        (_, Some(status), _) => format!("with {status}"),
        (Some(message), ..) => format!("by {message}"),
        (None, None, Some(code)) => format!("with error code {code}"),
        (None, None, None) => "for no known reason".to_owned(),
    };
    let origin = match population.origin {
        Origin::Service => " (service)",
        Origin::Platform => " (platform)",
        Origin::Client => " (load generator)",
        Origin::Unknown => "",
    };
    format!("{} requests failed {cause}{origin}", show_count(population.count))
}

/// A factor with a decimal; a small one with what keeps it from being nothing, as in `0.03`.
fn factor(times: f64) -> String {
    match times {
        0.95.. => format!("{times:.1}"),
        0.005.. => format!("{times:.2}"),
        _ => "less than 0.01".to_owned(),
    }
}

fn slow_stretches(levels: &Levels) -> Vec<Incident> {
    let rest = median(&levels.logs).unwrap_or_default();
    let place = |block: usize| levels.window.blocks.get(block).map(|nth| *nth as f64 * f64::from(levels.window.seconds));
    levels::incidents(&levels.logs, UNLIKE)
        .into_iter()
        .filter_map(|stretch| {
            let level = median(levels.logs.get(stretch.clone())?)?;
            let times = (level - rest).exp();
            let from_s = place(stretch.start)?;
            let to_s = place(stretch.end - 1)? + f64::from(levels.window.seconds);
            Some(Incident { from_s, to_s, what: format!("median latency at {} times the rest", factor(times)) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_factor_is_not_rounded_to_nothing() {
        let told = [3.21, 0.97, 0.5, 0.034, 0.0049, 0.0].map(factor);
        assert_eq!(told, ["3.2", "1.0", "0.50", "0.03", "less than 0.01", "less than 0.01"]);
    }
}
