//! The verbs: where stages meet. A command reads as a line of stage calls, the disk in its first and last lines.

use std::io::{self, Write};
use std::path::Path;

use crate::cli::{Cli, Command};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::hold::Alone;
use crate::fs::{self, FsError};
use crate::secrets::{InName, masked};

mod audit;
mod build;
mod classify;
mod diff;
mod errors;
mod evidence;
mod flow;
mod ingest;
mod judged;
mod listing;
mod live;
mod method;
mod parallel;
mod project;
mod publish;
mod raw;
mod scan;
mod schema;
mod series;
mod serve;
mod summary;

pub use live::Live;
pub use project::Project;

/// What the program answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; the answer is yes.
    Yes = 0,
    /// Done; the answer is no.
    No = 1,
    /// Misuse, nothing matched, or nothing could be compared.
    Misuse = 2,
    /// The input is at fault.
    Input = 3,
    /// The world is at fault: disk, port, network.
    World = 4,
    /// A defect of ours.
    Defect = 70,
}

/// Why a command could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// What was asked makes no sense, or matches nothing.
    #[error("{0}")]
    Misuse(Diagnostic),
    /// The input is at fault.
    #[error("{0}")]
    Input(#[from] Faults),
    /// The disk is.
    #[error("{0}")]
    World(#[from] FsError),
    /// Standard output is closed or full.
    #[error("can't write the result: {0}")]
    Output(#[from] io::Error),
    /// Something else outside of this program is, and more can be said of it: a port, git or its hooks, a publication that stopped halfway.
    #[error("{0}")]
    Outside(Box<Diagnostic>),
    /// We are.
    #[error("{0}")]
    Defect(String),
}

impl Failure {
    /// A misuse in one sentence.
    pub fn misuse(code: &'static str, message: impl Into<String>) -> Self {
        Self::Misuse(Diagnostic::error(code, message))
    }

    /// The world is at fault, and this is to be said of it.
    fn outside(diagnostic: Diagnostic) -> Self {
        Self::Outside(Box::new(diagnostic))
    }

    /// The exit status.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Misuse(_) => Exit::Misuse,
            Self::Input(_) | Self::World(FsError::Broken { .. } | FsError::TooLarge { .. } | FsError::Growing { .. }) => {
                Exit::Input
            }
            // Whoever reads the result went away: that is no failure of the command.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Yes,
            Self::World(_) | Self::Outside(_) | Self::Output(_) => Exit::World,
            Self::Defect(_) => Exit::Defect,
        }
    }
}

impl From<InName> for Failure {
    fn from(in_name: InName) -> Self {
        Faults::from(Diagnostic::error("secret-name", in_name.to_string()).help("name it otherwise")).into()
    }
}

/// How much a command says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Results and faults.
    Quiet,
    /// What people should know, too.
    Usual,
    /// More.
    Verbose,
}

/// Where a command speaks: results on one stream, talk on the other.
pub struct Streams<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Talk, progress and faults.
    pub talk: &'a mut dyn Write,
    /// Whether talk may be coloured.
    pub colour: bool,
    /// How much is said.
    pub tone: Tone,
    /// Whether somebody watches: then work of more than a second shows how far it is.
    pub watched: bool,
}

impl Streams<'_> {
    /// A line of talk, without what looks like a secret; kept back by `-q`.
    pub fn say(&mut self, line: &str) {
        if self.tone > Tone::Quiet {
            // Talk that nobody can hear must not end the work.
            let _heard = writeln!(self.talk, "{}", masked(line));
        }
    }

    /// A diagnostic: errors and warnings always, notes not with `-q`.
    pub fn tell(&mut self, diagnostic: &Diagnostic) {
        if self.tone > Tone::Quiet || diagnostic.level > crate::diagnostic::Level::Note {
            let _heard = writeln!(self.talk, "{}\n", diagnostic.draw(self.colour));
        }
    }

    /// A failure, as a person reads it.
    pub fn complain(&mut self, failure: &Failure) {
        match failure {
            Failure::Misuse(diagnostic) => self.tell(diagnostic),
            Failure::Outside(diagnostic) => self.tell(diagnostic),
            Failure::Input(faults) => {
                let (drawn, more) = faults.drawn();
                for fault in drawn {
                    self.tell(fault);
                }
                if more > 0 {
                    let _heard = writeln!(self.talk, "{more} more faults are not shown\n");
                }
            }
            Failure::World(error) => self.tell(&told(error)),
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Failure::Output(error) => self.tell(&Diagnostic::error("output", format!("can't write the result: {error}"))),
            Failure::Defect(what) => {
                self.tell(&Diagnostic::error("defect", what.as_str()).help("this is a defect of plimsoll: please report it"));
            }
        }
    }
}

/// What there is to say of a failure of the world.
fn told(error: &FsError) -> Diagnostic {
    let (code, help) = match error {
        FsError::Broken { .. } => ("broken-file", "give the whole file, or the part that is meant"),
        FsError::TooLarge { .. } => (
            "large-file",
            "raw samples (--out csv, --out json) are read whatever their length; of anything else give the part that is meant",
        ),
        FsError::Growing { .. } => ("growing-file", "read it again once it is whole"),
        FsError::Held { .. } => ("held", "wait until it ends, then publish again"),
        FsError::Unfinished { .. } => {
            ("unfinished", "give the right to write there, or look at the files with your version control and remove the note")
        }
        FsError::Io { .. } | FsError::Halfway { .. } | FsError::BadName { .. } => {
            return Diagnostic::error("disk", error.to_string());
        }
    };
    Diagnostic::error(code, error.to_string()).help(help)
}

/// Gives a result to whoever asked: into a file, or on standard output.
fn deliver(result: &str, out: Option<&Path>, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let Some(path) = out else {
        return match write!(streams.out, "{result}") {
            // Whoever reads the result went away: what it says holds all the same.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Yes),
            written => Ok(written.map(|()| Exit::Yes)?),
        };
    };
    if path.file_name().is_none() {
        return Err(Failure::misuse("bad-path", format!("`{}` names no file", path.display())));
    }
    fs::write_file(path, result.as_bytes())?;
    streams.say(&format!("wrote {}", path.display()));
    Ok(Exit::Yes)
}

/// Holds a folder of this program's own for writing, and says so where it has to wait for that.
fn hold(folder: &Path, streams: &mut Streams<'_>) -> Result<Alone, Failure> {
    if let Some(held) = fs::writing_now(folder)? {
        return Ok(held);
    }
    streams.say(&format!("waiting for another process that works in `{}`", project::shown(folder)));
    Ok(fs::writing(folder)?)
}

/// Does what was typed.
///
/// # Errors
/// [`Failure`], which knows its exit status.
pub fn run(cli: &Cli, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let project = || Project::open(&cli.common);
    match &cli.command {
        Command::Ingest(args) => ingest::run(args, &project()?, streams),
        Command::Summary(args) => summary::run(args, streams),
        Command::Series(args) => series::run(args, streams),
        Command::Errors(args) => errors::run(args, &project()?, streams),
        Command::Classify(args) => classify::run(args, &project()?, streams),
        Command::Audit(args) => audit::run(args, &project()?, streams),
        Command::Flow(args) => flow::run(args, &project()?, streams),
        Command::Diff(args) => diff::run(args, &project()?, streams),
        Command::Build(args) => build::run(args, &project()?, streams),
        Command::Serve(args) => serve::run(args, &cli.common, streams),
        Command::Publish(args) => publish::run(args, &project()?, streams),
        Command::Schema(args) => schema::run(args, streams),
    }
}
