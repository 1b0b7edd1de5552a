//! The nouns: what a run is, what was measured, what was concluded.
//!
//! Nothing here reads a disk or a clock. The outside is turned into these types once, at the door ([`crate::ingest`]),
//! and they can't be built wrong: names are checked, units fixed by the catalogue, bounds ordered.

pub mod address;
pub mod bounds;
pub mod builtin;
pub mod calibration;
pub mod catalogue;
pub mod collection;
pub mod comparison;
pub mod derive;
pub mod distribution;
pub mod environment;
pub mod evidence;
pub mod failures;
pub mod figure;
pub mod finding;
pub mod instant;
pub mod page;
pub mod phases;
pub mod profile;
pub mod proof;
pub mod provenance;
pub mod record;
pub mod series;
pub mod stat;
pub mod summary;
pub mod units;
pub mod verdict;
