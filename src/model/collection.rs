//! The archive in memory: releases in order, their runs, and what people wrote beside them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::address::{Address, Pattern, Release, compare_versions};
use super::record::Record;
use super::series::Series;

/// All releases, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    releases: Vec<ReleaseRuns>,
}

/// A release and its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleaseRuns {
    /// Its name.
    pub name: Release,
    /// Its place among the releases where the version's numbers don't tell (`order` in release.toml).
    pub order: Option<f64>,
    /// What people wrote about the release, Markdown without blocks.
    pub notes: Vec<String>,
    /// Its runs by target and label.
    pub runs: BTreeMap<Address, Run>,
}

/// A run with everything that lies in its folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The record with what people wrote laid over it: run.toml before release.toml before record.json.
    pub record: Record,
    /// Where a person's value differs from the machine's.
    pub differences: Vec<Difference>,
    /// What people wrote about the run, Markdown without blocks.
    pub notes: Vec<String>,
    /// k6's end-of-test summary.
    pub k6_text: Option<String>,
    /// Per-second series.
    pub series: Option<Series>,
}

/// A value that a person and the machine give differently. A page shows both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: a figure, `environment.database.vcpu`.
    pub what: String,
    /// What the person wrote, which counts.
    pub by_hand: String,
    /// What the machine read.
    pub by_machine: String,
    /// The file that wins: `run.toml`, `release.toml`.
    pub file: String,
}

impl Archive {
    /// An archive of releases, put in order: by version numbers, what is no version behind them by name. Those with an
    /// `order` follow it among themselves, in the places that they have together; the others keep their own.
    #[must_use]
    pub fn new(mut releases: Vec<ReleaseRuns>) -> Self {
        releases.sort_by(|a, b| compare_versions(a.name.as_str(), b.name.as_str()));
        Self { releases: by_order(releases) }
    }

    /// The releases, oldest first.
    #[must_use]
    pub fn releases(&self) -> &[ReleaseRuns] {
        &self.releases
    }

    /// The releases themselves, oldest first.
    #[must_use]
    pub fn into_releases(self) -> Vec<ReleaseRuns> {
        self.releases
    }

    /// All runs: by release, then target, the run of record first.
    pub fn runs(&self) -> impl Iterator<Item = (&Address, &Run)> {
        self.releases.iter().flat_map(|release| release.runs.iter())
    }

    /// A release by name.
    #[must_use]
    pub fn release(&self, name: &Release) -> Option<&ReleaseRuns> {
        self.releases.iter().find(|release| release.name == *name)
    }

    /// A run by address.
    #[must_use]
    pub fn run(&self, address: &Address) -> Option<&Run> {
        self.release(&address.release)?.runs.get(address)
    }

    /// The runs that one of the patterns chooses; all runs where there is no pattern.
    #[must_use]
    pub fn select(&self, patterns: &[Pattern]) -> Vec<(&Address, &Run)> {
        self.runs().filter(|(address, _)| patterns.is_empty() || patterns.iter().any(|p| p.matches(address))).collect()
    }

    /// The previous run: of the same target and release the one with the latest earlier start; only if there is none,
    /// the run of record of the latest earlier release that has the target.
    #[must_use]
    pub fn previous(&self, address: &Address) -> Option<(&Address, &Run)> {
        let at = self.releases.iter().position(|release| release.name == address.release)?;
        self.earlier_in_release(&self.releases[at], address).or_else(|| {
            self.releases[..at].iter().rev().find_map(|release| {
                release.runs.iter().find(|(other, _)| other.target == address.target && other.label.is_none())
            })
        })
    }

    #[allow(clippy::unused_self, reason = "reads as a question to the archive beside `previous`")]
    fn earlier_in_release<'a>(&self, release: &'a ReleaseRuns, address: &Address) -> Option<(&'a Address, &'a Run)> {
        let start = |run: &Run| run.record.window.start.and_then(super::instant::Moment::instant);
        let own = start(release.runs.get(address)?)?;
        release
            .runs
            .iter()
            .filter(|(other, _)| other.target == address.target && *other != address)
            .filter_map(|(other, run)| Some((start(run)?, other, run)))
            .filter(|(at, _, _)| *at < own)
            .max_by_key(|(at, _, _)| *at)
            .map(|(_, other, run)| (other, run))
    }
}

/// Puts the releases that have an `order` into that order, and leaves the others where they are. To compare some pairs by
/// `order` and others by version would go round in circles.
fn by_order(releases: Vec<ReleaseRuns>) -> Vec<ReleaseRuns> {
    let places: Vec<bool> = releases.iter().map(|release| release.order.is_some()).collect();
    let (mut ordered, others): (Vec<_>, Vec<_>) = releases.into_iter().partition(|release| release.order.is_some());
    ordered.sort_by(|a, b| a.order.zip(b.order).map_or(Ordering::Equal, |(a, b)| a.total_cmp(&b)));
    let (mut ordered, mut others) = (ordered.into_iter(), others.into_iter());
    places.into_iter().filter_map(|by_order| if by_order { ordered.next() } else { others.next() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(name: &str, order: Option<f64>) -> ReleaseRuns {
        let name = Release::new(name).unwrap_or_else(|bad| unreachable!("{bad}"));
        ReleaseRuns { name, order, notes: Vec::new(), runs: BTreeMap::new() }
    }

    fn names(releases: Vec<ReleaseRuns>) -> Vec<String> {
        Archive::new(releases).releases().iter().map(|release| release.name.to_string()).collect()
    }

    #[test]
    fn releases_with_an_order_follow_it_and_the_others_their_versions() {
        let orders = [("v4", Some(1.0)), ("nightly", Some(1.5)), ("v5", Some(2.0)), ("v6", None)];
        let releases = orders.map(|(name, order)| release(name, order));
        assert_eq!(names(releases.to_vec()), ["v4", "nightly", "v6", "v5"]);
        assert_eq!(names(vec![release("v5", Some(1.0)), release("v1", Some(2.0)), release("v3", None)]), ["v5", "v3", "v1"]);
    }

    proptest::proptest! {
        #[test]
        fn any_mix_of_orders_gives_one_order(orders in proptest::collection::vec((0_u8..60, proptest::option::of(-9.0..9.0)), 0..80)) {
            let releases: Vec<ReleaseRuns> = orders.iter().map(|(n, order)| release(&format!("v{n}"), *order)).collect();
            let mut turned = releases.clone();
            let archive = Archive::new(releases);
            let ordered: Vec<f64> = archive.releases().iter().filter_map(|release| release.order).collect();
            proptest::prop_assert!(ordered.is_sorted());
            let others: Vec<&str> = archive.releases().iter().filter(|r| r.order.is_none()).map(|r| r.name.as_str()).collect();
            proptest::prop_assert!(others.is_sorted_by(|a, b| compare_versions(a, b).is_le()));
            turned.reverse();
            proptest::prop_assert_eq!(Archive::new(turned).releases().len(), archive.releases().len());
        }
    }
}
