//! Secrets are masked and nothing else: held against real pages, logs, captures and records.

use std::collections::BTreeMap;
use std::path::Path;

use plimsoll::secrets::{find, masked_alike};

use crate::material;

/// Files of more than this are raw samples, whose rows are alike.
const LARGEST: u64 = 4 << 20;

/// What really is a secret in the material, or dropped whatever it is: kinds, and the files that hold some.
const KNOWN: &[(&str, &str)] = &[
    // What k6's scripts returned from `setup()`, and the scripts themselves, in k6's JSON.
    ("setup-data", ""),
    ("config-script", "machine-readable"),
    // What a matrix of k6's versions was run with: no kind of input.
    ("script-env", "/run.json"),
    // A script and its server, which have a login in them.
    ("password-assignment", "/scripts/"),
    ("session-token", "/scripts/"),
];

/// Masked in lines of inputs alone.
const OF_INPUTS: &[&str] = &["\"querystring\"", "\"query\"", "\"setting\"", "\"boot_val\"", "\"reset_val\""];

#[test]
fn nothing_harmless_is_masked_in_any_real_file() {
    let Some(shared) = material::shared("data") else { return };
    let (mut seen, mut bytes, mut other) = (BTreeMap::<String, usize>::new(), 0, Vec::new());
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for root in [&shared, &own.join("docs"), &own.join("data"), &own.join("templates"), &own.join("flows")] {
        for entry in walkdir::WalkDir::new(root).follow_links(true).sort_by_file_name() {
            let entry = entry.unwrap_or_else(|e| unreachable!("{e}"));
            let path = entry.path().display().to_string();
            let is_small = entry.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() < LARGEST);
            // The table of kinds has an example of each.
            if !is_small || path.ends_with("docs/secrets.md") {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            *seen.entry(entry.path().extension().unwrap_or_default().to_string_lossy().into_owned()).or_default() += 1;
            bytes += text.len();
            let found = find(&text);
            let unknown =
                found.iter().filter(|secret| !KNOWN.iter().any(|(kind, place)| *kind == secret.kind && path.contains(place)));
            other.extend(unknown.map(|secret| format!("{path}: {} `{}`", secret.kind, &text[secret.span.clone()])));
            if found.is_empty() && !OF_INPUTS.iter().any(|name| text.contains(name)) && masked_alike(&text) != text {
                other.push(format!("{path}: masked, and no secret is found"));
            }
        }
    }
    println!("{} files, {bytes} bytes: {seen:?}", seen.values().sum::<usize>());
    for kind in ["json", "csv", "txt", "log", "mdx", "toml", "yaml", "env"] {
        assert!(seen.contains_key(kind), "no {kind} was looked at");
    }
    assert!(other.is_empty(), "{}", other.join("\n"));
}
