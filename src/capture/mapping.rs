//! What a series measures: ordered rules, of which the first that matches wins. A project's own file is tried before the built-in
//! rules (`metrics.toml` beside this file).
//!
//! A rule is a table `[rule.<name>]`:
//!
//! - `metric`: the name of the series, or a list of them; `*` stands for any characters. `file`: the name of the file, without folder
//!   and ending, for answers whose query dropped the name. One of the two at least. `labels = { code = "200" }`: all must be so.
//! - `measures`: a quantity (`container.cpu`), or `figure`: the value is that figure itself, computed by a query. One of the two.
//! - `kind`: `gauge`, `counter`, `rate` (a number per second already), `increase` (what `increase()` gives), where the source does
//!   not say.
//! - `unit`: what the values are in (`s`, `ms`, `us`, `ratio`, `percent`, `bytes`, `count`), where the source does not say.
//!   `scale`: what to multiply them with besides.
//! - `added_over = "state"`: the series differ in that label and are added; one without it was put together by the source, and only a
//!   file's name with `REDUCE_SUM` says how.
//! - `percentile = 99`: each value is that percentile of its period; `averaged = true`: over several of them that the source averaged.

mod rules;

use std::sync::LazyLock;

use regex::Regex;

use self::rules::rules;
use super::quantity::Quantity;
use super::track::{Kind, Track};
use crate::diagnostic::Faults;
use crate::model::catalogue::FigureId;
use crate::model::units::Unit;
use crate::source::{Place, Source};

/// Ordered rules.
#[derive(Clone, Debug)]
pub struct Mapping {
    rules: Vec<Rule>,
    /// How many of them, the first ones, are the project's own.
    own: usize,
}

#[derive(Clone, Debug)]
struct Rule {
    /// Its name and where it stands.
    name: String,
    place: Place,
    metrics: Vec<String>,
    file: Option<String>,
    labels: Vec<(String, String)>,
    means: Means,
    shape: Option<Shape>,
    unit: Option<String>,
    scale: f64,
    added_over: Option<String>,
}

/// What the values of a series are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    /// What they measure.
    pub means: Means,
    /// How they go on from each other.
    pub shape: Shape,
    /// What to multiply them with, to have them in the base unit of what they measure.
    pub factor: f64,
    /// Whether the percentile was taken from the file's name.
    pub by_name: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// A quantity, from which figures follow.
    Quantity(Quantity),
    /// A figure itself, computed by a query.
    Figure(FigureId),
}

/// How values go on from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Each stands for itself.
    Gauge,
    /// Each is what came in its period.
    Delta,
    /// A counter, which may begin anew.
    Counter,
    /// Each is a number per second.
    Rate,
    /// Each is what `increase()` extrapolates over the window: an estimate of a count.
    Increase,
    /// Each is a percentile of its period.
    Percentile {
        /// Which, 0 to 100.
        percent: f64,
        /// Whether the source averaged several of them.
        averaged: bool,
    },
}

/// Why nothing is known of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmapped {
    /// No rule knows it.
    #[error("no rule says what it measures")]
    NoRule,
    /// It holds percentiles of its periods, and nothing says which.
    #[error("nothing says which percentile it holds")]
    WhichPercentile,
    /// The source put several series together, and nothing says how.
    #[error("nothing says how its source put several series together (a file's name with `REDUCE_SUM` would)")]
    HowReduced,
    /// A rule knows it, but not its unit.
    #[error("its unit is none that is known for what it measures")]
    Unit,
}

impl Mapping {
    /// The text of the built-in rules.
    pub const BUILT_IN: &str = include_str!("metrics.toml");

    /// The built-in rules alone.
    #[must_use]
    pub fn built_in() -> Self {
        let source = Source::new("metrics.toml", Self::BUILT_IN);
        // A test reads them.
        rules(&source).unwrap_or_else(|faults| unreachable!("the built-in rules have faults: {faults}"))
    }

    /// The rules of a project's own file, then the built-in ones.
    ///
    /// # Errors
    /// All faults of the file.
    pub fn read(own: &Source) -> Result<Self, Faults> {
        let mut mapping = rules(own)?;
        mapping.own = mapping.rules.len();
        mapping.rules.extend(Self::built_in().rules);
        Ok(mapping)
    }

    /// The project's own rules that know none of some series, given with the names of their files, by name and place: a mistyped name
    /// is found by that. None where every series is known to some rule.
    pub fn idle<'a>(&self, tracks: &(impl Iterator<Item = (&'a Track, &'a str)> + Clone)) -> Vec<(&str, &Place)> {
        let knows = |rule: &Rule| tracks.clone().any(|(track, file)| rule.matches(track, file));
        if tracks.clone().all(|(track, file)| self.rules.iter().any(|rule| rule.matches(track, file))) {
            return Vec::new();
        }
        let own = self.rules.iter().take(self.own).filter(|rule| !knows(rule));
        own.map(|rule| (rule.name.as_str(), &rule.place)).collect()
    }

    /// What a series of a file measures; the file is known by its name without folder and ending.
    ///
    /// # Errors
    /// [`Unmapped`] where that can't be told.
    pub fn meaning(&self, track: &Track, file: &str) -> Result<Meaning, Unmapped> {
        let rule = self.rules.iter().find(|rule| rule.matches(track, file)).ok_or(Unmapped::NoRule)?;
        let written = rule.unit.as_deref().or(track.unit.as_deref());
        let factor =
            if rule.means.is_without_unit(track) { 1.0 } else { factor(written, rule.means.unit()).ok_or(Unmapped::Unit)? };
        let factor = factor * rule.scale;
        let is_apart = |label: &String| track.labels.contains_key(label) || file.contains("REDUCE_SUM");
        if !rule.added_over.as_ref().is_none_or(is_apart) {
            return Err(Unmapped::HowReduced);
        }
        let (shape, by_name) = rule.shape_of(track, file)?;
        Ok(Meaning { means: rule.means, shape, factor, by_name })
    }

    /// The figures that a file is about by its name alone: what a rule knows by `file`, or by the last words of its metric. For
    /// files without a series, to say what they would have been.
    #[must_use]
    pub fn about(&self, file: &str) -> Option<Means> {
        let by_file = self.rules.iter().find(|rule| rule.file.as_ref().is_some_and(|pattern| is_like(pattern, file)));
        let by_metric = || {
            let named = |rule: &&Rule| {
                rule.metrics.iter().map(|metric| short(metric)).filter(|name| file.contains(name)).map(|n| n.len()).max()
            };
            self.rules
                .iter()
                .filter(|rule| rule.file.is_none() && rule.means != Means::Quantity(Quantity::Ignored))
                .max_by_key(|rule| named(rule).unwrap_or(0))
                .filter(|rule| named(rule).is_some())
        };
        by_file.or_else(by_metric).map(|rule| rule.means)
    }
}

/// The words of a metric's name that file names keep: `cpu_utilizations` of `run.googleapis.com/container/cpu/utilizations`.
fn short(metric: &str) -> String {
    let path = metric.split_once('/').map_or(metric, |(_, path)| path);
    let bare = |path, word| str::strip_prefix(path, word).unwrap_or(path);
    ["container/", "database/", "postgresql/", "insights/"].into_iter().fold(path, bare).replace('/', "_")
}

impl Rule {
    fn matches(&self, track: &Track, file: &str) -> bool {
        (self.metrics.is_empty() || self.metrics.iter().any(|pattern| is_like(pattern, &track.metric)))
            && self.file.as_ref().is_none_or(|pattern| is_like(pattern, file))
            && self.labels.iter().all(|(name, value)| track.label(name) == value)
    }

    fn shape_of(&self, track: &Track, file: &str) -> Result<(Shape, bool), Unmapped> {
        if let Some(shape) = self.shape {
            return Ok((shape, false));
        }
        let has_buckets = track.points.iter().any(|point| point.buckets().is_some());
        let wants_percentile = matches!(self.means, Means::Quantity(quantity) if quantity.is_distribution());
        let is_gauge = track.kind == Kind::Gauge;
        if wants_percentile && is_gauge && !has_buckets {
            return named_percentile(file).map(|shape| (shape, true)).ok_or(Unmapped::WhichPercentile);
        }
        let per_second = track.unit.as_deref().is_some_and(|unit| unit.ends_with("/s"));
        let counts = ["_total", "_count", "_sum", "_bucket"].iter().any(|end| track.metric.ends_with(end));
        let shape = match track.kind {
            Kind::Gauge if per_second => Shape::Rate,
            Kind::Delta => Shape::Delta,
            Kind::Cumulative => Shape::Counter,
            Kind::Unsaid if counts || has_buckets => Shape::Counter,
            Kind::Gauge | Kind::Unsaid => Shape::Gauge,
        };
        Ok((shape, false))
    }
}

/// The percentile in a file's name, as scripts write it: `ALIGN_PERCENTILE_99`, `p95`; averaged where the name says `REDUCE_MEAN`.
fn named_percentile(file: &str) -> Option<Shape> {
    static PATTERN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:PERCENTILE_|(?:^|[._-])p)(\d{1,2}(?:\.\d+)?)(?:[._-]|$)").ok());
    let percent = PATTERN.as_ref()?.captures(file)?[1].parse().ok()?;
    Some(Shape::Percentile { percent, averaged: file.contains("REDUCE_MEAN") })
}

/// Whether a name is like a pattern in which `*` stands for any characters.
fn is_like(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut rest) = name.strip_prefix(head) else { return false };
    let mut parts = tail.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// What makes a value of a written unit one of a base unit; `None` where the two don't measure the same. The units are those of
/// Cloud Monitoring (UCUM: `10^2.%` is a fraction that is shown as per cent, words in braces are remarks) and of people.
fn factor(written: Option<&str>, wanted: Unit) -> Option<f64> {
    let Some(written) = written else { return Some(1.0) };
    let bare = written.split('{').next().unwrap_or_default();
    let bare = bare.strip_suffix("/s").filter(|_| matches!(wanted, Unit::PerSecond | Unit::Count)).unwrap_or(bare);
    match (bare, wanted) {
        // A number without a unit is no time and no size.
        ("" | "1" | "count", wanted) => (!matches!(wanted, Unit::Ms | Unit::Bytes)).then_some(1.0),
        ("10^2.%" | "ratio", Unit::Ratio) | ("ms", Unit::Ms) | ("By" | "bytes", Unit::Bytes) => Some(1.0),
        ("percent" | "%", Unit::Ratio) => Some(0.01),
        ("s", Unit::Ms) => Some(1e3),
        ("us" | "µs", Unit::Ms) => Some(1e-3),
        ("ns", Unit::Ms) => Some(1e-6),
        ("min", Unit::Ms) => Some(6e4),
        _ => None,
    }
}

impl Means {
    /// Whether the unit of the values doesn't matter: they are kept in no record, or it is their number that counts, as with
    /// start-ups, of which each has a latency.
    fn is_without_unit(self, track: &Track) -> bool {
        let are_counted = || self.unit() == Unit::Count && track.points.iter().any(|point| point.buckets().is_some());
        self == Self::Quantity(Quantity::Ignored) || are_counted()
    }

    fn unit(self) -> Unit {
        match self {
            Self::Quantity(quantity) => quantity.unit(),
            Self::Figure(figure) => figure.unit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::buckets::Buckets;
    use crate::capture::track::{Point, Value};

    #[test]
    fn the_built_in_rules_are_whole() {
        assert!(Mapping::built_in().rules.len() > 10);
    }

    #[test]
    fn how_many_values_there_are_has_no_unit() {
        let end = "2026-01-01T00:00:00Z".parse().unwrap_or_else(|e| unreachable!("{e}"));
        let track = |metric: &str, value| Track {
            metric: metric.to_owned(),
            labels: std::collections::BTreeMap::new(),
            kind: Kind::Delta,
            unit: Some("ms".to_owned()),
            target: None,
            points: vec![Point { start: None, end, value }],
        };
        let meaning = |track: &Track| Mapping::built_in().meaning(track, "a");
        let startups = "run.googleapis.com/container/startup_latencies";
        assert_eq!(meaning(&track(startups, Value::Buckets(Buckets::default()))).map(|meaning| meaning.shape), Ok(Shape::Delta));
        assert_eq!(meaning(&track(startups, Value::Number(14.0))), Err(Unmapped::Unit));
        let ignored = track("run.googleapis.com/container/billable_instance_time", Value::Number(1.0));
        assert_eq!(meaning(&ignored).map(|meaning| meaning.means), Ok(Means::Quantity(Quantity::Ignored)));
    }

    #[test]
    fn a_file_without_a_series_is_about_what_its_name_says() {
        let mapping = Mapping::built_in();
        let about = |file: &str| match mapping.about(file) {
            Some(Means::Quantity(quantity)) => quantity.name(),
            _ => "nothing",
        };
        let names = [
            ("startup_latencies.no_startup_empty_response", "container.startups"),
            ("instance_count.raw_by_state", "container.instances"),
            ("container_cpu_utilizations.ALIGN_PERCENTILE_50", "container.cpu"),
            ("cloudsql.cpu_utilization", "database.cpu"),
            ("perquery_latencies", "query.latency"),
            ("error_403_scope", "nothing"),
        ];
        for (file, quantity) in names {
            assert_eq!(about(file), quantity, "{file}");
        }
    }

    #[test]
    fn a_rule_that_knows_nothing_is_told_where_something_is_unknown() {
        let text = "[rule.typo]\nmetric = \"shop_acquire\"\nmeasures = \"pool.acquires\"\n[rule.fine]\nmetric = \"shop_empty\"\nmeasures = \"pool.empty_acquires\"\n";
        let mapping = Mapping::read(&Source::new("metrics.toml", text)).unwrap_or_else(|f| unreachable!("{f}"));
        let track = |metric: &str| Track {
            metric: metric.to_owned(),
            labels: std::collections::BTreeMap::new(),
            kind: Kind::Unsaid,
            unit: None,
            target: None,
            points: Vec::new(),
        };
        let idle = |names: [&str; 2]| {
            let tracks = names.map(track);
            mapping
                .idle(&tracks.iter().map(|track| (track, "pool")))
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(idle(["shop_acquires", "shop_empty"]), ["typo"]);
        assert!(idle(["shop_empty", "db_cpu"]).is_empty());
    }

    #[test]
    fn stars_stand_for_any_characters() {
        assert!(is_like("k6_*", "k6_vus") && is_like("*_total", "a_total") && is_like("a*b*c", "a1b2c"));
        assert!(!is_like("k6_*", "vus") && !is_like("a*b*c", "a1c") && !is_like("a", "ab"));
    }

    #[test]
    fn a_percentile_is_taken_from_a_name_that_says_it() {
        let percentile = |name| named_percentile(name);
        assert_eq!(percentile("cpu.ALIGN_PERCENTILE_50"), Some(Shape::Percentile { percent: 50.0, averaged: false }));
        assert_eq!(
            percentile("request_latencies.p95.ALIGN_PERCENTILE_95.REDUCE_MEAN"),
            Some(Shape::Percentile { percent: 95.0, averaged: true })
        );
        assert_eq!(percentile("cpu"), None);
    }
}
