//! Percentiles of every second of the test phase.

use std::collections::BTreeMap;

use super::group::{Group, three};
use super::merged::Samples;
use super::percentile::Pool;
use crate::model::failures::Phase;
use crate::model::series::ExactPoint;

impl Samples {
    /// The script's own trends by second, or the metrics named: percentiles of the test phase.
    #[must_use]
    pub fn seconds(&self, metrics: Option<&[String]>) -> BTreeMap<String, Vec<ExactPoint>> {
        let names: Vec<&str> = match metrics {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => self.own_trends(),
        };
        let test = |name: &str| self.group(name, |piece| piece.phase == Some(Phase::Test));
        let of = |name: &&str| ((*name).to_owned(), seconds(&test(name)));
        names.iter().map(of).filter(|(_, seconds)| !seconds.is_empty()).collect()
    }
}

/// The percentiles of every second that has a value.
pub(super) fn seconds(group: &Group<'_>) -> Vec<ExactPoint> {
    let mut pool = Pool::default();
    let of = |second: i64| {
        pool.clear();
        group.pool(second..second + 1, &mut pool);
        Some(ExactPoint { second, count: pool.count(), percentiles: three(&mut pool)? })
    };
    group.seconds().into_iter().filter_map(of).collect()
}
