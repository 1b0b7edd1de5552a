//! What people write, laid over what the machine read: `run.toml` before `release.toml` before `record.json`.

use serde_json::{Map, Value};

use super::byhand::{ReleaseFile, RunFile};
use crate::model::collection::Difference;
use crate::model::derive;
use crate::model::environment::Environment;
use crate::model::record::Record;

/// A record that hand-written files are laid over, and what they say otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// The record as it counts.
    pub record: Record,
    /// Values that a person and the machine give differently.
    pub differences: Vec<Difference>,
}

impl Overlay {
    /// A record nobody wrote about yet.
    #[must_use]
    pub fn new(record: Record) -> Self {
        Self { record, differences: Vec::new() }
    }

    /// Lays `release.toml` over the record.
    #[must_use]
    pub fn with_release(mut self, release: &ReleaseFile) -> Self {
        self.environment(&release.environment, "release.toml");
        self
    }

    /// Lays what was captured of the environment over the record, without a word: a newer capture replaces an older one.
    #[must_use]
    pub fn with_capture(mut self, environment: &Environment) -> Self {
        let known = self.differences.len();
        self.environment(environment, "");
        self.differences.truncate(known);
        self
    }

    /// Lays `run.toml` over the record.
    #[must_use]
    pub fn with_run(mut self, run: &RunFile) -> Self {
        let file = "run.toml";
        self.environment(&run.environment, file);
        let identity = &mut self.record.identity;
        set(&mut identity.purpose, run.purpose.as_ref(), "purpose", file, &mut self.differences);
        set(&mut identity.baseline, run.baseline.as_ref(), "baseline", file, &mut self.differences);
        set(&mut identity.deferrable, run.deferrable.as_ref(), "deferrable", file, &mut self.differences);
        let window = &mut self.record.window;
        set(&mut window.start, run.window.start.as_ref(), "window.start", file, &mut self.differences);
        set(&mut window.end, run.window.end.as_ref(), "window.end", file, &mut self.differences);
        set(&mut window.duration_s, run.window.duration_s.as_ref(), "window.duration_s", file, &mut self.differences);
        window.basis = run.window.basis.or(window.basis);
        self.figures(run, file);
        let recorded = run.recorded.as_ref().map(|recorded| recorded.label.clone());
        let mut label = self.record.recorded.as_ref().map(|recorded| recorded.label.clone());
        set(&mut label, recorded.as_ref(), "recorded.label", file, &mut self.differences);
        self.record.recorded = run.recorded.clone().or(self.record.recorded.take());
        self.record.overridden = run.overridden.clone().or(self.record.overridden.take());
        self
    }

    fn figures(&mut self, run: &RunFile, file: &str) {
        for (id, figure) in run.figures.iter() {
            let before = derive::figure(&self.record, id);
            if let (Some(old), Some(new)) = (before.measurement(), figure.measurement())
                && !old.range().overlaps(new.range())
            {
                self.differences.push(Difference {
                    what: id.to_string(),
                    by_hand: new.text(),
                    by_machine: old.text(),
                    file: file.to_owned(),
                });
            }
            // Both came out of a `Figures`, which holds only figures of the catalogue's units.
            let set = self.record.figures.set(id, figure.clone());
            debug_assert!(set.is_ok());
        }
    }

    fn environment(&mut self, by_hand: &Environment, file: &str) {
        let (Ok(Value::Object(mut machine)), Ok(Value::Object(hand))) =
            (serde_json::to_value(&self.record.environment), serde_json::to_value(by_hand))
        else {
            return;
        };
        merge(&mut machine, hand, "environment", file, &mut self.differences);
        // Both are environments of the same shape, so what is merged of them is one too.
        if let Ok(merged) = serde_json::from_value(Value::Object(machine)) {
            self.record.environment = merged;
        }
    }
}

fn set<T: Clone + PartialEq + std::fmt::Debug + serde::Serialize>(
    place: &mut Option<T>,
    by_hand: Option<&T>,
    what: &str,
    file: &str,
    differences: &mut Vec<Difference>,
) {
    let Some(value) = by_hand else { return };
    if let Some(old) = place.as_ref().filter(|old| *old != value) {
        differences.push(difference(what, file, &json(value), &json(old)));
    }
    *place = Some(value.clone());
}

fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Lays the keys of one object over those of another, object by object; lists, texts, numbers and written sizes are taken
/// whole.
fn merge(machine: &mut Map<String, Value>, hand: Map<String, Value>, path: &str, file: &str, differences: &mut Vec<Difference>) {
    for (key, value) in hand {
        let what = format!("{path}.{key}");
        match (machine.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) if !new.contains_key("printed") => {
                merge(old, new, &what, file, differences);
            }
            (Some(old), new) => {
                if *old != new {
                    differences.push(difference(&what, file, &new, old));
                }
                *old = new;
            }
            (None, new) => {
                machine.insert(key, new);
            }
        }
    }
}

fn difference(what: &str, file: &str, by_hand: &Value, by_machine: &Value) -> Difference {
    Difference { what: what.to_owned(), by_hand: shown(by_hand), by_machine: shown(by_machine), file: file.to_owned() }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields.get("printed").and_then(Value::as_str).map_or_else(|| value.to_string(), str::to_owned),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::byhand::{read_release, read_run};
    use crate::model::catalogue::FigureId;
    use crate::model::environment::Size;
    use crate::source::Source;

    fn record() -> Record {
        let mut record = Record::new("v1/otp_session".parse().unwrap_or_else(|e| unreachable!("{e}")));
        record.environment.database.vcpu = Some(8.0);
        record.environment.database.memory = Size::read("32Gib").ok();
        record
    }

    #[test]
    fn the_run_wins_over_the_release_and_the_release_over_the_machine() {
        let release = read_release(&Source::new(
            "release.toml",
            "[database]\nvcpu = 16\nmemory = \"64 GB\"\n[client]\nlocation = \"EU1\"\nharness_version = \"2026.9\"\n",
        ));
        let run = read_run(&Source::new("run.toml", "[database]\nvcpu = 32\n[figures]\n\"database.cpu.median\" = \"97%\"\n"));
        let (release, run) = (release.unwrap_or_else(|f| unreachable!("{f}")), run.unwrap_or_else(|f| unreachable!("{f}")));
        let overlay = Overlay::new(record()).with_release(&release).with_run(&run);
        let record = &overlay.record;
        assert_eq!(record.environment.database.vcpu, Some(32.0));
        assert_eq!(record.environment.client.location.as_deref(), Some("EU1"));
        assert_eq!(record.environment.client.harness_version.as_deref(), Some("2026.9"));
        let cpu = derive::figure(record, FigureId::DatabaseCpuMedian);
        assert_eq!(cpu.measured().map(crate::model::figure::Measurement::text), Some("97%".to_owned()));
        let said: Vec<String> =
            overlay.differences.iter().map(|d| format!("{} {}: {} not {}", d.file, d.what, d.by_hand, d.by_machine)).collect();
        insta::assert_debug_snapshot!(said);
    }

    #[test]
    fn a_file_that_says_nothing_changes_nothing() {
        let empty = Overlay::new(record()).with_release(&ReleaseFile::default()).with_run(&RunFile::default());
        assert_eq!(empty, Overlay::new(record()));
    }
}
