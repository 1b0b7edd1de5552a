//! Statistics of series that are not independent: medians of blocks, autocorrelation, moving-block bootstrap, batch means, shares,
//! the spread between repeats, levels within a run. Every function names its source; known values are in the tests.
//!
//! Nothing here knows of records. The same input gives the same bytes: random numbers come from a seed that the caller names.

pub mod autocorrelation;
pub mod batches;
pub mod bootstrap;
pub mod levels;
pub mod proportion;
pub mod quantile;
pub mod random;
pub mod spread;
#[cfg(test)]
mod synthetic;
