//! Where a record's values were read: files, by fingerprint.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file that something in a record was read from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its path relative to what was given to `ingest`; `-` for standard input.
    pub path: String,
    /// What kind of file it was taken for.
    pub kind: String,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hex.
    pub blake3: String,
}

impl Input {
    /// The provenance of some bytes.
    #[must_use]
    pub fn of(path: impl Into<String>, kind: impl Into<String>, bytes: &[u8]) -> Self {
        Self { path: path.into(), kind: kind.into(), bytes: bytes.len() as u64, blake3: blake3::hash(bytes).to_hex().to_string() }
    }
}
