//! A line with a sample: name, labels, value, perhaps a timestamp, perhaps an exemplar.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::super::prometheus::wire::moment;
use super::labels;

/// A sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) value: f64,
    pub(super) at: Option<DateTime<Utc>>,
}

/// Reads a line; `None` if it is no sample. Timestamps are seconds in OpenMetrics, milliseconds in the older format.
pub(super) fn read(line: &str, is_open: bool) -> Option<Sample> {
    let (name, rest) =
        if line.starts_with('{') { (None, line) } else { labels::bare(line).map(|(name, rest)| (Some(name), rest))? };
    // A name may have colons, but one at its end is YAML's.
    if name.as_ref().is_some_and(|name| name.ends_with(':')) {
        return None;
    }
    let rest = rest.trim_start();
    let (mut labels, rest) = if rest.starts_with('{') { labels::read(rest)? } else { (BTreeMap::new(), rest) };
    let name = name.or_else(|| labels.remove("__name__"))?;
    // What stands behind `#` is an exemplar: one of the values that were counted.
    let numbers = rest.split_once('#').map_or(rest, |(numbers, _)| numbers);
    let mut words = numbers.split_whitespace();
    let value = words.next()?.parse().ok()?;
    let at = match words.next() {
        Some(word) => Some(moment(word.parse::<f64>().ok()? / if is_open { 1.0 } else { 1e3 })?),
        None => None,
    };
    words.next().is_none().then_some(Sample { name, labels, value, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_a_value_and_perhaps_more() {
        let millis = |line: &str, is_open| read(line, is_open).and_then(|sample| sample.at).map(|at| at.timestamp_millis());
        assert_eq!(millis("a_total 1 1796026937596", false), Some(1_796_026_937_596));
        assert_eq!(millis("a_total 1 1796026937.596", true), Some(1_796_026_937_596));
        let exemplar = read("a_bucket{le=\"1\"} 17.0 # {trace_id=\"7b\"} 0.003 1796026937.5", true);
        assert_eq!(exemplar.map(|sample| (sample.value, sample.at)), Some((17.0, None)));
        assert_eq!(read("{\"a.b\", c=\"d\"} 1", true).map(|sample| sample.name), Some("a.b".to_owned()));
        assert!(read("a NaN", false).is_some_and(|sample| sample.value.is_nan()));
    }

    #[test]
    fn other_lines_are_none() {
        for line in ["", "a", "a b", "a: 1", "KEY=1", "a 1 2 3", "1 2", "a{b=\"c\" 1", "a metric name should not be"] {
            assert_eq!(read(line, true), None, "{line}");
        }
    }
}
