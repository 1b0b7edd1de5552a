//! Every view in its forms.

use super::*;
use crate::capture::findings::Standing;
use crate::capture::postgres::sniff;
use crate::model::figure::Measurement;
use crate::model::units::Unit;

/// Columns of `pg_stat_statements` by PostgreSQL's version, as far as they differ where it matters.
#[test]
fn statements_of_every_version_are_read() {
    for (version, extra, cells) in [
        (13, "blk_read_time,wal_bytes", "0,0"),
        (14, "toplevel,blk_read_time", "t,0"),
        (15, "toplevel,blk_read_time,temp_blk_read_time,jit_functions", "t,0,0,0"),
        (17, "toplevel,shared_blk_read_time,stats_since,minmax_stats_since", "t,0,2026-01-02 03:00:00+00,2026-01-02 03:00:00+00"),
        (18, "toplevel,wal_buffers_full,parallel_workers_launched,stats_since", "f,0,0,2026-01-02 03:00:00+00"),
    ] {
        let text = |second: u32, calls: u32| {
            format!(
                "{extra},userid,dbid,queryid,query,plans,calls,total_exec_time,captured_at\n{cells},10,5,-8947882752471706823,\"select $1, \"\"x\"\"\",0,{calls},{calls}.5,2026-01-02 03:00:{second}+00\n"
            )
        };
        let (first, second) = (file("before.csv", &text(10, 1)), file("after.csv", &text(40, 2001)));
        let difference = difference(&first, &second, false);
        let one = &difference.statements[0];
        assert_eq!(
            (one.id.as_deref(), one.calls, one.text.as_str()),
            (Some("-8947882752471706823"), Some(2000), "select $1, \"x\""),
            "{version}"
        );
        assert_eq!(format!("{:.3}", one.seconds), "2.000", "{version}");
        assert!(told(&tell(&[first, second], None)).is_empty(), "{version}");
    }
}

#[test]
fn json_keeps_all_digits_of_a_queryid_and_takes_oids_as_strings() {
    let row = |calls: u32| {
        format!(
            r#"{{"userid": "10", "dbid": "5", "toplevel": true, "queryid": 5733393822532372755, "query": "select $1", "calls": {calls}, "total_exec_time": {calls}.25}}"#
        )
    };
    let before = file("before.json", &format!(r#"{{"captured_at": "2026-01-02T03:00:00.5+00:00", "statements": [{}]}}"#, row(1)));
    let after = file("after.json", &format!(r#"{{"captured_at": "2026-01-02T05:01:00.5+02:00", "statements": [{}]}}"#, row(11)));
    assert_eq!(difference(&before, &after, false).statements[0].id.as_deref(), Some("5733393822532372755"));
    // The first from psql, the second as JSON: one server all the same.
    let csv = file("before.csv", &statements(0, &[(5_733_393_822_532_372_755, 1, 1.25)]));
    assert_eq!(difference(&csv, &after, false).new, 0);
    assert!(told(&tell(&[csv, after], None)).is_empty());
}

#[test]
fn files_of_other_kinds_are_not_taken() {
    for text in [
        "type,name,description\nIO,WalSync,x\n",
        "pg_major,relation,attnum,column,type\n13,pg_locks,1,locktype,text\n",
        "target,metric,timestamp,value\n",
        r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#,
        r#"{"timeSeries":[{"metric":{"labels":{"querystring":"select \"calls\""}}}]}"#,
        "tps = 153.2 (without initial connection time)\n",
        "",
    ] {
        assert!(!sniff(&Source::new("t", text)), "{text}");
    }
    assert!(sniff(&Source::new("t", r#"[{"dealloc": 1, "stats_reset": null"#)), "broken, but ours");
}

#[test]
fn views_that_nobody_asks_about_are_known_and_give_nothing() {
    let files = [
        file("bgwriter.csv", "checkpoints_timed,buffers_clean,maxwritten_clean,buffers_alloc\n1,2,3,4\n"),
        file("wal.csv", "wal_records,wal_fpi,wal_bytes,wal_buffers_full\n1,2,3,4\n"),
    ];
    let findings = tell(&files, None);
    let unused: Vec<&str> = findings.unused.values().map(String::as_str).collect();
    assert_eq!(unused, ["pg_stat_bgwriter: nothing in it is kept", "pg_stat_wal: nothing in it is kept"]);
    assert!(findings.told.is_empty() && findings.figures.is_empty());
}

#[test]
fn an_empty_cell_of_pg_stat_io_is_no_zero() {
    let text = |second: u32, reads: u32, wal: u32| {
        format!(
            "captured_at,backend_type,object,context,reads,writes,fsyncs\n2026-01-02 03:00:{second}+00,client backend,relation,normal,{reads},,\n2026-01-02 03:00:{second}+00,walwriter,wal,normal,,{wal},\n"
        )
    };
    let findings = tell(&[file("before.csv", &text(10, 5, 1)), file("after.csv", &text(20, 12, 900))], None);
    assert_eq!(
        [observed(&findings, "reads"), observed(&findings, "writes"), observed(&findings, "fsyncs")],
        ["7.0000", "none", "none"]
    );
    assert!(matches!(figure(&findings, FigureId::DatabaseIopsRead), Some(Figure::NotCaptured { .. })));
}

#[test]
fn databases_with_a_hundredth_of_all_transactions_are_told_apart() {
    let pair = [
        file("before.csv", &databases(0, &[("a", 0), ("b", 0)])),
        file("after.csv", &databases(100, &[("a", 10_000), ("b", 99)])),
    ];
    let findings = tell(&pair, None);
    assert_eq!(value(&findings, FigureId::DatabaseTransactionsPerS), "100.990");
    assert_eq!([observed(&findings, "transactions/s of a"), observed(&findings, "transactions/s of b")], ["100.0000", "none"]);
    assert_eq!(observed(&findings, "connections at the end"), "6.0000");
    assert_eq!(value(&findings, FigureId::DatabaseConnections), "none");
}

/// Rounds every 2 s; in each a session waits for an advisory lock, one works, one is idle, and a process of the server is busy.
fn activity(rounds: u32) -> String {
    let sessions = [
        "client backend,active,Lock,advisory",
        "client backend,active,IO,WalSync",
        "client backend,idle,Client,ClientRead",
        "walwriter,active,,",
    ];
    let rows = (0..rounds).flat_map(|round| {
        let at = format!("2026-01-02T03:{:02}:{:02}", round * 2 / 60, round * 2 % 60);
        sessions.iter().enumerate().map(move |(pid, rest)| format!("{at}.00{pid}Z,{pid},{rest}\n"))
    });
    let header = "ts,pid,backend_type,state,wait_event_type,wait_event\n".to_owned();
    [header].into_iter().chain(rows).collect::<Vec<_>>().concat()
}

#[test]
fn samples_are_counted_by_rounds_inside_the_run() {
    let findings = tell(&[file("a.csv", &activity(40))], window("2026-01-02T03:00:10Z", "2026-01-02T03:01:10Z"));
    assert_eq!(value(&findings, FigureId::DatabaseConnections), "3.000");
    assert_eq!(observed(&findings, "mean active sessions"), "2.0000");
    assert_eq!(observed(&findings, "mean sessions waiting for an advisory lock"), "1.0000");
    assert_eq!(observed(&findings, "lock wait / active"), "0.5000");
    let coverage = figure(&findings, FigureId::DatabaseConnections).and_then(Figure::measured).and_then(|one| one.coverage);
    assert_eq!(coverage.map(|one| (one.seen, one.expected, one.outside, one.period_s)), Some((30, 30, 10, Some(2))));
}

#[test]
fn samples_of_half_the_run_are_incomplete_and_those_outside_are_none() {
    let files = [file("a.csv", &activity(20))];
    let half = tell(&files, window("2026-01-02T03:00:00Z", "2026-01-02T03:01:20Z"));
    assert!(matches!(figure(&half, FigureId::DatabaseConnections), Some(Figure::Incomplete(_))));
    let none = tell(&files, window("2026-01-02T04:00:00Z", "2026-01-02T04:01:00Z"));
    assert_eq!(told(&none), ["Warning no-overlap a.csv:1:1"]);
}

#[test]
fn one_round_of_samples_is_not_enough() {
    let findings = tell(&[file("a.csv", &activity(1))], None);
    let figure = figure(&findings, FigureId::DatabaseConnections);
    assert!(matches!(figure, Some(Figure::Incomplete(one)) if one.lacking.as_deref() == Some("one round of samples only")));
}

#[test]
fn two_estimates_of_lock_wait_that_differ_are_both_shown() {
    let beside = |share: f64| {
        let mut findings = Findings::default();
        let measurement = Measurement::exact(share, Unit::Ratio).of("database time");
        findings.add(FigureId::DatabaseLockWaitRatio, Figure::Measured(measurement), Standing::Raw);
        super::super::activity::tell(&[&file("a.csv", &activity(10))], None, &mut findings);
        assert_eq!(observed(&findings, "lock wait / active"), "0.5000");
        findings.told.iter().map(|one| format!("{} {}", one.code, one.message)).collect::<Vec<_>>()
    };
    assert_eq!(beside(0.62), [""; 0]);
    let wanted = "lock-wait-differs two estimates of lock wait differ: 65.0% of the statements' time, 50.0% of the active sessions sampled";
    assert_eq!(beside(0.65), [wanted]);
}

#[test]
fn samples_without_idle_sessions_count_no_connections() {
    let busy = activity(10).lines().filter(|line| !line.contains("idle")).collect::<Vec<_>>().join("\n");
    let findings = tell(&[file("a.csv", &busy)], None);
    assert!(matches!(figure(&findings, FigureId::DatabaseConnections), Some(Figure::NotCaptured { .. })));
    assert_eq!(observed(&findings, "lock wait / active"), "0.5000");
}

#[test]
fn settings_of_two_files_that_differ_are_a_contradiction() {
    let settings = |buffers: u32| {
        format!(
            "name,setting,unit,source,boot_val\nserver_version,17.10,,default,\nshared_buffers,{buffers},8kB,configuration file,16384\n"
        )
    };
    let findings = tell(&[file("a.csv", &settings(32768))], None);
    let facts: Vec<String> = findings.facts.iter().map(|fact| format!("{} {} {}", fact.key, fact.value, fact.place)).collect();
    assert_eq!(facts[0], "database.version \"17.10\" a.csv:2:1");
    assert!(facts[1].contains(r#"{"default":"128MB","key":"shared_buffers","value":"256MB"}"#), "{}", facts[1]);
    assert_eq!(observed(&findings, "database.shared_buffers"), "268435456.0000");
    let two = tell(&[file("a.csv", &settings(32768)), file("b.csv", &settings(1))], None);
    assert_eq!(told(&two), ["Error contradiction a.csv:3:1 b.csv:3:1"]);
}
