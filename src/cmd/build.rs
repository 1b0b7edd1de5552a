//! `plimsoll build`: the HTML site.

use super::live::{Maker, Renewed};
use super::project::{counted, shown};
use super::{Exit, Failure, Project, Streams, hold};
use crate::cli;

/// Judges all runs, makes all pages in memory, checks their links, looks them through for secrets, writes them.
pub(super) fn run(args: &cli::Build, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let url = args.base_url.as_deref().unwrap_or(&project.settings.site_url);
    let Renewed { patch, needless, runs, releases, files } = Maker::default().renew(project, url)?;
    for warning in &needless {
        streams.tell(warning);
    }
    let out = args.out.clone().unwrap_or_else(|| project.root.join("site"));
    let written = hold(&out, streams)?.write(&patch.changed, &[])?;
    streams.say(&format!(
        "{} of {}: {files} files, {} of them new or changed",
        counted(runs, "run"),
        counted(releases, "release"),
        written.changed.len()
    ));
    streams.say(&format!("look at {}", shown(&out.join("index.html"))));
    Ok(Exit::Yes)
}
