//! The one test binary: a table of contents.
//!
//! Tests over `../shared` skip with a printed reason where it is absent.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

/// The GitHub Action: its description, and its steps run with a `gh` that only writes down what it is asked.
mod action;
/// The archive: records to text and back, hand-written files laid over, order.
mod archive;
/// `audit` as a user runs it: the published contradictions, formats, acceptance, exit statuses.
mod audit;
/// Every rule of the audit on runs made up for it.
mod audit_cases;
/// Numbers in notes and messages of the published pages, held against their records.
mod audit_claims;
/// What `build` does to the folder it writes into, and the texts of a project's `method` folder.
mod build;
/// Every run of the demo with all its captures, one command a release.
mod capture_demo;
/// The answer key of the capture samples, case by case.
mod capture_key;
/// Figures of series in random windows, against the same computed here straight from the documents.
mod capture_numbers;
/// Captures in any order and twice, and nothing half-written.
mod capture_order;
/// Secrets planted in every kind of input, looked for in every output.
mod capture_secrets;
/// Runs with captures beside them, for the tests of captures.
mod capture_support;
/// How a test types a command.
mod command;
/// Two sides compared from the command line: what is asked, what bad input gets, what the outputs promise.
mod diff;
/// The demo's releases compared: the planted truth, and how often `diff` is wrong.
mod diff_demo;
/// The numbers of a comparison once more, straight from an archive.
mod diff_numbers;
/// The published releases compared.
mod diff_published;
/// Made-up runs, and what every comparison promises, for the tests of `diff`.
mod diff_support;
/// A comparison with its sides swapped is its mirror image.
mod diff_swapped;
/// Pairs of releases whose truth is known: false alarms, and changes that are found.
mod diff_synthetic;
/// Pages of releases, comparisons and all results: links, anchors, the MDX compiler.
mod docs_pages;
/// Records, verdicts and pages made again and held against what is kept.
mod evidence;
/// Random charts: walks end, intervals are sound, counterfactuals are true.
mod flow_properties;
/// The two built-in flows on the published figures, and what a flow file is held to.
mod flows;
/// Every reader over seeds and changed ones, by the fuzzer's functions.
mod fuzzed;
/// What is beyond a limit is refused, and nothing takes more than it may.
mod guards;
/// Which room opens onto which: the plan of the house.
mod house;
/// Files into records from the command line, and what bad input gets.
mod ingest;
/// Secrets of every kind, invented by a seed.
mod invented;
/// Every recorded run of k6 reads to the same figures in every form.
mod k6_matrix;
/// Traps of k6's outputs, over small recorded files.
mod k6_traps;
/// The site in memory, held against the one made at once.
mod live;
/// The logs of the capture samples against their answer key.
mod logging;
/// Where a test finds the material beside the project.
mod material;
/// Something that goes on while a command works.
mod meanwhile;
/// Every answer of Cloud Monitoring in the capture samples, against their answer key.
mod monitoring;
/// Small disks, and disks that can only be read.
mod mount;
/// Published pages: read, written, read again.
mod pages;
/// Failures of real raw samples, gathered into populations.
mod populations;
/// Pages into a docs folder: what is written, kept, removed, refused.
mod publish;
/// A publication cut off after each of its steps, and by SIGKILL.
mod publish_cut;
/// Publications as commits, through real git.
mod publish_git;
/// A docs folder and two states of an archive, for the tests of `publish`.
mod publish_support;
/// A publication against the world: a full disk, missing rights, another one at the same time.
mod publish_world;
/// Statements by what they cost, against the answer key of captures.
mod queries;
/// README.md says what is true.
mod readme;
/// Minutes of load from raw files: the demo, its truth, its burst.
mod samples_demo;
/// What bad raw files get, and where two threads meet.
mod samples_faults;
/// Every raw file of the recordings against k6's own figures.
mod samples_k6;
/// What raw samples say, the slow and obvious way.
mod samples_reference;
/// k6-shaped rows, and how k6 writes them.
mod samples_rows;
/// Raw files as they are in the wild: any order, split, packed, names that look like rows.
mod samples_traps;
/// Secrets are masked in real texts, and nothing else is.
mod secrets;
/// A thousand secrets of every kind in every input, and none in any output.
mod secrets_planted;
/// What is to be written is looked through: refusals, and what is accepted.
mod secrets_scan;
/// The preview server: what it shows and refuses, what it tells open pages, how it ends.
mod serve;
/// The site: whole pages, hostile words, links, the published pages.
mod site;
/// The truth table of the flows and its two proofs, from the pages by the command line.
mod truth_table;
/// Commands that write against the world: disks, rights, signals, other processes, pipes.
mod world;
