//! The most expensive queries of two runs, matched.

use std::cmp::Ordering;

use crate::diff::writing;
use crate::model::comparison::{Matched, Presence, QueryChange};
use crate::model::record::{Query, Record};

/// The most expensive queries of both runs, matched by normalised text, else by name: the largest share of time on either side
/// first, those without a share by their seconds, those without either in the order of the lists.
///
/// A record lists no more than its most expensive statements (ten of a capture, three of a published page), so a query that is new or
/// gone is so *among those*: it may have run on the other side below the end of the list. Where one side lists nothing, nobody
/// looked: nothing is new or gone, and nothing is told.
///
/// Queries of one side with the same text are one, their times and calls added: servers list one statement under several numbers.
/// So are those of one name whose texts nobody knows. Queries whose texts differ are never added up, even under one name: the sum
/// would be no statement's time. By name match what a page lists (it has names alone), and two statements with other texts that a
/// rule of names gave the same name: a rule says what a statement is for, and its text may change from release to release. A name
/// that was made of verb and table says too little for that, and a name that several statements of a side bear tells none of them.
///
/// Name and text are those of `b` where the two differ.
#[must_use]
pub fn queries(a: &Record, b: &Record) -> Vec<QueryChange> {
    let (side_a, side_b) = (listed(a), listed(b));
    if side_a.is_empty() || side_b.is_empty() {
        return Vec::new();
    }
    let mut rows = matched(side_a, side_b);
    rows.sort_by(Row::order);
    rows.into_iter().map(Row::change).collect()
}

/// A query of one side, all that the side lists of it together.
struct Listed<'r> {
    query: &'r Query,
    /// Where it stands in the list.
    rank: usize,
    seconds: Option<f64>,
    calls: Option<u64>,
    share: Option<f64>,
}

/// A query on one side or both.
struct Row<'r> {
    a: Option<Listed<'r>>,
    b: Option<Listed<'r>>,
    matched: Option<Matched>,
}

fn listed(record: &Record) -> Vec<Listed<'_>> {
    let mut side: Vec<Listed<'_>> = Vec::new();
    for (rank, query) in record.queries.iter().enumerate() {
        match side.iter_mut().find(|one| is_same_text(one.query, query) || is_same_bare_name(one.query, query)) {
            Some(one) => {
                one.seconds = one.seconds.zip(query.seconds).map(|(sum, more)| sum + more);
                one.calls = one.calls.zip(query.calls).and_then(|(sum, more)| sum.checked_add(more));
            }
            None => side.push(Listed { query, rank, seconds: query.seconds, calls: query.calls, share: None }),
        }
    }
    let total = record.database_time.as_ref().map(|time| time.total_s).filter(|total| *total > 0.0);
    for one in &mut side {
        one.seconds = one.seconds.filter(|seconds| seconds.is_finite());
        one.share = one.seconds.zip(total).map(|(seconds, total)| seconds / total).filter(|share| share.is_finite());
    }
    side
}

/// Pairs what is the same: all that match by text before any that match by name.
fn matched<'r>(side_a: Vec<Listed<'r>>, side_b: Vec<Listed<'r>>) -> Vec<Row<'r>> {
    let (mut rows, mut left_a, mut left_b) = (Vec::new(), Vec::new(), side_b);
    for a in side_a {
        match left_b.iter().position(|b| is_same_text(a.query, b.query)) {
            Some(at) => rows.push(Row { a: Some(a), b: Some(left_b.remove(at)), matched: Some(Matched::Text) }),
            None => left_a.push(a),
        }
    }
    let names_a: Vec<String> = left_a.iter().map(name_of).collect();
    let names_b: Vec<String> = left_b.iter().map(name_of).collect();
    let is_single = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count() == 1;
    for (a, name) in left_a.into_iter().zip(&names_a) {
        let is_its = |b: &Listed<'_>| name_of(b) == *name && may_be_renamed(a.query, b.query);
        let is_clear = is_single(&names_a, name) && is_single(&names_b, name);
        let found = left_b.iter().position(is_its).filter(|_| is_clear);
        let b = found.map(|at| left_b.remove(at));
        let matched = b.as_ref().map(|_| Matched::Name);
        rows.push(Row { a: Some(a), b, matched });
    }
    rows.extend(left_b.into_iter().map(|b| Row { a: None, b: Some(b), matched: None }));
    rows
}

fn name_of(one: &Listed<'_>) -> String {
    writing::name(&one.query.name)
}

/// By the fingerprint, which is of the whole text; by the text, which may be cut, only where one side has no fingerprint.
fn is_same_text(a: &Query, b: &Query) -> bool {
    match (&a.fingerprint, &b.fingerprint) {
        (Some(a), Some(b)) => a == b,
        _ => a.text.is_some() && a.text == b.text,
    }
}

fn has_text(query: &Query) -> bool {
    query.text.is_some() || query.fingerprint.is_some()
}

fn is_same_bare_name(a: &Query, b: &Query) -> bool {
    !has_text(a) && !has_text(b) && writing::name(&a.name) == writing::name(&b.name)
}

/// Whether two queries of one name and not of one text can be the same: one text is unknown, or a rule gave both names. Only a rule
/// gives a captured statement a class.
fn may_be_renamed(a: &Query, b: &Query) -> bool {
    !has_text(a) || !has_text(b) || (a.class.is_some() && b.class.is_some())
}

impl Row<'_> {
    fn largest(&self, of: fn(&Listed<'_>) -> Option<f64>) -> Option<f64> {
        [&self.a, &self.b].into_iter().flatten().filter_map(of).max_by(f64::total_cmp)
    }

    /// Where it stands in the list that has it higher.
    fn rank(&self) -> Option<usize> {
        [&self.a, &self.b].into_iter().flatten().map(|one| one.rank).min()
    }

    /// The query as it is told.
    fn told(&self) -> Option<&Listed<'_>> {
        self.b.as_ref().or(self.a.as_ref())
    }

    fn order(&self, other: &Self) -> Ordering {
        let falling = |of: fn(&Listed<'_>) -> Option<f64>| falling(self.largest(of), other.largest(of));
        let words = |row: &Self| row.told().map(|one| (one.query.name.clone(), one.query.fingerprint.clone()));
        falling(|one| one.share)
            .then_with(|| falling(|one| one.seconds))
            .then_with(|| self.rank().cmp(&other.rank()))
            .then_with(|| words(self).cmp(&words(other)))
    }

    fn change(self) -> QueryChange {
        let presence = match (&self.a, &self.b) {
            (Some(_), None) => Presence::Gone,
            (None, _) => Presence::New,
            (Some(_), Some(_)) => Presence::Both,
        };
        let text = |one: &Option<Listed<'_>>| one.as_ref().and_then(|one| one.query.text.clone());
        QueryChange {
            name: self.told().map(|one| one.query.name.clone()).unwrap_or_default(),
            presence,
            share_a: self.a.as_ref().and_then(|one| one.share),
            share_b: self.b.as_ref().and_then(|one| one.share),
            seconds_a: self.a.as_ref().and_then(|one| one.seconds),
            seconds_b: self.b.as_ref().and_then(|one| one.seconds),
            calls_a: self.a.as_ref().and_then(|one| one.calls),
            calls_b: self.b.as_ref().and_then(|one| one.calls),
            text: text(&self.b).or_else(|| text(&self.a)),
            matched: self.matched,
        }
    }
}

/// The larger number first, what is unknown last.
fn falling(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::{DatabaseTime, QueryClass};

    fn record(total_s: Option<f64>, queries: Vec<Query>) -> Record {
        let mut record = Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")));
        record.queries = queries;
        record.database_time = total_s.map(|total_s| DatabaseTime {
            total_s,
            lock_wait_s: 0.0,
            ignored_s: 0.0,
            statements: 44,
            window_s: None,
            source: "pg_stat_statements".to_owned(),
            method: "differences".to_owned(),
        });
        record
    }

    fn query(name: &str, seconds: f64, text: &str) -> Query {
        let fingerprint = Some(format!("f({text})"));
        Query { seconds: Some(seconds), calls: Some(10), text: Some(text.to_owned()), fingerprint, ..Query::named(name) }
    }

    fn of_rule(name: &str, seconds: f64, text: &str) -> Query {
        Query { class: Some(QueryClass::Work), ..query(name, seconds, text) }
    }

    fn timed(name: &str, seconds: f64) -> Query {
        Query { seconds: Some(seconds), ..Query::named(name) }
    }

    fn told(changes: &[QueryChange]) -> Vec<(&str, Presence, Option<Matched>)> {
        changes.iter().map(|change| (change.name.as_str(), change.presence, change.matched)).collect()
    }

    #[test]
    fn the_same_text_under_two_names_is_one_query() {
        let a = record(Some(10.0), vec![query("INSERT into events", 5.0, "insert")]);
        let b = record(Some(4.0), vec![query("Push an event", 3.0, "insert")]);
        let found = queries(&a, &b);
        assert_eq!(told(&found), [("Push an event", Presence::Both, Some(Matched::Text))]);
        assert_eq!((found[0].share_a, found[0].share_b), (Some(0.5), Some(0.75)));
        assert_eq!((found[0].seconds_a, found[0].calls_b), (Some(5.0), Some(10)));
    }

    #[test]
    fn one_text_under_two_numbers_of_a_server_is_one_and_added_up() {
        let a = record(Some(10.0), vec![query("Push", 4.0, "insert"), query("Push", 2.0, "insert")]);
        let b = record(Some(10.0), vec![query("Push", 3.0, "insert")]);
        let found = queries(&a, &b);
        assert_eq!((found.len(), found[0].seconds_a, found[0].calls_a), (1, Some(6.0), Some(20)));
        assert_eq!((found[0].share_a, found[0].share_b), (Some(0.6), Some(0.3)));
    }

    #[test]
    fn an_unknown_part_makes_the_sum_unknown() {
        let bare = Query { seconds: None, calls: None, ..query("Push", 0.0, "insert") };
        let a = record(Some(10.0), vec![query("Push", 4.0, "insert"), bare]);
        let found = queries(&a, &a);
        assert_eq!((found[0].seconds_a, found[0].calls_a, found[0].share_a), (None, None, None));
    }

    #[test]
    fn a_cut_text_is_no_match_where_fingerprints_differ() {
        let cut = |digits: &str| Query { fingerprint: Some(digits.to_owned()), ..query("SELECT from t", 1.0, "select ...") };
        let found = queries(&record(None, vec![cut("1")]), &record(None, vec![cut("2")]));
        assert_eq!(found.iter().map(|change| change.presence).collect::<Vec<_>>(), [Presence::Gone, Presence::New]);
        let without = Query { fingerprint: None, ..cut("1") };
        let found = queries(&record(None, vec![without]), &record(None, vec![cut("2")]));
        assert_eq!(told(&found), [("SELECT from t", Presence::Both, Some(Matched::Text))]);
    }

    #[test]
    fn pages_match_by_name() {
        let name = "Push events (eventstore.push)";
        let a = record(None, vec![timed(name, 5059.0), timed("Query events", 3497.0)]);
        let b = record(None, vec![timed(name, 2683.0), timed("Users with their login names", 295.0)]);
        let found = queries(&a, &b);
        let wanted = [
            (name, Presence::Both, Some(Matched::Name)),
            ("Query events", Presence::Gone, None),
            ("Users with their login names", Presence::New, None),
        ];
        assert_eq!(told(&found), wanted);
        assert_eq!((found[0].share_a, found[0].seconds_a, found[0].seconds_b), (None, Some(5059.0), Some(2683.0)));
        // A page against a capture: the name is all that the two have in common.
        let captured = record(Some(10.0), vec![of_rule(name, 6.0, "with commands as (?) insert")]);
        assert_eq!(queries(&a, &captured)[0].matched, Some(Matched::Name));
    }

    #[test]
    fn a_name_of_verb_and_table_does_not_join_two_texts_and_one_of_a_rule_does() {
        let (a, b) = ("select id from users", "select org from users");
        let bare = |text| record(Some(1.0), vec![query("SELECT from users", 0.5, text)]);
        assert_eq!(queries(&bare(a), &bare(b)).len(), 2);
        let ruled = |text| record(Some(1.0), vec![of_rule("Profile of a user", 0.5, text)]);
        let found = queries(&ruled(a), &ruled(b));
        assert_eq!(told(&found), [("Profile of a user", Presence::Both, Some(Matched::Name))]);
        assert_eq!(found[0].text.as_deref(), Some(b));
    }

    #[test]
    fn two_statements_of_one_name_are_not_added_up_and_the_name_tells_neither() {
        let a = record(Some(10.0), vec![of_rule("Push", 5.0, "insert 1"), of_rule("Push", 2.0, "insert 2")]);
        let b = record(Some(10.0), vec![of_rule("Push", 4.0, "insert 3")]);
        let found = queries(&a, &b);
        assert_eq!(
            found.iter().map(|change| change.presence).collect::<Vec<_>>(),
            [Presence::Gone, Presence::New, Presence::Gone]
        );
        let pages = record(None, vec![timed("get app", 5.0), timed("get app", 2.0)]);
        assert_eq!(queries(&pages, &pages)[0].seconds_a, Some(7.0));
    }

    #[test]
    fn the_largest_share_on_either_side_comes_first() {
        let a = record(Some(10.0), vec![query("x", 6.0, "1"), query("y", 3.0, "2"), query("z", 1.0, "3")]);
        let b = record(Some(1000.0), vec![query("z", 900.0, "3"), query("w", 50.0, "4")]);
        let names = |changes: &[QueryChange]| changes.iter().map(|change| change.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&queries(&a, &b)), ["z", "x", "y", "w"]);
        assert_eq!(names(&queries(&b, &a)), ["z", "x", "y", "w"]);
        // Lists of names alone keep their order.
        let untimed = |of: [&str; 2]| record(None, of.map(Query::named).to_vec());
        assert_eq!(names(&queries(&untimed(["b", "a"]), &untimed(["b", "a"]))), ["b", "a"]);
    }

    #[test]
    fn where_nobody_looked_nothing_is_new_or_gone() {
        let a = record(Some(10.0), vec![query("x", 6.0, "1")]);
        assert!(queries(&a, &record(None, Vec::new())).is_empty());
        assert!(queries(&record(None, Vec::new()), &a).is_empty());
        assert_eq!(queries(&record(Some(0.0), vec![query("x", 0.0, "1")]), &a)[0].share_a, None);
    }
}
