use super::*;
use crate::model::record::Query;

fn statement(text: &str, seconds: f64, calls: u64, id: &str) -> Statement {
    Statement { text: text.to_owned(), seconds, calls: Some(calls), id: Some(id.to_owned()) }
}

fn told() -> Told {
    Told {
        source: "pg_stat_statements".to_owned(),
        method: "after - before".to_owned(),
        files: vec!["a.csv".to_owned(), "b.csv".to_owned()],
        window_s: Some(60.0),
        lacking: None,
    }
}

fn telling(statements: Vec<Statement>) -> Findings {
    tell(statements, &told(), &Names::built_in())
}

fn figure(findings: &Findings, id: FigureId) -> &Figure {
    let found = findings.figures.iter().find(|candidate| candidate.id == id);
    found.map_or_else(|| unreachable!("there is a figure {id}"), |candidate| &candidate.figure)
}

fn observed(findings: &Findings, name: &str) -> Option<f64> {
    findings.observed.iter().find(|observation| observation.name == name).map(|observation| observation.measurement.value)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn sample() -> Vec<Statement> {
    vec![
        statement("select pg_advisory_xact_lock($1)", 6.0, 10, "5"),
        statement("SELECT a FROM t WHERE b = $1", 1.0, 3, "7"),
        statement("select a from t where b = 'other'", 2.0, 4, "-9"),
        statement("select b from t", 0.5, 1, "8"),
        statement("commit", 0.5, 100, "1"),
    ]
}

#[test]
fn one_text_is_one_statement_and_another_shape_says_so() {
    let findings = telling(sample());
    let names: Vec<&str> = findings.queries.iter().map(|query| query.name.as_str()).collect();
    assert_eq!(names, ["Advisory lock (`pg_advisory_xact_lock`)", "SELECT from t", "SELECT from t, a second statement shape"]);
    let Query { seconds, calls, class, text, ids, fingerprint, .. } = &findings.queries[1];
    assert_eq!((*seconds, *calls, *class), (Some(3.0), Some(7), None));
    assert_eq!(text.as_deref(), Some("select a from t where b = ?"));
    assert_eq!(ids, &["-9", "7"]);
    assert_eq!(fingerprint.as_ref().map(String::len), Some(16));
}

#[test]
fn shares_are_of_all_time_transaction_control_included() {
    let findings = telling(sample());
    let time = findings.database_time.clone().unwrap_or_else(|| unreachable!("it has a total"));
    assert!(near(time.total_s, 10.0) && near(time.lock_wait_s, 6.0) && near(time.ignored_s, 0.5));
    assert_eq!((time.statements, time.window_s), (4, Some(60.0)));
    for id in [FigureId::DatabaseLockWaitRatio, FigureId::DatabaseTopQueryRatio] {
        let measured = figure(&findings, id).measured().unwrap_or_else(|| unreachable!("it is measured"));
        assert!(near(measured.value, 0.6));
        assert_eq!(measured.of.as_deref(), Some("database time"));
        assert_eq!(measured.files, ["a.csv", "b.csv"]);
    }
    assert_eq!(observed(&findings, "query time"), Some(10_000.0));
    assert_eq!(observed(&findings, "lock-wait time"), Some(6_000.0));
    assert_eq!(observed(&findings, "transaction control"), Some(500.0));
    assert_eq!(observed(&findings, "time of statements that no rule knows"), Some(3_500.0));
    assert!(observed(&findings, "lock-wait share of the top 5").is_some_and(|share| near(share, 6.0 / 9.5)));
}

#[test]
fn a_lower_bound_is_incomplete() {
    let told = Told { lacking: Some("the counters began anew".to_owned()), ..told() };
    let findings = tell(sample(), &told, &Names::built_in());
    let Figure::Incomplete(measurement) = figure(&findings, FigureId::DatabaseLockWaitRatio) else {
        unreachable!("it is incomplete")
    };
    assert_eq!(measurement.lacking.as_deref(), Some("the counters began anew"));
}

#[test]
fn one_statement_or_no_time_gives_no_share() {
    for statements in
        [vec![], vec![statement("select a from t", 1.0, 1, "1")], vec![statement("a", 0.0, 0, "1"), statement("b", 0.0, 0, "2")]]
    {
        let findings = telling(statements);
        for id in [FigureId::DatabaseLockWaitRatio, FigureId::DatabaseTopQueryRatio] {
            assert!(matches!(figure(&findings, id), Figure::NotCaptured { reason: Some(_) }));
        }
    }
    assert_eq!(telling(vec![]).database_time, None);
    assert_eq!(telling(vec![statement("select a from t", 1.0, 1, "1")]).queries.len(), 1);
}

#[test]
fn a_time_that_cannot_be_is_left_out_with_a_warning() {
    let mut statements = sample();
    statements.push(statement("select c from t", -1.0, 1, "4"));
    statements.push(statement("select d from t", f64::NAN, 1, "4"));
    let findings = telling(statements);
    assert_eq!(findings.told.iter().map(|told| told.code).collect::<Vec<_>>(), ["bad-statement-time"]);
    assert_eq!(findings.queries.len(), 3);
    assert!(matches!(figure(&findings, FigureId::DatabaseLockWaitRatio), Figure::Incomplete(_)));
}

#[test]
fn calls_that_nobody_counted_are_unknown_not_zero() {
    let mut statements = sample();
    statements[1].calls = None;
    let findings = telling(statements);
    assert_eq!(findings.queries.iter().map(|query| query.calls).collect::<Vec<_>>(), [Some(10), None, Some(1)]);
}

#[test]
fn statements_without_a_text_are_not_one() {
    let findings = telling(vec![statement("", 1.0, 1, "4"), statement("-- a", 2.0, 1, "5"), statement("", 1.0, 1, "4")]);
    assert_eq!(findings.queries.len(), 2);
    assert_eq!(findings.queries[0].name, "Statement 4, whose text is unknown");
    assert_eq!((&findings.queries[0].text, &findings.queries[0].fingerprint), (&None, &None));
}

#[test]
fn the_order_of_statements_changes_nothing() {
    let statements: Vec<Statement> =
        (0..40_u32).map(|at| statement(&format!("select a{} from t", at % 13), 0.1 * f64::from(at) + 0.01, 1, "1")).collect();
    let backward = statements.iter().rev().cloned().collect();
    let (one, other) = (telling(statements), telling(backward));
    assert_eq!(one.queries, other.queries);
    assert_eq!(one.queries.len(), 10);
    assert_eq!(one.queries[7].name, "SELECT from t, an eighth statement shape");
    assert_eq!((one.database_time, one.figures, one.observed), (other.database_time, other.figures, other.observed));
}

#[test]
fn a_text_is_kept_in_part_and_its_fingerprint_is_of_all() {
    let long = format!("select {} from t", "a, ".repeat(400));
    let findings = telling(vec![statement(&long, 1.0, 1, "1"), statement(&long.replace(" t", " u"), 1.0, 1, "2")]);
    assert!(findings.queries.iter().all(|query| query.text.as_ref().is_some_and(|text| text.chars().count() == 500)));
    assert_ne!(findings.queries[0].fingerprint, findings.queries[1].fingerprint);
}
