//! Distributions: samples by bucket.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::columns::{column, counts, object, sums};
use super::damage::Damage;
use crate::model::distribution::{Distribution, bucket_of};

/// A distribution in a file.
#[derive(Deserialize)]
pub(super) struct WireDistribution {
    outside: u64,
    bucket: Vec<i64>,
    count: Vec<i64>,
}

/// All distributions as a member of the file.
pub(super) fn member(distributions: &BTreeMap<String, Distribution>) -> String {
    let members: Vec<String> = distributions.iter().map(|(name, distribution)| one(name, distribution)).collect();
    object("distributions", &members)
}

fn one(name: &str, distribution: &Distribution) -> String {
    let members = [
        format!("\"outside\":{}", distribution.outside),
        column("bucket", distribution.buckets.keys().map(|bucket| i64::from(*bucket))),
        counts("count", distribution.buckets.values()),
    ];
    object(name, &members)
}

impl WireDistribution {
    /// The distribution; without the buckets that are damage, which is told.
    pub(super) fn read(&self, name: &str, damage: &mut Damage<'_>) -> Distribution {
        let keys = ["distributions", name];
        damage.even(&keys, &[("bucket", self.bucket.len()), ("count", self.count.len())]);
        let buckets = sums(&self.bucket);
        damage.ascending(&keys, "buckets", &buckets);
        let known = |bucket: i64| u32::try_from(bucket).ok().filter(|bucket| *bucket <= bucket_of(u64::MAX));
        if let Some(bucket) = buckets.iter().find(|bucket| known(**bucket).is_none()) {
            damage.tell(&keys, format!("`{name}` has a bucket {bucket}, and there is none of that number"));
        }
        let counts = damage.counts(&["distributions", name, "count"], &sums(&self.count));
        if counts.contains(&0) {
            damage.tell(&keys, format!("`{name}` has a bucket without a sample"));
        }
        let buckets = buckets.into_iter().zip(counts).filter_map(|(bucket, count)| Some((known(bucket)?, count))).collect();
        Distribution { buckets, outside: self.outside }
    }
}
