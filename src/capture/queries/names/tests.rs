use super::super::text::normalised;
use super::*;

fn of(text: &str) -> Named {
    Names::built_in().of(&normalised(text))
}

/// Invented statements of the shapes that the rules know, in the order of the rules.
const KNOWN: &[(&str, &str, QueryClass)] = &[
    (
        "SELECT pg_advisory_xact_lock(hashtext($1), hashtext('a'))",
        "Projection handler lock (`pg_advisory_xact_lock`)",
        QueryClass::LockWait,
    ),
    (
        "select pg_try_advisory_xact_lock(hashtext($1), hashtext($2))",
        "Projection handler try-lock (`pg_try_advisory_xact_lock`)",
        QueryClass::Work,
    ),
    (
        "select pg_advisory_lock('x'::REGCLASS::OID::INTEGER, hashtext($1)), pg_advisory_unlock($2::REGCLASS::OID::INTEGER, 1)",
        "Eventstore read barrier on `events2` (`pg_advisory_lock` / `unlock`)",
        QueryClass::LockWait,
    ),
    (
        "select pg_advisory_xact_lock_shared($1::regclass::oid, hashtext($2))",
        "Shared advisory lock on `events2`, taken by every push",
        QueryClass::LockWait,
    ),
    ("select a from eventstore.push($1::eventstore.command2[])", "Push events (`eventstore.push`)", QueryClass::Work),
    (
        "select created_at, event_type, payload, b from eventstore.events2 where a = 1",
        "Query events (`eventstore.events2`)",
        QueryClass::Work,
    ),
    ("select \"position\" from eventstore.events2 limit 1", "Latest event position (`eventstore.events2`)", QueryClass::Work),
    (
        "select aggregate_id from projections.current_states where a = 1 for no key update",
        "Projection state (`projections.current_states`)",
        QueryClass::Work,
    ),
    (
        "insert into projections.current_states (a) values (1)",
        "Write projection state (`projections.current_states`)",
        QueryClass::Work,
    ),
    (
        "select u.id from projections.users14 u join projections.login_names3 l on true",
        "User with preferred login name (token and userinfo path)",
        QueryClass::Work,
    ),
    ("with client as (select c.instance_id from x c) select 1", "OIDC client with keys and settings", QueryClass::Work),
    ("select a from projections.apps7 where b", "OIDC application with project checks (`projections.apps7`)", QueryClass::Work),
    ("update projections.orgs1 set a = 1", "Reduce into projection (orgs1)", QueryClass::Work),
    ("COMMIT", "Transaction control", QueryClass::Ignored),
    ("set search_path = a", "Transaction control", QueryClass::Ignored),
    ("select pg_advisory_lock(hashtext('a'), 1)", "Advisory lock (`pg_advisory_lock`)", QueryClass::LockWait),
    ("select pg_advisory_xact_lock($1)", "Advisory lock (`pg_advisory_xact_lock`)", QueryClass::LockWait),
    ("lock table a.b in access exclusive mode", "Lock table (a.b)", QueryClass::LockWait),
];

#[test]
fn the_built_in_rules_name_what_they_know() {
    for (text, name, class) in KNOWN {
        assert_eq!(of(text), Named { name: (*name).to_owned(), class: Some(*class), remark: None }, "{text}");
    }
}

#[test]
fn a_lock_that_also_reads_is_work_with_a_remark() {
    let named = of("select a from projections.current_states where b = 1 for update nowait");
    assert_eq!(named.name, "Lock projection state (`projections.current_states` FOR UPDATE)");
    assert_eq!((named.class, named.remark), (Some(QueryClass::Work), Some("its time may be a wait for a lock")));
}

#[test]
fn what_no_rule_knows_has_no_class() {
    for text in [
        "select a from t",
        "select pg_advisory_lock(1), count(*) from t",
        "select pg_try_advisory_lock(1)",
        "lock table a in share mode nowait",
        "analyze",
    ] {
        assert_eq!(of(text).class, None, "{text}");
    }
}

#[test]
fn a_projects_own_rules_come_first() {
    let own =
        "version = 1\n[[rule]]\nname = \"Mine {1} and {2}\"\nclass = \"work\"\nregex = '^(begin|commit)(x)?'\nsince = \"v1\"\n";
    let names = Names::read(&Source::new("queries.toml", own)).unwrap_or_else(|faults| unreachable!("{faults}"));
    assert_eq!(names.of("begin").name, "Mine begin and ");
    assert_eq!(names.of("rollback").name, "Transaction control");
}

#[test]
fn all_faults_of_a_rule_file_come_out_at_once() {
    let own = "schema = 2\nversion = 3\nrules = 1\n[[rule]]\nname = \"{2}\"\nclass = \"lockwait\"\nregex = '('\n\
        [[rule]]\nname = \"a {2}\"\nclass = 1\nregex = '(a)'\nsicne = \"v1\"\n[[rule]]\nname = \" \"\n";
    let faults = Names::read(&Source::new("queries.toml", own)).err().unwrap_or_else(|| unreachable!("it has faults"));
    insta::assert_snapshot!(faults.to_string());
}
