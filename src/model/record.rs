//! The record: everything known about one execution of one target on one release.
//!
//! The machine writes it (`record.json`), complete in itself; what people add lies beside it (`run.toml`,
//! `release.toml`) and wins. A value that a page states although k6 says it too is kept as *stated*, beside the derived
//! one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::{Address, Label, Release, Target};
use super::catalogue::FigureId;
use super::environment::Environment;
use super::failures::Failures;
use super::figure::{BadFigure, Figure, Figures, Measurement};
use super::instant::Moment;
use super::phases::Phases;
use super::provenance::Input;
use super::summary::Summary;

/// The version of the record's shape that this program writes; a reader refuses a newer one.
pub const SCHEMA: u32 = 1;

/// A run record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Version of this shape.
    pub schema: u32,
    /// What was run.
    pub identity: Identity,
    /// On what.
    #[serde(default)]
    pub environment: Environment,
    /// When.
    #[serde(default)]
    pub window: Window,
    /// k6's own figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k6: Option<Summary>,
    /// What was captured on the service, the database and the load generator.
    #[serde(default, skip_serializing_if = "Figures::is_empty")]
    pub figures: Figures,
    /// What somebody stated although k6's own figures give it.
    #[serde(default, skip_serializing_if = "Figures::is_empty")]
    pub stated: Figures,
    /// Failures, as far as somebody told them apart.
    #[serde(default, skip_serializing_if = "Errors::is_empty")]
    pub errors: Errors,
    /// Failures of the raw samples: what failed, when, and on whose side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<Failures>,
    /// Set-up, test and teardown apart, from the raw samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// What the database's time went to over the window, all queries together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_time: Option<DatabaseTime>,
    /// Numbers that follow from the captures and have no name in the catalogue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Observation>,
    /// The most expensive database queries, most expensive first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<Query>,
    /// What a person concluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// A verdict set by hand, with its reason.
    #[serde(default, rename = "override", skip_serializing_if = "Option::is_none")]
    pub overridden: Option<Override>,
    /// What the sources say that has no field, each naming its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Which files it was read from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provenance: Vec<Input>,
}

/// Which run it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The release.
    pub release: Release,
    /// The target.
    pub target: Target,
    /// What tells it from the run of record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// The target in words, as a page's title has it, where that is not the target with blanks: `create session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The name in the page's side bar, where it is another than the title's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sidebar_label: Option<String>,
    /// What it is measured against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Why it was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Whether its errors may wait; a fact only a person knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferrable: Option<bool>,
}

/// When the load ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Window {
    /// Its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Moment>,
    /// Its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Moment>,
    /// The duration the test was given, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// What start and end are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<WindowBasis>,
}

/// Which clock a window was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowBasis {
    /// First to last sample of the test phase.
    Samples,
    /// The stamps of the runner's log.
    Stamps,
    /// What a page states.
    Stated,
    /// k6's own clock.
    K6Clock,
    /// Typed by hand.
    ByHand,
}

/// Failures, as far as somebody told them apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Errors {
    /// A page says that there were none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub none: bool,
    /// Failed requests as stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<StatedShare>,
    /// Failed checks as stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<StatedShare>,
    /// Failed requests by kind: 36 of "request timeout".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<ErrorKind>,
    /// Iterations that an exception ended, and what it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aborted_iterations: Vec<ErrorKind>,
    /// Failed checks by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_checks: Vec<ErrorKind>,
    /// Every request by status and error, from the runner's breakdown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_status: Vec<StatusCount>,
}

impl Errors {
    /// Whether nothing was told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A count out of a total, with the percentage somebody printed beside it. The counts win.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedShare {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The percentage as printed, `0.00%`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
}

/// So many of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorKind {
    /// How many.
    pub count: u64,
    /// Of what.
    pub what: String,
}

/// Requests of one status and error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusCount {
    /// HTTP status; null where there was no response.
    pub status: Option<u16>,
    /// k6's error code.
    pub error_code: Option<u32>,
    /// k6's error message.
    pub error: Option<String>,
    /// Requests.
    pub requests: u64,
}

/// A database query by what it cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// Its name, not its text.
    pub name: String,
    /// Execution time accumulated over all sessions, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Whether that time is work or waiting; absent is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<QueryClass>,
    /// What the source says after its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// How often it ran in the window; absent where the source does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Its text with every literal as `?`, white space as one blank, no comments, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The first 16 hex digits of BLAKE3 of that text in full: the same statement in two releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The source's own numbers of it, `queryid` or `query_hash`; another server has others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
}

impl Query {
    /// A query of which its name is known.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            seconds: None,
            class: None,
            remark: None,
            calls: None,
            text: None,
            fingerprint: None,
            ids: Vec::new(),
        }
    }
}

/// The time of all queries of a window, summed over sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseTime {
    /// All of it, in seconds.
    pub total_s: f64,
    /// That of statements which do nothing but wait for a lock.
    pub lock_wait_s: f64,
    /// That of statements which nobody asks about: transaction control.
    pub ignored_s: f64,
    /// Different statements.
    pub statements: u64,
    /// The seconds between the two ends of what was measured, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_s: Option<f64>,
    /// Where it was read.
    pub source: String,
    /// How it was computed.
    pub method: String,
}

/// Names of observations that estimate the share of lock wait in another way than by the time of statements: from sampled sessions,
/// from the lock time that the platform counts.
pub const LOCK_WAIT_ESTIMATES: [&str; 2] = ["lock wait / active", "lock time / query time"];

/// Whether two estimates of the share of lock wait differ so much that both are told: by more than a fifth of the larger.
#[must_use]
pub fn lock_waits_differ(a: f64, b: f64) -> bool {
    (a - b).abs() > 0.2 * a.max(b)
}

/// A number that follows from a capture: requests by code, containers that carried load, a second estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// What it is, in words: `requests by code 429`.
    pub name: String,
    /// The number and all that is known about it.
    #[serde(flatten)]
    pub measurement: Measurement,
}

/// What a query's time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueryClass {
    /// Work.
    Work,
    /// Waiting for a lock.
    LockWait,
    /// Nothing to look at: transaction control.
    Ignored,
}

/// What a person concluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recorded {
    /// The outcome's name, `Scale (database)`.
    pub label: String,
    /// The reasons, in their words; empty in an archive of figures only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// A verdict set by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Override {
    /// The outcome's name in the flow.
    pub outcome: String,
    /// Why.
    pub reason: String,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

/// A text that has no field, with the place it belongs to: a row of a page, `introduction`.
///
/// The text is Markdown without blocks: plain words, `[links](https://...)`, `` `code` ``; everything else in it is text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// The row or section.
    pub place: String,
    /// The text.
    pub text: String,
}

impl Record {
    /// An empty record of a run, for a reader to fill.
    #[must_use]
    pub fn new(address: Address) -> Self {
        Self {
            schema: SCHEMA,
            identity: Identity {
                release: address.release,
                target: address.target,
                label: address.label,
                title: None,
                sidebar_label: None,
                baseline: None,
                purpose: None,
                deferrable: None,
            },
            environment: Environment::default(),
            window: Window::default(),
            k6: None,
            figures: Figures::default(),
            stated: Figures::default(),
            errors: Errors::default(),
            failures: None,
            phases: None,
            database_time: None,
            observed: Vec::new(),
            queries: Vec::new(),
            recorded: None,
            overridden: None,
            notes: Vec::new(),
            provenance: Vec::new(),
        }
    }

    /// Takes in a captured figure. One without a value leaves a known value alone. A value that somebody stated (a page's,
    /// or typed by hand: it has neither coverage nor files) stays beside the captured one as stated, and is given back.
    ///
    /// # Errors
    /// [`BadFigure`] if the figure is not in the catalogue's unit or not finite; then nothing is changed.
    pub fn capture(&mut self, id: FigureId, figure: Figure) -> Result<Option<Figure>, BadFigure> {
        let known = self.figures.get(id).filter(|known| known.measurement().is_some()).cloned();
        if figure.measurement().is_none() && known.is_some() {
            return Ok(None);
        }
        self.figures.set(id, figure)?;
        let is_stated = |value: &Measurement| value.coverage.is_none() && value.files.is_empty();
        let stated = known.filter(|known| known.measurement().is_some_and(is_stated));
        if let Some(stated) = &stated {
            self.stated.set(id, stated.clone())?;
        }
        Ok(stated)
    }

    /// Other estimates of the share of lock wait that differ from the figure: both are shown.
    pub fn other_lock_waits(&self) -> impl Iterator<Item = &Observation> {
        let figure = self.figures.get(FigureId::DatabaseLockWaitRatio).and_then(Figure::measurement).map(|one| one.value);
        let differs = move |other: f64| figure.is_some_and(|share| lock_waits_differ(share, other));
        let estimates = self.observed.iter().filter(|one| LOCK_WAIT_ESTIMATES.contains(&one.name.as_str()));
        estimates.filter(move |one| differs(one.measurement.value))
    }

    /// Puts observations into the order of their files, those of the same files as they come: the order does not tell which files
    /// were ingested first.
    pub fn order_observations(&mut self) {
        self.observed.sort_by(|a, b| a.measurement.files.cmp(&b.measurement.files));
    }

    /// Where the run lies in the archive.
    #[must_use]
    pub fn address(&self) -> Address {
        Address {
            release: self.identity.release.clone(),
            target: self.identity.target.clone(),
            label: self.identity.label.clone(),
        }
    }

    /// The target in words: the page's title if it has its own, else the target with blanks.
    #[must_use]
    pub fn target_words(&self) -> String {
        self.identity.title.clone().unwrap_or_else(|| self.identity.target.as_str().replace('_', " "))
    }

    /// The same record without what people wrote in prose: no notes, no messages, no remarks, and no code in the names of
    /// queries, where pages quote statements. Labels and figures stay. So do failures but for the reasons of the rules of
    /// origins, which people write: their messages are k6's own words, the names of requests and checks are the script's.
    #[must_use]
    pub fn figures_only(mut self) -> Self {
        self.notes.clear();
        if let Some(recorded) = &mut self.recorded {
            recorded.message.clear();
        }
        for query in &mut self.queries {
            query.remark = None;
            query.text = None;
            query.name = without_code(&query.name);
        }
        for population in self.failures.iter_mut().flat_map(|failures| &mut failures.populations) {
            population.reason = None;
        }
        self
    }
}

/// A text without its `code` spans.
fn without_code(text: &str) -> String {
    let words: Vec<&str> = text.split('`').step_by(2).collect();
    words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{LOCK_WAIT_ESTIMATES, Observation, Record, without_code};
    use crate::model::catalogue::FigureId;
    use crate::model::figure::{Coverage, Figure, Measurement};
    use crate::model::units::Unit;

    #[test]
    fn what_was_stated_stays_beside_what_was_captured() {
        let id = FigureId::ContainerInstancesStartups;
        let mut record = Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")));
        let stated = Figure::Measured(Measurement::exact(0.0, Unit::Count).from("Service metrics during test"));
        let captured = |value: f64| {
            let coverage = Some(Coverage::of(30, 30));
            Figure::Measured(Measurement { coverage, ..Measurement::exact(value, Unit::Count) })
        };
        assert_eq!(record.capture(id, stated.clone()), Ok(None));
        assert_eq!(record.capture(id, captured(1.0)), Ok(Some(stated.clone())));
        // A newer capture replaces the older one: nobody stated that.
        assert_eq!(record.capture(id, captured(2.0)), Ok(None));
        assert_eq!(record.capture(id, Figure::not_captured("no point")), Ok(None));
        assert_eq!((record.figures.get(id), record.stated.get(id)), (Some(&captured(2.0)), Some(&stated)));
    }

    #[test]
    fn figures_alone_keep_failures_without_the_reasons_that_people_wrote() {
        let failures = |reason: &str| {
            serde_json::json!({"schema": 1, "requests": 9, "failed": 1, "checks": [{"name": "paid", "group": "", "passes": 8, "fails": 1}],
                "populations": [{"status": null, "error_code": 1050, "message": "request timeout", "origin": "client",
                "reason": if reason.is_empty() { None } else { Some(reason) }, "phase": "test", "count": 1, "peak_per_minute": 1,
                "first": "2026-03-01T10:00:00Z", "last": "2026-03-01T10:00:00Z", "shape": "single",
                "names": {"https://a.example/orders/17": 1}}]})
        };
        let mut record = Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")));
        record.failures = serde_json::from_value(failures("the page says: it hung")).ok();
        assert!(record.failures.is_some());
        let kept = serde_json::to_value(record.figures_only().failures).ok();
        assert_eq!(kept, Some(failures("")));
    }

    #[test]
    fn another_estimate_of_lock_wait_is_shown_where_it_differs_by_more_than_a_fifth() {
        let other = |share: f64| {
            let mut record = Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")));
            let figure = Figure::Measured(Measurement::exact(0.97, Unit::Ratio));
            assert_eq!(record.capture(FigureId::DatabaseLockWaitRatio, figure), Ok(None));
            let measurement = Measurement::exact(share, Unit::Ratio);
            record.observed.push(Observation { name: LOCK_WAIT_ESTIMATES[0].to_owned(), measurement });
            record.other_lock_waits().count()
        };
        assert_eq!((other(0.89), other(0.4), other(0.0)), (0, 1, 1));
    }

    #[test]
    fn a_name_keeps_its_words_and_loses_its_code() {
        assert_eq!(without_code("Query events `instance_id = $1`"), "Query events");
        assert_eq!(without_code("Push events (eventstore.push)"), "Push events (eventstore.push)");
    }
}
