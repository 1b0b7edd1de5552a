//! `plimsoll serve`: the site on this machine, and again whenever something changes.
//!
//! This thread answers requests and speaks; a site is made on another one, one at a time. What changes meanwhile makes one more.

mod changes;
mod remake;

use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::Notify;

use self::changes::{Followed, settled};
use self::remake::Maker;
use super::project::counted;
use super::{Exit, Failure, Project, Streams};
use crate::cli;
use crate::cli::Common;
use crate::diagnostic::Diagnostic;
use crate::serve::{PortError, Server, Site};

/// Makes the site, shows it, watches the project until it is told to stop.
pub(super) fn run(args: &cli::Serve, common: &Common, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    // A folder that is not there is misuse, whatever else is wrong.
    Project::folder(common)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(serve(args, common, streams));
    // A site that is still being made is of no use any more.
    runtime.shutdown_background();
    done
}

async fn serve(args: &cli::Serve, common: &Common, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut stop = Stop::new()?;
    let bound = Server::bind(args.bind, args.port).await.map_err(|error| taken(&error))?;
    if !args.bind.is_loopback() {
        streams.tell(&open_to_others(args));
    }
    let changed = Arc::new(Notify::new());
    let mut followed = Followed::new(common, &changed)?;
    let mut maker = Maker::new(common);
    streams.say(&format!("watching {}", followed.words()));
    tell_polling(followed.follow()?, streams);
    let first = tokio::select! {
        site = maker.make(Site::nothing(), streams) => site,
        () = stop.asked() => return Ok(Exit::Yes),
    };
    streams.say(&format!("{}; Ctrl-C stops it", words(&first)));
    let url = bound.url();
    let server = bound.show(first);
    hand_over(&url, streams)?;
    if args.open {
        open_browser(&url, streams);
    }
    loop {
        tokio::select! {
            () = stop.asked() => break,
            () = settled(&changed) => {}
        }
        let names = followed.names();
        tell_polling(followed.follow()?, streams);
        let former = server.site();
        let next = tokio::select! {
            () = stop.asked() => break,
            site = maker.make((*former).clone(), streams) => site,
        };
        if let Some(words) = told(names.as_deref(), &former, &next) {
            streams.say(&words);
        }
        server.show(next);
    }
    streams.say("stopping: requests that run may finish");
    tokio::select! {
        () = server.stop() => {}
        () = stop.asked() => {}
    }
    Ok(Exit::Yes)
}

/// What a person or a program stops the server with.
struct Stop {
    #[cfg(unix)]
    terminated: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupted: tokio::signal::unix::Signal,
}

impl Stop {
    #[cfg(unix)]
    fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminated: signal(SignalKind::terminate())?, interrupted: signal(SignalKind::interrupt())? })
    }

    #[cfg(not(unix))]
    fn new() -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// Waits until it is asked for.
    #[cfg(unix)]
    async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminated.recv() => {}
            _ = self.interrupted.recv() => {}
        }
    }

    /// Waits until it is asked for.
    #[cfg(not(unix))]
    async fn asked(&mut self) {
        // A system that can't tell never asks.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The URL is the result: on standard output, at once, so that a script can wait for it. Nobody has to read it.
fn hand_over(url: &str, streams: &mut Streams<'_>) -> Result<(), Failure> {
    match writeln!(streams.out, "{url}").and_then(|()| streams.out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

fn open_browser(url: &str, streams: &mut Streams<'_>) {
    if let Err(error) = open::that_detached(url) {
        streams
            .tell(&Diagnostic::remark("no-browser", format!("no browser could be opened: {error}")).help(format!("open {url}")));
    }
}

fn tell_polling(why: Option<String>, streams: &mut Streams<'_>) {
    if let Some(why) = why {
        let note = Diagnostic::remark("no-watch", format!("the system does not tell what changes: {why}"));
        streams.tell(&note.note("files are looked at every second instead"));
    }
}

fn open_to_others(args: &cli::Serve) -> Diagnostic {
    Diagnostic::warning("open-to-others", format!("others can read the site: it is shown at {} to all who reach it", args.bind))
        .help("leave `--bind` out to show it to this machine alone")
}

fn taken(error: &PortError) -> Failure {
    let fault = Diagnostic::error("port", error.to_string());
    Failure::outside(match error.free {
        Some(free) => fault.help(format!("port {free} is free: `--port {free}`; `--port 0` takes any that is")),
        None => fault.help("`--bind` names an address of this machine, `--port` a port"),
    })
}

fn words(site: &Site) -> String {
    if site.generation() == 0 { "showing what is wrong".to_owned() } else { format!("showing {}", counted(site.len(), "file")) }
}

/// What a change did: `v4.19.2/otp_session changed: 3 files new or other`. That nothing nameable changed nothing is not told.
fn told(names: Option<&str>, former: &Site, next: &Site) -> Option<String> {
    let change = next.changed_since(former);
    let is_same = !change.all && change.changed.is_empty() && change.removed.is_empty();
    if names.is_none() && is_same && former.is_faulty() == next.is_faulty() {
        return None;
    }
    let names = names.unwrap_or("something");
    if next.is_faulty() {
        let stays = if next.generation() == 0 { "there is no site yet" } else { "the last good site stays" };
        return Some(format!("{names} changed: it does not build, {stays}"));
    }
    let changed = if change.all { next.len() } else { change.changed.len() };
    let other = if is_same { "the site is the same".to_owned() } else { format!("{} new or other", counted(changed, "file")) };
    let gone = match change.removed.len() {
        0 => String::new(),
        n => format!(", {} gone", counted(n, "file")),
    };
    let again = if former.is_faulty() { "; it builds again" } else { "" };
    Some(format!("{names} changed: {other}{gone}{again}"))
}
