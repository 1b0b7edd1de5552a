//! Measures how long the site in memory takes to follow a change of one run among a thousand, and `plimsoll build` in the same run.
//!
//! ```text
//! cargo bench --bench live -- measure [--runs 1000] [--times 9]
//! cargo bench --bench live -- make FOLDER [--runs 1000]
//! ```
//!
//! Without arguments it says how it is called: `cargo bench` starts it that way.

mod archive;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser, Subcommand};

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
    },
}

fn main() -> io::Result<()> {
    // cargo adds `--bench`; a test runner that asks for the list of tests gets an empty one.
    let typed: Vec<String> = std::env::args().filter(|word| word != "--bench").collect();
    if typed.iter().any(|word| word == "--list") {
        return Ok(());
    }
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    match Options::parse_from(typed).what {
        None => write!(io::stdout(), "{}", Options::command().render_help()),
        Some(What::Make { folder, runs }) => archive::make(&shipped, &folder, runs),
    }
}
