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

use std::sync::LazyLock;

use regex::Regex;

use super::quantity::Quantity;
use super::track::{Kind, Track};
use crate::diagnostic::{Diagnostic, Faults};
use crate::handwritten::{Document, Entry, Form, check_schema};
use crate::model::catalogue::{FigureId, Origin};
use crate::model::units::Unit;
use crate::source::Source;

/// Ordered rules.
#[derive(Clone, Debug)]
pub struct Mapping {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
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
    /// The built-in rules alone.
    #[must_use]
    pub fn built_in() -> Self {
        let source = Source::new("metrics.toml", include_str!("metrics.toml"));
        // A test reads them.
        rules(&source).unwrap_or_else(|faults| unreachable!("the built-in rules have faults: {faults}"))
    }

    /// The rules of a project's own file, then the built-in ones.
    ///
    /// # Errors
    /// All faults of the file.
    pub fn read(own: &Source) -> Result<Self, Faults> {
        let mut mapping = rules(own)?;
        mapping.rules.extend(Self::built_in().rules);
        Ok(mapping)
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
        ("" | "1" | "count", _) | ("10^2.%" | "ratio", Unit::Ratio) | ("ms", Unit::Ms) | ("By" | "bytes", Unit::Bytes) => {
            Some(1.0)
        }
        ("percent" | "%", Unit::Ratio) => Some(0.01),
        ("s", Unit::Ms) => Some(1e3),
        ("us" | "µs", Unit::Ms) => Some(1e-3),
        ("ns", Unit::Ms) => Some(1e-6),
        ("min", Unit::Ms) => Some(6e4),
        _ => None,
    }
}

fn rules(source: &Source) -> Result<Mapping, Faults> {
    let document = Document::parse(source);
    let form = document.form();
    check_schema(&form, 1);
    let entries = form.table("rule").map(|table| table.entries()).unwrap_or_default();
    let rules = entries.iter().filter_map(rule).collect();
    form.close();
    document.finish().map(|_| Mapping { rules })
}

/// A rule; `None`, with its faults noted, if it is not whole.
fn rule(entry: &Entry<'_>) -> Option<Rule> {
    let form = entry.table()?;
    let metrics = match form.entry("metric") {
        Some(entry) if entry.is_list() => entry.texts().into_iter().map(|text| text.value).collect(),
        Some(entry) => entry.scalar().into_iter().map(|text| text.value).collect(),
        None => Vec::new(),
    };
    let file = form.text("file").map(|text| text.value);
    if metrics.is_empty() && file.is_none() {
        let fault = Diagnostic::error("no-condition", format!("the rule `{}` knows no series", entry.key.value));
        form.fault(
            fault.at(entry.key.place.clone()).help("give it `metric`, or the `file` in which a series without a name lies"),
        );
    }
    let labels = form.table("labels").map(|table| {
        let labels = table.entries().iter().filter_map(|entry| Some((entry.key.value.clone(), entry.scalar()?.value))).collect();
        table.close();
        labels
    });
    let means = means(entry, &form);
    let unit = form.text("unit");
    if let (Some(unit), Some(means)) = (&unit, means)
        && factor(Some(&unit.value), means.unit()).is_none()
    {
        let fault = Diagnostic::error("bad-unit", format!("`{}` is no unit of {}", unit.value, means.unit().wanted()));
        form.fault(fault.at(unit.place.clone()).help("units are s, ms, us, ratio, percent, bytes, count"));
    }
    let added_over = form.text("added_over").map(|label| label.value);
    let scale = form.number("scale");
    if let Some(scale) = scale.as_ref().filter(|scale| scale.value <= 0.0) {
        let fault = Diagnostic::error("bad-scale", "a scale is a number above 0").at(scale.place.clone());
        form.fault(fault.help("values are multiplied by it: `scale = 0.01` makes shares of per cent"));
    }
    let scale = scale.map_or(1.0, |scale| scale.value);
    let shape = shape(&form);
    form.close();
    Some(Rule {
        metrics,
        file,
        labels: labels.unwrap_or_default(),
        means: means?,
        shape,
        unit: unit.map(|unit| unit.value),
        scale,
        added_over,
    })
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

fn means(entry: &Entry<'_>, form: &Form<'_>) -> Option<Means> {
    match (form.text("measures"), form.text("figure")) {
        (Some(measures), None) => {
            let known = measures.value.parse().ok().map(Means::Quantity);
            if known.is_none() {
                let fault = Diagnostic::error("unknown-quantity", format!("there is no quantity `{}`", measures.value));
                form.fault(fault.at(measures.place).suggest(&measures.value, Quantity::names()));
            }
            known
        }
        (None, Some(figure)) => {
            let id = figure.value.parse::<FigureId>().ok().filter(|id| id.row().origin == Origin::Captured);
            if id.is_none() {
                let fault = Diagnostic::error("unknown-figure", format!("`{}` is no figure that is captured", figure.value));
                form.fault(fault.at(figure.place).suggest(&figure.value, FigureId::names()));
            }
            id.map(Means::Figure)
        }
        _ => {
            let fault =
                Diagnostic::error("no-meaning", format!("the rule `{}` must say one thing that is measured", entry.key.value));
            form.fault(fault.at(entry.key.place.clone()).help("give it `measures` or `figure`"));
            None
        }
    }
}

fn shape(form: &Form<'_>) -> Option<Shape> {
    const KINDS: [(&str, Shape); 5] = [
        ("gauge", Shape::Gauge),
        ("counter", Shape::Counter),
        ("delta", Shape::Delta),
        ("rate", Shape::Rate),
        ("increase", Shape::Increase),
    ];
    let averaged = form.truth("averaged").is_some_and(|truth| truth.value);
    let percentile = form.number("percentile");
    let kind = form.text("kind");
    if let Some(percent) = percentile {
        if (0.0..=100.0).contains(&percent.value) {
            return Some(Shape::Percentile { percent: percent.value, averaged });
        }
        form.fault(Diagnostic::error("bad-percentile", "a percentile is a number from 0 to 100").at(percent.place));
    }
    let kind = kind?;
    let known = KINDS.iter().find(|(word, _)| *word == kind.value);
    if known.is_none() {
        let words = KINDS.map(|(word, _)| word);
        let fault = Diagnostic::error("unknown-kind", format!("there is no kind `{}` of a series", kind.value)).at(kind.place);
        form.fault(fault.note(format!("there are {}", words.join(", "))).suggest(&kind.value, words));
    }
    known.map(|(_, shape)| *shape)
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
