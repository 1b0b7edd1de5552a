//! Captures: what was measured on the service, the database and the load generator while a load ran, in the formats those
//! figures really come in.
//!
//! A reader turns one file into a [`Capture`], which still holds every point; it knows neither run nor window. When it is known
//! which files belong to a run and when it ran, [`assemble()`] makes of them what a record keeps: figures with their method, coverage
//! and files, queries, flags, settings, machines, and what people should know.
//!
//! Series of all sources (Cloud Monitoring, Prometheus, the team's CSV) have one shape, [`track::Track`]; what a series measures
//! is told by ordered rules, [`mapping`]; how points become a figure is told once for all sources, [`reduce`].

pub mod assemble;
pub mod buckets;
pub mod exposition;
pub mod features;
pub mod findings;
pub mod infra;
mod json;
pub mod logging;
pub mod mapping;
pub mod moment;
pub mod monitoring;
pub mod postgres;
pub mod prometheus;
pub mod quantity;
pub mod queries;
pub mod reduce;
pub mod settings;
pub mod team_csv;
pub mod track;
mod yaml;

use chrono::{DateTime, Utc};

pub use self::assemble::{Rules, assemble};
use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// What a file says, before it is known of which run and window.
#[derive(Clone, Debug, PartialEq)]
pub enum Capture {
    /// Time series.
    Tracks(track::Tracks),
    /// One state of a statistics view of PostgreSQL.
    Snapshot(postgres::Snapshot),
    /// Samples of `pg_stat_activity`.
    Activity(postgres::Activity),
    /// PostgreSQL's server log.
    Log(postgres::Log),
    /// Entries of Cloud Logging.
    Entries(logging::Log),
    /// One scrape of a process's metrics in a text format.
    Scrape(exposition::Scrape),
    /// ZITADEL's answer on its feature flags.
    Flags(features::Answer),
    /// Facts of machines and settings: what a platform or a configuration file says of itself.
    Facts(infra::Facts),
    /// A file that holds one moment and no more: `window_start`.
    Moment(DateTime<Utc>),
    /// A document of a known kind that holds no measurement: an error saved as data, an empty answer, another API. The
    /// diagnostic is of level error; one that was found, not named, is told as a warning.
    Refused(Box<Diagnostic>),
}

/// A captured file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its text and the name people know it by.
    pub source: Source,
    /// Its path as provenance names it.
    pub path: String,
    /// Its kind.
    pub kind: &'static str,
    /// Whether it was named on the command line, not found in a folder: then what it can't give is an error.
    pub named: bool,
    /// What it says.
    pub capture: Capture,
}

/// The time a run took: points after its start, up to its end, are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its start; a point at it belongs to what was before.
    pub start: DateTime<Utc>,
    /// Its end; a point at it belongs to the run.
    pub end: DateTime<Utc>,
}

impl Window {
    /// Whether a point that stands for the period ending at a moment is the window's.
    #[must_use]
    pub fn holds(self, at: DateTime<Utc>) -> bool {
        self.start < at && at <= self.end
    }

    /// Its length in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        (self.end - self.start).as_seconds_f64()
    }
}

/// Which of two states a file holds, by the words in its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// `before`, `start`.
    Before,
    /// `after`, `end`.
    After,
}

impl Role {
    /// The role that a word stands for, in small letters.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "before" | "start" => Some(Self::Before),
            "after" | "end" => Some(Self::After),
            _ => None,
        }
    }

    /// The role in the name of a file, folders aside; `None` where no word or words of both are in it.
    #[must_use]
    pub fn named(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
        let has = |role: Self| words.iter().any(|word| Self::of(word) == Some(role));
        match (has(Self::Before), has(Self::After)) {
            (true, false) => Some(Self::Before),
            (false, true) => Some(Self::After),
            _ => None,
        }
    }
}

impl File {
    /// A complaint about this file: an error where it was named itself, else a warning, since the run may be whole without it.
    #[must_use]
    pub fn complaint(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let place = self.source.at(0..0);
        if self.named { Diagnostic::error(code, message).at(place) } else { Diagnostic::warning(code, message).at(place) }
    }

    /// Its name without folders and endings, for rules that know files by it: `cpu` of `metrics/cpu.json.gz`.
    #[must_use]
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
        [".json", ".csv", ".txt", ".prom", ".yaml", ".yml"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
    }
}
