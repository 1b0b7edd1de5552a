//! Secrets at the door: whatever a file says, no token, password or key goes into a record.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::Draft;
use crate::model::record::Record;
use crate::model::series::Series;
use crate::secrets::masked;

/// Masks every text of a run that is kept.
pub(super) fn mask(draft: &mut Draft) {
    if let Some(text) = &mut draft.k6_text
        && let Cow::Owned(safe) = masked(text)
    {
        *text = safe;
    }
    if let Some(record) = safe_record(&draft.record) {
        draft.record = record;
    }
    if let Some(series) = &mut draft.series {
        mask_series(series);
    }
}

/// Trends have the names that scripts give them.
fn mask_series(series: &mut Series) {
    mask_names(&mut series.trends);
    mask_names(&mut series.distributions);
    for blocks in &mut series.blocks {
        mask_names(&mut blocks.trends);
        mask_names(&mut blocks.counts);
    }
}

fn mask_names<T>(map: &mut BTreeMap<String, T>) {
    if map.keys().any(|name| matches!(masked(name), Cow::Owned(_))) {
        *map = std::mem::take(map).into_iter().map(|(name, value)| (masked(&name).into_owned(), value)).collect();
    }
}

/// The record with its texts masked; `None` where there is nothing to mask.
fn safe_record(record: &Record) -> Option<Record> {
    let mut value = serde_json::to_value(record).ok()?;
    // A record whose texts alone were changed is still one.
    mask_value(&mut value).then(|| serde_json::from_value(value).ok()).flatten()
}

/// Masks every text inside a value, names of fields too: the names of requests are some. Tells whether one was masked.
fn mask_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match masked(text) {
            Cow::Owned(safe) => {
                *text = safe;
                true
            }
            Cow::Borrowed(_) => false,
        },
        Value::Array(list) => list.iter_mut().fold(false, |any, one| mask_value(one) | any),
        Value::Object(fields) => {
            let mut any = false;
            for (key, mut field) in std::mem::take(fields) {
                any |= mask_value(&mut field);
                let key = match masked(&key) {
                    Cow::Owned(safe) => {
                        any = true;
                        safe
                    }
                    Cow::Borrowed(_) => key,
                };
                fields.insert(key, field);
            }
            any
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
