//! One figure over all releases: equal steps, a gap where a release has none, marks where the configuration changed.

use std::fmt::Write;

use super::scale::Scale;
use super::{anchor, open, percent, short};
use crate::model::units::{Unit, show};
use crate::render::markup::escape;

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    /// The id of the chart on its page.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The names of the steps, oldest first.
    pub steps: &'a [String],
    /// The value of each step; `None` where there is none.
    pub values: &'a [Option<f64>],
    /// What the values are in.
    pub unit: Unit,
    /// Steps before which the configuration changed, with their marks.
    pub changes: &'a [(usize, String)],
    /// A line to be reached, its name and its value.
    pub goal: Option<(&'a str, f64)>,
}

const TOP: f64 = 24.0;
const HEIGHT: f64 = 150.0;
/// So many names have room under a chart.
const NAMES: usize = 8;

/// The chart.
#[must_use]
pub fn history(chart: &History<'_>) -> String {
    let known = || chart.values.iter().flatten().copied().filter(|value| value.is_finite());
    let goal = chart.goal.map_or(0.0, |(_, goal)| goal);
    let most = known().fold(goal, f64::max);
    let least = known().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    let scale = Scale::fitting(if least.is_finite() { least } else { 0.0 }, most);
    let kind = if scale.is_log() { "logarithmic" } else { "linear, from zero" };
    let description = format!(
        "A point for each of {} releases that has the figure, of {}; highest {}. The scale is {kind}.",
        known().count(),
        chart.steps.len(),
        show(known().fold(0.0, f64::max), chart.unit)
    );
    let mut svg = open(chart.id, "history", 216, chart.title, &description);
    let y = |value: f64| TOP + HEIGHT * (1.0 - scale.at(value));
    for tick in scale.ticks() {
        let at = short(y(*tick), 1);
        let _ = write!(svg, "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{at}\" y2=\"{at}\"/>");
    }
    changes(&mut svg, chart);
    names(&mut svg, chart.steps);
    if let Some((name, goal)) = chart.goal {
        let at = short(y(goal), 1);
        let _ = write!(
            svg,
            "<line class=\"goal\" x1=\"0\" x2=\"100%\" y1=\"{at}\" y2=\"{at}\"/><text class=\"tick halo\" x=\"100%\" y=\"{}\" text-anchor=\"end\">{}</text>",
            short(y(goal) - 4.0, 1),
            escape(name)
        );
    }
    for pair in known_pairs(chart.values) {
        let [(from, a), (to, b)] = pair;
        let _ = write!(
            svg,
            "<line class=\"line\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            percent(place(from, chart.steps.len())),
            short(y(a), 1),
            percent(place(to, chart.steps.len())),
            short(y(b), 1)
        );
    }
    for (at, value) in chart.values.iter().enumerate() {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let x = percent(place(at, chart.steps.len()));
            let _ = write!(
                svg,
                "<circle class=\"point\" cx=\"{x}\" cy=\"{}\" r=\"4\"><title>{}: {}</title></circle>",
                short(y(value), 1),
                escape(&chart.steps[at]),
                escape(&show(value, chart.unit))
            );
        }
    }
    for tick in scale.ticks().iter().filter(|tick| **tick > 0.0) {
        let _ = write!(
            svg,
            "<text class=\"tick halo\" x=\"0\" y=\"{}\">{}</text>",
            short(y(*tick) - 4.0, 1),
            tick_text(*tick, chart.unit)
        );
    }
    svg.push_str("</svg>");
    svg
}

/// A tick in words; of small shares all the digits that tell ticks apart.
fn tick_text(value: f64, unit: Unit) -> String {
    if unit != Unit::Ratio || value >= 0.001 {
        return show(value, unit);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 12")]
    let digits = (1.0 - (value * 100.0).log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{:.digits$}", value * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Where a step stands across: in the middle of its share, so that the axis has room at both ends.
fn place(step: usize, steps: usize) -> f64 {
    (step as f64 + 0.5) / steps.max(1) as f64
}

/// Neighbours that both have a value: a release without one breaks the line.
fn known_pairs(values: &[Option<f64>]) -> impl Iterator<Item = [(usize, f64); 2]> + '_ {
    let known = |at: usize| values.get(at).copied().flatten().filter(|value| value.is_finite()).map(|value| (at, value));
    (1..values.len()).filter_map(move |at| Some([known(at - 1)?, known(at)?]))
}

fn changes(svg: &mut String, chart: &History<'_>) {
    for (step, mark) in chart.changes {
        // On the border between two steps: neither has the other's configuration.
        let x = percent((*step as f64 / chart.steps.len().max(1) as f64).clamp(0.0, 1.0));
        let _ = write!(
            svg,
            "<line class=\"changed\" x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{}\"/><text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            TOP + HEIGHT,
            TOP - 8.0,
            escape(mark)
        );
    }
}

/// Names under the axis: all where there is room, else so many, the newest among them.
fn names(svg: &mut String, steps: &[String]) {
    let every = steps.len().div_ceil(NAMES).max(1);
    for (at, name) in steps.iter().enumerate().filter(|(at, _)| (steps.len() - 1 - at).is_multiple_of(every)) {
        let share = place(at, steps.len());
        let short_name: String =
            if name.chars().count() > 12 { name.chars().take(11).chain(['…']).collect() } else { name.clone() };
        let _ = write!(
            svg,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
            percent(share),
            TOP + HEIGHT + 20.0,
            anchor(share),
            escape(&short_name)
        );
    }
}

/// A line without words, for who sees numbers beside it: the last value is a dot.
#[must_use]
pub fn sparkline(values: &[Option<f64>]) -> String {
    const WIDTH: f64 = 96.0;
    const TALL: f64 = 26.0;
    let known = || values.iter().flatten().copied().filter(|value| value.is_finite());
    if known().count() < 2 {
        return String::new();
    }
    let most = known().fold(0.0, f64::max);
    let scale = Scale::linear(most);
    let x = |at: usize| 3.0 + (WIDTH - 6.0) * at as f64 / (values.len() - 1).max(1) as f64;
    let y = |value: f64| 3.0 + (TALL - 6.0) * (1.0 - if most > 0.0 { value / scale_end(&scale) } else { 0.0 });
    let mut svg = format!(
        "<svg class=\"spark\" width=\"{WIDTH}\" height=\"{TALL}\" viewBox=\"0 0 {WIDTH} {TALL}\" aria-hidden=\"true\" focusable=\"false\">"
    );
    let mut d = String::new();
    let mut last = None;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value.filter(|value| value.is_finite()) else { continue };
        let _ = write!(d, "{}{} {}", if last.is_none() { "M" } else { "L" }, short(x(at), 1), short(y(value), 1));
        last = Some((x(at), y(value)));
    }
    let _ = write!(svg, "<path d=\"{d}\"/>");
    if let Some((x, y)) = last {
        let _ = write!(svg, "<circle cx=\"{}\" cy=\"{}\" r=\"2.5\"/>", short(x, 1), short(y, 1));
    }
    svg.push_str("</svg>");
    svg
}

fn scale_end(scale: &Scale) -> f64 {
    scale.ticks().last().copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart<'a>(steps: &'a [String], values: &'a [Option<f64>], changes: &'a [(usize, String)]) -> History<'a> {
        let goal = Some(("goal 1,000/s", 1000.0));
        History { id: "h", title: "a<b", steps, values, unit: Unit::PerSecond, changes, goal }
    }

    #[test]
    fn a_small_chart_reads_as_written() {
        let steps = ["v1", "v2", "v3", "v4"].map(str::to_owned);
        let values = [Some(500.0), Some(750.0), None, Some(990.0)];
        insta::assert_snapshot!(history(&chart(&steps, &values, &[(1, "1".to_owned())])));
    }

    #[test]
    fn ticks_of_small_shares_are_told_apart() {
        assert_eq!(
            [0.00001, 0.000_025, 0.00005, 0.2].map(|value| tick_text(value, Unit::Ratio)),
            ["0.001%", "0.0025%", "0.005%", "20%"]
        );
    }

    #[test]
    fn a_gap_is_no_line() {
        let values = [Some(1.0), None, Some(3.0), Some(4.0)];
        assert_eq!(known_pairs(&values).collect::<Vec<_>>(), [[(2, 3.0), (3, 4.0)]]);
    }

    #[test]
    fn nothing_breaks_it() {
        let steps: Vec<String> = (0..40).map(|n| format!("release-with-a-long-name-{n}")).collect();
        let wild = [None, Some(f64::NAN), Some(f64::INFINITY), Some(-1.0), Some(0.0), Some(1e300)];
        for values in [&wild[..], &[], &[None]] {
            let svg = history(&chart(&steps[..values.len()], values, &[]));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(!sparkline(values).contains("NaN"));
        }
        let many: Vec<Option<f64>> = vec![Some(1.0); steps.len()];
        assert_eq!(history(&chart(&steps, &many, &[])).matches("…</text>").count(), 8);
    }

    #[test]
    fn a_sparkline_wants_two_values() {
        assert_eq!(sparkline(&[Some(1.0), None]), "");
        assert!(sparkline(&[Some(1.0), None, Some(2.0)]).contains("<path d=\"M3 "));
    }
}
