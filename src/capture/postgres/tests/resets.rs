//! Statistics that began anew: what remains is a lower bound, and is said to be.

use super::*;

fn seconds(difference: &crate::capture::postgres::statements::Difference) -> Vec<String> {
    difference.statements.iter().map(|one| format!("{:.3} {:?}", one.seconds, one.calls.unwrap_or_default())).collect()
}

#[test]
fn a_statement_that_the_first_snapshot_has_not_began_at_zero() {
    let first = file("before.csv", &statements(0, &[(1, 10, 1000.0), (9, 1, 1.0)]));
    let second = file("after.csv", &statements(60, &[(3, 4, 40.0), (1, 30, 3000.5)]));
    let difference = difference(&first, &second, false);
    assert_eq!(seconds(&difference), ["2.001 20", "0.040 4"]);
    assert_eq!((difference.new, difference.gone, difference.restarted), (1, 1, 0));
    assert_eq!(told(&tell(&[first, second], None)), ["Note statements-missing after.csv:1:1"]);
}

#[test]
fn counters_that_fell_count_from_zero() {
    let first = file("before.csv", &statements(0, &[(1, 10, 1000.0), (2, 10, 10.0)]));
    let second = file("after.csv", &statements(60, &[(1, 4, 500.0), (2, 11, 11.0)]));
    let difference = difference(&first, &second, false);
    assert_eq!(seconds(&difference), ["0.500 4", "0.001 1"]);
    assert_eq!(told(&tell(&[first, second], None)), ["Warning statistics-reset before.csv:1:1 after.csv:1:1"]);
}

#[test]
fn statistics_since_a_later_moment_began_anew_though_they_rose() {
    let text = |second: u32, calls: u64, since: &str| {
        format!(
            "captured_at,queryid,query,calls,total_exec_time,stats_since\n2026-01-02 03:00:{second:02}+00,1,q,{calls},{calls},{since}\n"
        )
    };
    let first = file("before.csv", &text(10, 10, "2026-01-02 02:00:00+00"));
    let anew = file("after.csv", &text(50, 15, "2026-01-02 03:00:20+00"));
    assert_eq!(
        (difference(&first, &anew, false).restarted, seconds(&difference(&first, &anew, false))),
        (1, vec!["0.015 15".to_owned()])
    );
    let same = file("after.csv", &text(50, 15, "2026-01-02 02:00:00+00"));
    assert_eq!(
        (difference(&first, &same, false).restarted, seconds(&difference(&first, &same, false))),
        (0, vec!["0.005 5".to_owned()])
    );
}

#[test]
fn the_views_own_information_tells_of_resets_and_dropped_statements() {
    let info = |second: u32, dealloc: u64, reset: &str| {
        format!("captured_at,dealloc,stats_reset\n2026-01-02 03:00:{second:02}+00,{dealloc},{reset}\n")
    };
    let told_of = |infos: [String; 2]| {
        let [before, after] = infos;
        let files = [
            file("before.s.csv", &statements(0, &[(1, 10, 100.0)])),
            file("after.s.csv", &statements(50, &[(1, 30, 300.0)])),
            file("before.info.csv", &before),
            file("after.info.csv", &after),
        ];
        let findings = tell(&files, None);
        assert!(findings.unused.is_empty(), "{:?}", findings.unused);
        told(&findings)
    };
    let reset = "Warning statistics-reset before.s.csv:1:1 after.s.csv:1:1";
    assert!(told_of([info(1, 0, "2026-01-01 00:00:00+00"), info(51, 0, "2026-01-01 00:00:00+00")]).is_empty());
    assert_eq!(told_of([info(1, 0, "2026-01-01 00:00:00+00"), info(51, 0, "2026-01-02 03:00:30+00")]), [reset]);
    assert_eq!(told_of([info(1, 0, "2026-01-01 00:00:00+00"), info(51, 2, "2026-01-01 00:00:00+00")]), [reset]);
}

#[test]
fn a_first_snapshot_that_was_cut_off_is_told() {
    let files = [
        file("before.csv", &statements(0, &[(1, 10, 90_000.0), (2, 10, 5000.0)])),
        file("after.csv", &statements(60, &[(1, 11, 91_000.0), (3, 10, 5100.0)])),
    ];
    assert_eq!(told(&tell(&files, None)), ["Note statements-missing after.csv:1:1", "Note snapshot-cut before.csv:1:1"]);
}

#[test]
fn databases_whose_counters_fell_or_were_reset_give_no_rate() {
    let files = [file("before.csv", &databases(0, &[("a", 70)])), file("after.csv", &databases(60, &[("a", 9)]))];
    let findings = tell(&files, None);
    assert_eq!(told(&findings), ["Warning statistics-reset before.csv:1:1 after.csv:1:1"]);
    assert!(matches!(figure(&findings, FigureId::DatabaseTransactionsPerS), Some(Figure::NotCaptured { reason: Some(_) })));
    let reset = databases(60, &[("a", 90)]).replace(",0,\n", ",0,2026-01-02 03:00:30+00\n");
    let files = [file("before.csv", &databases(0, &[("a", 70)])), file("after.csv", &reset)];
    assert_eq!(told(&tell(&files, None)), ["Warning statistics-reset before.csv:1:1 after.csv:1:1"]);
}
