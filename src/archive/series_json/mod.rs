//! `series.json` and `blocks.json`: what happened when in a run, compact.
//!
//! One shape for both: `series.json` has what charts are drawn of, `trends` and `traffic`; `blocks.json` what comparisons
//! are made of, `blocks` and `distributions`, and is there for runs with raw samples alone.
//!
//! ```text
//! {"schema": 1,
//!  "unit": "us",
//!  "trends": {"http_req_duration": {         absent from blocks.json
//!     "second": [1753871546, 1, 1, ...],     the first second since 1970 in UTC, then steps
//!     "p50": [749111, 163798, -10372, ...],  the first value in microseconds, then differences
//!     "p95": [...], "p99": [...],
//!     "count": [...],                        samples; absent where the source has none
//!     "successes": {                         successful requests of the seconds in which others failed; absent where the
//!        "second": [...], "count": [...],    source does not tell success from failure
//!        "p50": [...], "p95": [...], "p99": [...] }}},
//!  "traffic": {                              counts of every second from `start` on; absent where the source has no samples
//!     "start": 1753871546,
//!     "columns": {"http_reqs": [...], "iterations": [...]},
//!     "vus": {"second": [...], "value": [...]}},  the first second of every new value; absent where there is none
//!  "blocks": [{                              blocks of one length each, shortest first; absent where there are none
//!     "seconds": 30, "start": 1753871546, "last_seconds": 12,
//!     "counts": {"http_reqs": [...]},        a count a block
//!     "trends": {"http_req_duration{expected_response:true}": {
//!        "count": [...], "p50": [...], "p95": [...], "p99": [...]}}}],
//!  "distributions": {"http_req_duration": {  absent where there are none
//!     "outside": 0, "bucket": [...], "count": [...]}}}
//! ```
//!
//! **Every column** is a first number and then each number's step from the one before. A percentile of no sample is `null`,
//! and the next step goes from the last number. On published and on made-up runs, gzipped, differences were 2 to 20 % smaller
//! than values in nearly every column; the few others are so short that a second rule would not pay.
//!
//! Values are exact to the microsecond; a source with more digits was rounded at the door. Counts stay below 2^63. Schema 1
//! has only ever grown: a file of trends alone is written as the first version wrote it, and read by every version.

mod blocks;
mod columns;
mod damage;
mod distributions;
mod traffic;
mod trends;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Deserialize;

use self::blocks::WireBlocks;
use self::columns::object;
use self::damage::Damage;
use self::distributions::WireDistribution;
use self::traffic::WireTraffic;
use self::trends::WireTrend;
use super::record_json::{bad_json, check_schema};
use crate::diagnostic::Faults;
use crate::model::series::Series;
use crate::source::Source;

/// The version of this shape.
const SCHEMA: u32 = 1;
/// What values are in: millionths of a second for trends of time, thousandths of the unit for all trends.
const UNIT: &str = "us";

#[derive(Deserialize)]
struct Wire {
    unit: String,
    #[serde(default)]
    trends: BTreeMap<String, WireTrend>,
    #[serde(default)]
    traffic: Option<WireTraffic>,
    #[serde(default)]
    blocks: Vec<WireBlocks>,
    #[serde(default)]
    distributions: BTreeMap<String, WireDistribution>,
}

/// A series as such a file: one line a column, a final line break; equal series give equal bytes.
#[must_use]
pub fn write(series: &Series) -> String {
    let trends: Vec<String> = series.trends.iter().map(|(name, trend)| trends::member(name, trend)).collect();
    let mut members = vec![format!("\"schema\":{SCHEMA}"), format!("\"unit\":\"{UNIT}\"")];
    members.extend((!trends.is_empty()).then(|| object("trends", &trends)));
    members.extend(series.traffic.as_ref().map(traffic::member));
    members.extend((!series.blocks.is_empty()).then(|| blocks::member(&series.blocks)));
    members.extend((!series.distributions.is_empty()).then(|| distributions::member(&series.distributions)));
    format!("{{{}}}\n", members.join(",\n"))
}

/// Reads such a file.
///
/// # Errors
/// `newer-schema`, or `bad-series` at the part that is damaged, all of them: not the shape, a unit that is not known, columns
/// of unlike length, seconds or buckets that do not ascend, a count below zero, percentiles that lack one another.
pub fn read(source: &Source) -> Result<Series, Faults> {
    check_schema(source, SCHEMA)?;
    let wire: Wire = serde_json::from_str(source.text()).map_err(|error| bad_json(source, &error, "bad-series"))?;
    let mut damage = Damage::new(source);
    if wire.unit != UNIT {
        damage.tell(&["unit"], format!("values in `{}` are not known, only in `{UNIT}`", wire.unit));
    }
    let series = Series {
        trends: wire.trends.iter().map(|(name, trend)| (name.clone(), trend.read(name, &mut damage))).collect(),
        traffic: wire.traffic.as_ref().map(|traffic| traffic.read(&mut damage)),
        blocks: blocks::read(&wire.blocks, &mut damage),
        distributions: wire.distributions.iter().map(|(name, one)| (name.clone(), one.read(name, &mut damage))).collect(),
    };
    damage.faults().map(|()| series)
}
