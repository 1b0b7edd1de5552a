//! Secrets at the door: whatever a file says, no token, password or key goes into a record.

use std::borrow::Cow;

use serde_json::Value;

use super::Draft;
use crate::model::record::Record;
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
