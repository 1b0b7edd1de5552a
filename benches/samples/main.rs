//! Makes raw samples as k6 v2.1.0 writes them with `--out csv` and `--out json`: any number of requests, the same bytes for the same
//! seed on every machine.
//!
//! ```text
//! cargo bench --bench samples -- csv --requests 1230800 --out all.csv
//! cargo bench --bench samples -- csv --requests 1230800 --columns runner --out runner.csv
//! cargo bench --bench samples -- json --requests 280000 --out all.ndjson
//! ```
//!
//! Without arguments it says how it is called: `cargo bench` starts it that way.

mod draw;
mod rows;
mod story;

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{CommandFactory, Parser};

use rows::{Columns, Form, Rows};
use story::{Plan, Story};

/// Raw samples as k6 writes them, made from a seed.
#[derive(Parser)]
#[command(name = "samples", bin_name = "cargo bench --bench samples --")]
struct Options {
    /// The output of k6 that is made
    form: Option<Form>,
    /// Requests of the test phase, rounded up to whole iterations
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    requests: u64,
    /// The tags that are written: k6's defaults, or those of the runner's --system-tags
    #[arg(long, value_enum, default_value_t = Columns::All)]
    columns: Columns,
    /// Where the random numbers begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Virtual users; setup makes an account for each
    #[arg(long, value_name = "VUS", default_value_t = 600)]
    users: u64,
    /// Length of the test phase
    #[arg(long, value_name = "T", default_value_t = 1_800, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    seconds: u64,
    /// Custom trends: 1 with two requests an iteration, 3 with three requests
    #[arg(long, default_value_t = 3, value_parser = trends)]
    trends: u8,
    /// Leave out all rows but those of the trends that a series has: custom, of requests, of iterations
    #[arg(long)]
    only_trends: bool,
    /// The file to write; without it the samples go to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn trends(typed: &str) -> Result<u8, String> {
    match typed {
        "1" => Ok(1),
        "3" => Ok(3),
        _ => Err("1 or 3".to_owned()),
    }
}

fn main() -> io::Result<()> {
    // cargo adds `--bench`; a test runner that asks for the list of tests gets an empty one.
    let typed: Vec<String> = std::env::args().filter(|word| word != "--bench").collect();
    if typed.iter().any(|word| word == "--list") {
        return Ok(());
    }
    let options = Options::parse_from(typed);
    let Some(form) = options.form else {
        return write!(io::stdout(), "{}", Options::command().render_help());
    };
    let out: Box<dyn Write> = match &options.out {
        Some(file) => Box::new(File::create(file)?),
        None => Box::new(io::stdout().lock()),
    };
    let plan = Plan {
        requests: options.requests,
        users: options.users,
        seconds: options.seconds,
        trends: options.trends,
        seed: options.seed,
    };
    let rows = Rows::new(form, options.columns, options.only_trends, out)?;
    let told = Story::new(plan, rows).tell()?;
    writeln!(io::stderr(), "rows={} bytes={} requests={} failed={}", told.rows, told.bytes, told.requests, told.failed)
}
