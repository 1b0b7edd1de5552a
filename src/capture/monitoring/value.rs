//! Values of points, and the words that say what they are.

use super::distribution;
use super::node::{Node, Object};
use super::reader::Reader;
use crate::capture::track::{Kind, Value};

/// What a series' values are, by the words of the API and the numbers of its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Int64,
    Double,
    Text,
    Distribution,
}

/// Kinds by the words of the API; their numbers are those of the client libraries' enumeration.
const KINDS: [(&str, Kind); 4] =
    [("METRIC_KIND_UNSPECIFIED", Kind::Unsaid), ("GAUGE", Kind::Gauge), ("DELTA", Kind::Delta), ("CUMULATIVE", Kind::Cumulative)];

/// Types likewise; money was never used.
const TYPES: [(&str, Option<Type>); 7] = [
    ("VALUE_TYPE_UNSPECIFIED", None),
    ("BOOL", Some(Type::Bool)),
    ("INT64", Some(Type::Int64)),
    ("DOUBLE", Some(Type::Double)),
    ("STRING", Some(Type::Text)),
    ("DISTRIBUTION", Some(Type::Distribution)),
    ("MONEY", None),
];

/// The field of a value by the type it is of.
const FIELDS: [(&str, Type); 5] = [
    ("boolValue", Type::Bool),
    ("int64Value", Type::Int64),
    ("doubleValue", Type::Double),
    ("stringValue", Type::Text),
    ("distributionValue", Type::Distribution),
];

/// How the values of a series go on from each other.
pub(super) fn kind<'a>(reader: &mut Reader<'a>, object: &Object<'a>) -> Kind {
    object.get("metricKind").and_then(|node| word(reader, node, "metricKind", &KINDS)).unwrap_or(Kind::Unsaid)
}

/// What type the values of a series are said to be of.
pub(super) fn value_type<'a>(reader: &mut Reader<'a>, object: &Object<'a>) -> Option<Type> {
    object.get("valueType").and_then(|node| word(reader, node, "valueType", &TYPES)).flatten()
}

fn word<'a, T: Copy>(reader: &mut Reader<'a>, node: Node<'a>, name: &str, words: &[(&str, T)]) -> Option<T> {
    let written = node.digits().unwrap_or_default();
    let by_number = || words.get(written.parse::<usize>().ok()?);
    let found = words.iter().find(|(word, _)| *word == written).or_else(by_number);
    if found.is_none() {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("`{name}` is no word that is known: {written}");
        reader.fault_with_help(node, message, &format!("it is one of {}", known.join(", ")));
    }
    found.map(|(_, meaning)| *meaning)
}

/// Reads a value. A text and what is no finite number are no measurement, nor is a value without a type.
pub(super) fn value<'a>(reader: &mut Reader<'a>, node: Node<'a>, said: Option<Type>) -> Option<Value> {
    let Some(object) = node.object() else {
        reader.fault(node, format!("`value` is {}, not an object", node.what()));
        return None;
    };
    let Some((key, _)) = object.fields.iter().find(|(_, node)| !node.is_null()) else { return Some(Value::Nothing) };
    let field = FIELDS.iter().find_map(|(name, kind)| Some((*name, *kind, object.get(name)?)));
    let Some((name, own, inner)) = field else {
        reader.fault(node, format!("`{key}` is no value that is known"));
        return None;
    };
    if said.is_some_and(|said| said != own) {
        reader.fault(node, format!("the value is a `{name}`, but `valueType` says otherwise"));
        return None;
    }
    match own {
        Type::Bool => {
            let truth = inner.truth();
            if truth.is_none() {
                reader.fault(inner, "`boolValue` is neither true nor false");
            }
            truth.map(|truth| Value::Number(f64::from(u8::from(truth))))
        }
        Type::Int64 => reader.whole(inner, name).map(|whole| Value::Number(whole as f64)),
        Type::Double => {
            let number = reader.number(inner, name)?;
            Some(if number.is_finite() { Value::Number(number) } else { Value::Nothing })
        }
        Type::Text => Some(Value::Nothing),
        Type::Distribution => distribution::read(reader, inner).map(Value::Buckets),
    }
}
