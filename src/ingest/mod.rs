//! The door: outside shapes become records.
//!
//! Foreign shapes are private to their reader; what comes out is the model, or all faults with their places.

pub mod k6;
pub mod kinds;
pub mod merge;
pub mod page;
pub mod series_json;
pub mod status;
pub mod sweep;
