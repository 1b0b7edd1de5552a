//! What failed, when, and on whose side: failures of a run's raw samples, gathered into populations.
//!
//! This is the shape of `plimsoll errors --format json`, and the `failures` section of a record: a contract, published as
//! JSON Schema. A run with a burst of 150 failures in 55 s and 75 time-outs at its end has two populations; one percentage
//! over both describes neither.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::instant::Moment;

/// The version of the shape that this program writes.
pub const SCHEMA: u32 = 1;

/// Failures of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failures {
    /// Version of this shape.
    pub schema: u32,
    /// All requests, set-up and teardown included; null where there are no samples of `http_reqs`.
    pub requests: Option<u64>,
    /// Requests that k6 calls failed (`http_req_failed`); null where there are no samples of it.
    pub failed: Option<u64>,
    /// The failed requests, in the order in which they began.
    pub populations: Vec<Population>,
    /// All checks, by group and name.
    pub checks: Vec<CheckResult>,
}

/// Failed requests of one kind that belong together in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Population {
    /// HTTP status; null where there was no response (k6 writes 0 then).
    pub status: Option<u16>,
    /// k6's error code.
    pub error_code: Option<u32>,
    /// k6's error message; `*` stands for the port that a connection happened to have on the load generator's side.
    pub message: Option<String>,
    /// On whose side it failed, by the rules of origins.
    pub origin: Origin,
    /// Why the rule says so, also where it says that nobody can tell; null where no rule knows the failure.
    pub reason: Option<String>,
    /// When in the test it happened.
    pub phase: Phase,
    /// Failed requests.
    pub count: u64,
    /// The second of the first of them.
    pub first: Moment,
    /// The second of the last of them.
    pub last: Moment,
    /// The most in one minute of the clock.
    pub peak_per_minute: u64,
    /// How they lie in time.
    pub shape: Shape,
    /// Them by HTTP method; those whose samples have no such tag are not in it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub methods: BTreeMap<String, u64>,
    /// Them by the `name` of the request; those whose samples have no such tag are not in it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, u64>,
    /// Them by minute of the clock; minutes without one are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_minute: Vec<MinuteCount>,
}

/// Failures in a minute of the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MinuteCount {
    /// The minute's beginning.
    pub minute: Moment,
    /// Failures in it.
    pub count: u64,
}

/// On whose side a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The service under test answered so.
    Service,
    /// Something in front of it did: a load balancer, a container platform, the network.
    Platform,
    /// The load generator could not send it.
    Client,
    /// No rule knows.
    Unknown,
}

/// How failures lie in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Crowded in a part of the test: at eight times the mean rate or so, or in less than a tenth of its time.
    Burst,
    /// Spread over a tenth of the test or more.
    Steady,
    /// One alone.
    Single,
}

/// A part of a test, by k6's groups `::setup` and `::teardown`. A group of the test belongs to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// `setup()`.
    Setup,
    /// The load.
    Test,
    /// `teardown()`.
    Teardown,
}

/// How often a check held, and when it did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// Its name, as the script gives it.
    pub name: String,
    /// The groups around it, `::a::b`; empty at the root.
    pub group: String,
    /// How often it held.
    pub passes: u64,
    /// How often it did not.
    pub fails: u64,
    /// The first time it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<Moment>,
    /// The last time it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<Moment>,
}
