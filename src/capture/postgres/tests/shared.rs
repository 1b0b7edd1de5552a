//! Real snapshots of `../shared`, against the numbers of its answer key.

use std::path::Path;

use super::*;
use crate::capture::postgres::sniff;

use self::disk::{folder, paths, source};

/// The plan of the house lets nothing here touch the disk but tests.
#[cfg(test)]
#[allow(clippy::print_stderr, reason = "a test that is skipped says why")]
mod disk {
    use std::path::{Path, PathBuf};

    use super::Source;

    /// A folder of the reading material; `None`, with the reason printed, where it is absent.
    pub(super) fn folder(path: &str) -> Option<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(path);
        if !folder.exists() {
            eprintln!("skipped: ../shared/data/{path} is not here");
        }
        folder.exists().then_some(folder)
    }

    pub(super) fn source(folder: &Path, name: &str) -> Source {
        let bytes = std::fs::read(folder.join(name)).unwrap_or_else(|e| unreachable!("{name}: {e}"));
        Source::from_bytes(name, &bytes)
    }

    /// The paths so many folders below one, in order.
    pub(super) fn paths(folder: &Path, depth: u32) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap_or_else(|e| unreachable!("{e}"));
        let mut found: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        found.sort();
        if depth == 1 {
            return found;
        }
        found.iter().filter(|path| path.is_dir()).flat_map(|path| paths(path, depth - 1)).collect()
    }
}

fn files(folder: &Path, names: &[&str]) -> Vec<File> {
    names.iter().map(|name| file(name, source(folder, name).text())).collect()
}

const ALL: [&str; 6] = [
    "after.pg_stat_database.csv",
    "after.pg_stat_statements.csv",
    "after.pg_stat_statements_info.csv",
    "before.pg_stat_database.csv",
    "before.pg_stat_statements.csv",
    "before.pg_stat_statements_info.csv",
];

#[test]
fn the_snapshots_of_both_servers_give_the_answer_keys_numbers() {
    for (server, span, rate, own, wanted) in [
        ("pg17", ["2026-11-30T08:13:38Z", "2026-11-30T08:17:44Z"], "565.683", "564.53", ["138856", "41", "0", "17", "19"]),
        ("pg15", ["2026-11-30T08:19:01Z", "2026-11-30T08:20:04Z"], "752.976", "751.8", ["47167", "2253", "0", "17", "18"]),
    ] {
        let Some(folder) = folder(&format!("capture/postgres/{server}")) else { return };
        let findings = tell(&files(&folder, &ALL), window(span[0], span[1]));
        assert_eq!(value(&findings, FigureId::DatabaseTransactionsPerS), rate);
        assert!(observed(&findings, "transactions/s of zitadel").starts_with(own));
        let names = ["transactions", "blocks read", "deadlocks", "connections at the end", "new statements"];
        assert_eq!(names.map(|name| observed(&findings, name)), wanted.map(|count| format!("{count}.0000")));
        assert_eq!(told(&findings), [""; 0]);
        assert!(findings.unused.is_empty());
    }
}

#[test]
fn the_time_of_all_statements_is_that_of_the_answer_key_in_both_formats() {
    for (server, format, seconds, statements, new, gone) in [
        ("pg17", "csv", "2919.871", 43, 19, 0),
        ("pg17", "json", "2919.877", 40, 16, 1),
        ("pg15", "csv", "667.185", 42, 18, 0),
        ("pg15", "json", "667.182", 40, 16, 1),
    ] {
        let Some(folder) = folder(&format!("capture/postgres/{server}")) else { return };
        let names = ["before", "after"].map(|role| format!("{role}.pg_stat_statements.{format}"));
        let pair = files(&folder, &[&names[0], &names[1]]);
        let difference = difference(&pair[0], &pair[1], false);
        assert_eq!(format!("{:.3}", difference.seconds()), seconds, "{server} {format}");
        assert_eq!(
            (difference.statements.len(), difference.new, difference.gone, difference.restarted),
            (statements, new, gone, 0)
        );
        let most = difference.statements.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let most = most.map(|one| (one.id.as_deref().unwrap_or_default(), one.calls.unwrap_or_default()));
        assert_eq!(most, Some(if server == "pg17" { ("5733393822532372755", 23286) } else { ("2132982191128740363", 8266) }));
    }
}

#[test]
fn csv_and_json_of_one_moment_are_alternatives() {
    let Some(folder) = folder("capture/postgres/pg17") else { return };
    let names = ["csv", "json"].map(|format| ["before", "after"].map(|role| format!("{role}.pg_stat_statements.{format}")));
    let names: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    let findings = tell(&files(&folder, &names), window("2026-11-30T08:13:38Z", "2026-11-30T08:17:44Z"));
    assert_eq!(findings.unused.keys().collect::<Vec<_>>(), ["after.pg_stat_statements.json", "before.pg_stat_statements.json"]);
    assert_eq!(observed(&findings, "new statements"), "19.0000");
    assert_eq!(told(&findings), [""; 0]);
}

#[test]
fn exchanged_single_and_foreign_snapshots_are_refused() {
    let Some(folder) = folder("capture/postgres") else { return };
    let code = |files: &[File]| {
        told(&tell(files, None)).iter().map(|one| one.split(' ').nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for view in ["pg_stat_statements", "pg_stat_database"] {
        let text = |name: String| source(&folder, &name).text().to_owned();
        for server in ["pg15", "pg17"] {
            let exchanged = [
                file("before.csv", &text(format!("{server}/after.{view}.csv"))),
                file("after.csv", &text(format!("{server}/before.{view}.csv"))),
            ];
            assert_eq!(code(&exchanged), ["wrong-order"], "{server} {view}");
            assert_eq!(code(&[file("after.csv", &text(format!("{server}/after.{view}.csv")))]), ["one-snapshot"]);
        }
        let foreign = [
            file("before.csv", &text(format!("pg15/before.{view}.csv"))),
            file("after.csv", &text(format!("pg17/after.{view}.csv"))),
        ];
        assert_eq!(code(&foreign), ["different-servers"], "{view}");
    }
    assert_eq!(code(&files(&folder, &["pg17/before.pg_stat_statements.json"])), ["one-snapshot"]);
    assert_eq!(
        code(&files(&folder, &["pg17/before.pg_stat_statements.csv", "pg17/before.pg_stat_statements.csv"])),
        ["one-snapshot"]
    );
    for name in [
        "columns_by_version.csv",
        "pg17/pg_wait_events.csv",
        "pg17/pgbench_output.txt",
        "pg17/diff_report.txt",
        "pg15/diff_report.txt",
    ] {
        assert!(!sniff(&source(&folder, name)), "{name}");
    }
}

#[test]
fn samples_io_log_and_settings_give_the_answer_keys_numbers() {
    let Some(folder) = folder("capture/postgres") else { return };
    for (server, wanted, rounds, rows) in [
        ("pg17", ["11.6667", "13.2333", "0.8904"], (60, 60, Some(4)), "978 rows"),
        ("pg15", ["10.4333", "11.5667", "0.9078"], (30, 30, Some(2)), "464 rows"),
    ] {
        let findings = tell(&files(&folder, &[&format!("{server}/pg_stat_activity_samples.csv")]), None);
        let names = ["mean sessions waiting for an advisory lock", "mean active sessions", "lock wait / active"];
        assert_eq!(names.map(|name| observed(&findings, name)), wanted);
        assert_eq!(value(&findings, FigureId::DatabaseConnections), "16.000");
        let measured = figure(&findings, FigureId::DatabaseConnections).and_then(Figure::measured);
        let coverage = measured.and_then(|one| one.coverage).map(|one| (one.seen, one.expected, one.period_s));
        assert_eq!(coverage, Some(rounds));
        assert!(measured.and_then(|one| one.method.as_ref()).is_some_and(|method| method.contains(rows)));
    }
    let io = tell(&files(&folder, &["pg17/before.pg_stat_io.csv", "pg17/after.pg_stat_io.csv"]), None);
    assert_eq!(
        ["reads", "writes", "extends", "fsyncs"].map(|name| observed(&io, name)),
        ["41.0000", "0.0000", "5965.0000", "0.0000"]
    );
    let log = tell(&files(&folder, &["pg17/server_log_excerpt.txt"]), None);
    assert_eq!(observed(&log, "still waiting for an advisory lock"), "4.0000");
    assert_eq!(observed(&log, "acquired after a wait"), "2.0000");
    for (server, version) in [("pg15", "15.18"), ("pg17", "17.10")] {
        let settings = tell(&files(&folder, &[&format!("{server}/pg_settings.csv")]), None);
        assert_eq!(settings.facts[0].value, version);
        assert_eq!(settings.facts[1].value[0]["entries"].as_array().map(Vec::len), Some(23));
        assert_eq!(
            ["database.max_connections", "database.shared_buffers"].map(|name| observed(&settings, name)),
            ["100.0000", "268435456.0000"]
        );
    }
}

/// What is told, but for the two estimates of lock wait: in some runs of a few active rows none waits, though statements do.
fn told_of_pairs(findings: &Findings) -> Vec<String> {
    told(findings).into_iter().filter(|one| !one.contains("lock-wait-differs")).collect()
}

#[test]
fn every_run_of_the_demo_has_statements_transactions_and_connections() {
    let Some(folder) = folder("demo/runs") else { return };
    let found: Vec<_> = paths(&folder, 3).into_iter().map(|run| run.join("postgres")).filter(|path| path.exists()).collect();
    assert_eq!(found.len(), 19);
    for run in found {
        let names: Vec<String> = paths(&run, 1).iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        let files = files(&run, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let findings = tell(&files, None);
        assert_eq!(told_of_pairs(&findings), [""; 0], "{}", run.display());
        assert!(matches!(figure(&findings, FigureId::DatabaseTransactionsPerS), Some(Figure::Measured(_))));
        assert!(matches!(figure(&findings, FigureId::DatabaseConnections), Some(Figure::Measured(_))));
        assert_eq!(findings.unused.len(), 8, "{:?}", findings.unused);
        let of = |name: &str| files.iter().find(|file| file.path == name).unwrap_or_else(|| unreachable!("{name}"));
        let difference = difference(of("pg_stat_statements.before.csv"), of("pg_stat_statements.after.csv"), false);
        assert!(difference.seconds() > 1.0 && difference.restarted == 0);
    }
}

#[test]
fn a_run_of_the_demo_is_covered_by_its_samples_and_statements_have_the_moments_beside_them() {
    let Some(folder) = folder("demo/runs/1.0.0/add_session/1/postgres") else { return };
    let names: Vec<String> = ["before", "after"]
        .iter()
        .flat_map(|role| ["pg_stat_statements", "pg_stat_database"].map(|view| format!("{view}.{role}.csv")))
        .chain(["pg_stat_activity.csv".to_owned()])
        .collect();
    let files = files(&folder, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let findings = tell(&files, window("2026-11-30T09:26:40Z", "2026-11-30T09:28:41Z"));
    assert_eq!(told_of_pairs(&findings), [""; 0]);
    assert_eq!(value(&findings, FigureId::DatabaseTransactionsPerS), "363.490");
    let coverage = figure(&findings, FigureId::DatabaseConnections).and_then(Figure::measured).and_then(|one| one.coverage);
    assert_eq!(coverage.map(|one| (one.seen, one.expected, one.outside)), Some((121, 121, 0)));
    let pairs = super::super::pair::shots(&files.iter().collect::<Vec<_>>(), super::super::view::View::Statements);
    assert!(pairs.iter().all(|shot| shot.at.is_some()));
}
