//! Parse, run, print, exit status.

use std::io::{IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;
use plimsoll::cli::{Cli, Colour};
use plimsoll::cmd::{Exit, Failure, Streams, Tone, run};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut talk = anstream::AutoStream::new(std::io::stderr(), choice(cli.common.color));
    let colour = talk.current_choice() != anstream::ColorChoice::Never;
    let tone = match (cli.common.quiet, cli.common.verbose) {
        (true, _) => Tone::Quiet,
        (false, false) => Tone::Usual,
        (false, true) => Tone::Verbose,
    };
    let watched = tone > Tone::Quiet && std::io::stderr().is_terminal();
    let mut streams = Streams { out: &mut out, talk: &mut talk, colour, tone, watched };
    let exit = answer(&cli, &mut streams);
    // A panic is a defect of ours; the words of it are already on standard error.
    ExitCode::from(exit as u8)
}

fn answer(cli: &Cli, streams: &mut Streams<'_>) -> Exit {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let exit = run(cli, streams)?;
        match streams.out.flush() {
            // Whoever reads the result went away: what it says holds all the same.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(exit),
            flushed => Ok::<Exit, Failure>(flushed.map(|()| exit)?),
        }
    }));
    match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            // Reports are written before a non-zero exit.
            let _flushed = streams.out.flush();
            streams.complain(&failure);
            failure.exit()
        }
        Err(_) => {
            streams.complain(&Failure::Defect("the program came upon a state it holds for impossible".to_owned()));
            Exit::Defect
        }
    }
}

/// Help and version go to standard output and are no failure, if they get there; everything else is misuse.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    let exit = match printed {
        _ if error.use_stderr() => Exit::Misuse,
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let failure = Failure::Output(error);
            let (out, talk) = (&mut std::io::stdout(), &mut std::io::stderr());
            Streams { out, talk, colour: false, tone: Tone::Usual, watched: false }.complain(&failure);
            failure.exit()
        }
        _ => Exit::Yes,
    };
    ExitCode::from(exit as u8)
}

fn choice(colour: Colour) -> anstream::ColorChoice {
    let wanted = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    if wanted { anstream::ColorChoice::Always } else { anstream::ColorChoice::Never }
}
