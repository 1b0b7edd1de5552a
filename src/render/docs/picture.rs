//! The chart of a page as a picture beside it, where the docs site has no component that draws one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::model::series::{Series, TrendSeries};
use crate::model::units::{Unit, show};
use crate::render::markup::escape;
use crate::render::svg::series::{OverTime, elapsed, over_time};

/// A picture file.
pub(super) struct Picture {
    /// Its name.
    pub(super) file: String,
    /// What it shows, in words.
    pub(super) alternative: String,
    /// The file's text.
    pub(super) svg: String,
}

/// Pixels across.
const WIDTH: u32 = 880;
/// Pixels of the chart alone.
const CHART: u32 = 266;
/// Pixels above the chart: title and legend.
const ABOVE: u32 = 64;
/// Pixels left of and right of the chart, and below it.
const MARGIN: u32 = 20;
/// Letters of a trend's name that a file is called by.
const NAME: usize = 60;

/// What the style sheet of the site says of a chart; a picture has its own paper, since it can't know the page's.
const STYLE: &str = ":root{--paper:#fff;--ink:#17212b;--quiet:#55616d;--line:#dcdfe2;--p50:#0a3d5c;--p95:#1f7fb5;--p99:#84919d}\
@media (prefers-color-scheme:dark){:root{--paper:#161d25;--ink:#e4e9ed;--quiet:#9fabb6;--line:#2b3641;--p50:#d3edfa;--p95:#4ba6d6;\
--p99:#71808d}}\
text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",Arial,sans-serif;fill:var(--quiet)}\
.paper{fill:var(--paper);stroke:var(--line)}.heading{font-size:15px;font-weight:600;fill:var(--ink)}\
.grid{stroke:var(--line)}.halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}\
.line{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}\
.key{stroke-width:3}.p50{stroke:var(--p50)}.p95{stroke:var(--p95)}.p99{stroke:var(--p99)}";

/// A picture of each trend of a series, over the same time; none of a series without a point.
pub(super) fn pictures(series: &Series) -> Vec<Picture> {
    let drawn: Vec<(&String, &TrendSeries)> = series.trends.iter().filter(|(_, trend)| !trend.points.is_empty()).collect();
    let seconds = || drawn.iter().flat_map(|(_, trend)| trend.points.iter().map(|point| point.second));
    let (Some(start), Some(end)) = (seconds().min(), seconds().max()) else { return Vec::new() };
    let span = end.saturating_sub(start).max(1);
    let mut taken = BTreeSet::new();
    let one = |(name, trend): &(&String, &TrendSeries)| Picture {
        file: if drawn.len() == 1 { "latencies.svg".to_owned() } else { file_name(name, &mut taken) },
        alternative: alternative(name, trend, span),
        svg: alone(&OverTime { id: "chart", name, trend, start, span, bands: &[] }),
    };
    drawn.iter().map(one).collect()
}

/// `latencies-otp_session_duration.svg`: a name of ASCII letters that no other picture has, on disks without letter case too.
fn file_name(trend: &str, taken: &mut BTreeSet<String>) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c.to_ascii_lowercase() } else { '-' };
    let stem: String = trend.chars().take(NAME).map(safe).collect();
    let mut name = format!("latencies-{stem}.svg");
    let mut count = 1;
    while !taken.insert(name.clone()) {
        count += 1;
        name = format!("latencies-{stem}-{count}.svg");
    }
    name
}

/// What the picture shows, with the figures that a glance at it gives.
fn alternative(name: &str, trend: &TrendSeries, span: i64) -> String {
    let mut medians: Vec<i64> = trend.points.iter().map(|point| point.p50).collect();
    medians.sort_unstable();
    let middle = medians.get(medians.len() / 2).copied().unwrap_or_default();
    let highest = trend.points.iter().map(|point| point.p99).max().unwrap_or_default();
    format!(
        "Latency of {name} over {}: p50, p95 and p99 of every second. Half of the seconds have a p50 up to {}; the highest p99 is {}.",
        elapsed(span),
        milliseconds(middle),
        milliseconds(highest)
    )
}

fn milliseconds(micros: i64) -> String {
    #[allow(clippy::cast_precision_loss, reason = "it is shown with three digits")]
    let micros = micros as f64;
    show(micros / 1e3, Unit::Ms)
}

/// A chart as a file of its own: with a size, a style, a paper, a title and a legend.
fn alone(chart: &OverTime<'_>) -> String {
    let (height, inner) = (ABOVE + CHART + MARGIN, WIDTH - 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n\
         <style>{STYLE}</style>\n\
         <rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
         <text class=\"heading\" x=\"{MARGIN}\" y=\"30\">{}</text>\n",
        WIDTH - 1,
        height - 1,
        escape(&shortened(chart.name))
    );
    for (nth, name) in ["p50", "p95", "p99"].into_iter().enumerate() {
        let x = MARGIN as usize + nth * 64;
        let _ = writeln!(
            svg,
            "<line class=\"key {name}\" x1=\"{x}\" x2=\"{}\" y1=\"50\" y2=\"50\"/><text x=\"{}\" y=\"54\">{name}</text>",
            x + 20,
            x + 26
        );
    }
    let _ = write!(
        svg,
        "<svg x=\"{MARGIN}\" y=\"{ABOVE}\" width=\"{inner}\" height=\"{CHART}\">{}</svg>\n</svg>\n",
        over_time(chart)
    );
    svg
}

/// A name that fits above the chart.
fn shortened(name: &str) -> String {
    const LETTERS: usize = 90;
    if name.chars().count() <= LETTERS { name.to_owned() } else { name.chars().take(LETTERS).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::series::SeriesPoint;

    fn series(names: &[&str]) -> Series {
        let point = |second| SeriesPoint { second, p50: 10_000, p95: 20_000, p99: 30_000, count: None };
        let trend = || TrendSeries { points: (100..130).map(point).collect(), successes: None };
        Series { trends: names.iter().map(|name| ((*name).to_owned(), trend())).collect(), ..Series::default() }
    }

    #[test]
    fn a_picture_is_complete_in_itself() {
        let pictures = pictures(&series(&["basket_<flow>"]));
        let only = pictures.first().map(|one| format!("{}\n{}\n{}", one.file, one.alternative, one.svg)).unwrap_or_default();
        insta::assert_snapshot!(only);
    }

    #[test]
    fn no_two_trends_share_a_file() {
        let files: Vec<String> = pictures(&series(&["A b", "a-b", "a/b", "../x"])).into_iter().map(|one| one.file).collect();
        assert_eq!(files, ["latencies----x.svg", "latencies-a-b.svg", "latencies-a-b-2.svg", "latencies-a-b-3.svg"]);
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert!(pictures(&Series::default()).is_empty());
    }
}
