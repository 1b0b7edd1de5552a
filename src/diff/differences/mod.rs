//! What differs between two runs of record, to be read beside the changes: figures, queries, flags, settings, machines.
//!
//! Nothing here decides. What is unknown is never equal and never zero: it is null beside what the other side knows. Two writings of
//! one value are no difference. Every function mirrors: `b` against `a` tells what `a` against `b` tells, sides exchanged.

mod change;
mod environment;
mod figures;
mod flags;
mod groups;
mod quantity;
mod queries;
mod settings;

#[cfg(test)]
mod properties;

pub use self::figures::figures;
pub use self::queries::queries;
pub use self::settings::settings;
