//! The suite: one binary, a module a subject.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail loudly")]

mod flow_properties;
mod flows;
