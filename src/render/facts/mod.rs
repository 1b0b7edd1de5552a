//! What is told of runs and releases wherever they are shown, in finished words: the site and the docs pages tell the same.

pub(super) mod cell;
pub(super) mod environment;
pub(super) mod headline;
pub(super) mod outcome;
pub(super) mod release;
