//! What a reader takes at most. Within these limits a file is read in bounded memory; one beyond them is refused in words, or what is
//! too much of it is added up. No load test comes near them: they are for a mistake, a damaged file, an attack.
//!
//! `scripts/fuzz grown` measures what large inputs cost.

/// Bytes that a file may have, unfolded, which is read whole. Raw samples are not: they are read in parts, however many there are.
pub const FILE_BYTES: u64 = 1 << 30;

/// Bytes of a row of raw samples; k6's own are some hundred, with a long message some thousand.
pub const ROW_BYTES: usize = if cfg!(fuzzing) { 1 << 13 } else { 1 << 20 };

/// Metrics of raw samples: each costs its values by second.
pub const RAW_METRICS: usize = 10_000;
/// Names of requests in raw samples that are told apart.
pub const RAW_NAMES: usize = 100;
/// Kinds of failures in raw samples that are told apart by message and name.
pub const RAW_FAILURES: usize = 2_000;
/// Checks in raw samples that are told apart.
pub const RAW_CHECKS: usize = 1_000;
/// Thresholds that raw samples in JSON may declare for a metric and its parts.
pub const RAW_THRESHOLDS: usize = 10_000;

/// Lines of k6's text summary: a line a metric, a check, a threshold, and each of them once more in the section of its group.
pub const SUMMARY_LINES: usize = 100_000;
/// Lines that a log may have whatever their length. One with more has lines of [`LOG_LINE_BYTES`] on the average: what is kept of a
/// line is then less than ten times its text.
pub const LOG_LINES: usize = 1 << 19;
/// Bytes of a line of a long log, on the average.
pub const LOG_LINE_BYTES: usize = 16;

/// Objects of a summary in JSON: one a metric, one a threshold, one a check, one a group.
pub const SUMMARY_OBJECTS: usize = 100_000;
/// Values of a summary in JSON.
pub const SUMMARY_VALUES: usize = 1_000_000;
