//! Decision charts: flow files read and checked whole, runs judged by them, charts drawn.
//!
//! A flow is data: questions, edges and outcomes in TOML ([`Flow::read`]). The engine knows nothing of any service. A run's
//! figures come as [`crate::model::evidence::Known`], the answer is a [`crate::model::verdict::Verdict`].
//!
//! A file has `name` (its stem), `title`, `start`, perhaps `reading`, and then tables:
//!
//! ```toml
//! [question.database-cpu]
//! ask = "Is the database's CPU the limit?"
//! when = "database.cpu.median >= 80%"     # and or not, captured(x), comparisons of sums and quotients; units written
//! yes = "saturated-by-locks"              # a question or an outcome
//! no = "container-cpu"
//! when_unknown = "no"                     # stop (the default), yes, no; the last two need a reason:
//! because = "..."
//! between = { below = "76%, ...", above = "86%, ..." }   # the known cases nearest to the threshold, in words
//!
//! [outcome.scale-database]
//! class = "scale"
//! label = "Scale (database)"
//! action = "Raise the database's vCPU and measure the same target again."
//! message = "{database.cpu.median} busy, lock wait is {database.lock_wait_ratio} of {database.lock_wait_ratio.of}."
//!
//! [[case]]
//! name = "saturated by work"
//! figures = { "database.cpu.median" = "96%", "previous.k6.vus" = 200 }   # what is not here was not captured
//! facts = { "run.deferrable" = true }     # has_previous is true where a figure of the previous run is given
//! outcome = "scale-database"              # or undetermined, aborted; `aborted = "exit 99"` aborts the run
//! path = ["database-cpu"]                 # where it matters, as `undetermined = ["a.figure"]`
//! ```
//!
//! ```text
//!  file ─▶ parse ─▶ check ─▶ chart ─┬─ walk ─▶ weigh ─▶ counterfactual ─▶ verdict
//!           lexer, grammar, expr    ├─ cases   the flow held against itself
//!                                   └─ show, draw
//! ```

mod builtin;
mod cases;
mod chart;
mod check;
mod counterfactual;
mod draw;
mod expr;
mod grammar;
mod kind;
mod layout;
mod lettering;
mod lexer;
mod message;
mod parse;
mod show;
mod walk;
mod weigh;

pub use builtin::{BUILT_IN, builtin};
pub use cases::{CaseReport, CaseResult};
pub use chart::{Flow, OutcomeRef};
pub use draw::{draw, draw_within};
pub use show::{InWords, in_words, show};
pub use walk::Judged;
