//! The name of a statement that no rule knows: its verb and its table, as far as both can be told.

use std::collections::BTreeSet;

use super::text::fingerprint;
use crate::secrets::masked;

/// A word of a statement and how many brackets are open around it.
struct Word<'a> {
    text: &'a str,
    depth: usize,
    /// Whether a `.` follows that leads nowhere: the name was cut.
    cut: bool,
}

/// A name like `SELECT from user_profiles`, `INSERT into events`, `UPDATE sessions`, `CALL tidy_up`, `SELECT pg_sleep()`; where no
/// table can be told the first 60 characters and four digits of the fingerprint.
pub(super) fn name(normalised: &str) -> String {
    let words = words(normalised);
    let name = told(normalised, &words).unwrap_or_else(|| beginning(normalised));
    masked(&name).into_owned()
}

/// The first characters of a text, and what tells it from others that begin alike.
fn beginning(normalised: &str) -> String {
    let first: String = normalised.chars().take(60).collect();
    let digits: String = fingerprint(normalised).chars().take(4).collect();
    format!("{} #{digits}", first.trim_end()).trim_start().to_owned()
}

fn told(text: &str, words: &[Word<'_>]) -> Option<String> {
    let first = words.first().filter(|word| word.depth == 0)?;
    let verb = if first.text == "with" { main_verb(words)? } else { 0 };
    match words[verb].text {
        "select" => read_from(words)
            .map(|table| format!("SELECT from {table}"))
            .or_else(|| function(text).map(|f| format!("SELECT {f}()"))),
        "delete" => after(words, verb, &["from", "only"]).map(|table| format!("DELETE from {table}")),
        "insert" => after(words, verb, &["into"]).map(|table| format!("INSERT into {table}")),
        "merge" => after(words, verb, &["into", "only"]).map(|table| format!("MERGE into {table}")),
        "update" => after(words, verb, &["only"]).map(|table| format!("UPDATE {table}")),
        "truncate" => after(words, verb, &["table", "only"]).map(|table| format!("TRUNCATE {table}")),
        "call" => after(words, verb, &[]).map(|procedure| format!("CALL {procedure}")),
        "copy" if text.starts_with("copy (") => read_from(words).map(|table| format!("COPY (SELECT from {table})")),
        "copy" => after(words, verb, &[]).map(|table| format!("COPY {table}")),
        _ => None,
    }
}

/// The statement behind a `with` and its queries in brackets.
fn main_verb(words: &[Word<'_>]) -> Option<usize> {
    words.iter().position(|word| word.depth == 0 && ["select", "insert", "update", "delete", "merge"].contains(&word.text))
}

/// The name behind a verb and words that may stand between.
fn after<'a>(words: &[Word<'a>], verb: usize, between: &[&str]) -> Option<&'a str> {
    let named = words.get(verb + 1..)?.iter().find(|word| !between.contains(&word.text))?;
    is_table(named).then_some(named.text)
}

/// What a query reads first: of the outermost query, else of one in brackets; the names that `with` gives are no tables.
fn read_from<'a>(words: &[Word<'a>]) -> Option<&'a str> {
    let own: BTreeSet<&str> = words.windows(2).filter(|pair| pair[1].text == "as").map(|pair| pair[0].text).collect();
    let has_with = words.first().is_some_and(|word| word.text == "with");
    let mut best: Option<(usize, &str)> = None;
    // In which brackets a query stands: `extract(epoch from a)` reads no table.
    let mut queries: Vec<bool> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        queries.resize(word.depth + 1, false);
        if word.text == "select" {
            queries[word.depth] = true;
        }
        let is_from = word.text == "from" && queries[word.depth] && (at == 0 || words[at - 1].text != "distinct");
        let Some(table) = is_from.then(|| after(words, at, &["only", "lateral"])).flatten() else { continue };
        let is_same_level = words.get(at + 1).is_some_and(|next| next.depth == word.depth);
        let is_own = has_with && own.contains(table);
        if is_same_level && !is_own && best.is_none_or(|(depth, _)| word.depth < depth) {
            best = Some((word.depth, table));
        }
    }
    best.map(|(_, table)| table)
}

/// The function of a bare `select f(?)`.
fn function(text: &str) -> Option<&str> {
    let call = text.strip_prefix("select ")?;
    let (name, _) = call.split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    is_name.then_some(name)
}

/// Whether a word can be the name of a table, and is whole.
fn is_table(word: &Word<'_>) -> bool {
    !word.cut && !["select", "values", "with", "set", "where", "as", "from"].contains(&word.text)
}

/// The words of a normalised text: keywords and dotted names.
fn words(text: &str) -> Vec<Word<'_>> {
    let (mut words, mut depth, mut rest) = (Vec::new(), 0_usize, text);
    while let Some(first) = rest.chars().next() {
        let length = dotted(rest);
        if length > 0 {
            // An open bracket at once is one more level for what stands in it, not for this word.
            words.push(Word { text: &rest[..length], depth, cut: rest[length..].starts_with('.') });
            rest = &rest[length..];
            continue;
        }
        match first {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        rest = &rest[first.len_utf8()..];
    }
    words
}

/// The length of a name with its schema: `public."User"`; 0 where none begins.
fn dotted(text: &str) -> usize {
    let mut length = part(text);
    while length > 0 && text[length..].starts_with('.') {
        match part(&text[length + 1..]) {
            0 => break,
            more => length += 1 + more,
        }
    }
    length
}

fn part(text: &str) -> usize {
    if let Some(inner) = text.strip_prefix('"') {
        return inner.find('"').map_or(0, |end| end + 2);
    }
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::super::text::normalised;
    use super::*;

    #[test]
    fn a_name_is_verb_and_table() {
        for (text, wanted) in [
            ("SELECT user_id, email FROM user_profiles WHERE id = $1", "SELECT from user_profiles"),
            ("insert into events (a) values (1)", "INSERT into events"),
            ("insert into events select * from other", "INSERT into events"),
            ("update only sessions set a = 1", "UPDATE sessions"),
            ("delete from app.\"Old Things\" where a = 1", "DELETE from app.\"Old Things\""),
            ("merge into stock using moves on true", "MERGE into stock"),
            ("truncate table a", "TRUNCATE a"),
            ("call tidy_up(1, 'x')", "CALL tidy_up"),
            ("select pg_sleep(1)", "SELECT pg_sleep()"),
            ("select extract(epoch from now())", "SELECT extract()"),
            ("select (select max(a) from inner_one) from outer_one", "SELECT from outer_one"),
            ("select a from (select b from deep) x", "SELECT from deep"),
            ("select a is distinct from b, c from t", "SELECT from t"),
            ("with a as (select x from t) select * from a", "SELECT from t"),
            ("with a as (select x from t) update u set b = 1 from a", "UPDATE u"),
            ("copy t from stdin", "COPY t"),
            ("copy (select a from t) to stdout", "COPY (SELECT from t)"),
        ] {
            assert_eq!(name(&normalised(text)), wanted, "{text}");
        }
    }

    #[test]
    fn a_statement_without_a_table_keeps_its_beginning_and_digits() {
        for text in
            ["vacuum analyze", "select 1", "select a, b ... ", "update", "select a from eventstore. ... into x", "with a as (sel"]
        {
            let text = normalised(text);
            let digits = &fingerprint(&text)[..4];
            assert_eq!(name(&text), format!("{text} #{digits}"), "{text}");
        }
        let long = format!("explain {}", "a ".repeat(80));
        assert_eq!(name(&normalised(&long)).chars().count(), 59 + 6);
        assert!(name("").starts_with('#'));
    }
}
