//! Trends by second, and their successes.

use serde::Deserialize;

use super::columns::{Sampled, WireSampled, column, counts, object, sampled, sums};
use super::damage::Damage;
use crate::model::series::{SeriesPoint, SuccessPoint, TrendSeries};

/// A trend in a file.
#[derive(Deserialize)]
pub(super) struct WireTrend {
    second: Vec<i64>,
    p50: Vec<i64>,
    p95: Vec<i64>,
    p99: Vec<i64>,
    #[serde(default)]
    count: Option<Vec<i64>>,
    #[serde(default)]
    successes: Option<WireSuccesses>,
}

#[derive(Deserialize)]
struct WireSuccesses {
    second: Vec<i64>,
    #[serde(flatten)]
    sampled: WireSampled,
}

/// A trend as a member of `trends`.
pub(super) fn member(name: &str, trend: &TrendSeries) -> String {
    let points = &trend.points;
    let of = |name: &str, value: fn(&SeriesPoint) -> i64| column(name, points.iter().map(value));
    let mut columns = vec![of("second", |p| p.second), of("p50", |p| p.p50), of("p95", |p| p.p95), of("p99", |p| p.p99)];
    // Counts of some seconds alone would be taken for those of all.
    let all: Option<Vec<u64>> = points.iter().map(|p| p.count.filter(|count| i64::try_from(*count).is_ok())).collect();
    columns.extend(all.filter(|all| !all.is_empty()).map(|all| counts("count", all.iter())));
    columns.extend(trend.successes.as_deref().map(successes));
    object(name, &columns)
}

fn successes(points: &[SuccessPoint]) -> String {
    let values: Vec<Sampled> = points.iter().map(|point| (point.count, point.percentiles)).collect();
    let mut columns = vec![column("second", points.iter().map(|point| point.second))];
    columns.extend(sampled(&values));
    object("successes", &columns)
}

impl WireTrend {
    /// The trend; without points where the columns don't belong together, which is told.
    pub(super) fn read(&self, name: &str, damage: &mut Damage<'_>) -> TrendSeries {
        TrendSeries {
            points: self.points(name, damage),
            successes: self.successes.as_ref().map(|successes| successes.read(name, damage)),
        }
    }

    fn points(&self, name: &str, damage: &mut Damage<'_>) -> Vec<SeriesPoint> {
        let keys = ["trends", name];
        let columns = [("second", &self.second), ("p50", &self.p50), ("p95", &self.p95), ("p99", &self.p99)];
        let columns = columns.into_iter().chain(self.count.as_ref().map(|count| ("count", count)));
        let lengths: Vec<(&str, usize)> = columns.map(|(name, column)| (name, column.len())).collect();
        if !damage.even(&keys, &lengths) {
            return Vec::new();
        }
        let [second, p50, p95, p99] = [&self.second, &self.p50, &self.p95, &self.p99].map(|column| sums(column));
        damage.ascending(&keys, "seconds", &second);
        let counts = self.count.as_ref().map(|count| damage.counts(&["trends", name, "count"], &sums(count)));
        let point = |at: usize| {
            let count = counts.as_ref().map(|counts| counts[at]);
            SeriesPoint { second: second[at], p50: p50[at], p95: p95[at], p99: p99[at], count }
        };
        (0..second.len()).map(point).collect()
    }
}

impl WireSuccesses {
    fn read(&self, name: &str, damage: &mut Damage<'_>) -> Vec<SuccessPoint> {
        let keys = ["trends", name, "successes"];
        let points = self.sampled.read(&keys, damage);
        let seconds = sums(&self.second);
        let [count, ..] = self.sampled.lengths();
        if !damage.even(&keys, &[("second", seconds.len()), count]) {
            return Vec::new();
        }
        damage.ascending(&keys, "seconds", &seconds);
        let point = |(second, (count, percentiles))| SuccessPoint { second, count, percentiles };
        seconds.into_iter().zip(points).map(point).collect()
    }
}
