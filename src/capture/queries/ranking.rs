//! Statements added up by text, the most expensive first, named.

use std::collections::{BTreeMap, BTreeSet};

use super::text::{fingerprint, normalised};
use super::{Named, Names, Statement};
use crate::model::record::{Query, QueryClass};
use crate::secrets::masked;

/// How many statements a record keeps.
pub(super) const KEPT: usize = 10;

/// How many characters of a statement's text a record keeps.
const TEXT: usize = 500;

/// A statement with all that several users, servers' numbers and sessions add to it.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    /// Its normalised text; empty where its source tells none.
    pub(super) text: String,
    /// Its time in seconds.
    pub(super) seconds: f64,
    /// How often it ran; `None` where a part of it was not counted.
    pub(super) calls: Option<u64>,
    /// The source's numbers of it, in order.
    pub(super) ids: BTreeSet<String>,
    /// Its name and class.
    pub(super) named: Named,
}

/// Statements by their time, the longest first, equal ones by text. Sums are made in an order that depends on nothing but the
/// statements.
pub(super) fn ranked(statements: Vec<Statement>, names: &Names) -> Vec<Ranked> {
    let mut statements: Vec<(String, Statement)> =
        statements.into_iter().map(|statement| (normalised(&statement.text), statement)).collect();
    statements.sort_by(|(text, a), (other, b)| {
        text.cmp(other).then_with(|| a.id.cmp(&b.id)).then(a.seconds.total_cmp(&b.seconds)).then(a.calls.cmp(&b.calls))
    });
    // Two statements whose text nobody knows are not one.
    let mut sums: BTreeMap<(String, Option<String>), Ranked> = BTreeMap::new();
    for (text, statement) in statements {
        let key = (text.clone(), statement.id.clone().filter(|_| text.is_empty()));
        let sum = sums.entry(key).or_insert_with(|| Ranked {
            named: named(&text, statement.id.as_deref(), names),
            text,
            seconds: 0.0,
            calls: Some(0),
            ids: BTreeSet::new(),
        });
        sum.seconds += statement.seconds;
        sum.calls = sum.calls.zip(statement.calls).and_then(|(all, calls)| all.checked_add(calls));
        sum.ids.extend(statement.id);
    }
    let mut ranked: Vec<Ranked> = sums.into_values().collect();
    ranked.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.text.cmp(&b.text)).then_with(|| a.ids.cmp(&b.ids)));
    ranked
}

fn named(text: &str, id: Option<&str>, names: &Names) -> Named {
    match id.filter(|_| text.is_empty()) {
        Some(id) => Named { name: format!("Statement {id}, whose text is unknown"), class: None, remark: None },
        None => names.of(text),
    }
}

/// The queries of a record: the most expensive statements but those nobody asks about. Of several with one name the first has it,
/// the others say that they are other shapes.
pub(super) fn queries(ranked: &[Ranked]) -> Vec<Query> {
    let mut shapes: BTreeMap<&str, usize> = BTreeMap::new();
    let listed = ranked.iter().filter(|one| one.named.class != Some(QueryClass::Ignored)).take(KEPT);
    listed.map(|one| query(one, *shapes.entry(&one.named.name).and_modify(|shape| *shape += 1).or_insert(0))).collect()
}

fn query(one: &Ranked, shape: usize) -> Query {
    const ORDINALS: [&str; KEPT - 1] = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let name = match shape.checked_sub(1).and_then(|at| ORDINALS.get(at)) {
        Some(ordinal) => {
            let article = if *ordinal == "eighth" { "an" } else { "a" };
            format!("{}, {article} {ordinal} statement shape", one.named.name)
        }
        None => one.named.name.clone(),
    };
    let known = !one.text.is_empty();
    Query {
        seconds: Some(one.seconds),
        class: one.named.class,
        remark: one.named.remark.map(str::to_owned),
        calls: one.calls,
        text: known.then(|| masked(&one.text.chars().take(TEXT).collect::<String>()).into_owned()),
        fingerprint: known.then(|| fingerprint(&one.text)),
        ids: one.ids.iter().cloned().collect(),
        ..Query::named(name)
    }
}
