//! Pairs that are none: each with its code and places.

use super::*;

const BEFORE: &[(i64, u64, f64)] = &[(1, 10, 100.0), (2, 1, 5.0)];
const AFTER: &[(i64, u64, f64)] = &[(1, 30, 300.0), (2, 1, 5.0), (3, 4, 40.0)];

#[test]
fn one_snapshot_holds_totals_since_the_reset() {
    let findings = tell(&[file("after.csv", &statements(0, AFTER))], None);
    assert_eq!(told(&findings), ["Warning one-snapshot after.csv:1:1"]);
    assert_eq!(value(&findings, FigureId::DatabaseLockWaitRatio), "none");
    assert!(matches!(figure(&findings, FigureId::DatabaseTopQueryRatio), Some(Figure::NotCaptured { reason: Some(_) })));
    assert_eq!(findings.unused.keys().collect::<Vec<_>>(), ["after.csv"]);
}

#[test]
fn the_same_snapshot_twice_is_one_and_an_error_where_it_was_named() {
    let mut files = [file("a/before.csv", &statements(0, BEFORE)), file("b/after.csv", &statements(0, BEFORE))];
    files[0].named = true;
    assert_eq!(told(&tell(&files, None)), ["Error one-snapshot a/before.csv:1:1"]);
    let twice = [file("x.csv", &statements(0, BEFORE)), file("x.csv", &statements(0, BEFORE))];
    assert_eq!(told(&tell(&twice, None)), ["Warning one-snapshot x.csv:1:1"]);
}

#[test]
fn exchanged_names_are_a_contradiction() {
    let files = [file("before.csv", &statements(60, AFTER)), file("after.csv", &statements(0, BEFORE))];
    assert_eq!(told(&tell(&files, None)), ["Error wrong-order after.csv:1:1 before.csv:1:1"]);
    let files = [file("before.csv", &databases(60, &[("a", 7)])), file("after.csv", &databases(0, &[("a", 5)]))];
    let findings = tell(&files, None);
    assert_eq!(told(&findings), ["Error wrong-order after.csv:1:1 before.csv:1:1"]);
    assert!(findings.observed.is_empty());
}

#[test]
fn without_moments_falling_counts_tell_that_names_were_exchanged() {
    let bare = |rows: &[(i64, u64, f64)]| {
        rows.iter().fold("queryid,query,calls,total_exec_time,rolname\n".to_owned(), |text, (id, calls, ms)| {
            text + &format!("{id},q,{calls},{ms},r\n")
        })
    };
    let pair = |before, after| [file("s.before.csv", &bare(before)), file("s.after.csv", &bare(after))];
    assert_eq!(told(&tell(&pair(AFTER, BEFORE), None)), ["Error wrong-order s.before.csv:1:1 s.after.csv:1:1"]);
    assert!(!told(&tell(&pair(BEFORE, AFTER), None)).iter().any(|one| one.starts_with("Error")));
    assert_eq!(
        told(&tell(&[file("x.csv", &bare(BEFORE)), file("y.csv", &bare(AFTER))], None)),
        ["Warning one-snapshot x.csv:1:1 y.csv:1:1"]
    );
}

#[test]
fn two_servers_are_no_pair() {
    let files = [file("before.csv", &databases(0, &[("a", 7)])), file("after.csv", &databases(60, &[("x", 1), ("a", 9)]))];
    assert_eq!(told(&tell(&files, None)), ["Error different-servers before.csv:1:1 after.csv:1:1"]);
    let other = statements(60, AFTER).replace(",10,5,t,", ",10,6,t,");
    let files = [file("before.csv", &statements(0, BEFORE)), file("after.csv", &other)];
    assert_eq!(told(&tell(&files, None)), ["Error different-servers before.csv:1:1 after.csv:1:1"]);
    let older = statements(60, AFTER).replace("toplevel", "plans").replace(",t,", ",0,");
    let files = [file("before.csv", &statements(0, BEFORE)), file("after.csv", &older)];
    assert_eq!(told(&tell(&files, None)), ["Error different-servers before.csv:1:1 after.csv:1:1"]);
}

#[test]
fn a_pair_outside_the_run_gives_nothing() {
    let files = [file("before.csv", &databases(0, &[("a", 7)])), file("after.csv", &databases(60, &[("a", 9)]))];
    let findings = tell(&files, window("2026-01-02T03:10:00Z", "2026-01-02T03:11:00Z"));
    assert_eq!(told(&findings), ["Warning no-overlap before.csv:1:1 after.csv:1:1"]);
    assert_eq!(value(&findings, FigureId::DatabaseTransactionsPerS), "none");
}

#[test]
fn a_pair_that_misses_much_of_the_run_is_incomplete_and_a_long_one_says_so() {
    let files = [file("before.csv", &databases(0, &[("a", 7)])), file("after.csv", &databases(60, &[("a", 67)]))];
    let half = tell(&files, window("2026-01-02T03:00:30Z", "2026-01-02T03:01:30Z"));
    assert!(matches!(figure(&half, FigureId::DatabaseTransactionsPerS), Some(Figure::Incomplete(one)) if one.lacking.is_some()));
    assert_eq!(value(&half, FigureId::DatabaseTransactionsPerS), "1.000");
    let long = tell(&files, window("2026-01-02T03:00:20Z", "2026-01-02T03:00:40Z"));
    assert_eq!(told(&long), ["Note long-pair before.csv:1:1 after.csv:1:1"]);
    let rate = figure(&long, FigureId::DatabaseTransactionsPerS).and_then(Figure::measured);
    assert!(rate.is_some_and(|one| one.grade.is_some()), "a rate over a longer time is no more than near the run's");
    let method = rate.and_then(|one| one.method.clone());
    assert!(method.is_some_and(|method| method.ends_with("60.0 s apart, much longer than the run")));
}

#[test]
fn of_many_snapshots_those_around_the_window_count() {
    let states = [(0, 10), (60, 20), (120, 80), (180, 1000)];
    let files: Vec<File> = states.iter().map(|(at, n)| file(&format!("{at}.csv"), &databases(*at, &[("a", *n)]))).collect();
    let findings = tell(&files, window("2026-01-02T03:01:10Z", "2026-01-02T03:01:50Z"));
    assert_eq!(observed(&findings, "transactions"), "60.0000");
    assert_eq!(findings.unused.keys().collect::<Vec<_>>(), ["0.csv", "180.csv"]);
    assert_eq!(observed(&tell(&files, None), "transactions"), "990.0000");
    // The same states in one file, as `\watch` leaves them.
    let one = [file("all.csv", &states.iter().map(|(at, n)| databases(*at, &[("a", *n)])).collect::<String>())];
    assert_eq!(observed(&tell(&one, window("2026-01-02T03:01:10Z", "2026-01-02T03:01:50Z")), "transactions"), "60.0000");
}

#[test]
fn samples_need_moments_and_bad_cells_have_places() {
    let source = Source::new("a.csv", "pid,state,wait_event_type,query\n1,active,,x\n");
    assert!(matches!(read(&source), Ok(Capture::Refused(refused)) if refused.code == "no-moment"));
    let faults = |text: &str| match read(&Source::new("t", text)) {
        Ok(other) => unreachable!("{other:?}"),
        Err(faults) => faults.list().iter().map(|one| format!("{} {}", one.places[0], one.message)).collect::<Vec<_>>(),
    };
    let text = "queryid,query,calls,total_exec_time\n5.7e18,q,1,1\n2,q,,-3\n";
    let wanted = [
        "t:2:1 `queryid` is a whole number of 64 bits, not `5.7e18`",
        "t:3:6 `total_exec_time` can't be -3",
        "t:3:3 `calls` is empty",
    ];
    assert_eq!(faults(text), wanted);
    assert_eq!(
        faults("captured_at,dealloc,stats_reset\n2026-01-02 03:04:05,0,\n"),
        ["t:2:1 `captured_at` is a moment with its zone, not `2026-01-02 03:04:05`"]
    );
}
