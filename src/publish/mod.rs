//! A tree of pages into a docs folder: first a plan, then somebody carries it out.
//!
//! A publication goes into up to three folders ([`place::Roots`]). What it wrote is told in manifests ([`manifest`]), so that the
//! next one knows its own files from everybody else's. The plan ([`mod@plan`]) is made of what is wanted, what was written and
//! what lies there ([`present`]); what an author wrote into a page goes with it ([`keep`]). [`apply`] carries a plan out so that
//! the old files are there or the new ones, even if it is cut off ([`journal`]).

pub mod apply;
pub mod ends;
pub mod journal;
pub mod keep;
pub mod manifest;
pub mod message;
pub mod navigation;
pub mod place;
pub mod plan;
pub mod present;
pub mod site;
pub mod unified;

pub use self::plan::{Change, Plan, Step, plan};
