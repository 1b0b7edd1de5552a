//! README.md says what is true: its commands run, its figures and files exist.

use plimsoll::settings::{Floors, Settings};
use plimsoll::source::Source;

use super::command::{Folder, files_below};

const README: &str = include_str!("../../README.md");
const LOG: &[u8] = include_bytes!("../fixtures/k6/add_session/stdout.txt");

/// Indented blocks of the README, without their indentation.
fn blocks() -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in README.lines() {
        match line.strip_prefix("    ") {
            Some(code) => blocks.last_mut().unwrap().extend([code, "\n"]),
            None if line.is_empty() && !blocks.last().unwrap().is_empty() => *blocks.last_mut().unwrap() += "\n",
            None => blocks.push(String::new()),
        }
    }
    blocks.into_iter().filter(|block| !block.trim().is_empty()).collect()
}

#[test]
fn the_tour_runs_as_written() {
    let blocks = blocks();
    let typed = blocks.iter().find(|block| block.contains("[figures]")).unwrap();
    let tour = blocks.iter().find(|block| block.contains("plimsoll ingest k6.log")).unwrap();
    let folder = Folder::new().file("k6.log", LOG);
    for command in tour.lines().filter(|line| !line.is_empty()) {
        let args: Vec<&str> = command.split_whitespace().skip(1).collect();
        folder.plimsoll(&args).exits(0);
    }
    assert!(folder.read("site/index.html").contains("checkout"));
    let folder = folder.file("data/v1.2.0/checkout/run.toml", typed);
    folder.plimsoll(&["classify"]).exits(0).prints("database.cpu.median 97% >= 80%: yes");
    let folder = folder.file("run.toml", typed);
    folder
        .plimsoll(&["ingest", "k6.log", "run.toml", "--release", "v1.2.0", "--target", "checkout"])
        .exits(0)
        .prints("v1.2.0/checkout  changed  3 of 30 figures captured");
}

#[test]
fn every_command_it_names_is_one() {
    let help = Folder::new().plimsoll(&["--help"]).exits(0).out;
    let lines = README.lines().filter_map(|line| line.strip_prefix("    plimsoll "));
    let verbs: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(verbs.len() >= 7, "{verbs:?}");
    for verb in verbs {
        assert!(help.contains(&format!("\n  {verb} ")), "`{verb}` is no command:\n{help}");
    }
}

/// The archive that ships.
fn shipped() -> Folder {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new().file("plimsoll.toml", include_bytes!("../../plimsoll.toml"));
    files_below(&root.join("data")).into_iter().fold(folder, |folder, (path, bytes)| folder.file(&format!("data/{path}"), bytes))
}

#[test]
fn its_comparisons_run_on_the_shipped_archive_and_say_what_it_says() {
    let (folder, blocks) = (shipped(), blocks());
    let commands: Vec<&str> = README.lines().filter_map(|line| line.strip_prefix("    plimsoll diff v")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        let args: Vec<String> = format!("diff v{command}").split_whitespace().map(str::to_owned).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        folder.plimsoll(&args).exits(2).says("nothing could be compared");
        if let Some(at) = args.iter().position(|arg| *arg == "--out") {
            assert!(!folder.read(args[at + 1]).is_empty(), "{args:?}");
        }
    }
    assert!(folder.read("comment.md").starts_with("<!-- plimsoll-diff -->"));
    let told = blocks.iter().find(|block| block.starts_with("Nothing can be concluded")).unwrap();
    folder.plimsoll(&["diff", "v4.17.1", "v4.19.2"]).prints(told.trim_end());
}

#[test]
fn its_floors_are_the_defaults_and_its_accepted_key_is_one() {
    let blocks = blocks();
    let read = |part: &str| {
        let block = blocks.iter().find(|block| block.contains(part)).unwrap();
        Settings::read(&Source::new("plimsoll.toml", block.as_str())).unwrap()
    };
    assert_eq!(read("[floors]").floors, Floors::default());
    for key in ["throughput", "p50", "p95", "p99", "cpu", "bytes", "failures", "lock_wait", "absolute", "level", "warm_up"] {
        let is_set = |line: &str| line.starts_with(&format!("    {key} = "));
        assert!(README.lines().any(is_set), "{key}");
    }
    let accepted = read("[contract]").contract_accept;
    assert!(accepted.iter().all(|one| plimsoll::diff::contract::is_key(&one.key)) && accepted.len() == 1, "{accepted:?}");
}

#[test]
fn its_two_commands_are_there() {
    let blocks = blocks();
    assert!(blocks.iter().any(|block| block.trim() == "cargo run --release -- build"));
    assert!(blocks.iter().any(|block| block.trim() == "scripts/test"));
    assert!(include_str!("../../.ci/run").contains("scripts/test"));
}

#[test]
fn pages_of_figures_and_rules_are_what_the_program_prints() {
    let printed = Folder::new().plimsoll(&["schema", "figures"]).exits(0).out;
    assert!(include_str!("../../docs/figures.md").ends_with(&printed), "docs/figures.md is stale: run `plimsoll schema figures`");
    let audits = Folder::new().plimsoll(&["schema", "audits"]).exits(0).out;
    assert!(include_str!("../../docs/audits.md").ends_with(&audits), "docs/audits.md is stale: run `plimsoll schema audits`");
    let secrets = Folder::new().plimsoll(&["schema", "secrets"]).exits(0).out;
    assert!(include_str!("../../docs/secrets.md").ends_with(&secrets), "docs/secrets.md is stale: run `plimsoll schema secrets`");
    let quantities = Folder::new().plimsoll(&["schema", "quantities"]).exits(0).out;
    assert!(
        include_str!("../../docs/captures.md").contains(&quantities),
        "docs/captures.md is stale: run `plimsoll schema quantities`"
    );
}
