//! `plimsoll serve`: the site on this machine, and again whenever something changes.

use super::live::Live;
use super::{Exit, Failure, Streams};
use crate::cli;
use crate::cli::Common;

/// Makes the site, shows it, watches the project.
pub(super) fn run(args: &cli::Serve, common: &Common, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut live = Live::new(common);
    let patch = live.renew()?;
    streams.say(&format!("{} files for port {}", patch.changed.len(), args.port));
    Ok(Exit::Yes)
}
