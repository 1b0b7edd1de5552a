//! The fast path: bytes of a raw k6 file into series, percentiles, failures.

mod bursts;
pub mod origins;
pub mod populations;
