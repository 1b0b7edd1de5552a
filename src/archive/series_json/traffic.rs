//! Counts of each second, and virtual users as they change.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::columns::{column, counts, object, sums};
use super::damage::Damage;
use crate::model::series::Traffic;

/// Traffic in a file.
#[derive(Deserialize)]
pub(super) struct WireTraffic {
    start: i64,
    columns: BTreeMap<String, Vec<i64>>,
    #[serde(default)]
    vus: WireVus,
}

#[derive(Default, Deserialize)]
struct WireVus {
    second: Vec<i64>,
    value: Vec<i64>,
}

/// The traffic as a member of the file.
pub(super) fn member(traffic: &Traffic) -> String {
    let columns: Vec<String> = traffic.columns.iter().map(|(name, column)| counts(name, column.iter())).collect();
    let mut members = vec![format!("\"start\":{}", traffic.start), object("columns", &columns)];
    if !traffic.vus.is_empty() {
        let second = column("second", traffic.vus.iter().map(|(second, _)| *second));
        members.push(object("vus", &[second, counts("value", traffic.vus.iter().map(|(_, value)| value))]));
    }
    object("traffic", &members)
}

impl WireTraffic {
    /// The traffic, as far as it is no damage, which is told.
    pub(super) fn read(&self, damage: &mut Damage<'_>) -> Traffic {
        let lengths: Vec<(&str, usize)> = self.columns.iter().map(|(name, column)| (name.as_str(), column.len())).collect();
        damage.even(&["traffic", "columns"], &lengths);
        let mut column =
            |(name, column): (&String, &Vec<i64>)| (name.clone(), damage.counts(&["traffic", "columns", name], &sums(column)));
        let columns = self.columns.iter().map(&mut column).collect();
        Traffic { start: self.start, columns, vus: self.vus.read(damage) }
    }
}

impl WireVus {
    fn read(&self, damage: &mut Damage<'_>) -> Vec<(i64, u64)> {
        let keys = ["traffic", "vus"];
        damage.even(&keys, &[("second", self.second.len()), ("value", self.value.len())]);
        let seconds = sums(&self.second);
        damage.ascending(&keys, "seconds", &seconds);
        let values = damage.counts(&["traffic", "vus", "value"], &sums(&self.value));
        seconds.into_iter().zip(values).collect()
    }
}
