//! k6's own figures, as its output `experimental-prometheus-rw` writes them to Prometheus: `k6_<counter>_total`, `k6_<rate>_rate`,
//! `k6_<trend>_{p50,p95,p99,avg,...}`, `k6_<trend>_seconds` for native histograms, a series a tag set
//! (<https://grafana.com/docs/k6/latest/results-output/real-time/prometheus-remote-write/>).
//!
//! Every value is of the time since k6 began, so the last one in the window tells the run; after k6's end Prometheus repeats it for a
//! while. Counts come from counters alone: `_count` of a trend of times is divided by 1000, as if it were a time too. Percentiles of
//! tag sets are never merged; those of native histograms are, since buckets can be added.

mod latency;
mod series;
#[cfg(test)]
mod tests;

use self::series::{Series, Told, measured};
use super::super::findings::{Findings, Standing};
use super::super::track::Track;
use super::super::{File, Window};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::instant::Moment;
use crate::model::record::Observation;
use crate::model::units::Unit;

/// How near a share times a number must be to a whole number to be one: shares are printed with 15 digits or more.
const NEAR: f64 = 1e-6;

/// What k6's series tell of a window: counts of requests, failures and iterations, the load, and latencies of successes as observations.
/// Without a window all points count. Nothing where there is no series of k6.
#[must_use]
pub fn findings(tracks: &[(&Track, &File)], window: Option<Window>) -> Findings {
    let mut findings = Findings::default();
    if tracks.is_empty() {
        return findings;
    }
    let told = match Told::new(tracks, window, &mut findings.told) {
        Ok(told) => told,
        Err(reason) => {
            for (_, file) in tracks {
                findings.pass_over(&file.path, reason.clone());
            }
            for id in [FigureId::K6Requests, FigureId::K6FailedRequests, FigureId::K6Iterations, FigureId::K6SuccessRatio] {
                findings.add(id, Figure::not_captured(reason.clone()), Standing::None);
            }
            return findings;
        }
    };
    let requests = Requests::of(&told);
    add(&mut findings, FigureId::K6Requests, told.count("k6_http_reqs_total", Unit::Count));
    add(&mut findings, FigureId::K6FailedRequests, requests.as_ref().map_err(Clone::clone).and_then(Requests::failures));
    add(&mut findings, FigureId::K6Iterations, told.count("k6_iterations_total", Unit::Count));
    add(&mut findings, FigureId::K6SuccessRatio, requests.as_ref().map_err(Clone::clone).and_then(|all| all.successes(&told)));
    add(&mut findings, FigureId::K6Vus, vus(&told));
    for id in [FigureId::K6Checks, FigureId::K6FailedChecks] {
        add(&mut findings, id, Err("k6 writes the rate of checks to Prometheus, not their number".to_owned()));
    }
    observe(&mut findings, by_status(&told));
    observe(&mut findings, iterations_per_s(&told).into_iter().collect());
    observe(&mut findings, latency::observations(&told));
    findings
}

/// A figure, or the reason why there is none.
type Result<T> = std::result::Result<T, String>;

fn add(findings: &mut Findings, id: FigureId, measured: Result<Measurement>) {
    let figure = match measured {
        Ok(measured) if measured.lacking.is_some() => Figure::Incomplete(measured),
        Ok(measured) => Figure::Measured(measured),
        Err(reason) => return findings.add(id, Figure::not_captured(reason), Standing::None),
    };
    findings.add(id, figure, Standing::Raw);
}

fn observe(findings: &mut Findings, observed: Vec<Observation>) {
    for one in observed {
        for path in &one.measurement.files {
            findings.use_file(path, one.name.clone());
        }
        findings.observed.push(one);
    }
}

/// The most virtual users there could be; where k6 did not say, the most there were.
fn vus(told: &Told<'_>) -> Result<Measurement> {
    let most = |metric: &str, method: &str| {
        let all = told.of(metric);
        let highest = all.iter().flat_map(Series::numbers).reduce(f64::max)?;
        Some(measured(highest, Unit::Count, metric, all).by(method))
    };
    most("k6_vus_max", "highest value")
        .or_else(|| most("k6_vus", "highest value"))
        .ok_or_else(|| "there is no series k6_vus".to_owned())
}

/// Requests by tag set, with how many of them failed.
struct Requests<'a> {
    all: Measurement,
    sets: Vec<(&'a Series<'a>, f64, Result<f64>)>,
}

impl<'a> Requests<'a> {
    fn of(told: &'a Told<'a>) -> Result<Self> {
        let all = told.count("k6_http_reqs_total", Unit::Count)?;
        let rates = told.of("k6_http_req_failed_rate");
        let set = |series: &'a Series<'a>| {
            let (at, count) = series.last()?;
            let rate = rates.iter().find(|rate| rate.labels == series.labels).and_then(|rate| rate.at(at));
            Some((series, count, failed(count, rate)))
        };
        Ok(Self { all, sets: told.of("k6_http_reqs_total").iter().filter_map(set).collect() })
    }

    /// Requests that failed, over all tag sets.
    fn failures(&self) -> Result<Measurement> {
        let failed = self.sets.iter().map(|(_, _, failed)| failed.clone()).sum::<Result<f64>>()?;
        let method = "requests times the share that failed, by tag set, summed";
        Ok(Measurement { value: failed, ..self.all.clone() }.by(method).from("k6_http_req_failed_rate"))
    }

    /// The smaller of the share of requests that did not fail and the share of checks that held. Rates of several checks can't be
    /// joined without their numbers, but none of them matters that is no smaller than the share of requests.
    fn successes(&self, told: &Told<'_>) -> Result<Measurement> {
        let failed = self.failures()?.value;
        if self.all.value <= 0.0 {
            return Err("there was no request".to_owned());
        }
        let requests = 1.0 - failed / self.all.value;
        let rates: Vec<f64> = told.of("k6_checks_rate").iter().filter_map(Series::last).map(|(_, rate)| rate).collect();
        let lowest = rates.iter().copied().reduce(f64::min).unwrap_or(1.0);
        let highest = rates.iter().copied().reduce(f64::max).unwrap_or(1.0);
        // A single check tells its share itself; several that agree do too.
        let (value, of) = if lowest >= requests - f64::EPSILON * 8.0 {
            (requests, "requests")
        } else if highest - lowest <= f64::EPSILON {
            (lowest, "checks")
        } else {
            return Err("the rates of several checks can't be joined without their numbers".to_owned());
        };
        let measured = Measurement { value, unit: Unit::Ratio, ..self.all.clone() };
        Ok(measured.of(of).by("the smaller of the share of requests that did not fail and the rate of checks"))
    }
}

/// How many of some requests failed, by their share; a whole number, or there is none.
fn failed(count: f64, rate: Option<f64>) -> Result<f64> {
    let rate = rate.ok_or("the share of failed requests of a tag set is missing")?;
    let failed = rate * count;
    let whole = failed.round();
    let is_whole = (failed - whole).abs() <= NEAR * count.max(1.0) && (0.0..=count).contains(&whole);
    is_whole
        .then_some(whole)
        .ok_or_else(|| "the share of failed requests of a tag set is no whole number of its requests".to_owned())
}

/// Requests by status, where requests are tagged with it.
fn by_status(told: &Told<'_>) -> Vec<Observation> {
    let metric = "k6_http_reqs_total";
    let all = told.of(metric);
    let mut statuses: Vec<&str> = all.iter().filter_map(|series| series.labels.get("status")).map(String::as_str).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let one = |status: &str| {
        let own: Vec<&Series<'_>> =
            all.iter().filter(|series| series.labels.get("status").is_some_and(|own| own == status)).collect();
        let count = own.iter().filter_map(|series| series.last()).map(|(_, count)| count).sum();
        let measurement = measured(count, Unit::Count, metric, own).by("sum over tag sets of the last value in the window");
        Observation { name: format!("requests by status {status}"), measurement }
    };
    statuses.into_iter().map(one).collect()
}

/// Iterations per second from the first point in the window to the one after which nothing was counted any more.
fn iterations_per_s(told: &Told<'_>) -> Option<Observation> {
    let metric = "k6_iterations_total";
    let all = told.of(metric);
    let (first, ..) = all.split_first()?;
    let sum = |at| all.iter().map(|series| series.at(at)).sum::<Option<f64>>().map(|sum| (at, sum));
    let sums: Vec<_> = first.moments().filter_map(sum).collect();
    let (start, before) = *sums.first()?;
    let most = sums.last()?.1;
    let (end, after) = *sums.iter().find(|(_, sum)| *sum >= most)?;
    let seconds = (end - start).as_seconds_f64();
    (seconds > 0.0 && after > before && !told.began_anew(metric)).then(|| Observation {
        name: format!("iterations/s between {} and {}", Moment::Instant(start), Moment::Instant(end)),
        measurement: measured((after - before) / seconds, Unit::PerSecond, metric, all)
            .by("difference of the counter; later points repeat the last one"),
    })
}
