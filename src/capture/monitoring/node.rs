//! JSON whose every value knows its place, read a level at a time: a fault can point at the value, and what nobody asks for is
//! passed over.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::source::{Source, Span};

/// A JSON value of a text.
#[derive(Clone, Copy, Debug)]
pub(in crate::capture) struct Node<'a> {
    raw: &'a str,
    at: usize,
}

/// The fields of a JSON object, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(in crate::capture) struct Object<'a> {
    /// Names as they are written, with their values.
    pub(in crate::capture) fields: Vec<(String, Node<'a>)>,
}

impl<'a> Node<'a> {
    /// The JSON values that follow one another in a text, and what is wrong behind the last of them.
    pub(in crate::capture) fn documents(source: &'a Source) -> (Vec<Self>, Option<serde_json::Error>) {
        let text = source.text();
        let mut documents = Vec::new();
        for raw in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
            match raw {
                Ok(raw) => documents.push(Self::of(raw, text, 0)),
                Err(error) => return (documents, Some(error)),
            }
        }
        (documents, None)
    }

    fn of(raw: &'a RawValue, text: &'a str, base: usize) -> Self {
        // A raw value is a part of the text it was read from.
        let at = raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
        Self { raw: raw.get(), at: base + at }
    }

    /// Its bytes in the text, but only the opening bracket of an object or a list: what a caret can point at.
    pub(in crate::capture) fn place(self) -> Span {
        let is_nested = self.raw.starts_with(['{', '[']);
        self.at..self.at + if is_nested { 1 } else { self.raw.len() }
    }

    /// Whether it is `null`, which the API means as absent.
    pub(in crate::capture) fn is_null(self) -> bool {
        self.raw == "null"
    }

    /// What it is, in words.
    pub(in crate::capture) fn what(self) -> &'static str {
        match self.raw.bytes().next() {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a text",
            Some(b't' | b'f') => "a truth value",
            Some(b'n') => "null",
            _ => "a number",
        }
    }

    /// Its fields, if it is an object.
    pub(in crate::capture) fn object(self) -> Option<Object<'a>> {
        let fields: Fields<'a> = serde_json::from_str(self.raw).ok()?;
        let place = |(name, raw)| (name, Self::of(raw, self.raw, self.at));
        Some(Object { fields: fields.0.into_iter().map(place).collect() })
    }

    /// Its values, if it is a list.
    pub(in crate::capture) fn list(self) -> Option<Vec<Self>> {
        let values: Vec<&'a RawValue> = serde_json::from_str(self.raw).ok()?;
        Some(values.into_iter().map(|raw| Self::of(raw, self.raw, self.at)).collect())
    }

    /// Its text, if it is one.
    pub(in crate::capture) fn text(self) -> Option<String> {
        serde_json::from_str(self.raw).ok()
    }

    /// Its truth value, if it is one.
    pub(in crate::capture) fn truth(self) -> Option<bool> {
        serde_json::from_str(self.raw).ok()
    }

    /// The digits of a number, bare or in a text: the API writes whole numbers of 64 bits as texts.
    pub(in crate::capture) fn digits(self) -> Option<String> {
        let is_number = self.raw.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if is_number { Some(self.raw.to_owned()) } else { self.text() }
    }
}

impl<'a> Object<'a> {
    /// A field by its name in camel case, which may be written in snake case; one that is `null` is absent.
    pub(in crate::capture) fn get(&self, name: &str) -> Option<Node<'a>> {
        let found = self.fields.iter().find(|(key, _)| is_spelling(key, name));
        found.map(|(_, node)| *node).filter(|node| !node.is_null())
    }
}

/// Whether a key is a name in camel case, `nextPageToken`, or the same name in snake case, `next_page_token`.
pub(in crate::capture) fn is_spelling(key: &str, name: &str) -> bool {
    if key == name {
        return true;
    }
    let mut key = key.chars();
    for wanted in name.chars() {
        let is_same = if wanted.is_ascii_uppercase() {
            key.next() == Some('_') && key.next() == Some(wanted.to_ascii_lowercase())
        } else {
            key.next() == Some(wanted)
        };
        if !is_same {
            return false;
        }
    }
    key.next().is_none()
}

/// The fields of an object with their values unread.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Reader).map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_place() {
        let source = Source::new("a.json", " {\"a\": [1, \"x\"],\n \"b_c\": {\"d\": null}} [2]");
        let (documents, error) = Node::documents(&source);
        assert!(error.is_none());
        let first = documents[0].object().unwrap_or_default();
        let list = first.get("a").and_then(Node::list).unwrap_or_default();
        assert_eq!(&source.text()[list[1].place()], "\"x\"");
        let nested = first.get("bC").and_then(Node::object).unwrap_or_default();
        assert_eq!(&source.text()[nested.fields[0].1.place()], "null");
        assert!(nested.get("d").is_none());
        let second = documents[1].list().unwrap_or_default();
        assert_eq!(&source.text()[second[0].place()], "2");
    }

    #[test]
    fn a_text_that_breaks_off_gives_what_came_before() {
        let source = Source::new("a.json", "{\"a\":1}\n{\"a\":");
        let (documents, error) = Node::documents(&source);
        assert_eq!(documents.len(), 1);
        assert_eq!(error.map(|error| error.line()), Some(2));
    }

    #[test]
    fn names_are_the_same_in_both_spellings() {
        assert!(is_spelling("int64Value", "int64Value") && is_spelling("int64_value", "int64Value"));
        assert!(!is_spelling("int64", "int64Value") && !is_spelling("int64_values", "int64Value"));
    }
}
