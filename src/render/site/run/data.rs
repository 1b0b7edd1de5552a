//! A run's seconds as a script that sets one global, for the charts that answer: a page that was opened from a disk may load scripts and
//! nothing else. The form is described in docs/site.md.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bands;
use super::latency::axis;
use crate::model::address::Address;
use crate::model::collection::Run;
use crate::model::series::{SeriesPoint, TrendSeries};

/// The name of the file.
pub(in crate::render::site) const FILE: &str = "data.js";
/// The most steps of a series; of more seconds the lowest and the highest of each step stay.
const STEPS: i64 = 2_400;
/// Counts of each second that are told.
const COUNTS: [&str; 4] = ["http_reqs", "iterations", "http_req_failed", "checks_failed"];

/// What a script is told of a run.
#[derive(Serialize)]
struct Data<'a> {
    /// The first second of the axis, since 1970.
    start: i64,
    /// Seconds from there to its end.
    span: i64,
    /// How many seconds a step has: of one every second is told.
    step: i64,
    trends: BTreeMap<&'a str, Trend>,
    counts: BTreeMap<&'static str, Counts>,
    bands: Vec<Marked>,
    others: Vec<Other>,
}

/// Columns of a trend: seconds since the start of the axis, and percentiles in units of so many microseconds.
#[derive(Serialize)]
struct Trend {
    unit: i64,
    at: String,
    p50: String,
    p95: String,
    p99: String,
}

/// Columns of a count.
#[derive(Serialize)]
struct Counts {
    at: String,
    count: String,
}

#[derive(Serialize)]
struct Marked {
    from: i64,
    to: i64,
    mark: String,
}

/// Another run of the target that can be laid over this one.
#[derive(Serialize)]
struct Other {
    run: String,
    src: String,
}

/// Whether a run has seconds to be drawn.
pub(in crate::render::site) fn has(run: &Run) -> bool {
    run.series.as_ref().is_some_and(|series| axis(series).is_some() && series.trends.values().any(|trend| trend.points.len() > 1))
}

/// The script; empty without a series.
pub(in crate::render::site) fn script(address: &Address, run: &Run, others: &[&Address]) -> Result<String, serde_json::Error> {
    let Some((series, (start, span))) = run.series.as_ref().and_then(|series| Some((series, axis(series)?))) else {
        return Ok(String::new());
    };
    let step = (span / STEPS).saturating_add(1);
    let drawn = series.trends.iter().filter(|(_, trend)| trend.points.len() > 1);
    let counts = COUNTS.iter().filter_map(|name| {
        let (first, counts) = series.counts(name)?;
        let line: Vec<(i64, i64)> =
            (first.saturating_sub(start)..).zip(counts.iter().map(|count| i64::try_from(*count).unwrap_or(i64::MAX))).collect();
        Some((*name, of_counts(&line, step)))
    });
    let data = Data {
        start,
        span,
        step,
        trends: drawn.map(|(name, trend)| (name.as_str(), of_trend(trend, start, step))).collect(),
        counts: counts.collect(),
        bands: bands::bands(&run.record, start)
            .into_iter()
            .map(|band| Marked { from: band.from, to: band.to, mark: band.mark })
            .collect(),
        others: others.iter().map(|other| Other { run: other.to_string(), src: format!("../../{other}/{FILE}") }).collect(),
    };
    let json = serde_json::to_string(&data)?;
    let name = serde_json::to_string(&address.to_string())?;
    Ok(harmless(&format!("var plimsoll = window.plimsoll || {{}};\n(plimsoll.runs = plimsoll.runs || {{}})[{name}] = {json};\n")))
}

/// No letter of a name ends a script or a line of it.
fn harmless(script: &str) -> String {
    script.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn of_trend(trend: &TrendSeries, start: i64, step: i64) -> Trend {
    let points: Vec<&SeriesPoint> =
        thinned(&trend.points, step, |point| point.second.saturating_sub(start), |point| [point.p50, point.p95, point.p99]);
    let unit = unit(&points);
    let rounded = |value: i64| value.saturating_add(unit / 2).div_euclid(unit);
    let column = |value: fn(&SeriesPoint) -> i64| deltas(points.iter().map(|point| rounded(value(point))));
    Trend {
        unit,
        at: deltas(points.iter().map(|point| point.second.saturating_sub(start))),
        p50: column(|point| point.p50),
        p95: column(|point| point.p95),
        p99: column(|point| point.p99),
    }
}

/// The unit that leaves three digits and more to nearly all medians: a chart shows no more, and the files of the run have all.
fn unit(points: &[&SeriesPoint]) -> i64 {
    let mut medians: Vec<i64> = points.iter().map(|point| point.p50).filter(|median| *median > 0).collect();
    medians.sort_unstable();
    let low = medians.get(medians.len() / 20).copied().unwrap_or(0);
    [1_000, 100, 10].into_iter().find(|unit| low / unit >= 1_000).unwrap_or(1)
}

fn of_counts(line: &[(i64, i64)], step: i64) -> Counts {
    let points = thinned(line, step, |point| point.0, |point| [point.1]);
    Counts { at: deltas(points.iter().map(|point| point.0)), count: deltas(points.iter().map(|point| point.1)) }
}

/// The points that hold the lowest or the highest of some values within their step; all of them where a step is a second.
fn thinned<P, const N: usize>(points: &[P], step: i64, at: impl Fn(&P) -> i64, values: impl Fn(&P) -> [i64; N]) -> Vec<&P> {
    if step <= 1 {
        return points.iter().collect();
    }
    let mut kept = Vec::new();
    for bucket in points.chunk_by(|a, b| at(a).div_euclid(step) == at(b).div_euclid(step)) {
        let mut places: Vec<usize> = (0..N)
            .flat_map(|nth| {
                let of = |place: &usize| values(&bucket[*place])[nth];
                [(0..bucket.len()).min_by_key(of), (0..bucket.len()).rev().max_by_key(of)]
            })
            .flatten()
            .collect();
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| &bucket[place]));
    }
    kept
}

/// Differences of whole numbers in the base 64 of source maps: five bits a letter, the lowest first, the sign in the very lowest.
fn deltas(values: impl Iterator<Item = i64>) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut text, mut before) = (String::new(), 0_i128);
    for value in values {
        let delta = i128::from(value) - before;
        before = i128::from(value);
        let mut rest = (delta.unsigned_abs() << 1) | u128::from(delta < 0);
        loop {
            let bits = usize::try_from(rest & 31).unwrap_or(0);
            rest >>= 5;
            text.push(char::from(LETTERS[bits | if rest > 0 { 32 } else { 0 }]));
            if rest == 0 {
                break;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As charts.js reads it.
    fn read(text: &str) -> Vec<i64> {
        let digit = |letter: u8| match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let (mut values, mut sum, mut number, mut shift) = (Vec::new(), 0_i128, 0_u128, 0);
        for letter in text.bytes() {
            let bits = digit(letter);
            number |= u128::from(bits & 31) << shift;
            shift += 5;
            if bits & 32 == 0 {
                let size = i128::try_from(number >> 1).unwrap_or(0);
                sum += if number & 1 == 1 { -size } else { size };
                values.push(i64::try_from(sum).unwrap_or(0));
                (number, shift) = (0, 0);
            }
        }
        values
    }

    proptest! {
        #[test]
        fn numbers_come_back(values in prop::collection::vec(any::<i64>(), 0..40)) {
            prop_assert_eq!(read(&deltas(values.iter().copied())), values);
        }

        #[test]
        fn extremes_of_every_step_stay(values in prop::collection::vec(0_i64..1000, 1..200), step in 1_i64..40) {
            let line: Vec<(i64, i64)> = (0..).zip(values).collect();
            let kept = thinned(&line, step, |point| point.0, |point| [point.1]);
            for bucket in line.chunk_by(|a, b| a.0 / step == b.0 / step) {
                let of = |points: &[(i64, i64)]| (points.iter().map(|p| p.1).min(), points.iter().map(|p| p.1).max());
                let inside: Vec<(i64, i64)> = kept.iter().filter(|p| p.0 / step == bucket[0].0 / step).map(|p| **p).collect();
                prop_assert_eq!(of(&inside), of(bucket));
            }
        }
    }

    #[test]
    fn three_digits_of_nearly_every_median_are_left() {
        let point = |p50| SeriesPoint { second: 0, p50, p95: p50, p99: p50, count: None };
        let points = [point(0), point(141_000), point(99_000), point(1_204_000)];
        assert_eq!(unit(&points.iter().collect::<Vec<_>>()), 10);
        assert_eq!((unit(&[]), unit(&[&point(999)])), (1, 1));
    }

    #[test]
    fn small_numbers_are_a_letter() {
        assert_eq!(deltas([0, 1, 0, 16, 15].into_iter()), "ACDgBD");
    }

    #[test]
    fn no_name_ends_the_script() {
        assert_eq!(harmless("</script>\u{2028}"), "\\u003c/script>\\u2028");
    }
}
