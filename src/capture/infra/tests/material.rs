//! The samples beside the project and their answer key, for infrastructure, settings and feature flags.

// Only tests touch the disk beside its door.
#[cfg(test)]
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::capture::{features, settings};
use crate::model::environment::{Flag, FlagState, Size};

/// A folder of the samples; `None`, with the reason printed, where they are absent.
#[allow(clippy::print_stderr, reason = "who runs the tests should know that this one was skipped")]
fn shared(path: &str) -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(path);
    if !shared.exists() {
        eprintln!("skipped: ../shared/data/{path} is not here");
        return None;
    }
    Some(shared)
}

fn source(path: &Path) -> Option<Source> {
    let bytes = fs::read(path).ok()?;
    Some(Source::from_bytes(path.to_str()?, &bytes))
}

/// A sample as a run's file, read by the first of our readers that knows it; `None` if none does.
fn sample(folder: &Path, name: &str) -> Option<File> {
    let source = source(&folder.join(name)).unwrap_or_else(|| unreachable!("{name}"));
    let capture = if features::sniff(&source) {
        features::read(&source)
    } else if sniff(&source) {
        read(&source)
    } else if settings::sniff(&source) {
        settings::read(&source)
    } else {
        return None;
    };
    let capture = capture.unwrap_or_else(|e| unreachable!("{name}: {e}"));
    Some(File { source, path: name.to_owned(), kind: "", named: false, capture })
}

/// The cases of the answer key whose first file lies in one of our folders.
fn cases(folder: &Path) -> Vec<toml::Table> {
    let key = fs::read_to_string(folder.join("expected.toml")).unwrap_or_else(|e| unreachable!("{e}"));
    let key: toml::Table = toml::from_str(&key).unwrap_or_else(|e| unreachable!("{e}"));
    let all = key["case"].as_array().cloned().unwrap_or_default().into_iter().filter_map(|case| case.as_table().cloned());
    let ours = ["zitadel-features/", "zitadel-config/", "gcp-infra/"];
    all.filter(|case| names(case).first().is_some_and(|name| ours.iter().any(|folder| name.starts_with(folder)))).collect()
}

fn names(case: &toml::Table) -> Vec<String> {
    let files = case["files"].as_array().cloned().unwrap_or_default();
    files.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

#[test]
fn every_case_of_the_answer_key_holds() {
    let Some(folder) = shared("capture") else { return };
    let cases = cases(&folder);
    assert!(cases.len() >= 19, "{}", cases.len());
    for case in &cases {
        let names = names(case);
        let files: Vec<Option<File>> = names.iter().map(|name| sample(&folder, name)).collect();
        let known: Vec<&File> = files.iter().flatten().collect();
        let told = names.join(", ");
        match case.get("refuse").and_then(toml::Value::as_str) {
            Some("unknown-kind") => assert!(known.is_empty(), "{told}"),
            Some("error-envelope") => assert!(matches!(known[0].capture, Capture::Refused(_)), "{told}"),
            Some("contradiction") => {
                let found = features::findings(&known, None);
                assert!(found.told.iter().any(|told| told.code == "contradicting-flags"), "{told}");
            }
            Some(other) => unreachable!("{other}"),
            None => {
                assert_eq!(known.len(), names.len(), "{told}");
                compare(case, &known);
            }
        }
    }
}

fn compare(case: &toml::Table, files: &[&File]) {
    let flags = features::findings(files, None);
    let found = findings(files);
    assert!(flags.told.is_empty() && found.told.is_empty(), "{:?} {:?}", flags.told, found.told);
    if let Some(expected) = case.get("flags").and_then(toml::Value::as_table) {
        let flags = flags.flags.as_ref().unwrap_or_else(|| unreachable!("{case:?}"));
        assert_eq!(flags.flags.len(), expected.len());
        flags.flags.iter().for_each(|flag| same_flag(flag, &expected[&flag.name]));
    }
    if let Some(expected) = case.get("features") {
        let captured = flags.flags.and_then(|flags| flags.captured).unwrap_or_else(|| unreachable!("{case:?}"));
        let moment = |text: &toml::Value| text.as_str().and_then(|text| text.parse().ok());
        assert_eq!(Some(captured.level.as_str()), expected["level"].as_str());
        assert_eq!(captured.sequence, expected.get("sequence").and_then(toml::Value::as_integer).and_then(|n| n.try_into().ok()));
        assert_eq!(captured.changed, expected.get("changed_at").and_then(moment));
    }
    let expected = case.get("settings").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    assert_eq!(found.settings.len(), expected.len());
    for KnownSetting { setting, .. } in &found.settings {
        let wanted = &expected[&setting.key];
        assert_eq!(Some(setting.value.as_str()), wanted["value"].as_str(), "{}", setting.key);
        if let Some(default) = wanted.get("default").and_then(toml::Value::as_str) {
            assert_eq!(setting.default.as_deref(), Some(default), "{}", setting.key);
            assert_eq!(setting.deviates(), wanted["deviates"].as_bool(), "{}", setting.key);
        }
    }
    let expected = case.get("infra").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    let environment = json!(environment(&found.facts));
    for (key, wanted) in &expected {
        same_fact(&environment, key, wanted);
    }
}

fn same_flag(flag: &Flag, wanted: &toml::Value) {
    let state = match flag.state {
        FlagState::On => "on",
        FlagState::Off => "unset",
        FlagState::ExplicitlyOff => "explicitly-off",
    };
    assert_eq!(Some(state), wanted["state"].as_str(), "{}", flag.name);
    assert_eq!(flag.level.as_deref(), wanted.get("set_by").and_then(toml::Value::as_str), "{}", flag.name);
    assert_eq!(flag.base_uri.as_deref(), wanted.get("base_uri").and_then(toml::Value::as_str), "{}", flag.name);
    let paths = wanted.get("paths").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let paths: Vec<String> =
        paths.iter().map(|path| format!("IMPROVED_PERFORMANCE_{}", path.as_str().unwrap_or_default())).collect();
    assert_eq!(flag.paths, paths);
}

/// The key's words for infrastructure are other ones than a record's.
fn same_fact(environment: &Value, key: &str, wanted: &toml::Value) {
    let pointer = match key {
        "zitadel.service" => "/service/name".to_owned(),
        "zitadel.region" => "/service/location".to_owned(),
        "zitadel.version" => "/service/version".to_owned(),
        "zitadel.revision" => "/service/revision".to_owned(),
        "database.region" => "/database/location".to_owned(),
        "database.engine" => "/database/kind".to_owned(),
        "database.disk_gb" => "/database/disk/printed".to_owned(),
        "database.flags" => "/database/settings/0/entries".to_owned(),
        "zitadel.memory_bytes" => "/service/container/memory/bytes".to_owned(),
        _ => format!("/{}", key.replace("zitadel.", "service.container.").replace('.', "/")),
    };
    let found = environment.pointer(&pointer).unwrap_or_else(|| unreachable!("{key}"));
    let same = match wanted {
        toml::Value::String(text) => found.as_str() == Some(text),
        toml::Value::Boolean(truth) => found.as_bool() == Some(*truth),
        toml::Value::Integer(number) if key == "database.disk_gb" => found.as_str() == Some(&format!("{number} GB")),
        toml::Value::Integer(number) => found.as_f64().is_some_and(|found| found.total_cmp(&(*number as f64)).is_eq()),
        toml::Value::Table(flags) => {
            let list = found.as_array().cloned().unwrap_or_default();
            list.len() == flags.len()
                && list.iter().all(|flag| flags[flag["key"].as_str().unwrap_or_default()].as_str() == flag["value"].as_str())
        }
        _ => false,
    };
    assert!(same, "{key}: {found} for {wanted}");
}

#[test]
fn the_memory_of_an_optimized_tier_is_not_known() {
    let Some(folder) = shared("capture") else { return };
    let file = sample(&folder, "gcp-infra/gcloud_sql_instances_describe.json").unwrap_or_else(|| unreachable!());
    let found = findings(&[&file]);
    assert_eq!(environment(&found.facts).database.memory, None::<Size>);
    let tier = found.facts.iter().find(|fact| fact.key == "database.tier").unwrap_or_else(|| unreachable!());
    assert_eq!(tier.place.source.text()[tier.place.span.clone()], *"\"db-perf-optimized-N-8\"");
}

#[test]
fn every_run_of_the_demo_has_flags_and_settings() {
    let Some(folder) = shared("demo/runs") else { return };
    let mut seen = 0;
    for path in files(&folder) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name != "features.json" && name != "config.yaml" {
            continue;
        }
        let run = path.parent().unwrap_or_else(|| unreachable!());
        let file = sample(run, name).unwrap_or_else(|| unreachable!("{}", path.display()));
        seen += 1;
        match &file.capture {
            Capture::Flags(answer) => assert!(answer.flags.iter().any(|flag| flag.name == "tokenExchange"), "{}", path.display()),
            Capture::Facts(facts) => {
                let value = |key| facts.settings.iter().find(|known| known.setting.key == key).map(|known| &known.setting);
                assert!(value("database.pool.maxConns").is_some_and(|setting| !setting.value.is_empty()), "{}", path.display());
                assert_eq!(value("database.password").map(|setting| setting.value.as_str()), Some("***"));
                assert!(value("listen").is_some_and(|setting| setting.default.is_none()));
            }
            other => unreachable!("{other:?}"),
        }
    }
    assert_eq!(seen, 38);
}

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| unreachable!("{e}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap_or_else(|e| unreachable!("{e}")).path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_sample_cut_anywhere_is_read_or_told() {
    let Some(folder) = shared("capture") else { return };
    for path in ["zitadel-features", "zitadel-config", "gcp-infra"].iter().flat_map(|name| files(&folder.join(name))) {
        let Some(whole) = source(&path) else { continue };
        for cut in (0..whole.text().len()).step_by(61).filter(|cut| whole.text().is_char_boundary(*cut)) {
            let source = Source::new(whole.name(), &whole.text()[..cut]);
            // Every reader with every text: whether it is asked is another's choice.
            let read = [features::read(&source), read(&source), settings::read(&source)];
            for faults in read.into_iter().filter_map(Result::err) {
                assert!(faults.list().iter().all(|fault| !fault.places.is_empty()), "{cut} of {}", path.display());
            }
            let _ = [features::sniff(&source), sniff(&source), settings::sniff(&source)];
        }
    }
}

/// Where our kinds lie; everything else is another's.
const OURS: [&str; 6] =
    ["/zitadel-features/", "/zitadel-config/", "/gcp-infra/", "features.json", "config.yaml", "/data/capture/capture/"];

#[test]
fn nothing_else_of_the_samples_is_taken() {
    let Some(folder) = shared("") else { return };
    let mut looked = 0;
    for path in files(&folder) {
        let name = path.to_str().unwrap_or_default();
        let small = path.metadata().is_ok_and(|meta| meta.len() < 4 << 20);
        if !small || OURS.iter().any(|ours| name.contains(ours) || name.ends_with(ours)) {
            continue;
        }
        let Some(source) = source(&path) else { continue };
        looked += 1;
        let taken = [features::sniff(&source), sniff(&source), settings::sniff(&source)];
        assert_eq!(taken, [false; 3], "{name}");
    }
    assert!(looked > 100, "{looked}");
}
