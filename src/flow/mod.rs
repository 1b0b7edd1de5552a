//! Decision charts: flow files read and checked whole, runs judged by them, charts drawn.
//!
//! A flow is data: questions, edges and outcomes in TOML ([`Flow::read`]). The engine knows nothing of any service. A run's
//! figures come as [`crate::model::evidence::Known`], the answer is a [`crate::model::verdict::Verdict`].
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
pub use draw::draw;
pub use show::show;
pub use walk::Judged;
