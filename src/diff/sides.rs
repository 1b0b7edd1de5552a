//! The two sides of a comparison.

use crate::model::address::Address;
use crate::model::collection::Run;

/// One side: a release, or a run of one.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// What people call it: `v4.17.1`, `v4.17.1/otp_session`.
    pub name: String,
    /// Its runs by address; of one run, that run and its repeats.
    pub runs: Vec<(&'a Address, &'a Run)>,
}
