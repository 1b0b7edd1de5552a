//! What follows from the captures of a run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::environment::{Flags, Setting};
use crate::model::figure::Figure;
use crate::model::record::{DatabaseTime, Observation, Query};
use crate::source::Place;

/// Everything that the files of a run give, before the best of several values is chosen.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Figures; one may come from several sources.
    pub figures: Vec<Candidate>,
    /// Numbers without a name in the catalogue.
    pub observed: Vec<Observation>,
    /// The most expensive queries, the most expensive first.
    pub queries: Vec<Query>,
    /// What the database's time went to.
    pub database_time: Option<DatabaseTime>,
    /// Feature flags.
    pub flags: Option<Flags>,
    /// Facts of the environment by the key they have in a record: `service.container.vcpu`.
    pub facts: Vec<Fact>,
    /// Settings of the service by dotted key.
    pub settings: Vec<KnownSetting>,
    /// What people should know. An error among them means that nothing may be written.
    pub told: Vec<Diagnostic>,
    /// What each file gave, by its path.
    pub used: BTreeMap<String, BTreeSet<String>>,
    /// Why a file gave nothing, by its path.
    pub unused: BTreeMap<String, String>,
    /// How many points of a file lie outside the window, by its path, where there are some.
    pub outside: BTreeMap<String, u64>,
}

/// A figure from one source. Of several, the one of the best standing is taken: the lowest number.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Which figure.
    pub id: FigureId,
    /// Its value, or why it has none.
    pub figure: Figure,
    /// How good the source is for it.
    pub standing: Standing,
}

/// How good a source is for a figure, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Raw points: counters, distributions, gauges, statements.
    Raw,
    /// Values that the source reduced: percentiles of a minute, rates.
    Reduced,
    /// Values that a query extrapolated or computed.
    Computed,
    /// Percentiles that the source averaged.
    Averaged,
    /// No value, only a reason.
    None,
}

/// A fact of the environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Its key in a record's environment, `service.container.vcpu`.
    pub key: String,
    /// Its value, in the record's shape.
    pub value: Value,
    /// Where it was read.
    pub place: Place,
}

/// A setting and where it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownSetting {
    /// The setting, by dotted key: `Database.postgres.MaxOpenConns`.
    pub setting: Setting,
    /// Where it was read.
    pub place: Place,
}

impl Findings {
    /// Notes that a file gave something: a figure, `12 queries`, `flags`.
    pub fn use_file(&mut self, path: &str, what: impl Into<String>) {
        self.used.entry(path.to_owned()).or_default().insert(what.into());
    }

    /// Notes why a file gave nothing; the first reason stays.
    pub fn pass_over(&mut self, path: &str, why: impl Into<String>) {
        self.unused.entry(path.to_owned()).or_insert_with(|| why.into());
    }

    /// Adds a figure, and notes it at the files it came from.
    pub fn add(&mut self, id: FigureId, figure: Figure, standing: Standing) {
        for path in figure.measurement().map(|measurement| measurement.files.clone()).unwrap_or_default() {
            self.use_file(&path, id.name());
        }
        self.figures.push(Candidate { id, figure, standing });
    }

    /// Adds everything that others found.
    pub fn extend(&mut self, other: Self) {
        self.figures.extend(other.figures);
        self.observed.extend(other.observed);
        if self.queries.is_empty() {
            self.queries = other.queries;
            self.database_time = self.database_time.take().or(other.database_time);
        }
        self.flags = self.flags.take().or(other.flags);
        self.facts.extend(other.facts);
        self.settings.extend(other.settings);
        self.told.extend(other.told);
        for (path, what) in other.used {
            self.used.entry(path).or_default().extend(what);
        }
        for (path, why) in other.unused {
            self.unused.entry(path).or_insert(why);
        }
    }
}
