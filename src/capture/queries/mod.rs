//! Statements by what they cost: names by rules, classes, shares.

mod fallback;
mod insights;
mod names;
mod ranking;
mod telling;
mod text;

pub use self::insights::insights;
pub use self::names::{Named, Names};
pub use self::telling::tell;
pub use self::text::{fingerprint, normalised};

/// What one statement cost in a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Its text as the source has it: with literals or `$1`, perhaps cut.
    pub text: String,
    /// Execution time summed over sessions, in seconds.
    pub seconds: f64,
    /// How often it ran, where the source counts.
    pub calls: Option<u64>,
    /// The source's own number of it.
    pub id: Option<String>,
}

/// Where statements come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The source's name in a record: `pg_stat_statements`, `Query Insights`.
    pub source: String,
    /// How the times were computed.
    pub method: String,
    /// The files, as provenance names them.
    pub files: Vec<String>,
    /// Seconds between the two ends of what was measured, where known.
    pub window_s: Option<f64>,
    /// Why the times are a lower bound, where they are.
    pub lacking: Option<String>,
}
