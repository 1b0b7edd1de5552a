//! Facts and settings of several files: what agrees is one, what contradicts is told with both places.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::Value;

use crate::capture::findings::{Fact, Findings, KnownSetting};
use crate::capture::{Capture, File};
use crate::diagnostic::Diagnostic;
use crate::source::Place;

/// The facts and settings of all files; two that contradict each other are an error that names both places.
#[must_use]
pub fn findings(files: &[&File]) -> Findings {
    let mut found = Findings::default();
    let mut files: Vec<&&File> = files.iter().collect();
    // The same record, whatever order the files came in.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let (mut facts, mut settings) = (Merged::default(), Merged::default());
    for file in files {
        let Capture::Facts(told) = &file.capture else { continue };
        found.told.extend(told.told.iter().cloned());
        for fact in &told.facts {
            facts.add(fact, &mut found.told);
        }
        for setting in &told.settings {
            settings.add(setting, &mut found.told);
        }
        for room in ["service", "database"] {
            let of_room = |fact: &Fact| fact.key.split('.').next() == Some(room);
            if told.facts.iter().any(of_room) {
                found.use_file(&file.path, room);
            }
        }
        match told.settings.len() {
            0 if told.facts.is_empty() => found.pass_over(&file.path, "nothing in it is set"),
            0 => {}
            1 => found.use_file(&file.path, "1 setting"),
            number => found.use_file(&file.path, format!("{number} settings")),
        }
    }
    found.facts = facts.list;
    found.settings = settings.list;
    found
}

/// Something with a key, of which there may be one value.
trait Keyed: Clone {
    fn key(&self) -> &str;
    fn place(&self) -> &Place;
    fn shown(&self) -> String;
    /// Whether two values can both be true; `Some(true)` where the other says more.
    fn agrees(&self, other: &Self) -> Option<bool>;
}

/// Values by key, in the order they were first met.
struct Merged<T> {
    list: Vec<T>,
    at: BTreeMap<String, usize>,
}

impl<T> Default for Merged<T> {
    fn default() -> Self {
        Self { list: Vec::new(), at: BTreeMap::new() }
    }
}

impl<T: Keyed> Merged<T> {
    fn add(&mut self, new: &T, told: &mut Vec<Diagnostic>) {
        match self.at.entry(new.key().to_owned()) {
            Entry::Vacant(vacant) => {
                vacant.insert(self.list.len());
                self.list.push(new.clone());
            }
            Entry::Occupied(at) => {
                let old = &mut self.list[*at.get()];
                match old.agrees(new) {
                    Some(true) => *old = new.clone(),
                    Some(false) => {}
                    None => told.push(contradiction(old, new)),
                }
            }
        }
    }
}

fn contradiction<T: Keyed>(old: &T, new: &T) -> Diagnostic {
    let message = format!("`{}` is {} in one place and {} in another", old.key(), old.shown(), new.shown());
    Diagnostic::error("contradiction", message)
        .at(old.place().clone().labelled(old.shown()))
        .at(new.place().clone().labelled(new.shown()))
        .note(format!("{} and {}", old.place(), new.place()))
        .help("leave the file out that is not of this run")
}

impl Keyed for KnownSetting {
    fn key(&self) -> &str {
        &self.setting.key
    }

    fn place(&self) -> &Place {
        &self.place
    }

    fn shown(&self) -> String {
        format!("`{}`", self.setting.value)
    }

    fn agrees(&self, other: &Self) -> Option<bool> {
        (self.setting.value == other.setting.value).then_some(false)
    }
}

impl Keyed for Fact {
    fn key(&self) -> &str {
        &self.key
    }

    fn place(&self) -> &Place {
        &self.place
    }

    fn shown(&self) -> String {
        match (&self.value, self.value.get("printed")) {
            (Value::String(text), _) | (_, Some(Value::String(text))) => format!("`{text}`"),
            (Value::Array(_), _) => "one list".to_owned(),
            (other, _) => format!("`{other}`"),
        }
    }

    fn agrees(&self, other: &Self) -> Option<bool> {
        match (&self.value, &other.value) {
            (Value::String(a), Value::String(b)) if self.key.ends_with("version") => same_version(a, b),
            (Value::Object(a), Value::Object(b)) => same_number(a.get("bytes")?, b.get("bytes")?),
            (Value::Number(_), Value::Number(_)) => same_number(&self.value, &other.value),
            (a, b) => (a == b).then_some(false),
        }
    }
}

/// By value: `6` is `6.0`.
fn same_number(a: &Value, b: &Value) -> Option<bool> {
    let same = a == b || a.as_f64()?.total_cmp(&b.as_f64()?).is_eq();
    same.then_some(false)
}

/// `17` and `17.10` are one version, of which the second says more; a `v` before it says nothing.
fn same_version(a: &str, b: &str) -> Option<bool> {
    let bare = |text: &str| text.strip_prefix('v').unwrap_or(text).to_owned();
    let (a, b) = (bare(a), bare(b));
    let begins = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if begins(&a, &b) { Some(false) } else { begins(&b, &a).then_some(true) }
}
