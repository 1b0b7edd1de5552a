//! Blocks: stretches of one length, with their counts and percentiles.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::columns::{Sampled, WireSampled, counts, object, sampled, sums};
use super::damage::Damage;
use crate::model::series::{BlockPoint, Blocks};

/// Blocks of one length in a file.
#[derive(Deserialize)]
pub(super) struct WireBlocks {
    seconds: u32,
    start: i64,
    last_seconds: u32,
    counts: BTreeMap<String, Vec<i64>>,
    trends: BTreeMap<String, WireSampled>,
}

/// All blocks as a member of the file.
pub(super) fn member(blocks: &[Blocks]) -> String {
    let lengths: Vec<String> = blocks.iter().map(of_one_length).collect();
    format!("\"blocks\":[\n{}]", lengths.join(",\n"))
}

fn of_one_length(blocks: &Blocks) -> String {
    let columns: Vec<String> = blocks.counts.iter().map(|(name, column)| counts(name, column.iter())).collect();
    let trends: Vec<String> = blocks.trends.iter().map(|(name, points)| trend(name, points)).collect();
    let members = [
        format!("\"seconds\":{}", blocks.seconds),
        format!("\"start\":{}", blocks.start),
        format!("\"last_seconds\":{}", blocks.last_seconds),
        object("counts", &columns),
        object("trends", &trends),
    ];
    format!("{{{}}}", members.join(",\n"))
}

fn trend(name: &str, points: &[BlockPoint]) -> String {
    let points: Vec<Sampled> = points.iter().map(|point| (point.count, point.percentiles)).collect();
    object(name, &sampled(&points))
}

/// The blocks of all lengths, as far as they are no damage, which is told.
pub(super) fn read(wire: &[WireBlocks], damage: &mut Damage<'_>) -> Vec<Blocks> {
    let lengths: Vec<i64> = wire.iter().map(|blocks| i64::from(blocks.seconds)).collect();
    damage.ascending(&["blocks"], "lengths", &lengths);
    wire.iter().map(|blocks| blocks.read(damage)).collect()
}

impl WireBlocks {
    fn read(&self, damage: &mut Damage<'_>) -> Blocks {
        if self.last_seconds > self.seconds {
            let message = format!("the last block has {} of {} seconds", self.last_seconds, self.seconds);
            damage.tell(&["blocks", "last_seconds"], message);
        }
        self.even(damage);
        let mut counts = BTreeMap::new();
        for (name, column) in &self.counts {
            counts.insert(name.clone(), damage.counts(&["blocks", "counts", name], &sums(column)));
        }
        let mut trends = BTreeMap::new();
        for (name, wire) in &self.trends {
            let points = wire.read(&["blocks", "trends", name], damage).into_iter();
            trends.insert(name.clone(), points.map(|(count, percentiles)| BlockPoint { count, percentiles }).collect());
        }
        Blocks { seconds: self.seconds, start: self.start, last_seconds: self.last_seconds, counts, trends }
    }

    /// Tells it if counts and trends are of unlike numbers of blocks.
    fn even(&self, damage: &mut Damage<'_>) {
        let counts = self.counts.iter().map(|(name, column)| (name.as_str(), column.len()));
        let trends = self.trends.iter().map(|(name, wire)| (name.as_str(), wire.lengths()[0].1));
        let lengths: Vec<(&str, usize)> = counts.chain(trends).collect();
        damage.even(&["blocks"], &lengths);
    }
}
