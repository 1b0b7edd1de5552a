//! What the fuzz targets share: the functions they call, a function a reader, and the limits that every input is held to.
//!
//! `readers` is also a module of the test suite (`tests/suite/fuzzed.rs`), so that the same functions run over the seeds and over
//! changed ones where no fuzzer can be built.

pub mod grow;
pub mod guard;
pub mod readers;
