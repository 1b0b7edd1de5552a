//! Columns of whole numbers, as text and back: the first number, then each number's step from the one before.

use serde::Deserialize;

use super::damage::Damage;

/// A text as JSON.
pub(super) fn text(value: &str) -> String {
    serde_json::Value::String(value.to_owned()).to_string()
}

/// A member that is an object, its members on lines of their own.
pub(super) fn object(name: &str, members: &[String]) -> String {
    format!("{}:{{\n{}}}", text(name), members.join(",\n"))
}

/// A member that is a column of whole numbers.
pub(super) fn column(name: &str, values: impl Iterator<Item = i64>) -> String {
    let words: Vec<String> = differences(values).map(|step| step.to_string()).collect();
    format!("{}:[{}]", text(name), words.join(","))
}

/// A member that is a column of counts.
pub(super) fn counts<'a>(name: &str, values: impl Iterator<Item = &'a u64>) -> String {
    column(name, values.map(|count| count.cast_signed()))
}

/// The first value, then each value's step from the one before. Wrapping both ways keeps it total and invertible.
fn differences(values: impl Iterator<Item = i64>) -> impl Iterator<Item = i64> {
    values.scan(0_i64, |last, value| Some(value.wrapping_sub(std::mem::replace(last, value))))
}

/// The numbers of a column.
pub(super) fn sums(steps: &[i64]) -> Vec<i64> {
    let add = |sum: &mut i64, step: &i64| {
        *sum = sum.wrapping_add(*step);
        Some(*sum)
    };
    steps.iter().scan(0_i64, add).collect()
}

/// Counts with p50, p95 and p99, which are `None` where there is no sample.
pub(super) type Sampled = (u64, Option<[i64; 3]>);

/// The columns of [`Sampled`].
pub(super) fn sampled(points: &[Sampled]) -> Vec<String> {
    let percentile = |name: &str, at: usize| {
        let mut last = 0_i64;
        let word = |value: Option<i64>| match value {
            Some(value) => value.wrapping_sub(std::mem::replace(&mut last, value)).to_string(),
            None => "null".to_owned(),
        };
        let words: Vec<String> = points.iter().map(|(_, percentiles)| percentiles.map(|p| p[at])).map(word).collect();
        format!("\"{name}\":[{}]", words.join(","))
    };
    let count = counts("count", points.iter().map(|(count, _)| count));
    vec![count, percentile("p50", 0), percentile("p95", 1), percentile("p99", 2)]
}

/// [`Sampled`] in a file.
#[derive(Deserialize)]
pub(super) struct WireSampled {
    count: Vec<i64>,
    p50: Vec<Option<i64>>,
    p95: Vec<Option<i64>>,
    p99: Vec<Option<i64>>,
}

impl WireSampled {
    /// The lengths of the columns, by name.
    pub(super) fn lengths(&self) -> [(&'static str, usize); 4] {
        [("count", self.count.len()), ("p50", self.p50.len()), ("p95", self.p95.len()), ("p99", self.p99.len())]
    }

    /// The points; nothing where the columns don't belong together, which is told.
    pub(super) fn read(&self, keys: &[&str], damage: &mut Damage<'_>) -> Vec<Sampled> {
        if !damage.even(keys, &self.lengths()) {
            return Vec::new();
        }
        let count_keys: Vec<&str> = keys.iter().copied().chain(["count"]).collect();
        let counts = damage.counts(&count_keys, &sums(&self.count));
        let [p50, p95, p99] = [&self.p50, &self.p95, &self.p99].map(|column| optional_sums(column));
        let mut torn = None;
        let points = counts.into_iter().enumerate().map(|(at, count)| {
            let percentiles = match (p50[at], p95[at], p99[at]) {
                (Some(p50), Some(p95), Some(p99)) => Some([p50, p95, p99]),
                (None, None, None) => None,
                _ => {
                    torn = torn.or(Some(at + 1));
                    None
                }
            };
            (count, percentiles)
        });
        let points: Vec<Sampled> = points.collect();
        if let Some(at) = torn {
            let part = keys.last().copied().unwrap_or_default();
            damage.tell(keys, format!("`{part}` has some of p50, p95 and p99 at its place {at}, but not all"));
        }
        points
    }
}

/// The numbers of a column with gaps.
fn optional_sums(steps: &[Option<i64>]) -> Vec<Option<i64>> {
    let add = |sum: &mut i64, step: &Option<i64>| {
        Some(step.map(|step| {
            *sum = sum.wrapping_add(step);
            *sum
        }))
    };
    steps.iter().scan(0_i64, add).collect()
}
