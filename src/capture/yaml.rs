//! YAML and JSON of configuration and of platforms, as a tree in which every value has the text it was written in and its place.
//!
//! Numbers and truths stay text: `1.50` is not `1.5` in a setting, and what a value is meant to be is decided by who asks.

mod shown;

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{Location, Spanned};

pub(super) use self::shown::{blotted, shown};
use super::json;
use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::{YAML_DEPTH, YAML_VALUES};
use crate::secrets;
use crate::source::{Place, Source, Span};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// What it is.
    pub(super) tree: Tree,
    /// Its bytes in the text; of a list or a mapping only its beginning.
    pub(super) span: Span,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    /// Null, or no value after a key.
    Nothing,
    /// A text, a number or a truth, as written; without quotes.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the text.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The value under keys one inside the other.
    pub(super) fn get(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value))
    }

    /// The entries of a mapping; none of anything else.
    pub(super) fn entries(&self) -> &[(String, Self)] {
        if let Tree::Map(entries) = &self.tree { entries } else { &[] }
    }

    /// The items of a list; none of anything else.
    pub(super) fn items(&self) -> &[Self] {
        if let Tree::List(items) = &self.tree { items } else { &[] }
    }

    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        if let Tree::Text(text) = &self.tree { Some(text) } else { None }
    }
}

/// Reads a whole text as one document of YAML or JSON.
///
/// # Errors
/// `bad-capture` at the line and column where it is none; `what` names what was expected.
pub(super) fn read(source: &Source, what: &str) -> Result<Node, Faults> {
    let text = source.text();
    if text.trim_start().starts_with('{') {
        // JSON has better words for its own faults, and letters outside the first plane in halves, which YAML does not know.
        let value: Value = json::read(source, what).map_err(|faults| hidden(source, faults))?;
        return Ok(parse(text).unwrap_or_else(|_| placeless(&value)));
    }
    parse(text).map_err(|error| fault(source, &error, what).into())
}

/// Reads a text as one document; without words on why it is none, for who only wants to know whether it is one.
pub(super) fn parse(text: &str) -> Result<Node, serde_saphyr::Error> {
    let budget = serde_saphyr::budget! { max_nodes: YAML_VALUES, max_recorded_anchor_events: YAML_VALUES, max_depth: YAML_DEPTH };
    let options = serde_saphyr::options! { with_snippet: false, budget: budget };
    let seen: Spanned<Seen> = serde_saphyr::from_str_with_options(text, options)?;
    Ok(finish(seen, text))
}

/// Faults of JSON with their lines as they may be shown.
fn hidden(source: &Source, faults: Faults) -> Faults {
    let fault = faults.into_list().into_iter().next().unwrap_or_else(|| Diagnostic::error("bad-capture", "this can't be read"));
    let at = fault.places.first().map_or(0, |place| place.span.start);
    Diagnostic { places: vec![line_of(source, at)], ..fault }.into()
}

/// The fault of a text that is no YAML.
fn fault(source: &Source, error: &serde_saphyr::Error, what: &str) -> Diagnostic {
    let at = error.location().map(|location| span(location).map_or_else(|| offset(source, location), |span| span.start));
    let message = words(error.without_snippet());
    // The place at its end is drawn, and what an option of the library would do helps nobody.
    let message = message.lines().next().unwrap_or_default();
    let message = message.rsplit_once(" at line ").map_or(message, |(words, _)| words);
    let message = message.split_once(", set DuplicateKeyPolicy").map_or(message, |(words, _)| words);
    Diagnostic::error("bad-capture", format!("this is not {what}: {}", secrets::masked(message)))
        .at(line_of(source, at.unwrap_or_default()))
}

/// What is wrong, in words; what is too much for the reader it tells in its own.
fn words(error: &serde_saphyr::Error) -> String {
    let serde_saphyr::Error::Budget { breach, .. } = error else { return error.to_string() };
    match breach {
        BudgetBreach::Nodes { .. } => format!("it has more than {YAML_VALUES} values, with those that its aliases repeat"),
        BudgetBreach::Depth { .. } => format!("it is nested more than {YAML_DEPTH} levels deep"),
        _ => "it has more anchors, aliases or merged keys than any configuration".to_owned(),
    }
}

/// The offset of a line and column.
fn offset(source: &Source, location: Location) -> usize {
    let line = usize::try_from(location.line()).unwrap_or(1).max(1);
    let start = source.at_line(line).span.start;
    let column = usize::try_from(location.column()).unwrap_or(1).max(1);
    let rest = source.text().get(start..).unwrap_or_default();
    start + rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at)
}

/// A place in a line of its own, of which only the key is shown: in a document that can't be read nobody knows which value is a secret.
fn line_of(source: &Source, at: usize) -> Place {
    let (line, column) = source.line_column(at);
    let text = source.text().get(source.at_line(line).span).unwrap_or_default();
    let key = text.find([':', '=']).map_or("", |end| &text[..=end]);
    let letters = key.chars().chain(std::iter::repeat(' '));
    let shown: String = letters.take(key.chars().count().max(column)).collect();
    let at = shown.char_indices().nth(column - 1).map_or(shown.len(), |(at, _)| at);
    Source::excerpt(source.name(), secrets::masked(&shown), line).at(at..at)
}

/// A value as the reader of YAML gives it.
enum Seen {
    Nothing,
    Text(String),
    /// A number or a truth, told by its value; how it was written stands in the text.
    Bare(String),
    List(Vec<Spanned<Seen>>),
    Map(Vec<(String, Spanned<Seen>)>),
}

fn finish(seen: Spanned<Seen>, text: &str) -> Node {
    let span = span(seen.defined).unwrap_or_default();
    let tree = match seen.value {
        Seen::Nothing => Tree::Nothing,
        Seen::Text(text) => Tree::Text(text),
        Seen::Bare(value) => {
            let written = text.get(span.clone()).map(str::trim).filter(|written| !written.is_empty());
            Tree::Text(written.map_or(value, str::to_owned))
        }
        Seen::List(items) => Tree::List(items.into_iter().map(|item| finish(item, text)).collect()),
        Seen::Map(entries) => Tree::Map(entries.into_iter().map(|(key, value)| (key, finish(value, text))).collect()),
    };
    Node { tree, span }
}

/// The bytes of a location, where they are known.
fn span(location: Location) -> Option<Range<usize>> {
    let start = usize::try_from(location.span().byte_offset()?).ok()?;
    let length = usize::try_from(location.span().byte_len()?).ok()?;
    Some(start..start + length)
}

/// A tree of JSON whose places are not known.
fn placeless(value: &Value) -> Node {
    let tree = match value {
        Value::Null => Tree::Nothing,
        Value::String(text) => Tree::Text(text.clone()),
        Value::Bool(_) | Value::Number(_) => Tree::Text(value.to_string()),
        Value::Array(items) => Tree::List(items.iter().map(placeless).collect()),
        Value::Object(entries) => Tree::Map(entries.iter().map(|(key, value)| (key.clone(), placeless(value))).collect()),
    };
    Node { tree, span: 0..0 }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scan)
    }
}

struct Scan;

impl<'de> Visitor<'de> for Scan {
    type Value = Seen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Seen, E> {
        Ok(Seen::Nothing)
    }

    fn visit_none<E>(self) -> Result<Seen, E> {
        Ok(Seen::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Seen, E> {
        Ok(Seen::Bare(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Seen, E> {
        Ok(Seen::Bare(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Seen, E> {
        Ok(Seen::Bare(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Seen, E> {
        Ok(Seen::Bare(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Seen, E> {
        Ok(Seen::Bare(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Seen, E> {
        Ok(Seen::Bare(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Seen, E> {
        Ok(Seen::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Seen, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Seen::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Seen, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Seen::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        parse(text).unwrap_or_else(|e| unreachable!("{e}"))
    }

    #[test]
    fn a_value_keeps_the_text_it_was_written_in() {
        let text = "a: 1.50\nb: {c: yes, d: 0x1F, e: '6', f: 1_000}\ng: [1m, ~]\nh:\n1: 007\ni: 18446744073709551616\n";
        let root = node(text);
        let at = |path: &[&str]| root.get(path).and_then(Node::text).map(str::to_owned);
        let told = [at(&["a"]), at(&["b", "c"]), at(&["b", "d"]), at(&["b", "e"]), at(&["b", "f"]), at(&["1"]), at(&["i"])];
        assert_eq!(told.map(Option::unwrap_or_default), ["1.50", "yes", "0x1F", "6", "1_000", "007", "18446744073709551616"]);
        let items = root.get(&["g"]).map(Node::items).unwrap_or_default();
        assert_eq!(items.iter().map(Node::text).collect::<Vec<_>>(), [Some("1m"), None]);
        assert_eq!(root.get(&["h"]).map(|node| node.tree.clone()), Some(Tree::Nothing));
    }

    #[test]
    fn a_value_knows_its_place() {
        let text = "é: {\"limit\":  250, \"x\": \"y\"}\nzwei: &a text\ndrei: *a\n";
        let root = node(text);
        let at = |path: &[&str]| root.get(path).map(|node| text[node.span.clone()].to_owned()).unwrap_or_default();
        assert_eq!([at(&["é", "limit"]), at(&["é", "x"]), at(&["zwei"]), at(&["drei"])], ["250", "\"y\"", "text", "text"]);
    }

    #[test]
    fn json_is_read_with_tabs_and_letters_in_halves() {
        let source = Source::new("a.json", "{\n\t\"a\": {\"b\": 6},\n\t\"c\":\"\\ud83d\\ude00\"\n}");
        let root = read(&source, "a description").unwrap_or_else(|e| unreachable!("{e}"));
        assert_eq!(root.get(&["a", "b"]).and_then(Node::text), Some("6"));
        assert_eq!(root.get(&["c"]).and_then(Node::text), Some("😀"));
    }

    #[test]
    fn a_fault_has_line_and_column() {
        for (text, place) in [("a: 1\nb: [1, 2\nc: 3\n", "a:3:"), ("{\"a\": 1,\n \"b\" 2}", "a:2:6"), ("a: 1\na: 2\n", "a:2:1")] {
            let faults = read(&Source::new("a", text), "a description").err().unwrap_or_else(|| unreachable!("{text}"));
            let fault = &faults.list()[0];
            assert!(fault.places[0].to_string().starts_with(place), "{faults} {}", fault.places[0]);
        }
    }

    #[test]
    fn a_fault_shows_no_value() {
        for text in ["a: 1\nkey: \"hunter2\n", "{\"a\": 1,\n \"value\": \"hunter2", "a: [1\nhunter2: 3 hunter2"] {
            let faults = read(&Source::new("a", text), "a description").err().unwrap_or_else(|| unreachable!("{text}"));
            assert!(!faults.to_string().contains("\"hunter2") && !faults.to_string().contains(" hunter2\n"), "{faults}");
        }
    }

    #[test]
    fn a_tree_as_deep_as_it_likes_is_a_fault_and_no_fall() {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(&format!("a: {open}{close}")).is_err());
        assert!(read(&Source::new("a", format!("{{\"a\": {open}{close}}}")), "a description").is_err());
    }
}
