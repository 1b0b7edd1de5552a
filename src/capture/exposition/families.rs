//! What the comments of the text formats say of the kind of a metric.

use std::collections::BTreeMap;

use super::super::track::Kind;

/// The types of both formats.
const TYPES: [&str; 9] = ["counter", "gauge", "histogram", "summary", "untyped", "unknown", "info", "stateset", "gaugehistogram"];

/// Whether a line says of which type a metric is.
pub(super) fn is_type_of_metric(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    matches!(words.as_slice(), ["#", "TYPE", _, kind] if TYPES.contains(kind))
}

/// Types by the name that `# TYPE` gives them.
#[derive(Default)]
pub(super) struct Families {
    types: BTreeMap<String, String>,
}

impl Families {
    /// Takes in a comment; one that is no `# TYPE` says nothing of kinds.
    pub(super) fn comment(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if let (Some("#"), Some("TYPE"), Some(name), Some(kind)) = (words.next(), words.next(), words.next(), words.next()) {
            self.types.insert(name.trim_matches('"').to_owned(), kind.to_owned());
        }
    }

    /// The kind of the series of a name; `None` of a moment at which a series was created, which OpenMetrics writes beside it.
    pub(super) fn kind(&self, name: &str) -> Option<Kind> {
        if let Some(own) = self.types.get(name) {
            return Some(match own.as_str() {
                "counter" => Kind::Cumulative,
                "untyped" | "unknown" => Kind::Unsaid,
                _ => Kind::Gauge,
            });
        }
        let ending = |ending: &str| self.types.get(name.strip_suffix(ending)?).map(String::as_str);
        if ["counter", "histogram", "summary"].into_iter().any(|kind| ending("_created") == Some(kind)) {
            return None;
        }
        let counts = ending("_total") == Some("counter")
            || ["_bucket", "_count", "_sum"].into_iter().any(|end| matches!(ending(end), Some("histogram" | "summary")));
        let states = ["_info", "_bucket", "_gcount", "_gsum"]
            .into_iter()
            .any(|end| matches!(ending(end), Some("info" | "gaugehistogram")));
        Some(match (counts, states) {
            (true, _) => Kind::Cumulative,
            (false, true) => Kind::Gauge,
            (false, false) => Kind::Unsaid,
        })
    }
}
