//! Pages of our own making: every row, both forms, and what is wrong with a page.

use super::*;

const BASKET: &str = include_str!("../../../tests/fixtures/pages/basket.mdx");
const PLAIN: &str = include_str!("../../../tests/fixtures/pages/basket.txt");

fn table(text: &str) -> Record {
    let (draft, _) = read_table(&Source::new("page.mdx", text)).unwrap_or_else(|faults| unreachable!("{faults}"));
    assert!(draft.faults.is_empty(), "{:?}", draft.faults);
    draft.record
}

/// A page with these rows and nothing else.
fn rows(rows: &[(&str, &str)]) -> Record {
    let rows: Vec<String> = rows.iter().map(|(name, value)| format!("| {name} | {value} |\n")).collect();
    let rows = rows.concat();
    table(&format!("# basket benchmark of desk v1\n\n| Metric | Value |\n|--|--|\n| Executed test | basket |\n{rows}"))
}

fn shown(record: &Record) -> String {
    serde_json::to_string_pretty(record).unwrap_or_default()
}

fn faults(text: &str) -> String {
    read(&Source::new("page.mdx", text)).err().map(|faults| faults.to_string()).unwrap_or_default()
}

#[test]
fn a_page_becomes_a_record() {
    insta::assert_snapshot!(shown(&table(BASKET)));
}

#[test]
fn a_page_without_its_markup_becomes_a_record() {
    insta::assert_snapshot!(shown(&table(PLAIN)));
}

#[test]
fn line_ends_do_not_matter() {
    for text in [BASKET, PLAIN] {
        assert_eq!(table(text), table(&text.replace('\n', "\r\n")));
    }
}

#[test]
fn the_k6_block_ends_where_k6_ends() {
    for text in [BASKET, PLAIN] {
        let page = read(&Source::new("page", text)).unwrap_or_else(|faults| unreachable!("{faults}"));
        assert!(page.k6_text.is_some_and(|text| text.trim_end().ends_with("2 VUs  2s")));
        assert_eq!(page.record.k6.map(|summary| summary.iterations.complete), Some(Some(32)));
    }
}

#[test]
fn a_page_is_told_by_its_content() {
    let sniffs = |text: &str| sniff(&Source::new("x", text));
    assert!(sniffs(BASKET) && sniffs(PLAIN) && sniffs("---\ntitle: a benchmark of b v1\n---\nno table\n"));
    assert!(!sniffs("---\ntitle: Benchmarks\n---\nA benchmark of what?\n") && !sniffs("running (30m0s)\n") && !sniffs(""));
}

#[test]
fn a_page_without_a_table_is_a_fault() {
    insta::assert_snapshot!(faults("# basket benchmark of desk v1\n\nNothing yet.\n\n## k6 output\n"));
}

#[test]
fn all_faults_of_a_page_come_out_at_once() {
    let text = "---\ntitle: Basket benchmark of desk v1/2\n---\n\n| Metric | Value |\n|--|--|\n| VUs | 5 |\n| Database location | **here** |\n| database location | there |\n";
    insta::assert_snapshot!(faults(text));
}

#[test]
fn a_k6_block_that_is_cut_is_a_fault_on_its_line() {
    let cut = BASKET.split("http_req_duration").next().unwrap_or_default();
    insta::assert_snapshot!(faults(cut));
}

#[test]
fn a_row_said_twice_the_same_is_read_once() {
    let record = rows(&[("VUs", "600<br/>as ever"), ("VUs", "600<br/>as ever")]);
    assert_eq!(record.notes.len(), 1);
}

#[test]
fn what_has_no_grammar_is_kept_under_its_row() {
    let record = rows(&[
        ("VUs", "many"),
        ("Test start", "yesterday"),
        ("Test duration", "long"),
        ("Desk metrics during test", "CPU: p95 40%<br/>Load: 7"),
        ("Database", "something odd: 3"),
        ("k6 Iterations per second", "about 50"),
        ("Desk feature flags", "improvedPerformance: []"),
        ("Moon", "full"),
    ]);
    let notes: Vec<(&str, &str)> = record.notes.iter().map(|note| (note.place.as_str(), note.text.as_str())).collect();
    assert_eq!(
        notes,
        [
            ("Test start", "yesterday"),
            ("Test duration", "long"),
            ("VUs", "many"),
            ("Service feature flags", "improvedPerformance: []"),
            ("Database", "something odd: 3"),
            ("Service metrics during test", "CPU: p95 40%"),
            ("Service metrics during test", "Load: 7"),
            ("k6 Iterations per second", "about 50"),
            ("Moon", "full"),
        ]
    );
    assert!(record.figures.is_empty() && record.stated.is_empty() && record.environment.service.flags.is_none());
}

#[test]
fn a_number_that_nothing_can_hold_or_nobody_can_tell_is_a_note() {
    let huge = "9".repeat(400);
    let record = rows(&[
        ("Desk container specification", &format!("vCPU: {huge}<br/>Container count: {huge}<br/>Memory: {huge} Gi")),
        ("Database specification", &format!("Made up, x-1<br/>vCPU: {huge}")),
        ("Top 3 most expensive database queries", &format!("1: Find baskets ({huge} s)")),
        ("Desk metrics during test", "CPU: p50 47,5%"),
        ("VUs", "6,00"),
        ("Observed errors", "1,5 of 20 requests failed"),
    ]);
    assert!(record.figures.is_empty() && record.stated.is_empty() && record.errors.is_empty());
    assert_eq!((record.environment.service.container.vcpu, record.environment.database.vcpu), (None, None));
    assert!(record.queries.is_empty());
    assert_eq!(record.notes.len(), 8, "{:?}", record.notes);
}

#[test]
fn a_cell_that_a_bar_cuts_short_loses_nothing() {
    let record = rows(&[("Purpose", "one | two | three")]);
    assert_eq!(record.identity.purpose.as_deref(), Some("one"));
    assert_eq!(record.notes.first().map(|note| note.text.as_str()), Some("two | three"));
}

#[test]
fn the_share_of_lock_wait_is_read_from_what_it_is_a_share_of() {
    use crate::model::catalogue::FigureId::DatabaseLockWaitRatio;
    let share = |outcome: &str, queries: &str| {
        let record = rows(&[("Top 3 most expensive database queries", queries), ("flowchart outcome", outcome)]);
        let value = record.figures.get(DatabaseLockWaitRatio).and_then(|figure| figure.measured().cloned());
        value.map(|value| (value.text(), value.of.unwrap_or_default()))
    };
    let of = |text: &str, of: &str| Some((text.to_owned(), of.to_owned()));
    assert_eq!(share("x. x x 6% of the top-5 query time. x", ""), of("6%", "top-5 query time"));
    assert_eq!(
        share("A. It was 40.2% before and is 9.1%, and lock wait is 9% of the top-5 query time", ""),
        of("9%", "top-5 query time")
    );
    assert_eq!(share("A. A lock costs 41% of database time", ""), of("41%", "database time"));
    assert_eq!(share("A. Baskets are 41% of database time", ""), None);
    assert_eq!(
        share("A. A lock costs 41% of database time", "Advisory lock-wait: 4% of database time in this window"),
        of("4%", "database time")
    );
    assert_eq!(share("Scale<br/>Lock wait: 6.5% of the top-3 query time.", ""), of("6.5%", "top-3 query time"));
    assert_eq!(share("A. Not bound — 35% of database time is lock wait", ""), of("35%", "database time"));
    assert_eq!(share("A. Lock wait is < 1% of database time", ""), None);
    assert_eq!(share("Scale. 97% CPU", ""), None);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let queries = ("Top 3 most expensive database queries", "1: A (12 s)<br/>Advisory-lock wait: 3% of the database time.");
    let outcome = ("flowchart outcome", "Scale. 3% of database time is lock wait.");
    let (one, other) = (rows(&[queries, outcome]), rows(&[outcome, queries]));
    assert_eq!((one.figures, one.notes), (other.figures, other.notes));
}

#[test]
fn a_k6_block_without_its_heading_is_k6s() {
    let text = BASKET.replace("## k6 output\n", "");
    assert!(text.len() < BASKET.len());
    let page = read(&Source::new("page.mdx", text)).unwrap_or_else(|faults| unreachable!("{faults}"));
    assert!(page.record.k6.is_some());
}

#[test]
fn what_this_program_computed_is_not_taken_for_recorded() {
    let record = rows(&[
        ("flowchart outcome", "Computed by the flow practice: Scale (database). At 97%."),
        ("Observed errors", "As k6 counted: 5 of 10 requests failed (50%)"),
    ]);
    assert_eq!(record.recorded, None);
    assert!(record.errors.is_empty() && record.notes.is_empty());
    let record = rows(&[(
        "flowchart outcome",
        "Scale. So be it.<br/>Set by hand: done. We stop.<br/>Computed by the flow practice: Done",
    )]);
    assert_eq!(record.recorded.map(|r| (r.label, r.message)), Some(("Scale".to_owned(), "So be it.".to_owned())));
}

#[test]
fn every_pattern_compiles() {
    // A pattern compiles when it is first used; a full page uses them all, a page of gibberish tries every alternative.
    let names = crate::model::page::PageRow::ALL.map(|row| row.name("Desk", 3));
    let gibberish: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "zz 7 zz. Zz: zz (7)")).collect();
    rows(&gibberish[..5]);
    let record = rows(&gibberish.iter().filter(|(name, _)| *name != "Executed test").copied().collect::<Vec<_>>());
    assert!(record.notes.len() >= 10);
}

#[test]
fn no_cut_makes_it_panic() {
    for text in [BASKET, PLAIN] {
        for (at, _) in text.char_indices().step_by(7) {
            let cut = Source::new("cut", &text[..at]);
            let _ = (sniff(&cut), read_table(&cut).is_ok());
        }
    }
}

#[test]
fn errors_are_read_in_any_mix_of_sentences_and_prose() {
    let read = |text: &str| rows(&[("Observed errors", text)]);
    let record = read(
        "5,432 of 1,234,567 requests failed (0.44%): 5,400x HTTP 429 (Rate exceeded, plain text), 32x not individually logged (see k6 output). 12 iterations aborted on an empty answer. 99 of 3,000 checks failed (3.30%): a, b (98 failed), c status ok (1 failed)<br/>All of it in two minutes: 76 of 80 requests failed there.",
    );
    let errors = &record.errors;
    let kinds: Vec<(u64, &str)> = errors.kinds.iter().map(|kind| (kind.count, kind.what.as_str())).collect();
    assert_eq!(kinds, [(5_400, "HTTP 429 (Rate exceeded, plain text)"), (32, "not individually logged")]);
    assert_eq!(errors.aborted_iterations.first().map(|kind| kind.count), Some(12));
    let checks: Vec<(u64, &str)> = errors.failed_checks.iter().map(|kind| (kind.count, kind.what.as_str())).collect();
    assert_eq!(checks, [(98, "a, b"), (1, "c status ok")]);
    assert_eq!(record.notes.len(), 1, "{:?}", record.notes);
    let record = read("0 of 10 requests failed. 3 of 20 checks failed: x (3).");
    assert_eq!(
        record.errors.requests.as_ref().map(|share| (share.count, share.of, share.printed.is_none())),
        Some((0, 10, true))
    );
    assert_eq!((record.errors.failed_checks.len(), record.notes.len()), (1, 0));
    let record = read("Nothing to speak of; 3 of 7 hosts were slow");
    assert!(record.errors.is_empty() && record.notes.len() == 1);
    assert!(read("None.").errors.none);
    let record = read("none<br/>Two restarts at 13:00");
    assert!(record.errors.none && record.notes.len() == 1);
    assert_eq!(read("1 of 2 requests failed (50%) — in the last second").notes.len(), 1);
}

#[test]
fn what_a_number_goes_on_as_is_not_cut_off() {
    let record = rows(&[("Desk container specification", "vCPU: 2000m<br/>Memory: 6Gi")]);
    assert_eq!(record.environment.service.container.vcpu, None);
    assert_eq!(record.notes.first().map(|note| note.text.as_str()), Some("vCPU: 2000m"));
    let record = rows(&[
        ("VUs", "1.2k"),
        ("k6 Iterations per second", "1388–1400"),
        ("flowchart outcome", "Scale. Lock wait is 35–40% of database time"),
    ]);
    assert!(record.stated.is_empty() && record.figures.is_empty() && record.notes.len() == 2, "{:?}", record.notes);
    let record = rows(&[("Top 3 most expensive database queries", "1. A (4,714 s)<br/>2) B (1,5 s)")]);
    assert_eq!(record.queries.first().and_then(|query| query.seconds), Some(4714.0));
    assert_eq!((record.queries.len(), record.notes.len()), (1, 1));
}

#[test]
fn metrics_are_read_with_parts_missing_and_in_any_order() {
    use crate::model::catalogue::FigureId::{
        ContainerCpuP50, ContainerCpuPeak, ContainerInstancesMax, ContainerInstancesMin, ContainerInstancesStartups,
        DatabaseConnections, DatabaseCpuMedian, DatabaseIopsWrite, PoolAcquires, PoolEmptyRatio, PoolMeanWait, ServerLatencyP99,
        ServerRequestsPerS,
    };
    let read = |text: &str, id: crate::model::catalogue::FigureId| {
        let record = rows(&[("Desk metrics during test", text), ("Database metrics during test", text)]);
        record.figures.get(id).and_then(|figure| figure.measured()).map(crate::model::figure::Measurement::text)
    };
    for (text, id, printed) in [
        ("Memory: peak 5%<br/>CPU: peak 44 %, p50 18.5%", ContainerCpuPeak, "44 %"),
        ("cpu: p50: 18.5%", ContainerCpuP50, "18.5%"),
        ("Instances: 2-5", ContainerInstancesMin, "2"),
        ("Instances: 3 (2 - 5), 2 container startups", ContainerInstancesMax, "5"),
        ("Instances: 3 (2 to 5), 1,200 container startups recorded", ContainerInstancesStartups, "1,200"),
        ("Server-side: latency p50 1.5s / p99 1m2s", ServerLatencyP99, "1m2s"),
        ("Connection pool: 4% of acquires found it empty", PoolEmptyRatio, "4%"),
        ("Connection pool (MaxOpenConns: 6): 4% of 12 acquires found the pool empty", PoolAcquires, "12"),
        ("Connection pool: mean wait 2 ms", PoolMeanWait, "2 ms"),
        ("CPU: median 51%, peak 52%", DatabaseCpuMedian, "51%"),
        ("Connections: 1,046", DatabaseConnections, "1,046"),
        ("Instances: median 3 (2–5), 1 container startup", ContainerInstancesStartups, "1"),
        ("Instances: 2–5, 1 container startup", ContainerInstancesMax, "5"),
        ("Instances: 2 → 5", ContainerInstancesMin, "2"),
        ("Connection pool (6 per container): 4% of 12 acquires found it empty", PoolEmptyRatio, "4%"),
        ("CPU p50 18.5%, peak 44%", ContainerCpuPeak, "44%"),
        ("Server-side latency: p99 1m2s, 9,391 req/s", ServerRequestsPerS, "9,391 req/s"),
        ("CPU median 51%, Connections 46, IOPS 12 read, 10 write", DatabaseIopsWrite, "10"),
    ] {
        assert_eq!(read(text, id).as_deref(), Some(printed), "{text}");
    }
    for text in ["Connections: 46–50", "Connections: 1.2k", "Connections: 47 / 200"] {
        assert_eq!(read(text, DatabaseConnections), None, "{text}");
    }
    assert_eq!(read("IOPS: read 3–5, write 7", DatabaseIopsWrite), None);
    assert_eq!(read("Memory: 61,2%", crate::model::catalogue::FigureId::DatabaseMemory), None);
    assert_eq!(read("Memory: 1 GB", crate::model::catalogue::FigureId::DatabaseMemory), None);
    assert_eq!(read("Server-side: latency p99 5", ServerLatencyP99), None);
}
