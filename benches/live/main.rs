//! Measures how long the site in memory takes to follow a change of one run among a thousand, and a whole `plimsoll build` in the same run.
//!
//! ```text
//! cargo bench --bench live -- measure [--runs 1000] [--times 9] [--binary target/release/plimsoll]
//! cargo bench --bench live -- make FOLDER [--runs 1000] [--of TARGET,...]
//! ```
//!
//! Without arguments it says how it is called: `cargo bench` starts it that way.

mod archive;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use clap::{CommandFactory, Parser, Subcommand};
use plimsoll::cli::Cli;
use plimsoll::cmd::Live;

/// The site in memory, measured.
#[derive(Parser)]
#[command(name = "live", bin_name = "cargo bench --bench live --")]
struct Options {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Make the archive only
    Make {
        /// Where
        folder: PathBuf,
        /// Runs of the archive
        #[arg(long, default_value_t = 1000)]
        runs: usize,
        /// Targets whose runs are copied [default: all that have a series]
        #[arg(long, value_delimiter = ',', value_name = "TARGET")]
        of: Vec<String>,
    },
    /// Make an archive, then measure, round robin
    Measure {
        /// Runs of the archive
        #[arg(long, default_value_t = 1000)]
        runs: usize,
        /// Rounds
        #[arg(long, default_value_t = 9)]
        times: usize,
        /// The program that builds
        #[arg(long, default_value = "target/release/plimsoll")]
        binary: PathBuf,
    },
}

fn main() -> Result<(), Box<dyn Error>> {
    // cargo adds `--bench`; a test runner that asks for the list of tests gets an empty one.
    let typed: Vec<String> = std::env::args().filter(|word| word != "--bench").collect();
    if typed.iter().any(|word| word == "--list") {
        return Ok(());
    }
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    match Options::parse_from(typed).what {
        None => write!(io::stdout(), "{}", Options::command().render_help())?,
        Some(What::Make { folder, runs, of }) => archive::make(&shipped, &folder, runs, &of)?,
        Some(What::Measure { runs, times, binary }) => measure(&shipped, runs, times, &binary)?,
    }
    Ok(())
}

/// What is done to the one run before the site is renewed: its name, and what it makes of a file's text.
type Change = (&'static str, &'static str, fn(&str, usize) -> String);

/// A run in the middle of the archive, one that has repeats.
const RUN: &str = "v5.15.0/otp_session";

const CHANGES: [Change; 4] = [
    ("nothing", "run.toml", |text, _| text.to_owned()),
    ("a note in run.toml", "run.toml", |_, round| format!("notes = [\"Looked at {round} times.\"]\n")),
    ("the vCPU of its database in record.json", "record.json", |text, round| {
        let (old, new) = if round % 2 == 0 { (8, 16) } else { (16, 8) };
        text.replacen(&format!("\"vcpu\": {old}.0"), &format!("\"vcpu\": {new}.0"), 1)
    }),
    ("all its latencies and counts in record.json", "record.json", |text, round| {
        archive::varied(text, if round % 2 == 0 { 1.01 } else { 1.0 / 1.01 })
    }),
];

fn measure(shipped: &Path, runs: usize, times: usize, binary: &Path) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    archive::make(shipped, &folder.path().join("data"), runs, &[])?;
    fs::write(folder.path().join("data").join(RUN).join("run.toml"), "notes = [\"First.\"]\n")?;
    let root = folder.path().to_string_lossy().into_owned();
    let build =
        |out: &str| Command::new(binary).args(["-q", "--project", &root, "build", "--out"]).arg(folder.path().join(out)).status();
    let mut live = Live::new(&Cli::parse_from(["plimsoll", "--project", &root, "build"]).common);
    let start = Instant::now();
    let first = live.renew()?;
    let mut rows = vec![("the first making, in memory".to_owned(), vec![start.elapsed()], first.changed.len())];
    drop(first);
    rows.extend(CHANGES.iter().map(|(name, ..)| ((*name).to_owned(), Vec::new(), 0)));
    rows.push(("`plimsoll build`, nothing on the disk changes".to_owned(), Vec::new(), 0));
    build("site")?;
    for round in 0..times {
        for ((_, file, change), (_, taken, files)) in CHANGES.iter().zip(&mut rows[1..]) {
            let file = folder.path().join("data").join(RUN).join(file);
            fs::write(&file, change(&fs::read_to_string(&file)?, round))?;
            let start = Instant::now();
            let patch = live.renew()?;
            taken.push(start.elapsed());
            *files = (*files).max(patch.changed.len());
        }
        build("site")?;
        let start = Instant::now();
        build("site")?;
        if let Some((_, taken, _)) = rows.last_mut() {
            taken.push(start.elapsed());
        }
    }
    let mut out = io::stdout();
    writeln!(out, "| change among {runs} runs | lowest, median, highest ms | files |\n| --- | ---: | ---: |")?;
    for (name, taken, files) in &mut rows {
        taken.sort();
        let ms = |taken: Option<&Duration>| taken.map_or(0.0, |taken| taken.as_secs_f64() * 1e3);
        let (lowest, median, highest) = (ms(taken.first()), ms(taken.get(taken.len() / 2)), ms(taken.last()));
        writeln!(out, "| {name} | {lowest:.0}, {median:.0}, {highest:.0} | {files} |")?;
    }
    Ok(())
}
