//! Records as files, and what people write beside them.
//!
//! *The machine writes .json, people write .toml*, and *a record is complete in itself*:
//!
//! ```text
//! <release>/release.toml        by hand: facts of the release, notes, order
//! <release>/<run>/run.toml      by hand: purpose, figures, override, notes
//! <release>/<run>/record.json   by machine
//! <release>/<run>/k6.txt        by machine: k6's end-of-test summary
//! <release>/<run>/series.json   by machine: per-second series, where there is one
//! <release>/<run>/blocks.json   by machine: blocks and distributions of raw samples, where there were some
//! ```
//!
//! [`load()`] turns a tree of such files into an [`Archive`](crate::model::collection::Archive), `run.toml` laid over `release.toml` laid over `record.json`;
//! [`files`] gives the machine's files of a run. Everything is text in memory: reading and writing is `fs`'s.

pub mod byhand;
mod load;
pub mod overlay;
pub mod record_json;
pub mod series_json;

pub use load::{BLOCKS, Folder, SERIES, Shared, files, folder_of, is_ours, load};
