//! A tree over HTTP: shown to this machine alone, shown again when it changes.
//!
//! The files are in memory: no request reaches the disk, so none reaches outside. A [`Site`] is what is shown at one
//! moment; the [`Server`] shows the latest one; open pages hear of the next one by server-sent events.

mod address;
mod answer;
mod events;
mod hosts;
mod near;
mod page;
mod patch;
mod server;
mod site;

pub use patch::Patch;
pub use server::{Bound, PortError, Server};
pub use site::{Change, Site};
