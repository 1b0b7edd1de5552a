//! Secrets in values: every text inside of one is masked, names of fields too, since the names of requests are some.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::masked;

/// A value whose secret stands where no mask can: in the name of a release or a target, which is a folder's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name that can't be masked looks like a secret: it is the name of a release, a target or a label")]
pub struct InName;

/// The value with its texts masked; as it is, where there is nothing to mask.
///
/// # Errors
/// [`InName`] if the masked value is none of its type any more.
pub fn masked_value<T: Serialize + DeserializeOwned>(value: T) -> Result<T, InName> {
    let mut json = serde_json::to_value(&value).map_err(|_| InName)?;
    if !mask(&mut json) {
        return Ok(value);
    }
    serde_json::from_value(json).map_err(|_| InName)
}

/// The map with its names masked.
pub fn mask_names<T>(map: &mut BTreeMap<String, T>) {
    if map.keys().any(|name| matches!(masked(name), Cow::Owned(_))) {
        let mut safe = BTreeMap::new();
        for (name, value) in std::mem::take(map) {
            let name = free(masked(&name).into_owned(), |name| safe.contains_key(name));
            safe.insert(name, value);
        }
        *map = safe;
    }
}

/// Masks every text inside a value. Tells whether one was masked.
fn mask(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match masked(text) {
            Cow::Owned(safe) => {
                *text = safe;
                true
            }
            Cow::Borrowed(_) => false,
        },
        Value::Array(list) => list.iter_mut().fold(false, |any, one| mask(one) | any),
        Value::Object(fields) => mask_fields(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn mask_fields(fields: &mut Map<String, Value>) -> bool {
    let mut any = false;
    let mut safe = Map::new();
    for (name, mut value) in std::mem::take(fields) {
        any |= mask(&mut value);
        let name = match masked(&name) {
            Cow::Owned(safe) => {
                any = true;
                safe
            }
            Cow::Borrowed(_) => name,
        };
        let name = free(name, |name| safe.contains_key(name));
        safe.insert(name, value);
    }
    *fields = safe;
    any
}

/// The name, with a number behind it if it is taken: two names that differ in their secrets alone stay two, or one's numbers would be lost.
fn free(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&name) {
        return name;
    }
    let numbered = (2..u64::MAX).map(|number| format!("{name} ({number})")).find(|name| !is_taken(name));
    numbered.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_that_differ_in_their_secrets_stay_two() {
        let value = json!({"https://h/?token=abcd1234": 1, "https://h/?token=abcd5678": [2, "password=hunter22"], "n": 3});
        let wanted = json!({"https://h/?token=***": 1, "https://h/?token=*** (2)": [2, "password=***"], "n": 3});
        assert_eq!(masked_value(value), Ok(wanted));
        let mut map = BTreeMap::from([("a?token=abcd1234".to_owned(), 1), ("a?token=abcd5678".to_owned(), 2)]);
        mask_names(&mut map);
        assert_eq!(map, BTreeMap::from([("a?token=***".to_owned(), 1), ("a?token=*** (2)".to_owned(), 2)]));
    }

    #[test]
    fn a_value_without_a_secret_is_the_same() {
        assert_eq!(masked_value(json!({"a": [1.5, null, "b"]})), Ok(json!({"a": [1.5, null, "b"]})));
    }
}
