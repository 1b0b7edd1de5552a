//! What changed between two releases, or two runs, and what could not be known.
//!
//! This is the shape of `plimsoll diff --format json`: a contract, published as JSON Schema. It answers three questions in this
//! order: are these runs alike ([`Contract`]), what changed beyond noise ([`Change`]), what could not be known
//! ([`Decision::Inconclusive`] with the smallest change that would have been seen, and [`Missing`]).

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::Release;
use super::bounds::Bounds;
use super::catalogue::FigureId;
use super::instant::Moment;
use super::record::Recorded;
use super::units::Unit;
use super::verdict::{Class, Verdict};

/// The version of the shape that this program writes.
pub const SCHEMA: u32 = 1;

/// Two releases or runs compared, target by target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Version of this shape.
    pub schema: u32,
    /// The earlier side, the baseline: `v4.17.1`, or one run, `v4.17.1/otp_session`.
    pub a: String,
    /// The later side.
    pub b: String,
    /// How it was decided.
    pub method: Method,
    /// What is to be said first.
    pub headline: Headline,
    /// Every target that one of the sides has, by name.
    pub targets: Vec<TargetComparison>,
}

/// A release compared with an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The earlier release.
    pub a: Release,
    /// The later one, whose pages the comparison is among.
    pub b: Release,
    /// What changed.
    pub comparison: Comparison,
}

impl Compared {
    /// Whether a target is part of it.
    #[must_use]
    pub fn has(&self, target: &str) -> bool {
        self.comparison.targets.iter().any(|one| one.target == target)
    }
}

/// What decided, the same for every target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Method {
    /// The level of the intervals, 0.95.
    pub level: f64,
    /// What is cut off at the beginning of a test, in seconds, where the test is ten times as long; else a tenth of it.
    pub warm_up_s: f64,
    /// Resamples of a bootstrap.
    pub resamples: u32,
    /// The smallest change that matters, by kind: a ratio minus 1, or for shares a difference.
    pub floors: BTreeMap<Kind, f64>,
    /// The smallest change of a latency that matters, in milliseconds.
    pub floor_ms: f64,
    /// Differences of the contract that `plimsoll.toml` accepts.
    pub accepted: Vec<Accepted>,
}

/// A contract key that may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// The key, or the beginning of several: `service.flags` holds for `service.flags.tokenExchange`.
    pub key: String,
    /// Why.
    pub reason: String,
    /// Whether it met a difference.
    pub used: bool,
}

/// One target on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetComparison {
    /// The target.
    pub target: String,
    /// Which sides have it.
    pub presence: Presence,
    /// Whether the runs are alike.
    pub contract: Contract,
    /// The runs that were compared, those of `a` first.
    pub runs: Vec<RunAccount>,
    /// Whether both sides are the same runs: then nothing can have changed, and nothing is estimated.
    pub same_runs: bool,
    /// Whether a fixed number of virtual users made the load: then throughput and latency are one quantity.
    pub closed_model: bool,
    /// Every comparison made.
    pub changes: Vec<Change>,
    /// What could not be compared, and why.
    pub missing: Vec<Missing>,
    /// What the flow concludes of the run of record on each side.
    pub outcome: Outcomes,
    /// Captured figures that both sides or one of them have, as the runs of record have them: numbers to read beside the changes.
    pub figures: Vec<FigurePair>,
    /// The most expensive queries, matched.
    pub queries: Vec<QueryChange>,
    /// Flags, settings and machines that differ.
    pub settings: Vec<SettingChange>,
    /// How far `b` is from the oldest release that it can be compared with; empty where that is `a`, or there is none.
    pub drift: Vec<Drift>,
    /// What a reader of the numbers should know.
    pub notes: Vec<String>,
}

/// Which sides have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// Both.
    Both,
    /// `b` alone.
    New,
    /// `a` alone.
    Gone,
}

/// Whether two sides are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contract {
    /// The conclusion: the worst difference that nobody accepted.
    pub verdict: Comparability,
    /// What differs, or is unknown on one side; the worst first, then in the order of the keys.
    pub differences: Vec<KeyDifference>,
    /// Keys that are known on both sides and alike.
    pub alike: Vec<String>,
    /// Keys that are known on neither side.
    pub unknown: Vec<String>,
}

/// What a contract concludes, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Comparability {
    /// The runs are alike in all that is known.
    Comparable,
    /// They are compared, and every number says that they are not quite alike.
    Weakened,
    /// Numbers are shown, nothing is concluded.
    NotComparable,
}

/// How much a difference of the contract weighs, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Informational,
    /// To be said beside every number.
    Weakening,
    /// Nothing can be concluded.
    Blocking,
}

/// A key of the contract that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyDifference {
    /// The key, `database.memory`.
    pub key: String,
    /// What it weighs.
    pub level: Level,
    /// The value of `a` as people write it; null where it is unknown.
    pub a: Option<String>,
    /// The value of `b`.
    pub b: Option<String>,
    /// Whether the key is what the runs did (bytes per request), not what somebody declared.
    pub behavioural: bool,
    /// Why it may differ, where `plimsoll.toml` accepts it: then it does not count for the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
}

/// On which side a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The baseline.
    A,
    /// What is held against it.
    B,
}

/// A run that was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunAccount {
    /// The side.
    pub side: Side,
    /// The run, `v4.17.1/otp_session~2`.
    pub run: String,
    /// When it began.
    pub start: Option<Moment>,
    /// What there is of it.
    pub basis: Basis,
    /// Why it is not among the runs that were compared: it is no repeat of the others. Null where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Seconds that were cut off at the beginning; null without a series.
    pub warm_up_s: Option<f64>,
    /// Seconds that were compared; null without a series.
    pub compared_s: Option<f64>,
    /// The last third against the first, of the median latency; null without a series.
    pub steadiness: Option<Steadiness>,
    /// Stretches of the test that are unlike the rest.
    pub incidents: Vec<Incident>,
}

/// Whether a run stayed at one level: the last third of its test against the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steadiness {
    /// Median latency of the last third over that of the first.
    pub ratio: f64,
    /// What the ratio can be by the noise within the run.
    pub interval: Bounds,
    /// Whether it stayed: not all of the interval lies beyond the floor.
    pub is_steady: bool,
    /// Elapsed seconds at which the level changed for good.
    pub change_points_s: Vec<f64>,
}

/// A bounded stretch that is unlike the rest of its test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// Elapsed seconds of its begin.
    pub from_s: f64,
    /// Elapsed seconds of its end.
    pub to_s: f64,
    /// What happened, in words: `2,032 requests failed with 503`, `p50 at 3.1 times the rest`.
    pub what: String,
}

/// What a number rests on, from the most to the least that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Blocks of raw samples.
    Samples,
    /// Percentiles of every second.
    Series,
    /// k6's end-of-test summary.
    Summary,
    /// Captured figures.
    Figures,
}

/// What is compared. The order is that of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Iterations per second of the test phase.
    Throughput,
    /// The median of a latency.
    P50,
    /// Its 95th percentile.
    P95,
    /// Its 99th percentile.
    P99,
    /// The share of requests that failed.
    Failures,
    /// CPU time of the service or the database per iteration.
    Cpu,
    /// The share of database time spent waiting for a lock.
    LockWait,
    /// Bytes received per request.
    Bytes,
}

/// What a change is, from what to look at first to what needs no look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Worse, beyond noise and floor.
    Regression,
    /// Better, beyond noise and floor.
    Improvement,
    /// There may be a change; these runs can't tell.
    Inconclusive,
    /// The runs are unlike: the numbers are shown, nothing is concluded.
    NotComparable,
    /// `b` alone has it.
    New,
    /// `a` alone has it.
    Gone,
    /// No change beyond the floor.
    NoChange,
}

/// One metric of two sides compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Its name, once in a target: `throughput`, `p95`, `p95 of oidc_token_login_duration`, `failures`.
    pub metric: String,
    /// What it is.
    pub kind: Kind,
    /// The trend or endpoint, or whose CPU, where it is not that of all requests: `oidc_token_login_duration`, `database`.
    pub of: Option<String>,
    /// What `a`, `b`, `run_a` and `run_b` are in.
    pub unit: Unit,
    /// The estimate of `a` that is compared: of the test phase, without the warm-up, over the runs of the side.
    pub a: Option<f64>,
    /// The estimate of `b`.
    pub b: Option<f64>,
    /// The figure of the run of record of `a`, as its page has it.
    pub run_a: Option<f64>,
    /// The figure of the run of record of `b`.
    pub run_b: Option<f64>,
    /// What rounding allows `a` to be; null where it is exact.
    pub bounds_a: Option<Bounds>,
    /// What rounding allows `b` to be.
    pub bounds_b: Option<Bounds>,
    /// The counts behind the share `a`, all its runs together; null where it is no share of counts.
    pub counted_a: Option<Counted>,
    /// The counts behind the share `b`.
    pub counted_b: Option<Counted>,
    /// Runs of `a` whose mean is compared.
    pub runs_a: u32,
    /// Runs of `b`.
    pub runs_b: u32,
    /// `b` over `a`; null for shares, and where `a` is zero.
    pub ratio: Option<f64>,
    /// What the ratio can be, rounding and noise together.
    pub interval: Option<Bounds>,
    /// `b` minus `a`, of shares.
    pub difference: Option<Difference>,
    /// The smallest change that matters: a ratio minus 1, or for shares a difference.
    pub floor: f64,
    /// What it is.
    pub decision: Decision,
    /// The smallest worsening that these runs could have shown: a ratio beyond 1 + it (of throughput, below 1 / (1 + it)), of shares a
    /// difference; null where nothing was estimated.
    pub detectable: Option<f64>,
    /// What it rests on; null where one side has nothing.
    pub basis: Option<Basis>,
    /// Where the width of the interval comes from.
    pub noise: Option<Noise>,
    /// The same without the incidents of its runs, where there are some.
    pub without_incidents: Option<Without>,
    /// How it came to this, where the numbers alone don't tell.
    pub notes: Vec<String>,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
}

/// A difference of shares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// `b` minus `a`.
    pub value: f64,
    /// What it can be; null where nothing is concluded.
    pub interval: Option<Bounds>,
}

/// Where the width of an interval comes from; half-widths on the log scale, or for shares of the difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// Half-width by the noise within the runs; null for single values, which have none that could be known.
    pub within: Option<f64>,
    /// The same by batch means and Welch's t, for a cross-check.
    pub within_by_batches: Option<f64>,
    /// Half-width by the noise from run to run.
    pub between: f64,
    /// Where that is known from.
    pub origin: NoiseOrigin,
    /// Degrees of freedom behind it; null where it is assumed.
    pub degrees: Option<u32>,
    /// Seconds of a block; null without blocks.
    pub block_s: Option<u32>,
    /// Independent blocks that the correlated ones of `a` and `b` are worth, all runs together.
    pub effective: Option<[f64; 2]>,
}

/// Where the noise from run to run is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseOrigin {
    /// Repeats of builds in the archive, all targets together.
    Repeats,
    /// Repeats of this target alone.
    RepeatsOfTarget,
    /// Nobody measured it: a usual width is assumed.
    Assumed,
    /// Counted failures, resampled by minute, or a score interval.
    Counts,
    /// There is none: both sides are the same runs.
    SameRuns,
}

/// A change without the incidents of its runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Without {
    /// `b` over `a`.
    pub ratio: Option<f64>,
    /// What the ratio can be; of shares, the difference.
    pub interval: Bounds,
    /// What it would be.
    pub decision: Decision,
}

/// A metric that could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// The metric.
    pub metric: String,
    /// Why.
    pub reason: String,
}

/// What a flow concludes of both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcomes {
    /// Of the run of record of `a`.
    pub a: Option<Judgement>,
    /// Of the run of record of `b`.
    pub b: Option<Judgement>,
}

/// An outcome in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// The computed outcome.
    pub label: String,
    /// Its class.
    pub class: Class,
    /// What a person recorded.
    pub recorded: Option<Recorded>,
}

/// A captured figure of both runs of record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigurePair {
    /// The figure.
    pub figure: FigureId,
    /// What its values are in.
    pub unit: Unit,
    /// The value of `a`; null where it was not captured.
    pub a: Option<f64>,
    /// The value of `b`.
    pub b: Option<f64>,
    /// The value of `a` as pages show it; an incomplete one says so.
    pub shown_a: Option<String>,
    /// The value of `b` as pages show it.
    pub shown_b: Option<String>,
}

/// A query on both sides, by name or text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryChange {
    /// Its name; that of `b` where the two differ.
    pub name: String,
    /// Which sides have it among their most expensive ones, which are all that a record lists: one that is new or gone may have run
    /// on the other side below the end of its list.
    pub presence: Presence,
    /// Its share of all database time of `a`'s run of record; null where it or the time of all queries is not known.
    pub share_a: Option<f64>,
    /// The share of `b`.
    pub share_b: Option<f64>,
    /// Its execution time in `a`, in seconds.
    pub seconds_a: Option<f64>,
    /// In `b`.
    pub seconds_b: Option<f64>,
    /// How often it ran in `a`.
    pub calls_a: Option<u64>,
    /// In `b`.
    pub calls_b: Option<u64>,
    /// Its text, normalised, where a side has it; that of `b` where the two differ.
    pub text: Option<String>,
    /// By what the two were found to be the same.
    pub matched: Option<Matched>,
}

/// By what two queries were found to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Matched {
    /// Their texts, normalised.
    Text,
    /// Their names, given by a rule or a page.
    Name,
}

/// A flag, a setting or a fact of a machine that differs or that one side alone knows. Secrets are told as `masked` or `not shown`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingChange {
    /// What it belongs to.
    pub area: Area,
    /// Its key.
    pub key: String,
    /// The value of `a`; null where it is unknown.
    pub a: Option<String>,
    /// The value of `b`.
    pub b: Option<String>,
}

/// What a setting belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Area {
    /// Feature flags.
    Flags,
    /// The service's settings.
    Service,
    /// The database's settings.
    Database,
    /// Machines, versions, locations.
    Environment,
}

/// How far a metric is from the oldest comparable release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// That release.
    pub since: String,
    /// The metric, as in the changes.
    pub metric: String,
    /// `b` over it.
    pub ratio: f64,
    /// What the ratio can be.
    pub interval: Bounds,
    /// What it is.
    pub decision: Decision,
}

/// What is to be said first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headline {
    /// In a sentence or two.
    pub sentence: String,
    /// Targets on both sides.
    pub targets: u32,
    /// Of them, those whose contract lets them be compared.
    pub comparable: u32,
    /// Of those, the weakened ones.
    pub weakened: u32,
    /// Comparisons made: changes with a decision among regression, improvement, inconclusive, no change.
    pub comparisons: u32,
    /// Changes by decision, all of them.
    pub decisions: BTreeMap<Decision, u32>,
    /// The changes that were found, worst first; throughput and latency of a closed model are one.
    pub found: Vec<Finding>,
}

/// A change that was found, as the headline tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The target.
    pub target: String,
    /// Regression or improvement; a finding with both is told as a regression.
    pub decision: Decision,
    /// The metrics that are part of it, in the order of a report.
    pub metrics: Vec<String>,
    /// In words: `throughput -53%, p50 +8,800%`.
    pub what: String,
}

impl From<Verdict> for Judgement {
    fn from(verdict: Verdict) -> Self {
        Self { label: verdict.outcome.label, class: verdict.outcome.class, recorded: verdict.recorded }
    }
}

impl Comparability {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Comparable => "comparable",
            Self::Weakened => "weakened",
            Self::NotComparable => "not comparable",
        }
    }
}

impl Level {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Informational => "informational",
            Self::Weakening => "weakening",
            Self::Blocking => "blocking",
        }
    }
}

impl Decision {
    /// All decisions, what to look at first before what needs no look.
    pub const ALL: [Self; 7] =
        [Self::Regression, Self::Improvement, Self::Inconclusive, Self::NotComparable, Self::New, Self::Gone, Self::NoChange];

    /// Its name, as a flag of the command line has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not-comparable",
            Self::New => "new",
            Self::Gone => "gone",
            Self::NoChange => "no-change",
        }
    }

    /// Whether a change was found, for better or worse.
    #[must_use]
    pub fn is_change(self) -> bool {
        matches!(self, Self::Regression | Self::Improvement)
    }

    /// Whether something was compared at all: a change, none, or one that can't be told.
    #[must_use]
    pub fn is_compared(self) -> bool {
        matches!(self, Self::Regression | Self::Improvement | Self::Inconclusive | Self::NoChange)
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Decision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|decision| decision.name() == text)
            .ok_or_else(|| format!("`{text}` is no decision; there are {}", known()))
    }
}

impl Kind {
    /// All kinds, in the order of a report.
    pub const ALL: [Self; 8] =
        [Self::Throughput, Self::P50, Self::P95, Self::P99, Self::Failures, Self::Cpu, Self::LockWait, Self::Bytes];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Failures => "failures",
            Self::Cpu => "cpu",
            Self::LockWait => "lock-wait",
            Self::Bytes => "bytes",
        }
    }

    /// Whether it is a percentile of a latency.
    #[must_use]
    pub fn is_latency(self) -> bool {
        matches!(self, Self::P50 | Self::P95 | Self::P99)
    }

    /// Whether it is a share, whose differences are compared, not its ratios.
    #[must_use]
    pub fn is_share(self) -> bool {
        matches!(self, Self::Failures | Self::LockWait)
    }

    /// Whether more of it is better.
    #[must_use]
    pub fn more_is_better(self) -> bool {
        self == Self::Throughput
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
