//! Whether the service saw what the load generator saw.

use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::figure::Measurement;
use crate::model::finding::Level;
use crate::model::summary::Metric;
use crate::model::units::{Unit, show, show_change};

/// Another rate at the service.
pub(super) const RATE: Rule = Rule {
    code: "server-rate",
    level: Level::Warning,
    title: "The service counted another rate of requests than k6",
    reason: "What k6 sends, the service counts, but for requests that end in front of it and those of others. k6's rate lies between its count over its whole clock and over \
             the test phase; the service's is more than 3% outside of that. Fewer: requests never reached it, or its window is longer. More: others used \
             it, and its CPU and latency are theirs too.",
    hint: "fetch the service's metrics for the test's window alone; find out who else uses the system",
    look: Scope::Run(rate),
};

/// How far the rates may be apart.
const RATE_TOLERANCE: f64 = 0.03;

fn rate(subject: &Subject<'_>) -> Vec<Found> {
    one(rates(subject).and_then(|(server, client)| {
        let range = server.range();
        let is_less = range.hi() < client.lo() * (1.0 - RATE_TOLERANCE);
        let is_more = range.lo() > client.hi() * (1.0 + RATE_TOLERANCE);
        let nearest = if is_less { client.lo() } else { client.hi() };
        (is_less || is_more).then(|| {
            let off = show_change(server.value / nearest);
            let sent = format!("{} to {}", show(client.lo(), Unit::PerSecond), show(client.hi(), Unit::PerSecond));
            let message = format!("the service counted {}, and k6 sent {sent} ({off})", server.text());
            let found = Found::new(message).measured("server.requests_per_s", &server);
            found.with("k6.requests_per_s.low", client.lo(), Unit::PerSecond).with(
                "k6.requests_per_s.high",
                client.hi(),
                Unit::PerSecond,
            )
        })
    }))
}

/// The service's rate, and what k6's can be: over its clock, and over the test phase.
fn rates(subject: &Subject<'_>) -> Option<(Measurement, Bounds)> {
    let server = subject.figure(FigureId::ServerRequestsPerS)?;
    let (count, clock) = (subject.figure(FigureId::K6Requests)?.value, subject.k6()?.duration_s?);
    let duration = subject.duration_s()?.min(clock);
    Some((server, Bounds::new(count / clock, count / duration)?))
}

/// Percentiles of the service and of k6 side by side.
struct Beside {
    percent: u8,
    server: Measurement,
    client: f64,
    bounds: Bounds,
}

fn beside(subject: &Subject<'_>) -> Vec<Beside> {
    let figures = [(50, FigureId::ServerLatencyP50), (95, FigureId::ServerLatencyP95), (99, FigureId::ServerLatencyP99)];
    let metric = subject.k6().and_then(|k6| k6.metrics.get("http_req_duration"));
    let Some(metric) = metric else { return Vec::new() };
    // What is approximate, read from buckets say, may lie on either side of the truth.
    let exact = |id| subject.figure(id).filter(|figure| figure.grade.is_none());
    figures.into_iter().filter_map(|(percent, id)| pair(percent, exact(id)?, metric)).collect()
}

fn pair(percent: u8, server: Measurement, metric: &Metric) -> Option<Beside> {
    let stat = metric.percentile(percent)?;
    Some(Beside { percent, server, client: metric.value(stat)?, bounds: metric.bounds_of(stat)? })
}

impl Beside {
    fn text(&self) -> String {
        format!("p{} {} at the service, {} at k6", self.percent, self.server.text(), show(self.client, Unit::Ms))
    }

    fn on(&self, found: Found) -> Found {
        let client = format!("http_req_duration.p({})", self.percent);
        found.measured(format!("server.latency.p{}", self.percent), &self.server).with(client, self.client, Unit::Ms)
    }
}

fn told(pairs: &[Beside], rest: &str) -> Vec<Found> {
    let text = pairs.iter().map(Beside::text).collect::<Vec<_>>().join("; ");
    one((!pairs.is_empty()).then(|| pairs.iter().fold(Found::new(format!("{text}{rest}")), |found, pair| pair.on(found))))
}

/// Slower inside than outside.
pub(super) const SLOWER_THAN_CLIENT: Rule = Rule {
    code: "server-slower-than-client",
    level: Level::Warning,
    title: "The service is slower by its own clock than by k6's",
    reason: "k6 waits for what the service does, so no percentile of the service's latency can lie above k6's over the same requests. Where one does, the two are not of the same \
             requests: other traffic is in it, another window, or percentiles of minutes were averaged. Latencies that are known to be approximate are left alone.",
    hint: "fetch the service's latency as a distribution over the test's window; don't print averaged percentiles",
    look: Scope::Run(slower_than_client),
};

fn slower_than_client(subject: &Subject<'_>) -> Vec<Found> {
    let pairs: Vec<Beside> = beside(subject).into_iter().filter(|pair| pair.server.range().lo() > pair.bounds.hi()).collect();
    told(&pairs, "")
}

/// Time that passes in front of the service.
pub(super) const FASTER_THAN_CLIENT: Rule = Rule {
    code: "server-faster-than-client",
    level: Level::Warning,
    title: "Much of the latency is not the service's",
    reason: "k6's p95 is more than half as long again as the service's, by more than 100 ms: requests wait in front of the service (the platform's queue, the network, the load generator) \
             or the two are not of the same requests. The page's latency is then not what the service does.",
    hint: "look at the platform's queue and concurrency limit, and at the load generator",
    look: Scope::Run(faster_than_client),
};

fn faster_than_client(subject: &Subject<'_>) -> Vec<Found> {
    let is_far = |pair: &Beside| {
        let server = pair.server.range().hi();
        pair.percent == 95 && pair.bounds.lo() > 1.5 * server && pair.bounds.lo() - server > 100.0
    };
    let pairs: Vec<Beside> = beside(subject).into_iter().filter(is_far).collect();
    told(&pairs, "")
}
