//! What can be typed. Nothing is done here: parsing opens no file.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::model::stat::Stat;

/// Turns what a load test leaves behind into records, verdicts and pages a reader can trust.
#[derive(Clone, Debug, Parser)]
#[command(name = "plimsoll", version, max_term_width = 100, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Flags of every command.
    #[command(flatten)]
    pub common: Common,
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// The folder of plimsoll.toml [default: searched upward from here, else here]
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The folder of the records [default: data, in the project]
    #[arg(long, global = true, value_name = "DIR")]
    pub archive: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
    /// Say nothing but results and faults
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Say more
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The verbs.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Make records of k6 outputs, captures and published pages
    #[command(alias = "import", after_help = EXAMPLES_INGEST)]
    Ingest(Ingest),
    /// Show any k6 summary, of any version and form, in one shape
    #[command(after_help = EXAMPLES_SUMMARY)]
    Summary(Summary),
    /// Percentiles of every second, from raw samples
    #[command(after_help = EXAMPLES_SERIES)]
    Series(Series),
    /// What failed, when and on whose side, from raw samples
    #[command(after_help = EXAMPLES_ERRORS)]
    Errors(Errors),
    /// Judge runs by a decision flow
    #[command(after_help = EXAMPLES_CLASSIFY)]
    Classify(Classify),
    /// Hold records against themselves and the method
    #[command(after_help = EXAMPLES_AUDIT)]
    Audit(Audit),
    /// List, show, test and draw decision flows
    #[command(subcommand)]
    Flow(Flow),
    /// What changed between two releases or runs, and what can't be known
    #[command(after_help = EXAMPLES_DIFF)]
    Diff(Diff),
    /// Build the site of the archive
    #[command(after_help = EXAMPLES_BUILD)]
    Build(Build),
    /// Show the site on this machine, and again whenever something changes
    #[command(after_help = EXAMPLES_SERVE)]
    Serve(Serve),
    /// Write benchmark pages into a docs folder
    #[command(after_help = EXAMPLES_PUBLISH)]
    Publish(Publish),
    /// Print a JSON Schema, or the catalogue of figures
    Schema(Schema),
}

const EXAMPLES_INGEST: &str = "Examples:
  plimsoll ingest k6.log --release v1.2.0 --target checkout      one run from k6's output
  plimsoll ingest k6.log run.toml --release v1.2.0 --target a    the same with figures typed by hand
  plimsoll ingest benchmark/ --release v4.19.2                   a whole sweep of the runner
  plimsoll ingest docs/benchmarks/                               published pages";

const EXAMPLES_SUMMARY: &str = "Examples:
  plimsoll summary k6.log                            a table
  plimsoll summary --format json summary.json        one shape for every version of k6
  k6 run script.js | plimsoll summary -              from a pipe";

const EXAMPLES_SERIES: &str = "Examples:
  plimsoll series samples.csv.gz                     the script's own trends, as output.json has them
  plimsoll series a.csv b.csv --out output.json      one run of two load generators
  plimsoll series samples.json --metrics http_req_duration,iteration_duration";

const EXAMPLES_ERRORS: &str = "Examples:
  plimsoll errors samples.csv.gz                     failures by kind, cause and time
  plimsoll errors samples.json --format json         for programs";

const EXAMPLES_CLASSIFY: &str = "Examples:
  plimsoll classify                                  every run of the archive
  plimsoll classify v4.17.1 '*/otp_session'          a release, and one target of all releases
  plimsoll classify v4.19.2 --fail-on terminate      exit 1 if a run is to be halted";

const EXAMPLES_AUDIT: &str = "Examples:
  plimsoll audit                                     every run of the archive
  plimsoll audit v4.19.2 -v                          a release, with reasons and what to do
  plimsoll audit v4.19.2 --complete                  also figures that the method wants and nobody captured
  plimsoll audit --format github                     annotations in CI
  plimsoll audit --evidence --inputs raw/            records, verdicts and pages made again
  plimsoll audit --evidence --format json --out evidence.json
                                                     a manifest for another machine
  plimsoll audit --evidence --against evidence.json  and held against it

A finding that was looked at is accepted in plimsoll.toml, with a reason:
  [audits]
  accept = [{ code = \"instances-varied\", run = \"v4.19.2/*\", reason = \"scales on demand\" }]

Exit status: 1 if a finding is an error and nobody accepted it, else 0.";

const EXAMPLES_DIFF: &str = "Examples:
  plimsoll diff v4.17.1 v4.19.2                      every target of two releases
  plimsoll diff v4.17.1/otp_session v4.19.2/otp_session~2
                                                     one run against another
  plimsoll diff v4.17.1 v4.19.2 --target otp_session --format markdown --out comment.md
                                                     a comment for a pull request
  plimsoll diff v4.17.1 v4.19.2 --format github --fail-on regression,not-comparable
                                                     annotations, and a gate in CI
  plimsoll diff --calibrate                          how often it is wrong, by repeats

Decisions: regression, improvement, inconclusive, not-comparable, new, gone, no-change.

A difference of the contract that has no effect is accepted in plimsoll.toml, with a reason:
  [contract]
  accept = [{ key = \"service.flags.tokenExchange\", reason = \"no effect on these endpoints\" }]

Exit status: 2 if nothing could be compared, 1 if a decision is in --fail-on, else 0; 3 if a file
of the archive is at fault, 4 if the disk is.";

const EXAMPLES_BUILD: &str = "Examples:
  plimsoll build                                     into site/; open site/index.html
  plimsoll build --out public                        into another folder";

const EXAMPLES_SERVE: &str = "Examples:
  plimsoll serve                                     at http://127.0.0.1:4000
  plimsoll serve --port 8080 --open                  another port, and a browser";

const EXAMPLES_PUBLISH: &str = "Examples:
  plimsoll publish --to docs/content/apis/benchmarks --dry-run
                                                     what would be written, with a diff
  plimsoll publish --to docs/content/apis/benchmarks --release v4.19.2
  plimsoll publish --to docs/benchmarks --profile docusaurus
  plimsoll publish --to docs/content/apis/benchmarks --branch benchmarks-v4.19.2 --commit
                                                     as a commit on a branch; nothing is pushed";

/// `plimsoll ingest`
#[derive(Clone, Debug, Args)]
pub struct Ingest {
    /// Files and folders; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The release the runs are of
    #[arg(long, value_name = "R")]
    pub release: Option<String>,
    /// The target the run is of
    #[arg(long, value_name = "T")]
    pub target: Option<String>,
    /// What tells a further run of a target from the run of record
    #[arg(long, value_name = "L")]
    pub label: Option<String>,
    /// Keep figures and labels only: no notes, no messages
    #[arg(long)]
    pub figures_only: bool,
    /// Say where a figure was found, and write nothing
    #[arg(long, value_name = "FIGURE")]
    pub explain: Option<String>,
}

/// `plimsoll summary`
#[derive(Clone, Debug, Args)]
pub struct Summary {
    /// k6 outputs, raw samples among them; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What to compute of trends in raw samples [default: count,min,avg,med,p(90),p(95),p(99),max]
    #[arg(long, value_name = "STAT", value_delimiter = ',', value_parser = trend_stat)]
    pub summary_trend_stats: Vec<Stat>,
    /// How to print it
    #[arg(long, value_name = "F", default_value = "text")]
    pub format: Format,
}

/// `plimsoll series`
#[derive(Clone, Debug, Args)]
pub struct Series {
    /// Raw samples of one run (--out csv, --out json; .gz and .zst too); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "F")]
    pub out: Option<PathBuf>,
    /// The trends, separated by commas [default: the script's own]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub metrics: Vec<String>,
}

/// `plimsoll errors`
#[derive(Clone, Debug, Args)]
pub struct Errors {
    /// Raw samples of one run (--out csv, --out json; .gz and .zst too); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_name = "F", default_value = "text")]
    pub format: ErrorsFormat,
}

/// How failures are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ErrorsFormat {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// For a pull request.
    Markdown,
}

/// `plimsoll classify`
#[derive(Clone, Debug, Args)]
pub struct Classify {
    /// Runs: RELEASE, RELEASE/RUN, with `*`; all if none is named
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// The flow [default: that of plimsoll.toml]
    #[arg(long, value_name = "F")]
    pub flow: Option<String>,
    /// How to print it
    #[arg(long, value_name = "F", default_value = "text")]
    pub format: Format,
    /// Exit with 1 if a verdict is of one of these classes
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    pub fail_on: Vec<String>,
}

/// `plimsoll audit`
#[derive(Clone, Debug, Args)]
pub struct Audit {
    /// Runs: RELEASE, RELEASE/RUN, with `*`; all if none is named
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// How to print it; of `text` more with -v
    #[arg(long, value_name = "F", default_value = "text")]
    pub format: AuditFormat,
    /// Find fault with figures that the method wants and nobody captured
    #[arg(long)]
    pub complete: bool,
    /// Make records, verdicts and pages again, and compare hashes
    #[arg(long, conflicts_with = "complete")]
    pub evidence: bool,
    /// What is held against what.
    #[command(flatten)]
    pub held: Held,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What `plimsoll audit --evidence` looks at beside the archive.
#[derive(Clone, Debug, Args)]
pub struct Held {
    /// With --evidence: where raw inputs lie [default: the project's folder]
    #[arg(long, value_name = "DIR", requires = "evidence")]
    pub inputs: Vec<PathBuf>,
    /// With --evidence: the built site [default: site, in the project, where there is one]
    #[arg(long, value_name = "DIR", requires = "evidence")]
    pub site: Option<PathBuf>,
    /// With --evidence: where the site says that it lives [default: site.url of plimsoll.toml]
    #[arg(long, value_name = "U", requires = "evidence", value_parser = site_address)]
    pub base_url: Option<String>,
    /// With --evidence: a docs folder that was published into
    #[arg(long, value_name = "DIR", requires = "evidence")]
    pub docs: Option<PathBuf>,
    /// With --evidence: an earlier manifest (`--evidence --format json`) to compare with
    #[arg(long, value_name = "FILE", requires = "evidence")]
    pub against: Option<PathBuf>,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AuditFormat {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// For CI servers, a test for each finding.
    Junit,
    /// For GitHub, as annotations, the gravest first, at most 10.
    Github,
}

/// `plimsoll flow`
#[derive(Clone, Debug, Subcommand)]
pub enum Flow {
    /// List the flows there are
    List,
    /// Show a flow's questions, thresholds and outcomes
    Show {
        /// A flow's name, or a file
        #[arg(value_name = "F")]
        flow: String,
    },
    /// Run a flow's cases, and replay it over the archive
    Test {
        /// A flow's name, or a file
        #[arg(value_name = "F")]
        flow: String,
    },
    /// Draw a flow as SVG
    Draw {
        /// A flow's name, or a file
        #[arg(value_name = "F")]
        flow: String,
        /// The run whose path is lit
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Where to write it [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// `plimsoll diff`
#[derive(Clone, Debug, Args)]
pub struct Diff {
    /// The baseline: RELEASE (all its targets, with their repeats) or RELEASE/RUN (one run)
    #[arg(value_name = "A", required_unless_present = "calibrate")]
    pub a: Option<String>,
    /// What is held against it: RELEASE or RELEASE/RUN
    #[arg(value_name = "B", required_unless_present = "calibrate")]
    pub b: Option<String>,
    /// Only these targets, separated by commas, with `*`
    #[arg(long, value_name = "T", value_delimiter = ',')]
    pub target: Vec<String>,
    /// How to print it; of `text` more with -v
    #[arg(long, value_name = "F", default_value = "text")]
    pub format: DiffFormat,
    /// Exit with 1 if one of these decisions is among the changes, separated by commas; `none` for never
    #[arg(long, value_name = "DECISION", value_delimiter = ',', default_value = "regression")]
    pub fail_on: Vec<String>,
    /// Say how often the decisions are wrong over the archive's repeats
    #[arg(long, conflicts_with_all = ["a", "b", "target", "fail_on"])]
    pub calibrate: bool,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// For a comment on a pull request, of at most 65,536 characters.
    Markdown,
    /// For CI servers, a test for each comparison.
    Junit,
    /// For GitHub, as annotations, the worst first, at most 10.
    Github,
    /// One page that holds all it needs.
    Html,
}

/// `plimsoll build`
#[derive(Clone, Debug, Args)]
pub struct Build {
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where the site will live [default: site.url of plimsoll.toml]
    #[arg(long, value_name = "U", value_parser = site_address)]
    pub base_url: Option<String>,
}

/// `plimsoll publish`
#[derive(Clone, Debug, Args)]
pub struct Publish {
    /// The docs folder
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Which docs site reads the pages: fumadocs, docusaurus, markdown [default: docs.profile of plimsoll.toml]
    #[arg(long, value_name = "P")]
    pub profile: Option<String>,
    /// Only this release
    #[arg(long, value_name = "R")]
    pub release: Option<String>,
    /// Say what would be written, kept and removed, with a diff, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write over what was changed by hand, and write the pages of aborted runs too
    #[arg(long)]
    pub force: bool,
    /// The branch that the commit is made on; made if it is not there
    #[arg(long, value_name = "NAME", requires = "commit")]
    pub branch: Option<String>,
    /// Commit what was written, and nothing else; nothing is pushed
    #[arg(long)]
    pub commit: bool,
    /// Where to write the text of a pull request, as Markdown; - prints it
    #[arg(long, value_name = "FILE")]
    pub pull_request: Option<PathBuf>,
}

/// `plimsoll serve`
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 4000)]
    pub port: u16,
    /// The address to listen on; other than that of this machine alone, others can read the site
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub bind: std::net::IpAddr,
    /// Open the site in a browser
    #[arg(long)]
    pub open: bool,
}

/// `plimsoll schema`
#[derive(Clone, Debug, Args)]
pub struct Schema {
    /// What to print
    pub name: SchemaName,
}

/// What `plimsoll schema` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// The rules of the audit, a section each.
    Audits,
    /// JSON Schema of `diff --calibrate --format json`.
    Calibration,
    /// JSON Schema of `diff --format json`.
    Comparison,
    /// JSON Schema of `errors --format json`.
    Errors,
    /// JSON Schema of `audit --evidence --format json`.
    Evidence,
    /// The catalogue of figures, as a table.
    Figures,
    /// JSON Schema of `audit --format json`.
    Findings,
    /// What captured series can measure, as a table.
    Quantities,
    /// JSON Schema of record.json.
    Record,
    /// The kinds of secrets, as a table.
    Secrets,
    /// JSON Schema of `summary --format json`.
    Summary,
    /// JSON Schema of `classify --format json`.
    Verdicts,
}

/// A whole address, or nothing: for a site that has none.
fn site_address(text: &str) -> Result<String, String> {
    if text.is_empty() || crate::settings::is_whole_address(text) {
        Ok(text.to_owned())
    } else {
        Err("write it whole, as https://bench.example/, without a query".to_owned())
    }
}

/// A statistic of a trend, by k6's name.
fn trend_stat(text: &str) -> Result<Stat, String> {
    let stat: Stat = text.trim().parse().map_err(|_| "it is none of avg, min, med, max, count, p(N)".to_owned())?;
    match stat {
        Stat::Count | Stat::Min | Stat::Avg | Stat::Med | Stat::Percentile(_) | Stat::Max => Ok(stat),
        _ => Err("it is no statistic of a trend: avg, min, med, max, count, p(N)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_comparison_has_two_sides_and_a_calibration_none() {
        let diff = |args: &[&str]| match Cli::try_parse_from(["plimsoll", "diff"].iter().chain(args)) {
            Ok(Cli { command: Command::Diff(diff), .. }) => Ok(diff),
            Ok(_) => unreachable!("it is `diff`"),
            Err(error) => Err(error.kind()),
        };
        assert_eq!(diff(&["v1"]).err(), Some(ErrorKind::MissingRequiredArgument));
        assert_eq!(diff(&[]).err(), Some(ErrorKind::MissingRequiredArgument));
        assert_eq!(diff(&["--calibrate", "v1"]).err(), Some(ErrorKind::ArgumentConflict));
        assert_eq!(diff(&["--calibrate", "--fail-on", "none"]).err(), Some(ErrorKind::ArgumentConflict));
        assert!(diff(&["--calibrate"]).is_ok_and(|diff| diff.calibrate && diff.a.is_none()));
        let both = diff(&["v1", "v2", "--target", "a,b", "--target", "c", "--fail-on", "none"]);
        assert!(both.is_ok_and(|diff| diff.target == ["a", "b", "c"] && diff.fail_on == ["none"]));
        assert!(diff(&["v1", "v2"]).is_ok_and(|diff| diff.fail_on == ["regression"] && diff.format == DiffFormat::Text));
    }
}
