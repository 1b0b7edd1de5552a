//! Plimsoll turns what a load test leaves behind into records, verdicts and pages a reader can trust.
//!
//! ```text
//!  raw samples ─ samples ─┐
//!  k6 outputs ────────────┤
//!  captures ─── capture ──┼─ ingest ─▶ archive ─▶ records ─┬▶ audit ┬▶ render ─▶ tree ─▶ site
//!  pages       ───────────┘                                ├▶ flow ─┤              └─▶ publish ─▶ docs
//!                                                          └▶ diff ─┘
//! ```
//!
//! The rooms, in the order in which data passes them:
//!
//! * ground floor: [`source`] text with places, [`diagnostic`] faults, [`handwritten`] TOML of people, [`settings`]
//!   `plimsoll.toml`, [`secrets`] masked at the door, [`limits`] what a reader takes at most, [`terminal`] lines of 80 columns, [`tree`] files in memory, [`fs`] the one door to the disk, [`git`] the one door to git, [`model`] the nouns;
//! * first floor, without disk or clock: [`samples`] raw files of gigabytes, [`capture`] metrics of service and database, [`ingest`] outside shapes into records, [`archive`] records as files,
//!   [`audit`] a record held against itself, [`flow`] decision charts, [`diff`] two releases compared, [`render`] records into pages;
//! * second floor: [`publish`] a tree into a docs folder, [`serve`] a tree over HTTP;
//! * attic: [`cmd`] one verb a file, [`cli`] what can be typed.
//!
//! A room opens onto lower floors only; `tests/suite/house.rs` holds that.

pub mod archive;
pub mod audit;
pub mod capture;
pub mod cli;
pub mod cmd;
pub mod diagnostic;
pub mod diff;
pub mod flow;
pub mod fs;
pub mod git;
pub mod handwritten;
pub mod ingest;
pub mod limits;
pub mod model;
pub mod publish;
pub mod render;
pub mod samples;
pub mod secrets;
pub mod serve;
pub mod settings;
pub mod source;
pub mod terminal;
pub mod tree;
