//! The one test binary: a table of contents.
//!
//! Tests over `../shared` skip with a printed reason where it is absent.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

/// The archive: records to text and back, hand-written files laid over, order.
mod archive;
/// Which room opens onto which: the plan of the house.
mod house;
/// Every recorded run of k6 reads to the same figures in every form.
mod k6_matrix;
/// The site: whole pages, hostile words, links, the published pages.
mod site;
