//! Two releases compared: are the runs alike, what changed beyond noise, what could not be known.
//!
//! The contract comes first ([`contract`]): what must be alike before two runs may be compared. Then every metric is estimated on
//! both sides, its interval is made of the noise within runs, the noise from run to run and what rounding allows, and the interval
//! decides, never a p-value alone. How, and why so, is told in docs/comparison.md.

pub mod contract;
pub mod covariates;
pub mod differences;
pub mod statistics;
