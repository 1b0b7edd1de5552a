//! What pairs of scrapes counted, as figures with what they lack.

use super::super::buckets::{Buckets, Quantile};
use super::super::findings::{Findings, Standing};
use super::super::quantity::Quantity;
use super::super::{Rules, Window};
use super::difference::Sums;
use super::pairs::{Course, Pair, State, process};
use super::tell::{other_server, wrong_order};
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure, Measurement};
use crate::model::instant::Moment;
use crate::model::record::Observation;
use crate::model::units::{Unit, cut, show_number};

/// What the pairs counted, and what of the window they did not see.
pub(super) struct Count {
    sums: Sums,
    /// Processes whose counters could be told.
    pub(super) seen: u64,
    restarts: u64,
    /// Why the sums are lower bounds.
    pub(super) lacking: Vec<String>,
    /// Seconds between the scrapes.
    seconds: Option<f64>,
    coverage: Option<Coverage>,
}

impl Count {
    /// Counts what each pair tells; complaints about pairs that are none are told.
    pub(super) fn of(
        pairs: &[Pair<'_>],
        single: &[State<'_>],
        span: Option<Window>,
        rules: &Rules,
        findings: &mut Findings,
    ) -> Self {
        let seconds = span.map(Window::seconds);
        let (mut sums, mut lacking, mut seen, mut restarts, mut covered) = (Sums::default(), Vec::new(), 0, 0, 0.0);
        for pair in pairs {
            let course = pair.course(span);
            match course {
                Course::Same => covered += seconds.unwrap_or(0.0),
                Course::Restarted(at) => {
                    restarts += 1;
                    covered += span.map_or(0.0, |span| (span.end - at).as_seconds_f64());
                    lacking.push(format!("what {} counted before it restarted at {}", name(pair), Moment::Instant(at)));
                }
                Course::WrongOrder => {
                    lacking.push(format!("{}: its two scrapes are exchanged", name(pair)));
                    findings.told.push(wrong_order(pair));
                    continue;
                }
                Course::OtherServer => {
                    lacking.push(format!("{}: its two scrapes are of two processes", name(pair)));
                    findings.told.push(other_server(pair));
                    continue;
                }
            }
            sums.add(pair, course != Course::Same, rules);
            seen += 1;
        }
        if !pairs.is_empty() {
            lacking.extend(single.iter().map(|state| format!("{} has no other scrape beside it", state.file.path)));
        }
        let all = pairs.len() + if pairs.is_empty() { 0 } else { single.len() };
        let coverage =
            seconds.map(|seconds| Coverage { period_s: Some(1), ..Coverage::of(cut(covered), cut(seconds * all as f64)) });
        Self { sums, seen, restarts, lacking, seconds, coverage }
    }

    /// Adds the figures and observations; `timed` says whether the scrapes' own moments are known.
    pub(super) fn tell(self, findings: &mut Findings, timed: bool) {
        let sums = &self.sums;
        let difference = format!("difference of two scrapes, summed over {} processes", self.seen);
        let acquires = sums.of(Quantity::PoolAcquires);
        self.add(findings, FigureId::PoolAcquires, Quantity::PoolAcquires, acquires, |one| one.by(&difference));
        let share = |of: Option<f64>| of.zip(acquires.filter(|all| *all > 0.0)).map(|(part, all)| part / all);
        let empty = sums.of(Quantity::PoolEmptyAcquires);
        let ratio = |one: Measurement| one.of("acquires").by("empty acquires / all acquires, each the difference of two scrapes");
        self.add(findings, FigureId::PoolEmptyRatio, Quantity::PoolEmptyAcquires, share(empty), ratio);
        let wait = sums.of(Quantity::PoolWait);
        let mean = |one: Measurement| one.by("wait / all acquires, each the difference of two scrapes");
        self.add(findings, FigureId::PoolMeanWait, Quantity::PoolWait, share(wait), mean);
        let latency = sums.pooled(Quantity::ServerLatency);
        let requests = sums.of(Quantity::ServerRequests).or_else(|| latency.as_ref().map(Buckets::count));
        let per_second = requests.zip(self.seconds).map(|(requests, seconds)| requests / seconds);
        let between = if timed { "between the scrapes" } else { "of the window" };
        let seconds = show_number(self.seconds.unwrap_or_default());
        let rate = |one: Measurement| one.by(format!("requests / {seconds} s {between}, each the difference of two scrapes"));
        self.add(findings, FigureId::ServerRequestsPerS, Quantity::ServerRequests, per_second, rate);
        let percentiles =
            [(FigureId::ServerLatencyP50, 0.5), (FigureId::ServerLatencyP95, 0.95), (FigureId::ServerLatencyP99, 0.99)];
        for (id, share) in percentiles {
            let value = match latency.as_ref().and_then(|all| all.quantile(share, 0.0)) {
                Some(Quantile::At(value)) => Some(value),
                _ => None,
            };
            let method = "le buckets pooled over processes, linear inside the bucket";
            self.add(findings, id, Quantity::ServerLatency, value, |one| one.by(method));
        }
        self.observe(findings, empty, wait, requests);
    }

    fn observe(&self, findings: &mut Findings, empty: Option<f64>, wait: Option<f64>, requests: Option<f64>) {
        let mut add = |name: String, value: Option<f64>, unit: Unit, quantity: Option<Quantity>, method: &str| {
            let Some(value) = value else { return };
            let measurement = self.measured(value, unit, quantity).by(method);
            for path in &measurement.files {
                findings.use_file(path, name.clone());
            }
            findings.observed.push(Observation { name, measurement });
        };
        let difference = "difference of two scrapes, summed";
        add("empty acquires".to_owned(), empty, Unit::Count, Some(Quantity::PoolEmptyAcquires), difference);
        add("wait".to_owned(), wait, Unit::Ms, Some(Quantity::PoolWait), difference);
        let waiting = wait.zip(empty.filter(|empty| *empty > 0.0)).map(|(wait, empty)| wait / empty);
        let upper = "wait / empty acquires: an upper estimate, since other acquires take time too";
        add("mean wait of waiting acquires".to_owned(), waiting, Unit::Ms, Some(Quantity::PoolWait), upper);
        add("requests".to_owned(), requests, Unit::Count, Some(Quantity::ServerRequests), difference);
        for (code, count) in &self.sums.codes {
            add(format!("requests by code {code}"), Some(*count), Unit::Count, Some(Quantity::ServerRequests), difference);
        }
        add("containers".to_owned(), Some(self.seen as f64), Unit::Count, None, "processes with two scrapes");
        let method = "processes whose process_start_time_seconds changed between the scrapes";
        add("restarts".to_owned(), Some(self.restarts as f64), Unit::Count, None, method);
    }

    /// Adds a figure, or that it was not captured.
    fn add(
        &self,
        findings: &mut Findings,
        id: FigureId,
        of: Quantity,
        value: Option<f64>,
        finish: impl Fn(Measurement) -> Measurement,
    ) {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            let why = if id == FigureId::ServerRequestsPerS && self.seconds.is_none() {
                "nothing says how long it was from one scrape to the other".to_owned()
            } else {
                format!("the scrapes tell nothing of it: no counter of {}, or nothing was counted", of.name())
            };
            return findings.add(id, Figure::not_captured(why), Standing::None);
        };
        let measured = finish(self.measured(value, id.unit(), Some(of)));
        let is_whole = measured.lacking.is_none() && measured.coverage.is_none_or(Coverage::is_complete);
        findings.add(id, if is_whole { Figure::Measured(measured) } else { Figure::Incomplete(measured) }, Standing::Raw);
    }

    fn measured(&self, value: f64, unit: Unit, of: Option<Quantity>) -> Measurement {
        let mut measured = Measurement::exact(value, unit);
        measured.coverage = self.coverage;
        measured.lacking = (!self.lacking.is_empty()).then(|| self.lacking.join("; "));
        measured.files = self.sums.files.iter().cloned().collect();
        measured.series = of.and_then(|of| self.sums.series.get(&of)).copied();
        measured
    }
}

fn name(pair: &Pair<'_>) -> String {
    let name = process(&pair.after.file.path);
    name.rsplit('/').next().unwrap_or(&name).trim_end_matches("_txt").to_owned()
}
