//! What happens in the made run: accounts in setup, iterations of two or three requests at an even pace, a burst of 503, a few 500
//! all along, time-outs at the end, and a teardown.

use std::io::{self, Write};

use crate::draw::Draws;
use crate::rows::{Metric, Rows, Tags};

/// 2026-08-27 16:00:00 UTC in nanoseconds since 1970.
const START: u64 = 1_787_846_400 * SECOND;
const SECOND: u64 = 1_000_000_000;
const MILLI: u64 = 1_000_000;
const MICRO: u64 = 1_000;
/// A value of one, as counters, rates and checks have it.
const UNIT: u64 = 1_000_000;

/// Failed requests in a million, as the whole run is asked for: 0.05%.
const UNAVAILABLE: u64 = 350;
const BROKEN: u64 = 125;
const TIMED_OUT: u64 = 25;

/// The size of the run.
pub(crate) struct Plan {
    pub(crate) requests: u64,
    pub(crate) users: u64,
    pub(crate) seconds: u64,
    pub(crate) trends: u8,
    pub(crate) seed: u64,
}

/// What was written.
pub(crate) struct Told {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    /// Requests of the test phase, and those of them that failed.
    pub(crate) requests: u64,
    pub(crate) failed: u64,
}

/// A place that answers requests.
struct Endpoint {
    trend: Option<Metric>,
    method: &'static str,
    url: &'static str,
    /// Whether the address ends in a number of its own for each request.
    numbered: bool,
    status: &'static str,
    checks: &'static [&'static str],
    group: &'static str,
    median: u64,
}

const CREATE_USER: Endpoint = Endpoint {
    trend: Some(Metric::CreateUser),
    method: "POST",
    url: "https://sut.example/v2/users/human",
    numbered: false,
    status: "201",
    checks: &["user is created, and has an id"],
    group: "::setup",
    median: 38 * MILLI,
};

const REMOVE_USERS: Endpoint = Endpoint {
    trend: None,
    method: "DELETE",
    url: "https://sut.example/management/v1/orgs/",
    numbered: true,
    status: "200",
    checks: &["org removed"],
    group: "::teardown",
    median: 90 * MILLI,
};

const ADD_SESSION: Endpoint = Endpoint {
    trend: Some(Metric::AddSession),
    method: "POST",
    url: "https://sut.example/v2/sessions",
    numbered: false,
    status: "201",
    checks: &["add session status ok"],
    group: "",
    median: 24 * MILLI,
};

const SET_SESSION: Endpoint = Endpoint {
    trend: Some(Metric::SetSession),
    method: "PATCH",
    url: "https://sut.example/v2/sessions/",
    numbered: true,
    status: "200",
    checks: &["set session status ok"],
    group: "",
    median: 61 * MILLI,
};

const TOKEN: Endpoint = Endpoint {
    trend: Some(Metric::Token),
    method: "POST",
    url: "https://sut.example/oauth/v2/token",
    numbered: false,
    status: "200",
    checks: &["token status ok", "token has access_token"],
    group: "::token",
    median: 33 * MILLI,
};

/// How a request ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Answered,
    Unavailable,
    Broken,
    TimedOut,
}

/// Where the time of a request went, in nanoseconds.
#[derive(Default)]
struct Timings {
    blocked: u64,
    connecting: u64,
    tls: u64,
    sending: u64,
    waiting: u64,
    receiving: u64,
}

impl Timings {
    fn duration(&self) -> u64 {
        self.sending + self.waiting + self.receiving
    }
}

/// A run while it is told.
pub(crate) struct Story<W> {
    plan: Plan,
    draws: Draws,
    rows: Rows<W>,
    url: String,
    test_start: u64,
    next_second: u64,
    requests: u64,
    failed: u64,
}

impl<W: Write> Story<W> {
    pub(crate) fn new(plan: Plan, rows: Rows<W>) -> Self {
        let draws = Draws::from_seed(plan.seed);
        Self { plan, draws, rows, url: String::new(), test_start: START, next_second: 0, requests: 0, failed: 0 }
    }

    /// The whole run, in the order in which k6 would have written it.
    pub(crate) fn tell(mut self) -> io::Result<Told> {
        let setup_end = self.setup()?;
        // k6 counts the seconds of the test from its start, which is no whole second.
        self.test_start = setup_end + 2_715_347;
        self.next_second = self.test_start + 1_003_411;
        self.test()?;
        self.teardown()?;
        self.rows.finish()?;
        Ok(Told { rows: self.rows.written, bytes: self.rows.bytes, requests: self.requests, failed: self.failed })
    }

    /// Gives when it is over.
    fn setup(&mut self) -> io::Result<u64> {
        let mut at = START + 412_518_093;
        for _ in 0..self.plan.users {
            at = self.request(&CREATE_USER, Outcome::Answered, at)?.0;
        }
        at += 200 * MICRO;
        self.traffic(CREATE_USER.group, "", at, self.plan.users)?;
        Ok(at)
    }

    fn test(&mut self) -> io::Result<()> {
        let endpoints: Vec<Endpoint> = match self.plan.trends {
            1 => vec![ADD_SESSION, Endpoint { trend: None, ..SET_SESSION }],
            _ => vec![ADD_SESSION, SET_SESSION, TOKEN],
        };
        let iterations = self.plan.requests.div_ceil(endpoints.len() as u64);
        let pace = self.plan.seconds * SECOND / iterations.max(1);
        for index in 0..iterations {
            let start = index * pace;
            self.gauges(self.test_start + start)?;
            // A batch of a virtual user arrives with times somewhat before those of its neighbours.
            let earlier = self.draws.below(400 * MILLI).min(start);
            self.iteration(&endpoints, self.test_start + start - earlier)?;
        }
        self.gauges(self.test_start + self.plan.seconds * SECOND)
    }

    fn teardown(&mut self) -> io::Result<()> {
        let start = self.test_start + self.plan.seconds * SECOND + 1_204_667_318;
        let (end, _) = self.request(&REMOVE_USERS, Outcome::Answered, start)?;
        self.traffic(REMOVE_USERS.group, "", end + 40 * MICRO, 1)
    }

    /// The virtual users, once for every second that has begun.
    fn gauges(&mut self, now: u64) -> io::Result<()> {
        while self.next_second < now {
            self.rows.tag(&Tags::default());
            for metric in [Metric::Vus, Metric::VusMax] {
                self.rows.row(metric, self.next_second, self.plan.users * UNIT)?;
            }
            self.next_second += SECOND;
        }
        Ok(())
    }

    fn iteration(&mut self, endpoints: &[Endpoint], start: u64) -> io::Result<()> {
        let (mut at, mut spent) = (start, 0);
        for endpoint in endpoints {
            let outcome = self.outcome(at - self.test_start);
            let (end, took) = self.request(endpoint, outcome, at)?;
            at = end + 90 * MICRO + self.draws.below(60 * MICRO);
            spent += took + (at - end);
            self.requests += 1;
            self.failed += u64::from(outcome != Outcome::Answered);
            if endpoint.group.starts_with("::") {
                self.rows.tag(&Tags { group: Some(endpoint.group), scenario: "default", ..Tags::default() });
                self.rows.row(Metric::GroupDuration, at, took + (at - end))?;
            }
        }
        self.traffic("", "default", at, endpoints.len() as u64)?;
        self.rows.row(Metric::IterationDuration, at, spent)?;
        self.rows.row(Metric::Iterations, at, UNIT)
    }

    fn traffic(&mut self, group: &str, scenario: &str, at: u64, requests: u64) -> io::Result<()> {
        self.rows.tag(&Tags { group: Some(group), scenario, ..Tags::default() });
        let (sent, received) = (requests * (310 + self.draws.below(40)), requests * (480 + self.draws.below(220)));
        self.rows.row(Metric::DataSent, at, sent * UNIT)?;
        self.rows.row(Metric::DataReceived, at, received * UNIT)
    }

    /// How a request ends that begins `since` nanoseconds after the test's start.
    fn outcome(&mut self, since: u64) -> Outcome {
        let (second, length) = (since / SECOND, self.plan.seconds);
        let (burst, burst_length) = (length * 45 / 100, (length / 10).clamp(1, 10));
        let end_length = (length / 20).clamp(1, 30);
        let in_burst = (burst..burst + burst_length).contains(&second);
        if in_burst && self.draws.chance(UNAVAILABLE * length / burst_length) {
            Outcome::Unavailable
        } else if second + end_length >= length && self.draws.chance(TIMED_OUT * length / end_length) {
            Outcome::TimedOut
        } else if self.draws.chance(BROKEN) {
            Outcome::Broken
        } else {
            Outcome::Answered
        }
    }

    /// The rows of one request that begins at `start`; gives when it ended and how long it took. One that times out began long before,
    /// so that it ends among its neighbours.
    fn request(&mut self, endpoint: &Endpoint, outcome: Outcome, start: u64) -> io::Result<(u64, u64)> {
        let timings = self.timings(endpoint, outcome, start);
        let took = timings.blocked + timings.duration();
        let end = if outcome == Outcome::TimedOut { start + MILLI } else { start + took };
        self.address(endpoint);
        let scenario = if ["::setup", "::teardown"].contains(&endpoint.group) { "" } else { "default" };
        let tags = Tags { group: Some(endpoint.group), scenario, ..Tags::default() };
        let answer = Tags { method: endpoint.method, url: &self.url, ..tags };
        self.rows.tag(&match outcome {
            Outcome::Answered => {
                Tags { expected_response: "true", status: endpoint.status, proto: "HTTP/2.0", tls_version: "tls1.3", ..answer }
            }
            Outcome::Unavailable => failed("503", "1503", answer),
            Outcome::Broken => failed("500", "1500", answer),
            Outcome::TimedOut => {
                Tags { expected_response: "false", status: "0", error: "request timeout", error_code: "1050", ..answer }
            }
        });
        let failure = outcome != Outcome::Answered;
        for (metric, value) in [
            (Metric::Requests, UNIT),
            (Metric::Duration, timings.duration()),
            (Metric::Blocked, timings.blocked),
            (Metric::Connecting, timings.connecting),
            (Metric::TlsHandshaking, timings.tls),
            (Metric::Sending, timings.sending),
            (Metric::Waiting, timings.waiting),
            (Metric::Receiving, timings.receiving),
            (Metric::Failed, u64::from(failure) * UNIT),
        ] {
            self.rows.row(metric, end, value)?;
        }
        for check in endpoint.checks {
            self.rows.tag(&Tags { check, ..tags });
            self.rows.row(Metric::Checks, end + 55 * MICRO, u64::from(!failure) * UNIT)?;
        }
        if let Some(trend) = endpoint.trend {
            self.rows.tag(&tags);
            self.rows.row(trend, end + 80 * MICRO, timings.duration())?;
        }
        Ok((end, took))
    }

    fn address(&mut self, endpoint: &Endpoint) {
        self.url.clear();
        self.url.push_str(endpoint.url);
        if endpoint.numbered {
            self.url.push_str(&(283_000_000_000 + self.draws.below(1_000_000_000)).to_string());
        }
    }

    fn timings(&mut self, endpoint: &Endpoint, outcome: Outcome, start: u64) -> Timings {
        let draws = &mut self.draws;
        let mut timings = Timings {
            blocked: if draws.chance(125_000) { 0 } else { draws.latency(400, 30_000) },
            sending: draws.latency(38 * MICRO, 36_000),
            receiving: draws.latency(72 * MICRO, 40_000),
            ..Timings::default()
        };
        // A connection lasts for some hundred requests.
        if draws.chance(2_500) {
            timings.connecting = draws.latency(900 * MICRO, 30_000);
            timings.tls = draws.latency(3 * MILLI, 30_000);
            timings.blocked += timings.connecting + timings.tls + draws.below(200 * MICRO);
        }
        timings.waiting = match outcome {
            Outcome::Answered | Outcome::Broken => draws.latency(endpoint.median * load(start) / 100, 42_000),
            Outcome::Unavailable => draws.latency(2 * MILLI, 30_000),
            Outcome::TimedOut => (self.plan.seconds * SECOND / 2).min(60 * SECOND) + draws.below(9 * MILLI),
        };
        if outcome == Outcome::TimedOut {
            timings.receiving = 0;
        }
        timings
    }
}

fn failed<'a>(status: &'a str, error_code: &'a str, answer: Tags<'a>) -> Tags<'a> {
    Tags { expected_response: "false", status, error_code, proto: "HTTP/2.0", tls_version: "tls1.3", ..answer }
}

/// Percent of the usual latency: up by a quarter and down again every four minutes.
fn load(at: u64) -> u64 {
    let second = at / SECOND % 240;
    100 + second.min(240 - second) * 25 / 120
}
